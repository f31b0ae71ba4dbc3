"""MEMORY.md: the table of contents of what was remembered and written, kept by ia inside one marked block.

First the files of the memory that every turn needs, then everything else, newest first, so that a context that takes
the first lines takes the right ones. Text that a person writes outside the block is never touched. The block can be
rebuilt from the files at any time; that is why it leaves no revisions.
"""

import contextlib
import os
import re
from typing import NamedTuple

from ia.kernel import clock, config, files, outside
from ia.kernel.errors import IaError
from ia.kernel.files import TEMPORARY
from ia.kernel.workspace import TEXT, Workspace, headline, named, walk

PATH = "memory/MEMORY.md"
BEGIN = "<!-- ia: kept by ia, rebuilt from the files; write outside of this block -->"
END = "<!-- ia: end -->"
_CORE = ("memory/beliefs.md", "memory/tracking.md", "memory/preferences.md")
_FOLDERS = ("notebook", "memory")
UNTRUSTED = "(untrusted)"
MANY = 500
"""Changed files from which on all are looked at anew."""
_STAMP = "cache/contents.json"
"""What MEMORY.md was last made of: deleting it costs one look at all files."""
_LINE = re.compile(r"- (\d{4}-\d\d-\d\d \d\d:\d\d) `(.+?)`(?:: .*)?$")
_OLDER = re.compile(r"- (\d+) older: ")


def text(ws: Workspace) -> str:
    """Return MEMORY.md as it would stand at now(), fresh from the files. Nothing is written."""
    stored = _stored(ws)
    return _with_block(stored, _block(*_scan(ws)))


def refresh(ws: Workspace) -> None:
    """Bring MEMORY.md up to date with the files, whoever changed them. Costs a stat a file, and a look at what changed.

    What a simulated now() cannot see yet is left for later.
    """
    seen = _seen(ws.root)
    if not seen and not os.path.exists(os.path.join(ws.root, PATH)):
        return
    if _stamp(ws) == (seen, _key_of(ws.root, PATH)):
        return
    with ws.lock():
        seen = _seen(ws.root, tidy=True)
        known, own = _stamp(ws)
        stored = _stored(ws)
        parsed = _parse(stored)
        lines, older = parsed or ({}, 0)
        known = known if parsed else {}
        changed = _visible(ws, [path for path in seen if known.get(path) != seen[path]])
        gone = [path for path in lines if path not in seen]
        edited = parsed is None or own != _key_of(ws.root, PATH)
        if not clock.simulated() and (edited or len(changed) > MANY or (gone and older)):
            lines, older = _scan(ws)
        else:
            entries = {path: entry for path in changed if (entry := _entry(ws, path)) is not None}
            seen = {path: key for path, key in seen.items() if path in entries or known.get(path) == key}
            lines = {path: line for path, line in lines.items() if path not in entries and path not in gone}
            newest = sorted(entries, key=lambda path: entries[path][0], reverse=True)
            lines = {**{path: entries[path][1] for path in newest}, **lines}
            lines = dict(sorted(lines.items(), key=lambda item: _minute(item[1]), reverse=True))
            older = max(len(seen) - len(lines), 0)
        _store(ws, stored, _with_block(stored, _block(lines, older)))
        _keep_stamp(ws, seen)


Keys = dict[str, int]
"""Path of each file -> a number that differs when the file was changed."""


def _seen(root: str, *, tidy: bool = False) -> Keys:
    """Return the files that MEMORY.md names, as they are on the disk.

    tidy   remove what killed writes left beside them; the caller holds the lock
    """
    found: Keys = {}
    stack = list(_FOLDERS)
    while stack:
        inside = stack.pop()
        with contextlib.suppress(OSError), os.scandir(os.path.join(root, inside)) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    if name.startswith(TEMPORARY):
                        if tidy:
                            os.unlink(entry.path)
                        else:
                            found[f"{inside}/{name}"] = 0  # as a change: the next look is under the lock
                elif name.endswith(TEXT) and named(name) and entry.is_file(follow_symlinks=False):
                    found[f"{inside}/{name}"] = _key(entry.stat(follow_symlinks=False))
                elif entry.is_dir(follow_symlinks=False) and named(name):
                    stack.append(f"{inside}/{name}")
    found.pop(PATH, None)
    return found


def _key(status: os.stat_result) -> int:
    return hash((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))


def _key_of(root: str, path: str) -> int:
    try:
        return _key(os.stat(os.path.join(root, path), follow_symlinks=False))
    except OSError:
        return 0


def _stamp(ws: Workspace) -> tuple[Keys, int]:
    """Return what MEMORY.md was last made of, and its own number; nothing where that is not known."""
    import json

    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        with open(os.path.join(ws.root, ".ia", _STAMP), encoding="utf-8") as file:
            kept = json.load(file)
        if kept["limit"] == _limit():
            seen = {f"{folder}/{name}": key for folder, keys in kept["files"].items() for name, key in keys.items()}
            return seen, int(kept["own"])
    return {}, -1


def _keep_stamp(ws: Workspace, seen: Keys) -> None:
    import json

    nested: dict[str, Keys] = {}
    for path, key in seen.items():
        folder, _, name = path.rpartition("/")
        nested.setdefault(folder, {})[name] = key
    place = os.path.join(ws.root, ".ia", _STAMP)
    stamp = {"limit": _limit(), "own": _key_of(ws.root, PATH), "files": nested}
    files.make_own(place)
    files.write_file(place + ".new", json.dumps(stamp), 0o600, sync=False)  # under the lock; a torn one is made anew
    files.move(place + ".new", place)


def _visible(ws: Workspace, paths: list[str]) -> list[str]:
    """Return the files that can have been there at now(): all, unless that is simulated."""
    if not clock.simulated() or not paths:
        return paths
    now = clock.now()
    rows = ws.db.execute("SELECT DISTINCT path FROM revisions WHERE time <= ?", (clock.stamp(now),))
    written = {path for (path,) in rows}
    return [
        path for path in paths if path in written or os.stat(os.path.join(ws.root, path)).st_mtime <= now.timestamp()
    ]


def _entry(ws: Workspace, path: str) -> tuple[float, str] | None:
    """Return when a file got its content and its line; None for one that now() cannot see."""
    try:
        content = ws.read(path)
    except IaError:
        content = ""
    if content is None:
        return None
    moment = ws.written(path)
    return moment.timestamp(), _line(path, moment.strftime("%Y-%m-%d %H:%M"), content)


def _minute(line: str) -> str:
    return line[2:18]


def _scan(ws: Workspace) -> tuple[dict[str, str], int]:
    """Return the lines of the newest files by path, and how many older ones there are."""
    if clock.simulated():
        times = {path: ws.written(path).timestamp() for folder in _FOLDERS for path in ws.paths(folder)}
    else:
        times = {path: entry.stat().st_mtime for folder in _FOLDERS for path, entry in walk(ws.root, folder)}
    times.pop(PATH, None)
    newest = sorted(times, key=lambda path: (path not in _CORE, -times[path], path))[: _limit()]
    entries = {path: entry for path in newest if (entry := _entry(ws, path)) is not None}
    dated = sorted(entries, key=lambda path: (-entries[path][0], path))
    return {path: entries[path][1] for path in dated}, len(times) - len(newest)


def _line(path: str, time: str, content: str) -> str:
    said = told(content).replace("<!--", "‹!--").replace("-->", "--›")  # no text ends the block, nor forges one
    return f"- {time} `{path}`" + (f": {said}" if said else "")


def told(content: str) -> str:
    """Return the line that stands for a file. What is untrusted has no say in it: every turn reads it."""
    return headline(content) if outside.origin_of(content) is None else UNTRUSTED


def _block(lines: dict[str, str], older: int) -> list[str]:
    core = [lines[path] for path in _CORE if path in lines]
    rest = [line for path, line in lines.items() if path not in _CORE]
    room = max(_limit() - len(core), 0)
    older += max(len(rest) - room, 0)
    block = [BEGIN, "", *core, *([""] if core and rest else []), *rest[:room]]
    if older:
        block.append(f"- {older} older: `ia note list` shows them, `ia recall` finds them")
    return [*block, "", END]


def _with_block(stored: str, block: list[str]) -> str:
    """Return the file with its block replaced, or with a new one at the end where it has none."""
    begin, end = stored.find(BEGIN), stored.find(END)
    kept = "\n".join(block)
    if 0 <= begin < end:
        return stored[:begin] + kept + stored[end + len(END) :]
    whole = stored.replace(BEGIN, "").replace(END, "").rstrip("\n") or "# MEMORY"
    return f"{whole}\n\n{kept}\n"


def _parse(stored: str) -> tuple[dict[str, str], int] | None:
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


def _stored(ws: Workspace) -> str:
    return ws.read_present(PATH) or ""


def _store(ws: Workspace, before: str, after: str) -> None:
    if before != after:
        files.replace_file(ws.resolve(PATH), after)


def _limit() -> int:
    return int(config.get("memory.index_lines"))


class Entry(NamedTuple):
    """A file of the memory in a list. `time` is when it got its present content, as a UTC stamp."""

    path: str
    time: str
    title: str


def listed(ws: Workspace) -> list[Entry]:
    """Return the files of the memory as of now(), by path. One that cannot be read has an empty title."""
    entries = []
    for path in ws.paths("memory"):
        try:
            said = "" if path == PATH else told(ws.read(path) or "")
        except IaError:
            said = ""
        entries.append(Entry(path, clock.stamp(ws.written(path)), said))
    return entries
