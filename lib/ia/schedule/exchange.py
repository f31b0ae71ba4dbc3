"""Trading sessions of an exchange and when each of them closes, half days included.

exchange_calendars knows them; its import costs half a second, so what it said is kept in a file of the derived cache.
Beyond the days that it knows (mainland China announces its holidays a year ahead) the list counts that `ia sync`
fetched from a source, and past that every weekday: `unknown` says so.
"""

import contextlib
import json
import os
import warnings
from collections import Counter
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from ia import config, files
from ia.clock import UTC
from ia.errors import Message
from ia.ohlcv import trade_dates

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


class Sessions(NamedTuple):
    """An exchange's days: `closes` has each session between first and last -> its close, UTC."""

    first: date
    last: date
    closes: dict[date, datetime]


def zone(market: str) -> ZoneInfo:
    """Return the time zone of a market: CN, HK, US."""
    return ZoneInfo(ZONES[market])


def known_until(market: str, cache: str | None = None) -> date:
    """Return the last day whose holidays are known.

    cache   the folder that keeps what the package said, here and below; default that of the workspace, if there is one.
    """
    return _sessions(market, cache or _folder(), trade_dates.stamp()).last


def unknown(calendar: str, day: date) -> Message | None:
    """Return the remark that a day lies past the last one whose holidays are known; None where it does not."""
    market = MARKETS.get(calendar)
    if market is None or day <= (known := known_until(market)):
        return None
    return Message(
        "the trading days of {market} are not known past {day}: every weekday counts as one, holidays too",
        market=market, day=known.isoformat(),
    )  # fmt: skip


def is_session(market: str, day: date, cache: str | None = None) -> bool:
    """Whether the exchange trades on a day of its own calendar."""
    return close(market, day, cache) is not None


def close(market: str, day: date, cache: str | None = None) -> datetime | None:
    """Return when the session of a day closes, UTC; None where there is none."""
    known = _sessions(market, cache or _folder(), trade_dates.stamp())
    if known.first <= day <= known.last:
        return known.closes.get(day)
    if day.weekday() > 4:
        return None
    return datetime.combine(day, CLOSES[market][-1], zone(market)).astimezone(UTC)


def session_days(market: str, first: date, last: date, cache: str | None = None) -> list[date]:
    """Return the days from first to last on which the exchange trades."""
    days = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [day for day in days if is_session(market, day, cache)]


def _folder() -> str | None:
    own = os.path.join(config.home(), ".ia")
    return os.path.join(own, "cache") if os.path.isdir(own) else None


@lru_cache(8)
def _sessions(market: str, cache: str | None, _stamp: tuple[str, int] = ("", 0)) -> Sessions:
    place = os.path.join(cache, f"sessions-{CODES[market]}.json") if cache else None
    raw = _kept(place) if place else None
    if raw is None:
        raw = _asked(market)
        if place and raw["days"]:
            _keep(place, raw)
    local = zone(market)
    regular, other = raw["regular"], raw["other"]
    closes = {}
    for text in raw["days"]:
        day = date.fromisoformat(text)
        hour, minute = divmod(other.get(text, regular), 60)
        closes[day] = datetime.combine(day, time(hour, minute), local).astimezone(UTC)
    last = date.fromisoformat(raw["last"])
    more = trade_dates.announced(market)
    if more is not None and more.until > raw["last"]:
        for text in more.days:
            if (day := date.fromisoformat(text)) > last:
                closes[day] = datetime.combine(day, CLOSES[market][-1], local).astimezone(UTC)
        last = date.fromisoformat(more.until)
    return Sessions(date.fromisoformat(raw["first"]), last, closes)


def _kept(place: str) -> dict[str, Any] | None:
    """Return what was kept, if this version of the package said it."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError), open(place, encoding="utf-8") as file:
        raw = json.load(file)
        for text in (raw["first"], raw["last"], *raw["days"]):
            date.fromisoformat(text)
        if all(n in range(1440) for n in (raw["regular"], *raw["other"].values())) and raw["version"] == _version():
            return dict(raw)
    return None


def _keep(place: str, raw: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        files.make_own(place)
        temporary = f"{place}.{os.getpid()}"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(raw, file)
        os.replace(temporary, place)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # as slow as all the rest here

    try:
        return version("exchange_calendars")
    except PackageNotFoundError:
        return ""


def _asked(market: str) -> dict[str, Any]:
    """Return what the package knows: its days, the regular close in minutes of the day, and the closes that differ."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import exchange_calendars

            bound = exchange_calendars.get_calendar(CODES[market]).bound_max()
            last = min(LAST, bound.date()) if bound is not None else LAST
            calendar = exchange_calendars.get_calendar(CODES[market], start=str(FIRST), end=str(last))
            local = calendar.closes.dt.tz_convert(ZONES[market])
            minutes = (local.dt.hour * 60 + local.dt.minute).tolist()
            days = [str(day)[:10] for day in calendar.sessions]
        except (ImportError, ValueError, KeyError):
            return {"version": "", "first": str(FIRST), "last": "1990-12-31", "regular": 0, "days": [], "other": {}}
    regular = Counter(minutes).most_common(1)[0][0]
    other = {day: minute for day, minute in zip(days, minutes, strict=True) if minute != regular}
    return {
        "version": _version(), "first": str(FIRST), "last": str(last),
        "regular": regular, "days": days, "other": other,
    }  # fmt: skip
