"""Workspace → MEMORY.md and recall: the two indexes follow what is written."""

import contextlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ia.kernel import observers
from ia.kernel.errors import IaError, Message, Notify, drop_message

if TYPE_CHECKING:
    from ia.kernel.folders import Digest
    from ia.kernel.workspace import Workspace


def register_indexes(notify: Notify = drop_message) -> None:
    """Let the two indexes follow every write of this process. Each program that writes calls it once, at its start.

    notify  is told of an index that fails. The file is written by then, and the next look at the files repairs it.
    """
    observers.registered["indexes"] = partial(_enter_written, notify=notify)


def _enter_written(ws: "Workspace", paths: Sequence[str], notify: Notify) -> None:
    from ia.kernel.folders import ROOTS

    noted = [path for path in paths if path.partition("/")[0] in ROOTS]
    if not noted:
        return
    import sqlite3

    from ia.organs.memory import contents as contents
    from ia.organs.recall import index as words

    steps: list[tuple[str, Callable[[], object]]] = [(path, partial(words.index_file, ws, path)) for path in noted]
    steps.append((", ".join(noted), partial(contents.refresh_index, ws)))
    for path, step in steps:
        try:
            step()
        except (IaError, sqlite3.Error, OSError) as exc:
            notify(
                Message(
                    "{path} was written but is not in the index yet: {reason}",
                    path=path,
                    reason=exc if isinstance(exc, IaError) else str(exc),
                )
            )


def notice_changes(ws: "Workspace") -> "Sequence[Digest] | None":
    """Enter into MEMORY.md what was written by hand, or by an ia that was killed.

    For a command that only reads: where nothing can be written, nothing is said. Returns the digests of the folders
    that it looked at, for a question that follows at once; None where it has not looked.
    """
    import sqlite3

    from ia.organs.memory import contents as contents

    with contextlib.suppress(IaError, sqlite3.Error, OSError):
        if os.access(ws.root, os.W_OK | os.X_OK):
            return contents.refresh_index(ws)
    return None
