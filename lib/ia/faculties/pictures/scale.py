"""Scales, and ticks where a person would put them: round prices, the first bar of a month."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ia.kernel.i18n.units import LARGE_UNITS

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class AxisScale(NamedTuple):
    """Values of [low, high] onto [bottom, top], linear or logarithmic. On a screen `top` is the smaller number."""

    low: float
    high: float
    bottom: float
    top: float
    log: bool = False

    def position_of(self, value: float) -> float:
        """Return where a value stands; values outside land outside."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(max(value, 5e-324))
        return self.bottom + (value - low) / (high - low) * (self.top - self.bottom)


def fit_scale(values: Sequence[float], bottom: float, top: float, *, log: bool = False, air: float = 0.06) -> AxisScale:
    """Return a scale that holds all values with some air. Equal values stand in the middle; none at all give 0 to 1.

    log  needs values above 0; where there are others the scale is linear.
    """
    if not values:
        return AxisScale(0.0, 1.0, bottom, top)
    low, high = min(values), max(values)
    if log and low > 0:
        ratio = max((high / low) ** air, 1.0005)
        return AxisScale(low / ratio, high * ratio, bottom, top, True)
    span = high - low
    if span <= abs(high) * 1e-9:
        margin = abs(high) * 0.05 or 1.0
    else:
        margin = span * air
    return AxisScale(low - margin, high + margin, bottom, top)


def nice_step(span: float, count: int) -> float:
    """Return the round step (1, 2, 2.5 or 5 of a power of ten) that cuts the span into at most `count` parts.

    >>> nice_step(97, 5), nice_step(0.031, 4)
    (20.0, 0.01)
    """
    raw = span / max(count, 1)
    power = 10.0 ** math.floor(math.log10(raw)) if raw > 0 else 1.0
    return next((step * power for step in STEPS if step * power >= raw * (1 - 1e-9)), 10 * power)


def axis_ticks(axis: AxisScale, count: int) -> list[float]:
    """Return round values inside an axis, ascending, at most about `count`; on a long logarithmic one 1, 2 and 5."""
    if axis.log and axis.high / axis.low > 8:
        found = _decade_ticks(axis)
        while len(found) > max(count, 2):
            found = found[::2]
        return found
    step = nice_step(axis.high - axis.low, count)
    first, last = math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9)
    return [round(i * step, 12 - math.floor(math.log10(step))) for i in range(first, last + 1)]


def _decade_ticks(axis: AxisScale) -> list[float]:
    powers = range(math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high)) + 1)
    values = (digit * 10.0**power for power in powers for digit in (1, 2, 5))
    return [value for value in values if axis.low <= value <= axis.high]


def count_decimals(values: Sequence[float]) -> int:
    """Return how many decimals tell these values apart and none more.

    >>> count_decimals([10.0, 12.5, 15.0]), count_decimals([1000.0, 2000.0])
    (1, 0)
    """
    for places in range(9):
        if all(abs(round(value, places) - value) <= max(abs(value), 1e-12) * 1e-9 for value in values):
            return places
    return 9


def format_price(value: float) -> str:
    """Return a price as people write it: two decimals, more where it is small, groups of thousands.

    >>> format_price(1687.4), format_price(0.00213), format_price(3.1)
    ('1,687.40', '0.00213', '3.10')
    """
    if value == 0 or abs(value) >= 1:
        return f"{value:,.3f}".removesuffix("0") if abs(value) < 10 else f"{value:,.2f}"
    places = min(12, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{places}f}".rstrip("0")
    return text if len(text.partition(".")[2]) >= 2 else f"{value:.2f}"


def format_compact(value: float, lang: str = "en") -> str:
    """Return a large number in few letters.

    >>> format_compact(38_100_000), format_compact(38_100_000, "zh"), format_compact(950)
    ('38.1m', '3810万', '950')
    """
    for size, sign in LARGE_UNITS[lang]:
        if abs(value) >= size:
            scaled = value / size
            return f"{scaled:.2f}".rstrip("0").rstrip(".") + sign if abs(scaled) < 10 else _format_whole(scaled) + sign
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) < 10 else f"{value:.0f}"


def _format_whole(value: float) -> str:
    return (
        f"{value:.1f}".removesuffix(".0") if abs(value) < 100 and abs(value - round(value)) > 0.05 else f"{value:.0f}"
    )


def format_number(value: float, lang: str = "en") -> str:
    """Return a value of an indicator in about five figures.

    >>> format_number(56.78123), format_number(-1234567.0), format_number(-1234567.0, "zh"), format_number(0.00012345)
    ('56.78', '-1.235m', '-123.5万', '0.0001234')
    """
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e6:
        limit, sign = next(unit for unit in LARGE_UNITS[lang] if size >= unit[0])
        return f"{_format_rounded(value / limit)}{sign}"
    return f"{value:,.0f}" if size >= 1e5 else f"{value:,.2f}" if size >= 1 else f"{value:.4g}"


def format_together(values: Sequence[float | None], lang: str = "en") -> list[str]:
    """Return values that stand beside each other, with equally many decimals; `-` where there is none.

    >>> format_together([1.27, 1.8534, -0.5868]), format_together([0.0123456, -0.5, None])
    (['1.27', '1.85', '-0.59'], ['0.0123', '-0.5000', '-'])
    """
    most = max((abs(value) for value in values if value is not None), default=0.0)
    if most >= 1e6:
        return ["-" if value is None else format_number(value, lang) for value in values]
    places = 0 if most >= 1e5 else 2 if most >= 1 else min(3 - math.floor(math.log10(most)), 12) if most else 0
    return ["-" if value is None else f"{value:,.{places}f}" for value in values]


def _format_rounded(value: float) -> str:
    """Return four figures, or all of a whole number, without an exponent."""
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def axis_labels(values: Sequence[float], lang: str = "en", large: float = 1e6) -> list[str]:
    """Return the labels of an axis: in one unit, with as many decimals as tell its values apart and none more.

    large  the size from which on a unit is written

    >>> axis_labels([30.0, 70.0]), axis_labels([-2.5, 0.0, 2.5]), axis_labels([975_000.0, 1_000_000.0, 1_025_000.0])
    (['30', '70'], ['-2.5', '0', '2.5'], ['0.975m', '1.000m', '1.025m'])
    """
    most = max(map(abs, values), default=0.0)
    if 0 < most < 1e-6:
        return [format_number(value, lang) for value in values]
    size, sign = (
        next((unit for unit in LARGE_UNITS[lang] if most >= unit[0]), (1.0, "")) if most >= large else (1.0, "")
    )
    scaled = [value / size for value in values]
    places = count_decimals(scaled)
    return [f"{value:,.{places}f}{sign}" if value else "0" for value in scaled]


_LEVELS: tuple[tuple[str, int], ...] = (
    ("minute", 1),
    ("hour", 1),
    ("day", 1),
    ("week", 1),
    ("month", 1),
    ("month", 3),
    ("month", 6),
    ("year", 1),
    ("year", 2),
    ("year", 5),
    ("year", 10),
    ("year", 20),
)


def date_ticks(dates: Sequence[str], room: int) -> list[tuple[int, str]]:
    """Return (index, label) of the bars at which a day, week, month or year begins: at most `room`, evenly apart.

    Among times of day a new day is told by its date, among days a new year by its number.

    >>> date_ticks(["2024-01-30", "2024-01-31", "2024-02-05"], 3), date_ticks(["2023-12-29", "2024-01-02"], 1)
    ([(0, '01-30'), (1, '01-31'), (2, '02-05')], [(1, '2024-01-02')])
    """
    if not dates:
        return []
    levels = _LEVELS if len(dates[0]) > 10 else _LEVELS[2:]
    if len(dates) == 1:
        return [(0, dates[0][:16].replace("T", " "))]
    room = max(room, 1)
    at: list[int] = []
    unit = ""
    for unit, every in levels:
        keys = [_tick_key(date, unit, every) for date in dates]
        at = [i for i in range(1, len(dates)) if keys[i] != keys[i - 1]]
        if len(at) <= room:
            break
    if len(at) == len(dates) - 1 < room:  # every bar has its own
        at.insert(0, 0)
    apart = len(dates) / room * 0.65
    kept: list[tuple[int, str, bool]] = []
    for i in at:
        label, first = _tick_label(dates[i], dates[i - 1] if i else dates[i], unit)
        if not kept or i - kept[-1][0] >= apart:
            kept.append((i, label, first))
        elif first and not kept[-1][2]:
            kept[-1] = (i, label, first)
    return [(i, label) for i, label, _ in kept[-room:]] or [(0, dates[0][:10])]


def _tick_key(date: str, unit: str, every: int) -> object:
    if unit == "minute":
        return date[:16]
    if unit == "hour":
        return date[:13]
    if unit == "day":
        return date[:10]
    year, month = int(date[:4]), int(date[5:7])
    if unit == "week":
        from datetime import date as Date

        return Date(year, month, int(date[8:10])).toordinal() // 7
    return year // every if unit == "year" else (year * 12 + month - 1) // every


def _tick_label(date: str, before: str, unit: str) -> tuple[str, bool]:
    """Return the label of a bar, and whether it tells of something larger than its unit: a new day, a new year."""
    if unit in ("minute", "hour"):
        return (date[11:16], False) if date[:10] == before[:10] else (date[5:10], True)
    if unit in ("day", "week"):
        return (date[5:10], False) if date[:4] == before[:4] else (date[:10], True)
    return (date[:7] if unit == "month" else date[:4]), False
