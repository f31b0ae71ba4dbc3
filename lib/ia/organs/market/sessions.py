"""When a market trades on a day, half days included, and how far its session has come."""

from datetime import datetime, time, timedelta
from typing import NamedTuple

from ia.kernel import clock
from ia.organs.ohlcv import calendar
from ia.organs.ohlcv.session_days import load_session_days

HOURS = {
    "CN": ((time(9, 30), time(11, 30)), (time(13, 0), time(15, 0))),
    "HK": ((time(9, 30), time(12, 0)), (time(13, 0), time(16, 0))),
    "US": ((time(9, 30), time(16, 0)),),
}
"""The hours of a full session, in the exchange's own time."""
AUCTION = {"HK": timedelta(minutes=10)}
"""How long after the last of the hours the auction that sets the close may take."""

BEFORE_OPEN, OPEN, BREAK, CLOSED = "before-open", "open", "break", "closed"
"""The states of a market: before today's session, in it, at its break at noon, after it or on a day without one."""


class SessionState(NamedTuple):
    """How a market stands at a moment. day: of the newest session that has opened, YYYY-MM-DD, exchange time."""

    day: str
    state: str

    @property
    def unfinished(self) -> bool:
        """Whether the session of `day` has not ended yet."""
        return self.state in (OPEN, BREAK)


def hours_of_day(market: str, day: str) -> tuple[tuple[time, time], ...]:
    """Return when a market trades on a day, from when to when, in the exchange's own time; () without a session.

    >>> hours_of_day("US", "2024-11-29"), hours_of_day("CN", "2024-10-01")
    (((datetime.time(9, 30), datetime.time(13, 0)),), ())
    """
    known = load_session_days(market)
    if not known.is_session(day):
        return ()
    minute = known.early.get(day)
    if minute is None:
        return HOURS[market]
    end = time(*divmod(minute, 60))
    return tuple((opens, min(closes, end)) for opens, closes in HOURS[market] if opens < end)


def session_state(market: str, moment: datetime) -> SessionState:
    """Return how a market stands at a moment. The auction after the last hours belongs to the session."""
    local = moment.astimezone(clock.exchange_zone(market))
    day = local.date().isoformat()
    spans = [
        tuple(datetime.combine(local.date(), at, local.tzinfo) for at in span) for span in hours_of_day(market, day)
    ]
    if not spans or local < spans[0][0]:
        first, last = ((local.date() - timedelta(days=back)).isoformat() for back in (40, 1))
        before = calendar.list_sessions(market, first, last)[-1]
        return SessionState(before, BEFORE_OPEN if spans else CLOSED)
    if local >= spans[-1][1] + AUCTION.get(market, timedelta()):
        return SessionState(day, CLOSED)
    trades = local >= spans[-1][0] or any(begin <= local < end for begin, end in spans)
    return SessionState(day, OPEN if trades else BREAK)


def session_progress(market: str, moment: datetime) -> float | None:
    """Return which part of the trading hours of its day has passed, 0 to 1; None before the opening and without one."""
    local = moment.astimezone(clock.exchange_zone(market))
    hours = hours_of_day(market, local.date().isoformat())
    if not hours or local.time() < hours[0][0]:
        return None
    passed = whole = timedelta()
    for opens, closes in hours:
        begin, end = (datetime.combine(local.date(), at, local.tzinfo) for at in (opens, closes))
        whole += end - begin
        passed += min(max(local - begin, timedelta()), end - begin)
    return passed / whole
