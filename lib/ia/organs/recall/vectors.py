"""Vectors of passages beside the index: `.ia/cache/vectors`, one space a file, each vector kept by its text's SHA-256.

A text is never embedded twice. A search mixes words and vectors: (1 - w) x BM25/max + w x closeness, where the nearest
passage has the closeness 1 and the median 0.
"""

import contextlib
import io
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.kernel import files
from ia.kernel.digest import sha256
from ia.kernel.errors import IaError, Message, Notify, Unavailable
from ia.kernel.workspace import Workspace
from ia.organs.recall import index
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
        self.base = os.path.join(root, FOLDER, space.key)
        self.dimensions = 0
        try:
            with open(f"{self.base}.json", encoding="utf-8") as file:
                self.dimensions = int(json.load(file)["dimensions"])
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def __len__(self) -> int:
        if not self.dimensions:
            return 0
        sizes = []
        for ending, row in (("keys", DIGEST), ("f32", 4 * self.dimensions)):
            try:
                sizes.append(os.path.getsize(f"{self.base}.{ending}") // row)
            except OSError:
                return 0
        return min(sizes)

    def load_slots(self) -> dict[bytes, int]:
        """Return the row of each key."""
        count = len(self)
        if not count:
            return {}
        with open(f"{self.base}.keys", "rb") as file:
            data = file.read(count * DIGEST)
        return {data[at : at + DIGEST]: at // DIGEST for at in range(0, len(data), DIGEST)}

    def load_matrix(self) -> "np.ndarray[Any, Any]":
        """Return the rows, as a map of the file."""
        import numpy as np

        return np.memmap(f"{self.base}.f32", np.float32, "r", shape=(len(self), self.dimensions))

    def append(self, keys: Sequence[bytes], vectors: Sequence[Sequence[float]]) -> None:
        """Add rows; one that an interrupted process left half-written is cut off first.

        raises  Unavailable for vectors of another dimension than those that are there
        """
        from array import array

        os.makedirs(os.path.dirname(self.base), exist_ok=True)
        with files.hold_lock(f"{self.base}.lock", wait=None):
            if not self.dimensions:
                self.dimensions = len(vectors[0])
                told = {"model": self.space.model, "dimensions": self.dimensions}
                files.replace_file(f"{self.base}.json", json.dumps(told), durable=False)
            if any(len(vector) != self.dimensions for vector in vectors):
                raise Unavailable("embeddings: vectors of another dimension than {known}", known=self.dimensions)
            count = len(self)
            rows = (b"".join(array("f", vector).tobytes() for vector in vectors), b"".join(keys))
            for ending, size, data in (("f32", 4 * self.dimensions, rows[0]), ("keys", DIGEST, rows[1])):
                with open(f"{self.base}.{ending}", "ab") as file:
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
        if not len(self._store):
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
        return self._scale(conn, where, values, asked)

    def _scale(
        self, conn: sqlite3.Connection, where: str, values: Sequence[str], asked: Sequence[float]
    ) -> dict[int, float]:
        import numpy as np

        rows, slots = self._load_places(conn)
        if where:
            query = f"SELECT id FROM files WHERE 1{where.replace(f'(rowid >> {index.SHIFT})', 'id')}"
            allowed = np.fromiter((file for (file,) in conn.execute(query, list(values))), np.int64)
            kept = np.isin(rows >> index.SHIFT, allowed, kind="sort")
            rows, slots = rows[kept], slots[kept]
        if not len(rows):
            return {}
        cosines = (self._store.load_matrix() @ np.asarray(asked, np.float32))[slots]
        largest = float(cosines.max())
        least = float(np.median(cosines)) if len(rows) >= FEW else 0.0
        if largest - least < APART:
            return {}
        scaled = np.clip((cosines - least) / (largest - least), 0.0, 1.0)
        order = np.argsort(-scaled)[:MOST]
        return {int(rows[at]): float(scaled[at]) for at in order if scaled[at] > 0}

    def _load_places(self, conn: sqlite3.Connection) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """Return the passages that have a vector, and the row of each; kept until the index or the vectors change."""
        import numpy as np

        file = str(conn.execute("PRAGMA database_list").fetchone()[2])
        # The sizes of passages are counted, not the passages: their texts fill many pages of the file.
        count = (
            "SELECT (SELECT changes FROM counter), (SELECT count(*) FROM words_docsize), (SELECT max(id) FROM passages)"
        )
        stamp = [len(self._store), *(number or 0 for number in conn.execute(count).fetchone())]
        kept = f"{self._store.base}.{os.path.basename(file) or 'memory'}.npz"
        with contextlib.suppress(OSError, ValueError, KeyError, EOFError), np.load(kept) as told:
            if told["stamp"].tolist() == stamp and file:
                return told["rows"], told["slots"]
        known = self._store.load_slots()
        pairs = [(row, known.get(hash_text(text))) for row, text in list_texts(conn, "", ())]
        found = np.asarray([pair for pair in pairs if pair[1] is not None], np.int64).reshape(-1, 2)
        rows, slots = found[:, 0].copy(), found[:, 1].copy()
        if file:
            with contextlib.suppress(OSError):
                out = io.BytesIO()
                np.savez(out, stamp=np.asarray(stamp), rows=rows, slots=slots)
                files.replace_file(kept, out.getvalue(), durable=False)
        return rows, slots


def find_meaning(ws: Workspace, notify: Notify) -> Meaning | None:
    """Return what asks the configured endpoint; None where none is set. A broken setting is told, words go on."""
    try:
        space = load_space()
    except IaError as exc:
        notify(Message("{reason}; searching by words alone", reason=exc))
        return None
    return Meaning(ws, space, notify) if space is not None else None
