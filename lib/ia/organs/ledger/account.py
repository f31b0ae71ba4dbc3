"""The account at now(): cash, holdings at their latest prices, profit of the day and in all, drawdown.

Currencies stand apart; nothing is added up that would need a rate. What is not known (a price, the money that was
brought in) is None, and so is whatever depends on it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from ia.domain.performance.drawdowns import drawdown_series
from ia.domain.performance.linking import daily_returns
from ia.domain.rules.fees import round_to_cents
from ia.organs.ledger.booking import Books, CashAccount, Holding, prorate_cost
from ia.organs.ledger.equity import Closes, EquityHistory, build_equity, end_with
from ia.organs.ledger.journal import ZERO

HUNDRED = Decimal(100)
SUSPENDED = 5
"""A security that misses up to so many sessions, while others do not, is taken for suspended: it gains nothing.

Of more, only one that is known to be suspended gains nothing; that of another, whose prices no longer come, is unknown.
"""


class LastPrice(NamedTuple):
    """A latest price: of the day `date`; previous: the close before that day. source: the adapter that it is from.

    missed  sessions that closed since that day without a newer price: 0 where it is the latest that can be
    idle    the newest day that its source has of the market, where the security did not trade since `date`; else ""

    A corporate action after that day changes the shares and the cash at once: a position is valued at the price that
    is left after it (Holding.after), until there is one of the market.
    """

    price: Decimal
    date: str
    previous: Decimal | None
    source: str
    simulated: bool
    missed: int = 0
    idle: str = ""

    @property
    def day(self) -> str:
        """The day of which it tells the worth: that of the market, where the security is suspended."""
        return self.idle or self.date


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """A security that is held. Money in `currency`; None: the price is not known.

    cost      with the fees of buying. sellable: shares that may be sold today
    today     profit of the day of its price. weight: per cent of the equity in its currency
    limit_weight   what the position limit is held against: per cent of all currencies together, where that is known
    """

    symbol: str
    name: str
    currency: str
    quantity: Decimal
    sellable: Decimal
    cost: Decimal
    price: LastPrice | None
    value: Decimal | None
    unrealized: Decimal | None
    today: Decimal | None
    weight: Decimal | None
    limit_weight: Decimal | None = None

    @property
    def average(self) -> Decimal:
        """Cost of a share, to four decimals."""
        return prorate_cost(self.cost, HUNDRED, self.quantity) / HUNDRED

    @property
    def unrealized_pct(self) -> Decimal | None:
        """Unrealized profit in percent of the cost, to two decimals; None if the price or the cost is unknown."""
        return None if self.unrealized is None or not self.cost else prorate_cost(self.unrealized, HUNDRED, self.cost)


@dataclass
class CurrencyAccount:
    """All that is in one currency. cash and equity are None where nobody told what money was brought in.

    lent      money that is out: lent by reverse repo, or paid for a new issue that has not arrived
    day       the day of `today`, YYYY-MM-DD
    drawdown  largest fall from a high of the linked daily returns, as a part of it; deposits do not count
    whole     the equity of all currencies in this one; None where there is no other, or not all of them are known
    booked    what the entries come to in cash, deposits aside: below zero, a debt where no deposit was entered
    """

    currency: str
    cash: Decimal | None = None
    lent: Decimal = ZERO
    equity: Decimal | None = None
    value: Decimal | None = ZERO
    invested: Decimal = ZERO
    day: str = ""
    today: Decimal | None = ZERO
    total: Decimal | None = None
    realized: Decimal = ZERO
    unrealized: Decimal | None = ZERO
    dividends: Decimal = ZERO
    interest: Decimal = ZERO
    fees: Decimal = ZERO
    drawdown: Decimal | None = None
    whole: Decimal | None = None
    booked: Decimal = ZERO

    @property
    def basis(self) -> Decimal | None:
        """The equity that the limit of a position is a part of: of all currencies together, else of this one."""
        return self.equity if self.whole is None else self.whole


@dataclass
class Account:
    """What the journal and the prices make of each other at now()."""

    positions: list[Position]
    purses: dict[str, CurrencyAccount] = field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether a price is made up."""
        return any(each.price is not None and each.price.simulated for each in self.positions)

    @property
    def unpriced(self) -> list[str]:
        """The securities without a price."""
        return [each.symbol for each in self.positions if each.price is None]

    @property
    def purse(self) -> CurrencyAccount | None:
        """What there is where everything is in one currency; None where it is in several, or there is nothing."""
        return next(iter(self.purses.values())) if len(self.purses) == 1 else None

    def counts_booked(self, currency: str) -> bool:
        """Return True if no deposit in a currency was entered, but one in another.

        The whole account then counts what its entries come to as cash: a purchase is a debt, or paid by an exchange
        that nobody entered, and either is worth the same.
        """
        return self.purses[currency].cash is None and any(each.cash is not None for each in self.purses.values())

    def cash_in_whole(self, currency: str) -> Decimal | None:
        """Return the cash of a currency as a part of the whole account; None where it is not known."""
        purse = self.purses[currency]
        return purse.booked if self.counts_booked(currency) else purse.cash

    def equity_in_whole(self, currency: str) -> Decimal | None:
        """Return the equity of a currency as a part of the whole account; None where it is not known."""
        purse = self.purses[currency]
        return sum_if_known(sum_if_known(self.cash_in_whole(currency), purse.lent), purse.value)


def build_account(
    books: Books,
    prices: Mapping[str, LastPrice],
    closes: Closes | None,
    *,
    today: str,
    settled: Callable[[str], int],
    capital: tuple[Decimal, str] | None = None,
) -> Account:
    """Return the account of books at these prices.

    prices   by symbol; of what is held, and of what was sold on the day that they are of or later: that day's
    closes   None where no drawdown is asked for
    today    the exchange's date. settled: after how many days what was bought may be sold, by symbol
    capital  money and currency that count as brought in where no deposit is in the journal
    """
    currencies = {each.currency for each in books.holdings.values()} | books.cash.keys()
    if capital is not None:
        currencies.add(capital[1])
    purses = {}
    found = []
    for currency in sorted(currencies):
        holdings = [each for each in books.holdings.values() if each.currency == currency]
        brought = capital[0] if capital is not None and capital[1] == currency else None
        purse, positions = _build_currency_account(
            currency, books.cash_account(currency), brought, holdings, prices, closes, today, settled
        )
        purses[currency] = purse
        found += positions
    return Account(sorted(found, key=lambda each: each.symbol), purses)


def _build_currency_account(
    currency: str,
    cash: CashAccount,
    capital: Decimal | None,
    holdings: list[Holding],
    prices: Mapping[str, LastPrice],
    closes: Closes | None,
    today: str,
    settled: Callable[[str], int],
) -> tuple[CurrencyAccount, list[Position]]:
    purse = CurrencyAccount(currency, interest=cash.interest, lent=cash.lent, fees=cash.fees, booked=cash.balance)
    if cash.deposited:
        purse.invested, purse.cash = cash.deposited - cash.withdrawn, cash.balance
    elif capital is not None:
        purse.invested, purse.cash = capital - cash.withdrawn, cash.balance + capital
    held = [each for each in holdings if each.quantity]
    purse.day = max([prices[each.symbol].day for each in holdings if each.symbol in prices], default=today)
    if any(each.day == today for each in holdings) or today in cash.days:
        purse.day = today
    purse.today = cash.earned.get(purse.day, ZERO)
    of_today = [each for each in holdings if each.quantity or each.day == today]
    stale = (
        purse.day == today
        and bool(held)
        and all(each.symbol not in prices or prices[each.symbol].day < today for each in of_today)
    )
    stale = stale or _is_stale([prices[each.symbol] for each in holdings if each.symbol in prices])
    positions = []
    for each in holdings:
        purse.realized += each.realized
        purse.dividends += each.dividends
        purse.fees += each.fees
        price = prices.get(each.symbol)
        old = price is not None and price.missed > SUSPENDED and price.idle < purse.day
        gained = None if stale or old else _daily_profit(each, price, purse.day)
        if each.quantity or each.day == purse.day:
            purse.today = sum_if_known(purse.today, gained)
        if each.quantity:
            positions.append(
                _build_position(
                    each, prices.get(each.symbol), gained, each.sellable_shares(today, settled(each.symbol))
                )
            )
    for position in positions:
        purse.value = sum_if_known(purse.value, position.value)
        purse.unrealized = sum_if_known(purse.unrealized, position.unrealized)
    purse.total = sum_if_known(purse.realized + purse.dividends + purse.interest, purse.unrealized)
    purse.equity = sum_if_known(sum_if_known(purse.cash, purse.lent), purse.value)
    if purse.equity is not None:
        if closes is not None:
            history = build_equity(currency, cash, holdings, closes, opening=capital if not cash.deposited else None)
            purse.drawdown = _max_drawdown(end_with(history, purse.day, purse.equity))
        if purse.equity > 0:
            positions = [
                replace(each, weight=part, limit_weight=part)
                if each.value is not None and (part := prorate_cost(each.value, HUNDRED, purse.equity)) is not None
                else each
                for each in positions
            ]
    return purse, positions


def _is_stale(found: Sequence[LastPrice]) -> bool:
    """Whether none of the prices is of the last session: of the day nothing is known then."""
    return bool(found) and all(each.missed and not each.idle for each in found)


def current_price(holding: Holding, price: LastPrice | None) -> LastPrice | None:
    """Return the price that a holding is worth now: after the corporate actions since."""
    return price and price._replace(price=holding.adjust_close(price.price, price.date))


def _build_position(holding: Holding, price: LastPrice | None, today: Decimal | None, sellable: Decimal) -> Position:
    price = current_price(holding, price)
    value = None if price is None else round_to_cents(price.price * holding.quantity)
    gained = None if value is None else value - holding.cost
    return Position(
        symbol=holding.symbol,
        name=holding.name,
        currency=holding.currency,
        quantity=holding.quantity,
        sellable=sellable,
        cost=holding.cost,
        price=price,
        value=value,
        unrealized=gained,
        today=today,
        weight=None,
    )


def _daily_profit(holding: Holding, price: LastPrice | None, day: str) -> Decimal | None:
    """Return what a holding brought on a day: its worth at the end and what was taken out, less its worth before."""
    before = holding.quantity if holding.day < day else holding.shares_held_before(day) or ZERO
    flow = holding.flow if holding.day == day else ZERO
    worth = ZERO
    if holding.quantity:
        if price is None:
            return None
        worth = round_to_cents(holding.adjust_close(price.price, price.date) * holding.quantity)
    if not before:
        return worth + flow
    if price is None:
        return None
    previous = price.previous if price.date == day else holding.adjust_close(price.price, price.date, day)
    return None if previous is None else worth + flow - round_to_cents(previous * before)


def sum_if_known(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    """Return a sum; None where a part of it is not known."""
    return None if one is None or other is None else one + other


def _max_drawdown(history: EquityHistory) -> Decimal | None:
    """Return the largest fall of the linked daily returns, as a part of the high; None where one of them lacks."""
    returns = daily_returns(history.days)
    if any(each.value is None for each in returns):
        return None
    index = list(accumulate((1.0 + (each.value or 0.0) for each in returns), mul, initial=1.0))
    return Decimal(str(round(-min(drawdown_series(index)), 4)))
