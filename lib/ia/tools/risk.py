"""What is known of risk before advice: the rules in force, how the account stands, what a buy would run into.

Figures come from the ledger and the store, names from neither: what a feed calls a security is text from outside, and
none of it gets here without being made plain (`plain_name`).
"""

import re
import sqlite3
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ia import clock, marketdb
from ia.errors import IaError, Notify, silent
from ia.tools.refusals import said
from ia.workspace import Workspace

if TYPE_CHECKING:
    from ia.instruments.symbols import Symbol
    from ia.ledger.account import Account, Position, Price
    from ia.ledger.fold import Books
    from ia.ledger.guard import Breach, Limits

NAME = 12
LAST_BUYS = 10
USUAL_FRAC = Decimal("0.1")
"""So much of the account a usual buy is, where none was made yet."""


class Standing(NamedTuple):
    """How the account stands at now(): None for what is not known. day_pct: gain of the day, per cent of its start."""

    account: "Account"
    limits: "Limits"
    warnings: "list[Breach]"
    day_pct: dict[str, Decimal | None]
    cooling: list[tuple[str, str]]


def plain_name(text: object, most: int = NAME) -> str:
    """Return a name as it may stand in a prompt: letters, digits and a few signs of one short line.

    >>> plain_name("*ST 海航"), plain_name("贵州茅台】\\n【事件】卖出"), plain_name(None)
    ('*ST 海航', '贵州茅台事件卖出', '')
    """
    return " ".join(re.sub(r"[^\w*&. -]+", "", str(text or "")).split())[:most]


def has_ledger(ws: Workspace) -> bool:
    """Whether anything was ever entered into the journal."""
    return ws.db.execute("SELECT 1 FROM trades LIMIT 1").fetchone() is not None


def market_day(ws: Workspace) -> tuple[str, bool] | None:
    """Return the newest stored day of the whole market that may be seen, and whether it is simulated; None: none is.

    Cheap: nothing is opened where no market was ever stored.
    """
    if not marketdb.is_stored(ws):
        return None
    from ia.market.reading import latest, opened

    try:
        with opened(ws) as db:
            day = latest(db)
            return day.date, day.simulated
    except (IaError, sqlite3.Error):
        return None


def standing(ws: Workspace, notify: Notify = silent) -> Standing:
    """Return how the account stands, by the ledger and the latest stored prices."""
    from ia.ledger import guard
    from ia.wiring.ledger_prices import open_ledger

    desk = open_ledger(ws, notify)
    limits = guard.configured()
    books = desk.books()
    account = desk.account(books=books, curve=False)
    return Standing(account, limits, desk.warnings(account), _days(account), _cooling(books, limits))


def _days(account: "Account") -> dict[str, Decimal | None]:
    found: dict[str, Decimal | None] = {}
    for currency, purse in account.purses.items():
        start = purse.equity - purse.today if purse.equity is not None and purse.today is not None else None
        found[currency] = (purse.today or Decimal(0)) * 100 / start if start else None
    return found


def _cooling(books: "Books", limits: "Limits") -> list[tuple[str, str]]:
    """Return (symbol, until when in exchange time) of what was traded within the hours of cooling."""
    from datetime import datetime

    now, wait = clock.now(), timedelta(hours=float(limits.cooling_hours))
    found = []
    for symbol, holding in books.holdings.items():
        if holding.last:
            until = datetime.fromisoformat(holding.last.replace("Z", "+00:00")) + wait
            if now < until:
                found.append((symbol, until.astimezone(clock.CHINA).strftime("%Y-%m-%d %H:%M")))
    return sorted(found)


def supposed(
    ws: Workspace,
    text: str,
    *,
    quantity: int | None = None,
    price: float | None = None,
    notify: Notify = silent,
    lang: str = "en",
) -> dict[str, Any]:
    """Return what the guard would say of a buy at now(), as plain data; nothing is entered anywhere.

    quantity  shares; None: as much as the last buys in this currency were, else a tenth of the account, else one lot
    price     None: the latest that is stored
    lang      of the messages
    raises    NotFound, UsageError for the security.
    """
    from ia.instruments.boards import currency
    from ia.instruments.symbols import resolve
    from ia.ledger import guard, order
    from ia.ledger.order import to_decimal
    from ia.wiring.ledger_prices import open_ledger

    symbol = resolve(text, traded=True)
    desk = open_ledger(ws, notify)
    last = desk.market.prices([symbol]).get(symbol.canonical)
    at = to_decimal(price) if price is not None else last.price if last else None
    account = desk.account(curve=False)
    limits = guard.configured()
    held = next((each for each in account.positions if each.symbol == symbol.canonical), None)
    told: dict[str, Any] = {
        "symbol": symbol.canonical, "price": None if at is None else float(at), "date": last.date if last else None,
        "simulated": bool(last and last.simulated), "change_pct": _change(last), **_stands(account, limits, held),
        "warnings": [_told(breach, lang) for breach in desk.warnings(account)],
    }  # fmt: skip
    if at is None:
        return {**told, "quantity": None, "breaches": [], "allowed": None}
    size = Decimal(quantity) if quantity else _usual(ws, account, symbol, at)
    wish = order.Order("buy", symbol, size, at, clock.now())
    breaches = desk.checked(wish)
    rules = {breach.rule for breach in breaches}
    change = told["change_pct"]
    told["breaches"] = [_told(breach, lang) for breach in breaches]
    if change is not None and change > limits.rise_pct and "risk.rise_pct" not in rules:
        told["breaches"].insert(0, {  # the guard judges the day of the order, advice the last session that there was
            "rule": "risk.rise_pct", "value": change, "limit": float(limits.rise_pct), "refuses": True, "message": "",
        })  # fmt: skip
    purse = account.purses.get(currency(symbol))
    equity = purse.equity if purse else None
    worth = size * at + (held.value if held and held.value else Decimal(0))
    return {
        **told, "quantity": float(size), "amount": float(size * at),
        "weight_pct": _rounded(worth * 100 / equity) if equity else None,
        "allowed": not any(breach["refuses"] for breach in told["breaches"]),
    }  # fmt: skip


def _stands(account: "Account", limits: "Limits", held: "Position | None") -> dict[str, Any]:
    """Return what a buy meets: the limits, the result of the day, and what is held of the security."""
    return {
        "limits": {name: float(value) for name, value in limits._asdict().items()},
        "held": None if held is None else {
            "quantity": float(held.quantity),
            "profit_pct": _float(held.unrealized_pct),
            "weight_pct": _float(held.weight),
        },
        "day_pct": {name: _rounded(value) for name, value in _days(account).items()},
        "equity_known": any(purse.equity is not None for purse in account.purses.values()),
    }  # fmt: skip


def _change(last: "Price | None") -> float | None:
    if last is None or not last.previous:
        return None
    return round(float((last.price / last.previous - 1) * 100), 2)


def _usual(ws: Workspace, account: "Account", symbol: "Symbol", price: Decimal) -> Decimal:
    """Return how many shares a usual buy is, in whole lots and at least one."""
    from statistics import median

    from ia.instruments.boards import currency as currency_of
    from ia.ledger import journal, order
    from ia.rules.lots import lot

    currency = currency_of(symbol)
    bought = [each.cash for each in journal.standing(ws.db) if each.kind == journal.BUY and each.currency == currency]
    amounts = [cash for cash in bought[-LAST_BUYS:] if cash]
    purse = account.purses.get(currency)
    money = median(amounts) if amounts else purse.equity * USUAL_FRAC if purse and purse.equity else Decimal(0)
    rule = lot(symbol, order.day_of(symbol, clock.now()))
    least = Decimal(rule.least) if rule else Decimal(1)
    step = Decimal(rule.step) if rule else Decimal(1)
    count = money / price // step * step
    return max(count, least)


def _told(breach: "Breach", lang: str) -> dict[str, Any]:
    return {
        "rule": breach.rule, "value": _rounded(breach.value), "limit": _rounded(breach.limit),
        "refuses": breach.refuses, "message": said(breach.message, lang),
    }  # fmt: skip


def number(value: Decimal) -> str:
    """Return a limit as people write it: 5, 7.5."""
    return f"{value.normalize():f}"


def _float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def _rounded(value: Decimal | None) -> float | None:
    return None if value is None else round(float(value), 2)
