"""`ia profit`: what was gained and lost, security by security."""

from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import Row, emit_json, notify, tell_hint
from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ia.organs.ledger.profit import ProfitRow as Profit
    from ia.organs.ledger.profit import ProfitTotal

COLUMNS = (
    "symbol",
    "name",
    "size",
    "cost",
    "current_price",
    "price_date",
    "pnl",
    "profit_rate",
    "realized",
    "unrealized",
    "dividends",
    "fees",
    "currency",
)
HEADS = {
    "symbol": "symbol", "name": "name", "size": "shares", "cost": "cost basis", "current_price": "last price",
    "price_date": "price date", "pnl": "gain", "profit_rate": "rate%", "realized": "realized",
    "unrealized": "unrealized", "dividends": "dividends", "fees": "fees",
}  # fmt: skip
"""What stands above a column on a terminal."""


@click.command(cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia profit --json")
@click.argument("symbol", required=False, metavar="[SYMBOL]")
@click.option(
    "--method", type=click.Choice(["average", "fifo"]), help="Cost basis of sales (default: setting ledger.method)."
)
@click.option("-s", "--session", metavar="ID", default="", help="Count only trades of this session.")
@json_option
def profit(symbol: str | None, method: str | None, session: str, as_json: bool) -> None:
    """Show realized and unrealized profit and dividends, by security and in total.

    profit_rate is the profit in percent of the cost of all purchases ever made, fees included. For a single purchase
    that you still hold, it is (price - cost) / cost. Reinvested money counts again: 10,000 turned over ten times is
    100,000, and a gain of 1,000 on it is 1 %. It is not the return on deposited money; see `ia report` for that.
    Dividends count before tax on the ex-dividend date. ia does not add up currencies: with several, the total is empty
    and each currency has its own.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.ledger import account_documents
    from ia.organs.ledger.profit import profit_rows, sum_by_currency
    from ia.wiring.ledger_prices import open_ledger
    from ia_cli.terminal.trade_view import gain_colors
    from ia_cli.terminal.wide_tables import emit_wide_rows

    desk = open_ledger(Workspace(), notify)
    meant = desk.resolve_symbol(symbol).canonical if symbol else ""
    books = desk.books(method=method, session=session)
    found = profit_rows(books, desk.load_prices(books), meant)
    sums = sum_by_currency(found)
    if as_json:
        emit_json(account_documents.profit_document(found, sums, books.method, session))
        return
    if not found:
        what = meant or session
        notify(Message("{what}: no trades", what=what) if what else Message("no trades yet"))
        if not what:
            tell_hint("record a purchase with `ia trade buy SYMBOL QUANTITY PRICE`")
    spare = ("size", "price_date", "current_price", "fees", "dividends", "cost")
    emit_wide_rows(
        _profit_rows(found, sums.values()),
        COLUMNS,
        HEADS,
        spare=spare,
        gains=("pnl", "realized", "unrealized"),
        colors=gain_colors(sums),
    )


def _profit_rows(found: "Iterable[Profit]", sums: "Iterable[ProfitTotal]") -> list[Row]:
    """Return the lines of the table: a security each, then a sum a currency."""
    import sys

    from ia_cli.terminal.trade_view import format_table_number

    def gain_columns(each: "Profit | ProfitTotal") -> Row:
        return {
            "pnl": format_table_number(each.profit, True),
            "profit_rate": format_table_number(each.rate),
            "realized": format_table_number(each.realized),
            "unrealized": format_table_number(each.unrealized),
            "dividends": format_table_number(each.dividends),
            "fees": format_table_number(each.fees),
            "currency": each.currency,
        }

    person = sys.stdout.isatty()
    lines = [
        {
            "symbol": each.symbol,
            "name": each.name,
            "size": format_table_number(each.quantity),
            "cost": format_table_number(each.cost),
            "price_date": each.price.date if each.price else "",
            "current_price": format_table_number(each.price.price if each.price else None, places=2),
            **gain_columns(each),
        }
        for each in found
    ]
    for total in sums:
        name = f"{tr('total')} {total.currency}" if person else "total"
        lines.append({"symbol": "", "name": name, **gain_columns(total)})
    return lines
