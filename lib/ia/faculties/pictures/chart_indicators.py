"""Expressions as lines of a chart, evaluated as `ia compute` evaluates them: policy and sandbox included."""

import re
from typing import NamedTuple

from ia.faculties.pictures.chart import ChartLine, ChartPane, Values
from ia.kernel.errors import BadData, NotFound, Notify, UsageError, drop_message
from ia.organs.compute.sandbox import DEFAULT_TIMEOUT, ComputeResult
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


class PlotLimits(NamedTuple):
    """How long an expression may take, and whether it may run where the system cannot lock it."""

    timeout: float = DEFAULT_TIMEOUT
    isolation: str = "require"
    trusted: bool = True


def split_expressions(text: str) -> list[str]:
    """Return the expressions of a comma list; a comma inside brackets or quotes parts nothing.

    >>> split_expressions("rsi, macd(close, 5, 10), atr")
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


def compute_indicators(
    bars: Bars, overlays: list[str], panes: list[str], limits: PlotLimits, notify: Notify = drop_message
) -> tuple[tuple[ChartLine, ...], tuple[ChartPane, ...]]:
    """Return the lines over the prices and the panes below that the expressions give.

    An overlay whose values are nowhere near the prices gets a pane of its own. A bare name in `panes` is the coreutil
    with its usual settings. Raises what `ia.organs.compute.calculate` raises, and BadData for what is no series.
    """
    if len(overlays) + len(panes) > 1:
        from ia.organs.compute import array_backend

        array_backend.settle_on_numpy()
    over: list[ChartLine] = []
    below: list[ChartPane] = []
    for source in overlays:
        source = _expand_name(source)
        lines = _compute_lines(source, bars, limits, notify)
        if source.partition("(")[0].strip() not in LEVELS and _is_near_prices(lines, bars):
            over.extend(lines)
        else:
            below.append(_build_pane(source, lines))
    below.extend(_build_pane(source, _compute_lines(_expand_name(source), bars, limits, notify)) for source in panes)
    return tuple(over), tuple(below)


def _expand_name(source: str) -> str:
    """Return the call that a bare name stands for, or a name with its length (`RSI`, `ma20`)."""
    from ia.organs.compute.indicators import example_call

    if re.fullmatch("[A-Za-z_]+[0-9]*", source) and source not in Bars._fields and (call := example_call(source)):
        return call
    if not re.fullmatch("[a-z_]+", source) or source in Bars._fields:
        return source
    from ia.organs.compute import array_backend

    array_backend.choose_arrays(source)
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
        raise UsageError("{name} needs parameters", name=source, hint="give them, as in '{name}(close, 20)'")
    return f"{source}({', '.join(inputs)})"


def _compute_lines(source: str, bars: Bars, limits: PlotLimits, notify: Notify) -> list[ChartLine]:
    from ia.organs.compute.calculate import calculate_expression

    result = calculate_expression(
        source, lambda: bars, trusted=limits.trusted, timeout=limits.timeout, isolation=limits.isolation, notify=notify
    )
    label = " ".join(source.split())
    if result.type in ("scalar", "boolean") and isinstance(result.value, int | float):
        return [ChartLine(label, [float(result.value)] * len(bars.date))]
    if result.type == "series" and result.dated:
        return [ChartLine(label, _align_values(result, result.value, bars, source))]
    if result.type == "frame" and result.dated and result.columns:
        lines = []
        for name, column in zip(result.columns, result.value, strict=True):
            form = "columns" if name == "histogram" else "line"
            lines.append(ChartLine(name, _align_values(result, column, bars, source), form))
        return lines
    raise BadData("{expression} is a {kind}, not a series that can be drawn", expression=label, kind=result.type)


def _align_values(result: ComputeResult, column: list[object], bars: Bars, source: str) -> Values:
    """Return the numbers at the dates of the bars; NaN, infinity and missing dates are None."""
    numbers: Values = []
    for value in column:
        if value is not None and not isinstance(value, int | float):
            raise BadData("{expression} is not a series of numbers", expression=" ".join(source.split()))
        number = None if value is None else float(value)
        numbers.append(number if number is not None and number - number == 0 else None)
    if result.labels == bars.date:
        return numbers
    known = dict(zip(result.labels or [], numbers, strict=True))
    return [known.get(date) for date in bars.date]


def _is_near_prices(lines: list[ChartLine], bars: Bars) -> bool:
    """Tell whether lines belong to the prices' axis: half of their values lie where prices were, give or take half."""
    values = [value for line in lines for value in line.values if value is not None]
    low, high = min(bars.low) * 0.5, max(bars.high) * 1.5
    return not values or sum(low <= value <= high for value in values) * 2 >= len(values)


def _build_pane(source: str, lines: list[ChartLine]) -> ChartPane:
    name = source.partition("(")[0].strip()
    levels, fixed = LEVELS.get(name, ((), None))
    values = [value for line in lines for value in line.values if value is not None]
    if fixed and values and not all(fixed[0] <= value <= fixed[1] for value in values):
        fixed = None
    title = name.upper() + source[len(name) :] if name in LEVELS and source == name else " ".join(source.split())
    return ChartPane(title, tuple(lines), levels, fixed)
