"""Notebook and memory → MEMORY.md and recall: the two indexes of what was written."""

import contextlib
import os

from ia.errors import IaError, Message, Notify, silent
from ia.workspace import Workspace


def note_written(ws: Workspace, *paths: str, notify: Notify = silent) -> None:
    """Notebook and memory → MEMORY.md and recall: enter files that were just written or removed.

    They are safe already. An index that fails is told of, never raised: the next look at the files mends it.
    """
    import sqlite3
    from functools import partial

    from ia.memory import index as contents
    from ia.recall import index as words

    steps = [(path, partial(words.entered, ws, path)) for path in paths]
    for path, step in [*steps, (", ".join(paths), partial(contents.refresh, ws))]:
        try:
            step()
        except (IaError, sqlite3.Error, OSError) as exc:
            notify(Message("{path} is written, but not yet in the index: {reason}", path=path, reason=str(exc)))


def notice_changes(ws: Workspace) -> None:
    """Notebook and memory → MEMORY.md: enter what was written by hand, or by an ia that was killed.

    For a command that only reads: where nothing can be written, nothing is said.
    """
    import sqlite3

    from ia.memory import index as contents

    with contextlib.suppress(IaError, sqlite3.Error, OSError):
        if os.access(ws.root, os.W_OK | os.X_OK):
            contents.refresh(ws)
