"""The mainland's trading days that a source announced: past the last day that exchange_calendars knows.

`ia sync` fetches them when the end comes near, and keeps them in the derived cache. They only add days: where the
package knows a day, the package counts.
"""

import contextlib
import json
import os
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from ia.kernel import config, files
from ia.kernel.errors import BadData

FILE = os.path.join("cache", "trade-dates-CN.json")
SOON = timedelta(days=30)
"""How long before the last known day a source is asked."""
YEAR_ENDS = (12, 24)
"""Month and day from which on the last session of a list ends its year."""


class Announced(NamedTuple):
    """Sessions of the mainland, YYYY-MM-DD, and the last day of which it is known whether it is one."""

    days: frozenset[str]
    until: str


def announced_sessions(market: str) -> Announced | None:
    """Return what a source announced for a market; None where nothing is kept."""
    return _read_announced(*file_stamp()) if market == "CN" else None


def file_stamp() -> tuple[str, int]:
    """Return the path of the file and when it was written, 0 where it is not there: what the answer depends on."""
    path = os.path.join(config.home(), ".ia", FILE)
    try:
        return path, os.stat(path).st_mtime_ns
    except OSError:
        return path, 0


@lru_cache(4)
def _read_announced(path: str, written: int) -> Announced | None:
    if not written:
        return None
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError), open(path, encoding="ascii") as file:
        days = json.load(file)["days"]
        return Announced(frozenset(days), last_known_day(days))
    return None


def keep_sessions(home: str, days: list[str]) -> str:
    """Keep the sessions that a source announced, and return until when they are known.

    raises  BadData for a list that is none: too short, or with a day on a weekend.
    """
    days = sorted(set(days))
    if len(days) < 200 or any(date.fromisoformat(day).weekday() > 4 for day in days):
        raise BadData("implausible list of trading days: {count} days", count=len(days))
    folder = files.make_private_folder(home, "cache")
    path = os.path.join(folder, os.path.basename(FILE))
    files.replace_file(path, json.dumps({"days": days[-800:]}), durable=False)  # the package knows what lies before
    return last_known_day(days)


def last_known_day(days: list[str]) -> str:
    """Return the last day that a list of sessions tells of: it goes to the end of an announced year."""
    last = date.fromisoformat(max(days))
    return (date(last.year, 12, 31) if (last.month, last.day) >= YEAR_ENDS else last).isoformat()
