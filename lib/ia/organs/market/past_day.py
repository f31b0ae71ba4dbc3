"""A past day of the market made from stored bars, where no snapshot of that day was ever taken.

Bars tell prices and what was traded. Names, valuations and special treatment of the day are unknown and stay empty.
"""

import sqlite3
from collections.abc import Sequence
from itertools import groupby

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.errors import BadData
from ia.organs.ohlcv.adjustment import Action, reference_price

_COLUMNS = (
    "source, date, symbol, time, name, price, prev_close, change, change_pct, open, high, low, volume, amount,"
    " amplitude_pct, turnover_pct, volume_ratio, pe, pe_ttm, pb, roe_pct, market_cap, float_cap, change_60d_pct,"
    " change_ytd_pct"
)
_FILLED = "source, date, symbol, price, prev_close, change, change_pct, open, high, low, volume, amount, amplitude_pct"
_LOOK_BACK = 250
"""Sessions in which the last close before a suspension is looked for; what rested longer has no change."""


def newest_past_day(db: sqlite3.Connection, source: int, after: str, until: str, on: str | None) -> str | None:
    """Return the newest day with bars later than `after` and up to `until`, or `on`; None where there is none."""
    row = db.execute(
        "SELECT max(date) FROM days WHERE source = ? AND whole = 0 AND rows > 0 AND date > ? AND date <= ?"
        " AND (?4 IS NULL OR date = ?4)",
        (source, after, until, on),
    ).fetchone()
    return row[0] if row else None


def load_past_day(db: sqlite3.Connection, source: int, adapter: str, day: str) -> int:
    """Let this connection read a day's bars as its snapshot, and return the number of securities.

    A temporary table of the name `snapshots` stands before the stored one for as long as the connection is open.
    """
    bars = db.execute(
        "SELECT symbol, open, high, low, close, volume, amount FROM daily WHERE source = ? AND date = ?", (source, day)
    ).fetchall()
    before = last_closes(db, source, day, {row[0] for row in bars})
    actions = actions_since(db, adapter, min((date for date, _ in before.values()), default=day), day)
    rows = []
    for symbol, *bar in bars:
        step = tick_size(symbol_of_kind(symbol)) or 0.01
        rows.append(
            (source, day, symbol, *_snapshot_values(bar, day, before.get(symbol), actions.get(symbol, []), step))
        )
    db.execute("DROP TABLE IF EXISTS temp.snapshots")
    db.execute(f"CREATE TEMP TABLE snapshots ({_COLUMNS}, PRIMARY KEY (source, date, symbol)) WITHOUT ROWID")
    db.executemany(f"INSERT INTO temp.snapshots ({_FILLED}) VALUES ({', '.join('?' * len(_FILLED.split(',')))})", rows)
    db.commit()
    return len(rows)


def last_closes(db: sqlite3.Connection, source: int, day: str, symbols: set[str]) -> dict[str, tuple[str, float]]:
    """Return (date, close) of each symbol's last bar before a day."""
    dates = db.execute(
        "SELECT date FROM days WHERE source = ? AND date < ? AND rows > 0 ORDER BY date DESC LIMIT ?",
        (source, day, _LOOK_BACK),
    )
    found: dict[str, tuple[str, float]] = {}
    for (date,) in dates.fetchall():
        if len(found) == len(symbols):
            break
        closes = db.execute("SELECT symbol, close FROM daily WHERE source = ? AND date = ?", (source, date))
        found |= {symbol: (date, close) for symbol, close in closes if symbol in symbols and symbol not in found}
    return found


def actions_since(db: sqlite3.Connection, adapter: str, since: str, until: str) -> dict[str, list[Action]]:
    """Return the corporate actions after one day up to another, by symbol and date."""
    cursor = db.execute(
        f"SELECT symbol, {', '.join(Action._fields)} FROM actions WHERE adapter = ? AND date > ? AND date <= ?"
        " ORDER BY symbol, date, rowid",
        (adapter, since, until),
    )
    return {
        symbol: [Action._make(row[1:]) for row in rows] for symbol, rows in groupby(cursor, lambda row: str(row[0]))
    }


def _snapshot_values(
    bar: Sequence[float | None], day: str, before: tuple[str, float] | None, actions: list[Action], step: float
) -> tuple[float | None, ...]:
    """Return the values of a snapshot from price to amplitude_pct; `bar`: open, high, low, close, volume, amount."""
    first, high, low, close, volume, amount = bar
    digits = len(f"{step:g}") - 2
    previous = _previous_close(before, day, actions, step, digits)
    change = change_pct = amplitude_pct = None
    if previous and close is not None and high is not None and low is not None:
        change = round(close - previous, digits)
        change_pct = round((close / previous - 1) * 100, 2)
        amplitude_pct = round((high - low) / previous * 100, 2)
    return (close, previous, change, change_pct, first, high, low, volume, amount, amplitude_pct)


def _previous_close(
    before: tuple[str, float] | None, day: str, actions: list[Action], step: float, digits: int
) -> float | None:
    """Return the close before a day, less what was paid out since; None where it is not known."""
    if before is None:
        return None
    date, close = before
    due = [action for action in actions if action.date > date]
    if not due:
        return close
    try:
        return round(reference_price(close, date, day, due, step), digits)
    except BadData:  # more was paid than a share was worth
        return None
