"""`ia chart`: pictures of prices."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ia_cli.terminal.chart_output import print_chart, save_chart, terminal_form
from ia_cli.terminal.group import Command
from ia_cli.terminal.input import open_input
from ia_cli.terminal.options import (
    adapter_option,
    adjust_option,
    end_option,
    parse_comma_list,
    period_option,
    stale_option,
    start_option,
)
from ia_cli.terminal.output import notify

if TYPE_CHECKING:
    from ia.faculties.pictures.chart import Chart, PriceLevel
    from ia.faculties.pictures.chart_source import ChartOrigin
    from ia.organs.ohlcv.history import BarsRequest


@click.command(cls=Command, example="ia ohlcv 600519 --adapter demo | ia chart --panes rsi,macd")
@click.argument("symbol", required=False, metavar="SYMBOL|FILE|-")
@click.option("-o", "--output", metavar="FILE", help="Output file: .svg, .png or .html (default: this terminal).")
@click.option(
    "--indicator",
    "indicators",
    multiple=True,
    metavar="EXPR",
    help="Line to draw over the prices, such as 'sma(close, 20)'; may be repeated.",
)
@click.option(
    "--panes", metavar="NAME[,NAME…]", help="Panes below the prices, comma-separated: rsi, macd, kdj … or expressions."
)
@period_option
@start_option()
@end_option()
@click.option(
    "-n",
    "--limit",
    "last",
    type=click.IntRange(1),
    metavar="N",
    help="Draw the last N bars (default: as many as fit the terminal, 250 in a file).",
)
@adjust_option
@adapter_option
@stale_option
@click.option("--log-scale", "log", is_flag=True, help="Use a logarithmic price axis.")
@click.option(
    "--up",
    type=click.Choice(["red", "green", "blue"]),
    help="Color of rising prices (default: setting pictures.up, else by market).",
)
@click.option(
    "--with",
    "others",
    metavar="SYMBOL[,SYMBOL…]",
    callback=parse_comma_list,
    help="Draw these securities too, all as lines that are 100 at the first common session.",
)
@click.option(
    "--level",
    "levels",
    multiple=True,
    metavar="PRICE[:NAME]",
    help="Price to draw across the chart, such as 80:stop; may be repeated.",
)
@click.option("--stop", metavar="PRICE", help="The same as --level PRICE:stop.")
@click.option("--target", metavar="PRICE", help="The same as --level PRICE:target.")
@click.option(
    "--trades/--no-trades", default=True, help="Mark the ledger's trades and the stop of a position (default: yes)."
)
@click.option(
    "--width", type=click.IntRange(30, 10000), metavar="N", help="Width: columns in a terminal, pixels in a file."
)
@click.option(
    "--height", type=click.IntRange(10, 10000), metavar="N", help="Height: lines in a terminal, pixels in a file."
)
@click.option("--title", metavar="TEXT", help="Title above the chart (default: the symbol).")
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
    others: tuple[str, ...],
    levels: tuple[str, ...],
    stop: str | None,
    target: str | None,
    trades: bool,
    width: int | None,
    height: int | None,
    title: str | None,
) -> None:
    """Draw candles, volume, indicators and trades.

    The bars come from SYMBOL, from FILE (canonical CSV) or from a pipe. ia draws the chart to fit the terminal; to a
    pipe it writes plain text of 80 x 24 characters (COLUMNS and LINES change that). With -o it writes a file: SVG, PNG
    (needs the extra `pictures`), or one HTML page that zooms, pans and needs no network.

    ia draws three moving averages (5, 20, 60 bars) unless --indicator names others. --indicator and --panes take any
    `ia compute` expression that returns a series, and evaluate it in the same sandbox. If there are more bars than
    fit, ia merges neighboring bars and keeps their highs and lows.

    With --with, ia draws the adjusted closes of all securities as lines instead of candles, for the last 250 common
    sessions or from --start on. --level, --stop and --target draw prices of yours; for a position, ia draws the level
    at which your stop-loss rule applies.

    In mainland China and Hong Kong, rising prices are red and falling prices green; in America it is the other way
    round. If the market of the bars is unknown, the language decides. --up or the setting pictures.up overrides both;
    blue (falling prices are orange) is safe for color-blind readers. Without color, rising candles are hollow.
    """
    from ia.faculties.pictures import saving
    from ia.kernel.errors import UsageError
    from ia.organs.ohlcv.history import BarsRequest, resolve_dates

    kind = saving.file_format(output) if output is not None else ""
    request = resolve_dates(
        BarsRequest(
            symbol=_security_or_dash(symbol),
            period=period,
            start=start,
            end=end,
            adjust=adjust or "",
            adapters=adapter,
            stale=stale,
        )
    )
    start, end = request.start, request.end
    own_levels = _parse_levels(levels, stop, target)
    if others:
        if indicators or panes or own_levels or log or period != "daily" or request.symbol == "-":
            raise UsageError(
                "--with draws the daily closes of several SYMBOLs as lines; "
                "leave out --indicator, --panes, --level, --log-scale and --period"
            )
        if adjust not in (None, "qfq"):
            raise UsageError("--with draws adjusted prices (qfq)")
        shown = _build_lines(request, others, last, title, up)
        if output is None:
            print_chart(shown, width, height)
        else:
            save_chart(output, kind, shown, shown, width, height)
        return
    origin = _load_origin(symbol, request)
    whole = _build_chart(origin, indicators, panes, title, up, log, trades)
    whole = replace(whole, levels=(*own_levels, *whole.levels))
    shown = _cut_to_window(whole, kind, start, end, last, width, height)
    if output is None:
        print_chart(shown, width, height)
    else:
        save_chart(output, kind, whole, shown, width, height)


def _parse_levels(levels: tuple[str, ...], stop: str | None, target: str | None) -> "tuple[PriceLevel, ...]":
    """Return the prices that were named, with what they are called."""
    from ia.faculties.pictures.chart import PriceLevel
    from ia.kernel.errors import UsageError
    from ia_cli.terminal.text import tr

    found = []
    given = [("--level", *each.partition(":")[::2]) for each in levels]
    given += [
        (option, text, word)
        for option, text, word in (("--stop", stop, tr("stop")), ("--target", target, tr("target")))
        if text
    ]
    for option, text, name in given:
        try:
            price = float(text.replace(",", "").strip())
        except ValueError:
            price = 0.0
        if not 0 < price < 1e12:
            raise UsageError(
                "{option} {text}: not a price above 0", option=option, text=text, hint="such as `--level 80:stop`"
            )
        found.append(PriceLevel(price, name.strip() or tr("level")))
    return tuple(found)


def _build_lines(
    request: "BarsRequest", others: tuple[str, ...], last: int | None, title: str | None, up: str | None
) -> "Chart":
    """Return the chart of several securities as lines that begin at 100."""
    from ia.faculties.pictures import comparison_chart
    from ia.kernel.workspace import Workspace
    from ia.wiring import comparison
    from ia_cli.terminal.picture_language import make_picture_voice

    wanted = comparison.CompareRequest(
        symbols=(request.symbol, *others),
        days=last or comparison.YEAR,
        since=request.start or "",
        until=request.end or "",
        adapters=request.adapters,
        stale=request.stale,
    )
    sides = comparison.load_sides(Workspace(), wanted, notify)
    since = wanted.since or comparison_chart.window_start(sides, wanted.days)
    chart = comparison_chart.build_comparison(sides, since, make_picture_voice(), title=title)
    return replace(chart, up=up or chart.up)


def _security_or_dash(symbol: str | None) -> str:
    """Return the security that was named; `-` for a file or standard input."""
    import os

    path = symbol or "-"
    return "-" if "/" in path or path.lower().endswith(".csv") or os.path.isfile(path) else path


def _load_origin(symbol: str | None, request: "BarsRequest") -> "ChartOrigin":
    """Return the bars that are asked for; without a SYMBOL those on standard input."""
    import os
    import shlex

    from ia.faculties.pictures import chart_source
    from ia.kernel.errors import BadData, UsageError
    from ia.kernel.workspace import Workspace

    path, period = symbol or "-", request.period
    file = request.symbol == "-" and path != "-"
    if request.symbol != "-":
        return chart_source.load_symbol(Workspace(), request._replace(adjust=request.adjust or "qfq"), notify)
    if request.adjust or request.adapters or request.stale:
        raise UsageError("--adjust, --adapter and --stale need a SYMBOL")
    stream, name = open_input(symbol, "a SYMBOL")
    try:
        with stream:
            origin = chart_source.parse_canonical_csv(Workspace(), stream.read(), name, notify)
    except BadData as error:
        if error.hint:  # what turns it into canonical CSV, as it is typed here
            command = f"ia ohlcv - < {shlex.quote(path)} | ia chart" if file else "ia ohlcv - | ia chart"
            error.hint = "`{command}` reads most CSV files"
            error.params["command"] = command
        raise
    if file and not origin.title:
        origin = replace(origin, name=os.path.splitext(os.path.basename(path))[0])
    if period != "daily":
        from ia.organs.ohlcv.resample import resample_bars

        origin = replace(origin, bars=resample_bars(origin.bars, period), period=period)
    return origin


def _build_chart(
    origin: "ChartOrigin",
    indicators: tuple[str, ...],
    panes: str | None,
    title: str | None,
    up: str | None,
    log: bool,
    trades: bool,
) -> "Chart":
    """Return the chart of all bars, so that an indicator has its past before it is cut to what is shown."""
    from dataclasses import replace

    from ia.faculties.pictures import chart_source
    from ia_cli.terminal.picture_language import make_picture_voice

    averages = () if indicators else chart_source.AVERAGES
    whole = chart_source.build_chart(origin, make_picture_voice(), title=title, averages=averages)
    if indicators or panes:
        from ia.faculties.pictures import chart_indicators as drawing
        from ia.kernel import config

        limits = drawing.PlotLimits(config.get_setting("compute.timeout"), config.get_setting("compute.isolation"))
        over, below = drawing.compute_indicators(
            origin.bars, list(indicators), drawing.split_expressions(panes or ""), limits, notify
        )
        whole = replace(whole, overlays=(*whole.overlays, *over), panes=below)
    if trades:
        from ia.kernel.workspace import Workspace

        ws = Workspace()
        whole = replace(
            whole,
            marks=chart_source.load_trade_marks(ws, origin, whole.voice),
            levels=chart_source.load_stop_levels(ws, origin, whole.voice),
        )
    return replace(whole, log=log, up=up or whole.up)


def _cut_to_window(
    whole: "Chart",
    kind: str,
    start: str | None,
    end: str | None,
    last: int | None,
    width: int | None,
    height: int | None,
) -> "Chart":
    from bisect import bisect_left, bisect_right

    from ia.faculties.pictures.chart_source import DRAWN
    from ia.kernel.errors import NotFound

    dates = whole.bars.date
    first = bisect_left(dates, start) if start else 0
    stop = bisect_right(dates, end + "T99") if end else len(dates)
    if stop <= first:
        raise NotFound("no bars in this period; available: {first} to {last}", first=dates[0], last=dates[-1])
    count = last
    if count is None and not start:
        if kind:
            count = DRAWN
        else:
            from ia.faculties.pictures import terminal

            count = terminal.bar_capacity(terminal_form(width, height), whole)
    return whole.cut_bars(max(first, stop - count) if count else first, stop)
