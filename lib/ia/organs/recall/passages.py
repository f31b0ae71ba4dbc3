"""Passages of knowledge/ that answer a question, each with the page of the sentence that answers best.

Any word of the question may match: chunks are ranked by BM25 over their words and the headings above them. A document
does not rank higher because it is new.
"""

import contextlib
import json
import math
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ia.kernel import clock
from ia.kernel.errors import BadData, IaError, Notify, drop_message
from ia.kernel.folders import Digest
from ia.kernel.workspace import Workspace
from ia.organs.recall import index
from ia.organs.recall.documents import Chunk, PageStart, page_at, split_document, split_sentences
from ia.organs.recall.search import NEAR, build_restriction, rank_matches, rarest_tokens
from ia.organs.recall.terms import FUNCTION_CHARACTERS, normalize_text, parse_query, quote_token, to_index_text

if TYPE_CHECKING:
    from ia.organs.recall.vectors import Meaning

SHOWN = 500
"""Characters of a passage: whole sentences that begin on the page that is cited."""
LEAST = 0.2
"""Share of the weight of a question's words that a passage must hold."""
CANDIDATES = 40
"""Chunks of which the best are chosen."""
CLOSENESS = 1.0
"""What the share of the question that one sentence of a chunk holds adds to the chunk's rank; the best rank is 1."""


class Passage(NamedTuple):
    """A passage of a document.

    text       sentences that stand on the cited page; the last may end on `last_page`
    quote      the one of them that answers best
    page       physical page from 1, 0 where the document has no pages; label: as it is printed, "" where the same
    heading    the headings above it, from the top down
    date       when the document was published, "" where nobody knows
    relevance  share of the weight of the question's words that it holds, 0 to 1
    ocr        the page was read from an image
    shipped    it stands in a text that ships with a skill, which has sections and no pages
    """

    text: str
    quote: str
    title: str
    author: str
    page: int
    last_page: int
    label: str
    heading: str
    date: str
    relevance: float
    source: str
    ocr: bool
    shipped: bool = False

    @property
    def citation(self) -> str:
        """How the passage is cited: `Title, p. 12`, `Title, p. 1 (PDF 3)`; where pages are none, with its heading.

        Of what ships with a skill: `Title, § Section`.

        >>> base = Passage("", "", "T", "", 3, 3, "1", "A › B", "", 1.0, "", False)
        >>> base.citation, base._replace(label="").citation, base._replace(page=0).citation
        ('T, p. 1 (PDF 3)', 'T, p. 3', 'T, A › B')
        >>> base._replace(page=0, label="", heading="B", shipped=True).citation
        'T, § B'
        """
        title = self.title.replace("[", "(").replace("]", ")")
        if self.page and self.label:
            return f"{title}, p. {self.label} (PDF {self.page})"
        if self.page:
            return f"{title}, p. {self.page}"
        mark = "§ " if self.shipped else ""
        return f"{title}, {mark}{self.heading}" if self.heading else title


class ShippedText(NamedTuple):
    """A text that ships with a skill, searched beside the documents. It is in no index: there are a few of them."""

    title: str
    path: str
    text: str


def search_passages(
    ws: Workspace,
    query: str,
    *,
    limit: int = 5,
    theme: str = "",
    notify: Notify = drop_message,
    look: Sequence[Digest] | None = None,
    meaning: "Meaning | None" = None,
    shipped: Sequence[Sequence[ShippedText]] = (),
) -> list[Passage]:
    """Return the passages of knowledge/ that answer a question as of now(), best first.

    theme   only documents of this theme. meaning: asks for vectors, too
    shipped texts of skills, in groups: of the first group that answers, passages are ranked among the others
    raises  BadData for a query without letters or digits.
    """
    tokens = parse_query(query).tokens
    if not tokens:
        raise BadData("nothing to search for: the query has no letters or digits")
    try:
        return _search_index(ws, query, limit, theme, notify, look, meaning, shipped)
    except (sqlite3.DatabaseError, IaError) as exc:
        if not index.discard_damaged(ws, exc):
            raise
        return _search_index(ws, query, limit, theme, notify, look, meaning, shipped)


def _search_index(
    ws: Workspace,
    query: str,
    limit: int,
    theme: str,
    notify: Notify,
    look: Sequence[Digest] | None,
    meaning: "Meaning | None",
    shipped: Sequence[Sequence[ShippedText]],
) -> list[Passage]:
    with contextlib.closing(index.open_index(ws, notify, look)) as conn:
        return find_passages(conn, parse_query(query).tokens, limit, theme, meaning, query, shipped)


def find_passages(
    conn: sqlite3.Connection,
    tokens: tuple[str, ...],
    limit: int,
    theme: str = "",
    meaning: "Meaning | None" = None,
    query: str = "",
    shipped: Sequence[Sequence[ShippedText]] = (),
) -> list[Passage]:
    """Return the best passages of an index that is up to date, and of texts that ship with skills."""
    found = _rank_documents(conn, tokens, limit, theme, meaning, query)
    for group in shipped:
        if extra := _rank_shipped(conn, tokens, group):
            found = sorted([*found, *extra], key=lambda item: -item[0])
            break
    return [passage for _, passage in found[:limit]]


def _rank_documents(
    conn: sqlite3.Connection,
    tokens: tuple[str, ...],
    limit: int,
    theme: str,
    meaning: "Meaning | None",
    query: str,
) -> list[tuple[float, Passage]]:
    """Return the best passages of an index, each with its rank, at most 2."""
    where, values = build_restriction(None, ("knowledge",))
    if theme:
        where += f" AND (rowid >> {index.SHIFT}) IN (SELECT id FROM files WHERE folder = ? OR folder LIKE ? ESCAPE '!')"
        escaped = "".join(f"!{c}" if c in "!%_" else c for c in theme)
        values = [*values, f"knowledge/{theme}", f"knowledge/{escaped}/%"]
    close = meaning.closeness(conn, query, where, values) if meaning else None
    share_of_words = 1 - meaning.weight if meaning and close else 1.0
    telling, counted = rarest_tokens(conn, tokens)
    expression = " OR ".join(quote_token(token) for token in telling)
    if not expression and not close:
        return []
    weights = _weigh_words(conn, tokens, counted)
    ranked = rank_matches(conn, expression, where, values, max(CANDIDATES, limit)) if expression else []
    best_score = ranked[0][1] if ranked else 1.0
    known = {row for row, _ in ranked}
    near = [(row, 0.0) for row, value in (close or {}).items() if value >= NEAR and row not in known]
    chosen: list[tuple[float, int, float, int]] = []
    for row, score, text, place in _load_chunks(conn, [*ranked, *near[:CANDIDATES]]):
        share, relevance, best = _rate_chunk(text, place, weights)
        closeness = (close or {}).get(row, 0.0)
        if relevance >= LEAST or closeness >= NEAR:
            by_words = score / best_score + CLOSENESS * share
            # Both parts of the words are at most 1: the weight of vectors is that of their sum.
            rank = share_of_words * by_words + (1 - share_of_words) * (1 + CLOSENESS) * closeness
            chosen.append((rank, row, relevance, best))
    chosen.sort(key=lambda item: -item[0])
    return [(rank, _load_passage(conn, row, relevance, best)) for rank, row, relevance, best in chosen[:limit]]


def _rank_shipped(
    conn: sqlite3.Connection, tokens: tuple[str, ...], texts: Sequence[ShippedText]
) -> list[tuple[float, Passage]]:
    """Return the passages of texts that ship with skills, best first, ranked as those of documents are.

    Instead of BM25 the share of the question counts: so the best document stands first where both answer as well.
    """
    chunks = [
        (text, chunk, normalize_text(chunk.text), to_index_text(f"{text.title} {chunk.heading}"))
        for text in texts
        for chunk in split_document(text.text)
    ]
    counted = rarest_tokens(conn, tokens)[1]
    for token in tokens:
        counted[token] = counted.get(token, 0) + sum(_stem(token) in f"{place} {words}" for *_, words, place in chunks)
    weights = _weigh_words(conn, tokens, counted, len(chunks))
    found = []
    for text, chunk, _, place in chunks:
        share, relevance, best = _rate_chunk(chunk.text, place, weights)
        if relevance >= LEAST:
            section = chunk.heading.removeprefix(text.title).removeprefix(" › ")
            sentences = split_sentences(chunk.text)
            passage = _make_passage(chunk._replace(heading=section), sentences, best, relevance)
            rank = relevance + CLOSENESS * share
            found.append((rank, passage._replace(title=text.title, source=text.path, shipped=True)))
    return sorted(found, key=lambda item: -item[0])


def _weigh_words(
    conn: sqlite3.Connection, tokens: tuple[str, ...], counted: dict[str, int], more: int = 0
) -> dict[str, float]:
    """Return the words of a question, Latin ones by their stem, each with its share of their weight.

    The rarer a word is, the more it weighs, and most one that stands nowhere. more: passages outside the index
    """
    every = conn.execute("SELECT count(*) FROM words_docsize").fetchone()[0]  # passages, without reading their texts
    every += more
    weights = {}
    for token in tokens:
        weight = math.log(1 + (every + 1) / (counted.get(token, every) + 1))
        little = len(token) == 2 and not FUNCTION_CHARACTERS.isdisjoint(token)
        weights[_stem(token)] = weight / 3 if little else weight
    total = sum(weights.values())
    return {word: weight / total for word, weight in weights.items()}


def _load_chunks(conn: sqlite3.Connection, ranked: list[tuple[int, float]]) -> list[tuple[int, float, str, str]]:
    """Return row, rank, text and headings of chunks, in their order."""
    marks = ",".join("?" * len(ranked))
    query = f"SELECT passages.id, text, place FROM passages JOIN chunks USING (id) WHERE passages.id IN ({marks})"
    known = {row: (text, place) for row, text, place in conn.execute(query, [row for row, _ in ranked])}
    return [(row, score, *known[row]) for row, score in ranked if row in known]


def _rate_chunk(text: str, place: str, weights: dict[str, float]) -> tuple[float, float, int]:
    """Return the share of a question that a chunk's best sentence holds, that of the chunk, and which sentence it is.

    place   the headings above it, whose words count for both
    """
    whole = normalize_text(text)
    within = [word for word in weights if word in whole]
    above = {word for word in weights if word in place}
    best, most, held = 0, -1.0, above
    for at, (_, sentence) in enumerate(split_sentences(text)):
        folded = normalize_text(sentence)
        found = [word for word in within if word in folded]
        weight = sum([weights[word] for word in found])
        if weight > most:
            best, most, held = at, weight, above.union(found)
    return sum(weights[word] for word in held), sum(weights[word] for word in above.union(within)), best


def _load_passage(conn: sqlite3.Connection, row: int, relevance: float, best: int) -> Passage:
    """Return a chunk as a passage: what stands around its best sentence."""
    text, heading, pages_json, title, author, path, day = conn.execute(
        "SELECT passages.text, chunks.heading, chunks.pages, documents.title, documents.author,"
        " files.folder || '/' || files.name, files.date FROM passages JOIN chunks ON chunks.id = passages.id"
        " JOIN documents ON documents.file = passages.id >> ? JOIN files ON files.id = documents.file"
        " WHERE passages.id = ?",
        (index.SHIFT, row),
    ).fetchone()
    chunk = Chunk(text, heading, [PageStart(*page) for page in json.loads(pages_json)])
    passage = _make_passage(chunk, split_sentences(text), best, relevance)
    return passage._replace(title=title, author=author, date=day, source=path)


def _make_passage(chunk: Chunk, sentences: list[tuple[int, str]], best: int, relevance: float) -> Passage:
    """Return what of a chunk stands around its best sentence, without the document."""
    text, heading, pages = chunk
    first, last = _widen(sentences, best, pages)
    begin, end = sentences[first][0], sentences[last][0] + len(sentences[last][1].rstrip())
    page = page_at(pages, sentences[best][0])
    until = page_at(pages, max(end - 1, 0))
    return Passage(
        text=text[begin:end],
        quote=sentences[best][1].strip(),
        title="",
        author="",
        page=page.page if page else 0,
        last_page=until.page if until else 0,
        label=page.label if page else "",
        heading=heading,
        date="",
        relevance=round(min(relevance, 1.0), 3),
        source="",
        ocr=bool(page and page.ocr),
    )


def _stem(token: str) -> str:
    """Return the beginning of a Latin word that its forms have in common: `stopping` and `stops` are `stop`."""
    if not token.isascii() or len(token) < 5 or not token.isalpha():
        return token
    for ending in ("ings", "ing", "ies", "ed", "es", "s", "y", "e"):
        if token.endswith(ending) and len(token) - len(ending) >= 4:
            return token[: len(token) - len(ending)]
    return token


def _widen(sentences: list[tuple[int, str]], best: int, pages: list[PageStart]) -> tuple[int, int]:
    """Return the first and the last of the sentences that are shown: they begin on the page of the best."""
    page = page_at(pages, sentences[best][0])
    first = last = best
    room = SHOWN - len(sentences[best][1])
    while True:
        above = first > 0 and page_at(pages, sentences[first - 1][0]) == page and len(sentences[first - 1][1]) <= room
        below = (
            last + 1 < len(sentences)
            and page_at(pages, sentences[last + 1][0]) == page
            and len(sentences[last + 1][1]) <= room
        )
        if below and (last - best <= best - first or not above):
            last += 1
            room -= len(sentences[last][1])
        elif above:
            first -= 1
            room -= len(sentences[first][1])
        else:
            return first, last


def count_undated(ws: Workspace) -> int:
    """Return how many documents are hidden because nobody knows when they were published; 0 at the present."""
    if not clock.is_past():
        return 0
    with contextlib.closing(index.open_index(ws)) as conn:
        row = conn.execute("SELECT count(*) FROM files WHERE area = 'knowledge' AND date = '' AND sha <> ''").fetchone()
        return int(row[0])
