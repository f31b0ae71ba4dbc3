"""`ia fundamentals`: what a company reported."""

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options

COLUMNS = (
    "symbol",
    "period",
    "published",
    "eps",
    "bvps",
    "roe_pct",
    "revenue",
    "revenue_yoy_pct",
    "profit",
    "profit_yoy_pct",
    "gross_margin_pct",
    "net_margin_pct",
    "debt_ratio_pct",
    "cash_flow_ps",
    "source",
    "simulated",
)
BRIEF = ("period", "published", "eps", "roe_pct", "revenue", "revenue_yoy_pct", "profit", "profit_yoy_pct")


@click.command(
    cls=Command,
    example="ia sync fundamentals --symbols 600519 && ia fundamentals 600519 -n 8",
)
@click.argument("symbol", metavar="SYMBOL")
@click.option(
    "-n", "--limit", "periods", type=click.IntRange(1, 200), default=4, show_default=True, help="Number of reports."
)
@rows_options
def fundamentals(symbol: str, periods: int, as_json: bool, as_jsonl: bool) -> None:
    """Print a company's financial reports, newest first.

    Uses only reports published by --now. If the source gives no publication date, a report counts from its legal
    deadline. Figures are cumulative from the start of the year; money is in yuan, *_pct in percent.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import market_reader
    from ia_cli.terminal.market_tables import emit_market_rows
    from ia_cli.terminal.output import notify

    _, rows = market_reader.load_fundamentals(Workspace(), symbol, periods, notify)
    emit_market_rows(rows, COLUMNS, brief=BRIEF, as_json=as_json, as_jsonl=as_jsonl)
