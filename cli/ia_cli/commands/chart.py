"""`ia chart`: pictures of prices."""

import sys
from typing import TYPE_CHECKING

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.input import open_input
from ia_cli.terminal.options import (
    adapter_option,
    adjust_option,
    end_option,
    period_option,
    stale_option,
    start_option,
)
from ia_cli.terminal.output import notify

if TYPE_CHECKING:
    from ia.faculties.pictures.chart import Chart
    from ia.faculties.pictures.source import Origin
    from ia.faculties.pictures.terminal import Form
    from ia.organs.ohlcv.history import Request


@click.command(cls=Command, example="ia ohlcv 600519 --adapter demo | ia chart --panes rsi,macd")
@click.argument("symbol", required=False, metavar="SYMBOL|FILE|-")
@click.option("-o", "--output", metavar="FILE", help="Draw into FILE: .svg, .png or .html; default: this terminal.")
@click.option("--indicator", "indicators", multiple=True, metavar="EXPR",
              help="A line over the prices, as in 'sma(close, 20)'; may be repeated.")  # fmt: skip
@click.option("--panes", metavar="NAME[,NAME…]", help="Panes below: rsi, macd, kdj … or expressions.")
@period_option
@start_option()
@end_option()
@click.option("-n", "--limit", "last", type=click.IntRange(1), metavar="N",
              help="The last N bars; default: a terminal's columns, 250 in a file.")  # fmt: skip
@adjust_option
@adapter_option
@stale_option
@click.option("--log-scale", "log", is_flag=True, help="A logarithmic price axis.")
@click.option("--up", type=click.Choice(["red", "green", "blue"]),
              help="Color of a rise; default: setting pictures.up, else that of the market.")  # fmt: skip
@click.option("--trades/--no-trades", default=True, help="Mark the trades of the ledger; default: yes.")
@click.option("--width", type=click.IntRange(30, 10000), metavar="N", help="Columns of the terminal, or pixels.")
@click.option("--height", type=click.IntRange(10, 10000), metavar="N", help="Lines of the terminal, or pixels.")
@click.option("--title", metavar="TEXT", help="Stands above the picture instead of the symbol.")
def chart(
    symbol: str | None,
    output: str | None,
    indicators: tuple[str, ...],
    panes: str | None,
    period: str,
    start: str | None,
    end: str | None,
    last: int | None,
    adjust: str | None,
    adapter: tuple[str, ...],
    stale: bool,
    log: bool,
    up: str | None,
    trades: bool,
    width: int | None,
    height: int | None,
    title: str | None,
) -> None:
    """Draw candles, volume, indicators and trades.

    The bars are those of a SYMBOL, of a FILE of canonical CSV, or come through a pipe. The picture goes to the terminal
    and fits it; on a pipe it is plain text of 80 x 24 characters (COLUMNS and LINES change that). With -o it goes into
    a file: SVG, PNG (needs the package resvg_py), or one HTML page that zooms, pans and needs no network.

    Three moving averages (5, 20, 60 bars) are drawn unless --indicator names others. --indicator and --panes take what
    `ia compute` takes: any expression that gives a series, in the same sandbox. Bars are bundled where there are more
    than fit; their extremes are kept.

    A rise is red and a fall green in mainland China and Hong Kong, the other way round in America; of bars whose market
    is not known the language decides, and --up or the setting pictures.up over all: blue (a fall is orange) is told
    apart by every eye. Without color a rise is hollow.
    """
    from ia.faculties.pictures import saving
    from ia.organs.ohlcv.history import Request, dated

    kind = saving.form_of(output) if output is not None else ""
    request = dated(Request(_security(symbol), period, start, end, adjust or "", adapter, stale=stale))
    start, end = request.start, request.end
    origin = _origin(symbol, request)
    whole = _whole(origin, indicators, panes, title, up, log, trades)
    shown = _window(whole, kind, start, end, last, width, height)
    if output is None:
        _to_terminal(shown, width, height)
        return
    saving.save(output, _drawn(kind, whole, shown, width, height))
    sys.stdout.write(output + "\n")


def _security(symbol: str | None) -> str:
    """Return the security that was named; `-` for a file or standard input."""
    import os

    path = symbol or "-"
    return "-" if "/" in path or path.lower().endswith(".csv") or os.path.isfile(path) else path


def _origin(symbol: str | None, request: "Request") -> "Origin":
    """Return the bars that are asked for; without a SYMBOL those on standard input."""
    import os
    import shlex

    from ia.faculties.pictures import source
    from ia.kernel.errors import BadData, UsageError
    from ia.kernel.workspace import Workspace

    path, period = symbol or "-", request.period
    file = request.symbol == "-" and path != "-"
    if request.symbol != "-":
        return source.of_symbol(Workspace(), request._replace(adjust=request.adjust or "qfq"), notify)
    if request.adjust or request.adapters or request.stale:
        raise UsageError("--adjust, --adapter and --stale need a SYMBOL")
    stream, name = open_input(symbol, "a SYMBOL")
    try:
        with stream:
            origin = source.of_bytes(Workspace(), stream.read(), name, notify)
    except BadData as error:
        if error.hint:  # what turns it into canonical CSV, as it is typed here
            command = f"ia ohlcv - < {shlex.quote(path)} | ia chart" if file else "ia ohlcv - | ia chart"
            error.hint = "`{command}` reads most CSV files"
            error.params["command"] = command
        raise
    if file and not origin.title:
        origin = origin._replace(name=os.path.splitext(os.path.basename(path))[0])
    if period != "daily":
        from ia.organs.ohlcv.resample import resample

        origin = origin._replace(bars=resample(origin.bars, period), period=period)
    return origin


def _whole(
    origin: "Origin",
    indicators: tuple[str, ...],
    panes: str | None,
    title: str | None,
    up: str | None,
    log: bool,
    trades: bool,
) -> "Chart":
    """Return the chart of all bars, so that an indicator has its past before it is cut to what is shown."""
    from dataclasses import replace

    from ia.faculties.pictures import source
    from ia_cli.terminal.picture_language import voice

    averages = () if indicators else source.AVERAGES
    whole = source.charted(origin, voice(), title=title, averages=averages)
    if indicators or panes:
        from ia.faculties.pictures import indicators as drawing
        from ia.kernel import config

        limits = drawing.Limits(config.get("compute.timeout"), config.get("compute.isolation"))
        over, below = drawing.drawn(origin.bars, list(indicators), drawing.split(panes or ""), limits, notify)
        whole = replace(whole, overlays=(*whole.overlays, *over), panes=below)
    if trades:
        from ia.kernel.workspace import Workspace

        whole = replace(whole, marks=source.marks(Workspace(), origin, whole.voice))
    return replace(whole, log=log, up=up or whole.up)


def _window(
    whole: "Chart",
    kind: str,
    start: str | None,
    end: str | None,
    last: int | None,
    width: int | None,
    height: int | None,
) -> "Chart":
    from bisect import bisect_left, bisect_right

    from ia.faculties.pictures.source import DRAWN
    from ia.kernel.errors import NotFound

    dates = whole.bars.date
    first = bisect_left(dates, start) if start else 0
    stop = bisect_right(dates, end + "T99") if end else len(dates)
    if stop <= first:
        raise NotFound("there are no bars then; it has {first} to {last}", first=dates[0], last=dates[-1])
    count = last
    if count is None and not start:
        if kind:
            count = DRAWN
        else:
            from ia.faculties.pictures import terminal

            count = terminal.room(_form(width, height), whole)
    return whole.cut(max(first, stop - count) if count else first, stop)


def _form(width: int | None, height: int | None) -> "Form":
    import shutil

    from ia.faculties.pictures.terminal import Form
    from ia.kernel import config

    size = shutil.get_terminal_size((80, 24))
    lines = size.lines - 1 if sys.stdout.isatty() else size.lines  # a terminal's last line is the next prompt's
    unicode = "utf" in (sys.stdout.encoding or "").lower()
    color = sys.stdout.isatty() and not config.env("NO_COLOR") and config.env("TERM") != "dumb"
    return Form(width or size.columns, height or lines, color, not unicode)


def _to_terminal(shown: "Chart", width: int | None, height: int | None) -> None:
    from ia.faculties.pictures import terminal

    sys.stdout.write(terminal.draw(shown, _form(width, height), notify))


def _drawn(kind: str, whole: "Chart", shown: "Chart", width: int | None, height: int | None) -> bytes:
    from ia.faculties.pictures import candles

    if kind == "svg":
        return candles.svg(shown, width, height).encode()
    if kind == "png":
        from ia.faculties.pictures import png

        return png.chart(shown, width, height, notify)
    from ia.faculties.pictures import page

    return page.chart(whole, shown, width, height).encode()
