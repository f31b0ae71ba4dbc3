"""Income statement, balance sheet and cash flow statement of a company, as far as they were published by now.

They are asked of the source of `market.adapter`, and what a real one told is kept for a while (`kept_answers`):
statements change four times a year. Abroad a financial year may end in any month, and a statement is known from the
day on which the report of its period was (`foreign_reports`).
"""

from datetime import date
from typing import NamedTuple

from ia.domain.instruments.symbols import Symbol, resolve_security
from ia.kernel import clock, config
from ia.kernel.errors import BadData, NotFound, UsageError
from ia.organs.market import fiscal_periods, foreign_reports, sources
from ia.organs.market.fiscal_periods import Span
from ia.organs.market.kept_answers import load_kept
from ia.organs.market.sources import STATEMENT_ITEMS, FinancialStatement, MarketSource, NotDelivered

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
        text: code or name of a stock.
        statement: which one.
        periods: how many, at most MAX_PERIODS.
        period: the last day of one reporting period, 2024-12-31: that one alone, and the twelve months up to it.

    Raises:
        BadData: no such statement, count or period; several securities of this name.
        NotFound: no such stock, or nothing published by now.
        Unavailable, TryLater: the source has no statements, or cannot be reached.
    """
    _check_request(statement, periods, period)
    company = _find_company(text)
    if period and company.market == "CN" and period[5:] not in _DEADLINES:
        raise _bad_period(period)
    source, told = _ask_source(company.canonical, statement)
    today = clock.today(company.market)
    told = told if company.market == "CN" else _date_foreign(company.canonical, told)
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
    if statement.months:
        return ""
    years, day = _DEADLINES.get(statement.period[5:], (0, ""))
    return f"{int(statement.period[:4]) + years}-{day}" if day else ""


def sum_twelve_months(reports: list[FinancialStatement]) -> FinancialStatement | None:
    """Return the twelve months up to the newest of some reports that run from the beginning of a year.

    They are the newest report, plus the year before it, less the same period of that year. An item that one of them
    lacks is left out; None where one of them is missing.
    """
    newest = reports[0]
    if months_of(newest) == 12:
        return newest._replace(items=_only_flows(newest.items))
    found = fiscal_periods.find_parts([Span(each.period, months_of(each)) for each in reports], 0)
    if found is None:
        return None
    year, part = reports[found[0]], reports[found[1]]
    if newest.currency != year.currency or newest.currency != part.currency:
        return None
    items = {
        name: round(value + year.items[name] - part.items[name], 2)
        for name, value in _only_flows(newest.items).items()
        if name in year.items and name in part.items
    }
    return newest._replace(items=items)


def months_of(statement: FinancialStatement) -> int:
    """Return how many months of its financial year a statement spans."""
    return statement.months or int(statement.period[5:7])


def _date_foreign(symbol: str, told: list[FinancialStatement]) -> list[FinancialStatement]:
    """Return statements with the day from which the report of each period was known; without one it is not."""
    reports = foreign_reports.load_reports(symbol).reports
    known = {each.period: foreign_reports.public_since(each) for each in reports}
    return [each._replace(published=each.published or known.get(each.period)) for each in told]


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
    if period and not _is_day(period):
        raise _bad_period(period)


def _bad_period(period: str) -> BadData:
    return BadData(
        "{period!r} is not a valid reporting period", period=period[:20], hint="write a period such as 2024-03-31"
    )


def _is_day(text: str) -> bool:
    try:
        return str(date.fromisoformat(text)) == text
    except ValueError:
        return False


def _find_company(text: str) -> Symbol:
    try:
        found = resolve_security(text, traded=True)
    except UsageError as exc:
        raise BadData(exc.template, hint=exc.hint, **exc.params) from None
    if found.kind != "stock":
        raise NotFound("{symbol} has no financial statements, because it is not a stock", symbol=found.canonical)
    return found


def _ask_source(symbol: str, statement: str) -> tuple[MarketSource, list[FinancialStatement]]:
    """Return the first source of `market.adapter` that has statements, and what it tells."""
    refused: NotDelivered | None = None
    for name in config.get_setting_words("market.adapter"):
        try:
            source = sources.load_source(name)
            if source.simulated:
                return source, source.statements_of(symbol, statement)
            return source, load_kept(
                f"statements/{source.name}-{symbol}-{statement}",
                lambda row: FinancialStatement(**dict(zip(FinancialStatement._fields, row, strict=False))),
                lambda _, source=source: source.statements_of(symbol, statement),  # type: ignore[misc]
            )
        except NotDelivered as exc:
            refused = refused or exc
    hint = "run `ia config set market.adapter akshare`"
    raise refused or UsageError("market.adapter names no data source", hint=hint)
