"""When a market trades on a day, and how far its session has come: the regular hours, half days as whole ones."""

from datetime import date, datetime, time, timedelta

from ia.kernel import clock
from ia.organs.ohlcv import calendar

HOURS = {
    "CN": ((time(9, 30), time(11, 30)), (time(13, 0), time(15, 0))),
    "HK": ((time(9, 30), time(12, 0)), (time(13, 0), time(16, 0))),
    "US": ((time(9, 30), time(16, 0)),),
}
"""The hours of the regular session, in the exchange's own time."""


def is_session_day(market: str, day: str) -> bool:
    """Whether a market trades on a day, as far as its calendar tells."""
    return date.fromisoformat(day).weekday() < 5 and not calendar.is_holiday(market, day)


def is_in_session(market: str, moment: datetime) -> bool:
    """Whether a moment lies between the opening and the close of a session; the break at noon counts as within."""
    local = moment.astimezone(clock.exchange_zone(market))
    opens, closes = HOURS[market][0][0], HOURS[market][-1][1]
    return opens <= local.time() < closes and is_session_day(market, local.date().isoformat())


def session_progress(market: str, moment: datetime) -> float | None:
    """Return which part of the trading hours of its day has passed, 0 to 1; None before the opening and without one."""
    local = moment.astimezone(clock.exchange_zone(market))
    if local.time() < HOURS[market][0][0] or not is_session_day(market, local.date().isoformat()):
        return None
    passed = whole = timedelta()
    for opens, closes in HOURS[market]:
        begin, end = (datetime.combine(local.date(), at, local.tzinfo) for at in (opens, closes))
        whole += end - begin
        passed += min(max(local - begin, timedelta()), end - begin)
    return passed / whole
