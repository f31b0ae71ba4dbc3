"""Writing: transactions, and many rows at once."""

import contextlib
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any


@contextlib.contextmanager
def transaction(conn: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All or nothing. The write lock is taken at once, so that a read inside cannot go stale.

    Inside another one it is a part of that: it can fail alone, and is kept only with the whole.
    """
    inner = conn.in_transaction
    conn.execute("SAVEPOINT inner_part" if inner else "BEGIN IMMEDIATE")
    try:
        yield conn
    except BaseException:
        if not inner:
            conn.rollback()
        elif conn.in_transaction:  # a full disk may have ended it
            conn.execute("ROLLBACK TO inner_part")
            conn.execute("RELEASE inner_part")
        raise
    conn.execute("RELEASE inner_part" if inner else "COMMIT")


def insert_rows(conn: sqlite3.Connection, table: str, rows: Iterable[Mapping[str, object]]) -> None:
    """Insert or replace many rows of plain values, all with the same columns, within the transaction that is open."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return
    names = list(first)
    insert = f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    conn.executemany(insert, ([row[name] for name in names] for row in chain([first], rows)))


def import_sqlite_utils() -> Any:
    """Import sqlite-utils without pandas and numpy, which it would load only to register types."""
    blocked = [name for name in ("pandas", "numpy") if name not in sys.modules]
    for name in blocked:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        import sqlite_utils
    finally:
        for name in blocked:
            del sys.modules[name]
    return sqlite_utils
