"""`ia sync`: bring the whole market into the local store."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ia.kernel.i18n import Voice
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option, start_option
from ia_cli.terminal.output import Row, emit_json, notify, record_run_summary, tell_error
from ia_cli.terminal.text import lang, say, tr

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol
    from ia.kernel.workspace import Workspace

JOBS = (
    "daily", "hk", "us", "indices", "rates", "symbols", "fundamentals", "northbound", "lhb", "sectors", "calendar",
    "all",
)  # fmt: skip
COLUMNS = (
    "job",
    "day",
    "host",
    "symbols",
    "new",
    "changed",
    "ex_dates",
    "histories",
    "todo",
    "lacking",
    "fetch_s",
    "store_s",
    "mirror_s",
)

HEADS = {
    "job": "job",
    "day": "day",
    "host": "host",
    "symbols": "items",
    "new": "new",
    "changed": "rows written",
    "ex_dates": "ex-dates",
    "histories": "histories",
    "todo": "to fetch",
    "lacking": "lacking",
}
"""What stands above a column on a terminal, where nobody counts the milliseconds."""
LABELS = {
    "market": "whole market",
    "daily": "whole market",
    "hk": "Hong Kong shares",
    "us": "US shares",
    "symbols": "list of securities",
    "histories": "bar histories",
    "fundamentals": "company reports",
    "lhb": "unusual trading",
    "northbound": "northbound trading",
    "sectors": "sector members",
    "indices": "indices",
    "rates": "exchange rates",
    "calendar": "coming dates",
}
"""What the progress bar says of what is being fetched."""


@click.command(cls=Command, example="IA_MARKET_ADAPTER=demo ia sync daily")
@click.argument("job", required=False, type=click.Choice(JOBS), metavar="[JOB]")
@click.option(
    "--symbols", metavar="A,B", help="Fetch only the histories (or reports) of these securities, no snapshot."
)
@click.option(
    "--universe", metavar="U", help="Like --symbols, for all, watch, held, a file of codes, an industry or a concept."
)
@click.option("--history", is_flag=True, help="Also fetch missing histories, at a limited rate.")
@start_option("First date of histories (default: by setting market.history_years).")
@click.option("-q", "--quiet", is_flag=True, help="Print no summary; ia still reports failures and missing data.")
@json_option
@click.pass_context
def sync(
    ctx: click.Context,
    job: str | None,
    symbols: str | None,
    universe: str | None,
    history: bool,
    start: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Sync the whole market into the local store.

    JOB is daily, hk, us, indices, rates, symbols, fundamentals, northbound, lhb, sectors, calendar or all (default:
    daily and those of the others that are due). You can interrupt ia at any point; the next run continues from there.

    daily takes one snapshot of the market: the bars of the day. It fetches more only for securities whose previous
    close differs from the stored one (an ex-dividend date, a gap). A first sync has no history: ia estimates how long
    fetching it takes, and --history fetches it at a limited rate, over days if needed. With --symbols or --universe,
    ia fetches only the histories of those securities, on every market; if you also give --history, it takes the
    snapshot first.

    hk and us keep the bars of the Hong Kong and US securities that you hold or watch, up to the last closed session of
    their exchange. They are due whenever an exchange has closed since the last run. ia reports each one that fails.

    indices keeps the bars of the main indices (000001.SH, 399001.SZ, 399006.SZ, 000300.SH, 000905.SH, 000688.SH).

    rates keeps the yuan's central parity of the US and the Hong Kong dollar (safe.gov.cn). It is due every day while
    the ledger has money in another currency than the yuan.

    hk and us also ask for the reports of these companies once a week, for `ia quote` and `ia fundamentals`;
    `ia sync fundamentals --symbols AAPL` asks for those of one.

    calendar keeps the coming dates of the securities that you hold or watch, for `ia calendar`: ex-dates, report
    dates, lock-up expiries. It is due once a day. --symbols and --universe name other securities.

    Status 75 if a source blocks ia or is unreachable. Stored data stays, and the next run continues. A security that
    you hold or watch and no source knows is reported, and the status stays 0; with --symbols it is 66.
    """
    from ia.kernel.errors import NotFound, UsageError
    from ia.kernel.workspace import Workspace
    from ia.organs.market.sync import SyncRequest
    from ia.organs.market.sync import sync_market as bring
    from ia.organs.ohlcv.history import BarsRequest as Bars
    from ia.organs.ohlcv.history import resolve_dates

    if symbols is not None and universe is not None:
        raise UsageError("--symbols and --universe cannot be combined; give one")
    whole = job not in (None, "daily", "hk", "us", "fundamentals", "calendar")
    if whole and (symbols is not None or universe is not None):
        raise UsageError("--symbols and --universe work only with daily, hk, us, fundamentals and calendar")
    if job not in (None, "daily") and (history or start):
        raise UsageError("--history and --start work only with daily")
    start = resolve_dates(Bars(symbol="", start=start)).start
    ws = Workspace()
    named = _choose_securities(ws, symbols, universe)
    chosen, foreign = _split_markets(ws, job, named)
    with _tell_on_interrupt(), _show_progress() as progress:
        if chosen and history:
            first = bring(ws, SyncRequest("daily"), notify, progress)
            outcome = bring(ws, SyncRequest("daily", chosen, True, start, foreign=foreign), notify, progress)
            outcome = outcome._replace(rows=first.rows + outcome.rows, failures=first.failures + outcome.failures)
        else:
            dated = _choose_dated(ws, job, chosen)
            chosen = None if job == "calendar" else chosen
            rates = _needs_rates(ws)
            request = SyncRequest(job or "", chosen, history, start, rates=rates, dated=dated, foreign=foreign)
            outcome = bring(ws, request, notify, progress)
    record_run_summary(_describe_rows(outcome.rows))
    if quiet:
        pass
    elif as_json:
        failures = [{"status": failure.status, "message": str(failure)} for failure in outcome.failures]
        emit_json({"jobs": outcome.rows, "failures": failures})
    elif outcome.rows:
        from ia_cli.terminal.wide_tables import emit_wide_rows

        rows = [_localize_row(row) for row in outcome.rows] if sys.stdout.isatty() else outcome.rows
        emit_wide_rows(rows, COLUMNS, HEADS, spare=("host", "new"))
    for failure in outcome.failures:
        tell_error(failure)
    counted = [each for each in outcome.failures if named is not None or not isinstance(each, NotFound)]
    if counted:
        ctx.exit(min(counted, key=lambda failure: failure.status != 75).status)


def _localize_row(row: Row) -> Row:
    """Return a row as a person reads it; in English a job keeps the name that `ia sync` takes."""
    job, host = str(row["job"]), row.get("host")
    return {**row, "job": job if lang() == "en" else tr(LABELS.get(job, job)), "host": tr(host) if host else host}


def _describe_rows(rows: "Sequence[Row]") -> str:
    """Return in one sentence what was synced."""
    if not rows:
        return say("Nothing was due to sync.")
    jobs = [
        say("{job} {count} rows", job=tr(LABELS.get(str(row["job"]), str(row["job"]))), count=row.get("changed") or 0)
        for row in rows
    ]
    return say("Synced: {jobs}.", jobs=Voice(lang())(", ", context="enumeration").join(jobs))


def _choose_securities(ws: "Workspace", symbols: str | None, universe: str | None) -> "list[Symbol] | None":
    """Return the securities that are meant, each once; None for the whole market."""
    from ia.kernel.errors import UsageError

    if symbols is not None:
        from ia.domain.instruments.symbols import resolve_security

        found = [resolve_security(part, traded=True) for part in symbols.split(",") if part.strip()]
        if not found:
            raise UsageError("--symbols contains no symbols", hint="`--symbols 600519,300750`")
        return list(dict.fromkeys(found))
    if universe is None:
        return None
    from ia.wiring.universe import list_universe as members

    return members(ws, universe)


def _split_markets(
    ws: "Workspace", job: str | None, named: "list[Symbol] | None"
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return the mainland's securities that were named, None for all, and those of Hong Kong and the US.

    Where none were named, the latter are those that are held or watched.
    """
    if named is None:
        if job not in (None, "all", "hk", "us"):
            return None, ()
        from ia.domain.instruments.symbols import from_canonical
        from ia.wiring.universe import list_own_symbols

        own = list_own_symbols(ws)
        return None, tuple(symbol for symbol in own if from_canonical(symbol).market != "CN")
    home = tuple(symbol.canonical for symbol in named if symbol.market == "CN")
    abroad = tuple(symbol.canonical for symbol in named if symbol.market != "CN")
    if job in ("calendar", "fundamentals"):
        return (*home, *abroad), ()
    return home, abroad


def _choose_dated(ws: "Workspace", job: str | None, chosen: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the securities whose coming dates are kept: those that were named, else what is held or watched."""
    if job == "calendar" and chosen is not None:
        return chosen
    from ia.wiring.universe import list_own_symbols

    return tuple(list_own_symbols(ws))


def _needs_rates(ws: "Workspace") -> bool:
    """Return True if the ledger has money in several currencies, or in another one than the base."""
    from ia.organs.ledger.journal import find_currencies
    from ia.organs.ledger.net_worth import base_currency

    return bool(find_currencies(ws.db) - {base_currency()})


@contextlib.contextmanager
def _tell_on_interrupt() -> Iterator[None]:
    """Say after Ctrl-C that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        from ia.kernel.errors import Message

        notify(Message("interrupted; finished work is stored, and the next `ia sync` continues from there"))
        raise


@contextlib.contextmanager
def _show_progress() -> Iterator[Callable[[str, int, int, int], None]]:
    """Show how far it is on stderr: a bar on a terminal, else a line each tenth of what takes longer than a minute."""
    if sys.stderr.isatty():
        with _progress_bar() as show:
            yield show
    else:
        yield _Lines()


class _Lines:
    """Progress for a log: nothing about what is quick."""

    def __init__(self) -> None:
        self.what, self.began, self.tenth = "", 0.0, 0

    def __call__(self, what: str, done: int, total: int, failed: int) -> None:
        from ia.kernel.errors import Message

        now = time.monotonic()
        if what != self.what or not done:
            self.what, self.began, self.tenth = what, now, 0
        tenth = 10 * done // total if total else 0
        if tenth > self.tenth and now - self.began > 60 and done < total:
            self.tenth = tenth
            left = (now - self.began) / done * (total - done)
            template = "{what}: {done} of {total}, {failed} failed, about {minutes} min left"
            notify(
                Message(
                    template,
                    what=tr(LABELS.get(what, what)),
                    done=done,
                    total=total,
                    failed=failed,
                    minutes=round(left / 60),
                )
            )


@contextlib.contextmanager
def _progress_bar() -> Iterator[Callable[[str, int, int, int], None]]:
    """Draw a bar with the rate, the time that is left and what failed."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        tasks: dict[str, int] = {}

        def update_bar(what: str, done: int, total: int, failed: int) -> None:
            if not total:  # nothing to fetch
                return
            if what not in tasks:
                tasks[what] = bar.add_task(tr(LABELS.get(what, what)), total=total, rate="", failed="")
            task = bar.tasks[tasks[what]]
            rate = f"{task.speed:.1f}/s" if task.speed else ""
            missed = f"{failed} {tr('failed')}" if failed else ""
            bar.update(task.id, completed=done, total=total, rate=rate, failed=missed)

        yield update_bar
