"""Files on the disk: atomic replacement, caches, locks, and the private folder `.ia`.

Everything that ia makes belongs to the user alone: folders have mode 0700 and files 0600. A file or folder that is
there already keeps its mode.
"""

import contextlib
import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from ia.kernel.errors import BadData, ConfigError, IaError
from ia.kernel.jsontypes import Json

try:
    import fcntl
except ImportError:  # flock, fork and crontab are what this program is made of
    raise ConfigError("ia runs on Linux and macOS; on Windows, use WSL") from None

T = TypeVar("T")
TEMPORARY = ".ia-tmp-"
"""What the name of a temporary file beside its target begins with."""
_IGNORED = """\
# Made by ia: it keeps secrets, caches, logs and files in use out of git. ia never changes this file again.
/*
!/.gitignore
# ia.db holds conversations, trades, tasks and proposals. To keep it out of git too, delete the next line.
!/ia.db
"""
_user_umask: int | None = None


def make_private() -> None:
    """Keep what this process makes from other users. For a program of our own, never for one that imports ia."""
    global _user_umask
    _user_umask = os.umask(0o077)


def user_umask() -> int:
    """Return the umask that the user gave this process, for a file that the user asked for by name."""
    if _user_umask is not None:
        return _user_umask
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


def make_private_folder(home: str, inside: str = "") -> str:
    """Return the path of `.ia`, or of a folder in it; both are made where they are not there."""
    base = os.path.join(home, ".ia")
    folder = os.path.join(base, inside) if inside else base
    if not os.path.isdir(folder):
        make_folders(folder)
    ignored = os.path.join(base, ".gitignore")
    if not os.path.lexists(ignored):
        with contextlib.suppress(OSError):  # not writable, or another process was quicker
            fd = os.open(ignored, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(fd, "w", encoding="utf-8") as file:
                file.write(_IGNORED)
    return folder


def make_private_parent(path: str) -> None:
    """Make the folder of a file that lies in `.ia`, and `.ia` itself, where they are not there."""
    home, own, inside = os.path.dirname(path).rpartition("/.ia")
    if own and inside[:1] in ("", "/"):
        make_private_folder(home, inside.removeprefix("/"))
    else:
        make_folders(os.path.dirname(path))


def make_folders(folder: str) -> None:
    """Make a folder and those above it, for the user alone, so that they survive a power cut."""
    missing = missing_folders(folder)
    for path in reversed(missing):
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
    if missing:
        os.makedirs(folder, exist_ok=True)  # raises where a file is in the way
        for path in missing:
            sync_folder(os.path.dirname(path))


def missing_folders(folder: str) -> list[str]:
    """Return the folders that must be made for a folder to be there, the innermost first."""
    missing = []
    while folder and not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def replace_file(path: str, data: str | bytes, *, durable: bool = True, mode: int | None = None) -> None:
    """Write a file atomically: its readers see the old content or the new.

    Args:
        path: the file.
        data: its new content; text is written as UTF-8.
        durable: sync the file and its folder, so that the content survives a power cut. The caller holds a lock;
            so a temporary file that is already there belongs to somebody who was killed. False is for what can be
            made again: it waits for no disk, and any process may write it at any time.
        mode: default: that of the file that is replaced, else 0600.

    Raises:
        BadData: a file is where a folder should be, or the other way round.
        OSError: naming the file.
    """
    folder, name = os.path.split(path)
    try:
        if durable:
            temporary = os.path.join(folder, TEMPORARY + name[-200:])
            make_folders(folder)
        else:
            temporary = f"{path}.{os.getpid()}.{threading.get_ident()}"
            make_private_parent(path)
        write_file(temporary, data, file_mode(path) if mode is None else mode, sync=durable)
        move_temporary(temporary, path)
        if durable:
            sync_folder(folder)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as exc:
        raise BadData("{path}: a file and a folder have the same name", path=name) from exc
    except OSError as exc:
        raise name_file(exc, path) from exc


def keep_file(path: str, data: str | bytes) -> None:
    """Write a file that can be made again. Where it cannot be written, it is made again next time."""
    with contextlib.suppress(OSError, BadData):
        replace_file(path, data, durable=False)


def load_cached(place: str, stamp: object, make: Callable[[], Json], read: Callable[[Json], T]) -> T:
    """Return what `read` takes from the JSON object in a file, or from a new one where the file is not of this stamp.

    Args:
        place: the file, below `.ia/cache`.
        stamp: what the object depends on, as JSON can hold it: see stamp_of(). None: nothing is looked up or kept.
        make: returns a new object, which is kept.
        read: raises LookupError, TypeError or ValueError for a damaged object.
    """
    import json

    if stamp is not None:
        damage = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
        with contextlib.suppress(*damage), open(place, encoding="utf-8") as file:
            kept = json.load(file)
            if kept["stamp"] == stamp:
                return read(kept)
    made = make()
    if stamp is not None:
        keep_file(place, json.dumps({"stamp": stamp, **made}))
    return read(made)


def stamp_of(status: os.stat_result) -> list[int]:
    """Return what is another after a file has changed."""
    return [status.st_mtime_ns, status.st_size, status.st_ino]


@contextlib.contextmanager
def hold_lock(
    path: str, *, shared: bool = False, wait: float | None = 0.0, follow: bool = True, busy: IaError | None = None
) -> Iterator[int | None]:
    """Hold the lock of a file until the block ends, see take_lock(); yield its descriptor, or None if it is taken.

    Raises:
        IaError: `busy`, if it is given and the lock is taken.
    """
    fd = take_lock(path, shared=shared, wait=wait, follow=follow)
    if fd is None and busy is not None:
        raise busy
    try:
        yield fd
    finally:
        if fd is not None:
            os.close(fd)


def take_lock(
    path: str, *, shared: bool = False, wait: float | None = 0.0, follow: bool = True, create: bool = True
) -> int | None:
    """Return a descriptor that holds the lock (flock) of a file, or None if others hold it all the while.

    The lock goes when the descriptor is closed, also by the end of the process. The folder must exist.

    Args:
        path: the file; it is created if it is missing.
        shared: share the lock with others who share it; then the file need not be writable.
        wait: seconds to wait; None waits without end.
        follow: False refuses a symbolic link.
        create: False raises FileNotFoundError if the file is missing.
    """
    flags = os.O_RDONLY if shared else os.O_RDWR
    flags |= (os.O_CREAT if create else 0) | (0 if follow else os.O_NOFOLLOW)
    try:
        fd = os.open(path, flags | os.O_CLOEXEC, 0o600)
    except OSError as exc:
        if exc.errno != errno.ELOOP or follow:
            raise
        raise ConfigError("{path} is a link", hint="delete it", path=path) from None
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    deadline = time.monotonic() + (wait or 0.0)
    try:
        while True:
            try:
                fcntl.flock(fd, how if wait is None else how | fcntl.LOCK_NB)
                return fd
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(fd)
                    return None
                time.sleep(0.01)
    except BaseException:
        os.close(fd)
        raise


def file_mode(absolute: str) -> int:
    """Return the mode that a file keeps when it is replaced: its own, else 0600."""
    try:
        return os.stat(absolute).st_mode & 0o777
    except OSError:
        return 0o600


def write_file(path: str, data: str | bytes, mode: int, *, sync: bool = True, new: bool = False) -> None:
    """Write a file, so that it survives a power cut if `sync` is set. A failure leaves no file.

    Raises:
        FileExistsError: `new` is set and the file exists.
    """
    raw = data.encode() if isinstance(data, str) else data
    flags = os.O_WRONLY | os.O_CREAT | (os.O_EXCL if new else os.O_TRUNC) | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(path, flags, mode)
    try:
        with open(fd, "wb") as file:
            os.fchmod(fd, mode)  # whatever the umask is
            file.write(raw)
            file.flush()
            if sync:
                os.fsync(fd)
    except BaseException:
        _remove_file(path)
        raise


def move_temporary(temporary: str, path: str) -> None:
    """Give a temporary file its name. A failure leaves no temporary file."""
    try:
        move_path(temporary, path)
    except BaseException:
        _remove_file(temporary)
        raise


def move_path(source: str, target: str) -> None:
    """Rename a file or folder within its file system, in place of a file or an empty folder of that name."""
    os.replace(source, target)


def sync_folder(folder: str) -> None:
    """Make a rename or removal in a folder survive a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    except OSError as exc:
        raise name_file(exc, folder) from exc
    finally:
        os.close(fd)


def name_file(exc: OSError, path: str) -> OSError:
    """Return a failure that names its file; those of fsync and write name none."""
    return exc if exc.filename else OSError(exc.errno or errno.EIO, exc.strerror or str(exc), path)


def _remove_file(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
