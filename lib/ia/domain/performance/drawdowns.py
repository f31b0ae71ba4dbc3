"""The fall of a value from its highest point so far; the start counts as one."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple


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


def max_drawdown(days: Sequence[str], values: Sequence[float]) -> Drawdown:
    """Return the deepest fall of a series of positive values. Its first value counts as a high.

    >>> max_drawdown(["2024-01-01", "2024-01-02", "2024-01-05"], [100.0, 80.0, 101.0]).days
    4
    """
    fall, top, low, high = 0.0, 0, 0, 0
    for at, value in enumerate(values):
        if value >= values[high]:
            high = at
        elif value / values[high] - 1 < fall:
            fall, top, low = value / values[high] - 1, high, at
    if not fall:
        return Drawdown(0.0)
    again = next((at for at in range(low, len(values)) if values[at] >= values[top]), None)
    end = len(values) - 1 if again is None else again
    return Drawdown(
        frac=fall,
        peak=days[top],
        trough=days[low],
        recovered="" if again is None else days[again],
        days=(date.fromisoformat(days[end]) - date.fromisoformat(days[top])).days,
        sessions=end - top,
    )


def drawdown_series(values: Sequence[float]) -> list[float]:
    """Return the fall from the last high at each value: 0 or below.

    >>> drawdown_series([100.0, 80.0, 120.0])
    [0.0, -0.19999999999999996, 0.0]
    """
    found, high = [], 0.0
    for value in values:
        high = max(high, value)
        found.append(value / high - 1 if high > 0 else 0.0)
    return found
