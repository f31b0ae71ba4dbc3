"""What was made of a file of a skill, kept for all workspaces of a user: parsing a table takes long.

A program keeps besides, while it runs, what it made of files that have not changed: a turn asks for it at every call.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ia.kernel import config, files
from ia.kernel.digest import sha256
from ia.kernel.workspace import Workspace

T = TypeVar("T")

FORMAT = 2
"""Counts what changes the result of `make` for the same text."""
MOST_KEPT = 500
"""Files that are kept; the oldest go first."""
_known: dict[tuple[str, ...], tuple[list[list[int] | None], Any]] = {}
"""What was made in this process, by what it is, with what tells that a file of it changed."""


def make_once(key: tuple[str, ...], paths: Iterable[str], make: Callable[[], T]) -> T:
    """Return make(), or what it returned before where none of the files that it reads has changed since.

    key     what it makes, and of which folder. paths: the files, absolute; some may be missing
    raises  what make raises; a failure is not kept. Nobody may change what it returns.
    """
    stamps = [_stamp(path) for path in paths]
    if None not in stamps and (known := _known.get(key)) and known[0] == stamps:
        return known[1]  # type: ignore[no-any-return]
    made = make()
    _known[key] = stamps, made
    return made


def _stamp(path: str) -> list[int] | None:
    """Return what is another after a file has changed, [] for none; None within a second: its clock may not tell."""
    try:
        status = os.lstat(path)
    except OSError:
        return []
    changed = status.st_ctime_ns
    return [*files.stamp_of(status), changed] if time.time_ns() - changed > 1_000_000_000 else None


def load_made(ws: Workspace, path: str, make: Callable[[str], object]) -> Any:
    """Return make(text of the file), or None where there is no file; what was made before where the text is the same.

    Skills are read as they stand on the disk, whatever now() is: they say how, not what happened when.
    raises  what make raises, and BadData, Refused of reading; a failure is not kept.
    """
    text = ws.read_present(path)
    return None if text is None else make_cached(path, text, make)


def make_cached(path: str, text: str, make: Callable[[str], object]) -> Any:
    """Return make(text), or what it returned before for the same text at the same path.

    What it returns must be what JSON can hold.
    """
    folder = os.path.join(config.user_cache(), "skills")
    digest = sha256(f"{FORMAT}\0{path}\0{text}".encode(errors="surrogatepass")).hexdigest()[:32]

    def make_new() -> dict[str, object]:
        made = {"value": make(text)}
        _drop_oldest(folder)
        return made

    return files.load_cached(os.path.join(folder, f"{digest}.json"), FORMAT, make_new, lambda kept: kept["value"])


def _drop_oldest(folder: str) -> None:
    """Make room for one more file."""
    with contextlib.suppress(OSError):
        paths = [entry.path for entry in os.scandir(folder)]
        if len(paths) >= MOST_KEPT:
            for path in sorted(paths, key=os.path.getmtime)[: MOST_KEPT // 2]:
                os.unlink(path)
