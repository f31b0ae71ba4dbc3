"""Notebook → authorship: the notes, and whose words each holds."""

import contextlib
from typing import NamedTuple

from ia.kernel.errors import IaError
from ia.kernel.workspace import Workspace
from ia.organs import notebook
from ia.organs.notebook import NoteEntry


class AuthoredNote(NamedTuple):
    """A note in a list, and its author: `owner` where it holds words of the owner, else `ia`."""

    entry: NoteEntry
    author: str


def list_authored(ws: Workspace, folder: str = "", *, newest: int | None = None) -> list[AuthoredNote]:
    """Return the notes below a folder of the notebook with their authors, by path, or so many of the newest."""
    from ia.organs.recall.authorship import MACHINE, OWNER, split_authors
    from ia.organs.recall.index import last_actors

    found = notebook.list_notes(ws, folder)
    if newest is not None:
        found = sorted(found, key=lambda entry: entry.time, reverse=True)[:newest]
    actors = last_actors(ws)
    told = []
    for entry in found:
        text = ""
        with contextlib.suppress(IaError):  # a note that cannot be read hides no other
            text = ws.read(entry.path) or ""
        own, _ = split_authors(entry.path, text, actors.get(entry.path))
        told.append(AuthoredNote(entry, OWNER if own.strip() else MACHINE))
    return told
