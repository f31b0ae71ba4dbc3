"""Bars of many securities out of the matrices of the market, as matrices again: each column has its own bars only.

They are what `ia ohlcv` writes of each: qfq, prices to ten digits. Days on which a security has no bar are left out.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ia.organs.market.mirror.reader import Mirror
from ia.organs.market.mirror.symbol_bars import PRICES as PRICE_NAMES
from ia.organs.market.mirror.symbol_bars import scale_prices

Matrix: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]

PRICES = frozenset(PRICE_NAMES)
_CELLS = 1 << 19
"""Cells of a column that are taken at a time."""
_MORE = 40
"""Days that are read beyond the bars wanted, for those without a bar; an eighth of them besides."""
_ROUNDED = 64


class SymbolBlock(NamedTuple):
    """Bars of the securities at some places of the mirror.

    columns  by name, [rows, securities]
    lengths  how many bars each has from the top on; behind them is NaN
    begin    the day that the first row is of, where `chosen` is None; else the day that the first of `chosen` is of
    chosen   which days the bars are of, [securities, days]; None: of days without a gap
    """

    places: Places
    columns: dict[str, Matrix]
    lengths: Places
    begin: int
    chosen: NDArray[np.bool_] | None

    def bars_since(self, first: int) -> NDArray[np.bool_]:
        """Return which bars are of days from one on, [rows, securities]."""
        since = max(first - self.begin, 0)
        counts = self.lengths - since if self.chosen is None else self.chosen[:, since:].sum(axis=1)
        return np.asarray(np.arange(int(self.lengths.max()))[:, None] >= self.lengths - counts)

    def spread_days(self, values: NDArray[Any], first: int, days: int) -> NDArray[Any]:
        """Return the values of each bar, [rows, securities], by day: [days from `first` on, securities].

        The values may be those of the last bars only, as long as they reach back to `first`. Where there is no bar, a
        number is NaN and a truth value False.
        """
        missing = False if values.dtype == np.bool_ else np.nan
        out = np.full((days, len(self.places)), missing, dtype=values.dtype)
        if self.chosen is None:
            begin = self.begin + int(self.lengths[0]) - len(values)
            skipped = max(first - begin, 0)
            out[begin + skipped - first : begin + len(values) - first] = values[skipped:]
            return out
        places, rows = np.nonzero(self.chosen[:, max(first - self.begin, 0) :])
        counts = np.bincount(places, minlength=len(self.places))
        ends = self.lengths - int(self.lengths.max()) + len(values)
        sources = np.arange(len(places)) - np.repeat(np.cumsum(counts) - ends, counts)
        out[rows + max(self.begin - first, 0), places] = values[sources, places]
        return out


class BlockReader:
    """Reads blocks of securities of a mirror, and of columns that were added to it."""

    def __init__(self, mirror: Mirror) -> None:
        self.mirror = mirror
        self.height = len(mirror.dates)
        self._close = np.asarray(mirror.close)
        self._added: dict[str, tuple[int, Matrix]] = {}

    def add_column(self, name: str, first: int, values: Matrix) -> None:
        """Add a column whose values begin on a day; before it there are none. They are read as they are."""
        self._added[name] = first, values

    def newest_rows(self, places: Places) -> Places:
        """Return the row of each security's newest bar; -1 where it has none."""
        found = np.full(len(places), -1, dtype=np.intp)
        rest, rows = np.arange(len(places)), 1
        while len(rest) and self.height:
            begin = max(self.height - rows, 0)
            known = ~np.isnan(_take(self._close[begin:], places[rest]))
            met = known.any(axis=0)
            found[rest[met]] = self.height - 1 - known[::-1, met].argmax(axis=0)
            rest = rest[~met]
            if not begin:
                break
            rows *= 16
        return found

    def newest_closes(self, places: Places, rows: Places) -> Matrix:
        """Return the close of each security in a row of its own, as traded."""
        factor = np.asarray(self.mirror.factor)[rows, places]
        return self._close[rows, places] * (factor / factor)  # nothing where the factor is not known

    def closes_of(self, places: Places, rows: Places) -> Matrix:
        """Return the close of securities in rows of theirs, adjusted to the newest bar of each."""
        each, at = np.unique(places, return_inverse=True)
        factor = np.asarray(self.mirror.factor)
        scale = factor[rows, places] / factor[self.newest_rows(each), each][at]
        return scale_prices(self._close[rows, places], scale)

    def read_tails(self, places: Places, rows: int, names: Sequence[str]) -> Iterator[SymbolBlock]:
        """Yield blocks of the newest `rows` bars of each; those that have fewer are left out."""
        width = max(_CELLS // rows, 1)
        for start in range(0, len(places), width):
            yield from self._read_tails(places[start : start + width], rows, names, rows + rows // 8 + _MORE)

    def _read_tails(self, places: Places, rows: int, names: Sequence[str], days: int) -> Iterator[SymbolBlock]:
        begin = max(self.height - days, 0)
        known = ~np.isnan(_take(self._close[begin:], places))
        counts = known.sum(axis=0)
        met = counts >= rows
        if self.height >= rows and known[-rows:].all():
            yield self._make_block(places, names, self.height - rows, None, np.full(len(places), rows))
            return
        if met.any():
            if not met.all():
                known = known[:, met]
            chosen = np.ascontiguousarray(known.T)
            chosen &= np.cumsum(chosen[:, ::-1], axis=1, dtype=np.int32)[:, ::-1] <= rows
            yield self._make_block(places[met], names, begin, chosen, np.full(int(met.sum()), rows))
        if begin and not met.all():
            yield from self._read_tails(places[~met], rows, names, self.height)

    def read_wholes(self, places: Places, names: Sequence[str]) -> Iterator[SymbolBlock]:
        """Yield blocks of the whole histories of securities, which have a bar each."""
        width = max(_CELLS // max(self.height, 1), 1)
        for start in range(0, len(places), width):
            block = places[start : start + width]
            known = ~np.isnan(_take(self._close, block))
            chosen = None if known.all() else np.ascontiguousarray(known.T)
            yield self._make_block(block, names, 0, chosen, known.sum(axis=0))

    def _make_block(
        self, places: Places, names: Sequence[str], begin: int, chosen: NDArray[np.bool_] | None, lengths: Places
    ) -> SymbolBlock:
        """Return the columns of a block from a row on, or what is chosen of it, [securities, rows]."""

        def read(name: str) -> Matrix:
            values = self._read_days(name, begin, places)
            if chosen is None:
                return values
            high = int(lengths.max())
            packed = np.full((len(places), high), np.nan)
            packed[np.arange(high) < lengths[:, None]] = np.ascontiguousarray(values.T)[chosen]
            return np.ascontiguousarray(packed.T)

        columns: dict[str, Matrix] = {}
        if not PRICES.isdisjoint(names):
            factor = read("factor")
            newest = factor[lengths - 1, np.arange(len(places))]
        for name in names:
            columns[name] = _adjust_prices(read(name), factor, newest) if name in PRICES else read(name)
        return SymbolBlock(places=places, columns=columns, lengths=lengths, begin=begin, chosen=chosen)

    def _read_days(self, name: str, begin: int, places: Places) -> Matrix:
        """Return a column of some securities from a day on."""
        if name not in self._added:
            return _take(np.asarray(getattr(self.mirror, name))[begin:], places)
        first, values = self._added[name]
        known = _take(values[max(begin - first, 0) :], places)
        return known if begin >= first else np.vstack([np.full((first - begin, len(places)), np.nan), known])


def _take(matrix: Matrix, places: Places) -> Matrix:
    """Return some columns of a matrix, as a view where they lie side by side."""
    first, last = int(places[0]), int(places[-1])
    return matrix[:, first : last + 1] if last - first + 1 == len(places) else matrix[:, places]


def _adjust_prices(prices: Matrix, factor: Matrix, newest: Matrix) -> Matrix:
    """Return prices times their factors, the newest of which counts as 1."""
    out = np.empty(prices.shape)
    for row in range(0, len(prices), _ROUNDED):
        rows = slice(row, row + _ROUNDED)
        out[rows] = scale_prices(prices[rows], factor[rows] / newest)
    return out
