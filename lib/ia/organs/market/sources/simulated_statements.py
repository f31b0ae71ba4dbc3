"""Statements of the simulated companies, made from what they report: revenue, profit and cash flow are the same."""

from ia.organs.market.sources import CompanyReport, FinancialStatement, ForeignReport
from ia.organs.market.sources.companies import hashed_fraction

TAX = 0.15


def build_statement(report: CompanyReport, shares: float, statement: str) -> FinancialStatement:
    """Return the statement (`income`, `balance`, `cashflow`) that goes with a simulated report.

    shares  how many there were at the end of its period
    """
    build = {"income": _build_income, "balance": _build_balance, "cashflow": _build_cash_flow}[statement]
    items = {name: round(value, 4 if name == "eps" else 2) for name, value in build(report, shares).items()}
    return FinancialStatement(report.period, report.published, "CNY", items)


def build_foreign_statement(report: ForeignReport, statement: str) -> FinancialStatement:
    """Return the statement that goes with a simulated report of a company abroad; banks have no operating cost."""
    made = build_statement(_as_mainland(report), report.shares or 0.0, statement)
    items = {name: value for name, value in made.items.items() if name != "operating_cost" or report.gross_margin_pct}
    return FinancialStatement(
        period=report.period,
        published=report.published,
        currency=report.currency,
        items=items,
        months=report.months,
    )


def _as_mainland(report: ForeignReport) -> CompanyReport:
    return CompanyReport(**{name: getattr(report, name) for name in CompanyReport._fields})


def _build_income(report: CompanyReport, shares: float) -> dict[str, float]:
    revenue, profit = report.revenue or 0.0, report.profit or 0.0
    before_tax = profit / (1 - TAX)
    return {
        "revenue": revenue,
        "operating_cost": revenue * (1 - (report.gross_margin_pct or 0.0) / 100),
        "research_cost": revenue * 0.06 * hashed_fraction(report.symbol, "research"),
        "operating_profit": before_tax,
        "pretax_profit": before_tax,
        "income_tax": before_tax - profit,
        "net_profit": profit,
        "profit": profit,
        "eps": report.eps or 0.0,
    }


def _build_balance(report: CompanyReport, shares: float) -> dict[str, float]:
    equity = shares * (report.bvps or 0.0)
    assets = equity / (1 - (report.debt_ratio_pct or 0.0) / 100)
    debt = assets - equity
    company, period = report.symbol, report.period
    return {
        "cash": _cash_at_end(assets, company, period),
        "receivables": assets * 0.1 * hashed_fraction(company, period, "receivables"),
        "inventory": assets * 0.15 * hashed_fraction(company, period, "inventory"),
        "goodwill": assets * 0.03 * hashed_fraction(company, "goodwill"),
        "current_assets": assets * (0.5 + 0.1 * hashed_fraction(company, period, "current")),
        "total_assets": assets,
        "current_loans": debt * 0.2 * hashed_fraction(company, period, "short"),
        "noncurrent_loans": debt * 0.2 * hashed_fraction(company, period, "long"),
        "bonds": debt * 0.1 * hashed_fraction(company, "bonds"),
        "current_liabilities": debt * (0.6 + 0.1 * hashed_fraction(company, period, "owed")),
        "total_liabilities": debt,
        "equity": equity,
        "parent_equity": equity,
    }


def _build_cash_flow(report: CompanyReport, shares: float) -> dict[str, float]:
    """Return the cash flows. Capital expenditure is a share of the profit that differs mostly by company."""
    company, period, profit = report.symbol, report.period, report.profit or 0.0
    operating = shares * (report.cash_flow_ps or 0.0)
    spent = profit * (0.2 + 0.5 * hashed_fraction(company, "spent")) * (0.95 + 0.1 * hashed_fraction(company, period))
    paid = profit * 0.3
    assets = shares * (report.bvps or 0.0) / (1 - (report.debt_ratio_pct or 0.0) / 100)
    return {
        "sales_cash": (report.revenue or 0.0) * (1 + 0.1 * hashed_fraction(company, period, "sales")),
        "operating_cash_flow": operating,
        "capital_expenditure": spent,
        "investing_cash_flow": -spent,
        "financing_cash_flow": -paid,
        "dividends_interest_paid": paid,
        "cash_end": _cash_at_end(assets, company, period),
    }


def _cash_at_end(assets: float, company: str, period: str) -> float:
    return assets * (0.05 + 0.15 * hashed_fraction(company, period, "in hand"))
