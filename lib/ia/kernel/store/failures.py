"""What SQLite's errors mean to the user: a held lock, a full or read-only disk, a damaged file."""

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterator

from ia.kernel import files
from ia.kernel.errors import BadData, Refused, TryLater
from ia.kernel.store.schema import REBUILT, Schema


class Damaged(BadData):
    """A database whose file is not sound."""


_UNSOUND = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextlib.contextmanager
def translate_errors(schema: Schema, home: str = "") -> Iterator[None]:
    """Raise sqlite3's errors as ours. `home`: the workspace of the database, for a message that names its path."""
    try:
        yield
    except sqlite3.Error as exc:
        raise explain_sqlite_error(exc, schema, home) from exc


def explain_sqlite_error(exc: sqlite3.Error, schema: Schema | None = None, home: str = "") -> Exception:
    """Return the IaError that tells the user what an sqlite3 error of a database means."""
    name = os.path.basename(schema.file) if schema else "the database"
    path = os.path.join(home, ".ia", schema.file) if schema and home else name
    if is_busy(exc):
        return TryLater("another process has locked {name}", name=name, hint="try again in a moment")
    code = error_code(exc)
    if code == sqlite3.SQLITE_READONLY or (code == sqlite3.SQLITE_CANTOPEN and schema and not is_permitted(path)):
        return Refused("{path}: permission denied", path=path)
    # SQLITE_ERROR is a statement that does not fit what is stored: a table or a column is missing.
    if isinstance(exc, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR:
        return TryLater("{name}: {reason}", name=name, reason=str(exc), hint="is the disk full or read-only?")
    kind = Damaged if is_damaged(exc) else BadData
    return kind("{name} is damaged: {reason}", name=name, reason=str(exc), hint=schema.cure if schema else REBUILT)


def is_damaged(exc: BaseException) -> bool:
    """Return True if SQLite says that the file itself is not sound; a statement that fails may be another's fault."""
    return isinstance(exc, Damaged) or error_code(exc) in _UNSOUND


def error_code(exc: BaseException) -> int:
    """Return SQLite's primary code of an error; 0 where SQLite did not raise it."""
    return int(getattr(exc, "sqlite_errorcode", 0)) & 0xFF


def is_busy(exc: sqlite3.Error) -> bool:
    """Return True if another process held the lock for too long."""
    return error_code(exc) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_out_of_space(exc: sqlite3.Error) -> bool:
    """Return True if SQLite could not write, as on a full disk."""
    return error_code(exc) in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)


def is_permitted(path: str) -> bool:
    """Return True if a database and the journal beside it may be written. Makes its folder if it is missing."""
    folder = os.path.dirname(path)
    try:
        files.make_private_parent(path)
    except OSError as exc:
        if exc.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return False
        raise
    # In this order: another process may be making the database between the two looks.
    return os.access(folder, os.W_OK | os.X_OK) and (not os.path.lexists(path) or os.access(path, os.W_OK))
