"""The table of runs: one row for a task's slot, and who holds the task.

state   waiting: an event that is to be run · running: claimed; with the task's lock free, somebody died · written: the
        work is done and its report safe, only telling is left · done · failed: with `retry_at` it is tried again then,
        else for good · missed: left out, see `reason` · seen: a file as it was, nothing to run
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from ia.kernel import clock, files
from ia.kernel.errors import NotFound, Refused, TryLater
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

WAITING, RUNNING, WRITTEN, DONE, FAILED, MISSED, SEEN = (
    "waiting",
    "running",
    "written",
    "done",
    "failed",
    "missed",
    "seen",
)
OPEN = (WAITING, RUNNING, WRITTEN)
FOLDER = os.path.join(".ia", "tasks")
KEPT_LOGS = 200
_FAILED = ".failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskRun:
    """A run of a task. Times are UTC stamps.

    task     number of the approval that it runs under; name: the task's
    slot     the moment that it is for, or `manual …`, `file …`, `message …`, `news …`, `webhook …`
    why      schedule, caught up, by hand, or the kind of event
    attempt  how often it was begun; status: the exit status of the last
    report   path of the note that came of it; summary: what is told of it; reason: why it failed or was left out
    data     what the machinery keeps: marks for taking back, an event's content, how often it crashed
    """

    id: int
    task: int
    name: str
    slot: str
    why: str
    state: str
    attempt: int
    started: str
    ended: str | None
    status: int | None
    report: str | None
    summary: str | None
    reason: str | None
    retry_at: str | None
    data: Json

    @property
    def settled(self) -> bool:
        """Whether nothing more will come of it."""
        return not (self.state in OPEN or (self.state == FAILED and self.retry_at))


_COLUMNS = "id, task, name, slot, why, state, attempt, started, ended, status, report, summary, reason, retry_at, data"


def select_runs(ws: Workspace, where: str, values: tuple[object, ...] = ()) -> list[TaskRun]:
    """Return the runs that an SQL condition (with its ORDER BY) fits."""
    rows = ws.db.execute(f"SELECT {_COLUMNS} FROM runs WHERE {where}", values)
    names = _COLUMNS.split(", ")
    return [TaskRun(**dict(zip(names, (*row[:-1], json.loads(row[-1] or "{}")), strict=True))) for row in rows]


def get_run(ws: Workspace, number: int) -> TaskRun:
    """Return one run.

    raises  NotFound.
    """
    found = select_runs(ws, "id = ?", (number,))
    if not found:
        raise NotFound("run {number} does not exist", number=number, hint="`ia task history` lists all runs")
    return found[0]


def list_runs(ws: Workspace, name: str | None = None, limit: int = 50) -> list[TaskRun]:
    """Return the newest runs of a task (or all) that were begun by now(), newest first."""
    return select_runs(
        ws,
        "started <= ? AND state <> ? AND (?3 IS NULL OR name = ?3) ORDER BY started DESC, id DESC LIMIT ?4",
        (clock.utc_stamp(clock.now()), SEEN, name, limit),
    )


def unsettled_runs(ws: Workspace, name: str) -> Iterator[TaskRun]:
    """Yield what is not over of a task's runs, oldest first: open ones, and failed ones that are tried again.

    One is read at a time: thousands of events may wait, each with its content.
    """
    sql = f"SELECT id FROM runs WHERE name = ? AND (state IN {OPEN} OR (state = '{FAILED}' AND retry_at IS NOT NULL))"
    for (number,) in ws.db.execute(f"{sql} ORDER BY id", (name,)).fetchall():
        yield get_run(ws, number)


def retry_times(ws: Workspace, name: str) -> list[str]:
    """Return when failed runs of a task are to be tried again, as UTC stamps."""
    sql = "SELECT retry_at FROM runs WHERE name = ? AND state = ? AND retry_at IS NOT NULL ORDER BY id"
    return [stamp for (stamp,) in ws.db.execute(sql, (name, FAILED))]


def event_slots(ws: Workspace, task: int, kind: str) -> set[str]:
    """Return the slots of a kind of event that were entered for a task; their contents stay where they are."""
    sql = "SELECT slot FROM runs WHERE task = ? AND slot GLOB ?"
    return {slot for (slot,) in ws.db.execute(sql, (task, f"{kind} *"))}


def find_by_slot(ws: Workspace, task: int, slot: str) -> TaskRun | None:
    """Return the run of a slot."""
    return next(iter(select_runs(ws, "task = ? AND slot = ?", (task, slot))), None)


def newest_slot(ws: Workspace, task: int) -> str | None:
    """Return the latest slot up to now() that was claimed, as a UTC stamp: a clock that was ahead stops no task."""
    sql = "SELECT max(slot) FROM runs WHERE task = ? AND slot GLOB '[0-9]*' AND slot <= ?"
    row = ws.db.execute(sql, (task, clock.utc_stamp(clock.now()))).fetchone()
    return row[0]  # type: ignore[no-any-return]


def claim_slot(
    ws: Workspace,
    task: int,
    name: str,
    slot: str,
    why: str,
    *,
    state: str = RUNNING,
    reason: str | None = None,
    data: Mapping[str, object] | None = None,
) -> TaskRun | None:
    """Enter a run of a slot; None where the slot is taken: nobody runs it a second time."""
    began = clock.utc_stamp(clock.now())
    over = began if state in (MISSED, SEEN) else None
    cursor = ws.db.execute(
        "INSERT OR IGNORE INTO runs (task, name, slot, why, state, attempt, started, ended, reason, data)"
        " VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?)",
        (task, name, slot, why, state, began, over, reason, json.dumps(data or {}, ensure_ascii=False)),
    )
    return get_run(ws, cursor.lastrowid or 0) if cursor.rowcount else None


def update_run(ws: Workspace, run: TaskRun, **columns: object) -> TaskRun:
    """Write columns of a run, and return it as it is then. Joins a transaction that is open.

    An event's content goes when nothing more will come of the run.
    """
    if "data" in columns:
        columns["data"] = json.dumps(columns["data"], ensure_ascii=False)
    names = ", ".join(f"{name} = ?" for name in columns)
    ws.db.execute(f"UPDATE runs SET {names} WHERE id = ?", (*columns.values(), run.id))
    run = get_run(ws, run.id)
    if run.settled and "content" in run.data:
        return update_run(ws, run, data={key: value for key, value in run.data.items() if key != "content"})
    return run


@contextlib.contextmanager
def hold_task(ws: Workspace, name: str, kind: str = "lock") -> Iterator[int | None]:
    """Hold a task until the block ends; None where somebody else does. A kill frees it.

    Yields the descriptor; no child inherits it unless it is passed on.
    """
    if "/" in name or name.startswith(".") or not name:
        raise NotFound("{name}: no such task", name=name, hint="`ia task list` shows all tasks")
    path = os.path.join(ws.root, FOLDER, f"{name}.{kind}")
    try:
        files.make_private_parent(path)
        fd = files.take_lock(path, follow=False)
    except OSError as exc:
        kind_of = Refused if isinstance(exc, PermissionError) or exc.errno == 30 else TryLater
        raise kind_of("{path}: {reason}", path=path, reason=exc.strerror or str(exc)) from exc
    try:
        yield fd
    finally:
        if fd is not None:
            os.close(fd)


def mark_simulated(home: str, run: int) -> None:
    """Note that a process of a run reads simulated prices. A file: the process may be inside a transaction."""
    path = _simulated_path(home, run)
    files.make_private_parent(path)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))


def take_simulated(ws: Workspace, run: int) -> bool:
    """Return whether a process of a run has read simulated prices since this was asked last."""
    try:
        os.unlink(_simulated_path(ws.root, run))
    except FileNotFoundError:
        return False
    return True


def mark_failure(home: str, run: int, reason: str) -> None:
    """Keep why this process of a run fails: the last reason that it gives holds.

    A full disk changes nothing, and a home where no run keeps its log gets no folder.
    """
    path = os.path.join(home, FOLDER, "logs", f"{run}.{os.getpid()}{_FAILED}")
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with open(fd, "w", encoding="utf-8", errors="replace") as file:
            file.write(reason)


def mark_summary(home: str, run: int, sentence: str) -> None:
    """Keep in one sentence what a process of a run has done; a full disk changes nothing."""
    with contextlib.suppress(OSError):
        fd = os.open(
            _summary_path(home, run), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        with open(fd, "w", encoding="utf-8", errors="replace") as file:
            file.write(sentence)


def take_summary(ws: Workspace, run: int) -> str:
    """Return the sentence that a process of a run has kept since this was asked last; "" for none."""
    path = _summary_path(ws.root, run)
    try:
        with open(path, encoding="utf-8") as file:
            sentence = file.read()
        os.unlink(path)
    except (OSError, UnicodeDecodeError):
        return ""
    return sentence


def take_failures(ws: Workspace, run: int) -> dict[int, str]:
    """Return why processes of a run failed since this was asked last: id of the process to its reason."""
    found, folder = {}, os.path.join(ws.root, FOLDER, "logs")
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            number, _, process = entry.name.removesuffix(_FAILED).partition(".")
            if not entry.name.endswith(_FAILED) or number != str(run) or not process.isdecimal():
                continue
            with contextlib.suppress(OSError, UnicodeDecodeError), open(entry.path, encoding="utf-8") as file:
                found[int(process)] = file.read()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(entry.path)
    return found


def _simulated_path(home: str, run: int) -> str:
    return os.path.join(home, FOLDER, "logs", f"{run}.simulated")


def _summary_path(home: str, run: int) -> str:
    return os.path.join(home, FOLDER, "logs", f"{run}.summary")


def log_path(ws: Workspace, run: int) -> str:
    """Return where a run's output lies."""
    return os.path.join(ws.root, FOLDER, "logs", f"{run}.log")


def open_log(ws: Workspace, run: int) -> BinaryIO:
    """Open a run's log to add to it."""
    path = log_path(ws, run)
    files.make_private_parent(path)
    return open(path, "ab")


def read_log(ws: Workspace, run: int) -> str:
    """Return what a run's processes said; "" where the log was dropped."""
    try:
        with open(log_path(ws, run), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def prune_logs(ws: Workspace) -> None:
    """Keep the logs of the newest runs."""
    folder = os.path.join(ws.root, FOLDER, "logs")
    with contextlib.suppress(OSError):
        numbers = sorted(int(name[:-4]) for name in os.listdir(folder) if name[:-4].isdecimal())
        for number in numbers[:-KEPT_LOGS]:
            os.unlink(os.path.join(folder, f"{number}.log"))
