"""A series of returns against that of a benchmark on the same days: ordinary least squares, and the active return."""

import math
from typing import NamedTuple

from ia.domain.performance.columns import Column, Numbers, make_column
from ia.domain.performance.figures import Figure
from ia.domain.performance.ratios import FEW, FLAT
from ia.kernel.errors import Message


class Comparison(NamedTuple):
    """How a series goes with its benchmark. Fractions; `_ann` a year.

    days        that both have
    alpha_ann   of the regression on daily returns, compounded over the sessions of a year
    information_ratio   of the active return, a year (empyrical and quantstats leave it per day)
    """

    days: int
    beta: Figure
    alpha_ann: Figure
    correlation: Figure
    tracking_error_ann: Figure
    information_ratio: Figure


def compare_returns(own: Numbers | Column, benchmark: Numbers | Column, sessions: float) -> Comparison:
    """Return how returns go with those of a benchmark, pair by pair."""
    count = len(own)
    if count < FEW:
        few = Figure(None, Message("fewer than {count} days that both have", count=FEW))
        return Comparison(
            days=count,
            beta=few,
            alpha_ann=few,
            correlation=few,
            tracking_error_ann=few,
            information_ratio=few,
        )
    one, other = make_column(own), make_column(benchmark)
    mean, middle, spread, wide = one.mean, other.mean, other.spread, one.spread
    active = one.minus(other)
    error = math.sqrt(active.spread / (count - 1))
    if other.is_flat:
        flat = Figure(None, Message("the benchmark does not vary"))
        beta = alpha = correlation = flat
    else:
        together = one.spread_with(other)
        slope = together / spread
        beta = Figure(slope)
        alpha = Figure((1.0 + mean - slope * middle) ** sessions - 1.0)
        correlation = Figure(together / math.sqrt(spread * wide)) if wide else Figure(None, FLAT)
    ratio = Figure(None, Message("the returns are exactly those of the benchmark"))
    if not active.is_flat:
        ratio = Figure(active.mean / error * math.sqrt(sessions))
    return Comparison(
        days=count,
        beta=beta,
        alpha_ann=alpha,
        correlation=correlation,
        tracking_error_ann=Figure(error * math.sqrt(sessions)),
        information_ratio=ratio,
    )
