"""That the alarm clock is dead: told after a command at a terminal, once a day, and with the list of tasks."""

from typing import TYPE_CHECKING

from ia.kernel import clock, config
from ia.kernel.errors import Message

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace

SHOWN = 5  # slots of a task


def tell_dead_alarm() -> None:
    """Tell in one line, once a day, of slots that passed without a run.

    Where no task is approved, or none is late, a command pays for a look at one small file.
    """
    import os

    path = os.path.join(config.home(), ".ia", "alarm")
    try:
        with open(path, encoding="ascii") as file:
            due, told = [*file.read(100).split(), "", ""][:2]
    except (OSError, UnicodeDecodeError):
        return
    if told == clock.today() or clock.utc_stamp(clock.now()) < due:
        return
    import contextlib
    import sqlite3

    from ia.faculties.taskbook import task_times
    from ia.kernel.errors import IaError
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import alarm, alarm_file
    from ia_cli.terminal.output import notify

    with contextlib.suppress(IaError, OSError, sqlite3.Error):  # the command is done; this may be told another time
        ws = Workspace()
        passed = task_times.find_overdue(ws)
        if passed:
            line = Message(
                "{count} scheduled runs of {names} did not start, the last one at {time}: {reason}; run `ia "
                "doctor` for details",
                count=sum(len(each.slots) for each in passed),
                names=", ".join(each.name for each in passed),
                time=_format_local_time(max(each.slots[-1] for each in passed)),
                reason=alarm.diagnose_fault(ws).why,
            )
            notify(line)
        alarm_file.update_alarm(ws, told=clock.today() if passed else "")
        ws.close()


def complain_of_alarm(ws: "Workspace") -> tuple[dict[str, list[str]], str]:
    """Tell on stderr which slots of which task passed without a run, and why; else what is wrong with the crontab.

    Return the slots by task, and why.
    """
    from ia.faculties.taskbook import approved_tasks, task_times
    from ia.kernel.errors import Unavailable
    from ia.reach.tasks import alarm, alarm_file, crontab
    from ia_cli.terminal.output import notify, tell_hint

    if not ws.exists() or not approved_tasks.list_runnable(ws):
        return {}, ""
    passed = task_times.find_overdue(ws)
    if passed:
        fault = alarm.diagnose_fault(ws)
        for each in passed:
            more = len(each.slots) - SHOWN
            slots = ", ".join(map(_format_local_time, each.slots[-SHOWN:]))
            told = "task {name}: scheduled runs that did not start: {slots}"
            told = "task {name}: scheduled runs that did not start: {slots}, and {more} earlier" if more > 0 else told
            notify(Message(told, name=each.name, slots=slots, more=more))
        notify(Message("reason: {reason}", reason=fault.why))
        tell_hint(fault.mend.template, **fault.mend.params)
        alarm_file.update_alarm(ws, told=clock.today())
        return {each.name: each.slots for each in passed}, str(fault.why)
    try:
        wrong = crontab.find_drift(ws)
    except Unavailable as exc:
        wrong = [Message(exc.template, **exc.params)]
    for reason in wrong[:1]:
        notify(Message("tasks will not run on time: {reason}", reason=reason))
        tell_hint("`ia doctor --mend`")
    return {}, ""


def _format_local_time(stamp: str) -> str:
    from ia_cli.terminal.task_view import format_local_time

    return format_local_time(stamp) or "-"
