"""MEMORY.md: the table of contents of what was remembered and written, kept by ia inside one marked block.

First the files of the memory that every turn needs, then everything else, newest first, so that a context that takes
the first lines takes the right ones. Text that a person writes outside the block is never touched. The block can be
rebuilt from the files at any time; that is why it leaves no revisions.
"""

import contextlib
import os
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ia.kernel import clock, config, files, untrusted
from ia.kernel.errors import IaError
from ia.kernel.files import TEMPORARY
from ia.kernel.folders import Digest, folder_digests
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.workspace import TEXT, Workspace, headline, is_text_name, walk_files

MEMORY = "memory"
PATH = "memory/MEMORY.md"
BEGIN = "<!-- ia: kept by ia, rebuilt from the files; write outside of this block -->"
END = "<!-- ia: end -->"
_CORE = ("memory/beliefs.md", "memory/tracking.md", "memory/preferences.md")
_FOLDERS = ("notebook", "memory")
UNTRUSTED = "(untrusted)"
MANY = 500
"""Changed files from which on all are looked at anew."""
_STAMP = "cache/contents.json"
"""What MEMORY.md was last made of: deleting it costs one look at all files. A line for what tells whether anything has
changed since, by folders, and a line for all files, which is read only then."""
_LINE = pattern(r"- (\d{4}-\d\d-\d\d \d\d:\d\d) `(.+?)`(?:: .*)?$")
_OLDER = pattern(r"- (\d+) older: ")


def render_index(ws: Workspace) -> str:
    """Return MEMORY.md as it would stand at now(), fresh from the files. Nothing is written."""
    stored = _read_stored(ws)
    return _replace_block(stored, _render_block(*_scan_newest(ws)))


def refresh_index(ws: Workspace) -> Sequence[Digest]:
    """Bring MEMORY.md up to date with the files, whoever changed them. Costs a stat a file, and a look at what changed.

    What a simulated now() cannot see yet is left for later. Returns the digests of the folders as they were before.
    """
    head = _head(ws)
    count = head.get("count")
    look = folder_digests(ws.root, count if isinstance(count, int) else 0)
    if not look and not os.path.exists(os.path.join(ws.root, PATH)):
        return look
    folders = {path: digest for path, digest, _ in look if path.split("/")[0] in _FOLDERS and path != MEMORY}
    present = {
        "own": _file_key(ws.root, PATH),
        "beside": _scan_files(ws.root, (MEMORY,), deep=False),
        "folders": folders,
    }
    if present == {name: head.get(name) for name in present}:
        return look
    with ws.lock():
        seen = _scan_files(ws.root, tidy=True)
        known, own = _load_stamp(ws)
        stored = _read_stored(ws)
        parsed = _parse_block(stored)
        lines, older = parsed or ({}, 0)
        known = known if parsed else {}
        changed = _visible_paths(ws, [path for path in seen if known.get(path) != seen[path]])
        gone = [path for path in lines if path not in seen]
        whole = True
        edited = parsed is None or own != _file_key(ws.root, PATH)
        if not clock.is_simulated() and (edited or len(changed) > MANY or (gone and older)):
            lines, older = _scan_newest(ws)
        else:
            count = len(seen)
            entries = {path: entry for path in changed if (entry := _file_entry(ws, path)) is not None}
            seen = {path: key for path, key in seen.items() if path in entries or known.get(path) == key}
            whole = len(seen) == count
            lines = {path: line for path, line in lines.items() if path not in entries and path not in gone}
            newest = sorted(entries, key=lambda path: entries[path][0], reverse=True)
            lines = {**{path: entries[path][1] for path in newest}, **lines}
            lines = dict(sorted(lines.items(), key=lambda item: _minute_of(item[1]), reverse=True))
            older = max(len(seen) - len(lines), 0)
        _write_index(ws, stored, _replace_block(stored, _render_block(lines, older)))
        _keep_stamp(ws, seen, folders if whole else {})
    return look


Keys = dict[str, int]
"""Path of each file -> a number that differs when the file was changed."""


def _scan_files(root: str, inside: Sequence[str] = _FOLDERS, *, deep: bool = True, tidy: bool = False) -> Keys:
    """Return the files that MEMORY.md names, as they are on the disk.

    deep   also those of the folders inside
    tidy   remove what killed writes left beside them; the caller holds the lock
    """
    found: Keys = {}
    stack = list(inside)
    while stack:
        folder = stack.pop()
        with contextlib.suppress(OSError), os.scandir(os.path.join(root, folder)) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    if name.startswith(TEMPORARY):
                        if tidy:
                            os.unlink(entry.path)
                        else:
                            found[f"{folder}/{name}"] = 0  # as a change: the next look is under the lock
                elif name.endswith(TEXT) and is_text_name(name) and entry.is_file(follow_symlinks=False):
                    found[f"{folder}/{name}"] = _status_key(entry.stat(follow_symlinks=False))
                elif deep and entry.is_dir(follow_symlinks=False) and is_text_name(name):
                    stack.append(f"{folder}/{name}")
    found.pop(PATH, None)
    return found


def _status_key(status: os.stat_result) -> int:
    return hash((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))


def _file_key(root: str, path: str) -> int:
    try:
        return _status_key(os.stat(os.path.join(root, path), follow_symlinks=False))
    except OSError:
        return 0


def _head(ws: Workspace) -> Json:
    """Return what tells whether anything has changed; {} where nothing is known, or of another number of lines."""
    import json

    with contextlib.suppress(OSError, ValueError, RecursionError):
        with open(os.path.join(ws.root, ".ia", _STAMP), encoding="utf-8") as file:
            head = json.loads(file.readline())
        if isinstance(head, dict) and head.get("limit") == _line_limit():
            return head
    return {}


def _load_stamp(ws: Workspace) -> tuple[Keys, int]:
    """Return what MEMORY.md was last made of, and its own number; nothing where that is not known."""
    import json

    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        with open(os.path.join(ws.root, ".ia", _STAMP), encoding="utf-8") as file:
            head, nested = json.loads(file.readline()), json.loads(file.readline())
        if head["limit"] == _line_limit():
            seen = {f"{folder}/{name}": key for folder, keys in nested.items() for name, key in keys.items()}
            return seen, int(head["own"])
    return {}, -1


def _keep_stamp(ws: Workspace, seen: Keys, folders: dict[str, int]) -> None:
    """Keep what MEMORY.md is made of now. `folders`: their digests before that, {} where not every file was seen."""
    import json

    nested: dict[str, Keys] = {}
    for path, key in seen.items():
        folder, _, name = path.rpartition("/")
        nested.setdefault(folder, {})[name] = key
    place = os.path.join(ws.root, ".ia", _STAMP)
    beside = {f"{MEMORY}/{name}": key for name, key in nested.get(MEMORY, {}).items()}
    own = _file_key(ws.root, PATH)
    head = {"limit": _line_limit(), "count": len(seen), "own": own, "beside": beside, "folders": folders}
    files.make_private_parent(place)
    files.write_file(
        place + ".new", f"{json.dumps(head)}\n{json.dumps(nested)}\n", 0o600, sync=False
    )  # under the lock; a torn one is made anew
    files.move_path(place + ".new", place)


def _visible_paths(ws: Workspace, paths: list[str]) -> list[str]:
    """Return the files that can have been there at now(): all, unless that is simulated."""
    if not clock.is_simulated() or not paths:
        return paths
    now = clock.now()
    rows = ws.db.execute("SELECT DISTINCT path FROM revisions WHERE time <= ?", (clock.utc_stamp(now),))
    written = {path for (path,) in rows}
    return [
        path for path in paths if path in written or os.stat(os.path.join(ws.root, path)).st_mtime <= now.timestamp()
    ]


def _file_entry(ws: Workspace, path: str, moment: datetime | None = None) -> tuple[float, str] | None:
    """Return when a file got its content and its line; None for one that now() cannot see.

    moment  when that was, where it is known already
    """
    try:
        content = ws.read(path)
    except IaError:
        content = ""
    if content is None:
        return None
    moment = moment or ws.written_at(path)
    return moment.timestamp(), _format_line(path, moment.strftime("%Y-%m-%d %H:%M"), content)


def _minute_of(line: str) -> str:
    return line[2:18]


def _scan_newest(ws: Workspace) -> tuple[dict[str, str], int]:
    """Return the lines of the newest files by path, and how many older ones there are."""
    moments: dict[str, datetime] = {}
    if clock.is_simulated():
        moments = {path: ws.written_at(path) for folder in _FOLDERS for path in ws.list_paths(folder)}
        times = {path: moment.timestamp() for path, moment in moments.items()}
    else:
        times = {path: entry.stat().st_mtime for folder in _FOLDERS for path, entry in walk_files(ws.root, folder)}
    times.pop(PATH, None)
    newest = sorted(times, key=lambda path: (path not in _CORE, -times[path], path))[: _line_limit()]
    entries = {path: entry for path in newest if (entry := _file_entry(ws, path, moments.get(path))) is not None}
    dated = sorted(entries, key=lambda path: (-entries[path][0], path))
    return {path: entries[path][1] for path in dated}, len(times) - len(newest)


def _format_line(path: str, time: str, content: str) -> str:
    said = (
        trusted_headline(content).replace("<!--", "‹!--").replace("-->", "--›")
    )  # no text ends the block, nor forges one
    return f"- {time} `{path}`" + (f": {said}" if said else "")


def trusted_headline(content: str) -> str:
    """Return the line that stands for a file. What is untrusted has no say in it: every turn reads it."""
    return headline(content) if untrusted.origin_of(content) is None else UNTRUSTED


def _render_block(lines: dict[str, str], older: int) -> list[str]:
    core = [lines[path] for path in _CORE if path in lines]
    rest = [line for path, line in lines.items() if path not in _CORE]
    room = max(_line_limit() - len(core), 0)
    older += max(len(rest) - room, 0)
    block = [BEGIN, "", *core, *([""] if core and rest else []), *rest[:room]]
    if older:
        block.append(f"- {older} older: `ia note list` shows them, `ia recall` finds them")
    return [*block, "", END]


def _replace_block(stored: str, block: list[str]) -> str:
    """Return the file with its block replaced, or with a new one at the end where it has none."""
    begin, end = stored.find(BEGIN), stored.find(END)
    kept = "\n".join(block)
    if 0 <= begin < end:
        return stored[:begin] + kept + stored[end + len(END) :]
    whole = stored.replace(BEGIN, "").replace(END, "").rstrip("\n") or "# MEMORY"
    return f"{whole}\n\n{kept}\n"


def _parse_block(stored: str) -> tuple[dict[str, str], int] | None:
    """Return the block's lines by path and the count of older ones; None where there is no whole block."""
    begin, end = stored.find(BEGIN), stored.find(END)
    if not 0 <= begin < end:
        return None
    lines: dict[str, str] = {}
    older = 0
    for line in stored[begin:end].split("\n")[1:]:
        if match := _LINE.match(line):
            lines[match[2]] = line
        elif match := _OLDER.match(line):
            older = int(match[1])
        elif line.strip():
            return None  # somebody wrote into the block
    return lines, older


def _read_stored(ws: Workspace) -> str:
    return ws.read_present(PATH) or ""


def _write_index(ws: Workspace, before: str, after: str) -> None:
    if before != after:
        files.replace_file(ws.resolve(PATH), after)


def _line_limit() -> int:
    return int(config.get_setting("memory.index_lines"))


class MemoryEntry(NamedTuple):
    """A file of the memory in a list. `time` is when it got its present content, as a UTC stamp."""

    path: str
    time: str
    title: str


def list_memory(ws: Workspace) -> list[MemoryEntry]:
    """Return the files of the memory as of now(), by path. One that cannot be read has an empty title."""
    entries = []
    for path in ws.list_paths("memory"):
        try:
            said = "" if path == PATH else trusted_headline(ws.read(path) or "")
        except IaError:
            said = ""
        entries.append(MemoryEntry(path, clock.utc_stamp(ws.written_at(path)), said))
    return entries
