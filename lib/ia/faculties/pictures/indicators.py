"""Expressions as lines of a chart, evaluated as `ia compute` evaluates them: policy and sandbox included."""

import re
from typing import NamedTuple

from ia.faculties.pictures.chart import Line, Pane, Values
from ia.kernel.errors import BadData, NotFound, Notify, UsageError, silent
from ia.organs.compute.host import DEFAULT_TIMEOUT, Result
from ia.organs.ohlcv.canonical import Bars

LEVELS: dict[str, tuple[tuple[float, ...], tuple[float, float] | None]] = {
    "rsi": ((30.0, 70.0), (0.0, 100.0)),
    "mfi": ((20.0, 80.0), (0.0, 100.0)),
    "stoch": ((20.0, 80.0), (0.0, 100.0)),
    "kdj": ((20.0, 80.0), None),
    "willr": ((-80.0, -20.0), (-100.0, 0.0)),
    "cci": ((-100.0, 100.0), None),
    "adx": ((25.0,), (0.0, 100.0)),
    "dmi": ((25.0,), (0.0, 100.0)),
    "aroon": ((50.0,), (0.0, 100.0)),
    "ultosc": ((30.0, 70.0), (0.0, 100.0)),
    "macd": ((0.0,), None),
    "ppo": ((0.0,), None),
    "zscore": ((-2.0, 0.0, 2.0), None),
}
"""Levels that the field draws, and the axis of an indicator that has one."""


class Limits(NamedTuple):
    """How long an expression may take, and whether it may run where the system cannot lock it."""

    timeout: float = DEFAULT_TIMEOUT
    isolation: str = "require"
    trusted: bool = True


def split(text: str) -> list[str]:
    """Return the expressions of a comma list; a comma inside brackets or quotes parts nothing.

    >>> split("rsi, macd(close, 5, 10), atr")
    ['rsi', 'macd(close, 5, 10)', 'atr']
    """
    parts, depth, quote, current = [], 0, "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth <= 0 and not quote:
            parts.append(current)
            current = ""
        else:
            current += char
    return [part.strip() for part in (*parts, current) if part.strip()]


def drawn(
    bars: Bars, overlays: list[str], panes: list[str], limits: Limits, notify: Notify = silent
) -> tuple[tuple[Line, ...], tuple[Pane, ...]]:
    """Return the lines over the prices and the panes below that the expressions give.

    An overlay whose values are nowhere near the prices gets a pane of its own. A bare name in `panes` is the coreutil
    with its usual settings. Raises what `ia.organs.compute.calculate` raises, and BadData for what is no series.
    """
    if len(overlays) + len(panes) > 1:
        from ia.organs.compute import arrays

        arrays.many()
    over: list[Line] = []
    below: list[Pane] = []
    for source in overlays:
        source = _call(source)
        lines = _lines(source, bars, limits, notify)
        if source.partition("(")[0].strip() not in LEVELS and _near(lines, bars):
            over.extend(lines)
        else:
            below.append(_pane(source, lines))
    below.extend(_pane(source, _lines(_call(source), bars, limits, notify)) for source in panes)
    return tuple(over), tuple(below)


def _call(source: str) -> str:
    """Return the call that a bare name stands for, or a name with its length (`RSI`, `ma20`)."""
    from ia.organs.compute.indicators import example_call

    if re.fullmatch("[A-Za-z_]+[0-9]*", source) and source not in Bars._fields and (call := example_call(source)):
        return call
    if not re.fullmatch("[a-z_]+", source) or source in Bars._fields:
        return source
    from ia.organs.compute import arrays

    arrays.choose(source)
    from ia.organs.compute.functions import FUNCTIONS

    found = FUNCTIONS.get(source)
    if found is None:
        from difflib import get_close_matches

        close = next(iter(get_close_matches(source, FUNCTIONS, 1)), "rsi")
        raise NotFound(
            "{name}: no such indicator", name=source, close=close, hint="did you mean {close}? `ia indicator list`"
        )
    inputs = [name if name in Bars._fields else "close" for name in found.inputs]
    given = [name for name in found.inputs if name not in (*Bars._fields, "x")]
    if given or any(param.default is None for param in found.params):
        raise UsageError("{name} needs its settings", name=source, hint="write it out, as in '{name}(close, 20)'")
    return f"{source}({', '.join(inputs)})"


def _lines(source: str, bars: Bars, limits: Limits, notify: Notify) -> list[Line]:
    from ia.organs.compute.calculate import calculate

    result = calculate(
        source, lambda: bars, trusted=limits.trusted, timeout=limits.timeout, isolation=limits.isolation, notify=notify
    )
    label = " ".join(source.split())
    if result.type in ("scalar", "boolean") and isinstance(result.value, int | float):
        return [Line(label, [float(result.value)] * len(bars.date))]
    if result.type == "series" and result.dated:
        return [Line(label, _aligned(result, result.value, bars, source))]
    if result.type == "frame" and result.dated and result.columns:
        lines = []
        for name, column in zip(result.columns, result.value, strict=True):
            form = "columns" if name == "histogram" else "line"
            lines.append(Line(name, _aligned(result, column, bars, source), form))
        return lines
    raise BadData("{expression} is no series to draw, it is a {kind}", expression=label, kind=result.type)


def _aligned(result: Result, column: list[object], bars: Bars, source: str) -> Values:
    """Return the numbers at the dates of the bars; NaN, infinity and missing dates are None."""
    numbers: Values = []
    for value in column:
        if value is not None and not isinstance(value, int | float):
            raise BadData("{expression} is no series of numbers", expression=" ".join(source.split()))
        number = None if value is None else float(value)
        numbers.append(number if number is not None and number - number == 0 else None)
    if result.labels == bars.date:
        return numbers
    known = dict(zip(result.labels or [], numbers, strict=True))
    return [known.get(date) for date in bars.date]


def _near(lines: list[Line], bars: Bars) -> bool:
    """Tell whether lines belong to the prices' axis: half of their values lie where prices were, give or take half."""
    values = [value for line in lines for value in line.values if value is not None]
    low, high = min(bars.low) * 0.5, max(bars.high) * 1.5
    return not values or sum(low <= value <= high for value in values) * 2 >= len(values)


def _pane(source: str, lines: list[Line]) -> Pane:
    name = source.partition("(")[0].strip()
    levels, fixed = LEVELS.get(name, ((), None))
    values = [value for line in lines for value in line.values if value is not None]
    if fixed and values and not all(fixed[0] <= value <= fixed[1] for value in values):
        fixed = None
    title = name.upper() + source[len(name) :] if name in LEVELS and source == name else " ".join(source.split())
    return Pane(title, tuple(lines), levels, fixed)
