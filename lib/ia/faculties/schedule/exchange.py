"""Trading sessions of an exchange and when each of them closes, half days included.

exchange_calendars knows them; its import costs half a second, so what it said is kept in a file of the derived cache.
Beyond the days that it knows (mainland China announces its holidays a year ahead) the list counts that `ia sync`
fetched from a source, and past that every weekday: `unknown` says so.
"""

import os
import warnings
from collections import Counter
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ia.kernel import config, files
from ia.kernel.clock import UTC
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv import trade_dates

CODES = {"CN": "XSHG", "HK": "XHKG", "US": "XNYS"}
MARKETS = {**{name: name for name in CODES}, **{code: name for name, code in CODES.items()}, "XSHE": "CN", "XNAS": "US"}
"""What a calendar may be called -> the market."""
ZONES = {"CN": "Asia/Shanghai", "HK": "Asia/Hong_Kong", "US": "America/New_York"}
CLOSES = {"CN": (time(15),), "HK": (time(12), time(16)), "US": (time(13), time(16))}
"""When sessions close in the exchange's own time: early and regular."""
HOME = "CN"
"""The exchange whose close is meant where a design names no calendar."""
WORKDAYS = frozenset(range(1, 6))
"""The weekdays on which exchanges trade, 0 for Sunday."""
FIRST, LAST = date(1991, 1, 1), date(2049, 12, 31)


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

    cache   the folder that keeps what the package said, here and below; default that of the workspace, if there is one.
    """
    return _load_sessions(market, cache or _cache_folder(), trade_dates.file_stamp()).last


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
    known = _load_sessions(market, cache or _cache_folder(), trade_dates.file_stamp())
    if known.first <= day <= known.last:
        return known.closes.get(day)
    if day.weekday() > 4:
        return None
    return datetime.combine(day, CLOSES[market][-1], exchange_zone(market)).astimezone(UTC)


def session_days(market: str, first: date, last: date, cache: str | None = None) -> list[date]:
    """Return the days from first to last on which the exchange trades."""
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [day for day in days if is_session(market, day, cache)]


def _cache_folder() -> str | None:
    own = os.path.join(config.home(), ".ia")
    return os.path.join(own, "cache") if os.path.isdir(own) else None


@lru_cache(8)
def _load_sessions(market: str, cache: str | None, _stamp: tuple[str, int] = ("", 0)) -> ExchangeSessions:
    place = os.path.join(cache or "", f"sessions-{CODES[market]}.json")
    local = exchange_zone(market)
    try:
        first, last, closes = files.load_cached(
            place,
            _package_version() if cache else None,
            lambda: _query_package(market),
            lambda raw: _parse_sessions(local, raw),
        )
    except (ImportError, ValueError, KeyError):  # the package is missing, or does not know the exchange
        first, last, closes = FIRST, date(1990, 12, 31), {}
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


def _package_version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # as slow as all the rest here

    try:
        return version("exchange_calendars")
    except PackageNotFoundError:
        return ""


def _query_package(market: str) -> Json:
    """Return what the package knows: its days, the regular close in minutes of the day, and the closes that differ."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import exchange_calendars

        bound = exchange_calendars.get_calendar(CODES[market]).bound_max()
        last = min(LAST, bound.date()) if bound is not None else LAST
        calendar = exchange_calendars.get_calendar(CODES[market], start=str(FIRST), end=str(last))
        local = calendar.closes.dt.tz_convert(ZONES[market])
        minutes = (local.dt.hour * 60 + local.dt.minute).tolist()
        days = [str(day)[:10] for day in calendar.sessions]
    regular = Counter(minutes).most_common(1)[0][0]
    other = {day: minute for day, minute in zip(days, minutes, strict=True) if minute != regular}
    return {"first": str(FIRST), "last": str(last), "regular": regular, "days": days, "other": other}
