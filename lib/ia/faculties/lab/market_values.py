"""The values of an expression for many securities of the market at once: the newest, or that of each bar."""

import ast
import ctypes
import functools
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ia.organs.compute.block_lane import BlockPlan
from ia.organs.market.mirror.symbol_blocks import BlockReader, Places, SymbolBlock


class NoSeries(Exception):
    """An expression gives one value for a security, and none for each bar."""


class MarketExpression:
    """An expression of the array lane, evaluated on blocks of securities.

    added   names in it of columns that are no columns of bars: see `BlockReader.add_column`
    raises  Several where it gives several values a bar; whatever goes wrong by its form
    """

    def __init__(self, body: ast.expr, added: Collection[str] = ()) -> None:
        self._whole = BlockPlan(body, added)
        self.truth = self._whole.gives_truth()
        self.whole_number = self._whole.whole_number
        self._parts = self._whole.split_conditions() if self.truth else [self._whole]
        self.of_day = all(part.rows == 1 for part in self._parts if part.added)
        """Whether only the newest value of each added column counts."""

    def newest_values(self, reader: BlockReader, places: Places) -> NDArray[Any]:
        """Return the newest value of each security, truth values or numbers: what `Plan.run` gives for its bars.

        Of several conditions the cheapest comes first, and the others are looked at only where it is true.
        """
        keep_freed_memory()
        alive = np.arange(len(places))
        for part in self._parts if len(places) else ():
            if not len(alive):
                break
            values = _evaluate_newest(part, reader, places[alive])
            if len(self._parts) == 1:
                return values
            alive = alive[values]
        met = np.zeros(len(places), dtype=np.bool_)
        met[alive] = True
        return met

    def daily_values(self, reader: BlockReader, places: Places, first: int) -> NDArray[Any]:
        """Return the value of each bar from a day on, [days, securities]; without a bar it is NaN, or False.

        Each is what `Plan.run` gives for the bar among all bars. raises  NoSeries
        """
        keep_freed_memory()
        days = reader.height - first
        if len(self._parts) == 1:
            return _evaluate_days(self._parts[0], reader, places, first)
        if not all(_fits_tails(part, reader, days) for part in self._parts):
            return self._meet_conditions(reader, places, first)
        met = np.zeros((days, len(places)), dtype=np.bool_)
        alive, truths = np.arange(len(places)), np.ones((days, len(places)), dtype=np.bool_)
        for part in self._parts:
            if not len(alive):
                return met
            truths &= _evaluate_days(part, reader, places[alive], first)
            kept = truths.any(axis=0)
            alive, truths = alive[kept], truths if kept.all() else truths[:, kept]
        met[:, alive] = truths
        return met

    def _meet_conditions(self, reader: BlockReader, places: Places, first: int) -> NDArray[Any]:
        """Return where all conditions are true, from whole histories, each of which is read once."""
        days = reader.height - first
        met = np.zeros((days, len(places)), dtype=np.bool_)
        for block in reader.read_wholes(places, self._whole.series):
            bars = block.bars_since(first) if first else None
            found = self._whole.narrow_every_row(self._parts, block.columns, block.lengths, bars)
            if found is None:
                raise NoSeries
            met[:, np.searchsorted(places, block.places)] = block.spread_days(found, first, days)
        return met


def _evaluate_newest(part: BlockPlan, reader: BlockReader, places: Places) -> NDArray[Any]:
    """Return the newest values: from the last bars where they decide, from the whole history where they do not."""
    values: NDArray[Any] | None = None

    def fill(some: Places, found: NDArray[Any]) -> None:
        nonlocal values
        if values is None:
            values = np.zeros(len(places), dtype=found.dtype)
        values[np.searchsorted(places, some)] = found

    rest = np.ones(len(places), dtype=np.bool_)
    if part.rows is not None and part.rows <= reader.height:
        for block in reader.read_tails(places, part.rows, part.series):
            found, doubtful = part.newest_of_tails(block.columns, len(block.places))
            fill(block.places, found)
            rest[np.searchsorted(places, block.places[~doubtful])] = False
    for block in reader.read_wholes(places[rest], part.series):
        fill(block.places, part.newest_of_wholes(block.columns, block.lengths))
    return np.zeros(0) if values is None else values


def _evaluate_days(part: BlockPlan, reader: BlockReader, places: Places, first: int) -> NDArray[Any]:
    """Return the value of each bar from a day on, as `MarketExpression.daily_values`."""
    days = reader.height - first
    values: NDArray[Any] | None = None

    def fill(block: SymbolBlock, found: NDArray[Any] | None) -> None:
        nonlocal values
        if found is None:
            raise NoSeries
        if values is None:
            values = np.zeros((days, len(places)), dtype=found.dtype)
        at = np.searchsorted(places, block.places)
        within = slice(int(at[0]), int(at[-1]) + 1) if at[-1] - at[0] + 1 == len(at) else at
        values[:, within] = block.spread_days(found, first, days)

    rest = np.ones(len(places), dtype=np.bool_)
    if part.rows is not None and _fits_tails(part, reader, days):
        for block in reader.read_tails(places, part.rows - 1 + days, part.series):
            found, doubtful = part.last_of_tails(block.columns, len(block.places), days)
            fill(block, found)
            rest[np.searchsorted(places, block.places[~doubtful])] = False
    for block in reader.read_wholes(places[rest], part.series):
        fill(block, part.every_row(block.columns, block.lengths))
    return np.zeros((days, 0)) if values is None else values


_TAIL_SHARE = 0.7
"""The part of all days beyond which the whole history is read at once."""


def _fits_tails(part: BlockPlan, reader: BlockReader, days: int) -> bool:
    return part.rows is not None and part.rows - 1 + days <= reader.height * _TAIL_SHARE


_TRIM, _MAP = -1, -3
_KEPT, _LARGEST = 1 << 26, 1 << 25


@functools.cache
def keep_freed_memory() -> bool:
    """Let the C library (glibc) keep some memory that is freed: getting it anew takes longer than filling it.

    Returns whether it does.
    """
    adjust = getattr(ctypes.CDLL(None), "mallopt", None)
    return adjust is not None and bool(adjust(_TRIM, _KEPT) and adjust(_MAP, _LARGEST))
