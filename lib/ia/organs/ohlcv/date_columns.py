"""Dates as sources write them, read as a whole column, since one cell cannot tell 5 November from 11 May."""

import re
from typing import NamedTuple

from ia.kernel.errors import Message, Notify
from ia.organs.ohlcv.canonical import is_date, line_error, quote_input

_TIME = (
    r"(?:[T ]\s*(?P<hour>[0-9]{1,2}):?(?P<minute>[0-9]{2})(?::?(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]+))?)?"
    r"\s*(?P<half>[ap]m)?\s*(?P<zone>Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_FORMS = [
    re.compile(form + _TIME, re.IGNORECASE | re.ASCII).fullmatch
    for form in (
        r"(?P<year>[0-9]{4})([-/.])(?P<month>[0-9]{1,2})\2(?P<day>[0-9]{1,2})",
        r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})(?:\.0)?",
        r"(?P<year>[0-9]{4})年(?P<month>[0-9]{1,2})月(?P<day>[0-9]{1,2})日",
        r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4})",
        r"(?P<first>[0-9]{1,2})([-/])(?P<other>[0-9]{1,2})\2(?P<year>[0-9]{4})",
        r"(?P<day>[0-9]{1,2})[- ](?P<name>[a-z]{3,9})[- ](?P<year>[0-9]{4})",
        r"(?P<name>[a-z]{3,9})\.? (?P<day>[0-9]{1,2}),? (?P<year>[0-9]{4})",
        r"(?:[a-z]{3} )?(?P<name>[a-z]{3}) (?P<day>[0-9]{1,2}) (?P<year>[0-9]{4})",
    )
]
# Minute bars of Sina and baostock: 20240115093500000
_digits = re.compile(
    r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})(?P<hour>[0-9]{2})(?P<minute>[0-9]{2})(?P<second>[0-9]{2})?(?P<part>0{3})?"
).fullmatch
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ORDERS = "give `--day-first` or `--month-first`, or write dates as YYYY-MM-DD"


class Stamp(NamedTuple):
    """A date cell taken apart; where the order of day and month is open, `first` and `other` are still as written."""

    year: int
    first: int
    other: int
    open_order: bool
    time: str
    zone: str


class DateCell(NamedTuple):
    """The text of a date and the line that it stands on."""

    line: int
    text: str


def read_dates(cells: list[DateCell], source: str, day_first: bool | None, notify: Notify) -> list[str]:
    """Return the cells as canonical dates: days if all times are midnight or none is given, else exchange times.

    A UTC offset is dropped: the wall clock of a bar is that of its exchange. Raises BadData naming the line of what is
    no date, mixes days and times, or leaves open whether day or month comes first.
    """
    if all(len(cell.text) == 10 and is_date(cell.text) for cell in cells):
        return [cell.text for cell in cells]
    known: dict[str, Stamp | None] = {}
    stamps: list[Stamp] = []
    for cell in cells:
        if cell.text not in known:
            known[cell.text] = _parse_stamp(cell.text)
        stamp = known[cell.text]
        if stamp is None:
            template = "{source}:{line}: {field} is not a date: {text}"
            raise line_error((source, cell.line), template, field="date", text=quote_input(cell.text))
        stamps.append(stamp)
    if any(stamp.open_order for stamp in stamps):
        day_first = _is_day_first(cells, stamps, source, day_first, notify)
    intraday = any(stamp.time not in ("", "00:00:00") for stamp in stamps)
    dates = []
    for cell, stamp in zip(cells, stamps, strict=True):
        date = _format_day(stamp, bool(day_first))
        if not is_date(date):
            template = "{source}:{line}: {field} is not a date: {text}"
            raise line_error((source, cell.line), template, field="date", text=quote_input(cell.text))
        if intraday and not stamp.time:
            template = "{source}:{line}: {field} mixes dates and times of day: {text}"
            raise line_error((source, cell.line), template, field="date", text=quote_input(cell.text))
        dates.append(f"{date}T{stamp.time}" if intraday else date)
    if intraday and any(stamp.zone in ("Z", "UTC", "GMT", "+00:00", "+0000") for stamp in stamps):
        notify(Message("{source}: times are in UTC and stay unchanged; they are not exchange time", source=source))
    return dates


def _parse_stamp(text: str) -> Stamp | None:
    text = text.strip()
    if len(text) > 64:
        return None
    match = _digits(text) or next((match for form in _FORMS if (match := form(text))), None)
    if match is None:
        return None
    parts = {key: value for key, value in match.groupdict().items() if value is not None}
    time = _format_time(parts)
    if time is None:
        return None
    year, zone = int(parts["year"]), parts.get("zone", "").upper()
    if "first" in parts:
        return Stamp(year, int(parts["first"]), int(parts["other"]), True, time, zone)
    if "name" in parts:
        name = parts["name"][:3].lower()
        month = _MONTHS.index(name) + 1 if name in _MONTHS else 0
        return Stamp(year, month, int(parts["day"]), False, time, zone)
    return Stamp(year, int(parts["month"]), int(parts["day"]), False, time, zone)


def _format_time(parts: dict[str, str]) -> str | None:
    """Return HH:MM:SS, empty if there is none, None if it is no time of day or finer than a second."""
    if "hour" not in parts:
        return ""
    hour, minute, second = int(parts["hour"]), int(parts["minute"]), int(parts.get("second", "0"))
    if half := parts.get("half", "").lower():
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour > 23 or minute > 59 or second > 59 or parts.get("part", "").strip("0"):
        return None
    return f"{hour:02}:{minute:02}:{second:02}"


def _format_day(stamp: Stamp, day_first: bool) -> str:
    month, day = stamp.first, stamp.other
    if stamp.open_order and day_first:
        month, day = day, month
    return f"{stamp.year:04}-{month:02}-{day:02}"


def _is_day_first(
    cells: list[DateCell], stamps: list[Stamp], source: str, day_first: bool | None, notify: Notify
) -> bool:
    """Return whether the day comes first: as told, else the only order that makes sense of the whole column.

    One order makes sense where the other gives impossible dates, or jumps to and fro, or falls on weekends.
    """
    if day_first is not None:
        return day_first
    readings = {order: [_format_day(stamp, order) for stamp in stamps] for order in (False, True)}
    possible = [order for order in readings if all(map(is_date, readings[order]))]
    if not possible:
        wrong = max(_first_impossible(reading) for reading in readings.values())
        template = "{source}:{line}: {field} contradicts the order of day and month in the rest of the file: {text}"
        raise line_error((source, cells[wrong].line), template, field="date", text=quote_input(cells[wrong].text))
    for sensible in (_runs_one_way, _keeps_off_weekends):
        if len(possible) == 1 or readings[False] == readings[True]:
            break
        possible = [order for order in possible if sensible(readings[order])] or possible
    if len(possible) > 1 and readings[False] != readings[True]:
        cell = next(c for c, a, b in zip(cells, readings[False], readings[True], strict=True) if a != b)
        template = "{source}:{line}: {field} is ambiguous, day/month or month/day: {text}"
        raise line_error((source, cell.line), template, field="date", text=quote_input(cell.text), hint=_ORDERS)
    text, date = cells[0].text, readings[possible[0]][0]
    notify(Message("{source}: reading dates such as {text} as {date}", source=source, text=text, date=date))
    return possible[0]


def _first_impossible(dates: list[str]) -> int:
    return next(i for i, date in enumerate(dates) if not is_date(date))


def _runs_one_way(dates: list[str]) -> bool:
    return dates in (sorted(dates), sorted(dates, reverse=True))


def _keeps_off_weekends(dates: list[str]) -> bool:
    from datetime import date

    days = set(dates)
    return len(days) >= 3 and all(date.fromisoformat(day).weekday() < 5 for day in days)
