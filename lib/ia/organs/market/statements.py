"""Income statement, balance sheet and cash flow statement of a company, as far as they were published by now.

They are asked of the source of `market.adapter`. What a real source told is kept for FRESH below `.ia/cache`, and
used for longer where the source cannot be reached: statements change four times a year.
"""

import contextlib
import json
import os
from datetime import datetime, timedelta
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol, resolve_security
from ia.kernel import clock, config, files
from ia.kernel.errors import BadData, NotFound, TryLater, UsageError
from ia.organs.market import sources
from ia.organs.market.sources import STATEMENT_ITEMS, FinancialStatement, MarketSource, NotDelivered

FRESH = timedelta(hours=20)
MAX_PERIODS = 12
FREE_CASH_FLOW = "free_cash_flow"
_NO_FLOW = frozenset({"eps", "cash_end"})
"""Items that cannot be added up over periods."""
_DEADLINES = {"03-31": (0, "04-30"), "06-30": (0, "08-31"), "09-30": (0, "10-31"), "12-31": (1, "04-30")}
"""The last day, after so many years, that the law leaves a mainland company to publish the report of a period."""


class StatementHistory(NamedTuple):
    """A statement of a company: its reports, newest first, and the sum of twelve months up to the newest.

    twelve_months   None for a balance sheet, and where a report is missing; its basis is `ttm` or `annual`
    """

    symbol: str
    statement: str
    source: str
    simulated: bool
    reports: list[FinancialStatement]
    twelve_months: FinancialStatement | None


def load_statements(text: str, statement: str, *, periods: int = 4, period: str = "") -> StatementHistory:
    """Return a statement (`income`, `balance`, `cashflow`) of a company for its newest published periods.

    A report counts from the day on which it was published; where the source does not tell, from the legal deadline.
    Those of cash flow also have `free_cash_flow`: operating cash flow less capital expenditure.

    Args:
        text: code or name of a mainland stock.
        statement: which one.
        periods: how many, at most MAX_PERIODS.
        period: the last day of one reporting period, 2024-12-31: that one alone, and the twelve months up to it.

    Raises:
        BadData: no such statement, count or period; several securities of this name.
        NotFound: no such stock, no stock of the mainland, or nothing published by now.
        Unavailable, TryLater: the source has no statements, or cannot be reached.
    """
    _check_request(statement, periods, period)
    company = _find_company(text)
    source, told = _ask_source(company.canonical, statement)
    today = clock.today("CN")
    known = [_add_free_cash_flow(each) for each in told if len(day := public_since(each)) > 0 and day <= today]
    first = next((at for at, each in enumerate(known) if period in ("", each.period)), None)
    if first is None:
        raise NotFound(
            "{symbol}: no {statement} statement of {period} was published by {today}"
            if period
            else "{symbol}: no {statement} statement was published by {today}",
            symbol=company.canonical,
            statement=statement,
            period=period,
            today=today,
        )
    return StatementHistory(
        symbol=company.canonical,
        statement=statement,
        source=source.name,
        simulated=source.simulated,
        reports=known[first : first + (1 if period else periods)],
        twelve_months=sum_twelve_months(known[first:]) if statement != "balance" else None,
    )


def public_since(statement: FinancialStatement) -> str:
    """Return the day from which a statement is known; "" where nobody can tell.

    >>> public_since(FinancialStatement("2023-12-31", None, "CNY", {}))
    '2024-04-30'
    """
    if statement.published:
        return statement.published
    years, day = _DEADLINES.get(statement.period[5:], (0, ""))
    return f"{int(statement.period[:4]) + years}-{day}" if day else ""


def sum_twelve_months(reports: list[FinancialStatement]) -> FinancialStatement | None:
    """Return the twelve months up to the newest of some reports that run from the beginning of a year.

    They are the newest report, plus the year before it, less the same period of that year. An item that one of them
    lacks is left out; None where one of them is missing.
    """
    newest = reports[0]
    if newest.period.endswith("12-31"):
        return newest._replace(items=_only_flows(newest.items))
    by_period = {each.period: each for each in reports}
    before = int(newest.period[:4]) - 1
    year, part = by_period.get(f"{before}-12-31"), by_period.get(f"{before}{newest.period[4:]}")
    if year is None or part is None:
        return None
    items = {
        name: round(value + year.items[name] - part.items[name], 2)
        for name, value in _only_flows(newest.items).items()
        if name in year.items and name in part.items
    }
    return newest._replace(items=items)


def _only_flows(items: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in items.items() if name not in _NO_FLOW}


def _add_free_cash_flow(statement: FinancialStatement) -> FinancialStatement:
    cash, spent = (statement.items.get(name) for name in ("operating_cash_flow", "capital_expenditure"))
    if cash is None or spent is None:
        return statement
    return statement._replace(items={**statement.items, FREE_CASH_FLOW: round(cash - spent, 2)})


def _check_request(statement: str, periods: int, period: str) -> None:
    if statement not in STATEMENT_ITEMS:
        raise BadData("{statement!r} is not a statement; use one of {known}", statement=statement[:40],
                      known=", ".join(STATEMENT_ITEMS))  # fmt: skip
    if isinstance(periods, bool) or not isinstance(periods, int) or not 1 <= periods <= MAX_PERIODS:
        raise BadData("periods must be a number from 1 to {most}", most=MAX_PERIODS)
    if period and (len(period) != 10 or period[5:] not in _DEADLINES or not period[:4].isdecimal()):
        raise BadData(
            "{period!r} is not a valid reporting period", period=period[:20], hint="write a period such as 2024-03-31"
        )


def _find_company(text: str) -> Symbol:
    try:
        found = resolve_security(text, traded=True)
    except UsageError as exc:
        raise BadData(exc.template, hint=exc.hint, **exc.params) from None
    if found.market != "CN":
        raise NotFound("{symbol}: financial statements are available for mainland stocks only", symbol=found.canonical)
    if found.kind != "stock":
        raise NotFound("{symbol} has no financial statements, because it is not a stock", symbol=found.canonical)
    return found


def _ask_source(symbol: str, statement: str) -> tuple[MarketSource, list[FinancialStatement]]:
    """Return the first source of `market.adapter` that has statements, and what it tells."""
    refused: NotDelivered | None = None
    for name in config.get_setting_words("market.adapter"):
        try:
            source = sources.load_source(name)
            return source, (
                source.statements_of(symbol, statement) if source.simulated else _load_kept(source, symbol, statement)
            )
        except NotDelivered as exc:
            refused = refused or exc
    hint = "run `ia config set market.adapter akshare`"
    raise refused or UsageError("market.adapter names no data source", hint=hint)


def _load_kept(source: MarketSource, symbol: str, statement: str) -> list[FinancialStatement]:
    """Return what a source told within FRESH, else ask it; where it cannot be reached, return what it told before."""
    home = config.home()
    place = os.path.join(home, ".ia", "cache", "statements", f"{source.name}-{symbol}-{statement}.json")
    fetched, kept = _read_kept(place)
    now = clock.wall_time()
    if kept and fetched is not None and timedelta(0) <= now - fetched < FRESH:
        return kept
    try:
        told = source.statements_of(symbol, statement)
    except TryLater:
        if kept:
            return kept
        raise
    if os.path.isdir(home):
        files.keep_file(place, json.dumps({"fetched": now.isoformat(), "told": told}))
    return told


def _read_kept(place: str) -> tuple[datetime | None, list[FinancialStatement]]:
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError), open(place, encoding="utf-8") as file:
        record = json.load(file)
        return datetime.fromisoformat(record["fetched"]), [FinancialStatement(*each) for each in record["told"]]
    return None, []
