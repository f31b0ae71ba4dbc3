"""Rolling windows along axis 0, folded from blocks of 1, 2, 4, 8 ... rows.

A window of 20 is a block of 16 and a block of 4: some log2(n) array operations whatever the number of rows. What a
window gives depends on the values in it alone, in a fixed order: no running sum drifts, the tail of a series gives the
bits that the whole series gives, and a column of a matrix gives those of the column by itself.

Everywhere: float64 arrays of shape (rows,) or (rows, symbols), oldest row first; NaN until n rows are there and
wherever a NaN stands among the last n.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from ia.organs.compute.array_backend import F, np

State = tuple[F, ...]
Merge = Callable[[State, State, int, int], State]

K = TypeVar("K", bound=Callable[..., Any])

_BLOCK, _CELLS = 64, 160_000
"""Symbols taken at a time, at least, and values: they stay in the cache, which makes a market three times as quick."""
_LEVEL = 1e-9
"""Of a value: steps this small might be those of a constant whose average is rounded beside it, any others not."""
_UNIT = 10_000.0
"""Prices are written in cents, mills (ETFs) or hundredths of a cent: all whole numbers in 1/10,000."""


def _merge_falls(a: State, b: State, _m: int, _n: int) -> State:
    """Join (largest value, smallest value, deepest ratio of a value to one before it)."""
    between = b[1] / a[0]
    return np.maximum(a[0], b[0]), np.minimum(a[1], b[1]), np.minimum(np.minimum(a[2], b[2]), between)


def nan_like(x: F) -> F:
    """Return an array of the shape of x, all NaN."""
    return np.full(x.shape, np.nan)


def fold_windows(leaf: State, n: int, merge: Merge) -> State:
    """Return the merged state of each full window; entry i covers the rows i .. i + n - 1. Needs 1 <= n <= rows.

    merge(older, newer, rows_older, rows_newer) joins the states of two neighboring blocks.
    """
    rows = len(leaf[0])
    block, size = leaf, 1
    done: State | None = None
    covered = 0
    while True:
        if n & size:
            if done is None:
                done = block
            else:
                count = rows - covered - size + 1
                older = tuple(part[:count] for part in block)
                newer = tuple(part[size : size + count] for part in done)
                done = merge(older, newer, size, covered)
            covered += size
        if covered == n and done is not None:
            return done
        count = rows - 2 * size + 1
        block = merge(tuple(p[:count] for p in block), tuple(p[size : size + count] for p in block), size, size)
        size *= 2


def _merge_sums(a: State, b: State, _m: int, _n: int) -> State:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _merge_maxima(a: State, b: State, _m: int, _n: int) -> State:
    return (np.maximum(a[0], b[0]),)


def _merge_minima(a: State, b: State, _m: int, _n: int) -> State:
    return (np.minimum(a[0], b[0]),)


def _merge_truths(a: State, b: State, _m: int, _n: int) -> State:
    return (cast(F, a[0].astype(bool, copy=False) & b[0].astype(bool, copy=False)),)


def _merge_weighted_sums(a: State, b: State, m: int, _n: int) -> State:
    """Join (sum, sum weighted 1 .. n), twice."""
    return a[0] + b[0], a[1] + b[1] + m * b[0], a[2] + b[2], a[3] + b[3] + m * b[2]


def _merge_variances(a: State, b: State, m: int, n: int) -> State:
    """Join (mean, sum of squared deviations): Chan, Golub & LeVeque 1979. Equal blocks stay at exactly 0."""
    gap = b[0] - a[0]
    return a[0] + gap * (n / (m + n)), a[1] + b[1] + gap * gap * (m * n / (m + n))


def _merge_covariances(a: State, b: State, m: int, n: int) -> State:
    """Join (mean x, mean y, squares of x, squares of y, products)."""
    gx, gy, part = b[0] - a[0], b[1] - a[1], m * n / (m + n)
    return (
        a[0] + gx * (n / (m + n)),
        a[1] + gy * (n / (m + n)),
        a[2] + b[2] + gx * gx * part,
        a[3] + b[3] + gy * gy * part,
        a[4] + b[4] + gx * gy * part,
    )


def _merge_trends(a: State, b: State, m: int, n: int) -> State:
    """Join (mean, product of the deviations of value and position)."""
    gap = b[0] - a[0]
    return a[0] + gap * (n / (m + n)), a[1] + b[1] + gap * (m * n / 2.0)


def _merge_latest_peaks(a: State, b: State, _m: int, n: int) -> State:
    """Join (largest value, rows since it); of equals the newer one counts."""
    return np.maximum(a[0], b[0]), np.where(a[0] > b[0], a[1] + n, b[1])


def _compute_windows(x: F, n: int, leaf: State, merge: Merge, pick: Callable[[State], F]) -> F:
    out = nan_like(x)
    if n <= len(x):
        with np.errstate(all="ignore"):
            out[n - 1 :] = pick(fold_windows(leaf, n, merge))
    return out


def in_blocks(kernel: K) -> K:
    """Run a kernel over blocks of columns; the figures do not depend on it."""

    @wraps(kernel)
    def call_in_blocks(x: F, *args: Any, **kwargs: Any) -> Any:
        width = x.shape[1] if x.ndim > 1 else 0
        step = max(_BLOCK, _CELLS // max(len(x), 1))
        if width <= step:
            return kernel(x, *args, **kwargs)
        out = np.empty(x.shape)
        for j in range(0, width, step):
            out[:, j : j + step] = kernel(np.ascontiguousarray(x[:, j : j + step]), *args, **kwargs)
        return out

    return cast(K, call_in_blocks)


def scale_to_whole(x: F) -> F:
    """Return x in units of 1/10,000 where it is a whole number of them, NaN where it is not.

    0.1 + 0.2 is not 0.3, but 1000 + 2000 is 3000: sums of whole numbers are exact, so that two averages which are equal
    on paper are equal here, and a crossover does not turn on the last bit.
    """
    with np.errstate(all="ignore"):
        y = np.rint(x * _UNIT)
        return np.where((y / _UNIT == x) & (np.abs(y) < 2.0**41), y, np.nan)


def _choose_exact(plain: F, scaled: F, divisor: float) -> F:
    return np.where(np.isnan(scaled), plain / divisor, scaled / (divisor * _UNIT))


@in_blocks
def total(x: F, n: int) -> F:
    """Sum of the last n values."""
    return _compute_windows(x, n, (x, scale_to_whole(x)), _merge_sums, lambda s: _choose_exact(s[0], s[1], 1.0))


@in_blocks
def highest(x: F, n: int) -> F:
    """Largest of the last n values."""
    return _compute_windows(x, n, (x,), _merge_maxima, lambda s: s[0])


@in_blocks
def lowest(x: F, n: int) -> F:
    """Smallest of the last n values."""
    return _compute_windows(x, n, (x,), _merge_minima, lambda s: s[0])


@in_blocks
def drawdown(x: F, n: int) -> F:
    """Largest decline within the last n values from a high among them, as a fraction: -0.25 means 25 % down.

    >>> import numpy as np
    >>> drawdown(np.array([8.0, 4.0, 3.0, 4.0, 5.0]), 3).tolist()
    [nan, nan, -0.625, -0.25, 0.0]
    """
    return _compute_windows(x, n, (x, x, np.where(np.isnan(x), np.nan, 1.0)), _merge_falls, lambda s: s[2] - 1.0)


def _clamp_average(mean: F, x: F, n: int) -> F:
    """Keep an average between the smallest and the largest value that it is of: a constant is its own average."""
    if x.ndim > 1 and not _has_level_window(x, n):
        return mean
    return np.minimum(np.maximum(mean, lowest(x, n)), highest(x, n))


def _has_level_window(x: F, n: int) -> bool:
    """Return whether a window of n values might be one value: only then can rounding put its average outside of it."""
    if not 1 < n <= len(x):
        return n == 1
    with np.errstate(all="ignore"):
        level = np.abs(x[1:] - x[:-1]) <= _LEVEL * np.abs(x[1:])
    return bool(fold_windows((cast(F, level),), n - 1, _merge_truths)[0].any())


@in_blocks
def sma(x: F, n: int) -> F:
    """Simple moving average of the last n values; correctly rounded for decimal prices.

    >>> import numpy as np
    >>> sma(np.array([0.1, 0.2, 0.3, 0.4]), 3).tolist()
    [nan, nan, 0.2, 0.3]
    """
    return _clamp_average(
        _compute_windows(x, n, (x, scale_to_whole(x)), _merge_sums, lambda s: _choose_exact(s[0], s[1], n)), x, n
    )


@in_blocks
def wma(x: F, n: int) -> F:
    """Weighted moving average: the newest value counts n times, the oldest once."""
    weights = n * (n + 1) / 2.0
    y = scale_to_whole(x)
    return _clamp_average(
        _compute_windows(x, n, (x, x, y, y), _merge_weighted_sums, lambda s: _choose_exact(s[1], s[3], weights)), x, n
    )


@in_blocks
def stdev(x: F, n: int, ddof: int = 0) -> F:
    """Population standard deviation of the last n values (divided by n - ddof; pandas default: ddof = 1)."""
    if n <= ddof:
        return nan_like(x)
    return _compute_windows(x, n, (x, np.zeros(x.shape)), _merge_variances, lambda s: np.sqrt(s[1] / (n - ddof)))


def zscore(x: F, n: int) -> F:
    """Distance from the average of the last n values, in population standard deviations; NaN if they are 0."""
    with np.errstate(all="ignore"):
        return (x - sma(x, n)) / stdev(x, n)


def corr(a: F, b: F, n: int) -> F:
    """Pearson correlation over the last n rows, -1 .. 1; NaN if either series is constant."""
    zero = np.zeros(a.shape)
    return _compute_windows(a, n, (a, b, zero, zero, zero), _merge_covariances, _correlation_of)


def _correlation_of(joint: State) -> F:
    return np.asarray(np.clip(joint[4] / (np.sqrt(joint[2]) * np.sqrt(joint[3])), -1.0, 1.0))


@in_blocks
def slope(x: F, n: int) -> F:
    """Slope per bar of the least-squares line through the last n values (n >= 2)."""
    if n < 2:
        return nan_like(x)
    return _compute_windows(x, n, (x, np.zeros(x.shape)), _merge_trends, lambda s: s[1] / (n * (n * n - 1.0) / 12.0))


def linreg(x: F, n: int) -> F:
    """End point of the least-squares line through the last n values (TA-Lib LINEARREG)."""
    return sma(x, n) + slope(x, n) * ((n - 1) / 2.0)


def bbands(x: F, n: int = 20, k: float = 2.0) -> State:
    """Bollinger bands (upper, middle, lower): the average, and k population standard deviations around it."""
    middle, width = sma(x, n), stdev(x, n) * k
    return middle + width, middle, middle - width


@in_blocks
def meandev(x: F, n: int) -> F:
    """Mean absolute deviation of the last n values from their average. Cost: n passes over x."""
    out = nan_like(x)
    if n > len(x):
        return out
    mean = sma(x, n)[n - 1 :]
    count = len(mean)
    acc = np.zeros(mean.shape)
    with np.errstate(all="ignore"):
        for i in range(n):
            acc += np.abs(x[i : i + count] - mean)
    out[n - 1 :] = acc / n
    return out


@in_blocks
def percentrank(x: F, n: int) -> F:
    """Percent of the previous n values at or below this one, 0 .. 100. Cost: n passes over x.

    >>> import numpy as np
    >>> percentrank(np.array([1.0, 3.0, 2.0, 5.0]), 2).tolist()
    [nan, nan, 50.0, 100.0]
    """
    out = nan_like(x)
    count = len(x) - n
    if count <= 0:
        return out
    now = x[n:]
    acc = np.zeros(now.shape)
    for i in range(n):
        past = x[i : i + count]
        acc += np.where(np.isnan(past), np.nan, past <= now)
    out[n:] = np.where(np.isnan(now), np.nan, acc * (100.0 / n))
    return out


@in_blocks
def pastrank(x: F, n: int) -> F:
    """Percent of the up to n earlier values at or below this one, 0 .. 100. Cost: n passes over x.

    >>> import numpy as np
    >>> pastrank(np.array([1.0, 3.0, 2.0, 5.0]), 2).tolist()
    [nan, 100.0, 50.0, 100.0]
    """
    met, known = np.zeros(x.shape), np.zeros(x.shape)
    for i in range(1, min(n + 1, len(x))):
        past, now = x[:-i], x[i:]
        met[i:] += past <= now
        known[i:] += ~np.isnan(past)
    with np.errstate(all="ignore"):
        return np.where(np.isnan(x) | (known == 0), np.nan, met / known * 100.0)


def pasthigh(x: F, n: int) -> F:
    """Largest of the up to n newest values; unlike highest() it begins with the first.

    >>> import numpy as np
    >>> pasthigh(np.array([1.0, 3.0, 2.0, 1.0]), 2).tolist()
    [1.0, 3.0, 3.0, 2.0]
    """
    out = np.asarray(np.maximum.accumulate(x, axis=0), dtype=np.float64)
    if n <= len(x):
        out[n - 1 :] = highest(x, n)[n - 1 :]
    return out


@in_blocks
def since_highest(x: F, n: int) -> F:
    """Bars since the largest of the last n values; the newest of equals counts."""
    return _compute_windows(
        x, n, (x, np.zeros(x.shape)), _merge_latest_peaks, lambda s: np.where(np.isnan(s[0]), np.nan, s[1])
    )
