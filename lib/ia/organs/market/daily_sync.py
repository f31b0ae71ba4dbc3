"""The day of the market, and what it asks for: the snapshot, its continuity, then the securities that need more.

What is left to do stands in the store before the day does, so that a run which died is followed by one that goes on.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.special import choose_name
from ia.kernel import clock, files
from ia.kernel.errors import IaError, Message, Notify, PluralText, TryLater, Unavailable
from ia.kernel.jsontypes import Json
from ia.kernel.store import transaction
from ia.kernel.workspace import Workspace
from ia.organs.market import backfill, continuity, main_lines, store
from ia.organs.market import snapshot as snapshots
from ia.organs.market.backfill import WantedHistory
from ia.organs.market.mirror import writer
from ia.organs.market.quote import Quote
from ia.organs.market.sources import MarketSource
from ia.organs.ohlcv.adapters import Adapter, is_free

if TYPE_CHECKING:
    from ia.organs.market.streaming import StreamingFolder

GAPS = 200
"""More histories than these are not fetched without being asked for: it takes long, and is told."""
PATIENCE = 60.0
"""Seconds that a second `ia sync` waits for the first one's snapshot."""
NAMED = 12
"""So many symbols are named in a message; the summary has them all."""

Progress = Callable[[str, int, int, int], None]
"""Is told what is being fetched, how many are done, of how many, and how many of them failed."""
Row = Json


class SyncRequest(NamedTuple):
    """What is to be synced.

    job      one of JOBS, `all`, or "" for the day and what is due besides
    symbols  only these securities, canonical: their histories or reports, and no snapshot
    history  fetch the histories that are missing too; start: from when on, YYYY-MM-DD
    rates    whether exchange rates are among what is due: the ledger has money in another currency than the yuan
    dated    securities whose dates ahead are kept up to date
    foreign  securities of Hong Kong and the US whose bars are kept up to date, canonical
    """

    job: str = ""
    symbols: tuple[str, ...] | None = None
    history: bool = False
    start: str | None = None
    rates: bool = False
    dated: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncRun:
    """What all jobs of one run share."""

    ws: Workspace
    db: sqlite3.Connection
    source: MarketSource
    number: int
    adapter: Adapter
    request: SyncRequest
    notify: Notify
    progress: Progress


def sync_day(run: SyncRun, row: Row) -> list[IaError]:
    """Store the day that the source shows, and settle what it asks for."""
    with hold_sync_lock(run.ws, "snapshot", PATIENCE):
        streamed = _open_stream(run)
        shot = snapshots.take_snapshot(
            streamed or run.source, lambda done, total: run.progress("market", done, total, 0), run.notify
        )
        if not shot.time:
            shot = _date_snapshot(run, shot)
        began = time.monotonic()
        last = continuity.last_bars(run.db, run.number, shot.day)
        _check_snapshot(run, shot, last)
        quotes = restore_names(run, shot.quotes)
        before = _symbols_day_before(run, shot.day, _has_funds(quotes))
        row |= {
            "day": shot.day,
            "host": shot.host,
            "pages": shot.pages,
            "symbols": len(quotes),
            "fetch_s": round(shot.seconds, 3),
        }
        if streamed:
            row |= {"histories": streamed.stored, "fetch_s": round(shot.seconds - streamed.seconds, 3)}
        _report_listing_changes(run, row, quotes, before)
        if shot.closed:
            found = continuity.due_histories(run.db, run.number, run.source.name, shot.day, quotes, last)
            _put_todo(run, shot.day, found | continuity.departed_symbols(run.db, run.number, shot.day, row["gone"]))
        row["check_s"] = round(time.monotonic() - began, 3)
        stored = store.put_day(
            run.db, run.number, shot.day, quotes, host=shot.host, bars=shot.closed, time=_snapshot_time(shot)
        )
        if shot.closed:
            _begin_listings(run, shot.day)
            _note_closures(run, shot.day)
        row |= {"changed": stored.changed, "bars": stored.bars}
        if streamed:
            row |= {"changed": stored.changed + streamed.changed, "bars": stored.bars + streamed.bars}
        row["store_s"] = round(stored.seconds + (streamed.seconds if streamed else 0.0), 3)
    failed = _fetch_due(run, row)
    _update_mirror(run, row)
    main_lines.prepare_mainlines(run.db)
    return failed


def _open_stream(run: SyncRun) -> "StreamingFolder | None":
    """Return the source that stores a folder's histories while its snapshot is made of them; None for the others."""
    if not run.source.local:
        return None
    from ia.organs.market.streaming import stream_source

    return stream_source(run.source, run.db, run.number)


def _note_closures(run: SyncRun, day: str) -> None:
    """Note which weekdays after a day are holidays: reading can then tell its age without loading the calendar."""
    from ia.organs.ohlcv.calendar import weekday_closures

    known = "SELECT 1 FROM jobs WHERE source = ? AND job = 'closures' AND key = ?"
    if (shut := weekday_closures("CN", day)) and not run.db.execute(known, (run.number, day)).fetchone():
        store.note_job(run.db, run.number, "closures", day, "done", ",".join(shut))


def _date_snapshot(run: SyncRun, shot: snapshots.MarketSnapshot) -> snapshots.MarketSnapshot:
    """Return a snapshot that tells no day as one of the last stored day, if its bars are that day's to the share.

    raises  Refused where they are those of a stored day that is later than `--now`.
    """
    around = "SELECT {} FROM days WHERE source = ?1 AND whole = 1 AND rows > 0 AND date {} ?2"
    query = f"{around.format('max(date)', '<')} UNION ALL {around.format('min(date)', '>')}"
    stored = "SELECT symbol, open, high, low, close, volume FROM daily WHERE source = ? AND date = ?"
    bars = {(q.symbol, q.open, q.high, q.low, q.price, q.volume) for q in shot.quotes if q.traded}
    days = [day for (day,) in run.db.execute(query, (run.number, shot.day)) if day and bars]
    day = next((day for day in days if bars.issubset(run.db.execute(stored, (run.number, day)))), None)
    if day is None:
        return shot
    if day > shot.day:
        raise snapshots.future_day_error(run.source.name, day)
    template = "{source} still shows {day}; the last trading day was {session}"
    run.notify(Message(template, source=run.source.name, day=day, session=continuity.last_session()))
    return shot._replace(day=day, closed=True)


def _check_snapshot(run: SyncRun, shot: snapshots.MarketSnapshot, last: dict[str, continuity.LastClose]) -> None:
    (count,) = run.db.execute(
        "SELECT count(*) FROM snapshots s LEFT JOIN securities c ON c.source = s.source AND c.symbol = s.symbol"
        " WHERE s.source = ?1 AND s.date = (SELECT max(date) FROM days WHERE source = ?1 AND whole = 1 AND date <= ?2)"
        " AND (?3 OR c.kind IS NOT 'etf')",
        (run.number, shot.day, _has_funds(shot.quotes)),
    ).fetchone()
    query = "SELECT rows FROM days WHERE source = ? AND whole = 1 AND rows > 0 AND date < ? ORDER BY date DESC LIMIT 1"
    row = run.db.execute(query, (run.number, shot.day)).fetchone()
    traded = None if _is_free_source(run) else row[0] if row else 0
    before = continuity.previous_session(shot.day)
    closes = {symbol: bar.close for symbol, bar in last.items() if bar.date == before}
    older = {symbol: bar.close for symbol, bar in last.items()}
    snapshots.check_snapshot(shot, run.source.name, closes, count, traded, older)


def _has_funds(quotes: list[Quote]) -> bool:
    """Whether a snapshot has the funds too: they are another list, which may not come while the stocks do."""
    return any(quote.kind == "etf" for quote in quotes)


def restore_names(run: SyncRun, quotes: list[Quote]) -> list[Quote]:
    """Return the quotes under their lasting names: what stands on an ex-day or a first day (`XD贵州茅`) is none."""
    known = dict(run.db.execute("SELECT symbol, name FROM securities WHERE source = ?", (run.number,)))
    named = []
    for quote in quotes:
        name = known.get(quote.symbol)
        if quote.name != name:
            name = choose_name(quote.name or "", name)
            quote = quote if name == quote.name else quote._replace(name=name)
        named.append(quote)
    return named


def _symbols_day_before(run: SyncRun, day: str, funds: bool) -> set[str]:
    """Return the symbols of the last whole day before a day, with its funds or without."""
    rows = run.db.execute(
        "SELECT s.symbol FROM snapshots s LEFT JOIN securities c ON c.source = s.source AND c.symbol = s.symbol"
        " WHERE s.source = ?1 AND s.date = (SELECT max(date) FROM days WHERE source = ?1 AND whole = 1 AND date < ?2)"
        " AND (?3 OR c.kind IS NOT 'etf')",
        (run.number, day, funds),
    )
    return {symbol for (symbol,) in rows}


def _report_listing_changes(run: SyncRun, row: Row, quotes: list[Quote], before: set[str]) -> None:
    """Tell who came and who is no longer there; nobody is deleted."""
    now = {quote.symbol for quote in quotes}
    known = before or {
        symbol for (symbol,) in run.db.execute("SELECT symbol FROM securities WHERE source = ?", (run.number,))
    }
    new, gone = sorted(now - known), sorted(before - now)
    row |= {"new": len(new), "gone": gone}
    if before and new:
        run.notify(Message("new securities: {symbols}", symbols=_abbreviate_symbols(new)))
    if gone:
        run.notify(
            Message(
                "no longer in the snapshot (delisted?), but kept in the store: {symbols}",
                symbols=_abbreviate_symbols(gone),
            )
        )


def _put_todo(run: SyncRun, day: str, found: dict[str, str]) -> None:
    """Note what is to be fetched before the day is stored. What was open before stays open from its own day on."""
    with transaction(run.db):
        run.db.executemany(
            "INSERT INTO todo (source, symbol, why, since) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET why = 'gap'"
            " WHERE since != excluded.since",
            [(run.number, symbol, why, day) for symbol, why in sorted(found.items())],
        )


def _snapshot_time(shot: snapshots.MarketSnapshot) -> str | None:
    """Return when a snapshot was true: while the session is open its own time, which readers hold against the close."""
    if shot.closed or len(shot.time) < 19:
        return None
    moment = datetime.fromisoformat(shot.time).replace(tzinfo=clock.CHINA)
    return clock.utc_stamp(min(moment, clock.now()))


def _begin_listings(run: SyncRun, day: str) -> None:
    """Note that a security which was listed today has its whole history: one bar."""
    run.db.execute(
        "UPDATE securities SET complete = 1 WHERE source = ? AND first = ? AND listed = first AND complete = 0",
        (run.number, day),
    )


# single securities


def _fetch_due(run: SyncRun, row: Row) -> list[IaError]:
    """Fetch what the day asked for: ex-dates, gaps and newcomers where they are few, histories where they are free."""
    waiting = backfill.pending_histories(run.db, run.number)
    wanted = [one for one in waiting if one.why == "ex-date"]
    gaps = [one for one in waiting if one.why != "ex-date"]
    everything = run.request.history or _is_free_source(run)
    if everything or len(gaps) <= GAPS:
        wanted += gaps
    if everything:
        wanted += _missing_histories(run, None)
    elif len(new := backfill.new_symbols(run.db, run.number)) <= GAPS:
        wanted += [WantedHistory(symbol, continuity.HISTORY, "") for symbol in new]
    return _fetch_wanted(run, row, wanted)


def sync_histories(run: SyncRun, row: Row) -> list[IaError]:
    """Fetch what is missing of the securities that were named, up to the last session."""
    only = run.request.symbols or ()
    wanted = {one.symbol: one for one in backfill.pending_histories(run.db, run.number, only)}
    for one in _missing_histories(run, only):
        wanted[one.symbol] = one
    session = continuity.last_session()
    for symbol in backfill.stale_symbols(run.db, run.number, only):
        wanted.setdefault(symbol, WantedHistory(symbol, "gap", session))
    if run.request.start:
        for symbol in backfill.symbols_starting_after(run.db, run.number, only, run.request.start):
            wanted[symbol] = WantedHistory(symbol, continuity.HISTORY, run.request.start)
    row |= {"symbols": len(only)}
    failed = _fetch_wanted(run, row, list(wanted.values()))
    _update_mirror(run, row)
    return failed


def _missing_histories(run: SyncRun, only: Sequence[str] | None) -> list[WantedHistory]:
    return [
        WantedHistory(symbol, continuity.HISTORY, "") for symbol in backfill.unfetched_symbols(run.db, run.number, only)
    ]


def _is_free_source(run: SyncRun) -> bool:
    """Whether histories cost nobody anything: they lie on this disk, or are made up."""
    return is_free(run.adapter)


def _fetch_wanted(run: SyncRun, row: Row, wanted: list[WantedHistory]) -> list[IaError]:
    """Fetch the histories and actions that are wanted and tell what is left."""
    source = store.StoredSource(run.number, run.source.name, run.source.simulated)
    start = run.request.start or backfill.first_day(run.adapter)
    with contextlib.ExitStack() as stack:
        if len(wanted) > GAPS:
            stack.enter_context(hold_sync_lock(run.ws, "history", 0.0))
        tally = backfill.fetch_histories(
            run.ws,
            run.db,
            source,
            run.adapter,
            wanted,
            start=start,
            progress=lambda done, total, failed: run.progress("histories", done, total, failed),
        )
    left = backfill.pending_histories(run.db, run.number)
    lacking = backfill.unfetched_symbols(run.db, run.number)
    row |= {
        "ex_dates": tally.settled.get("ex-date", 0),
        "gaps": tally.settled.get("gap", 0),
        "histories": row.get("histories", 0) + tally.settled.get(continuity.HISTORY, 0),
        "todo": len(left),
        "lacking": len(lacking),
        "missing": tally.missing,
        "failed": {symbol: str(failure) for symbol, failure in tally.failed.items()},
        "changed": row.get("changed", 0) + tally.changed,
        "bars": row.get("bars", 0) + tally.bars,
        "fetch_s": round(row.get("fetch_s", 0.0) + tally.fetching, 3),
        "store_s": round(row.get("store_s", 0.0) + tally.storing, 3),
    }
    _report_remaining(run, tally, left, lacking)
    if tally.stopped:
        return [_stopped_error(tally.stopped, len({one.symbol for one in left}.union(lacking)))]
    return _summarize_failures(tally)


def failure_rank(failure: IaError) -> int:
    """Return how final a failure is: 0 it may work later, 1 a source refused, 2 any other."""
    return [TryLater.status, Unavailable.status].index(failure.status) if failure.status in (75, 69) else 2


def _stopped_error(failure: IaError, left: int) -> IaError:
    """Return the failure that ended a run, with how much is left; the next run goes on there."""
    return type(failure)(
        PluralText(
            "stopped with {left} security left: {reason}", "stopped with {left} securities left: {reason}", by="left"
        ),
        left=left,
        reason=failure,
        hint=failure.hint or "the next `ia sync` continues from there",
        **_failure_fields(failure),
    )


def _failure_fields(failure: IaError) -> dict[str, object]:
    return {key: value for key, value in failure.params.items() if key not in ("left", "reason")}


def _summarize_failures(tally: backfill.BackfillTally) -> list[IaError]:
    """Return the one failure that says how the run ends: of many symbols each was told already."""
    found = sorted(tally.failed.items(), key=lambda item: failure_rank(item[1]))
    if not found:
        return []
    symbol, failure = found[0]
    kind = TryLater if isinstance(failure, TryLater) else Unavailable
    return [
        kind(
            PluralText(
                "could not fetch {count} security, {symbol}: {reason}",
                "could not fetch {count} securities, such as {symbol}: {reason}",
            ),
            count=len(found),
            symbol=symbol,
            reason=failure,
            hint="the next `ia sync` retries them",
        )
    ]


def _report_remaining(
    run: SyncRun, tally: backfill.BackfillTally, left: list[WantedHistory], lacking: list[str]
) -> None:
    """Say what is not there: what the source does not have, what waits, and which command fetches what is lacking."""
    if tally.missing:
        run.notify(
            Message(
                "not available from {source}: {symbols}",
                source=run.source.name,
                symbols=_abbreviate_symbols(tally.missing),
            )
        )
    if left and not tally.stopped:
        run.notify(
            Message(
                PluralText(
                    "{count} security still needs history or corporate actions ({symbols}); fetch them with `ia "
                    "sync daily --history`",
                    "{count} securities still need history or corporate actions ({symbols}); fetch them with `ia "
                    "sync daily --history`",
                ),
                count=len(left),
                symbols=_abbreviate_symbols([one.symbol for one in left]),
            )
        )
    if lacking and run.request.symbols is None and not _is_free_source(run):
        run.notify(
            Message(
                PluralText(
                    "{count} security has no history; fetching it takes about {time} at the request limit: `ia "
                    "sync daily --history`, or for some: `ia sync --symbols A,B`, `--universe watch`",
                    "{count} securities have no history; fetching it takes about {time} at the request limit: `ia "
                    "sync daily --history`, or for some: `ia sync --symbols A,B`, `--universe watch`",
                ),
                count=len(lacking),
                time=_format_duration(backfill.polite_seconds(len(lacking))),
            )
        )


def _format_duration(seconds: float) -> str:
    """Return a time to wait, rounded: `12 min`, `4 h 35 min`.

    >>> _format_duration(20), _format_duration(700), _format_duration(16500)
    ('1 min', '12 min', '4 h 35 min')
    """
    minutes = max(1, -int(-seconds // 60))
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


def _abbreviate_symbols(symbols: Sequence[str]) -> str:
    return ", ".join(symbols[:NAMED]) + (f", … ({len(symbols)})" if len(symbols) > NAMED else "")


def _update_mirror(run: SyncRun, row: Row) -> None:
    """Bring the column-wise copy up to date."""
    began = time.monotonic()
    writer.update_mirror(run.ws, run.db, run.number)
    row["mirror_s"] = round(time.monotonic() - began, 3)


@contextlib.contextmanager
def hold_sync_lock(ws: Workspace, what: str, seconds: float) -> Iterator[None]:
    """Hold the right to sync one thing: a second `ia sync` waits, or is told that there is another."""
    folder = os.path.join(ws.root, ".ia", "cache", "syncing")
    os.makedirs(folder, exist_ok=True)
    busy = TryLater("another `ia sync` is running ({what})", what=what, hint="try again when it has finished")
    with files.hold_lock(os.path.join(folder, what), wait=seconds, busy=busy):
        yield
