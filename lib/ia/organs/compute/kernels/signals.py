"""Events: where one series crosses another, how often and how long ago a condition held."""

from ia.organs.compute.array_backend import B, F, np
from ia.organs.compute.kernels.windows import total


def crossover(a: F, b: F) -> B:
    """True where a crosses above b: a[t] > b[t] and a[t-1] <= b[t-1]. NaN compares false.

    >>> import numpy as np
    >>> crossover(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.0])).tolist()
    [False, False, True]
    """
    out = np.zeros(a.shape, dtype=bool)
    out[1:] = (a[1:] > b[1:]) & (a[:-1] <= b[:-1])
    return out


def crossunder(a: F, b: F) -> B:
    """True where a crosses below b: a[t] < b[t] and a[t-1] >= b[t-1]. NaN compares false."""
    out = np.zeros(a.shape, dtype=bool)
    out[1:] = (a[1:] < b[1:]) & (a[:-1] >= b[:-1])
    return out


def count(cond: B, n: int) -> F:
    """Number of the last n bars in which the condition was true."""
    return total(cond.astype(np.float64), n)


def barssince(cond: B) -> F:
    """Bars since the condition was last true, 0 if it is true now; NaN before it was ever true.

    >>> import numpy as np
    >>> barssince(np.array([False, True, False, False])).tolist()
    [nan, 0.0, 1.0, 2.0]
    """
    if not len(cond):
        return np.zeros(cond.shape)
    at = np.arange(len(cond), dtype=np.float64)
    if cond.ndim > 1:
        at = at[:, None]
    last = np.maximum.accumulate(np.where(cond, at, -1.0), axis=0)
    return np.where(last < 0.0, np.nan, at - last)
