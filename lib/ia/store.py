"""SQLite, in two kinds: `.ia/ia.db` is precious (what is no text), `.ia/cache/*.db` can be rebuilt at any time.

Opening is plain sqlite3. Only when `PRAGMA user_version` says that the schema is behind, or when many rows are to be
written, sqlite-utils is loaded. A rebuildable database of another version, or a broken one, is thrown away; a precious
one is never: it is migrated forward, and one that a newer ia wrote is refused. One that is dear to rebuild is never
thrown away either, but a damaged one can be put aside. In a workspace that may not be written, what is there is opened
for reading only.
"""

import contextlib
import errno
import os
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, NamedTuple

from ia import config, files, lock
from ia.errors import BadData, ConfigError, Message, Refused, TryLater


class Damaged(BadData):
    """A database whose file is not sound."""


_UNSOUND = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Schema(NamedTuple):
    """A database: its file below `.ia`, whether it is precious, and the steps that lead to its newest version.

    A precious schema is never edited, only added to: step i takes version i to i + 1. So is one that is `dear`: it can
    be rebuilt, but only by asking hosts for hours, and so it is migrated too, and put aside only where it is damaged.
    `page` is the size of a page in bytes, for a database that is made anew: larger ones suit many rows at once.
    """

    file: str
    precious: bool
    steps: tuple[Callable[[Any], None], ...]
    dear: bool = False
    page: int = 4096


def _first(db: Any) -> None:
    """Events, revisions, proposals."""
    db["events"].create(
        {"id": int, "time": str, "wall": str, "kind": str, "subject": str, "actor": str, "data": str},
        pk="id",
        not_null={"time", "kind"},
    )
    db["events"].create_index(["kind", "subject"])
    db["revisions"].create(
        {
            "id": int,
            "time": str,
            "path": str,
            "actor": str,
            "why": str,
            "before": str,
            "before_sha": str,
            "after_sha": str,
        },
        pk="id",
        not_null={"time", "path"},
    )
    db["revisions"].create_index(["path", "id"])
    db["revisions"].create_index(["time"])
    db["proposals"].create(
        {
            "id": int, "time": str, "kind": str, "path": str, "before": str, "after": str, "because": str,
            "origin": str, "actor": str, "state": str, "decided": str, "decided_by": str,
        },
        pk="id",
        not_null={"time", "kind", "path", "state"},
        defaults={"state": "pending"},
    )  # fmt: skip


def _second(db: Any) -> None:
    """Sessions with their messages, and what models used."""
    db["sessions"].create(
        {"id": int, "name": str, "created": str, "deleted": str}, pk="id", not_null={"name", "created"}
    )
    db.execute("CREATE UNIQUE INDEX idx_sessions_live ON sessions (name) WHERE deleted IS NULL")
    db["messages"].create(
        {
            "id": int, "session": int, "turn": str, "role": str, "content": str, "importance": int, "tokens": int,
            "origins": str, "created": str, "deleted": str, "gist": str,
        },
        pk="id",
        not_null={"session", "role", "content", "importance", "tokens", "created"},
    )  # fmt: skip
    db["messages"].create_index(["session", "deleted"])
    db["usage"].create(
        {
            "id": int, "time": str, "wall": str, "command": str, "session": str, "turn": str, "model": str,
            "actor": str, "input_tokens": int, "output_tokens": int, "cost_pico": int, "currency": str,
            "estimated": int, "state": str,
        },
        pk="id",
        not_null={"time", "wall", "model", "input_tokens", "output_tokens", "state"},
    )  # fmt: skip
    db["usage"].create_index(["wall"])
    db["usage"].create_index(["turn"])


def _third(db: Any) -> None:
    """Tasks with their runs, what is to be told to the user, and what came in; and which run wrote or proposed what."""
    db["tasks"].create(
        {
            "id": int, "name": str, "text": str, "state": str, "since": str, "approved": str, "by": str,
            "environment": str, "changed": str, "removed": str,
        },
        pk="id",
        not_null={"name", "text", "state", "since", "approved", "changed"},
    )  # fmt: skip
    db.execute("CREATE UNIQUE INDEX idx_tasks_live ON tasks (name) WHERE removed IS NULL")
    db["runs"].create(
        {
            "id": int, "task": int, "name": str, "slot": str, "why": str, "state": str, "attempt": int,
            "started": str, "ended": str, "status": int, "report": str, "summary": str, "reason": str,
            "retry_at": str, "data": str,
        },
        pk="id",
        not_null={"task", "name", "slot", "state", "attempt", "started"},
    )  # fmt: skip
    db["runs"].create_index(["task", "slot"], unique=True)
    db["runs"].create_index(["state"])
    db["notices"].create(
        {
            "id": int, "time": str, "wall": str, "run": int, "key": str, "channel": str, "title": str, "text": str,
            "actor": str, "origins": str, "state": str, "error": str, "told": str,
        },
        pk="id",
        not_null={"time", "channel", "text", "state"},
    )  # fmt: skip
    db["notices"].create_index(["key"], unique=True)
    db["notices"].create_index(["state"])
    db["received"].create(
        {
            "id": int, "time": str, "wall": str, "channel": str, "key": str, "sender": str, "content": str,
            "state": str, "reply": str,
        },
        pk="id",
        not_null={"time", "channel", "key", "state"},
    )  # fmt: skip
    db["received"].create_index(["channel", "key"], unique=True)
    db["received"].create_index(["state"])
    db["revisions"].add_column("run", int)
    db["proposals"].add_column("run", int)


def _fourth(db: Any) -> None:
    """The journal of trades: append-only. Money, prices and quantities are decimal numbers written as text."""
    db["trades"].create(
        {
            "id": int, "time": str, "wall": str, "date": str, "kind": str, "symbol": str, "name": str,
            "currency": str, "price": str, "quantity": str, "cash": str, "ratio": str, "commission": str,
            "stamp": str, "transfer": str, "other": str, "reason": str, "session": str, "actor": str,
            "origin": str, "key": str, "corrects": int, "override": str, "run": int,
        },
        pk="id",
        not_null={"time", "wall", "date", "kind", "currency"},
    )  # fmt: skip
    db["trades"].create_index(["symbol", "date"])
    db["trades"].create_index(["key"], unique=True)
    db["trades"].create_index(["corrects"], unique=True)
    for verb in ("UPDATE", "DELETE"):
        db.execute(
            f"CREATE TRIGGER trades_no_{verb.lower()} BEFORE {verb} ON trades"
            " BEGIN SELECT raise(ABORT, 'the journal of trades is only added to'); END"
        )


def _fifth(db: Any) -> None:
    """Why an entry of the journal was corrected: beside the reason of the trade, not in its place."""
    db["trades"].add_column("note", str)


def _sixth(db: Any) -> None:
    """What a killed process may have left to do (ia.unit), and whose a reservation of tokens is."""
    db["unfinished"].create({"id": int, "time": str, "changes": str}, pk="id", not_null={"time", "changes"})
    db["usage"].add_column("owner", str)


PRECIOUS = Schema("ia.db", True, (_first, _second, _third, _fourth, _fifth, _sixth))


def connect(home: str, schema: Schema) -> sqlite3.Connection:
    """Open a database of the workspace `home`, made and migrated where it must be. Autocommit; use `transaction`.

    Where the folder may not be written, see `writable`: a database that is there is opened for reading, a precious one
    that is not is empty, and a rebuildable one is made in memory. Where there is no workspace yet, see `_Unmade`.

    raises  Damaged for a broken one that is precious or dear, see `put_aside`; TryLater, Refused, ConfigError.
    """
    path = os.path.join(home, ".ia", schema.file)
    with translated(path):
        if not os.path.lexists(os.path.join(home, ".ia")):
            return _unmade(home, schema) if (schema.precious or schema.dear) and _creatable(home) else in_memory(schema)
        try:
            return _open(path, schema)
        except sqlite3.DatabaseError as exc:
            if no_space(exc) and not (schema.precious or schema.dear):
                return in_memory(schema)
            passing = isinstance(exc, sqlite3.OperationalError) and "open" in str(exc)
            if schema.precious or schema.dear or _busy(exc) or passing:  # a full disk is no damage
                raise
            discard(home, schema)
            return _open(path, schema)


def discard(home: str, schema: Schema) -> None:
    """Throw away a database that can be rebuilt."""
    assert not (schema.precious or schema.dear)
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(home, ".ia", schema.file) + suffix)


def put_aside(home: str, schema: Schema) -> str | None:
    """Give a damaged database another name beside it, so that connect() begins anew; return that name.

    None where it is sound: another process was quicker. Reading all of it to know that may take a minute.
    """
    path = os.path.join(home, ".ia", schema.file)
    busy = TryLater("{name} is locked by another process", name=os.path.basename(path), hint="try again in a moment")
    fd = lock.acquire(f"{path}.lock", 120.0, busy)
    try:
        if _sound(path):
            return None
        aside = next(name for n in count(1) if not os.path.lexists(name := f"{path}.damaged-{n}"))
        for suffix in ("", "-wal", "-shm"):  # a journal without its database would be taken for the new one's
            with contextlib.suppress(FileNotFoundError):
                os.rename(path + suffix, aside + suffix)
        return aside
    finally:
        os.close(fd)


def damaged(exc: BaseException) -> bool:
    """Whether SQLite says that the file itself is not sound; a statement that fails may be another's fault."""
    return isinstance(exc, Damaged) or (getattr(exc, "sqlite_errorcode", 0) & 0xFF) in _UNSOUND


def _sound(path: str) -> bool:
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=10.0)) as conn:
            return bool(conn.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError as exc:
        if _busy(exc):
            raise explain(exc, path) from exc
        return False


def writable(conn: sqlite3.Connection) -> bool:
    """Whether a connection of connect() may be written to."""
    return not conn.execute("PRAGMA query_only").fetchone()[0]


def in_memory(schema: Schema) -> sqlite3.Connection:
    """Return an empty database that is gone when it is closed; of a precious schema it cannot be written to."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    _migrate(conn, 0, schema)
    if schema.precious:
        conn.execute("PRAGMA query_only = ON")
    return conn


def make_folder(home: str) -> str:
    """Make the folder `.ia` of a workspace, for a first write, and return its path.

    raises  NotFound where the workspace is missing and is not the default: only `ia init` makes that.
    """
    config.require_home(home)
    return files.own_folder(home)


class _Unmade(sqlite3.Connection):
    """A database of a workspace that is not there yet: empty, in memory. The first write makes its file.

    So a command that only reads makes nothing.
    """

    home = ""
    schema: Schema | None = None  # None: it is a file by now

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        self._follow(sql)
        return super().execute(sql, *args)

    def executemany(self, sql: str, *args: Any) -> sqlite3.Cursor:
        self._follow(sql)
        return super().executemany(sql, *args)

    def _follow(self, sql: str) -> None:
        """Move to the file before a statement that writes, and where another process has made the file meanwhile."""
        if self.schema is None:
            return
        path = os.path.join(self.home, ".ia", self.schema.file)
        if not _WRITE.match(sql) and not os.path.exists(path):
            return
        schema, self.schema = self.schema, None
        make_folder(self.home)
        if not _permitted(path):
            raise Refused("{path}: permission denied", path=path)
        if schema.precious and not os.path.lexists(path):
            _make(self.home, path, schema)
        sqlite3.Connection.__init__(self, path, timeout=10.0, isolation_level=None)
        _set_up(self, schema)


_WRITE = re.compile(r"\s*(BEGIN IMMEDIATE|INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER)\b", re.I)


def _unmade(home: str, schema: Schema) -> sqlite3.Connection:
    conn = sqlite3.connect(":memory:", isolation_level=None, factory=_Unmade)
    _migrate(conn, 0, schema)
    conn.home, conn.schema = home, schema
    return conn


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


@contextlib.contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn sqlite3's errors into ours: held lock, full or read-only disk, damage."""
    try:
        yield
    except sqlite3.Error as exc:
        raise explain(exc, path) from exc


def explain(exc: sqlite3.Error, path: str = "") -> Exception:
    """Return the IaError that tells the user what an sqlite3 error means."""
    name = os.path.basename(path) or "the database"
    if _busy(exc):
        return TryLater("{name} is locked by another process", name=name, hint="try again in a moment")
    if "readonly" in str(exc) or ("unable to open" in str(exc) and path and not _permitted(path)):
        return Refused("{path}: permission denied", path=path or name)
    if isinstance(exc, sqlite3.OperationalError) and "no such" not in str(exc):
        return TryLater("{name}: {reason}", name=name, reason=str(exc), hint="is the disk full or read-only?")
    kind = Damaged if damaged(exc) else BadData
    return kind("{name} is damaged: {reason}", name=name, reason=str(exc), hint=_cure(name))


def _cure(name: str) -> str:
    """Return what to do about a damaged database."""
    if name == PRECIOUS.file:
        return "restore it from a backup; `ia doctor` tells how to rescue what is in it"
    if name == "market.db":
        return "`ia sync` keeps the file under another name and begins anew"
    return "`ia doctor` tells more; what is in .ia/cache can be deleted, it is rebuilt"


def bulk(conn: sqlite3.Connection, table: str, rows: Iterable[dict[str, Any]]) -> None:
    """Insert or replace many rows of plain Python values through sqlite-utils. Joins a transaction that is open."""
    sqlite_utils().Database(conn, execute_plugins=False)[table].insert_all(rows, replace=True, batch_size=500)


def sqlite_utils() -> Any:
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


def _busy(exc: sqlite3.Error) -> bool:
    return "locked" in str(exc) or "busy" in str(exc)


def _permitted(path: str) -> bool:
    """Whether a database and the journal beside it may be written; makes the folder where it is not there."""
    folder = os.path.dirname(path)
    try:
        files.make_own(path)
    except OSError as exc:
        if exc.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return False
        raise
    # In this order: another process may be making the database between the two looks.
    return os.access(folder, os.W_OK | os.X_OK) and (not os.path.lexists(path) or os.access(path, os.W_OK))


def _creatable(path: str) -> bool:
    """Whether a folder may be made: what is there of its path may be written to."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return os.access(path, os.W_OK | os.X_OK)


def _open_to_read(path: str, schema: Schema) -> sqlite3.Connection:
    try:
        os.stat(path)
    except FileNotFoundError:
        return in_memory(schema)
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
                _refuse_newer(version, schema)
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
    return in_memory(schema)


def _open(path: str, schema: Schema) -> sqlite3.Connection:
    if not _permitted(path):
        return _open_to_read(path, schema)
    _refuse_emptied(path, schema)
    if schema.precious and not os.path.lexists(path):
        _make(os.path.dirname(os.path.dirname(path)), path, schema)
    conn = sqlite3.connect(path, timeout=10.0, isolation_level=None)
    try:
        _set_up(conn, schema)
    except sqlite3.OperationalError as exc:
        conn.close()
        if not no_space(exc):
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


def no_space(exc: sqlite3.Error) -> bool:
    """Return True if SQLite could not write, as on a full disk."""
    return "disk I/O error" in str(exc) or "disk is full" in str(exc)


def _set_up(conn: sqlite3.Connection, schema: Schema) -> None:
    version = conn.execute("PRAGMA user_version").fetchone()[0]
    # An acknowledged write to the precious database survives a power cut; the others can be rebuilt.
    conn.execute(f"PRAGMA synchronous={'FULL' if schema.precious else 'OFF' if version == 0 else 'NORMAL'}")
    if version != len(schema.steps):
        _migrate(conn, version, schema)
        conn.execute(f"PRAGMA synchronous={'FULL' if schema.precious else 'NORMAL'}")


def _make(home: str, path: str, schema: Schema) -> None:
    """Make a precious database aside and link it into place, so that a kill leaves none rather than an empty one."""
    folder = files.own_folder(home, "tmp")
    for _ in range(10):
        aside = os.path.join(folder, f"{os.path.basename(path)}.{os.getpid()}.{os.urandom(4).hex()}")
        os.close(os.open(aside, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))  # its journals get its mode
        try:
            with contextlib.closing(sqlite3.connect(aside, isolation_level=None)) as conn:
                _migrate(conn, 0, schema)
            if not os.path.lexists(path):
                _link(aside, path)
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


def _link(aside: str, path: str) -> None:
    try:
        os.link(aside, path)
    except OSError as exc:
        if isinstance(exc, FileNotFoundError | FileExistsError):
            raise
        os.rename(aside, path)  # a file system without links


def _refuse_emptied(path: str, schema: Schema) -> None:
    """Refuse a precious database without a byte in a workspace that was used: a full disk or a sync program left it.

    raises  Damaged.
    """
    with contextlib.suppress(OSError):
        if schema.precious and os.path.getsize(path) == 0 and _used(*os.path.split(path)):
            name = os.path.basename(path)
            raise Damaged(
                "{name} is damaged: {reason}", name=name, reason=Message("the file is empty"), hint=_cure(name)
            )


def _used(folder: str, name: str) -> bool:
    """Return True if a workspace holds anything that ia or its user wrote; `folder` is its `.ia`."""
    own = {each for each in os.listdir(folder) if not each.startswith(name)} - {"lock", ".gitignore", "tmp"}
    return bool(own) or any(not name.startswith(".") for name in os.listdir(os.path.dirname(folder)))


def _refuse_newer(version: int, schema: Schema) -> None:
    if version > len(schema.steps):
        raise ConfigError(
            "{file} was written by a newer ia (schema {version}, this one knows {newest})",
            hint="upgrade ia", file=schema.file, version=version, newest=len(schema.steps),
        )  # fmt: skip


def _to_wal(conn: sqlite3.Connection, patience: float = 10.0) -> None:
    """Switch to write-ahead logging. Two processes that do so at once may be told `locked` without any waiting."""
    deadline = time.monotonic() + patience
    while True:
        try:
            conn.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as exc:
            if not _busy(exc) or time.monotonic() > deadline:
                raise
        time.sleep(0.005)


def _migrate(conn: sqlite3.Connection, version: int, schema: Schema) -> None:
    newest = len(schema.steps)
    if version > newest:
        if schema.precious or schema.dear:
            _refuse_newer(version, schema)
        raise sqlite3.DatabaseError("another version")
    if version and not (schema.precious or schema.dear):
        raise sqlite3.DatabaseError("another version")
    if version == 0:
        conn.execute(f"PRAGMA page_size={schema.page}")
    _to_wal(conn)
    utils = sqlite_utils()
    with transaction(conn):
        version = conn.execute("PRAGMA user_version").fetchone()[0]  # another process may have been quicker
        database = utils.Database(conn, execute_plugins=False)
        for step in schema.steps[version:]:
            step(database)
        conn.execute(f"PRAGMA user_version={newest}")
