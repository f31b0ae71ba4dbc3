"""All figures of risk of one series of returns, for an account and for a backtest alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from ia.domain.performance import ratios
from ia.domain.performance.against_benchmark import Comparison
from ia.domain.performance.drawdowns import Drawdown, find_drawdowns, longest_drawdown, max_drawdown
from ia.domain.performance.figures import Figure
from ia.domain.performance.selection import probabilistic_sharpe
from ia.kernel.errors import Message


class Extreme(NamedTuple):
    """A day or month with its return."""

    day: str
    value: float


@dataclass(frozen=True, kw_only=True)
class RiskFigures:
    """The figures of ia.domain.performance for one series: of `count` returns, one a session of `market`.

    below_high     how far the last value is below the highest, as a fraction: 0 or below
    gains, losses  how many of the returns are above 0, and below
    """

    count: int
    market: str
    sessions: float
    growth: Figure
    volatility: Figure
    sharpe: Figure
    sortino: Figure
    calmar: Figure
    drawdown: Drawdown | None
    longest: Drawdown | None
    drawdowns: int | None
    below_high: float | None
    win_days: Figure
    var: Figure
    shortfall: Figure
    ulcer: Figure
    skewness: Figure
    kurtosis: Figure
    psr: Figure
    best_day: Extreme | None
    worst_day: Extreme | None
    best_month: Extreme | None
    worst_month: Extreme | None
    missing: Message | None = None
    comparison: Comparison | None = None
    gains: int = 0
    losses: int = 0


def measure_risk(
    returns: Sequence[tuple[str, float]],
    start: str,
    market: str,
    growth: Figure,
    *,
    months: Sequence[Extreme] = (),
    missing: Message | None = None,
    comparison: Comparison | None = None,
    sessions: float = 0.0,
    risk_free: float = 0.0,
) -> RiskFigures:
    """Return the figures of risk of returns, (day, fraction) a session.

    start      the day before the first return, on which the series stands at its first high
    growth     the return a year
    missing    why a return cannot be told; then no figure can
    sessions   of a year (default: those of `market`). risk_free: a rate a year, for Sharpe and Sortino
    """
    values = [] if missing else [value for _, value in returns]
    year = sessions or ratios.SESSIONS_A_YEAR[market]
    index = list(accumulate((1.0 + each for each in values), mul, initial=1.0))
    names = [start, *(day for day, _ in returns)] if values else [start]
    whole = bool(values) and min(index) > 0
    drawdown = max_drawdown(names, index) if whole else None
    extremes = [Extreme(*each) for each in returns] if values else []

    def unless_missing(figure: Figure) -> Figure:
        return Figure(None, missing) if missing else figure

    return RiskFigures(
        count=len(values),
        market=market,
        sessions=year,
        growth=growth,
        volatility=unless_missing(ratios.volatility(values, year)),
        sharpe=unless_missing(ratios.sharpe_ratio(values, year, risk_free)),
        sortino=unless_missing(ratios.sortino_ratio(values, year, risk_free)),
        calmar=unless_missing(ratios.calmar_ratio(growth, drawdown.frac) if drawdown else growth),
        drawdown=drawdown,
        longest=longest_drawdown(names, index) if whole else None,
        drawdowns=len(find_drawdowns(names, index)) if whole else None,
        below_high=index[-1] / max(index) - 1 if whole else None,
        win_days=unless_missing(ratios.winning_days(values)),
        var=unless_missing(ratios.value_at_risk(values)),
        shortfall=unless_missing(ratios.expected_shortfall(values)),
        ulcer=unless_missing(ratios.ulcer_index(index)),
        skewness=unless_missing(ratios.skewness(values)),
        kurtosis=unless_missing(ratios.kurtosis(values)),
        psr=unless_missing(probabilistic_sharpe(values)),
        best_day=max(extremes, key=lambda each: each.value, default=None),
        worst_day=min(extremes, key=lambda each: each.value, default=None),
        best_month=max(months, key=lambda each: each.value, default=None),
        worst_month=min(months, key=lambda each: each.value, default=None),
        missing=missing,
        comparison=comparison,
        gains=sum(each > 0 for each in values),
        losses=sum(each < 0 for each in values),
    )
