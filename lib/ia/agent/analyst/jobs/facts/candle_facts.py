"""On how many days a security closed above or below its open, or opened with a gap, and how one day went."""

import re
from itertools import pairwise

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, FUTURE, SESSIONS, YEAR, TimeSpan, blank_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import BarRow, SpanBars, period_of
from ia.agent.analyst.jobs.facts.extreme_facts import NEWEST, each_security, head, say_price, span_of
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_COUNTS = pattern(r"[几多]少?[根天个次]|天数|[几多]少|\bhow (?:many|often)\b|\bnumber of\b|\bmore\b.{0,30}\bor\b", re.I)
_READ = pattern(
    r"高于|低于|以上|以下|几|\b(?:above|below|higher|lower|more|less|than|over|under|how many|how often)\b", re.I
)
"""Words of comparison that the answer reads."""


def answer_candles(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on how many sessions of a stretch the close was above and below the open, or how it was on one day."""
    speak, span = desk.speak, span_of(asked, NEWEST)
    plain = blank_spans(strip_mentions(asked.words), asked.spans)
    unread = tuple(word for word in asked.unread if not _READ.fullmatch(word.strip()))
    if unread or span is None:
        return wording.ask_back(desk, unread or (asked.spans[-1].said,))
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    if span is NEWEST and _COUNTS.search(plain):
        return reply_of_lines(
            speak("Over which time? Give a stretch, such as “this year” or “the last 120 days”.")
        )._replace(understood=False)

    def say(mention: Mention, found: SpanBars) -> list[str]:
        if span.kind == DAY or span is NEWEST:
            return [head(desk, mention, found) + _say_day(desk, found)]
        below = sum(row.close < row.open for row in found.rows)
        above = sum(row.close > row.open for row in found.rows)
        given: Json = {"above": above, "below": below, "days": len(found.rows), "period": period_of(found.rows)}
        told = speak(
            "closed above its open on **{above}** and below it on **{below}** of {days} sessions ({period}).", **given
        )
        return [head(desk, mention, found) + told]

    return (yield from each_security(desk, asked, span, say, adjust="none"))


def _say_day(desk: ToolDesk, found: SpanBars) -> str:
    """Return whether the newest bar closed above or below its open."""
    row = found.rows[-1]
    given: Json = {"date": row.date, "open": say_price(desk, row.open), "close": say_price(desk, row.close)}
    if row.close == row.open:
        return desk.speak("closed **at** its open: {close} ({date}).", **given)
    if row.close > row.open:
        return desk.speak("closed **above** its open: from {open} to {close} ({date}).", **given)
    return desk.speak("closed **below** its open: from {open} to {close} ({date}).", **given)


_GAP_DOWN = pattern(r"低开|向下|下跳|\b(?:down|downs|downward|lower|below)\b", re.I)
_GAP_UP = pattern(r"高开|向上|上跳|\b(?:up|ups|upward|higher|above)\b", re.I)
_BY = pattern(r"(?P<n>\d+(?:\.\d+)?)\s*(?:[%％]|per ?cent\b|个?百分?点|个点)", re.I)
_SHOWN = 6
"""Gaps that are named with their days."""
_YEAR_BACK = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=YEAR)


def answer_gaps(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on how many sessions of a stretch the open was away from the close before, and which they were."""
    span = span_of(asked, _YEAR_BACK)
    plain = blank_spans(strip_mentions(asked.words), asked.spans)
    sized = _BY.search(plain)
    unread = tuple(
        word for word in asked.unread
        if not _READ.fullmatch(word.strip()) and not _COUNTS.search(word) and not (sized and word in sized[0])
        and not re.fullmatch(r"超过|大于|at least|more than|less than|more|less|over|by", word.strip())
    )  # fmt: skip
    if unread or span is None:
        return wording.ask_back(desk, unread or (asked.spans[-1].said,))
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    down, up, least = bool(_GAP_DOWN.search(plain)), bool(_GAP_UP.search(plain)), float(sized["n"]) if sized else 0.0
    ways = [way for way, said in ((-1, down), (1, up)) if said or down == up]

    def say(mention: Mention, found: SpanBars) -> list[str]:
        pairs = list(pairwise(found.with_base))
        if len(pairs) == 1 and not least:
            return [head(desk, mention, found) + _say_open(desk, *pairs[0])]
        return [head(desk, mention, found) + _say_gaps(desk, pairs, way, least) for way in ways]

    return (yield from each_security(desk, asked, span, say))


def _say_open(desk: ToolDesk, before: BarRow, bar: BarRow) -> str:
    """Return where one session opened, against the close and the range of the one before, and where it closed."""
    speak = desk.speak
    judged = (
        speak("gap up") if bar.open > before.high else speak("gap down") if bar.open < before.low else speak("no gap")
    )
    return speak(
        "**{judged}** on {date}: opened at {open}, {move} from the close before ({base}; range of that day {low} –"
        " {high}); closed at {close}.",
        judged=judged, date=bar.date, open=say_price(desk, bar.open), base=say_price(desk, before.close),
        move=wording.say_percent(bar.open / before.close * 100 - 100), low=say_price(desk, before.low),
        high=say_price(desk, before.high), close=say_price(desk, bar.close),
    )  # fmt: skip


def _say_gaps(desk: ToolDesk, pairs: list[tuple[BarRow, BarRow]], way: int, least: float) -> str:
    """Return how often the open was a gap away from the bar before it, and the newest of these days."""
    speak = desk.speak
    moves = [(b.date, b.open / a.close * 100 - 100, b.open > a.high if way > 0 else b.open < a.low) for a, b in pairs]
    found = [(day, move) for day, move, beyond in moves if (move * way > least if least else beyond)]
    given: Json = {"count": len(found), "days": len(pairs), "period": period_of([b for _, b in pairs]),
                   "least": f"{least:g}"}  # fmt: skip
    if least:
        told = (
            speak("opened more than {least}% above the close before on **{count}** of {days} sessions ({period})",
                  **given)
            if way > 0
            else speak("opened more than {least}% below the close before on **{count}** of {days} sessions ({period})",
                       **given)
        )  # fmt: skip
    else:
        told = (
            speak("opened above the high of the day before on **{count}** of {days} sessions ({period})", **given)
            if way > 0
            else speak("opened below the low of the day before on **{count}** of {days} sessions ({period})", **given)
        )
    shown = [f"{day} {move:+.2f}%" for day, move in found[-_SHOWN:]]
    if len(found) > _SHOWN:
        return told + speak("; the last of them: {listed}.", listed=speak.join_items(shown))
    return told + (speak(": ") + speak.join_items(shown) if shown else "") + speak(".", context="end")


ANSWERS = {"candles": answer_candles, "gaps": answer_gaps}
