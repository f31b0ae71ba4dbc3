"""The account under a supposition: how it stands now, and what the guard would say of a buy. Nothing is entered."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from statistics import median
from typing import NamedTuple

from ia.domain.instruments.boards import trading_currency as currency_of
from ia.domain.instruments.symbols import Symbol, resolve_security
from ia.domain.rules.lots import find_lot
from ia.kernel import clock
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.organs.ledger import guard, journal, order
from ia.organs.ledger.account import Account, LastPrice, Position
from ia.organs.ledger.booking import Books
from ia.organs.ledger.desk import LedgerDesk
from ia.organs.ledger.guard import Breach, RiskLimits

LAST_BUYS = 10
USUAL_FRAC = Decimal("0.1")
"""So much of the account a usual buy is, where none was made yet."""


class LargestPurchase(NamedTuple):
    """How many shares the position limit and the cash allow to be bought, in whole lots, and which of them binds."""

    quantity: Decimal
    bound: str


class AccountStanding(NamedTuple):
    """How the account stands at now(): None for what is not known. day_pct: gain of the day, per cent of its start."""

    account: Account
    limits: RiskLimits
    warnings: list[Breach]
    day_pct: dict[str, Decimal | None]
    cooling: list[tuple[str, str]]


def assess_account(desk: LedgerDesk) -> AccountStanding:
    """Return how the account stands, by the ledger and the latest stored prices."""
    limits = guard.load_limits()
    books = desk.books()
    account = desk.account(books=books, curve=False)
    return AccountStanding(
        account=account,
        limits=limits,
        warnings=desk.account_warnings(account),
        day_pct=_daily_results(account),
        cooling=_list_cooldowns(books, limits),
    )


def _daily_results(account: Account) -> dict[str, Decimal | None]:
    found: dict[str, Decimal | None] = {}
    for currency, purse in account.purses.items():
        start = purse.equity - purse.today if purse.equity is not None and purse.today is not None else None
        found[currency] = (purse.today or Decimal(0)) * 100 / start if start else None
    return found


def _list_cooldowns(books: Books, limits: RiskLimits) -> list[tuple[str, str]]:
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
    desk: LedgerDesk,
    text: str,
    *,
    quantity: int | None = None,
    price: float | None = None,
    translate: Callable[[Message], str] = str,
) -> Json:
    """Return what the guard would say of a buy at now(), as plain data; nothing is entered anywhere.

    quantity  shares; None: as much as the last buys in this currency were, else a tenth of the account, else one lot;
              no more than may be bought, where anything may
    price     None: the latest that is stored
    translate turns a message of the guard into text
    raises    NotFound, UsageError for the security.
    """
    symbol = resolve_security(text, traded=True)
    last = desk.market.latest_prices([symbol]).get(symbol.canonical)
    at = order.to_decimal(price) if price is not None else last.price if last else None
    books = desk.books()
    account = desk.account(books=books, curve=False)
    limits = guard.load_limits()
    held = next((each for each in account.positions if each.symbol == symbol.canonical), None)
    told: Json = {
        "symbol": symbol.canonical,
        "price": None if at is None else float(at),
        "date": last.date if last else None,
        "simulated": bool(last and last.simulated),
        "change_pct": _daily_change(last),
        **_account_facts(account, limits, held, currency_of(symbol)),
        "break_even": None if held is None else float(_break_even(symbol, held)),
        "cooling_until": dict(_list_cooldowns(books, limits)).get(symbol.canonical),
        "warnings": [_breach_data(breach, translate) for breach in desk.account_warnings(account)],
    }
    if at is None:
        return {**told, "quantity": None, "breaches": [], "allowed": None}
    largest = _find_largest(desk, account, symbol, at, limits)
    size = Decimal(quantity) if quantity else _usual_quantity(desk, account, symbol, at)
    if not quantity and largest is not None:
        size = min(size, max(largest.quantity, _least_quantity(symbol)))
    wish = order.Order(side="buy", symbol=symbol, quantity=size, price=at, moment=clock.now())
    breaches = desk.check_order(wish)
    rules = {breach.rule for breach in breaches}
    change = told["change_pct"]
    told["breaches"] = [_breach_data(breach, translate) for breach in breaches]
    if change is not None and change > limits.rise_pct and "risk.rise_pct" not in rules:
        told["breaches"].insert(
            0,
            {  # the guard judges the day of the order, advice the last session that there was
                "rule": "risk.rise_pct",
                "value": change,
                "limit": float(limits.rise_pct),
                "refuses": True,
                "message": "",
            },
        )
    purse = account.purses.get(currency_of(symbol))
    equity = purse.equity if purse else None
    worth = size * at + (held.value if held and held.value else Decimal(0))
    return {
        **told,
        "quantity": float(size),
        "asked": bool(quantity),
        "most": None if largest is None else float(largest.quantity),
        "most_by": None if largest is None else largest.bound,
        "amount": float(size * at),
        "weight_pct": _round_float(worth * 100 / equity) if equity else None,
        "allowed": not any(breach["refuses"] for breach in told["breaches"]),
    }


def _account_facts(account: Account, limits: RiskLimits, held: Position | None, currency: str) -> Json:
    """Return what a buy meets: the limits, the result of the day in its currency, and what is held of the security."""
    purse = account.purses.get(currency)
    return {
        "currency": currency,
        "day": purse.day if purse else None,
        "limits": guard.limits_document(limits),
        "held": None
        if held is None
        else {
            "quantity": float(held.quantity),
            "profit_pct": _to_float(held.unrealized_pct),
            "weight_pct": _to_float(held.weight),
        },
        "day_pct": {name: _round_float(value) for name, value in _daily_results(account).items()},
        "equity_known": any(purse.equity is not None for purse in account.purses.values()),
    }


def _break_even(symbol: Symbol, held: Position) -> Decimal:
    """Return the price, in cents, at which the sale of all that is held brings back its cost and the fees."""
    cent, price = Decimal("0.01"), held.average
    for _ in range(3):  # fees grow with the price, by far less
        sale = order.Order(side="sell", symbol=symbol, quantity=held.quantity, price=price, moment=clock.now())
        price = ((held.cost + order.build_entry(sale).fees) / held.quantity).quantize(cent, ROUND_CEILING)
    return price


def _daily_change(last: LastPrice | None) -> float | None:
    if last is None or not last.previous:
        return None
    return round(float((last.price / last.previous - 1) * 100), 2)


def _usual_quantity(desk: LedgerDesk, account: Account, symbol: Symbol, price: Decimal) -> Decimal:
    """Return how many shares a usual buy is, in whole lots and at least one."""
    currency = currency_of(symbol)
    entries = journal.effective_entries(desk.ws.db)
    bought = [each.cash for each in entries if each.kind == journal.BUY and each.currency == currency]
    amounts = [cash for cash in bought[-LAST_BUYS:] if cash]
    purse = account.purses.get(currency)
    money = median(amounts) if amounts else purse.equity * USUAL_FRAC if purse and purse.equity else Decimal(0)
    rule = find_lot(symbol, order.exchange_date(symbol, clock.now()))
    step = Decimal(rule.step) if rule else Decimal(1)
    return max(money / price // step * step, _least_quantity(symbol))


def _least_quantity(symbol: Symbol) -> Decimal:
    """Return the least quantity of an order today; one share where no lot is known."""
    rule = find_lot(symbol, order.exchange_date(symbol, clock.now()))
    return Decimal(rule.least) if rule else Decimal(1)


def _find_largest(
    desk: LedgerDesk, account: Account, symbol: Symbol, price: Decimal, limits: RiskLimits
) -> LargestPurchase | None:
    """Return how much may be bought by position limit and cash; None where the account or a price is not known."""
    purse = account.purses.get(currency_of(symbol))
    held = next((each for each in account.positions if each.symbol == symbol.canonical), None)
    if purse is None or purse.equity is None or purse.cash is None or (held is not None and held.value is None):
        return None
    room = limits.position_pct * purse.equity / 100 - (held.value or Decimal(0) if held else Decimal(0))
    rule = find_lot(symbol, order.exchange_date(symbol, clock.now()))
    least, step = (Decimal(rule.least), Decimal(rule.step)) if rule else (Decimal(1), Decimal(1))

    def in_lots(money: Decimal) -> Decimal:
        count = max(money, Decimal(0)) / price // step * step
        return count if count >= least else Decimal(0)

    def order_of(count: Decimal) -> order.Order:
        return order.Order(side="buy", symbol=symbol, quantity=count, price=price, moment=clock.now())

    paid = in_lots(purse.cash)
    if paid:
        paid = in_lots(purse.cash - order.build_entry(order_of(paid)).fees)
    count, bound = min((in_lots(room), "position"), (paid, "cash"))
    for _ in range(3):  # the fees make the account smaller, too
        rules = {each.rule for each in desk.check_order(order_of(count)) if each.refuses} if count else set()
        if not rules & {"risk.position_pct", "account.cash"}:
            break
        count = count - step if count - step >= least else Decimal(0)
    return LargestPurchase(count, bound)


def _breach_data(breach: Breach, translate: Callable[[Message], str]) -> Json:
    return {
        "rule": breach.rule,
        "value": _round_float(breach.value),
        "limit": _round_float(breach.limit),
        "refuses": breach.refuses,
        "message": translate(breach.message),
    }


def _to_float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def _round_float(value: Decimal | None) -> float | None:
    return None if value is None else round(float(value), 2)
