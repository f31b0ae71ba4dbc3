"""Waiting for a file lock, with an end."""

import fcntl
import os
import time

from ia.errors import IaError


def acquire(path: str, seconds: float, busy: IaError) -> int:
    """Return a descriptor that holds the exclusive lock of the file, which is made where it is not there.

    The lock goes when the descriptor is closed, also by the end of the process. The folder must be there.

    raises  `busy` where another process holds it for longer than `seconds`.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(fd)
                raise busy from None
            time.sleep(0.01)
        except BaseException:
            os.close(fd)
            raise
