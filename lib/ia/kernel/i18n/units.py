"""Units of large numbers, and dates: neither is a translation of the other language's.

Chinese counts in steps of ten thousand, and names the year first.
"""

from datetime import date

LARGE_UNITS = {
    "en": ((1e12, "tn"), (1e9, "bn"), (1e6, "m"), (1e3, "k")),
    "zh": ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
}
"""Language -> sizes with their names, the largest first."""


def date_in_words(day: date, lang: str) -> str:
    """Return a date as people write it in a sentence.

    >>> date_in_words(date(1990, 5, 15), "en"), date_in_words(date(1990, 5, 15), "zh")
    ('15 May 1990', '1990年5月15日')
    """
    return f"{day.year}年{day.month}月{day.day}日" if lang == "zh" else f"{day.day} {day:%B} {day.year}"
