"""What the account made of a stretch of days: its result in money, and in per cent of the money that was at work."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from ia.kernel import clock
from ia.organs.ledger import order
from ia.organs.ledger.account import Account, CurrencyAccount
from ia.organs.ledger.booking import Books
from ia.organs.ledger.desk import LedgerDesk
from ia.organs.ledger.journal import ZERO

_MARKETS = {"USD": "US", "HKD": "HK"}
"""Currency -> the market whose days count; others go by Shanghai's."""


@dataclass(frozen=True, kw_only=True)
class PeriodResult:
    """The account of one currency over a stretch of days, both ends included. None is what is not known.

    before, after  equity at the close before the first day, and at the end
    flows          what was brought in, less what was taken out
    result         the change of the profit in all: realized, unrealized, dividends, interest
    result_pct     the result in per cent of `before` and the flows, each for the part of the days that it was there
                   (modified Dietz)
    """

    currency: str
    before: Decimal | None
    after: Decimal | None
    flows: Decimal
    result: Decimal | None
    result_pct: Decimal | None


def measure_period(desk: LedgerDesk, first: date, last: date) -> list[PeriodResult]:
    """Return what each currency's account made from the close before `first` to the close of `last`."""
    books = desk.books()
    ended = desk.account(books=books, curve=False)
    results, accounts = [], dict[tuple[date, str], Account]()

    def purse_at(day: date, currency: str) -> CurrencyAccount | None:
        market = _MARKETS.get(currency, "CN")
        moment = order.day_end(day.isoformat(), market)
        if moment >= clock.now():
            return ended.purses.get(currency)
        if (day, market) not in accounts:
            accounts[day, market] = desk.account(until=moment, curve=False)
        return accounts[day, market].purses.get(currency)

    for currency in sorted(ended.purses):
        earlier, later = purse_at(first - timedelta(days=1), currency), purse_at(last, currency)
        if later is not None:
            results.append(
                _measure(
                    books, currency, earlier or CurrencyAccount(currency, equity=ZERO, total=ZERO), later, first, last
                )
            )
    return results


def _measure(
    books: Books, currency: str, earlier: CurrencyAccount, later: CurrencyAccount, first: date, last: date
) -> PeriodResult:
    flows = {
        date.fromisoformat(day): flow
        for day, (_, flow) in books.cash_account(currency).days.items()
        if flow and first.isoformat() <= day <= last.isoformat()
    }
    result = None if earlier.total is None or later.total is None else later.total - earlier.total
    rate = None
    if result is not None and earlier.equity is not None and later.equity is not None:
        days = (last - first).days + 1
        at_work = earlier.equity + sum((flow * ((last - day).days + 1) / days for day, flow in flows.items()), ZERO)
        rate = round(result / at_work * 100, 4) if at_work > 0 else None
    return PeriodResult(
        currency=currency,
        before=earlier.equity,
        after=later.equity,
        flows=sum(flows.values(), ZERO),
        result=result,
        result_pct=rate,
    )
