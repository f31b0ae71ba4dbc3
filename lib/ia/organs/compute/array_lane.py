"""The array lane of `ia compute`: an expression of coreutils, operators and numbers, evaluated on numpy arrays.

It walks the syntax tree; nothing is compiled or executed. Whatever it is not sure of, by form (`compile_array` gives
None) or by value (`Plan.run` raises), belongs to the full lane, which has pandas and the sandbox. What it does give is
to the bit what the full lane gives.
"""

import ast
import functools
import operator
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ia.organs.compute.array_backend import np
from ia.organs.compute.functions import FUNCTIONS, Columns, SeriesColumn, Value, apply_function, same_name
from ia.organs.ohlcv.canonical import Bars

SERIES = frozenset({"open", "high", "low", "close", "volume"})
FUNCTION_NAMES = frozenset({*FUNCTIONS, "abs"})
MAX_SOURCE = 20_000
MAX_NODES = 2_000
MAX_NUMBER = 1e12
MAX_WORK = 5e7
MAX_PLAIN_WORK = 1e6
"""Functions times rows, and rows times window where a kernel passes n times: beyond, the full lane has a time
limit. Plain lists take some fifty times as long as numpy."""
BY_WINDOW = frozenset({"cci", "kama", "percentrank", "pastrank"})

Operator: TypeAlias = Callable[[Any, Any], Any]
"""A function of the module `operator`."""
ARITHMETIC: dict[type, Operator] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
COMPARISON: dict[type, Operator] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
LOGIC: dict[type, Operator] = {ast.BitAnd: operator.and_, ast.BitOr: operator.or_}


class Doubt(Exception):
    """The lanes might differ here: take the full one."""


class LaneResult(NamedTuple):
    """What an expression gives.

    kind     "scalar": `value` is a float, int or bool; "series": one of `arrays`, its name (None if it has none) in
             `names`; "frame": several
    arrays   bool, int64 or float64, one entry a bar
    """

    kind: str
    value: float | int | bool | None
    names: tuple[str | None, ...]
    arrays: tuple[Any, ...]


class Plan:
    """An expression that the array lane can evaluate.

    series  the columns that the expression reads
    calls   the functions that it calls, each with a key that is the same for the same call
    """

    __slots__ = ("body", "calls", "series", "source")

    def __init__(self, source: str, body: ast.expr) -> None:
        self.source = source
        self.body = body
        nodes = list(ast.walk(body))
        self.series = frozenset(node.id for node in nodes if isinstance(node, ast.Name) and node.id in SERIES)
        self.calls: dict[ast.expr, str] = {node: ast.dump(node) for node in nodes if isinstance(node, ast.Call)}

    def run(self, bars: Bars, deadline: float = float("inf"), kept: dict[str, Value] | None = None) -> LaneResult:
        """Return the value over the bars. Raises whatever goes wrong: the full lane then says it properly.

        After `deadline` (of time.monotonic) no further function is begun.

        kept  columns and values of calls of other plans over the same bars, for this one to take and to add to
        """
        kept = {} if kept is None else kept
        for name in self.series - kept.keys():
            kind = np.int64 if name == "volume" else np.float64
            kept[name] = SeriesColumn(np.array(getattr(bars, name), dtype=kind), name)
        work = len(bars.date) * len(self.calls)
        if work > (MAX_WORK if np.__name__ == "numpy" else MAX_PLAIN_WORK):
            raise Doubt
        with np.errstate(all="ignore"):
            value = evaluate_node(self.body, kept, deadline, self.calls)
        if isinstance(value, Columns):
            return LaneResult("frame", None, value.names, value.arrays)
        if isinstance(value, SeriesColumn):
            return LaneResult("series", None, (value.name,), (value.values,))
        return LaneResult("scalar", value, (), ())


@functools.lru_cache(maxsize=2048)
def compile_array(source: str) -> Plan | None:
    """Return the plan of an expression in the lane's grammar, else None.

    The grammar: the coreutils (keywords allowed), + - * / < <= > >= == != & | ~ and unary -, numbers, the names
    open high low close volume, and ["signal"] after a function of several results.

    >>> compile_array("rsi(close, 14) < 30") is not None
    True
    >>> compile_array("close.rolling(5).mean()") is None
    True
    """
    if len(source) > MAX_SOURCE or "\\" in source:
        return None
    try:
        body = ast.parse(source.strip(), mode="eval").body
        nodes = sum(1 for _ in ast.walk(body))
        return Plan(source, body) if nodes <= MAX_NODES and _is_allowed(body) else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_allowed(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=int() | float() as value):
            return not isinstance(value, bool) and -MAX_NUMBER <= value <= MAX_NUMBER
        case ast.Name(id=name):
            return name in SERIES
        case ast.BinOp(left=left, op=op, right=right):
            return (type(op) in ARITHMETIC or type(op) in LOGIC) and _is_allowed(left) and _is_allowed(right)
        case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=operand):
            return _is_allowed(operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return type(op) in COMPARISON and _is_allowed(left) and _is_allowed(right)
        case ast.Subscript(value=ast.Call(func=ast.Name(id=name)) as call, slice=ast.Constant(value=str() as key)):
            return name in FUNCTIONS and key in FUNCTIONS[name].outputs and _is_allowed(call)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            return (
                name in FUNCTION_NAMES
                and all(_is_allowed(arg) for arg in args)
                and all(word.arg is not None and _is_allowed(word.value) for word in keywords)
            )
        case _:
            return False


def evaluate_node(node: ast.expr, kept: dict[str, Value], deadline: float, calls: Mapping[ast.expr, str] = {}) -> Value:
    """Return the value of a part of an expression. Raises as `Plan.run`.

    kept   columns by name, and values of calls by their key, which are worked out once
    calls  the keys of calls, as far as they are known
    """
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return kept[name]
        case ast.BinOp(left=left, op=op, right=right):
            a, b = evaluate_node(left, kept, deadline, calls), evaluate_node(right, kept, deadline, calls)
            if type(op) in LOGIC:
                return combine_values(LOGIC[type(op)], require_truth(a), require_truth(b))
            return combine_values(ARITHMETIC[type(op)], require_number(a), require_number(b))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = require_number(evaluate_node(operand, kept, deadline, calls))
            return SeriesColumn(-value.values, value.name) if isinstance(value, SeriesColumn) else -value
        case ast.UnaryOp(operand=operand):
            value = require_truth(evaluate_node(operand, kept, deadline, calls))
            if not isinstance(value, SeriesColumn):
                raise Doubt
            return SeriesColumn(~value.values, value.name)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            a, b = evaluate_node(left, kept, deadline, calls), evaluate_node(right, kept, deadline, calls)
            return combine_values(COMPARISON[type(op)], require_number(a), require_number(b))
        case ast.Subscript(value=call, slice=ast.Constant(value=str() as key)):
            several = evaluate_node(call, kept, deadline, calls)
            if not isinstance(several, Columns):
                raise Doubt
            return SeriesColumn(dict(zip(several.names, several.arrays, strict=True))[key], key)
        case ast.Call(func=ast.Name(id=name)):
            key = calls.get(node) or ast.dump(node)
            if key not in kept:
                kept[key] = _call_function(node, name, kept, deadline, calls)
            return kept[key]
        case _:
            raise Doubt


def _call_function(
    node: ast.Call, name: str, kept: dict[str, Value], deadline: float, calls: Mapping[ast.expr, str]
) -> Value:
    if time.monotonic() > deadline:
        raise Doubt
    values = [evaluate_node(arg, kept, deadline, calls) for arg in node.args]
    named = {word.arg: evaluate_node(word.value, kept, deadline, calls) for word in node.keywords if word.arg}
    if len(named) < len(node.keywords):
        raise Doubt
    if name in BY_WINDOW and estimate_work(values, named) > MAX_WORK:
        raise Doubt
    return absolute_value(values, named) if name == "abs" else apply_function(FUNCTIONS[name], values, named)


def estimate_work(values: list[Value], named: dict[str, Value]) -> float:
    """Return rows times the largest number among the arguments, which may be the window."""
    given = [*values, *named.values()]
    rows = max((len(v.values) for v in given if isinstance(v, SeriesColumn)), default=0)
    return rows * min(max((v for v in given if isinstance(v, int | float)), default=20), rows)


def absolute_value(values: list[Value], named: dict[str, Value]) -> Value:
    """Return what a call of abs gives."""
    if named or len(values) != 1:
        raise Doubt
    value = require_number(values[0])
    return SeriesColumn(np.abs(value.values), value.name) if isinstance(value, SeriesColumn) else abs(value)


def require_number(value: Value) -> SeriesColumn | float | int:
    """Arithmetic is for numbers: pandas and numpy do not agree on truth values."""
    if isinstance(value, bool | Columns) or (isinstance(value, SeriesColumn) and value.values.dtype == np.bool_):
        raise Doubt
    return value


def require_truth(value: Value) -> SeriesColumn | bool:
    """Logic is for truth values."""
    if isinstance(value, bool) or (isinstance(value, SeriesColumn) and value.values.dtype == np.bool_):
        return value
    raise Doubt


def combine_values(op: Operator, a: object, b: object) -> Value:
    """Return what an operator gives for two values."""
    left = a.values if isinstance(a, SeriesColumn) else a
    right = b.values if isinstance(b, SeriesColumn) else b
    out = op(left, right)
    if not isinstance(out, np.ndarray):
        plain: float | int | bool = out
        return plain
    return SeriesColumn(out, same_name((a, b)))
