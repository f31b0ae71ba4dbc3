"""How the account did: returns by period and since a day, against a benchmark, with the figures of risk and of trades.

Each currency stands by itself, at its own prices. The total is in one base currency at each day's rate: its equity and
the money that came in are converted day by day, so that a move of the rate is part of the return.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.domain.performance import ratios
from ia.domain.performance.against_benchmark import Comparison, compare_returns
from ia.domain.performance.figures import Figure
from ia.domain.performance.internal_rate import internal_rate
from ia.domain.performance.linking import DayReturn, ValueDay, daily_returns, link_returns, session_returns
from ia.domain.performance.risk import Extreme, RiskFigures, measure_risk
from ia.domain.performance.round_trips import RoundTrip, TradeStatistics, measure_trades
from ia.kernel import clock
from ia.kernel.errors import Message
from ia.organs.ledger.account import Account
from ia.organs.ledger.benchmark import Benchmark, benchmark_return
from ia.organs.ledger.booking import FIFO, Books, prorate_cost
from ia.organs.ledger.desk import LedgerDesk
from ia.organs.ledger.equity import EquityHistory, build_equity, end_with
from ia.organs.ledger.exchange import Exchange, ExchangeRate
from ia.organs.ledger.journal import ZERO
from ia.organs.ledger.order import load_capital

MARKETS = {"CNY": "CN", "HKD": "HK", "USD": "US"}
"""Currency -> the market whose sessions count."""
WEEKS = 12
"""Days without a session after which the calendar is asked: no exchange closes for longer."""
REST = 4
"""Days after the last known one that may be without a session: a long weekend."""
MONTH, YEAR, WEEK, DAY = "month", "year", "week", "day"


@dataclass(frozen=True, kw_only=True)
class PeriodReturn:
    """What a stretch of days brought, both ends included. Fractions; a Figure without a value tells why.

    begin          the first of the days with money: where there was none before, that of the first deposit
    before, after  equity at the close before the first day, and at that of the last; None where it is not known
    flows          what was brought in, less what was taken out
    result         the gain or loss in money
    twr, mwr       time- and money-weighted return of these days; xirr: the money-weighted one as a rate a year
    benchmark      of the same days; excess: twr less that. until: last day of the benchmark's prices
    """

    first: str
    last: str
    begin: str
    before: float | None
    after: float | None
    flows: float
    result: float | None
    twr: Figure
    mwr: Figure
    xirr: Figure
    benchmark: Figure | None = None
    excess: Figure | None = None
    until: str = ""


@dataclass(frozen=True, kw_only=True)
class Performance:
    """How the account of one currency did, or all of it in the base currency.

    days    the equity day by day and its returns (linked, a fraction each), within the span
    trades  closed ones of this currency; None for the total
    """

    currency: str
    whole: PeriodReturn
    periods: list[PeriodReturn] = field(default_factory=list)
    days: list[ValueDay] = field(default_factory=list)
    invested: list[float] = field(default_factory=list)
    returns: list[DayReturn] = field(default_factory=list)
    risk: RiskFigures | None = None
    trades: TradeStatistics | None = None


class PerformanceRequest(NamedTuple):
    """What is asked: days (YYYY-MM-DD, "" for all), `by` day to year or "", and whether figures of risk and trades."""

    first: str = ""
    last: str = ""
    by: str = ""
    benchmark: Symbol | None = None
    base: str = "CNY"
    figures: bool = True


class PerformanceReport(NamedTuple):
    """How each currency did, and all of it in the base currency.

    total    None where the base is the only currency, or nothing was entered
    rates    the rates of the last day. unknown: currencies whose cash nobody told, with the reason
    """

    request: PerformanceRequest
    currencies: dict[str, Performance]
    unknown: dict[str, Message]
    total: Performance | None
    rates: list[ExchangeRate]
    benchmark: Benchmark | None
    simulated: bool


def measure_performance(
    desk: LedgerDesk, request: PerformanceRequest, books: Books | None = None, account: Account | None = None
) -> PerformanceReport:
    """Return how the account did over the days that are asked for. Prices that lack or are old are told (notify).

    books, account   of now(), where the caller has them
    """
    books = books or desk.books()
    account = account or desk.account(books=books, curve=False)
    held = [each for each in books.holdings.values() if each.history]
    desk.market.prefetch_closes(
        {each.symbol: (each.history[0][0], "9999" if each.quantity else each.day) for each in held}
    )
    histories, unknown, booked = dict[str, EquityHistory](), dict[str, Message](), dict[str, EquityHistory]()
    for currency, purse in account.purses.items():
        if purse.cash is None:
            unknown[currency] = Message(
                "cash in {currency} is unknown; enter your money with `ia trade deposit AMOUNT --currency {currency}`",
                currency=currency,
            )
            if not account.counts_booked(currency):
                continue
        history = load_history(desk, books, currency)
        if history.days:
            kept = booked if currency in unknown else histories
            kept[currency] = end_with(history, purse.day, account.equity_in_whole(currency))
    begin = min((each.begin for each in histories.values()), default="")
    benchmark = desk.market.load_benchmark(request.benchmark, request.first or begin) if request.benchmark else None
    trips = find_round_trips(desk.books(method=FIFO) if books.method != FIFO else books) if request.figures else []
    done = {}
    for currency, history in histories.items():
        measured = _measure_history(history, request, benchmark, MARKETS.get(currency, "CN"))
        own = [each for each in trips if each.currency == currency]
        done[currency] = (
            replace(measured, trades=measure_trades(_within(own, measured.whole))) if request.figures else measured
        )
    total, rates, made_up = None, list[ExchangeRate](), False
    if set(account.purses) - {request.base}:
        exchange = Exchange(request.base, desk.market.exchange_rates(sorted({*account.purses, request.base})))
        lacking = {name: reason for name, reason in unknown.items() if name not in booked}
        converted, rates = convert_histories({**histories, **booked}, lacking, exchange)
        if converted.days:
            market = MARKETS.get(request.base if request.base in histories else next(iter(histories), ""), "CN")
            total = _measure_history(converted, request, benchmark, market)
        made_up = any(each.simulated for each in rates)
    simulated = account.simulated or made_up or (benchmark is not None and benchmark.simulated)
    return PerformanceReport(
        request=request,
        currencies=done,
        unknown=unknown,
        total=total,
        rates=rates,
        benchmark=benchmark,
        simulated=simulated,
    )


def load_history(desk: LedgerDesk, books: Books, currency: str) -> EquityHistory:
    """Return the daily equity of a currency, with a day for each session of its market."""
    cash = books.cash_account(currency)
    holdings = [each for each in books.holdings.values() if each.currency == currency]
    capital = load_capital()
    opening = capital[0] if capital and capital[1] == currency and not cash.deposited else None
    firsts: list[str] = [*cash.days, *(each.history[0][0] for each in holdings if each.history)]
    begin = min(firsts, default="")
    if not begin or not any(each.history for each in holdings):  # money alone: nothing moves, whatever the sessions
        return build_equity(currency, cash, holdings, desk.market.closes, opening=opening)
    market = MARKETS.get(currency, "CN")
    last = clock.last_visible_date(market)
    known = {day for day in desk.market.sessions(market, begin) if begin <= day <= last}
    found = build_equity(currency, cash, holdings, desk.market.closes, opening=opening, sessions=known)
    known |= {each.day for each in found.days if each.session}
    gaps = _find_gaps(known, begin, last)
    if not gaps:
        return found
    for each in holdings:  # days on which what was traded later had a close
        known.update(day for day, _ in desk.market.closes(each.symbol, begin) if begin <= day <= last)
        if not (gaps := _find_gaps(known, begin, last)):
            break
    for before, after in gaps:
        known.update(desk.market.calendar_sessions(market, before, after))
    return build_equity(currency, cash, holdings, desk.market.closes, opening=opening, sessions=known)


def _find_gaps(known: set[str], first: str, last: str) -> list[tuple[str, str]]:
    """Return the stretches between known sessions that are longer than any exchange closes."""
    marks = sorted({*known, first, max(first, last)})
    return [(before, after) for before, after in pairwise(marks) if _days_between(before, after) > WEEKS]


def convert_histories(
    histories: Mapping[str, EquityHistory], unknown: Mapping[str, Message], exchange: Exchange
) -> tuple[EquityHistory, list[ExchangeRate]]:
    """Return the equity of all currencies together in the base currency, and the rates of the last day.

    A day is a session where it is one of the base currency's account; without such an account, of any.
    """
    at = dict.fromkeys(histories, 0)
    sessions = histories.get(exchange.base)
    found, invested, paid = [], [], 0.0
    days = sorted({each.day for history in histories.values() for each in history.days})
    if days:
        moves, until = exchange.rate_days(histories), clock.today("CN")
        days = sorted({*days, *(day for day in moves if days[0] < day <= until)})  # a rate may move on a holiday
    for day in days:
        value, flow, session, missing = 0.0, 0.0, False, next(iter(unknown.values()), None)
        for currency, history in histories.items():
            rows, place = history.days, at[currency]
            today = place < len(rows) and rows[place].day == day
            if today:
                at[currency] = place = place + 1
                session = session or (rows[place - 1].session and (sessions is None or sessions is history))
            if not place:
                continue
            row = rows[place - 1]
            if not row.value and not (today and row.flow) and row.value is not None:
                continue
            rate = exchange.find_rate(currency, day)
            if isinstance(rate, Message):
                missing = missing or rate
                continue
            missing = missing or row.missing
            value += (row.value or 0.0) * rate.rate
            flow += row.flow * rate.rate if today else 0.0
        paid += flow
        found.append(ValueDay(day=day, value=None if missing else value, flow=flow, session=session, missing=missing))
        invested.append(paid)
    rates = (
        [exchange.find_rate(currency, days[-1]) for currency in histories if currency != exchange.base] if days else []
    )
    told = [rate for rate in rates if isinstance(rate, ExchangeRate)]
    return EquityHistory(exchange.base, found, invested), told


def _measure_history(
    history: EquityHistory, request: PerformanceRequest, benchmark: Benchmark | None, market: str
) -> Performance:
    """Return how the account of one history did over the span and its periods."""
    returns = daily_returns(history.days)
    today = max(clock.today(), history.days[-1].day)
    first = max(request.first or history.begin, min(history.begin, today))
    last = min(request.last or today, today)
    first = min(first, last)
    names = [each.day for each in history.days]
    series = _Series(history, returns, names, benchmark)
    whole = series.measure(first, last)
    monthly = calendar_spans(first, last, MONTH) if request.by == MONTH or request.figures else []
    months = [series.measure(*span) for span in monthly]
    periods = months if request.by == MONTH else []
    if request.by in (YEAR, WEEK):
        periods = [series.measure(*span) for span in calendar_spans(first, last, request.by)]
    if request.by == DAY:
        days = [
            (each.session, series.measure(each.day, each.day)) for each in history.days if first <= each.day <= last
        ]
        periods = [each for session, each in days if session or each.result]  # abroad there are sessions on holidays
    low, high = bisect_left(names, first), bisect_right(names, last)
    risk = series.measure_risk(whole, months, market) if request.figures else None
    return Performance(
        currency=history.currency,
        whole=whole,
        periods=periods,
        days=history.days[low:high],
        invested=history.invested[low:high],
        returns=returns[low:high],
        risk=risk,
    )


def calendar_spans(first: str, last: str, by: str) -> list[tuple[str, str]]:
    """Return the weeks, months or years between two days, the first and the last cut to them.

    >>> calendar_spans("2024-01-15", "2024-02-10", "month")
    [('2024-01-15', '2024-01-31'), ('2024-02-01', '2024-02-10')]
    >>> calendar_spans("2024-01-17", "2024-01-24", "week")
    [('2024-01-17', '2024-01-21'), ('2024-01-22', '2024-01-24')]
    """
    spans = []
    day, end = date.fromisoformat(first), date.fromisoformat(last)
    while day <= end:
        if by == MONTH:
            following = date(day.year + day.month // 12, day.month % 12 + 1, 1)
        elif by == WEEK:
            following = day + timedelta(days=7 - day.weekday())
        else:
            following = date(day.year + 1, 1, 1)
        spans.append((day.isoformat(), min(following - timedelta(days=1), end).isoformat()))
        day = following
    return spans


class _Series:
    """One account's days with its benchmark, for questions about stretches of them."""

    def __init__(
        self, history: EquityHistory, returns: list[DayReturn], names: list[str], benchmark: Benchmark | None
    ) -> None:
        self.days, self.returns, self.names, self.benchmark = history.days, returns, names, benchmark

    def measure(self, first: str, last: str) -> PeriodReturn:
        """Return what the days from `first` to `last` brought."""
        low, high = bisect_left(self.names, first), bisect_right(self.names, last)
        before = self.days[low - 1].value if low else 0.0
        after = self.days[high - 1].value if high else 0.0
        inside = self.days[low:high]
        flows = sum(each.flow for each in inside)
        begin = first
        if before is not None and abs(before) < 0.005:
            begin = next((each.day for each in inside if each.flow or each.value), first)
        result = None if before is None or after is None else after - before - flows
        twr = link_returns(self.returns[low:high])
        if not inside and before:
            rested = high < len(self.names) or _days_between(self.names[high - 1], last) <= REST
            twr = Figure(0.0) if rested else Figure(None, Message("no prices of these days are stored"))
        xirr, mwr = self._weigh_money(inside, before, after, begin, first, last, twr)
        benchmark, excess, until = self._compare(begin, last, self.names[high - 1] if high else "", twr)
        return PeriodReturn(
            first=first,
            last=last,
            begin=begin,
            before=before,
            after=after,
            flows=flows,
            result=result,
            twr=twr,
            mwr=mwr,
            xirr=xirr,
            benchmark=benchmark,
            excess=excess,
            until=until,
        )

    def _weigh_money(
        self,
        inside: Sequence[ValueDay],
        before: float | None,
        after: float | None,
        begin: str,
        first: str,
        last: str,
        twr: Figure,
    ) -> tuple[Figure, Figure]:
        """Return the money-weighted return as a rate a year, and of these days.

        What was there before counts as paid in on the eve of the first day, what is there at the end as taken out.
        """
        if before is None or after is None or self._is_unfunded(first, last):
            unknown = Figure(None, twr.reason or Message("the value at the start is not known"))
            return unknown, unknown
        eve = date.fromisoformat(first) - timedelta(days=1)
        payments = [(eve, -before)] if abs(before) >= 0.005 else []
        payments += [(date.fromisoformat(each.day), -each.flow) for each in inside if each.flow]
        payments.append((date.fromisoformat(last), after))
        rate = internal_rate(payments)
        if rate.value is None:
            return rate, rate
        start = date.fromisoformat(begin) if abs(before) < 0.005 else eve
        days = (date.fromisoformat(last) - start).days
        return rate, Figure((1.0 + rate.value) ** (days / 365.0) - 1.0)

    def _is_unfunded(self, first: str, last: str) -> bool:
        """Return True if something was held of which nobody told the money."""
        low, high = bisect_left(self.names, first), bisect_right(self.names, last)
        return any(each.unfunded for each in self.returns[low:high])

    def _compare(self, begin: str, last: str, priced: str, twr: Figure) -> tuple[Figure | None, Figure | None, str]:
        if self.benchmark is None:
            return None, None, ""
        change, until = benchmark_return(self.benchmark, begin, last, priced)
        if change.value is None:
            return change, change, until
        excess = Figure(twr.value - change.value) if twr.value is not None else Figure(None, twr.reason)
        return change, excess, until

    def measure_risk(self, whole: PeriodReturn, months: Sequence[PeriodReturn], market: str) -> RiskFigures:
        """Return the figures of risk of a span: one return a session, those of idle days left out."""
        low, high = bisect_left(self.names, whole.first), bisect_right(self.names, whole.last)
        per_session = session_returns(self.returns[low:high])
        missing = next((each.missing for each in per_session if each.value is None), None)
        sessions = ratios.SESSIONS_A_YEAR[market]
        told = [] if missing else [(each.day, each.value or 0.0) for each in per_session]
        start = self.names[low - 1] if low and whole.begin == whole.first else whole.begin
        return measure_risk(
            told,
            start,
            market,
            self._annual_growth(whole),
            months=[Extreme(each.first[:7], each.twr.value) for each in months if each.twr.value is not None],
            missing=missing,
            comparison=self._regress(per_session, sessions) if told and self.benchmark else None,
        )

    def _annual_growth(self, whole: PeriodReturn) -> Figure:
        """Return the CAGR of a span; below a year there is none, for it would be a forecast."""
        if whole.twr.value is None:
            return whole.twr
        start = date.fromisoformat(whole.begin)
        if whole.before is not None and abs(whole.before) >= 0.005:
            start -= timedelta(days=1)
        last = date.fromisoformat(whole.last)
        if (last - start).days < 365:
            return Figure(None, Message("less than a year"))
        return ratios.annual_growth(whole.twr.value, start, last)

    def _regress(self, per_session: Sequence[DayReturn], sessions: int) -> Comparison:
        """Return how the sessions go with the benchmark: those at whose both ends it has a close.

        A session begins at the end of the one before, whether money was invested then or not.
        """
        assert self.benchmark is not None
        closes = dict(zip(self.benchmark.days, self.benchmark.closes, strict=True))
        marks = [each.day for each in self.days if each.session]
        own, other = [], []
        for each in per_session:
            at = bisect_left(marks, each.day)
            before = marks[at - 1] if at else self._benchmark_before(each.day)
            if before in closes and each.day in closes and each.value is not None:
                own.append(each.value)
                other.append(closes[each.day] / closes[before] - 1)
        return compare_returns(own, other, sessions)

    def _benchmark_before(self, day: str) -> str:
        assert self.benchmark is not None
        at = bisect_left(self.benchmark.days, day)
        return self.benchmark.days[at - 1] if at else ""


def find_round_trips(books: Books) -> list[RoundTrip]:
    """Return the closed trades of FIFO books, by the day of the sale: a lot, or the part of one, that a sale took."""
    found = []
    for sale in books.sales:
        entry, left, proceeds = sale.entry, sum((lot.quantity for lot in sale.lots), ZERO), sale.cost + sale.realized
        for lot in sale.lots:
            part = prorate_cost(proceeds, lot.quantity, left) if lot.quantity < left else proceeds
            proceeds, left = proceeds - part, left - lot.quantity
            found.append(
                RoundTrip(
                    symbol=entry.symbol,
                    name=entry.name,
                    currency=entry.currency,
                    quantity=float(lot.quantity),
                    cost=float(lot.cost),
                    proceeds=float(part),
                    opened=lot.date,
                    closed=entry.date,
                )
            )
    return found


def _days_between(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def _within(trips: Sequence[RoundTrip], whole: PeriodReturn) -> list[RoundTrip]:
    return [each for each in trips if whole.first <= each.closed <= whole.last]
