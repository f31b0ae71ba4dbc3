"""The whole market in market.db: a day is stored at one place, a symbol's history beside what is there.

Only rows that differ are written, in one transaction: storing the same thing twice writes nothing. What was changed is
logged in `written`, by which the mirror knows what of it is stale. Rows belong to a source, so that invented prices and
real ones never mix. Everything here is plain sqlite3: it runs each day on 5,500 rows.
"""

import contextlib
import marshal
import sqlite3
import time as _time
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from operator import itemgetter
from typing import Any, NamedTuple

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock
from ia.kernel.errors import BadData, NotFound
from ia.kernel.store import transaction, translate_errors
from ia.organs import marketdb
from ia.organs.market.quote import SNAPSHOT, Quote
from ia.organs.ohlcv import series_store
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars, is_date

BATCH = 250_000
"""Bars that put_histories holds in memory before it stores them."""
_COUNT = len(SNAPSHOT)
_FACTS = ("name", *Quote._fields[_COUNT:])
_TRADED = "volume > 0 AND price > 0 AND open > 0 AND high > 0 AND low > 0"
_ANY = "SELECT 1 FROM snapshots WHERE source = ? AND date = ? LIMIT 1"


class StoredSource(NamedTuple):
    """A source of rows: its id in market.db, its adapter's name, and whether it is made up."""

    id: int
    name: str
    simulated: bool


class StoreCounts(NamedTuple):
    """What a call wrote: rows in all tables, those of them that are bars, and how long it took."""

    changed: int
    bars: int
    seconds: float


class StoredHistory(NamedTuple):
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
) -> StoreCounts:
    """Store what a snapshot tells of a day; return what changed. One transaction.

    whole   the snapshot is of the whole market: the day counts as synced
    bars    the session is closed: the quotes of those that traded are their bars
    time    when the source was asked, a UTC stamp; now() if not given. It stays where nothing else changes.

    A symbol that the snapshot does not tell of keeps its rows.

    raises  BadData for a date that is none, or a damaged database; TryLater where it is locked or the disk is full.
    """
    began = _time.perf_counter()
    told = _unique_quotes(date, quotes)
    digest = f"{_digest_of_facts(told)} {_digest_of_numbers(told)}{whole:d}{bars:d}"
    known = "SELECT digest FROM days WHERE source = ? AND date = ?"
    if db.execute(known, (source, date)).fetchone() == (digest,):
        return StoreCounts(0, 0, _time.perf_counter() - began)
    with _transaction(db, 16_000):
        first = not db.execute(_ANY, (source, date)).fetchone()
        others = _put_snapshots(db, source, date, told, first)
        others += _put_facts_as_of(db, source, date, told, digest)
        new = _put_bars(db, source, date, told, first) if bars else 0
        changed = others + new
        if new:
            _log_changes(db, source, "day", [date])
        changed += _put_date(
            db, (source, date, host, time or clock.utc_stamp(clock.now())), digest, bool(changed), whole
        )
    return StoreCounts(changed, new, _time.perf_counter() - began)


def put_history(
    db: sqlite3.Connection, source: int, symbol: str, bars: Bars, actions: list[Action] | None = None
) -> StoreCounts:
    """Store the history of one symbol: see put_histories."""
    return put_histories(db, source, [StoredHistory(symbol, bars, actions)])


def put_histories(
    db: sqlite3.Connection, source: int, histories: Iterable[StoredHistory], *, complete: bool = True
) -> StoreCounts:
    """Store histories; return what changed. A transaction for each BATCH of bars, in the order of dates.

    A history is right from its first to its last bar: stored bars in between that it does not have are removed, those
    before and after stay. It is quickest when the symbols come sorted: neighbors share pages. `complete` notes that
    the symbol's history was fetched, so that it is not fetched again. Raises like put_day.
    """
    began = _time.perf_counter()
    changed = new = 0
    for batch in _split_batches(histories):
        with _transaction(db, 100_000):
            rows, all_rows = _put_batch(db, source, batch, complete)
        new += rows
        changed += all_rows
    return StoreCounts(changed, new, _time.perf_counter() - began)


def put_facts(db: sqlite3.Connection, source: int, date: str, quotes: Iterable[Quote]) -> int:
    """Store what a snapshot of a day tells of securities, without its prices; return how many changed.

    What is not told stays. Raises like put_day.
    """
    told = _unique_quotes(date, quotes)
    with _transaction(db, 16_000):
        return _put_facts_as_of(db, source, date, told, _digest_of_facts(told))


def _unique_quotes(date: str, quotes: Iterable[Quote]) -> list[Quote]:
    """Return each quote once, by symbol. BadData for a date that is none: it becomes part of the SQL here."""
    if len(date) != 10 or not is_date(date):
        raise BadData("{date} is not a date", date=date)
    return sorted({quote.symbol: quote for quote in quotes}.values(), key=itemgetter(0))


def note_job(db: sqlite3.Connection, source: int, job: str, key: str, state: str, told: str) -> None:
    """Note in `jobs` what came of a part of a job at now(): `done`, or `missing`, and what is told of it."""
    db.execute(
        "INSERT INTO jobs (source, job, key, state, time, told) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " state = excluded.state, time = excluded.time, told = excluded.told",
        (source, job, key, state, clock.utc_stamp(clock.now()), told),
    )


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection, kilobytes: int) -> Iterator[None]:
    """All or nothing, and what fails in our words.

    kilobytes   so much is held in memory, and in the journal before it goes to its place: by default it is 2 MB and
                1,000 pages, and what a call changes would be written twice.
    """
    page = db.execute("PRAGMA page_size").fetchone()[0]
    db.execute(f"PRAGMA cache_size = -{kilobytes}")
    db.execute(f"PRAGMA wal_autocheckpoint = {kilobytes * 1024 // page}")
    try:
        with translate_errors(marketdb.SCHEMA), transaction(db):
            yield
    except OverflowError:
        raise BadData("a number is too large to store") from None


def _fact_rows(told: Iterable[Quote]) -> Iterator[tuple[object, ...]]:
    """Yield (symbol, name, kind, listed, industry, concepts). No list: it would set off the garbage collector."""
    return (quote[:2] + quote[_COUNT:] for quote in told)


def _digest_of_facts(told: list[Quote]) -> str:
    digest = sha256()
    for at in (0, 1, *range(_COUNT, len(Quote._fields))):
        digest.update("\x1f".join([str(quote[at] or "") for quote in told]).encode(errors="surrogatepass"))
    return digest.hexdigest()[:24]


def _digest_of_numbers(told: list[Quote]) -> str:
    """Return a digest of the other columns, some quotes at a time: what is small is quick to make."""
    digest = sha256()
    for at in range(0, len(told), 32):
        digest.update(marshal.dumps([quote[2:_COUNT] for quote in told[at : at + 32]], 2))
    return digest.hexdigest()[:24]


def _put_snapshots(db: sqlite3.Connection, source: int, date: str, told: list[Quote], first: bool) -> int:
    """Store the first columns of quotes; `first`: nothing of this day is stored yet. Return how many changed."""
    columns = ", ".join(SNAPSHOT)
    rows = (quote[:_COUNT] for quote in told)
    if not first:
        cursor = db.execute(f"SELECT {columns} FROM snapshots WHERE source = ? AND date = ?", (source, date))
        stored = set(cursor)
        rows = (row for row in [*rows] if row not in stored)
    marks = ", ".join("?" * _COUNT)
    verb = "INSERT" if first else "INSERT OR REPLACE"
    insert = f"{verb} INTO snapshots (source, date, {columns}) VALUES ({source:d}, '{date}', {marks})"
    return max(0, db.executemany(insert, rows).rowcount)


def _put_bars(db: sqlite3.Connection, source: int, date: str, told: list[Quote], first: bool) -> int:
    """Store the bars of those that traded. Return how many changed."""
    if first and not db.execute("SELECT 1 FROM daily WHERE source = ? AND date = ? LIMIT 1", (source, date)).fetchone():
        count = db.execute(
            "INSERT INTO daily SELECT source, date, symbol, open, high, low, price, volume, amount FROM snapshots"
            f" WHERE source = ? AND date = ? AND {_TRADED}",
            (source, date),
        ).rowcount
    else:
        columns = "symbol, open, high, low, close, volume, amount"
        stored = set(db.execute(f"SELECT {columns} FROM daily WHERE source = ? AND date = ?", (source, date)))
        bars = ((q.symbol, q.open, q.high, q.low, q.price, q.volume, q.amount) for q in told if q.traded)
        changed = [bar for bar in bars if bar not in stored]
        insert = f"INSERT OR REPLACE INTO daily VALUES ({source:d}, '{date}', ?, ?, ?, ?, ?, ?, ?)"
        count = db.executemany(insert, changed).rowcount if changed else 0
    if count:
        _note_bars_on(db, source, date)
    return count


def _note_bars_on(db: sqlite3.Connection, source: int, date: str) -> None:
    """Let it be known of the symbols with a bar on a day that it may be their first, or their last."""
    db.execute(
        "UPDATE securities SET first = ?2 WHERE source = ?1 AND (first IS NULL OR first > ?2)"
        " AND +symbol IN (SELECT symbol FROM daily WHERE source = ?1 AND date = ?2)",
        (source, date),
    )
    db.execute(
        "INSERT INTO latest SELECT source, symbol, date FROM daily WHERE source = ? AND date = ?"
        " ON CONFLICT DO UPDATE SET date = excluded.date WHERE date < excluded.date",
        (source, date),
    )


def _put_facts_as_of(db: sqlite3.Connection, source: int, date: str, told: list[Quote], digest: str) -> int:
    """Store the facts of a snapshot, if they are others than those of the newest one. Return how many changed.

    A snapshot of an older day tells only of securities that nothing is known of.
    """
    query = "SELECT date, digest FROM days WHERE source = ? AND digest IS NOT NULL ORDER BY date DESC LIMIT 1"
    newest, known = db.execute(query, (source,)).fetchone() or ("", "")
    if newest <= date:
        same = known.partition(" ")[0] == digest.partition(" ")[0]
        return 0 if same else _put_fact_rows(db, source, _fact_rows(told), date)
    there = {symbol for (symbol,) in db.execute("SELECT symbol FROM securities WHERE source = ?", (source,))}
    return _put_fact_rows(db, source, _fact_rows(quote for quote in told if quote.symbol not in there))


def _put_fact_rows(db: sqlite3.Connection, source: int, facts: Iterable[tuple[Any, ...]], date: str = "") -> int:
    """Store (symbol, name, kind, listed, industry, concepts); what is not told stays. Return how many changed.

    What stood there before `date` is kept in `former`, but for names: a day's are in its snapshot. Hardly any changes:
    so one text a symbol is compared first, which is quicker to read than five.
    """
    text = " || char(31) || ".join(f"ifnull({name}, '')" for name in _FACTS)
    cursor = db.execute(f"SELECT symbol || char(31) || {text} FROM securities WHERE source = ?", (source,))
    stored = {known for (known,) in cursor}
    rows = [fact for fact in facts if "\x1f".join([part or "" for part in fact]) not in stored]
    if date:
        db.executemany(
            f"INSERT OR IGNORE INTO former SELECT source, symbol, '{date}', listed, industry, concepts FROM securities"
            f" WHERE source = {source:d} AND symbol = ?1 AND (coalesce(?4, listed), coalesce(?5, industry),"
            " coalesce(?6, concepts)) IS NOT (listed, industry, concepts)",
            rows,
        )
    told = [f"coalesce(excluded.{name}, {name})" for name in _FACTS]
    changed = db.executemany(
        f"INSERT INTO securities (source, symbol, code, {', '.join(_FACTS)}) VALUES ({source:d}, ?1,"
        " rtrim(rtrim(?1, replace(?1, '.', '')), '.'), ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET"
        f" {', '.join(f'{name} = {value}' for name, value in zip(_FACTS, told, strict=True))}"
        f" WHERE ({', '.join(told)}) IS NOT ({', '.join(_FACTS)})",
        rows,
    )
    return max(0, changed.rowcount)


def _put_date(
    db: sqlite3.Connection, day: tuple[int, str, str | None, str], digest: str, changed: bool, whole: bool
) -> int:
    """Note the (source, date, host, time) of a snapshot, if anything of it changed."""
    row = db.execute("SELECT whole FROM days WHERE source = ? AND date = ?", day[:2]).fetchone()
    if row is not None and not changed and row[0] >= whole:
        return 0
    db.execute(
        "INSERT INTO days (source, date, host, time, rows, whole, digest) VALUES (?1, ?2, ?3, ?4,"
        " (SELECT count(*) FROM daily WHERE source = ?1 AND date = ?2), ?5, ?6) ON CONFLICT DO UPDATE SET"
        " host = coalesce(excluded.host, host), time = excluded.time, rows = excluded.rows,"
        " whole = max(whole, excluded.whole), digest = excluded.digest",
        (*day, int(whole), digest),
    )
    return 1


def _split_batches(histories: Iterable[StoredHistory]) -> Iterator[list[StoredHistory]]:
    batch: dict[str, StoredHistory] = {}
    size = 0
    for history in histories:
        if history.symbol in batch or size >= BATCH:
            yield [*batch.values()]
            batch, size = {}, 0
        batch[history.symbol] = history
        size += len(history.bars.date)
    if batch:
        yield [*batch.values()]


def _put_batch(db: sqlite3.Connection, source: int, batch: list[StoredHistory], complete: bool) -> tuple[int, int]:
    """Store a batch; return how many bars and how many rows changed."""
    others = _put_fact_rows(
        db, source, [(h.symbol, h.name, _security_kind(db, source, h), None, None, None) for h in batch]
    )
    new, gone, stale = [], [], []
    spans: list[tuple[str, str, str]] = []
    counts: Counter[str] = Counter()
    for history in batch:
        rows, lost = _diff_history(db, source, history, counts)
        acts = _put_actions(db, source, history)
        new += rows
        gone += lost
        others += acts
        if rows or lost or acts:
            stale.append(history.symbol)
        if rows:
            spans.append((history.symbol, history.bars.date[0], history.bars.date[-1]))
    new.sort()  # by date, then symbol: the order of the table
    db.executemany("INSERT OR REPLACE INTO daily VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", new)
    db.executemany("DELETE FROM daily WHERE source = ? AND date = ? AND symbol = ?", sorted(gone))
    db.executemany(
        "INSERT INTO days (source, date, rows, whole) VALUES (?, ?, ?, 0) ON CONFLICT DO UPDATE SET"
        " rows = coalesce(rows, 0) + excluded.rows",
        [(source, date, more) for date, more in sorted(counts.items()) if more],
    )
    _widen_spans(db, source, spans)
    if complete:
        others += db.executemany(
            "UPDATE securities SET complete = 1 WHERE source = ? AND symbol = ? AND complete = 0",
            [(source, history.symbol) for history in batch if history.bars.date],
        ).rowcount
    _log_changes(db, source, "symbol", stale)
    return len(new) + len(gone), len(new) + len(gone) + others


def _security_kind(db: sqlite3.Connection, source: int, history: StoredHistory) -> str:
    """Return what is known of the kind of a security, else what its code tells."""
    query = "SELECT kind FROM securities WHERE source = ? AND symbol = ?"
    row = (history.kind,) if history.kind else db.execute(query, (source, history.symbol)).fetchone()
    try:
        return row[0] if row and row[0] else from_canonical(history.symbol).kind
    except NotFound:  # a code by no rule that we know: the source has it all the same
        return "stock"


_Row = tuple[int, str, str, float, float, float, float, int, float | None]


def _diff_history(
    db: sqlite3.Connection, source: int, history: StoredHistory, counts: "Counter[str]"
) -> tuple[list[_Row], list[tuple[int, str, str]]]:
    """Return the rows of a history that are not stored so, and the keys of stored ones that it does not have.

    `counts` is told how many bars a day has more, or less.
    """
    symbol, bars = history.symbol, history.bars
    if not bars.date:
        return [], []
    stored: dict[str, tuple[float | None, ...]] = {}
    known = db.execute("SELECT first FROM securities WHERE source = ? AND symbol = ?", (source, symbol)).fetchone()
    if known and known[0] is not None:
        stored = {
            row[0]: row[1:] for row in marketdb.read_daily(db, source, symbol, bars.date[-1]) if row[0] >= bars.date[0]
        }
    counts.update(bars.date)
    counts.subtract(stored.keys())
    rows = []
    amounts = history.amount or [None] * len(bars.date)
    for date, first, high, low, close, volume, amount in zip(*bars, amounts, strict=True):
        old = stored.pop(date, None)
        if old and amount is None:
            amount = old[5]
        if old != (first, high, low, close, volume, amount):
            rows.append((source, date, symbol, first, high, low, close, volume, amount))
    return rows, [(source, date, symbol) for date in stored]


def _put_actions(db: sqlite3.Connection, source: int, history: StoredHistory) -> int:
    """Replace the stored actions of a symbol if they differ."""
    if history.actions is None:
        return 0
    name = db.execute("SELECT name FROM sources WHERE id = ?", (source,)).fetchone()[0]
    new = sorted(history.actions, key=_action_date)
    if new == series_store.load_actions(db, name, history.symbol):
        return 0
    db.execute("DELETE FROM actions WHERE adapter = ? AND symbol = ?", (name, history.symbol))
    columns = ", ".join(Action._fields)
    db.executemany(
        f"INSERT INTO actions (adapter, symbol, {columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(name, history.symbol, *action) for action in new],
    )
    return max(1, len(new))


def _action_date(action: Action) -> str:
    return action.date


def _widen_spans(db: sqlite3.Connection, source: int, spans: list[tuple[str, str, str]]) -> None:
    """Let it be known of symbols that they have bars from a first to a last date."""
    db.executemany(
        "UPDATE securities SET first = min(coalesce(first, ?2), ?2) WHERE source = ?3 AND symbol = ?1",
        [(symbol, first, source) for symbol, first, _ in spans],
    )
    db.executemany(
        "INSERT INTO latest VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET date = excluded.date WHERE date < excluded.date",
        [(source, symbol, last) for symbol, _, last in spans],
    )


def _log_changes(db: sqlite3.Connection, source: int, kind: str, what: Iterable[str]) -> None:
    db.executemany("INSERT INTO written (source, kind, what) VALUES (?, ?, ?)", [(source, kind, name) for name in what])


# reading


def stored_days(db: sqlite3.Connection, source: int, until: str = "9999") -> list[str]:
    """Return the dates up to `until` that have bars, ascending."""
    cursor = db.execute(
        "SELECT date FROM days WHERE source = ? AND date <= ? AND rows > 0 ORDER BY date", (source, until)
    )
    return [date for (date,) in cursor]


def load_bars(db: sqlite3.Connection, source: int, symbol: str, until: str = "9999") -> Bars:
    """Return the stored raw bars of a symbol up to `until`: a seek a day, some milliseconds for ten years."""
    return Bars.from_rows([row[:6] for row in marketdb.read_daily(db, source, symbol, until)])


def load_actions(db: sqlite3.Connection, source: int, symbol: str, until: str = "9999") -> list[Action]:
    """Return the stored corporate actions of a symbol with an ex-date up to `until`, by date."""
    (name,) = db.execute("SELECT name FROM sources WHERE id = ?", (source,)).fetchone()
    return series_store.load_actions(db, name, symbol, until)


def load_all_actions(db: sqlite3.Connection, source: int, until: str) -> dict[str, list[Action]]:
    """Return the stored corporate actions of all symbols with an ex-date up to `until`, by symbol and date."""
    rows = db.execute(
        f"SELECT symbol, {', '.join(Action._fields)} FROM actions"
        " WHERE adapter = (SELECT name FROM sources WHERE id = ?) AND date <= ? ORDER BY symbol, date",
        (source, until),
    )
    found: dict[str, list[Action]] = {}
    for symbol, *fields in rows:
        found.setdefault(symbol, []).append(Action._make(fields))
    return found
