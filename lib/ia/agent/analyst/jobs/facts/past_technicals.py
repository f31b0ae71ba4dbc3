"""Averages on a past day, averages that cross each other, and the longest streak of a stretch of time."""

import re
import statistics
from datetime import date, timedelta
from itertools import pairwise

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import DAY, EVER, RANGE, SESSIONS, SINCE, TimeSpan
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import BarRow, SpanBars, load_span, load_spans
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 3
"""Securities that one answer is about."""
LONGEST = 500
"""Sessions of the longest average."""
_SIZES = pattern(r"(\d{1,3})\s*[- ]?(?:日|天|days?|sessions?)|ma\s*(\d{1,3})", re.I)
_DOWN = pattern(r"跌|阴|\b(?:los\w+|f[ae]ll\w*|down|declin\w*|red|drop\w*)\b", re.I)

_LISTED = 8
"""Crossings of a stretch of time that are named."""
_CROSS_UP = pattern(r"上穿|突破|金叉|\b(?:above|golden|upwards?)\b", re.I)
_CROSS_DOWN = pattern(r"下穿|跌破|死叉|\b(?:below|under|death|downwards?)\b", re.I)


def answer_average_then(desk: ToolDesk, asked: FactQuestion, size: int) -> Work[Reply]:
    """Answer whether the close of a past day was above or below an average of that day."""
    speak, lines, span = desk.speak, [], asked.spans[0]
    if len(asked.spans) > 1 or span.kind != DAY or span.first is None:
        said = asked.spans[-1].said
        return reply_of_lines(
            speak("That I answer for one day and averages of 2 to 500 days, not for “{said}”.", said=said)
        )
    for mention in asked.securities[:MOST]:
        rows = yield from _load_until(desk, mention, span.first, size)
        if isinstance(rows, DeskResult):
            lines.append(reply.describe_no_prices(desk, mention.said, rows.failure or NO_BARS))
            continue
        if len(rows) < size:
            lines.append(speak("{name}: too few bars.", name=wording.head_of(desk, mention)))
            continue
        close, mean = rows[-1].close, statistics.fmean(row.close for row in rows[-size:])
        lines.append(wording.say_against_average(desk, mention, size, (close, mean), rows[-1].date))
    return reply_of_lines(*lines, speak("Past prices are adjusted (qfq)."))


def answer_average_cross(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether one average is above another, and when they last crossed."""
    speak, lines = desk.speak, []
    sizes = [int(one or other) for one, other in _SIZES.findall(asked.words)]
    spans = asked.spans
    if len(sizes) != 2 or len(spans) > 1 or not all(1 < size <= LONGEST for size in sizes):
        return wording.ask_back(desk, (spans[-1].said if spans else asked.words,))
    if spans and (spans[0].kind not in (RANGE, SINCE) or spans[0].first is None):
        return wording.ask_back(desk, (spans[0].said,))
    first, second = sizes
    size = max(sizes) + LONGEST
    if spans and spans[0].first is not None:
        size += (desk.request.moment.date() - spans[0].first).days
    for mention in asked.securities[:MOST]:
        rows = yield from _load_until(desk, mention, desk.request.moment.date(), size)
        if isinstance(rows, DeskResult):
            lines.append(reply.describe_no_prices(desk, mention.said, rows.failure or NO_BARS))
            continue
        gaps = _average_gaps(rows, first, second)
        if not gaps:
            lines.append(speak("{name}: too few bars.", name=wording.head_of(desk, mention)))
            continue
        given: Json = {"name": wording.head_of(desk, mention), "one": first, "other": second, "date": gaps[-1][0],
                       "gap": f"{abs(gaps[-1][1]):.2f}%"}  # fmt: skip
        if spans:
            told = _say_crosses_within(desk, gaps, spans[0], asked.words)
            lines.append(wording.head_of(desk, mention) + speak(": ") + told)
        lines.append(
            speak("{name}: its {one}-day average is {gap} above the {other}-day one ({date}).", **given)
            if gaps[-1][1] > 0
            else speak("{name}: its {one}-day average is {gap} below the {other}-day one ({date}).", **given)
        )
        crossed = next((day for (_, a), (day, b) in reversed(list(pairwise(gaps))) if (a > 0) != (b > 0)), "")
        lines.append(
            speak("They last crossed on **{date}**, upward.", date=crossed)
            if crossed and gaps[-1][1] > 0
            else speak("They last crossed on **{date}**, downward.", date=crossed)
            if crossed
            else speak("They have not crossed since {date}.", date=gaps[0][0])
        )
    return reply_of_lines(*lines, speak("Past prices are adjusted (qfq)."))


def _say_crosses_within(desk: ToolDesk, gaps: list[tuple[str, float]], span: TimeSpan, words: str) -> str:
    """Return on which days of a stretch of time one average crossed another, one way where that alone is asked for."""
    speak, first, last = desk.speak, f"{span.first}", f"{span.last or desk.request.day}"
    crossed = [(day, b > 0) for (_, a), (day, b) in pairwise(gaps) if (a > 0) != (b > 0) and first <= day <= last]
    up, down = bool(_CROSS_UP.search(words)), bool(_CROSS_DOWN.search(words))
    days = [
        day if up != down else speak("{day} upward", day=day) if rose else speak("{day} downward", day=day)
        for day, rose in crossed if up == down or rose == up
    ]  # fmt: skip
    given: Json = {"time": span.said, "count": len(days), "days": speak.join_items(days[-_LISTED:])}
    if up == down:
        return (
            speak("crossings in “{time}”: **{count}** ({days}).", **given) if days
            else speak("**no** crossing in “{time}”.", **given)
        )  # fmt: skip
    if up:
        return (
            speak("crossings upward in “{time}”: **{count}** ({days}).", **given) if days
            else speak("**no** crossing upward in “{time}”.", **given)
        )  # fmt: skip
    return (
        speak("crossings downward in “{time}”: **{count}** ({days}).", **given) if days
        else speak("**no** crossing downward in “{time}”.", **given)
    )  # fmt: skip


def _average_gaps(rows: list[BarRow], first: int, second: int) -> list[tuple[str, float]]:
    """Return by how many per cent the first average is above the second, on each day that has both."""
    closes, longest = [row.close for row in rows], max(first, second)
    return [
        (
            rows[at].date,
            (statistics.fmean(closes[at + 1 - first : at + 1]) / statistics.fmean(closes[at + 1 - second : at + 1]) - 1)
            * 100,
        )
        for at in range(longest - 1, len(rows))
    ]


def answer_longest_streak(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer the longest run of falls or rises in a stretch of time."""
    speak, lines, down = desk.speak, [], bool(_DOWN.search(asked.words))
    span = asked.spans[0] if asked.spans else TimeSpan(kind=EVER, said=speak("all stored sessions"), at=(0, 0))
    if len(asked.spans) > 1 or span.kind not in (RANGE, SINCE, EVER, SESSIONS):
        return wording.ask_back(desk, (asked.spans[-1].said,))
    mentions = asked.securities[:MOST]
    for mention, found in zip(mentions, (yield from load_spans(desk, mentions, span)), strict=True):
        if not isinstance(found, SpanBars) or not found.rows:
            failure = found.failure if isinstance(found, DeskResult) else None
            lines.append(reply.describe_no_prices(desk, mention.said, failure or NO_BARS))
            continue
        rows = [*([found.base] if found.base is not None else []), *found.rows]
        count, last = _find_longest(rows, down=down)
        given: Json = {"name": wording.head_of(desk, mention), "count": count, "time": span.said,
                       "first": rows[last - count + 1].date if count else "", "last": rows[last].date,
                       "change": wording.say_percent(rows[last].close / rows[last - count].close * 100 - 100),
                       "mark": wording.simulated_mark(desk, found.simulated)}  # fmt: skip
        lines.append(
            speak("{name}: the longest fall of “{time}” is **{count}** sessions in a row, {first} to {last},"
                  " {change} together{mark}.", **given)
            if down
            else speak("{name}: the longest rise of “{time}” is **{count}** sessions in a row, {first} to {last},"
                       " {change} together{mark}.", **given)
        )  # fmt: skip
    return reply_of_lines(*lines)


def _find_longest(rows: list[BarRow], *, down: bool) -> tuple[int, int]:
    """Return the length of the longest run of falls or rises, and the place of its last bar."""
    best, last, run = 0, 0, 0
    for at, (before, after) in enumerate(pairwise(rows), 1):
        moved = after.close < before.close if down else after.close > before.close
        run = run + 1 if moved else 0
        if run > best:
            best, last = run, at
    return best, last


def _load_until(desk: ToolDesk, mention: Mention, day: date, sessions: int) -> Work[list[BarRow] | DeskResult]:
    """Return the bars up to a day, at least so many sessions where they are stored."""
    span = TimeSpan(kind=RANGE, said="", at=(0, 0), first=day - timedelta(days=sessions * 2 + 20), last=day)
    found = yield from load_span(desk, mention, span)
    return found.rows if isinstance(found, SpanBars) else found


ANSWERS = {"average_cross": answer_average_cross}
