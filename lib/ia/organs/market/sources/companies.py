"""What the simulated companies earn and own: made from their simulated prices, never from later ones.

A company is worth a multiple of its profit; so its profit of the last four quarters is its mean market value of the 250
days before the quarter's end over a multiple of its own, give or take a tenth. Ratios that nobody traded on are drawn
by name and period, from `crc32` and arithmetic that every machine rounds alike.
"""

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ia.organs.market.sources import CompanyReport
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

YEAR = 250  # bars
_PARTS = {"03-31": 0.23, "06-30": 0.48, "09-30": 0.74, "12-31": 1.0}
"""The last day of each reporting period, and how much of a year's profit has come in by then."""
PERIOD_ENDS = tuple(_PARTS)
"""The last days of the reporting periods of a year, MM-DD."""
_PUBLISHED = {"03-31": ("04", 15, 15), "06-30": ("08", 15, 16), "09-30": ("10", 18, 13), "12-31": ("03", 12, 19)}
"""When its report comes out: the month, the first day of it, over how many days companies are spread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Company:
    """What does not change about a simulated security: shares in hundred millions at START, multiples, margins."""

    industry: str
    concepts: str
    shares: float
    float_frac: float
    pe: float
    pb: float
    gross: float
    net: float
    debt: float

    def board_names(self, kind: str) -> list[str]:
        """Return the names of its boards of a kind, `industry` or `concept`."""
        return [name for name in (self.industry if kind == "industry" else self.concepts).split(";") if name]


# symbol industry concepts shares(1e8) float pe pb gross net debt
_COMPANIES = """
600519.SH 白酒 白酒;高股息;消费 12.6 1 28 8.5 .915 .52 .19
300750.SZ 电池 新能源车;储能;锂电池 23 .88 34 6.5 .24 .12 .65
000001.SZ 银行 金融科技;高股息 190 1 7 .8 .46 .27 .92
002594.SZ 汽车整车 新能源车;锂电池 29 .4 38 5.2 .2 .045 .74
000858.SZ 白酒 白酒;消费 38 1 24 5.6 .755 .37 .22
601318.SH 保险 高股息;金融科技 183 .6 10 1.4 .3 .12 .89
600036.SH 银行 高股息;金融科技 252 .82 8 1.2 .52 .41 .9
601398.SH 银行 高股息;中字头 3564 .76 6 .65 .5 .44 .91
600900.SH 电力 高股息;绿色电力;中字头 227 .9 21 2.9 .61 .43 .52
601899.SH 贵金属 黄金;铜 263 .78 17 3.2 .16 .09 .57
000333.SZ 家电 高股息;机器人;消费 70 .97 15 3.2 .25 .09 .64
000651.SZ 家电 高股息;消费 60 .99 10 2.4 .28 .14 .66
600276.SH 化学制药 创新药 64 1 60 8 .86 .22 .08
600030.SH 证券 中字头;互联网金融 121 .8 19 1.6 .44 .31 .82
300059.SZ 证券 互联网金融;金融科技 132 .85 42 4.6 .66 .55 .71
601012.SH 光伏设备 光伏;绿色电力 54 1 28 4.4 .22 .12 .55
002415.SZ 计算机设备 人工智能;机器人 93 .97 24 5.2 .45 .2 .39
002475.SZ 消费电子 苹果概念;人工智能 71 1 32 5.5 .16 .06 .57
600887.SH 食品饮料 消费;高股息 61 .99 23 4.5 .33 .08 .6
601888.SH 旅游零售 消费;免税 20 .94 34 5.8 .34 .12 .27
300760.SZ 医疗器械 医疗器械 12.1 1 40 10 .65 .33 .28
688981.SH 半导体 芯片;中字头 79 .25 70 2.8 .28 .14 .34
688041.SH 半导体 芯片;人工智能 23.2 .38 110 9 .6 .24 .18
688256.SH 半导体 芯片;人工智能 4.2 .8 150 18 .56 .2 .2
000002.SZ 房地产 物业 119 .82 10 .95 .2 .06 .78
600028.SH 石油 高股息;中字头 1210 .79 11 .85 .17 .022 .52
601857.SH 石油 高股息;中字头 1830 .88 11 1.1 .22 .055 .42
601919.SH 航运 中字头;高股息 162 .8 8 1.3 .24 .15 .48
600050.SH 通信服务 中字头;人工智能 310 .98 22 .95 .26 .024 .45
000725.SZ 光学光电子 消费电子;芯片 370 .97 26 1.25 .17 .03 .53
920982.BJ 化学制品 专精特新 .85 .45 45 9 .7 .36 .12
510300.SH - - 400 1 0 0 0 0 0
510050.SH - - 330 1 0 0 0 0 0
510500.SH - - 110 1 0 0 0 0 0
512880.SH - - 340 1 0 0 0 0 0
518880.SH - - 70 1 0 0 0 0 0
588000.SH - - 650 1 0 0 0 0 0
159915.SZ - - 220 1 0 0 0 0 0
"""


@cache
def simulated_companies() -> dict[str, Company]:
    """Return the simulated mainland stocks and funds by canonical symbol."""
    table = {}
    for line in _COMPANIES.strip().splitlines():
        symbol, industry, concepts, *numbers = line.split()
        shares, float_frac, pe, pb, gross, net, debt = map(float, numbers)
        table[symbol] = Company(
            industry=industry.strip("-"),
            concepts=concepts.strip("-"),
            shares=shares,
            float_frac=float_frac,
            pe=pe,
            pb=pb,
            gross=gross,
            net=net,
            debt=debt,
        )
    return table


def hashed_fraction(*words: object) -> float:
    """Return a number from 0 to 1 that only these words decide, on every machine."""
    return (zlib.crc32("\t".join(map(str, words)).encode()) * 2654435761 % 2**32) / 2**32


def share_count(company: Company, actions: "list[Action]", day: str) -> float:
    """Return how many shares there are on a day, after the bonus issues up to it."""
    count = company.shares * 1e8
    for action in actions:
        if action.date <= day:
            count *= 1.0 + action.bonus
    return float(int(count))


def published_reports(symbol: str, bars: Bars, actions: "list[Action]", until: str) -> Iterator[CompanyReport]:
    """Yield what a simulated company had published by the day `until`, newest period first; nothing for a fund."""
    for year in range(int(until[:4]), int(bars.date[0][:4]) - 1, -1):
        for end in reversed(_PARTS):
            if found := published_report(symbol, bars, actions, f"{year}-{end}", until):
                yield found


def published_report(symbol: str, bars: Bars, actions: "list[Action]", period: str, until: str) -> CompanyReport | None:
    """Return what a simulated company had published of a period by the day `until`; None where it had not."""
    company = simulated_companies()[symbol]
    if not company.industry or period[5:] not in _PARTS:
        return None
    published = publication_date(symbol, period)
    if published > until or not _year_to_date_profit(symbol, company, bars, actions, period):
        return None
    return _build_report(symbol, company, bars, actions, period)._replace(published=published)


def trailing_profit(report: CompanyReport, symbol: str, bars: Bars, actions: "list[Action]") -> float:
    """Return the profit of the four quarters up to a report's period, in yuan."""
    return _year_to_date_profit(symbol, simulated_companies()[symbol], bars, actions, report.period)


def publication_date(symbol: str, period: str) -> str:
    """Return the day on which a simulated company publishes the report of a period: its name alone decides it."""
    month, first, spread = _PUBLISHED[period[5:]]
    year = int(period[:4]) + (period[5:] == "12-31")
    return f"{year}-{month}-{first + int(hashed_fraction(symbol, period, 'day') * spread):02d}"


def _build_report(symbol: str, company: Company, bars: Bars, actions: "list[Action]", period: str) -> CompanyReport:
    part, last_year = _PARTS[period[5:]], f"{int(period[:4]) - 1}{period[4:]}"
    year = _year_to_date_profit(symbol, company, bars, actions, period)
    profit, margin = round(year * part, 2), _net_margin(symbol, company, period)
    before = _year_to_date_profit(symbol, company, bars, actions, last_year) * part
    revenue, revenue_before = round(profit / margin, 2), before / _net_margin(symbol, company, last_year)
    count, equity = share_count(company, actions, period), year * company.pe / company.pb
    return CompanyReport(
        symbol=symbol,
        period=period,
        host="simulated",
        eps=round(profit / count, 4),
        bvps=round(equity / count, 4),
        roe_pct=round(profit / equity * 100, 2),
        revenue=revenue,
        revenue_yoy_pct=round((revenue / revenue_before - 1) * 100, 4) if before else None,
        profit=profit,
        profit_yoy_pct=round((profit / before - 1) * 100, 4) if before else None,
        gross_margin_pct=round(company.gross * (0.97 + 0.06 * hashed_fraction(symbol, period, "gross")) * 100, 4),
        net_margin_pct=round(margin * 100, 4),
        debt_ratio_pct=round(
            min(0.97, company.debt * (0.97 + 0.06 * hashed_fraction(symbol, period, "debt"))) * 100, 4
        ),
        cash_flow_ps=round(profit / count * (0.4 + 1.2 * hashed_fraction(symbol, period, "cash")), 4),
    )


def _net_margin(symbol: str, company: Company, period: str) -> float:
    return company.net * (0.94 + 0.12 * hashed_fraction(symbol, period, "net"))


def _year_to_date_profit(symbol: str, company: Company, bars: Bars, actions: "list[Action]", period: str) -> float:
    """Return the profit of the year up to a period's end; 0 where it was not listed long enough to know."""
    high = bisect_right(bars.date, period)
    low = max(0, high - YEAR, bisect_left(bars.date, f"{int(period[:4]) - 1}{period[4:]}"))
    if high - low < 20:
        return 0.0
    value = sum(bars.close[i] * share_count(company, actions, bars.date[i]) for i in range(low, high, 10))
    value /= len(range(low, high, 10))
    return value / company.pe * (0.9 + 0.2 * hashed_fraction(symbol, period, "profit"))
