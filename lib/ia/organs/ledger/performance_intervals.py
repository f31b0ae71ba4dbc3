"""Intervals of an account's Sharpe ratio and return a year: what they would be if its days had come in another order.

Apart from the other figures, for only it needs numpy.
"""

from datetime import date

from ia.domain.performance import resampling
from ia.domain.performance.linking import session_returns
from ia.domain.performance.ratios import DAYS_A_YEAR
from ia.domain.performance.resampling import ReturnIntervals
from ia.kernel.jsontypes import Json
from ia.organs.ledger.performance import Performance, PerformanceReport


def measure_intervals(account: Performance) -> ReturnIntervals | None:
    """Return the bootstrap intervals of an account; None where a return cannot be told, or risk was not asked for."""
    risk = account.risk
    if risk is None or risk.missing is not None:
        return None
    values = [each.value for each in session_returns(account.returns) if each.value is not None]
    years = (date.fromisoformat(account.whole.last) - date.fromisoformat(account.whole.begin)).days / DAYS_A_YEAR
    return resampling.bootstrap_intervals(values, risk.sessions, len(values) / years if years > 0 else 0.0)


def add_intervals(document: Json, report: PerformanceReport) -> Json:
    """Return the document of a report with `sharpe_ci95` and `cagr_ci95_frac` among the figures of risk."""
    accounts = [(document["currencies"][name], each) for name, each in report.currencies.items()]
    if report.total is not None:
        accounts.append((document["total"], report.total))
    for told, account in accounts:
        found = measure_intervals(account)
        if found is not None and told["risk"] is not None:
            told["risk"]["sharpe_ci95"] = [each.value for each in found.sharpe]
            year = account.risk is not None and account.risk.growth.value is not None
            told["risk"]["cagr_ci95_frac"] = [each.value if year else None for each in found.growth]
            told["risk"]["bootstrap"] = {
                "block": resampling.BLOCK,
                "draws": resampling.DRAWS,
                "seed": resampling.SEED,
            }
    return document
