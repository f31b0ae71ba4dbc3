"""What a person decides about tasks: approve, pause, resume and remove. The crontab follows each decision.

No tool that a model can call may reach these functions.
"""

import json

from ia.faculties.schedule.design import require_future
from ia.faculties.schedule.model import FOLDER, TaskDesign
from ia.faculties.taskbook import approved_tasks, run_store
from ia.faculties.taskbook.approved_tasks import Task
from ia.kernel import audit, clock, config, store
from ia.kernel.errors import IaError, Message, NotFound, Notify, Refused, drop_message
from ia.kernel.workspace import Workspace
from ia.reach.tasks import alerts, crontab, events
from ia.wiring.approvals import approve_proposal


def approve_task(ws: Workspace, given: str | int, *, by: str, notify: Notify = drop_message, expect: str = "") -> Task:
    """Enter a task into the book and the crontab, and return it. The same text again is no new task.

    given   the number of a proposal (its file is written), or the name of a file in tasks/.
    expect  the text that the person saw; another one is refused.
    raises  what `book.to_approve` and `book.checked` raise; Refused inside a run; ConfigError where the crontab is
            damaged, and nothing is approved; Unavailable, TryLater, ConfigError where the crontab could not be
            written: the approval stands.
    """
    _require_person()
    crontab.require_sound(ws)
    with ws.lock():
        name, _, text, number = approved_tasks.find_text_to_approve(ws, given)
        if expect and text != expect:
            raise Refused(
                "{path} changed while you were reading", path=f"{FOLDER}/{name}.md", hint="read it again, then retry"
            )
        design = approved_tasks.parse_valid_design(text, name, approved_tasks.own_zone())
        _check_files(ws, design)
        require_future(design)
        if number is not None:
            approve_proposal(ws, number, by=by, notify=notify)
        elif approved_tasks.read_text(ws, name) is None:
            ws.write(f"{FOLDER}/{name}.md", text, why=f"task {name} is approved", event="task.file")
        task = _enter_task(ws, name, text, by)
    _look_at_files(ws, task)
    _ask_for_news(ws, task, notify)
    alerts.start_alert(ws, task, notify)
    _sync_crontab(ws, task.name, "task {name} is approved, but ia could not write its crontab entry: {reason}", notify)
    return task


def _check_files(ws: Workspace, design: TaskDesign) -> None:
    """Raise BadData where more files fit than can be looked at: before the task is entered, not after."""
    if design.schedule.startswith("on file"):
        events.list_matching_files(ws, design.schedule.split(None, 2)[2])


def _look_at_files(ws: Workspace, task: Task) -> None:
    """Remember the files that are there when a task on files is approved: they are no events."""
    if task.design.schedule.startswith("on file"):
        events.detect_file_events(ws, task)


def _ask_for_news(ws: Workspace, task: Task, notify: Notify) -> None:
    """Ask the source of a task's news when it starts, and say where that fails; what it has already is no event."""
    failure = events.refresh_news(ws, task, notify)
    if failure is not None:
        notify(Message("no news now: {reason}", reason=failure))
    events.record_news_events(ws, task, run_store.SEEN)


def _enter_task(ws: Workspace, name: str, text: str, by: str) -> Task:
    now, kept = clock.utc_stamp(clock.now()), json.dumps(approved_tasks.current_environment(), ensure_ascii=False)
    known = approved_tasks.find_approved(ws, name)
    with store.transaction(ws.db):
        if known is not None and known.text == text:
            ws.db.execute("UPDATE tasks SET environment = ? WHERE id = ?", (kept, known.id))
            if known.environment == approved_tasks.current_environment():
                return known
        elif known is not None:
            ws.db.execute("UPDATE tasks SET removed = ?, changed = ? WHERE id = ?", (now, now, known.id))
        if known is None or known.text != text:
            ws.db.execute(
                'INSERT INTO tasks (name, text, state, since, approved, "by", environment, changed)'
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (name, text, approved_tasks.APPROVED, now, now, by, kept, now),
            )
        audit.record(ws.db, "task.approved", name, "user", by=by, again=known is not None, **_wall_time())
    return approved_tasks.get_task(ws, name)


def _wall_time() -> dict[str, str]:
    """Return when a decision under --now was really made: nothing before it was missed."""
    return {"wall": clock.utc_stamp(clock.wall_time())} if clock.is_simulated() else {}


def pause_task(ws: Workspace, name: str, *, notify: Notify = drop_message) -> Task:
    """Pause a task; it keeps its place in the book."""
    return _change_state(ws, name, approved_tasks.PAUSED, "task.paused", notify)


def resume_task(ws: Workspace, name: str, *, notify: Notify = drop_message) -> Task:
    """Resume a paused task. Runs missed during the pause are not made up."""
    return _change_state(ws, name, approved_tasks.APPROVED, "task.resumed", notify)


def _change_state(ws: Workspace, name: str, state: str, event: str, notify: Notify) -> Task:
    _require_person()
    crontab.require_sound(ws)
    with ws.lock():
        task, now = approved_tasks.get_task(ws, name), clock.utc_stamp(clock.now())
        if task.state != state:
            with store.transaction(ws.db):
                since = now if state == approved_tasks.APPROVED else task.since
                ws.db.execute(
                    "UPDATE tasks SET state = ?, since = ?, changed = ? WHERE id = ?", (state, since, now, task.id)
                )
                audit.record(ws.db, event, task.name, "user", **_wall_time())
    if state == approved_tasks.APPROVED:
        alerts.start_alert(ws, approved_tasks.get_task(ws, name), notify)
        _ask_for_news(ws, approved_tasks.get_task(ws, name), notify)
    _sync_crontab(ws, task.name, "task {name} was changed, but the crontab was not: {reason}", notify)
    return approved_tasks.get_task(ws, name)


def remove_task(ws: Workspace, name: str, *, notify: Notify = drop_message) -> str:
    """Remove a task from the book and the crontab, with its file (`ia memory undo` restores that); return its name.

    Its runs stay in the history.
    """
    _require_person()
    crontab.require_sound(ws)
    name = approved_tasks.name_of(name)
    with ws.lock():
        known = approved_tasks.find_approved(ws, name)
        text = approved_tasks.read_text(ws, name)
        if known is None and text is None:
            if waiting := approved_tasks.find_proposal(ws, name):
                raise NotFound(
                    "task {name} is only a proposal", name=name, number=waiting.id, hint="`ia reject {number}`"
                )
            raise NotFound("{name}: no such task", name=name, hint="`ia task list` shows all tasks")
        if text is not None:
            ws.remove(f"{FOLDER}/{name}.md", why=f"task {name} is removed", event="task.file")
        if known is not None:
            now = clock.utc_stamp(clock.now())
            with store.transaction(ws.db):
                ws.db.execute("UPDATE tasks SET removed = ?, changed = ? WHERE id = ?", (now, now, known.id))
                audit.record(ws.db, "task.removed", name, "user")
    _sync_crontab(ws, name, "task {name} was changed, but the crontab was not: {reason}", notify)
    return name


def _require_person() -> None:
    """Raise Refused inside a task's run."""
    if config.run_number() is not None:
        raise Refused("a task's run cannot take this decision; run the command at a terminal yourself")


def _sync_crontab(ws: Workspace, name: str, template: str, notify: Notify) -> None:
    try:
        crontab.sync_block(ws, notify)
    except IaError as exc:
        told = {**exc.params, "name": name, "reason": exc}
        raise type(exc)(template, hint=exc.hint or "run `ia doctor` for details", **told) from exc
