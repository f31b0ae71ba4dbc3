"""`ia account`: cash, holdings and what they are worth."""

from typing import Any

import click

from ia.kernel.errors import Message
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, hint, notify
from ia_cli.terminal.text import tr

COLUMNS = (
    "symbol", "name", "size", "sellable", "avg_price", "current_price", "price_date", "value", "unrealized_pnl",
    "weight_pct", "currency",
)  # fmt: skip
HEADS = {
    "symbol": "symbol", "name": "name", "size": "shares", "sellable": "sellable", "avg_price": "avg cost",
    "current_price": "price now", "price_date": "price date", "value": "worth", "unrealized_pnl": "gain",
    "weight_pct": "weight%",
}  # fmt: skip
"""What stands above a column on a terminal."""


@click.command(cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia account")
@click.option(
    "--method", type=click.Choice(["average", "fifo"]), help="How what is sold is costed; else ledger.method."
)
@json_option
def account(method: str | None, as_json: bool) -> None:
    """Show cash, holdings, profit and drawdown, as of now.

    Prices are the latest that are stored; their day is shown, and ia contacts no source. What is not known is left
    empty. Cash and equity are known once money was brought in: `ia trade deposit`, or the setting ledger.capital.
    Currencies stand apart. avg_price has the fees of buying in it; max_drawdown is a part of one, of the daily equity.
    price_stale counts the sessions since the day of the price; of an old price the result of today is not known.
    lent is money that is out: reverse repo, and what is paid for new issues; it is part of the equity. Dividends count
    before tax on the ex-date; a tax that is due is told at the sale, and counts once it is entered.
    """
    from ia.kernel.workspace import Workspace
    from ia.wiring.ledger_prices import open_ledger

    desk = open_ledger(Workspace(), notify)
    found = desk.account(method=method, curve=as_json)
    warnings = desk.warnings(found)
    for breach in warnings:
        notify(breach.message)
    if as_json:
        from ia.organs.ledger import documents
        from ia.organs.ledger.proposed import waiting

        emit_json(documents.account(found, method or desk.method, warnings, waiting(desk.ws)))
        return
    if not found.positions and not found.purses:
        notify(Message("the ledger is empty"))
        hint("`ia trade deposit AMOUNT` enters money, `ia trade buy SYMBOL QUANTITY PRICE` a purchase")
    _table(found)


def _table(found: Any) -> None:
    import sys

    from ia_cli.terminal.trade_view import gain_colors, shown
    from ia_cli.terminal.wide_tables import emit_brief

    person = sys.stdout.isatty()
    rows = [
        {
            "symbol": each.symbol, "name": each.name, "size": shown(each.quantity),
            "sellable": shown(each.sellable), "avg_price": shown(each.average, places=2),
            "current_price": shown(each.price.price if each.price else None, places=2),
            "price_date": each.price.date if each.price else "", "value": shown(each.value),
            "unrealized_pnl": shown(each.unrealized, sign=True), "weight_pct": shown(each.weight),
            "currency": each.currency,
        }
        for each in found.positions
    ]  # fmt: skip
    for each in found.purses.values():
        sums = {"cash": (each.cash, ""), "lent": (each.lent or None, "")}
        sums["equity"] = (each.equity, shown(each.total, sign=True))
        for name, (money, gain) in sums.items():
            if name == "lent" and money is None:
                continue
            rows.append({
                "symbol": "", "name": f"{tr(name)} {each.currency}" if person else name, "value": shown(money),
                "unrealized_pnl": gain, "currency": each.currency,
            })  # fmt: skip
    emit_brief(
        rows, COLUMNS, HEADS, spare=("price_date", "sellable", "weight_pct", "current_price", "avg_price"),
        gains=("unrealized_pnl",), colors=gain_colors(found.purses),
    )  # fmt: skip
