"""The days ahead that a question for due tasks names: tomorrow, this week, next month."""

import re
from collections.abc import Callable
from datetime import date, timedelta

from ia.agent.analyst.ask.facts import FactQuestion
from ia.kernel.patterns import pattern


def coming_days(asked: FactQuestion, today: date) -> tuple[date, date, str] | None:
    """Return the first and the last day, from today on, of a question for what is due, and its words; None for none.

    A day of every week is told by the next one after today, which is still whole.
    """
    if found := EVERY_WEEK.search(asked.words):
        day = next(at for at, form in enumerate(_DAYS) if form.search(found[0]))
        first = today + timedelta(days=(day - today.weekday() - 1) % 7 + 1)
        return first, first, found[0].strip()
    for words, days in _AHEAD:
        if found := words.search(asked.words):
            first, last = days(today)
            return first, last, found[0]
    span = asked.spans[0] if asked.spans else None
    found = _WEEKDAY.search(asked.words)
    said = found[0].strip() if found else ""
    if said and (span is None or span.said.strip() in said.lower() or said.lower() in span.said):
        day = next(at for at, form in enumerate(_DAYS) if form.search(said))
        first = today + timedelta(days=(day - today.weekday() - 1) % 7 + 1)
        return first, first, said
    if span is None or span.last is None or span.last < today:
        return None
    return max(span.first or today, today), span.last, span.said.strip()


_DAYS = tuple(
    pattern(form, re.I)
    for form in (r"一|mon", r"二|tue", r"三|wed", r"四|thu", r"五|fri", r"六|sat", r"[日天]|sun(?=day)")
)
"""The days of the week from Monday on, in words that name one."""
EVERY_WEEK = pattern(
    r"每个?(?:周|星期|礼拜)[一二三四五六日天](?!的?(?:复盘|任务那个))"
    r"|\b(?:every|each) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b(?!'?s? review)"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b(?! review)",
    re.I,
)
"""A day of every week."""
_WEEKDAY = pattern(
    r"(?<![上下这本每])(?:周|星期|礼拜)[一二三四五六日天](?!的?(?:复盘|任务那个))"
    r"|(?<!last )(?<!every )(?<!each )(?<!previous )(?<!next )(?<!this )(?<!coming )"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b(?!'?s? review)",
    re.I,
)
"""A day of the week, which is the next such day where nothing else is said of it."""


def _week(today: date, ahead: int) -> tuple[date, date]:
    monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * ahead)
    return max(monday, today), monday + timedelta(days=6)


def _day(today: date, ahead: int) -> tuple[date, date]:
    return today + timedelta(days=ahead), today + timedelta(days=ahead)


def _next_month(today: date) -> tuple[date, date]:
    first = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    return first, (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)


_AHEAD: tuple[tuple[re.Pattern[str], Callable[[date], tuple[date, date]]], ...] = (
    (pattern(r"下下个?(?:周|星期)|week after next", re.I), lambda today: _week(today, 2)),
    (pattern(r"下个?(?:周|星期)(?![一二三四五六日天])|\bnext week\b", re.I), lambda today: _week(today, 1)),
    (pattern(r"[这本]个?(?:周|星期)(?![一二三四五六日天])|\bthis week\b", re.I), lambda today: _week(today, 0)),
    (pattern(r"下个?月|\bnext month\b", re.I), _next_month),
    (pattern(r"后天|\bday after tomorrow\b", re.I), lambda today: _day(today, 2)),
    (pattern(r"明[天日早晚]|\btomorrow\b", re.I), lambda today: _day(today, 1)),
    (pattern(r"今[天日晚]|\btoday\b|\btonight\b", re.I), lambda today: _day(today, 0)),
)
