"""Announcements and news of the simulated companies, made from their reports and bars: each title says so."""

from datetime import date, datetime, time, timedelta

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock
from ia.organs.market.sources import CompanyReport, NewsItem
from ia.organs.market.sources.companies import hashed_fraction
from ia.organs.market.sources.simulated_dates import ANNOUNCED_BEFORE, scheduled_ex_dates
from ia.organs.ohlcv.canonical import Bars

MARK = "（模拟）"
"""What each title ends with."""
MONTHS = 12
"""How far back there are monthly announcements."""
LARGE_MOVE = 0.05
NEWS_DAYS = 250
_PERIODS = {"03-31": "第一季度报告", "06-30": "半年度报告", "09-30": "第三季度报告", "12-31": "年度报告"}
_MONTHLY = ("关于召开股东大会的通知", "关于回购公司股份的进展公告", "董事会决议公告", "投资者关系活动记录表")


def build_announcements(company: Symbol, reports: list[CompanyReport], now: datetime) -> list[NewsItem]:
    """Return the simulated announcements of a company up to a moment: reports, dividends, and one a month."""
    name = company.name or company.code
    found = []
    for report in reports:
        if report.published:
            title = f"{name}：{report.period[:4]}年{_PERIODS[report.period[5:]]}{MARK}"
            found.append(_build_item(company, report.published, (18, 30), title, "定期报告"))
    today = now.astimezone(clock.CHINA).date()
    for year in range(today.year - 1, today.year + 1):
        for day in scheduled_ex_dates(company, year):
            told = (date.fromisoformat(day) - timedelta(days=ANNOUNCED_BEFORE)).isoformat()
            title = f"{name}：{year - 1}年年度权益分派实施公告，除权除息日 {day}{MARK}"
            found.append(_build_item(company, told, (17, 5), title, "权益分派"))
    for back in range(MONTHS):
        month = (today.replace(day=1) - timedelta(days=30 * back)).replace(day=1)
        told = (month + timedelta(days=int(hashed_fraction(company.canonical, month, "day") * 28))).isoformat()
        which = _MONTHLY[int(hashed_fraction(company.canonical, month, "what") * len(_MONTHLY))]
        found.append(_build_item(company, told, (19, 0), f"{name}：{which}{MARK}", "其他"))
    return _until(found, now)


def build_news(company: Symbol, bars: Bars, now: datetime) -> list[NewsItem]:
    """Return simulated news of a company: one after each close that moved by 5 % or more in the last 250 bars."""
    name = company.name or company.code
    found = []
    for at in range(max(1, len(bars.date) - NEWS_DAYS), len(bars.date)):
        move = bars.close[at] / bars.close[at - 1] - 1
        if abs(move) >= LARGE_MOVE:
            verb = "上涨" if move > 0 else "下跌"
            title = f"{name}收盘{verb} {abs(move) * 100:.1f}%{MARK}"
            found.append(_build_item(company, bars.date[at], (15, 30), title, None, kind="news"))
    return _until(found, now)


def _build_item(
    company: Symbol, day: str, hour: tuple[int, int], title: str, category: str | None, kind: str = "announcement"
) -> NewsItem:
    moment = datetime.combine(date.fromisoformat(day), time(*hour), clock.CHINA)
    number = int(hashed_fraction(company.canonical, day, title) * 1e9)
    return NewsItem(
        symbol=company.canonical,
        kind=kind,
        id=f"demo-{day}-{number:09d}",
        time=moment.isoformat(),
        title=title,
        publisher="demo",
        category=category,
    )


def _until(items: list[NewsItem], now: datetime) -> list[NewsItem]:
    return [item for item in items if datetime.fromisoformat(item.time) <= now]
