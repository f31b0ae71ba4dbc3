"""Running what is due: each slot once, one run of a task at a time, and whatever a dead one began is taken back first.

Whoever runs a task holds its lock; a kill frees it, and then a row that says `running` belongs to nobody.
"""

import contextlib
import sqlite3
from datetime import datetime

from ia.faculties.taskbook import approved_tasks, run_store, task_times
from ia.faculties.taskbook.approved_tasks import Task
from ia.faculties.taskbook.run_store import DONE, FAILED, MISSED, RUNNING, WAITING, WRITTEN, TaskRun
from ia.kernel import audit, clock, config
from ia.kernel.errors import BadData, IaError, Message, NotFound, Notify, PluralText, Refused, TryLater, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace
from ia.reach.tasks import attempts, events, reporting, run_order

ON_TIME = run_order.ON_TIME
MAX_MISSED = 50
"""Missed slots that are entered one by one; of older ones only their number is kept, or since when there are any."""
MAX_LOOKED_AT = MAX_MISSED + task_times.LATE // 60 + 3
"""Slots that are found at once: those that may be entered as missed, and those that are on time."""
MAX_AT_ONCE = 200
"""Runs of one task that one call makes: what never ends is left to the next wake-up."""


def run_due(ws: Workspace, name: str | None = None, notify: Notify = drop_message) -> list[TaskRun]:
    """Run what is due of a task (or all), finish what a crash left, and return the runs that were made.

    What syncs goes first, then what only reads, each in the order of its slots (`run_order`). A task that is busy is
    passed over: the next wake-up comes back to it. Nothing is raised for what goes wrong in a run; it stands in the
    run, and the user is told.
    """
    from ia.organs.channels import sending

    _refuse_inside_run()
    made: list[TaskRun] = []
    names = _task_names(ws, name)
    if not ws.exists():
        return made
    steps = run_order.order_due(ws, names)
    try:
        sending.deliver_pending(ws, notify=notify)  # what one who was killed had begun to tell
    except IaError as exc:
        notify(Message("{reason}", reason=exc))
    for each in steps:
        try:
            with run_order.hold_in_turn(ws, each) as lock:
                if lock is not None:
                    made += _Runner(ws, each.name, notify).run_all_due()
        except (IaError, OSError, sqlite3.Error) as exc:  # one task's trouble is not the next one's
            notify(Message("task {name}: {reason}", name=each.name, reason=attempts.explain_failure(exc)))
    if made:
        run_store.prune_logs(ws)
        _sync_retries(ws, notify)
    elif name is None:
        _mend_crontab(ws)
    return made


def run_now(ws: Workspace, name: str, *, again: bool = False, notify: Notify = drop_message) -> TaskRun:
    """Run a task by hand: what is due of it, else its last slot if nothing came of that; again: once more.

    Where the slot is done already that run is returned, and nothing happens.
    raises  NotFound; Refused for a deleted task; TryLater where it is running.
    """
    _refuse_inside_run()
    task = approved_tasks.get_task(ws, name)
    with run_store.hold_task(ws, task.name) as lock:
        if lock is None:
            raise TryLater("task {name} is already running", name=task.name, hint="see `ia task history {name}`")
        if not approved_tasks.has_task_file(ws, task):
            raise Refused(
                "{path} was deleted, so the task does not run",
                path=task.design.path,
                name=task.name,
                hint="restore the file with `ia task approve {name}`, or remove the task with `ia task remove {name}`",
            )
        run = _Runner(ws, task.name, notify).run_by_hand(task, again)
    run_store.prune_logs(ws)
    _sync_retries(ws, notify)
    return run


def run_event(
    ws: Workspace, kind: str, name: str, key: str, content: str, sender: str = "", *, notify: Notify = drop_message
) -> list[TaskRun]:
    """Run the tasks that wait for an event (`message`, `webhook`); what is busy runs it when it is free again.

    name    the webhook's name, or the text of the message. key: what tells this event from others; the same key is run
            once. content: data from outside, which the run gets as such.
    """
    _refuse_inside_run()
    return [
        run
        for task in events.record_event(ws, kind, name, key, content, sender)
        for run in run_due(ws, task.name, notify)
    ]


def _refuse_inside_run() -> None:
    if config.run_number() is not None:
        raise Refused("a task's run cannot start another task")


def _task_names(ws: Workspace, name: str | None) -> list[str]:
    """Return the tasks to look at: those in the book, and those of which something is not over."""
    rows = ws.db.execute(
        f"SELECT DISTINCT name FROM runs WHERE state IN {run_store.OPEN}"
        f" OR (state = '{FAILED}' AND retry_at IS NOT NULL)"
    )
    names = {task.name for task in approved_tasks.list_approved(ws)} | {each for (each,) in rows}
    if name is None:
        return sorted(names)
    name = approved_tasks.name_of(name)
    if name not in names:
        raise NotFound("{name}: no such task", name=name, hint="`ia task list` shows all tasks")
    return [name]


def _sync_retries(ws: Workspace, notify: Notify) -> None:
    """A retry that waits has an entry of its own in the crontab; that it could not be written is told, and no more."""
    from ia.reach.tasks import crontab

    try:
        crontab.sync_block(ws, notify)
    except IaError as exc:
        notify(Message("the crontab was not changed: {reason}", reason=exc))


def _mend_crontab(ws: Workspace) -> None:
    """Bring the crontab up to the book, where somebody who changed the book was killed before he wrote it."""
    from ia.reach.tasks import crontab

    with contextlib.suppress(IaError):  # the doctor tells of it
        if crontab.find_drift(ws):
            crontab.sync_block(ws)


def _slot_start(kind: str, what: str) -> str:
    """Return how the slots of a task's events begin: news are those of its security."""
    return f"{kind} {what.split()[0]} " if kind == events.NEWS else f"{kind} "


class _Runner(attempts.Holder):
    """A holder who finds out what is to be run next."""

    looked = False

    def run_all_due(self) -> list[TaskRun]:
        made: list[TaskRun] = []
        while len(made) < MAX_AT_ONCE:
            run = self._next_run()
            if run is None:
                break
            run = self.carry_out_run(run)
            made.append(run)
            if run.state == RUNNING:  # processes of a dead run are still there
                break
        return made

    def run_by_hand(self, task: Task, again: bool) -> TaskRun:
        made = self.run_all_due()
        if made and not again:
            return made[-1]
        slot = run_store.newest_slot(self.ws, task.id)
        last = run_store.find_by_slot(self.ws, task.id, slot) if slot else None
        if again:
            key = f"manual {clock.utc_stamp(clock.wall_time())}"
        elif last is not None:
            return (
                self._report_already_done(last) if last.state == DONE else self.carry_out_run(self._restart_run(last))
            )
        else:
            key = f"manual {task.since}"
        run = run_store.claim_slot(self.ws, task.id, task.name, key, "by hand") or run_store.find_by_slot(
            self.ws, task.id, key
        )
        assert run is not None
        return self._report_already_done(run) if run.state == DONE else self.carry_out_run(self._restart_run(run))

    def _restart_run(self, run: TaskRun) -> TaskRun:
        """Let a run that failed or was left out begin once more; what it did is still known, to be taken back."""
        data = {name: value for name, value in run.data.items() if name not in ("failed", "failures", "crashes")}
        return run_store.update_run(self.ws, run, state=RUNNING, why="by hand", retry_at=None, data=data)

    def _report_already_done(self, run: TaskRun) -> TaskRun:
        self.notify(Message("task {name} is already done for this slot; to run it again, use --again", name=run.name))
        return run

    def _next_run(self) -> TaskRun | None:
        """Return the next run to carry out, its row saying `running`; None where nothing is due."""
        task = next((each for each in approved_tasks.list_runnable(self.ws) if each.name == self.name), None)
        now = clock.utc_stamp(clock.now())
        for run in run_store.unsettled_runs(self.ws, self.name):
            if run.state == WRITTEN:
                self.finish_run(run)
            elif task is None or run.task != task.id:
                if self._adopt_run(run, task):
                    return self._next_run()
            elif run.state == RUNNING:
                return run
            elif run.state == WAITING or (run.retry_at and run.retry_at <= now):
                return run_store.update_run(self.ws, run, state=RUNNING, retry_at=None)
        if task is None:
            return None
        try:
            return self._claim_due_slot(task)
        except BadData as exc:
            self._report_unreadable(task, exc)
            return None

    def _adopt_run(self, run: TaskRun, task: Task | None) -> bool:
        """Settle what is open of an approval that is not in force; whether it is the present one's now: an event is.

        While the task is paused, its file is away, or the clock is before its approval, events and retries wait; what a
        dead run of a paused task began is taken back.
        """
        if not approved_tasks.has_ended(self.ws, run.task):
            known = approved_tasks.find_by_id(self.ws, run.task)
            if run.state == RUNNING and known is not None and known.state == approved_tasks.PAUSED:
                self.drop_run(run)
            return False
        wanted = events.parse_event(task) if task is not None else None
        if run.state == WAITING and task is not None and wanted and run.slot.startswith(_slot_start(*wanted)):
            if run_store.find_by_slot(self.ws, task.id, run.slot) is None:
                run_store.update_run(self.ws, run, task=task.id)
                return True
        elif run.state == WAITING and task is None and approved_tasks.is_name_in_force(self.ws, run.name):
            return False
        self.drop_run(run)
        return False

    def _claim_due_slot(self, task: Task) -> TaskRun | None:
        """Claim a slot that has come; slots that were missed are entered as such."""
        from ia.faculties.schedule.slots import latest_slots

        if events.parse_event(task) is not None:
            return self._next_run() if self._look_for_events(task) else None
        design, now = task.design, clock.now()
        since = max(approved_tasks.active_since(self.ws, task), run_store.newest_slot(self.ws, task.id) or "")
        slots = latest_slots(
            design, approved_tasks.parse_stamp(since), now, MAX_LOOKED_AT, anchor=approved_tasks.parse_stamp(task.since)
        )
        if not slots:
            return None
        missed = [slot for slot in slots if now - slot > ON_TIME]
        fresh = slots[len(missed) :]
        if missed and design.missed == "once" and not (fresh and design.run):  # a pipeline sees the present alone
            fresh.insert(0, missed.pop())
        more = since if len(slots) == MAX_LOOKED_AT else ""
        self._enter_missed(task, missed, more=more, told=design.missed == "skip" and not design.silent)
        if not fresh:
            return None
        for slot in fresh:  # one may be taken: by a clock that was ahead
            why = "caught up" if now - slot > ON_TIME else "schedule"
            run = run_store.claim_slot(self.ws, task.id, task.name, clock.utc_stamp(slot), why)
            if run is not None:
                return run
        return None

    def _look_for_events(self, task: Task) -> int:
        """Look for files and news, once for a holder: what comes while its runs go on waits for the next wake-up."""
        if self.looked:
            return 0
        self.looked = True
        failure = events.refresh_news(self.ws, task, self.notify)
        if failure is not None:
            self._report_blindness(task, failure)
        if fresh := events.record_news_events(self.ws, task):
            return fresh
        try:
            return events.detect_file_events(self.ws, task)
        except events.TooMany as exc:
            self.notify(Message("task {name}: {reason}", name=task.name, reason=exc))
            template = "task {name} cannot look at its files: {reason}\nname fewer in tasks/{name}.md, approve again"
            told = Voice(reporting.task_language(task))(template, name=task.name, reason=exc)
            self.send_notice(task, f"files-{task.id}", task.name, told)
            return 0

    def _report_blindness(self, task: Task, failure: IaError) -> None:
        """Say that the source of a task's news fails; the user is told once, where it fails for good or for a day."""
        self.notify(Message("task {name}: {reason}", name=task.name, reason=failure))
        if key := events.explain_blindness(self.ws, task, failure):
            told = Voice(reporting.task_language(task))(
                "task {name} gets no news: {reason}", name=task.name, reason=failure
            )
            self.send_notice(task, key, task.name, told)

    def _enter_missed(self, task: Task, missed: list[datetime], *, more: str, told: bool) -> None:
        """Enter slots that were missed; more: the moment since which there are others, nobody knows how many."""
        lang, older = reporting.task_language(task), len(missed) - MAX_MISSED
        voice = Voice(lang)
        for slot in missed[-MAX_MISSED:]:
            reason = voice("the machine was off or busy")
            if older > 0 and slot == missed[-MAX_MISSED]:
                before = voice(
                    PluralText("; so at {count} slot before it", "; so at {count} slots before it"), count=older
                )
                reason += voice("; so at every slot since {day}", day=more[:10]) if more else before
            run_store.claim_slot(
                self.ws, task.id, task.name, clock.utc_stamp(slot), "schedule", state=MISSED, reason=reason
            )
        if missed:
            audit.record(
                self.ws.db,
                "task.missed",
                task.name,
                "ia",
                count=len(missed),
                last=clock.utc_stamp(missed[-1]),
                **({"since": more} if more else {}),
            )
        if missed and told:
            self.send_notice(
                task,
                f"missed-{task.id}-{clock.utc_stamp(missed[-1])}",
                *reporting.missed_message(task, missed, lang, bool(more)),
            )

    def _report_unreadable(self, task: Task, exc: IaError) -> None:
        """A text that was approved and can no longer be read is told once, and does not run."""
        self.notify(Message("ia cannot run task {name}: {reason}", name=task.name, reason=exc))
        self.send_notice(
            task, f"unreadable-{task.id}", *reporting.unreadable_message(task.name, exc, reporting.task_language(task))
        )
