"""Bars of one security out of the matrices of the market, as `ia ohlcv` writes them: qfq, prices to ten digits."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ia.organs.market.mirror.reader import Mirror
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.market.mirror.reader import F

BLOCK = 64
"""Columns that are read at once: a date is a row on the disk, so that one column alone costs as much."""
PRICES = ("open", "high", "low", "close")
_NEAR_HALF = 1e-5
"""Digits this near to a half are rounded in decimal: a product of floats does not tell on which side they are."""


def iterate_bars(mirror: Mirror, symbols: Iterable[str], columns: Iterable[str]) -> Iterator[tuple[str, Bars]]:
    """Yield the adjusted bars (qfq) of those symbols that the mirror has, in its order.

    Only the columns named (open, high, low, close, volume) are read; the other ones are empty lists. A symbol without a
    bar is left out.
    """
    import numpy as np

    days = np.array(mirror.dates, dtype=object)
    asked, names = set(symbols), [name for name in (*PRICES, "volume") if name in set(columns)]
    places = [place for place, symbol in enumerate(mirror.symbols) if symbol in asked]
    for start in range(0, len(places), BLOCK):
        block = places[start : start + BLOCK]
        close = np.ascontiguousarray(mirror.close[:, block].T)
        factor = np.ascontiguousarray(mirror.factor[:, block].T)
        read = {name: np.ascontiguousarray(getattr(mirror, name)[:, block].T) for name in names}
        for at, place in enumerate(block):
            rows = np.nonzero(~np.isnan(close[at]))[0]
            if not len(rows):
                continue
            dates = days[rows].tolist()
            scale = factor[at][rows] / factor[at][rows[-1]]
            made = {
                name: values[at][rows].astype(np.int64) if name == "volume" else scale_prices(values[at][rows], scale)
                for name, values in read.items()
            }
            filled = {name: made[name].tolist() if name in made else [] for name in (*PRICES, "volume")}
            yield mirror.symbols[place], Bars(date=dates, **filled)


def iterate_raw_bars(mirror: Mirror, symbols: Iterable[str]) -> Iterator[tuple[str, Bars]]:
    """Yield the unadjusted bars of those symbols that the mirror has, in its order; prices and volume are arrays."""
    import numpy as np

    days = np.array(mirror.dates, dtype=object)
    asked = set(symbols)
    places = [place for place, symbol in enumerate(mirror.symbols) if symbol in asked]
    for start in range(0, len(places), BLOCK):
        block = places[start : start + BLOCK]
        read = {name: np.ascontiguousarray(getattr(mirror, name)[:, block].T) for name in (*PRICES, "volume")}
        for at, place in enumerate(block):
            rows = np.nonzero(~np.isnan(read["close"][at]))[0]
            if len(rows):
                dates = days[rows].tolist()
                columns: list[Any] = [read[name][at][rows] for name in PRICES]
                columns.append(read["volume"][at][rows].astype(np.int64))
                yield mirror.symbols[place], Bars._make([dates, *columns])


def scale_prices(prices: "F", scale: "F") -> "F":
    """Return prices times a scale, to ten significant digits where the scale is not 1."""
    import numpy as np

    with np.errstate(all="ignore"):
        product = prices * scale
        unit = _ten_digits(product)
        rest = product * unit
        rounded = np.rint(rest)
        rest -= rounded
        np.abs(rest, out=rest)
        rounded /= unit
        if np.fmax.reduce(rest, axis=None, initial=0.0) > 0.5 - _NEAR_HALF:
            for at in zip(*(rest > 0.5 - _NEAR_HALF).nonzero(), strict=True):
                rounded[at] = float(f"{product[at]:.10g}")
    return np.where(scale == 1.0, prices, rounded)


def _ten_digits(prices: "F") -> "F":
    """Return the powers of ten that bring ten digits before the point; one a column where that does for all rows."""
    import numpy as np

    powers = np.array([float(f"1e{place}") for place in range(-9, 23)])

    def find_powers(values: "F") -> "F":
        found: F = powers[np.nan_to_num(18 - np.floor(np.log10(values))).clip(0, len(powers) - 1).astype(np.intp)]
        return found

    if prices.ndim == 1:
        return find_powers(prices)
    low, high = find_powers(np.fmin.reduce(prices)), find_powers(np.fmax.reduce(prices))
    if (low == high).all():
        return low
    unit = np.where(prices >= 1e9 / high, high, low)
    if (far := low > 10 * high).any():
        unit[:, far] = find_powers(prices[:, far])
    return unit
