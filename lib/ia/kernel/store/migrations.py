"""Taking a database forward to its newest version."""

import sqlite3
import time

from ia.kernel.errors import ConfigError
from ia.kernel.store.failures import is_busy
from ia.kernel.store.schema import Schema
from ia.kernel.store.transactions import transaction


def migrate(conn: sqlite3.Connection, version: int, schema: Schema) -> None:
    """Take a database of a version to the newest one, in one transaction; version 0 is an empty file.

    Raises:
        ConfigError: a newer ia wrote it, and it is precious or dear.
        sqlite3.DatabaseError: it has another version and can be rebuilt.
    """
    if schema.precious or schema.dear:
        refuse_newer(version, schema)
    elif version not in (0, len(schema.steps)):
        raise sqlite3.DatabaseError("the schema version differs")
    if version == 0:
        conn.execute(f"PRAGMA page_size={schema.page}")
    _switch_to_wal(conn)
    with transaction(conn):
        version = conn.execute("PRAGMA user_version").fetchone()[0]  # another process may have been quicker
        for step in schema.steps[version:]:
            step(conn)
        conn.execute(f"PRAGMA user_version={len(schema.steps)}")


def refuse_newer(version: int, schema: Schema) -> None:
    """Raise ConfigError if a newer ia wrote the database."""
    if version > len(schema.steps):
        raise ConfigError(
            "{file} was written by a newer ia (schema {version}; this ia supports up to {newest})",
            hint="upgrade ia",
            file=schema.file,
            version=version,
            newest=len(schema.steps),
        )


def _switch_to_wal(conn: sqlite3.Connection, patience: float = 10.0) -> None:
    """Switch to write-ahead logging. Two processes that do so at once may be told `locked` without any waiting."""
    deadline = time.monotonic() + patience
    while True:
        try:
            conn.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as exc:
            if not is_busy(exc) or time.monotonic() > deadline:
                raise
        time.sleep(0.005)
