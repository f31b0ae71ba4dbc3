"""Indicators of price and volume bars: momentum, volatility, volume. Conventions of windows.py and recursion.py.

Definitions are Wilder's (1978) and TA-Lib's with TA-Lib's seeds. One difference throughout: where TA-Lib writes 0 for
0 / 0 (no price moved, no range, no volume), the result here is NaN, so that a share that did not trade is not oversold.
"""

from ia.organs.compute.arrays import F, np
from ia.organs.compute.kernels.recursion import ema, pack, run, unpack, wilder_at, wilder_from
from ia.organs.compute.kernels.windows import State, blank, highest, lowest, meandev, since_highest, sma, total


def ref(x: F, n: int = 1) -> F:
    """The value n bars before (n = 0: x itself)."""
    out = blank(x)
    out[n:] = x[: max(len(x) - n, 0)]
    return out


def change(x: F, n: int = 1) -> F:
    """Value minus the value n bars before."""
    return x - ref(x, n)


def roc(x: F, n: int = 10) -> F:
    """Percent change from the value n bars before."""
    with np.errstate(all="ignore"):
        return (x / ref(x, n) - 1.0) * 100.0


def rsi(x: F, n: int = 14) -> F:
    """Wilder's relative strength index, 0 .. 100, seeded by the mean of the first n changes."""
    order, (x,) = pack(x)
    step = change(x)
    with np.errstate(all="ignore"):
        gain = wilder_at(np.maximum(step, 0.0), n, 1)
        loss = wilder_at(np.maximum(-step, 0.0), n, 1)
        return unpack(order, 100.0 * (gain / (gain + loss)))


def cmo(x: F, n: int = 14) -> F:
    """Chande momentum oscillator, -100 .. 100, with Wilder's smoothing as TA-Lib has it: 2 RSI - 100."""
    return 2.0 * rsi(x, n) - 100.0


def ppo(x: F, fast: int = 12, slow: int = 26) -> F:
    """Percent by which the fast exponential average stands above the slow one, each seeded by its own first values."""
    with np.errstate(all="ignore"):
        base = ema(x, slow)
        return (ema(x, fast) - base) / base * 100.0


def _true_range(high: F, low: F, close: F) -> F:
    before = ref(close)
    return np.maximum(high - low, np.maximum(np.abs(high - before), np.abs(low - before)))


def tr(high: F, low: F, close: F) -> F:
    """True range: the bar's range, gap from the close before it included; NaN in the first bar."""
    order, packed = pack(high, low, close)
    return unpack(order, _true_range(*packed))


def atr(high: F, low: F, close: F, n: int = 14) -> F:
    """Average true range: Wilder's average, seeded by the mean of the first n true ranges."""
    order, packed = pack(high, low, close)
    return unpack(order, wilder_at(_true_range(*packed), n, 1))


def natr(high: F, low: F, close: F, n: int = 14) -> F:
    """Average true range in percent of the close."""
    with np.errstate(all="ignore"):
        return atr(high, low, close, n) / close * 100.0


def _directional(bars: State, n: int) -> State:
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
    order, (solid,) = pack(dx)
    adx = wilder_at(solid, n, 0 if order is not None else n)
    return pdi, mdi, unpack(order, adx)


def _short_seed(x: F, n: int) -> F:
    if n >= len(x):
        return blank(x)
    acc = np.zeros(x.shape[1:])
    for t in range(1, n):
        acc = acc + x[t]
    out = wilder_from(x, n, n - 1, acc / n)
    out[n - 1] = np.nan
    return out


def dmi(high: F, low: F, close: F, n: int = 14) -> State:
    """Wilder's directional movement: (plus, minus, adx), each 0 .. 100."""
    order, packed = pack(high, low, close)
    with np.errstate(all="ignore"):
        plus, minus, strength = _directional(packed, n)
    return unpack(order, plus), unpack(order, minus), unpack(order, strength)


def adx(high: F, low: F, close: F, n: int = 14) -> F:
    """Average directional index, 0 .. 100: strength of the trend, either way."""
    return dmi(high, low, close, n)[2]


def stoch(high: F, low: F, close: F, n: int = 14, k: int = 3, d: int = 3) -> State:
    """Stochastic oscillator: (k, d), 0 .. 100; k = 1 is the fast one."""
    floor = lowest(low, n)
    with np.errstate(all="ignore"):
        fast = 100.0 * ((close - floor) / (highest(high, n) - floor))
    slow = sma(fast, k)
    return slow, sma(slow, d)


def kdj(high: F, low: F, close: F, n: int = 9, k: int = 3, d: int = 3) -> State:
    """KDJ as Chinese charts draw it: (k, d, j), k and d smoothed with weight 1 / k and 1 / d from the first value on.

    j = 3 k - 2 d, so that it leaves 0 .. 100. Some programs start k and d at 50: they meet after some twenty bars.
    """
    floor = lowest(low, n)
    with np.errstate(all="ignore"):
        order, (fast,) = pack(100.0 * ((close - floor) / (highest(high, n) - floor)))
    if not len(fast):
        return fast, fast, fast
    slow = wilder_from(fast, k, 0, fast[0])
    signal = wilder_from(slow, d, 0, slow[0])
    return unpack(order, slow), unpack(order, signal), unpack(order, 3.0 * slow - 2.0 * signal)


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
    """Money flow index, 0 .. 100: typical price times volume, on rising against falling days.

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
    """Aroon: (up, down), 0 .. 100: how lately the highest high and the lowest low of n + 1 bars stood."""
    return 100.0 * ((n - since_highest(high, n + 1)) / n), 100.0 * ((n - since_highest(-low, n + 1)) / n)


def ultosc(high: F, low: F, close: F, short: int = 7, medium: int = 14, long: int = 28) -> F:
    """Ultimate oscillator, 0 .. 100: buying pressure over three windows, the shortest weighted 4, the longest 1.

    The windows may come in any order, as in TA-Lib.
    """
    floor = np.where(np.isnan(ref(close)), np.nan, np.minimum(low, ref(close)))
    pressure, span = close - floor, _true_range(high, low, close)
    with np.errstate(all="ignore"):
        one, two, four = (total(pressure, n) / total(span, n) for n in sorted((short, medium, long)))
        return 100.0 * (4.0 * one + 2.0 * two + four) / 7.0


def bop(open: F, high: F, low: F, close: F) -> F:
    """Balance of power, -1 .. 1: the body of the bar in its range."""
    with np.errstate(all="ignore"):
        return (close - open) / (high - low)


def obv(close: F, volume: F) -> F:
    """On-balance volume: added on a rise, taken away on a fall; starts at the first volume (TA-Lib)."""
    order, (close, volume) = pack(close, volume)
    sign = np.sign(change(close))
    sign[:1] = 1.0
    return unpack(order, np.cumsum(sign * volume, axis=0) + np.where(np.isnan(close), np.nan, 0.0))


def ad(high: F, low: F, close: F, volume: F) -> F:
    """Accumulation / distribution line; a bar without range adds nothing."""
    order, (high, low, close, volume) = pack(high, low, close, volume)
    with np.errstate(all="ignore"):
        share = np.where(high == low, 0.0, ((close - low) - (high - close)) / (high - low))
    return unpack(order, np.cumsum(share * volume, axis=0))


def adosc(high: F, low: F, close: F, volume: F, fast: int = 3, slow: int = 10) -> F:
    """Chaikin oscillator: EMA(fast) - EMA(slow) of the A/D line, both seeded by its first value (TA-Lib)."""
    order, (line,) = pack(ad(high, low, close, volume))
    out = blank(line)
    if slow <= len(line):
        both = _from_first(line, fast), _from_first(line, slow)
        out[slow - 1 :] = (both[0] - both[1])[slow - 1 :]
    return unpack(order, out)


def _from_first(x: F, n: int) -> F:
    a = 2.0 / (n + 1.0)

    def step(values: list[float], p: float) -> list[float]:
        return [p := a * v + (1.0 - a) * p for v in values]

    return run(x, 0, x[0], step, lambda p, v: a * v + (1.0 - a) * p)


def vwma(close: F, volume: F, n: int = 20) -> F:
    """Average close of the last n bars weighted by volume (the VWAP of n daily bars at their close)."""
    with np.errstate(all="ignore"):
        return total(close * volume, n) / total(volume, n)
