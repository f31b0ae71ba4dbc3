"""Eastmoney's data center: ex-dates, appointed report dates and lock-up expiries of one company.

Three reports, some rows each. An ex-date is known from the announcement that names it (NOTICE_DATE), an appointed day
from when the source entered it (EITIME). Of one that was moved, and of lock-ups, the source tells no such day: they
count from when ia first saw them. What happened more than some weeks ago is left out.
"""

from datetime import timedelta
from functools import partial

from ia.domain.instruments.symbols import Symbol
from ia.kernel import clock
from ia.kernel.jsontypes import Json
from ia.organs.market.sources import CompanyEvent
from ia.organs.market.sources.cells import (
    CellTally,
    ImplausibleRow,
    check_size,
    clean_text,
    parse_day,
    parse_number,
    parse_rows,
)
from ia.organs.ohlcv.adapters.eastmoney import fetch_report_page
from ia.organs.ohlcv.transport import govern_requests

BONUS, APPOINTED, LOCKED = "RPT_SHAREBONUS_DET", "RPT_PUBLIC_BS_APPOIN", "RPT_LIFT_STAGE"
PAST = timedelta(days=120)
"""How long dates are told of that have passed: appointed reports, and ex-dates that were announced late."""
TIMEOUT = 8.0
_LOCKED = "SECURITY_CODE,SECURITY_NAME_ABBR,FREE_DATE,CURRENT_FREE_SHARES,FREE_SHARES_TYPE"


def fetch_events(company: Symbol) -> list[CompanyEvent]:
    """Return the dates of a mainland stock. Raises Banned, NoNetwork; ShapeChanged naming the report."""
    since = (clock.wall_time().date() - PAST).isoformat()
    found: list[CompanyEvent] = []
    for report, order, columns in (
        (BONUS, "EX_DIVIDEND_DATE", "ALL"),
        (APPOINTED, "REPORT_DATE", "ALL"),
        (LOCKED, "FREE_DATE", _LOCKED),
    ):
        with govern_requests(check_size, timeout=TIMEOUT):
            rows, _ = fetch_report_page(report, f'(SECURITY_CODE="{company.code}")', order, 1, columns)
        found += parse_events(rows, company, report)
    return [event for event in found if event.date >= since]


def parse_events(rows: list[Json], company: Symbol, report: str) -> list[CompanyEvent]:
    """Return the events of the rows of a report; rows without a date yet are none. ShapeChanged naming the report."""
    read = {BONUS: _parse_ex_date, APPOINTED: _parse_appointment, LOCKED: _parse_lock_up}[report]
    return parse_rows(rows, partial(read, company), CellTally(report), "SECURITY_CODE")


def _check_company(company: Symbol, row: Json) -> None:
    if row.get("SECURITY_CODE") != company.code:
        raise ImplausibleRow("SECURITY_CODE", row.get("SECURITY_CODE", "missing"))


def _parse_optional_day(row: Json, field: str) -> str | None:
    """Return the date of a field, None where there is none yet; Odd where it is missing or no date."""
    if field not in row:
        raise ImplausibleRow(field, "missing")
    if row[field] in (None, "", "-"):
        return None
    day = parse_day(row[field])
    if day is None:
        raise ImplausibleRow(field, row[field])
    return day


def _parse_ex_date(company: Symbol, row: Json) -> CompanyEvent | None:
    _check_company(company, row)
    day = _parse_optional_day(row, "EX_DIVIDEND_DATE")
    if day is None:
        return None
    cash, shares = parse_number(row, "PRETAX_BONUS_RMB", 0, 1e5), parse_number(row, "BONUS_IT_RATIO", 0, 1e4)
    period, told = parse_day(row.get("REPORT_DATE")), parse_day(row.get("NOTICE_DATE"))
    return CompanyEvent(
        symbol=company.canonical,
        kind="ex-dividend",
        key=period or day,
        date=day,
        known=told if told and told <= day else None,
        period=period,
        cash=None if cash is None else round(cash / 10, 10),
        bonus=None if shares is None else round(shares / 10, 10),
    )


def _parse_appointment(company: Symbol, row: Json) -> CompanyEvent | None:
    _check_company(company, row)
    period = parse_day(row.get("REPORT_DATE"))
    if period is None:
        raise ImplausibleRow("REPORT_DATE", row.get("REPORT_DATE", "missing"))
    *changes, first = (_parse_optional_day(row, field) for field in _CHANGES)
    published = _parse_optional_day(row, "ACTUAL_PUBLISH_DATE")
    day = published or next((each for each in (*changes, first) if each), None)
    if day is None:
        return None
    if day <= period:
        raise ImplausibleRow("FIRST_APPOINT_DATE", day)
    told = parse_day(row.get("EITIME"))
    if any(changes) or day != first:  # the row tells when it was entered, not when the day was moved
        told = published
    return CompanyEvent(
        symbol=company.canonical,
        kind="report",
        key=period,
        date=day,
        known=told if told and told <= day else None,
        period=period,
    )


_CHANGES = ("THIRD_CHANGE_DATE", "SECOND_CHANGE_DATE", "FIRST_CHANGE_DATE", "FIRST_APPOINT_DATE")
"""The appointed days, the newest first."""


def _parse_lock_up(company: Symbol, row: Json) -> CompanyEvent | None:
    _check_company(company, row)
    day = _parse_optional_day(row, "FREE_DATE")
    if day is None:
        return None
    shares = parse_number(row, "CURRENT_FREE_SHARES", 0, 1e9)
    label = clean_text(row.get("FREE_SHARES_TYPE"), 40) or None
    return CompanyEvent(
        symbol=company.canonical,
        kind="lock-up",
        key=f"{day} {label or ''}".strip(),
        date=day,
        shares=None if shares is None else round(shares * 1e4),
        label=label,
    )
