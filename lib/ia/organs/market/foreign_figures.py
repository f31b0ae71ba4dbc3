"""What a share of Hong Kong or the US costs, earns and pays: its unadjusted prices against the reports of its company.

A price is of one share of its day, a report of the shares of the day on which it came out: splits after that day are
taken into account. Where a company reports in another currency than its share trades in, the report is converted at
the yuan's rates of the day of the price (`exchange_rates`); without a rate the figure is None.
"""

import sqlite3
from bisect import bisect_right
from datetime import date, timedelta
from typing import NamedTuple

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock
from ia.kernel.errors import drop_message
from ia.organs.market import exchange_rates, foreign_reports
from ia.organs.market.dividends import DividendSum
from ia.organs.market.exchange_rates import RateSeries
from ia.organs.market.foreign_reports import TwelveMonths, count_shares, public_since, sum_twelve_months
from ia.organs.market.sources import ForeignReport
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars


class PricedSeries(NamedTuple):
    """Unadjusted daily bars of a security, the corporate actions up to the last one, and the adapter that told them."""

    symbol: Symbol
    source: str
    simulated: bool
    bars: Bars
    actions: list[Action]


class Multiples(NamedTuple):
    """What a share costs on a day. market_cap: money in the currency of the price; None where it is not known."""

    pe_ttm: float | None = None
    pb: float | None = None
    market_cap: float | None = None


class ReportedShare:
    """A share and the reports of its company, newest period first.

    currency, reported  of the price; of the reports
    """

    def __init__(self, db: sqlite3.Connection, series: PricedSeries, reports: list[ForeignReport]) -> None:
        self.series, self.reports = series, reports
        self.currency = trading_currency(series.symbol)
        self.reported = reports[0].currency if reports else self.currency
        self._twelve = [sum_twelve_months(reports, at) for at in range(len(reports))]
        self._public = sorted((public_since(each), each.period, at) for at, each in enumerate(reports))
        self._rates = _load_rates(db, {self.currency, *(each.currency for each in reports)})

    def find_newest(self, day: str) -> int | None:
        """Return where the report of the newest period stands that was public on a day."""
        known = self._public[: bisect_right(self._public, (day, "9999"))]
        return max(known, key=lambda each: each[1])[2] if known else None

    def twelve_months(self, at: int) -> TwelveMonths:
        """Return the figures of the twelve months up to a report."""
        return self._twelve[at]

    def multiples(self, day: str, price: float) -> Multiples:
        """Return what a price of a day means."""
        at = self.find_newest(day)
        if at is None:
            return Multiples()
        report, twelve = self.reports[at], self._twelve[at]
        split = self._split_between(public_since(report), day)
        shares, worth = count_shares(report), self.convert(report.currency, day)
        return Multiples(
            pe_ttm=_divide(price, twelve.eps, worth, split),
            pb=_divide(price, report.bvps, worth, split),
            market_cap=round(price * shares * split, 2) if shares else None,
        )

    def dividend_yield(self, day: str, price: float) -> float | None:
        """Return the dividends before tax of the year up to a day, per cent of its price; None where one is unknown."""
        since = str(date.fromisoformat(day) - timedelta(days=365))
        paid = DividendSum()
        for action in self.series.actions:
            if since < action.date <= day:
                if action.factor is not None and not action.cash:
                    return None
                paid.step(action.date, action.cash, action.bonus, action.split)
        return round(paid.finalize() / price * 100, 4) if price > 0 else None

    def _split_between(self, since: str, day: str) -> float:
        """Return how many shares one share became after a day, up to another."""
        grown = 1.0
        for action in self.series.actions:
            if since < action.date <= day:
                grown *= (1.0 + action.bonus) * action.split
        return grown

    def convert(self, currency: str, day: str) -> float | None:
        """Return what one unit of a currency is worth in that of the price; None without a rate."""
        if currency == self.currency:
            return 1.0
        one, other = self._yuan(currency, day), self._yuan(self.currency, day)
        return one / other if one and other else None

    def _yuan(self, currency: str, day: str) -> float | None:
        if currency == "CNY":
            return 1.0
        rates = self._rates.get(currency)
        at = bisect_right(rates.days, day) if rates else 0
        return rates.yuan[at - 1] if rates and at else None


def _divide(price: float, a_share: float | None, worth: float | None, split: float) -> float | None:
    """Return a price over a figure a share in another currency and of other shares; None where that is not positive."""
    if a_share is None or worth is None or a_share <= 0:
        return None
    return round(price / (a_share * worth / split), 2)


def _load_rates(db: sqlite3.Connection, currencies: set[str]) -> dict[str, RateSeries]:
    if len(currencies) < 2:
        return {}
    return exchange_rates.load_rates(db, currencies - {"CNY"}, clock.now(), drop_message)


def load_known_reports(symbol: Symbol, *, quiet: bool = False) -> list[ForeignReport]:
    """Return the reports of a company; [] for a fund."""
    return foreign_reports.load_reports(symbol.canonical, quiet=quiet).reports if symbol.kind == "stock" else []
