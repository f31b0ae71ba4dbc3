"""`ia sync`: bring the whole market into the local store."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option, start_option
from ia_cli.terminal.output import complain, emit_json, notify
from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace

JOBS = ("daily", "symbols", "fundamentals", "northbound", "lhb", "sectors", "all")
COLUMNS = (
    "job", "day", "host", "symbols", "new", "changed", "ex_dates", "histories", "todo", "lacking", "fetch_s", "store_s",
    "mirror_s",
)  # fmt: skip

HEADS = {
    "job": "job", "day": "day", "host": "host", "symbols": "items", "new": "new", "changed": "rows written",
    "ex_dates": "ex-dates", "histories": "histories", "todo": "to fetch", "lacking": "lacking",
}  # fmt: skip
"""What stands above a column on a terminal, where nobody counts the milliseconds."""
LABELS = {
    "market": "whole market",
    "symbols": "list of securities",
    "histories": "histories of bars",
    "fundamentals": "company reports",
    "lhb": "unusual trading",
    "sectors": "members of boards",
}
"""What the progress bar says of what is being fetched."""


@click.command(cls=Command, example="IA_MARKET_ADAPTER=demo ia sync daily")
@click.argument("job", required=False, type=click.Choice(JOBS), metavar="[JOB]")
@click.option("--symbols", metavar="A,B", help="Only these securities: their histories (or reports), no snapshot.")
@click.option(
    "--universe", metavar="U", help="The same for all, watch, held, a file of codes, an industry or a concept."
)
@click.option("--history", is_flag=True, help="With the day, fetch the histories that are missing, politely.")
@start_option("From when on; default: setting market.history_years.")
@click.option("-q", "--quiet", is_flag=True, help="Print no summary; what failed and what is missing is still told.")
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
    """Bring the whole market into the local store.

    JOB is daily, symbols, fundamentals, northbound, lhb, sectors or all; without one it is daily and what is due of the
    others. It can be interrupted anywhere and run again: it goes on from there.

    daily takes one snapshot of the market, the bars of the day. Only where a previous close is not the stored one (an
    ex-date, a gap) anything else is fetched. A first sync has no history: it says how long that would take, and
    --history fetches it at a polite pace, over days if need be. With --symbols or --universe only their histories are
    fetched; with --history too, the snapshot comes first.

    Status 75 where a source shuts us out or is away: what is stored stays, and the next run goes on.
    """
    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia.organs.market.sync import Request
    from ia.organs.market.sync import sync as bring
    from ia.organs.ohlcv.history import Request as Bars
    from ia.organs.ohlcv.history import dated

    if symbols is not None and universe is not None:
        raise UsageError("--symbols and --universe exclude each other")
    only_prices = job not in (None, "daily", "fundamentals")
    if only_prices and (symbols is not None or universe is not None):
        raise UsageError("--symbols and --universe go with daily and fundamentals")
    if job not in (None, "daily") and (history or start):
        raise UsageError("--history and --start go with daily")
    start = dated(Bars("", start=start)).start
    ws = Workspace()
    chosen = _chosen(ws, symbols, universe)
    with _goes_on(), _progress() as progress:
        if chosen is not None and history:
            first = bring(ws, Request("daily"), notify, progress)
            outcome = bring(ws, Request("daily", chosen, True, start), notify, progress)
            outcome = outcome._replace(rows=first.rows + outcome.rows, failures=first.failures + outcome.failures)
        else:
            outcome = bring(ws, Request(job or "", chosen, history, start), notify, progress)
    if quiet:
        pass
    elif as_json:
        failures = [{"status": failure.status, "message": str(failure)} for failure in outcome.failures]
        emit_json({"jobs": outcome.rows, "failures": failures})
    elif outcome.rows:
        from ia_cli.terminal.wide_tables import emit_brief

        emit_brief(outcome.rows, COLUMNS, HEADS, spare=("host", "new"))
    for failure in outcome.failures:
        complain(failure)
    if outcome.failures:
        ctx.exit(min(outcome.failures, key=lambda failure: failure.status != 75).status)


def _chosen(ws: "Workspace", symbols: str | None, universe: str | None) -> tuple[str, ...] | None:
    """Return the canonical symbols that are meant; None for the whole market."""
    from ia.kernel.errors import UsageError

    if symbols is not None:
        from ia.domain.instruments.symbols import resolve

        found = [resolve(part, traded=True) for part in symbols.split(",") if part.strip()]
        if not found:
            raise UsageError("--symbols names none", hint="`--symbols 600519,300750`")
        abroad = [str(symbol) for symbol in found if symbol.market != "CN"]
        if abroad:
            raise UsageError(
                "{symbol}: ia sync brings the mainland's market", symbol=abroad[0],
                hint="`ia ohlcv SYMBOL` fetches and keeps it",
            )  # fmt: skip
        return tuple(dict.fromkeys(symbol.canonical for symbol in found))
    if universe is None:
        return None
    from ia.wiring.universe import list_universe as members

    found = members(ws, universe)
    abroad = [str(symbol) for symbol in found if symbol.market != "CN"]
    if abroad:
        from ia.kernel.errors import Message

        template = "left out: {symbols} (ia sync fetches the mainland's market; `ia ohlcv SYMBOL` fetches the others)"
        notify(Message(template, symbols=", ".join(abroad)))
    return tuple(symbol.canonical for symbol in found if symbol.market == "CN")


@contextlib.contextmanager
def _goes_on() -> Iterator[None]:
    """Say after Ctrl-C that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        from ia.kernel.errors import Message

        notify(Message("interrupted: what was finished is stored, the next `ia sync` goes on from there"))
        raise


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str, int, int, int], None]]:
    """Show how far it is on stderr: a bar on a terminal, else a line each tenth of what takes longer than a minute."""
    if sys.stderr.isatty():
        with _bar() as show:
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
def _bar() -> Iterator[Callable[[str, int, int, int], None]]:
    """Draw a bar with the rate, the time that is left and what failed."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(24), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(), TextColumn("{task.fields[failed]}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        tasks: dict[str, int] = {}

        def show(what: str, done: int, total: int, failed: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(tr(LABELS.get(what, what)), total=total, rate="", failed="")
            task = bar.tasks[tasks[what]]
            rate = f"{task.speed:.1f}/s" if task.speed else ""
            missed = f"{failed} {tr('failed')}" if failed else ""
            bar.update(task.id, completed=done, total=max(total, 1), rate=rate, failed=missed)

        yield show
