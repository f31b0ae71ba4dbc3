"""`ia report`: one page about a symbol, the account or the market."""

import sys
from typing import TYPE_CHECKING

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import adapter_option, adjust_option, stale_option
from ia_cli.terminal.output import notify

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace


@click.command(cls=Command, example="ia report 600519 --adapter demo -o report.html")
@click.argument("target", metavar="SYMBOL|account|market")
@click.option("-o", "--output", metavar="FILE", help="Write FILE (.html); default: standard output.")
@adapter_option
@adjust_option
@stale_option
def report(target: str, output: str | None, adapter: tuple[str, ...], adjust: str | None, stale: bool) -> None:
    """Write one self-contained page about a symbol, the account or the market.

    Of a SYMBOL: its chart, what it did, quote and fundamentals from the store, the trades in it and what was written
    about it. Of the account: equity against deposits, positions, profit, the risk rules and their state. Of the market:
    breadth, industries, what rose and fell, main lines, north-bound and unusual trading of the newest stored day.

    The page needs no network and loads nothing. What is not stored is said to be missing; only the prices of a SYMBOL
    are fetched, as `ia ohlcv` fetches them.
    """
    from ia.faculties.pictures import saving
    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.picture_language import voice

    if output is not None:
        saving.form_of(output, ("html",))
    elif sys.stdout.isatty():
        raise UsageError("a page is not for a terminal", hint="ia report {target} -o report.html", target=target)
    if target in ("account", "market") and (adapter or adjust or stale):
        raise UsageError("--adjust, --adapter and --stale need a SYMBOL")
    ws = Workspace()
    if target == "account":
        from ia.faculties.pictures import of_account

        page = of_account.report(ws, voice(), notify)
    elif target == "market":
        from ia.faculties.pictures import of_market

        page = of_market.report(ws, voice(), notify)
    else:
        page = _of_symbol(ws, target, adapter, adjust, stale)
    if output is None:
        sys.stdout.write(page)
        return
    saving.save(output, page.encode())
    sys.stdout.write(output + "\n")


def _of_symbol(ws: "Workspace", target: str, adapter: tuple[str, ...], adjust: str | None, stale: bool) -> str:
    from ia.faculties.pictures import of_symbol, source
    from ia.faculties.pictures.indicators import Limits
    from ia.kernel import config
    from ia.organs.ohlcv.history import Request
    from ia_cli.terminal.picture_language import voice

    origin = source.of_symbol(ws, Request(target, adjust=adjust or "qfq", adapters=adapter, stale=stale), notify)
    limits = Limits(config.get("compute.timeout"), config.get("compute.isolation"))
    return of_symbol.report(ws, origin, voice(), limits, notify)
