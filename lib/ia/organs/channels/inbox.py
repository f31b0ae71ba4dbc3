"""The inbox: what is to be told to the user at the next command at a terminal.

It holds the notices of the channel `cli`, and those of other channels that could not be delivered.
"""

import contextlib
import os
from datetime import datetime

from ia.kernel import clock, store
from ia.kernel.workspace import Workspace
from ia.organs.channels.notices import Notice, select_notices

MARKER = "unread"
"""File below .ia that is there while something is unread, so that no other command has to open the database."""
_UNREAD = (
    "told IS NULL AND (state IN ('failed', 'unsure') OR (state = 'pending' AND error <> '')"
    " OR (channel = 'cli' AND state = 'sent'))"
)


def mark_unread(ws: Workspace) -> None:
    """Say that something may be unread."""
    with contextlib.suppress(OSError):
        path = os.path.join(ws.root, ".ia", MARKER)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))


def may_have_unread(ws: Workspace) -> bool:
    """Whether something may be unread: one look at the disk."""
    return os.path.exists(os.path.join(ws.root, ".ia", MARKER))


def unread_notices(ws: Workspace) -> list[Notice]:
    """Return what has not been told yet, oldest first."""
    later = (clock.utc_stamp(clock.now()),) if clock.is_simulated() else ()
    return select_notices(ws, f"{_UNREAD}{' AND time <= ?' if later else ''} ORDER BY id", later)


def take_unread(ws: Workspace) -> list[Notice]:
    """Return what has not been told yet, oldest first, and count it as told: nobody else gets it."""
    with store.transaction(ws.db):
        found = unread_notices(ws)
        now = clock.utc_stamp(clock.wall_time())
        ws.db.executemany("UPDATE notices SET told = ? WHERE id = ?", [(now, notice.id) for notice in found])
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(ws.root, ".ia", MARKER))
    if select_notices(ws, f"{_UNREAD} LIMIT 1"):  # came in between, or is later than --now
        mark_unread(ws)
    return found


def mark_read(ws: Workspace, found: list[Notice]) -> None:
    """Count notices as told: the user has just read of them."""
    now = clock.utc_stamp(clock.wall_time())
    ws.db.executemany("UPDATE notices SET told = ? WHERE id = ? AND told IS NULL", [(now, each.id) for each in found])


def notice_time(notice: Notice) -> datetime:
    """Return when a notice was made, by the clock; aware, UTC."""
    return datetime.fromisoformat(notice.time)


def list_notices(ws: Workspace, limit: int) -> list[Notice]:
    """Return the newest notices of all channels as of now(), newest first."""
    return select_notices(ws, "time <= ? ORDER BY id DESC LIMIT ?", (clock.utc_stamp(clock.now()), limit))
