"""One run: begun, carried out by child processes, taken back if it dies, tried again or told of.

The work is done by child processes that carry the run's number; when they have ended well the report is kept, the row
becomes `written`, and only then the user is told: at any moment it is known what was done, and what is left to do.
"""

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ia.kernel import audit, clock, config, store
from ia.kernel.errors import IaError, Message, Notify, Refused, TryLater
from ia.kernel.workspace import Workspace
from ia.reach.tasks import book, children, pipeline, places, reporting, runs, spreading, taking_back
from ia.reach.tasks.book import Task
from ia.reach.tasks.runs import DONE, FAILED, MISSED, RUNNING, WRITTEN, Run

if TYPE_CHECKING:
    from ia.organs.channels import notices

MAX_CRASHES = 5
PATIENCE = 10.0  # seconds for the processes of a dead run to go


class Holder:
    """One who holds a task's lock, and may carry out its runs."""

    def __init__(self, ws: Workspace, name: str, notify: Notify) -> None:
        self.ws, self.name, self.notify = ws, name, notify

    def carried_out(self, run: Run) -> Run:
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
        crashes = int(run.data.get("crashes", 0)) + 1
        run = self._taken_back(run, crashes=crashes)
        if crashes >= MAX_CRASHES:
            return self._failed_for_good(
                run, 70, self._speak(run, f"被中断了 {crashes} 次", f"it was killed {crashes} times")
            )
        return run

    def _taken_back(self, run: Run, **more: Any) -> Run:
        """Undo what an attempt did; where that could not be told apart from what others did, the user is told later."""
        stuck = sorted({*run.data.get("stuck", []), *taking_back.back(self.ws, run, self.notify)})
        data = {name: value for name, value in run.data.items() if name not in ("begun", "group")}
        return runs.changed(self.ws, run, data={**data, **more, **({"stuck": stuck} if stuck else {})})

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
        run = places.reserved(self.ws, task.design, run)
        audit.record(self.ws.db, "task.run", task.name, "ia", run=run.id, slot=run.slot, attempt=number, why=run.why)
        try:
            ended = self._executed(task, run, lock)
            run = runs.get(self.ws, run.id)
            if ended.status not in ((0, 1) if task.design.run else (0,)):
                return self._failed(task, run, ended.status, _reason(ended, reporting.language(task)))
            with as_run(run.id):
                found = reporting.result(self.ws, task.design, run, ended)
                if task.design.run and found.origins:
                    found.pending += self._contained(run, found.origins)
                if not found.idle:
                    report = reporting.reported(self.ws, task, task.design, run, found)
        except (IaError, OSError, sqlite3.Error) as exc:
            error = ours(exc)
            return self._failed(task, runs.get(self.ws, run.id), error.status, str(error))
        except KeyboardInterrupt:
            run = self._taken_back(runs.get(self.ws, run.id))
            self._failed_for_good(run, 130, self._speak(run, "在终端被中断", "interrupted at the terminal"), tell=False)
            raise
        if found.idle:
            return self._failed_for_good(run, 65, self._speak(run, *reporting.IDLE))
        run = runs.changed(
            self.ws, run, state=WRITTEN, status=ended.status, ended=clock.stamp(clock.now()), report=report.path,
            summary=report.summary,
            data={**run.data, "pending": list(report.pending), "origins": found.origins, "no": found.no},
        )  # fmt: skip
        return self.tell(run)

    def _contained(self, run: Run, origins: list[str]) -> list[int]:
        try:
            return spreading.contained(self.ws, run, origins)
        except Refused:
            self._taken_back(run)
            raise

    def _executed(self, task: Task, run: Run, lock: int) -> children.Ended:
        design = task.design
        given = str(run.data.get("content") or "")
        if design.run:
            pipes, given = pipeline.parsed(design.run), ""
        else:
            slot = reporting.moment_told(run, design, reporting.language(task))
            session = f"task-{run.id}" + (f"-{run.attempt}" if run.attempt > 1 else "")
            pipes = [[["ia", "turn", "--json", "-s", session, "--", f"{design.prompt}\n{slot}"]]]
        env = {**task.environment, "IA_HOME": self.ws.root, "IA_RUN": str(run.id), "IA_SESSION": f"task-{run.id}"}

        def began(group: int) -> None:
            known = runs.get(self.ws, run.id)
            runs.changed(self.ws, known, data={**known.data, "group": group})

        with runs.log(self.ws, run.id) as log:
            log.write(f"# {task.name} {run.slot}, attempt {run.attempt}, {run.started}\n".encode())
        runs.take_simulated(self.ws, run.id)  # of an attempt that was killed
        ended = children.executed(
            pipes,
            children.Start(
                env, self.ws.root, lock, runs.log_path(self.ws, run.id), design.timeout * 60.0, began, given.encode()
            ),
        )
        return ended._replace(simulated=runs.take_simulated(self.ws, run.id))

    # how it ended

    def _failed(self, task: Task, run: Run, status: int, reason: str) -> Run:
        """Take a failed attempt back if there will be another one; else it failed for good."""
        tries = int(run.data.get("failures", 0)) + 1
        run = runs.changed(self.ws, run, data={**run.data, "failures": tries})
        if tries > task.design.retries:
            return self._failed_for_good(run, status, reason)
        run = self._taken_back(run)
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
        return self.tell(run) if tell else run

    def dropped(self, run: Run) -> None:
        """What is open of a task that was paused, changed or removed is taken back, and not run."""
        if run.state == RUNNING and run.data.get("begun"):
            with self._childless(run) as lock:
                if lock is None:
                    return
                taking_back.back(self.ws, run, self.notify)
        runs.changed(
            self.ws, run, state=FAILED if run.attempt else MISSED, retry_at=None, ended=clock.stamp(clock.now()),
            reason=self._speak(run, "任务已暂停、更改或移除", "the task was paused, changed or removed"),
        )  # fmt: skip

    def tell(self, run: Run) -> Run:
        """Finish a run whose work is safe: send what it staged, tell the user, and close it. Twice is once."""
        from ia.organs.channels import sending

        task = book.by_id(self.ws, run.task)
        assert task is not None
        lang = reporting.language(task)
        origins = run.data.get("origins")
        if origins is None:  # it failed
            origins = reporting.origins(self.ws, task, run)
        sent = sending.release(self.ws, run.id, origins=origins, lang=lang, notify=self.notify)
        failed = bool(run.data.get("failed"))
        if failed:
            self.send(task, f"run-{run.id}", *reporting.failed(run.name, run, lang), run=run, failed=True)
        elif not (task.design.silent or run.data.get("no") or (task.design.run and _spoke(run, sent))):
            self.send(task, f"run-{run.id}", *reporting.told(run.name, run, task.design, lang), run=run)
        with store.transaction(self.ws.db):
            if not failed:
                audit.record(self.ws.db, "task.done", run.name, "ia", run=run.id, slot=run.slot, report=run.report)
            return runs.changed(self.ws, run, state=FAILED if failed else DONE)

    def send(
        self, task: Task, key: str, title: str, text: str, *, run: Run | None = None, failed: bool = False
    ) -> None:
        """Tell the user, where the design says; what cannot go there lies in the inbox, and so does every failure."""
        from ia.faculties.schedule.model import ME
        from ia.organs.channels import sending

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

    def _speak(self, run: Run, zh: str, en: str) -> str:
        return reporting.speak(reporting.language(book.by_id(self.ws, run.task)), zh, en)


def _spoke(run: Run, sent: "list[notices.Notice]") -> bool:
    """Return whether a run itself has sent a message: a second one would say that it has."""
    return any(not (notice.key or "").startswith(f"run-{run.id}/") for notice in sent)


@contextlib.contextmanager
def as_run(number: int) -> Iterator[None]:
    """Let what this process writes carry a run's number, so that it is taken back with the rest."""
    config.override("IA_RUN", str(number))
    try:
        yield
    finally:
        config.override("IA_RUN", "")


def ours(exc: Exception) -> IaError:
    """Return a failure as one that can be told: a full disk, a damaged database."""
    if isinstance(exc, sqlite3.Error):
        exc = store.explain(exc)
    if isinstance(exc, IaError):
        return exc
    reason = getattr(exc, "strerror", None) or str(exc)
    return TryLater("{what}: {reason}", what=getattr(exc, "filename", None) or "ia", reason=reason)


def _reason(ended: children.Ended, lang: str) -> str:
    """Return why a run failed: its status, and what was complained of last."""
    last = _last_line(ended.complaint or ended.errors)
    if ended.status == children.TIMED_OUT:
        last = reporting.speak(lang, "超出时限", "its time ran out")
    return reporting.speak(lang, f"状态 {ended.status}", f"status {ended.status}") + (f": {last}" if last else "")


def _last_line(errors: str) -> str:
    """Return the last line of what was complained of; a hint is not what went wrong."""
    lines = [line.strip() for line in errors.splitlines() if line.strip() and not line.startswith(("hint:", "提示"))]
    return lines[-1][:300] if lines else ""
