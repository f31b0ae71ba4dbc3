"""In which order due tasks run: what syncs before what reads, so that no report is made of yesterday's prices.

Cron wakes each task in a process of its own. So a task that reads first does what syncs and is due, and waits for one
that is running elsewhere.
"""

import contextlib
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from ia.faculties.taskbook import approved_tasks, pipeline, run_store, task_times
from ia.faculties.taskbook.approved_tasks import Task
from ia.kernel import clock
from ia.kernel.errors import IaError
from ia.kernel.workspace import Workspace
from ia.reach.tasks import events

ON_TIME = timedelta(seconds=task_times.LATE)


class DueTask(NamedTuple):
    """A task to look at, the first slot of it that is due (UTC; "" for none), and what it does with prices.

    limit    seconds that a run of it may take; wait: another due task reads what it syncs
    """

    name: str
    slot: str = ""
    syncs: bool = False
    reads: bool = False
    limit: float = 0.0
    wait: bool = False


def order_due(ws: Workspace, names: list[str]) -> list[DueTask]:
    """Return tasks in the order in which they run: those that sync, then the others, each by slot and by name.

    Where one that reads and does not sync itself is due, the tasks that sync and are due go before it, named or not.
    """
    known = {task.name: _look_at(ws, task) for task in approved_tasks.list_runnable(ws)}
    steps = {name: known.get(name, DueTask(name)) for name in names}
    if any(each.reads and each.slot for each in steps.values()):
        steps |= {each.name: each._replace(wait=True) for each in known.values() if each.syncs and each.slot}
    return sorted(steps.values(), key=lambda each: (not each.syncs, not each.slot, each.slot, each.name))


@contextlib.contextmanager
def hold_in_turn(ws: Workspace, due: DueTask) -> Iterator[int | None]:
    """Hold a task until the block ends; None where it is busy: at once, or as long as a due task waits for it."""
    until = time.monotonic() + (due.limit if due.wait else 0)
    while True:
        with run_store.hold_task(ws, due.name) as lock:
            if lock is not None or time.monotonic() >= until:
                yield lock
                return
        time.sleep(0.2)


def _look_at(ws: Workspace, task: Task) -> DueTask:
    """Return what of a task is due; of a text that can no longer be read nothing: its run says so."""
    try:
        design = task.design
        commands = pipeline.list_commands(design.run) if design.run else {"turn"}
        syncs = "sync" in commands
        return DueTask(
            name=task.name,
            slot=_first_slot(ws, task),
            syncs=syncs,
            reads=not syncs and bool(commands - {"send"}),
            limit=design.timeout * 60.0,
        )
    except IaError:
        return DueTask(task.name)


def _first_slot(ws: Workspace, task: Task) -> str:
    """Return the first slot of a task that is to be run now, UTC; "" where none is, or where it waits for events."""
    from ia.faculties.schedule.slots import latest_slots

    if events.parse_event(task) is not None:
        return ""
    now = clock.now()
    for run in run_store.unsettled_runs(ws, task.name):
        if run.state != run_store.FAILED or (run.retry_at and run.retry_at <= clock.utc_stamp(now)):
            return run.slot
    since = max(approved_tasks.active_since(ws, task), run_store.newest_slot(ws, task.id) or "")
    slots = latest_slots(
        task.design, approved_tasks.parse_stamp(since), now, 3, anchor=approved_tasks.parse_stamp(task.since)
    )
    fresh = [slot for slot in slots if now - slot <= ON_TIME]
    due = slots[-1:] if not fresh and task.design.missed == "once" else fresh
    return clock.utc_stamp(due[0]) if due else ""
