"""What a database is: its file, how dear it is, and the steps that lead to its newest version.

A room that keeps rows in ia.db declares its tables in `tables.sql` of its own folder, below a line `-- version N` for
each version of ia.db that brought something. The files are read only to make or migrate a database. They are SQL and
not Python, so the kernel imports no room, and no room is loaded because a database is opened.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

from ia.kernel.i18n import mark_text
from ia.kernel.patterns import pattern

ROOMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 2)
"""The folder of the rooms: each may hold a `tables.sql`."""
REBUILT = mark_text("run `ia doctor` for details; you can delete the contents of .ia/cache, and ia rebuilds them")
_VERSION = pattern(r"^-- version (\d+).*$", re.M)


class Schema(NamedTuple):
    """A database: its file below `.ia`, whether it is precious, and the steps that lead to its newest version.

    A precious schema is never edited, only added to: step i takes version i to i + 1. So is one that is `dear`: it can
    be rebuilt, but only by asking hosts for hours, and so it is migrated too, and put aside only where it is damaged.
    `page` is the size of a page in bytes, for a database that is made anew: larger ones suit many rows at once. `cure`
    is the hint that goes with damage.
    """

    file: str
    precious: bool
    steps: tuple[Callable[[sqlite3.Connection], None], ...]
    dear: bool = False
    page: int = 4096
    cure: str = REBUILT


def split_statements(script: str) -> Iterator[str]:
    r"""Yield the statements of an SQL script: executescript() would end the transaction.

    >>> [*split_statements("-- a table\nCREATE TABLE t (a,\n b);\nDROP TABLE t;\n")]
    ['-- a table\nCREATE TABLE t (a,\n b);\n', 'DROP TABLE t;\n']
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@cache
def read_tables() -> dict[int, tuple[str, ...]]:
    """Return the statements of all rooms by the version of ia.db that they lead to."""
    import glob

    found: dict[int, tuple[str, ...]] = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(ROOMS), "**", "tables.sql"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            _, *parts = _VERSION.split(file.read())
        for version, script in zip(map(int, parts[::2]), parts[1::2], strict=True):
            found[version] = (*found.get(version, ()), *split_statements(script))
    return found


def _make_tables(version: int, db: sqlite3.Connection) -> None:
    for statement in read_tables()[version]:
        db.execute(statement)


VERSION = 12
"""The newest version of ia.db. A room that adds to its `tables.sql` counts it up."""
PRECIOUS = Schema(
    "ia.db",
    True,
    tuple(partial(_make_tables, version) for version in range(1, VERSION + 1)),
    cure="restore it from a backup; `ia doctor` shows how to recover its contents",
)
