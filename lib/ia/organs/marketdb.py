"""market.db: prices of securities and of the whole market in `.ia/cache`, as rows that any SQLite tool can read.

Two rooms keep rows in it, and this one owns it: its tables, its migrations, and what both of them read.
`ia.organs.ohlcv` keeps the series that it fetches in `bars`, `actions` and `series`; `ia.organs.market` keeps what
`ia sync` brings.
"""

import os
import sqlite3
from typing import Any, NamedTuple

from ia.kernel import store
from ia.kernel.errors import IaError, Message, Notify
from ia.kernel.workspace import Workspace

CLOSED = "T07:00"
"""Time from which a snapshot of the whole market has the bars of its day, in UTC: 15:00 in Shanghai."""


class SyncedHistory(NamedTuple):
    """What `ia sync` stored of a symbol's history. Dates are YYYY-MM-DD, "" where there is none.

    source     the id of the adapter's rows in market.db
    host       host of the last day that counts; "" if the days tell none
    note       what the source says of its bars
    fetched    when that day, or else the history, was fetched: a UTC stamp
    listed     day of listing, if the source tells it
    covered    session up to which the history is complete
    """

    source: int
    simulated: bool
    name: str
    host: str
    note: str
    fetched: str
    listed: str | None
    first: str
    last: str
    covered: str


def _create_series_tables(db: sqlite3.Connection) -> None:
    """Bars, actions, and what is known of each series."""
    for statement in (
        "CREATE TABLE bars (adapter TEXT NOT NULL, symbol TEXT NOT NULL, date TEXT NOT NULL, open REAL NOT NULL,"
        " high REAL NOT NULL, low REAL NOT NULL, close REAL NOT NULL, volume INTEGER NOT NULL,"
        " PRIMARY KEY (adapter, symbol, date)) WITHOUT ROWID",
        "CREATE TABLE actions (adapter TEXT, symbol TEXT, date TEXT, cash REAL, bonus REAL, rights REAL,"
        " rights_price REAL, split REAL, factor REAL)",
        "CREATE INDEX idx_actions_adapter_symbol ON actions (adapter, symbol)",
        "CREATE TABLE series (adapter TEXT, symbol TEXT, code TEXT, market TEXT, kind TEXT, name TEXT, host TEXT,"
        " note TEXT, simulated INTEGER, fetched TEXT, fresh_until TEXT, first TEXT, last TEXT,"
        " PRIMARY KEY (adapter, symbol))",
    ):
        db.execute(statement)


def _create_market_tables(db: sqlite3.Connection) -> None:
    """The whole market by day, what else sources tell of it, and what is left to fetch: see ia.organs.market.store.

    Bars and snapshots have the date first in their keys: a day is appended at one place, not at 5,500.
    """
    db.execute("CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL, simulated INTEGER)")
    db.execute("CREATE UNIQUE INDEX idx_sources_name ON sources (name)")
    for table in (
        "daily (source INTEGER NOT NULL, date TEXT NOT NULL, symbol TEXT NOT NULL, open REAL NOT NULL,"
        " high REAL NOT NULL, low REAL NOT NULL, close REAL NOT NULL, volume INTEGER NOT NULL, amount REAL,"
        " PRIMARY KEY (source, date, symbol))",
        "snapshots (source INTEGER NOT NULL, date TEXT NOT NULL, symbol TEXT NOT NULL, time TEXT, name TEXT,"
        " price REAL, prev_close REAL, change REAL, change_pct REAL, open REAL, high REAL, low REAL, volume INTEGER,"
        " amount REAL, amplitude_pct REAL, turnover_pct REAL, volume_ratio REAL, pe REAL, pe_ttm REAL, pb REAL,"
        " roe_pct REAL, market_cap REAL, float_cap REAL, change_60d_pct REAL, change_ytd_pct REAL,"
        " PRIMARY KEY (source, date, symbol))",
        "days (source INTEGER NOT NULL, date TEXT NOT NULL, host TEXT, time TEXT, rows INTEGER,"
        " whole INTEGER NOT NULL, digest TEXT, PRIMARY KEY (source, date))",
        "securities (source INTEGER NOT NULL, symbol TEXT NOT NULL, code TEXT NOT NULL, name TEXT, kind TEXT,"
        " listed TEXT, industry TEXT, concepts TEXT, first TEXT, complete INTEGER NOT NULL DEFAULT 0,"
        " PRIMARY KEY (source, symbol))",
        # The date of the last bar: what changes each day in every row has narrow ones.
        "latest (source INTEGER NOT NULL, symbol TEXT NOT NULL, date TEXT NOT NULL, PRIMARY KEY (source, symbol))",
        "todo (source INTEGER NOT NULL, symbol TEXT NOT NULL, why TEXT NOT NULL, since TEXT, tries INTEGER NOT NULL"
        " DEFAULT 0, error TEXT, PRIMARY KEY (source, symbol))",
        "fundamentals (source INTEGER NOT NULL, symbol TEXT NOT NULL, period TEXT NOT NULL, published TEXT,"
        " host TEXT, eps REAL, bvps REAL, roe_pct REAL, revenue REAL, revenue_yoy_pct REAL, profit REAL,"
        " profit_yoy_pct REAL, gross_margin_pct REAL, net_margin_pct REAL, debt_ratio_pct REAL, cash_flow_ps REAL,"
        " PRIMARY KEY (source, symbol, period))",
        "boards (source INTEGER NOT NULL, kind TEXT NOT NULL, date TEXT NOT NULL, board TEXT NOT NULL, name TEXT,"
        " change_pct REAL, turnover_pct REAL, market_cap REAL, up INTEGER, down INTEGER, leader TEXT,"
        " leader_pct REAL, PRIMARY KEY (source, kind, date, board))",
        "members (source INTEGER NOT NULL, kind TEXT NOT NULL, board TEXT NOT NULL, symbol TEXT NOT NULL, seen TEXT,"
        " gone TEXT, PRIMARY KEY (source, kind, board, symbol))",
        "northbound (source INTEGER NOT NULL, date TEXT NOT NULL, channel TEXT NOT NULL, net REAL, buy REAL,"
        " sell REAL, turnover REAL, deals INTEGER, quota_left REAL, holdings REAL, leader TEXT, leader_pct REAL,"
        " PRIMARY KEY (source, date, channel))",
        "lhb (source INTEGER NOT NULL, date TEXT NOT NULL, symbol TEXT NOT NULL, reason TEXT NOT NULL, name TEXT,"
        " close REAL, change_pct REAL, net REAL, buy REAL, sell REAL, turnover REAL, market_amount REAL,"
        " turnover_pct REAL, float_cap REAL, comment TEXT, PRIMARY KEY (source, date, symbol, reason))",
        "jobs (source INTEGER NOT NULL, job TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, time TEXT,"
        " told TEXT, PRIMARY KEY (source, job, key))",
    ):
        db.execute(f"CREATE TABLE {table} WITHOUT ROWID")
    db.execute("CREATE TABLE written (version INTEGER PRIMARY KEY, source INTEGER, kind TEXT, what TEXT)")
    db.execute("CREATE INDEX idx_actions_adapter_date ON actions (adapter, date)")
    # Which database this is: what was derived from another one under the same path is not taken for its mirror.
    db.execute(f"PRAGMA application_id = {int.from_bytes(os.urandom(4), 'big') >> 1}")
    # What ANALYZE would find when the tables are full. With it SQLite answers `WHERE symbol = ?` with one seek a day
    # (20 ms instead of a second); it holds well enough for any size, and so nobody has to keep it.
    db.execute("ANALYZE sqlite_schema")
    for table, index, counts in (
        ("daily", "daily", "10000000 10000000 5000 1"),
        ("snapshots", "snapshots", "1000000 1000000 5000 1"),
        ("securities", "securities", "5000 5000 1"),
        ("latest", "latest", "5000 5000 1"),
        ("days", "days", "2500 2500 1"),
        ("actions", "idx_actions_adapter_symbol", "100000 100000 20"),
        ("actions", "idx_actions_adapter_date", "100000 100000 20"),
    ):
        db.execute("INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", (table, index, counts))
    db.execute("ANALYZE sqlite_schema")


def _create_former_table(db: sqlite3.Connection) -> None:
    """What was told of a security before the day `until`: so a past day is read as it was seen then."""
    db.execute(
        "CREATE TABLE former (source INTEGER NOT NULL, symbol TEXT NOT NULL, until TEXT NOT NULL, listed TEXT,"
        " industry TEXT, concepts TEXT, PRIMARY KEY (source, symbol, until)) WITHOUT ROWID"
    )
    db.execute("CREATE INDEX idx_former_until ON former (until)")


def _create_news_tables(db: sqlite3.Connection) -> None:
    """News and dates of companies; each row with the moment, or the day, from which on it was known."""
    for table in (
        "news (source TEXT NOT NULL, symbol TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, time TEXT NOT NULL,"
        " known TEXT NOT NULL, title TEXT NOT NULL, publisher TEXT, link TEXT, category TEXT, simulated INTEGER NOT"
        " NULL, fetched TEXT NOT NULL, PRIMARY KEY (source, symbol, id))",
        "events (source INTEGER NOT NULL, symbol TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, known TEXT NOT"
        " NULL, date TEXT NOT NULL, told INTEGER NOT NULL, gone TEXT, period TEXT, cash REAL, bonus REAL, shares REAL,"
        " share_pct REAL, label TEXT, PRIMARY KEY (source, symbol, kind, key, known))",
        "asked (what TEXT NOT NULL, source TEXT NOT NULL, symbol TEXT NOT NULL, time TEXT NOT NULL,"
        " PRIMARY KEY (what, source, symbol))",
    ):
        db.execute(f"CREATE TABLE {table} WITHOUT ROWID")


def _create_rates_table(db: sqlite3.Connection) -> None:
    """Exchange rates: yuan for one unit of a currency on a day; `host` is who published them."""
    db.execute(
        "CREATE TABLE rates (source INTEGER NOT NULL, currency TEXT NOT NULL, date TEXT NOT NULL, yuan REAL NOT NULL,"
        " host TEXT NOT NULL, PRIMARY KEY (source, currency, date)) WITHOUT ROWID"
    )


SCHEMA = store.Schema(
    "cache/market.db",
    False,
    (
        _create_series_tables,
        _create_market_tables,
        _create_former_table,
        _create_news_tables,
        _create_rates_table,
    ),
    dear=True,
    page=16384,
    cure="`ia sync` renames the damaged file and starts a new one",
)


def is_stored(ws: Workspace) -> bool:
    """Return True if the workspace has a market.db: one look at the disk, for readers that make none."""
    return os.path.exists(os.path.join(ws.root, ".ia", SCHEMA.file))


def connect(ws: Workspace, notify: Notify | None = None) -> sqlite3.Connection:
    """Open market.db of a workspace. With `notify` a damaged one is put aside, told of, and begun anew.

    raises  store.Damaged without it; as store.connect
    """
    try:
        return store.connect(ws.root, SCHEMA)
    except store.Damaged as exc:
        if notify is None:
            raise
        set_aside_damaged(ws, exc, notify)
    return store.connect(ws.root, SCHEMA)


def set_aside_damaged(ws: Workspace, damage: IaError, notify: Notify) -> None:
    """Give a damaged market.db another name, and tell of it: what it held is to be fetched again."""
    if aside := store.set_aside_database(ws.root, SCHEMA):
        template = "{reason}; ia renamed it to {file} and starts a new market.db; fetch its data again with `ia sync`"
        notify(Message(template, reason=damage, file=os.path.basename(aside)))


def read_synced(db: sqlite3.Connection, adapter: str, symbol: str, until: str) -> SyncedHistory | None:
    """Return what `ia sync` stored of a symbol's history, as seen on the date `until`.

    None where the history was never fetched whole, or something of it is still to be fetched (`todo`).
    """
    row = db.execute(
        "SELECT n.id, n.simulated, s.name, s.listed, s.first, l.date, j.told, j.time FROM sources n JOIN securities s"
        " ON s.source = n.id AND s.symbol = ? AND s.complete = 1"
        " LEFT JOIN latest l ON l.source = s.source AND l.symbol = s.symbol LEFT JOIN jobs j"
        " ON j.source = n.id AND j.job = 'history' AND j.key = s.symbol AND j.state = 'done' WHERE n.name = ?"
        " AND NOT EXISTS (SELECT 1 FROM todo t WHERE t.source = n.id AND t.symbol = s.symbol)",
        (symbol, adapter),
    ).fetchone()
    if row is None:
        return None
    import json

    source, simulated, name, listed, first, last, told, fetched = row
    day = db.execute(
        "SELECT date, host, time FROM days WHERE source = ? AND date <= ? AND whole = 1 AND rows > 0"
        " AND time >= date || ? ORDER BY date DESC LIMIT 1",
        (source, until, CLOSED),
    ).fetchone()
    date, host, time = day or ("", "", fetched)
    known = json.loads(told or "{}")
    return SyncedHistory(
        source=source,
        simulated=bool(simulated),
        name=name or "",
        host=host or "",
        note=known.get("note", ""),
        fetched=time or "",
        listed=listed,
        first=first,
        last=min(last, until),
        covered=max(date, min(known.get("through", ""), until)),
    )


def read_daily(db: sqlite3.Connection, source: int, symbol: str, until: str) -> list[Any]:
    """Return (date, open, high, low, close, volume, amount) of the bars that `ia sync` stored: a seek for each day."""
    return db.execute(
        "SELECT b.date, b.open, b.high, b.low, b.close, b.volume, b.amount FROM days d CROSS JOIN daily b"
        " ON b.source = d.source AND b.date = d.date AND b.symbol = ? WHERE d.source = ? AND d.date <= ?"
        " ORDER BY d.date",
        (symbol, source, until),
    ).fetchall()
