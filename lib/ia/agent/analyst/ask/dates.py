"""Dates in words and figures, and the calendar that readers of times count with."""

import re
from datetime import date, timedelta

from ia.domain.speech.numerals import parse_count

AHEAD = 60
"""Days from which on a day of the year without its year is not the coming one, but that of the year before."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def parse_date(text: str, today: date) -> date | None:
    """Return the day of a date in words or figures; without a year the last that has been, or one just ahead.

    None for no day, and for figures that are a day in two ways.

    >>> str(parse_date("20 June 2024", date(2024, 7, 1))), str(parse_date("3月1日", date(2024, 1, 1)))
    ('2024-06-20', '2023-03-01')
    >>> str(parse_date("14/03/2024", date(2024, 3, 15))), parse_date("12-03-2024", date(2024, 3, 15))
    ('2024-03-14', None)
    """
    text = text.casefold()
    if match := re.fullmatch(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})", text):
        both = {make_day(int(match[3]), int(match[a]), int(match[3 - a])) for a in (1, 2)} - {None}
        return both.pop() if len(both) == 1 else None
    if match := re.fullmatch(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})[日号]?", text) or re.fullmatch(
        r"(\d{4})(\d{2})(\d{2})", text
    ):
        return make_day(int(match[1]), int(match[2]), int(match[3]))
    if match := re.fullmatch(r"([^月年]{1,2})月([一二三四五六七八九十]{1,3})[日号]", text):
        return _past_day(
            today.year, int(parse_count(match[1]) or 0), int(parse_count(match[2]) or 0), today, fixed=False
        )
    if match := re.fullmatch(r"(?:(去|今|前)年)?(\d{1,2})月(\d{1,2})[日号]?", text):
        year = today.year - {"去": 1, "前": 2}.get(match[1] or "", 0)
        return _past_day(year, int(match[2]), int(match[3]), today, fixed=bool(match[1]))
    month = re.search(
        r"[a-z]+(?<!st)(?<!nd)(?<!rd)(?<!th)\b|[a-z]{3,}", re.sub(r"\bof\b|(?<=\d)(?:st|nd|rd|th)\b", " ", text)
    )
    numbers = [int(each) for each in re.findall(r"\d+", text)]
    if month is None or month[0][:3] not in MONTHS or not numbers:
        return None
    years = [number for number in numbers if number > 31]
    days = [number for number in numbers if number <= 31]
    if len(days) != 1:
        return None
    year, fixed = (years[0], True) if years else (today.year, False)
    return _past_day(year, MONTHS.index(month[0][:3]) + 1, days[0], today, fixed=fixed)


def is_no_day(said: str, today: date) -> bool:
    """Return True if words name a day and a month in plain figures, and the calendar has no such day.

    >>> day = date(2024, 3, 15)
    >>> [is_no_day(said, day) for said in ("2月30日", "2023-02-29", "February 30th", "2月29日", "above 60", "1.5")]
    [True, True, True, False, False, False]
    """
    text = said.casefold().strip()
    plain = re.fullmatch(
        r"(?:(?:\d{4}年?|[去今前]年)[-/.]?\d{1,2}[-/.月]\d{1,2}[日号]?|\d{1,2}[-/月]\d{1,2}[日号]?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
        r"|(?:on )?(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? [a-z]{3,9},?(?: \d{4})?"
        r"|(?:on )?[a-z]{3,9} (?:the )?\d{1,2}(?:st|nd|rd|th)?,?(?: \d{4})?)", text
    )  # fmt: skip
    if plain is None or parse_date(text, today) is not None:
        return False
    names = re.findall(r"[a-z]{3,}", re.sub(r"\b(?:on|the|of)\b", " ", text))
    if any(name[:3] not in MONTHS for name in names):  # "above 60"
        return False
    if both := re.fullmatch(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})", text):
        return all(make_day(int(both[3]), int(both[a]), int(both[3 - a])) is None for a in (1, 2))
    return True


def _past_day(year: int, month: int, day: int, today: date, *, fixed: bool) -> date | None:
    """Return a day of a year; not `fixed`, the last such day that has been, or the one just ahead."""
    found = make_day(year, month, day)
    if fixed or (found is not None and (found - today).days < AHEAD):
        return found
    return next((each for back in range(1, 5) if (each := make_day(year - back, month, day)) and each <= today), None)


def make_day(year: int, month: int, day: int) -> date | None:
    """Return a day; None where the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def month_end(first: date) -> date:
    """Return the last day of the month of a day."""
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def add_months(first: date, count: int) -> date:
    """Return the first day of the month so many months after that of a day."""
    months = first.year * 12 + first.month - 1 + count
    return date(months // 12, months % 12 + 1, 1)
