"""`ia profit`: what was gained and lost, security by security."""

from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import Row, emit_json, hint, notify
from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ia.organs.ledger.profit import Row as Profit
    from ia.organs.ledger.profit import Total

COLUMNS = (
    "symbol", "name", "size", "cost", "current_price", "price_date", "pnl", "profit_rate", "realized", "unrealized",
    "dividends", "fees", "currency",
)  # fmt: skip
HEADS = {
    "symbol": "symbol", "name": "name", "size": "shares", "cost": "cost of it", "current_price": "price now",
    "price_date": "price date", "pnl": "gain", "profit_rate": "rate%", "realized": "realized",
    "unrealized": "unrealized", "dividends": "dividends", "fees": "fees",
}  # fmt: skip
"""What stands above a column on a terminal."""


@click.command(cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia profit --json")
@click.argument("symbol", required=False, metavar="[SYMBOL]")
@click.option(
    "--method", type=click.Choice(["average", "fifo"]), help="How what is sold is costed; else ledger.method."
)
@click.option("-s", "--session", metavar="ID", default="", help="Only what was traded in this session.")
@json_option
def profit(symbol: str | None, method: str | None, session: str, as_json: bool) -> None:
    """Show the profit: realized, unrealized and dividends, of each security and in all.

    profit_rate is in per cent of the cost of all that was ever bought, fees included; of one purchase that is still
    held that is (price - cost) / cost. Money that was invested again counts again: 10,000 that are turned over ten
    times are 100,000, and a gain of 1,000 on them is 1 %. It is no return on the money that was brought in; `ia report`
    has that. Dividends count before tax on the ex-date. Currencies are not added up: with several, the total is empty,
    and each has its own.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.ledger import documents
    from ia.organs.ledger.profit import rows, totals
    from ia.wiring.ledger_prices import open_ledger
    from ia_cli.terminal.trade_view import gain_colors
    from ia_cli.terminal.wide_tables import emit_brief

    desk = open_ledger(Workspace(), notify)
    meant = desk.meant(symbol).canonical if symbol else ""
    books = desk.books(method=method, session=session)
    found = rows(books, desk.prices(books), meant)
    sums = totals(found)
    if as_json:
        emit_json(documents.profit(found, sums, books.method, session))
        return
    if not found:
        what = meant or session
        notify(Message("{what}: nothing of it was traded", what=what) if what else Message("nothing was traded yet"))
        if not what:
            hint("`ia trade buy SYMBOL QUANTITY PRICE` enters a purchase")
    spare = ("size", "price_date", "current_price", "fees", "dividends", "cost")
    emit_brief(
        _rows(found, sums.values()), COLUMNS, HEADS, spare=spare, gains=("pnl", "realized", "unrealized"),
        colors=gain_colors(sums),
    )  # fmt: skip


def _rows(found: "Iterable[Profit]", sums: "Iterable[Total]") -> list[Row]:
    """Return the lines of the table: a security each, then a sum a currency."""
    import sys

    from ia_cli.terminal.trade_view import shown

    def gains(each: "Profit | Total") -> Row:
        return {
            "pnl": shown(each.profit, True), "profit_rate": shown(each.rate), "realized": shown(each.realized),
            "unrealized": shown(each.unrealized), "dividends": shown(each.dividends), "fees": shown(each.fees),
            "currency": each.currency,
        }  # fmt: skip

    person = sys.stdout.isatty()
    lines = [
        {
            "symbol": each.symbol, "name": each.name, "size": shown(each.quantity), "cost": shown(each.cost),
            "price_date": each.price.date if each.price else "",
            "current_price": shown(each.price.price if each.price else None, places=2), **gains(each),
        }
        for each in found
    ]  # fmt: skip
    for total in sums:
        name = f"{tr('total')} {total.currency}" if person else "total"
        lines.append({"symbol": "", "name": name, **gains(total)})
    return lines
