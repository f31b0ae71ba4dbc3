"""`ia screen`: the securities that meet a condition."""

import re
from typing import TYPE_CHECKING, Any

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options, strategy_option
from ia_cli.terminal.progress import show_progress

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace
    from ia.organs.market.screen import ScreenResult


@click.command(cls=Command, example="ia sync daily && ia screen 'pe < 60 and price > 10' -n 5")
@click.argument("expr", required=False, metavar="EXPR")
@click.option("--sort", metavar="COLUMN", help="Column to sort by (default: market_cap).")
@click.option("--desc/--asc", "descending", default=None, help="Sort largest or smallest first.")
@click.option("-n", "--limit", type=click.IntRange(1, 1_000_000), help="Maximum number of rows (default: all).")
@click.option(
    "--columns",
    metavar="A,B…",
    is_flag=False,
    flag_value="",
    help="Columns to print; without names, list all columns with their units.",
)
@strategy_option
@click.option("--codes", "symbols", is_flag=True, help="Print codes only, for xargs.")
@rows_options
@click.pass_context
def screen(
    ctx: click.Context,
    expr: str | None,
    sort: str | None,
    descending: bool | None,
    limit: int | None,
    columns: str | None,
    strategy: str | None,
    symbols: bool,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Print the stocks that meet a condition.

    EXPR compares columns with numbers, texts and each other: `0 < pe < 20 and roe > 15%`, `market_cap > 100亿`,
    `industry in (银行, 保险) and not st`, `name ~ 茅台`, `price / prev_close - 1 > 5%`, `listed < 2020-01-01`, `pb
    between 1 and 2`. Chinese works too: `市盈率 < 15 且 净资产收益率 > 15`. Quote expressions that contain `<`, `>`
    or spaces. A missing value meets neither a condition nor its negation; ia reports on stderr how many stocks this
    left out. ia searches the newest stored day. Status 1 if no stock meets EXPR.

    Technical conditions, with functions of ia-compute(1), may stand among the others, joined with `and`: `pe < 15 and
    rsi(close, 14) < 30`. ia evaluates them as `ia scan` does, for the stocks that meet the rest. --strategy takes a
    saved condition, as described in ia-scan(1); EXPR narrows it.

    Figures of companies (roe, eps, profit, revenue, growth, margins, cash_flow_ps) cover the twelve months up to the
    end of the period in the column report. The column basis says `ttm`, or `annual` for the report of a whole year.
    A figure is missing if one of the reports it needs is missing. See ia-fundamentals(1) for how they are computed.
    """
    from ia.kernel.errors import BadData, UsageError
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.output import tell_empty, tell_hint

    if strategy == "":
        from ia_cli.terminal.strategies import emit_strategies

        ctx.exit(emit_strategies(Workspace(), as_json=as_json, as_jsonl=as_jsonl))
    if expr is None and strategy is None:
        if columns != "":
            raise UsageError("missing {what}", what="EXPR", hint="`ia screen --columns` lists the columns")
        _list_columns(as_json, as_jsonl)
        return
    from ia_cli.terminal.market_tables import emit_market_rows, tell_market_day

    names = tuple(name.strip() for name in (columns or "").split(",") if name.strip())
    try:
        found = _find_stocks(
            Workspace(),
            expr,
            strategy,
            columns=("symbol",) if symbols else names,
            sort=sort,
            descending=descending,
            limit=limit,
        )
    except BadData as error:
        from ia.organs.compute.indicators import example_call

        words = re.findall(r"[A-Za-z]+[0-9]*(?![\w(])", expr or "")
        if call := next(filter(None, map(example_call, words)), ""):
            error.hint = "write an indicator with its arguments: 'pe < 15 and {example} < 30'"
            error.params["example"] = call
        raise
    if symbols and not (as_json or as_jsonl):
        click.echo("".join(f"{row['symbol']}\n" for row in found.rows), nl=False)
    else:
        if found.rows and not (as_json or as_jsonl):
            tell_market_day(found.day, len(found.rows), found.met)
        brief = tuple(name for name in found.columns if name != "date") if not names else ()
        spare = ("basis", "report", "market_cap", "industry")
        emit_market_rows(found.rows, found.columns, brief=brief, spare=spare, as_json=as_json, as_jsonl=as_jsonl)
    if not found.rows:
        tell_empty("no stock meets the condition")
        if re.search(r"(?:industry|sector|concepts?|行业|板块|概念)\s*(?:!?=|~)\s*['\"]?[A-Za-z]{2}", expr or ""):
            tell_hint(
                "`ia market sectors` and `ia market sectors --kind concept` list the names of industries and concepts"
            )
    ctx.exit(0 if found.rows else 1)


def _find_stocks(ws: "Workspace", expr: str | None, strategy: str | None, **options: Any) -> "ScreenResult":
    """Return the stocks that meet a condition and a saved one; with technical conditions by a scan."""
    from ia.faculties.lab.technical_screen import screen_technicals
    from ia_cli.terminal.output import notify

    condition, expression = expr or "", ""
    further: tuple[str, ...] = ()
    if strategy is not None:
        from ia.faculties.lab.scan_strategies import load_strategy

        saved = load_strategy(ws, strategy)
        condition, expression = saved.narrow_condition(expr) or "", saved.expression
        further = () if options["columns"] else saved.columns
    with show_progress() as show:
        return screen_technicals(
            ws, condition, expression=expression, further=further, notify=notify, show=show, **options
        ).found


def _list_columns(as_json: bool, as_jsonl: bool) -> None:
    from ia.organs.market.screen_columns import COLUMNS
    from ia_cli.terminal.output import emit_rows

    rows = [{"column": c.name, "type": c.type, "unit": c.unit, "also": ", ".join(c.also)} for c in COLUMNS]
    emit_rows(rows, ("column", "type", "unit", "also"), as_json=as_json, as_jsonl=as_jsonl)
