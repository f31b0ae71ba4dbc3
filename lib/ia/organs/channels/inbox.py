"""The inbox: what is to be told to the user at the next command at a terminal.

It holds the notices of the channel `cli`, and those of other channels that could not be delivered.
"""

import contextlib
import os
from datetime import datetime

from ia.kernel import clock, store
from ia.kernel.errors import NotFound
from ia.kernel.workspace import Workspace
from ia.organs.channels.notices import FAILED, PENDING, SENT, UNSURE, Notice, select_notices

MARKER = "unread"
"""File below .ia that is there while something is unread, so that no other command has to open the database."""
_HERE = "(state IN ('failed', 'unsure') OR (state = 'pending' AND error <> '') OR (channel = 'cli' AND state = 'sent'))"
"""What reached its reader nowhere else."""
_UNREAD = f"told IS NULL AND {_HERE}"


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
    """Count notices as told and read: the user has just read them."""
    now = clock.utc_stamp(clock.wall_time())
    ws.db.executemany(
        "UPDATE notices SET told = coalesce(told, ?1), read = coalesce(read, ?1) WHERE id = ?2",
        [(now, each.id) for each in found],
    )


def mark_told(ws: Workspace, found: list[Notice]) -> None:
    """Count notices as told at a terminal: their titles were listed. They stay unread."""
    now = clock.utc_stamp(clock.wall_time())
    ws.db.executemany("UPDATE notices SET told = coalesce(told, ?) WHERE id = ?", [(now, each.id) for each in found])


def is_unread(notice: Notice) -> bool:
    """Whether nobody has opened a message yet that reached its reader nowhere else."""
    here = (
        notice.state in (FAILED, UNSURE)
        or (notice.state == PENDING and bool(notice.error))
        or (notice.channel == "cli" and notice.state == SENT)
    )
    return here and notice.read is None


def list_inbox(ws: Workspace, limit: int | None = None, *, unread: bool = False) -> list[Notice]:
    """Return the messages of all channels as of now(): unread ones first, then the others, each newest first.

    limit    at most so many; unread: those alone
    """
    where = f"read IS NULL AND {_HERE}"
    sql = "time <= ? AND state NOT IN ('staged', 'skipped')"
    order = "ORDER BY id DESC" if unread else f"ORDER BY ({where}) DESC, id DESC"
    only = f" AND {where}" if unread else ""
    values = (clock.utc_stamp(clock.now()), -1 if limit is None else limit)
    return select_notices(ws, f"{sql}{only} {order} LIMIT ?", values)


def find_notice(ws: Workspace, number: int) -> Notice:
    """Return a message as of now().

    Raises:
        NotFound: no message has this number.
    """
    found = select_notices(
        ws, "id = ? AND time <= ? AND state NOT IN ('staged', 'skipped')", (number, clock.utc_stamp(clock.now()))
    )
    if not found:
        raise NotFound("message {number} does not exist", number=number, hint="`ia inbox --all` lists all messages")
    return found[0]


def count_unread(ws: Workspace) -> int:
    """Return how many messages are unread as of now()."""
    sql = f"SELECT count(*) FROM notices WHERE time <= ? AND read IS NULL AND {_HERE}"
    ((count,),) = ws.db.execute(sql, (clock.utc_stamp(clock.now()),))
    return int(count)


def notice_time(notice: Notice) -> datetime:
    """Return when a notice was made, by the clock; aware, UTC."""
    return datetime.fromisoformat(notice.time)


def list_notices(ws: Workspace, limit: int) -> list[Notice]:
    """Return the newest notices of all channels as of now(), newest first."""
    return select_notices(
        ws, "time <= ? AND state <> 'skipped' ORDER BY id DESC LIMIT ?", (clock.utc_stamp(clock.now()), limit)
    )
