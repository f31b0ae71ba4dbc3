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
    silent,
)
from ia.kernel.store import Damaged, explain
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market import continuity, daily, jobs, sources, store
from ia.organs.market import snapshot as snapshots
from ia.organs.market.daily import Request, Run
from ia.organs.market.sources import Source
from ia.organs.ohlcv.adapters import Adapter

__all__ = ["JOBS", "Outcome", "Request", "sync"]

JOBS = ("daily", "fundamentals", "northbound", "lhb", "sectors", "symbols")
_DAILY = ("daily", "symbols")


class Outcome(NamedTuple):
    """A row for each job that brought something, and what failed, the failure most worth another try first."""

    rows: list[daily.Row]
    failures: list[IaError]


def sync(
    ws: Workspace, request: Request, notify: Notify = silent, progress: daily.Progress = lambda *told: None
) -> Outcome:
    """Bring the store up to date and return what was done; the failure of one job does not stop the others.

    A market.db that is damaged is put aside, told of, and begun anew.
    raises  ConfigError, UsageError: nothing was begun. What a source did is in `failures`.
    """
    source, adapter = _source()
    if source.simulated:
        notify(Simulated("simulated prices: the whole market is invented by {adapter}", adapter=source.name))
    try:
        outcome = _synced(ws, source, adapter, request, notify, progress)
    except (sqlite3.DatabaseError, Damaged) as exc:
        damage = explain(exc, marketdb.SCHEMA) if isinstance(exc, sqlite3.Error) else exc
        if not isinstance(damage, Damaged):
            raise
        marketdb.put_aside(ws, damage, notify)
        outcome = _synced(ws, source, adapter, request, notify, progress)
    if request.job in ("", "daily", "all"):
        _refresh_calendar(ws, source, notify)
    told = [str(failure) for failure in outcome.failures]
    audit.record(ws.db, "market.sync", request.job or "due", "user", rows=outcome.rows, failures=told)
    return outcome


def _refresh_calendar(ws: Workspace, source: Source, notify: Notify) -> None:
    """Fetch the trading days of the next year where the known ones end soon and the source tells them."""
    from ia.organs.ohlcv import calendar, trade_dates

    end = calendar.known_until("CN")
    if date.fromisoformat(end) - date.fromisoformat(clock.today("CN")) > trade_dates.SOON:
        return
    try:
        days = source.trade_dates()
        until = trade_dates.keep(ws.root, days) if days else end
    except IaError as exc:
        notify(Message("the trading days past {day} could not be fetched: {reason}", day=end, reason=exc))
        return
    if until > end:
        notify(Message("the trading days are known until {day} now", day=until))


def _synced(
    ws: Workspace, source: Source, adapter: Adapter, request: Request, notify: Notify, progress: daily.Progress
) -> Outcome:
    with contextlib.closing(marketdb.connect(ws)) as db:
        number = store.source_id(db, source.name, source.simulated)
        run = Run(ws, db, source, number, adapter, request, notify, progress)
        rows: list[daily.Row] = []
        failures: list[IaError] = []
        for name in _names(request):
            _done(run, name, rows, failures)
        if not request.job and request.symbols is None and not failures:
            for name in jobs.due(db, number, continuity.last_session()):
                _done(run, name, rows, failures)
    return Outcome(rows, sorted(failures, key=daily.rank))


def _names(request: Request) -> Sequence[str]:
    if request.job == "all":
        return JOBS[:-1]  # the snapshot of the day tells the symbols too
    return (request.job or "daily",)


def _source() -> tuple[Source, Adapter]:
    """Return the first adapter of `market.adapter` that tells of a whole market, as source and as adapter."""
    from ia.organs.ohlcv.adapters import load

    for name in config.listed("market.adapter"):
        with contextlib.suppress(sources.NotDelivered):
            return sources.load(name), load(name)
    raise UsageError(
        "no adapter of market.adapter tells of a whole market", hint="`ia config set market.adapter akshare`"
    )


def _done(run: Run, name: str, rows: list[daily.Row], failures: list[IaError]) -> None:
    """Do one job: its row goes to `rows`, and what went wrong to `failures`."""
    began = time.monotonic()
    row: daily.Row = {"job": name, "source": run.source.name, "simulated": run.source.simulated}
    try:
        if name in _DAILY and run.request.symbols is not None:
            failed = daily.histories(run, row)
        elif name == "daily":
            failed = daily.day(run, row)
        else:
            _other(run, name, row)
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


def _other(run: Run, name: str, row: daily.Row) -> None:
    """Do a job that is some requests for the whole market."""

    def told(done: int, total: int) -> None:
        run.progress(name, done, total, 0)

    with daily.alone(run.ws, name, daily.PATIENCE):
        if name == "symbols":
            row |= _symbols(run, told)
            return
        if name == "fundamentals":
            done = jobs.fundamentals(run.db, run.number, run.source, run.request.symbols or (), run.notify, told)
        elif name == "northbound":
            done = jobs.northbound(run.db, run.number, run.source, run.notify)
        elif name == "lhb":
            done = jobs.lhb(run.db, run.number, run.source, told)
        else:
            done = jobs.sectors(run.db, run.number, run.source, run.notify, told)
    row |= {"day": done.day, "symbols": done.rows, "changed": done.changed}


def _symbols(run: Run, told: Callable[[int, int], None]) -> daily.Row:
    """Store what the snapshot tells of securities, without its prices."""
    shot = snapshots.take(run.source, told, run.notify)
    quotes = daily.named(run, shot.quotes)
    changed = store.put_facts(run.db, run.number, shot.day, quotes)
    return {"day": shot.day, "host": shot.host, "pages": shot.pages, "symbols": len(quotes), "changed": changed}
