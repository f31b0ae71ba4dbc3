"""The notebook: what was written down. Markdown files below notebook/, each write atomic and undoable."""

import os
from typing import NamedTuple

from ia.kernel import clock, untrusted
from ia.kernel.errors import BadData, NotFound, Refused
from ia.kernel.workspace import TEXT, Workspace, headline

FOLDER = "notebook"


class NoteEntry(NamedTuple):
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
    return ws.relative_path(ws.resolve(name, below=FOLDER))


def write_note(ws: Workspace, path: str, text: str, *, actor: str = "user") -> str:
    """Write a note, replacing what was there, and return its path. Durable when it returns.

    raises  Refused (the path), BadData for an empty text: a pipe that failed must not blank a note.
    """
    note = path_of(ws, path)
    ws.write(note, _require_text(text), actor=actor, event="note.write")
    return note


def append_note(ws: Workspace, path: str, text: str, *, actor: str = "user") -> str:
    """Add text to the end of a note, on a line of its own, and return its path. The note is made if it is not there."""
    note = path_of(ws, path)
    with ws.lock():
        before = ws.read(note) or ""
        if before and not before.endswith("\n"):
            before += "\n"
        ws.write(note, before + _require_text(text), actor=actor, event="note.append")
    return note


def read_note(ws: Workspace, path: str) -> str:
    """Return a note's text as of now().

    raises  NotFound, Refused (the path), BadData where it is not text.
    """
    note = path_of(ws, path)
    text = ws.read(note)
    if text is None:
        raise NotFound("{path}: no such note", path=note, hint="`ia note list` lists all notes")
    return text


def remove_note(ws: Workspace, path: str, *, actor: str = "user") -> str:
    """Remove a note and return its path; `ia memory undo PATH` brings it back."""
    note = path_of(ws, path)
    with ws.lock():
        if ws.read(note) is None:
            raise NotFound("{path}: no such note", path=note, hint="`ia note list` lists all notes")
        ws.remove(note, actor=actor, event="note.remove")
    return note


def list_notes(ws: Workspace, folder: str = "") -> list[NoteEntry]:
    """Return the notes below a folder of the notebook, by path.

    A note that cannot be read has an empty title, and an untrusted one no title of its own.
    """
    listed = _note_paths(ws, folder)
    return [
        NoteEntry(path, clock.utc_stamp(ws.written_at(path)), _note_title(_text_or_nothing(ws, path)))
        for path in listed
    ]


_REPORTS = f"{FOLDER}/reports/"


def search_notes(ws: Workspace, words: str, folder: str = "") -> list[tuple[str, int, str]]:
    """Return (path, line number, line) of the lines that contain all of the words, whatever their case.

    Reports, which quote other notes, are last.
    """
    wanted = words.casefold().split()
    if not wanted:
        raise BadData("nothing to search for: give a search term")
    found = []
    for path in sorted(_note_paths(ws, folder), key=lambda path: (path.startswith(_REPORTS), path)):
        for number, line in enumerate(_text_or_nothing(ws, path).splitlines(), 1):
            folded = line.casefold()
            if all(word in folded for word in wanted):
                found.append((path, number, line.strip()))
    return found


def _note_title(text: str) -> str:
    return headline(text) if untrusted.origin_of(text) is None else "(untrusted)"


def _note_paths(ws: Workspace, folder: str) -> list[str]:
    """Return the notes below a folder of the notebook.

    raises  NotFound for a folder that is missing; "" is the notebook itself, which may be.
    """
    below = _folder_path(ws, folder)
    paths = ws.list_paths(below)
    if not paths and below != FOLDER and not os.path.isdir(os.path.join(ws.root, below)):
        raise NotFound("{path}: no such folder", path=below, hint="see `ia note list`")
    return paths


def _folder_path(ws: Workspace, folder: str) -> str:
    """Return a folder's path relative to the workspace; `notebook/` in front may be left out."""
    inside = folder.removesuffix("/")
    inside = "" if inside == FOLDER else inside.removeprefix(FOLDER + "/")
    return ws.relative_path(ws.resolve(inside, below=FOLDER)) if inside else FOLDER


def _require_text(text: str) -> str:
    if not text.strip():
        raise BadData("nothing to write: the text is empty")
    return text if text.endswith("\n") else text + "\n"


def _text_or_nothing(ws: Workspace, path: str) -> str:
    """Return a note's text, or nothing: one broken file must not hide the others."""
    try:
        return ws.read(path) or ""
    except (BadData, Refused):
        return ""
