"""Packed bars of some securities, read as `BlockReader` reads those of the mirror: no more spans than it takes."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from ia.faculties.lab.bar_blocks import PRICES, Matrix
from ia.faculties.lab.bar_catalogs import PackedBars
from ia.organs.market.mirror.reader import Mirror
from ia.organs.market.mirror.symbol_blocks import BlockReader, Places, SymbolBlock

_CELLS = 1 << 25
"""Cells of a column that are in memory at a time."""


class BarReader:
    """Reads blocks of some securities of packed bars. Places count in `symbols`, rows in all times, oldest first."""

    def __init__(self, bars: PackedBars, symbols: Sequence[str]) -> None:
        self.bars, self.symbols = bars, list(symbols)
        self.height = bars.height
        self._added: dict[str, tuple[int, Matrix]] = {}

    def add_column(self, name: str, first: int, values: Matrix) -> None:
        """Add a column whose values begin in a row, as `BlockReader` does."""
        self._added[name] = first, values

    @cached_property
    def mirror(self) -> Mirror:
        """All bars of the securities as a mirror, for what needs them one by one."""
        return self._load(len(self.bars.spans), ("open", "high", "low", "volume"), np.arange(len(self.symbols)))

    def newest_rows(self, places: Places, *, whole: bool = True) -> Places:
        """Return the row of each security's newest bar; -1 where it has none, or none in the newest span."""
        found = np.full(len(places), -1, dtype=np.intp)
        rest = np.arange(len(places))
        for count in self._widen(1) if whole else [1]:
            reader = self._open(count, (), places[rest])
            rows = reader.newest_rows(np.arange(len(rest)))
            found[rest] = np.where(rows >= 0, rows + self.height - reader.height, -1)
            rest = rest[(rows < 0) & self._has_more(count, places[rest])]
            if not len(rest):
                break
        return found

    def newest_closes(self, places: Places, rows: Places) -> Matrix:
        """Return the close of each security in a row of its own, as traded."""
        found = np.full(len(places), np.nan)
        for count, met in self._by_span(rows):
            reader = self._open(count, ("close",), places[met], count - 1)
            within = rows[met] - self._first_row(count)
            found[met] = reader.newest_closes(np.arange(int(met.sum())), within)
        return found

    def times_at(self, rows: Places) -> list[str]:
        """Return the times of some rows."""
        found = np.empty(len(rows), dtype=object)
        for count, met in self._by_span(rows):
            times = self.bars.index(self.bars.spans[-count].name).times
            found[met] = [times[row] for row in (rows[met] - self._first_row(count)).tolist()]
        listed: list[str] = found.tolist()
        return listed

    def find_older(self, places: Places) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Return which securities were there before the newest span."""
        return self._has_more(1, places)

    def read_tails(self, places: Places, rows: int, names: Sequence[str]) -> Iterator[SymbolBlock]:
        """Yield blocks of the newest `rows` bars of each; those that have fewer are left out."""
        rest = places
        for count in self._widen(rows):
            if not len(rest):
                return
            missing = np.ones(len(rest), dtype=np.bool_)
            for block in self._open(count, names, rest).read_tails(np.arange(len(rest)), rows, names):
                missing[block.places] = False
                yield block._replace(places=rest[block.places])
            rest = rest[missing]
            rest = rest[self._has_more(count, rest)]

    def read_wholes(self, places: Places, names: Sequence[str]) -> Iterator[SymbolBlock]:
        """Yield blocks of the whole histories of securities, which have a bar each."""
        count = 1
        while len(places) and self._has_more(count, places).any():
            count += 1
        width = max(_CELLS // max(self._rows_of(count), 1), 1)
        for start in range(0, len(places), width):
            some = places[start : start + width]
            for block in self._open(count, names, some).read_wholes(np.arange(len(some)), names):
                yield block._replace(places=some[block.places])

    def _open(self, count: int, names: Sequence[str], places: Places, skip: int = 0) -> BlockReader:
        reader = BlockReader(self._load(count, [name for name in names if name not in self._added], places, skip))
        for name in self._added.keys() & set(names):
            first, values = self._added[name]
            begin = (
                self.height - reader.height - sum(rows for _, rows in self.bars.spans[len(self.bars.spans) - skip :])
            )
            reader.add_column(name, max(first - begin, 0), values[max(begin - first, 0) :, places])
        return reader

    def _load(self, count: int, names: Sequence[str], places: Places, skip: int = 0) -> Mirror:
        """Return some securities over the newest spans, so many, or over what they have before the newest `skip`."""
        symbols = [self.symbols[place] for place in places.tolist()]
        wanted = {"close", *names}
        if not set(PRICES).isdisjoint(names):
            wanted.add("factor")
        spans = self.bars.spans[len(self.bars.spans) - count : len(self.bars.spans) - skip]
        columns = {"factor": np.empty((0, 0))}  # where no price is asked for, nothing looks at it
        for name in wanted:
            parts = [self.bars.read(span, name, symbols)[:rows] for span, rows in spans]
            columns[name] = parts[0] if len(parts) == 1 else np.vstack(parts)
        dates = [time for span, rows in spans for time in self.bars.index(span).times[:rows]]
        return Mirror(dates, symbols, columns)

    def _widen(self, rows: int) -> Iterator[int]:
        """Yield how many of the newest spans to look at: as many as have so many rows, then more and more, then all."""
        total = len(self.bars.spans)
        count = next((each for each in range(1, total) if self._rows_of(each) >= rows), total)
        while True:
            yield count
            if count == total:
                return
            count = min(2 * count, total)

    def _rows_of(self, count: int) -> int:
        return sum(rows for _, rows in self.bars.spans[-count:])

    def _first_row(self, count: int) -> int:
        """Return the row that the earliest of so many newest spans begins with."""
        return self.height - self._rows_of(count)

    def _by_span(self, rows: Places) -> "Iterator[tuple[int, np.ndarray[tuple[int], np.dtype[np.bool_]]]]":
        """Yield of each span in which some rows are, counted from the newest, which these are."""
        end = self.height
        for count in range(1, len(self.bars.spans) + 1):
            begin = self._first_row(count)
            met = (rows >= begin) & (rows < end)
            if met.any():
                yield count, met
            end = begin
            if not (rows < end).any():
                return

    def _has_more(self, count: int, places: Places) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Return which securities are known before so many newest spans: later, there is nothing more of them."""
        if count == len(self.bars.spans):
            return np.zeros(len(places), dtype=np.bool_)
        known = self.bars.places(self.bars.spans[-count - 1].name)
        return np.array([self.symbols[place] in known for place in places.tolist()], dtype=np.bool_)
