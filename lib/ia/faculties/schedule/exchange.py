"""Trading sessions of an exchange and when each of them closes, half days included.

`organs/ohlcv/session_days` keeps what exchange_calendars says. Beyond the days that it knows (mainland China announces
its holidays a year ahead) the list counts that `ia sync` fetched from a source, and past that every weekday: `unknown`
says so.
"""

from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ia.kernel.clock import UTC
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv import session_days as kept_sessions
from ia.organs.ohlcv import trade_dates

CODES, ZONES, CLOSES = kept_sessions.CODES, kept_sessions.ZONES, kept_sessions.CLOSES
MARKETS = {**{name: name for name in CODES}, **{code: name for name, code in CODES.items()}, "XSHE": "CN", "XNAS": "US"}
"""What a calendar may be called -> the market."""
HOME = "CN"
"""The exchange whose close is meant where a design names no calendar."""
WORKDAYS = frozenset(range(1, 6))
"""The weekdays on which exchanges trade, 0 for Sunday."""


class ExchangeSessions(NamedTuple):
    """An exchange's days: `closes` has each session between first and last -> its close, UTC."""

    first: date
    last: date
    closes: dict[date, datetime]


def exchange_zone(market: str) -> ZoneInfo:
    """Return the time zone of a market: CN, HK, US."""
    return ZoneInfo(ZONES[market])


def holidays_known_until(market: str, cache: str | None = None) -> date:
    """Return the last day whose holidays are known.

    cache   the folder that keeps what the package said, here and below; default that of the user.
    """
    return _load_sessions(market, cache or kept_sessions.cache_folder(), trade_dates.file_stamp()).last


def unknown_holidays_message(calendar: str, day: date) -> Message | None:
    """Return the remark that a day lies past the last one whose holidays are known; None where it does not."""
    market = MARKETS.get(calendar)
    if market is None or day <= (known := holidays_known_until(market)):
        return None
    return Message(
        "trading days of {market} are unknown after {day}; ia counts every weekday, holidays included",
        market=market,
        day=known.isoformat(),
    )


def is_session(market: str, day: date, cache: str | None = None) -> bool:
    """Whether the exchange trades on a day of its own calendar."""
    return session_close(market, day, cache) is not None


def session_close(market: str, day: date, cache: str | None = None) -> datetime | None:
    """Return when the session of a day closes, UTC; None where there is none."""
    known = _load_sessions(market, cache or kept_sessions.cache_folder(), trade_dates.file_stamp())
    if known.first <= day <= known.last:
        return known.closes.get(day)
    if day.weekday() > 4:
        return None
    return datetime.combine(day, CLOSES[market][-1], exchange_zone(market)).astimezone(UTC)


def session_days(market: str, first: date, last: date, cache: str | None = None) -> list[date]:
    """Return the days from first to last on which the exchange trades."""
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [day for day in days if is_session(market, day, cache)]


@lru_cache(8)
def _load_sessions(market: str, cache: str | None, _stamp: tuple[str, int] = ("", 0)) -> ExchangeSessions:
    local = exchange_zone(market)
    try:
        first, last, closes = kept_sessions.load_sessions(market, cache, lambda raw: _parse_sessions(local, raw))
    except (ImportError, ValueError, KeyError):  # the package is missing, or does not know the exchange
        first, last, closes = kept_sessions.FIRST, date(1990, 12, 31), {}
    more = trade_dates.announced_sessions(market)
    if more is not None and more.until > last.isoformat():
        for text in more.days:
            if (day := date.fromisoformat(text)) > last:
                closes[day] = datetime.combine(day, CLOSES[market][-1], local).astimezone(UTC)
        last = date.fromisoformat(more.until)
    return ExchangeSessions(first, last, closes)


def _parse_sessions(local: ZoneInfo, raw: Json) -> ExchangeSessions:
    """Return the sessions that a file holds; raises ValueError, KeyError or TypeError for a damaged one."""
    regular, other = raw["regular"], raw["other"]
    closes = {}
    for text in raw["days"]:
        day = date.fromisoformat(text)
        hour, minute = divmod(other.get(text, regular), 60)
        closes[day] = datetime.combine(day, time(hour, minute), local).astimezone(UTC)
    return ExchangeSessions(date.fromisoformat(raw["first"]), date.fromisoformat(raw["last"]), closes)
