"""Numbers and dates in an answer, in any usual form: 1,234.5, 12.3 亿, 1.2 billion, −3.7%, 3月15日, March 15, 2024."""

import re
import unicodedata
from datetime import date
from typing import NamedTuple

SIGNIFICANT = 2
"""Digits that a rounded number must have to be taken for the number."""
_UNITS = {
    "万亿": 1e12, "亿": 1e8, "千万": 1e7, "百万": 1e6, "万": 1e4, "千": 1e3, "手": 100.0,
    "trillion": 1e12, "tn": 1e12, "billion": 1e9, "bn": 1e9, "b": 1e9, "million": 1e6, "mn": 1e6, "mln": 1e6, "m": 1e6,
    "thousand": 1e3, "k": 1e3,
}  # fmt: skip
"""Units and their size; a lot of a mainland share is 100 shares."""
_FIGURE = re.compile(
    r"(?<![A-Za-z0-9_.])(?P<sign>[+-](?! ))?(?:[$¥€]|HK\$|US\$)?\s?(?P<of>百分之)?"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d_])"
    r"(?:\s?(?:(?P<percent>%|per ?cent\b|pct\b|个?百分点)"
    r"|(?P<unit>万亿|亿|千万|百万|万|千|手|(?:trillion|billion|million|thousand|mln|tn|bn|mn|[bmk])\b)"
    r"|(?P<time>-?(?:个?(?:交易)?日|天|周|个?月|年|小时|分钟"
    r"|(?:trading )?(?:day|session|week|month|year|hour|minute)s?\b))))?",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"跌|下滑|下降|回落|亏|损|减少|净卖|流出|fell|fall|down|drop|declin|lost|loss|lower|decreas|negative|minus|outflow",
    re.I,
)
_UP = re.compile(
    r"涨|上升|升|赚|盈利|浮盈|收益|增|净买|流入|rose|rise|risen|\bup\b|gain|profit|higher|increas|positive|inflow", re.I
)
_CLAUSE = re.compile(r"[;\n。;]|, |\. ")
_NEAR = 16
"""Characters before a number, and after it, in which a word may tell its sign."""
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NAME = r"(?P<{}>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES = (
    re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)\s?[-/.年]\s?(?P<m>\d{1,2})\s?[-/.月]\s?(?P<d>\d{1,2})(?!\d)[日号]?"),
    re.compile(r"(?<!\d)(?P<y>20\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2})\s?[日号]?"),
    re.compile(r"\b" + _NAME.format("name") + r"\s(?P<d>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,?\s(?P<y>20\d\d))?", re.I),
    re.compile(
        r"(?<!\d)(?P<d>\d{1,2})(?:st|nd|rd|th)?\s(?:of\s)?" + _NAME.format("name") + r"(?:,?\s(?P<y>20\d\d))?", re.I
    ),
    re.compile(r"(?<![\d-])(?P<m>[01]\d)-(?P<d>[0-3]\d)(?![\d-])"),
)
_NO_FIGURE = re.compile(
    r"(?<!\d)[0-2]?\d:[0-5]\d(?::\d\d)?(?!\d)|(?<!\d)(?:19|20)\d\d\s?年|(?m:^\s*\d{1,2}[.)、]\s)|\bQ[1-4]\b"
    r"|(?<![\d.,])\d{5,6}\.(?:SH|SZ|BJ|HK)\b|\b(?:SH|SZ|BJ)\d{6}\b|\(\d{5,6}\)",
    re.I,
)
"""Times, years, numbers of list items, quarters and codes of securities."""


class Figure(NamedTuple):
    """A number of a text. `half` is half a unit of its last digit; the sign is None where nothing tells it."""

    value: float
    half: float
    digits: int
    percent: bool
    sign: int | None


class CalendarDay(NamedTuple):
    """A date of a text; the year is 0 where it has none."""

    year: int
    month: int
    day: int


def plain_text(text: str) -> str:
    """Return a text without Markdown's marks, in half-width characters; a Chinese comma separates, as a semicolon."""
    text = re.sub(r"[，、；。]", lambda found: ";" if found[0] != "。" else "。", text)
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"(?<![\w.])[−–—](?=\s?[\d¥$])", "-", text)
    return re.sub(r"\*\*|__|`|\u200b", "", text)


def find_dates(text: str) -> tuple[list[CalendarDay], str]:
    """Return the dates of a plain text, and the text with a semicolon in place of each."""
    found: list[CalendarDay] = []
    for pattern in _DATES:

        def take_date(match: re.Match[str]) -> str:
            parts = match.groupdict()
            month = _MONTHS.index(parts["name"].lower()[:3]) + 1 if parts.get("name") else int(parts["m"])
            try:
                date(int(parts.get("y") or 2024), month, int(parts["d"]))
            except ValueError:
                return match[0]
            found.append(CalendarDay(int(parts.get("y") or 0), month, int(parts["d"])))
            return " ; "

        text = pattern.sub(take_date, text)
    return found, text


def find_figures(text: str) -> list[Figure]:
    """Return the numbers of a plain text; dates, times, durations, years, list numbers and codes are none."""
    text = _NO_FIGURE.sub(" ; ", find_dates(text)[1])
    return [_read_figure(text, match) for match in _FIGURE.finditer(text) if not match["time"]]


def _read_figure(text: str, match: re.Match[str]) -> Figure:
    digits = match["number"].replace(",", "")
    scale = _UNITS[match["unit"].lower()] if match["unit"] else 1.0
    places = len(digits.partition(".")[2])
    return Figure(
        value=float(digits) * scale,
        half=0.5 * 10.0**-places * scale,
        digits=len(digits.replace(".", "").lstrip("0")),
        percent=bool(match["percent"] or match["of"]),
        sign=_find_sign(text, match),
    )


def _find_sign(text: str, match: re.Match[str]) -> int | None:
    """Return the sign that is written, else that of the nearest word in the clause before the number, or after it."""
    if match["sign"]:
        return -1 if match["sign"] == "-" else 1
    before = _CLAUSE.split(text[max(match.start() - _NEAR, 0) : match.start()])[-1]
    after = _CLAUSE.split(text[match.end() : match.end() + _NEAR])[0]
    for part, last in ((before, True), (after, False)):
        words = sorted(
            (word.start(), sign) for pattern, sign in ((_DOWN, -1), (_UP, 1)) for word in pattern.finditer(part)
        )
        if words:
            return words[-1 if last else 0][1]
    return None


def is_rounding_of(figure: Figure, number: float, tolerance: float) -> bool:
    """Whether a figure is the magnitude of a number: within a relative tolerance, or rounded to at least two digits.

    >>> is_rounding_of(find_figures("1.2%")[0], 1.23, 0.002), is_rounding_of(find_figures("1.3%")[0], 1.23, 0.002)
    (True, False)
    """
    gap = abs(figure.value - abs(number))
    rounded = figure.half if figure.digits >= SIGNIFICANT else 0.0
    return gap <= max(tolerance * abs(number), rounded) * (1 + 1e-9)
