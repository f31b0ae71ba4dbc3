"""`ia verify`: the same days from two different hosts, or from two files, row by row."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import end_option, rows_options, start_option
from ia_cli.terminal.output import complain, emit_rows, notify

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol
    from ia.kernel.errors import IaError
    from ia.kernel.workspace import Workspace
    from ia.organs.market.verify import Checked, Side

COLUMNS = ("symbol", "date", "field", "a", "b", "difference")
TOLD = 20
"""So many comparisons are told one by one; of more only those that differ."""


@click.command(
    cls=Command,
    example="ia ohlcv 600519 --adapter demo > mine.csv && ia ohlcv 600519 --adapter demo | ia verify mine.csv -",
)
@click.argument("what", nargs=-1, metavar="[SYMBOL… | FILE FILE]")
@click.option("--universe", metavar="U", help="Compare all of these: watch, held, all, or a file with a symbol a line.")
@click.option(
    "--hosts",
    metavar="A,B",
    help="Two of eastmoney, tencent, sina, store, or adapters; default: the first two that answer.",
)
@start_option("First date; default: two years before the last, of files all.")
@end_option("Last date; default: the last closed session, of files all.")
@click.option(
    "--factors/--no-factors",
    "adjust",
    default=None,
    help="Compare our adjustment with Sina's factors, too; default: where they can be had.",
)
@click.option(
    "--tick",
    type=click.FloatRange(min=0, min_open=True),
    help="With files: the smallest step of a price; default 0.01.",
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

    The same days, raw against raw: open, high, low and close agree within half a tick, the volume within a lot where
    one host counts lots, and a day that only one has differs unless nobody traded on it. Of mainland stocks the
    adjustment is compared, too: on each ex-day the factor that ia works out from dividends, bonus and rights issues
    against the one of Sina's factor file (relative 1e-4); the adjusted prices of Eastmoney and Tencent subtract
    dividends and are no reference. The host `store` is what is stored here of live data: `--hosts store,sina`.

    Two FILEs, or one and - for standard input, are compared as they are; any OHLCV-like CSV will do.

    What is printed are the values that differ: symbol, date, field (`bar`: a day that one side lacks; `factor`: the
    step of an ex-day), a, b, and b - a (of factors relative). Volumes are in shares.

    Status 0: all that was compared agrees; 1: something differs; 66: no such symbol; 69 or 75: a host did not answer,
    and nothing is known of that symbol then; 69 also for simulated prices, which no host knows.
    """
    from ia.kernel.errors import NotFound, UsageError
    from ia.organs.ohlcv.history import Request, dated

    asked = dated(Request(next(iter(what), "-"), start=start, end=end))
    start, end = asked.start, asked.end
    failures: list[IaError] = []
    files = [word for word in what if word == "-" or os.path.isfile(word)]
    if files or any(map(_like_a_file, what)):
        for word in what:
            if word not in files and _like_a_file(word):
                raise NotFound(
                    "{path}: no such file",
                    path=word,
                    hint="two files are compared with each other: `ia verify a.csv b.csv`",
                )
        if len(what) != 2 or len(files) != 2 or universe or hosts:
            raise UsageError("two files are compared with each other", hint="`ia verify a.csv b.csv`")
        checked = [_files(what[0], what[1], start, end, tick or 0.01)]
        _tell(checked[0])
    else:
        if tick is not None:
            raise UsageError("--tick goes with two files")
        checked, failures = _hosts(what, universe, hosts, start, end, adjust)
    if failures and not checked:
        _leave(ctx, checked, failures, False)
    rows = [_row(one, *row) for one in checked for row in one.differences]
    emit_rows(rows, COLUMNS, as_json=as_json, as_jsonl=as_jsonl)
    sys.stdout.flush()
    _leave(ctx, checked, failures, bool(rows))


def _like_a_file(word: str) -> bool:
    return os.sep in word or word.lower().endswith((".csv", ".tsv", ".txt"))


def _leave(ctx: click.Context, checked: "list[Checked]", failures: "list[IaError]", differ: bool) -> None:
    """Leave with 1 where something differs, else with the status of what could not be compared."""
    from ia.kernel.errors import Message

    if len(checked) + len(failures) > 1:
        wrong = sum(bool(one.differences) for one in checked)
        template = "{count} compared: {wrong} differ, {failed} could not be compared"
        notify(Message(template, count=len(checked), wrong=wrong, failed=len(failures)))
    if failures and not differ:
        raise max(failures, key=lambda exc: exc.status)
    for failure in failures:
        complain(failure)
    ctx.exit(1 if differ else 0)


def _hosts(
    what: tuple[str, ...],
    universe: str | None,
    hosts: str | None,
    start: str | None,
    end: str | None,
    adjust: bool | None,
) -> "tuple[list[Checked], list[IaError]]":
    from ia.kernel.workspace import Workspace
    from ia.organs.market import verify as verifying

    named = tuple(part.strip() for part in hosts.split(",") if part.strip()) if hosts is not None else ()
    verifying.check_hosts(named, given=hosts is not None)
    ws = Workspace()
    symbols = _symbols(ws, what, universe)
    many = len(symbols) > TOLD
    return verifying.run(
        ws, symbols, named, start, end, factors=adjust, notify=notify,
        told=lambda one: None if many and not one.differences else _tell(one),
    )  # fmt: skip


def _symbols(ws: "Workspace", what: tuple[str, ...], universe: str | None) -> "list[Symbol]":
    from ia.domain.instruments.symbols import resolve
    from ia.kernel.errors import NotFound, UsageError

    if (universe is None) == (not what):
        raise UsageError("give SYMBOLs, two FILEs, or --universe", hint="`ia verify 600519`, `ia verify a.csv b.csv`")
    if universe is not None:
        from ia.wiring.universe import list_universe as members

        return members(ws, universe)
    try:
        return [resolve(word) for word in what]
    except NotFound:
        missing = next((word for word in what if word.endswith(".csv")), None)
        if missing:
            raise NotFound("{path}: no such file", path=missing) from None
        raise


def _files(one: str, other: str, start: str | None, end: str | None, tick: float) -> "Checked":
    from ia.organs.market.verify import Span, of_files

    return of_files(_side(one), _side(other), Span(start, end), tick)


def _side(path: str) -> "Side":
    from ia.organs.market.verify import Side
    from ia.organs.ohlcv.history import visible
    from ia.organs.ohlcv.normalize import normalize
    from ia_cli.terminal.input import open_input

    stream, source = open_input(path)
    with stream:
        return Side(source, visible(normalize(stream.read(), source, notify=notify)))


def _tell(one: "Checked") -> None:
    """Say on stderr what was compared and how it came out, and what kind of difference it looks like."""
    from ia.kernel.errors import Message
    from ia_cli.terminal.text import say

    values = [row for row in one.differences if row.field != "bar"]
    what = f"{one.name}: " if one.name else ""
    told = say(
        "{what}{source} and {other}: values that differ: {rows}, on {dates} of {days} days, {first} to {last}"
        if values
        else "{what}{source} and {other} agree on {days} days, {first} to {last}",
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
            told += say("; days that only {name} has: {count}", name=name, count=len(lone))
    if one.steps is not None:
        wrong = sum(row.field == "factor" for row in one.differences)
        told += say("; adjustment: {steps} ex-days, {wrong} differ", steps=one.steps, wrong=wrong)
    notify(Message("{told}", told=told))
    if one.runs:
        where = ", ".join(f"{day}: x {ratio:.6g}" for day, ratio in one.runs[:6])
        more = ", …" if len(one.runs) > 6 else ""
        template = (
            "{what}the closes of {other} stand in steady ratios to those of {source}, one of them is adjusted: {where}"
        )
        notify(Message(template, what=what, source=one.a, other=one.b, where=where + more))


def _row(one: "Checked", date: str, field: str, a: Any, b: Any, difference: Any) -> dict[str, Any]:
    return {
        "symbol": one.name, "date": date, "field": field, "a": a, "b": b, "difference": difference,
        "hosts": [one.a, one.b],
    }  # fmt: skip
