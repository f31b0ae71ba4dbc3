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
                name: values[at][rows].astype(np.int64) if name == "volume" else _scale_prices(values[at][rows], scale)
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


def _scale_prices(prices: "F", scale: "F") -> "F":
    """Return prices times a scale, to ten significant digits where the scale is not 1."""
    import numpy as np

    product = prices * scale
    places = 9 - np.floor(np.log10(product)).astype(np.int64)
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    digits = product * up / down
    rounded = np.rint(digits) * down / up
    for at in np.nonzero(np.abs(digits - np.floor(digits) - 0.5) < _NEAR_HALF)[0]:
        rounded[at] = float(f"{product[at]:.10g}")
    return np.where(scale == 1.0, prices, rounded)
