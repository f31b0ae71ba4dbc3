"""Evaluate one job inside the worker: bars and code in, plain data or a description of what went wrong out."""

import sys
from types import CodeType
from typing import Any

import numpy as np
import pandas as pd

from ia.kernel.jsontypes import Json
from ia.organs.compute import encode, namespaces, prefix_check
from ia.organs.compute.facade import Absent, Denied, line_of
from ia.organs.compute.worker_protocol import Told

_PRICES = ("open", "high", "low", "close")
sys.setrecursionlimit(700)  # an endless recursion must end in an error before it ends the C stack


def unpack_columns(rows: int, columns: bytes) -> tuple[dict[str, Any], list[str]]:
    """Return prices (float64) and volume (int64) by name, and the dates.

    `columns` are four blocks of `rows` float64, one of int64, then the dates as ASCII lines.
    """
    numbers = {name: np.frombuffer(columns, "<f8", rows, 8 * rows * i).copy() for i, name in enumerate(_PRICES)}
    numbers["volume"] = np.frombuffer(columns, "<i8", rows, 8 * rows * 4).copy()
    return numbers, columns[8 * rows * 5 :].decode("ascii").split("\n") if rows else []


def build_frame(rows: int, columns: bytes) -> pd.DataFrame:
    """Return the bars as a DataFrame, with a DatetimeIndex named date."""
    numbers, texts = unpack_columns(rows, columns)
    index = pd.DatetimeIndex(np.array(texts, dtype="datetime64[ns]"), name="date")
    return pd.DataFrame(numbers, index=index)


def answer_job(
    rows: int,
    columns: bytes,
    body: CodeType | None,
    last: CodeType | None,
    cuts: list[int] | None = None,
    newest: int | None = None,
) -> Json:
    """Return {"value": plain data} or {"error": {"kind", "message", "line", ...}}; it raises nothing.

    newest  of a series only so many of its last values
    cuts    also evaluate on so many of the first bars each: "changed" is then the first date whose value depends on
            later bars, or None, and "compared" how many of these ranges gave a value.
    """
    try:
        bars = build_frame(rows, columns)
        found = _evaluate_on(bars, body, last)
        if newest is not None:
            found = _cut_series(found, bars, newest)
        value = encode.encode_value(found, bars)
        return {"value": value} if not cuts else {"value": value, **_compare_prefixes(value, bars, body, last, cuts)}
    except BaseException as e:
        return {"error": describe_error(e)}


def _cut_series(value: object, bars: pd.DataFrame, newest: int) -> object:
    if isinstance(value, np.ndarray) and value.ndim == 1 and len(value) == len(bars):
        value = pd.Series(value, index=bars.index)
    return value.iloc[-newest:] if isinstance(value, pd.Series) else value


def _evaluate_on(bars: pd.DataFrame, body: CodeType | None, last: CodeType | None) -> object:
    return _run_code(body, last, namespaces.build_namespace(bars.copy(), _loaded_coreutils()))


def _compare_prefixes(
    value: Json, bars: pd.DataFrame, body: CodeType | None, last: CodeType | None, cuts: list[int]
) -> Json:
    dates = encode.format_dates(pd.DatetimeIndex(bars.index))
    whole = prefix_check.table_of(value, dates)
    if whole is None:
        return {"changed": None, "compared": None}

    def evaluate_prefix(size: int) -> prefix_check.PrefixTable | None:
        part = bars.iloc[:size].copy()
        try:
            plain = encode.encode_value(_evaluate_on(part, body, last), part)
        except Exception:  # too few bars for it
            return None
        if plain["type"] == "none":
            return None
        return prefix_check.table_of(plain, dates[:size]) or prefix_check.PrefixTable([], [])

    changed, compared = prefix_check.find_first_change(whole, dates, evaluate_prefix, cuts)
    return {"changed": changed, "compared": compared}


def _run_code(body: CodeType | None, last: CodeType | None, names: Json) -> object:
    if body is not None:
        exec(body, names)  # noqa: S102 - the policy has rewritten it, and this process is locked
    value = eval(last, names) if last is not None else None  # noqa: S307 - as above
    if value is None and "result" in names:
        return names["result"]
    if last is None:
        raise namespaces.NoResult("the last line has no value; end with an expression, or assign a value to result")
    return value


def _loaded_coreutils() -> Json:
    module = sys.modules.get("ia.organs.compute.coreutils")
    return module.coreutil_namespace() if module is not None else {}


def describe_error(error: BaseException) -> Json:
    """Return what the parent needs to tell the user: a kind, plain words, the line, and names that are near.

    Where the words are a sentence of `ia.organs.compute.worker_protocol`, its template and fields come along.
    """
    sentence = error if isinstance(error, Told) else _error_sentence(error)
    told: Json = {"kind": "raised", "message": str(sentence)[:400], "line": line_of(error)}
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


def _error_sentence(error: BaseException) -> Told:
    """Say an exception in words, without the name of its class."""
    if isinstance(error, KeyError) and error.args:
        return Told("unknown column or key {name}", name=f"{error.args[0]!r:.80}")
    if isinstance(error, ZeroDivisionError):
        return Told("division by zero")
    if isinstance(error, RecursionError):
        return Told("the recursion is too deep; reduce its depth")
    if isinstance(error, OSError):
        return Told("expressions cannot access files, processes or the network")
    if isinstance(error, AssertionError):
        return Told("assertion failed: {why}", why=error) if error.args else Told("assertion failed")
    if isinstance(error, ImportError):
        return Told("package not available in expressions: {name}", name=error.name or error)
    try:
        text = " ".join(str(error).split())
    except BaseException:
        text = ""
    if isinstance(error, ValueError) and text.startswith("The truth value of "):  # of pandas and numpy
        return Told("`and`, `or` and `not` work on single values; join conditions with & and |, each in brackets")
    return Told(text) if text else Told("evaluation failed ({name})", name=type(error).__name__)
