"""The coreutils for expressions over pandas: the functions of functions.py on Series and DataFrames.

A Series (one symbol) gives a Series with its index, named like RSI_14; what has several results gives a DataFrame
(macd: macd, signal, histogram; bbands: upper, middle, lower). A DataFrame (dates x symbols) gives a DataFrame of the
same figures column by column; several results are then a dict of DataFrames, so that ["signal"] works on both. Arrays
and lists of numbers are taken too, and give arrays. Inputs must share their dates: nothing is aligned silently.
"""

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from ia.organs.compute.functions import FUNCTIONS, MUST_BE, REDUCTIONS, Column, Columns, Function, Misfit, apply


def NAMESPACE() -> dict[str, Callable[..., Any]]:
    """Return the coreutils by name, for the namespace of an expression (`abs` is Python's own)."""
    return {"abs": builtins.abs, **{name: _function(f) for name, f in FUNCTIONS.items()}}


def __getattr__(name: str) -> Callable[..., Any]:
    """``from ia.organs.compute.coreutils import rsi``."""
    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _function(FUNCTIONS[name])


def _function(f: Function) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if f.name in REDUCTIONS:
            return _reduce(f, args, kwargs)
        frames = _Frames(f)
        out = apply(f, [frames.take(v) for v in args], {name: frames.take(v) for name, v in kwargs.items()})
        return frames.give(out)

    call.__name__ = call.__qualname__ = f.name
    call.__doc__ = f.doc
    return call


def _reduce(f: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """latest, prev: of a Series its value (a date as well), of a DataFrame its row."""
    import pandas as pd

    from ia.organs.compute.functions import bind

    bound = bind(f, args, kwargs)
    x, back = bound["x"], bound.get("n", 0)
    if isinstance(x, pd.Series | pd.DataFrame):
        if back < len(x):
            out = x.iloc[-1 - back]
        else:
            out = np.nan if isinstance(x, pd.Series) else pd.Series(np.nan, index=x.columns)
        return out.item() if isinstance(out, np.generic) else out
    if isinstance(x, np.ndarray | list | tuple):
        out = apply(f, [Column(np.asarray(x))], {"n": back} if f.params else {})
        return out.values if isinstance(out, Column) else out
    if callable(x) or isinstance(x, dict):
        raise Misfit(MUST_BE, function=f.name, param="x", what="a series or a number", value=_kind(x))
    return x


def _kind(x: Any) -> str:
    return "a function" if callable(x) else f"a dict of {', '.join(map(str, x))}"


class _Frames:
    """Takes the arrays out of the inputs of one call, and gives its results their index back."""

    def __init__(self, f: Function) -> None:
        self.f = f
        self.index: Any = None
        self.columns: Any = None

    def take(self, v: Any) -> Any:
        import pandas as pd

        if isinstance(v, pd.Series | pd.DataFrame):
            self._same_dates(v.index)
            if isinstance(v, pd.DataFrame):
                if self.columns is not None and not self.columns.equals(v.columns):
                    raise Misfit("{function}: the frames have different columns", function=self.f.name)
                self.columns = v.columns
                return Column(self._numbers(v.to_numpy() if len(set(v.dtypes)) == 1 else v.astype(float).to_numpy()))
            name = v.name if isinstance(v.name, str) else None
            return Column(self._numbers(_plain(v)), name)
        if isinstance(v, np.ndarray):
            if v.ndim not in (1, 2):
                return v.item() if v.ndim == 0 else self._numbers(v)
            return Column(self._numbers(v))
        if isinstance(v, list | tuple):
            return Column(self._numbers(np.asarray(v)))
        return v.item() if isinstance(v, np.generic) else v

    def _same_dates(self, index: Any) -> None:
        if self.index is not None and self.index is not index and not self.index.equals(index):
            raise Misfit("{function}: the series have different dates", function=self.f.name)
        if self.index is None:
            self.index = index

    def _numbers(self, values: Any) -> Any:
        if values.dtype.kind not in "bif" or values.ndim > 2:
            raise Misfit(
                "{function} needs numbers, not {kind} of {count} dimensions",
                function=self.f.name, kind=values.dtype, count=values.ndim,
            )  # fmt: skip
        return values if values.dtype.kind == "b" else values.astype(np.float64, copy=False)

    def give(self, out: Any) -> Any:
        import pandas as pd

        if isinstance(out, Columns):
            if self.index is None or out.arrays[0].ndim > 1:
                return {name: self._dress(values, None) for name, values in zip(out.names, out.arrays, strict=True)}
            return pd.DataFrame(dict(zip(out.names, out.arrays, strict=True)), index=self.index)
        return self._dress(out.values, out.name) if isinstance(out, Column) else out

    def _dress(self, values: Any, name: str | None) -> Any:
        import pandas as pd

        if self.index is None:
            return values
        if values.ndim > 1:
            return pd.DataFrame(values, index=self.index, columns=self.columns)
        return pd.Series(values, index=self.index, name=name)


def _plain(v: Any) -> Any:
    """Return a Series as an array; pandas' own nullable numbers become float64 with NaN."""
    if isinstance(v.dtype, np.dtype):
        return v.to_numpy()
    kind = getattr(v.dtype, "kind", "O")
    if kind == "b" and not v.hasnans:
        return v.to_numpy(dtype=bool)
    return v.to_numpy(dtype=np.float64, na_value=np.nan) if kind in "bifu" else v.to_numpy()
