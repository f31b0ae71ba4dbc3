"""The guards behind every attribute, item, write and call of an expression: layer two of the sandbox.

Runs in the worker. A value has the attributes that `ia.organs.compute.allowlist` lists for its type, a value of another
type has none, and `pd`, `np`, `ta`, `math` are closed namespaces, never modules. Texts that pandas would look up as
the name of a method are compared with a list of reductions first.
"""

import operator
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ia.kernel.jsontypes import Json
from ia.organs.compute import allowlist
from ia.organs.compute.worker_protocol import FILENAME, SETTABLE, Told

_MISSING = object()
CLOCK = "{word} reads this machine's clock, which expressions cannot access"
_NO_REDUCTION = "{name} is not an available aggregation; give a function instead"


Method: TypeAlias = Callable[..., Any]
"""A function of pandas or numpy, or one that stands in for it: it takes what that one takes."""


class Denied(Told):
    """The expression asked for something that the sandbox does not give."""


class Absent(Told):
    """The expression named an attribute or a function that nobody has; `near` are the names that exist."""

    def __init__(self, what: str, name: str, near: Iterable[str]) -> None:
        super().__init__("{what} has no {name}", what=what, name=name)
        self.name, self.near = name, sorted(near)[:1000]


class Space:
    """A closed namespace such as `pd`: names to values, and the names that exist but are not given away."""

    __slots__ = ("_known", "_names", "_offered", "_title")

    def __init__(
        self, title: str, names: Mapping[str, object], known: Iterable[str], offered: Iterable[str] = ()
    ) -> None:
        self._title, self._names, self._known = title, names, frozenset(known)
        self._offered = frozenset(offered) or frozenset(names)

    def __repr__(self) -> str:
        return f"<{self._title}>"


class Timed:
    """A class or function of pandas or numpy that reads texts as times, without the words for this machine's clock."""

    __slots__ = ("_function",)

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        refuse_current_time([args, kwargs])
        return self._function(*args, **kwargs)

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, self._function)

    def __repr__(self) -> str:
        return f"<{self._function.__name__}>"


def refuse_current_time(value: object, depth: int = 0) -> None:
    """Raise Denied where a text among the values, lists and columns of texts opened, means now or today."""
    if isinstance(value, str):
        if str(value).strip().lower() in ("now", "today"):
            raise Denied(CLOCK, word=repr(str(value)[:20]))
    elif isinstance(value, dict):
        refuse_current_time(list(value.values()), depth)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value if depth < 4 else ():
            refuse_current_time(item, depth + 1)
    elif isinstance(value, pd.Series | pd.Index | np.ndarray) and getattr(value.dtype, "kind", "O") in "OUST":
        refuse_current_time(np.asarray(value).ravel().tolist(), depth)
    elif isinstance(value, pd.DataFrame):
        refuse_current_time([value[name] for name in value.columns], depth)


def _resolve_class(path: str) -> type | None:
    """Return the class at a dotted path, None where this version of the library has none."""
    parts = path.split(".")
    import sys

    for cut in range(len(parts) - 1, 0, -1):
        found: Any = sys.modules.get(".".join(parts[:cut]))
        if found is not None:
            for part in parts[cut:]:
                found = getattr(found, part, None)
            return found if isinstance(found, type) else None
    return None


_LISTED = tuple((kind, names) for path, names in allowlist.ATTRIBUTES if (kind := _resolve_class(path)) is not None)
_WRITABLE = tuple(kind for path in allowlist.WRITABLE if (kind := _resolve_class(path)) is not None)
_CLASS_METHODS = {
    kind: names for path, names in allowlist.CLASS_METHODS.items() if (kind := _resolve_class(path)) is not None
}
_OVER_A_FRAME = tuple(
    kind
    for name in ("DataFrameGroupBy", "Resampler", "Rolling", "Expanding", "ExponentialMovingWindow")
    if (kind := _resolve_class(f"pandas.api.typing.{name}")) is not None
)
_NAMES_OF: dict[type, frozenset[str]] = {}


def attributes_of(kind: type) -> frozenset[str]:
    """Return the names of attributes that values of a type have in an expression."""
    try:
        return _NAMES_OF[kind]
    except KeyError:
        names = next((names for listed, names in _LISTED if issubclass(kind, listed)), frozenset())
        _NAMES_OF[kind] = names
        return names


def get_attribute(value: Any, name: str) -> Any:
    """`value.name` as an expression sees it; raises Denied, or Absent where it is a slip of the pen."""
    if type(name) is not str or name[:1] == "_":
        raise Denied("names that begin with an underscore are not allowed")
    kind = type(value)
    if kind is Space:
        try:
            return value._names[name]
        except KeyError:
            raise refuse_name(value._title, name, value._known, value._offered) from None
    if kind is np.ndarray and name in _QUICK_METHODS:
        return partial(_QUICK_METHODS[name], value)
    if kind in _READERS:
        return _READERS[kind](value, name)
    if kind is Timed:
        return get_attribute(value._function, name)
    return _get_listed(value, kind, name)


def _get_listed(value: Any, kind: Any, name: str) -> Any:
    """Return an attribute that is listed for a type, or a column of a table that has this name."""
    if name in attributes_of(kind):
        found = getattr(value, name, _MISSING)
        if found is _MISSING:
            raise Absent(kind.__name__, name, attributes_of(kind))
        return _guard_method(value, name, found)
    if isinstance(value, pd.DataFrame) and name in value.columns:
        return value[name]
    if isinstance(value, pd.Series) and value.index.dtype.kind in "OUT" and name in value.index:
        return value[name]
    if issubclass(kind, _OVER_A_FRAME) and isinstance(value.obj, pd.DataFrame) and name in value.obj.columns:
        return value[name]
    if isinstance(value, tuple) and name in getattr(kind, "_fields", ()):
        return value[kind._fields.index(name)]
    if isinstance(value, type) and name in _CLASS_METHODS.get(value, ()):
        return getattr(value, name)
    shown = _type_name(value)
    if _has_attribute(value, name):
        raise Denied("{name} is not available in expressions", name=f"{shown}.{name}")
    near = attributes_of(kind)
    raise Absent(shown, name, near | set(map(str, value.columns)) if isinstance(value, pd.DataFrame) else near)


def _type_name(value: object) -> str:
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.MethodType):
        return "function"
    return str(getattr(value if isinstance(value, type) else type(value), "__name__", "value"))


def _has_attribute(value: object, name: str) -> bool:
    """Whether the type (or the class itself) has the name, found without running any of its code."""
    classes = value.__mro__ if isinstance(value, type) else type(value).__mro__
    return any(name in vars(c) for c in classes) or name in (getattr(classes[0], "_accessors", None) or ())


def refuse_name(title: str, name: str, known: Iterable[str], offered: Iterable[str]) -> Told:
    """Return why a closed namespace does not give a name."""
    if name in known:
        return Denied("{name} is not available in expressions", name=f"{title}.{name}")
    return Absent(title, name, offered)


_READERS: dict[type, Callable[[Any, str], Any]] = {}


def register_reader(kind: type, reader: Callable[[Any, str], Any]) -> None:
    """Let values of a type have the attributes that a function gives, and no others; it raises `refuse_name`."""
    _READERS[kind] = reader


def _mean_of_array(array: Any, *args: Any, **kwargs: Any) -> Any:
    """Return what array.mean() gives, of a row of floats without numpy's own function around it: in half the time."""
    if args or kwargs or array.dtype is not _FLOAT or array.ndim != 1 or not array.size:
        return array.mean(*args, **kwargs)
    return _add_up(array) / array.size


_FLOAT, _add_up = np.dtype(np.float64), np.add.reduce
_QUICK_METHODS: dict[str, Method] = {"mean": _mean_of_array}


# --- texts that pandas takes for the name of a method ---------------------------------------------------------------


def check_reduction(what: object) -> Any:
    """Return a copy of what agg, apply, transform or pivot_table was given, once each text in it is a listed reduction.

    A copy, because the original could be changed by a function of the expression while pandas walks it.
    """
    if isinstance(what, str):
        if str(what) not in allowlist.REDUCTIONS:
            raise Denied(_NO_REDUCTION, name=repr(str(what)[:60]))
        return str(what)
    if type(what) is list or isinstance(what, tuple):
        return [check_reduction(item) for item in what]
    if type(what) is dict:
        return {key: check_reduction(item) for key, item in what.items()}
    if what is None or isinstance(
        what, types.FunctionType | types.BuiltinFunctionType | types.MethodType | np.ufunc | type | Timed
    ):
        return what
    if type(what).__name__ == "_ArrayFunctionDispatcher":
        return what
    raise Denied("expected a function or the name of an aggregation, got {name}", name=type(what).__name__)


def _check_named_reduction(value: object) -> Any:
    """`x=("close", "mean")` of a grouped agg: the column may have any name, the rest may not."""
    if isinstance(value, tuple) and len(value) > 1:
        return (value[0], *(check_reduction(item) for item in value[1:]))
    return check_reduction(value)


def _guard_aggregate(method: Method) -> Method:
    def call_aggregate(func: Any = None, *args: Any, **kwargs: Any) -> Any:
        _remove_engine(kwargs)
        if func is None:
            return method(**{key: _check_named_reduction(value) for key, value in kwargs.items()})
        return method(check_reduction(func), *args, **kwargs)

    return call_aggregate


def _guard_map(method: Method) -> Method:
    def call_map(func: Any, *args: Any, **kwargs: Any) -> Any:
        _remove_engine(kwargs)
        if isinstance(func, str):
            raise Denied("map() takes a function or a dict")
        return method(func, *args, **kwargs)

    return call_map


def _guard_pipe(value: object) -> Method:
    def call_pipe(func: Any, *args: Any, **kwargs: Any) -> Any:
        if not callable(func):
            raise Denied("pipe() takes a function")
        return func(value, *args, **kwargs)

    return call_pipe


def _guard_pivot_table(method: Method) -> Method:
    def call_pivot_table(*args: Any, aggfunc: Any = "mean", **kwargs: Any) -> Any:
        if len(args) > 3:
            raise TypeError("pivot_table() takes aggfunc by name")
        return method(*args, aggfunc=check_reduction(aggfunc), **kwargs)

    return call_pivot_table


def _crosstab(index: Any, columns: Any, values: Any = None, *, aggfunc: Any = None, **kwargs: Any) -> Any:
    return pd.crosstab(index, columns, values=values, aggfunc=check_reduction(aggfunc), **kwargs)


def _pivot_table(data: pd.DataFrame, *args: object, **kwargs: object) -> Any:
    if not isinstance(data, pd.DataFrame):
        raise TypeError("pivot_table() needs a DataFrame")
    return _guard_pivot_table(data.pivot_table)(*args, **kwargs)


def _guard_rolling(method: Method) -> Method:
    def call_rolling(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("win_type") is not None or kwargs.get("method", "single") != "single" or len(args) > 3:
            raise Denied("{name} is not available in expressions", name="rolling(win_type=, method=)")
        return method(*args, **kwargs)

    return call_rolling


def _guard_engine(method: Method) -> Method:
    def call_without_engine(*args: Any, **kwargs: Any) -> Any:
        refuse_current_time([args, kwargs])
        return method(*args, **_remove_engine(kwargs))

    return call_without_engine


def _remove_engine(kwargs: Json) -> Json:
    kwargs.pop("engine", None)
    kwargs.pop("engine_kwargs", None)
    return kwargs


_WRAPPERS: dict[str, Callable[[Method], Method]] = {
    **dict.fromkeys(("agg", "aggregate", "apply", "transform"), _guard_aggregate),
    "map": _guard_map,
    "pivot_table": _guard_pivot_table,
    "rolling": _guard_rolling,
}


_INNER = (types.ModuleType, types.FrameType, types.CodeType)


def _guard_method(value: Any, name: str, found: Any) -> Any:
    if type(found) is types.BuiltinMethodType:
        return found
    if isinstance(found, _INNER):
        raise Denied("{name} is not available in expressions", name=name)
    if isinstance(found, types.MethodType):
        if name == "pipe":
            return _guard_pipe(value)
        if type(value).__module__.partition(".")[0] == "pandas":
            return _WRAPPERS.get(name, _guard_engine)(found)
    return found


# --- items, writes, calls, iteration --------------------------------------------------------------------------------


_WITHOUT_ITEMS = (type, Space, Timed)
_PLACES = (int, slice)
"""Keys that hold no text of a time: a slice is read by what is indexed."""


def get_item(value: Any, key: Any) -> Any:
    """`value[key]`; a class or a namespace has no items."""
    if type(value) is np.ndarray and type(key) in _PLACES:
        return value[key]
    if isinstance(value, _WITHOUT_ITEMS):
        raise Denied("this object cannot be indexed with []")
    if type(key) not in _PLACES and not isinstance(value, dict):
        refuse_current_time(key)
    return value[key]


class _Items:
    """What `_write_` hands out: one can assign to its items, and to the labels of a pandas object."""

    __slots__ = ("_target",)
    _target: Any

    def __init__(self, target: object) -> None:
        object.__setattr__(self, "_target", target)

    def __setitem__(self, key: object, value: object) -> None:
        kind = type(self._target)
        if not issubclass(kind, _WRITABLE):
            raise Denied("{name} objects do not support item assignment", name=kind.__name__)
        if not isinstance(self._target, dict | list):
            refuse_current_time([key, value])
        self._target[key] = value

    def __setattr__(self, name: str, value: object) -> None:
        if name not in SETTABLE or not isinstance(self._target, pd.DataFrame | pd.Series | pd.Index):
            raise Denied("cannot set attribute .{name}", name=name)
        setattr(self._target, name, value)


def guard_write(value: object) -> _Items:
    """Return the object through which `value[key] = ...` goes."""
    return _Items(value)


def call_function(function: Method, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, stars included; no keyword begins with an underscore."""
    for key in kwargs:
        if key[:1] == "_":
            raise Denied("names that begin with an underscore are not allowed")
    return function(*args, **kwargs)


def iterate_values(value: Any) -> Iterator[Any]:
    """`for ... in value`."""
    return iter(value)


def unpack_sequence(value: object, spec: Json, getiter: Callable[[object], Iterator[object]]) -> list[Any]:
    """`a, (b, c) = value`: what RestrictedPython's own guard does."""
    items = list(getiter(value))
    if not spec["childs"]:
        return items
    if len(items) >= spec["min_len"]:
        for index, inner in spec["childs"]:
            items[index] = unpack_sequence(items[index], inner, getiter)
    return items


def iterate_unpacked(values: object, spec: Json, getiter: Callable[[Any], Iterator[Any]]) -> Iterator[list[Any]]:
    """`for a, b in values`."""
    for value in getiter(values):
        yield unpack_sequence(value, spec, getiter)


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.add, "-=": operator.sub, "*=": operator.mul, "/=": operator.truediv, "//=": operator.floordiv,
    "%=": operator.mod, "**=": operator.pow, "&=": operator.and_, "|=": operator.or_, "^=": operator.xor,
    "@=": operator.matmul, "<<=": operator.lshift, ">>=": operator.rshift,
}  # fmt: skip


def operate_in_place(symbol: str, left: object, right: object) -> Any:
    """`left += right` makes a new value: what other names hold does not change under them."""
    return _IN_PLACE[symbol](left, right)


def operate_on_item(symbol: str, container: object, key: object, value: object) -> None:
    """`container[key] += value`."""
    guard_write(container)[key] = operate_in_place(symbol, get_item(container, key), value)


GUARDS: Json = {
    "_getattr_": get_attribute,
    "_getitem_": get_item,
    "_getiter_": iterate_values,
    "_write_": guard_write,
    "_apply_": call_function,
    "_unpack_sequence_": unpack_sequence,
    "_iter_unpack_sequence_": iterate_unpacked,
    "_inplacevar_": operate_in_place,
    "_inplaceitem_": operate_on_item,
    "crosstab": _crosstab,
    "pivot_table": _pivot_table,
}


def line_of(error: BaseException) -> int | None:
    """Return the line of the expression in which an exception was raised, None where it was not raised in one."""
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == FILENAME:
            line = step.tb_lineno
        step = step.tb_next
    return line
