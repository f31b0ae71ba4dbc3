"""A unit of work: changes of files and of rows of ia.db that are made together, or not at all.

The transaction that changes the rows also records what becomes of the files, in `unfinished`. After its commit the
files are moved into place, and the record is dropped. A process that is killed before the commit has changed nothing.
What it leaves to do after the commit is done by the next ia that writes or reads. The new texts wait in `.ia/tmp`:
while anything lies there, another process is at work or was killed.
"""

import contextlib
import errno
import os
import sqlite3
from collections.abc import Callable

from ia.kernel import files
from ia.kernel.errors import BadData, IaError

FOLDER = "tmp"
Changes = dict[str, tuple[str | None, str | None]]
"""Path relative to the workspace -> (SHA-256 of what is there, None: nothing; the new text, None: remove it)."""


def is_pending(home: str) -> bool:
    """Return True if a unit is under way, or was killed."""
    try:
        return bool(os.listdir(os.path.join(home, ".ia", FOLDER)))
    except OSError:
        return False


def prepare_files(home: str, changes: Changes) -> dict[str, str]:
    """Write the new texts into temporary files and return those by path; a removal has an empty one, which marks it."""
    folder = files.make_private_folder(home, FOLDER)
    prepared: dict[str, str] = {}
    try:
        for number, (path, (_, text)) in enumerate(changes.items()):
            _check_place(os.path.join(home, path))
            temporary = os.path.join(folder, f"{os.getpid()}-{number}")
            try:
                files.write_file(temporary, text or "", files.file_mode(os.path.join(home, path)))
            except OSError as exc:
                raise files.name_file(exc, os.path.join(home, path)) from exc
            prepared[path] = temporary
    except BaseException:
        remove_temporary_files(home)
        raise
    return prepared


def record(db: sqlite3.Connection, stamp: str, changes: Changes) -> int:
    """Record, inside the transaction, what becomes of the files; return the record's number."""
    import json

    told = [[path, before, text] for path, (before, text) in changes.items()]
    sql = "INSERT INTO unfinished (time, changes) VALUES (?, ?)"
    return db.execute(sql, (stamp, json.dumps(told, ensure_ascii=False))).lastrowid or 0


def carry_out(home: str, db: sqlite3.Connection, number: int, changes: Changes, prepared: dict[str, str]) -> None:
    """Move the files into place after the commit, and drop the record.

    A folder that is not there yet is made aside and moved whole, so that nobody sees half of it.
    """
    touched = set()
    new: dict[str, list[str]] = {}
    for path, (_, text) in changes.items():
        absolute = os.path.join(home, path)
        missing = files.missing_folders(os.path.dirname(absolute))
        if text is not None and missing:
            new.setdefault(missing[-1], []).append(path)
        elif text is not None:
            _move_file(prepared[path], absolute, text)
            touched.add(os.path.dirname(absolute))
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(absolute)
            touched.add(os.path.dirname(absolute))
    for folder, inside in new.items():
        _move_folder(home, folder, inside, prepared)
        touched.add(os.path.dirname(folder))
    for folder in sorted(touched):
        files.sync_folder(folder)
    drop_record(home, db, number)


def recover_units(home: str, db: sqlite3.Connection, digest: Callable[[str], str | None]) -> None:
    """Finish what a killed process has committed, and clear what it has not. The caller holds the lock.

    digest   returns the SHA-256 of a file as it is now; None where there is none. A file that is neither as it was nor
             as it is to be was edited since: the edit stays.

    What cannot be finished now, stays recorded.
    """
    import json

    remove_temporary_files(home)
    for number, told in db.execute("SELECT id, changes FROM unfinished ORDER BY id").fetchall():
        with contextlib.suppress(OSError, IaError):
            rest: Changes = {path: (before, text) for path, before, text in json.loads(told) if digest(path) == before}
            carry_out(home, db, number, rest, prepare_files(home, rest))
    remove_temporary_files(home)


def is_unfinished(db: sqlite3.Connection) -> bool:
    """Return True if a unit was committed and its files may not all be in place."""
    return db.execute("SELECT 1 FROM unfinished LIMIT 1").fetchone() is not None


def drop_record(home: str, db: sqlite3.Connection, number: int) -> None:
    """Drop the record of a unit that is carried out. To do it again after a power cut is harmless, so nothing waits."""
    db.execute("PRAGMA synchronous = NORMAL")
    with contextlib.suppress(sqlite3.OperationalError):  # a full disk
        db.execute("DELETE FROM unfinished WHERE id = ?", (number,))
    db.execute("PRAGMA synchronous = FULL")
    remove_temporary_files(home)


def _check_place(absolute: str) -> None:
    """Raise, before anything is committed, where a file could not be moved to its place."""
    folder = os.path.dirname(absolute)
    missing = files.missing_folders(folder)
    there = os.path.dirname(missing[-1]) if missing else folder
    if not os.path.isdir(there) or os.path.isdir(absolute):
        raise BadData("{path}: a file and a folder have the same name", path=os.path.basename(absolute))
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), absolute)


def _move_file(temporary: str, absolute: str, text: str) -> None:
    try:
        files.move_path(temporary, absolute)
    except OSError as exc:
        if exc.errno != errno.EXDEV:  # a folder of the workspace on another file system
            raise
        files.replace_file(absolute, text)


def _move_folder(home: str, folder: str, inside: list[str], prepared: dict[str, str]) -> None:
    """Make a folder with its files aside, and move it into place whole."""
    aside = prepared[inside[0]] + ".d"
    moved = {path: os.path.join(aside, os.path.relpath(os.path.join(home, path), folder)) for path in inside}
    for path, target in moved.items():
        files.make_folders(os.path.dirname(target))
        files.move_path(prepared[path], target)
        files.sync_folder(os.path.dirname(target))
    try:
        files.move_path(aside, folder)
    except OSError as exc:
        if exc.errno not in (errno.EXDEV, errno.ENOTEMPTY, errno.EEXIST):
            raise
        for path, target in moved.items():
            with open(target, encoding="utf-8", newline="") as file:
                files.replace_file(os.path.join(home, path), file.read())


def remove_temporary_files(home: str) -> None:
    """Remove the temporary files of units that were not carried out. The caller holds the lock.

    A database that another process makes there without the lock stays while that process lives (ia.kernel.store).
    """
    import shutil

    with contextlib.suppress(OSError):
        for entry in os.scandir(os.path.join(home, ".ia", FOLDER)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif not _is_being_made(entry.name):
                os.unlink(entry.path)


def _is_being_made(name: str) -> bool:
    """Return True if the process whose number stands in a name (`ia.db.4711.0a1b2c3d`, also `-wal`) is alive."""
    parts = name.split(".")
    if len(parts) < 3 or not parts[-2].isdecimal():
        return False
    try:
        os.kill(int(parts[-2]), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
