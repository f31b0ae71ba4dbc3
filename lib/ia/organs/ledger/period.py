"""What the account made of a stretch of days: its result in money, and its time-weighted return."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock
from ia.organs.ledger import order
from ia.organs.ledger.account import SUSPENDED, Account, CurrencyAccount, sum_if_known
from ia.organs.ledger.booking import Books
from ia.organs.ledger.desk import LedgerDesk
from ia.organs.ledger.exchange import Exchange, ExchangeRate
from ia.organs.ledger.journal import ZERO
from ia.organs.ledger.net_worth import base_currency
from ia.organs.ledger.performance import Performance, PerformanceRequest, PeriodReturn, measure_performance

_MARKETS = {"USD": "US", "HKD": "HK"}
"""Currency -> the market whose days count; others go by Shanghai's."""


@dataclass(frozen=True, kw_only=True)
class PeriodResult:
    """The account of one currency over a stretch of days, both ends included. None is what is not known.

    begin          the first of the days; where nothing was there before, the day of the first money
    before, after  equity at the close before the first day, and at the end; cash, value: cash and positions at the end
    flows          what was brought in, less what was taken out
    result         the change of the profit in all: realized, unrealized, dividends, interest
    realized, dividends, fees  what of each there was in these days
    returned       the returns of these days, time-weighted first; None where they cannot be told
    priced         the day of the prices at the end: of the oldest one that counts; "" where nothing is held
    old            the positions whose price at the end is older than the last session: symbol, day, sessions since
    """

    currency: str
    begin: date
    before: Decimal | None
    after: Decimal | None
    cash: Decimal | None
    value: Decimal | None
    flows: Decimal
    realized: Decimal
    dividends: Decimal
    fees: Decimal
    result: Decimal | None
    returned: PeriodReturn | None = None
    priced: str = ""
    old: tuple[tuple[str, str, int], ...] = ()

    @property
    def result_pct(self) -> Decimal | None:
        """The time-weighted return in per cent, to four decimals."""
        value = self.returned.twr.value if self.returned else None
        return None if value is None else round(Decimal(repr(value)) * 100, 4)


class HoldingResult(NamedTuple):
    """What one security brought over a stretch of days, and how many shares of it were held at the end."""

    symbol: str
    name: str
    currency: str
    quantity: Decimal
    result: Decimal | None


class _Standing(NamedTuple):
    """The ledger at one moment: its books and the account that they make."""

    books: Books
    account: Account

    def purse(self, currency: str) -> CurrencyAccount | None:
        return self.account.purses.get(currency)

    def profits(self) -> dict[str, Decimal | None]:
        """Return the profit of each security so far: realized, dividends, and what is not realized."""
        held = {each.symbol: each.unrealized for each in self.account.positions}
        return {
            symbol: sum_if_known(holding.realized + holding.dividends, held.get(symbol, ZERO))
            for symbol, holding in self.books.holdings.items()
        }


class _Moments:
    """The ledger at the ends of days, each folded once."""

    def __init__(self, desk: LedgerDesk) -> None:
        books = desk.books()
        self.desk, self.now = desk, _Standing(books, desk.account(books=books, curve=False))
        self._earlier: dict[tuple[date, str], _Standing] = {}

    def at(self, day: date, currency: str) -> _Standing:
        """Return the ledger at the end of a day in a currency's market; no later than now().

        The date of an entry decides: dollars paid in on a Monday morning in Shanghai, still Sunday in New York, are
        Monday's.
        """
        market = _MARKETS.get(currency, "CN")
        moment = order.day_end(day.isoformat(), market)
        if moment >= clock.now():
            return self.now
        if (day, market) not in self._earlier:
            books = self.desk.books(through=day.isoformat())
            self._earlier[day, market] = _Standing(books, self.desk.account(until=moment, books=books, curve=False))
        return self._earlier[day, market]


class PeriodReport(NamedTuple):
    """What each currency's account and each security made of a stretch of days.

    total      all currencies in the base currency; None where there is only that. simulated: a price is made up
    rates      the exchange rates of the last day behind it
    """

    results: list[PeriodResult]
    holdings: list[HoldingResult]
    simulated: bool
    total: Performance | None = None
    rates: Sequence[ExchangeRate] = ()


def measure_period(desk: LedgerDesk, first: date, last: date, benchmark: Symbol | None = None) -> PeriodReport:
    """Return what was made from the close before `first` to that of `last`, against a benchmark if one is named."""
    moments = _Moments(desk)
    if not moments.now.account.purses:
        return PeriodReport([], [], False)
    request = PerformanceRequest(
        first=first.isoformat(), last=last.isoformat(), benchmark=benchmark, base=base_currency(), figures=False
    )
    report = measure_performance(desk, request, moments.now.books, moments.now.account)
    results: list[PeriodResult] = []
    holdings: list[HoldingResult] = []
    for currency in sorted(moments.now.account.purses):
        earlier, later = moments.at(first - timedelta(days=1), currency), moments.at(last, currency)
        purse = later.purse(currency)
        if purse is None:
            continue
        before = earlier.purse(currency) or CurrencyAccount(currency, equity=ZERO, total=ZERO)
        flows = _find_flows(earlier.books, later.books, currency, first, last)
        start = max(first, date.fromisoformat(min(later.books.cash_account(currency).days, default=first.isoformat())))
        measured = _add_price_days(_measure(flows, currency, before, purse, start), later.account)
        account = report.currencies.get(currency)
        results.append(replace(measured, returned=account.whole if account else None))
        holdings += _measure_holdings(currency, earlier, later)
    simulated = moments.now.account.simulated or report.simulated
    rates = _rates_of(desk, moments.now.account, request.base, last) if report.total else []
    return PeriodReport(results, holdings, simulated, total=report.total, rates=rates)


def _rates_of(desk: LedgerDesk, account: Account, base: str, last: date) -> list[ExchangeRate]:
    """Return the exchange rates of a day for the currencies of an account, as far as they are known."""
    others = sorted(set(account.purses) - {base})
    exchange = Exchange(base, desk.market.exchange_rates([*others, base]))
    found = (exchange.find_rate(currency, last.isoformat()) for currency in others)
    return [rate for rate in found if isinstance(rate, ExchangeRate)]


def _add_price_days(measured: PeriodResult, at_end: Account) -> PeriodResult:
    """Return a result with the days of the prices that it rests on. A security that is suspended decides no day."""
    priced = [
        (each.symbol, each.price) for each in at_end.positions if each.currency == measured.currency and each.price
    ]
    days = [price.date for _, price in priced if price.missed <= SUSPENDED] or [price.date for _, price in priced]
    old = tuple((symbol, price.date, price.missed) for symbol, price in priced if price.missed)
    return replace(measured, priced=min(days, default=""), old=old)


def _measure_holdings(currency: str, earlier: _Standing, later: _Standing) -> list[HoldingResult]:
    """Return what each security of a currency brought between two moments; of those that were not held, nothing."""
    before, after = earlier.profits(), later.profits()
    found = []
    for symbol, holding in sorted(later.books.holdings.items()):
        start = earlier.books.holdings.get(symbol)
        if holding.currency != currency:
            continue
        one, other = before.get(symbol, ZERO), after[symbol]
        result = None if one is None or other is None else other - one
        if holding.quantity or (start is not None and start.quantity) or result:
            found.append(
                HoldingResult(
                    symbol=symbol, name=holding.name, currency=currency, quantity=holding.quantity, result=result
                )
            )
    return found


def _find_flows(earlier: Books, later: Books, currency: str, first: date, last: date) -> dict[date, Decimal]:
    """Return the money that came or went between two moments, by day; a day's money may be there before its session."""
    before = {day: flow for day, (_, flow) in earlier.cash_account(currency).days.items()}
    found: dict[date, Decimal] = {}
    for day, (_, flow) in later.cash_account(currency).days.items():
        if moved := flow - before.get(day, ZERO):
            at = min(max(date.fromisoformat(day), first), last)
            found[at] = found.get(at, ZERO) + moved
    return found


def _measure(
    flows: dict[date, Decimal], currency: str, earlier: CurrencyAccount, later: CurrencyAccount, first: date
) -> PeriodResult:
    result = None if earlier.total is None or later.total is None else later.total - earlier.total
    begin = first
    if not earlier.equity and earlier.equity is not None and flows:
        begin = min(flows)  # the days before the first money had nothing at work
    return PeriodResult(
        currency=currency,
        begin=begin,
        before=earlier.equity,
        after=later.equity,
        cash=later.cash,
        value=later.value,
        flows=sum(flows.values(), ZERO),
        realized=later.realized - earlier.realized,
        dividends=later.dividends - earlier.dividends,
        fees=later.fees - earlier.fees,
        result=result,
    )
