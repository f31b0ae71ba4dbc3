"""notebook.*: the hands. Notes below notebook/, indexed as they are written."""

from typing import Annotated, Any

from ia.agent.tools import writes
from ia.agent.tools.registry import READ, WRITE, tool
from ia.agent.tools.scope import Scope
from ia.organs import notebook

MAX_LISTED = 200
MAX_HITS = 30
MAX_LINE = 240

Path = Annotated[str, "below notebook/: research/宁德时代/2024-03-15.md"]


@tool("notebook.write", WRITE)
def write(scope: Scope, path: Path, content: Annotated[str, "the whole note, Markdown"]) -> dict[str, Any]:
    """Write a note, replacing what was there: research/TOPIC/DATE.md, reports/PERIOD/DATE.md, scratch/."""
    target = notebook.path_of(scope.ws, path)
    text = writes.clean(scope, content)
    return writes.written(
        scope, writes.area_of(target), lambda ws: notebook.write(ws, target, text, actor=scope.actor)
    )  # fmt: skip


@tool("notebook.append", WRITE)
def append(scope: Scope, path: Path, content: Annotated[str, "what to add at the end"]) -> dict[str, Any]:
    """Add text to the end of a note, new or not."""
    target = notebook.path_of(scope.ws, path)
    text = writes.clean(scope, content)
    return writes.written(
        scope, writes.area_of(target), lambda ws: notebook.append(ws, target, text, actor=scope.actor)
    )  # fmt: skip


@tool("notebook.read", READ)
def read(scope: Scope, path: Path) -> str:
    """Read a note."""
    return writes.readable(scope, notebook.read(scope.ws, path))


@tool("notebook.list", READ)
def list_(scope: Scope, directory: Annotated[str, "below notebook/; default: all"] = "") -> dict[str, Any]:
    """List the notes of a folder, newest first: path, time (UTC), headline."""
    found = sorted(notebook.entries(scope.ws, directory), key=lambda entry: entry.time, reverse=True)
    rows = [entry._asdict() for entry in found[:MAX_LISTED]]
    return {"notes": rows, "count": len(found)}


@tool("notebook.search", READ)
def search(scope: Scope, query: Annotated[str, "words"]) -> dict[str, Any]:
    """Find the lines of notes that contain all of the words. For a question use memory.recall."""
    found = notebook.search(scope.ws, query)
    rows = [
        {"path": path, "line": number, "text": writes.passage(scope, path, _short(line))}
        for path, number, line in found[:MAX_HITS]
    ]
    return {"lines": rows, "count": len(found)}


def _short(line: str) -> str:
    return line if len(line) <= MAX_LINE else line[:MAX_LINE] + "…"
