"""How a value is written: short on a line, all of it as CSV, or as one JSON document."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ia.kernel.jsontypes import Json
from ia.organs.compute.sandbox import ComputeResult
from ia.organs.ohlcv.canonical import COLUMNS, MAX_VOLUME, Bars, bar_lines, is_date

_INF = float("inf")


def render_short(result: ComputeResult) -> str:
    """Return the lines of the short form: a scalar, the last value of a series, the last row of a frame, JSON.

    What is not there, None or the last value of an empty series, is `null`.
    """
    if result.type == "frame" or result.row:
        return "".join(f"{name}\t{_render_or_null(cell)}\n" for name, cell in _last_row(result))
    return f"{_render_or_null(_last_value(result))}\n"


def _render_or_null(value: object) -> str:
    return "null" if value is None else format_value(value)


def render_all(result: ComputeResult) -> str:
    """Return the whole value: `date,value` of a series, CSV with a header of a frame, the short form of the rest.

    A frame of the six canonical columns comes out as canonical CSV.
    """
    if result.type not in ("series", "frame"):
        return render_short(result)
    index = result.labels or []
    if result.type == "series":
        return _render_csv([result.label_name or "index", "value"], [index, result.value])
    columns = result.columns or []
    if set(columns) == set(COLUMNS[1:]) and result.dated:
        by_name = dict(zip(columns, result.value, strict=True))
        bars = _to_bars(index, by_name)
        if bars is not None:
            return "".join(bar_lines(bars))
    return _render_csv([result.label_name or "index", *columns], [index, *result.value])


def result_document(result: ComputeResult) -> Json:
    """Return {"type", "name", "value", "date"}: of a series and a frame the last value or row and its date.

    The date of anything else is that of the last bar.
    """
    date = result.labels[-1] if result.labels and result.dated else result.as_of
    return {"type": result.type, "name": result.name, "value": _last_value(result), "date": date}


def is_false_condition(result: ComputeResult) -> bool:
    """Return True for a condition that does not hold: false, or a series of true and false that ends in anything else.

    A series that ends in nothing is no yes.
    """
    if result.type == "boolean":
        return result.value is False
    if result.type != "series" or result.row or not result.value or result.value[-1] is True:
        return False
    return any(isinstance(cell, bool) for cell in result.value) and not any(map(_is_other, result.value))


def _is_other(cell: object) -> bool:
    return not (cell is None or isinstance(cell, bool) or cell != cell)


def format_value(value: object) -> str:
    """Return one value: numbers so that they round-trip, booleans as true and false, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(_drop_non_finite(value), ensure_ascii=False)
    return str(value)


def _drop_non_finite(value: object) -> object:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _drop_non_finite(item) for key, item in value.items()}
    return [_drop_non_finite(item) for item in value] if isinstance(value, list) else value


def _last_value(result: ComputeResult) -> object:
    """Return the last value of a series, the last row of a frame (and a series that is a row) by name."""
    if result.type == "frame" or result.row:
        return dict(_last_row(result))
    if result.type == "series":
        return result.value[-1] if result.value else None
    return result.value


def _last_row(result: ComputeResult) -> list[tuple[str, object]]:
    if result.row:
        return list(zip(result.labels or [], result.value, strict=True))
    last = [cells[-1] if cells else None for cells in result.value]
    return list(zip(result.columns or [], last, strict=True))


def _to_bars(index: list[str], columns: dict[str, list[Any]]) -> Bars | None:
    """Return the columns as bars, None where a cell is missing or none that canonical CSV can hold."""
    try:
        first, high, low, last = (
            [float(p) if isinstance(p, int | float) else 0.0 for p in columns[n]] for n in COLUMNS[1:5]
        )
    except OverflowError:  # a whole number of hundreds of digits
        return None
    whole = all(
        isinstance(v, int | float) and v - v == 0 and v == int(v) and 0 <= v <= MAX_VOLUME for v in columns["volume"]
    )
    if any(a >= b for a, b in pairwise(index)) or not all(map(is_date, index)):
        return None
    if not whole or not all(0 < p < _INF for column in (first, high, low, last) for p in column):
        return None
    return Bars(index, first, high, low, last, [int(v) for v in columns["volume"]])


def _render_csv(header: list[str], columns: Sequence[Sequence[object]]) -> str:
    lines = [",".join(map(_format_field, header))]
    lines += [",".join(map(_format_field, row)) for row in zip(*columns, strict=True)]
    return "\n".join(lines) + "\n"


def _format_field(value: object) -> str:
    if isinstance(value, float):
        return repr(value) if value == value else ""
    field = format_value(value)
    return '"' + field.replace('"', '""') + '"' if any(c in field for c in ',"\n\r') else field
