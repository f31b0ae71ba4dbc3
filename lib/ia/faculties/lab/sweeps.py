"""A grid of variants over the same prices: `{n}` in the rules stands for each of the values of `--grid n=5:50:5`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from statistics import median
from typing import NamedTuple

from ia.domain.performance import ratios
from ia.domain.performance.drawdowns import max_drawdown
from ia.faculties.lab.rule_runs import run_rules
from ia.faculties.lab.run_figures import sessions_a_year, simple_returns
from ia.faculties.lab.run_types import RuleSettings, RunMarket, RunResult
from ia.kernel.errors import UsageError

MOST = 2_000
"""Variants of one sweep."""
MOST_VALUES = 200
_AXIS = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.+)\s*")
_PLACE = re.compile(r"\{\s*([A-Za-z_]\w*)\s*\}")

Point = dict[str, str]
"""A value for each name."""


class Axis(NamedTuple):
    """A name and its values, as they stand in the rules."""

    name: str
    values: tuple[str, ...]


def parse_axis(text: str) -> Axis:
    """Return an axis from `n=5:50:5` (first, last, step; the last counts) or `n=5,10,20`.

    >>> parse_axis("n=5:20:5")
    Axis(name='n', values=('5', '10', '15', '20'))

    raises  UsageError.
    """
    hint = "for example --grid n=5:50:5 or --grid n=5,10,20"
    found = _AXIS.fullmatch(text)
    if not found:
        raise UsageError("--grid {text!r}: not NAME=FIRST:LAST:STEP", text=text, hint=hint)
    name, told = found.groups()
    ends = told.split(":")
    numbers = [_parse_number(part, text, hint) for part in (ends if len(ends) > 1 else told.split(","))]
    if len(ends) > 1:
        if len(numbers) not in (2, 3) or (step := numbers[2] if len(numbers) == 3 else Decimal(1)) <= 0:
            raise UsageError("--grid {text!r}: not NAME=FIRST:LAST:STEP", text=text, hint=hint)
        count = int((numbers[1] - numbers[0]) / step) + 1 if numbers[1] >= numbers[0] else 0
        if count > MOST_VALUES:
            raise UsageError("--grid {text!r}: more than {most} values", text=text, most=MOST_VALUES)
        numbers = [numbers[0] + step * at for at in range(count)]
    if not numbers:
        raise UsageError("--grid {text!r}: no values", text=text, hint=hint)
    return Axis(name, tuple(dict.fromkeys(f"{number.normalize():f}" for number in numbers)))


def _parse_number(part: str, text: str, hint: str) -> Decimal:
    try:
        number = Decimal(part.strip())
    except ArithmeticError:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number) >= Decimal(10) ** 12:
        raise UsageError("--grid {text!r}: {part!r} is not a number", text=text, part=part, hint=hint)
    return number


def list_points(axes: Sequence[Axis], texts: Sequence[str]) -> list[Point]:
    """Return a value for each name, for all combinations. `texts` are the rules in which the names must stand.

    raises  UsageError for a name that no rule has, one of a rule that has no axis, twice the same, or too many.
    """
    names = [axis.name for axis in axes]
    used = {found for text in texts for found in _PLACE.findall(text)}
    for name in names:
        if names.count(name) > 1:
            raise UsageError("--grid {name}: given twice", name=name)
        if name not in used:
            raise UsageError("--grid {name}: no rule contains {place}", name=name, place=f"{{{name}}}")
    if missing := sorted(used - set(names)):
        raise UsageError(
            "{place} has no values", place=f"{{{missing[0]}}}", hint="give them: --grid {name}=5:50:5", name=missing[0]
        )
    count = 1
    for axis in axes:
        count *= len(axis.values)
    if count > MOST:
        raise UsageError("{count} variants are too many; at most {most}", count=count, most=MOST)
    return [dict(zip(names, values, strict=True)) for values in product(*(axis.values for axis in axes))]


def fill_places(text: str, point: Mapping[str, str]) -> str:
    """Return a rule with its values; a negative one in parentheses.

    >>> fill_places("sma(close, {n}) > {m}", {"n": "5", "m": "-1"})
    'sma(close, 5) > (-1)'
    """

    def value(found: re.Match[str]) -> str:
        told = point.get(found[1], found[0])
        return f"({told})" if told.startswith("-") else told

    return _PLACE.sub(value, text)


@dataclass(frozen=True, kw_only=True)
class VariantRun:
    """What a variant came to. `returns` are those of the days after the first; the figures as in result.json."""

    point: Point
    settings: RuleSettings
    days: tuple[str, ...]
    returns: list[float]
    sharpe: float | None
    return_frac: float
    cagr_frac: float | None
    max_drawdown_frac: float
    exposure_frac: float
    trades: int

    def cell(self) -> tuple[str, ...]:
        """Return the values of the point, in their order."""
        return tuple(self.point.values())


def run_variants(
    market: RunMarket,
    variants: Sequence[tuple[Point, RuleSettings]],
    show: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[list[VariantRun], RunResult]:
    """Return what each variant came to, in order, and the whole result of the first for what all have in common."""
    found, first = [], None
    for count, (point, settings) in enumerate(variants, 1):
        show(count, len(variants))
        result = run_rules(settings, market)
        first = first or result
        found.append(measure_variant(point, result))
    assert first is not None
    return found, first


def measure_variant(point: Point, result: RunResult) -> VariantRun:
    """Return the figures of a variant from its run."""
    from datetime import date

    days, returns = result.days, simple_returns(result.equity)
    total = result.equity[-1] / float(result.settings.cash) - 1
    return VariantRun(
        point=point,
        settings=result.settings,
        days=days,
        returns=returns,
        sharpe=ratios.sharpe_ratio(returns, sessions_a_year(result)).value,
        return_frac=total,
        cagr_frac=ratios.annual_growth(total, date.fromisoformat(days[0]), date.fromisoformat(days[-1])).value,
        max_drawdown_frac=max_drawdown(days, result.equity).frac,
        exposure_frac=sum(result.exposure) / len(result.exposure),
        trades=len(result.trips),
    )


def best_variant(runs: Sequence[VariantRun]) -> VariantRun | None:
    """Return the variant with the highest Sharpe ratio, the first of several; None where none has one."""
    told = [each for each in runs if each.sharpe is not None]
    return max(told, key=lambda each: each.sharpe or 0.0) if told else None


class HeatMap(NamedTuple):
    """Sharpe ratios over two names, or one: `values` by row and column, None where none can be told.

    row  the name of the rows; "" for a single one. folded: names over which each cell is the median
    """

    row: str
    column: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: list[list[float | None]]
    folded: tuple[str, ...] = ()


def heat_map(axes: Sequence[Axis], runs: Sequence[VariantRun]) -> HeatMap:
    """Return the map of a sweep over its first two axes; of more axes each cell is the median."""
    two = list(axes[:2]) if len(axes) > 1 else [Axis("", ("",)), axes[0]]
    cells: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        if run.sharpe is not None:
            place = (run.point.get(two[0].name, ""), run.point[two[1].name])
            cells.setdefault(place, []).append(run.sharpe)
    values = [
        [median(cells[row, column]) if (row, column) in cells else None for column in two[1].values]
        for row in two[0].values
    ]
    return HeatMap(
        row=two[0].name,
        column=two[1].name,
        rows=two[0].values,
        columns=two[1].values,
        values=values,
        folded=tuple(axis.name for axis in axes[2:]),
    )
