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
@click.option("-o", "--output", metavar="FILE", help="Output file (.html; default: standard output).")
@adapter_option
@adjust_option
@stale_option
def report(target: str, output: str | None, adapter: tuple[str, ...], adjust: str | None, stale: bool) -> None:
    """Write one self-contained page about a symbol, the account or the market.

    For a SYMBOL: chart, performance, stored quote and fundamentals, its trades and the notes about it. For the
    account: equity against deposits, positions, profit, and the risk rules with their state. For the market: breadth,
    industries, gainers and losers, main lines, northbound and unusual trading of the newest stored day.

    The page needs no network and loads nothing. It names data that is not stored as missing. ia fetches only the
    prices of a SYMBOL, as `ia ohlcv` does.
    """
    from ia.faculties.pictures import saving
    from ia.kernel.errors import UsageError, notify_once
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.picture_language import make_picture_voice

    if output is not None:
        saving.file_format(output, ("html",))
    elif sys.stdout.isatty():
        raise UsageError(
            "cannot print an HTML page to a terminal",
            hint="write it to a file: `ia report {target} -o report.html`",
            target=target,
        )
    if target in ("account", "market") and (adapter or adjust or stale):
        raise UsageError("--adjust, --adapter and --stale need a SYMBOL")
    ws = Workspace()
    if target == "account":
        from ia.faculties.pictures import account_report

        page = account_report.render_account_report(ws, make_picture_voice(), notify_once(notify))
    elif target == "market":
        from ia.faculties.pictures import market_report

        page = market_report.render_market_report(ws, make_picture_voice(), notify_once(notify))
    else:
        page = _render_symbol_page(ws, target, adapter, adjust, stale)
    if output is None:
        sys.stdout.write(page)
        return
    saving.save_picture(output, page.encode())
    sys.stdout.write(output + "\n")


def _render_symbol_page(ws: "Workspace", target: str, adapter: tuple[str, ...], adjust: str | None, stale: bool) -> str:
    from ia.faculties.pictures import chart_source, symbol_report
    from ia.faculties.pictures.chart_indicators import PlotLimits
    from ia.kernel import config
    from ia.organs.ohlcv.history import BarsRequest
    from ia_cli.terminal.picture_language import make_picture_voice

    origin = chart_source.load_symbol(
        ws, BarsRequest(symbol=target, adjust=adjust or "qfq", adapters=adapter, stale=stale), notify
    )
    limits = PlotLimits(config.get_setting("compute.timeout"), config.get_setting("compute.isolation"))
    return symbol_report.render_symbol_report(ws, origin, make_picture_voice(), limits, notify)
