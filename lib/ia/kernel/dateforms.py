"""Dates and times as people write them: one reading for every option, argument, tool and setting.

A text means a span of days, so that ``2024-03`` begins on the 1st as `--start` and ends on the 31st as `--end`. What
can be read in two ways is asked back and never guessed. Nothing here reads a clock: the caller says what today is.
"""

import re
import unicodedata
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from ia.kernel.errors import UsageError
from ia.kernel.i18n import mark_text
from ia.kernel.patterns import pattern

FORMS = mark_text("write 2024-03-15, 20240315, 2024/3/15, 2024-03, 03-15, yesterday, 30d, -2w, 3m, 1y or ytd")
TIMES = mark_text(
    "write 2024-03-15, 20240315, 03-15, yesterday, -30d, 10:30, 2024-03-15T15:00 or 2024-03-15T15:00+08:00"
)
LONGEST = 40
_FIRST_YEAR, _LAST_YEAR = 1900, 8999

_DAYS = {
    "today": 0,
    "yesterday": -1,
    "tomorrow": 1,
    "今天": 0,
    "今日": 0,
    "昨天": -1,
    "昨日": -1,
    "前天": -2,
    "大前天": -3,
    "明天": 1,
    "后天": 2,
}
_UNITS = {
    "d": "d", "day": "d", "days": "d", "天": "d", "日": "d", "w": "w", "week": "w", "weeks": "w", "wk": "w", "周": "w",
    "星期": "w", "m": "m", "mo": "m", "mon": "m", "month": "m", "months": "m", "个月": "m", "月": "m",
    "y": "y", "yr": "y", "year": "y", "years": "y", "年": "y",
}  # fmt: skip
_relative = pattern(r"([+-]?)(\d{1,5})\s*([a-z]+|[^\W\d_a-z]{1,2}?)\s*(ago|以?前)?")
_year_first = pattern(r"(\d{4})(?:-(\d{1,2})-|/(\d{1,2})/|\.(\d{1,2})\.)(\d{1,2})")
_digits = pattern(r"(\d{4})(\d{2})(\d{2})")
_chinese = pattern(r"(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})[日号]?)?")
_month = pattern(r"(\d{4})[-/](\d{1,2})")
_year = pattern(r"(\d{4})年?")
_month_day = pattern(r"(\d{2})-(\d{2})")
_open_order = pattern(r"(\d{1,2})([-/.])(\d{1,2})(?:\2(\d{4}))?")
_clock_time = pattern(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?", re.I)
_day_and_time = pattern(r"(.*?)(?:T|\s+|(?<=[天日号]))(\d{1,2}:\d{2}.*)", re.I)


class DateSpan(NamedTuple):
    """The first and the last day that a text means; the same where it means one day."""

    first: date
    last: date


def read_days(text: str, today: date) -> DateSpan | None:
    """Return the days that a text means; None where it is no date. A day without a year is the last that has been.

    raises  UsageError where it can be read in two ways.

    >>> day = date(2024, 3, 15)
    >>> [str(read_days(text, day).first) for text in ("20240103", "2024/1/3", "yesterday", "-30d", "1y")]
    ['2024-01-03', '2024-01-03', '2024-03-14', '2024-02-14', '2023-03-15']
    >>> str(read_days("2024-02", day).last), str(read_days("12-31", day).first), read_days("soon", day)
    ('2024-02-29', '2023-12-31', None)
    """
    bare = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    bare = re.sub(r" ?([年月日号]) ?", r"\1", bare)
    if not bare or len(bare) > LONGEST:
        return None
    try:
        found = _read_word(bare, today) or _read_numbers(bare, today)
    except (ValueError, OverflowError):
        return None
    return found if found and found.first.year >= _FIRST_YEAR and found.last.year <= _LAST_YEAR else None


def parse_day(text: str, today: date, *, option: str = "", last: bool = False) -> str:
    """Return the day that a text means as YYYY-MM-DD: the first of a month or year, with `last` the last of it.

    raises  UsageError, naming the option, for what is no date.
    """
    span = read_days(text, today)
    if span is None:
        raise _date_error(text, option)
    return (span.last if last else span.first).isoformat()


def parse_one_day(text: str, today: date, *, option: str = "") -> str:
    """Return the one day that a text means as YYYY-MM-DD.

    raises  UsageError, naming the option, for what is no date, and for a month or a year.
    """
    span = read_days(text, today)
    if span is None:
        raise _date_error(text, option)
    if span.first != span.last:
        hint = "give a full date, such as {day}"
        raise UsageError("{text} is a period, not a single day", text=text.strip(), hint=hint, day=span.first)
    return span.first.isoformat()


def read_moment(text: str, now: datetime) -> datetime | DateSpan | None:
    """Return the moment that a text means, the days where no time of day is in it, None where it is neither.

    A moment without an offset has none: the caller knows which zone is meant. A time alone is that of today.
    """
    bare = unicodedata.normalize("NFKC", text).strip()
    if bare.casefold() in ("now", "现在"):
        return now
    if len(bare) > LONGEST:
        return None
    if _clock_time.fullmatch(bare):
        return _combine_time(now.date(), bare)
    if parts := _day_and_time.fullmatch(bare):
        span = read_days(parts[1], now.date())
        return _combine_time(span.first, parts[2]) if span and span.first == span.last else _read_iso(bare)
    return read_days(bare, now.date()) or _read_iso(bare)


def _read_word(bare: str, today: date) -> DateSpan | None:
    """Return the day of `yesterday`, `ytd`, `-30d`, `3 months ago`, `2周前`."""
    if bare in _DAYS:
        return _single_day(today + timedelta(days=_DAYS[bare]))
    if bare in ("ytd", "mtd"):
        return _single_day(today.replace(day=1) if bare == "mtd" else date(today.year, 1, 1))
    parts = _relative.fullmatch(bare)
    if parts is None or parts[3] not in _UNITS or (parts[1] and parts[4]):
        return None
    if parts[3] in ("年", "月", "日") and not (parts[4] and parts[3] != "日"):  # 3月 is March, 15日 a day of some month
        return None
    return _single_day(_shift_day(today, int(parts[2]) * (1 if parts[1] == "+" else -1), _UNITS[parts[3]]))


def _read_numbers(bare: str, today: date) -> DateSpan | None:
    if parts := _year_first.fullmatch(bare):
        return _single_day(date(int(parts[1]), int(parts[2] or parts[3] or parts[4]), int(parts[5])))
    if parts := _digits.fullmatch(bare):
        return _single_day(date(int(parts[1]), int(parts[2]), int(parts[3])))
    if parts := _chinese.fullmatch(bare):
        year = int(parts[1]) if parts[1] else None
        return _resolve_year(int(parts[2]), int(parts[3]) if parts[3] else None, year, today)
    if parts := _month.fullmatch(bare):
        return _resolve_year(int(parts[2]), None, int(parts[1]), today)
    if parts := _year.fullmatch(bare):
        return DateSpan(date(int(parts[1]), 1, 1), date(int(parts[1]), 12, 31))
    if (parts := _month_day.fullmatch(bare)) and int(parts[1]) <= 12:
        return _resolve_year(int(parts[1]), int(parts[2]), None, today)
    if parts := _open_order.fullmatch(bare):
        return _read_either_order(bare, int(parts[1]), int(parts[3]), int(parts[4]) if parts[4] else None, today)
    return None


def _read_either_order(bare: str, one: int, other: int, year: int | None, today: date) -> DateSpan | None:
    """Return the only day that two numbers can mean; raise UsageError where they can mean two."""
    found = []
    for month, day in ((one, other), (other, one)):
        try:
            span = _resolve_year(month, day, year, today)
        except ValueError:
            continue
        if span not in found:
            found.append(span)
    if len(found) == 2:
        one_day, other_day = (str(span.first) for span in found)
        raise UsageError(
            "{text} is ambiguous: {one_day} or {other_day}",
            text=bare,
            one_day=one_day,
            other_day=other_day,
            hint="write {one_day} or {other_day}",
        )
    return found[0] if found else None


def _resolve_year(month: int, day: int | None, year: int | None, today: date) -> DateSpan:
    """Return a day or month; without a year the last one that has begun."""
    for tried in (year,) if year is not None else range(today.year, today.year - 9, -1):  # 29 February: up to 8 years
        try:
            first = date(tried, month, day or 1)
        except ValueError:
            continue
        if year is not None or first <= today:
            return DateSpan(first, first if day else _month_end(first))
    raise ValueError


def _shift_day(day: date, count: int, unit: str) -> date:
    """Return a day so many days, weeks, months or years later; of a shorter month its last day."""
    if unit in "dw":
        return day + timedelta(days=count * (7 if unit == "w" else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "y" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, _month_end(date(year, month + 1, 1)).day))


def _month_end(first: date) -> date:
    """Return the last day of the month that begins on a day."""
    return (first + timedelta(31)).replace(day=1) - timedelta(1)


def _combine_time(day: date, clock_time: str) -> datetime | None:
    parts = _clock_time.fullmatch(clock_time)
    if parts is None:
        return None
    zone = (parts[4] or "").upper().replace("Z", "+00:00")
    text = f"{int(parts[1]):02}:{parts[2]}:{parts[3] or '00'}{zone}"
    try:
        return datetime.combine(day, time.fromisoformat(text))
    except ValueError:
        return None


def _read_iso(bare: str) -> datetime | None:
    """Return a moment of ISO 8601 in a form that is not in daily use: `20240315T150000Z`."""
    try:
        return datetime.fromisoformat(bare) if "T" in bare and bare.isascii() else None
    except ValueError:
        return None


def _single_day(day: date) -> DateSpan:
    return DateSpan(day, day)


def _date_error(text: str, option: str) -> UsageError:
    shown = text.strip()[:LONGEST]
    if _clock_time.fullmatch(shown):
        return UsageError("{value!r} is a time of day; give a date", value=shown, hint=FORMS)
    if option:
        return UsageError("{option}: {value!r} is not a date", option=option, value=shown, hint=FORMS)
    return UsageError("{text!r} is not a valid date", text=shown, hint=FORMS)
