"""Vectors of passages beside the index: `.ia/cache/vectors`, one space a file, each vector kept by its text's SHA-256.

A text is never embedded twice. A search mixes words and vectors: (1 - w) x BM25/max + w x closeness, where the nearest
passage has the closeness 1 and the median 0.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.kernel import files
from ia.kernel.digest import sha256
from ia.kernel.errors import IaError, Message, Notify, Unavailable
from ia.kernel.workspace import Workspace
from ia.organs.recall.embeddings import BATCH, EmbeddingSpace, embed_query, embed_texts, load_space

if TYPE_CHECKING:
    import numpy as np

FOLDER = ".ia/cache/vectors"
DIGEST = 32
"""Bytes of a key."""
FEW = 10
"""With fewer passages the median says nothing: closeness is then the cosine over the largest."""
APART = 0.05
"""What the nearest passage must be nearer than the median; else the question is near to nothing."""
MOST = 100


class VectorStore:
    """The vectors of one space in a workspace: NAME.f32 (rows of float32), NAME.keys (their texts' digests)."""

    def __init__(self, root: str, space: EmbeddingSpace) -> None:
        self.space = space
        self._base = os.path.join(root, FOLDER, space.key)
        self.dimensions = 0
        try:
            with open(f"{self._base}.json", encoding="utf-8") as file:
                self.dimensions = int(json.load(file)["dimensions"])
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def __len__(self) -> int:
        if not self.dimensions:
            return 0
        sizes = []
        for ending, row in (("keys", DIGEST), ("f32", 4 * self.dimensions)):
            try:
                sizes.append(os.path.getsize(f"{self._base}.{ending}") // row)
            except OSError:
                return 0
        return min(sizes)

    def load_slots(self) -> dict[bytes, int]:
        """Return the row of each key."""
        count = len(self)
        if not count:
            return {}
        with open(f"{self._base}.keys", "rb") as file:
            data = file.read(count * DIGEST)
        return {data[at : at + DIGEST]: at // DIGEST for at in range(0, len(data), DIGEST)}

    def load_matrix(self) -> "np.ndarray[Any, Any]":
        """Return the rows, as a map of the file."""
        import numpy as np

        return np.memmap(f"{self._base}.f32", np.float32, "r", shape=(len(self), self.dimensions))

    def append(self, keys: Sequence[bytes], vectors: Sequence[Sequence[float]]) -> None:
        """Add rows; one that an interrupted process left half-written is cut off first.

        raises  Unavailable for vectors of another dimension than those that are there
        """
        from array import array

        os.makedirs(os.path.dirname(self._base), exist_ok=True)
        with files.hold_lock(f"{self._base}.lock", wait=None):
            if not self.dimensions:
                self.dimensions = len(vectors[0])
                told = {"model": self.space.model, "dimensions": self.dimensions}
                files.replace_file(f"{self._base}.json", json.dumps(told), durable=False)
            if any(len(vector) != self.dimensions for vector in vectors):
                raise Unavailable("embeddings: vectors of another dimension than {known}", known=self.dimensions)
            count = len(self)
            rows = (b"".join(array("f", vector).tobytes() for vector in vectors), b"".join(keys))
            for ending, size, data in (("f32", 4 * self.dimensions, rows[0]), ("keys", DIGEST, rows[1])):
                with open(f"{self._base}.{ending}", "ab") as file:
                    file.truncate(count * size)
                    file.write(data)


class EmbeddingPlan(NamedTuple):
    """What is still to be embedded: texts by key; passages: how many there are, embedded: how many have a vector."""

    texts: dict[bytes, str]
    passages: int
    embedded: int
    characters: int


def list_texts(conn: sqlite3.Connection, where: str, values: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the row and the text of the passages that a restriction leaves (see search.build_restriction)."""
    query = (
        "SELECT passages.id, CASE WHEN chunks.heading <> '' THEN chunks.heading || char(10) ELSE '' END || text"
        f" FROM passages LEFT JOIN chunks ON chunks.id = passages.id WHERE 1{where.replace('rowid', 'passages.id')}"
    )
    yield from conn.execute(query, list(values))


def hash_text(text: str) -> bytes:
    """Return what the vector of a text is kept by."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def plan_embedding(conn: sqlite3.Connection, store: VectorStore, where: str, values: Sequence[str]) -> EmbeddingPlan:
    """Return which passages of an index have no vector yet."""
    slots = store.load_slots()
    texts: dict[bytes, str] = {}
    passages = embedded = 0
    for _, text in list_texts(conn, where, values):
        if not text.strip():
            continue
        passages += 1
        key = hash_text(text)
        if key in slots:
            embedded += 1
        else:
            texts[key] = text
    return EmbeddingPlan(texts, passages, embedded, sum(map(len, texts.values())))


def embed_missing(
    store: VectorStore, plan: EmbeddingPlan, progress: Callable[[int, int], None] = lambda done, total: None
) -> int:
    """Embed what a plan lacks, batch by batch; what was answered is kept, whatever comes then. Return the tokens."""
    keys = list(plan.texts)
    tokens = 0
    for at in range(0, len(keys), BATCH):
        part = keys[at : at + BATCH]
        vectors, used = embed_texts(store.space, [plan.texts[key] for key in part])
        store.append(part, vectors)
        tokens += used
        progress(min(at + BATCH, len(keys)), len(keys))
    return tokens


class Meaning:
    """What vectors say of a question. `used` tells afterwards: None not asked, True asked, False words alone."""

    def __init__(self, ws: Workspace, space: EmbeddingSpace, notify: Notify) -> None:
        self.space, self.notify = space, notify
        self.weight = space.weight
        self.used: bool | None = None
        self._store = VectorStore(ws.root, space)

    def closeness(
        self, conn: sqlite3.Connection, query: str, where: str, values: Sequence[str]
    ) -> dict[int, float] | None:
        """Return how close passages are to a question, 0 to 1, the MOST closest ones; None where vectors are no help.

        An endpoint that is down is told of in one line.
        """
        self.used = False
        slots = self._store.load_slots()
        if not slots:
            self.notify(Message("no passage has a vector yet: `ia knowledge index --embed`"))
            return None
        try:
            asked = embed_query(self.space, query)
            if len(asked) != self._store.dimensions:
                raise Unavailable("embeddings: vectors of another dimension than {known}", known=self._store.dimensions)
        except IaError as exc:
            self.notify(Message("{reason}; searching by words alone", reason=exc))
            return None
        self.used = True
        rows, places = [], []
        for row, text in list_texts(conn, where, values):
            slot = slots.get(hash_text(text))
            if slot is not None:
                rows.append(row)
                places.append(slot)
        return self._scale(rows, places, asked)

    def _scale(self, rows: list[int], places: list[int], asked: Sequence[float]) -> dict[int, float]:
        import numpy as np

        if not rows:
            return {}
        matrix = self._store.load_matrix()
        cosines = (matrix @ np.asarray(asked, np.float32))[np.asarray(places)]
        largest = float(cosines.max())
        least = float(np.median(cosines)) if len(rows) >= FEW else 0.0
        if largest - least < APART:
            return {}
        scaled = np.clip((cosines - least) / (largest - least), 0.0, 1.0)
        order = np.argsort(-scaled)[:MOST]
        return {rows[at]: float(scaled[at]) for at in order if scaled[at] > 0}


def find_meaning(ws: Workspace, notify: Notify) -> Meaning | None:
    """Return what asks the configured endpoint; None where none is set. A broken setting is told, words go on."""
    try:
        space = load_space()
    except IaError as exc:
        notify(Message("{reason}; searching by words alone", reason=exc))
        return None
    return Meaning(ws, space, notify) if space is not None else None
