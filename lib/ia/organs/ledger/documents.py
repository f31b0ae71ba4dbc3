"""Entries, accounts and profits as plain data: what `--json` prints and what a model's tools return."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock
from ia.kernel.errors import Message
from ia.organs.ledger.account import Account, Position, Purse
from ia.organs.ledger.fold import Sale
from ia.organs.ledger.guard import Breach, configured, excess
from ia.organs.ledger.journal import Entry, damaged
from ia.organs.ledger.profit import Row, Total


def figure(number: Decimal | None) -> int | float | None:
    """Return a decimal number as JSON has it: whole ones without a point, others by their shortest digits."""
    if number is None:
        return None
    return int(number) if number == number.to_integral_value() and abs(number) < 10**15 else float(number)


def money(number: Decimal | None) -> float | None:
    """Return money as a JSON number."""
    return None if number is None else float(number)


def document(entry: Entry) -> dict[str, Any]:
    """Return an entry as plain data. raises BadData where the note of what was overridden is damaged."""
    try:
        override = None if entry.override is None else json.loads(entry.override)
    except ValueError:
        raise damaged(entry.id) from None
    return {
        "id": entry.id, "date": entry.date, "time": entry.time, "kind": entry.kind, "symbol": entry.symbol,
        "name": entry.name, "currency": entry.currency, "price": figure(entry.price),
        "quantity": figure(entry.quantity), "amount": money(entry.cash), "ratio": figure(entry.ratio),
        "commission": money(entry.commission), "stamp": money(entry.stamp), "transfer": money(entry.transfer),
        "other": money(entry.other), "fees": money(entry.fees), "reason": entry.reason, "session": entry.session,
        "actor": entry.actor, "origin": entry.origin, "corrects": entry.corrects,
        "correction": entry.note, "override": override,
    }  # fmt: skip


def position(each: Position) -> dict[str, Any]:
    """Return a position as plain data, in the names of account.status."""
    return {
        "size": figure(each.quantity), "avg_price": figure(each.average),
        "current_price": figure(each.price.price) if each.price else None,
        "unrealized_pnl": money(each.unrealized), "weight_pct": money(each.weight),
        "unrealized_pct": money(each.unrealized_pct), "today_pnl": money(each.today), "name": each.name,
        "currency": each.currency, "cost": money(each.cost), "value": money(each.value),
        "sellable": figure(each.sellable), "price_date": each.price.date if each.price else None,
        "price_stale": each.price.missed if each.price else None,
        "price_source": each.price.source if each.price else None,
        "simulated": bool(each.price and each.price.simulated),
    }  # fmt: skip


def purse(each: Purse) -> dict[str, Any]:
    """Return what is in one currency as plain data."""
    return {
        "cash": money(each.cash), "lent": money(each.lent), "equity": money(each.equity),
        "today_pnl": money(each.today), "total_pnl": money(each.total), "max_drawdown": money(each.drawdown),
        "day": each.day, "positions_value": money(each.value), "invested": money(each.invested),
        "realized_pnl": money(each.realized), "unrealized_pnl": money(each.unrealized),
        "dividends": money(each.dividends), "interest": money(each.interest),
        "fees": money(each.fees),
    }  # fmt: skip


def account(
    found: Account,
    method: str,
    warnings: list[Breach],
    orders: list[dict[str, Any]],
    say: Callable[[Message], str] = str,
) -> dict[str, Any]:
    """Return an account as plain data, in the schema of account.status.

    The sums at the top are those of the only currency; None where there are several, which stand in `currencies`.
    """
    limits, today = configured(), clock.today("CN")

    def above(each: Position) -> Decimal | None:
        equity = found.purses[each.currency].equity
        if equity is None or each.value is None or equity <= 0:
            return None
        return excess(from_canonical(each.symbol), today, each.quantity, each.value, equity, limits)

    held = {each.symbol: {**position(each), "above_limit": figure(above(each))} for each in found.positions}
    whole = found.purse
    top = purse(whole) if whole is not None else {}
    sums = {name: top.get(name) for name in ("cash", "equity")}
    rest = {name: top.get(name) for name in ("today_pnl", "total_pnl", "max_drawdown", "lent")}
    return {
        **sums, "positions": held, "pending_orders": orders,
        **rest, "currency": whole.currency if whole is not None else None,
        "currencies": {name: purse(each) for name, each in found.purses.items()}, "method": method,
        "warnings": [
            {
                "rule": each.rule, "value": figure(each.value), "limit": figure(each.limit),
                "message": say(each.message), "symbol": each.symbol or None,
            }
            for each in warnings
        ],
        "simulated": found.simulated, "unpriced": found.unpriced,
    }  # fmt: skip


def profit(rows: list[Row], totals: dict[str, Total], method: str, session: str) -> dict[str, Any]:
    """Return a profit as plain data, in the schema of calculate_profit; several currencies have no total."""
    whole = next(iter(totals.values())) if len(totals) == 1 else None
    return {
        "total_profit": money(whole.profit) if whole else None if totals else 0.0,
        "total_profit_rate": money(whole.rate) if whole else None,
        "positions": [
            {
                "ticker": each.symbol.rpartition(".")[0], "profit": money(each.profit), "profit_rate": money(each.rate),
                "symbol": each.symbol, "name": each.name, "currency": each.currency, "size": figure(each.quantity),
                "cost": money(each.cost), "value": money(each.value), "realized": money(each.realized),
                "unrealized": money(each.unrealized), "dividends": money(each.dividends), "fees": money(each.fees),
                "bought": money(each.bought), "price": figure(each.price.price) if each.price else None,
                "price_date": each.price.date if each.price else None,
                "price_stale": each.price.missed if each.price else None,
                "simulated": bool(each.price and each.price.simulated),
            }
            for each in rows
        ],
        "currency": whole.currency if whole else None,
        "by_currency": {
            name: {
                "profit": money(each.profit), "profit_rate": money(each.rate), "realized": money(each.realized),
                "unrealized": money(each.unrealized), "dividends": money(each.dividends), "fees": money(each.fees),
                "bought": money(each.bought),
            }
            for name, each in totals.items()
        },
        "method": method, "session": session or None,
        "simulated": any(each.price is not None and each.price.simulated for each in rows),
    }  # fmt: skip


def sale(each: Sale, method: str) -> dict[str, Any]:
    """Return a sale as plain data: what it took in, what that had cost, and what it realized."""
    entry = each.entry
    return {
        "id": entry.id, "date": entry.date, "symbol": entry.symbol, "name": entry.name, "currency": entry.currency,
        "quantity": figure(entry.quantity), "price": figure(entry.price), "cost": money(each.cost),
        "realized": money(each.realized), "fees": money(entry.fees), "method": method, "reason": entry.reason,
    }  # fmt: skip
