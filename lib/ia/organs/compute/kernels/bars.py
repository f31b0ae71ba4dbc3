"""Indicators of price and volume bars: momentum, volatility, volume. Conventions of windows.py and recursion.py.

Definitions are Wilder's (1978) and TA-Lib's with TA-Lib's seeds. One difference throughout: where TA-Lib writes 0 for
0 / 0 (no price moved, no range, no volume), the result here is NaN, so that a share that did not trade is not oversold.
"""

from ia.organs.compute.array_backend import F, np
from ia.organs.compute.kernels.recursion import ema, pack_rows, run_recursion, unpack_rows, wilder_at, wilder_from
from ia.organs.compute.kernels.windows import State, highest, lowest, meandev, nan_like, since_highest, sma, total


def ref(x: F, n: int = 1) -> F:
    """The value n bars earlier (n = 0: x itself)."""
    out = nan_like(x)
    out[n:] = x[: max(len(x) - n, 0)]
    return out


def change(x: F, n: int = 1) -> F:
    """Value minus the value n bars earlier."""
    return x - ref(x, n)


def roc(x: F, n: int = 10) -> F:
    """Percent change from the value n bars earlier."""
    with np.errstate(all="ignore"):
        return (x / ref(x, n) - 1.0) * 100.0


def rsi(x: F, n: int = 14) -> F:
    """Wilder's relative strength index, 0 .. 100, seeded by the mean of the first n changes."""
    order, (x,) = pack_rows(x)
    step = change(x)
    with np.errstate(all="ignore"):
        gain, loss = _smooth_both(np.maximum(step, 0.0), np.maximum(-step, 0.0), n)
        return unpack_rows(order, 100.0 * (gain / (gain + loss)))


def _smooth_both(a: F, b: F, n: int) -> tuple[F, F]:
    """Return Wilder's average of two changes, of matrices in one go."""
    if a.ndim == 1:
        return wilder_at(a, n, 1), wilder_at(b, n, 1)
    both = wilder_at(np.concatenate((a, b), axis=1), n, 1)
    return both[:, : a.shape[1]], both[:, a.shape[1] :]


def cmo(x: F, n: int = 14) -> F:
    """Chande momentum oscillator, -100 .. 100, with Wilder's smoothing as in TA-Lib: 2 RSI - 100."""
    return 2.0 * rsi(x, n) - 100.0


def ppo(x: F, fast: int = 12, slow: int = 26) -> F:
    """Percent by which the fast exponential average exceeds the slow one, each seeded by its own first values."""
    with np.errstate(all="ignore"):
        base = ema(x, slow)
        return (ema(x, fast) - base) / base * 100.0


def _true_range(high: F, low: F, close: F) -> F:
    before = ref(close)
    return np.maximum(high - low, np.maximum(np.abs(high - before), np.abs(low - before)))


def tr(high: F, low: F, close: F) -> F:
    """True range: the bar's range including the gap from the previous close; NaN in the first bar."""
    order, packed = pack_rows(high, low, close)
    return unpack_rows(order, _true_range(*packed))


def atr(high: F, low: F, close: F, n: int = 14) -> F:
    """Average true range: Wilder's average, seeded by the mean of the first n true ranges."""
    order, packed = pack_rows(high, low, close)
    return unpack_rows(order, wilder_at(_true_range(*packed), n, 1))


def natr(high: F, low: F, close: F, n: int = 14) -> F:
    """Average true range in percent of the close."""
    with np.errstate(all="ignore"):
        return atr(high, low, close, n) / close * 100.0


def _directional_movement(bars: State, n: int) -> State:
    """Return (+DI, -DI, ADX) of packed (high, low, close)."""
    high, low, close = bars
    up, down = change(high), -change(low)
    gone = np.isnan(up)
    moves = (
        np.where(gone, np.nan, np.where((up > down) & (up > 0.0), up, 0.0)),
        np.where(gone, np.nan, np.where((down > up) & (down > 0.0), down, 0.0)),
        _true_range(high, low, close),
    )
    # The first sums have n - 1 terms, and what they give is not shown: TA-Lib.
    plus, minus, ranges = (_short_seed(move, n) for move in moves)
    pdi, mdi = 100.0 * (plus / ranges), 100.0 * (minus / ranges)
    dx = 100.0 * (np.abs(pdi - mdi) / (pdi + mdi))
    order, (solid,) = pack_rows(dx)
    adx = wilder_at(solid, n, 0 if order is not None else n)
    return pdi, mdi, unpack_rows(order, adx)


def _short_seed(x: F, n: int) -> F:
    if n >= len(x):
        return nan_like(x)
    acc = np.zeros(x.shape[1:])
    for t in range(1, n):
        acc = acc + x[t]
    out = wilder_from(x, n, n - 1, acc / n)
    out[n - 1] = np.nan
    return out


def dmi(high: F, low: F, close: F, n: int = 14) -> State:
    """Wilder's directional movement: (plus, minus, adx), each 0 .. 100."""
    order, packed = pack_rows(high, low, close)
    with np.errstate(all="ignore"):
        plus, minus, strength = _directional_movement(packed, n)
    return unpack_rows(order, plus), unpack_rows(order, minus), unpack_rows(order, strength)


def adx(high: F, low: F, close: F, n: int = 14) -> F:
    """Average directional index, 0 .. 100: trend strength, up or down."""
    return dmi(high, low, close, n)[2]


def stoch(high: F, low: F, close: F, n: int = 14, k: int = 3, d: int = 3) -> State:
    """Stochastic oscillator: (k, d), 0 .. 100; k = 1 is the fast one."""
    floor = lowest(low, n)
    with np.errstate(all="ignore"):
        fast = 100.0 * ((close - floor) / (highest(high, n) - floor))
    slow = sma(fast, k)
    return slow, sma(slow, d)


def kdj(high: F, low: F, close: F, n: int = 9, k: int = 3, d: int = 3) -> State:
    """KDJ as in Chinese charts: (k, d, j); k and d smoothed with weights 1 / k and 1 / d from the first value.

    j = 3 k - 2 d, so that it leaves 0 .. 100. Some programs start k and d at 50: they meet after some twenty bars.
    """
    floor = lowest(low, n)
    with np.errstate(all="ignore"):
        order, (fast,) = pack_rows(100.0 * ((close - floor) / (highest(high, n) - floor)))
    if not len(fast):
        return fast, fast, fast
    slow = wilder_from(fast, k, 0, fast[0])
    signal = wilder_from(slow, d, 0, slow[0])
    return unpack_rows(order, slow), unpack_rows(order, signal), unpack_rows(order, 3.0 * slow - 2.0 * signal)


def willr(high: F, low: F, close: F, n: int = 14) -> F:
    """Williams %R, -100 .. 0."""
    top = highest(high, n)
    with np.errstate(all="ignore"):
        return -100.0 * ((top - close) / (top - lowest(low, n)))


def cci(high: F, low: F, close: F, n: int = 20) -> F:
    """Commodity channel index of the typical price (high + low + close) / 3."""
    price = (high + low + close) / 3.0
    with np.errstate(all="ignore"):
        return (price - sma(price, n)) / (0.015 * meandev(price, n))


_TIE = 1e-14
"""Of a price: sums of three prices that are equal on paper lie closer than this, and any others a tick apart."""


def mfi(high: F, low: F, close: F, volume: F, n: int = 14) -> F:
    """Money flow index, 0 .. 100: typical price times volume, rising against falling days.

    A day whose typical price is that of the day before counts on neither side, as in TA-Lib.
    """
    price = (high + low + close) / 3.0
    flow, step = price * volume, change(price)
    with np.errstate(all="ignore"):
        step = np.where(np.abs(step) > _TIE * price, step, 0.0 * step)
        rising = total(np.where(np.isnan(step), np.nan, flow * (step > 0.0)), n)
        falling = total(np.where(np.isnan(step), np.nan, flow * (step < 0.0)), n)
        return 100.0 * (rising / (rising + falling))


def aroon(high: F, low: F, n: int = 14) -> State:
    """Aroon: (up, down), 0 .. 100: how recent the highest high and the lowest low of n + 1 bars are."""
    return 100.0 * ((n - since_highest(high, n + 1)) / n), 100.0 * ((n - since_highest(-low, n + 1)) / n)


def ultosc(high: F, low: F, close: F, short: int = 7, medium: int = 14, long: int = 28) -> F:
    """Ultimate oscillator, 0 .. 100: buying pressure over three windows, weights 4 (shortest) to 1 (longest).

    The windows may come in any order, as in TA-Lib.
    """
    floor = np.where(np.isnan(ref(close)), np.nan, np.minimum(low, ref(close)))
    pressure, span = close - floor, _true_range(high, low, close)
    with np.errstate(all="ignore"):
        one, two, four = (total(pressure, n) / total(span, n) for n in sorted((short, medium, long)))
        return 100.0 * (4.0 * one + 2.0 * two + four) / 7.0


def bop(open: F, high: F, low: F, close: F) -> F:
    """Balance of power, -1 .. 1: bar body relative to bar range."""
    with np.errstate(all="ignore"):
        return (close - open) / (high - low)


def obv(close: F, volume: F) -> F:
    """On-balance volume: added on a rise, subtracted on a fall; starts at the first volume (TA-Lib)."""
    order, (close, volume) = pack_rows(close, volume)
    sign = np.sign(change(close))
    sign[:1] = 1.0
    return unpack_rows(order, np.cumsum(sign * volume, axis=0) + np.where(np.isnan(close), np.nan, 0.0))


def ad(high: F, low: F, close: F, volume: F) -> F:
    """Accumulation / distribution line; a bar with zero range adds nothing."""
    order, (high, low, close, volume) = pack_rows(high, low, close, volume)
    with np.errstate(all="ignore"):
        share = np.where(high == low, 0.0, ((close - low) - (high - close)) / (high - low))
    return unpack_rows(order, np.cumsum(share * volume, axis=0))


def adosc(high: F, low: F, close: F, volume: F, fast: int = 3, slow: int = 10) -> F:
    """Chaikin oscillator: EMA(fast) - EMA(slow) of the A/D line, both seeded by its first value (TA-Lib)."""
    order, (line,) = pack_rows(ad(high, low, close, volume))
    out = nan_like(line)
    if slow <= len(line):
        both = _smooth_from_first(line, fast), _smooth_from_first(line, slow)
        out[slow - 1 :] = (both[0] - both[1])[slow - 1 :]
    return unpack_rows(order, out)


def _smooth_from_first(x: F, n: int) -> F:
    a = 2.0 / (n + 1.0)

    def smooth_step(values: list[float], p: float) -> list[float]:
        return [p := a * v + (1.0 - a) * p for v in values]

    return run_recursion(x, 0, x[0], smooth_step, lambda p, v, out: np.add(a * v, (1.0 - a) * p, out=out))


def vwma(close: F, volume: F, n: int = 20) -> F:
    """Volume-weighted average of the last n closes (n-day VWAP with closes as prices)."""
    with np.errstate(all="ignore"):
        return total(close * volume, n) / total(volume, n)
