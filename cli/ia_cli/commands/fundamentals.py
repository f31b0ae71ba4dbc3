"""`ia fundamentals`: what a company reported."""

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options

COLUMNS = ("symbol", "period", "published", "eps", "bvps", "roe_pct", "revenue", "revenue_yoy_pct", "profit",
           "profit_yoy_pct", "gross_margin_pct", "net_margin_pct", "debt_ratio_pct", "cash_flow_ps", "source",
           "simulated")  # fmt: skip
BRIEF = ("period", "published", "eps", "roe_pct", "revenue", "revenue_yoy_pct", "profit", "profit_yoy_pct")


@click.command(
    cls=Command,
    example="ia sync fundamentals --symbols 600519 && ia fundamentals 600519 -n 8",
)
@click.argument("symbol", metavar="SYMBOL")
@click.option(
    "-n", "--limit", "periods", type=click.IntRange(1, 200), default=4, show_default=True, help="How many reports."
)
@rows_options
def fundamentals(symbol: str, periods: int, as_json: bool, as_jsonl: bool) -> None:
    """Print what a company reported, the newest report first.

    Only reports that were published by --now are seen; where the source does not tell the day, a report counts from
    its legal deadline on. Figures run from the beginning of the year; money in yuan, *_pct is per cent.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import reading
    from ia_cli.terminal.market_tables import emit
    from ia_cli.terminal.output import notify

    _, rows = reading.fundamentals(Workspace(), symbol, periods, notify)
    emit(rows, COLUMNS, brief=BRIEF, as_json=as_json, as_jsonl=as_jsonl)
