"""What a webhook delivers: kept, with the runs that it starts, in one transaction before the sender is told so.

The id of a delivery is known for ever, so that the same one again starts nothing, under whatever name it comes: the
name is not signed. Its runs wait in the table `runs`, where `ia task due` finds them too: the listener may
die at any moment.
"""

import contextlib
import functools
from typing import NamedTuple

from ia.faculties.taskbook import approved_tasks, run_store
from ia.kernel import audit, clock, store
from ia.kernel.errors import IaError
from ia.kernel.workspace import Workspace
from ia.reach.tasks import events

CHANNEL = events.WEBHOOK
MAX_WAITING = 500
"""Runs that may wait: more than that is not taken."""
KEPT = "kept"
"""The state of a row of `received`."""

ACCEPTED, REPEATED, UNKNOWN, FULL, LOST = "accepted", "already received", "unknown", "full", "lost"
"""What became of a delivery; lost: it could not be kept."""


class Delivery(NamedTuple):
    """A signed request: for the tasks `on webhook NAME`, with the sender's id for it, the peer's address, its body."""

    name: str
    id: str
    sender: str
    content: str


def keep_deliveries(ws: Workspace, came: list[Delivery]) -> list[str]:
    """Keep the deliveries that a task waits for, and return of each what became of it. Durable when it returns.

    raises  TryLater where the database is locked or the disk full: nothing was kept.
    """
    names = listened_names(ws)
    with store.translate_errors(store.PRECIOUS), store.transaction(ws.db):
        room = MAX_WAITING - _count_waiting(ws)
        found = []
        for delivery in came:
            became = _keep_delivery(ws, delivery, names, room)
            room -= became == ACCEPTED
            found.append(became)
    return found


def _keep_delivery(ws: Workspace, delivery: Delivery, names: frozenset[str], room: int) -> str:
    name, id, sender, content = delivery
    known = "SELECT 1 FROM received WHERE channel = ? AND key = ?"
    if ws.db.execute(known, (CHANNEL, id)).fetchone():
        return REPEATED
    if name not in names:
        audit.record(ws.db, "webhook.unknown", name, actor=CHANNEL, id=id, sender=sender)
        return UNKNOWN
    if room <= 0:
        return FULL
    wall = clock.utc_stamp(clock.wall_time())
    time = clock.utc_stamp(clock.now()) if clock.is_simulated() else wall
    ws.db.execute(
        "INSERT INTO received (time, wall, channel, key, sender, content, state) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (time, None if time == wall else wall, CHANNEL, id, sender, content, KEPT),
    )
    woken = [task.name for task in events.record_event(ws, CHANNEL, name, id, content, f"{name} from {sender}")]
    audit.record(
        ws.db, "webhook.received", name, actor=CHANNEL, id=id, sender=sender, characters=len(content), tasks=woken
    )
    return ACCEPTED


def listened_names(ws: Workspace) -> frozenset[str]:
    """Return the names that a task listens to which is approved and runs: `on webhook NAME`."""
    return frozenset(filter(None, (_webhook_name(task.text, task.name) for task in approved_tasks.list_runnable(ws))))


@functools.lru_cache(1024)
def _webhook_name(text: str, task: str) -> str:
    """Return the NAME that an approved text listens to; nothing for another schedule, or one that is not understood."""
    from ia.faculties.schedule import design, schedule_forms

    with contextlib.suppress(IaError):
        form = schedule_forms.parse_schedule(design.parse_design(text, task).schedule)
        if isinstance(form, schedule_forms.ScheduleEvent) and form.kind == CHANNEL:
            return form.what
    return ""


def _count_waiting(ws: Workspace) -> int:
    sql = "SELECT count(*) FROM runs WHERE state = ? AND why = ?"
    return int(ws.db.execute(sql, (run_store.WAITING, CHANNEL)).fetchone()[0])


def unfinished_tasks(ws: Workspace) -> list[str]:
    """Return the tasks that a delivery woke and whose run is not over, the one that has waited longest first."""
    sql = f"SELECT name, min(id) FROM runs WHERE state IN {run_store.OPEN} AND why = ? GROUP BY name ORDER BY 2"
    return [name for name, _ in ws.db.execute(sql, (CHANNEL,))]
