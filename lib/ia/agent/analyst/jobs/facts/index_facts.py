"""How an index stands: level, changes, average and range. Nobody buys an index, so no view of it is given."""

from datetime import date
from statistics import fmean

from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import SESSIONS, TimeSpan
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import BarRow, load_span, stale_note
from ia.agent.analyst.jobs.facts.extreme_facts import head, say_price
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines

AVERAGE, YEAR = 200, 250
"""Sessions of the average, and of the range."""
_BACK = (5, 20, 250)
"""Sessions over which changes are told."""


def describe_index(desk: ToolDesk, mention: Mention) -> Work[Reply]:
    """Return the level of an index, how it moved, and where it stands; that there is no source where none has it."""
    span = TimeSpan(kind=SESSIONS, said="", at=(0, 0), sessions=YEAR + 1)
    found = yield from load_span(desk, mention, span)
    if isinstance(found, DeskResult):
        return reply_of_lines(reply.describe_no_prices(desk, mention.said, found.failure or NO_BARS))
    rows = found.rows
    if len(rows) < 2:
        return reply_of_lines(head(desk, mention, found) + desk.speak("too few bars."))
    last = rows[-1]
    lines = [
        head(desk, mention, found)
        + desk.speak(
            "**{close}** ({date}), {change} on the day.",
            close=say_price(desk, last.close),
            date=last.date,
            change=_change(rows, 1),
        )
    ]
    told = [
        desk.speak("{count} sessions {change}", count=count, change=_change(rows, count))
        for count in _BACK
        if len(rows) > count
    ]
    before = [row for row in rows if row.date < f"{date.fromisoformat(last.date).year}"]
    if before:
        told.append(desk.speak("this year {change}", change=wording.say_percent(_percent(before[-1], last))))
    lines.append(desk.speak("Change: {changes}.", changes=desk.speak.join_clauses(told)))
    year = rows[-YEAR:]
    high, low = max(year, key=lambda row: row.high), min(year, key=lambda row: row.low)
    lines.append(
        desk.speak(
            "Range of {count} sessions: {low} ({low_date}) to {high} ({high_date}).",
            count=len(year),
            low=say_price(desk, low.low),
            low_date=low.date,
            high=say_price(desk, high.high),
            high_date=high.date,
        )
    )
    if len(rows) >= AVERAGE:
        mean = fmean(row.close for row in rows[-AVERAGE:])
        lines.append(wording.say_against_average(desk, mention, AVERAGE, (last.close, mean), last.date))
    lines.append(desk.speak("An index is no purchase: I give no verdict on it."))
    if note := stale_note(desk, mention, found.last, found.missed):
        lines.append(note)
    return reply_of_lines(*lines)


def _percent(start: BarRow, end: BarRow) -> float:
    return end.close / start.close * 100 - 100


def _change(rows: list[BarRow], count: int) -> str:
    """Return the change over so many sessions, as text."""
    return wording.say_percent(_percent(rows[-count - 1], rows[-1]))
