"""`ia account`: cash, holdings and what they are worth."""

from typing import Any

import click

from ia_cli._group import Command
from ia_cli._options import json_option
from ia_cli._out import emit_json, emit_rows, notify


@click.command(cls=Command, example="ia trade buy 600519 100 1650 --date 2024-01-15; ia account")
@json_option
def account(as_json: bool) -> None:
    """Show cash, holdings, profit and drawdown of the ledger at now().

    Prices are the latest that are stored; their day is shown, and nobody is asked. What is not known is left empty.
    Cash and equity are known once money was brought in: `ia trade deposit`, or the setting ledger.capital. Currencies
    stand apart. avg_price has the fees of buying in it; max_drawdown is a part of one, of the daily equity.
    """
    from ia.ledger import documents
    from ia.ledger.proposed import waiting
    from ia.pipes import ledger
    from ia.workspace import Workspace

    desk = ledger(Workspace(), notify)
    found = desk.account(curve=as_json)
    warnings = desk.warnings(found)
    for breach in warnings:
        notify(breach.message)
    if as_json:
        emit_json(documents.account(found, desk.method, warnings, waiting(desk.ws)))
        return
    _table(found)


def _table(found: Any) -> None:
    from ia_cli._trade import written

    rows = [
        {
            "symbol": each.symbol, "name": each.name, "size": written(each.quantity),
            "sellable": written(each.sellable), "avg_price": written(each.average),
            "current_price": written(each.price.price if each.price else None),
            "price_date": each.price.date if each.price else "", "value": written(each.value),
            "unrealized_pnl": written(each.unrealised, sign=True), "weight_pct": written(each.weight),
            "currency": each.currency,
        }
        for each in found.positions
    ]  # fmt: skip
    for each in found.purses.values():
        rows.append({
            "symbol": "", "name": "cash", "value": written(each.cash), "currency": each.currency,
        })  # fmt: skip
        rows.append({
            "symbol": "", "name": "equity", "value": written(each.equity),
            "unrealized_pnl": written(each.total, sign=True), "currency": each.currency,
        })  # fmt: skip
    columns = (
        "symbol", "name", "size", "sellable", "avg_price", "current_price", "price_date", "value", "unrealized_pnl",
        "weight_pct", "currency",
    )  # fmt: skip
    emit_rows(rows, columns)
