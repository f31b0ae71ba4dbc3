"""Numbers in words, Chinese and English: 三, 十五, 两, 半, three, a couple of."""

import re

from ia.kernel.patterns import pattern

_ZH = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 10_000, "亿": 100_000_000}
_EN_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
)
_EN = {word: float(value) for value, word in enumerate(_EN_WORDS.split())} | {
    "a": 1.0, "an": 1.0, "thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0, "ninety": 90.0, "hundred": 100.0,
    "a couple of": 2.0, "couple of": 2.0, "half a": 0.5, "half": 0.5, "a hundred": 100.0,
}  # fmt: skip
COUNT = (
    r"(?:(?<![\d,])\d[\d,]*(?:\.\d+)?\s?[万亿千百]?|(?<![半两〇零一二三四五六七八九十百千])[半两〇零一二三四五六七八九十百千万]+"
    rf"|\b(?:{'|'.join(sorted(_EN, key=len, reverse=True))})\b)"
)
"""A regular expression of what `parse_count` reads, in small letters."""


def parse_count(text: str) -> float | None:
    """Return the number that a text is; None for none.

    >>> [parse_count(text) for text in ("15", "1,000", "十五", "二十", "两百", "三千五百", "半", "3万", "x")]
    [15.0, 1000.0, 15.0, 20.0, 200.0, 3500.0, 0.5, 30000.0, None]

    >>> parse_count("一九九〇")  # spelled by its digits
    1990.0
    """
    said = " ".join(text.casefold().replace(",", "").split())
    if match := re.fullmatch(r"(\d+(?:\.\d+)?)\s*([万亿千百]?)", said):
        return float(match[1]) * {**_UNITS, **_BIG, "": 1}[match[2]]
    if said == "半":
        return 0.5
    if said in _EN:
        return _EN[said]
    return (
        _parse_chinese(said) if said and all(char in _ZH or char in _UNITS or char in _BIG for char in said) else None
    )


def _parse_chinese(said: str) -> float | None:
    whole, part, digit = 0, 0, None
    if len(said) > 2 and all(char in _ZH for char in said):
        return float("".join(str(_ZH[char]) for char in said))
    for char in said:
        if char in _ZH:
            if digit is not None and digit != 0:
                return None
            digit = _ZH[char]
        elif char in _UNITS:
            part += (1 if digit is None else digit) * _UNITS[char]
            digit = None
        else:
            whole = (whole + part + (digit or 0)) * _BIG[char]
            part, digit = 0, None
    return float(whole + part + (digit or 0))


_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SMALL = {word: value for value, word in enumerate(_EN_WORDS.split())}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_BELOW = "|".join((*_SMALL, *_TENS))
_IN_WORDS = pattern(
    r"(?<![\w.-])(?:\d+(?:\.\d+)?(?= ?(?:thousand|million)\b)|an? (?=hundred|thousand|million)"
    rf"|{_BELOW})(?:(?: and |[ -]|(?<= ))(?:{_BELOW}|hundred|thousand|million))*(?!\w)",
    re.I,
)


def write_digits(text: str) -> str:
    """Return an English text whose numbers above ten, and percentages, are in figures.

    >>> write_digits("two hundred-day average, 30 thousand into Gree, top three, down five percent at ninety-five")
    '200-day average, 30000 into Gree, top three, down 5 percent at 95'
    """
    return _IN_WORDS.sub(_write_words, text)


def _write_words(found: re.Match[str]) -> str:
    total, part = 0.0, 0.0
    for word in re.split(r"[ -]+", found[0].casefold().strip()):
        if word in _SCALES and word == "hundred":
            part = (part or 1) * 100
        elif word in _SCALES:
            total, part = total + (part or 1) * _SCALES[word], 0.0
        elif word not in ("a", "an", "and"):
            part += float(_SMALL.get(word, _TENS.get(word)) or (word if word[0].isdigit() else 0))
    number, after = total + part, found.string[found.end() :]
    small = number <= 10 and not re.match(r" ?(?:%|per ?cent|percentage|pct)", after, re.I)
    return found[0] if small else f"{number:.10g}"
