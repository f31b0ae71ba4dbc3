"""The command behind `financial.income`, `financial.balance`, `financial.cashflow`: statements of companies.

`python -m ia.faculties.providers.financial_statements`, as the provider `financial` starts it: a call as JSON on
standard input, the answer as JSON on standard output. The figures come from the source that `market.adapter` names
(`ia.organs.market.statements`), and none of them was published after now().
"""

import sys
from typing import TYPE_CHECKING

from ia.faculties.providers.answering import answer_one_call
from ia.kernel.jsontypes import Json

if TYPE_CHECKING:
    from ia.organs.market.sources import FinancialStatement

PERIOD_END, YEAR_TO_DATE, ANNUAL, TTM = "period-end", "year-to-date", "annual", "ttm"


def answer_call(tool: str, arguments: Json) -> Json:
    """Return the answer to one call: the reports, newest first, and the twelve months up to the newest.

    Amounts are in the unit of `currency` (yuan, not 10,000 yuan; abroad that of the company's reports), `eps` a share.
    `basis` of a report is `year-to-date` (as reported, since the beginning of the year), `annual`, or `period-end` of a
    balance sheet; of `twelve_months` `ttm` or `annual`. `published` is None where the source does not tell: the report
    then counts from the legal deadline.
    raises  what load_statements() raises.
    """
    from ia.organs.market.statements import load_statements

    found = load_statements(
        str(arguments.get("symbol") or ""),
        tool.rpartition(".")[2],
        periods=arguments.get("periods") or 4,
        period=str(arguments.get("period") or ""),
    )
    unit = "yuan" if found.symbol.endswith((".SH", ".SZ", ".BJ")) else found.reports[0].currency
    about: Json = {"unit": unit, "source": found.source, "simulated": found.simulated}
    told: Json = {
        "symbol": found.symbol,
        "statement": found.statement,
        **about,
        "reports": [{**_describe_report(each, found.statement), **about} for each in found.reports],
    }
    if found.statement != "balance":
        year = found.twelve_months
        told["twelve_months"] = year and {**_describe_report(year, found.statement), "basis": _basis_of_year(year)}
    return told


def _describe_report(report: "FinancialStatement", statement: str) -> Json:
    from ia.organs.market.statements import months_of

    annual = months_of(report) == 12
    basis = PERIOD_END if statement == "balance" else ANNUAL if annual else YEAR_TO_DATE
    return {
        "period": report.period,
        "published": report.published,
        "basis": basis,
        "currency": report.currency,
        **report.items,
    }


def _basis_of_year(report: "FinancialStatement") -> str:
    from ia.organs.market.statements import months_of

    return ANNUAL if months_of(report) == 12 else TTM


if __name__ == "__main__":
    sys.exit(answer_one_call(answer_call))
