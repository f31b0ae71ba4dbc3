"""`ia sync`: the whole market into the store, politely, so that it can be interrupted anywhere and run again.

A day is one snapshot, looked at as a whole and stored in one transaction. Only securities whose previous close is not
the stored one have anything fetched after that. What is left to do stands in the store (`todo`, `jobs`,
`securities.complete`) before the day does, so that a run which died is followed by one that goes on.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

from ia.kernel import audit, clock, config
from ia.kernel.errors import (
    BadData,
    IaError,
    Message,
    NotFound,
    Notify,
    Refused,
    Simulated,
    TryLater,
    Unavailable,
    UsageError,
    drop_message,
)
from ia.kernel.store import Damaged, explain_sqlite_error
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market import (
    continuity,
    daily_sync,
    date_sync,
    foreign_sync,
    indices,
    market_jobs,
    rate_sync,
    sources,
    store,
)
from ia.organs.market import snapshot as snapshots
from ia.organs.market.daily_sync import SyncRequest, SyncRun
from ia.organs.market.sources import MarketSource
from ia.organs.ohlcv.adapters import Adapter

__all__ = ["JOBS", "SyncOutcome", "SyncRequest", "sync_market"]

JOBS = (
    "daily", "hk", "us", "indices", "rates", "fundamentals", "northbound", "lhb", "sectors", "calendar", "symbols"
)  # fmt: skip
_DAILY = ("daily", "symbols")


class SyncOutcome(NamedTuple):
    """A row for each job that brought something, and what failed, the failure most worth another try first."""

    rows: list[daily_sync.Row]
    failures: list[IaError]


def sync_market(
    ws: Workspace,
    request: SyncRequest,
    notify: Notify = drop_message,
    progress: daily_sync.Progress = lambda *told: None,
) -> SyncOutcome:
    """Bring the store up to date and return what was done; the failure of one job does not stop the others.

    A market.db that is damaged is put aside, told of, and begun anew.
    raises  ConfigError, UsageError: nothing was begun. What a source did is in `failures`.
    """
    source, adapter = _load_source()
    if source.simulated:
        notify(Simulated("simulated prices: {adapter} invented the whole market", adapter=source.name))
    try:
        outcome = _run_jobs(ws, source, adapter, request, notify, progress)
    except (sqlite3.DatabaseError, Damaged) as exc:
        damage = explain_sqlite_error(exc, marketdb.SCHEMA) if isinstance(exc, sqlite3.Error) else exc
        if not isinstance(damage, Damaged):
            raise
        marketdb.set_aside_damaged(ws, damage, notify)
        outcome = _run_jobs(ws, source, adapter, request, notify, progress)
    if request.job in ("", "daily", "all"):
        _refresh_calendar(ws, source, notify)
    told = [str(failure) for failure in outcome.failures]
    audit.record(ws.db, "market.sync", request.job or "due", "user", rows=outcome.rows, failures=told)
    return outcome


def _refresh_calendar(ws: Workspace, source: MarketSource, notify: Notify) -> None:
    """Fetch the trading days of the next year where the known ones end soon and the source tells them."""
    from ia.organs.ohlcv import calendar, trade_dates

    end = calendar.known_until("CN")
    if date.fromisoformat(end) - date.fromisoformat(clock.today("CN")) > trade_dates.SOON:
        return
    try:
        days = source.trade_dates()
        until = trade_dates.keep_sessions(ws.root, days) if days else end
    except IaError as exc:
        notify(Message("could not fetch the trading days after {day}: {reason}", day=end, reason=exc))
        return
    if until > end:
        notify(Message("trading days are now known until {day}", day=until))


def _run_jobs(
    ws: Workspace,
    source: MarketSource,
    adapter: Adapter,
    request: SyncRequest,
    notify: Notify,
    progress: daily_sync.Progress,
) -> SyncOutcome:
    with contextlib.closing(marketdb.connect(ws)) as db:
        number = store.source_id(db, source.name, source.simulated)
        run = SyncRun(
            ws=ws,
            db=db,
            source=source,
            number=number,
            adapter=adapter,
            request=request,
            notify=notify,
            progress=progress,
        )
        rows: list[daily_sync.Row] = []
        failures: list[IaError] = []
        for name in _job_names(request):
            _run_job(run, name, rows, failures)
        if not request.job and request.symbols is None and request.rates and rate_sync.is_due(db, number):
            _run_job(run, "rates", rows, failures)
        if not request.job and request.symbols is None and not failures:
            due = market_jobs.due_jobs(db, number, continuity.last_session())
            if date_sync.is_due(db, number, source.name, request.dated):
                due.append("calendar")
            for name in due:
                _run_job(run, name, rows, failures)
    return SyncOutcome(rows, sorted(failures, key=daily_sync.failure_rank))


def _job_names(request: SyncRequest) -> Sequence[str]:
    abroad = [name for name in foreign_sync.MARKETS if foreign_sync.select_market(name, request.foreign)]
    if request.job == "all":
        rest = JOBS[JOBS.index("indices") : -1]  # the snapshot of the day tells the symbols too
        return ("daily", *abroad, *rest)
    if request.job in ("", "daily"):
        return abroad if abroad and request.symbols == () else ("daily", *abroad)
    return (request.job,)


def _load_source() -> tuple[MarketSource, Adapter]:
    """Return the first adapter of `market.adapter` that tells of a whole market, as source and as adapter."""
    from ia.organs.ohlcv.adapters import load_adapter

    for name in config.get_setting_words("market.adapter"):
        with contextlib.suppress(sources.NotDelivered):
            return sources.load_source(name), load_adapter(name)
    raise UsageError(
        "no adapter in market.adapter provides data of the whole market",
        hint="run `ia config set market.adapter akshare`",
    )


def _run_job(run: SyncRun, name: str, rows: list[daily_sync.Row], failures: list[IaError]) -> None:
    """Do one job: its row goes to `rows`, and what went wrong to `failures`."""
    began = time.monotonic()
    row: daily_sync.Row = {"job": name, "source": run.source.name, "simulated": run.source.simulated}
    try:
        if name in _DAILY and run.request.symbols is not None:
            failed = daily_sync.sync_histories(run, row)
        elif name == "daily":
            failed = daily_sync.sync_day(run, row)
        elif name in foreign_sync.MARKETS:
            failed = _sync_foreign(run, name, row)
        else:
            _run_market_job(run, name, row)
            failed = []
    except sources.NotDelivered as exc:
        if run.request.job == name:
            failures.append(exc)
        else:
            run.notify(Message("{job}: {reason}", job=name, reason=exc))
        return
    except Damaged:
        raise
    except (TryLater, Unavailable, NotFound, Refused, BadData) as exc:
        failures.append(exc)
        return
    row["seconds"] = round(time.monotonic() - began, 3)
    rows.append(row)
    failures.extend(failed)


def _sync_foreign(run: SyncRun, name: str, row: daily_sync.Row) -> list[IaError]:
    """Bring the securities of one market abroad up to date; return a failure for each that could not be."""
    symbols = foreign_sync.select_market(name, run.request.foreign)
    notify = foreign_sync.drop_simulated(run.notify) if run.source.simulated else run.notify
    with daily_sync.hold_sync_lock(run.ws, name, daily_sync.PATIENCE):
        done = foreign_sync.sync_foreign(run.ws, symbols, notify, lambda *counts: run.progress(name, *counts))
    row |= {"day": done.day, "symbols": done.rows, "changed": done.changed}
    row["failed"] = {symbol: str(failure) for symbol, failure in done.failed.items()}
    if done.skipped:
        run.notify(Message("not fetched after the failures before: {symbols}", symbols=", ".join(done.skipped)))
    for failure in done.failed.values():
        failure.hint = "stored prices stay; `ia doctor` shows the state of each host"
    return list(done.failed.values())


def _run_market_job(run: SyncRun, name: str, row: daily_sync.Row) -> None:
    """Do a job that is some requests for the whole market."""

    def report_progress(done: int, total: int) -> None:
        run.progress(name, done, total, 0)

    with daily_sync.hold_sync_lock(run.ws, name, daily_sync.PATIENCE):
        if name == "symbols":
            row |= _sync_symbols(run, report_progress)
            return
        if name == "fundamentals":
            done = market_jobs.sync_fundamentals(
                run.db, run.number, run.source, run.request.symbols or (), run.notify, report_progress
            )
        elif name == "indices":
            done = indices.sync_indices(run.ws, run.adapter, run.notify, report_progress)
            store.note_job(run.db, run.number, "indices", "", "done", str(done.rows))
        elif name == "rates":
            done = rate_sync.sync_rates(run.db, run.number, run.source)
        elif name == "calendar":
            done = date_sync.sync_dates(run.db, run.number, run.source, run.request.dated, report_progress)
        elif name == "northbound":
            done = market_jobs.sync_northbound(run.db, run.number, run.source, run.notify)
        elif name == "lhb":
            done = market_jobs.sync_lhb(run.db, run.number, run.source, report_progress)
        else:
            done = market_jobs.sync_sectors(run.db, run.number, run.source, run.notify, report_progress)
    row |= {"day": done.day, "symbols": done.rows, "changed": done.changed}


def _sync_symbols(run: SyncRun, told: Callable[[int, int], None]) -> daily_sync.Row:
    """Store what the snapshot tells of securities, without its prices."""
    shot = snapshots.take_snapshot(run.source, told, run.notify)
    quotes = daily_sync.restore_names(run, shot.quotes)
    changed = store.put_facts(run.db, run.number, shot.day, quotes)
    return {"day": shot.day, "host": shot.host, "pages": shot.pages, "symbols": len(quotes), "changed": changed}
