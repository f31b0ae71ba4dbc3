"""MEMORY.md: the table of contents of what was remembered and written, kept by ia inside one marked block.

First the files of the memory that every turn needs, then everything else, newest first, so that a context that takes
the first lines takes the right ones. Text that a person writes outside the block is never touched. The block can be
rebuilt from the files at any time; that is why it leaves no revisions.
"""

import os
import re
from typing import NamedTuple

from ia import clock, config, outside
from ia.errors import IaError
from ia.files import replace_file
from ia.workspace import Workspace, headline, walk

PATH = "memory/MEMORY.md"
BEGIN = "<!-- ia: kept by ia, rebuilt from the files; write outside of this block -->"
END = "<!-- ia: end -->"
_CORE = ("memory/beliefs.md", "memory/tracking.md", "memory/preferences.md")
_FOLDERS = ("notebook", "memory")
UNTRUSTED = "(untrusted)"
_LINE = re.compile(r"- (\d{4}-\d\d-\d\d \d\d:\d\d) `(.+?)`(?:: .*)?$")
_OLDER = re.compile(r"- (\d+) older: ")


def text(ws: Workspace) -> str:
    """Return MEMORY.md as it would stand at now(), fresh from the files. Nothing is written."""
    stored = _stored(ws)
    return _with_block(stored, _block(*_scan(ws)))


def refresh(ws: Workspace) -> None:
    """Bring MEMORY.md up to date with the files, whoever changed them. Reads the newest `memory.index_lines` files."""
    with ws.lock():
        stored = _stored(ws)
        _store(ws, stored, _with_block(stored, _block(*_scan(ws))))


def entered(ws: Workspace, path: str) -> None:
    """Enter one file that was just written or removed. Costs the same however many notes there are."""
    if path == PATH or not path.startswith(tuple(folder + "/" for folder in _FOLDERS)):
        return
    with ws.lock():
        stored = _stored(ws)
        parsed = _parse(stored)
        if parsed is None or _gone(ws, parsed[0]):
            refresh(ws)
            return
        lines, older = parsed
        known = lines.pop(path, None) is not None
        if not known and older and path not in _CORE and not _made(ws, path):
            older -= 1
        content = ws.read(path)
        if content is not None:
            moment = clock.now().strftime("%Y-%m-%d %H:%M")
            lines = {path: _line(path, moment, content), **lines}
        _store(ws, stored, _with_block(stored, _block(lines, older)))


def _made(ws: Workspace, path: str) -> bool:
    """Whether the last write of a file was the one that made it."""
    row = ws.db.execute("SELECT before IS NULL FROM revisions WHERE path = ? ORDER BY id DESC LIMIT 1", (path,))
    return bool((row.fetchone() or (0,))[0])


def _scan(ws: Workspace) -> tuple[dict[str, str], int]:
    """Return the lines of the newest files by path, and how many older ones there are."""
    if clock.simulated():
        times = {path: ws.written(path).timestamp() for folder in _FOLDERS for path in ws.paths(folder)}
    else:
        times = {path: entry.stat().st_mtime for folder in _FOLDERS for path, entry in walk(ws.root, folder)}
    times.pop(PATH, None)
    newest = sorted(times, key=lambda path: (path not in _CORE, -times[path], path))[: _limit()]
    lines: dict[str, str] = {}
    dated = sorted(((ws.written(path), path) for path in newest), key=lambda pair: (-pair[0].timestamp(), pair[1]))
    for moment, path in dated:
        try:
            content = ws.read(path) or ""
        except IaError:
            content = ""
        lines[path] = _line(path, moment.strftime("%Y-%m-%d %H:%M"), content)
    return lines, len(times) - len(newest)


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


def _gone(ws: Workspace, lines: dict[str, str]) -> bool:
    """Whether a file that the list names was moved or removed by hand."""
    return not all(os.path.exists(os.path.join(ws.root, path)) for path in lines)  # 2,000 take 5 ms


def _stored(ws: Workspace) -> str:
    return ws.read_present(PATH) or ""


def _store(ws: Workspace, before: str, after: str) -> None:
    if before != after:
        replace_file(ws.resolve(PATH), after)


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
