"""Return, risk and their ratios, of a series of simple returns; against a benchmark on the same days.

Annualised by the sessions of a year of the market: 243 on the mainland (242.9 on average 2010-2025), 252 in New York,
247 in Hong Kong. A ratio needs FEW returns; where a division would be by zero there is no figure.
"""

import math
from collections.abc import Sequence
from datetime import date

from ia.domain.performance.columns import Column, Numbers, make_column, sum_squares
from ia.domain.performance.drawdowns import drawdown_series, falls_of
from ia.domain.performance.figures import Figure
from ia.kernel.errors import Message

SESSIONS_A_YEAR = {"CN": 243, "HK": 247, "US": 252}
FEW = 20
"""Below so many returns no ratio is told."""
DAYS_A_YEAR = 365.25
_DAYS_APART = 4
"""Bars that are further apart on average are no daily ones."""
_FEW = Message("fewer than {count} returns", count=FEW)
FLAT = Message("the returns do not vary")


def bars_a_year(days: Sequence[str], market: str) -> int:
    """Return how many bars a year has: the sessions of a market; of weekly and longer bars as many as their days tell.

    >>> bars_a_year([f"20{year}-{month:02d}-28" for year in (20, 21) for month in range(1, 13)], "CN")
    12
    """
    if len(days) > FEW:
        apart = (date.fromisoformat(days[-1]) - date.fromisoformat(days[0])).days / (len(days) - 1)
        if apart > _DAYS_APART:
            return max(round(DAYS_A_YEAR / apart), 1)
    return SESSIONS_A_YEAR.get(market, SESSIONS_A_YEAR["CN"])


def annual_growth(total: float, first: date, last: date) -> Figure:
    """Return the CAGR of a total return between two days: (1 + total) ** (365.25 / calendar days) - 1, as ffn has it.

    empyrical and quantstats count returns / 252 years: 3.76 % for 600519 over 2020-2026 where it is 3.61 %.

    >>> round(annual_growth(0.21, date(2020, 1, 1), date(2022, 1, 1)).value, 4)
    0.0999
    """
    days = (last - first).days
    if days <= 0:
        return Figure(None, Message("no day has passed"))
    if total <= -1:
        return Figure(None, Message("nothing is left"))
    return Figure((1.0 + total) ** (DAYS_A_YEAR / days) - 1.0)


def _deviation(column: Column, missing: int = 1) -> float:
    """Return the standard deviation, `missing` degrees of freedom less; exactly 0 for equal values."""
    return math.sqrt(column.spread / (len(column) - missing))


def volatility(returns: Numbers | Column, sessions: float) -> Figure:
    """Return the standard deviation (ddof 1) of returns, a year."""
    if len(returns) < FEW:
        return Figure(None, _FEW)
    return Figure(_deviation(make_column(returns)) * math.sqrt(sessions))


def _excess(returns: Numbers | Column, sessions: float, risk_free: float) -> Column:
    """Return the returns over a rate a year, which is taken off geometrically."""
    return make_column(returns).minus((1.0 + risk_free) ** (1.0 / sessions) - 1.0)


def sharpe_ratio(returns: Numbers | Column, sessions: float, risk_free: float = 0.0) -> Figure:
    """Return mean / standard deviation (ddof 1) of the excess returns, a year."""
    if len(returns) < FEW:
        return Figure(None, _FEW)
    over = _excess(returns, sessions, risk_free)
    spread = _deviation(over)
    return Figure(over.mean / spread * math.sqrt(sessions)) if spread else Figure(None, FLAT)


def sortino_ratio(returns: Numbers | Column, sessions: float, risk_free: float = 0.0) -> Figure:
    """Return mean / root of the mean squared loss, over all returns, a year."""
    if len(returns) < FEW:
        return Figure(None, _FEW)
    over = _excess(returns, sessions, risk_free)
    losses = over.below(0.0)
    if len(losses) < 2:
        return Figure(None, Message("fewer than two losing days"))
    downside = math.sqrt(sum_squares(losses) / len(over))
    return Figure(over.mean / downside * math.sqrt(sessions))


def calmar_ratio(growth: Figure, drawdown: float) -> Figure:
    """Return the CAGR over the size of the largest drawdown (0 or below)."""
    if growth.value is None:
        return growth
    return Figure(growth.value / -drawdown) if drawdown < 0 else Figure(None, Message("the value never fell"))


def quantile(values: Numbers | Column, part: float) -> float:
    """Return the quantile of values, interpolated between the two nearest, as numpy's default has it.

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5)
    2.5
    """
    ranked = make_column(values).ranked
    place = (len(ranked) - 1) * part
    low = math.floor(place)
    high = min(low + 1, len(ranked) - 1)
    lower, upper = float(ranked[low]), float(ranked[high])
    return lower + (upper - lower) * (place - low)


def value_at_risk(returns: Numbers | Column, part: float = 0.05) -> Figure:
    """Return the historical quantile of the returns (quantstats takes a normal one: 14 % apart on 600519)."""
    return Figure(quantile(returns, part)) if len(returns) >= FEW else Figure(None, _FEW)


def expected_shortfall(returns: Numbers | Column, part: float = 0.05) -> Figure:
    """Return the mean of the returns at or below their historical quantile."""
    if len(returns) < FEW:
        return Figure(None, _FEW)
    return Figure(make_column(make_column(returns).up_to(quantile(returns, part))).mean)


def ulcer_index(values: Numbers) -> Figure:
    """Return the root of the mean squared drawdown (quantstats divides by n - 1)."""
    if len(values) <= FEW:
        return Figure(None, _FEW)
    falls = drawdown_series(values) if isinstance(values, Sequence) else falls_of(values)
    return Figure(math.sqrt(sum_squares(falls) / len(values)))


def skewness(returns: Sequence[float]) -> Figure:
    """Return the third standardised moment of the population (pandas corrects it for the sample)."""
    return _moment(returns, 3)


def kurtosis(returns: Sequence[float]) -> Figure:
    """Return the fourth standardised moment of the population, not in excess: 3 for a normal distribution."""
    return _moment(returns, 4)


def _moment(returns: Sequence[float], power: int) -> Figure:
    if len(returns) < FEW:
        return Figure(None, _FEW)
    column = make_column(returns)
    spread, middle = _deviation(column, 0), column.mean
    if not spread:
        return Figure(None, FLAT)
    return Figure(math.fsum((each - middle) ** power for each in returns) / len(returns) / spread**power)


def winning_days(returns: Sequence[float]) -> Figure:
    """Return the part of the days that gained, of those that did not end unchanged."""
    moved = [each for each in returns if each]
    if not moved:
        return Figure(None, FLAT)
    return Figure(sum(each > 0 for each in moved) / len(moved))


def gain_to_pain(returns: Sequence[float]) -> Figure:
    """Return the sum of all returns over the size of the sum of the losses; the omega ratio at 0 is 1 more."""
    if len(returns) < FEW:
        return Figure(None, _FEW)
    losses = -math.fsum(each for each in returns if each < 0)
    return Figure(math.fsum(returns) / losses) if losses else Figure(None, Message("no day lost"))
