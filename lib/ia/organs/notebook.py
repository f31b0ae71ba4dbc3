"""The notebook: what was written down. Markdown files below notebook/, each write atomic and undoable."""

import os
from typing import NamedTuple

from ia.kernel import clock, outside
from ia.kernel.errors import BadData, NotFound, Refused
from ia.kernel.workspace import TEXT, Workspace, headline

FOLDER = "notebook"


class Entry(NamedTuple):
    """A note in a list. `time` is when it got its present content, as a UTC stamp."""

    path: str
    time: str
    title: str


def path_of(ws: Workspace, path: str) -> str:
    """Return a note's path relative to the workspace. `notebook/` in front may be left out, and `.md` at the end.

    raises  Refused for what leaves notebook/: absolute paths, `..`, links, hidden names.
    """
    inside = path.removeprefix(FOLDER + "/")
    name = inside if inside.endswith(TEXT) else inside + ".md"
    ws.resolve(inside, below=FOLDER)
    return ws.relative(ws.resolve(name, below=FOLDER))


def write(ws: Workspace, path: str, text: str, *, actor: str = "user") -> str:
    """Write a note, replacing what was there, and return its path. Durable when it returns.

    raises  Refused (the path), BadData for an empty text: a pipe that failed must not blank a note.
    """
    note = path_of(ws, path)
    ws.write(note, _body(text), actor=actor, event="note.write")
    return note


def append(ws: Workspace, path: str, text: str, *, actor: str = "user") -> str:
    """Add text to the end of a note, on a line of its own, and return its path. The note is made if it is not there."""
    note = path_of(ws, path)
    with ws.lock():
        before = ws.read(note) or ""
        if before and not before.endswith("\n"):
            before += "\n"
        ws.write(note, before + _body(text), actor=actor, event="note.append")
    return note


def read(ws: Workspace, path: str) -> str:
    """Return a note's text as of now().

    raises  NotFound, Refused (the path), BadData where it is not text.
    """
    note = path_of(ws, path)
    text = ws.read(note)
    if text is None:
        raise NotFound("{path}: no such note", path=note, hint="`ia note list` shows them")
    return text


def remove(ws: Workspace, path: str, *, actor: str = "user") -> str:
    """Remove a note and return its path; `ia memory undo PATH` brings it back."""
    note = path_of(ws, path)
    with ws.lock():
        if ws.read(note) is None:
            raise NotFound("{path}: no such note", path=note, hint="`ia note list` shows them")
        ws.remove(note, actor=actor, event="note.remove")
    return note


def entries(ws: Workspace, folder: str = "") -> list[Entry]:
    """Return the notes below a folder of the notebook, by path.

    A note that cannot be read has an empty title, and an untrusted one no title of its own.
    """
    listed = _paths(ws, folder)
    return [Entry(path, clock.stamp(ws.written(path)), _title(_text_or_nothing(ws, path))) for path in listed]


def search(ws: Workspace, words: str, folder: str = "") -> list[tuple[str, int, str]]:
    """Return (path, line number, line) of the lines that contain all of the words, whatever their case, by path."""
    wanted = words.casefold().split()
    if not wanted:
        raise BadData("nothing to search for")
    found = []
    for path in _paths(ws, folder):
        for number, line in enumerate(_text_or_nothing(ws, path).splitlines(), 1):
            folded = line.casefold()
            if all(word in folded for word in wanted):
                found.append((path, number, line.strip()))
    return found


def _title(text: str) -> str:
    return headline(text) if outside.origin_of(text) is None else "(untrusted)"


def _paths(ws: Workspace, folder: str) -> list[str]:
    """Return the notes below a folder of the notebook.

    raises  NotFound for a folder that is missing; "" is the notebook itself, which may be.
    """
    below = _folder(ws, folder)
    paths = ws.paths(below)
    if not paths and below != FOLDER and not os.path.isdir(os.path.join(ws.root, below)):
        raise NotFound("{path}: no such folder", path=below, hint="`ia note list` shows what is there")
    return paths


def _folder(ws: Workspace, folder: str) -> str:
    """Return a folder's path relative to the workspace; `notebook/` in front may be left out."""
    inside = folder.removesuffix("/")
    inside = "" if inside == FOLDER else inside.removeprefix(FOLDER + "/")
    return ws.relative(ws.resolve(inside, below=FOLDER)) if inside else FOLDER


def _body(text: str) -> str:
    if not text.strip():
        raise BadData("nothing to write: the text is empty")
    return text if text.endswith("\n") else text + "\n"


def _text_or_nothing(ws: Workspace, path: str) -> str:
    """Return a note's text, or nothing: one broken file must not hide the others."""
    try:
        return ws.read(path) or ""
    except (BadData, Refused):
        return ""
