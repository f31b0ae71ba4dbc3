"""`ia usage`: what models used, and what is left of the caps."""

from decimal import Decimal
from typing import Any

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import emit_json, emit_rows, tell_empty
from ia_cli.terminal.wide_tables import emit_wide_rows

WIDTH = 12
"""Cells of a bar."""
HEADS = {"input_tokens": "tokens in", "output_tokens": "tokens out"}


@click.command(cls=Command, example="ia turn '看看贵州茅台'; ia usage --by model")
@click.option(
    "--by",
    type=click.Choice(["day", "month", "model", "session"]),
    default="day",
    show_default=True,
    help="Group totals by day, month, model or session.",
)
@click.option("--since", metavar="TIME", help="Only calls at or after this time.")
@click.option("--left", is_flag=True, help="Show only the caps: limit, spent and left.")
@rows_options
def usage(by: str, since: str | None, left: bool, as_json: bool, as_jsonl: bool) -> None:
    """Show the models' token usage and cost, and the remaining caps.

    Costs are known only for models with prices: `ia config set prices.MODEL.input 2`, and .output, per million tokens.
    Caps are settings (turn.max_cost and turn.max_tokens, each also with _day and _month); ia refuses a call that would
    exceed one, with status 77. For a model without a price, one command uses at most 500000 tokens, unless
    turn.max_tokens says otherwise. estimated counts calls whose model did not report its tokens, unpriced those
    without a price. In piped output, add --left or --json to see the caps.
    """
    import sys

    from ia.kernel import clock
    from ia.kernel.workspace import Workspace
    from ia.organs import spending as organ

    ws = Workspace()
    start = clock.utc_stamp(clock.parse_since(since)) if since else None
    caps = [{"cap": name, **cap._asdict()} for name, cap in organ.remaining_caps(ws).items()]
    rows = [] if left else [{by: row.key, **row._asdict()} for row in organ.usage_rows(ws, by, start)]
    for row in rows:
        del row["key"]
    if as_json or as_jsonl:
        plain = [{name: _json_number(value) for name, value in row.items()} for row in (caps if left else rows)]
        if as_jsonl or left:
            emit_rows(plain, (), as_json=as_json, as_jsonl=as_jsonl)
        else:
            emit_json({"by": by, "rows": plain, "caps": [{k: _json_number(v) for k, v in cap.items()} for cap in caps]})
        return
    terminal = sys.stdout.isatty()
    if not left:
        _show_rows(rows, by, terminal=terminal)
    if left or terminal:
        _show_caps(caps, terminal=terminal)


def _show_rows(rows: list[dict[str, Any]], by: str, *, terminal: bool) -> None:
    most = max((row["input_tokens"] + row["output_tokens"] for row in rows), default=0)
    for row in rows:
        row["bar"] = _draw_bar(row["input_tokens"] + row["output_tokens"], most)
        _format_amounts(row)
    columns = [by, "calls", "input_tokens", "output_tokens", "cost", "currency", "estimated", "unpriced"]
    _emit_table(rows, columns, terminal=terminal)
    if not rows:
        tell_empty("no model has been called yet")


def _show_caps(caps: list[dict[str, Any]], *, terminal: bool) -> None:
    for cap in caps:
        cap["bar"] = _draw_bar(cap["spent"], cap["limit"], rest="░")
        _format_amounts(cap)
    columns = ["cap", "limit", "spent", "left", "unit"]
    _emit_table(caps, columns, terminal=terminal)


def _emit_table(rows: list[dict[str, Any]], columns: list[str], *, terminal: bool) -> None:
    heads = {name: HEADS.get(name, name) for name in [*columns, "bar"]}
    spare = ("unpriced", "estimated", "bar", "currency")
    emit_wide_rows(rows, columns, heads if terminal else {}, spare=spare, free={"model": 16, "session": 22})


def _draw_bar(part: Any, whole: Any, rest: str = "") -> str:
    """Return a bar; what is not nothing has at least one cell."""
    cells = min(WIDTH, -(-int(part * WIDTH * 1000 / whole) // 1000)) if whole else 0
    return "█" * cells + rest * (WIDTH - cells)


def _format_amounts(row: dict[str, Any]) -> None:
    from ia.organs.spending import format_amount

    row.update({name: format_amount(value) for name, value in row.items() if isinstance(value, Decimal)})


def _json_number(value: Any) -> Any:
    """Return a value for JSON: money and tokens as a number."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)
