"""What chance would have done with the same returns: intervals, the best of many strategies, overfitting.

The stationary bootstrap (Politis and Romano 1994) draws stretches of days whose length is geometric with mean `block`,
around the end to the start. Every function takes its seed, and gives the same for the same seed.
"""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ia.domain.performance.figures import Figure
from ia.domain.performance.ratios import FEW, FLAT, quantile
from ia.kernel.errors import Message

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Places = NDArray[np.int64]

BLOCK, DRAWS, SEED = 20, 2_000, 1
SPLITS = (8, 10, 16)
"""Numbers of blocks of which the overfitting is told: one number is not enough (0.66, 0.47 and 0.55 on one case)."""
_CELLS = 1_000_000
"""Days x draws that are held at once."""


class Interval(NamedTuple):
    """The middle 95 % of what a figure is when the days are drawn again."""

    low: Figure
    high: Figure


class ReturnIntervals(NamedTuple):
    """Intervals of the annualized Sharpe ratio and of the growth a year (as parts of one)."""

    sharpe: Interval
    growth: Interval


class SuperiorAbility(NamedTuple):
    """P-values of "none of the strategies is better than the benchmark" (Hansen 2005, studentized).

    consistent  the one to go by
    lower       its lower bound: strategies worse than the benchmark do not count
    upper       its upper bound: all count as if they were as good as the benchmark (White's Reality Check, studentized)
    """

    consistent: Figure
    lower: Figure
    upper: Figure


class _Blocks(NamedTuple):
    """Stretches of days that make up some draws: the first day and the length of each; where each draw begins."""

    starts: "Places"
    lengths: "Places"
    firsts: "Places"


def _draw_blocks(count: int, block: float, draws: int, seed: int) -> Iterator[_Blocks]:
    """Yield the stretches of draws of `count` days, in pieces that add up to `draws`.

    The lengths of all draws of a piece are drawn in a row. What is left of a stretch at the end of a draw is geometric
    again, so that a new stretch begins there.
    """
    dice = np.random.default_rng(seed)
    piece = max(1, min(draws, _CELLS // count))
    for first in range(0, draws, piece):
        rows = min(piece, draws - first)
        total, expected = rows * count, rows * count / block
        ends = np.cumsum(dice.geometric(1.0 / block, int(expected + 6 * math.sqrt(expected)) + 1))
        while ends[-1] < total:
            ends = np.concatenate([ends, ends[-1] + np.cumsum(dice.geometric(1.0 / block, rows))])
        borders = np.arange(rows) * count
        begins = np.sort(np.concatenate([borders, ends[ends < total]]))  # two at one place: a stretch without a day
        starts = dice.integers(0, count, len(begins))
        yield _Blocks(starts, np.diff(begins, append=total), np.searchsorted(begins, borders))


def draw_counts(count: int, block: float, draws: int, seed: int) -> "Iterator[Array]":
    """Yield how often each of `count` days is in each draw, in pieces of (draws, days) that add up to `draws`."""
    for starts, lengths, firsts in _draw_blocks(count, block, draws, seed):
        rows, width = len(firsts), 2 * count + 1
        at = starts + np.repeat(np.arange(rows), np.diff(firsts, append=len(starts))) * width
        steps = np.bincount(at, minlength=rows * width) - np.bincount(at + lengths, minlength=rows * width)
        times = np.cumsum(steps.reshape(rows, width), axis=1)
        yield (times[:, :count] + times[:, count : 2 * count]).astype(float)


def bootstrap_intervals(
    returns: Sequence[float],
    sessions: float,
    growth_sessions: float = 0.0,
    *,
    block: int = BLOCK,
    draws: int = DRAWS,
    seed: int = SEED,
) -> ReturnIntervals:
    """Return the percentile intervals of the Sharpe ratio and of the growth a year.

    growth_sessions  returns a calendar year, for the growth (default: `sessions`): with it the whole is the CAGR
    """
    count = len(returns)
    reason = Message("fewer than {count} returns", count=FEW) if count < FEW else None
    if reason is None and min(returns) == max(returns):
        reason = FLAT
    if reason is None and min(returns) <= -1:
        reason = Message("nothing is left")
    if reason is not None:
        none = Interval(Figure(None, reason), Figure(None, reason))
        return ReturnIntervals(none, none)
    values = np.asarray(returns, dtype=float)
    columns = np.stack([values, values * values, np.log1p(values)], axis=1)
    up_to = np.concatenate([np.zeros((1, 3)), np.cumsum(np.concatenate([columns, columns]), axis=0)])
    sums = np.concatenate(
        [
            np.add.reduceat(up_to[starts + lengths] - up_to[starts], firsts)
            for starts, lengths, firsts in _draw_blocks(count, block, draws, seed)
        ]
    )
    mean = sums[:, 0] / count
    variance = np.maximum((sums[:, 1] - count * mean * mean) / (count - 1), 0.0)
    drawn = variance > 0  # a draw of equal days has no Sharpe ratio
    sharpe = mean[drawn] / np.sqrt(variance[drawn]) * math.sqrt(sessions)
    growth = np.expm1(sums[:, 2] / count * (growth_sessions or sessions))
    return ReturnIntervals(_middle(sharpe), _middle(growth))


def _middle(values: "Array") -> Interval:
    if not len(values):
        return Interval(Figure(None, FLAT), Figure(None, FLAT))
    ranked = np.sort(values)
    return Interval(Figure(quantile(ranked, 0.025)), Figure(quantile(ranked, 0.975)))


def superior_ability(
    trials: Sequence[Sequence[float]],
    benchmark: Sequence[float] | None = None,
    *,
    block: int = BLOCK,
    draws: int = DRAWS,
    seed: int = SEED,
) -> SuperiorAbility:
    """Return whether the best of the trials is better than a benchmark (None: than earning nothing), by their means.

    trials  a series of returns each, of the same days as the benchmark

    As arch.bootstrap.SPA, the largest mean is not cut at 0: where all trials are worse, P is near 1. P moves by about
    0.01 with the seed.
    """
    matrix = np.asarray(trials, dtype=float).T
    days = len(matrix) if matrix.ndim == 2 else 0
    if days < FEW:
        few = Figure(None, Message("fewer than {count} returns", count=FEW))
        return SuperiorAbility(few, few, few)
    ahead = matrix - (0.0 if benchmark is None else np.asarray(benchmark, dtype=float)[:, None])
    ahead = ahead[:, np.ptp(ahead, axis=0) > 0]
    if not ahead.shape[1]:
        flat = Figure(None, FLAT)
        return SuperiorAbility(flat, flat, flat)
    mean = ahead.mean(axis=0)
    variance = _long_run_variance(ahead - mean, block)
    spread = np.sqrt(variance)
    best = float((mean / spread).max())
    limit = -np.sqrt(variance / days * 2.0 * math.log(math.log(days)))
    centers = [np.where(keep, mean, 0.0) for keep in (mean >= 0, mean > limit, np.ones(len(mean), bool))]
    beyond = np.zeros(3)
    for counts in draw_counts(days, block, draws, seed):
        drawn = counts @ ahead / days
        for at, center in enumerate(centers):
            beyond[at] += np.count_nonzero(((drawn - center) / spread).max(axis=1) > best)
    lower, consistent, upper = (Figure(float(each) / draws) for each in beyond)
    return SuperiorAbility(consistent, lower, upper)


def _long_run_variance(centered: "Array", block: float) -> "Array":
    """Return the variance of root-n x mean that the stationary bootstrap has (Politis and Romano 1994)."""
    days = len(centered)
    lags = np.arange(days)
    weights = (1 - lags / days) * (1 - 1 / block) ** lags + lags / days * (1 - 1 / block) ** (days - lags)
    weights[1:] *= 2.0
    size = 1 << (2 * days - 1).bit_length()
    power = np.abs(np.fft.rfft(centered, size, axis=0)) ** 2
    covariances = np.fft.irfft(power, size, axis=0)[:days] / days
    return np.maximum(weights @ covariances, np.finfo(float).tiny)


def probability_of_overfitting(trials: Sequence[Sequence[float]], splits: int) -> Figure:
    """Return how often the trial that is best on half of the days is in the worse half on the others (PBO, by CSCV).

    The days are cut into `splits` equal blocks in order (the last days that fill no block are dropped); each way to
    choose half of the blocks is a sample in which the best Sharpe ratio is sought. Its rank among N trials outside of
    it, w = rank / (N + 1), counts where w <= 1/2. Bailey, Borwein, López de Prado and Zhu 2017.

    A trial without a move on a half has a Sharpe ratio of 0 there.
    """
    matrix = np.asarray(trials, dtype=float).T
    many = matrix.shape[1] if matrix.ndim == 2 else 0
    if many < 2:
        return Figure(None, Message("only one variant was tried"))
    rows = len(matrix) // splits
    if rows < 2:
        return Figure(None, Message("fewer than {count} returns", count=2 * splits))
    cut = matrix[: rows * splits].reshape(splits, rows, many)
    sums, squares = cut.sum(axis=1), (cut * cut).sum(axis=1)
    chosen = _halves(splits)
    inside = _sharpes(chosen @ sums, chosen @ squares, rows * splits // 2)
    outside = _sharpes((1 - chosen) @ sums, (1 - chosen) @ squares, rows * splits // 2)
    best = inside.argmax(axis=1)
    reached = np.take_along_axis(outside, best[:, None], axis=1)
    ranks = (outside < reached).sum(axis=1) + ((outside == reached).sum(axis=1) + 1) / 2
    return Figure(float(np.mean(ranks / (many + 1) <= 0.5)))


def _halves(splits: int) -> "Array":
    from itertools import combinations

    found = list(combinations(range(splits), splits // 2))
    chosen = np.zeros((len(found), splits))
    chosen[np.arange(len(found))[:, None], found] = 1.0
    return chosen


def _sharpes(sums: "Array", squares: "Array", count: int) -> "Array":
    mean = sums / count
    variance = squares / count - mean * mean
    flat = variance <= 1e-18 + 1e-12 * squares / count
    return np.where(flat, 0.0, mean / np.sqrt(np.where(flat, 1.0, variance)))
