"""The whole market in market.db: a day is stored at one place, a symbol's history beside what is there.

Only rows that differ are written, in one transaction: storing the same thing twice writes nothing. What was changed is
logged in `written`, by which the mirror knows what of it is stale. Rows belong to a source, so that invented prices and
real ones never mix. Everything here is plain sqlite3: it runs each day on 5,500 rows.
"""

import contextlib
import sqlite3
import time as _time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ia import clock, config
from ia.errors import Message, NotFound, Notify, silent
from ia.market.quote import SNAPSHOT, Quote
from ia.ohlcv import cache
from ia.ohlcv.adjust import Action
from ia.ohlcv.canonical import Bars
from ia.ohlcv.identity import from_canonical
from ia.store import transaction
from ia.workspace import Workspace

BATCH = 250_000
"""Bars that put_histories holds in memory before it stores them."""
_SECURITY = ("name", "kind", "listed", "industry", "concepts")
_COUNT = len(SNAPSHOT)


class Source(NamedTuple):
    """A source of rows: its id in market.db, its adapter's name, and the latest day of it that may be seen."""

    id: int
    name: str
    simulated: bool
    day: str


class Stored(NamedTuple):
    """What a call wrote: rows in all tables, those of them that are bars, and how long it took."""

    changed: int
    bars: int
    seconds: float


class History(NamedTuple):
    """The raw daily bars of one symbol. `actions` None leaves the stored ones; `amount` goes with the bars if told."""

    symbol: str
    bars: Bars
    actions: list[Action] | None = None
    name: str | None = None
    kind: str | None = None
    amount: list[float | None] | None = None


# writing


def source_id(db: sqlite3.Connection, name: str, simulated: bool) -> int:
    """Return the id of an adapter's rows, given out at the first call."""
    row = db.execute("SELECT id FROM sources WHERE name = ?", (name,)).fetchone()
    if row is None:
        db.execute("INSERT OR IGNORE INTO sources (name, simulated) VALUES (?, ?)", (name, int(simulated)))
        row = db.execute("SELECT id FROM sources WHERE name = ?", (name,)).fetchone()
    return int(row[0])


def put_day(
    db: sqlite3.Connection,
    source: int,
    date: str,
    quotes: Iterable[Quote],
    *,
    host: str | None = None,
    time: str | None = None,
    whole: bool = True,
    bars: bool = True,
) -> Stored:
    """Store what a snapshot tells of a day; return what changed. One transaction.

    whole   the snapshot is of the whole market: the day counts as synced
    bars    the session is closed: the quotes of those that traded are their bars
    time    when the source was asked, a UTC stamp; now() if not given. It stays where nothing else changes.

    A symbol that the snapshot does not tell of keeps its rows.
    """
    began = _time.perf_counter()
    told = dict(sorted((quote.symbol, quote) for quote in {quote.symbol: quote for quote in quotes}.values()))
    with transaction(db):
        facts = ((q.symbol, (q.name, q.kind, q.listed, q.industry, q.concepts)) for q in told.values())
        others = _put_snapshots(db, source, date, told) + _tell(db, source, facts)
        new = _put_bars_of_day(db, source, date, told) if bars else 0
        changed = others + new
        if new:
            _log(db, source, "day", [date])
        changed += _put_date(db, source, date, bool(changed), host, time, whole)
    return Stored(changed, new, _time.perf_counter() - began)


def put_history(
    db: sqlite3.Connection, source: int, symbol: str, bars: Bars, actions: list[Action] | None = None
) -> Stored:
    """Store the history of one symbol: see put_histories."""
    return put_histories(db, source, [History(symbol, bars, actions)])


def put_histories(
    db: sqlite3.Connection, source: int, histories: Iterable[History], *, complete: bool = True
) -> Stored:
    """Store histories; return what changed. A transaction for each BATCH of bars, in the order of dates.

    A history is right from its first to its last bar: stored bars in between that it does not have are removed, those
    before and after stay. It is quickest when the symbols come sorted: neighbours share pages. `complete` notes that
    the symbol's history was fetched, so that it is not fetched again.
    """
    began = _time.perf_counter()
    changed = new = 0
    for batch in _batches(histories):
        with transaction(db):
            rows, all_rows = _put_batch(db, source, batch, complete)
        new += rows
        changed += all_rows
    return Stored(changed, new, _time.perf_counter() - began)


def _put_snapshots(db: sqlite3.Connection, source: int, date: str, told: dict[str, Quote]) -> int:
    columns = ", ".join(SNAPSHOT)
    cursor = db.execute(f"SELECT {columns} FROM snapshots WHERE source = ? AND date = ?", (source, date))
    stored = {row[0]: row for row in cursor}
    rows = [(source, date, *quote[:_COUNT]) for symbol, quote in told.items() if stored.get(symbol) != quote[:_COUNT]]
    marks = ", ".join("?" * (_COUNT + 2))
    db.executemany(f"INSERT OR REPLACE INTO snapshots (source, date, {columns}) VALUES ({marks})", rows)
    return len(rows)


def _put_bars_of_day(db: sqlite3.Connection, source: int, date: str, told: dict[str, Quote]) -> int:
    cursor = db.execute(
        "SELECT symbol, open, high, low, close, volume, amount FROM daily WHERE source = ? AND date = ?", (source, date)
    )
    stored = {row[0]: row[1:] for row in cursor}
    rows = []
    for symbol, quote in told.items():
        if quote.traded:
            bar = (quote.open, quote.high, quote.low, quote.price, quote.volume, quote.amount)
            if stored.get(symbol) != bar:
                rows.append((source, date, symbol, *bar))
    db.executemany("INSERT OR REPLACE INTO daily VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    seen = [row for row in rows if row[2] not in stored]
    _widen(db, source, [(row[2], date, date) for row in seen])
    return len(rows)


def _tell(db: sqlite3.Connection, source: int, facts: Iterable[tuple[str, tuple[str | None, ...]]]) -> int:
    """Store (name, kind, listed, industry, concepts) of symbols; what is not told stays. Return how many changed."""
    cursor = db.execute(f"SELECT symbol, {', '.join(_SECURITY)} FROM securities WHERE source = ?", (source,))
    stored = {row[0]: row[1:] for row in cursor}
    rows = []
    for symbol, new in facts:
        old = stored.get(symbol)
        if old != new:
            merged = tuple(b or a for a, b in zip(old or (None,) * len(new), new, strict=True))
            if merged != old:
                rows.append((source, symbol, symbol.rpartition(".")[0], *merged))
    db.executemany(
        f"INSERT INTO securities (source, symbol, code, {', '.join(_SECURITY)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        f" ON CONFLICT DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _SECURITY)}",
        rows,
    )
    return len(rows)


def _put_date(
    db: sqlite3.Connection, source: int, date: str, changed: bool, host: str | None, time: str | None, whole: bool
) -> int:
    """Note the day, if anything of it changed."""
    row = db.execute("SELECT whole FROM days WHERE source = ? AND date = ?", (source, date)).fetchone()
    if row is not None and not changed and row[0] >= whole:
        return 0
    count = db.execute("SELECT count(*) FROM daily WHERE source = ? AND date = ?", (source, date)).fetchone()[0]
    db.execute(
        "INSERT INTO days (source, date, host, time, rows, whole) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " host = coalesce(excluded.host, host), time = excluded.time, rows = excluded.rows,"
        " whole = max(whole, excluded.whole)",
        (source, date, host, time or clock.stamp(clock.now()), count, int(whole)),
    )
    return 1


def _batches(histories: Iterable[History]) -> Iterator[list[History]]:
    batch, size = [], 0
    for history in histories:
        batch.append(history)
        size += len(history.bars.date)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _put_batch(db: sqlite3.Connection, source: int, batch: list[History], complete: bool) -> tuple[int, int]:
    """Store a batch; return how many bars and how many rows changed."""
    facts = [(h.symbol, (h.name, h.kind or from_canonical(h.symbol).kind, None, None, None)) for h in batch]
    others = _tell(db, source, facts)
    new, gone, spans, stale = [], [], [], []
    for history in batch:
        rows, lost = _differing(db, source, history)
        acts = _put_actions(db, source, history)
        new += rows
        gone += lost
        others += acts
        if rows or lost or acts:
            stale.append(history.symbol)
        if rows:
            spans.append((history.symbol, history.bars.date[0], history.bars.date[-1]))
    new.sort(key=_place)
    db.executemany("INSERT OR REPLACE INTO daily VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", new)
    db.executemany("DELETE FROM daily WHERE source = ? AND date = ? AND symbol = ?", sorted(gone))
    _count(db, source, {row[1] for row in new} | {row[1] for row in gone})
    _widen(db, source, spans)
    if complete:
        others += db.executemany(
            "UPDATE securities SET complete = 1 WHERE source = ? AND symbol = ? AND complete = 0",
            [(source, history.symbol) for history in batch if history.bars.date],
        ).rowcount
    _log(db, source, "symbol", stale)
    return len(new) + len(gone), len(new) + len(gone) + others


_Row = tuple[int, str, str, float, float, float, float, int, float | None]


def _place(row: _Row) -> tuple[str, str]:
    return row[1], row[2]


def _differing(db: sqlite3.Connection, source: int, history: History) -> tuple[list[_Row], list[tuple[int, str, str]]]:
    """Return the rows of a history that are not stored so, and the keys of stored ones that it does not have."""
    symbol, bars = history.symbol, history.bars
    if not bars.date:
        return [], []
    stored: dict[str, tuple[float | None, ...]] = {}
    known = db.execute("SELECT first FROM securities WHERE source = ? AND symbol = ?", (source, symbol)).fetchone()
    if known and known[0] is not None:
        stored = {row[0]: row[1:] for row in rows_of(db, source, symbol, bars.date[-1]) if row[0] >= bars.date[0]}
    rows = []
    amounts = history.amount or [None] * len(bars.date)
    for date, first, high, low, close, volume, amount in zip(*bars, amounts, strict=True):
        old = stored.pop(date, None)
        if old and amount is None:
            amount = old[5]
        if old != (first, high, low, close, volume, amount):
            rows.append((source, date, symbol, first, high, low, close, volume, amount))
    return rows, [(source, date, symbol) for date in stored]


def _put_actions(db: sqlite3.Connection, source: int, history: History) -> int:
    """Replace the stored actions of a symbol if they differ."""
    if history.actions is None:
        return 0
    name = db.execute("SELECT name FROM sources WHERE id = ?", (source,)).fetchone()[0]
    new = sorted(history.actions, key=_date)
    if new == actions(db, source, history.symbol):
        return 0
    db.execute("DELETE FROM actions WHERE adapter = ? AND symbol = ?", (name, history.symbol))
    columns = ", ".join(Action._fields)
    db.executemany(
        f"INSERT INTO actions (adapter, symbol, {columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(name, history.symbol, *action) for action in new],
    )
    return max(1, len(new))


def _date(action: Action) -> str:
    return action.date


def _widen(db: sqlite3.Connection, source: int, spans: Iterable[tuple[str, str, str]]) -> None:
    """Let securities know of bars from a first to a last date."""
    db.executemany(
        "UPDATE securities SET first = min(coalesce(first, ?2), ?2), last = max(coalesce(last, ?3), ?3)"
        " WHERE source = ?4 AND symbol = ?1",
        [(*span, source) for span in spans],
    )


def _count(db: sqlite3.Connection, source: int, dates: Iterable[str]) -> None:
    """Note how many bars each of the days has."""
    db.executemany(
        "INSERT INTO days (source, date, rows, whole) SELECT ?1, ?2, count(*), 0 FROM daily WHERE source = ?1"
        " AND date = ?2 ON CONFLICT DO UPDATE SET rows = excluded.rows",
        [(source, date) for date in sorted(dates)],
    )


def _log(db: sqlite3.Connection, source: int, kind: str, what: Iterable[str]) -> None:
    db.executemany("INSERT INTO written (source, kind, what) VALUES (?, ?, ?)", [(source, kind, name) for name in what])


# reading


def chosen(ws: Workspace, notify: Notify = silent, db: sqlite3.Connection | None = None) -> Source:
    """Return the first adapter of `market.adapter` that has a synced day that may be seen now.

    `db` is market.db where the caller has it open. Tells `notify` where its prices are simulated.

    raises  NotFound where nothing was synced.
    """
    names = [part.strip() for part in str(config.get("market.adapter")).split(",") if part.strip()]
    until = clock.last_visible("CN")
    with contextlib.nullcontext(db) if db else contextlib.closing(cache.connect(ws)) as opened:
        for name in names:
            row = opened.execute("SELECT id, simulated FROM sources WHERE name = ?", (name,)).fetchone()
            day = latest_day(opened, row[0], until) if row else None
            if row and day:
                if row[1]:
                    notify(Message("simulated prices: the whole market is invented by {adapter}", adapter=name))
                return Source(row[0], name, bool(row[1]), day)
    raise NotFound(
        "no day of the market is stored from {adapters}", adapters=", ".join(names), hint="`ia sync daily` fetches one"
    )


def latest_day(db: sqlite3.Connection, source: int, until: str) -> str | None:
    """Return the latest date up to `until` of which a snapshot of the whole market is stored, or None."""
    row = db.execute(
        "SELECT date FROM days WHERE source = ? AND date <= ? AND whole = 1 ORDER BY date DESC LIMIT 1", (source, until)
    ).fetchone()
    return row[0] if row else None


def days(db: sqlite3.Connection, source: int, until: str = "9999") -> list[str]:
    """Return the dates up to `until` that have bars, ascending."""
    cursor = db.execute(
        "SELECT date FROM days WHERE source = ? AND date <= ? AND rows > 0 ORDER BY date", (source, until)
    )
    return [date for (date,) in cursor]


def bars_of(db: sqlite3.Connection, source: int, symbol: str, until: str = "9999") -> Bars:
    """Return the stored raw bars of a symbol up to `until`: a seek a day, some milliseconds for ten years."""
    rows = [row[:6] for row in rows_of(db, source, symbol, until)]
    return Bars(*map(list, zip(*rows, strict=True))) if rows else Bars([], [], [], [], [], [])


def actions(db: sqlite3.Connection, source: int, symbol: str, until: str = "9999") -> list[Action]:
    """Return the stored corporate actions of a symbol with an ex-date up to `until`, by date."""
    cursor = db.execute(
        f"SELECT {', '.join(Action._fields)} FROM actions WHERE adapter = (SELECT name FROM sources WHERE id = ?)"
        " AND symbol = ? AND date <= ? ORDER BY date, rowid",
        (source, symbol, until),
    )
    return [Action(*row) for row in cursor]


def rows_of(db: sqlite3.Connection, source: int, symbol: str, until: str) -> list[Any]:
    """Return (date, open, high, low, close, volume, amount) of a symbol's bars."""
    return db.execute(
        "SELECT b.date, b.open, b.high, b.low, b.close, b.volume, b.amount FROM days d CROSS JOIN daily b"
        " ON b.source = d.source AND b.date = d.date AND b.symbol = ? WHERE d.source = ? AND d.date <= ?"
        " ORDER BY d.date",
        (symbol, source, until),
    ).fetchall()
