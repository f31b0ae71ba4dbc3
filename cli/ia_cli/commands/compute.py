"""`ia compute`: the calculator."""

import sys
from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message, Notify
from ia_cli.terminal.group import Command
from ia_cli.terminal.input import open_input, stdin_is_idle
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, notify

if TYPE_CHECKING:
    from ia.organs.compute.host import Result
    from ia.organs.ohlcv.canonical import Bars
    from ia.organs.ohlcv.history import Answer


@click.command(cls=Command, example="ia ohlcv 600519 --adapter demo | ia compute 'rsi(close, 14)'")
@click.argument("expression", required=False, metavar="[SYMBOL]")
@click.argument("second", required=False, metavar="[EXPR]")
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
@click.pass_context
def compute(
    ctx: click.Context,
    expression: str | None,
    second: str | None,
    file: str | None,
    symbol: str | None,
    timeout: float | None,
    series: bool,
    as_csv: bool,
    as_json: bool,
    strict: bool,
) -> None:
    """Evaluate Python over canonical OHLCV, in a sandbox.

    EXPR sees df, open, high, low, close, volume, date (pandas), pd, np, ta (pandas-ta), math and the coreutils (rsi,
    sma, crossover …: `ia indicator list`). The prices come from standard input, else from --symbol, else, at a terminal
    only, from the last `ia ohlcv` of it. Standard error names the symbol and the last bar. One expression is evaluated;
    several lines are executed, and the last expression or `result` is the value.

    A series prints its last value, a frame its last row (as does a series that is one row), a dict or list JSON with
    the last value of each series in it; --series, --csv and --json print more. A value that is not there is null. It
    cannot read or write files, start processes or reach the network. It sees no clock: on Linux whatever asks for the
    machine's time is told 1 January 2000; on other systems the words for it are refused, as far as they are found.

    --strict also evaluates a series or a frame again on some twenty shorter ranges, and refuses it where a value
    changes when later bars are taken away. A single value is one of the last bar: of it only the form of the expression
    tells.

    Status 1 where a condition is false, or a series of true and false ends in false or in nothing; 65 where it does not
    parse or raises, 77 where it is refused, 124 where it takes too long.
    """
    from ia.kernel import config
    from ia.kernel.errors import BadData, UsageError
    from ia.organs.compute.calculate import calculate
    from ia.organs.compute.show import is_no

    if second is not None:
        if symbol is not None:
            raise UsageError("the security is given twice: {one} and {other}", one=expression, other=symbol)
        expression, symbol = second, expression
    elif expression is not None and len(expression) == 6 and expression.isdigit() and file is None:
        hint = "`ia compute {symbol} 'rsi(close, 14)'`"
        raise UsageError("missing {what}", what="EXPR", symbol=expression, hint=hint)
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
    try:
        result = calculate(
            source, lambda: _bars(symbol, file == "-", strict), origin=_origin(file), trusted=file is None,
            strict=strict, timeout=seconds, isolation=config.get("compute.isolation"), notify=_told(source, file),
        )  # fmt: skip
    except BadData as error:
        from ia.organs.compute.indicators import example_call

        if call := example_call(source):
            error.hint = "for example `{example}`"
            error.params["example"] = call
        raise
    _print(result, series, as_csv, as_json)
    if is_no(result):
        ctx.exit(1)


def _told(source: str, file: str | None) -> Notify:
    """Return a Notify that also keeps in the audit trail that code ran without a lock."""

    def told(message: Message) -> None:
        from ia.organs.compute.host import RunsUnlocked

        notify(message)
        if isinstance(message, RunsUnlocked):
            from ia.kernel import audit
            from ia.kernel.workspace import Workspace

            audit.record(Workspace().db, "compute.unlocked", file or "-", source=source[:2000])

    return told


def _origin(file: str | None) -> str:
    from ia.organs.compute.wire import FILENAME

    return FILENAME if file is None else "<stdin>" if file == "-" else file


def _source(file: str) -> str:
    from ia.kernel.errors import BadData

    stream, name = open_input(file)
    with stream:
        try:
            return stream.read(1 << 20).decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as exc:
            raise BadData("{name}: not UTF-8 text (byte {at})", name=name, at=exc.start) from None


def _bars(symbol: str | None, stdin_taken: bool, strict: bool) -> "Bars":
    """Return the bars to compute on, and say on stderr whose they are and which is the last."""
    from ia.kernel.errors import BadData

    if symbol is None and not stdin_taken and not stdin_is_idle():
        bars, name, about = _piped(strict)
    else:
        answer = _answer(symbol)
        bars, name, about = answer.bars, answer.symbol.canonical, f"{answer.period}, {answer.adjust}"
    if not bars.date:
        raise BadData("no bars to compute on")
    known = {"symbol": name, "day": bars.date[-1], "count": len(bars.date)}
    if about:
        notify(Message("{symbol} {day} ({about}): {count} bars", about=about, **known))
    else:
        notify(Message("standard input, {day}: {count} bars", day=known["day"], count=known["count"]))
    return bars


def _answer(symbol: str | None) -> "Answer":
    """Return the bars of a symbol, else, at a terminal only, of the last one that this terminal asked for."""
    from ia.kernel import config
    from ia.kernel.errors import NotFound, UsageError
    from ia.kernel.workspace import Workspace
    from ia.wiring.last_bars import load_bars, load_last_bars

    if symbol:
        return load_bars(Workspace(), symbol, notify)
    hint = "pipe them in: `ia ohlcv SYMBOL | ia compute …`, or add --symbol SYMBOL"
    attended = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty() and config.run() is None
    if not attended:
        raise UsageError("no prices to compute on", hint=hint)
    try:
        return load_last_bars(Workspace(), notify)
    except NotFound as exc:
        raise UsageError(exc.template, hint=exc.hint, **exc.params) from None


def _piped(strict: bool) -> "tuple[Bars, str, str]":
    """Return the bars on standard input, and of bytes that ia wrote the symbol, and their period and adjustment."""
    import io

    from ia.kernel import clock
    from ia.organs.ohlcv.canonical import read_bars

    data = sys.stdin.buffer.read()
    bars = read_bars(io.BytesIO(data), "<stdin>", strict=strict, notify=notify)
    if clock.simulated():
        from ia.organs.ohlcv.history import visible

        bars = visible(bars)
    origin = _provenance(data)
    told = [str(origin[field]) for field in ("period", "adjust") if origin.get(field)]
    return (bars, str(origin["symbol"]), ", ".join(told)) if origin.get("symbol") and told else (bars, "", "")


def _provenance(data: bytes) -> dict[str, object]:
    """Return what the audit trail knows of bytes that ia wrote; {} where it knows nothing, or is not to be had."""
    import contextlib
    import os
    import sqlite3

    from ia.kernel import config
    from ia.kernel.errors import IaError

    with contextlib.suppress(IaError, sqlite3.Error, OSError):
        if os.path.exists(os.path.join(config.home(), ".ia", "ia.db")):
            from ia.kernel.workspace import Workspace
            from ia.organs.ohlcv import provenance

            found = provenance.find(Workspace(), data)
            return found[0].data if found else {}
    return {}


def _print(result: "Result", series: bool, as_csv: bool, as_json: bool) -> None:
    from ia.organs.compute import show

    if as_json:
        emit_json(show.document(result))
    else:
        sys.stdout.write(show.everything(result) if series or as_csv else show.short(result))
