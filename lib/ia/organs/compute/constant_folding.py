"""What a small expression certainly is: constants folded, signs followed. For the look-ahead lint; nothing is run."""

import ast
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

Constant = int | float | bool | str
_LARGEST = 1e9

Operator: TypeAlias = Callable[[Any, Any], Any]
"""A function of the module `operator`."""
_BINARY: dict[type, Operator] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_CALLS: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "bool": bool,
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
    "len": len,
    "str": str,
}


def fold_constant(node: ast.AST | None, names: dict[str, Constant]) -> Constant | None:
    """Return the constant that an expression is, None where it is none, or a large one; `names` are constants too.

    >>> fold_constant(ast.parse("int(-n) + 2", mode="eval").body, {"n": 5})
    -3
    """
    try:
        value = _fold_node(node, names)
    except (ArithmeticError, TypeError, ValueError, RecursionError):
        return None
    if isinstance(value, str):
        return value if len(value) < 100 else None
    return value if value is not None and -_LARGEST < value < _LARGEST else None


def _fold_node(node: ast.AST | None, names: dict[str, Constant]) -> Any:
    match node:
        case ast.Constant(value=int() | float() | str() as value):
            return value
        case ast.Name(id=name):
            return names.get(name)
        case ast.UnaryOp(op=op, operand=inner):
            known = fold_constant(inner, names)
            return None if known is None else _UNARY[type(op)](known)
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            join, a, b = _BINARY.get(type(op)), fold_constant(left, names), fold_constant(right, names)
            if join is None or a is None or b is None:
                return None
            texts = isinstance(a, str) or isinstance(b, str)
            return None if texts and isinstance(op, ast.Mult | ast.Mod) else join(a, b)  # "%999999999d" % 1
        case ast.IfExp(test=test, body=body, orelse=other):
            truth = fold_constant(test, names)
            return None if truth is None else fold_constant(body if truth else other, names)
        case ast.NamedExpr(value=inner):
            return fold_constant(inner, names)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CALLS and name not in names:
            values = [fold_constant(arg, names) for arg in args]
            small = name != "round" or len(values) == 1  # round(1, -999999999)
            return _CALLS[name](*values) if small and None not in values else None
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr=kind), args=[inner]) if kind[:3] == "int":
            number = fold_constant(inner, names)
            return None if number is None else int(number)
        case _:
            return None


def is_negative(node: ast.AST | None, names: dict[str, Constant], below: set[str]) -> bool:
    """Whether an expression is below 0, `below` being names that are; what nothing is known of counts as above it."""
    value = fold_constant(node, names)
    if value is not None:
        return not isinstance(value, str) and value < 0
    match node:
        case ast.Name(id=name):
            return name in below
        case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=inner):
            return not is_negative(inner, names, below)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() | ast.FloorDiv(), right=right):
            return is_negative(left, names, below) != is_negative(right, names, below)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return is_negative(left, names, below) and is_negative(right, names, below)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            zero = fold_constant(left, names) == 0
            return (zero or is_negative(left, names, below)) and not is_negative(right, names, below)
        case ast.Call(func=ast.Name(id="int" | "round" | "float"), args=[inner]):
            return is_negative(inner, names, below)
        case _:
            return False
