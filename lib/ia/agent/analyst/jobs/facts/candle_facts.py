"""On how many days a security closed above or below its open, and how one day went."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, FUTURE, blank_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import SpanBars, period_of
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


ANSWERS = {"candles": answer_candles}
