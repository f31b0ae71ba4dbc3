"""What was made of a file of a skill, kept until the file changes."""

import contextlib
import json
import os
import time
from collections.abc import Callable
from typing import Any

from ia import files
from ia.digest import sha256
from ia.workspace import Workspace

TICK = 0.05
"""Seconds within which two writes of a file may have one time."""


def kept(ws: Workspace, path: str, make: Callable[[str], Any]) -> Any:
    """Return make(text of the file), or None where there is no file; what was made before where the file is the same.

    Skills are read as they stand on the disk, whatever now() is: they say how, not what happened when.
    raises  what make raises, and BadData, Refused of reading; a failure is not kept.
    """
    absolute = ws.resolve(path)
    try:
        stat = os.stat(absolute)
    except OSError:
        return None
    stamp = [stat.st_mtime_ns, stat.st_size, stat.st_ino]
    place = os.path.join(ws.root, ".ia", "cache", "skills", sha256(path.encode()).hexdigest()[:24] + ".json")
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError), open(place, encoding="utf-8") as file:
        entry = json.load(file)
        if entry["stamp"] == stamp and entry["path"] == path:
            return entry["value"]
    text = ws.read_present(path)
    if text is None:
        return None
    value = make(text)
    if abs(time.time() - stat.st_mtime) < TICK:  # another write might leave the same stamp
        return value
    with contextlib.suppress(OSError):
        files.make_own(place)
        temporary = f"{place}.{os.getpid()}"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump({"path": path, "stamp": stamp, "value": value}, file)
        os.replace(temporary, place)
    return value
