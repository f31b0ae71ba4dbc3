"""One run: begun, carried out by child processes, taken back if it dies, tried again or told of.

The work is done by child processes that carry the run's number; when they have ended well the report is kept, the row
becomes `written`, and only then the user is told: at any moment it is known what was done, and what is left to do.
"""

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from ia.faculties.alerts.definition import find_alert
from ia.faculties.taskbook import approved_tasks, pipeline, run_store
from ia.faculties.taskbook.approved_tasks import Task
from ia.faculties.taskbook.run_store import DONE, FAILED, MISSED, RUNNING, WRITTEN, TaskRun
from ia.kernel import audit, clock, config, store
from ia.kernel.errors import IaError, Message, Notify, PluralText, Refused, TryLater
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace
from ia.reach.tasks import alerts, child_processes, report_paths, reporting, rollback, taint

if TYPE_CHECKING:
    from ia.organs.channels import notices

MAX_CRASHES = 5
MAX_REASON = 300
PATIENCE = 10.0  # seconds for the processes of a dead run to go


class Holder:
    """One who holds a task's lock, and may carry out its runs."""

    def __init__(self, ws: Workspace, name: str, notify: Notify) -> None:
        self.ws, self.name, self.notify = ws, name, notify

    def carry_out_run(self, run: TaskRun) -> TaskRun:
        """Bring a run that says `running` to its end, whatever was begun of it before, and return it."""
        task = approved_tasks.find_by_id(self.ws, run.task)
        assert task is not None
        with self._hold_children_lock(run) as lock:
            if lock is None:
                return run
            if run.data.get("begun"):
                run = self._recover_crash(run)
                if run.state != RUNNING:
                    return run
            try:
                _ = task.design
            except IaError as exc:
                return self._record_final_failure(run, exc.status, str(exc))
            return self._attempt_run(task, run, lock)

    @contextlib.contextmanager
    def _hold_children_lock(self, run: TaskRun) -> Iterator[int | None]:
        """Hold the lock that a run's processes share: while one of a dead run's lives, nothing is begun anew."""
        group, until, ended = int(run.data.get("group") or 0), time.monotonic() + PATIENCE, False
        while True:
            with run_store.hold_task(self.ws, self.name, "children") as lock:
                if lock is not None:
                    yield lock
                    return
                if group and not ended:
                    child_processes.end_group(
                        group
                    )  # it holds the lock, so the number is still that of the run's group
                    ended = True
            if time.monotonic() > until:
                self.notify(
                    Message("task {name}: processes of run {run} are still running", name=self.name, run=run.id)
                )
                yield None
                return
            time.sleep(0.05)

    def _recover_crash(self, run: TaskRun) -> TaskRun:
        crashes = int(run.data.get("crashes", 0)) + 1
        run = self._roll_back(run, crashes=crashes)
        if crashes >= MAX_CRASHES:
            return self._record_final_failure(
                run,
                70,
                self._voice(run)(PluralText("it was killed once", "it was killed {count} times"), count=crashes),
            )
        return run

    def _roll_back(self, run: TaskRun, **more: object) -> TaskRun:
        """Undo what an attempt did; where that could not be told apart from what others did, the user is told later."""
        stuck = sorted({*run.data.get("stuck", []), *rollback.roll_back_run(self.ws, run, self.notify)})
        data = {name: value for name, value in run.data.items() if name not in ("begun", "group")}
        return run_store.update_run(self.ws, run, data={**data, **more, **({"stuck": stuck} if stuck else {})})

    def _attempt_run(self, task: Task, run: TaskRun, lock: int) -> TaskRun:
        number = run.attempt + 1
        data = {**run.data, **rollback.attempt_marks(self.ws), "begun": True}
        run = run_store.update_run(
            self.ws,
            run,
            attempt=number,
            started=clock.utc_stamp(clock.now()),
            ended=None,
            status=None,
            reason=None,
            data=data,
        )
        run = report_paths.reserve_report_path(self.ws, task.design, run)
        audit.record(self.ws.db, "task.run", task.name, "ia", run=run.id, slot=run.slot, attempt=number, why=run.why)
        try:
            ended, reason = self._execute_task(task, run, lock)
            run = run_store.get_run(self.ws, run.id)
            if ended.status not in ((0, 1) if task.design.run else (0,)):
                return self._record_failure(
                    task, run, ended.status, _describe_failure(ended, reason, reporting.task_language(task))
                )
            with as_run(run.id):
                found = reporting.collect_result(self.ws, task.design, run, ended)
                if task.design.run and found.origins:
                    found.pending += self._mark_untrusted(run, found.origins)
                if not found.idle:
                    report = reporting.write_report(self.ws, task, task.design, run, found)
        except (IaError, OSError, sqlite3.Error) as exc:
            error = explain_failure(exc)
            return self._record_failure(task, run_store.get_run(self.ws, run.id), error.status, str(error))
        except KeyboardInterrupt:
            run = self._roll_back(run_store.get_run(self.ws, run.id))
            self._record_final_failure(run, 130, self._voice(run)("interrupted at the terminal"), tell=False)
            raise
        if found.idle:
            return self._record_final_failure(run, 65, self._voice(run)(reporting.IDLE))
        run = run_store.update_run(
            self.ws,
            run,
            state=WRITTEN,
            status=ended.status,
            ended=clock.utc_stamp(clock.now()),
            report=report.path,
            summary=report.summary,
            data={**run.data, "pending": list(report.pending), "origins": found.origins, "no": found.no},
        )
        return self.finish_run(run)

    def _mark_untrusted(self, run: TaskRun, origins: list[str]) -> list[int]:
        try:
            return taint.mark_written_untrusted(self.ws, run, origins)
        except Refused:
            self._roll_back(run)
            raise

    def _execute_task(self, task: Task, run: TaskRun, lock: int) -> tuple[child_processes.ChildExit, str]:
        """Run the processes of a task; return what came of them, and why they failed ("" where none said why)."""
        design = task.design
        given = str(run.data.get("content") or "")
        if design.run:
            pipes, given = pipeline.parse_pipelines(design.run), ""
        else:
            session = f"task-{run.id}" + (f"-{run.attempt}" if run.attempt > 1 else "")
            message = reporting.turn_message(design, run, reporting.task_language(task))
            pipes = [[["ia", "turn", "--json", "-s", session, "--", message]]]
        env = {**task.environment, "IA_HOME": self.ws.root, "IA_RUN": str(run.id), "IA_SESSION": f"task-{run.id}"}

        def record_group(group: int) -> None:
            run_store.take_summary(self.ws, run.id)  # of the pipeline before: the result is that of the last one
            known = run_store.get_run(self.ws, run.id)
            run_store.update_run(self.ws, known, data={**known.data, "group": group})

        with run_store.open_log(self.ws, run.id) as log:
            log.write(f"# {task.name} {run.slot}, attempt {run.attempt}, {run.started}\n".encode())
        run_store.take_simulated(self.ws, run.id)  # of an attempt that was killed
        run_store.take_failures(self.ws, run.id)
        run_store.take_summary(self.ws, run.id)
        ended = child_processes.run_pipelines(
            pipes,
            child_processes.ChildStart(
                env=env,
                folder=self.ws.root,
                lock=lock,
                log=run_store.log_path(self.ws, run.id),
                seconds=design.timeout * 60.0,
                began=record_group,
                given=given.encode(),
            ),
        )
        reasons = run_store.take_failures(self.ws, run.id)
        reason = "" if ended.process is None else reasons.get(ended.process, "")
        simulated = run_store.take_simulated(self.ws, run.id)
        return ended._replace(simulated=simulated, summary=run_store.take_summary(self.ws, run.id)), reason

    # how it ended

    def _record_failure(self, task: Task, run: TaskRun, status: int, reason: str) -> TaskRun:
        """Take a failed attempt back if there will be another one; else it failed for good."""
        tries = int(run.data.get("failures", 0)) + 1
        run = run_store.update_run(self.ws, run, data={**run.data, "failures": tries})
        if tries > task.design.retries:
            return self._record_final_failure(run, status, reason)
        run = self._roll_back(run)
        now = clock.now()
        again = clock.utc_stamp(now + timedelta(minutes=task.design.retry_after))
        with store.transaction(self.ws.db):
            audit.record(
                self.ws.db, "task.failed", run.name, "ia", run=run.id, status=status, reason=reason, again=again
            )
            return run_store.update_run(
                self.ws, run, state=FAILED, status=status, ended=clock.utc_stamp(now), reason=reason, retry_at=again
            )

    def _record_final_failure(self, run: TaskRun, status: int, reason: str, *, tell: bool = True) -> TaskRun:
        """Enter a failure that nobody will try again, and tell the user of it like of a result."""
        with store.transaction(self.ws.db):
            audit.record(self.ws.db, "task.failed", run.name, "ia", run=run.id, status=status, reason=reason)
            run = run_store.update_run(
                self.ws,
                run,
                state=WRITTEN if tell else FAILED,
                status=status,
                ended=clock.utc_stamp(clock.now()),
                reason=reason,
                retry_at=None,
                data={**run.data, "failed": True},
            )
        return self.finish_run(run) if tell else run

    def drop_run(self, run: TaskRun) -> None:
        """What is open of a task that was paused, changed or removed is taken back, and not run."""
        if run.state == RUNNING and run.data.get("begun"):
            with self._hold_children_lock(run) as lock:
                if lock is None:
                    return
                rollback.roll_back_run(self.ws, run, self.notify)
        run_store.update_run(
            self.ws,
            run,
            state=FAILED if run.attempt else MISSED,
            retry_at=None,
            ended=clock.utc_stamp(clock.now()),
            reason=self._voice(run)("the task was paused, changed or removed"),
        )

    def finish_run(self, run: TaskRun) -> TaskRun:
        """Finish a run whose work is safe: send what it staged, tell the user, and close it. Twice is once."""
        from ia.organs.channels import changes, sending

        task = approved_tasks.find_by_id(self.ws, run.task)
        assert task is not None
        lang = reporting.task_language(task)
        origins = run.data.get("origins")
        if origins is None:  # it failed
            origins = reporting.collect_origins(self.ws, task, run)
        sent = sending.release_staged(self.ws, run.id, origins=origins, lang=lang, notify=self.notify)
        failed = bool(run.data.get("failed"))
        if task.design.run and not failed:
            changes.end_topics(self.ws, run.id, lambda other: run_store.get_run(self.ws, other).name == run.name)
        if failed:
            key = alerts.failure_key(self.ws, task) or f"run-{run.id}"
            self.send_notice(task, key, *reporting.failure_message(run.name, run, lang), run=run, failed=True)
        elif not (
            task.design.silent
            or run.data.get("no")
            or find_alert(task.design) is not None
            or (task.design.run and _has_sent_message(run, sent))
        ):
            self.send_notice(
                task, f"run-{run.id}", *reporting.success_message(run.name, run, task.design, lang), run=run
            )
        with store.transaction(self.ws.db):
            if not failed:
                audit.record(self.ws.db, "task.done", run.name, "ia", run=run.id, slot=run.slot, report=run.report)
            return run_store.update_run(self.ws, run, state=FAILED if failed else DONE)

    def send_notice(
        self, task: Task, key: str, title: str, text: str, *, run: TaskRun | None = None, failed: bool = False
    ) -> None:
        """Tell the user, where the design says; what cannot go there lies in the inbox, and so does every failure."""
        from ia.faculties.schedule.model import ME
        from ia.organs.channels import sending

        try:
            to = task.design.notify or (("cli",) if failed else ())
        except IaError:
            to = (ME,)
        number, origins = (run.id, run.data.get("origins") or ()) if run else (None, ())

        def send_to_channel(channel: str) -> None:
            sending.send_message(
                self.ws,
                text,
                to=channel,
                title=title,
                key=key,
                run=number,
                notify=self.notify,
                actor=f"task {task.name}",
                origins=origins,
            )

        for channel in to:
            try:
                send_to_channel(channel)
            except IaError as exc:
                self.notify(Message("task {name}: {reason}", name=task.name, reason=exc))
                send_to_channel("cli")

    def _voice(self, run: TaskRun) -> Voice:
        return Voice(reporting.task_language(approved_tasks.find_by_id(self.ws, run.task)))


def _has_sent_message(run: TaskRun, sent: "list[notices.Notice]") -> bool:
    """Return whether a run itself has sent a message: a second one would say that it has."""
    return any(not (notice.key or "").startswith(f"run-{run.id}/") for notice in sent)


@contextlib.contextmanager
def as_run(number: int) -> Iterator[None]:
    """Let what this process writes carry a run's number, so that it is taken back with the rest."""
    config.override_variable("IA_RUN", str(number))
    try:
        yield
    finally:
        config.override_variable("IA_RUN", "")


def explain_failure(exc: Exception) -> IaError:
    """Return a failure as one that can be told: a full disk, a damaged database."""
    if isinstance(exc, sqlite3.Error):
        exc = store.explain_sqlite_error(exc)
    if isinstance(exc, IaError):
        return exc
    reason = getattr(exc, "strerror", None) or str(exc)
    return TryLater("{what}: {reason}", what=getattr(exc, "filename", None) or "ia", reason=reason)


def _describe_failure(ended: child_processes.ChildExit, reason: str, lang: str) -> str:
    """Return why a run failed: its status, and the reason; without one, the last line of standard error."""
    voice = Voice(lang)
    if ended.status == child_processes.TIMED_OUT:
        reason = voice("its time ran out")
    reason = (reason or _last_line(ended.complaint or ended.errors))[:MAX_REASON]
    return voice("status {status}", status=ended.status) + (f": {reason}" if reason else "")


def _last_line(errors: str) -> str:
    """Return the last line that a process wrote that gave no reason: it was killed, or another program speaks."""
    return next((line.strip() for line in reversed(errors.splitlines()) if line.strip()), "")
