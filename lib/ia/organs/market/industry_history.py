"""In which industry each security was, as told on each day."""

import sqlite3
from bisect import bisect_left
from collections.abc import Sequence

from ia.organs.market.screen_columns import INDUSTRY


def load_industries(db: sqlite3.Connection, source: int, dates: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Return the industries of a source's securities by symbol: those of the first date, and each time they changed.

    Each comes with the place of the first of the ascending dates that it holds for.
    """
    if not dates:
        return []
    changed = db.execute(
        "SELECT DISTINCT until FROM former WHERE source = ? AND until > ? AND until <= ? ORDER BY until",
        (source, dates[0], dates[-1]),
    )
    places = dict.fromkeys([0, *(bisect_left(dates, day) for (day,) in changed)])
    query = f"SELECT c.symbol, {INDUSTRY} FROM securities c WHERE c.source = :source"
    return [
        (place, {symbol: name for symbol, name in db.execute(query, {"source": source, "date": dates[place]}) if name})
        for place in places
    ]
