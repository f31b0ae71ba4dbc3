"""Twelve months from reports whose financial year may end in any month: which earlier ones complete a part of it.

Reports run from the beginning of a financial year over 3, 6, 9 or 12 months. Years of 52 and 53 weeks end on another
day each time, so that an end counts as the same within SLACK.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

SLACK = timedelta(days=16)


class Span(NamedTuple):
    """The time of a report: its last day, YYYY-MM-DD, and the months of its financial year up to it."""

    period: str
    months: int


def find_parts(spans: Sequence[Span], at: int) -> tuple[int, int] | None:
    """Return where the year before a part of a year stands, and the same part of that year; None where one is missing.

    >>> find_parts([Span("2023-12-30", 3), Span("2023-09-30", 12), Span("2022-12-31", 3)], 0)
    (1, 2)
    """
    newest = spans[at]
    year = _find(spans, _months_before(newest.period, newest.months), 12)
    part = _find(spans, _months_before(newest.period, 12), newest.months)
    return None if year is None or part is None else (year, part)


def find_year_before(spans: Sequence[Span], at: int) -> int | None:
    """Return where the same part of the financial year before stands; None where it is missing."""
    return _find(spans, _months_before(spans[at].period, 12), spans[at].months)


def _find(spans: Sequence[Span], end: date, months: int) -> int | None:
    for at, span in enumerate(spans):
        if span.months == months and abs(date.fromisoformat(span.period) - end) <= SLACK:
            return at
    return None


def _months_before(day: str, months: int) -> date:
    """Return the day so many months before, within a few days."""
    return date.fromisoformat(day) - timedelta(days=round(months * 30.4375))
