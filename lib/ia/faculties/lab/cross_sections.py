"""What compares the securities of one day: rank, z-score, and distance from the mean, among all or in each industry.

Those compared are the securities of the scan that have a bar on the day and a finite value; all others have no result.
"""

import ast
import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ia.kernel.errors import BadData

Vector: TypeAlias = NDArray[np.float64]
Groups: TypeAlias = NDArray[np.intp]

INDUSTRY = "industry"
_NOTHING = 1e-13
"""A spread this small, as a part of the values, is what rounding leaves of equal ones."""


def rank_values(values: Vector, groups: Groups, count: int) -> Vector:
    """Return the rank of each value in its group, smallest first, as a part of how many there are; ties share the mean.

    >>> rank_values(np.array([3.0, 1.0, 3.0, 2.0]), np.zeros(4, dtype=np.intp), 1).tolist()
    [0.875, 0.25, 0.875, 0.5]
    """
    order = np.lexsort((values, groups)) if count > 1 else np.argsort(values, kind="stable")
    ranked, group = values[order], groups[order]
    places = np.arange(len(order))
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (ranked[1:] != ranked[:-1]) | (group[1:] != group[:-1])
    runs = np.cumsum(begins) - 1
    starts = places[begins]
    sizes = np.diff(np.append(starts, len(order)))
    members = np.bincount(groups, minlength=count)
    mean = starts + (sizes + 1) / 2  # of the places of equal values, counted from 1
    found = np.empty(len(order))
    found[order] = (mean[runs] - (np.cumsum(members) - members)[group]) / members[group]
    return found


def score_values(values: Vector, groups: Groups, count: int) -> Vector:
    """Return the distance of each value from the mean of its group, in population standard deviations.

    Nothing where all of the group are equal.
    """
    distances = demean_values(values, groups, count)
    members = np.bincount(groups, minlength=count)
    with np.errstate(all="ignore"):
        spread = np.sqrt(np.bincount(groups, distances * distances, count) / members)
        size = np.zeros(count)
        np.maximum.at(size, groups, np.abs(values))
        spread[spread <= _NOTHING * size] = np.nan
        return np.asarray(distances / spread[groups])


def demean_values(values: Vector, groups: Groups, count: int) -> Vector:
    """Return the distance of each value from the mean of its group.

    >>> demean_values(np.array([3.0, 1.0, 8.0]), np.array([0, 0, 1]), 2).tolist()
    [1.0, -1.0, 0.0]
    """
    with np.errstate(all="ignore"):
        mean = np.bincount(groups, values, count) / np.bincount(groups, minlength=count)
    return np.asarray(values - mean[groups])


FUNCTIONS = {"xrank": rank_values, "xzscore": score_values, "xdemean": demean_values}


class CrossSection(NamedTuple):
    """A call of one of FUNCTIONS: what it compares, and whether within each industry. `name` stands for it."""

    name: str
    function: str
    argument: str
    by_industry: bool

    def compare_day(self, values: Vector, groups: Groups | None) -> Vector:
        """Return the result for the values of one day.

        groups  the number of the industry of each; -1 where it is not known
        """
        met = np.isfinite(values)
        if groups is None:
            groups = np.zeros(len(values), dtype=np.intp)
        met &= groups >= 0
        found = np.full(len(values), np.nan)
        if met.any():
            among = groups[met]
            found[met] = FUNCTIONS[self.function](values[met], among, int(among.max()) + 1)
        return found


Industries: TypeAlias = list[tuple[int, dict[str, str]]]
"""As `ia.organs.market.industry_history.load_industries` gives them."""


def group_days(told: Industries | None, days: int, symbols: Sequence[str]) -> list[tuple[int, int, Groups | None]]:
    """Return stretches of days with the number of the industry of each symbol in them, -1 where it is not known.

    told    industries from some of the days on; None: all symbols are compared with each other
    """
    if told is None:
        return [(0, days, None)]
    found: list[tuple[int, int, Groups | None]] = []
    for (begin, names), (end, _) in pairwise([*told, (days, {})]):
        numbers = {name: at for at, name in enumerate(sorted(set(names.values())))}
        groups = np.array([numbers.get(names.get(symbol, ""), -1) for symbol in symbols], dtype=np.intp)
        found.append((begin, end, groups))
    return found


def find_sections(source: str) -> tuple[ast.expr | None, list[CrossSection]]:
    """Return an expression in which a name stands for each outermost call of FUNCTIONS, and what they stand for.

    (None, []) where there is none. raises  BadData for one that is called wrongly.

    >>> body, found = find_sections("xrank(roc(close, 20)) > 0.9")
    >>> ast.unparse(body), found[0].argument
    ('xrank(roc(close, 20)) > 0.9', 'roc(close, 20)')
    """
    if not any(name in source for name in FUNCTIONS):
        return None, []
    try:
        body = ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, []
    found: dict[str, CrossSection] = {}
    replaced = _Replacement(found).visit(body)
    return (replaced, list(found.values())) if found else (None, [])


class _Replacement(ast.NodeTransformer):
    def __init__(self, found: dict[str, CrossSection]) -> None:
        self.found = found

    def visit_Call(self, node: ast.Call) -> Any:
        if not (isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS):
            return self.generic_visit(node)
        name = ast.unparse(node)
        by_industry = len(node.args) == 2 and isinstance(node.args[1], ast.Name) and node.args[1].id == INDUSTRY
        if node.keywords or not node.args or (len(node.args) > 1 and not by_industry) or len(node.args) > 2:
            raise BadData(
                "{function} takes an expression, and `industry` where it compares within each industry",
                function=node.func.id,
                hint="for example {function}(roc(close, 20)) or {function}(roc(close, 20), industry)",
            )
        self.found[name] = CrossSection(name, node.func.id, ast.unparse(node.args[0]), by_industry)
        return ast.Name(id=name, ctx=ast.Load())


def substitute_sections(body: ast.expr, sections: list[CrossSection], column: str) -> str:
    """Return the source of an expression with a column of bars in the place of its sections."""
    names = {each.name for each in sections}
    changed = copy.deepcopy(body)
    for node in ast.walk(changed):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = column
    return ast.unparse(changed)
