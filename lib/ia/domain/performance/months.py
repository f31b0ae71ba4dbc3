"""Returns by calendar month of a series of values."""

from collections.abc import Sequence


def month_returns(days: Sequence[str], values: Sequence[float], before: float) -> dict[str, dict[str, float | None]]:
    """Return the return of each month as a heat map has it: year -> month (`01` … `12`) -> fraction.

    before  the value before the first day; a month without a known value at its start has None

    >>> month_returns(["2024-01-31", "2024-02-29"], [110.0, 99.0], 100.0)["2024"]["02"]
    -0.09999999999999998
    """
    ends: dict[str, float] = {}
    for day, value in zip(days, values, strict=True):
        ends[day[:7]] = value
    grid: dict[str, dict[str, float | None]] = {}
    for month, value in ends.items():
        grid.setdefault(month[:4], {})[month[5:]] = value / before - 1 if before > 0 else None
        before = value
    return grid
