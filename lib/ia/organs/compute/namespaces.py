"""What an expression finds under its names: the data, `pd`, `np`, `ta`, `math`, the coreutils and a few builtins."""

import builtins
import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ia.kernel.jsontypes import Json
from ia.organs.compute import allowlist
from ia.organs.compute.facade import GUARDS, Denied, Space, Timed, refuse_current_time
from ia.organs.compute.worker_protocol import Told

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


def build_namespace(frame: pd.DataFrame, coreutils: Mapping[str, object]) -> Json:
    """Return the globals of an expression over canonical bars (DatetimeIndex named date, five columns)."""
    names: Json = {name: frame[name] for name in frame.columns}
    names["date"] = pd.Series(frame.index, index=frame.index, name="date")
    names["df"] = frame
    names.update(coreutils)
    names.update(pd=_pandas_space(), np=_numpy_space(), ta=_indicator_space(), math=_math_space())
    names.update({name: guard for name, guard in GUARDS.items() if name[0] == "_"})
    given = {name: getattr(builtins, name) for name in allowlist.BUILTINS if hasattr(builtins, name)}
    given["__import__"] = _import_loaded
    names["__builtins__"] = given
    names["__name__"] = "expression"
    return names


def _import_loaded(
    name: str,
    globals_: Mapping[str, object] | None = None,
    locals_: Mapping[str, object] | None = None,
    fromlist: Sequence[str] = (),
    level: int = 0,
) -> object:
    # The policy has no `import`. C code of numpy and pandas does, and looks this up in the frame that called it.
    if level == 0 and name in sys.modules and name.partition(".")[0] in _IMPORTABLE:
        return __import__(name, globals_, locals_, fromlist, level)
    raise ImportError(name)


def _pick_names(module: object, names: frozenset[str]) -> Json:
    given = {name: getattr(module, name) for name in names if hasattr(module, name)}
    return {name: Timed(value) if name in _OF_TIME else value for name, value in given.items()}


def _pandas_space() -> Space:
    names = _pick_names(pd, allowlist.PANDAS)
    names["offsets"] = Space("pd.offsets", _pick_names(pd.offsets, allowlist.OFFSETS), dir(pd.offsets))
    names["crosstab"], names["pivot_table"] = GUARDS["crosstab"], GUARDS["pivot_table"]
    names["NamedAgg"] = lambda column, aggfunc: (column, aggfunc)
    return Space("pd", names, dir(pd))


def _numpy_space() -> Space:
    names = _pick_names(np, allowlist.NUMPY)
    for name in allowlist.NUMPY_SIZED:
        names[name] = _limit_dtype(
            getattr(np, "zeros" if name == "empty" else "zeros_like" if name == "empty_like" else name)
        )
    names["linalg"] = Space("np.linalg", _pick_names(np.linalg, allowlist.LINEAR_ALGEBRA), dir(np.linalg))
    names["random"] = Space("np.random", _pick_names(np.random, allowlist.RANDOM), dir(np.random))
    return Space("np", names, dir(np))


def _limit_dtype(function: Callable[..., Any]) -> Callable[..., object]:
    def make_array(*args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if dtype is not None:
            kind = np.dtype(dtype._function if isinstance(dtype, Timed) else dtype)
            if kind.kind not in "biufcmMUS":
                raise Denied("arrays of {kind} are not available in expressions", kind=kind)
            if kind.kind == "M":
                refuse_current_time([args, kwargs])
            kwargs["dtype"] = kind
        return function(*args, **kwargs)

    make_array.__name__ = function.__name__
    return make_array


def _math_space() -> Space:
    return Space("math", {name: getattr(math, name) for name in dir(math) if name[0] != "_"}, ())


def _indicator_space() -> Space:
    ta = sys.modules.get("pandas_ta_classic")
    if ta is None:
        return Space("ta", {}, ())
    names: Json = {}
    known = {name for group in ta.Category.values() for name in group}
    for name in known:
        function = vars(ta).get(name) or _loaded_indicator(ta, name)
        if callable(function):
            names[name] = _wrap_indicator(name, function)
    average = _loaded_indicator(ta, "ma")
    if average is not None:
        names["ma"] = _wrap_average(ta)
    return Space("ta", names, known | set(dir(ta)), known)


def _loaded_indicator(ta: Any, name: str) -> Any:
    for group in ta.Category:
        module = sys.modules.get(f"pandas_ta_classic.{group}.{name}")
        if module is not None:
            return getattr(module, name, None)
    return None


def _wrap_indicator(name: str, function: Callable[..., object]) -> Callable[..., Any]:
    """Wrap an indicator: arguments that it does not know are refused, TA-Lib is not used, an empty hand is an error."""

    def call_indicator(*args: object, **kwargs: object) -> Any:
        parameters, extra = _arguments_of(function)
        for key in kwargs:
            if key not in parameters and key not in extra:
                names = ", ".join(p for p in parameters if p != "talib")
                raise NoResult("ta.{name} has no argument {key}; available: {names}", name=name, key=key, names=names)
        average = {**dict(zip(parameters, args, strict=False)), **kwargs}.get("mamode")
        if isinstance(average, str):
            _check_average(average)
        if "talib" in parameters:
            kwargs["talib"] = False
        result = function(*args, **kwargs)
        if result is None:
            raise NoResult("ta.{name} returned no result: too few rows, or an input series is missing", name=name)
        return result

    call_indicator.__name__ = name
    return call_indicator


def _wrap_average(ta: object) -> Callable[..., object]:
    def ma(name: str = "ema", source: object = None, **kwargs: object) -> object:
        _check_average(name)
        return _wrap_indicator(name.lower(), _loaded_indicator(ta, name.lower()))(source, **kwargs)

    return ma


def _check_average(name: str) -> None:
    known = sys.modules["pandas_ta_classic.overlap.ma"].ma()
    if name.lower() not in known:
        raise NoResult(
            "unknown moving average {name}; available: {names}", name=repr(name[:40]), names=", ".join(sorted(known))
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
