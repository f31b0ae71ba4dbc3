"""What a Sharpe ratio is worth after a search: a good one among many trials is expected by chance alone.

Every Sharpe ratio here is one of a single return (a day), not annualized; kurtosis is not in excess (3 for a normal
distribution). Formulas: Bailey and López de Prado 2012 (PSR, MinTRL), 2014 (DSR); Bailey, Borwein, López de Prado and
Zhu 2014 (MinBTL).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ia.domain.performance import ratios
from ia.domain.performance.figures import Figure
from ia.kernel.errors import Message

_EULER = 0.5772156649015329
CONFIDENCE = 0.95


class SharpeSample(NamedTuple):
    """A Sharpe ratio of a day with what its error depends on: number of returns, skewness, kurtosis."""

    sharpe: float
    returns: int
    skewness: float
    kurtosis: float


def sharpe_sample(returns: Sequence[float]) -> SharpeSample | Message:
    """Return the Sharpe ratio of returns with their moments, or why there is none."""
    ratio = ratios.sharpe_ratio(returns, 1.0)
    skew, tails = ratios.skewness(returns), ratios.kurtosis(returns)
    if ratio.value is None or skew.value is None or tails.value is None:
        return ratio.reason or skew.reason or ratios.FLAT
    return SharpeSample(ratio.value, len(returns), skew.value, tails.value)


def probabilistic_sharpe(returns: Sequence[float], benchmark: float = 0.0) -> Figure:
    """Return the probability that the true Sharpe ratio of returns is above `benchmark`, both of a day (PSR)."""
    sample = sharpe_sample(returns)
    return Figure(None, sample) if isinstance(sample, Message) else sharpe_probability(sample, benchmark)


def _normal_probability(value: float) -> float:
    return math.erfc(-value / math.sqrt(2.0)) / 2.0


def _normal_quantile(probability: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)


def _error_factor(sample: SharpeSample) -> float:
    """Return the variance of the estimated Sharpe ratio x (number of returns - 1)."""
    return 1.0 - sample.skewness * sample.sharpe + (sample.kurtosis - 1.0) / 4.0 * sample.sharpe**2


def sharpe_probability(sample: SharpeSample, benchmark: float = 0.0) -> Figure:
    """Return the probability that the true Sharpe ratio is above `benchmark` (PSR).

    >>> round(sharpe_probability(SharpeSample(0.458, 24, -2.448, 10.164)).value, 4)
    0.9134
    """
    factor = _error_factor(sample)
    if factor <= 0:
        return Figure(None, Message("the returns are too skewed for an error of the Sharpe ratio"))
    return Figure(_normal_probability((sample.sharpe - benchmark) * math.sqrt(sample.returns - 1) / math.sqrt(factor)))


def expected_maximum(trials: int) -> float:
    """Return the expected maximum of so many independent standard normal values; 0 for a single one.

    >>> round(expected_maximum(45), 4)
    2.2356
    """
    if trials < 2:
        return 0.0
    at = _normal_quantile
    return (1.0 - _EULER) * at(1.0 - 1.0 / trials) + _EULER * at(1.0 - 1.0 / (trials * math.e))


class DeflatedSharpe(NamedTuple):
    """The probability that a Sharpe ratio is more than the best of `trials` trials without skill (DSR).

    threshold  the Sharpe ratio of a day that chance alone is expected to reach
    variance   of the trials' Sharpe ratios of a day (ddof 1)
    """

    probability: Figure
    threshold: float | None
    trials: int
    variance: float | None


def deflate_sharpe(sample: SharpeSample, trials: int, variance: float) -> DeflatedSharpe:
    """Return the deflated Sharpe ratio of the best of `trials` trials.

    >>> found = deflate_sharpe(SharpeSample(2.5 / 250**0.5, 1250, -3.0, 10.0), 100, 0.5 / 250)
    >>> round(found.threshold, 4), round(found.probability.value, 4)
    (0.1132, 0.9004)
    """
    threshold = math.sqrt(variance) * expected_maximum(trials)
    return DeflatedSharpe(sharpe_probability(sample, threshold), threshold, trials, variance)


def deflate_returns(returns: Sequence[float], sharpes: Sequence[float], trials: int = 0) -> DeflatedSharpe:
    """Return the deflated Sharpe ratio of returns, given the Sharpe ratio of a day of every trial, their own included.

    trials  how many there were (default: as many as `sharpes`); those without a Sharpe ratio count too

    A single trial is not deflated: the result is then the PSR. With few trials their variance is noise.
    """
    return deflate_sample(sharpe_sample(returns), sharpes, trials)


def deflate_sample(sample: SharpeSample | Message, sharpes: Sequence[float], trials: int = 0) -> DeflatedSharpe:
    """Return what `deflate_returns` returns, given what `sharpe_sample` found."""
    trials = max(trials, len(sharpes), 1)
    if isinstance(sample, Message):
        return DeflatedSharpe(Figure(None, sample), None, trials, None)
    if len(sharpes) < 2:
        return deflate_sharpe(sample, 1, 0.0)._replace(trials=trials)
    mean = math.fsum(sharpes) / len(sharpes)
    return deflate_sharpe(sample, trials, math.fsum((each - mean) ** 2 for each in sharpes) / (len(sharpes) - 1))


def minimum_returns(sample: SharpeSample, benchmark: float = 0.0, confidence: float = CONFIDENCE) -> Figure:
    """Return how many returns the Sharpe ratio needs to be above `benchmark` with this confidence (MinTRL).

    >>> round(minimum_returns(SharpeSample(0.458, 24, -2.448, 10.164)).value, 4)
    34.5575
    """
    if sample.sharpe <= benchmark:
        return Figure(None, Message("the Sharpe ratio is not above that of the benchmark"))
    factor = _error_factor(sample)
    if factor <= 0:
        return Figure(None, Message("the returns are too skewed for an error of the Sharpe ratio"))
    return Figure(1.0 + factor * (_normal_quantile(confidence) / (sample.sharpe - benchmark)) ** 2)


def minimum_backtest_years(trials: int, target: float = 1.0) -> Figure:
    """Return the years of data below which chance alone is expected to reach an annualized Sharpe ratio (MinBTL).

    >>> round(minimum_backtest_years(45).value, 3)
    4.998
    """
    if trials < 2:
        return Figure(None, Message("only one variant was tried"))
    return Figure((expected_maximum(trials) / target) ** 2)
