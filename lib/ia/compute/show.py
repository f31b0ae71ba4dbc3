"""How a value is written: short on a line, all of it as CSV, or as one JSON document."""

import json
from typing import Any

from ia.compute.host import Result
from ia.ohlcv.canonical import COLUMNS, Bars, bar_lines

_INF = float("inf")


def short(result: Result) -> str:
    """Return the lines of the short form: a scalar, the last value of a series, the last row of a frame, JSON."""
    if result.type == "frame":
        columns = result.columns or []
        return "".join(
            f"{name}\t{text(cells[-1] if cells else None)}\n" for name, cells in zip(columns, result.value, strict=True)
        )
    return f"{text(_last(result))}\n"


def everything(result: Result) -> str:
    """Return the whole value: `date,value` of a series, CSV with a header of a frame, the short form of the rest.

    A frame of the six canonical columns comes out as canonical CSV.
    """
    if result.type not in ("series", "frame"):
        return short(result)
    index = result.labels or []
    if result.type == "series":
        return _csv([result.label_name or "index", "value"], [index, result.value])
    columns = result.columns or []
    if set(columns) == set(COLUMNS[1:]) and result.dated:
        by_name = dict(zip(columns, result.value, strict=True))
        bars = _bars(index, by_name)
        if bars is not None:
            return "".join(bar_lines(bars))
    return _csv([result.label_name or "index", *columns], [index, *result.value])


def document(result: Result) -> dict[str, Any]:
    """Return {"type", "name", "value", "date"}: of a series and a frame the last value or row and its date.

    The date of anything else is that of the last bar.
    """
    date = result.labels[-1] if result.labels and result.dated else result.as_of
    value = _last(result)
    if result.type == "frame":
        value = {
            name: cells[-1] if cells else None for name, cells in zip(result.columns or [], result.value, strict=True)
        }
    return {"type": result.type, "name": result.name, "value": value, "date": date}


def text(value: Any) -> str:
    """Return one value: numbers so that they round-trip, booleans as true and false, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(_finite(value), ensure_ascii=False)
    return str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def _last(result: Result) -> Any:
    if result.type == "series":
        return result.value[-1] if result.value else None
    return result.value


def _bars(index: list[str], columns: dict[str, list[Any]]) -> Bars | None:
    """Return the columns as bars, None where a cell is missing or none that canonical CSV can hold."""
    first, high, low, last = (
        [float(p) if isinstance(p, int | float) else 0.0 for p in columns[n]] for n in COLUMNS[1:5]
    )
    whole = all(isinstance(v, int | float) and v - v == 0 and v == int(v) for v in columns["volume"])
    if not whole or not all(0 < p < _INF for column in (first, high, low, last) for p in column):
        return None
    return Bars(index, first, high, low, last, [int(v) for v in columns["volume"]])


def _csv(header: list[str], columns: list[list[Any]]) -> str:
    lines = [",".join(map(_field, header))]
    lines += [",".join(map(_field, row)) for row in zip(*columns, strict=True)]
    return "\n".join(lines) + "\n"


def _field(value: Any) -> str:
    if isinstance(value, float):
        return repr(value) if value == value else ""
    field = text(value)
    return '"' + field.replace('"', '""') + '"' if any(c in field for c in ',"\n\r') else field
