"""Profit by security and in all: realized, unrealized, dividends; in the form that is asked of `calculate_profit`.

profit = realized + unrealized + dividends. Its rate is in per cent of the cost of all that was ever bought, fees
included: of a single purchase that is held, that is (price - cost) / cost.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from ia.domain.rules.fees import round_to_cents
from ia.organs.ledger.account import HUNDRED, LastPrice, current_price, sum_if_known
from ia.organs.ledger.booking import Books, Holding, prorate_cost
from ia.organs.ledger.journal import ZERO


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfitRow:
    """A security's profit. Money in `currency`; None: its price is not known."""

    symbol: str
    name: str
    currency: str
    quantity: Decimal
    cost: Decimal
    price: LastPrice | None
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
        return profit_percent(self.profit, self.bought)


@dataclass
class ProfitTotal:
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
        return profit_percent(self.profit, self.bought)


def profit_percent(profit: Decimal | None, bought: Decimal) -> Decimal | None:
    """Return profit / bought in per cent, to two decimals; None where either is not known."""
    return None if profit is None or not bought else prorate_cost(profit, HUNDRED, bought)


def profit_rows(books: Books, prices: Mapping[str, LastPrice], symbol: str = "") -> list[ProfitRow]:
    """Return the profit of each security that was ever held, by symbol; of one, where it is named."""
    return [
        _build_profit_row(holding, prices.get(holding.symbol))
        for holding in sorted(books.holdings.values(), key=lambda each: each.symbol)
        if symbol in ("", holding.symbol) and (holding.bought or holding.quantity or holding.dividends)
    ]


def _build_profit_row(held: Holding, price: LastPrice | None) -> ProfitRow:
    price = current_price(held, price)
    value = round_to_cents(price.price * held.quantity) if held.quantity and price is not None else None
    if not held.quantity:
        value, price = ZERO, None
    unrealized = None if value is None else value - held.cost
    profit = None if unrealized is None else held.realized + unrealized + held.dividends
    return ProfitRow(
        symbol=held.symbol,
        name=held.name,
        currency=held.currency,
        quantity=held.quantity,
        cost=held.cost,
        price=price,
        value=value,
        realized=round_to_cents(held.realized),
        unrealized=unrealized,
        dividends=round_to_cents(held.dividends),
        fees=round_to_cents(held.fees),
        bought=round_to_cents(held.bought),
        profit=profit,
    )


def sum_by_currency(found: list[ProfitRow]) -> dict[str, ProfitTotal]:
    """Return the sums by currency."""
    sums: dict[str, ProfitTotal] = {}
    for row in found:
        total = sums.setdefault(row.currency, ProfitTotal(row.currency))
        total.profit = sum_if_known(total.profit, row.profit)
        total.unrealized = sum_if_known(total.unrealized, row.unrealized)
        total.realized += row.realized
        total.dividends += row.dividends
        total.fees += row.fees
        total.bought += row.bought
    return sums
