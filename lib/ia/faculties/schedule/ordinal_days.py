"""The nth day of a kind in each period: the last trading day of a month, the first Monday of a quarter."""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache

from ia.faculties.schedule import exchange
from ia.faculties.schedule.schedule_forms import WEEKDAYS, OrdinalSchedule

_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def find_days(what: OrdinalSchedule, first: date, last: date, market: str = exchange.HOME) -> Iterator[date]:
    """Yield the days of a schedule from first to last, ascending. A period without such a day has none.

    market  whose sessions count where the kind is a trading day
    """
    start = _period_start(what.period, first)
    while start <= last:
        end = _next_period(what.period, start)
        if what.period != "month" or start.month in what.months:
            found = _find_day(what, start, end, market)
            if found is not None and first <= found <= last:
                yield found
        start = end


def _period_start(period: str, day: date) -> date:
    if period == "week":
        return day - timedelta(days=day.weekday())
    size = _MONTHS[period]
    return date(day.year, (day.month - 1) // size * size + 1, 1)


def _next_period(period: str, start: date) -> date:
    if period == "week":
        return start + timedelta(days=7)
    months = start.year * 12 + start.month - 1 + _MONTHS[period]
    return date(months // 12, months % 12 + 1, 1)


@lru_cache(1024)
def _find_day(what: OrdinalSchedule, start: date, end: date, market: str) -> date | None:
    """Return the nth day of its kind with start <= day < end."""
    count, step = abs(what.nth), 1 if what.nth > 0 else -1
    day = start if step > 0 else end - timedelta(days=1)
    while start <= day < end:
        if _is_of_kind(what.kind, day, market):
            count -= 1
            if count == 0:
                return day
        day += timedelta(days=step)
    return None


def _is_of_kind(kind: str, day: date, market: str) -> bool:
    if kind == "trading day":
        return exchange.is_session(market, day)
    if kind == "weekday":
        return day.weekday() < 5
    return kind == "day" or (day.weekday() + 1) % 7 == WEEKDAYS.index(kind)
