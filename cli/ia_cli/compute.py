"""`ia compute`: the calculator."""

import sys
from typing import TYPE_CHECKING

import click

from ia.errors import Message, Notify
from ia_cli._group import Command
from ia_cli._in import open_input, stdin_is_idle
from ia_cli._options import json_option
from ia_cli._out import emit_json, notify

if TYPE_CHECKING:
    from ia.compute.host import Result
    from ia.ohlcv.canonical import Bars


@click.command(cls=Command, example="ia ohlcv 600519 --adapter demo | ia compute 'rsi(close, 14)'")
@click.argument("expression", required=False, metavar="[EXPR]")
@click.option("-f", "--file", metavar="FILE", help="Read the Python from FILE instead.")
@click.option("--symbol", metavar="SYMBOL", help="Compute over this symbol; standard input is not read.")
@click.option("--timeout", type=float, metavar="SEC",
              help="Seconds it may take; default: setting compute.timeout.")  # fmt: skip
@click.option("--series", is_flag=True, help="Print every value of a series, with its date.")
@click.option("--csv", "as_csv", is_flag=True, help="Print all of it as CSV.")
@json_option
@click.option(
    "--strict", is_flag=True, help="Refuse an expression that looks ahead, and bars that contradict themselves."
)
def compute(
    expression: str | None, file: str | None, symbol: str | None, timeout: float | None, series: bool, as_csv: bool,
    as_json: bool, strict: bool,
) -> None:  # fmt: skip
    """Evaluate Python over canonical OHLCV, in a sandbox.

    EXPR sees df, open, high, low, close, volume, date (pandas), pd, np, ta (pandas-ta), math and the coreutils (rsi,
    sma, crossover …: `ia indicator list`). The prices come from standard input, else from --symbol, else from the last
    `ia ohlcv` of this terminal. One expression is evaluated; several lines are executed, and the last expression or
    `result` is the value.

    A series prints its last value, a frame its last row (as does a series that is one row), a dict or list JSON with
    the last value of each series in it; --series, --csv and --json print more. A value that is not there is null. It
    cannot read or write files, start processes or reach the network. Status 65 where it does not parse or raises, 77
    where it is refused, 124 where it takes too long.
    """
    from ia import config
    from ia.compute.calculate import calculate
    from ia.errors import UsageError

    if expression is None and file is None:
        raise UsageError("give an expression, or -f FILE", hint="try: ia compute 'rsi(close, 14)'")
    if expression is not None and file is not None:
        raise UsageError("give either an expression or -f FILE, not both")
    if series + as_csv + as_json > 1:
        raise UsageError("--series, --csv and --json exclude each other")
    source = expression if expression is not None else _source(file or "-")
    seconds = timeout if timeout is not None else config.get("compute.timeout")
    if not 0 < seconds <= 86400:
        raise UsageError("--timeout {seconds}: it should be above 0 and at most 86400 seconds", seconds=f"{seconds:g}")
    result = calculate(
        source, lambda: _bars(symbol, file == "-", strict), origin=_origin(file), trusted=file is None, strict=strict,
        timeout=seconds, isolation=config.get("compute.isolation"),
        notify=_told(source, file),
    )  # fmt: skip
    _print(result, series, as_csv, as_json)


def _told(source: str, file: str | None) -> Notify:
    """Return a Notify that also keeps in the audit trail that code ran without a lock."""

    def told(message: Message) -> None:
        from ia.compute.host import UNLOCKED

        notify(message)
        if message.template == UNLOCKED:
            from ia import audit
            from ia.workspace import Workspace

            audit.record(Workspace().db, "compute.unlocked", file or "-", source=source[:2000])

    return told


def _origin(file: str | None) -> str:
    from ia.compute.wire import FILENAME

    return FILENAME if file is None else "<stdin>" if file == "-" else file


def _source(file: str) -> str:
    from ia.errors import BadData

    stream, name = open_input(file)
    with stream:
        try:
            return stream.read(1 << 20).decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as exc:
            raise BadData("{name}: not UTF-8 text (byte {at})", name=name, at=exc.start) from None


def _bars(symbol: str | None, stdin_taken: bool, strict: bool) -> "Bars":
    from ia.errors import BadData, NotFound, UsageError

    if symbol is None and not stdin_taken and not stdin_is_idle():
        from ia import clock
        from ia.ohlcv.canonical import read_bars

        bars = read_bars(sys.stdin.buffer, "<stdin>", strict=strict, notify=notify)
        if clock.simulated():
            from ia.ohlcv.history import visible

            bars = visible(bars)
    else:
        from ia import pipes
        from ia.workspace import Workspace

        try:
            answer = pipes.bars_for(Workspace(), symbol, notify) if symbol else pipes.last_bars(Workspace(), notify)
        except NotFound as exc:
            if symbol:
                raise
            raise UsageError(exc.template, hint=exc.hint, **exc.params) from None
        bars = answer.bars
    if not bars.date:
        raise BadData("no bars to compute on")
    return bars


def _print(result: "Result", series: bool, as_csv: bool, as_json: bool) -> None:
    from ia.compute import show

    if as_json:
        emit_json(show.document(result))
    else:
        sys.stdout.write(show.everything(result) if series or as_csv else show.short(result))
