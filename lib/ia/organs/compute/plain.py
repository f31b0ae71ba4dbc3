"""What of numpy the kernels use, on plain lists: one series of bool, int or float, to the bit as numpy computes it.

Importing numpy costs as much as some 300,000 operations on list elements; the indicators of one share are far below.
Only one dimension and only the names below; exp and log are numpy's own (its last bit is not the C library's), so
an expression that wants them takes numpy. `ia.organs.compute.arrays` decides.
"""

import contextlib
import math
import operator
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

bool_ = bool
float64 = float
int64 = int
nan = math.nan
_LARGEST = 2**63
_EXACT = 2**53


class Unlike(Exception):
    """numpy might compute this in another way."""


class Array:
    """A one-dimensional array. `dtype` is bool, int or float, the type of all its elements."""

    __slots__ = ("dtype", "values")
    ndim = 1

    def __init__(self, values: list[Any], dtype: type) -> None:
        self.values = values
        self.dtype = dtype

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int]:
        return (len(self.values),)

    def __getitem__(self, index: Any) -> Any:
        part = self.values[index]
        return Array(part, self.dtype) if isinstance(index, slice) else part

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, slice):
            self.values[index] = self.dtype(value)
            return
        start, stop, _ = index.indices(len(self.values))
        new = value.values if isinstance(value, Array) else value
        if not isinstance(new, list):
            new = [new] * (stop - start)
        if len(new) != max(stop - start, 0):
            raise ValueError("the parts have different lengths")
        self.values[start:stop] = new if not new or isinstance(new[0], self.dtype) else list(map(self.dtype, new))

    def tolist(self) -> list[Any]:
        return list(self.values)

    def copy(self) -> "Array":
        return Array(list(self.values), self.dtype)

    def any(self) -> bool:
        return True in self.values

    def astype(self, dtype: type, copy: bool = True) -> "Array":
        if dtype is self.dtype and not copy:
            return self
        return Array(list(map(dtype, self.values)), dtype)

    def __neg__(self) -> "Array":
        if self.dtype is bool:
            raise TypeError("the sign of truth values")
        return Array(list(map(operator.neg, self.values)), self.dtype)

    def __invert__(self) -> "Array":
        if self.dtype is not bool:
            raise TypeError("~ is for truth values")
        return Array(list(map(operator.not_, self.values)), bool)

    def __add__(self, other: Any) -> "Array":
        return _arithmetic(operator.add, self, other)

    def __radd__(self, other: Any) -> "Array":
        return _arithmetic(operator.add, other, self)

    def __sub__(self, other: Any) -> "Array":
        return _arithmetic(operator.sub, self, other)

    def __rsub__(self, other: Any) -> "Array":
        return _arithmetic(operator.sub, other, self)

    def __mul__(self, other: Any) -> "Array":
        return _arithmetic(operator.mul, self, other)

    def __rmul__(self, other: Any) -> "Array":
        return _arithmetic(operator.mul, other, self)

    def __truediv__(self, other: Any) -> "Array":
        return _divided(self, other)

    def __rtruediv__(self, other: Any) -> "Array":
        return _divided(other, self)

    def __lt__(self, other: Any) -> "Array":
        return _compared(operator.lt, self, other)

    def __le__(self, other: Any) -> "Array":
        return _compared(operator.le, self, other)

    def __gt__(self, other: Any) -> "Array":
        return _compared(operator.gt, self, other)

    def __ge__(self, other: Any) -> "Array":
        return _compared(operator.ge, self, other)

    def __eq__(self, other: object) -> Any:
        return _compared(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _compared(operator.ne, self, other)

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Any) -> "Array":
        return _logical(operator.and_, self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> "Array":
        return _logical(operator.or_, self, other)

    __ror__ = __or__


ndarray = Array


def _type(x: Any) -> type:
    return x.dtype if isinstance(x, Array) else type(x)


def _columns(*operands: Any) -> list[list[Any]]:
    """Return the operands as lists of one length, numbers repeated."""
    sizes = {len(x) for x in operands if isinstance(x, Array)}
    if len(sizes) > 1:
        raise ValueError("the series have different lengths")
    size = sizes.pop()
    return [x.values if isinstance(x, Array) else [x] * size for x in operands]


def _floats(*operands: Any) -> list[list[float]]:
    return _columns(
        *(x if _type(x) is float else x.astype(float) if isinstance(x, Array) else float(x) for x in operands)
    )


def _arithmetic(op: Callable[[Any, Any], Any], a: Any, b: Any) -> Array:
    kinds = {_type(a), _type(b)}
    if float in kinds:
        return Array(list(map(op, *_floats(a, b))), float)
    if bool in kinds:
        raise Unlike
    out = list(map(op, *_columns(a, b)))
    if out and (max(out) >= _LARGEST or min(out) < -_LARGEST):
        raise Unlike
    return Array(out, int)


def _divided(a: Any, b: Any) -> Array:
    try:
        return Array(list(map(operator.truediv, *_floats(a, b))), float)
    except ZeroDivisionError:
        return Array(list(map(_quotient, *_floats(a, b))), float)


def _quotient(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if a != a or a == 0.0 or b != b else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _compared(op: Callable[[Any, Any], Any], a: Any, b: Any) -> Array:
    kinds = {_type(a), _type(b)}
    same = len(kinds) == 1
    return Array(list(map(op, *(_columns(a, b) if same else _floats(a, b)))), bool)


def _logical(op: Callable[[Any, Any], Any], a: Any, b: Any) -> Array:
    if {_type(a), _type(b)} != {bool}:
        raise TypeError("& and | are for truth values")
    return Array(list(map(op, *_columns(a, b))), bool)


def _each(f: Callable[[Any], Any], x: Any, dtype: type = float) -> Any:
    return Array(list(map(f, x.values)), dtype) if isinstance(x, Array) else dtype(f(x))


def _pairs(f: Callable[[float, float], float], a: Any, b: Any) -> Any:
    if not isinstance(a, Array) and not isinstance(b, Array):
        return f(float(a), float(b))
    return Array(list(map(f, *_floats(a, b))), float)


def array(values: Iterable[Any], dtype: type) -> Array:
    return Array(list(map(dtype, values)), dtype)


def asarray(x: Any) -> Any:
    return x


def full(shape: tuple[int, ...], value: Any) -> Any:
    return Array([value] * shape[0], type(value)) if shape else value


def zeros(shape: tuple[int, ...] | int, dtype: type = float) -> Any:
    return full(shape if isinstance(shape, tuple) else (shape,), dtype(0))


def arange(size: int, dtype: type = int) -> Array:
    return array(range(size), dtype)


def isnan(x: Any) -> Any:
    return _each(math.isnan, x, bool)


def abs(x: Any) -> Any:
    if isinstance(x, Array) and x.dtype is int and x.values and min(x.values) <= -_LARGEST:
        raise Unlike
    return _each(operator.abs, x, _type(x))


def sqrt(x: Any) -> Any:
    return _each(
        lambda v: math.sqrt(v) if v >= 0.0 else math.nan, x.astype(float, False) if isinstance(x, Array) else x
    )


def sign(x: Any) -> Any:
    return _each(lambda v: 1.0 if v > 0.0 else -1.0 if v < 0.0 else v if v != v else 0.0, x)


def rint(x: Any) -> Any:
    return _each(lambda v: math.copysign(float(round(v)), v) if -_EXACT < v < _EXACT else v, x)


def maximum(a: Any, b: Any) -> Any:
    return _pairs(lambda x, y: x if x >= y or x != x else y, a, b)


def minimum(a: Any, b: Any) -> Any:
    return _pairs(lambda x, y: x if x <= y or x != x else y, a, b)


def _running_maximum(x: Array, axis: int = 0) -> Array:
    return Array(list(accumulate(x.values, lambda p, v: v if v >= p or v != v else p)), x.dtype)


maximum.accumulate = _running_maximum  # type: ignore[attr-defined]


def clip(x: Any, low: float, high: float) -> Any:
    return _each(lambda v: low if v < low else high if v > high else v, x)


def where(condition: Any, a: Any, b: Any) -> Any:
    kinds = {_type(a), _type(b)}
    dtype = float if float in kinds else int if int in kinds else bool
    if not any(isinstance(x, Array) for x in (condition, a, b)):
        return dtype(a if condition else b)
    tests, first, second = _columns(condition, *(x if _type(x) is dtype else _cast(x, dtype) for x in (a, b)))
    return Array([x if test else y for test, x, y in zip(tests, first, second, strict=True)], dtype)


def _cast(x: Any, dtype: type) -> Any:
    return x.astype(dtype) if isinstance(x, Array) else dtype(x)


def cumsum(x: Array, axis: int = 0) -> Array:
    return Array(list(accumulate(x.values)), x.dtype)


def diff(x: Array, axis: int = 0) -> Array:
    return _arithmetic(operator.sub, x[1:], x[:-1])


def broadcast_to(x: Any, shape: tuple[int, ...]) -> Array:
    if isinstance(x, Array):
        if x.shape != shape:
            raise ValueError("the series have different lengths")
        return x
    return Array([x] * shape[0], type(x))


def argsort(x: Array, axis: int = 0, kind: str = "stable") -> Array:
    return Array(sorted(range(len(x)), key=x.values.__getitem__), int)


def take_along_axis(x: Array, order: Array, axis: int = 0) -> Array:
    return Array([x.values[i] for i in order.values], x.dtype)


def put_along_axis(x: Array, order: Array, values: Array, axis: int = 0) -> None:
    for i, value in zip(order.values, values.values, strict=True):
        x.values[i] = value


def errstate(**_: str) -> "contextlib.nullcontext[None]":
    return contextlib.nullcontext()
