"""`ia account`: cash, holdings and what they are worth."""

from typing import Any

import click

from ia.kernel.errors import Message
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, notify, tell_hint
from ia_cli.terminal.text import tr

COLUMNS = (
    "symbol",
    "name",
    "size",
    "sellable",
    "avg_price",
    "current_price",
    "price_date",
    "value",
    "unrealized_pnl",
    "weight_pct",
    "currency",
)
HEADS = {
    "symbol": "symbol", "name": "name", "size": "shares", "sellable": "sellable", "avg_price": "avg cost",
    "current_price": "last price", "price_date": "price date", "value": "mkt value", "unrealized_pnl": "gain",
    "weight_pct": "weight%",
}  # fmt: skip
"""What stands above a column on a terminal."""


@click.command(cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia account")
@click.option(
    "--method", type=click.Choice(["average", "fifo"]), help="Cost basis of sales (default: setting ledger.method)."
)
@json_option
def account(method: str | None, as_json: bool) -> None:
    """Show cash, holdings, profit and drawdown, as of now.

    ia shows the latest stored prices with their dates and contacts no source. Unknown values are empty. Cash and
    equity are known after a deposit (`ia trade deposit`) or with the setting ledger.capital. Each currency has its own
    figures. avg_price includes buying fees. max_drawdown is the largest drawdown of the daily equity, as a fraction
    (0.1 is 10 %). price_stale is the number of trading sessions since the price date; with an old price, today's
    result is unknown. lent is money in reverse repos and payments for new issues; it is part of the equity. Dividends
    count before tax on the ex-dividend date. At the sale ia shows the tax due; it counts once you enter it.
    """
    from ia.kernel.workspace import Workspace
    from ia.wiring.ledger_prices import open_ledger

    desk = open_ledger(Workspace(), notify)
    found = desk.account(method=method, curve=as_json)
    warnings = desk.account_warnings(found)
    for breach in warnings:
        notify(breach.message)
    if as_json:
        from ia.organs.ledger import account_documents
        from ia.organs.ledger.trade_proposals import pending_orders

        emit_json(account_documents.account_document(found, method or desk.method, warnings, pending_orders(desk.ws)))
        return
    if not found.positions and not found.purses:
        notify(Message("the ledger has no entries"))
        tell_hint(
            "record a deposit with `ia trade deposit AMOUNT`, a purchase with `ia trade buy SYMBOL QUANTITY PRICE`"
        )
    _print_table(found)


def _print_table(found: Any) -> None:
    import sys

    from ia_cli.terminal.trade_view import format_table_number, gain_colors
    from ia_cli.terminal.wide_tables import emit_wide_rows

    person = sys.stdout.isatty()
    rows = [
        {
            "symbol": each.symbol,
            "name": each.name,
            "size": format_table_number(each.quantity),
            "sellable": format_table_number(each.sellable),
            "avg_price": format_table_number(each.average, places=2),
            "current_price": format_table_number(each.price.price if each.price else None, places=2),
            "price_date": each.price.date if each.price else "",
            "value": format_table_number(each.value),
            "unrealized_pnl": format_table_number(each.unrealized, sign=True),
            "weight_pct": format_table_number(each.weight),
            "currency": each.currency,
        }
        for each in found.positions
    ]
    for each in found.purses.values():
        sums = {"cash": (each.cash, ""), "lent": (each.lent or None, "")}
        sums["equity"] = (each.equity, format_table_number(each.total, sign=True))
        for name, (money, gain) in sums.items():
            if name == "lent" and money is None:
                continue
            rows.append(
                {
                    "symbol": "",
                    "name": f"{tr(name)} {each.currency}" if person else name,
                    "value": format_table_number(money),
                    "unrealized_pnl": gain,
                    "currency": each.currency,
                }
            )
    emit_wide_rows(
        rows,
        COLUMNS,
        HEADS,
        spare=("price_date", "sellable", "weight_pct", "current_price", "avg_price"),
        gains=("unrealized_pnl",),
        colors=gain_colors(found.purses),
    )
