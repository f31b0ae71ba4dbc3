"""The calendar of securities: ex-dates, reports, lock-up expiries and closed markets of a span of days. No network.

What is stored is put side by side: dates that a source announced, corporate actions beside the prices, and reports
that were published. Nothing is told before it was known.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock
from ia.kernel.errors import IaError, Message
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market import date_store, date_sync, foreign_reports, news_store
from ia.organs.market.date_store import CLOSED, StoredDate

DAYS = 30
"""How many days ahead are shown where nothing is said."""
COLUMNS = ("date", "symbol", "name", "kind", "text", "source", "fetched")
_AROUND = timedelta(days=20)
"""How far beyond the span a run of closed days is followed."""
KINDS = ("ex-dividend", "report", "lock-up", CLOSED)
EXPECTED, PUBLISHED, UNCONFIRMED = "expected", "published", "unconfirmed"
"""What is known of a report: its day is to come; it was published; its day has passed and no report is stored."""


class CalendarSpan(NamedTuple):
    """The days that are shown, YYYY-MM-DD, both included."""

    since: str
    until: str


def load_calendar(ws: Workspace, symbols: Sequence[str], span: CalendarSpan, kinds: Sequence[str] = ()) -> list[Json]:
    """Return the rows of the calendar by date, for canonical symbols and the markets that they trade on.

    Fields of a row: date, until, symbol, name, kind, status, period, cash, bonus, currency, shares, share_pct, label,
    source, simulated, known, fetched. cash and bonus: of one share, before tax. Closed days: symbol is the market.
    """
    if not marketdb.is_stored(ws):
        return []
    with news_store.open_store(ws) as db:
        stored = date_store.load_dates(db, symbols, span.since, span.until)
        rows = [_build_stored_row(each) for each in stored]
        rows = _add_actions(db, rows, symbols, span)
        rows = _settle_reports(db, rows, symbols, span)
        rows += _load_closed(db, date_sync.markets_of(symbols), span)
    rows = [row for row in rows if not kinds or row["kind"] in kinds]
    return sorted(rows, key=lambda row: (row["date"], row["symbol"], row["kind"]))


def load_known_until(ws: Workspace, symbols: Sequence[str]) -> dict[str, str]:
    """Return by market the last day of which it is known whether it is closed; "" where nothing is known."""
    markets = date_sync.markets_of(symbols)
    if not marketdb.is_stored(ws):
        return dict.fromkeys(markets, "")
    with news_store.open_store(ws) as db:
        numbers = [number for _, number, _ in date_store.load_sources(db)]
        return {
            market: max((date_sync.closures_until(db, number, market) for number in numbers), default="")
            for market in markets
        }


_FIELDS = (
    "date", "until", "symbol", "name", "kind", "status", "period", "cash", "bonus", "currency", "shares", "share_pct",
    "label", "source", "simulated", "known", "fetched",
)  # fmt: skip


def _build_row(symbol: str, kind: str, day: str, **told: object) -> Json:
    """Return a row with the fields that are told, and None for the others."""
    row = dict.fromkeys(_FIELDS) | told | {"date": day, "symbol": symbol, "kind": kind}
    if kind == CLOSED:
        return row | {"name": ""}
    currency = trading_currency(from_canonical(symbol)) if kind == "ex-dividend" else None
    return row | {"name": _name_of(symbol), "currency": currency}


def _build_stored_row(each: StoredDate) -> Json:
    names = ("period", "cash", "bonus", "shares", "share_pct", "label", "source", "simulated", "known", "fetched")
    return _build_row(each.symbol, each.kind, each.date, **{name: getattr(each, name) for name in names})


def _name_of(symbol: str) -> str:
    try:
        return from_canonical(symbol).name or ""
    except IaError:
        return ""


def _add_actions(db: sqlite3.Connection, rows: list[Json], symbols: Iterable[str], span: CalendarSpan) -> list[Json]:
    """Return the rows with the corporate actions beside the prices: they fill amounts in and add what is missing."""
    today, now = clock.today("CN"), clock.utc_stamp(clock.now())
    for symbol in symbols:
        for name, _, simulated in date_store.load_sources(db):
            found = db.execute(
                "SELECT a.date, sum(a.cash), sum(a.bonus), max(s.fetched) FROM actions a LEFT JOIN series s"
                " ON s.adapter = a.adapter AND s.symbol = a.symbol WHERE a.adapter = ? AND a.symbol = ?"
                " AND a.date BETWEEN ? AND ? AND (a.date <= ? OR s.fetched <= ?) AND (a.cash > 0 OR a.bonus > 0)"
                " GROUP BY a.date ORDER BY a.date",
                (name, symbol, span.since, span.until, today, now),
            ).fetchall()
            for day, cash, bonus, fetched in found:
                same = [
                    row
                    for row in rows
                    if (row["symbol"], row["date"], row["kind"], row["source"]) == (symbol, day, "ex-dividend", name)
                ]
                if not same:
                    same = [_build_row(symbol, "ex-dividend", day, source=name, simulated=simulated, fetched=fetched)]
                    rows += same
                for row in same:
                    if row["cash"] is None and row["bonus"] is None:
                        row |= {"cash": cash or None, "bonus": bonus or None}
            if found:
                break
    return _drop_superseded(rows)


_MOVED_AT_MOST = timedelta(days=60)
"""By how much a board moves an ex-date between the plan and the decision."""


def _drop_superseded(rows: list[Json]) -> list[Json]:
    """Return the rows without ex-dates of unknown amount beside one with its amount: that one was decided later."""
    decided = [row for row in rows if row["kind"] == "ex-dividend" and (row["cash"] or row["bonus"])]

    def is_superseded(row: Json) -> bool:
        day = date.fromisoformat(row["date"])
        return (row["kind"] == "ex-dividend" and not row["cash"] and not row["bonus"]) and any(
            other["symbol"] == row["symbol"]
            and other["source"] == row["source"]
            and abs(date.fromisoformat(other["date"]) - day) <= _MOVED_AT_MOST
            for other in decided
        )

    return [row for row in rows if not is_superseded(row)]


def _settle_reports(db: sqlite3.Connection, rows: list[Json], symbols: Sequence[str], span: CalendarSpan) -> list[Json]:
    """Return the rows with what became of each report: those that were published stand on their day."""
    today = clock.today("CN")
    published: dict[tuple[str, str], tuple[str, str, bool, str | None]] = {}
    for name, number, simulated in reversed(date_store.load_sources(db)):
        for symbol in symbols:
            found = db.execute(
                "SELECT f.period, f.published, j.time FROM fundamentals f LEFT JOIN jobs j ON j.source = f.source AND"
                " j.job = 'fundamentals' AND j.key = f.period WHERE f.source = ? AND f.symbol = ?"
                " AND f.published IS NOT NULL AND f.published <= ?",
                (number, symbol, today),
            )
            published |= {(symbol, period): (day, name, simulated, fetched) for period, day, fetched in found}
    published |= _load_foreign_reports(symbols)
    others = [row for row in rows if row["kind"] != "report"]
    reports = [row for row in rows if row["kind"] == "report"]
    for row in reports:
        if (row["symbol"], row["period"]) not in published:
            row["status"] = EXPECTED if row["date"] >= today else UNCONFIRMED
            others.append(row)
    for (symbol, period), (day, name, simulated, fetched) in published.items():
        if span.since <= day <= span.until:
            told: Json = {"period": period, "source": name, "simulated": simulated, "known": day, "fetched": fetched}
            others.append(_build_row(symbol, "report", day, status=PUBLISHED, **told))
    return others


def _load_foreign_reports(symbols: Sequence[str]) -> dict[tuple[str, str], tuple[str, str, bool, str | None]]:
    """Return by symbol and period when companies of Hong Kong and the US published; nobody is asked."""
    found: dict[tuple[str, str], tuple[str, str, bool, str | None]] = {}
    for symbol in symbols:
        if not foreign_reports.is_covered(from_canonical(symbol)):
            continue
        with contextlib.suppress(IaError):
            told = foreign_reports.load_reports(symbol, quiet=True)
            for each in told.reports:
                if each.published:
                    found[symbol, each.period] = (each.published, told.source, told.simulated, None)
    return found


def _load_closed(db: sqlite3.Connection, markets: Sequence[str], span: CalendarSpan) -> list[Json]:
    """Return a row for each run of closed weekdays that touches the span, with its last day as `until`."""
    rows = []
    for market in markets:
        first, last = (date.fromisoformat(day) for day in span)
        around = ((first - _AROUND).isoformat(), (last + _AROUND).isoformat())
        stored = date_store.load_dates(db, [market], *around, (CLOSED,))
        for begin, end in date_store.merge_days([each.date for each in stored]):
            if span.since <= end and begin <= span.until:
                known = max(each.known for each in stored if begin <= each.date <= end)
                told: Json = {"until": end, "source": "exchange calendar", "simulated": False, "known": known}
                rows.append(_build_row(market, CLOSED, begin, **told))
    return rows


def describe_date(row: Json) -> Message:
    """Return what a row of the calendar tells, as a sentence."""
    if row["kind"] == "ex-dividend":
        return _describe_ex_date(row)
    if row["kind"] == "report":
        return _describe_report(row)
    if row["kind"] == "lock-up":
        if row["shares"] is None:
            return Message("lock-up expiry; the number of shares is not known")
        shares = f"{row['shares']:,.0f}"
        if row["share_pct"] is None:
            return Message("lock-up expiry: {shares} shares", shares=shares)
        return Message(
            "lock-up expiry: {shares} shares, {share:g} % of the float", shares=shares, share=row["share_pct"]
        )
    market = Message(_MARKETS[row["symbol"]])
    if row["until"] and row["until"] != row["date"]:
        return Message("{market} closed until {day}", market=market, day=row["until"])
    return Message("{market} closed", market=market)


_MARKETS = {
    "CN": mark_text("mainland exchanges"),
    "HK": mark_text("Hong Kong exchange"),
    "US": mark_text("US exchanges"),
}


def _describe_report(row: Json) -> Message:
    home = row["symbol"].endswith((".SH", ".SZ", ".BJ"))
    report = describe_period(row["period"]) if home else Message(_PERIOD, day=row["period"])
    if row["status"] == PUBLISHED:
        return Message("{report}, published", report=report)
    if row["status"] == UNCONFIRMED:
        return Message("{report}, was expected; ia has not stored it yet", report=report)
    return Message("{report}, expected", report=report)


def _describe_ex_date(row: Json) -> Message:
    told = {"cash": f"{row['cash'] or 0:.10g}", "currency": row["currency"], "bonus": f"{row['bonus'] or 0:.10g}"}
    if row["cash"] and row["bonus"]:
        return Message("ex-dividend: {cash} {currency} and {bonus} new shares a share", **told)
    if row["cash"]:
        return Message("ex-dividend: {cash} {currency} a share", **told)
    if row["bonus"]:
        return Message("ex-rights: {bonus} new shares a share", **told)
    return Message("ex-dividend; the amount is not known")


def describe_period(period: str) -> Message:
    """Return what a report is called whose period ends on a day.

    >>> str(describe_period("2023-12-31"))
    'annual report 2023'
    """
    year = period[:4]
    if period.endswith("-03-31"):
        return Message("first-quarter report {year}", year=year)
    if period.endswith("-06-30"):
        return Message("half-year report {year}", year=year)
    if period.endswith("-09-30"):
        return Message("third-quarter report {year}", year=year)
    if period.endswith("-12-31"):
        return Message("annual report {year}", year=year)
    return Message(_PERIOD, day=period)


_PERIOD = mark_text("report for the period to {day}")
"""What a report is called abroad, where a financial year may end in any month."""
