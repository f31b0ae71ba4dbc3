"""What of numpy the kernels use, on plain lists: one series of bool, int or float, to the bit as numpy computes it.

Importing numpy costs as much as some 300,000 operations on list elements; the indicators of one share are far below.
Only one dimension and only the names below; exp and log are numpy's own (its last bit is not the C library's), so
an expression that wants them takes numpy. `ia.organs.compute.array_backend` decides.
"""

import contextlib
import math
import operator
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TypeAlias, cast, overload

bool_ = bool
float64 = float
int64 = int
nan = math.nan
_LARGEST = 2**63
_EXACT = 2**53

Operand: TypeAlias = "Array | float"
"""What an operator takes. For a type checker bool and int are floats."""


class Unlike(Exception):
    """numpy might compute this in another way."""


class Array:
    """A one-dimensional array. `dtype` is bool, int or float, the type of all its elements."""

    __slots__ = ("dtype", "values")
    ndim = 1

    def __init__(self, values: list[float], dtype: type) -> None:
        self.values = values
        self.dtype = dtype

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int]:
        return (len(self.values),)

    @overload
    def __getitem__(self, index: int) -> float: ...

    @overload
    def __getitem__(self, index: slice) -> "Array": ...

    def __getitem__(self, index: int | slice) -> Operand:
        return Array(self.values[index], self.dtype) if isinstance(index, slice) else self.values[index]

    def __setitem__(self, index: int | slice, value: "Operand | list[float]") -> None:
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

    def tolist(self) -> list[float]:
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

    def __add__(self, other: Operand) -> "Array":
        return _apply_arithmetic(operator.add, self, other)

    def __radd__(self, other: Operand) -> "Array":
        return _apply_arithmetic(operator.add, other, self)

    def __sub__(self, other: Operand) -> "Array":
        return _apply_arithmetic(operator.sub, self, other)

    def __rsub__(self, other: Operand) -> "Array":
        return _apply_arithmetic(operator.sub, other, self)

    def __mul__(self, other: Operand) -> "Array":
        return _apply_arithmetic(operator.mul, self, other)

    def __rmul__(self, other: Operand) -> "Array":
        return _apply_arithmetic(operator.mul, other, self)

    def __truediv__(self, other: Operand) -> "Array":
        return _divide(self, other)

    def __rtruediv__(self, other: Operand) -> "Array":
        return _divide(other, self)

    def __lt__(self, other: Operand) -> "Array":
        return _compare(operator.lt, self, other)

    def __le__(self, other: Operand) -> "Array":
        return _compare(operator.le, self, other)

    def __gt__(self, other: Operand) -> "Array":
        return _compare(operator.gt, self, other)

    def __ge__(self, other: Operand) -> "Array":
        return _compare(operator.ge, self, other)

    def __eq__(self, other: Operand) -> "Array":  # type: ignore[override]
        return _compare(operator.eq, self, other)

    def __ne__(self, other: Operand) -> "Array":  # type: ignore[override]
        return _compare(operator.ne, self, other)

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Operand) -> "Array":
        return _apply_logical(operator.and_, self, other)

    __rand__ = __and__

    def __or__(self, other: Operand) -> "Array":
        return _apply_logical(operator.or_, self, other)

    __ror__ = __or__


ndarray = Array


def _dtype_of(x: Operand) -> type:
    return x.dtype if isinstance(x, Array) else type(x)


def _align_operands(*operands: Operand) -> list[list[float]]:
    """Return the operands as lists of one length, numbers repeated."""
    sizes = {len(x) for x in operands if isinstance(x, Array)}
    if len(sizes) > 1:
        raise ValueError("the series have different lengths")
    size = sizes.pop()
    return [x.values if isinstance(x, Array) else [x] * size for x in operands]


def _align_floats(*operands: Operand) -> list[list[float]]:
    return _align_operands(
        *(x if _dtype_of(x) is float else x.astype(float) if isinstance(x, Array) else float(x) for x in operands)
    )


def _apply_arithmetic(op: Callable[[float, float], float], a: Operand, b: Operand) -> Array:
    kinds = {_dtype_of(a), _dtype_of(b)}
    if float in kinds:
        return Array(list(map(op, *_align_floats(a, b))), float)
    if bool in kinds:
        raise Unlike
    out = list(map(op, *_align_operands(a, b)))
    if out and (max(out) >= _LARGEST or min(out) < -_LARGEST):
        raise Unlike
    return Array(out, int)


def _divide(a: Operand, b: Operand) -> Array:
    try:
        return Array(list(map(operator.truediv, *_align_floats(a, b))), float)
    except ZeroDivisionError:
        return Array(list(map(_divide_floats, *_align_floats(a, b))), float)


def _divide_floats(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if a != a or a == 0.0 or b != b else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _compare(op: Callable[[float, float], float], a: Operand, b: Operand) -> Array:
    kinds = {_dtype_of(a), _dtype_of(b)}
    same = len(kinds) == 1
    return Array(list(map(op, *(_align_operands(a, b) if same else _align_floats(a, b)))), bool)


def _apply_logical(op: Callable[[bool, bool], bool], a: Operand, b: Operand) -> Array:
    if {_dtype_of(a), _dtype_of(b)} != {bool}:
        raise TypeError("& and | are for truth values")
    return Array(list(map(op, *_align_operands(a, b))), bool)


def _map_values(f: Callable[[float], float], x: Operand, dtype: type = float) -> Operand:
    return Array(list(map(f, x.values)), dtype) if isinstance(x, Array) else dtype(f(x))


def _map_pairs(f: Callable[[float, float], float], a: Operand, b: Operand) -> Operand:
    if not isinstance(a, Array) and not isinstance(b, Array):
        return f(float(a), float(b))
    return Array(list(map(f, *_align_floats(a, b))), float)


def array(values: Iterable[float], dtype: type) -> Array:
    return Array(list(map(dtype, values)), dtype)


def asarray(x: Operand) -> Operand:
    return x


def full(shape: tuple[int, ...], value: float) -> Operand:
    return Array([value] * shape[0], type(value)) if shape else value


def zeros(shape: tuple[int, ...] | int, dtype: type = float) -> Operand:
    return full(shape if isinstance(shape, tuple) else (shape,), dtype(0))


def arange(size: int, dtype: type = int) -> Array:
    return array(range(size), dtype)


def isnan(x: Operand) -> Operand:
    return _map_values(math.isnan, x, bool)


def abs(x: Operand) -> Operand:
    if isinstance(x, Array) and x.dtype is int and x.values and min(x.values) <= -_LARGEST:
        raise Unlike
    return _map_values(operator.abs, x, _dtype_of(x))


def sqrt(x: Operand) -> Operand:
    return _map_values(
        lambda v: math.sqrt(v) if v >= 0.0 else math.nan, x.astype(float, False) if isinstance(x, Array) else x
    )


def sign(x: Operand) -> Operand:
    return _map_values(lambda v: 1.0 if v > 0.0 else -1.0 if v < 0.0 else v if v != v else 0.0, x)


def rint(x: Operand) -> Operand:
    return _map_values(lambda v: math.copysign(float(round(v)), v) if -_EXACT < v < _EXACT else v, x)


def maximum(a: Operand, b: Operand) -> Operand:
    return _map_pairs(lambda x, y: x if x >= y or x != x else y, a, b)


def minimum(a: Operand, b: Operand) -> Operand:
    return _map_pairs(lambda x, y: x if x <= y or x != x else y, a, b)


def _running_maximum(x: Array, axis: int = 0) -> Array:
    def larger(p: float, v: float) -> float:
        return v if v >= p or v != v else p

    return Array(list(accumulate(x.values, larger)), x.dtype)


maximum.accumulate = _running_maximum  # type: ignore[attr-defined]


def clip(x: Operand, low: float, high: float) -> Operand:
    return _map_values(lambda v: low if v < low else high if v > high else v, x)


def where(condition: Operand, a: Operand, b: Operand) -> Operand:
    kinds = {_dtype_of(a), _dtype_of(b)}
    dtype = float if float in kinds else int if int in kinds else bool
    if not any(isinstance(x, Array) for x in (condition, a, b)):
        return cast(float, dtype(cast(float, a if condition else b)))
    tests, first, second = _align_operands(
        condition, *(x if _dtype_of(x) is dtype else _cast_values(x, dtype) for x in (a, b))
    )
    return Array([x if test else y for test, x, y in zip(tests, first, second, strict=True)], dtype)


def _cast_values(x: Operand, dtype: type) -> Operand:
    return x.astype(dtype) if isinstance(x, Array) else dtype(x)


def cumsum(x: Array, axis: int = 0) -> Array:
    return Array(list(accumulate(x.values)), x.dtype)


def diff(x: Array, axis: int = 0) -> Array:
    return _apply_arithmetic(operator.sub, x[1:], x[:-1])


def broadcast_to(x: Operand, shape: tuple[int, ...]) -> Array:
    if isinstance(x, Array):
        if x.shape != shape:
            raise ValueError("the series have different lengths")
        return x
    return Array([x] * shape[0], type(x))


def argsort(x: Array, axis: int = 0, kind: str = "stable") -> Array:
    order: list[int] = sorted(range(len(x)), key=x.values.__getitem__)
    return Array([*order], int)


def take_along_axis(x: Array, order: Array, axis: int = 0) -> Array:
    return Array([x.values[i] for i in cast("list[int]", order.values)], x.dtype)


def put_along_axis(x: Array, order: Array, values: Array, axis: int = 0) -> None:
    for i, value in zip(cast("list[int]", order.values), values.values, strict=True):
        x.values[i] = value


def errstate(**_: str) -> "contextlib.nullcontext[None]":
    return contextlib.nullcontext()
