"""Holidays that a question may name: the words for each, the markets that it shuts, and the days around it."""

import re
from datetime import date, timedelta
from typing import NamedTuple

from ia.agent.analyst.tables import SHIPPED, BadEntry, Entry, Table, Tables
from ia.kernel.errors import Message


class Holiday(NamedTuple):
    """A holiday: the words for it, its name, the markets that it shuts, and the days around it (MM-DD).

    easter  the first and the last of its days, counted from Easter Sunday; () where it does not follow Easter
    """

    words: re.Pattern[str]
    name: tuple[str, str]
    markets: tuple[str, ...]
    first: str
    last: str
    easter: tuple[int, ...] = ()

    def window(self, year: int) -> tuple[date, date]:
        """Return the days around it that end in a year."""
        if self.easter:
            first, last = (easter_sunday(year) + timedelta(days=each) for each in self.easter)
            return first, last
        begins = year - (self.first > self.last)
        return date.fromisoformat(f"{begins}-{self.first}"), date.fromisoformat(f"{year}-{self.last}")


def easter_sunday(year: int) -> date:
    """Return Easter Sunday of a year, by the rule of Gauss as Butcher wrote it.

    >>> str(easter_sunday(2024)), str(easter_sunday(2025))
    ('2024-03-31', '2025-04-20')
    """
    century, rest = divmod(year, 100)
    golden = year % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def build_holiday(entry: Entry) -> Holiday:
    """Return the holiday of an entry. raises BadEntry."""
    easter = tuple(int(each) for each in entry.items("easter") if isinstance(each, int))
    if easter and len(easter) != 2:
        raise BadEntry(Message("{entry}: {key} is not a list", entry=entry.id, key="easter"))
    return Holiday(
        easter=easter,
        words=entry.pattern("words"),
        name=entry.pair("name", needed=True),
        markets=tuple(map(str, entry.items("markets"))),
        first="" if easter else entry.text("from"),
        last="" if easter else entry.text("until"),
    )


def build_holidays(table: Table) -> list[Holiday]:
    """Return the holidays of a table."""
    return list(table.entries("entries", build_holiday))


def holiday_table(tables: Tables = SHIPPED) -> list[Holiday]:
    """Return the holidays that a question may name."""
    return tables.build("research", "holidays", build_holidays)
