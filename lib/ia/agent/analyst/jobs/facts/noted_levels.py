"""The prices that the owner's notes name, of all securities: targets, stops, levels to trade at, how far each is."""

import re
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.evidence import past_views
from ia.agent.analyst.evidence.tool_answers import closes_of
from ia.agent.analyst.jobs import own_notes
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.held import load_held
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 8
LOOKED_AT = 40
"""Notes that are read, the newest ones."""
_DAY = pattern(r"\d{4}-\d\d-\d\d")
_KINDS = {
    "target": pattern(r"目标|\btargets?\b", re.I),
    "stop": pattern(r"止损|\bstops?\b", re.I),
    "buy": pattern(r"买|\bbuy(?:ing)?\b", re.I),
    "sell": pattern(r"卖|\bsell(?:ing)?\b", re.I),
}
_NAMES = {
    "target": mark_text("target {level}"),
    "stop": mark_text("stop {level}"),
    "buy": mark_text("to buy at {level}"),
    "sell": mark_text("to sell at {level}"),
}
_HELD = pattern(r"持仓|\bmy holdings\b", re.I)


class _Level(NamedTuple):
    """A price that a note names; None where it names a condition of another kind, whose words count."""

    symbol: str
    kind: str
    price: float | None
    words: str
    path: str


def answer_noted_levels(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which prices the owner's notes name, the closest first; of what is held alone, and what has none."""
    speak = desk.speak
    kinds = [kind for kind, words in _KINDS.items() if words.search(asked.words)] or list(_KINDS)
    listed = yield from desk.one("notebook.list")
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the notes"), listed.failure)
    paths = [str(row["path"]) for row in wording.rows_of(listed, "notes") if row.get("author") != "ia"]
    paths.sort(key=lambda path: (day[0] if (day := _DAY.search(path)) else "", path), reverse=True)
    texts = yield from desk.run(*(DeskCall("notebook.read", {"path": path}) for path in paths[:LOOKED_AT]))
    found = [
        level
        for path, text in zip(paths, texts, strict=False)
        if text.ok
        for level in _read_levels(path, str(text.value))
        if level.kind in kinds
    ]
    if asked.securities:
        codes = {mention.code for mention in asked.securities}
        found = [level for level in found if level.symbol in codes]
    held: list[str] = []
    if _HELD.search(asked.words):
        loaded = yield from load_held(desk, asked)
        if isinstance(loaded, Reply):
            return loaded
        held = [symbol for symbol, _ in loaded[1]]
        found = [level for level in found if level.symbol in held]
    bare = [symbol for symbol in held if symbol not in {level.symbol for level in found}]
    none = speak("None in the notes: {names}.",
                 names=speak.join_items([wording.security_name(desk, each, None) for each in bare]))  # fmt: skip
    if not found:
        return reply_of_lines(speak("Your notes name no such price."), *([none] if bare else []))
    lines = yield from _say_levels(desk, found)
    return reply_of_lines(*lines, *([none] if bare else []))


def _read_levels(path: str, text: str) -> list[_Level]:
    """Return the prices that a note names, and what a sale waits for without one; [] where it is not clear of what."""
    named = {each.code for each in find_mentions(path)} or {each.code for each in find_mentions(text)}
    if len(named) != 1:
        return []
    symbol, found = named.pop(), list[_Level]()
    for row in (row for row in text.splitlines() if row.strip() and not row.startswith(("#", "<!--"))):
        told = own_notes.find_noted_prices(row)
        found += [_Level(symbol, kind, price, row.strip(), path) for kind, prices in told.items() for price in prices]
        if not told.get("sell") and (words := own_notes.find_sale_words(row)):
            found.append(_Level(symbol, "sell", None, words, path))
    return found


def _say_levels(desk: ToolDesk, found: list[_Level]) -> Work[list[str]]:
    """Return a line for each security, that with the closest price first."""
    speak = desk.speak
    symbols = list(dict.fromkeys(level.symbol for level in found))[:SHOWN]
    bars = yield from desk.run(*(DeskCall("market.ohlcv", {"symbol": each, "tail": 1}) for each in symbols))
    told: list[tuple[float, str]] = []
    for symbol, shown in zip(symbols, bars, strict=True):
        closes = closes_of(shown.value) if shown.ok else []
        day, close = closes[-1] if closes else ("", 0.0)
        own = [level for level in found if level.symbol == symbol]
        gaps = [abs(level.price / close - 1) for level in own if level.price and close]
        parts = [_say_level(desk, level, close) for level in dict.fromkeys(own)]
        last = speak("close {price} ({day})", price=f"{close:,.2f}", day=day) if closes else ""
        written = next((at[0] for level in own if (at := _DAY.search(level.path))), "")
        mark = wording.simulated_mark(desk, bool(shown.get("simulated")))
        given: Json = {"name": wording.security_name(desk, symbol, None), "levels": speak.join_clauses(parts),
                       "close": last, "day": written, "mark": mark}  # fmt: skip
        line = speak("**{name}**: {levels}; {close}, noted {day}{mark}", **given)
        told.append((min(gaps, default=99.0), line))
    return [f"- {line}" if len(told) > 1 else line for _, line in sorted(told, key=lambda pair: pair[0])]


def _say_level(desk: ToolDesk, level: _Level, close: float) -> str:
    if level.price is None:
        return f"“{past_views.cut_text(level.words)}”"
    head = desk.speak(_NAMES[level.kind], level=f"{level.price:,g}")
    gap = wording.say_percent((level.price / close - 1) * 100) if close else "–"
    return desk.speak("{level} (**{gap}** from the close)", level=head, gap=gap)


def answer_noted_securities(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which securities the owner wrote notes, and which of them are held; those alone that are not."""
    speak = desk.speak
    listed, status = yield from desk.run(DeskCall("notebook.list", {}), DeskCall("account.status", {}))
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the notes"), listed.failure)
    paths = [str(row["path"]) for row in wording.rows_of(listed, "notes") if row.get("author") != "ia"]
    paths.sort(key=lambda path: (day[0] if (day := _DAY.search(path)) else "", path), reverse=True)
    texts = yield from desk.run(*(DeskCall("notebook.read", {"path": path}) for path in paths[:LOOKED_AT]))
    held = set(wording.objects_of(status, "positions")) if status.ok else set[str]()
    days: dict[str, list[str]] = {}
    others: list[str] = []
    for path, text in zip(paths, texts, strict=False):
        named = {each.code for each in find_mentions(path)} or {
            each.code for each in find_mentions(str(text.value) if text.ok else "")
        }
        for symbol in sorted(named):
            days.setdefault(symbol, []).append(day[0] if (day := _DAY.search(path)) else path)
        if not named:
            others.append(path)
    rows = {symbol: found for symbol, found in days.items() if symbol not in held or not _NOT_HELD.search(asked.words)}
    if not rows:
        return reply_of_lines(speak("No note of yours is about such a security."))
    lines = []
    for symbol, found in list(rows.items())[:SHOWN]:
        name, when = wording.security_name(desk, symbol, None), speak.join_items(found[:3])
        lines.append(
            speak("{name}: {days}; held", name=name, days=when)
            if symbol in held
            else speak("{name}: {days}; **not held**", name=name, days=when)
        )
    head = PluralText("Your notes are about **{count} security**:", "Your notes are about **{count} securities**:")
    rest = [speak("No code found in: {paths}.", paths=speak.join_items([f"`{path}`" for path in others[:3]]))]
    return reply_of_lines(speak(head, count=len(rows)), *(f"- {line}" for line in lines), *(rest if others else []))


_NOT_HELD = pattern(r"没持有|\bnot held\b", re.I)


def answer_oldest_note(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which of the owner's notes is the first, and how long ago it was written."""
    speak = desk.speak
    listed = yield from desk.one("notebook.list")
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the notes"), listed.failure)
    paths = [str(row["path"]) for row in wording.rows_of(listed, "notes") if row.get("author") != "ia"]
    dated = sorted((day[0], path) for path in paths if (day := _DAY.search(path)))
    if not dated:
        return reply_of_lines(speak("There are no notes yet: `ia note PATH TEXT` writes one, or say “note: …”."))
    written, path = dated[0]
    text = yield from desk.one("notebook.read", path=path)
    rows = (
        [row for row in str(text.value).splitlines() if row.strip() and not row.startswith("<!--")] if text.ok else []
    )
    days = (date.fromisoformat(desk.request.day) - date.fromisoformat(written)).days
    return reply_of_lines(
        speak("The oldest of your {count} notes is of **{day}**, {days} days ago: `{path}`", days=days,
              count=len(paths), day=written, path=path),
        *rows[:4],
    )  # fmt: skip


ANSWERS = {
    "noted_levels": answer_noted_levels,
    "noted_securities": answer_noted_securities,
    "oldest_note": answer_oldest_note,
}
