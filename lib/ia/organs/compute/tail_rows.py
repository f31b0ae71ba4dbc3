"""How many of its newest bars decide the newest value of an expression, so that a scan reads these and no others.

A window decides by its bars alone. An average that feeds on itself (ema, rsi) forgets: begun anew so many bars ago
that what came before weighs less than the last bit, it gives the same value. Where this is not certain by the form of
the expression, there is no such number; where it is not by the prices, `ia.organs.compute.block_lane` says so.
"""

import ast
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ia.organs.compute.array_lane import Doubt
from ia.organs.compute.functions import FUNCTIONS, REDUCTIONS, Misfit, bind_arguments
from ia.organs.compute.look_back import count_own, read_number

LAST_BIT = 1e-16
_WHOLE = frozenset({"obv", "ad", "adosc", "barssince", "kama"})
"""What has no end: sums from the first bar, and an average whose weights depend on the prices."""
_SMOOTH = frozenset(
    "latest prev ref change mom sma wma total highest lowest slope linreg maximum minimum where abs".split()  # noqa: SIM905
)
"""What changes little where its input changes little; only these are taken of an average that was begun anew."""
_FINITE = frozenset({*_SMOOTH, "stdev", "bbands", "tr"})
"""What gives no infinity for prices: one alone would stay in an average for ever."""
_OF_BARS = frozenset({"atr", "natr", "adx", "dmi", "kdj"})
_RATIOS = frozenset({"trix", "ppo"})

Settings = dict[str, Any]
RATES: dict[str, Callable[[Settings], tuple[float, ...]]] = {
    "ema": lambda s: (2 / (s["n"] + 1),),
    "dema": lambda s: (2 / (s["n"] + 1),) * 2,
    "tema": lambda s: (2 / (s["n"] + 1),) * 3,
    "trix": lambda s: (2 / (s["n"] + 1),) * 3,
    "macd": lambda s: (2 / (s["slow"] + 1), 2 / (s["signal"] + 1)),
    "ppo": lambda s: (2 / (s["slow"] + 1),),
    **dict.fromkeys(("wilder", "rsi", "cmo", "atr", "natr"), lambda s: (1 / s["n"],)),
    **dict.fromkeys(("adx", "dmi"), lambda s: (1 / s["n"],) * 2),
    "kdj": lambda s: (1 / s["k"], 1 / s["d"]),
}
"""The weight of the newest value in each of the averages, one after the other, that a function takes."""


class Unbounded(Exception):
    """The whole history decides."""


class Reach(NamedTuple):
    """What a part of an expression looks at.

    own     bars before its own that it looks at in its inputs
    depth   bars before its own that decide in all
    cut     whether its value comes from an average that was begun anew
    finite  whether it is never infinite
    """

    own: int
    depth: int
    cut: bool = False
    finite: bool = True


def measure_reach(node: ast.expr, found: dict[ast.expr, Reach]) -> Reach:
    """Return what an expression looks at, and put that of each of its parts into `found`.

    raises  Unbounded where the newest value depends on the whole history.
    """
    parts = [each.value if isinstance(each, ast.keyword) else each for each in ast.iter_child_nodes(node)]
    below = [measure_reach(each, found) for each in parts if isinstance(each, ast.expr)]
    depth, cut, finite = (
        max((r.depth for r in below), default=0),
        any(r.cut for r in below),
        all(r.finite for r in below),
    )
    match node:
        case ast.Compare():
            reach = Reach(0, depth)
        case ast.BinOp(op=ast.Div()):
            reach = Reach(0, depth, cut, finite=False)
        case ast.Call(func=ast.Name(id=name)):
            reach = _measure_call(node, name, depth, cut, finite)
        case _:
            reach = Reach(0, depth, cut, finite)
    found[node] = reach
    return reach


def _measure_call(node: ast.Call, name: str, depth: int, cut: bool, finite: bool) -> Reach:
    if name == "abs":
        return Reach(0, depth, cut, finite)
    settings = read_settings(node)
    own = settings["n"] if name == "prev" else 0 if name in REDUCTIONS else count_own(name, settings)
    if name in ("crossover", "crossunder"):
        if cut and node.keywords:
            raise Unbounded
        return Reach(own, depth + own)
    if name in RATES:
        inputs = [each.id if isinstance(each, ast.Name) else "" for each in node.args]
        bars = name not in _OF_BARS or inputs[:3] == ["high", "low", "close"]
        ratio = name not in _RATIOS or inputs[:1] in (["open"], ["high"], ["low"], ["close"])
        if cut or not finite or not bars or not ratio:
            raise Unbounded
        own += sum(count_steps(rate) for rate in RATES[name](settings))
        return Reach(own, depth + own, cut=True)
    if name in _WHOLE or (cut and name not in _SMOOTH):
        raise Unbounded
    return Reach(own, depth + own, cut, finite and name in _FINITE)


def read_settings(node: ast.Call) -> Settings:
    """Return the settings of a call. raises Unbounded where they are no plain numbers."""
    assert isinstance(node.func, ast.Name)
    f = FUNCTIONS[node.func.id]
    try:
        bound = bind_arguments(
            f, [read_number(each) for each in node.args], {w.arg or "": read_number(w.value) for w in node.keywords}
        )
    except (Misfit, Doubt, ArithmeticError):
        raise Unbounded from None
    return {each.name: bound[each.name] for each in f.params}


def count_steps(rate: float) -> int:
    """Return after how many bars what an average began with weighs less than the last bit.

    >>> count_steps(1.0), count_steps(1 / 14)
    (0, 498)
    """
    return 0 if rate >= 1 else math.ceil(math.log(LAST_BIT) / math.log(1 - rate))
