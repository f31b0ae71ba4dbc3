"""The account under a supposition: how it stands now, and what the guard would say of a buy. Nothing is entered."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import median
from typing import Any, NamedTuple

from ia.domain.instruments.boards import currency as currency_of
from ia.domain.instruments.symbols import Symbol, resolve
from ia.domain.rules.lots import lot
from ia.kernel import clock
from ia.kernel.errors import Message
from ia.organs.ledger import guard, journal, order
from ia.organs.ledger.account import Account, Position, Price
from ia.organs.ledger.desk import Desk
from ia.organs.ledger.fold import Books
from ia.organs.ledger.guard import Breach, Limits

LAST_BUYS = 10
USUAL_FRAC = Decimal("0.1")
"""So much of the account a usual buy is, where none was made yet."""


class Standing(NamedTuple):
    """How the account stands at now(): None for what is not known. day_pct: gain of the day, per cent of its start."""

    account: Account
    limits: Limits
    warnings: list[Breach]
    day_pct: dict[str, Decimal | None]
    cooling: list[tuple[str, str]]


def assess_account(desk: Desk) -> Standing:
    """Return how the account stands, by the ledger and the latest stored prices."""
    limits = guard.configured()
    books = desk.books()
    account = desk.account(books=books, curve=False)
    return Standing(account, limits, desk.warnings(account), _days(account), _cooling(books, limits))


def _days(account: Account) -> dict[str, Decimal | None]:
    found: dict[str, Decimal | None] = {}
    for currency, purse in account.purses.items():
        start = purse.equity - purse.today if purse.equity is not None and purse.today is not None else None
        found[currency] = (purse.today or Decimal(0)) * 100 / start if start else None
    return found


def _cooling(books: Books, limits: Limits) -> list[tuple[str, str]]:
    """Return (symbol, until when in exchange time) of what was traded within the hours of cooling."""
    now, wait = clock.now(), timedelta(hours=float(limits.cooling_hours))
    found = []
    for symbol, holding in books.holdings.items():
        if holding.last:
            until = datetime.fromisoformat(holding.last.replace("Z", "+00:00")) + wait
            if now < until:
                found.append((symbol, until.astimezone(clock.CHINA).strftime("%Y-%m-%d %H:%M")))
    return sorted(found)


def suppose_buy(
    desk: Desk,
    text: str,
    *,
    quantity: int | None = None,
    price: float | None = None,
    translate: Callable[[Message], str] = str,
) -> dict[str, Any]:
    """Return what the guard would say of a buy at now(), as plain data; nothing is entered anywhere.

    quantity  shares; None: as much as the last buys in this currency were, else a tenth of the account, else one lot
    price     None: the latest that is stored
    translate turns a message of the guard into text
    raises    NotFound, UsageError for the security.
    """
    symbol = resolve(text, traded=True)
    last = desk.market.prices([symbol]).get(symbol.canonical)
    at = order.to_decimal(price) if price is not None else last.price if last else None
    account = desk.account(curve=False)
    limits = guard.configured()
    held = next((each for each in account.positions if each.symbol == symbol.canonical), None)
    told: dict[str, Any] = {
        "symbol": symbol.canonical, "price": None if at is None else float(at), "date": last.date if last else None,
        "simulated": bool(last and last.simulated), "change_pct": _change(last), **_stands(account, limits, held),
        "warnings": [_breach_data(breach, translate) for breach in desk.warnings(account)],
    }  # fmt: skip
    if at is None:
        return {**told, "quantity": None, "breaches": [], "allowed": None}
    size = Decimal(quantity) if quantity else _usual(desk, account, symbol, at)
    wish = order.Order("buy", symbol, size, at, clock.now())
    breaches = desk.checked(wish)
    rules = {breach.rule for breach in breaches}
    change = told["change_pct"]
    told["breaches"] = [_breach_data(breach, translate) for breach in breaches]
    if change is not None and change > limits.rise_pct and "risk.rise_pct" not in rules:
        told["breaches"].insert(0, {  # the guard judges the day of the order, advice the last session that there was
            "rule": "risk.rise_pct", "value": change, "limit": float(limits.rise_pct), "refuses": True, "message": "",
        })  # fmt: skip
    purse = account.purses.get(currency_of(symbol))
    equity = purse.equity if purse else None
    worth = size * at + (held.value if held and held.value else Decimal(0))
    return {
        **told, "quantity": float(size), "amount": float(size * at),
        "weight_pct": _rounded(worth * 100 / equity) if equity else None,
        "allowed": not any(breach["refuses"] for breach in told["breaches"]),
    }  # fmt: skip


def _stands(account: Account, limits: Limits, held: Position | None) -> dict[str, Any]:
    """Return what a buy meets: the limits, the result of the day, and what is held of the security."""
    return {
        "limits": guard.limits_document(limits),
        "held": None if held is None else {
            "quantity": float(held.quantity),
            "profit_pct": _float(held.unrealized_pct),
            "weight_pct": _float(held.weight),
        },
        "day_pct": {name: _rounded(value) for name, value in _days(account).items()},
        "equity_known": any(purse.equity is not None for purse in account.purses.values()),
    }  # fmt: skip


def _change(last: Price | None) -> float | None:
    if last is None or not last.previous:
        return None
    return round(float((last.price / last.previous - 1) * 100), 2)


def _usual(desk: Desk, account: Account, symbol: Symbol, price: Decimal) -> Decimal:
    """Return how many shares a usual buy is, in whole lots and at least one."""
    currency = currency_of(symbol)
    entries = journal.standing(desk.ws.db)
    bought = [each.cash for each in entries if each.kind == journal.BUY and each.currency == currency]
    amounts = [cash for cash in bought[-LAST_BUYS:] if cash]
    purse = account.purses.get(currency)
    money = median(amounts) if amounts else purse.equity * USUAL_FRAC if purse and purse.equity else Decimal(0)
    rule = lot(symbol, order.day_of(symbol, clock.now()))
    least = Decimal(rule.least) if rule else Decimal(1)
    step = Decimal(rule.step) if rule else Decimal(1)
    count = money / price // step * step
    return max(count, least)


def _breach_data(breach: Breach, translate: Callable[[Message], str]) -> dict[str, Any]:
    return {
        "rule": breach.rule, "value": _rounded(breach.value), "limit": _rounded(breach.limit),
        "refuses": breach.refuses, "message": translate(breach.message),
    }  # fmt: skip


def _float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def _rounded(value: Decimal | None) -> float | None:
    return None if value is None else round(float(value), 2)
