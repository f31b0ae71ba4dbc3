"""What came back from a step, as a number; and conditions on such numbers."""

import ast
import operator
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from ia.agent.analyst.desk import DeskResult
from ia.agent.analyst.evidence.readings import Reading
from ia.agent.analyst.evidence.tool_answers import read_value
from ia.kernel.patterns import pattern

LONGEST = 300
"""Characters of a condition."""
_DATE = pattern(r"\d{4}-\d\d-\d\d")
_ITEM = pattern(r"^\s*(?:[-*]|\d+[.)])\s+\S", re.M)
_NUMBER = pattern(r"-?\d[\d,]*(?:\.\d+)?")
_COMPARE = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
_ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def measure(reading: Reading, result: DeskResult, today: date) -> float | None:
    """Return the number that a reading takes from a result; None where there is none.

    A computation gives its value. Else `measure` says what is taken: `count` items (or matches), the first `number`,
    the `days` since the last date, or since the first one (`days_first`).
    """
    if not result.ok:
        return None
    if reading.code or not reading.measure:
        return read_value(result)[0]
    text = _text_of(result.value)
    if reading.measure == "count":
        if reading.match is None and (items := _items_of(result.value)) is not None:
            return float(len(items))
        return float(len((reading.match or _ITEM).findall(text)))
    if reading.match is not None:
        text = "\n".join(found[found.re.groups and 1] or "" for found in reading.match.finditer(text))
    if reading.measure == "number":
        found = _NUMBER.search(text)
        return float(found[0].replace(",", "")) if found else None
    days = sorted(day for day in _DATE.findall(text) if day <= today.isoformat())
    try:
        since = date.fromisoformat(days[0 if reading.measure == "days_first" else -1])
    except (IndexError, ValueError):
        return None
    return float((today - since).days)


def _items_of(value: Any) -> list[Any] | None:
    """Return the items of a list, or of the first list of an object; None where there is none."""
    if isinstance(value, dict):
        return next((item for item in value.values() if isinstance(item, list)), None)
    return value if isinstance(value, list) else None


def _text_of(value: Any) -> str:
    """Return the texts of a result, one a line."""
    if isinstance(value, dict):
        return "\n".join(_text_of(item) for item in value.values())
    if isinstance(value, list):
        return "\n".join(_text_of(item) for item in value)
    return "" if value is None else str(value)


def evaluate(condition: str, values: Mapping[str, float]) -> bool | None:
    """Return whether a condition on measured values holds; None where it is words, or names what was not measured.

    >>> evaluate("a > 10 and not b < 30", {"a": 12, "b": 31}), evaluate("太多了", {}), evaluate("x>1", {})
    (True, None, None)
    """
    if len(condition) > LONGEST:
        return None
    try:
        body = ast.parse(condition.strip(), mode="eval").body
        return bool(_value_of(body, values)) if isinstance(body, ast.Compare | ast.BoolOp | ast.UnaryOp) else None
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError, RecursionError, OverflowError, MemoryError):
        return None


def _value_of(node: ast.expr, values: Mapping[str, float]) -> float | bool:
    """Return what an expression comes to. raises KeyError for what is not known, or not allowed."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return values[name]
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value_of(part, values) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_value_of(part, values) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _value_of(inner, values)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value_of(inner, values)
        case ast.BinOp(left=left, op=op, right=right):
            result: float = _ARITHMETIC[type(op)](_value_of(left, values), _value_of(right, values))
            return result
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_value_of(side, values) for side in (left, *others)]
            return all(_COMPARE[type(op)](a, b) for op, a, b in zip(ops, sides, sides[1:], strict=False))
    raise KeyError(ast.dump(node)[:40])
