"""Evaluate one job inside the worker: bars and code in, plain data or a description of what went wrong out."""

import sys
from types import CodeType
from typing import Any

import numpy as np
import pandas as pd

from ia.organs.compute import encode, prefixes, spaces
from ia.organs.compute.facade import Absent, Denied, line_of
from ia.organs.compute.wire import Told

_PRICES = ("open", "high", "low", "close")
sys.setrecursionlimit(700)  # an endless recursion must end in an error before it ends the C stack


def frame(rows: int, columns: bytes) -> pd.DataFrame:
    """Return the bars as a DataFrame: float64 prices, int64 volume, a DatetimeIndex named date.

    `columns` are four blocks of `rows` float64, one of int64, then the dates as ASCII lines.
    """
    numbers = {name: np.frombuffer(columns, "<f8", rows, 8 * rows * i).copy() for i, name in enumerate(_PRICES)}
    numbers["volume"] = np.frombuffer(columns, "<i8", rows, 8 * rows * 4).copy()
    texts = columns[8 * rows * 5 :].decode("ascii").split("\n") if rows else []
    index = pd.DatetimeIndex(np.array(texts, dtype="datetime64[ns]"), name="date")
    return pd.DataFrame(numbers, index=index)


def answer(
    rows: int, columns: bytes, body: CodeType | None, last: CodeType | None, cuts: list[int] | None = None
) -> dict[str, Any]:
    """Return {"value": plain data} or {"error": {"kind", "message", "line", ...}}; it raises nothing.

    cuts    also evaluate on so many of the first bars each: "changed" is then the first date whose value depends on
            later bars, or None, and "compared" how many of these ranges gave a value.
    """
    try:
        bars = frame(rows, columns)
        value = encode.plain(_on(bars, body, last), bars)
        return {"value": value} if not cuts else {"value": value, **_compared(value, bars, body, last, cuts)}
    except BaseException as e:
        return {"error": describe(e)}


def _on(bars: pd.DataFrame, body: CodeType | None, last: CodeType | None) -> Any:
    return _run(body, last, spaces.namespace(bars.copy(), _coreutils()))


def _compared(
    value: dict[str, Any], bars: pd.DataFrame, body: CodeType | None, last: CodeType | None, cuts: list[int]
) -> dict[str, Any]:
    dates = encode.dates(pd.DatetimeIndex(bars.index))
    whole = prefixes.table_of(value, dates)
    if whole is None:
        return {"changed": None, "compared": None}

    def shorter(size: int) -> prefixes.Table | None:
        part = bars.iloc[:size].copy()
        try:
            plain = encode.plain(_on(part, body, last), part)
        except Exception:  # too few bars for it
            return None
        if plain["type"] == "none":
            return None
        return prefixes.table_of(plain, dates[:size]) or prefixes.Table([], [])

    changed, compared = prefixes.first_change(whole, dates, shorter, cuts)
    return {"changed": changed, "compared": compared}


def _run(body: CodeType | None, last: CodeType | None, names: dict[str, Any]) -> Any:
    if body is not None:
        exec(body, names)  # noqa: S102 - the policy has rewritten it, and this process is locked
    value = eval(last, names) if last is not None else None  # noqa: S307 - as above
    if value is None and "result" in names:
        return names["result"]
    if last is None:
        raise spaces.NoResult("the last line has no value; end with an expression, or assign to result")
    return value


def _coreutils() -> dict[str, Any]:
    module = sys.modules.get("ia.organs.compute.coreutils")
    return module.NAMESPACE() if module is not None else {}


def describe(error: BaseException) -> dict[str, Any]:
    """Return what the parent needs to tell the user: a kind, plain words, the line, and names that are near.

    Where the words are a sentence of `ia.organs.compute.wire`, its template and fields come along.
    """
    sentence = error if isinstance(error, Told) else _sentence(error)
    told: dict[str, Any] = {"kind": "raised", "message": str(sentence)[:400], "line": line_of(error)}
    told["template"], told["fields"] = sentence.template, {k: str(v)[:400] for k, v in sentence.fields.items()}
    if isinstance(error, Denied | OSError):
        told["kind"] = "denied"
    elif isinstance(error, MemoryError):
        told["kind"] = "memory"
    elif isinstance(error, Absent):
        told.update(kind="absent", name=error.name, near=error.near)
    elif isinstance(error, NameError) and isinstance(error.name, str):
        told.update(kind="unknown", name=error.name)
    return told


def _sentence(error: BaseException) -> Told:
    """Say an exception in words, without the name of its class."""
    if isinstance(error, KeyError) and error.args:
        return Told("there is no column or key {name}", name=f"{error.args[0]!r:.80}")
    if isinstance(error, ZeroDivisionError):
        return Told("division by zero")
    if isinstance(error, RecursionError):
        return Told("the recursion is too deep")
    if isinstance(error, OSError):
        return Told("files, processes and the network are out of reach of expressions")
    if isinstance(error, AssertionError):
        return Told("assertion failed: {why}", why=error) if error.args else Told("assertion failed")
    if isinstance(error, ImportError):
        return Told("this needs a package that is not available in expressions ({name})", name=error.name or error)
    try:
        text = " ".join(str(error).split())
    except BaseException:
        text = ""
    return Told(text) if text else Told("it failed ({name})", name=type(error).__name__)
