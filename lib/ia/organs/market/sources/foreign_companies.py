"""What the simulated companies of Hong Kong and the US earn and own, report by report: made from their prices.

As on the mainland (`companies`), a year's profit is the mean market value of the 250 days before a period's end over a
multiple, give or take a tenth. Financial years end in different months, some companies report half-yearly, and some in
another currency than they trade in: their figures are converted at the simulated rate of the period's end.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import Symbol
from ia.organs.market.sources import CompanyEvent, ForeignReport
from ia.organs.market.sources.companies import YEAR, hashed_fraction
from ia.organs.ohlcv.adapters.demo import scheduled_ex_date, simulated_rate
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

_PARTS = {3: 0.24, 6: 0.49, 9: 0.74, 12: 1.0}
"""Months of a financial year, and how much of its profit has come in by then."""
_LATEST = {"HK": {12: (70, 18), 6: (48, 12)}, "US": {12: (38, 20)}}
"""When a report comes out: so many days after the period, over how many days companies are spread."""
_QUARTER = (26, 15)
ANNOUNCED_BEFORE = 20
"""Days between the announcement of a simulated ex-date and the day itself."""
INVITED_BEFORE = 60
"""Days between the announcement of the day of a simulated report and the day itself."""
HOST = "simulated"


@dataclass(frozen=True, kw_only=True, slots=True)
class ForeignCompany:
    """What does not change about a company: shares in hundred millions at the start, multiples, margins.

    currency    of its reports      ends    the month in which its financial year ends
    every       months between two reports: 3 or 6
    """

    industry: str
    currency: str
    ends: int
    every: int
    shares: float
    pe: float
    pb: float
    gross: float
    net: float
    debt: float


# symbol industry currency ends every shares(1e8) pe pb gross net debt
_COMPANIES = """
00700.HK 互联网服务 CNY 12 3 93.7 24 5.2 .46 .27 .46
09988.HK 商贸零售 CNY 3 3 207 20 2.1 .38 .13 .36
03690.HK 互联网服务 CNY 12 3 55 42 4.8 .33 .06 .52
01810.HK 消费电子 CNY 12 3 223 30 3.4 .19 .07 .48
00005.HK 银行 USD 12 6 196 10 .95 0 .34 .93
00388.HK 多元金融 HKD 12 3 12.2 32 7.5 0 .58 .86
AAPL.US 消费电子 USD 9 3 58 24 28 .43 .25 .8
MSFT.US 软件开发 USD 6 3 82 29 11 .68 .35 .5
NVDA.US 半导体 USD 1 3 24 44 18 .62 .3 .37
GOOGL.US 互联网服务 USD 12 3 68 25 5.6 .56 .24 .29
AMZN.US 商贸零售 USD 12 3 47 52 8.5 .44 .05 .66
META.US 互联网服务 USD 12 3 28 26 6.4 .8 .32 .28
TSLA.US 汽车整车 USD 12 3 31 70 12 .2 .09 .42
BRK.B.US 保险 USD 12 3 24.6 19 1.4 0 .13 .53
JPM.US 银行 USD 12 3 37 11 1.5 0 .3 .91
KO.US 食品饮料 USD 12 3 43.5 25 10 .6 .23 .72
BABA.US 商贸零售 CNY 3 3 24.6 20 2.1 .38 .13 .36
"""


@cache
def foreign_companies() -> dict[str, ForeignCompany]:
    """Return the simulated companies of Hong Kong and the US by canonical symbol."""
    table = {}
    for line in _COMPANIES.strip().splitlines():
        symbol, industry, currency, *numbers = line.split()
        ends, every, shares, pe, pb, gross, net, debt = map(float, numbers)
        table[symbol] = ForeignCompany(
            industry=industry,
            currency=currency,
            ends=int(ends),
            every=int(every),
            shares=shares,
            pe=pe,
            pb=pb,
            gross=gross,
            net=net,
            debt=debt,
        )
    return table


def share_count(symbol: str, actions: "list[Action]", day: str) -> float:
    """Return how many shares there are on a day, after the splits up to it."""
    count = foreign_companies()[symbol].shares * 1e8
    for action in actions:
        if action.date <= day:
            count *= (1.0 + action.bonus) * action.split
    return float(int(count))


def published_foreign_reports(symbol: Symbol, bars: Bars, actions: "list[Action]", until: str) -> list[ForeignReport]:
    """Return what a simulated company had published by the day `until`, newest period first."""
    found = []
    for period, months in _periods(symbol.canonical, int(bars.date[0][:4]), int(until[:4])):
        published = publication_date(symbol, period, months)
        year = _yearly_profit(symbol.canonical, bars, actions, period)
        if published <= until and year:
            found.append(_build_report(symbol, bars, actions, period, months)._replace(published=published))
    return sorted(found, key=lambda each: each.period, reverse=True)


def publication_date(symbol: Symbol, period: str, months: int) -> str:
    """Return the day on which a simulated company publishes a report: its name alone decides it."""
    first, spread = _LATEST[symbol.market].get(months, _QUARTER)
    days = first + int(hashed_fraction(symbol.canonical, period, "day") * spread)
    day = date.fromisoformat(period) + timedelta(days=days)
    return str(day + timedelta(days=(7 - day.weekday()) % 7 if day.weekday() > 4 else 0))


def build_foreign_events(symbol: Symbol, actions: "list[Action]", today: str) -> list[CompanyEvent]:
    """Return the ex-dates and report dates of last year, this one and the next that are known on a day."""
    year = int(today[:4])
    found = []
    for period, months in _periods(symbol.canonical, year - 1, year + 1):
        day = publication_date(symbol, period, months)
        found.append(
            CompanyEvent(
                symbol=symbol.canonical,
                kind="report",
                key=period,
                date=day,
                known=_days_before(day, INVITED_BEFORE),
                period=period,
            )
        )
    for each in range(year - 1, year + 2):
        if not (day := scheduled_ex_date(symbol, each)):
            continue
        paid = next((action for action in actions if action.date[:4] == str(each)), None)
        if paid is not None and not paid.cash:
            continue  # it split its shares, and paid nothing
        found.append(
            CompanyEvent(
                symbol=symbol.canonical,
                kind="ex-dividend",
                key=str(each),
                date=day,
                known=_days_before(day, ANNOUNCED_BEFORE),
            )
        )
    return [event for event in found if (event.known or "") <= today]


def _days_before(day: str, count: int) -> str:
    return str(date.fromisoformat(day) - timedelta(days=count))


def _periods(symbol: str, first: int, last: int) -> list[tuple[str, int]]:
    """Return the reporting periods that end in these years, with their months, oldest first."""
    company, found = foreign_companies()[symbol], []
    for year in range(first, last + 1):
        for month in range(1, 13):
            months = (month - company.ends - 1) % 12 + 1
            if months % company.every == 0:
                following = date(year + month // 12, month % 12 + 1, 1)
                found.append((str(following - timedelta(days=1)), months))
    return found


def _build_report(symbol: Symbol, bars: Bars, actions: "list[Action]", period: str, months: int) -> ForeignReport:
    code, company = symbol.canonical, foreign_companies()[symbol.canonical]
    part = _PARTS[months]
    before = f"{int(period[:4]) - 1}{period[4:]}".replace("02-29", "02-28")
    rate = _rate(trading_currency(symbol), company.currency, period)
    year = _yearly_profit(code, bars, actions, period) * rate
    old = _yearly_profit(code, bars, actions, before) * _rate(trading_currency(symbol), company.currency, before) * part
    profit, margin = round(year * part, 2), _net_margin(code, company, period)
    revenue, old_revenue = round(profit / margin, 2), old / _net_margin(code, company, before)
    count = share_count(code, actions, publication_date(symbol, period, months))  # as reports restate what was split
    equity = year * company.pe / company.pb
    return ForeignReport(
        symbol=code,
        period=period,
        months=months,
        currency=company.currency,
        host=HOST,
        eps=round(profit / count, 4),
        bvps=round(equity / count, 4),
        roe_pct=round(profit / equity * 100, 2),
        revenue=revenue,
        revenue_yoy_pct=round((revenue / old_revenue - 1) * 100, 4) if old else None,
        profit=profit,
        profit_yoy_pct=round((profit / old - 1) * 100, 4) if old else None,
        gross_margin_pct=(
            round(company.gross * (0.97 + 0.06 * hashed_fraction(code, period, "gross")) * 100, 4)
            if company.gross
            else None
        ),
        net_margin_pct=round(margin * 100, 4),
        debt_ratio_pct=round(min(0.97, company.debt * (0.97 + 0.06 * hashed_fraction(code, period, "debt"))) * 100, 4),
        cash_flow_ps=round(profit / count * (0.6 + hashed_fraction(code, period, "cash")), 4),
        shares=count,
    )


def _net_margin(code: str, company: ForeignCompany, period: str) -> float:
    return company.net * (0.94 + 0.12 * hashed_fraction(code, period, "net"))


def _rate(currency: str, into: str, day: str) -> float:
    """Return how much of one currency the other is worth on a day."""
    yuan = {each: 1.0 if each == "CNY" else simulated_rate(each, day) for each in (currency, into)}
    return yuan[currency] / yuan[into]


def _yearly_profit(code: str, bars: Bars, actions: "list[Action]", period: str) -> float:
    """Return the profit of the year up to a period's end, in the currency of the prices; 0 where it is not known."""
    high = bisect_right(bars.date, period)
    low = max(0, high - YEAR, bisect_left(bars.date, f"{int(period[:4]) - 1}{period[4:]}"))
    if high - low < 20:
        return 0.0
    days = range(low, high, 10)
    value = sum(bars.close[i] * share_count(code, actions, bars.date[i]) for i in days) / len(days)
    return value / foreign_companies()[code].pe * (0.9 + 0.2 * hashed_fraction(code, period, "profit"))
