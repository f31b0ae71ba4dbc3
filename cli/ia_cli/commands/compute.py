"""`ia compute`: the calculator."""

import sys
from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message, Notify, PluralText
from ia_cli.terminal.group import Command
from ia_cli.terminal.input import open_input, stdin_is_idle
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, notify

if TYPE_CHECKING:
    from ia.organs.compute.sandbox import ComputeResult
    from ia.organs.ohlcv.canonical import Bars
    from ia.organs.ohlcv.history import BarsAnswer


@click.command(cls=Command, example="ia ohlcv 600519 --adapter demo | ia compute 'rsi(close, 14)'")
@click.argument("expression", required=False, metavar="[SYMBOL]")
@click.argument("second", required=False, metavar="[EXPR]")
@click.option("-f", "--file", metavar="FILE", help="Read the Python code from FILE (- for standard input).")
@click.option("--symbol", metavar="SYMBOL", help="Use the prices of this symbol instead of standard input.")
@click.option(
    "--timeout",
    type=float,
    metavar="SEC",
    help="Time limit in seconds, at most 86400 (default: setting compute.timeout).",
)
@click.option("--series", is_flag=True, help="Print every value of a series, with its date.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the whole result as CSV.")
@json_option
@click.option("--strict", is_flag=True, help="Refuse expressions with look-ahead, and inconsistent bars.")
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
    """Evaluate a Python expression over canonical OHLCV, in a sandbox.

    EXPR can use df, open, high, low, close, volume, date (pandas), pd, np, ta (pandas-ta), math and the coreutils
    (rsi, sma, crossover …: `ia indicator list`). The prices come from standard input, else from --symbol, else (only
    at a terminal) from the last `ia ohlcv` of that terminal. ia names the symbol and the last bar on standard error.
    ia evaluates a single expression. It executes several lines; the value is then the last expression or `result`.

    ia prints the last value of a series and the last row of a frame (or of a series that is one row). It prints a dict
    or list as JSON with the last value of each series. --series, --csv and --json print more. Missing values are null.
    An expression cannot read or write files, start processes or reach the network. It has no clock: on Linux the
    machine's time is always 1 January 2000; on other systems ia refuses clock access that it recognizes.

    --strict also evaluates a series or frame on about twenty shorter ranges. ia refuses it if a value changes when
    later bars are removed. A single value belongs to the last bar, so ia checks only the form of its expression.

    Status 1 if a condition is false, or a boolean series ends in false or a missing value; 65 if the expression does
    not parse or raises an error; 77 if ia refuses it; 124 after a timeout.
    """
    from ia.kernel import config
    from ia.kernel.errors import BadData, UsageError
    from ia.organs.compute.calculate import calculate_expression
    from ia.organs.compute.render import is_false_condition

    if second is not None:
        if symbol is not None:
            raise UsageError("two securities given: {one} and {other}; give only one", one=expression, other=symbol)
        expression, symbol = second, expression
    elif expression is not None and len(expression) == 6 and expression.isdigit() and file is None:
        hint = "`ia compute {symbol} 'rsi(close, 14)'`"
        raise UsageError("missing {what}", what="EXPR", symbol=expression, hint=hint)
    if expression is None and file is None:
        raise UsageError("give an expression, or -f FILE", hint="try: ia compute 'rsi(close, 14)'")
    if expression is not None and file is not None:
        raise UsageError("give either an expression or -f FILE, not both")
    if series + as_csv + as_json > 1:
        raise UsageError("--series, --csv and --json cannot be combined; give one")
    source = expression if expression is not None else _read_source(file or "-")
    seconds = timeout if timeout is not None else config.get_setting("compute.timeout")
    if not 0 < seconds <= 86400:
        raise UsageError(
            "--timeout {seconds}: give a number of seconds above 0 and at most 86400", seconds=f"{seconds:g}"
        )
    try:
        result = calculate_expression(
            source,
            lambda: _load_bars(symbol, file == "-", strict),
            origin=_source_name(file),
            trusted=file is None,
            strict=strict,
            timeout=seconds,
            isolation=config.get_setting("compute.isolation"),
            notify=_make_notify(source, file),
        )
    except BadData as error:
        from ia.organs.compute.indicators import example_call

        if call := example_call(source):
            error.hint = "for example `{example}`"
            error.params["example"] = call
        raise
    _print_result(result, series, as_csv, as_json)
    if is_false_condition(result):
        ctx.exit(1)


def _make_notify(source: str, file: str | None) -> Notify:
    """Return a Notify that also keeps in the audit trail that code ran without a lock."""

    def notify_and_record(message: Message) -> None:
        from ia.organs.compute.sandbox import RunsUnlocked

        notify(message)
        if isinstance(message, RunsUnlocked):
            from ia.kernel import audit
            from ia.kernel.workspace import Workspace

            ws = Workspace()
            audit.record(ws.db, "compute.unlocked", file or "-", source=source[:2000])

    return notify_and_record


def _source_name(file: str | None) -> str:
    from ia.organs.compute.worker_protocol import FILENAME

    return FILENAME if file is None else "<stdin>" if file == "-" else file


def _read_source(file: str) -> str:
    from ia.kernel.errors import BadData

    stream, name = open_input(file)
    with stream:
        try:
            return stream.read(1 << 20).decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as exc:
            raise BadData("{name}: not valid UTF-8 (byte {at}); convert it to UTF-8", name=name, at=exc.start) from None


def _load_bars(symbol: str | None, stdin_taken: bool, strict: bool) -> "Bars":
    """Return the bars to compute on, and say on stderr whose they are and which is the last."""
    from ia.kernel.errors import BadData

    if symbol is None and not stdin_taken and not stdin_is_idle():
        bars, name, about = _read_piped_bars(strict)
    else:
        answer = _load_answer(symbol)
        bars, name, about = answer.bars, answer.symbol.canonical, f"{answer.period}, {answer.adjust}"
    if not bars.date:
        raise BadData("no bars to compute with")
    known = {"symbol": name, "day": bars.date[-1], "count": len(bars.date)}
    if about:
        notify(
            Message(
                PluralText("{symbol} {day} ({about}): {count} bar", "{symbol} {day} ({about}): {count} bars"),
                about=about,
                **known,
            )
        )
    else:
        notify(
            Message(
                PluralText("standard input, {day}: {count} bar", "standard input, {day}: {count} bars"),
                day=known["day"],
                count=known["count"],
            )
        )
    return bars


def _load_answer(symbol: str | None) -> "BarsAnswer":
    """Return the bars of a symbol, else, at a terminal only, of the last one that this terminal asked for."""
    from ia.kernel import config
    from ia.kernel.errors import NotFound, UsageError
    from ia.kernel.workspace import Workspace
    from ia.wiring.last_bars import load_bars, load_last_bars

    if symbol:
        return load_bars(Workspace(), symbol, notify)
    hint = "pipe prices in: `ia ohlcv SYMBOL | ia compute …`, or add --symbol SYMBOL"
    attended = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty() and config.run_number() is None
    if not attended:
        raise UsageError("no prices to compute with", hint=hint)
    try:
        return load_last_bars(Workspace(), notify)
    except NotFound as exc:
        raise UsageError(exc.template, hint=exc.hint, **exc.params) from None


def _read_piped_bars(strict: bool) -> "tuple[Bars, str, str]":
    """Return the bars on standard input, and of bytes that ia wrote the symbol, and their period and adjustment."""
    from ia_cli.terminal.piped_bars import read_piped_bars

    bars, origin = read_piped_bars(sys.stdin.buffer, "<stdin>", strict=strict)
    told = [str(origin[field]) for field in ("period", "adjust") if origin.get(field)]
    return (bars, str(origin["symbol"]), ", ".join(told)) if origin.get("symbol") and told else (bars, "", "")


def _print_result(result: "ComputeResult", series: bool, as_csv: bool, as_json: bool) -> None:
    from ia.organs.compute import render

    if as_json:
        emit_json(render.result_document(result))
    else:
        sys.stdout.write(render.render_all(result) if series or as_csv else render.render_short(result))
