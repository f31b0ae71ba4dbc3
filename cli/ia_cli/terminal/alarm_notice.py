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
    if told == clock.today() or clock.stamp(clock.now()) < due:
        return
    import contextlib
    import sqlite3

    from ia.kernel.errors import IaError
    from ia.kernel.workspace import Workspace
    from ia.reach.tasks import alarm, alarm_file
    from ia_cli.terminal.output import notify

    with contextlib.suppress(IaError, OSError, sqlite3.Error):  # the command is done; this may be told another time
        ws = Workspace()
        passed = alarm.overdue(ws)
        if passed:
            line = Message(
                "{count} slots of {names} passed without a run, the last {time}: {reason}; `ia doctor` says more",
                count=sum(len(each.slots) for each in passed),
                names=", ".join(each.name for each in passed),
                time=_local(max(each.slots[-1] for each in passed)),
                reason=alarm.fault(ws).why,
            )
            notify(line)
        alarm_file.update_alarm(ws, told=clock.today() if passed else "")
        ws.close()


def complain_of_alarm(ws: "Workspace") -> tuple[dict[str, list[str]], str]:
    """Tell on stderr which slots of which task passed without a run, and why; else what is wrong with the crontab.

    Return the slots by task, and why.
    """
    from ia.kernel.errors import Unavailable
    from ia.reach.tasks import alarm, alarm_file, book, crontab
    from ia_cli.terminal.output import hint, notify

    if not ws.exists() or not book.runnable(ws):
        return {}, ""
    passed = alarm.overdue(ws)
    if passed:
        fault = alarm.fault(ws)
        for each in passed:
            more = len(each.slots) - SHOWN
            slots = ", ".join(map(_local, each.slots[-SHOWN:]))
            told = "task {name}: slots passed without a run: {slots}"
            told = "task {name}: slots passed without a run: {slots} and {more} before" if more > 0 else told
            notify(Message(told, name=each.name, slots=slots, more=more))
        notify(Message("why: {reason}", reason=fault.why))
        hint(fault.mend.template, **fault.mend.params)
        alarm_file.update_alarm(ws, told=clock.today())
        return {each.name: each.slots for each in passed}, str(fault.why)
    try:
        wrong = crontab.drift(ws)
    except Unavailable as exc:
        wrong = [Message(exc.template, **exc.params)]
    for reason in wrong[:1]:
        notify(Message("the tasks will not run on time: {reason}", reason=reason))
        hint("`ia doctor --mend`")
    return {}, ""


def _local(stamp: str) -> str:
    from ia_cli.terminal.task_view import local

    return local(stamp) or "-"
