"""The newest value of an expression for many securities of the market at once."""

import ctypes
import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ia.organs.compute.array_lane import Plan
from ia.organs.compute.block_lane import BlockPlan
from ia.organs.market.mirror.symbol_blocks import BlockReader, Places


class MarketExpression:
    """An expression of the array lane, evaluated on blocks of securities.

    raises  Several where it gives several values a bar; whatever goes wrong by its form
    """

    def __init__(self, plan: Plan) -> None:
        whole = BlockPlan(plan.body)
        self._whole_number = whole.whole_number
        self._parts = whole.split_conditions() if whole.gives_truth() else [whole]

    def newest_values(self, reader: BlockReader, places: Places) -> list[Any]:
        """Return the newest value of each security, a bool, float, int or None: what `Plan.run` gives for its bars.

        Of several conditions the cheapest comes first, and the others are looked at only where it is true.
        """
        keep_freed_memory()
        alive = np.arange(len(places))
        for part in self._parts if len(places) else ():
            if not len(alive):
                break
            values = _evaluate_part(part, reader, places[alive])
            if len(self._parts) == 1:
                return self._convert(values)
            alive = alive[values]
        met = np.zeros(len(places), dtype=np.bool_)
        met[alive] = True
        return self._convert(met)

    def _convert(self, values: NDArray[Any]) -> list[Any]:
        found: list[Any] = values.tolist()
        if values.dtype == np.bool_:
            return found
        found = [None if value != value else value for value in found]
        return [None if value is None else int(value) for value in found] if self._whole_number else found


def _evaluate_part(part: BlockPlan, reader: BlockReader, places: Places) -> NDArray[Any]:
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


_TRIM, _MAP = -1, -3
_KEPT, _LARGEST = 1 << 26, 1 << 25


@functools.cache
def keep_freed_memory() -> None:
    """Let the C library (glibc) keep some memory that is freed: getting it anew takes longer than filling it."""
    adjust = getattr(ctypes.CDLL(None), "mallopt", None)
    if adjust is not None:
        adjust(_TRIM, _KEPT)
        adjust(_MAP, _LARGEST)
