"""Figures of a window that moves over a series, for curves: None where the window is not full or has no figure."""

import math
from collections.abc import Callable, Sequence

from ia.domain.performance import ratios
from ia.domain.performance.figures import Figure


def rolling_figures(
    returns: Sequence[float], window: int, measure: Callable[[Sequence[float]], Figure]
) -> list[float | None]:
    """Return a figure of the last `window` returns at each return.

    >>> rolling_figures([0.1, 0.2, 0.3], 2, lambda part: Figure(round(sum(part), 1)))
    [None, 0.3, 0.5]
    """
    count = len(returns)
    filled = [measure(returns[at - window : at]).value for at in range(window, count + 1)]
    return [*([None] * min(window - 1, count)), *filled]


def rolling_sharpe(returns: Sequence[float], window: int, sessions: float) -> list[float | None]:
    """Return the annualized Sharpe ratio of each window; risk-free rate 0."""
    return rolling_figures(returns, window, lambda part: ratios.sharpe_ratio(part, sessions))


def rolling_volatility(returns: Sequence[float], window: int, sessions: float) -> list[float | None]:
    """Return the annualized volatility of each window."""
    return rolling_figures(returns, window, lambda part: ratios.volatility(part, sessions))


def rolling_growth(returns: Sequence[float], window: int) -> list[float | None]:
    """Return the compounded return of each window."""
    return rolling_figures(
        returns, window, lambda part: Figure(math.expm1(math.fsum(map(math.log1p, part))) if min(part) > -1 else None)
    )
