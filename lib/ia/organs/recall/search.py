"""Recall: the question, the ranking, and the passage that is shown.

A few words are matched exactly: all of them must stand in the note, Chinese as written, Latin by stem, or else as the
beginning of a word. Where that finds nothing, and for a question, any of its telling words and pairs may match, ranked
by BM25 and mildly by age: the score is BM25 x (0.3 + 0.7 x 0.5^(age / half-life)), so that relevance weighs more than
news. What a model, the analyst or the program wrote counts less than what the owner did.
"""

import contextlib
import re
import sqlite3
from collections.abc import Callable, Collection, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from ia.kernel import clock, config
from ia.kernel.errors import BadData, IaError, Notify, UsageError, drop_message
from ia.kernel.folders import Digest
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.recall import index
from ia.organs.recall.authorship import MACHINE, OUTSIDE, OWNER, RECORDS, hide_rule_codes, is_converted, kind_of
from ia.organs.recall.documents import is_document
from ia.organs.recall.records import RecordFolder
from ia.organs.recall.terms import Query, normalize_text, parse_query, quote_token

if TYPE_CHECKING:
    from ia.organs.recall.vectors import Meaning

NOTES = ("memory", "notebook", "journal", "knowledge")
AREAS = (*NOTES, *RECORDS)
SHORT = 4  # words up to which a query is matched exactly first
CANDIDATES = 300  # passages that BM25 hands on to the weighing by age
SHOWN = 300  # characters of a passage
MACHINE_WEIGHT = 0.4
"""What a passage that no person wrote counts, against one of the owner's that matches as well."""
DOCUMENT_WEIGHT = 0.65
"""What a passage of knowledge/ counts, whatever its age: a book does not go stale as a note does."""
NEIGHBOUR_WEIGHT = 0.5
"""What the entry before and the one after count for an entry of a journal or a session, beside its own score."""
NEAR = 0.5
"""Closeness from which a passage counts that has none of the question's words: half way from the median."""
_QUESTIONS = "sessions/"
"""Questions that were asked stand below all else that was found: they have the words, and no answer."""


class Hit(NamedTuple):
    """A note that was found: path, date, score (of the best hit, which has 1) and its best passage, whole lines.

    kind    what it is: note, belief, observation, journal, research, report, trade, question …, see kind_of()
    author  whose words the passage holds: owner, ia (a model, the analyst, the program), or outside (a document)
    BM25 itself says nothing beyond one query, and is next to nothing in a workspace of three notes.
    """

    source: str
    date: str
    score: float
    content: str
    kind: str = "note"
    author: str = OWNER


class Fusion(NamedTuple):
    """How close passages are to a question, 0 to 1, and what that weighs beside words."""

    close: dict[int, float]
    weight: float


def recall_notes(
    ws: Workspace,
    query: str,
    *,
    limit: int = 10,
    since: str | None = None,
    areas: tuple[str, ...] = AREAS,
    notify: Notify = drop_message,
    look: Sequence[Digest] | None = None,
    records: Sequence[RecordFolder] = (),
    meaning: "Meaning | None" = None,
    tell_partial: Callable[[], None] = lambda: None,
) -> list[Hit]:
    """Return the notes that answer a query as of now(), best first, at most one hit a note.

    since   a date in any form of dateforms; only notes of that day or later. areas: some of AREAS.
    look    the digests of the folders, where somebody has just looked at every file.
    records what of ia.db is searched with the notes, see ia.wiring.searchable_records
    meaning asks for vectors, too
    tell_partial is called where nothing has all of a few words, and the hits have some of them
    raises  UsageError for an unknown area or a date that is none; BadData for a query without letters or digits.
    """
    if unknown := [area for area in areas if area not in AREAS]:
        raise UsageError(
            "{area}: unknown area", hint="choose one of these: {known}", area=unknown[0], known=", ".join(AREAS)
        )
    if since is not None:
        since = clock.parse_since(since).strftime("%Y-%m-%d")
    wanted = parse_query(query)
    if not wanted.tokens:
        raise BadData("nothing to search for: the query has no letters or digits")
    try:
        return _search_index(ws, query, wanted, limit, since, areas, notify, look, records, meaning, tell_partial)
    except (sqlite3.DatabaseError, IaError) as exc:
        if not index.discard_damaged(ws, exc):
            raise
        return _search_index(ws, query, wanted, limit, since, areas, notify, look, records, meaning, tell_partial)


def _search_index(
    ws: Workspace,
    query: str,
    wanted: Query,
    limit: int,
    since: str | None,
    areas: tuple[str, ...],
    notify: Notify,
    look: Sequence[Digest] | None,
    records: Sequence[RecordFolder],
    meaning: "Meaning | None",
    tell_partial: Callable[[], None],
) -> list[Hit]:
    with contextlib.closing(index.open_index(ws, notify, look, records)) as conn:
        close = meaning.closeness(conn, query, *build_restriction(since, areas)) if meaning else None
        fusion = Fusion(close, meaning.weight) if meaning and close else None
        return find_hits(conn, wanted, limit, since, areas, find_named(query), fusion, tell_partial)


def find_hits(
    conn: sqlite3.Connection,
    query: Query,
    limit: int,
    since: str | None = None,
    areas: tuple[str, ...] = AREAS,
    named: Sequence[frozenset[str]] = (),
    fusion: Fusion | None = None,
    tell_partial: Callable[[], None] = lambda: None,
) -> list[Hit]:
    """Return the best hits of an index that is up to date.

    fusion  how close passages are by their vectors

    named   what each security that the query is about is called: where the owner wrote nothing with the name that was
            said, all its names count, and what has none of them is left out if it can be
    """
    where, values = build_restriction(since, areas)
    names = frozenset[str]().union(*named)
    if len(query.exact) <= SHORT:
        called = tuple(_allow_names(phrase, named) for phrase in query.exact)
        asked: _Ranked = []
        for exact in dict.fromkeys((query.exact, tuple(map(_allow_prefix, query.exact)), called)):
            ranked = rank_passages(conn, " AND ".join(exact), where, values)
            if _answers(conn, ranked):
                return _load_hits(conn, fuse_ranks(ranked, fusion), query, limit, names)
            asked = ranked if exact == called and ranked else asked or ranked  # under all its names
        if len(query.exact) > 1 and (apart := _rank_spread_words(conn, query.exact, where, values)):
            return _load_hits(conn, fuse_ranks(apart, fusion), query, limit, names)
        if asked:
            return _load_hits(conn, fuse_ranks(asked, fusion), query, limit, names)
    terms = [quote_token(token) for token in rarest_tokens(conn, query.tokens)[0]]
    spelled = sorted({phrase for name in names for phrase in parse_query(name).exact[:1]})  # 招行 in 为什么卖招行
    if not set(spelled) & set(query.exact):
        terms += spelled
    expression = " OR ".join(terms)
    ranked = rank_passages(conn, expression, where, values) if expression else []
    fused = fuse_ranks(ranked, fusion)
    if ranked and 1 < len(query.exact) <= SHORT:
        tell_partial()
    return _load_hits(conn, fused, query, limit, names) if fused else []


def fuse_ranks(ranked: "_Ranked", fusion: Fusion | None) -> "_Ranked":
    """Return passages ranked by words and, where there are vectors, by their closeness together."""
    return ranked if fusion is None else fuse(ranked, fusion.close, fusion.weight)


def fuse(ranked: Sequence[tuple[int, float]], close: dict[int, float] | None, weight: float) -> list[tuple[int, float]]:
    """Return passages ranked by words and closeness together; without closeness the words alone.

    >>> fuse([(1, 4.0), (2, 2.0)], {2: 1.0, 3: 0.6, 4: 0.1}, 0.3)
    [(1, 0.7), (2, 0.65), (3, 0.18)]
    """
    if not close:
        return list(ranked)
    best = ranked[0][1] if ranked else 1.0
    best = max([best, *(score for _, score in ranked)]) or 1.0
    found = {row: (1 - weight) * score / best + weight * close.get(row, 0.0) for row, score in ranked}
    for row, value in close.items():
        if row not in found and value >= NEAR:
            found[row] = weight * value
    return sorted(((row, round(score, 6)) for row, score in found.items()), key=lambda each: -each[1])


def _answers(conn: sqlite3.Connection, ranked: "_Ranked") -> bool:
    """Return True if something of the owner's was found that is more than a question that was asked."""
    files = sorted({row >> index.SHIFT for row, _ in ranked if not row & index.BY_MACHINE})
    marks = ",".join("?" * len(files))
    found = conn.execute(f"SELECT 1 FROM files WHERE id IN ({marks}) AND area != ? LIMIT 1", [*files, "sessions"])
    return found.fetchone() is not None


def _allow_names(phrase: str, named: Sequence[frozenset[str]]) -> str:
    """Return a phrase that fits any name of the security that it is one of: "moutai" fits 贵州茅台, too."""
    for names in named:
        spelled = {parse_query(name).exact for name in names}
        if (phrase,) in spelled:
            return f"({' OR '.join(sorted(' AND '.join(each) for each in spelled if len(each) == 1))})"
    return phrase


def _allow_prefix(phrase: str) -> str:
    """Return a phrase that also fits the beginning of a word: 300 begins 300750. Not for a letter or two."""
    return phrase if phrase.endswith("*") or len(phrase) < len('"300"') else phrase + "*"


def build_restriction(since: str | None, areas: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return an SQL condition on the passages, and its values; nothing where every note will do."""
    conditions: list[str] = []
    values: list[str] = []
    if set(areas) != set(AREAS):
        conditions.append(f"area IN ({', '.join('?' * len(areas))})")
        values += areas
    if since:
        conditions.append("date >= ?")
        values.append(since)
    if clock.is_simulated():
        conditions.append("date <= ?")
        values.append(clock.today())
    if clock.is_past():  # nobody knows whether a document without a date was published by then
        conditions.append("date <> ''")
    if not conditions:
        return "", []
    return f" AND (rowid >> {index.SHIFT}) IN (SELECT id FROM files WHERE {' AND '.join(conditions)})", values


_Ranked = list[tuple[int, float]]
"""Passages with their BM25 (positive, higher is better), best first."""


def rank_matches(conn: sqlite3.Connection, expression: str, where: str, values: list[str], limit: int) -> _Ranked:
    """Return the passages that match an expression of the index best, whoever wrote them."""
    # By the function, not by the column `rank`: for that, FTS5 sorts all rows and not only those that are kept.
    rows = conn.execute(
        f"SELECT rowid, -bm25(words) AS score FROM words WHERE words MATCH ?{where} ORDER BY score DESC LIMIT {limit}",
        [expression, *values],
    )
    return rows.fetchall()


def rank_passages(conn: sqlite3.Connection, expression: str, where: str, values: list[str]) -> _Ranked:
    """Return the passages that match an expression of the index: of the owner's as many as of all."""
    ranked = rank_matches(conn, expression, where, values, CANDIDATES)
    if len(ranked) == CANDIDATES:  # however many reports match better, the owner's words are weighed, too
        own = f"{where} AND rowid & {index.BY_MACHINE} = 0"
        ranked += conn.execute(
            f"SELECT rowid, -rank FROM words WHERE words MATCH ?{own} ORDER BY rank LIMIT {CANDIDATES}",
            [expression, *values],
        ).fetchall()
    return ranked


def _rank_spread_words(conn: sqlite3.Connection, exact: tuple[str, ...], where: str, values: list[str]) -> _Ranked:
    """Return the passages of notes that hold all words, though no single passage does."""
    files: set[int] | None = None
    for phrase in exact:
        rows = conn.execute(f"SELECT rowid FROM words WHERE words MATCH ?{where}", [phrase, *values])
        holding = {row >> index.SHIFT for (row,) in rows}
        files = holding if files is None else files & holding
        if not files:
            return []
    ranked = rank_passages(conn, " OR ".join(exact), where, values)
    return [(row, score) for row, score in ranked if row >> index.SHIFT in (files or ())]


def rarest_tokens(conn: sqlite3.Connection, tokens: tuple[str, ...]) -> tuple[list[str], dict[str, int]]:
    """Return the rarest tokens that occur at all: as many as touch POSTINGS rows together, and at least one.

    With them, how many passages hold each token; those that are too common to be counted are missing there.
    """
    common = {term for (term,) in conn.execute("SELECT term FROM common")}
    rare = [token for token in tokens if token not in common] or tokens
    count = "SELECT count(*) FROM words WHERE words MATCH ?"
    counted = {token: int(conn.execute(count, [quote_token(token)]).fetchone()[0]) for token in rare}
    if not any(counted.values()):
        counted = {token: int(conn.execute(count, [quote_token(token)]).fetchone()[0]) for token in tokens}
    telling: list[str] = []
    touched = 0
    for rows, token in sorted((rows, token) for token, rows in counted.items()):
        touched += rows
        if rows and (touched <= index.POSTINGS or not telling):
            telling.append(token)
    return telling, counted


def _load_hits(conn: sqlite3.Connection, ranked: _Ranked, query: Query, limit: int, names: frozenset[str]) -> list[Hit]:
    """Weigh by author and age, keep the best passage of each note, and load what is shown."""
    best: dict[int, tuple[float, int]] = {}
    for row, score in _add_neighbours(conn, ranked):
        weighed_score = score * (MACHINE_WEIGHT if row & index.BY_MACHINE else 1.0)
        file = row >> index.SHIFT
        if file not in best or weighed_score > best[file][0]:
            best[file] = weighed_score, row
    marks = ",".join("?" * len(best))
    known = {
        file: (path, day)
        for file, path, day in conn.execute(
            f"SELECT id, folder || '/' || name, date FROM files WHERE id IN ({marks})", list(best)
        )
    }
    half_life = float(config.get_setting("recall.half_life"))
    today = date.fromisoformat(clock.today())
    weighed = []
    for file, (score, row) in best.items():
        path, day = known[file]
        age_weight = DOCUMENT_WEIGHT if is_document(path) else _age_weight(day, today, half_life)
        weighed.append((score * age_weight, day, path, row))
    weighed.sort(key=lambda hit: (hit[2].startswith(_QUESTIONS), -hit[0], hit[2]))
    if names:
        about = [hit for hit in weighed if _mentions(f"{hit[2]}\n{_passage_text(conn, hit[3])}", names)]
        weighed = about or weighed
    hits: list[Hit] = []
    for score, day, path, row in weighed:
        if len(hits) == limit:
            break
        text = _entry_text(conn, row) if index.has_entries(path) else _passage_text(conn, row)
        by_machine, kind = bool(row & index.BY_MACHINE), kind_of(path)
        hit = Hit(
            source=path,
            date=day,
            score=float(f"{min(score / weighed[0][0], 1.0):.4g}"),
            content=extract_excerpt(
                hide_rule_codes(text) if by_machine and not is_converted(path) else text,
                query.tokens,
                () if _mentions(path, names) else names,
                bare=by_machine and kind in _QUOTING,
            ),
            kind=kind,
            author=OUTSIDE if is_converted(path) else MACHINE if by_machine else OWNER,
        )
        if not (by_machine and kind in _QUOTING and _is_quoted(hit, hits)):
            hits.append(hit)
    return hits


_QUOTING = ("report", "reflection")
"""Kinds of machine's texts that quote what stands elsewhere."""
_MARKS = pattern(r"^\s*(?:[-*>#]+\s+)*(?:\[\d\d:\d\d\] |\d{4}-\d\d-\d\d(?:: |：))?")
"""What stands before the words of a line: marks of lists, and the time."""
_LEAST_QUOTED = 6
"""Characters of a line below which it is no quotation."""


def _is_quoted(hit: Hit, before: Sequence[Hit]) -> bool:
    """Return True if a report has nothing but what another hit has, or quotes of the owner among the hits before."""
    if any(hit.content == other.content for other in before):
        return True
    own = [
        _MARKS.sub("", line).strip() for other in before if other.author == OWNER for line in other.content.splitlines()
    ]
    own = [line for line in own if len(line) >= _LEAST_QUOTED]
    return all(any(line in quoting for line in own) for quoting in hit.content.splitlines() if quoting.strip())


def _add_neighbours(conn: sqlite3.Connection, ranked: _Ranked) -> _Ranked:
    """Return passages with their scores; an entry of a journal or a session counts with the two that stand around it.

    Such an entry is short, and what it answers often stands in the one before. Of notes and books each passage counts
    alone.
    """
    files = {row >> index.SHIFT for row, _ in ranked}
    marks = ",".join("?" * len(files))
    query = f"SELECT id FROM files WHERE id IN ({marks}) AND area IN ('journal', 'sessions')"
    short = {file for (file,) in conn.execute(query, list(files))}
    scores = dict(ranked)
    return [
        (row, score + NEIGHBOUR_WEIGHT * (scores.get(row - 1, 0.0) + scores.get(row + 1, 0.0)))
        if row >> index.SHIFT in short
        else (row, score)
        for row, score in ranked
    ]


def find_named(query: str) -> list[frozenset[str]]:
    """Return what each security that a query names is called (code, names, nicknames), as compared.

    >>> {"600036", "招商银行", "招行", "china merchants bank"} <= find_named("我之前怎么看招商银行")[0]
    True
    """
    from ia.domain.instruments.symbols import bundled_names

    asked = normalize_text(query)
    words = set(asked.replace(".", " ").split())
    called = [
        (symbol.code.lower(), [name for name in names if len(name) > 1 and not name.isdigit()])
        for symbol, names in bundled_names()
    ]
    said = {name for code, names in called for name in (code, *names) if _is_said(name, asked, words)}
    said -= {name for name in said if any(name != longer and name in longer for longer in said)}  # 中国 in 中国平安
    found: dict[str, set[str]] = {}
    for code, names in called:
        if said & {code, *names}:
            found.setdefault(code, set()).update({code, *names})
    return [frozenset(names) for names in found.values()]


def _is_said(name: str, asked: str, words: set[str]) -> bool:
    """Whether a name stands in a query: a Latin one as whole words."""
    return (f" {name} " in f" {asked} " or name in words) if name.isascii() else name in asked


def _mentions(text: str, names: frozenset[str]) -> bool:
    folded = normalize_text(text)
    return any(name in folded for name in names)


def _age_weight(day: str, today: date, half_life: float) -> float:
    try:
        age = max((today - date.fromisoformat(day)).days, 0)
    except ValueError:  # 2024-02-31 in a path
        age = 0
    return float(0.3 + 0.7 * 0.5 ** (age / half_life))


def _passage_text(conn: sqlite3.Connection, row: int) -> str:
    return str(conn.execute("SELECT text FROM passages WHERE id = ?", (row,)).fetchone()[0])


def _entry_text(conn: sqlite3.Connection, row: int) -> str:
    """Return an entry of a journal or a session between the two that stand around it, as far as there is room."""
    found = conn.execute("SELECT id, text FROM passages WHERE id BETWEEN ? AND ?", (row - 1, row + 1))
    rows: dict[int, str] = dict(found)
    own = rows[row]
    room = SHOWN - len(own)
    for other in (row + 1, row - 1):
        text = rows.get(other, "") if other >> index.SHIFT == row >> index.SHIFT else ""
        if text and len(text) <= room:
            own = own + text if other > row else text + own
            room -= len(text)
    return own


def extract_excerpt(text: str, tokens: tuple[str, ...], names: Collection[str] = (), *, bare: bool = False) -> str:
    """Return the lines of a text that hold most of the tokens: whole lines, about SHOWN characters.

    names   what the security is called that is asked about, where the text is not about it alone: of lines beyond the
            head only those that name it are quoted
    bare    quote only lines that hold a token: of a report, what stands around them is its method
    """
    lines = [line.rstrip() for line in text.strip().splitlines()]
    if names and not (lines and _mentions(lines[0], frozenset(names))):
        lines = [line for line in lines if _mentions(line, frozenset(names))] or lines
    if bare:
        lines = [line for line in lines if any(token in normalize_text(line) for token in tokens)] or lines
    if sum(map(len, lines)) <= SHOWN:
        return "\n".join(lines)
    weights = []
    for line in lines:
        low = normalize_text(line)
        weights.append(sum(len(token) for token in tokens if token in low))
    at = max(range(len(lines)), key=lambda number: weights[number])
    if len(lines[at]) > SHOWN:
        return _extract_sentences(lines[at], tokens)
    first = last = at
    room = SHOWN - len(lines[at])
    while True:
        above = len(lines[first - 1]) if first > 0 else room + 1
        below = len(lines[last + 1]) if last + 1 < len(lines) else room + 1
        if below <= room and (below <= above or above > room):
            last, room = last + 1, room - below
        elif above <= room:
            first, room = first - 1, room - above
        else:
            return "\n".join(lines[first : last + 1]).strip()


def _extract_sentences(line: str, tokens: tuple[str, ...]) -> str:
    """Return the sentences of a long line that hold most of the tokens, with … where some are left out."""
    sentences = [part for part in re.split(r"(?<=[。！？；!?;])|(?<=\.)(?=\s)", line) if part.strip()]
    low = [normalize_text(part) for part in sentences]
    weights = [sum(len(token) for token in tokens if token in part) for part in low]
    first = max(range(len(sentences)), key=lambda at: weights[at])
    last, room = first + 1, SHOWN - len(sentences[first])
    while last < len(sentences) and len(sentences[last]) <= room:
        room -= len(sentences[last])
        last += 1
    shown = "".join(sentences[first:last]).strip()
    if len(shown) > 2 * SHOWN:  # no sentences, but a wall of characters
        marks = [at for token in tokens for at in _find_places(low[first], token)]
        begin = max(0, min(marks, default=0) - 30)
        return "…" + shown[begin : begin + SHOWN] + "…"
    return ("…" if first else "") + shown + ("…" if last < len(sentences) else "")


def _find_places(text: str, token: str) -> list[int]:
    found: list[int] = []
    at = text.find(token)
    while at >= 0 and len(found) < 50:
        found.append(at)
        at = text.find(token, at + 1)
    return found
