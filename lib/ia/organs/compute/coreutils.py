"""The coreutils for expressions over pandas: the functions of functions.py on Series and DataFrames.

A Series (one symbol) gives a Series with its index, named like RSI_14; what has several results gives a DataFrame
(macd: macd, signal, histogram; bbands: upper, middle, lower). A DataFrame (dates x symbols) gives a DataFrame of the
same figures column by column; several results are then a dict of DataFrames, so that ["signal"] works on both. Arrays
and lists of numbers are taken too, and give arrays. Inputs must share their dates: nothing is aligned silently.
"""

import builtins
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ia.organs.compute.functions import (
    FUNCTIONS,
    MUST_BE,
    REDUCTIONS,
    Columns,
    Function,
    Misfit,
    SeriesColumn,
    apply_function,
)


def coreutil_namespace() -> dict[str, Callable[..., object]]:
    """Return the coreutils by name, for the namespace of an expression (`abs` is Python's own)."""
    return {"abs": builtins.abs, **{name: _wrap_function(f) for name, f in FUNCTIONS.items()}}


def __getattr__(name: str) -> Callable[..., object]:
    """``from ia.organs.compute.coreutils import rsi``."""
    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _wrap_function(FUNCTIONS[name])


def _wrap_function(f: Function) -> Callable[..., Any]:
    def call_coreutil(*args: Any, **kwargs: Any) -> Any:
        if f.name in REDUCTIONS:
            return _reduce_pandas(f, args, kwargs)
        frames = _Frames(f)
        out = apply_function(
            f, [frames.unwrap_input(v) for v in args], {name: frames.unwrap_input(v) for name, v in kwargs.items()}
        )
        return frames.wrap_result(out)

    call_coreutil.__name__ = call_coreutil.__qualname__ = f.name
    call_coreutil.__doc__ = f.doc
    return call_coreutil


def _reduce_pandas(f: Function, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
    """latest, prev: of a Series its value (a date as well), of a DataFrame its row."""
    import pandas as pd

    from ia.organs.compute.functions import bind_arguments

    bound = bind_arguments(f, args, kwargs)
    x, back = bound["x"], bound.get("n", 0)
    if isinstance(x, pd.Series | pd.DataFrame):
        if back < len(x):
            out = x.iloc[-1 - back]
        else:
            out = np.nan if isinstance(x, pd.Series) else pd.Series(np.nan, index=x.columns)
        return out.item() if isinstance(out, np.generic) else out
    if isinstance(x, np.ndarray | list | tuple):
        out = apply_function(f, [SeriesColumn(np.asarray(x))], {"n": back} if f.params else {})
        return out.values if isinstance(out, SeriesColumn) else out
    if callable(x) or isinstance(x, dict):
        raise Misfit(MUST_BE, function=f.name, param="x", what="a series or a number", value=_describe_kind(x))
    return x


def _describe_kind(x: Any) -> str:
    return "a function" if callable(x) else f"a dict of {', '.join(map(str, x))}"


class _Frames:
    """Takes the arrays out of the inputs of one call, and gives its results their index back."""

    def __init__(self, f: Function) -> None:
        self.f = f
        self.index: Any = None
        self.columns: Any = None

    def unwrap_input(self, v: object) -> object:
        import pandas as pd

        if isinstance(v, pd.Series | pd.DataFrame):
            self._check_same_dates(v.index)
            if isinstance(v, pd.DataFrame):
                if self.columns is not None and not self.columns.equals(v.columns):
                    raise Misfit(
                        "{function}: the frames have different columns; select the same columns", function=self.f.name
                    )
                self.columns = v.columns
                return SeriesColumn(
                    self._check_numeric(v.to_numpy() if len(set(v.dtypes)) == 1 else v.astype(float).to_numpy())
                )
            name = v.name if isinstance(v.name, str) else None
            return SeriesColumn(self._check_numeric(_to_numpy(v)), name)
        if isinstance(v, np.ndarray):
            if v.ndim not in (1, 2):
                return v.item() if v.ndim == 0 else self._check_numeric(v)
            return SeriesColumn(self._check_numeric(v))
        if isinstance(v, list | tuple):
            return SeriesColumn(self._check_numeric(np.asarray(v)))
        return v.item() if isinstance(v, np.generic) else v

    def _check_same_dates(self, index: object) -> None:
        if self.index is not None and self.index is not index and not self.index.equals(index):
            raise Misfit("{function}: the series have different dates", function=self.f.name)
        if self.index is None:
            self.index = index

    def _check_numeric(self, values: Any) -> Any:
        if values.dtype.kind not in "bif" or values.ndim > 2:
            raise Misfit(
                "{function} needs numbers, not {count}-dimensional {kind}",
                function=self.f.name,
                kind=values.dtype,
                count=values.ndim,
            )
        return values if values.dtype.kind == "b" else values.astype(np.float64, copy=False)

    def wrap_result(self, out: object) -> object:
        import pandas as pd

        if isinstance(out, Columns):
            if self.index is None or out.arrays[0].ndim > 1:
                return {
                    name: self._restore_index(values, None) for name, values in zip(out.names, out.arrays, strict=True)
                }
            return pd.DataFrame(dict(zip(out.names, out.arrays, strict=True)), index=self.index)
        return self._restore_index(out.values, out.name) if isinstance(out, SeriesColumn) else out

    def _restore_index(self, values: Any, name: str | None) -> object:
        import pandas as pd

        if self.index is None:
            return values
        if values.ndim > 1:
            return pd.DataFrame(values, index=self.index, columns=self.columns)
        return pd.Series(values, index=self.index, name=name)


def _to_numpy(v: Any) -> Any:
    """Return a Series as an array; pandas' own nullable numbers become float64 with NaN."""
    if isinstance(v.dtype, np.dtype):
        return v.to_numpy()
    kind = getattr(v.dtype, "kind", "O")
    if kind == "b" and not v.hasnans:
        return v.to_numpy(dtype=bool)
    return v.to_numpy(dtype=np.float64, na_value=np.nan) if kind in "bifu" else v.to_numpy()
