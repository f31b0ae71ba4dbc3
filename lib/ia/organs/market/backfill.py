"""Histories and corporate actions of single securities: what the continuity check wants, and what a first sync lacks.

One security at a time, as politely as `ia ohlcv` asks. Each one that is finished is kept, whatever happens to the
next: the list of what is left is in `todo` and `securities.complete`, so that any later run goes on from there.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock, config
from ia.kernel.errors import BadData, IaError, NotFound, TryLater, Unavailable
from ia.kernel.store import Damaged, transaction
from ia.kernel.workspace import Workspace
from ia.organs.market import store
from ia.organs.market.continuity import (
    HISTORY,
    NOTHING,
    HistoryRecord,
    LastClose,
    half_tick,
    is_explained,
    last_session,
    parse_known,
    previous_session,
)
from ia.organs.ohlcv import series_store
from ia.organs.ohlcv.adapters import Adapter
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.governor import ORDINARY, Banned

SHARED = 5
"""So many stored bars must be those that the source has now; else the past has changed, and all of it is fetched."""
TOGETHER, LONGEST_WAIT = 16, 30.0
"""Fetched histories are stored by so many, or after so many seconds: neighbors share pages of the table."""
IN_A_ROW = 3
"""After so many failures one after the other the source is left alone."""
REQUESTS = 3
"""What one security costs a host: its bars, its dividends, its rights issues."""


class WantedHistory(NamedTuple):
    """A security to be fetched, why (`history`, `ex-date`, `gap`), and the day on which that was found."""

    symbol: str
    why: str
    since: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BackfillTally:
    """How far it came: `settled` by why, rows written, seconds; `failed` and `missing` name what did not come.

    stopped   the failure that ended it before all was done, or None
    """

    settled: dict[str, int]
    failed: dict[str, IaError]
    missing: list[str]
    changed: int
    bars: int
    fetching: float
    storing: float
    stopped: IaError | None


Progress = Callable[[int, int, int], None]
"""Is told how many are done, of how many, and how many of them failed."""


class _FetchedHistory(NamedTuple):
    wanted: WantedHistory
    history: store.StoredHistory
    whole: bool
    known: HistoryRecord


def polite_seconds(count: int) -> float:
    """Return how long fetching so many histories takes at the pace that hosts are asked."""
    return count * REQUESTS / ORDINARY.per_second


def fetch_histories(
    ws: Workspace,
    db: sqlite3.Connection,
    source: store.StoredSource,
    adapter: Adapter,
    wanted: Sequence[WantedHistory],
    *,
    start: str | None = None,
    progress: Progress | None = None,
) -> BackfillTally:
    """Fetch and store what is wanted, in this order; return how far it came. An interrupt keeps what was finished.

    A ban, or IN_A_ROW failures one after the other, end it; the rest stays on the list. A security that the source
    does not have is remembered and does not stop the others.
    """
    work = _BackfillWork(ws, db, source, adapter, start)
    row = 0
    try:
        for done, one in enumerate(wanted):
            if progress:
                progress(done, len(wanted), len(work.failed) + len(work.missing))
            try:
                work.fetch_security(one)
                row = 0
            except NotFound as exc:
                work.note_not_found(one, exc)
                row = 0
            except Damaged:
                raise
            except (TryLater, Unavailable, BadData) as exc:
                work.note_failure(one, exc)
                row += 1
                if _is_blocked(exc) or (row >= IN_A_ROW and not adapter.local):
                    work.stopped = exc
                    break
    finally:
        work.flush()
    if progress:
        progress(len(work.settled_all) + len(work.failed) + len(work.missing), len(wanted), len(work.failed))
    return work.tally()


class _BackfillWork:
    """One run: what was found and is not stored yet, and the counts."""

    def __init__(
        self, ws: Workspace, db: sqlite3.Connection, source: store.StoredSource, adapter: Adapter, start: str | None
    ) -> None:
        self.ws, self.db, self.source, self.adapter, self.start = ws, db, source, adapter, start
        self.pending: list[_FetchedHistory] = []
        self.size, self.oldest = 0, time.monotonic()
        self.settled: dict[str, int] = {}
        self.settled_all: list[str] = []
        self.failed: dict[str, IaError] = {}
        self.missing: list[str] = []
        self.changed = self.bars = 0
        self.fetching = self.storing = 0.0
        self.stopped: IaError | None = None
        self.session = last_session()

    def tally(self) -> BackfillTally:
        """Return the counts."""
        return BackfillTally(
            settled=self.settled,
            failed=self.failed,
            missing=self.missing,
            changed=self.changed,
            bars=self.bars,
            fetching=self.fetching,
            storing=self.storing,
            stopped=self.stopped,
        )

    def fetch_security(self, wanted: WantedHistory) -> None:
        """Fetch one security and put it with those that are to be stored."""
        began = time.monotonic()
        try:
            if self.adapter.local or self.adapter.simulated:
                found = self._fetch_found(wanted)
            else:
                with series_store.hold_fetch_lock(self.ws, self.source.name, wanted.symbol):
                    if self._was_settled_meanwhile(wanted):
                        return
                    found = self._fetch_found(wanted)
        finally:
            self.fetching += time.monotonic() - began
        self.pending.append(found)
        self.size += len(found.history.bars.date)
        hurry = not self.adapter.local and not self.adapter.simulated
        if self.size >= store.BATCH or (
            hurry and (len(self.pending) >= TOGETHER or time.monotonic() - self.oldest > LONGEST_WAIT)
        ):
            self.flush()

    def flush(self) -> None:
        """Store what was fetched, and take it off the list."""
        pending, self.pending, self.size = self.pending, [], 0
        self.oldest = began = time.monotonic()
        for whole in (True, False):
            part = [found for found in pending if found.whole is whole]
            stored = store.put_histories(
                self.db, self.source.id, sorted(found.history for found in part), complete=whole
            )
            self.changed += stored.changed
            self.bars += stored.bars
            self._mark_settled(part)
        self.storing += time.monotonic() - began

    def _mark_settled(self, part: list[_FetchedHistory]) -> None:
        with transaction(self.db):
            for wanted, _, whole, found in part:
                if whole or wanted.why != "ex-date" or found.prev_close:
                    store.note_job(self.db, self.source.id, HISTORY, wanted.symbol, "done", found.to_text())
                self.db.execute("DELETE FROM todo WHERE source = ? AND symbol = ?", (self.source.id, wanted.symbol))
                self.settled[wanted.why] = self.settled.get(wanted.why, 0) + 1
                self.settled_all.append(wanted.symbol)

    def note_not_found(self, wanted: WantedHistory, exc: IaError) -> None:
        """Remember that the source does not have a security, so that it is not asked for again unnamed."""
        self.missing.append(wanted.symbol)
        with transaction(self.db):
            store.note_job(self.db, self.source.id, HISTORY, wanted.symbol, "missing", str(exc))
            self.db.execute("DELETE FROM todo WHERE source = ? AND symbol = ?", (self.source.id, wanted.symbol))

    def note_failure(self, wanted: WantedHistory, exc: IaError) -> None:
        """Note the failure beside what is left to do."""
        self.failed[wanted.symbol] = exc
        self.db.execute(
            "UPDATE todo SET tries = tries + 1, error = ? WHERE source = ? AND symbol = ?",
            (str(exc)[:200], self.source.id, wanted.symbol),
        )

    def _was_settled_meanwhile(self, wanted: WantedHistory) -> bool:
        """Whether another process, for which this one waited, has fetched it."""
        key = (self.source.id, wanted.symbol)
        if wanted.why == HISTORY:
            if wanted.since:  # an earlier beginning was asked for
                return False
            query = "SELECT 1 FROM securities WHERE source = ? AND symbol = ? AND complete = 1"
            return self.db.execute(query, key).fetchone() is not None
        if self.db.execute("SELECT 1 FROM todo WHERE source = ? AND symbol = ?", key).fetchone():
            return False
        query = "SELECT told FROM jobs WHERE source = ? AND key = ? AND job = ? AND state = 'done'"
        row = self.db.execute(query, (*key, HISTORY)).fetchone()
        return wanted.why == "ex-date" or (row is not None and parse_known(row[0]).through >= self.session)

    def _fetch_found(self, wanted: WantedHistory) -> _FetchedHistory:
        """Return the history or the part of it that was missing; of an ex-date that explains itself the actions only.

        Actions are asked for first: where they explain the reference price there is nothing else to fetch.
        """
        symbol = from_canonical(wanted.symbol)
        if wanted.why != HISTORY:
            actions = self._fetch_actions(wanted.symbol)
            stored = store.load_bars(self.db, self.source.id, wanted.symbol)
            at = sum(date < wanted.since for date in stored.date)
            prev_close = self._prev_close(wanted)
            if wanted.why == "ex-date" and at and prev_close:
                last = LastClose(stored.date[at - 1], stored.close[at - 1])
                if is_explained(wanted.symbol, last, wanted.since, prev_close, actions):
                    return _FetchedHistory(
                        wanted, store.StoredHistory(wanted.symbol, Bars.from_rows([]), actions), False, NOTHING
                    )
            if at:
                shared = stored.date[max(0, at - SHARED) : at]
                new, note = self._fetch_bars(wanted.symbol, shared[0])
                if _bars_agree(stored, new, shared, half_tick(wanted.symbol)):
                    accepted = prev_close if wanted.why == "ex-date" else None
                    history = store.StoredHistory(wanted.symbol, new, actions)
                    return _FetchedHistory(wanted, history, False, HistoryRecord(self.session, accepted, note))
        bars, note = self._fetch_bars(wanted.symbol, self.start)
        if not bars.date:
            raise NotFound("{symbol}: {adapter} has no bars", symbol=symbol, adapter=self.source.name)
        actions = self._fetch_actions(wanted.symbol)
        accepted = self._prev_close(wanted) if wanted.why == "ex-date" else None
        history = store.StoredHistory(wanted.symbol, bars, actions)
        return _FetchedHistory(wanted, history, True, HistoryRecord(self.session, accepted, note))

    def _fetch_bars(self, symbol: str, start: str | None) -> tuple[Bars, str]:
        """Return the raw bars from `start` that may be seen at now(), and what the source says of them."""
        fetched = self.adapter.fetch(from_canonical(symbol), start, None)
        bars = self.adapter.normalize(fetched)
        until = min(clock.last_visible_date("CN"), clock.last_visible_date("CN", clock.wall_time()))
        keep = sum(date <= until for date in bars.date)
        self._check_end(symbol, bars.date[:keep], until)
        return bars.slice_bars(0, keep), fetched.note

    def _check_end(self, symbol: str, dates: Sequence[str], until: str) -> None:
        """Raise TryLater where a history breaks off more than a session before the last stored bar of its security."""
        traded = self.db.execute(
            "SELECT d.date FROM days d WHERE d.source = ?1 AND d.date <= ?2 AND EXISTS (SELECT 1 FROM daily b WHERE"
            " b.source = ?1 AND b.date = d.date AND b.symbol = ?3) ORDER BY d.date DESC LIMIT 1",
            (self.source.id, until, symbol),
        ).fetchone()
        if traded and dates and dates[-1] < previous_session(traded[0]) and not self.adapter.local:
            raise TryLater(
                "{symbol}: the history ends on {last}, although the security traded on {day}",
                hint="the next `ia sync` retries them",
                symbol=symbol,
                last=dates[-1],
                day=traded[0],
            )

    def _fetch_actions(self, symbol: str) -> list[Action]:
        return self.adapter.actions(from_canonical(symbol))

    def _prev_close(self, wanted: WantedHistory) -> float | None:
        row = self.db.execute(
            "SELECT prev_close FROM snapshots WHERE source = ? AND date = ? AND symbol = ?",
            (self.source.id, wanted.since, wanted.symbol),
        ).fetchone()
        return row[0] if row else None


def first_day(adapter: Adapter) -> str | None:
    """Return from when on a first sync fetches: `market.history_years` ago, and all that lies on this disk."""
    years = int(config.get_setting("market.history_years"))
    if adapter.local or adapter.simulated:
        return None
    today = date.fromisoformat(clock.today("CN"))
    return (today - timedelta(days=round(365.25 * years))).isoformat()


def pending_histories(db: sqlite3.Connection, source: int, only: Iterable[str] | None = None) -> list[WantedHistory]:
    """Return what `todo` lists, ex-dates first; `only` these symbols."""
    chosen = None if only is None else set(only)
    rows = db.execute(
        "SELECT symbol, why, since FROM todo WHERE source = ? ORDER BY why != 'ex-date', why, symbol", (source,)
    )
    return [WantedHistory(*row) for row in rows if chosen is None or row[0] in chosen]


def unfetched_symbols(db: sqlite3.Connection, source: int, only: Iterable[str] | None = None) -> list[str]:
    """Return the symbols whose history was never fetched, the largest companies first; those `only`, if given.

    What the source was found not to have is left out, but where it is asked for by name.
    """
    rows = db.execute(
        "SELECT s.symbol FROM securities s LEFT JOIN jobs j ON j.source = s.source AND j.job = ? AND j.key = s.symbol"
        " LEFT JOIN snapshots q ON q.source = s.source AND q.symbol = s.symbol"
        "  AND q.date = (SELECT max(date) FROM days WHERE source = s.source AND whole = 1)"
        " WHERE s.source = ? AND s.complete = 0 AND (? OR j.state IS NOT 'missing')"
        " ORDER BY coalesce(q.market_cap, 0) DESC, s.symbol",
        (HISTORY, source, only is not None),
    )
    if only is None:
        return [symbol for (symbol,) in rows]
    chosen = list(dict.fromkeys(only))
    stored = {symbol for (symbol,) in rows}
    complete = {s for (s,) in db.execute("SELECT symbol FROM securities WHERE source = ? AND complete", (source,))}
    return [symbol for symbol in chosen if symbol in stored or symbol not in complete]


def new_symbols(db: sqlite3.Connection, source: int) -> list[str]:
    """Return the symbols whose history was never fetched and that the first stored day of the market did not have."""
    rows = db.execute(
        "SELECT s.symbol FROM securities s LEFT JOIN jobs j ON j.source = s.source AND j.job = ?1 AND j.key = s.symbol"
        " WHERE s.source = ?2 AND s.complete = 0 AND j.state IS NOT 'missing'"
        " AND NOT EXISTS (SELECT 1 FROM snapshots q WHERE q.source = ?2 AND q.symbol = s.symbol"
        "  AND q.date = (SELECT min(date) FROM days WHERE source = ?2 AND whole = 1)) ORDER BY s.symbol",
        (HISTORY, source),
    )
    return [symbol for (symbol,) in rows]


def stale_symbols(db: sqlite3.Connection, source: int, only: Iterable[str]) -> list[str]:
    """Return those of these symbols whose history is there but does not reach the last closed session."""
    session = last_session()
    found = []
    for symbol in dict.fromkeys(only):
        row = db.execute(
            "SELECT l.date, j.told FROM securities s"
            " LEFT JOIN latest l ON l.source = s.source AND l.symbol = s.symbol LEFT JOIN jobs j"
            " ON j.source = s.source AND j.job = ? AND j.key = s.symbol AND j.state = 'done'"
            " WHERE s.source = ? AND s.symbol = ? AND s.complete",
            (HISTORY, source, symbol),
        ).fetchone()
        if row and max(row[0] or "", parse_known(row[1]).through) < session:
            found.append(symbol)
    return found


def symbols_starting_after(db: sqlite3.Connection, source: int, only: Iterable[str], start: str) -> list[str]:
    """Return those of these symbols whose stored history begins after `start`, and not with their listing."""
    query = "SELECT first, listed FROM securities WHERE source = ? AND symbol = ? AND complete = 1"
    rows = ((symbol, db.execute(query, (source, symbol)).fetchone()) for symbol in dict.fromkeys(only))
    return [symbol for symbol, row in rows if row and row[0] > max(start, row[1] or "")]


def _bars_agree(stored: Bars, new: Bars, shared: list[str], tolerance: float) -> bool:
    """Whether raw bars of now are those that are stored on the shared days, but for rounding."""
    closes = dict(zip(new.date, new.close, strict=True))
    mine = dict(zip(stored.date, stored.close, strict=True))
    return all(date in closes and abs(closes[date] - mine[date]) <= tolerance for date in shared)


def _is_blocked(exc: IaError) -> bool:
    """Whether a host has shut us out: asking on makes it worse."""
    return isinstance(exc, Banned) or isinstance(exc.__cause__, Banned)
