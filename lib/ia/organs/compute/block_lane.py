"""The array lane over many securities at once: a plan evaluated on matrices, one column a security.

Every kernel gives a column of a matrix the bits that it gives the column alone, and no value depends on later rows. So
`evaluate_wholes` takes histories of any lengths, each with its first bar on top and nothing (NaN) behind its last,
and gives to the bit what `Plan.run` gives each alone. `evaluate_tails` takes only the newest bars, as many as decide
(`ia.organs.compute.tail_rows`), and names the securities of which it is not certain.
"""

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ia.organs.compute.array_lane import (
    ARITHMETIC,
    BY_WINDOW,
    COMPARISON,
    LOGIC,
    MAX_WORK,
    Doubt,
    absolute_value,
    combine_values,
    estimate_work,
    require_number,
    require_truth,
)
from ia.organs.compute.functions import FUNCTIONS, REDUCTIONS, Columns, SeriesColumn, Value, apply_function
from ia.organs.compute.kernels import crossover, crossunder, highest, lowest
from ia.organs.compute.tail_rows import RATES, Reach, Unbounded, count_steps, measure_reach, read_settings

Matrix: TypeAlias = NDArray[Any]
Block: TypeAlias = Mapping[str, Matrix]
"""Columns of bars by name, [rows, securities]."""
Kept: TypeAlias = dict[str, tuple[int, Value]]
"""Values of calls by their key, and of how many rows each is."""

_TIE = 1e-9
"""Two values this near, as a part of what they are made of, might compare otherwise over the whole history."""
_FLAT = 1e-6
_EXACT = 2**53
_REHEARSED = 2_000


class BlockPlan:
    """A plan that can be evaluated on blocks.

    series  the columns that it reads
    added   those of them that are no columns of bars; they may lack values, and only whole histories decide what a
            function gives for them
    rows    how many of the newest bars decide the newest value; None: all
    """

    def __init__(self, body: ast.expr, added: Collection[str] = ()) -> None:
        nodes = list(ast.walk(body))
        self.body = body
        self.series = tuple(sorted({n.id for n in nodes if isinstance(n, ast.Name)} & {*_COLUMNS, *added}))
        self.added = tuple(sorted({*self.series} & {*added}))
        self.calls = {node: ast.dump(node) for node in nodes if isinstance(node, ast.Call)}
        self.reach: dict[ast.expr, Reach] = {}
        try:
            self.rows: int | None = measure_reach(body, self.reach).depth + 1
        except Unbounded:
            self.rows = None
        if self.added and self.rows != 1:
            self.rows = None
        self.whole_number = _is_whole(body)

    @property
    def cost(self) -> int:
        """What evaluating it costs, roughly: functions times rows."""
        return (len(self.calls) + 1) * (self.rows or 1_000_000)

    def split_conditions(self) -> "list[BlockPlan]":
        """Return the conditions that must all be true, cheapest first; itself where it is no such thing."""
        parts = (BlockPlan(each, self.added) for each in list_conditions(self.body))
        return sorted(parts, key=lambda part: part.cost)

    def gives_truth(self) -> bool:
        """Return whether it gives true or false.

        raises  Several for several values a bar; whatever goes wrong by its form.
        """
        numbers = [n.value for n in ast.walk(self.body) if isinstance(n, ast.Constant) and isinstance(n.value, int)]
        rows = min(max(numbers, default=0), _REHEARSED) + 2
        made = np.linspace(1.0, 2.0, rows)[:, None]
        newest = self.newest_of_wholes(dict.fromkeys(self.series, made), np.array([rows]))
        return newest.dtype == np.bool_

    def newest_of_tails(self, block: Block, count: int) -> tuple[Matrix, NDArray[np.bool_]]:
        """Return the newest value of each security, and of which it is not certain: there the whole history decides.

        block  the last `rows` bars of each
        """
        run = _Run(self, block, self.rows or 0, count, None)
        value = run.evaluate(self.body, 1)
        return run.pick_newest(value), run.doubtful

    def last_of_tails(self, block: Block, count: int, last: int) -> tuple[Matrix | None, NDArray[np.bool_]]:
        """Return the values of the `last` bars, [bars, securities], as `newest_of_tails`; None where it is no series.

        block  the last `rows` + `last` - 1 bars of each
        """
        run = _Run(self, block, (self.rows or 0) + last - 1, count, None)
        value = run.evaluate(self.body, last)
        return _as_matrix(value), run.doubtful

    def newest_of_wholes(self, block: Block, lengths: NDArray[np.intp]) -> Matrix:
        """Return the newest value of each security over its whole history, so many bars each."""
        height = len(next(iter(block.values()))) if block else 1
        run = _Run(self, block, height, len(lengths), lengths)
        return run.pick_newest(run.evaluate(self.body, height))

    def every_row(self, block: Block, lengths: NDArray[np.intp], kept: Kept | None = None) -> Matrix | None:
        """Return the values of all bars, [rows, securities]; None where it gives no series.

        kept  values of calls of other plans over the same bars, for this one to take and to add to
        """
        height = len(next(iter(block.values()))) if block else 1
        return _as_matrix(_Run(self, block, height, len(lengths), lengths, kept).evaluate(self.body, height))

    def narrow_every_row(
        self,
        parts: "Sequence[BlockPlan]",
        block: Block,
        lengths: NDArray[np.intp],
        bars: NDArray[np.bool_] | None,
        kept: Kept | None = None,
    ) -> Matrix | None:
        """Return the truth of several `parts` of it together, of all bars; as `every_row`.

        Each is looked at where those before are true on a bar that counts.

        bars  which bars count, [rows, securities]; None: all
        """
        height = len(next(iter(block.values()))) if block else 1
        run = _Run(self, block, height, len(lengths), lengths, kept)
        among, met = np.arange(len(lengths)), np.ones((height, len(lengths)), dtype=np.bool_)
        for part in parts:
            truths = _as_matrix(run.evaluate(part.body, height))
            if truths is None:
                return None
            met &= truths
            counted = met if bars is None else met & bars[:, among]
            alive = np.flatnonzero(counted.any(axis=0))
            if 2 * len(alive) < len(among):
                among, met = among[alive], met[:, alive]
                if not len(among):
                    break
                few = {name: np.ascontiguousarray(values[:, among]) for name, values in block.items()}
                run = _Run(self, few, height, len(among), lengths[among])
        found = np.zeros((height, len(lengths)), dtype=np.bool_)
        found[:, among] = met
        return found


def _as_matrix(value: Value) -> Matrix | None:
    """Return a value of each bar; None for one of a security."""
    if isinstance(value, Columns):
        raise Several
    return value.values if isinstance(value, SeriesColumn) and value.values.ndim == 2 else None


class Several(Exception):
    """An expression gives several values a bar."""


_COLUMNS = ("open", "high", "low", "close", "volume")


def list_conditions(node: ast.expr) -> list[ast.expr]:
    """Return the conditions that & joins."""
    match node:
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            return [*list_conditions(left), *list_conditions(right)]
        case _:
            return [node]


def _is_whole(node: ast.expr) -> bool:
    """Return whether its values are whole numbers: volumes and what is reckoned of them."""
    match node:
        case ast.Name(id=name):
            return name == "volume"
        case ast.Constant(value=value):
            return isinstance(value, int)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return _is_whole(left) and _is_whole(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_whole(operand)
        case ast.Call(func=ast.Name(id="abs" | "latest" | "prev"), args=[first, *_]):
            return _is_whole(first)
        case _:
            return False


class _Run:
    """One evaluation over a block. A number of each security is a series of one dimension.

    lengths   bars of each security in the block; None: all rows, and averages are begun anew
    doubtful  which securities are not certain
    """

    def __init__(
        self,
        plan: BlockPlan,
        block: Block,
        height: int,
        count: int,
        lengths: NDArray[np.intp] | None,
        kept: Kept | None = None,
    ) -> None:
        self.plan, self.block, self.height, self.count, self.lengths = plan, block, height, count, lengths
        self.doubtful = np.zeros(count, dtype=np.bool_)
        self._kept: Kept = {} if kept is None else kept
        if height * len(plan.calls) > MAX_WORK:
            raise Doubt

    def pick_newest(self, value: Value) -> Matrix:
        if isinstance(value, Columns):
            raise Several
        if not isinstance(value, SeriesColumn):
            return np.full(self.count, value)
        return value.values if value.values.ndim == 1 else self._pick(value.values, 0)

    def _pick(self, values: Matrix, back: int) -> Matrix:
        """Return the value of each security so many bars before its newest; NaN where it has none."""
        if self.lengths is None:
            return np.asarray(values[-1 - back])
        at = self.lengths - 1 - back
        short = at < 0
        found = values[np.maximum(at, 0), np.arange(self.count)]
        if not short.any():
            return np.asarray(found)
        if values.dtype == np.bool_:
            raise Doubt
        return np.where(short, np.nan, found)

    def evaluate(self, node: ast.expr, rows: int) -> Value:
        """Return the value of a node in the last `rows` rows."""
        with np.errstate(all="ignore"):
            return self._evaluate(node, rows)

    def _evaluate(self, node: ast.expr, rows: int) -> Value:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name):
                return SeriesColumn(self.block[name][self.height - rows :], name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in LOGIC:
                one, other = require_truth(self._evaluate(left, rows)), require_truth(self._evaluate(right, rows))
                return combine_values(LOGIC[type(op)], one, other)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = require_number(self._evaluate(left, rows)), require_number(self._evaluate(right, rows))
                return self._calculate(node, a, b, rows)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = require_number(self._evaluate(operand, rows))
                if not isinstance(value, SeriesColumn):
                    return -value
                return SeriesColumn(0.0 - value.values if _is_whole(operand) else -value.values, value.name)
            case ast.UnaryOp(operand=operand):
                truth = require_truth(self._evaluate(operand, rows))
                if not isinstance(truth, SeriesColumn) or truth.values.ndim < 2:
                    raise Doubt
                return SeriesColumn(~truth.values, truth.name)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                a, b = require_number(self._evaluate(left, rows)), require_number(self._evaluate(right, rows))
                self._doubt_ties(left, right, a, b, rows)
                return combine_values(COMPARISON[type(op)], a, b)
            case ast.Subscript(value=call, slice=ast.Constant(value=str() as key)):
                several = self._evaluate(call, rows)
                if not isinstance(several, Columns):
                    raise Doubt
                return SeriesColumn(dict(zip(several.names, several.arrays, strict=True))[key], key)
            case ast.Call(func=ast.Name(id=name)):
                return self._recall(node, name, rows)
            case _:
                raise Doubt

    def _calculate(self, node: ast.BinOp, a: Value, b: Value, rows: int) -> Value:
        """Return what + - * / gives."""
        divided = isinstance(node.op, ast.Div)
        divisor = _numbers(b)
        if divided and max(np.ndim(_numbers(a)), np.ndim(divisor)) < 2 and (np.asarray(divisor) == 0).any():
            raise Doubt  # of single numbers it is an error
        if divided and self._is_cut(node.right):
            small = np.abs(divisor) < _FLAT * self._magnitude(node.right, rows)
            self.doubtful |= small.any(axis=0) if small.ndim == 2 else small
        out = combine_values(ARITHMETIC[type(node.op)], a, b)
        if isinstance(node.op, ast.Mult) and isinstance(out, SeriesColumn) and _is_whole(node):
            if np.nanmax(np.abs(out.values), initial=0) > _EXACT:
                raise Doubt
            return SeriesColumn(out.values + 0.0, out.name)
        return out

    def _recall(self, node: ast.Call, name: str, rows: int) -> Value:
        """Return the value of a call, worked out once for equal calls."""
        key = self.plan.calls[node]
        if key not in self._kept or self._kept[key][0] < rows:
            self._kept[key] = rows, self._call(node, name, rows)
        value = self._kept[key][1]
        if isinstance(value, Columns):
            return Columns(value.names, tuple(each[len(each) - rows :] for each in value.arrays))
        if isinstance(value, SeriesColumn) and value.values.ndim == 2:
            return SeriesColumn(value.values[len(value.values) - rows :], value.name)
        return value

    def _call(self, node: ast.Call, name: str, rows: int) -> Value:
        reduced = name in REDUCTIONS
        need = self.height if self.lengths is not None else (1 if reduced else rows) + self.plan.reach[node].own
        values = [self._evaluate(each, need) for each in node.args]
        named = {word.arg: self._evaluate(word.value, need) for word in node.keywords if word.arg}
        if len(named) < len(node.keywords):
            raise Doubt
        if name in BY_WINDOW and estimate_work(values, named) > MAX_WORK:
            raise Doubt
        if name == "abs":
            return absolute_value(values, named)
        f = FUNCTIONS[name]
        if reduced:
            first = values[0]  # without it this is wrong by its form
            apply_function(f, [0, *values[1:]], named)
            if isinstance(first, SeriesColumn) and first.values.ndim == 2:
                return SeriesColumn(self._pick(first.values, int(read_settings(node).get("n", 0))))
            return first if isinstance(first, SeriesColumn) else apply_function(f, values, named)
        ranks = {each.values.ndim for each in (*values, *named.values()) if isinstance(each, SeriesColumn)}
        if len(ranks) > 1 or (ranks == {1} and not all(each.endswith("?") for each in f.inputs)):
            raise Doubt
        if f.kernel in (crossover, crossunder) and ranks != {2}:
            raise Doubt
        out = apply_function(f, values, named)
        if self.lengths is None:
            self._doubt_call(node, name, values, out, need, rows)
        return out

    # what is not certain where averages are begun anew

    def _is_cut(self, node: ast.expr) -> bool:
        return self.lengths is None and self.plan.reach[node].cut

    def _doubt_ties(self, left: ast.expr, right: ast.expr, a: Value, b: Value, rows: int) -> None:
        """Doubt where two values are so near that the last bits decide which is larger."""
        if self._is_cut(left) or self._is_cut(right):
            near = _TIE * (self._magnitude(left, rows) + self._magnitude(right, rows))
            tie = np.abs(_numbers(a) - _numbers(b)) <= near
            self.doubtful |= tie.any(axis=0) if tie.ndim == 2 else tie

    def _doubt_call(self, node: ast.Call, name: str, values: list[Value], out: Value, need: int, rows: int) -> None:
        if name in ("crossover", "crossunder") and len(values) == 2:
            self._doubt_ties(node.args[0], node.args[1], values[0], values[1], need)
        if name not in RATES:
            return
        arrays = out.arrays if isinstance(out, Columns) else (_numbers(out),)
        # What is missing in between is passed over, so that more bars decide.
        bare = all(isinstance(each, ast.Name | ast.Constant) for each in node.args)
        plain = bare and name not in ("adx", "dmi", "kdj")
        settings = read_settings(node)
        steps = sum(count_steps(rate) for rate in RATES[name](settings))
        for each in arrays:
            known = each[-rows:] if plain else each[need - rows - steps :]
            self.doubtful |= np.isnan(known).any(axis=0)
        if name in ("rsi", "cmo"):  # a ratio of two averages, which is nothing where both are
            self._doubt_flat(values[:1], need, settings["n"] + 1, rows)
        elif name in ("adx", "dmi"):
            self._doubt_flat(values[:2], need - rows - steps // 2, settings["n"] + 1, 1)
            if rows > 1:
                self._doubt_flat(values[:2], need, settings["n"] + 1, rows)

    def _doubt_flat(self, values: list[Value], end: int, count: int, rows: int) -> None:
        """Doubt where none of the values moves in `count` rows before one of the `rows` up to row `end`."""
        moved = np.zeros((rows, self.count), dtype=np.bool_)
        for value in values:
            part = _numbers(value)[max(end - count - rows + 1, 0) : end]
            if rows == 1:
                high, low, size = part.max(axis=0), part.min(axis=0), np.abs(part).max(axis=0)
            else:
                high, low = highest(part, count)[-rows:], lowest(part, count)[-rows:]
                size = np.maximum(np.abs(high), np.abs(low))
            moved |= high - low > _FLAT * size
        self.doubtful |= ~moved.all(axis=0)

    def _magnitude(self, node: ast.expr, rows: int) -> Any:
        """Return of each security how large the numbers are that a node's value is made of."""
        match node:
            case ast.Constant(value=int() | float() as number):
                return abs(number)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = self._magnitude(left, rows), self._magnitude(right, rows)
                if isinstance(op, ast.Mult):
                    return a * b
                if isinstance(op, ast.Div):
                    return a / self._smallest(right, rows)
                return a + b
            case ast.UnaryOp(operand=operand):
                return self._magnitude(operand, rows)
            case ast.Call(args=args, keywords=keywords):
                below = [*args, *(word.value for word in keywords)]
                return sum((self._magnitude(each, rows) for each in below), 100 + self._largest(node, rows))
            case ast.Subscript(value=call):
                return self._magnitude(call, rows)
            case ast.Compare():
                return 0
            case _:
                return self._largest(node, rows)

    def _largest(self, node: ast.expr, rows: int) -> Any:
        value = self._evaluate(node, rows)
        arrays = value.arrays if isinstance(value, Columns) else (_numbers(value),)
        return sum(np.abs(each).max(axis=0) if np.ndim(each) == 2 else np.abs(each) for each in arrays)

    def _smallest(self, node: ast.expr, rows: int) -> Any:
        values = np.abs(_numbers(self._evaluate(node, rows)))
        return values.min(axis=0) if np.ndim(values) == 2 else values


def _numbers(value: object) -> Any:
    return value.values if isinstance(value, SeriesColumn) else value
