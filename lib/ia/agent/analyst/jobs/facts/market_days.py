"""Which stored day of the market answers a question, and what is said where that is not the day that it names."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.time_spans import DAY, RANGE, SESSIONS, SINCE, TimeSpan
from ia.agent.analyst.desk import DeskResult, Failure, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.instruments.indices import MAIN_INDICES
from ia.kernel import clock
from ia.kernel.i18n import mark_texts
from ia.kernel.patterns import pattern

WEEKDAYS = mark_texts("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MOST_SESSIONS = 249
"""Sessions that can be counted back: one fewer than the bars that the tool for prices returns."""
_NOW = pattern(
    r"现在|此刻|刚才|刚刚|早上|上午|下午|盘中"
    r"|\b(?:right now|currently|so far|at the moment|this (?:morning|afternoon))\b",
    re.I,
)


class DayAnswer(NamedTuple):
    """A result for the day that a question means, lines to say before it, and the answer where there is none."""

    result: DeskResult
    before: list[str]
    refused: Reply | None


def load_asked_day(desk: ToolDesk, asked: FactQuestion, tool: str, what: str, **args: Any) -> Work[DayAnswer]:
    """Ask a tool of the market for the day that a question names; for the newest where it names none.

    Where that day was no session, the one before it answers, and a line says so.
    """
    span = asked.spans[0] if asked.spans else None
    if span is None and not _NOW.search(asked.words):
        return _answer(desk, what, (yield from desk.one(tool, **args)))
    spans = {(each.kind, each.first, each.last, each.sessions) for each in asked.spans}
    if len(spans) > 1 or (span is not None and span.kind != DAY):
        return (yield from _refuse(desk, tool, what, asked.spans[-1], args))
    day = span.first if span is not None and span.first is not None else date.fromisoformat(desk.request.day)
    if span is not None and span.first is None:
        back = yield from _sessions_back(desk, span.sessions)
        day = back if back is not None else day
    found = yield from desk.one(tool, date=f"{day}", **args)
    if found.ok and wording.result_day(found) == f"{day}":
        return DayAnswer(found, [], None)
    return (yield from _session_before(desk, tool, what, day, args))


def _session_before(desk: ToolDesk, tool: str, what: str, day: date, args: dict[str, Any]) -> Work[DayAnswer]:
    """Answer for a day that is not stored: with the session before it where it was none, or is not over."""
    speak, today = desk.speak, desk.request.day
    newest = yield from desk.one(tool, **args)
    if newest.failure is not None:
        return _answer(desk, what, newest)
    stored = wording.result_day(newest)
    calendar = yield from desk.one("calendar.trading", date=f"{day}", n=1)
    open_ = calendar.get("is_trading_day") if calendar.ok else day.weekday() < 5
    named = {"date": f"{day}", "weekday": speak(WEEKDAYS[day.weekday()])}
    if open_:
        if f"{day}" != today:
            said = speak("Of {date} nothing is stored here; the newest stored day is {stored}.", stored=stored, **named)
            return DayAnswer(newest, [], reply_of_lines(said))
        if desk.request.moment.time() < clock.CLOSE["CN"]:
            return DayAnswer(newest, [speak("Of today ({date}) there is nothing yet; the newest day is {stored}:",
                                            stored=stored, **named)], None)  # fmt: skip
        return DayAnswer(newest, [speak("Today ({date}) is not stored yet (`ia sync` fetches it); the newest day is"
                                        " {stored}:", stored=stored, **named)], None)  # fmt: skip
    previous = wording.names_of(calendar.get("previous"))
    wanted = previous[-1] if previous else stored
    found = newest if wanted == stored else (yield from desk.one(tool, date=wanted, **args))
    if found.failure is not None or wording.result_day(found) != wanted:
        said = speak(
            "{date} ({weekday}) was no trading day, and of the session before it ({previous}) nothing is stored; the"
            " newest stored day is {stored}.",
            previous=wanted,
            stored=stored,
            **named,
        )
        return DayAnswer(newest, [], reply_of_lines(said))
    said = (
        speak("No trading today ({weekday}); the last session, {previous}:", previous=wanted, **named)
        if f"{day}" == today
        else speak(
            "{date} ({weekday}) was no trading day; the session before it, {previous}:", previous=wanted, **named
        )
    )
    return DayAnswer(found, [said], None)


def load_asked_stretch(desk: ToolDesk, asked: FactQuestion, tool: str, what: str, **args: Any) -> Work[DayAnswer]:
    """Ask a tool that can look over a stretch of days for the day or the stretch that a question names."""
    span = asked.spans[0] if len(asked.spans) == 1 else None
    if span is None or span.kind not in (RANGE, SINCE, SESSIONS):
        return (yield from load_asked_day(desk, asked, tool, what, **args))
    first, last = span.first, span.last
    if span.kind == SESSIONS:
        first = (yield from _sessions_back(desk, span.sessions - 1)) if span.sessions <= MOST_SESSIONS else None
    elif span.kind == SINCE and first is not None:
        first += timedelta(days=1)
    if first is None:
        return (yield from _refuse(desk, tool, what, span, args))
    until: dict[str, str] = {}
    if last is not None and f"{last}" < desk.request.day:
        calendar = yield from desk.one("calendar.trading", date=f"{last}", n=1)
        previous = wording.names_of(calendar.get("previous"))
        if not calendar.get("is_trading_day") and not previous:
            return (yield from _refuse(desk, tool, what, span, args))
        until = {"date": f"{last}" if calendar.get("is_trading_day") else previous[-1]}
    found = yield from desk.one(tool, since=f"{first}", **until, **args)
    if found.failure is not None:
        said = speak_failure(desk, what, span, found.failure)
        return DayAnswer(found, [], reply_of_lines(said))
    if wording.result_day(found) < f"{first}":
        return (yield from _refuse(desk, tool, what, span, args))
    return DayAnswer(found, [], None)


def speak_failure(desk: ToolDesk, what: str, span: TimeSpan, failure: Failure) -> str:
    """Return that a stretch of days is not stored, and what to do."""
    return desk.speak("{what}: “{time}” cannot be computed: {error}", what=what, time=span.said, error=failure.sentence)


def say_stretch(desk: ToolDesk, found: DeskResult) -> str:
    """Return of which time a result is: a day, or a stretch of days with the close that it begins from."""
    if base := found.get("since_close_of"):
        return desk.speak("close of {first} to {last}", first=base, last=wording.result_day(found))
    return wording.result_day(found)


def sessions_within(desk: ToolDesk, span: TimeSpan, most: int) -> Work[list[str] | None]:
    """Return the sessions of a stretch of time up to today, oldest first; None where it is too long, or not known."""
    last = min(f"{span.last or desk.request.day}", desk.request.day)
    found = yield from desk.one("calendar.trading", date=last, n=most)
    days = wording.names_of(found.get("previous")) + ([last] if found.get("is_trading_day") else [])
    days = sorted(set(days))
    if span.kind == SESSIONS:
        return days[-span.sessions :] if 0 < span.sessions <= len(days) else None
    if span.kind == DAY and span.first is not None:
        return [day for day in days if day == f"{span.first}"]
    first = f"{span.first}"
    if span.kind not in (RANGE, SINCE) or span.first is None or (days and days[0] > first and len(days) >= most):
        return None
    return [day for day in days if first < day or (day == first and span.kind == RANGE)]


def find_stretch(desk: ToolDesk, span: TimeSpan) -> Work[tuple[str, str] | None]:
    """Return first and last day of a day or a stretch of time up to today; None where they are not known."""
    today = date.fromisoformat(desk.request.day)
    first, last = span.first, min(span.last or today, today)
    if span.kind == SESSIONS:
        first = (yield from _sessions_back(desk, span.sessions - 1)) if span.sessions <= MOST_SESSIONS else None
    elif span.kind == SINCE and first is not None:
        first += timedelta(days=1)
    known = first is not None and first <= last and span.kind in (DAY, RANGE, SINCE, SESSIONS)
    return (f"{first}", f"{first if span.kind == DAY else last}") if known else None


def _sessions_back(desk: ToolDesk, count: int) -> Work[date | None]:
    """Return the day of the session so many before the newest one; None where it is not known."""
    bars = yield from desk.one("market.ohlcv", symbol=MAIN_INDICES[0], tail=count + 1)
    rows = wording.bars_of(bars)
    return date.fromisoformat(rows[-count - 1][0][:10]) if len(rows) > count >= 0 else None


def _answer(desk: ToolDesk, what: str, found: DeskResult) -> DayAnswer:
    refused = wording.unreadable(desk, what, found.failure) if found.failure is not None else None
    return DayAnswer(found, [], refused)


def _refuse(desk: ToolDesk, tool: str, what: str, span: TimeSpan, args: dict[str, Any]) -> Work[DayAnswer]:
    newest = yield from desk.one(tool, **args)
    if newest.failure is not None:
        return _answer(desk, what, newest)
    return DayAnswer(newest, [], wording.refuse_time(desk, what, span, wording.result_day(newest)))


def are_two_days(asked: FactQuestion) -> bool:
    """Return True if a question names two days: 昨天和今天."""
    days = {span.first for span in asked.spans}
    return len(asked.spans) == 2 and len(days) == 2 and all(span.kind == DAY and span.first for span in asked.spans)


MOST_OF_DAY = 3
"""Lines that are said of each of two days."""


def answer_both_days(desk: ToolDesk, asked: FactQuestion, answer: Callable[..., Work[Reply]]) -> Work[Reply]:
    """Answer a question for each of the two days that it names, the earlier one first."""
    lines: list[str] = []
    for span in sorted(asked.spans, key=lambda span: span.first or date.min):
        told = yield from answer(desk, replace(asked, spans=(span,)))
        lines += [line for line in told.lines[:MOST_OF_DAY] if line not in lines]
    return reply_of_lines(*lines)
