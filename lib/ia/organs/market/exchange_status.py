"""What decides the price limits of a security beside its board: since when it is listed, on which days it was ST.

Special treatment stands in the names of a day's snapshot alone. Of days without a snapshot it is not known.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from ia.organs.market.screen_columns import ST

_FEW = 50
"""So many securities are sought day by day; of more the names of all are read."""


class ExchangeStatus(NamedTuple):
    """What is stored of some securities.

    told     days of which the names are stored
    listed   the first day of trading, by symbol. st: the days under special treatment, by symbol
    """

    told: frozenset[str]
    listed: dict[str, str]
    st: dict[str, frozenset[str]]


NOTHING_STORED = ExchangeStatus(frozenset(), {}, {})


def load_exchange_status(db: sqlite3.Connection, adapter: str, symbols: Sequence[str], until: str) -> ExchangeStatus:
    """Return what is stored of securities by an adapter, up to a day."""
    row = db.execute("SELECT id FROM sources WHERE name = ?", (adapter,)).fetchone()
    if row is None:
        return NOTHING_STORED
    told = [
        day
        for (day,) in db.execute("SELECT date FROM days WHERE source = ? AND whole = 1 AND date <= ?", (row[0], until))
    ]
    names = json.dumps(list(symbols))
    listed = db.execute(
        "SELECT symbol, listed FROM securities WHERE source = ? AND listed IS NOT NULL"
        " AND symbol IN (SELECT value FROM json_each(?))",
        (row[0], names),
    )
    if len(symbols) <= _FEW:
        found = db.execute(
            "SELECT s.symbol, s.date FROM json_each(?2) d CROSS JOIN json_each(?3) n CROSS JOIN snapshots s"
            f" ON s.source = ?1 AND s.date = d.value AND s.symbol = n.value WHERE {ST}",
            (row[0], json.dumps(told), names),
        )
    else:
        found = db.execute(f"SELECT s.symbol, s.date FROM snapshots s WHERE s.source = ? AND {ST}", (row[0],))
    days: dict[str, set[str]] = {}
    for symbol, day in found:
        days.setdefault(symbol, set()).add(day)
    return ExchangeStatus(
        told=frozenset(told), listed=dict(listed), st={name: frozenset(each) for name, each in days.items()}
    )
