"""Look-ahead by trial: evaluate on shorter and shorter ranges, and see whether a value of the past changes.

A value of a bar that only earlier bars decide is the same whether later bars are there or not. What has no bar of its
own (a number, a table by month, a list of another length) is a value of the last bar and is not compared.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ia.kernel.jsontypes import Json

CUTS = 20
RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""How far two floats may lie apart: sums over another number of terms may be rounded otherwise."""


class PrefixTable(NamedTuple):
    """Values by bar: for each label (a date, in order) a list of cells, one a column. `labels` may repeat."""

    labels: Sequence[str]
    columns: Sequence[Sequence[Any]]
    names: Sequence[str] = ()


def prefix_lengths(rows: int) -> list[int]:
    """Return how many bars each shorter range has: spread over all of them, on no one weekday, the newest first.

    >>> prefix_lengths(4)
    [3, 2, 1]
    """
    spread = {rows * step // (CUTS + 1) + step * 7 % 5 for step in range(1, CUTS + 1)}
    wanted = spread | {rows - 1, rows - 2} if rows > CUTS else set(range(1, rows))
    return sorted((cut for cut in wanted if 0 < cut < rows), reverse=True)


def find_first_change(
    whole: PrefixTable, dates: Sequence[str], shorter: Callable[[int], PrefixTable | None], sizes: Sequence[int]
) -> tuple[str | None, int]:
    """Return (the first date whose value depends on later bars, or None; how many ranges were compared).

    dates    of all bars. shorter: the value over the first bars, None where they are too few to give one
    """
    changed: str | None = None
    compared = 0
    places: dict[str, list[int]] = {}
    for place, label in enumerate(whole.labels):
        places.setdefault(label, []).append(place)
    for size in sizes:
        part = shorter(size)
        if part is None:
            continue
        compared += 1
        found = _first_difference(whole, places, part, dates[size - 1])
        if found is not None and (changed is None or found < changed):
            changed = found
    return changed, compared


def _first_difference(whole: PrefixTable, places: dict[str, list[int]], part: PrefixTable, last: str) -> str | None:
    """Return the first label not later than `last` at which the two differ."""
    if len(whole.columns) != len(part.columns) or list(whole.names) != list(part.names):
        return last
    mine: dict[str, list[int]] = {}
    for place, label in enumerate(part.labels):
        mine.setdefault(label, []).append(place)
    for label in sorted(places):
        if label > last:
            break
        if len(mine.get(label, ())) != len(places[label]):
            return label
        for at, other in zip(places[label], mine[label], strict=True):
            if not all(map(_is_same, (c[at] for c in whole.columns), (c[other] for c in part.columns))):
                return label
    if not whole.labels or any(a > b for a, b in pairwise(whole.labels)):
        return None  # a choice of bars by rank, not a value of each
    return min((label for label in mine if whole.labels[0] <= label <= last and label not in places), default=None)


def _is_same(one: Any, other: Any) -> bool:
    if one is other or one == other:
        return True
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if _is_nothing(one) or _is_nothing(other):
        return _is_nothing(one) and _is_nothing(other)
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    if not numbers or isinstance(one, bool) or isinstance(other, bool):
        return False
    try:
        return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def _is_nothing(cell: object) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)


def table_of(value: Json, dates: Sequence[str]) -> PrefixTable | None:
    """Return a value of the worker (`encode.plain`) by bar; None where its parts belong to no bar.

    dates   of the bars that it was computed from
    """
    kind, content = value["type"], value["value"]
    if kind == "structure":
        if isinstance(content, dict):  # by date
            return (
                PrefixTable(list(content), [list(content.values())]) if content and set(content) <= set(dates) else None
            )
        return PrefixTable(dates, [content]) if len(content) == len(dates) else None
    if kind not in ("series", "frame") or value.get("row"):
        return None
    columns = [content] if kind == "series" else content
    names = value.get("columns") or ()
    if value["dated"]:
        return PrefixTable(value["index"], columns, names)
    return PrefixTable(dates, columns, names) if len(value["index"]) == len(dates) else None
