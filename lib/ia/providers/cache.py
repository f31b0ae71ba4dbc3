"""What is kept of a provider between runs, below `.ia/cache`: its parsed front matter, and what its server listed.

It is keyed by the digest of PROVIDER.md: whoever changes that file has to ask the server anew.
"""

import contextlib
import json
import os
import threading
from typing import Any

from ia import files
from ia.digest import sha256
from ia.errors import BadData, NotFound
from ia.providers.manifest import front
from ia.workspace import Workspace

MAX_FILE = 500_000


def current(ws: Workspace, name: str, path: str) -> dict[str, Any]:
    """Return what is kept, brought up to date with the PROVIDER.md at `path`: `front`, and `discovered` if it is known.

    raises  NotFound where there is no such file; BadData.
    """
    try:
        stat = os.stat(os.path.join(ws.root, path))
    except OSError:
        raise NotFound("{path}: no such file", path=path) from None
    stamp = [stat.st_mtime_ns, stat.st_size, stat.st_ino]
    kept = _kept(ws, name)
    if kept.get("stamp") == stamp and isinstance(kept.get("front"), dict):
        return kept
    if stat.st_size > MAX_FILE:
        raise BadData("{path}: larger than {limit} bytes", path=path, limit=MAX_FILE)
    text = ws.read_present(path) or ""
    digest = sha256(text.encode()).hexdigest()
    fresh: dict[str, Any] = {"stamp": stamp, "digest": digest, "front": front(text, path)}
    if kept.get("digest") == digest:
        fresh["discovered"] = kept.get("discovered")
    _write(ws, name, fresh)
    return fresh


def keep(ws: Workspace, name: str, discovered: list[dict[str, Any]]) -> None:
    """Keep what a server listed beside what is kept already."""
    _write(ws, name, {**_kept(ws, name), "discovered": discovered})


def _kept(ws: Workspace, name: str) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError), open(_file(ws, name), encoding="utf-8") as file:
        kept = json.load(file)
        return kept if isinstance(kept, dict) else {}
    return {}


def _write(ws: Workspace, name: str, kept: dict[str, Any]) -> None:
    """Write it; where that cannot be done, it is worked out again next time."""
    path = _file(ws, name)
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}"
    with contextlib.suppress(OSError):
        files.make_own(path)
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(kept, file, ensure_ascii=False)
        os.replace(temporary, path)


def _file(ws: Workspace, name: str) -> str:
    return os.path.join(ws.root, ".ia", "cache", "providers", f"{name}.json")
