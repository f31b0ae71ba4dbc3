"""Why the alarm clock does not work, where slots passed without a run (`ia.faculties.taskbook.task_times`).

It looks where the alarm lives: the program that the crontab starts, our lines in it, the daemon that reads it.
"""

import contextlib
import os
import subprocess
from datetime import timedelta
from typing import NamedTuple

from ia.faculties.taskbook import approved_tasks
from ia.kernel import clock, config
from ia.kernel.errors import IaError, Message, Unavailable
from ia.kernel.workspace import Workspace
from ia.reach.tasks import crontab, crontab_file

AHEAD = timedelta(days=30)
"""How far the trading days are to be known."""
_ANSWER = 10.0  # seconds
_MEND = "`ia doctor --mend`"


class Fault(NamedTuple):
    """Why no run came, and what to do."""

    why: Message
    mend: Message


def diagnose_fault(ws: Workspace) -> Fault:
    """Return why no task is woken, as far as that can be told."""
    try:
        crontab_file.crontab_program()
        wrong = crontab.find_drift(ws)
        moved = [home for home in crontab.list_workspaces() if home != ws.root and not os.path.isdir(home)]
    except Unavailable as exc:
        return Fault(Message(exc.template, **exc.params), Message(exc.hint or _MEND, **exc.params))
    if wrong:
        why = wrong[0]
        if moved and not crontab.installed_command(ws):
            why = Message(
                "the crontab has no lines for this workspace, only for {home}, which does not exist", home=moved[0]
            )
        return Fault(why, Message(_MEND))
    if (broken := check_program_starts(ws)) is not None:
        return Fault(broken, Message(_MEND))
    running = crontab_file.is_daemon_running()
    if running is False:
        return Fault(Message("no cron daemon seems to be running"), Message("start it (Debian: `service cron start`)"))
    what = "crontab and cron are fine; the machine was off or asleep, or cron has just started"
    if running is None:
        what = "the crontab is fine; ia cannot tell whether a cron daemon is running"
    return Fault(Message(what), Message("run the missed tasks now with `ia task due`"))


def check_program_starts(ws: Workspace) -> Message | None:
    """Return why the program that the crontab names does not start, though it is there; None where it does."""
    words = crontab.installed_command(ws)
    if not words:
        return None
    shown = " ".join(words)
    try:
        told = subprocess.run(
            [*words, "--version"],
            env={**config.child_environment({}), "PATH": "/usr/bin:/bin"},
            timeout=_ANSWER,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        return Message("the crontab runs {program}, which fails to start: {reason}", program=shown, reason=exc)
    if told.returncode == 0:
        return None
    said = (told.stderr.decode(errors="replace").strip().splitlines() or [f"status {told.returncode}"])[-1]
    return Message("the crontab runs {program}, which fails to start: {reason}", program=shown, reason=said)


def unknown_days(ws: Workspace) -> list[Message]:
    """Return of which markets that tasks run by the trading days are not known for a month to come."""
    from ia.faculties.schedule.slots import unknown_holidays_message

    found = {}
    for task in approved_tasks.list_runnable(ws):
        with contextlib.suppress(IaError):
            if remark := unknown_holidays_message(task.design, [clock.now() + AHEAD]):
                found[remark.params["market"]] = remark
    return list(found.values())
