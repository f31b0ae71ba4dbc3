"""Running what is due: each slot once, one run of a task at a time, and whatever a dead one began is taken back first.

Whoever runs a task holds its lock; a kill frees it, and then a row that says `running` belongs to nobody.
"""

import contextlib
import sqlite3
from datetime import datetime, timedelta

from ia.kernel import audit, clock, config
from ia.kernel.errors import BadData, IaError, Message, NotFound, Notify, Refused, TryLater, silent
from ia.kernel.workspace import Workspace
from ia.reach.tasks import attempts, book, events, reporting, runs
from ia.reach.tasks.book import Task
from ia.reach.tasks.runs import DONE, FAILED, MISSED, RUNNING, WAITING, WRITTEN, Run

ON_TIME = timedelta(seconds=reporting.LATE)
MAX_MISSED = 50
"""Missed slots that are entered one by one; of older ones only their number is kept, or since when there are any."""
MAX_LOOKED_AT = MAX_MISSED + reporting.LATE // 60 + 3
"""Slots that are found at once: those that may be entered as missed, and those that are on time."""
MAX_AT_ONCE = 200
"""Runs of one task that one call makes: what never ends is left to the next wake-up."""


def due(ws: Workspace, name: str | None = None, notify: Notify = silent) -> list[Run]:
    """Run what is due of a task (or all), finish what a crash left, and return the runs that were made.

    A task that is busy is passed over: the next wake-up comes back to it. Nothing is raised for what goes wrong in a
    run; it stands in the run, and the user is told.
    """
    from ia.organs.channels import sending

    _no_run()
    made: list[Run] = []
    names = _names(ws, name)
    if not ws.exists():
        return made
    try:
        sending.deliver_pending(ws, notify=notify)  # what one who was killed had begun to tell
    except IaError as exc:
        notify(Message("{reason}", reason=exc))
    for each in names:
        try:
            with runs.held(ws, each) as lock:
                if lock is not None:
                    made += _Runner(ws, each, notify).all_due()
        except (IaError, OSError, sqlite3.Error) as exc:  # one task's trouble is not the next one's
            notify(Message("task {name}: {reason}", name=each, reason=attempts.ours(exc)))
    if made:
        runs.prune_logs(ws)
        _resync(ws, notify)
    elif name is None:
        _mend_crontab(ws)
    return made


def run_now(ws: Workspace, name: str, *, again: bool = False, notify: Notify = silent) -> Run:
    """Run a task by hand: what is due of it, else its last slot if nothing came of that; again: once more.

    Where the slot is done already that run is returned, and nothing happens.
    raises  NotFound; Refused for a deleted task; TryLater where it is running.
    """
    _no_run()
    task = book.get(ws, name)
    with runs.held(ws, task.name) as lock:
        if lock is None:
            raise TryLater("task {name} is running", name=task.name, hint="`ia task history {name}`")
        if not book.runs(ws, task):
            raise Refused("{path} is deleted: the task does not run", path=task.design.path, name=task.name,
                          hint="`ia task approve {name}` puts it back, `ia task remove {name}` forgets it")  # fmt: skip
        run = _Runner(ws, task.name, notify).by_hand(task, again)
    runs.prune_logs(ws)
    _resync(ws, notify)
    return run


def event(
    ws: Workspace, kind: str, name: str, key: str, content: str, sender: str = "", *, notify: Notify = silent
) -> list[Run]:
    """Run the tasks that wait for an event (`message`, `webhook`); what is busy runs it when it is free again.

    name    the webhook's name, or the text of the message. key: what tells this event from others; the same key is run
            once. content: data from outside, which the run gets as such.
    """
    _no_run()
    return [run for task in events.came(ws, kind, name, key, content, sender) for run in due(ws, task.name, notify)]


def _no_run() -> None:
    if config.run() is not None:
        raise Refused("a task's run starts no other")


def _names(ws: Workspace, name: str | None) -> list[str]:
    """Return the tasks to look at: those in the book, and those of which something is not over."""
    rows = ws.db.execute(
        f"SELECT DISTINCT name FROM runs WHERE state IN {runs.OPEN} OR (state = '{FAILED}' AND retry_at IS NOT NULL)"
    )
    names = {task.name for task in book.tasks(ws)} | {each for (each,) in rows}
    if name is None:
        return sorted(names)
    name = book.name_of(name)
    if name not in names:
        raise NotFound("{name}: no such task", name=name, hint="`ia task list` shows them")
    return [name]


def _resync(ws: Workspace, notify: Notify) -> None:
    """A retry that waits has an entry of its own in the crontab; that it could not be written is told, and no more."""
    from ia.reach.tasks import crontab

    try:
        crontab.sync(ws, notify)
    except IaError as exc:
        notify(Message("the crontab is as it was: {reason}", reason=exc))


def _mend_crontab(ws: Workspace) -> None:
    """Bring the crontab up to the book, where somebody who changed the book was killed before he wrote it."""
    from ia.reach.tasks import crontab

    with contextlib.suppress(IaError):  # the doctor tells of it
        if crontab.drift(ws):
            crontab.sync(ws)


class _Runner(attempts.Holder):
    """A holder who finds out what is to be run next."""

    looked = False

    def all_due(self) -> list[Run]:
        made: list[Run] = []
        while len(made) < MAX_AT_ONCE:
            run = self._next()
            if run is None:
                break
            run = self.carried_out(run)
            made.append(run)
            if run.state == RUNNING:  # processes of a dead run are still there
                break
        return made

    def by_hand(self, task: Task, again: bool) -> Run:
        made = self.all_due()
        if made and not again:
            return made[-1]
        slot = runs.newest_slot(self.ws, task.id)
        last = runs.of_slot(self.ws, task.id, slot) if slot else None
        if again:
            key = f"manual {clock.stamp(clock.wall())}"
        elif last is not None:
            return self._already(last) if last.state == DONE else self.carried_out(self._anew(last))
        else:
            key = f"manual {task.since}"
        run = runs.claim(self.ws, task.id, task.name, key, "by hand") or runs.of_slot(self.ws, task.id, key)
        assert run is not None
        return self._already(run) if run.state == DONE else self.carried_out(self._anew(run))

    def _anew(self, run: Run) -> Run:
        """Let a run that failed or was left out begin once more; what it did is still known, to be taken back."""
        data = {name: value for name, value in run.data.items() if name not in ("failed", "failures", "crashes")}
        return runs.changed(self.ws, run, state=RUNNING, why="by hand", retry_at=None, data=data)

    def _already(self, run: Run) -> Run:
        self.notify(Message("task {name} is done already for this time; --again runs it once more", name=run.name))
        return run

    def _next(self) -> Run | None:
        """Return the next run to carry out, its row saying `running`; None where nothing is due."""
        task = next((each for each in book.runnable(self.ws) if each.name == self.name), None)
        now = clock.stamp(clock.now())
        for run in runs.unsettled(self.ws, self.name):
            if run.state == WRITTEN:
                self.tell(run)
            elif task is None or run.task != task.id:
                if self._adopted(run, task):
                    return self._next()
            elif run.state == RUNNING:
                return run
            elif run.state == WAITING or (run.retry_at and run.retry_at <= now):
                return runs.changed(self.ws, run, state=RUNNING, retry_at=None)
        if task is None:
            return None
        try:
            return self._fresh(task)
        except BadData as exc:
            self._unreadable(task, exc)
            return None

    def _adopted(self, run: Run, task: Task | None) -> bool:
        """Settle what is open of an approval that is not in force; whether it is the present one's now: an event is.

        While the task is paused, its file is away, or the clock is before its approval, events and retries wait; what a
        dead run of a paused task began is taken back.
        """
        if not book.ended(self.ws, run.task):
            known = book.by_id(self.ws, run.task)
            if run.state == RUNNING and known is not None and known.state == book.PAUSED:
                self.dropped(run)
            return False
        wanted = events.meant(task) if task is not None else None
        if run.state == WAITING and task is not None and wanted and run.slot.startswith(f"{wanted[0]} "):
            if runs.of_slot(self.ws, task.id, run.slot) is None:
                runs.changed(self.ws, run, task=task.id)
                return True
        elif run.state == WAITING and task is None and book.named(self.ws, run.name):
            return False
        self.dropped(run)
        return False

    def _fresh(self, task: Task) -> Run | None:
        """Claim a slot that has come; slots that were missed are entered as such."""
        from ia.faculties.schedule.slots import latest

        if events.meant(task) is not None:
            return self._next() if self._look(task) else None
        design, now = task.design, clock.now()
        since = max(book.since(self.ws, task), runs.newest_slot(self.ws, task.id) or "")
        slots = latest(design, book.moment(since), now, MAX_LOOKED_AT, anchor=book.moment(task.since))
        if not slots:
            return None
        missed = [slot for slot in slots if now - slot > ON_TIME]
        fresh = slots[len(missed) :]
        if missed and design.missed == "once":
            fresh.insert(0, missed.pop())
        more = since if len(slots) == MAX_LOOKED_AT else ""
        self._missed(task, missed, more=more, told=design.missed == "skip" and not design.silent)
        if not fresh:
            return None
        for slot in fresh:  # one may be taken: by a clock that was ahead
            why = "caught up" if now - slot > ON_TIME else "schedule"
            run = runs.claim(self.ws, task.id, task.name, clock.stamp(slot), why)
            if run is not None:
                return run
        return None

    def _look(self, task: Task) -> int:
        """Look at what files changed, once for a holder: what comes while its runs go on waits for the next wake-up."""
        if self.looked:
            return 0
        self.looked = True
        try:
            return events.look(self.ws, task)
        except events.TooMany as exc:
            self.notify(Message("task {name}: {reason}", name=task.name, reason=exc))
            lang = reporting.language(task)
            zh = f"任务 {task.name} 无法查看文件：{exc}\n请在 tasks/{task.name}.md 中写得更窄，再批准"
            en = f"task {task.name} cannot look at its files: {exc}\nname fewer in tasks/{task.name}.md, approve again"
            self.send(task, f"files-{task.id}", task.name, reporting.speak(lang, zh, en))
            return 0

    def _missed(self, task: Task, missed: list[datetime], *, more: str, told: bool) -> None:
        """Enter slots that were missed; more: the moment since which there are others, nobody knows how many."""
        lang, older, speak = reporting.language(task), len(missed) - MAX_MISSED, reporting.speak
        for slot in missed[-MAX_MISSED:]:
            reason = speak(lang, "当时机器关闭或繁忙", "the machine was off or busy")
            if older > 0 and slot == missed[-MAX_MISSED]:
                zh, en = f"；此前还有 {older} 次", f"; so at {older} slots before it"
                if more:
                    zh, en = f"；自 {more[:10]} 起的各次也是", f"; so at every slot since {more[:10]}"
                reason += speak(lang, zh, en)
            runs.claim(self.ws, task.id, task.name, clock.stamp(slot), "schedule", state=MISSED, reason=reason)
        if missed:
            audit.record(self.ws.db, "task.missed", task.name, "ia", count=len(missed), last=clock.stamp(missed[-1]),
                         **({"since": more} if more else {}))  # fmt: skip
        if missed and told:
            self.send(
                task, f"missed-{task.id}-{clock.stamp(missed[-1])}", *reporting.missed(task, missed, lang, bool(more))
            )

    def _unreadable(self, task: Task, exc: IaError) -> None:
        """A text that was approved and can no longer be read is told once, and does not run."""
        self.notify(Message("task {name} does not run: {reason}", name=task.name, reason=exc))
        self.send(task, f"unreadable-{task.id}", *reporting.unreadable(task.name, exc, reporting.language(task)))
