"""What a stock costs and earns, and where that stands: in its own stored past and among the stocks of its industry.

Prices come from the newest day of the market that may be seen, figures of companies from the reports published by then
(`ia.organs.market.trailing`). A rank is the percentage of the others that are below, ties counting half; it is None
where fewer than LEAST_DAYS days or LEAST_PEERS other stocks have the figure.
"""

import sqlite3
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import NotFound, Notify, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.market import dividends, trailing
from ia.organs.market.foreign_figures import ReportedShare, load_known_reports
from ia.organs.market.market_reader import (
    OF_DAY,
    ROWS,
    STOCKS,
    MarketDay,
    Row,
    fetch_rows,
    find_foreign,
    load_day,
    load_unadjusted,
    open_market,
    query_params,
    resolve_symbol,
)
from ia.organs.market.screen_columns import INDUSTRY

LEAST_DAYS, LEAST_PEERS = 250, 4
MULTIPLES = ("pe_ttm", "pb")
"""Figures of which there is a past: each synced day has them. What is 0 or below says nothing of the price."""
COMPANY = ("roe_pct", "revenue_yoy_pct", "profit_yoy_pct", "eps", "cash_flow_ps", "debt_ratio_pct")
RANKED = (*MULTIPLES, "roe_pct")


class Rank(NamedTuple):
    """Where a figure stands: the percentage of the others below it, how many others there are, and their median.

    first    the first day of the stored past; "" among other stocks
    """

    rank_pct: float | None
    others: int
    median: float | None
    first: str = ""


class Valuation(NamedTuple):
    """What is known of a stock's price and earnings on a day; what is not known is None.

    report, basis     the last day of the newest report's period, and what its figures span: ttm, annual
    figures           pe_ttm, pb; roe_pct, growth, eps, cash_flow_ps of twelve months; cash_to_profit_pct: cash over
                      profit; market_cap: money; dividend_yield_pct: of the dividends whose ex-date was in the year
                      before the day
    history, peers    ranks by the name of the figure; abroad there are no peers
    currency          of the price and of market_cap; reported: of the figures a share, where it is another one
    report_rate       what one unit of `reported` is worth in `currency` on the day; None without an exchange rate
    """

    symbol: str
    name: str
    date: str
    source: str
    simulated: bool
    industry: str | None
    report: str | None
    published: str | None
    basis: str | None
    figures: dict[str, float | None]
    history: dict[str, Rank]
    peers: dict[str, Rank]
    currency: str = "CNY"
    reported: str = "CNY"
    report_rate: float | None = 1.0


def load_valuation(ws: Workspace, text: str, notify: Notify = drop_message) -> Valuation:
    """Return the valuation of a stock by its code or name.

    raises  NotFound where the newest day of the market has no such stock. Of Hong Kong and the US the price is the
            newest stored one and the source is asked for the reports: what it raises is raised.
    """
    if (abroad := find_foreign(text)) is not None:
        return _load_foreign(ws, abroad)
    with open_market(ws) as db:
        day = load_day(db, notify)
        symbol = resolve_symbol(db, day, text)
        rows = _load_stocks(db, day)
        own = next((row for row in rows if row["symbol"] == symbol), None)
        if own is None:
            raise NotFound(
                "{symbol}: the market of {date} has no such stock",
                symbol=symbol,
                date=day.date,
                hint="run `ia sync daily`",
            )
        past = _load_past(db, day, symbol)
        same = [row for row in rows if own["industry"] and row["industry"] == own["industry"] and row is not own]
        figures = {name: own[name] for name in (*MULTIPLES, *COMPANY, "market_cap")}
        figures["cash_to_profit_pct"] = _cash_to_profit(own["cash_flow_ps"], own["eps"])
        figures["dividend_yield_pct"] = _dividend_yield(db, day, symbol)
    return Valuation(
        symbol=symbol,
        name=own["name"] or "",
        date=day.date,
        source=day.name,
        simulated=day.simulated,
        industry=own["industry"],
        report=own["report"],
        published=own["published"],
        basis=own["basis"],
        figures=figures,
        history={name: _rank(own[name], past[name], LEAST_DAYS, past["first"]) for name in MULTIPLES},
        peers={name: _rank(own[name], [row[name] for row in same], LEAST_PEERS) for name in RANKED},
    )


def _load_foreign(ws: Workspace, security: Symbol) -> Valuation:
    """Return the valuation of a stock of Hong Kong or the US; of a fund its dividend yield alone."""
    if security.kind == "index":
        raise NotFound("{symbol} is an index: no company stands behind it", symbol=security.canonical)
    reports = load_known_reports(security)
    with open_market(ws) as db:
        series = load_unadjusted(db, security.canonical)
        share = ReportedShare(db, series, reports)
        day, price = series.bars.date[-1], series.bars.close[-1]
        at = share.find_newest(day)
        now = share.multiples(day, price)
        past = [(each, share.multiples(each, close)) for each, close in zip(series.bars.date[:-1],
                series.bars.close[:-1], strict=True)] if reports else []  # fmt: skip
    twelve = share.twelve_months(at)._asdict() if at is not None else {}
    figures: dict[str, float | None] = {"pe_ttm": now.pe_ttm, "pb": now.pb}
    figures |= {name: twelve.get(name) for name in COMPANY}
    figures["gross_margin_pct"] = twelve.get("gross_margin_pct")
    figures["debt_ratio_pct"] = reports[at].debt_ratio_pct if at is not None else None
    figures["market_cap"] = now.market_cap
    figures["cash_to_profit_pct"] = _cash_to_profit(figures["cash_flow_ps"], figures["eps"])
    figures["dividend_yield_pct"] = share.dividend_yield(day, price)
    first = next((each for each, multiples in past if multiples.pe_ttm is not None), "")
    return Valuation(
        symbol=security.canonical,
        name=security.name or "",
        date=day,
        source=series.source,
        simulated=series.simulated,
        industry=None,
        report=reports[at].period if at is not None else None,
        published=reports[at].published if at is not None else None,
        basis=twelve.get("basis"),
        figures=figures,
        history={
            name: _rank(figures[name], [getattr(each, name) for _, each in past], LEAST_DAYS, first)
            for name in MULTIPLES
        },
        peers={name: _rank(None, [], LEAST_PEERS) for name in RANKED},
        currency=share.currency,
        reported=share.reported,
        report_rate=share.convert(share.reported, day),
    )


def _load_stocks(db: sqlite3.Connection, day: MarketDay) -> list[Row]:
    """Return the stocks of a day with their multiples and the figures of their companies."""
    told = ", ".join(f"{trailing.FIGURES[name].sql} AS {name}" for name in (*COMPANY, "basis"))
    multiples = ", ".join(f"CASE WHEN s.{name} > 0 THEN s.{name} END AS {name}" for name in MULTIPLES)
    joins = trailing.REPORT + trailing.joins(2)
    query = (
        f"SELECT s.symbol, s.name, s.price, s.market_cap, {INDUSTRY} AS industry, r.period AS report, {multiples},"
        f" {told}, {trailing.published_sql('r')} AS published{ROWS}{joins}{OF_DAY}{STOCKS}"
    )
    return fetch_rows(db, query, query_params(day))


def _load_past(db: sqlite3.Connection, day: MarketDay, symbol: str) -> Row:
    """Return the multiples of the stored days before a day, by name, and `first`, the first of these days."""
    rows = db.execute(
        f"SELECT d.date, {', '.join(f's.{name}' for name in MULTIPLES)} FROM days d"
        " CROSS JOIN snapshots s ON s.source = d.source AND s.date = d.date AND s.symbol = ?"
        " WHERE d.source = ? AND d.whole = 1 AND d.date < ? ORDER BY d.date",
        (symbol, day.source, day.date),
    ).fetchall()
    told: Row = {
        name: [row[at] if row[at] is not None and row[at] > 0 else None for row in rows]
        for at, name in enumerate(MULTIPLES, 1)
    }
    return {**told, "first": rows[0][0] if rows else ""}


def load_multiples(ws: Workspace, text: str) -> tuple[list[str], dict[str, list[float | None]]]:
    """Return the stored days up to the newest that may be seen, and a stock's multiples on them, oldest first.

    raises  NotFound where nothing is stored.
    """
    with open_market(ws) as db:
        day = load_day(db)
        symbol = resolve_symbol(db, day, text)
        rows = db.execute(
            f"SELECT d.date, {', '.join(f's.{name}' for name in MULTIPLES)} FROM days d"
            " CROSS JOIN snapshots s ON s.source = d.source AND s.date = d.date AND s.symbol = ?"
            " WHERE d.source = ? AND d.whole = 1 AND d.date <= ? ORDER BY d.date",
            (symbol, day.source, day.date),
        ).fetchall()
    positive = {
        name: [row[at] if row[at] is not None and row[at] > 0 else None for row in rows]
        for at, name in enumerate(MULTIPLES, 1)
    }
    return [row[0] for row in rows], positive


def _rank(value: float | None, others: list[float | None], least: int, first: str = "") -> Rank:
    known = sorted(other for other in others if other is not None)
    middle = len(known) // 2
    median = None if not known else known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2
    if value is None or len(known) < least:
        return Rank(None, len(known), median, first)
    below = sum(1.0 if other < value else 0.5 for other in known if other <= value)
    return Rank(round(below / len(known) * 100, 1), len(known), median, first)


def _cash_to_profit(cash: float | None, eps: float | None) -> float | None:
    """Return how much of a profit came in as cash, in per cent; None where there was no profit."""
    return round(cash / eps * 100, 1) if cash is not None and eps is not None and eps > 0 else None


def _dividend_yield(db: sqlite3.Connection, day: MarketDay, symbol: str) -> float | None:
    """Return the dividends before tax of the year up to a day, per cent of its price."""
    query = f"SELECT {dividends.YIELD}{ROWS}{OF_DAY} AND s.symbol = :symbol"
    found = db.execute(query, {**query_params(day), "symbol": symbol}).fetchone()
    return None if found is None else found[0]
