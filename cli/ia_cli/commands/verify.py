"""`ia verify`: the same days from two different hosts, or from two files, row by row."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import PluralText
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import end_option, rows_options, start_option
from ia_cli.terminal.output import emit_rows, notify, tell_error

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol
    from ia.kernel.errors import IaError
    from ia.kernel.workspace import Workspace
    from ia.organs.market.verify import VerificationResult, VerifiedSide

COLUMNS = ("symbol", "date", "field", "a", "b", "difference")
TOLD = 20
"""So many comparisons are told one by one; of more only those that differ."""


@click.command(
    cls=Command,
    example="ia ohlcv 600519 --adapter demo > mine.csv && ia ohlcv 600519 --adapter demo | ia verify mine.csv -",
)
@click.argument("what", nargs=-1, metavar="[SYMBOL… | FILE FILE]")
@click.option(
    "--universe", metavar="U", help="Securities to compare: watch, held, all, or a file with one symbol per line."
)
@click.option(
    "--hosts",
    metavar="A,B",
    help="Two of eastmoney, tencent, sina, store or adapters (default: the first two that answer).",
)
@start_option("First date (default: two years before the last date; for files, all dates).")
@end_option("Last date (default: the last closed session; for files, all dates).")
@click.option(
    "--factors/--no-factors",
    "adjust",
    default=None,
    help="Also compare ia's adjustment with Sina's factors (default: where available).",
)
@click.option(
    "--tick",
    type=click.FloatRange(min=0, min_open=True),
    help="Smallest price step, for files only (default: 0.01).",
)
@rows_options
@click.pass_context
def verify(
    ctx: click.Context,
    what: tuple[str, ...],
    universe: str | None,
    hosts: str | None,
    start: str | None,
    end: str | None,
    adjust: bool | None,
    tick: float | None,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Compare the prices of two different hosts, row by row.

    ia compares unadjusted prices of the same days. Open, high, low and close agree within half a tick, volume within
    one lot if a host counts lots. A day that only one host has counts as a difference, unless nobody traded on it. For
    mainland stocks, ia also compares the adjustment. On each ex-dividend date, it compares its own factor, from
    dividends, bonus and rights issues, with Sina's factor (relative tolerance 1e-4). Adjusted prices of Eastmoney and
    Tencent subtract dividends and are no reference. The host `store` is the live data stored here: `--hosts
    store,sina`.

    ia compares two FILEs, or one FILE and - for standard input, as they are. Any OHLCV-like CSV works.

    Prints the values that differ: symbol, date, field (`bar`: a day missing on one side; `factor`: the factor of an
    ex-dividend date), a, b, and b - a (relative for factors). Volumes are in shares.

    Status 0: all compared values agree. 1: some values differ. 66: unknown symbol. 69 or 75: a host did not answer, so
    nothing is known about that symbol. 69 also for simulated prices, which no host has.
    """
    from ia.kernel.errors import NotFound, UsageError
    from ia.organs.ohlcv.history import BarsRequest, resolve_dates

    asked = resolve_dates(BarsRequest(symbol=next(iter(what), "-"), start=start, end=end))
    start, end = asked.start, asked.end
    failures: list[IaError] = []
    files = [word for word in what if word == "-" or os.path.isfile(word)]
    if files or any(map(_looks_like_file, what)):
        for word in what:
            if word not in files and _looks_like_file(word):
                raise NotFound(
                    "{path}: no such file",
                    path=word,
                    hint="to compare two files: `ia verify a.csv b.csv`",
                )
        if len(what) != 2 or len(files) != 2 or universe or hosts:
            raise UsageError("give exactly two files, without --universe or --hosts", hint="`ia verify a.csv b.csv`")
        checked = [_compare_files(what[0], what[1], start, end, tick or 0.01)]
        _report_comparison(checked[0])
    else:
        if tick is not None:
            raise UsageError("--tick works only with two files")
        checked, failures = _compare_hosts(what, universe, hosts, start, end, adjust)
    if failures and not checked:
        _exit_with_status(ctx, checked, failures, False)
    rows = [_difference_row(one, *row) for one in checked for row in one.differences]
    emit_rows(rows, COLUMNS, as_json=as_json, as_jsonl=as_jsonl)
    sys.stdout.flush()
    _exit_with_status(ctx, checked, failures, bool(rows))


def _looks_like_file(word: str) -> bool:
    return os.sep in word or word.lower().endswith((".csv", ".tsv", ".txt"))


def _exit_with_status(
    ctx: click.Context, checked: "list[VerificationResult]", failures: "list[IaError]", differ: bool
) -> None:
    """Leave with 1 where something differs, else with the status of what could not be compared."""
    from ia.kernel.errors import Message

    if len(checked) + len(failures) > 1:
        wrong = sum(bool(one.differences) for one in checked)
        template = "compared {count}: {wrong} differ, {failed} could not be compared"
        notify(Message(template, count=len(checked), wrong=wrong, failed=len(failures)))
    if failures and not differ:
        raise max(failures, key=lambda exc: exc.status)
    for failure in failures:
        tell_error(failure)
    ctx.exit(1 if differ else 0)


def _compare_hosts(
    what: tuple[str, ...],
    universe: str | None,
    hosts: str | None,
    start: str | None,
    end: str | None,
    adjust: bool | None,
) -> "tuple[list[VerificationResult], list[IaError]]":
    from ia.kernel.workspace import Workspace
    from ia.organs.market import verify as verifying

    named = tuple(part.strip() for part in hosts.split(",") if part.strip()) if hosts is not None else ()
    verifying.check_hosts(named, given=hosts is not None)
    ws = Workspace()
    symbols = _resolve_symbols(ws, what, universe)
    many = len(symbols) > TOLD
    return verifying.verify_symbols(
        ws,
        symbols,
        named,
        start,
        end,
        factors=adjust,
        notify=notify,
        told=lambda one: None if many and not one.differences else _report_comparison(one),
    )


def _resolve_symbols(ws: "Workspace", what: tuple[str, ...], universe: str | None) -> "list[Symbol]":
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import NotFound, UsageError

    if (universe is None) == (not what):
        raise UsageError("give SYMBOLs, two FILEs, or --universe", hint="`ia verify 600519`, `ia verify a.csv b.csv`")
    if universe is not None:
        from ia.wiring.universe import list_universe as members

        return members(ws, universe)
    try:
        return [resolve_security(word) for word in what]
    except NotFound:
        missing = next((word for word in what if word.endswith(".csv")), None)
        if missing:
            raise NotFound("{path}: no such file", path=missing) from None
        raise


def _compare_files(one: str, other: str, start: str | None, end: str | None, tick: float) -> "VerificationResult":
    from ia.organs.market.verify import VerifySpan, compare_files

    return compare_files(_load_side(one), _load_side(other), VerifySpan(start, end), tick)


def _load_side(path: str) -> "VerifiedSide":
    from ia.organs.market.verify import VerifiedSide
    from ia.organs.ohlcv.history import visible_bars
    from ia.organs.ohlcv.normalize import normalize_csv
    from ia_cli.terminal.input import open_input

    stream, source = open_input(path)
    with stream:
        return VerifiedSide(source, visible_bars(normalize_csv(stream.read(), source, notify=notify)))


def _report_comparison(one: "VerificationResult") -> None:
    """Say on stderr what was compared and how it came out, and what kind of difference it looks like."""
    from ia.kernel.errors import Message
    from ia_cli.terminal.text import say

    values = [row for row in one.differences if row.field != "bar"]
    what = f"{one.name}: " if one.name else ""
    told = say(
        PluralText(
            "{what}{source} and {other} differ in {rows} value on {dates} of {days} days, {first} to {last}",
            "{what}{source} and {other} differ in {rows} values on {dates} of {days} days, {first} to {last}",
            by="rows",
        )
        if values
        else PluralText(
            "{what}{source} and {other} agree on {days} day, {first} to {last}",
            "{what}{source} and {other} agree on {days} days, {first} to {last}",
            by="days",
        ),
        what=what,
        source=one.a,
        other=one.b,
        rows=len(values),
        dates=len({row.date for row in values}),
        days=len(one.days),
        first=one.days[0] if one.days else "-",
        last=one.days[-1] if one.days else "-",
    )
    for name, alone in ((one.a, "a"), (one.b, "b")):
        lone = [row for row in one.differences if row.field == "bar" and getattr(row, alone) is not None]
        if lone:
            told += say("; days only in {name}: {count}", name=name, count=len(lone))
    if one.steps is not None:
        wrong = sum(row.field == "factor" for row in one.differences)
        told += say(
            PluralText(
                "; adjustment: {steps} ex-dividend date, {wrong} differ",
                "; adjustment: {steps} ex-dividend dates, {wrong} differ",
                by="steps",
            ),
            steps=one.steps,
            wrong=wrong,
        )
    notify(Message("{told}", told=told))
    if one.runs:
        where = ", ".join(f"{day}: x {ratio:.6g}" for day, ratio in one.runs[:6])
        more = ", …" if len(one.runs) > 6 else ""
        template = (
            "{what}closes of {other} are a constant multiple of those of {source}; one of them is adjusted: {where}"
        )
        notify(Message(template, what=what, source=one.a, other=one.b, where=where + more))


def _difference_row(
    one: "VerificationResult", date: str, field: str, a: Any, b: Any, difference: Any
) -> dict[str, Any]:
    return {
        "symbol": one.name,
        "date": date,
        "field": field,
        "a": a,
        "b": b,
        "difference": difference,
        "hosts": [one.a, one.b],
    }
