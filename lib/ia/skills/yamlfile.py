"""YAML that others wrote: parsed safely, with limits, into what JSON can hold; kept parsed until the file changes."""

import contextlib
import datetime
import json
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

from ia import files
from ia.digest import sha256
from ia.errors import BadData
from ia.workspace import Workspace

MAX_TEXT = 200_000
"""Characters of a file that is parsed."""
MAX_BRACKETS = 4_000
"""Brackets in a document: the parser takes long over nests that nobody writes."""
MAX_PARTS = 40_000
"""Values in a document, aliases written out."""
TICK = 0.05
"""Seconds within which two writes of a file may have one time."""


def parsed(text: str, name: str) -> Any:
    """Return a YAML document as dicts, lists, texts, numbers, booleans and None. `name` is for messages.

    raises  BadData with the line where it is no YAML, too large, or refers to itself.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if len(text) > MAX_TEXT or text.count("[") + text.count("{") > MAX_BRACKETS:
        raise BadData("{name}: larger or deeper than knowledge is", name=name)
    try:
        with warnings.catch_warnings():  # of anchors that stand twice
            warnings.simplefilter("ignore")
            tree = YAML(typ="safe").load(text)
    except YAMLError as exc:
        mark = getattr(exc, "problem_mark", None)
        why = " ".join(str(getattr(exc, "problem", None) or "not YAML").split())[:120]
        raise BadData("{name}:{line}: {why}", name=name, line=mark.line + 1 if mark else 1, why=why) from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):  # 2024-99-99, !!int abc
        raise BadData("{name}: a value is not what it claims to be", name=name) from None
    return _plain(tree, name, [MAX_PARTS], 0)


def _plain(value: Any, name: str, left: list[int], depth: int) -> Any:
    left[0] -= 1
    if left[0] < 0 or depth > 40:
        raise BadData("{name}: larger or deeper than knowledge is", name=name)
    if isinstance(value, dict):
        return {str(key): _plain(item, name, left, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item, name, left, depth + 1) for item in value]
    if isinstance(value, float) and value - value != 0:
        return str(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return value.isoformat() if isinstance(value, datetime.date | datetime.datetime) else str(value)


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
