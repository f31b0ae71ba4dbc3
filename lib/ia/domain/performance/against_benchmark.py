"""A series of returns against that of a benchmark on the same days: ordinary least squares, and the active return."""

import math
from collections.abc import Sequence
from typing import NamedTuple

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


def compare_returns(own: Sequence[float], benchmark: Sequence[float], sessions: float) -> Comparison:
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
    mean, middle = math.fsum(own) / count, math.fsum(benchmark) / count
    spread = math.fsum((each - middle) ** 2 for each in benchmark)
    wide = math.fsum((each - mean) ** 2 for each in own)
    together = math.fsum((one - mean) * (other - middle) for one, other in zip(own, benchmark, strict=True))
    active = [one - other for one, other in zip(own, benchmark, strict=True)]
    drift = math.fsum(active) / count
    error = math.sqrt(math.fsum((each - drift) ** 2 for each in active) / (count - 1))
    if min(benchmark) == max(benchmark):
        flat = Figure(None, Message("the benchmark does not vary"))
        beta = alpha = correlation = flat
    else:
        slope = together / spread
        beta = Figure(slope)
        alpha = Figure((1.0 + mean - slope * middle) ** sessions - 1.0)
        correlation = Figure(together / math.sqrt(spread * wide)) if wide else Figure(None, FLAT)
    ratio = Figure(None, Message("the returns are exactly those of the benchmark"))
    if min(active) != max(active):
        ratio = Figure(drift / error * math.sqrt(sessions))
    return Comparison(
        days=count,
        beta=beta,
        alpha_ann=alpha,
        correlation=correlation,
        tracking_error_ann=Figure(error * math.sqrt(sessions)),
        information_ratio=ratio,
    )
