"""Turn the value of an expression into plain data: numbers, texts, lists and dicts, nothing that could run.

Runs in the worker. NaN and infinities stay what they are here (the reply is Python's JSON); dates become texts of the
canonical form.
"""

import datetime
import re
import types

import numpy as np
import pandas as pd

from ia.kernel.jsontypes import Json
from ia.organs.compute.worker_protocol import MAX_BITS, MAX_PARTS, Told

MAX_DEPTH = 12
MAX_TEXT = 1 << 20


class Unprintable(Told):
    """The value is none that could be shown: a function, a window without an aggregation."""


def encode_value(value: object, frame: pd.DataFrame) -> Json:
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
        name = None if value.name is None else _encode_label(value.name)
        row = len(value) > 0 and all(isinstance(label, str) for label in value.index)
        return {
            "type": "series",
            "name": name,
            "value": _encode_column(value),
            "row": row,
            **_encode_index(value.index),
        }
    if isinstance(value, pd.DataFrame):
        columns = [_encode_label(c) for c in value.columns]
        cells = [_encode_column(value.iloc[:, i]) for i in range(value.shape[1])]
        return {"type": "frame", "name": None, "columns": columns, "value": cells, **_encode_index(value.index)}
    if isinstance(
        value, dict | list | tuple | set | frozenset | np.ndarray | pd.Index | pd.api.extensions.ExtensionArray
    ):
        return {"type": "structure", "name": None, "value": _encode_nested(value, 0, [MAX_PARTS])}
    cell = _encode_cell(value)
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


def _encode_index(index: pd.Index) -> Json:
    name = index.name if index.nlevels == 1 else "_".join(str(n) for n in index.names)
    dated = isinstance(index, pd.DatetimeIndex)
    labels = format_dates(index) if isinstance(index, pd.DatetimeIndex) else [_encode_label(label) for label in index]
    return {"index": labels, "index_name": None if name is None else _encode_label(name), "dated": dated}


def _encode_label(label: object) -> str:
    if isinstance(label, tuple):
        return " ".join(_encode_label(part) for part in label)
    cell = _encode_cell(label)
    return "" if cell is None else str(cell)


def format_dates(index: pd.DatetimeIndex) -> list[str]:
    """Return dates as the canonical form writes them: days, or seconds where a time of day is in them."""
    naive = index.tz_localize(None) if index.tz is not None else index
    daily = bool((naive == naive.normalize()).all()) if len(naive) else True
    texts: list[str] = np.datetime_as_string(naive.to_numpy(), unit="D" if daily else "s").tolist()
    return texts


def _encode_column(column: pd.Series) -> list[object]:
    kind = getattr(column.dtype, "kind", "O")
    if isinstance(column.dtype, np.dtype) and kind in "biuf":
        return column.tolist()
    if kind == "M" and len(column):
        return [
            None if missing else text
            for missing, text in zip(column.isna(), format_dates(pd.DatetimeIndex(column)), strict=True)
        ]
    return [_encode_cell(item, inside=True) for item in column.tolist()]


def _encode_cell(value: object, *, inside: bool = False) -> object:
    """Return one value as a number, a boolean, a text or None."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, datetime.timedelta | np.timedelta64 | pd.Period | pd.Interval):  # numpy's is an integer too
        return _encode_text(value)
    if isinstance(value, int | np.integer):
        number = int(value)
        if number.bit_length() > MAX_BITS:
            raise Unprintable("the value is an integer of more than one thousand digits; return a smaller one")
        return number
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, str):
        return _encode_text(value)
    if isinstance(value, datetime.datetime | np.datetime64):
        return format_dates(pd.DatetimeIndex([value]))[0]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if inside and isinstance(value, dict | list | tuple | set):
        return _encode_text(_encode_nested(value, 0, [MAX_PARTS]))
    raise _unprintable_error(value)


def _unprintable_error(value: object) -> Unprintable:
    kind = type(value).__name__
    if isinstance(value, types.FunctionType | types.MethodType | types.BuiltinFunctionType | type) or callable(value):
        return Unprintable("the value is a function; call it with ()")
    if hasattr(type(value), "agg"):
        return Unprintable(
            "the value is a {name}; end the expression with .mean(), .last() or another aggregation", name=kind
        )
    return Unprintable("cannot print a value of type {name}; return a number, series, frame, dict or list", name=kind)


def _encode_text(value: object) -> str:
    text = re.sub(r" at 0x[0-9a-f]+", "", str(value))  # of a function: where the worker has it is nobody's business
    if len(text) > MAX_TEXT:
        raise Unprintable("the value is a string of more than one million characters; return a shorter one")
    return text


def _encode_nested(value: object, depth: int, left: list[int]) -> object:
    """Return a dict or list of plain values; `left` counts down the parts that it may still have."""
    left[0] -= 1
    if left[0] < 0:
        raise Unprintable("the value has more than {limit} elements; return fewer", limit=MAX_PARTS)
    if depth > MAX_DEPTH:
        raise Unprintable("the value is nested too deeply; return a flatter one")
    if isinstance(value, dict):
        return {_encode_label(key): _encode_nested(item, depth + 1, left) for key, item in value.items()}
    if isinstance(value, pd.Series | pd.DataFrame) and isinstance(value.index, pd.DatetimeIndex):
        return _encode_newest(value)
    if isinstance(value, pd.Series):
        return dict(zip(_encode_index(value.index)["index"], _encode_column(value), strict=True))
    if isinstance(value, pd.DataFrame):
        return [_encode_row(value, place) for place in range(len(value))]
    if isinstance(value, np.ndarray):
        return _encode_nested(value.tolist(), depth, left)
    if isinstance(value, pd.Index | pd.api.extensions.ExtensionArray):
        return [_encode_cell(item) for item in value.tolist()]
    if isinstance(value, list | tuple | set | frozenset):
        return [_encode_nested(item, depth + 1, left) for item in value]
    return _encode_cell(value)


def _encode_newest(value: pd.Series | pd.DataFrame) -> object:
    if len(value) == 0:
        return None
    return _encode_row(value, -1) if isinstance(value, pd.DataFrame) else _encode_cell(value.iloc[-1], inside=True)


def _encode_row(frame: pd.DataFrame, place: int) -> Json:
    cells = (frame.iloc[place, column] for column in range(frame.shape[1]))
    return {
        _encode_label(name): _encode_cell(cell, inside=True) for name, cell in zip(frame.columns, cells, strict=True)
    }
