"""How long a security took to close again where it was before a fall, or above a level."""

import re
from datetime import date

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE, TimeSpan, blank_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import BarRow, SpanBars, period_of
from ia.agent.analyst.jobs.facts.extreme_facts import adjusted_note, each_security, head, say_price, span_of
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_ANY_TIME = TimeSpan(kind=EVER, said="", at=(0, 0))


def answer_recovery(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer when the closes were back where the deepest fall of a stretch began, counted from its bottom.

    A day that is named is the day of the fall: its close and the one before it are held against each other.
    """
    span = span_of(asked, _ANY_TIME)
    if asked.unread or span is None:
        return wording.ask_back(desk, asked.unread or (asked.spans[-1].said,))
    if span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)

    def say(mention: Mention, found: SpanBars) -> list[str]:
        return [head(desk, mention, found) + _say_recovery(desk, span, found)]

    told = yield from each_security(desk, asked, _ANY_TIME, say)
    return reply_of_lines(*told.lines, *adjusted_note(desk))


def _say_recovery(desk: ToolDesk, span: TimeSpan, found: SpanBars) -> str:
    """Return the fall that is meant, and the first session whose close made it good."""
    speak, rows = desk.speak, found.rows
    first, last = _places(span, rows)
    if first >= last:
        return speak("no bar of “{time}”; the newest is that of {last}.", time=span.said, last=found.last)
    peak = top = bottom = first
    for at in range(first, last + 1):
        peak = at if rows[at].close > rows[peak].close else peak
        if rows[at].close / rows[peak].close < rows[bottom].close / rows[top].close:
            top, bottom = peak, at
    if top == bottom:
        return speak("no close was below an earlier one ({period}).", period=period_of(rows[first : last + 1]))
    high, low = rows[top], rows[bottom]
    given: Json = {
        "fall": wording.say_percent((low.close / high.close - 1) * 100), "start": say_price(desk, high.close),
        "first": high.date, "low": say_price(desk, low.close), "bottom": low.date,
    }  # fmt: skip
    back = next((at for at in range(bottom + 1, len(rows)) if rows[at].close >= high.close), None)
    if back is None:
        return speak(
            "**not recovered yet** from its fall of {fall}, {start} ({first}) to {low} ({bottom}): the close of {date}"
            " is {close}, {gap} from {start}; **{part}%** of the fall is made good.",
            part=f"{(rows[-1].close - low.close) / (high.close - low.close) * 100:.1f}",
            date=rows[-1].date, close=say_price(desk, rows[-1].close),
            gap=wording.say_percent((rows[-1].close / high.close - 1) * 100), **given,
        )  # fmt: skip
    days = (date.fromisoformat(rows[back].date) - date.fromisoformat(low.date)).days
    return speak(
        PluralText(
            "**{count} session** ({days} days): after its fall of {fall}, {start} ({first}) to {low} ({bottom}), it"
            " closed at {close} on {date}.",
            "**{count} sessions** ({days} days): after its fall of {fall}, {start} ({first}) to {low} ({bottom}), it"
            " closed at {close} on {date}.",
        ),
        count=back - bottom, days=days, close=say_price(desk, rows[back].close), date=rows[back].date, **given,
    )  # fmt: skip


def _places(span: TimeSpan, rows: list[BarRow]) -> tuple[int, int]:
    """Return the places of the bars in which the fall is looked for; the one before a stretch is its beginning."""
    if span.kind == EVER:
        return 0, len(rows) - 1
    if span.first is None:
        return max(len(rows) - 1 - span.sessions, 0), len(rows) - (span.sessions if span.kind == DAY else 1)
    inside = [at for at, row in enumerate(rows) if f"{span.first}" <= row.date <= f"{span.last or span.first}"]
    return (max(inside[0] - 1, 0), inside[-1]) if inside else (0, 0)


_LEVEL = pattern(r"(?<![\d.])\d[\d,]*(?:\.\d+)?")


def answer_back_above(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which day a security closed above a level again, and how many sessions it had been below."""
    plain = blank_spans(strip_mentions(asked.words), asked.spans)
    levels, span = [match[0] for match in _LEVEL.finditer(plain)], span_of(asked, _ANY_TIME)
    unread = tuple(word for word in asked.unread if word.strip("点元块") not in levels and not _READ.fullmatch(word))
    if unread or span is None or len(levels) != 1:
        return wording.ask_back(desk, unread or tuple(levels) or (asked.words,))
    if span.kind in (DAY, FUTURE):
        return wording.ask_back(desk, (span.said,))
    level = float(levels[0].replace(",", ""))

    def say(mention: Mention, found: SpanBars) -> list[str]:
        return [head(desk, mention, found) + _say_back_above(desk, span, found.rows, level)]

    told = yield from each_security(desk, asked, _ANY_TIME, say, adjust="none")
    return reply_of_lines(*told.lines, desk.speak("Prices as they were traded, not adjusted."))


_READ = pattern(r"以上|above|over|how many", re.I)


def _say_back_above(desk: ToolDesk, span: TimeSpan, rows: list[BarRow], level: float) -> str:
    """Return the last close above a level after one below it: of the fall below it that a stretch of time has."""
    speak = desk.speak
    first, last = _places(span, rows)
    below = [at for at in range(first, last + 1) if rows[at].close < level]
    given: Json = {"level": f"{level:,g}", "period": period_of(rows[first : last + 1])}
    if not below:
        return speak("no close was below {level} ({period}).", **given)
    ended = next((at for at in range(below[-1] + 1, len(rows)) if rows[at].close >= level), None)
    begun = next((at + 1 for at in range(below[-1], -1, -1) if rows[at].close >= level), 0)
    given |= {"begun": rows[begun].date, "low": say_price(desk, min(row.close for row in rows[begun:ended]))}
    if ended is None:
        return speak(
            "**not yet** back above {level}: below it since {begun}, lowest close {low}; the close of {date} is"
            " {close}.", date=rows[-1].date, close=say_price(desk, rows[-1].close), **given,
        )  # fmt: skip
    return speak(
        PluralText(
            "back above {level} on **{date}** (close {close}), after {count} session below it since {begun} (lowest"
            " close {low}).",
            "back above {level} on **{date}** (close {close}), after {count} sessions below it since {begun} (lowest"
            " close {low}).",
        ),
        date=rows[ended].date, close=say_price(desk, rows[ended].close), count=ended - begun, **given,
    )  # fmt: skip


ANSWERS = {"recovery": answer_recovery, "back_above": answer_back_above}
