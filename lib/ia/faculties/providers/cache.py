"""What is kept of a provider between runs, below `.ia/cache`: its parsed front matter, and what its server listed.

It is keyed by the digest of PROVIDER.md: whoever changes that file has to ask the server anew.
"""

import contextlib
import json
import os
from collections.abc import Mapping, Sequence

from ia.faculties.providers.manifest import parse_front
from ia.kernel import files
from ia.kernel.digest import sha256
from ia.kernel.errors import BadData, NotFound
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

MAX_FILE = 500_000


def refresh_record(ws: Workspace, name: str, path: str) -> Json:
    """Return what is kept, brought up to date with the PROVIDER.md at `path`: `front`, and `discovered` if it is known.

    raises  NotFound where there is no such file; BadData.
    """
    try:
        status = os.stat(os.path.join(ws.root, path))
    except OSError:
        raise NotFound("{path}: no such file", path=path) from None

    def read_package() -> Json:
        if status.st_size > MAX_FILE:
            raise BadData("{path}: larger than {limit} bytes", path=path, limit=MAX_FILE)
        text = ws.read_present(path) or ""
        digest = sha256(text.encode()).hexdigest()
        fresh: Json = {"digest": digest, "front": parse_front(text, path)}
        kept = _load_record(ws, name)
        if kept.get("digest") == digest:
            fresh["discovered"] = kept.get("discovered")
        return fresh

    return files.load_cached(_record_path(ws, name), files.stamp_of(status), read_package, _require_front)


def save_discovered(ws: Workspace, name: str, discovered: Sequence[Mapping[str, object]]) -> None:
    """Keep what a server listed beside what is kept already."""
    files.keep_file(_record_path(ws, name), json.dumps({**_load_record(ws, name), "discovered": discovered}))


def _require_front(kept: Json) -> Json:
    if not isinstance(kept["front"], dict):
        raise TypeError
    return kept


def _load_record(ws: Workspace, name: str) -> Json:
    with contextlib.suppress(OSError, ValueError), open(_record_path(ws, name), encoding="utf-8") as file:
        kept = json.load(file)
        return kept if isinstance(kept, dict) else {}
    return {}


def _record_path(ws: Workspace, name: str) -> str:
    return os.path.join(ws.root, ".ia", "cache", "providers", f"{name}.json")
