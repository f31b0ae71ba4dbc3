"""Times of the day in a text."""

import re

from ia.domain.speech.numerals import parse_count
from ia.kernel.patterns import pattern

CLOCK = pattern(
    r"\b(?:1[0-2]|[1-9])(?::[0-5]\d)? ?(?:am|pm|a\.m\.|p\.m\.)(?![a-z])"
    r"|(?<![\d.:])(?:[01]?\d|2[0-3])[:：][0-5]\d(?!\d)"
    r"|(?:每[天日]|早上|早晨|上午|中午|下午|晚上)(?:的)?(?:\d{1,2}|[一二两三四五六七八九]|十[一二]?)点(?:半|[0-5]\d分?|钟)?(?![几多个])"
    r"|(?<![\d.])(?:\d{1,2}|[一二两三四五六七八九]|十[一二]?)点(?:半|钟)",
    re.I,
)
"""A time of the day: 15:00, 3 pm, 下午三点半."""
_PARTS = pattern(r"(?P<hour>\d{1,2}|[一二两三四五六七八九十]+)(?:[:：点](?P<minute>[0-5]\d)?(?P<half>半)?)?", re.I)
_AFTER_NOON = pattern(r"下午|晚上|p\.?m", re.I)
_NOON = 12


def read_clocks(text: str) -> list[str]:
    """Return the times of the day that a text names."""
    return [said for found in CLOCK.finditer(text) if (said := read_clock(found[0]))]


def read_clock(said: str) -> str:
    """Return a time of the day as a clock shows it; "" where that is none.

    >>> read_clock("15:00"), read_clock("3 pm"), read_clock("下午三点半"), read_clock("每天9点")
    ('15:00', '15:00', '15:30', '9:00')
    """
    found = _PARTS.search(said)
    hour = parse_count(found["hour"]) if found else None
    if found is None or hour is None:
        return ""
    late = _NOON if _AFTER_NOON.search(said) and hour < _NOON else 0
    return f"{hour + late:.0f}:{'30' if found['half'] else found['minute'] or '00'}"
