"""Sessions of exchanges as a file of the user's cache keeps them, for all workspaces.

exchange_calendars knows them, half days included; its import costs half a second, so what it said is kept. The file
holds good as long as that package is of the same version.
"""

import functools
import os
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, time
from typing import Any, NamedTuple, TypeVar

from ia.kernel import config, files
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv import trade_dates

T = TypeVar("T")
CODES = {"CN": "XSHG", "HK": "XHKG", "US": "XNYS"}
ZONES = {"CN": "Asia/Shanghai", "HK": "Asia/Hong_Kong", "US": "America/New_York"}
CLOSES = {"CN": (time(15),), "HK": (time(12), time(16)), "US": (time(13), time(16))}
"""When sessions close in the exchange's own time: early and regular."""
FIRST, LAST = date(1991, 1, 1), date(2049, 12, 31)
CN_ANNOUNCED = "12-17"
"""By this day of the year before, the State Council has published the mainland's holidays in every year so far."""
_PACKAGE = "exchange_calendars"
_LOADING = threading.Lock()


def announced_until(market: str, today: str) -> str:
    """Return the last day whose holidays are announced on a day: of the mainland, a year at a time.

    >>> announced_until("CN", "2024-03-15"), announced_until("CN", "2024-12-20"), announced_until("HK", "2024-03-15")
    ('2024-12-31', '2025-12-31', '9999-12-31')
    """
    if market != "CN":
        return "9999-12-31"
    return f"{int(today[:4]) + (today[5:] > CN_ANNOUNCED)}-12-31"


class SessionDays(NamedTuple):
    """The sessions of an exchange between `first` and `last`, YYYY-MM-DD; outside of them nothing is known.

    unplanned   days on which it was closed without a plan: typhoons, days of mourning
    early       half days, each with the minute of the day at which its session closes
    """

    first: str
    last: str
    days: frozenset[str]
    unplanned: frozenset[str]
    early: Mapping[str, int] = {}

    def is_session(self, day: str) -> bool:
        """Return True if the exchange trades on a day; of unknown days every weekday counts."""
        if self.first <= day <= self.last:
            return day in self.days
        return date.fromisoformat(day).weekday() < 5


def load_session_days(market: str) -> SessionDays:
    """Return the sessions of a market, those that a source announced behind those that the package knows."""
    with _LOADING:  # one thread asks the package, the others wait
        return _load_session_days(market, cache_folder(), trade_dates.file_stamp())


@functools.lru_cache(8)
def _load_session_days(market: str, cache: str, _stamp: tuple[str, int]) -> SessionDays:
    try:
        known = load_sessions(market, cache, _parse_days)
    except (ImportError, ValueError, KeyError):  # the package is missing, or does not know the exchange
        known = None
    more = trade_dates.announced_sessions(market)
    if more is None or (known is not None and more.until <= known.last):
        return known or SessionDays(first="9999", last="", days=frozenset(), unplanned=frozenset())
    if known is None:
        return SessionDays(first=min(more.days), last=more.until, days=more.days, unplanned=frozenset())
    return known._replace(last=more.until, days=known.days | {day for day in more.days if day > known.last})


def _parse_days(raw: Json) -> SessionDays:
    return SessionDays(
        first=raw["first"],
        last=raw["last"],
        days=frozenset(raw["days"]),
        unplanned=frozenset(raw["unplanned"]),
        early={day: minute for day, minute in raw["other"].items() if minute < raw["regular"]},
    )


def load_sessions(market: str, cache: str | None, read: Callable[[Json], T]) -> T:
    """Return what `read` takes from the sessions of a market: from the kept file, else from the package.

    Args:
        market: CN, HK or US.
        cache: the folder that keeps them; None: nothing is kept.
        read: raises ValueError, LookupError or TypeError for a damaged file.

    Raises:
        ImportError, ValueError, KeyError: the package is missing, or does not know the exchange.
    """
    place = os.path.join(cache or "", f"sessions-{CODES[market]}.json")
    return files.load_cached(place, package_version() if cache else None, lambda: _query_package(market), read)


def cache_folder() -> str:
    """Return the folder that keeps sessions for all workspaces of this user."""
    return os.path.join(config.user_cache(), "sessions")


def package_version() -> str:
    """Return the installed version of the package, "" where it is missing.

    It is read from the name of the folder beside the package: importlib.metadata is as slow as all the rest here.
    """
    for folder in sys.path:
        if os.path.isdir(os.path.join(folder, _PACKAGE)):
            for name in os.listdir(folder or "."):
                if name.startswith(f"{_PACKAGE}-") and name.endswith(".dist-info"):
                    return name[len(_PACKAGE) + 1 : -len(".dist-info")]
            break
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        return ""


def _query_package(market: str) -> Json:
    """Return what the package knows: its days, the regular close in minutes of the day, and the closes that differ."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import exchange_calendars  # noqa: F401  (what is remembered does not hide that the package is missing)

        return _build_calendar(market)


@functools.cache
def _build_calendar(market: str) -> Json:
    """Return what _query_package() does; a process that serves several workspaces builds each calendar once."""
    import exchange_calendars

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bound = exchange_calendars.get_calendar(CODES[market]).bound_max()
        last = min(LAST, bound.date()) if bound is not None else LAST
        calendar = exchange_calendars.get_calendar(CODES[market], start=str(FIRST), end=str(last))
        local = calendar.closes.dt.tz_convert(ZONES[market])
        minutes = (local.dt.hour * 60 + local.dt.minute).tolist()
        days = [str(day)[:10] for day in calendar.sessions]
    regular = Counter(minutes).most_common(1)[0][0]
    other = {day: minute for day, minute in zip(days, minutes, strict=True) if minute != regular}
    return {
        "first": str(FIRST),
        "last": str(last),
        "regular": regular,
        "days": days,
        "other": other,
        "unplanned": _list_unplanned(market, calendar),
    }


def _list_unplanned(market: str, calendar: Any) -> list[str]:
    """Return the days on which Hong Kong or New York was closed without a plan."""
    if market == "CN":
        return []
    if market == "HK":
        days = getattr(sys.modules[type(calendar).__module__], "HKAdhocClosures", ())
    else:
        days = calendar.adhoc_holidays
    return sorted({str(day)[:10] for day in days})
