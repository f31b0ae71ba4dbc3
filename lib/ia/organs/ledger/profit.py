"""Profit by security and in all: realized, unrealized, dividends; in the form that is asked of `calculate_profit`.

profit = realized + unrealized + dividends. Its rate is in per cent of the cost of all that was ever bought, fees
included: of a single purchase that is held, that is (price - cost) / cost.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from ia.domain.rules.fees import cents
from ia.organs.ledger.account import HUNDRED, Price, added, current
from ia.organs.ledger.fold import Books, Holding, share_of
from ia.organs.ledger.journal import ZERO


class Row(NamedTuple):
    """A security's profit. Money in `currency`; None: its price is not known."""

    symbol: str
    name: str
    currency: str
    quantity: Decimal
    cost: Decimal
    price: Price | None
    value: Decimal | None
    realized: Decimal
    unrealized: Decimal | None
    dividends: Decimal
    fees: Decimal
    bought: Decimal
    profit: Decimal | None

    @property
    def rate(self) -> Decimal | None:
        """Profit in per cent of all that was bought, to two decimals."""
        return rate(self.profit, self.bought)


@dataclass
class Total:
    """The profit in one currency. None where the price of something that is held is not known."""

    currency: str
    profit: Decimal | None = ZERO
    realized: Decimal = ZERO
    unrealized: Decimal | None = ZERO
    dividends: Decimal = ZERO
    fees: Decimal = ZERO
    bought: Decimal = ZERO

    @property
    def rate(self) -> Decimal | None:
        """Profit in per cent of all that was bought, to two decimals."""
        return rate(self.profit, self.bought)


def rate(profit: Decimal | None, bought: Decimal) -> Decimal | None:
    """Return profit / bought in per cent, to two decimals; None where either is not known."""
    return None if profit is None or not bought else share_of(profit, HUNDRED, bought)


def rows(books: Books, prices: Mapping[str, Price], symbol: str = "") -> list[Row]:
    """Return the profit of each security that was ever held, by symbol; of one, where it is named."""
    return [
        _row(holding, prices.get(holding.symbol))
        for holding in sorted(books.holdings.values(), key=lambda each: each.symbol)
        if symbol in ("", holding.symbol) and (holding.bought or holding.quantity or holding.dividends)
    ]


def _row(held: Holding, price: Price | None) -> Row:
    price = current(held, price)
    value = cents(price.price * held.quantity) if held.quantity and price is not None else None
    if not held.quantity:
        value, price = ZERO, None
    unrealized = None if value is None else value - held.cost
    profit = None if unrealized is None else held.realized + unrealized + held.dividends
    return Row(
        held.symbol, held.name, held.currency, held.quantity, held.cost, price, value, cents(held.realized), unrealized,
        cents(held.dividends), cents(held.fees), cents(held.bought), profit,
    )  # fmt: skip


def totals(found: list[Row]) -> dict[str, Total]:
    """Return the sums by currency."""
    sums: dict[str, Total] = {}
    for row in found:
        total = sums.setdefault(row.currency, Total(row.currency))
        total.profit = added(total.profit, row.profit)
        total.unrealized = added(total.unrealized, row.unrealized)
        total.realized += row.realized
        total.dividends += row.dividends
        total.fees += row.fees
        total.bought += row.bought
    return sums
