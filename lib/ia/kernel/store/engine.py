"""Opening a database: made, migrated, read where it may not be written, put aside where it is damaged."""

import contextlib
import os
import re
import sqlite3
from itertools import count
from typing import Any

from ia.kernel import config, files
from ia.kernel.errors import Message, Refused, TryLater
from ia.kernel.patterns import pattern
from ia.kernel.store import failures
from ia.kernel.store.failures import (
    Damaged,
    error_code,
    explain_sqlite_error,
    is_busy,
    is_out_of_space,
    translate_errors,
)
from ia.kernel.store.migrations import migrate, refuse_newer
from ia.kernel.store.schema import Schema


def connect(home: str, schema: Schema) -> sqlite3.Connection:
    """Open a database of the workspace `home`, made and migrated where it must be. Autocommit; use `transaction`.

    Where the folder may not be written, see `writable`: a database that is there is opened for reading, a precious one
    that is not is empty, and a rebuildable one is made in memory. Where there is no workspace yet, see `_Unmade`.

    raises  Damaged for a broken one that is precious or dear, see `put_aside`; TryLater, Refused, ConfigError.
    """
    path = os.path.join(home, ".ia", schema.file)
    with translate_errors(schema, home):
        if not os.path.lexists(os.path.join(home, ".ia")):
            return (
                _open_unmade(home, schema)
                if (schema.precious or schema.dear) and _is_creatable(home)
                else open_in_memory(schema)
            )
        try:
            return _open_file(path, schema)
        except sqlite3.DatabaseError as exc:
            if is_out_of_space(exc) and not (schema.precious or schema.dear):
                return open_in_memory(schema)
            passing = error_code(exc) == sqlite3.SQLITE_CANTOPEN
            if schema.precious or schema.dear or is_busy(exc) or passing:  # a full disk is no damage
                raise
            discard_database(home, schema)
            return _open_file(path, schema)


def discard_database(home: str, schema: Schema) -> None:
    """Throw away a database that can be rebuilt."""
    assert not (schema.precious or schema.dear)
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(home, ".ia", schema.file) + suffix)


def set_aside_database(home: str, schema: Schema) -> str | None:
    """Give a damaged database another name beside it, so that connect() begins anew; return that name.

    None where it is sound: another process was quicker. Reading all of it to know that may take a minute.
    """
    path = os.path.join(home, ".ia", schema.file)
    busy = TryLater("another process has locked {name}", name=os.path.basename(path), hint="try again in a moment")
    with files.hold_lock(f"{path}.lock", wait=120.0, busy=busy):
        if _is_sound(home, schema):
            return None
        aside = next(name for n in count(1) if not os.path.lexists(name := f"{path}.damaged-{n}"))
        for suffix in ("", "-wal", "-shm"):  # a journal without its database would be taken for the new one's
            with contextlib.suppress(FileNotFoundError):
                files.move_path(path + suffix, aside + suffix)
        return aside


def _is_sound(home: str, schema: Schema) -> bool:
    path = os.path.join(home, ".ia", schema.file)
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=10.0)) as conn:
            return bool(conn.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError as exc:
        if is_busy(exc):
            raise explain_sqlite_error(exc, schema, home) from exc
        return False


def is_writable(conn: sqlite3.Connection) -> bool:
    """Whether a connection of connect() may be written to."""
    return not conn.execute("PRAGMA query_only").fetchone()[0]


def open_in_memory(schema: Schema) -> sqlite3.Connection:
    """Return an empty database that is gone when it is closed; of a precious schema it cannot be written to."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    migrate(conn, 0, schema)
    if schema.precious:
        conn.execute("PRAGMA query_only = ON")
    return conn


def make_folder(home: str) -> str:
    """Make the folder `.ia` of a workspace, for a first write, and return its path.

    raises  NotFound where the workspace is missing and is not the default: only `ia init` makes that.
    """
    config.require_home(home)
    return files.make_private_folder(home)


class _Unmade(sqlite3.Connection):
    """A database of a workspace that is not there yet: empty, in memory. The first write makes its file.

    So a command that only reads makes nothing.
    """

    home = ""
    schema: Schema | None = None  # None: it is a file by now

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        self._switch_to_file(sql)
        return super().execute(sql, *args)

    def executemany(self, sql: str, *args: Any) -> sqlite3.Cursor:
        self._switch_to_file(sql)
        return super().executemany(sql, *args)

    def _switch_to_file(self, sql: str) -> None:
        """Move to the file before a statement that writes, and where another process has made the file meanwhile."""
        if self.schema is None:
            return
        path = os.path.join(self.home, ".ia", self.schema.file)
        if not _WRITE.match(sql) and not os.path.exists(path):
            return
        schema, self.schema = self.schema, None
        make_folder(self.home)
        if not failures.is_permitted(path):
            raise Refused("{path}: permission denied", path=path)
        if schema.precious and not os.path.lexists(path):
            _make_file(self.home, path, schema)
        sqlite3.Connection.__init__(self, path, timeout=10.0, isolation_level=None)
        _set_up_connection(self, schema)


_WRITE = pattern(r"\s*(BEGIN IMMEDIATE|INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER)\b", re.I)


def _open_unmade(home: str, schema: Schema) -> sqlite3.Connection:
    conn = sqlite3.connect(":memory:", isolation_level=None, factory=_Unmade)
    migrate(conn, 0, schema)
    conn.home, conn.schema = home, schema
    return conn


def _is_creatable(path: str) -> bool:
    """Whether a folder may be made: what is there of its path may be written to."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return os.access(path, os.W_OK | os.X_OK)


def _open_to_read(path: str, schema: Schema) -> sqlite3.Connection:
    try:
        os.stat(path)
    except FileNotFoundError:
        return open_in_memory(schema)
    _refuse_emptied(path, schema)
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    failure: sqlite3.Error | None = None
    for how in ("mode=ro", "immutable=1"):  # a WAL that was closed cleanly can only be read as immutable
        conn = sqlite3.connect(f"file:{escaped}?{how}", uri=True, timeout=10.0, isolation_level=None)
        try:
            version = conn.execute("PRAGMA user_version").fetchone()[0]
            failure = None
            if version == len(schema.steps):
                conn.execute("PRAGMA query_only = ON")
                return conn
            if schema.precious or schema.dear:
                refuse_newer(version, schema)
            if schema.precious:
                raise Refused("{path}: permission denied", path=path)
        except sqlite3.DatabaseError as exc:
            failure = exc
        except BaseException:
            conn.close()
            raise
        conn.close()
    if (schema.precious or schema.dear) and failure is not None:
        raise failure
    return open_in_memory(schema)


def _open_file(path: str, schema: Schema) -> sqlite3.Connection:
    if not failures.is_permitted(path):
        return _open_to_read(path, schema)
    _refuse_emptied(path, schema)
    if schema.precious and not os.path.lexists(path):
        _make_file(os.path.dirname(os.path.dirname(path)), path, schema)
    conn = sqlite3.connect(path, timeout=10.0, isolation_level=None)
    try:
        _set_up_connection(conn, schema)
    except sqlite3.OperationalError as exc:
        conn.close()
        if not is_out_of_space(exc):
            raise
        return _open_without_space(path, schema, exc)
    except BaseException:
        conn.close()
        raise
    return conn


def _open_without_space(path: str, schema: Schema, failure: sqlite3.Error) -> sqlite3.Connection:
    """Open a database where the disk has no room for the file that its readers share: alone, it can do without it."""
    conn = sqlite3.connect(path, timeout=10.0, isolation_level=None)
    try:
        conn.execute("PRAGMA locking_mode = EXCLUSIVE")
        if conn.execute("PRAGMA user_version").fetchone()[0] == len(schema.steps):
            return conn
    except sqlite3.OperationalError as exc:
        failure = exc
    except BaseException:
        conn.close()
        raise
    conn.close()
    raise failure


def _set_up_connection(conn: sqlite3.Connection, schema: Schema) -> None:
    version = conn.execute("PRAGMA user_version").fetchone()[0]
    # An acknowledged write to the precious database survives a power cut; the others can be rebuilt.
    conn.execute(f"PRAGMA synchronous={'FULL' if schema.precious else 'OFF' if version == 0 else 'NORMAL'}")
    if version != len(schema.steps):
        migrate(conn, version, schema)
        conn.execute(f"PRAGMA synchronous={'FULL' if schema.precious else 'NORMAL'}")


def _make_file(home: str, path: str, schema: Schema) -> None:
    """Make a precious database aside and link it into place, so that a kill leaves none rather than an empty one."""
    folder = files.make_private_folder(home, "tmp")
    for _ in range(10):
        aside = os.path.join(folder, f"{os.path.basename(path)}.{os.getpid()}.{os.urandom(4).hex()}")
        os.close(os.open(aside, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))  # its journals get its mode
        try:
            with contextlib.closing(sqlite3.connect(aside, isolation_level=None)) as conn:
                migrate(conn, 0, schema)
            if not os.path.lexists(path):
                _link_file(aside, path)
            return
        except (FileNotFoundError, FileExistsError):  # cleared as another's leftover; another was quicker
            continue
        except sqlite3.OperationalError:
            if os.path.lexists(aside):
                raise
            continue  # cleared under our hands
        finally:
            for suffix in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(aside + suffix)


def _link_file(aside: str, path: str) -> None:
    try:
        os.link(aside, path)
    except OSError as exc:
        if isinstance(exc, FileNotFoundError | FileExistsError):
            raise
        files.move_path(aside, path)  # a file system without links


def _refuse_emptied(path: str, schema: Schema) -> None:
    """Refuse a precious database without a byte in a workspace that was used: a full disk or a sync program left it.

    raises  Damaged.
    """
    with contextlib.suppress(OSError):
        if schema.precious and os.path.getsize(path) == 0 and _is_used(*os.path.split(path)):
            name = os.path.basename(path)
            raise Damaged(
                "{name} is damaged: {reason}", name=name, reason=Message("the file is empty"), hint=schema.cure
            )


def _is_used(folder: str, name: str) -> bool:
    """Return True if a workspace holds anything that ia or its user wrote; `folder` is its `.ia`."""
    own = {each for each in os.listdir(folder) if not each.startswith(name)} - {"lock", ".gitignore", "tmp"}
    return bool(own) or any(not name.startswith(".") for name in os.listdir(os.path.dirname(folder)))
