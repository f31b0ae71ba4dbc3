"""One turn at a time in a session: who comes waits in line, first come, first served.

Everybody in line holds a numbered ticket: a file of its own below `.ia/queue`, locked (flock) by the holder. A ticket
whose lock can be had belongs to somebody who has left or was killed. Whoever sees no held ticket before its own has the
session. A lock is the open file's, so threads of one process wait for each other as processes do.
"""

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator
from functools import partial

from ia.kernel import files
from ia.kernel.digest import sha256
from ia.kernel.errors import Refused, TryLater
from ia.kernel.workspace import Workspace
from ia.organs.sessions.transcript import check_id


@contextlib.contextmanager
def hold_session(ws: Workspace, id: str, seconds: float) -> Iterator[None]:
    """Hold a session until the block ends; it is not reentrant. Different sessions never wait for each other.

    raises  TryLater when it is not free within `seconds`; Refused where the workspace may not be written.
    """
    name = check_id(id)
    folder = os.path.join(ws.root, ".ia", "queue")
    stem = sha256(name.encode()).hexdigest()[:20]
    deadline = time.monotonic() + seconds
    try:
        files.make_private_folder(ws.root, "queue")
        path, fd, before = _draw_ticket(folder, stem, name, deadline)
    except OSError as exc:
        kind = Refused if exc.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else TryLater
        raise kind("{path}: {reason}", path=folder, reason=exc.strerror or str(exc)) from exc
    try:
        for earlier in before:
            _wait_until(partial(_is_gone, earlier), name, deadline)
        yield
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(
                path
            )  # closing alone would not do: a child may have inherited the open file, and with it the lock
        os.close(fd)
        _remove_desk(folder, stem)


def _draw_ticket(folder: str, stem: str, name: str, deadline: float) -> tuple[str, int, list[str]]:
    """Return (path, locked descriptor) of a new last ticket, and the paths of those before it."""
    desk = -1

    def take_desk() -> bool:
        nonlocal desk
        desk = _lock_desk(folder, stem)
        return desk >= 0

    _wait_until(take_desk, name, deadline)
    try:
        tickets = _list_tickets(folder, stem)
        before = [path for path in tickets if not _is_gone(path)]
        number = int(tickets[-1].rpartition(".")[2]) + 1 if tickets else 1
        path = os.path.join(folder, f"{stem}.{number:012d}")
        fd = files.take_lock(path, wait=None)
        assert fd is not None
        for left in set(tickets) - set(before):  # by who was killed
            with contextlib.suppress(FileNotFoundError):
                os.unlink(left)
        return path, fd, before
    finally:
        os.close(desk)


def _remove_desk(folder: str, stem: str) -> None:
    """Take the desk away when nobody is in line: most sessions are of one turn."""
    with contextlib.suppress(OSError):
        desk = _lock_desk(folder, stem)
        if desk >= 0:
            if not _list_tickets(folder, stem):
                os.unlink(os.path.join(folder, f"{stem}.desk"))
            os.close(desk)


def _lock_desk(folder: str, stem: str) -> int:
    """Return the locked descriptor of the file under which tickets are drawn; -1 where somebody else is at it."""
    path = os.path.join(folder, f"{stem}.desk")
    fd = files.take_lock(path)
    if fd is None:
        return -1
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(os.fstat(fd), os.stat(path)):  # not one that was taken away
            return fd
    os.close(fd)
    return -1


def _list_tickets(folder: str, stem: str) -> list[str]:
    """Return the paths of the tickets there are, in their order."""
    names = (name for name in os.listdir(folder) if name.startswith(f"{stem}.") and name[len(stem) + 1 :].isdecimal())
    return [os.path.join(folder, name) for name in sorted(names)]


def _wait_until(done: Callable[[], bool], name: str, deadline: float) -> None:
    """Ask `done` until it says yes.

    raises  TryLater at the deadline.
    """
    pause = 0.002
    while not done():
        if time.monotonic() >= deadline:
            raise TryLater("another turn is running in session {id}", id=name, hint="try again in a moment")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)


def _is_gone(path: str) -> bool:
    """Whether nobody holds a ticket any more."""
    try:
        fd = files.take_lock(path, shared=True, create=False)
    except FileNotFoundError:
        return True
    if fd is not None:
        os.close(fd)
    return fd is not None
