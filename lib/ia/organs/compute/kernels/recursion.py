"""Moving averages that feed on themselves: exponential, Wilder's, Kaufman's.

Each column starts at its own first value. A row where an input is missing is passed over: its result is NaN and the
average goes on from where it was, as if the row were not there. Seeds are TA-Lib's: an exponential average starts as
the simple average of its first n values.
"""

from collections.abc import Callable

from ia.organs.compute.array_backend import F, np
from ia.organs.compute.kernels.windows import State, nan_like

_FEW = 24
"""Below so many columns a Python list a column is quicker than numpy a row; the arithmetic is the same."""


def unpack_rows(order: np.ndarray | None, packed: F) -> F:
    """Put the rows of `packed` back to where `pack` took them from."""
    if order is None:
        return packed
    out = nan_like(packed)
    np.put_along_axis(out, order, packed, axis=0)
    return out


def pack_rows(*inputs: F) -> tuple[np.ndarray | None, State]:
    """Move the rows of each column in which nothing is missing to the top; what is left over below is NaN."""
    missing = np.isnan(inputs[0])
    for x in inputs[1:]:
        missing = missing | np.isnan(x)
    if not missing.any():
        return None, inputs
    if not (missing[:-1] & ~missing[1:]).any():  # they are at the top already
        return None, tuple(np.where(missing, np.nan, x) for x in inputs)
    order = np.argsort(missing, axis=0, kind="stable")
    return order, tuple(np.take_along_axis(np.where(missing, np.nan, x), order, axis=0) for x in inputs)


def run_recursion(
    x: F, at: int, seed: F, step: Callable[[list[float], float], list[float]], row: Callable[[F, F, F], object]
) -> F:
    """Return the recursion that has the value `seed` in row `at` and goes on with the rows of x after it.

    `step(values, start)` walks a list of plain floats, `row(state, values, out)` all columns one row further.
    """
    out = nan_like(x)
    if at >= len(x):
        return out
    with np.errstate(all="ignore"):
        if x.ndim == 1:
            out[at] = seed
            out[at + 1 :] = step(x[at + 1 :].tolist(), float(seed))
        elif x.shape[1] < _FEW:
            for j in range(x.shape[1]):
                out[:, j] = run_recursion(x[:, j], at, seed[j], step, row)
        else:
            out[at] = seed
            state = out[at]
            for values, following in zip(x[at + 1 :], out[at + 1 :], strict=True):
                row(state, values, following)
                state = following
    return out


def _seed_mean(x: F, start: int, n: int) -> F:
    """Mean of n rows from `start`, added up in order (pairwise sums would differ between one column and many)."""
    acc = x[start].copy() if x.ndim > 1 else x[start]
    for t in range(start + 1, start + n):
        acc = acc + x[t]
    return np.asarray(acc / n)


def ema_from(x: F, n: int, start: int) -> F:
    """Exponential average over n of a packed x, whose seed is the mean of the n rows from `start` on."""
    if start + n > len(x):
        return nan_like(x)
    a = 2.0 / (n + 1.0)

    def ema_step(values: list[float], p: float) -> list[float]:
        return [p := (v - p) * a + p for v in values]

    def ema_row(p: F, v: F, out: F) -> None:
        np.subtract(v, p, out=out)
        np.multiply(out, a, out=out)
        np.add(out, p, out=out)

    return run_recursion(x, start + n - 1, _seed_mean(x, start, n), ema_step, ema_row)


def wilder_from(x: F, n: int, at: int, seed: F) -> F:
    """Wilder's average over n of a packed x with the value `seed` in row `at`."""
    m = n - 1.0

    def wilder_step(values: list[float], p: float) -> list[float]:
        return [p := (p * m + v) / n for v in values]

    def wilder_row(p: F, v: F, out: F) -> None:
        np.multiply(p, m, out=out)
        np.add(out, v, out=out)
        np.divide(out, n, out=out)

    return run_recursion(x, at, seed, wilder_step, wilder_row)


def ema(x: F, n: int) -> F:
    """Exponential moving average, weight 2 / (n + 1), seeded by the mean of the first n values.

    >>> import numpy as np
    >>> ema(np.array([1.0, 2.0, 3.0, 4.0, 8.0]), 3).tolist()
    [nan, nan, 2.0, 3.0, 5.5]
    """
    order, (x,) = pack_rows(x)
    return unpack_rows(order, ema_from(x, n, 0))


def wilder(x: F, n: int) -> F:
    """Wilder's moving average (RMA, SMMA), weight 1 / n, seeded by the mean of the first n values."""
    order, (x,) = pack_rows(x)
    return unpack_rows(order, wilder_from(x, n, n - 1, _seed_mean(x, 0, n)) if n <= len(x) else nan_like(x))


def wilder_at(x: F, n: int, start: int) -> F:
    """Wilder's average of a packed x, seeded by the mean of the n rows from `start` on."""
    if start + n > len(x):
        return nan_like(x)
    return wilder_from(x, n, start + n - 1, _seed_mean(x, start, n))


def dema(x: F, n: int) -> F:
    """Double exponential average: 2 EMA - EMA of EMA."""
    one = ema(x, n)
    return 2.0 * one - ema(one, n)


def tema(x: F, n: int) -> F:
    """Triple exponential average: 3 EMA - 3 EMA of EMA + EMA of EMA of EMA."""
    one = ema(x, n)
    two = ema(one, n)
    return 3.0 * one - 3.0 * two + ema(two, n)


def trix(x: F, n: int = 15) -> F:
    """Percent change in one bar of the triple-smoothed EMA."""
    order, (x,) = pack_rows(x)
    three = ema(ema(ema(x, n), n), n)
    out = nan_like(x)
    with np.errstate(all="ignore"):
        out[1:] = (three[1:] / three[:-1] - 1.0) * 100.0
    return unpack_rows(order, out)


def macd(x: F, fast: int = 12, slow: int = 26, signal: int = 9) -> State:
    """(macd, signal, histogram): EMA(fast) - EMA(slow), its EMA, the difference.

    Both averages start in the same bar (TA-Lib), the fast one from the last `fast` of the first `slow` values. The macd
    line begins as soon as it is there; TA-Lib holds it back until the signal is.
    """
    order, (x,) = pack_rows(x)
    line = ema_from(x, fast, slow - fast) - ema_from(x, slow, 0)
    smooth = ema_from(line, signal, slow - 1)
    return unpack_rows(order, line), unpack_rows(order, smooth), unpack_rows(order, line - smooth)


def kama(x: F, n: int = 10) -> F:
    """Kaufman's adaptive average (2 and 30 bars), started from the value before the first result (TA-Lib)."""
    order, (x,) = pack_rows(x)
    out = nan_like(x)
    if n >= len(x):
        return unpack_rows(order, out)
    move = np.abs(np.diff(x, axis=0))
    with np.errstate(all="ignore"):
        path = np.zeros((len(x) - n, *x.shape[1:]))
        for i in range(n):
            path += move[i : i + len(path)]
        net = np.abs(x[n:] - x[:-n])
        ratio = np.where(path > 0.0, net / path, np.where(np.isnan(path), np.nan, 1.0))
        weight = (ratio * (2.0 / 3.0 - 2.0 / 31.0) + 2.0 / 31.0) ** 2
        if x.ndim == 1:
            p = float(x[n - 1])
            out[n:] = [p := (v - p) * w + p for v, w in zip(x[n:].tolist(), weight.tolist(), strict=True)]
        else:
            state = x[n - 1]
            for t in range(len(weight)):
                state = out[n + t] = (x[n + t] - state) * weight[t] + state
    return unpack_rows(order, out)
