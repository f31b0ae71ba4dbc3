"""notebook.*: the hands. Notes below notebook/, indexed as they are written."""

from typing import Annotated

from ia.agent.tools import gated_writes
from ia.agent.tools.registry import READ, WRITE, tool
from ia.agent.tools.scope import Scope
from ia.kernel.jsontypes import Json
from ia.organs import notebook

MAX_LISTED = 200
MAX_HITS = 30
MAX_LINE = 240

Path = Annotated[str, "below notebook/: research/宁德时代/2024-03-15.md"]


@tool("notebook.write", WRITE)
def write_note(
    scope: Scope, path: Path, content: Annotated[str, "the whole note, Markdown"]
) -> gated_writes.WriteResult:
    """Write a note, replacing what was there: research/TOPIC/DATE.md, reports/PERIOD/DATE.md, scratch/."""
    target = notebook.path_of(scope.ws, path)
    text = gated_writes.clean_text(scope, content)
    return gated_writes.write_or_propose(
        scope, gated_writes.area_of(target), lambda ws: notebook.write_note(ws, target, text, actor=scope.actor)
    )


@tool("notebook.append", WRITE)
def append_to_note(
    scope: Scope, path: Path, content: Annotated[str, "what to add at the end"]
) -> gated_writes.WriteResult:
    """Add text to the end of a note, new or not."""
    target = notebook.path_of(scope.ws, path)
    text = gated_writes.clean_text(scope, content)
    return gated_writes.write_or_propose(
        scope, gated_writes.area_of(target), lambda ws: notebook.append_note(ws, target, text, actor=scope.actor)
    )


@tool("notebook.read", READ)
def read_note(scope: Scope, path: Path) -> str:
    """Read a note."""
    return gated_writes.fence_if_untrusted(scope, notebook.read_note(scope.ws, path))


@tool("notebook.list", READ)
def list_notes(scope: Scope, directory: Annotated[str, "below notebook/; default: all"] = "") -> Json:
    """List the notes of a folder, newest first: path, time (UTC), headline, and whose words they are: owner or ia."""
    from ia.wiring.note_authors import list_authored

    found = list_authored(scope.ws, directory, newest=MAX_LISTED)
    rows = [{**entry._asdict(), "author": author} for entry, author in found]
    return {"notes": rows, "count": len(notebook.list_notes(scope.ws, directory))}


@tool("notebook.search", READ)
def search_notes(scope: Scope, query: Annotated[str, "words"]) -> Json:
    """Find the lines of notes that contain all of the words. For a question use memory.recall."""
    found = notebook.search_notes(scope.ws, query)
    rows = [
        {"path": path, "line": number, "text": gated_writes.fence_passage(scope, path, _shorten_line(line))}
        for path, number, line in found[:MAX_HITS]
    ]
    return {"lines": rows, "count": len(found)}


def _shorten_line(line: str) -> str:
    return line if len(line) <= MAX_LINE else line[:MAX_LINE] + "…"
