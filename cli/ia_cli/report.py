"""`ia report`: one page about a symbol, the account or the market."""

import sys

import click

from ia_cli._group import Command
from ia_cli._out import notify


@click.command(cls=Command, example="ia report 600519 --adapter demo -o report.html")
@click.argument("target", metavar="SYMBOL|account|market")
@click.option("-o", "--output", metavar="FILE", help="Write FILE (.html); default: standard output.")
@click.option("--adapter", metavar="A[,B…]", help="Sources in the order to try; default: setting market.adapter.")
@click.option("--adjust", type=click.Choice(["qfq", "hfq", "none"]),
              help="qfq (default) keeps the last price, hfq the first.")  # fmt: skip
@click.option("--stale", is_flag=True, help="Use the stored copy however old it is; its age goes to stderr.")
def report(target: str, output: str | None, adapter: str | None, adjust: str | None, stale: bool) -> None:
    """Write one self-contained page about a symbol, the account or the market.

    Of a SYMBOL: its chart, what it did, quote and fundamentals from the store, the trades in it and what was written
    about it. Of the account: equity against deposits, positions, profit, the risk rules and their state. Of the market:
    breadth, industries, what rose and fell, main lines, north-bound and unusual trading of the newest stored day.

    The page needs no network and loads nothing. What is not stored is said to be missing; only the prices of a SYMBOL
    are fetched, as `ia ohlcv` fetches them.
    """
    from ia.errors import UsageError
    from ia.pictures import saving
    from ia.workspace import Workspace
    from ia_cli._picture import voice

    if output is not None:
        saving.form_of(output, ("html",))
    elif sys.stdout.isatty():
        raise UsageError("a page is not for a terminal", hint="ia report {target} -o report.html", target=target)
    if target in ("account", "market") and (adapter or adjust or stale):
        raise UsageError("--adjust, --adapter and --stale need a SYMBOL")
    ws = Workspace()
    if target == "account":
        from ia.pictures import of_account

        page = of_account.report(ws, voice(), notify)
    elif target == "market":
        from ia.pictures import of_market

        page = of_market.report(ws, voice(), notify)
    else:
        page = _of_symbol(ws, target, adapter, adjust, stale)
    if output is None:
        sys.stdout.write(page)
        return
    saving.save(output, page.encode())
    sys.stdout.write(output + "\n")


def _of_symbol(ws, target, adapter, adjust, stale):  # type: ignore[no-untyped-def]
    from ia import config
    from ia.ohlcv.history import Request
    from ia.pictures import of_symbol, source
    from ia.pictures.indicators import Limits
    from ia_cli._picture import voice

    adapters = tuple(part.strip() for part in adapter.split(",") if part.strip()) if adapter else ()
    origin = source.of_symbol(ws, Request(target, adjust=adjust or "qfq", adapters=adapters, stale=stale), notify)
    limits = Limits(config.get("compute.timeout"), config.get("compute.isolation"))
    return of_symbol.report(ws, origin, voice(), limits, notify)
