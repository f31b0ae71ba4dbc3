"""Running what is due: each slot once, one run of a task at a time, and whatever a dead one began is taken back first.

Whoever runs a task holds its lock; a kill frees it, and then a row that says `running` belongs to nobody. The work is
done by child processes that carry the run's number; when they have ended well the report is kept, the row becomes
`written`, and only then the user is told: at any moment it is known what was done, and what is left to do.
"""

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from ia import audit, clock, config, store
from ia.errors import IaError, Message, NotFound, Notify, Refused, TryLater, silent
from ia.tasks import book, children, events, pipeline, reporting, runs, taking_back
from ia.tasks.book import Task
from ia.tasks.runs import DONE, FAILED, MISSED, RUNNING, WAITING, WRITTEN, Run
from ia.workspace import Workspace

ON_TIME = timedelta(seconds=reporting.LATE)
MAX_MISSED = 50
"""Missed slots that are entered one by one; of older ones only their number is kept."""
MAX_CRASHES = 5
MAX_AT_ONCE = 200
"""Runs of one task that one call makes: what never ends is left to the next wake-up."""
PATIENCE = 10.0  # seconds for the processes of a dead run to go


def due(ws: Workspace, name: str | None = None, notify: Notify = silent) -> list[Run]:
    """Run what is due of a task (or all), finish what a crash left, and return the runs that were made.

    A task that is busy is passed over: the next wake-up comes back to it. Nothing is raised for what goes wrong in a
    run; it stands in the run, and the user is told.
    """
    from ia.channels import sending

    _no_run()
    made: list[Run] = []
    names = _names(ws, name)
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
            notify(Message("task {name}: {reason}", name=each, reason=_ours(exc)))
    if made:
        runs.prune_logs(ws)
        _resync(ws, notify)
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
                          hint="`ia memory undo {path}`, or `ia task remove {name}`")  # fmt: skip
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
    from ia.tasks import crontab

    try:
        crontab.sync(ws, notify)
    except IaError as exc:
        notify(Message("the crontab is as it was: {reason}", reason=exc))


class _Runner:
    """One who holds a task's lock."""

    def __init__(self, ws: Workspace, name: str, notify: Notify) -> None:
        self.ws, self.name, self.notify = ws, name, notify

    def all_due(self) -> list[Run]:
        made: list[Run] = []
        while len(made) < MAX_AT_ONCE:
            run = self._next()
            if run is None:
                break
            run = self._carried_out(run)
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
            if last.state == DONE:
                return self._already(last)
            return self._carried_out(runs.changed(self.ws, last, state=RUNNING, why="by hand", retry_at=None))
        else:
            key = f"manual {task.since}"
        run = runs.claim(self.ws, task.id, task.name, key, "by hand") or runs.of_slot(self.ws, task.id, key)
        assert run is not None
        if run.state == DONE:
            return self._already(run)
        return self._carried_out(runs.changed(self.ws, run, state=RUNNING, retry_at=None))

    def _already(self, run: Run) -> Run:
        self.notify(
            Message("task {name} is done already for this time; --again runs it once more", name=run.name, run=run.id)
        )
        return run

    # what is next

    def _next(self) -> Run | None:
        """Return the next run to carry out, its row saying `running`; None where nothing is due."""
        task = next((each for each in book.runnable(self.ws) if each.name == self.name), None)
        now = clock.stamp(clock.now())
        for run in runs.unsettled(self.ws, self.name):
            if run.state == WRITTEN:
                self._tell(run)
            elif task is None or run.task != task.id:
                self._dropped(run)
            elif run.state == RUNNING:
                return run
            elif run.state == WAITING or (run.retry_at and run.retry_at <= now):
                return runs.changed(self.ws, run, state=RUNNING, retry_at=None)
        if task is None:
            return None
        try:
            return self._fresh(task)
        except IaError as exc:
            self._unreadable(task, exc)
            return None

    def _fresh(self, task: Task) -> Run | None:
        """Claim a slot that has come; slots that were missed are entered as such."""
        from ia.schedule.slots import between

        if events.meant(task) is not None:
            return self._next() if events.look(self.ws, task) else None
        design, now = task.design, clock.now()
        since = max(task.since, runs.newest_slot(self.ws, task.id) or "")
        slots = between(design, book.moment(since), now, anchor=book.moment(task.since))
        if not slots:
            return None
        missed = [slot for slot in slots if now - slot > ON_TIME]
        fresh = slots[len(missed) :]
        if missed and design.missed == "once":
            fresh.insert(0, missed.pop())
        self._missed(task, missed, told=design.missed == "skip" and not design.silent)
        if not fresh:
            return None
        slot = fresh[0]
        why = "caught up" if now - slot > ON_TIME else "schedule"
        return runs.claim(self.ws, task.id, task.name, clock.stamp(slot), why)

    def _missed(self, task: Task, missed: list[datetime], *, told: bool) -> None:
        lang, more, speak = reporting.language(task), len(missed) - MAX_MISSED, reporting.speak
        for slot in missed[-MAX_MISSED:]:
            reason = speak(lang, "当时机器关闭或繁忙", "the machine was off or busy")
            if more > 0 and slot == missed[-MAX_MISSED]:
                reason += speak(lang, f"；此前还有 {more} 次", f"; so at {more} slots before it")
            runs.claim(self.ws, task.id, task.name, clock.stamp(slot), "schedule", state=MISSED, reason=reason)
        if missed:
            audit.record(self.ws.db, "task.missed", task.name, "ia", count=len(missed), last=clock.stamp(missed[-1]))
        if missed and told:
            self._send(task, f"missed-{task.id}-{clock.stamp(missed[-1])}", *reporting.missed(task, missed, lang))

    def _speak(self, run: Run, zh: str, en: str) -> str:
        return reporting.speak(reporting.language(book.by_id(self.ws, run.task)), zh, en)

    def _unreadable(self, task: Task, exc: IaError) -> None:
        """A text that was approved and can no longer be read is told once, and does not run."""
        self.notify(Message("task {name} does not run: {reason}", name=task.name, reason=exc))
        self._send(task, f"unreadable-{task.id}", *reporting.unreadable(task.name, exc, reporting.language(task)))

    # a run

    def _carried_out(self, run: Run) -> Run:
        """Bring a run that says `running` to its end, whatever was begun of it before, and return it."""
        task = book.by_id(self.ws, run.task)
        assert task is not None
        with self._childless(run) as lock:
            if lock is None:
                return run
            if run.data.get("begun"):
                run = self._after_crash(run)
                if run.state != RUNNING:
                    return run
            try:
                _ = task.design
            except IaError as exc:
                return self._failed_for_good(run, exc.status, str(exc))
            return self._attempt(task, run, lock)

    @contextlib.contextmanager
    def _childless(self, run: Run) -> Iterator[int | None]:
        """Hold the lock that a run's processes share: while one of a dead run's lives, nothing is begun anew."""
        group, until, ended = int(run.data.get("group") or 0), time.monotonic() + PATIENCE, False
        while True:
            with runs.held(self.ws, self.name, "children") as lock:
                if lock is not None:
                    yield lock
                    return
                if group and not ended:
                    children.end_group(group)  # it holds the lock, so the number is still that of the run's group
                    ended = True
            if time.monotonic() > until:
                self.notify(Message("task {name}: processes of run {run} are still there", name=self.name, run=run.id))
                yield None
                return
            time.sleep(0.05)

    def _after_crash(self, run: Run) -> Run:
        stuck = taking_back.back(self.ws, run, self.notify)
        crashes = int(run.data.get("crashes", 0)) + 1
        run = self._settled_data(run, crashes=crashes, **({"stuck": stuck} if stuck else {}))
        if crashes >= MAX_CRASHES:
            return self._failed_for_good(
                run, 70, self._speak(run, f"被中断了 {crashes} 次", f"it was killed {crashes} times")
            )
        return run

    def _settled_data(self, run: Run, **more: Any) -> Run:
        data = {name: value for name, value in run.data.items() if name not in ("begun", "group")}
        return runs.changed(self.ws, run, data={**data, **more})

    def _attempt(self, task: Task, run: Run, lock: int) -> Run:
        number = run.attempt + 1
        data = {**run.data, **taking_back.marks(self.ws), "begun": True}
        run = runs.changed(
            self.ws,
            run,
            attempt=number,
            started=clock.stamp(clock.now()),
            ended=None,
            status=None,
            reason=None,
            data=data,
        )
        audit.record(self.ws.db, "task.run", task.name, "ia", run=run.id, slot=run.slot, attempt=number, why=run.why)
        try:
            ended = self._executed(task, run, lock)
            run = runs.get(self.ws, run.id)
            if ended.status not in ((0, 1) if task.design.run else (0,)):
                return self._failed(task, run, ended.status, _reason(ended, reporting.language(task)))
            with _as_run(run.id):
                found = reporting.result(self.ws, task.design, run, ended)
                report = reporting.reported(self.ws, task, task.design, run, found, self.notify)
        except (IaError, OSError, sqlite3.Error) as exc:
            error = _ours(exc)
            return self._failed(task, runs.get(self.ws, run.id), error.status, str(error))
        except KeyboardInterrupt:
            run = runs.get(self.ws, run.id)
            taking_back.back(self.ws, run, self.notify)
            self._failed_for_good(run, 130, self._speak(run, "在终端被中断", "interrupted at the terminal"), tell=False)
            raise
        run = runs.changed(
            self.ws, run, state=WRITTEN, status=ended.status, ended=clock.stamp(clock.now()), report=report.path,
            summary=report.summary, data={**run.data, "pending": list(report.pending), "origins": found.origins},
        )  # fmt: skip
        return self._tell(run)

    def _executed(self, task: Task, run: Run, lock: int) -> children.Ended:
        design = task.design
        given = str(run.data.get("content") or "")
        if design.run:
            pipes, given = pipeline.parsed(design.run), ""
        else:
            session = f"task-{run.id}" + (f"-{run.attempt}" if run.attempt > 1 else "")
            pipes = [[["ia", "turn", "--json", "-s", session, "--", design.prompt]]]
        env = {**task.environment, "IA_HOME": self.ws.root, "IA_RUN": str(run.id), "IA_SESSION": f"task-{run.id}"}

        def began(group: int) -> None:
            known = runs.get(self.ws, run.id)
            runs.changed(self.ws, known, data={**known.data, "group": group})

        with runs.log(self.ws, run.id) as log:
            log.write(f"# {task.name} {run.slot}, attempt {run.attempt}, {run.started}\n".encode())
        return children.executed(
            pipes,
            children.Start(
                env, self.ws.root, lock, runs.log_path(self.ws, run.id), design.timeout * 60.0, began, given.encode()
            ),
        )

    # how it ended

    def _failed(self, task: Task, run: Run, status: int, reason: str) -> Run:
        """Take a failed attempt back if there will be another one; else it failed for good."""
        tries = int(run.data.get("failures", 0)) + 1
        run = runs.changed(self.ws, run, data={**run.data, "failures": tries})
        if tries > task.design.retries:
            return self._failed_for_good(run, status, reason)
        taking_back.back(self.ws, run, self.notify)
        run = self._settled_data(run)
        now = clock.now()
        again = clock.stamp(now + timedelta(minutes=task.design.retry_after))
        with store.transaction(self.ws.db):
            audit.record(
                self.ws.db, "task.failed", run.name, "ia", run=run.id, status=status, reason=reason, again=again
            )
            return runs.changed(
                self.ws, run, state=FAILED, status=status, ended=clock.stamp(now), reason=reason, retry_at=again
            )

    def _failed_for_good(self, run: Run, status: int, reason: str, *, tell: bool = True) -> Run:
        """Enter a failure that nobody will try again, and tell the user of it like of a result."""
        with store.transaction(self.ws.db):
            audit.record(self.ws.db, "task.failed", run.name, "ia", run=run.id, status=status, reason=reason)
            run = runs.changed(
                self.ws, run, state=WRITTEN if tell else FAILED, status=status, ended=clock.stamp(clock.now()),
                reason=reason, retry_at=None, data={**run.data, "failed": True},
            )  # fmt: skip
        return self._tell(run) if tell else run

    def _dropped(self, run: Run) -> None:
        """What is open of a task that is paused, changed or removed is taken back, and not run."""
        if run.state == RUNNING and run.data.get("begun"):
            with self._childless(run) as lock:
                if lock is None:
                    return
                taking_back.back(self.ws, run, self.notify)
        runs.changed(
            self.ws, run, state=FAILED if run.attempt else MISSED, retry_at=None, ended=clock.stamp(clock.now()),
            reason=self._speak(run, "任务已暂停、更改或移除", "the task was paused, changed or removed"),
        )  # fmt: skip

    def _tell(self, run: Run) -> Run:
        """Finish a run whose work is safe: send what it staged, tell the user, and close it. Twice is once."""
        from ia.channels import sending

        task = book.by_id(self.ws, run.task)
        assert task is not None
        lang = reporting.language(task)
        sending.release(self.ws, run.id, notify=self.notify)
        failed = bool(run.data.get("failed"))
        if failed:
            self._send(task, f"run-{run.id}", *reporting.failed(run.name, run, lang), run=run, failed=True)
        elif not task.design.silent:
            self._send(task, f"run-{run.id}", *reporting.told(run.name, run, task.design, lang), run=run)
        with store.transaction(self.ws.db):
            if not failed:
                audit.record(self.ws.db, "task.done", run.name, "ia", run=run.id, slot=run.slot, report=run.report)
            return runs.changed(self.ws, run, state=FAILED if failed else DONE)

    def _send(
        self, task: Task, key: str, title: str, text: str, *, run: Run | None = None, failed: bool = False
    ) -> None:  # fmt: skip
        """Tell the user, where the design says; what cannot go there lies in the inbox, and so does every failure."""
        from ia.channels import sending
        from ia.schedule.design import ME

        try:
            to = task.design.notify or (("cli",) if failed else ())
        except IaError:
            to = (ME,)
        number, origins = (run.id, run.data.get("origins") or ()) if run else (None, ())

        def send(channel: str) -> None:
            sending.send(
                self.ws, text, to=channel, title=title, key=key, run=number, notify=self.notify,
                actor=f"task {task.name}", origins=origins,
            )  # fmt: skip

        for channel in to:
            try:
                send(channel)
            except IaError as exc:
                self.notify(Message("task {name}: {reason}", name=task.name, reason=exc))
                send("cli")


@contextlib.contextmanager
def _as_run(number: int) -> Iterator[None]:
    """Let what this process writes carry a run's number, so that it is taken back with the rest."""
    config.override("IA_RUN", str(number))
    try:
        yield
    finally:
        config.override("IA_RUN", "")


def _ours(exc: Exception) -> IaError:
    """Return a failure as one that can be told: a full disk, a damaged database."""
    if isinstance(exc, sqlite3.Error):
        exc = store.explain(exc)
    if isinstance(exc, IaError):
        return exc
    reason = getattr(exc, "strerror", None) or str(exc)
    return TryLater("{what}: {reason}", what=getattr(exc, "filename", None) or "ia", reason=reason)


def _reason(ended: children.Ended, lang: str) -> str:
    """Return why a run failed: its status, and what was complained of last."""
    last = _last_line(ended.errors)
    if ended.status == children.TIMED_OUT:
        last = reporting.speak(lang, "超出时限", "its time ran out")
    return reporting.speak(lang, f"状态 {ended.status}", f"status {ended.status}") + (f": {last}" if last else "")


def _last_line(errors: str) -> str:
    """Return the last line of what was complained of; a hint is not what went wrong."""
    lines = [line.strip() for line in errors.splitlines() if line.strip() and not line.startswith(("hint:", "提示"))]
    return lines[-1][:300] if lines else ""
