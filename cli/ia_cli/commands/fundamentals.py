"""`ia fundamentals`: what a company reported."""

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.options import rows_options

COLUMNS = (
    "symbol",
    "period",
    "published",
    "basis",
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
    "currency",
    "months",
    "source",
    "simulated",
)
BRIEF = ("period", "published", "basis", "eps", "roe_pct", "revenue", "revenue_yoy_pct", "profit", "profit_yoy_pct",
         "currency")  # fmt: skip
SPARE = ("published", "basis", "eps")
"""Columns that a narrow terminal leaves out first."""


@click.command(
    cls=Command,
    example="ia sync fundamentals --symbols 600519 && ia fundamentals 600519 -n 8",
)
@click.argument("symbol", metavar="SYMBOL")
@click.option(
    "-n", "--limit", "periods", type=click.IntRange(1, 200), default=4, show_default=True, help="Number of reports."
)
@click.option("--as-reported", is_flag=True, help="Print figures from the start of the year, as published.")
@rows_options
def fundamentals(symbol: str, periods: int, as_reported: bool, as_json: bool, as_jsonl: bool) -> None:
    """Print a company's financial reports, newest first.

    Uses only reports published by --now. If the source gives no publication date, a report counts from its legal
    deadline. Money is in `currency`, *_pct in percent.

    Figures cover the twelve months up to the end of the period: the report, plus the report of the year before, minus
    the report of the same period of that year. The column basis says `ttm`, or `annual` for the report of a whole
    year. A figure is empty if one of these reports is missing.

    roe_pct divides by the average equity of the report's own period, eps and cash_flow_ps by its number of shares.
    Growth (*_yoy_pct) compares with the twelve months before; bvps and debt_ratio_pct are those at the end of the
    period. With --as-reported, all figures run from the start of the year, and basis is `year-to-date` or `annual`.

    Hong Kong and US companies are asked for when you name them (Eastmoney); ia keeps the answer for 20 hours. Their
    financial year may end in any month, and months is how much of it a report covers. The currency of a report may
    differ from that of the share. For Hong Kong the source gives no publication dates: a report counts from the
    deadline of the listing rules (92 days after a year, 62 after a half-year), or from when ia first saw it.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.market import market_reader
    from ia_cli.terminal.market_tables import emit_market_rows
    from ia_cli.terminal.output import notify

    _, rows = market_reader.load_fundamentals(Workspace(), symbol, periods, notify, as_reported=as_reported)
    emit_market_rows(rows, COLUMNS, brief=BRIEF, spare=SPARE, as_json=as_json, as_jsonl=as_jsonl)
