"""Whether the alarm clock works: which slots passed without a run, and why.

What passed is told from the slots and the runs, under the one clock. Why it passed is looked for where the alarm lives:
the program that the crontab starts, our lines in it, the daemon that reads it.
"""

import contextlib
import os
import subprocess
from datetime import timedelta
from typing import NamedTuple

from ia.kernel import clock, config
from ia.kernel.errors import IaError, Message, Unavailable
from ia.kernel.workspace import Workspace
from ia.reach.tasks import book, crontab, events, runs, table
from ia.reach.tasks.alarm_file import GRACE, slots_since

AHEAD = timedelta(days=30)
"""How far the trading days are to be known."""
MOST = 50
"""Slots of a task that are listed."""
_ANSWER = 10.0  # seconds
_MEND = "`ia doctor --mend`"


class Overdue(NamedTuple):
    """A task with the slots that passed without a run: UTC stamps, ascending, the newest of them."""

    name: str
    slots: list[str]


class Fault(NamedTuple):
    """Why no run came, and what to do."""

    why: Message
    mend: Message


def overdue(ws: Workspace) -> list[Overdue]:
    """Return the tasks of which slots passed without a run as of now(), by name."""
    from ia.faculties.schedule.slots import latest

    found: list[Overdue] = []
    if not ws.exists():
        return found
    for task in book.runnable(ws):
        with contextlib.suppress(IaError):  # a text that can no longer be read is told elsewhere
            if events.meant(task) is None and not _at_work(ws, task.name):
                until = clock.now() - GRACE
                slots = latest(task.design, slots_since(ws, task), until, MOST, anchor=book.moment(task.since))
                if slots:
                    found.append(Overdue(task.name, [clock.stamp(slot) for slot in slots]))
    return found


def _at_work(ws: Workspace, name: str) -> bool:
    """Return whether a run of the task goes on: what came meanwhile waits for it."""
    if not any(run.state == runs.RUNNING for run in runs.unsettled(ws, name)):
        return False
    with runs.held(ws, name) as lock:
        return lock is None


def fault(ws: Workspace) -> Fault:
    """Return why no task is woken, as far as that can be told."""
    try:
        table.program()
        wrong = crontab.drift(ws)
        moved = [home for home in crontab.homes() if home != ws.root and not os.path.isdir(home)]
    except Unavailable as exc:
        return Fault(Message(exc.template, **exc.params), Message(exc.hint or _MEND, **exc.params))
    if wrong:
        why = wrong[0]
        if moved and not crontab.program(ws):
            why = Message(
                "the crontab has no lines of this workspace, but of {home}, which is not there", home=moved[0]
            )
        return Fault(why, Message(_MEND))
    if (broken := starts(ws)) is not None:
        return Fault(broken, Message(_MEND))
    running = table.daemon()
    if running is False:
        return Fault(Message("no cron daemon seems to run"), Message("start it (Debian: `service cron start`)"))
    what = "the crontab and cron are well: the machine was off or asleep, or cron has just begun"
    if running is None:
        what = "the crontab is well; whether a cron daemon runs cannot be told here"
    return Fault(Message(what), Message("`ia task due` makes up for it now"))


def starts(ws: Workspace) -> Message | None:
    """Return why the program that the crontab names does not start, though it is there; None where it does."""
    words = crontab.program(ws)
    if not words:
        return None
    shown = " ".join(words)
    try:
        told = subprocess.run(
            [*words, "--version"], env={**config.environment({}), "PATH": "/usr/bin:/bin"}, timeout=_ANSWER,
            stdin=subprocess.DEVNULL, capture_output=True,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as exc:
        return Message("the crontab starts {program}, which does not start: {reason}", program=shown, reason=exc)
    if told.returncode == 0:
        return None
    said = (told.stderr.decode(errors="replace").strip().splitlines() or [f"status {told.returncode}"])[-1]
    return Message("the crontab starts {program}, which does not start: {reason}", program=shown, reason=said)


def unknown_days(ws: Workspace) -> list[Message]:
    """Return of which markets that tasks run by the trading days are not known for a month to come."""
    from ia.faculties.schedule.slots import unknown

    found = {}
    for task in book.runnable(ws):
        with contextlib.suppress(IaError):
            if remark := unknown(task.design, [clock.now() + AHEAD]):
                found[remark.params["market"]] = remark
    return list(found.values())
