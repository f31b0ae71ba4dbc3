"""Corporate actions as multiplicative factors: prices whose daily returns are total returns, and never negative.

On an ex-day the factor is the previous close over what that close is worth after the action,
(close - cash + rights price x rights) / (1 + bonus + rights) / split: the reference price of the Shanghai and Shenzhen
exchanges, and the multiplication of Sina, baostock and Tushare. (Eastmoney and Tencent subtract instead.) The exchanges
round that price to the tick, up to 4e-4 of a share at 13 yuan, and the three sources follow: `tick` does the same.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import floor
from typing import NamedTuple

from ia.kernel.errors import BadData, UsageError
from ia.organs.ohlcv.canonical import Bars


class Action(NamedTuple):
    """What happens to a share on its ex-date. Cash and ratios are for one share held before the action.

    `cash` before tax, in the currency of the price; `bonus` new shares for nothing, bonus and transfer together;
    `rights` new shares at `rights_price`; `split` shares afterwards for one before; `factor` previous close over
    adjusted previous close, where a source gives only that.
    """

    date: str
    cash: float = 0.0
    bonus: float = 0.0
    rights: float = 0.0
    rights_price: float = 0.0
    split: float = 1.0
    factor: float | None = None


def adjustment_factors(
    dates: Sequence[str], closes: Sequence[float], actions: Iterable[Action], tick: float | None = None
) -> list[float]:
    """Return for each bar the product of the factors of the actions up to it: 1 at the first bar.

    `closes` are raw. An action counts from the first bar on or after its ex-date (a suspension may lie between) against
    the last close before it; one at or before the first bar, or after the last, does not count. Those of one date
    count as one. With `tick` the price after an action is rounded half up to it, as A-share exchanges do (0.01, funds
    0.001); without, the factor is exact. Raises BadData for an action that leaves no positive price.

    >>> adjustment_factors(["2021-06-24", "2021-06-25"], [2068.05, 2075.0], [Action("2021-06-25", cash=19.293)])
    [1.0, 1.0094169293869406]
    """
    steps: dict[int, float] = {}
    for date, group in groupby(sorted(actions, key=_action_date), key=_action_date):
        at = bisect_left(dates, date)
        if 0 < at < len(dates):
            before = steps.get(at, 1.0)
            steps[at] = before * _actions_factor(closes[at - 1] / before, list(group), tick)
    result, product = [], 1.0
    for i in range(len(dates)):
        product *= steps.get(i, 1.0)
        result.append(product)
    return result


def reference_price(close: float, last: str, day: str, actions: Iterable[Action], tick: float | None = None) -> float:
    """Return what the close of a day `last` is worth on a later one, after the actions since: its reference price.

    `tick` and BadData as for factors().

    >>> reference_price(20.0, "2024-03-01", "2024-03-04", [Action("2024-03-04", cash=0.5, bonus=0.5)], 0.01)
    13.0
    """
    return close / adjustment_factors([last, day], [close, close], actions, tick)[1]


def adjust_bars(bars: Bars, actions: Iterable[Action], how: str, tick: float | None = None) -> Bars:
    """Return the bars with prices adjusted for the actions, to ten digits; the volume stays as traded.

    `how`: ``qfq`` leaves the last bar as it was and lowers the past, ``hfq`` leaves the first bar and raises what
    follows, ``none`` returns the bars; `tick` as for factors(). Raises BadData for an action that leaves no positive
    price.
    """
    if how not in ("qfq", "hfq", "none"):
        raise UsageError("{how}: unknown adjustment; use qfq, hfq or none", how=how)
    if how == "none" or not bars.date:
        return bars
    scale = adjustment_factors(bars.date, bars.close, actions, tick)
    if how == "qfq":
        whole = scale[-1]
        scale = [factor / whole for factor in scale]
    first, high, low, last = (_scale_column(column, scale) for column in bars[1:5])
    return Bars(bars.date, first, high, low, last, bars.volume)


def _action_date(action: Action) -> str:
    return action.date


def _scale_column(column: list[float], scale: list[float]) -> list[float]:
    """Return the column times the scale, to ten digits: rounding keeps the order of low, open, close and high."""
    return [x if s == 1.0 else float(f"{x * s:.10g}") for x, s in zip(column, scale, strict=True)]


def _actions_factor(close: float, actions: list[Action], tick: float | None) -> float:
    """Return the previous close over its worth after all the actions of one date."""
    cash = sum(action.cash for action in actions)
    rights = sum(action.rights for action in actions)
    paid = sum(action.rights * action.rights_price for action in actions)
    shares = 1 + sum(action.bonus for action in actions) + rights
    stated = 1.0
    for action in actions:
        if min(action.cash, action.bonus, action.rights, action.rights_price) < 0 or action.split <= 0:
            raise _action_error(action.date, close)
        shares *= action.split
        stated *= 1.0 if action.factor is None else action.factor
    worth = (close - cash + paid) / shares
    if tick and tick < worth < float("inf"):
        worth = floor(worth / tick + 0.5 + 1e-6) * tick  # the last term: 13.285 is a little less as a float
    if not (0 < worth < float("inf") and 0 < stated < float("inf")):
        raise _action_error(actions[0].date, close)
    return close / worth * stated


def _action_error(date: str, close: float) -> BadData:
    template = "the corporate action of {date} gives a price that is not positive; the previous close is {close}"
    return BadData(template, date=date, close=f"{close:.10g}")
