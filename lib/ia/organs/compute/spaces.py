"""What an expression finds under its names: the data, `pd`, `np`, `ta`, `math`, the coreutils and a few builtins."""

import builtins
import inspect
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ia.organs.compute import allow
from ia.organs.compute.facade import GUARDS, Denied, Space, Timed, without_clock
from ia.organs.compute.wire import Told

MAX_ELEMENTS = 50_000_000
_IMPORTABLE = frozenset(
    (
        "numpy",
        "pandas",
        "_strptime",
        "time",
        "datetime",
        "re",
        "math",
        "zoneinfo",
        "calendar",
        "locale",
        "_pydatetime",
        "dateutil",
    )
)


_OF_TIME = frozenset(
    (
        "Timestamp",
        "Period",
        "DatetimeIndex",
        "PeriodIndex",
        "to_datetime",
        "date_range",
        "bdate_range",
        "period_range",
        "datetime64",
    )
)


class NoResult(Told):
    """An indicator that had too few rows, or arguments that it does not take."""


def namespace(frame: pd.DataFrame, coreutils: dict[str, Any]) -> dict[str, Any]:
    """Return the globals of an expression over canonical bars (DatetimeIndex named date, five columns)."""
    names: dict[str, Any] = {name: frame[name] for name in frame.columns}
    names["date"] = pd.Series(frame.index, index=frame.index, name="date")
    names["df"] = frame
    names.update(coreutils)
    names.update(pd=_pandas(), np=_numpy(), ta=_indicators(), math=_mathematics())
    names.update({name: guard for name, guard in GUARDS.items() if name[0] == "_"})
    given = {name: getattr(builtins, name) for name in allow.BUILTINS if hasattr(builtins, name)}
    given["__import__"] = _loaded_only
    names["__builtins__"] = given
    names["__name__"] = "expression"
    return names


def _loaded_only(name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    # The policy has no `import`. C code of numpy and pandas does, and looks this up in the frame that called it.
    if level == 0 and name in sys.modules and name.partition(".")[0] in _IMPORTABLE:
        return __import__(name, globals_, locals_, fromlist, level)
    raise ImportError(name)


def _pick(module: Any, names: frozenset[str]) -> dict[str, Any]:
    given = {name: getattr(module, name) for name in names if hasattr(module, name)}
    return {name: Timed(value) if name in _OF_TIME else value for name, value in given.items()}


def _pandas() -> Space:
    names = _pick(pd, allow.PANDAS)
    names["offsets"] = Space("pd.offsets", _pick(pd.offsets, allow.OFFSETS), dir(pd.offsets))
    names["crosstab"], names["pivot_table"] = GUARDS["crosstab"], GUARDS["pivot_table"]
    names["NamedAgg"] = lambda column, aggfunc: (column, aggfunc)
    return Space("pd", names, dir(pd))


def _numpy() -> Space:
    names = _pick(np, allow.NUMPY)
    for name in allow.NUMPY_SIZED:
        names[name] = _sized(
            getattr(np, "zeros" if name == "empty" else "zeros_like" if name == "empty_like" else name)
        )
    names["linalg"] = Space("np.linalg", _pick(np.linalg, allow.LINEAR_ALGEBRA), dir(np.linalg))
    names["random"] = Space("np.random", _pick(np.random, allow.RANDOM), dir(np.random))
    return Space("np", names, dir(np))


def _sized(function: Callable[..., Any]) -> Callable[..., Any]:
    def make(*args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if dtype is not None:
            kind = np.dtype(dtype._function if isinstance(dtype, Timed) else dtype)
            if kind.kind not in "biufcmMUS":
                raise Denied("arrays of {kind} are not available in expressions", kind=kind)
            if kind.kind == "M":
                without_clock([args, kwargs])
            kwargs["dtype"] = kind
        return function(*args, **kwargs)

    make.__name__ = function.__name__
    return make


def _mathematics() -> Space:
    return Space("math", {name: getattr(math, name) for name in dir(math) if name[0] != "_"}, ())


def _indicators() -> Space:
    ta = sys.modules.get("pandas_ta_classic")
    if ta is None:
        return Space("ta", {}, ())
    names: dict[str, Any] = {}
    known = {name for group in ta.Category.values() for name in group}
    for name in known:
        function = vars(ta).get(name) or _loaded_indicator(ta, name)
        if callable(function):
            names[name] = _indicator(name, function)
    average = _loaded_indicator(ta, "ma")
    if average is not None:
        names["ma"] = _average(ta)
    return Space("ta", names, known | set(dir(ta)), known)


def _loaded_indicator(ta: Any, name: str) -> Any:
    for group in ta.Category:
        module = sys.modules.get(f"pandas_ta_classic.{group}.{name}")
        if module is not None:
            return getattr(module, name, None)
    return None


def _indicator(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap an indicator: arguments that it does not know are refused, TA-Lib is not used, an empty hand is an error."""

    def calculate(*args: Any, **kwargs: Any) -> Any:
        parameters, extra = _arguments_of(function)
        for key in kwargs:
            if key not in parameters and key not in extra:
                names = ", ".join(p for p in parameters if p != "talib")
                raise NoResult("ta.{name} has no argument {key}; it takes {names}", name=name, key=key, names=names)
        average = {**dict(zip(parameters, args, strict=False)), **kwargs}.get("mamode")
        if isinstance(average, str):
            _check_average(average)
        if "talib" in parameters:
            kwargs["talib"] = False
        result = function(*args, **kwargs)
        if result is None:
            raise NoResult("ta.{name} has no result: too few rows, or a series that is missing", name=name)
        return result

    calculate.__name__ = name
    return calculate


def _average(ta: Any) -> Callable[..., Any]:
    def ma(name: str = "ema", source: Any = None, **kwargs: Any) -> Any:
        _check_average(name)
        return _indicator(name.lower(), _loaded_indicator(ta, name.lower()))(source, **kwargs)

    return ma


def _check_average(name: str) -> None:
    known = sys.modules["pandas_ta_classic.overlap.ma"].ma()
    if name.lower() not in known:
        raise NoResult(
            "there is no moving average {name}; there are {names}", name=repr(name[:40]), names=", ".join(sorted(known))
        )


def _arguments_of(function: Any) -> tuple[list[str], frozenset[str]]:
    """Return the named parameters, and the keys that the body asks its **kwargs for."""
    signature = inspect.signature(function)
    named = [p.name for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    extra: set[str] = {"fillna", "fill_method"}
    inner = inspect.unwrap(function)
    code = getattr(inner, "__code__", None)
    if code is not None:
        extra.update(c for c in code.co_consts if isinstance(c, str) and c.isidentifier())
    return named, frozenset(extra)
