"""Daily raw bars and corporate actions in `.ia/cache/market.db`: plain rows that any SQLite tool can read.

Nothing adjusted is stored. A series belongs to one adapter: simulated prices and real ones, or two sources' ideas of
the same day, never mix. `fresh_until` is worked out when a series is fetched, so that a cached read asks no calendar.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from ia import clock, lock, store
from ia.errors import IaError, Message, Notify, TryLater
from ia.instruments.symbols import Symbol
from ia.ohlcv.adjust import Action
from ia.ohlcv.canonical import Bars
from ia.workspace import Workspace

CLOSED = "T07:00"
"""From when on a snapshot of the whole market has the bars of its day, in UTC: 15:00 in Shanghai."""


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


def _tables(db: sqlite3.Connection) -> None:
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


def _whole(db: sqlite3.Connection) -> None:
    """The whole market by day, what else sources tell of it, and what is left to fetch: see ia.market.store.

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


def _former(db: sqlite3.Connection) -> None:
    """What was told of a security before the day `until`: so a past day is read as it was seen then."""
    db.execute(
        "CREATE TABLE former (source INTEGER NOT NULL, symbol TEXT NOT NULL, until TEXT NOT NULL, listed TEXT,"
        " industry TEXT, concepts TEXT, PRIMARY KEY (source, symbol, until)) WITHOUT ROWID"
    )
    db.execute("CREATE INDEX idx_former_until ON former (until)")


MARKET = store.Schema(
    "cache/market.db",
    False,
    (_tables, _whole, _former),
    dear=True,
    page=16384,
    cure="`ia sync` keeps the file under another name and begins anew",
)


def connect(ws: Workspace, notify: Notify | None = None) -> sqlite3.Connection:
    """Open market.db of a workspace. With `notify` a damaged one is put aside, told of, and begun anew.

    raises  store.Damaged without it; as store.connect
    """
    try:
        return store.connect(ws.root, MARKET)
    except store.Damaged as exc:
        if notify is None:
            raise
        put_aside(ws, exc, notify)
    return store.connect(ws.root, MARKET)


def put_aside(ws: Workspace, damage: IaError, notify: Notify) -> None:
    """Give a damaged market.db another name, and tell of it: what it held is to be fetched again."""
    if aside := store.put_aside(ws.root, MARKET):
        template = "{reason}; it is kept as {file}, and market.db begins anew: what it held is to be fetched again"
        notify(Message(template, reason=damage, file=os.path.basename(aside)))


def find(db: sqlite3.Connection, adapter: str, symbol: str) -> Series | None:
    """Return what is known of a series, or None where nothing is stored."""
    row = db.execute(
        "SELECT adapter, symbol, name, host, note, simulated, fetched, fresh_until, first, last FROM series"
        " WHERE adapter = ? AND symbol = ?",
        (adapter, symbol),
    ).fetchone()
    return Series(*row)._replace(simulated=bool(row[5])) if row else None


def bars(db: sqlite3.Connection, series: Series, until: str) -> Bars:
    """Return the stored raw bars up to and with the date `until`."""
    rows = db.execute(
        "SELECT date, open, high, low, close, volume FROM bars"
        " WHERE adapter = ? AND symbol = ? AND date <= ? ORDER BY date",
        (series.adapter, series.symbol, until),
    ).fetchall()
    return Bars.of(rows)


def actions(db: sqlite3.Connection, adapter: str, symbol: str, until: str = "9999") -> list[Action]:
    """Return the stored corporate actions of a symbol with an ex-date up to and with `until`, by date."""
    rows = db.execute(
        f"SELECT {', '.join(Action._fields)} FROM actions"
        " WHERE adapter = ? AND symbol = ? AND date <= ? ORDER BY date, rowid",
        (adapter, symbol, until),
    )
    return [Action(*row) for row in rows]


def synced(db: sqlite3.Connection, adapter: str, symbol: Symbol, until: str) -> tuple[Series, str] | None:
    """Return what `ia sync` has stored of a symbol's history as a series, and up to which session it is complete.

    None where the history was never fetched whole, or something of it is still to be fetched (`todo`). `host` tells of
    the sync too. The second is a date up to `until`, "" where no session is covered.
    """
    row = db.execute(
        "SELECT n.id, n.simulated, s.name, s.first, l.date, j.told, j.time FROM sources n JOIN securities s"
        " ON s.source = n.id AND s.symbol = ? AND s.complete = 1"
        " LEFT JOIN latest l ON l.source = s.source AND l.symbol = s.symbol LEFT JOIN jobs j"
        " ON j.source = n.id AND j.job = 'history' AND j.key = s.symbol AND j.state = 'done' WHERE n.name = ?"
        " AND NOT EXISTS (SELECT 1 FROM todo t WHERE t.source = n.id AND t.symbol = s.symbol)",
        (symbol.canonical, adapter),
    ).fetchone()
    if row is None:
        return None
    number, simulated, name, first, last, told, fetched = row
    day = db.execute(
        "SELECT date, host, time FROM days WHERE source = ? AND date <= ? AND whole = 1 AND rows > 0"
        " AND time >= date || ? ORDER BY date DESC LIMIT 1",
        (number, until, CLOSED),
    ).fetchone()
    date, host, time = day or ("", "", fetched)
    known = json.loads(told or "{}")
    covered = max(date, min(known.get("through", ""), until))
    series = Series(
        adapter, symbol.canonical, symbol.name or name or "", f"{host or adapter} (ia sync {covered})",
        known.get("note", ""), bool(simulated), time or "", "", first, min(last, until),
    )  # fmt: skip
    return series, covered


def synced_bars(db: sqlite3.Connection, adapter: str, symbol: str, until: str) -> Bars:
    """Return the raw bars that `ia sync` stored of a symbol up to `until`: a seek for each day."""
    rows = db.execute(
        "SELECT b.date, b.open, b.high, b.low, b.close, b.volume FROM sources n JOIN days d ON d.source = n.id"
        " CROSS JOIN daily b ON b.source = d.source AND b.date = d.date AND b.symbol = ?"
        " WHERE n.name = ? AND d.date <= ? ORDER BY d.date",
        (symbol, adapter, until),
    ).fetchall()
    return Bars.of(rows)


def listed(db: sqlite3.Connection, adapter: str, symbol: str) -> str | None:
    """Return the day on which a source says that a symbol was listed, YYYY-MM-DD."""
    row = db.execute(
        "SELECT s.listed FROM sources n JOIN securities s ON s.source = n.id AND s.symbol = ? WHERE n.name = ?",
        (symbol, adapter),
    ).fetchone()
    return row[0] if row else None


def put(db: sqlite3.Connection, symbol: Symbol, series: Series, new: Bars, acts: list[Action]) -> None:
    """Store a series whole: bars and actions replace what was there. One transaction, bulk through sqlite-utils."""
    key = {"adapter": series.adapter, "symbol": series.symbol}
    columns = ("date", "open", "high", "low", "close", "volume")
    with store.transaction(db):
        if actions(db, series.adapter, series.symbol) != sorted(acts, key=lambda act: act.date):
            # The whole market shares the actions of the adapter: its mirror has to know (see ia.market.mirror).
            log = "INSERT INTO written (source, kind, what) SELECT id, 'symbol', ? FROM sources WHERE name = ?"
            db.execute(log, (series.symbol, series.adapter))
        for table in ("bars", "actions", "series"):
            db.execute(f"DELETE FROM {table} WHERE adapter = ? AND symbol = ?", (series.adapter, series.symbol))
        store.bulk(db, "bars", ({**key, **dict(zip(columns, row, strict=True))} for row in zip(*new, strict=True)))
        if acts:
            store.bulk(db, "actions", ({**key, **act._asdict()} for act in acts))
        identity = {"code": symbol.code, "market": symbol.market, "kind": symbol.kind}
        store.bulk(db, "series", [{**series._asdict(), **identity, "simulated": int(series.simulated)}])


@contextlib.contextmanager
def fetching(ws: Workspace, adapter: str, symbol: str, timeout: float = 120.0) -> Iterator[None]:
    """Hold the right to fetch a series: of several processes that want it, one asks and the others use its answer."""
    folder = os.path.join(ws.root, ".ia", "cache", "fetching")
    os.makedirs(folder, exist_ok=True)
    name = "".join(c if c.isalnum() or c in ".-_" else "_" for c in f"{adapter}-{symbol}")
    busy = TryLater("{symbol} is being fetched by another ia", symbol=symbol)
    fd = lock.acquire(os.path.join(folder, name), timeout, busy)
    try:
        yield
    finally:
        os.close(fd)


def names(db: sqlite3.Connection) -> list[Symbol]:
    """Return the symbols whose names sources have told, so that a name resolves without asking anybody."""
    rows = db.execute("SELECT DISTINCT code, market, symbol, kind, name FROM series WHERE name <> '' AND simulated = 0")
    return [Symbol(code, market, symbol.rpartition(".")[2], kind, name) for code, market, symbol, kind, name in rows]


def age(series: Series) -> str:
    """Return how old a stored series is, in words for stderr: `3 d 4 h`."""
    fetched = clock.parse(series.fetched.replace("Z", "+00:00"))
    minutes = max(0, int((clock.wall() - fetched).total_seconds() // 60))
    days, hours = minutes // 1440, minutes % 1440 // 60
    return f"{days} d {hours} h" if days else f"{hours} h {minutes % 60} min"
