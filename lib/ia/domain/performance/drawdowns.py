"""The fall of a value from its highest point so far; the start counts as one."""

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.performance.columns import Numbers, running_highs

if TYPE_CHECKING:
    from ia.domain.performance.columns import F


class Drawdown(NamedTuple):
    """The deepest fall. `frac` is 0 or below: -0.25 is a quarter.

    peak, trough  days of the high before it and of the low; "" where it never fell
    recovered     the first day on which the high was reached again; "" while it is not
    days          calendar days from the peak to the recovery, or to the end while there is none (quantstats counts from
                  the first to the last day under water, 1 to 7 days less)
    sessions      the same in values of the series
    """

    frac: float
    peak: str = ""
    trough: str = ""
    recovered: str = ""
    days: int = 0
    sessions: int = 0


def find_drawdowns(days: Sequence[str], values: Sequence[float]) -> list[Drawdown]:
    """Return every fall of a series of positive values from a high until that is reached again, in order of time.

    The first value counts as a high; the last fall may not have recovered.

    >>> [each.days for each in find_drawdowns(["2024-01-01", "2024-01-02", "2024-01-05"], [100.0, 80.0, 101.0])]
    [4]
    """
    found, high = [], 0
    for at in range(1, len(values) + 1):
        ended = at == len(values)
        if not ended and values[at] < values[high]:
            continue
        if at - high > 1:
            low = min(range(high + 1, at), key=values.__getitem__)
            found.append(_describe_fall(days, values, high, low, at))
        high = at
    return found


def _describe_fall(days: Sequence[str], values: Sequence[float], high: int, low: int, until: int) -> Drawdown:
    """Return a fall by the places of its high and its low; it ends at the place `until`, or behind the last value."""
    ended = until == len(values)
    end = until - 1 if ended else until
    return Drawdown(
        frac=float(values[low]) / float(values[high]) - 1,
        peak=days[high],
        trough=days[low],
        recovered="" if ended else days[until],
        days=(date.fromisoformat(days[end]) - date.fromisoformat(days[high])).days,
        sessions=end - high,
    )


def max_drawdown(days: Sequence[str], values: Numbers) -> Drawdown:
    """Return the deepest fall of a series of positive values, the first of several. Its first value counts as a high.

    >>> max_drawdown(["2024-01-01", "2024-01-02", "2024-01-05"], [100.0, 80.0, 101.0]).days
    4
    """
    if not isinstance(values, Sequence):
        return _find_deepest(days, values)
    return min(find_drawdowns(days, values), key=lambda each: each.frac, default=Drawdown(0.0))


def _find_deepest(days: Sequence[str], values: "F") -> Drawdown:
    """Return the deepest fall of an array of positive values, the first of several, without a loop over all falls."""
    if not len(values):
        return Drawdown(0.0)
    highs = running_highs(values)
    inside = int((values / highs - 1).argmin())
    if values[inside] >= highs[inside]:
        return Drawdown(0.0)
    high = int((values[:inside] == highs[inside]).nonzero()[0][-1])
    later = (values[inside:] >= highs[inside]).nonzero()[0]
    until = inside + int(later[0]) if len(later) else len(values)
    low = high + 1 + int(values[high + 1 : until].argmin())
    return _describe_fall(days, values, high, low, until)  # type: ignore[arg-type]


def longest_drawdown(days: Sequence[str], values: Sequence[float]) -> Drawdown:
    """Return the fall that took most calendar days to recover, or has lasted longest without; the deeper of equals."""
    falls = find_drawdowns(days, values)
    return max(falls, key=lambda each: (each.days, -each.frac), default=Drawdown(0.0))


def falls_of(values: "F") -> "F":
    """Return what `drawdown_series` returns, of an array and as one."""
    highs = running_highs(values)
    if highs[0] > 0:
        return values / highs - 1
    falls = highs * 0.0
    known = highs > 0
    falls[known] = values[known] / highs[known] - 1
    return falls


def drawdown_series(values: Numbers) -> list[float]:
    """Return the fall from the last high at each value: 0 or below.

    >>> drawdown_series([100.0, 80.0, 120.0])
    [0.0, -0.19999999999999996, 0.0]
    """
    if not isinstance(values, Sequence):
        series: list[float] = falls_of(values).tolist()
        return series
    found, high = [], 0.0
    for value in values:
        high = max(high, value)
        found.append(value / high - 1 if high > 0 else 0.0)
    return found
