"""Two backtests side by side: which settings and figures differ, and the day on which their orders part."""

from itertools import zip_longest

from ia.faculties.lab.run_folders import SavedRun, read_equity, read_orders
from ia.kernel.jsontypes import Json

FIGURES = (
    "return_frac", "cagr_frac", "max_drawdown_frac", "volatility_ann_frac", "sharpe", "exposure_frac", "turnover_ann",
    "fees", "equity",
)  # fmt: skip
"""What is told of both runs."""
_OF_NO_INTEREST = frozenset({"id", "created"})


def compare_runs(one: SavedRun, other: SavedRun) -> Json:
    """Return what differs: settings and figures as [of one, of the other], and the first orders that are not the same.

    orders_part  day and row of each run, None where one has none; None where all orders are the same
    equity_part  the first day on which the equity differs

    Rules on each security alone have neither an account nor its orders: nothing of them parts.
    """
    alone = any(run.figures.get("each") for run in (one, other))
    names = [*one.settings, *(name for name in other.settings if name not in one.settings)]
    settings = {
        name: [one.settings.get(name), other.settings.get(name)]
        for name in names
        if name not in _OF_NO_INTEREST and one.settings.get(name) != other.settings.get(name)
    }
    return {
        "runs": [one.id, other.id],
        "settings": settings,
        "figures": {name: [one.figures.get(name), other.figures.get(name)] for name in FIGURES},
        "orders_part": None if alone else _first_difference(one, other),
        "equity_part": None
        if alone
        else next(
            ((a or b or ("", 0.0))[0] for a, b in zip_longest(read_equity(one), read_equity(other)) if a != b),
            None,
        ),
    }


def _first_difference(one: SavedRun, other: SavedRun) -> Json | None:
    for a, b in zip_longest(read_orders(one), read_orders(other)):
        if a != b:
            return {"day": min(row["given"] for row in (a, b) if row), "orders": [a, b]}
    return None
