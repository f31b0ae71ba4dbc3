"""What was said before about a security, and what has happened since."""

import re
from typing import NamedTuple

from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.evidence.stated_view import MARK, StatedView, brief_words, parse_view, read_words
from ia.agent.analyst.voice import AnswerVoice, number
from ia.domain.instruments.symbols import translate_names
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_STAMP = pattern(r"^\[\d\d:\d\d\] ")
_WORD = pattern(r"\w")
_DATE = pattern(r"\d{4}-\d\d-\d\d")


class PastView(NamedTuple):
    """An earlier text: its path and date, the line that says most, its lean and its kinds of evidence.

    It also holds the return since in percent, and whether the condition that it named as its own end came true (None:
    it named none), in words in `ends`. `brief`: its lean and confidence in a clause. `own` tells that the words are the
    owner's, not a machine's.
    """

    source: str
    date: str
    said: str
    since: float | None
    void: bool | None = None
    lean: int | None = None
    kinds: tuple[tuple[str, int], ...] = ()
    untrusted: bool = False
    own: bool = False
    ends: str = ""
    brief: str = ""


def rows_of(shown: Json) -> int:
    """Return how many bars `market.ohlcv` fetched."""
    rows = shown.get("rows")
    return rows if isinstance(rows, int) else 0


_REPORTS = ("notebook/reports/", "notebook/scratch/scan/", "memory/reflections/", "sessions/")
"""What quotes or counts views, and is none."""
_OBSERVED = "memory/observations/"
_QUOTED = 3
"""Lines of one note that are quoted."""


def _is_before(hit: Json, names: tuple[str, ...], today: str) -> bool:
    """Return True for a hit of an earlier day that names a security and is more than a report or a question."""
    content, source = str(hit.get("content") or ""), str(hit["source"])
    if source.startswith(_REPORTS):
        return False
    return _date_of(hit) < today and any(name and (name in content or name in source) for name in names)


def _is_own(hit: Json) -> bool:
    """Return True for the owner's own words, where the search tells whose they are."""
    return hit.get("author") == "owner"


_LISTS = ("memory/tracking.md", "memory/beliefs.md", "memory/preferences.md")
"""Files whose lines have dates of their own, or none: the day of the file is that of its last change."""
_ITS_DAY = pattern(r"\s*[(（](\d{4}-\d\d-\d\d)[)）]\s*$")


def split_entries(hit: Json) -> list[Json]:
    """Return a hit, or of a list that is changed line by line a hit for each line, with the day that the line has."""
    if hit.get("source") not in _LISTS:
        return [hit]
    entries = []
    for line in _telling_lines(str(hit.get("content") or "")):
        dated = _ITS_DAY.search(line)
        entries.append({**hit, "content": _ITS_DAY.sub("", line), "date": dated[1] if dated else ""})
    return entries


def _date_of(hit: Json) -> str:
    dated = _DATE.search(str(hit["source"]))
    return dated[0] if dated else str(hit.get("date") or "")


def read_whole(desk: ToolDesk, hits: list[Json], names: tuple[str, ...], today: str) -> Work[None]:
    """Add to each hit its `view`, where it has one as data.

    The files of earlier days are read for it: a passage need not hold the data line.
    """
    yield from desk.load_tables("readings")
    for hit in hits:
        hit["view"] = parse_view(str(hit.get("content") or ""), desk.tables)
    calls: dict[str, DeskCall] = {}
    for hit in hits:
        source = str(hit["source"])
        tool = "notebook.read" if source.startswith("notebook/") else "memory.read"
        if source.startswith("trades/") or _is_own(hit):
            continue
        if hit["view"] is None and _is_before(hit, names, today) and desk.has(tool):
            calls.setdefault(source, DeskCall(tool, {"path": source}))
    results = yield from desk.run(*calls.values())
    views = {
        source: parse_view(str(text.value), desk.tables) for source, text in zip(calls, results, strict=True) if text.ok
    }
    for hit in hits:
        hit["view"] = hit["view"] or views.get(str(hit["source"]))


def find_views(
    hits: list[Json], names: tuple[str, ...], closes: list[tuple[str, float]], today: str, speak: AnswerVoice
) -> list[PastView]:
    """Return what notes said before `today`: the owner's words, then a machine's, one a day, each newest first.

    closes  (date, close), oldest first
    """
    found: list[PastView] = []
    for hit in [entry for each in hits for entry in split_entries(each)]:
        content, source, date = str(hit.get("content") or ""), str(hit["source"]), _date_of(hit)
        if not _is_before(hit, names, today):
            continue
        data: StatedView | None = hit.get("view")
        view = data or read_words(content)
        if source.startswith(_OBSERVED) and not _is_own(hit) and view.lean is None and not _has_name(source, names):
            continue  # a machine's list of several, such as a scan
        base = find_base(view, date, closes)
        found.append(
            PastView(
                source,
                date,
                data.brief(speak) if data else _name_in(speak, source, _quote_lines(content, source, names)),
                change_since(base, closes),
                has_ended(view, base, closes),
                view.lean,
                view.kinds,
                "<<data " in content,
                _is_own(hit),
                view.end(speak),
                data.verdict(speak) if data else "",
            )
        )
    best: dict[tuple[str, str], PastView] = {}
    for before in sorted(
        (before for before in found if before.said),
        key=lambda b: (b.own, b.date, _is_about_security(b.source, names), "observations" in b.source),
        reverse=True,
    ):
        best.setdefault((before.date, before.source if before.own else ""), before)
    return list(best.values())


def _name_in(speak: AnswerVoice, source: str, text: str) -> str:
    """Return the words of a trade with the name of its security in the language of the answer."""
    return translate_names(text, speak.lang) if source.startswith("trades/") else text


def _is_about_security(source: str, names: tuple[str, ...]) -> bool:
    """Whether a file is about this security alone."""
    stem = source.rsplit("/", 1)[-1].removesuffix(".md")
    return any(name and name.lower() in (stem[11:], stem.lower()) for name in names) or any(
        f"/{name}/" in source for name in names if name
    )


def _has_name(source: str, names: tuple[str, ...]) -> bool:
    """Return True if a file is about a security by its path, alone or beside others."""
    return any(name and name.lower() in source.lower() for name in names)


def _quote_lines(content: str, source: str, names: tuple[str, ...]) -> str:
    """Return the whole lines of a passage that are about a security; "" where none is.

    Of a file that is not about it alone, these are the lines that name it.
    """
    lines = _telling_lines(content)
    if not _is_about_security(source, names):
        lines = [line for line in lines if any(name and name in line for name in names)]
    lines = [line for line in lines if _says_more(line, names)]
    for line in lines:
        if re.search(r"置信度|confidence|收盘 |close ", line):
            return brief_words(line)
    return " / ".join(lines[:_QUOTED])


def _says_more(line: str, names: tuple[str, ...]) -> bool:
    """Return True for a line that has more than names of the security and a date, as on the watch list."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        line = line.replace(name, " ")
    return bool(_WORD.search(_DATE.sub(" ", line)))


def _telling_lines(content: str) -> list[str]:
    """Return the lines of a passage without their marks; headings, tables, data and cut lines are left out."""
    lines = [_STAMP.sub("", line.replace("**", "").strip().lstrip("-*> ").strip()) for line in content.splitlines()]
    return [line for line in lines if line and not line.startswith(("#", "|", "---", "untrusted:", "<<", "…", MARK))]


def find_gist(content: str) -> str:
    """Return the line of a passage that says most: a conclusion, else the first that is no heading or table."""
    lines = _telling_lines(content)
    for line in lines:
        if re.search(r"置信度|confidence|收盘 |close ", line):
            return cut_text(brief_words(line), 160)
    return cut_text(lines[0]) if lines else cut_text(" ".join(content.split()))


def describe_view(before: PastView, speak: AnswerVoice, *, sourced: bool = True) -> str:
    """Return an earlier text as a line with its source, and what came of it."""
    line = speak("{date}: {said}", date=before.date, said=before.said) if before.date else before.said
    line += speak(" (`{source}`)", source=before.source) if sourced else ""
    line += speak(" (untrusted)") if before.untrusted else ""
    after = []
    if before.since is not None:
        after.append(speak("the price since: {change}", change=number(before.since, "percent")))
    if before.void is not None:
        after.append(describe_end(before.void, speak))
    return line + (speak(" — ") + speak.join_clauses(after) if after else "")


def change_since(date: str, closes: list[tuple[str, float]]) -> float | None:
    """Return the change since a date in percent; None where there are no closes of then or since."""
    after = [close for day, close in closes if day > date]
    then = [close for day, close in closes if date and day <= date]
    return (after[-1] / then[-1] - 1) * 100 if after and then else None


def closes_within(closes: list[tuple[str, float]], date: str, horizon: int | None) -> list[tuple[str, float]]:
    """Return the closes up to the horizon: so many trading days after a date; all of them without one."""
    before = sum(day <= date for day, _ in closes)
    return closes[: before + horizon] if horizon else closes


def find_base(view: StatedView, date: str, closes: list[tuple[str, float]]) -> str:
    """Return the day of the close at which a view was written: the session before, for one before the close.

    Where the view does not tell, it is the day whose close it quotes, of its own and the one before it.

    date    the day on which it was written
    closes  (date, close), oldest first

    >>> closes = [("2024-03-11", 89.69), ("2024-03-12", 86.99)]
    >>> find_base(StatedView(close=89.69), "2024-03-12", closes), find_base(StatedView(), "2024-03-12", closes)
    ('2024-03-11', '2024-03-12')
    """
    known = [(day, close) for day, close in closes if day <= date][-2:]
    if view.as_of:
        return min(view.as_of, date)
    if view.close is None or len(known) < 2 or abs(known[-1][1] - view.close) < _ROUNDED:
        return date
    return known[0][0] if abs(known[0][1] - view.close) < _ROUNDED else date


_ROUNDED = 0.0051
"""How far a quoted close may be from the stored one: two decimals are quoted."""


def find_end(view: StatedView, base: str, closes: list[tuple[str, float]]) -> str | None:
    """Return the first day on which the condition that a view named as its own end was true.

    "" where it was not; None where the view names none, or there are no closes since.

    base  the day of the close at which it was written
    """
    after = [(day, close) for day, close in closes if day > base]
    then = [close for day, close in closes if day <= base]
    if view.ends_if is None or not after or not then:
        return None
    operator, level = view.ends_if
    level *= then[-1] / view.close if view.close else 1.0  # prices were adjusted since
    return next((day for day, close in after if (close < level if operator == "<" else close > level)), "")


def has_ended(view: StatedView, base: str, closes: list[tuple[str, float]]) -> bool | None:
    """Return whether the condition that a view named as its own end came true; None where it named none."""
    found = find_end(view, base, closes)
    return None if found is None else bool(found)


def describe_end(void: bool, speak: AnswerVoice) -> str:
    """Return whether a view's own condition came true, in a clause."""
    if void:
        return speak("the condition that it named as its end has come true")
    return speak("the condition that it named as its end has not come true")


def cut_text(text: str, length: int = 110) -> str:
    """Return a text in at most `length` characters; no Latin word is cut."""
    if len(text) <= length:
        return text
    kept = text[: length - 1]
    if re.fullmatch(r"[\w.-]{2}", text[length - 2 : length], re.ASCII) and " " in kept[length // 2 :]:
        kept = kept[: kept.rindex(" ")]
    return kept.rstrip() + "…"
