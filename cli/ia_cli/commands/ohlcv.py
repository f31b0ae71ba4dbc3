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
    from ia.organs.ohlcv.history import Request


@click.command(
    cls=Command, example="ia ohlcv 贵州茅台 --adapter demo --start 2024-01-01 | ia compute 'ta.rsi(close, 14)'"
)
@click.argument("symbol", required=False, metavar="SYMBOL|-")
@period_option
@start_option()
@end_option()
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Only the last N bars.")
@adjust_option
@adapter_option
@click.option("--refresh", is_flag=True, help="Fetch even if today's copy is stored.")
@stale_option
@click.option("--strict", is_flag=True, help="With -: refuse bars whose low or high contradict open or close.")
@click.option("--select", metavar="CODE", help="With -: the symbol to take from a file that holds several.")
@click.option("--lots/--shares", default=None, help="With -: the unit of the volume, where the header does not tell.")
@click.option(
    "--day-first/--month-first", default=None, help="With -: what 5/11/2019 means, where the dates do not tell."
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

    SYMBOL is a code (600519, sh600519, 600519.SH, 00700.HK, AAPL) or a name (宁德时代) that means exactly one company.
    The prices are fetched once a trading day, stored raw with their corporate actions, and adjusted here by
    multiplicative factors, so that returns are total returns. Nothing later than --now comes out.

    With - any OHLCV-like CSV on standard input (Chinese or English headers, other orders and date forms, lots, GBK …)
    comes out canonical; rows without a price are dropped and counted on stderr.
    """
    from ia.kernel.errors import UsageError
    from ia.organs.ohlcv.history import Request, dated

    request = dated(
        Request("-" if symbol is None else symbol, period, start, end, adjust or "qfq", adapter, refresh, stale)
    )
    if symbol not in (None, "-"):
        if strict or select or lots is not None or day_first is not None:
            raise UsageError(
                "--strict, --select, --lots, --shares, --day-first and --month-first go with -",
                hint="`ia ohlcv - < FILE`",
            )
        _of_symbol(request, limit)
        return
    if adjust or adapter or refresh or stale:
        raise UsageError("--adjust, --adapter, --refresh and --stale need a SYMBOL")
    _of_stdin(request, limit, strict, select, lots, day_first)


def _of_symbol(request: "Request", limit: int | None) -> None:
    from ia.kernel.errors import Message, NotFound, UsageError
    from ia.kernel.workspace import Workspace
    from ia.organs.ohlcv import provenance
    from ia.organs.ohlcv.history import history
    from ia.wiring.last_bars import remember_request

    ws = Workspace()
    try:
        answer = history(ws, request, notify)
    except (NotFound, UsageError):
        if os.path.exists(request.symbol):
            raise UsageError("{file} is a file", file=request.symbol, hint="`ia ohlcv - < {file}` reads it") from None
        raise
    remember_request(ws, request)
    if not answer.bars.date:
        first, last = answer.series.first, answer.series.last
        notify(
            Message(
                "{symbol} has no bars then; it has {first} to {last}",
                symbol=answer.symbol.canonical,
                first=first,
                last=last,
            )
        )
    bars = answer.bars.part(-limit) if limit else answer.bars
    provenance.write(
        ws, bars, sys.stdout.write, inputs=answer.inputs, notify=notify,
        symbol=answer.symbol.canonical, name=answer.series.name,
        adapter=answer.series.adapter, host=answer.series.host, simulated=answer.series.simulated,
        fetched=answer.series.fetched, adjust=answer.adjust, period=answer.period,
    )  # fmt: skip


def _of_stdin(
    request: "Request", limit: int | None, strict: bool, select: str | None, lots: bool | None, day_first: bool | None
) -> None:
    from ia.kernel.workspace import Workspace
    from ia.organs.ohlcv import provenance
    from ia.organs.ohlcv.history import visible
    from ia.organs.ohlcv.normalize import normalize
    from ia.organs.ohlcv.resample import resample

    stream, source = open_input(None, "a SYMBOL")
    data = stream.read()
    bars = normalize(data, source, lots=lots, symbol=select, strict=strict, day_first=day_first, notify=notify)
    bars = visible(bars)
    if request.period != "daily":
        bars = resample(bars, request.period)
    bars = bars.between(request.start, request.end)
    if limit:
        bars = bars.part(-limit)
    provenance.write(
        Workspace(), bars, sys.stdout.write,
        inputs=(provenance.digest(data),), notify=notify, adapter=provenance.PIPE,
        symbol=select or "", host=source, simulated=False, adjust="none", period=request.period,
    )  # fmt: skip
