"""When tasks run next, and which of their slots passed without a run."""

import contextlib
from datetime import datetime, timedelta
from typing import NamedTuple

from ia.faculties.schedule import slots
from ia.faculties.taskbook import approved_tasks, run_store
from ia.kernel import clock
from ia.kernel.errors import IaError
from ia.kernel.workspace import Workspace

LATE = 600
"""Seconds after its slot from which on a run is late."""
GRACE = timedelta(seconds=LATE)
"""How long a slot may wait for its run."""
MOST = 50
"""Slots of a task that are listed."""


class Overdue(NamedTuple):
    """A task with the slots that passed without a run: UTC stamps, ascending, the newest of them."""

    name: str
    slots: list[str]


def coming_slots(each: approved_tasks.Listed, count: int) -> list[datetime]:
    """Return the next moments of a task, in its zone; of a draft, if it were approved now. None while it rests."""
    if each.design is None or each.state in (approved_tasks.PAUSED, "deleted"):
        return []
    anchor = approved_tasks.parse_stamp(each.task.since) if each.task else clock.now()
    return slots.next_slots(each.design, clock.now(), count, anchor=anchor)


def slots_since(ws: Workspace, task: approved_tasks.Task) -> datetime:
    """Return after which moment a slot of a task is waited for: its newest run, or the last decision about it."""
    return approved_tasks.parse_stamp(
        max(approved_tasks.active_since(ws, task), run_store.newest_slot(ws, task.id) or "")
    )


def find_overdue(ws: Workspace) -> list[Overdue]:
    """Return the tasks of which slots passed without a run as of now(), by name. An event has no slots."""
    found: list[Overdue] = []
    if not ws.exists():
        return found
    for task in approved_tasks.list_runnable(ws):
        with contextlib.suppress(IaError):  # a text that can no longer be read is told elsewhere
            if not _is_running(ws, task.name):
                anchor = approved_tasks.parse_stamp(task.since)
                passed = slots.latest_slots(
                    task.design, slots_since(ws, task), clock.now() - GRACE, MOST, anchor=anchor
                )
                if passed:
                    found.append(Overdue(task.name, [clock.utc_stamp(slot) for slot in passed]))
    return found


def _is_running(ws: Workspace, name: str) -> bool:
    """Return whether a run of the task goes on: what came meanwhile waits for it."""
    if not any(run.state == run_store.RUNNING for run in run_store.unsettled_runs(ws, name)):
        return False
    with run_store.hold_task(ws, name) as lock:
        return lock is None
