"""What was made of a file of a skill, kept until the file changes."""

import contextlib
import os
import time
from collections.abc import Callable
from typing import Any

from ia.kernel import files
from ia.kernel.digest import sha256
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

TICK = 0.05
"""Seconds within which two writes of a file may have one time."""


def load_made(ws: Workspace, path: str, make: Callable[[str], object]) -> Any:
    """Return make(text of the file), or None where there is no file; what was made before where the file is the same.

    Skills are read as they stand on the disk, whatever now() is: they say how, not what happened when.
    raises  what make raises, and BadData, Refused of reading; a failure is not kept.
    """
    absolute = ws.resolve(path)
    try:
        status = os.stat(absolute)
    except OSError:
        return None

    def parse() -> Json:
        text = ws.read_present(path)
        if text is None:
            raise FileNotFoundError(path)
        return {"value": make(text)}

    place = os.path.join(ws.root, ".ia", "cache", "skills", sha256(path.encode()).hexdigest()[:24] + ".json")
    settled = abs(time.time() - status.st_mtime) >= TICK  # else another write might leave the same stamp
    stamp = [path, *files.stamp_of(status)] if settled else None
    with contextlib.suppress(FileNotFoundError):
        return files.load_cached(place, stamp, parse, lambda kept: kept["value"])
    return None
