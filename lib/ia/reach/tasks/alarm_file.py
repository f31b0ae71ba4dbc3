"""The file that tells a terminal when to look for slots that passed without a run: a look costs little before."""

import contextlib
import os

from ia.faculties.taskbook import approved_tasks
from ia.faculties.taskbook.task_times import GRACE, slots_since
from ia.kernel import clock, files
from ia.kernel.errors import IaError
from ia.kernel.workspace import Workspace
from ia.reach.tasks import events

FILE = os.path.join(".ia", "alarm")
"""Two words: from which moment on a look is worth its time (a UTC stamp), and the date on which it was told last."""


def update_alarm(ws: Workspace, *, told: str = "") -> None:
    """Write down from which moment on a look is worth its time: when the next slot will have passed without a run.

    told  the date on which a person was told
    """
    from ia.faculties.schedule.slots import next_slots

    if not ws.exists():
        return
    stamps = []
    for task in approved_tasks.list_runnable(ws):
        with contextlib.suppress(IaError):
            if events.parse_event(task) is None:
                coming = next_slots(
                    task.design, slots_since(ws, task), 1, anchor=approved_tasks.parse_stamp(task.since)
                )
                stamps += [clock.utc_stamp(slot + GRACE) for slot in coming]
    path = os.path.join(ws.root, FILE)
    if stamps:
        files.keep_file(path, f"{min(stamps)} {told or _read_alarm(ws.root)[1]}\n")
    else:
        with contextlib.suppress(OSError):
            os.unlink(path)


def _read_alarm(root: str) -> tuple[str, str]:
    """Return the two words of the file; "" for what is not there."""
    with contextlib.suppress(OSError, UnicodeDecodeError), open(os.path.join(root, FILE), encoding="ascii") as file:
        words = [*file.read(100).split(), "", ""]
        return words[0], words[1]
    return "", ""
