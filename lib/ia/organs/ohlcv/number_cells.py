"""Numbers as people and sources write them: thousands separators, currency signs, 万 and 亿, K and M, gaps."""

import re

_MISSING = frozenset(
    [
        "",
        "-",
        "--",
        "---",
        "—",
        "——",
        "–",
        "n/a",
        "#n/a",
        "na",
        "nan",
        "<na>",
        "null",
        "none",
        "nil",
        "\\n",
        "nat",
        "停牌",
    ]
)
_POWERS = {"": 0, "千": 3, "万": 4, "百万": 6, "千万": 7, "亿": 8, "万亿": 12, "k": 3, "m": 6, "b": 9}
_is_plain = re.compile(r"[0-9]+(?:\.[0-9]*)?", re.ASCII).fullmatch
_number = re.compile(
    r"([+-]?)\s?[$¥￥€£]?\s?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]{1,4}))?\s?([^\s0-9.,+-]*)"
).fullmatch
_is_dotted = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]*)?").fullmatch
_LONGEST = 400


class Quantity:
    """A number as it was written, exactly: ``digits`` times ten to the ``power``; `rounded` if it came with a unit."""

    __slots__ = ("digits", "power", "rounded")

    def __init__(self, digits: int, power: int, rounded: bool) -> None:
        self.digits = digits
        self.power = power
        self.rounded = rounded

    def to_whole(self, scale: int = 1) -> tuple[int, bool]:
        """Return the nearest whole number of `scale` times the quantity, and whether that is exact.

        >>> parse_quantity("445128.46").to_whole(100), parse_quantity("3.10万").to_whole()
        ((44512846, True), (31000, True))
        >>> parse_quantity("5.877e-39").to_whole()
        (0, False)
        """
        if self.power >= 0:
            return int(self.digits * scale * 10**self.power), True
        unit = 10**-self.power
        count, rest = divmod(abs(self.digits) * scale, unit)
        count += 2 * rest >= unit
        return (-count if self.digits < 0 else count), rest == 0

    def to_float(self) -> float:
        """Return the nearest float; infinite where it is beyond the floats."""
        return float(f"{self.digits}e{self.power}")


def is_missing(text: str) -> bool:
    """Return True if a cell says that there is no value: empty, ``-``, ``--``, ``N/A``, ``null`` and so on."""
    return text.strip().casefold() in _MISSING


def parse_price(text: str) -> float:
    """Return the price that a cell holds; raises ValueError for what is not a number (a unit is not one either)."""
    text = text.strip()
    if len(text) < 32 and _is_plain(text):
        return float(text)
    found = parse_quantity(text)
    if found.rounded:
        raise ValueError(text)
    return found.to_float()


def parse_quantity(text: str) -> Quantity:
    """Return the number that a cell holds with its unit, exactly; raises ValueError for what is not a number.

    >>> parse_quantity("1,234.50").to_float(), parse_quantity("1.2亿").to_float(), parse_quantity("$4.78M").to_float()
    (1234.5, 120000000.0, 4780000.0)
    """
    match = _number(text.strip().casefold()) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(text)
    sign, whole, fraction, exponent, unit = match.groups(default="")
    digits = whole.replace(",", "") + fraction
    if not digits or unit not in _POWERS or abs(int(exponent or 0)) > _LONGEST:
        raise ValueError(text)
    power = int(exponent or 0) - len(fraction) + _POWERS[unit]
    return Quantity(int(sign + digits), power, bool(unit))


def replace_decimal_comma(text: str) -> str:
    """Return a number like ``1.264,50`` with a decimal point; raises ValueError if it is not written that way.

    >>> replace_decimal_comma("1.264,50"), replace_decimal_comma("264")
    ('1264.50', '264')
    """
    if "." in text and not _is_dotted(text.strip()):
        raise ValueError(text)
    return text.replace(".", "").replace(",", ".")


def uses_decimal_comma(prices: list[str]) -> bool | None:
    """Tell from all prices of a file whether their comma is a decimal point; None if that cannot be told.

    >>> uses_decimal_comma(["264,50", "1264,5"]), uses_decimal_comma(["1,264.50"]), uses_decimal_comma(["1,264"])
    (True, False, None)
    """
    with_comma = [text for text in prices if "," in text]
    if not with_comma:
        return False
    if any(re.search(r",[0-9]+\.|\.[0-9]+$", text) for text in prices):
        return any(re.search(r"\.[0-9]{3},", text) for text in prices)
    if any(not re.search(r",[0-9]{3}$", text) for text in with_comma):
        return True
    return False if any(text.count(",") > 1 for text in with_comma) else None
