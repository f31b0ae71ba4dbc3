"""Bugs of ours: what people read of them, and where their details are kept.

The text of a Python error is for developers. People, chats, sessions and models get the plain sentence of an
`InternalError`; the class, the text and the place in the code go into the audit trail (`ia log --kind fault`), and with
IA_DEBUG=1 to stderr.
"""

import contextlib
import errno
import os
import re
import sqlite3
import sys

from ia.kernel import audit, config, store
from ia.kernel.errors import IaError, InternalError, NotFound, Refused, TryLater

FRAMES = 6
_OBJECT = re.compile(r"<[^<>]*\bat 0x[0-9a-fA-F]+[^<>]*>|\b0x[0-9a-fA-F]{6,}")


def explain_exception(exc: Exception, what: str) -> IaError:
    """Return the failure that an exception stands for: the system's, a database's, else a bug in `what`.

    >>> str(explain_exception(KeyError("close"), "ia turn")), explain_exception(KeyError("close"), "ia turn").status
    ('internal error in ia turn', 70)
    """
    if isinstance(exc, IaError):
        return exc
    if isinstance(exc, OSError) and exc.filename is None and exc.errno == errno.ENOSPC:
        return TryLater("cannot write the output: {reason}", reason=exc.strerror)
    if isinstance(exc, OSError):
        kind: type[IaError] = TryLater
        if isinstance(exc, PermissionError) or exc.errno == errno.EROFS:
            kind = Refused
        elif exc.errno in (errno.ENOENT, errno.ENOTDIR):  # waiting makes no folder
            kind = NotFound
        return kind("{what}: {reason}", what=exc.filename or "ia", reason=exc.strerror or str(exc))
    if isinstance(exc, sqlite3.Error):
        translated = store.explain_sqlite_error(exc)
        if isinstance(translated, IaError):
            return translated
    return InternalError(what)


def exception_details(exc: BaseException) -> dict[str, object]:
    """Return an error as a developer needs it: class and text, and the innermost lines that it came through."""
    import traceback

    frames = traceback.extract_tb(exc.__traceback__)[-FRAMES:]
    return {
        "error": f"{type(exc).__name__}: {clean_line(str(exc))[:300]}",
        "at": [f"{_package_path(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames],
    }


def clean_line(text: str) -> str:
    """Return a text of another program on one line, without Python's descriptions of objects.

    >>> clean_line("got multiple values for <ia.Voice object at 0x7fdc94a6e4d0>")
    'got multiple values for …'
    """
    return " ".join(_OBJECT.sub("…", text).split())


def record(db: sqlite3.Connection, kind: str, what: str, exc: BaseException, **about: object) -> bool:
    """Keep a bug in the audit trail as `fault.KIND`, and print it with IA_DEBUG. Return whether it is kept."""
    if config.env("IA_DEBUG"):
        import traceback

        traceback.print_exception(exc)
    with contextlib.suppress(sqlite3.Error, IaError, OSError):
        if store.is_writable(db):
            audit.record(db, f"fault.{kind}", what, "ia", **exception_details(exc), **about)
            return True
    return False


def record_at_home(what: str, exc: BaseException) -> bool:
    """Keep a bug of a command in the audit trail of the workspace, where there is one. Return whether it is kept."""
    from ia.kernel.workspace import Workspace

    with contextlib.suppress(sqlite3.Error, IaError, OSError):
        ws = Workspace()
        try:
            if os.path.isfile(os.path.join(ws.root, ".ia", "ia.db")) and store.is_writable(ws.db):
                audit.record(ws.db, "fault.command", what, "ia", **exception_details(exc))
                return True
        finally:
            ws.close()
    return False


def _package_path(path: str) -> str:
    """Return a file's path from its package on: where something is installed is nobody's business."""
    for folder in sorted(filter(None, map(os.path.abspath, sys.path)), key=len, reverse=True):
        if os.path.abspath(path).startswith(folder + os.sep):
            return os.path.relpath(path, folder)
    return os.path.basename(path)
