"""Announcements and news of the simulated companies, made from their reports and bars: each title says so."""

from datetime import date, datetime, time, timedelta

from ia.domain.instruments.symbols import Symbol, security_name
from ia.kernel import clock, config
from ia.kernel.errors import Message
from ia.kernel.i18n import Voice, mark_text, mark_texts
from ia.organs.market.sources import CompanyReport, ForeignReport, NewsItem
from ia.organs.market.sources.companies import hashed_fraction
from ia.organs.market.sources.simulated_dates import ANNOUNCED_BEFORE, scheduled_ex_dates
from ia.organs.ohlcv.canonical import Bars

MONTHS = 12
"""How far back there are monthly announcements."""
LARGE_MOVE = 0.05
NEWS_DAYS = 250
_AFTER_CLOSE = {"CN": (15, 30)}
"""When there is news of a close, exchange time."""
_PERIODS = {
    "03-31": mark_text("{name}: report of the first quarter of {year} (simulated)"),
    "06-30": mark_text("{name}: half-year report {year} (simulated)"),
    "09-30": mark_text("{name}: report of the third quarter of {year} (simulated)"),
    "12-31": mark_text("{name}: annual report {year} (simulated)"),
}
_MONTHLY = {
    0: mark_text("{name}: notice of a general meeting (simulated)"),
    1: mark_text("{name}: progress of the share buyback (simulated)"),
    2: mark_text("{name}: resolutions of the board (simulated)"),
    3: mark_text("{name}: record of meetings with investors (simulated)"),
}
_DIVIDEND = mark_text("{name}: dividend of {year}, ex-date {day} (simulated)")
_RESULTS = mark_text("{name}: results for the period to {day} (simulated)")
_FALL = mark_text("{name} closes {change}% lower (simulated)")
_RISE = mark_text("{name} closes {change}% higher (simulated)")
_REPORT, _PAYMENT, _OTHER = mark_texts("periodic report", "distribution", "other announcements")


def build_announcements(company: Symbol, reports: list[CompanyReport], now: datetime) -> list[NewsItem]:
    """Return the simulated announcements of a company up to a moment: reports, dividends, and one a month."""
    name = company.name or company.code
    found = []
    for report in reports:
        if report.published:
            title = Message(_PERIODS[report.period[5:]], name=name, year=report.period[:4])
            found.append(_build_item(company, report.published, (18, 30), title, _REPORT))
    today = now.astimezone(clock.CHINA).date()
    for year in range(today.year - 1, today.year + 1):
        for day in scheduled_ex_dates(company, year):
            told = (date.fromisoformat(day) - timedelta(days=ANNOUNCED_BEFORE)).isoformat()
            title = Message(_DIVIDEND, name=name, year=year - 1, day=day)
            found.append(_build_item(company, told, (17, 5), title, _PAYMENT))
    for back in range(MONTHS):
        month = (today.replace(day=1) - timedelta(days=30 * back)).replace(day=1)
        told = (month + timedelta(days=int(hashed_fraction(company.canonical, month, "day") * 28))).isoformat()
        title = Message(_MONTHLY[int(hashed_fraction(company.canonical, month, "what") * len(_MONTHLY))], name=name)
        found.append(_build_item(company, told, (19, 0), title, _OTHER))
    return _until(found, now)


def build_foreign_announcements(company: Symbol, reports: list[ForeignReport], now: datetime) -> list[NewsItem]:
    """Return the simulated announcements of a company of Hong Kong or the US: its results."""
    name = company.name or company.code
    return _until(
        [
            _build_item(company, report.published, (18, 30), Message(_RESULTS, name=name, day=report.period), _REPORT)
            for report in reports
            if report.published
        ],
        now,
    )


def build_news(company: Symbol, bars: Bars, now: datetime) -> list[NewsItem]:
    """Return simulated news of a company: one after each close that moved by 5 % or more in the last 250 bars."""
    name = company.name or company.code
    found = []
    for at in range(max(1, len(bars.date) - NEWS_DAYS), len(bars.date)):
        move = bars.close[at] / bars.close[at - 1] - 1
        if abs(move) >= LARGE_MOVE:
            title = Message(_RISE if move > 0 else _FALL, name=name, change=f"{abs(move) * 100:.1f}")
            told = _AFTER_CLOSE.get(company.market, (16, 30))
            found.append(_build_item(company, bars.date[at], told, title, None, kind="news"))
    return _until(found, now)


def _build_item(
    company: Symbol, day: str, hour: tuple[int, int], title: Message, category: str | None, kind: str = "announcement"
) -> NewsItem:
    """Return an item in the language of messages. Its id is that of the Chinese title, whichever is told."""
    moment = datetime.combine(date.fromisoformat(day), time(*hour), clock.exchange_zone(company.market))
    moment = moment.astimezone(clock.CHINA)
    number = int(hashed_fraction(company.canonical, day, _say_title(company, title, "zh")) * 1e9)
    lang = config.locale_lang()
    return NewsItem(
        symbol=company.canonical,
        kind=kind,
        id=f"demo-{day}-{number:09d}",
        time=moment.isoformat(),
        title=_say_title(company, title, lang),
        publisher="demo",
        category=Voice(lang)(category) if category else None,
    )


def _say_title(company: Symbol, title: Message, lang: str) -> str:
    name = security_name(company.canonical, title.params.get("name"), lang)
    return Voice(lang).fill_template(title.template, title.params | {"name": name})


def _until(items: list[NewsItem], now: datetime) -> list[NewsItem]:
    return [item for item in items if datetime.fromisoformat(item.time) <= now]
