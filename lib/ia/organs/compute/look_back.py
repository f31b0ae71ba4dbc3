"""How many bars an expression looks back: the bars that it takes until its last part has a value.

A function is tried once on bars without a gap: what is missing at the beginning of its result is what it needs before
a bar. What it is applied to adds to that. An average that feeds on itself (ema, rsi) counts with its first window, one
over the whole history (obv) with nothing.
"""

import ast
import functools
import math
from collections.abc import Mapping
from typing import Any

from ia.organs.compute.array_backend import np
from ia.organs.compute.array_lane import Plan, evaluate_node
from ia.organs.compute.functions import FUNCTIONS, Columns, Function, SeriesColumn, apply_function, bind_arguments
from ia.organs.compute.kernels import crossover, crossunder, pasthigh, pastrank

_ROWS = 256
_MOST_ROWS = 1 << 18


def count_bars_back(plan: Plan) -> int:
    """Return how many bars before its own a value of the expression depends on.

    >>> from ia.organs.compute.array_lane import compile_array
    >>> count_bars_back(compile_array("crossover(sma(close, 5), sma(close, 20))"))
    20
    >>> count_bars_back(compile_array("close > 250"))
    0
    """
    return _count_back(plan.body)


def _count_back(node: ast.expr) -> int:
    parts = [each.value if isinstance(each, ast.keyword) else each for each in ast.iter_child_nodes(node)]
    below = max((_count_back(each) for each in parts if isinstance(each, ast.expr)), default=0)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        f = FUNCTIONS[node.func.id]
        args, named = (
            [read_number(each) for each in node.args],
            {w.arg or "": read_number(w.value) for w in node.keywords},
        )
        bound = bind_arguments(f, args, named)
        return below + count_own(f.name, {each.name: bound[each.name] for each in f.params})
    return below


def count_own(name: str, settings: Mapping[str, int | float]) -> int:
    """Return how many bars a function itself needs before its first value."""
    return _count_own(FUNCTIONS[name], tuple(settings.items()))


@functools.lru_cache(maxsize=256)
def _count_own(f: Function, given: tuple[tuple[str, int | float], ...]) -> int:
    settings: dict[str, Any] = dict(given)
    if f.kernel in (crossover, crossunder):
        return 1
    if f.kernel in (pasthigh, pastrank):  # they begin before they have all their bars
        return int(settings["n"])
    rows = _ROWS
    while rows <= _MOST_ROWS:
        inputs: dict[str, Any] = {name.rstrip("?"): _make_input(name, rows) for name in f.inputs}
        found = apply_function(f, (), inputs | settings)
        arrays = found.arrays if isinstance(found, Columns) else (getattr(found, "values", found),)
        missing = [_count_missing(each) for each in arrays]
        if all(each < rows for each in missing):
            return max(missing, default=0)
        rows *= 8
    return _MOST_ROWS


def read_number(node: ast.expr) -> object:
    """Return the number that a setting is; None for anything that the bars decide, such as an input."""
    return None if any(isinstance(each, ast.Name) for each in ast.walk(node)) else evaluate_node(node, {}, math.inf)


def _make_input(name: str, rows: int) -> SeriesColumn:
    """Return values that go up and down, so that nothing is missing but for want of bars."""
    place = np.arange(rows)
    if name == "cond":
        return SeriesColumn(place % 2 == 0)
    wave = 10.0 + place * 7919 % 101 / 50
    shift = {"high": 3.0, "low": -3.0, "b?": 0.5, "b": 0.5}.get(name, 0.0)
    return SeriesColumn(wave * wave if name in ("b", "volume") else wave + shift)


def _count_missing(values: object) -> int:
    known = ~np.isnan(np.atleast_1d(np.asarray(values, dtype=np.float64)))
    return int(known.argmax()) if known.any() else len(known)
