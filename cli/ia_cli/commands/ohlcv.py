"""`ia ohlcv`: eyes."""

import os
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
    from ia.organs.ohlcv.history import BarsRequest


@click.command(
    cls=Command, example="ia ohlcv 贵州茅台 --adapter demo --start 2024-01-01 | ia compute 'ta.rsi(close, 14)'"
)
@click.argument("symbol", required=False, metavar="SYMBOL|-")
@period_option
@start_option()
@end_option()
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Print only the last N bars (default: all).")
@adjust_option
@adapter_option
@click.option("--refresh", is_flag=True, help="Fetch again even if today's prices are stored.")
@stale_option
@click.option("--strict", is_flag=True, help="With -: refuse bars whose high or low contradicts open or close.")
@click.option("--select", metavar="CODE", help="With -: symbol to take from input that holds several.")
@click.option("--lots/--shares", default=None, help="With -: unit of the volume, if the header does not give it.")
@click.option(
    "--day-first/--month-first",
    default=None,
    help="With -: order of day and month in 5/11/2019, if the dates leave it open.",
)
def ohlcv(
    symbol: str | None,
    period: str,
    start: str | None,
    end: str | None,
    limit: int | None,
    adjust: str | None,
    adapter: tuple[str, ...],
    refresh: bool,
    stale: bool,
    strict: bool,
    select: str | None,
    lots: bool | None,
    day_first: bool | None,
) -> None:
    """Print the prices of a symbol as canonical CSV.

    SYMBOL is a code (600519, sh600519, 600519.SH, 00700.HK, AAPL) or a name (宁德时代) that identifies exactly one
    company. ia fetches prices once per trading day and stores them raw with their corporate actions. It adjusts them
    by multiplicative factors, so returns are total returns. ia prints nothing later than --now.

    With -, ia converts any OHLCV-like CSV on standard input to canonical form (Chinese or English headers, other
    column orders and date formats, lots, GBK …). It drops rows without a price and reports their number on stderr.
    """
    from ia.kernel.errors import UsageError
    from ia.organs.ohlcv.history import BarsRequest, resolve_dates

    request = resolve_dates(
        BarsRequest(
            symbol="-" if symbol is None else symbol,
            period=period,
            start=start,
            end=end,
            adjust=adjust or "qfq",
            adapters=adapter,
            refresh=refresh,
            stale=stale,
        )
    )
    if symbol not in (None, "-"):
        if strict or select or lots is not None or day_first is not None:
            raise UsageError(
                "--strict, --select, --lots, --shares, --day-first and --month-first work only with -",
                hint="`ia ohlcv - < FILE`",
            )
        _print_symbol_bars(request, limit)
        return
    if adjust or adapter or refresh or stale:
        raise UsageError("--adjust, --adapter, --refresh and --stale need a SYMBOL")
    _print_stdin_bars(request, limit, strict, select, lots, day_first)


def _print_symbol_bars(request: "BarsRequest", limit: int | None) -> None:
    from ia.kernel.errors import Message, NotFound, UsageError
    from ia.kernel.workspace import Workspace
    from ia.organs.ohlcv import provenance
    from ia.organs.ohlcv.history import load_history
    from ia.wiring.last_bars import remember_request

    ws = Workspace()
    try:
        answer = load_history(ws, request, notify)
    except (NotFound, UsageError):
        if os.path.exists(request.symbol):
            raise UsageError(
                "{file} is a file, not a symbol", file=request.symbol, hint="read it with `ia ohlcv - < {file}`"
            ) from None
        raise
    remember_request(ws, request)
    if not answer.bars.date:
        first, last = answer.series.first, answer.series.last
        notify(
            Message(
                "{symbol} has no bars in this period; available: {first} to {last}",
                symbol=answer.symbol.canonical,
                first=first,
                last=last,
            )
        )
    bars = answer.bars.slice_bars(-limit) if limit else answer.bars
    provenance.write_with_origin(
        ws,
        bars,
        sys.stdout.write,
        inputs=answer.inputs,
        notify=notify,
        symbol=answer.symbol.canonical,
        name=answer.series.name,
        adapter=answer.series.adapter,
        host=answer.series.host,
        simulated=answer.series.simulated,
        fetched=answer.series.fetched,
        adjust=answer.adjust,
        period=answer.period,
    )


def _print_stdin_bars(
    request: "BarsRequest",
    limit: int | None,
    strict: bool,
    select: str | None,
    lots: bool | None,
    day_first: bool | None,
) -> None:
    from ia.kernel.workspace import Workspace
    from ia.organs.ohlcv import provenance
    from ia.organs.ohlcv.history import visible_bars
    from ia.organs.ohlcv.normalize import normalize_csv
    from ia.organs.ohlcv.resample import resample_bars

    stream, source = open_input(None, "a SYMBOL")
    data = stream.read()
    bars = normalize_csv(data, source, lots=lots, symbol=select, strict=strict, day_first=day_first, notify=notify)
    bars = visible_bars(bars)
    if request.period != "daily":
        bars = resample_bars(bars, request.period)
    bars = bars.between_dates(request.start, request.end)
    if limit:
        bars = bars.slice_bars(-limit)
    provenance.write_with_origin(
        Workspace(),
        bars,
        sys.stdout.write,
        inputs=(provenance.bytes_digest(data),),
        notify=notify,
        adapter=provenance.PIPE,
        symbol=select or "",
        host=source,
        simulated=False,
        adjust="none",
        period=request.period,
    )
