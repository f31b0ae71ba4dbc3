"""Turn the value of an expression into plain data: numbers, texts, lists and dicts, nothing that could run.

Runs in the worker. NaN and infinities stay what they are here (the reply is Python's JSON); dates become texts of the
canonical form.
"""

import datetime
import re
import types
from typing import Any

import numpy as np
import pandas as pd

from ia.organs.compute.wire import MAX_BITS, MAX_PARTS, Told

MAX_DEPTH = 12
MAX_TEXT = 1 << 20


class Unprintable(Told):
    """The value is none that could be shown: a function, a window without an aggregation."""


def plain(value: Any, frame: pd.DataFrame) -> dict[str, Any]:
    """Return {"type", "name", "value", ...}: scalar, boolean, text, date, none, series, frame or structure.

    A series has "index" (texts), "index_name" and "value" (a list), and "row" where its labels are names, as those of
    `df.iloc[-1]`; a frame "columns" and "value" (a list a column). A 1-D array as long as the bars gets their dates. A
    series or frame of dates inside a dict or list is its last value or row.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.ndarray) and value.ndim == 1 and len(value) == len(frame):
        value = pd.Series(value, index=frame.index)
    if isinstance(value, pd.Series):
        name = None if value.name is None else _label(value.name)
        row = len(value) > 0 and all(isinstance(label, str) for label in value.index)
        return {"type": "series", "name": name, "value": _column(value), "row": row, **_index(value.index)}
    if isinstance(value, pd.DataFrame):
        columns = [_label(c) for c in value.columns]
        cells = [_column(value.iloc[:, i]) for i in range(value.shape[1])]
        return {"type": "frame", "name": None, "columns": columns, "value": cells, **_index(value.index)}
    if isinstance(
        value, dict | list | tuple | set | frozenset | np.ndarray | pd.Index | pd.api.extensions.ExtensionArray
    ):
        return {"type": "structure", "name": None, "value": _nested(value, 0, [MAX_PARTS])}
    cell = _cell(value)
    kind = (
        "none"
        if cell is None
        else "boolean"
        if isinstance(cell, bool)
        else "text"
        if isinstance(cell, str)
        else "scalar"
    )
    if isinstance(value, datetime.date | pd.Period | np.datetime64):
        kind = "date"
    return {"type": kind, "name": None, "value": cell}


def _index(index: pd.Index) -> dict[str, Any]:
    name = index.name if index.nlevels == 1 else "_".join(str(n) for n in index.names)
    dated = isinstance(index, pd.DatetimeIndex)
    labels = dates(index) if isinstance(index, pd.DatetimeIndex) else [_label(label) for label in index]
    return {"index": labels, "index_name": None if name is None else _label(name), "dated": dated}


def _label(label: Any) -> str:
    if isinstance(label, tuple):
        return " ".join(_label(part) for part in label)
    cell = _cell(label)
    return "" if cell is None else str(cell)


def dates(index: pd.DatetimeIndex) -> list[str]:
    """Return dates as the canonical form writes them: days, or seconds where a time of day is in them."""
    naive = index.tz_localize(None) if index.tz is not None else index
    daily = bool((naive == naive.normalize()).all()) if len(naive) else True
    texts: list[str] = np.datetime_as_string(naive.to_numpy(), unit="D" if daily else "s").tolist()
    return texts


def _column(column: pd.Series) -> list[Any]:
    kind = getattr(column.dtype, "kind", "O")
    if isinstance(column.dtype, np.dtype) and kind in "biuf":
        return column.tolist()
    if kind == "M" and len(column):
        return [
            None if missing else text
            for missing, text in zip(column.isna(), dates(pd.DatetimeIndex(column)), strict=True)
        ]
    return [_cell(item, inside=True) for item in column.tolist()]


def _cell(value: Any, *, inside: bool = False) -> Any:
    """Return one value as a number, a boolean, a text or None."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, datetime.timedelta | np.timedelta64 | pd.Period | pd.Interval):  # numpy's is an integer too
        return _text(value)
    if isinstance(value, int | np.integer):
        number = int(value)
        if number.bit_length() > MAX_BITS:
            raise Unprintable("the value is a whole number of more than a thousand digits")
        return number
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, datetime.datetime | np.datetime64):
        return dates(pd.DatetimeIndex([value]))[0]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if inside and isinstance(value, dict | list | tuple | set):
        return _text(_nested(value, 0, [MAX_PARTS]))
    raise _unprintable(value)


def _unprintable(value: Any) -> Unprintable:
    kind = type(value).__name__
    if isinstance(value, types.FunctionType | types.MethodType | types.BuiltinFunctionType | type) or callable(value):
        return Unprintable("the value is a function: call it with ()")
    if hasattr(type(value), "agg"):
        return Unprintable("the value is a {name}: end it with .mean(), .last() or another aggregation", name=kind)
    return Unprintable("the value is a {name}, which has no printed form", name=kind)


def _text(value: Any) -> str:
    text = re.sub(r" at 0x[0-9a-f]+", "", str(value))  # of a function: where the worker has it is nobody's business
    if len(text) > MAX_TEXT:
        raise Unprintable("the value is a text of more than a million characters")
    return text


def _nested(value: Any, depth: int, left: list[int]) -> Any:
    """Return a dict or list of plain values; `left` counts down the parts that it may still have."""
    left[0] -= 1
    if left[0] < 0:
        raise Unprintable("the value has more than {limit} parts", limit=MAX_PARTS)
    if depth > MAX_DEPTH:
        raise Unprintable("the value is nested too deeply")
    if isinstance(value, dict):
        return {_label(key): _nested(item, depth + 1, left) for key, item in value.items()}
    if isinstance(value, pd.Series | pd.DataFrame) and isinstance(value.index, pd.DatetimeIndex):
        return _newest(value)
    if isinstance(value, pd.Series):
        return dict(zip(_index(value.index)["index"], _column(value), strict=True))
    if isinstance(value, pd.DataFrame):
        return [_row(value, place) for place in range(len(value))]
    if isinstance(value, np.ndarray):
        return _nested(value.tolist(), depth, left)
    if isinstance(value, pd.Index | pd.api.extensions.ExtensionArray):
        return [_cell(item) for item in value.tolist()]
    if isinstance(value, list | tuple | set | frozenset):
        return [_nested(item, depth + 1, left) for item in value]
    return _cell(value)


def _newest(value: pd.Series | pd.DataFrame) -> Any:
    if len(value) == 0:
        return None
    return _row(value, -1) if isinstance(value, pd.DataFrame) else _cell(value.iloc[-1], inside=True)


def _row(frame: pd.DataFrame, place: int) -> dict[str, Any]:
    cells = (frame.iloc[place, column] for column in range(frame.shape[1]))
    return {_label(name): _cell(cell, inside=True) for name, cell in zip(frame.columns, cells, strict=True)}
