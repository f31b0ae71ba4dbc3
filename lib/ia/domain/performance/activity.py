"""How much was traded, and how much of the money was at work."""

from collections.abc import Sequence

from ia.domain.performance.columns import Numbers, sum_numbers
from ia.domain.performance.figures import Figure
from ia.kernel.errors import Message


def annual_turnover(bought: float, sold: float, equity: Numbers, sessions: float) -> Figure:
    """Return the smaller of all purchases and all sales over the mean equity, a year.

    bought, sold  money before fees. equity: at the close of each session. sessions: of a year

    >>> annual_turnover(200.0, 150.0, [100.0] * 50, 100.0).value
    3.0
    """
    total = sum_numbers(equity)
    if total <= 0:
        return Figure(None, Message("nothing was invested"))
    return Figure(min(bought, sold) / (total / len(equity)) / (len(equity) / sessions))


def mean_exposure(positions: Numbers, equity: Numbers) -> Figure:
    """Return the mean of positions / equity over the sessions with equity: 0 is all cash, 1 fully invested.

    >>> mean_exposure([0.0, 50.0], [100.0, 100.0]).value
    0.25
    """
    if isinstance(positions, Sequence) or isinstance(equity, Sequence):
        parts: Numbers = [held / whole for held, whole in zip(positions, equity, strict=True) if whole > 0]
    else:
        parts = positions[equity > 0] / equity[equity > 0]
    return Figure(sum_numbers(parts) / len(parts)) if len(parts) else Figure(None, Message("nothing was invested"))
