"""A picture into a file, whole or not at all."""

import contextlib
import os

from ia.kernel import files
from ia.kernel.errors import BadData, NotFound, UsageError

FORMATS = ("svg", "png", "html")


def file_format(path: str, formats: tuple[str, ...] = FORMATS) -> str:
    """Return the format that a file's suffix names; UsageError with the known ones where it names none."""
    suffix = os.path.splitext(path)[1].lower().removeprefix(".").replace("htm", "html").replace("htmll", "html")
    if suffix not in formats:
        raise UsageError("{path}: unknown picture format; use one of {known}", path=path, known=", ".join(formats))
    return suffix


def save_picture(path: str, data: bytes) -> None:
    """Write a file in one step: a reader sees the old one or the new one. A link is followed, its mode is kept.

    raises  NotFound where the folder is not there, BadData where the path is a folder; OSError of the system.
    """
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise BadData("{path} is a folder, not a file", path=path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise NotFound("{path}: no such folder", path=os.path.dirname(path) or folder)
    if os.path.exists(target) and not os.path.isfile(target):  # a named pipe, a device: nothing to replace
        with open(target, "wb") as out:
            out.write(data)
        return
    mode = 0o666 & ~files.user_umask()
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(target).st_mode & 0o777
    temporary = os.path.join(folder, f".ia-{os.getpid()}.tmp")
    try:
        files.write_file(temporary, data, mode, new=True)
    except OSError as error:
        if error.filename:
            error.filename = path  # what was asked for, not how it is written
        raise
    files.move_temporary(temporary, target)
