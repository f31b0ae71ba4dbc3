"""Figures of companies over twelve months, as SQL over the reports that were published by a day.

Reports tell what was earned since the beginning of a year. Twelve months are the newest report, plus the year before
it, less the same period of that year; of the report of a whole year they are that year. What a missing report leaves
open is NULL, never the figure of a part of a year. The aliases: `r` the newest report, `a` the year before it, `p` the
same period of that year, `b` and `q` the same two a year earlier, which growth is measured against.
"""

from typing import NamedTuple

LEAST_ROE, LEAST_EPS = 0.5, 0.05
"""Sources round the ROE (per cent) and the earnings a share of a report to two decimals. Below these the equity would
be wrong by more than a hundredth, and the number of shares by more than a tenth."""


def published_sql(alias: str) -> str:
    """Return the SQL of the day from which a report counts.

    It is the day on which the source says it was published, else the last one that the law leaves a mainland company.
    """
    year = f"substr({alias}.period, 1, 4)"
    return (
        f"coalesce({alias}.published, CASE substr({alias}.period, 6) WHEN '12-31' THEN ({year} + 1) || '-04-30'"
        f" WHEN '03-31' THEN {year} || '-04-30' WHEN '06-30' THEN {year} || '-08-31'"
        f" WHEN '09-30' THEN {year} || '-10-31' END)"
    )


def _join(alias: str, period: str) -> str:
    return (
        f" LEFT JOIN fundamentals {alias} ON {alias}.source = r.source AND {alias}.symbol = r.symbol"
        f" AND {alias}.period = {period} AND {published_sql(alias)} <= :today"
    )


def _years_before(years: int, end: str) -> str:
    return f"(substr(r.period, 1, 4) - {years}) || {end}"


NEWEST = (
    "(SELECT f.period FROM fundamentals f WHERE f.source = s.source AND f.symbol = s.symbol"
    f" AND {published_sql('f')} <= :today ORDER BY f.period DESC LIMIT 1)"
)
"""The period of the newest report of a row `s` that was published by :today."""
REPORT = f" LEFT JOIN fundamentals r ON r.source = s.source AND r.symbol = s.symbol AND r.period = {NEWEST}"
YEAR_BEFORE = _join("a", _years_before(1, "'-12-31'")) + _join("p", _years_before(1, "substr(r.period, 5)"))
TWO_YEARS_BEFORE = _join("b", _years_before(2, "'-12-31'")) + _join("q", _years_before(2, "substr(r.period, 5)"))

_ANNUAL = "substr(r.period, 6) = '12-31'"
_EQUITY = " ".join(
    f"WHEN {alias}.profit * {alias}.roe_pct > 0 AND abs({alias}.roe_pct) >= {LEAST_ROE}"
    f" THEN {alias}.profit / {alias}.roe_pct * 100"
    for alias in ("r", "a")
)
_SHARES = {
    alias: f"CASE WHEN {alias}.profit * {alias}.eps > 0 AND abs({alias}.eps) >= {LEAST_EPS}"
    f" THEN {alias}.profit / {alias}.eps END"
    for alias in ("r", "a", "p")
}


def _sum(figure: str) -> str:
    """Return the SQL of twelve months of a figure, written with `{}` for the alias, up to the newest report."""
    new, year, part = (figure.format(alias) for alias in ("r", "a", "p"))
    return f"CASE WHEN {_ANNUAL} THEN {new} ELSE {new} + {year} - {part} END"


def _growth(column: str) -> str:
    """Return the SQL of the growth of twelve months in per cent; NULL where the twelve months before brought none."""
    before = f"p.{column} + b.{column} - q.{column}"
    twelve = f"CASE WHEN {before} > 0 THEN (r.{column} + a.{column} - p.{column}) / ({before}) * 100 - 100 END"
    return f"round(CASE WHEN {_ANNUAL} THEN r.{column}_yoy_pct ELSE {twelve} END, 4)"


def _a_share(column: str) -> str:
    """Return the SQL of twelve months of a figure a share, on the number of shares of the newest report."""
    told = " + ".join(
        f"{sign} * {alias}.{column} * ({_SHARES[alias]})" for sign, alias in ((1, "r"), (1, "a"), (-1, "p"))
    )
    return f"round(CASE WHEN {_ANNUAL} THEN r.{column} ELSE ({told}) / ({_SHARES['r']}) END, 4)"


_PROFIT, _REVENUE = _sum("{}.profit"), _sum("{}.revenue")


class ReportFigure(NamedTuple):
    """A figure of companies: its SQL over r, a, p, b, q, and how many years before the newest report it looks at."""

    sql: str
    years: int = 1


FIGURES = {
    "basis": ReportFigure(
        f"CASE WHEN {_ANNUAL} THEN 'annual' WHEN coalesce({_PROFIT}, {_REVENUE}) NOTNULL THEN 'ttm' END"
    ),
    "eps": ReportFigure(f"round(CASE WHEN {_ANNUAL} THEN r.eps ELSE ({_PROFIT}) / ({_SHARES['r']}) END, 4)"),
    "bvps": ReportFigure("r.bvps", 0),
    "roe_pct": ReportFigure(
        f"round(CASE WHEN {_ANNUAL} THEN r.roe_pct ELSE ({_PROFIT}) / (CASE {_EQUITY} END) * 100 END, 4)"
    ),
    "revenue": ReportFigure(f"round({_REVENUE}, 2)"),
    "revenue_yoy_pct": ReportFigure(_growth("revenue"), 2),
    "profit": ReportFigure(f"round({_PROFIT}, 2)"),
    "profit_yoy_pct": ReportFigure(_growth("profit"), 2),
    "gross_margin_pct": ReportFigure(
        f"round(CASE WHEN {_ANNUAL} THEN r.gross_margin_pct ELSE ({_sum('{0}.revenue * {0}.gross_margin_pct')})"
        f" / nullif({_REVENUE}, 0) END, 4)"
    ),
    "net_margin_pct": ReportFigure(
        f"round(CASE WHEN {_ANNUAL} THEN r.net_margin_pct ELSE ({_PROFIT}) / nullif({_REVENUE}, 0) * 100 END, 4)"
    ),
    "debt_ratio_pct": ReportFigure("r.debt_ratio_pct", 0),
    "cash_flow_ps": ReportFigure(_a_share("cash_flow_ps")),
}
"""The columns of reports. ROE is over the average equity of the newest report's own period, as its ROE implies."""


def joins(years: int) -> str:
    """Return the SQL of the joins that a figure needs which looks so many years before the newest report `r`."""
    return (YEAR_BEFORE if years > 0 else "") + (TWO_YEARS_BEFORE if years > 1 else "")
