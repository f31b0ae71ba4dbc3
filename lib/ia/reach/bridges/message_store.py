"""How far the messages of a chat service have come: nothing is lost, nothing is answered twice.

    new -> working -> ready -> sending -> answered
            (again)                    -> failed

A process may end at any point. What was `new` or `ready` is taken up as if nothing had been. What was `working` is
worked on once more (`again`), and then no more. What was `sending` may have reached its reader, and is not sent again.
What is answered keeps its key alone: the words stand in the session.
"""

import json
from typing import NamedTuple

from ia.kernel import clock, store
from ia.kernel.workspace import Workspace

NEW, WORKING, AGAIN, READY, SENDING, ANSWERED, FAILED = (
    "new",
    "working",
    "again",
    "ready",
    "sending",
    "answered",
    "failed",
)


class Item(NamedTuple):
    """One message. `key` is the service's own number of it; `parts` is what is still to be sent back."""

    id: int
    channel: str
    key: str
    sender: str
    content: str
    state: str
    parts: tuple[str, ...]


def store_message(ws: Workspace, channel: str, key: str, sender: str, content: str) -> Item | None:
    """Keep a message and return it; None where it is known already. Durable when it returns."""
    wall = clock.utc_stamp(clock.wall_time())
    time = clock.utc_stamp(clock.now()) if clock.is_simulated() else wall
    with store.translate_errors(store.PRECIOUS):
        cursor = ws.db.execute(
            "INSERT OR IGNORE INTO received (time, wall, channel, key, sender, content, state)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (time, None if time == wall else wall, channel, key, sender, content, NEW),
        )
    return (
        Item(id=cursor.lastrowid or 0, channel=channel, key=key, sender=sender, content=content, state=NEW, parts=())
        if cursor.rowcount
        else None
    )


def list_unanswered(ws: Workspace, channel: str) -> list[Item]:
    """Return the messages that a channel still owes an answer to, in the order in which they came."""
    rows = ws.db.execute(
        "SELECT id, channel, key, sender, content, state, reply FROM received"
        " WHERE channel = ? AND state IN (?, ?, ?, ?, ?) ORDER BY id",
        (channel, NEW, WORKING, AGAIN, READY, SENDING),
    )
    return [Item._make((*row[:6], tuple(json.loads(row[6] or "[]")))) for row in rows]


def set_message_state(ws: Workspace, item: Item, state: str, parts: tuple[str, ...] = ()) -> Item:
    """Put a message into a state, with what is still to be sent back, and return it. Durable when it returns."""
    ended = state in (ANSWERED, FAILED)
    content = "" if ended else item.content
    reply = json.dumps(parts) if parts and not ended else None
    with store.translate_errors(store.PRECIOUS):
        ws.db.execute(
            "UPDATE received SET state = ?, reply = ?, content = ? WHERE id = ?", (state, reply, content, item.id)
        )
    return item._replace(state=state, parts=parts, content=content)
