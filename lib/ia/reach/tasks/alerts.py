"""Alerts in the book of tasks: where one starts, what its runs do, and how a source that is down is told once."""

from ia.faculties.alerts import messages, sessions
from ia.faculties.alerts.definition import Alert, find_alert
from ia.faculties.alerts.sessions import Look
from ia.faculties.taskbook import approved_tasks, run_store
from ia.faculties.taskbook.approved_tasks import Task
from ia.kernel import config, store
from ia.kernel.errors import IaError, Message, Notify, drop_message
from ia.kernel.workspace import Workspace


def start_alert(ws: Workspace, task: Task, notify: Notify = drop_message) -> None:
    """Remember on which session an alert starts, and say so where its condition is true already.

    Without prices it starts with the last session that has closed: its first run finds out.
    """
    alert = find_alert(task.design)
    if alert is None or sessions.find_start(ws, task.id, task.since) is not None:
        return
    try:
        history, state = sessions.look_at_present(ws, alert, approved=task.approved)
    except IaError as exc:
        notify(Message("no prices now ({reason}); the alert starts with the last session that has closed", reason=exc))
        return
    sessions.mark_start(ws, task.id, task.since, state)
    if state.holds:
        notify(
            Message(
                "already true on {day} (close {close}): ia tells you when it is false first and then true again",
                day=state.session,
                close=messages.format_close(history, state.close),
            )
        )


def carry_out_alert(ws: Workspace, alert: Alert, *, lang: str, notify: Notify = drop_message) -> tuple[Look, list[str]]:
    """Look for crossings as the run that this process belongs to; stage the messages, and return their titles.

    What was looked at and what is to be said are stored together: a run that is taken back takes both back.
    raises  what `look_for_crossings` raises
    """
    from ia.organs.channels import sending

    number = config.run_number()
    assert number is not None
    run = run_store.get_run(ws, number)
    task = approved_tasks.find_by_id(ws, run.task)
    assert task is not None
    look = sessions.look_for_crossings(ws, task.id, task.since, alert, notify, approved=task.approved)
    design = task.design
    said = [
        messages.write_message(ws, look.history, alert, each, note=design.because, lang=lang) for each in look.crossings
    ]
    with store.transaction(ws.db):
        sessions.keep_look(ws, task.id, look, run=number)
        for crossing, (title, text) in zip(look.crossings, said, strict=True):
            for channel in design.notify or ("cli",):
                sending.send_message(
                    ws,
                    text,
                    to=channel,
                    title=title,
                    key=messages.message_key(task.id, crossing),
                    notify=notify,
                    actor=f"task {task.name}",
                )
    return look, [title for title, _ in said]


def failure_key(ws: Workspace, task: Task) -> str:
    """Return the key of the message that an alert cannot look: one for each session after which it went blind."""
    try:
        if find_alert(task.design) is None:
            return ""
    except IaError:
        return ""
    stored = sessions.load_sessions(ws, task.id)
    return f"alert-{task.id}-blind-{stored[-1].session if stored else ''}"
