"""The dates ahead of the simulated companies: they follow from a company's name and the calendar, never from prices."""

from datetime import date, timedelta

from ia.domain.instruments.symbols import Symbol
from ia.organs.market.sources import CompanyEvent
from ia.organs.market.sources.companies import PERIOD_ENDS, hashed_fraction, publication_date, simulated_companies
from ia.organs.ohlcv.adapters.demo import scheduled_ex_date

ANNOUNCED_BEFORE = 10
"""Days between the announcement of a simulated ex-date and the day itself."""
LOCKED_BEFORE = 90
"""Days between the announcement of a simulated lock-up expiry and the day itself."""


def scheduled_ex_dates(company: Symbol, year: int) -> list[str]:
    """Return the ex-dates of a year that are planned: one, or none where the company pays nothing."""
    day = scheduled_ex_date(company, year)
    return [day] if day else []


def build_events(company: Symbol, today: str) -> list[CompanyEvent]:
    """Return the dates of last year, this one and the next that are known on a day."""
    year = int(today[:4])
    found: list[CompanyEvent | None] = []
    for each in range(year - 1, year + 2):
        found += [_build_ex_date(company, day, each) for day in scheduled_ex_dates(company, each)]
        found += [_build_report_date(company, f"{each}-{end}") for end in PERIOD_ENDS]
        found += _build_lock_ups(company, each)
    return [event for event in found if event is not None and (event.known or "") <= today]


def _build_ex_date(company: Symbol, day: str, year: int) -> CompanyEvent:
    return CompanyEvent(
        symbol=company.canonical,
        kind="ex-dividend",
        key=f"{year - 1}-12-31",
        date=day,
        known=_days_before(day, ANNOUNCED_BEFORE),
        period=f"{year - 1}-12-31",
    )


def _build_report_date(company: Symbol, period: str) -> CompanyEvent | None:
    if not simulated_companies()[company.canonical].industry:
        return None
    return CompanyEvent(
        symbol=company.canonical,
        kind="report",
        key=period,
        date=publication_date(company.canonical, period),
        known=period,
        period=period,
    )


def _build_lock_ups(company: Symbol, year: int) -> list[CompanyEvent]:
    known = simulated_companies()[company.canonical]
    part = hashed_fraction(company.canonical, year, "lock-up")
    if part > 0.3 or not known.industry:
        return []
    day = date(year, 1, 1) + timedelta(days=int(hashed_fraction(company.canonical, year, "lock-up day") * 365))
    return [
        CompanyEvent(
            symbol=company.canonical,
            kind="lock-up",
            key=day.isoformat(),
            date=day.isoformat(),
            known=_days_before(day.isoformat(), LOCKED_BEFORE),
            shares=float(int(known.shares * 1e6 * (1 + part * 10))),
            share_pct=round((1 + part * 10) / known.float_frac, 2),
        )
    ]


def _days_before(day: str, count: int) -> str:
    return (date.fromisoformat(day) - timedelta(days=count)).isoformat()
