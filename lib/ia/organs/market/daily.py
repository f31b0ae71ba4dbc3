"""The day of the market, and what it asks for: the snapshot, its continuity, then the securities that need more.

What is left to do stands in the store before the day does, so that a run which died is followed by one that goes on.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.domain.instruments.special import choose_name
from ia.kernel import clock, files
from ia.kernel.errors import IaError, Message, Notify, TryLater, Unavailable
from ia.kernel.store import transaction
from ia.kernel.workspace import Workspace
from ia.organs.market import backfill, continuity, mirroring, store
from ia.organs.market import snapshot as snapshots
from ia.organs.market.backfill import Wanted
from ia.organs.market.quote import Quote
from ia.organs.market.sources import Source
from ia.organs.ohlcv.adapters import Adapter, is_free

if TYPE_CHECKING:
    from ia.organs.market.bulk import Streamed

GAPS = 200
"""More histories than these are not fetched without being asked for: it takes long, and is told."""
PATIENCE = 60.0
"""Seconds that a second `ia sync` waits for the first one's snapshot."""
NAMED = 12
"""So many symbols are named in a message; the summary has them all."""

Progress = Callable[[str, int, int, int], None]
"""Is told what is being fetched, how many are done, of how many, and how many of them failed."""
Row = dict[str, Any]


class Request(NamedTuple):
    """What is to be synced.

    job      one of JOBS, `all`, or "" for the day and what is due besides
    symbols  only these securities, canonical: their histories or reports, and no snapshot
    history  fetch the histories that are missing too; start: from when on, YYYY-MM-DD
    """

    job: str = ""
    symbols: tuple[str, ...] | None = None
    history: bool = False
    start: str | None = None


class Run(NamedTuple):
    """What all jobs of one run share."""

    ws: Workspace
    db: sqlite3.Connection
    source: Source
    number: int
    adapter: Adapter
    request: Request
    notify: Notify
    progress: Progress


def day(run: Run, row: Row) -> list[IaError]:
    """Store the day that the source shows, and settle what it asks for."""
    with alone(run.ws, "snapshot", PATIENCE):
        streamed = _streamed(run)
        shot = snapshots.take(
            streamed or run.source, lambda done, total: run.progress("market", done, total, 0), run.notify
        )
        if not shot.time:
            shot = _standing(run, shot)
        began = time.monotonic()
        last = continuity.last_bars(run.db, run.number, shot.day)
        _check(run, shot, last)
        quotes = named(run, shot.quotes)
        before = _day_before(run, shot.day, _has_funds(quotes))
        row |= {
            "day": shot.day, "host": shot.host, "pages": shot.pages, "symbols": len(quotes),
            "fetch_s": round(shot.seconds, 3),
        }  # fmt: skip
        if streamed:
            row |= {"histories": streamed.stored, "fetch_s": round(shot.seconds - streamed.seconds, 3)}
        _compare(run, row, quotes, before)
        if shot.closed:
            found = continuity.due(run.db, run.number, run.source.name, shot.day, quotes, last)
            _put_todo(run, shot.day, found | continuity.parted(run.db, run.number, shot.day, row["gone"]))
        row["check_s"] = round(time.monotonic() - began, 3)
        stored = store.put_day(
            run.db, run.number, shot.day, quotes, host=shot.host, bars=shot.closed, time=_stamp(shot)
        )
        if shot.closed:
            _begin_listings(run, shot.day)
            _note_closures(run, shot.day)
        row |= {"changed": stored.changed, "bars": stored.bars}
        if streamed:
            row |= {"changed": stored.changed + streamed.changed, "bars": stored.bars + streamed.bars}
        row["store_s"] = round(stored.seconds + (streamed.seconds if streamed else 0.0), 3)
    failed = _settle(run, row)
    _mirrored(run, row)
    return failed


def _streamed(run: Run) -> "Streamed | None":
    """Return the source that stores a folder's histories while its snapshot is made of them; None for the others."""
    if not run.source.local:
        return None
    from ia.organs.market.bulk import streamed

    return streamed(run.source, run.db, run.number)


def _note_closures(run: Run, day: str) -> None:
    """Note which weekdays after a day are holidays: reading can then tell its age without loading the calendar."""
    from ia.organs.ohlcv.calendar import closures

    known = "SELECT 1 FROM jobs WHERE source = ? AND job = 'closures' AND key = ?"
    if (shut := closures("CN", day)) and not run.db.execute(known, (run.number, day)).fetchone():
        store.note(run.db, run.number, "closures", day, "done", ",".join(shut))


def _standing(run: Run, shot: snapshots.Snapshot) -> snapshots.Snapshot:
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
        raise snapshots.later(run.source.name, day)
    template = "{source} still shows {day}; the last session was {session}"
    run.notify(Message(template, source=run.source.name, day=day, session=continuity.last_session()))
    return shot._replace(day=day, closed=True)


def _check(run: Run, shot: snapshots.Snapshot, last: dict[str, continuity.Last]) -> None:
    (count,) = run.db.execute(
        "SELECT count(*) FROM snapshots s LEFT JOIN securities c ON c.source = s.source AND c.symbol = s.symbol"
        " WHERE s.source = ?1 AND s.date = (SELECT max(date) FROM days WHERE source = ?1 AND whole = 1 AND date <= ?2)"
        " AND (?3 OR c.kind IS NOT 'etf')", (run.number, shot.day, _has_funds(shot.quotes)),
    ).fetchone()  # fmt: skip
    query = "SELECT rows FROM days WHERE source = ? AND whole = 1 AND rows > 0 AND date < ? ORDER BY date DESC LIMIT 1"
    row = run.db.execute(query, (run.number, shot.day)).fetchone()
    traded = None if _free(run) else row[0] if row else 0
    before = continuity.previous_session(shot.day)
    closes = {symbol: bar.close for symbol, bar in last.items() if bar.date == before}
    older = {symbol: bar.close for symbol, bar in last.items()}
    snapshots.check(shot, run.source.name, closes, count, traded, older)


def _has_funds(quotes: list[Quote]) -> bool:
    """Whether a snapshot has the funds too: they are another list, which may not come while the stocks do."""
    return any(quote.kind == "etf" for quote in quotes)


def named(run: Run, quotes: list[Quote]) -> list[Quote]:
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


def _day_before(run: Run, day: str, funds: bool) -> set[str]:
    """Return the symbols of the last whole day before a day, with its funds or without."""
    rows = run.db.execute(
        "SELECT s.symbol FROM snapshots s LEFT JOIN securities c ON c.source = s.source AND c.symbol = s.symbol"
        " WHERE s.source = ?1 AND s.date = (SELECT max(date) FROM days WHERE source = ?1 AND whole = 1 AND date < ?2)"
        " AND (?3 OR c.kind IS NOT 'etf')", (run.number, day, funds),
    )  # fmt: skip
    return {symbol for (symbol,) in rows}


def _compare(run: Run, row: Row, quotes: list[Quote], before: set[str]) -> None:
    """Tell who came and who is no longer there; nobody is deleted."""
    now = {quote.symbol for quote in quotes}
    known = before or {
        symbol for (symbol,) in run.db.execute("SELECT symbol FROM securities WHERE source = ?", (run.number,))
    }
    new, gone = sorted(now - known), sorted(before - now)
    row |= {"new": len(new), "gone": gone}
    if before and new:
        run.notify(Message("new: {symbols}", symbols=_some(new)))
    if gone:
        run.notify(Message("no longer in the snapshot (delisted?), kept in the store: {symbols}", symbols=_some(gone)))


def _put_todo(run: Run, day: str, found: dict[str, str]) -> None:
    """Note what is to be fetched before the day is stored. What was open before stays open from its own day on."""
    with transaction(run.db):
        run.db.executemany(
            "INSERT INTO todo (source, symbol, why, since) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET why = 'gap'"
            " WHERE since != excluded.since",
            [(run.number, symbol, why, day) for symbol, why in sorted(found.items())],
        )


def _stamp(shot: snapshots.Snapshot) -> str | None:
    """Return when a snapshot was true: while the session is open its own time, which readers hold against the close."""
    if shot.closed or len(shot.time) < 19:
        return None
    moment = datetime.fromisoformat(shot.time).replace(tzinfo=clock.CHINA)
    return clock.stamp(min(moment, clock.now()))


def _begin_listings(run: Run, day: str) -> None:
    """Note that a security which was listed today has its whole history: one bar."""
    run.db.execute(
        "UPDATE securities SET complete = 1 WHERE source = ? AND first = ? AND listed = first AND complete = 0",
        (run.number, day),
    )


# single securities


def _settle(run: Run, row: Row) -> list[IaError]:
    """Fetch what the day asked for: ex-dates, gaps and newcomers where they are few, histories where they are free."""
    waiting = backfill.waiting(run.db, run.number)
    wanted = [one for one in waiting if one.why == "ex-date"]
    gaps = [one for one in waiting if one.why != "ex-date"]
    everything = run.request.history or _free(run)
    if everything or len(gaps) <= GAPS:
        wanted += gaps
    if everything:
        wanted += _lacking(run, None)
    elif len(new := backfill.newcomers(run.db, run.number)) <= GAPS:
        wanted += [Wanted(symbol, continuity.HISTORY, "") for symbol in new]
    return _fetched(run, row, wanted)


def histories(run: Run, row: Row) -> list[IaError]:
    """Fetch what is missing of the securities that were named, up to the last session."""
    only = run.request.symbols or ()
    wanted = {one.symbol: one for one in backfill.waiting(run.db, run.number, only)}
    for one in _lacking(run, only):
        wanted[one.symbol] = one
    session = continuity.last_session()
    for symbol in backfill.stale(run.db, run.number, only):
        wanted.setdefault(symbol, Wanted(symbol, "gap", session))
    if run.request.start:
        for symbol in backfill.shorter(run.db, run.number, only, run.request.start):
            wanted[symbol] = Wanted(symbol, continuity.HISTORY, run.request.start)
    row |= {"symbols": len(only)}
    failed = _fetched(run, row, list(wanted.values()))
    _mirrored(run, row)
    return failed


def _lacking(run: Run, only: Sequence[str] | None) -> list[Wanted]:
    return [Wanted(symbol, continuity.HISTORY, "") for symbol in backfill.lacking(run.db, run.number, only)]


def _free(run: Run) -> bool:
    """Whether histories cost nobody anything: they lie on this disk, or are made up."""
    return is_free(run.adapter)


def _fetched(run: Run, row: Row, wanted: list[Wanted]) -> list[IaError]:
    """Fetch the histories and actions that are wanted and tell what is left."""
    source = store.Source(run.number, run.source.name, run.source.simulated)
    start = run.request.start or backfill.first_day(run.adapter)
    with contextlib.ExitStack() as stack:
        if len(wanted) > GAPS:
            stack.enter_context(alone(run.ws, "history", 0.0))
        tally = backfill.fetch(
            run.ws, run.db, source, run.adapter, wanted, start=start,
            progress=lambda done, total, failed: run.progress("histories", done, total, failed),
        )  # fmt: skip
    left = backfill.waiting(run.db, run.number)
    lacking = backfill.lacking(run.db, run.number)
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
    _tell_left(run, tally, left, lacking)
    if tally.stopped:
        return [_stopped(tally.stopped, len({one.symbol for one in left}.union(lacking)))]
    return _worst(tally)


def rank(failure: IaError) -> int:
    return [TryLater.status, Unavailable.status].index(failure.status) if failure.status in (75, 69) else 2


def _stopped(failure: IaError, left: int) -> IaError:
    """Return the failure that ended a run, with how much is left; the next run goes on there."""
    return type(failure)("stopped, {left} securities are left: {reason}", left=left, reason=failure,
                         hint=failure.hint or "the next `ia sync` goes on from there", **_safe(failure))  # fmt: skip


def _safe(failure: IaError) -> dict[str, object]:
    return {key: value for key, value in failure.params.items() if key not in ("left", "reason")}


def _worst(tally: backfill.Tally) -> list[IaError]:
    """Return the one failure that says how the run ends: of many symbols each was told already."""
    found = sorted(tally.failed.items(), key=lambda item: rank(item[1]))
    if not found:
        return []
    symbol, failure = found[0]
    kind = TryLater if isinstance(failure, TryLater) else Unavailable
    return [
        kind(
            "{count} of the securities could not be fetched, {symbol} among them: {reason}",
            count=len(found),
            symbol=symbol,
            reason=failure,
            hint="the next `ia sync` tries them again",
        )
    ]


def _tell_left(run: Run, tally: backfill.Tally, left: list[Wanted], lacking: list[str]) -> None:
    """Say what is not there: what the source does not have, what waits, and which command fetches what is lacking."""
    if tally.missing:
        run.notify(Message("{source} does not have: {symbols}", source=run.source.name, symbols=_some(tally.missing)))
    if left and not tally.stopped:
        run.notify(
            Message(
                "{count} securities wait for history or actions, {symbols}: `ia sync daily --history` fetches them",
                count=len(left),
                symbols=_some([one.symbol for one in left]),
            )
        )
    if lacking and run.request.symbols is None and not _free(run):
        run.notify(
            Message(
                "{count} securities lack their history; fetching it politely takes about {time}:"
                " `ia sync daily --history`, or of some: `ia sync --symbols A,B`, `--universe watch`",
                count=len(lacking),
                time=_duration(backfill.polite_seconds(len(lacking))),
            )
        )


def _duration(seconds: float) -> str:
    """Return a time to wait, rounded: `12 min`, `4 h 35 min`.

    >>> _duration(20), _duration(700), _duration(16500)
    ('1 min', '12 min', '4 h 35 min')
    """
    minutes = max(1, -int(-seconds // 60))
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


def _some(symbols: Sequence[str]) -> str:
    return ", ".join(symbols[:NAMED]) + (f", … ({len(symbols)})" if len(symbols) > NAMED else "")


def _mirrored(run: Run, row: Row) -> None:
    """Bring the column-wise copy up to date."""
    began = time.monotonic()
    mirroring.update(run.ws, run.db, run.number)
    row["mirror_s"] = round(time.monotonic() - began, 3)


@contextlib.contextmanager
def alone(ws: Workspace, what: str, seconds: float) -> Iterator[None]:
    """Hold the right to sync one thing: a second `ia sync` waits, or is told that there is another."""
    folder = os.path.join(ws.root, ".ia", "cache", "syncing")
    os.makedirs(folder, exist_ok=True)
    busy = TryLater("another ia sync is running ({what})", what=what, hint="try again when it is done")
    with files.hold_lock(os.path.join(folder, what), wait=seconds, busy=busy):
        yield
