"""Figures of a reply that nothing it was given contains: no result of a tool, no word of the user or of the context.

A reply may round a figure, and may write it in per cent, in 万 or in 亿. Dates, list numbers, ids and small counts are
no figures.
"""

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal

from ia.kernel.patterns import pattern

MOST_TOLD = 6
"""Figures that are named."""
SMALL = 31
"""Whole numbers up to this count something, or are a day."""
_DATES = pattern(
    r"(?:19|20)\d{2}[-/年]\s?\d{1,2}(?:[-/月]\s?\d{1,2}日?)?|(?:19|20)\d{2}\.\d{1,2}\.\d{1,2}|\d{1,2}月\d{1,2}日?|\b\d{1,2}:\d{2}(?::\d{2})?\b"
    r"|\b(?:19|20)\d{2}\b(?!\s*[%.\d])|(?:19|20)\d{2}年"
)
_IDS = pattern(r"[A-Za-z_]+\d[\w.]*|\b\d{6}\b|\[[^\]\n]*\]|`[^`\n]*`")
_LIST = pattern(r"(?m)^\s*(?:[-*]\s*)?\d{1,2}[.)、]\s")
_NUMBER = pattern(r"(?<![\d.])[-+−]?\d[\d,]*(?:\.\d+)?")
_SCALES = (Decimal(1), Decimal(100), Decimal("0.01"), Decimal("0.0001"), Decimal("0.00000001"), Decimal("0.001"),
           Decimal("0.000001"))  # fmt: skip


def find_unsupported_figures(reply: str, given: Iterable[str]) -> list[str]:
    """Return the figures of a reply, as it writes them, that none of the texts given contains.

    >>> find_unsupported_figures("RSI is 31.2, about 40% lower", ["rsi 31.2345"])
    ['40']
    """
    told = _IDS.sub(" ", _DATES.sub(" ", _LIST.sub(" ", unicodedata.normalize("NFKC", reply))))
    asked = {word: number for word in _NUMBER.findall(told) if (number := _read_number(word)) is not None}
    asked = {word: number for word, number in asked.items() if not _is_count(number)}
    if not asked:
        return []
    known = {
        abs(number)
        for text in given
        for word in _NUMBER.findall(unicodedata.normalize("NFKC", text))
        if (number := _read_number(word)) is not None
    }
    return [word for word, number in asked.items() if not _is_supported(abs(number), known)]


def _is_count(number: Decimal) -> bool:
    return number == number.to_integral_value() and abs(number) <= SMALL


def _read_number(word: str) -> Decimal | None:
    plain = re.sub(r"[,+−-]", "", word)
    return Decimal(plain) if plain and len(plain) < 25 else None


def _is_supported(number: Decimal, known: set[Decimal]) -> bool:
    """Return True if a known figure, perhaps in another unit, rounds to this one at the digits that it shows."""
    exponent = number.as_tuple().exponent
    half = Decimal(1).scaleb(exponent) / 2 if isinstance(exponent, int) else Decimal(0)
    whole = number == number.to_integral_value()
    trailing = len(str(int(number))) - len(str(int(number)).rstrip("0")) if whole and number else 0
    half = max(half, min(Decimal(10) ** trailing / 2, number / 50)) if trailing > 1 else half
    return any(abs(each * scale - number) <= half for each in known for scale in _SCALES)
