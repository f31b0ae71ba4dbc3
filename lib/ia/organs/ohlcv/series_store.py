"""The series of daily raw bars and corporate actions that were fetched one by one, in market.db (ia.organs.marketdb).

Nothing adjusted is stored. A series belongs to one adapter: simulated prices and real ones, or two sources' ideas of
the same day, never mix. `fresh_until` is worked out when a series is fetched, so that a cached read asks no calendar.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock, files, store
from ia.kernel.errors import TryLater
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars


class Series(NamedTuple):
    """What is known of a series. Times are UTC stamps, `first` and `last` dates of bars, `note` is the source's."""

    adapter: str
    symbol: str
    name: str
    host: str
    note: str
    simulated: bool
    fetched: str
    fresh_until: str
    first: str
    last: str


def find_series(db: sqlite3.Connection, adapter: str, symbol: str) -> Series | None:
    """Return what is known of a series, or None where nothing is stored."""
    row = db.execute(
        f"SELECT {', '.join(Series._fields)} FROM series WHERE adapter = ? AND symbol = ?",
        (adapter, symbol),
    ).fetchone()
    return Series._make(row)._replace(simulated=bool(row[5])) if row else None


def load_bars(db: sqlite3.Connection, series: Series, until: str) -> Bars:
    """Return the stored raw bars up to and with the date `until`."""
    rows = db.execute(
        "SELECT date, open, high, low, close, volume FROM bars"
        " WHERE adapter = ? AND symbol = ? AND date <= ? ORDER BY date",
        (series.adapter, series.symbol, until),
    ).fetchall()
    return Bars.from_rows(rows)


def load_actions(db: sqlite3.Connection, adapter: str, symbol: str, until: str = "9999") -> list[Action]:
    """Return the stored corporate actions of a symbol with an ex-date up to and with `until`, by date."""
    rows = db.execute(
        f"SELECT {', '.join(Action._fields)} FROM actions"
        " WHERE adapter = ? AND symbol = ? AND date <= ? ORDER BY date, rowid",
        (adapter, symbol, until),
    )
    return [Action._make(row) for row in rows]


def store_series(db: sqlite3.Connection, symbol: Symbol, series: Series, new: Bars, acts: list[Action]) -> None:
    """Store a series whole: bars and actions replace what was there. One transaction."""
    key = {"adapter": series.adapter, "symbol": series.symbol}
    columns = ("date", "open", "high", "low", "close", "volume")
    with store.transaction(db):
        if load_actions(db, series.adapter, series.symbol) != sorted(acts, key=lambda act: act.date):
            # The whole market shares the actions of the adapter: its mirror has to know (see ia.organs.market.mirror).
            log = "INSERT INTO written (source, kind, what) SELECT id, 'symbol', ? FROM sources WHERE name = ?"
            db.execute(log, (series.symbol, series.adapter))
        for table in ("bars", "actions", "series"):
            db.execute(f"DELETE FROM {table} WHERE adapter = ? AND symbol = ?", (series.adapter, series.symbol))
        store.insert_rows(
            db, "bars", ({**key, **dict(zip(columns, row, strict=True))} for row in zip(*new, strict=True))
        )
        if acts:
            store.insert_rows(db, "actions", ({**key, **act._asdict()} for act in acts))
        identity = {"code": symbol.code, "market": symbol.market, "kind": symbol.kind}
        store.insert_rows(db, "series", [{**series._asdict(), **identity, "simulated": int(series.simulated)}])


@contextlib.contextmanager
def hold_fetch_lock(ws: Workspace, adapter: str, symbol: str, timeout: float = 120.0) -> Iterator[None]:
    """Hold the right to fetch a series: of several processes that want it, one asks and the others use its answer."""
    folder = os.path.join(ws.root, ".ia", "cache", "fetching")
    os.makedirs(folder, exist_ok=True)
    name = "".join(c if c.isalnum() or c in ".-_" else "_" for c in f"{adapter}-{symbol}")
    busy = TryLater("another ia process is fetching {symbol}", symbol=symbol)
    with files.hold_lock(os.path.join(folder, name), wait=timeout, busy=busy):
        yield


def learned_symbols(db: sqlite3.Connection) -> list[Symbol]:
    """Return the symbols whose names sources have told, so that a name resolves without asking anybody."""
    rows = db.execute("SELECT DISTINCT code, market, symbol, kind, name FROM series WHERE name <> '' AND simulated = 0")
    return [Symbol(code, market, symbol.rpartition(".")[2], kind, name) for code, market, symbol, kind, name in rows]


def series_age(series: Series) -> str:
    """Return how old a stored series is, in words for stderr: `3 d 4 h`."""
    fetched = clock.parse_moment(series.fetched.replace("Z", "+00:00"))
    minutes = max(0, int((clock.wall_time() - fetched).total_seconds() // 60))
    days, hours = minutes // 1440, minutes % 1440 // 60
    return f"{days} d {hours} h" if days else f"{hours} h {minutes % 60} min"
