"""The book of approved tasks. What runs is the text that a person approved, whatever stands in the file since.

A changed text is a new row, so that a run knows under which approval it was made; pause and resume change the row.
What a person decides about tasks is in `ia.reach.tasks.decisions`.
"""

import json
import os
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ia.faculties.schedule.model import FOLDER, TaskDesign
from ia.kernel import audit, clock, config, proposals
from ia.kernel.errors import BadData, IaError, NotFound, Refused
from ia.kernel.workspace import Workspace

APPROVED, PAUSED, FINISHED = "approved", "paused", "finished"
KIND = "task"
"""The kind of proposals that are about a task."""
KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LLM_USER_PATH",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
)
"""Variables that a run gets as they were at the approval, beside settings (`IA_…`) that are no secret."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """An approved task. Times are UTC stamps.

    since        only slots after it are run: the moment of approval, or of the last resume
    environment  variables that a run gets
    """

    id: int
    name: str
    text: str
    state: str
    since: str
    approved: str
    by: str
    environment: dict[str, str]
    changed: str

    @property
    def design(self) -> TaskDesign:
        """Return what the approved text says, with the zone that held when it was approved.

        raises  BadData where this ia no longer understands it.
        """
        return _parse_design(self.text, self.name, self.environment.get("TZ", ""))


class Listed(NamedTuple):
    """A line of the list.

    state     approved, paused, edited (the file is no longer what was approved), deleted (does not run), finished (its
              last moment is over), unapproved (a file that nobody approved), proposed
    proposal  the number of a waiting proposal about it
    problem   what is wrong with its text
    """

    name: str
    state: str
    task: Task | None
    design: TaskDesign | None
    proposal: int | None
    problem: IaError | None


_SELECT = 'SELECT id, name, text, state, since, approved, "by", environment, changed FROM tasks'
_LIVE = "approved <= :now AND (removed IS NULL OR removed > :now)"


def list_approved(ws: Workspace) -> list[Task]:
    """Return the approved tasks as of now(), paused ones too, by name."""
    rows = ws.db.execute(f"{_SELECT} WHERE {_LIVE} ORDER BY name", {"now": clock.utc_stamp(clock.now())})
    return [_restore_state_as_of_now(ws, _parse_task_row(row)) for row in rows]


def get_task(ws: Workspace, name: str) -> Task:
    """Return an approved task.

    raises  NotFound; Refused, with what to do, where there is a file or a proposal of the name.
    """
    name = name_of(name)
    found = next((task for task in list_approved(ws) if task.name == name), None)
    if found is None:
        if read_text(ws, name) is not None or find_proposal(ws, name) is not None:
            raise Refused("task {name} is not approved", name=name, hint="run `ia task approve {name}`")
        raise NotFound("{name}: no such task", name=name, hint="`ia task list` shows all tasks")
    return found


def find_by_id(ws: Workspace, number: int) -> Task | None:
    """Return the approval of this number, also one that is no longer in force."""
    row = ws.db.execute(f"{_SELECT} WHERE id = ?", (number,)).fetchone()
    return None if row is None else _parse_task_row(row)


def has_ended(ws: Workspace, number: int) -> bool:
    """Whether an approval is over for good, whatever now() is: removed, or replaced by that of a changed text."""
    row = ws.db.execute("SELECT removed FROM tasks WHERE id = ?", (number,)).fetchone()
    return row is None or row[0] is not None


def is_name_in_force(ws: Workspace, name: str) -> bool:
    """Whether an approval of this name is in force, whatever now() is."""
    return ws.db.execute("SELECT 1 FROM tasks WHERE name = ? AND removed IS NULL", (name,)).fetchone() is not None


def _parse_task_row(row: tuple[Any, ...]) -> Task:
    number, name, text, state, since, approved, by, environment, changed = row
    stored = json.loads(environment or "{}").items()
    return Task(
        id=number,
        name=name,
        text=text,
        state=state,
        since=since,
        approved=approved,
        by=by,
        # a workspace from elsewhere brings no other variable along
        environment={key: str(value) for key, value in stored if key in _kept_variables()},
        changed=changed,
    )


def name_of(given: str) -> str:
    """Return a task's name; its path will do."""
    return given.removeprefix(FOLDER + "/").removesuffix(".md")


def _restore_state_as_of_now(ws: Workspace, task: Task) -> Task:
    """With --now: a pause or resume that came later has not happened."""
    now = clock.utc_stamp(clock.now())
    if task.changed <= now:
        return task
    sql = (
        "SELECT kind, time FROM events WHERE kind IN ('task.approved', 'task.paused', 'task.resumed')"
        " AND subject = ? AND time >= ? AND time <= ? ORDER BY id DESC LIMIT 1"
    )
    row = ws.db.execute(sql, (task.name, task.approved, now)).fetchone()
    kind, time = row or ("task.approved", task.approved)
    return replace(task, state=PAUSED if kind == "task.paused" else APPROVED, since=min(time, now), changed=time)


def parse_valid_design(text: str, name: str, zone: str = "") -> TaskDesign:
    """Return the design that a text holds, once all is well with it.

    raises  BadData, Refused (its pipeline), NotFound.
    """
    from ia.faculties.schedule.design import check_design
    from ia.faculties.taskbook import pipeline

    design = _parse_design(text, name, zone)
    if design.name != name:
        raise BadData("the file is named {name}, but the task in it is named {other}", name=name, other=design.name)
    check_design(design)
    if design.run:
        pipeline.parse_pipelines(design.run)
    return design


@lru_cache(256)
def _parse_design(text: str, name: str, zone: str) -> TaskDesign:
    from ia.faculties.schedule.design import parse_design

    design = parse_design(text, name)
    return design if design.zone or not zone else replace(design, zone=zone)


def find_text_to_approve(ws: Workspace, given: str | int) -> tuple[str, str, str, int | None]:
    """Return (name, approved text or "", text that would be approved, number of the proposal if it is one).

    given   the number of a proposal, or a name: of a file that waits for approval, else of a proposal's task.
    raises  NotFound, Refused (decided already, out of date), BadData.
    """
    if isinstance(given, int) or given.isdecimal():
        proposal = proposals.get_undecided(ws, int(given))
        if proposal.kind != KIND:
            raise Refused(
                "proposal {number} concerns {path}, which is not a task",
                number=proposal.id,
                path=proposal.path,
                hint="approve it with `ia approve {number}`",
            )
        name, number = name_of(proposal.path), proposal.id
        text = proposals.compute_outcome(ws, proposal)[1]
    else:
        name = name_of(given)
        text = read_text(ws, name) or ""
        known = find_approved(ws, name)
        waiting = find_proposal(ws, name)
        number = None
        if waiting is not None and (not text or (known is not None and known.text == text)):
            text, number = proposals.compute_outcome(ws, waiting)[1], waiting.id
        if not text and known is not None:
            text = known.text  # its file was deleted: the approved text is put back
        if not text:
            raise NotFound("{name}: no such task", name=name, hint="`ia task list` shows all tasks")
    known = find_approved(ws, name)
    return name, known.text if known else "", text, number


def active_since(ws: Workspace, task: Task) -> str:
    """Return after which moment a task's slots are run; without --now none before a person really decided counts."""
    if clock.is_simulated():
        return task.since
    told = [*audit.find_events(ws.db, "task.approved", task.name), *audit.find_events(ws.db, "task.resumed", task.name)]
    return max([task.since, *(str(event.data.get("wall") or "") for event in told)])


def list_tasks(ws: Workspace) -> list[Listed]:
    """Return the tasks as of now(), by name: approved ones, files that wait for approval, and proposals."""
    known = {task.name: task for task in list_approved(ws)}
    waiting = {name_of(p.path): p for p in proposals.pending_proposals(ws) if p.kind == KIND}
    files = {name_of(path) for path in ws.list_paths(FOLDER, (".md",)) if path.count("/") == 1}
    return [_describe_task(ws, name, known.get(name), waiting.get(name)) for name in sorted({*known, *waiting, *files})]


def _describe_task(ws: Workspace, name: str, task: Task | None, waiting: proposals.Proposal | None) -> Listed:
    problem, design, text = None, None, None
    try:
        if task:
            design = parse_valid_design(task.text, name, task.environment.get("TZ", ""))
        text = read_text(ws, name) if task is None else ws.read_present(f"{FOLDER}/{name}.md")
        shown = task.text if task else text if text is not None else waiting.after if waiting else ""
        design = parse_valid_design(shown, name, (task.environment if task else {}).get("TZ", ""))
        if task and text not in (None, task.text):
            parse_valid_design(text or "", name, task.environment.get("TZ", ""))
    except IaError as exc:
        problem = exc
    if task is None:
        state = "unapproved" if text is not None else "proposed"
    elif not has_task_file(ws, task):
        state = "deleted"
    else:
        state = PAUSED if task.state == PAUSED else APPROVED if text == task.text else "edited"
        if state == APPROVED and is_finished(ws, task):
            state = FINISHED
    return Listed(
        name=name, state=state, task=task, design=design, proposal=waiting.id if waiting else None, problem=problem
    )


def list_runnable(ws: Workspace) -> list[Task]:
    """Return the tasks that run: approved, not paused, and their file is still there."""
    return [task for task in list_approved(ws) if task.state == APPROVED and has_task_file(ws, task)]


def is_finished(ws: Workspace, task: Task) -> bool:
    """Whether a task will never run again: its single moments, or the last day of its alert, are over and settled."""
    from ia.faculties.alerts.definition import find_alert
    from ia.faculties.schedule import schedule_forms, slots
    from ia.faculties.taskbook import run_store

    try:
        design = task.design
        alert = find_alert(design)
        if alert is not None and alert.until:  # one run after the last day: a source may have been late
            newest = run_store.newest_slot(ws, task.id) or ""
            return newest[:10] > alert.until and not any(run_store.unsettled_runs(ws, task.name))
        if not schedule_forms.is_finite(design.schedule):
            return False
        since = max(active_since(ws, task), run_store.newest_slot(ws, task.id) or "")
        return not slots.next_slots(design, parse_stamp(since), 1) and not any(run_store.unsettled_runs(ws, task.name))
    except BadData:
        return False


def has_task_file(ws: Workspace, task: Task) -> bool:
    """Whether a task's file is still there: deleting it is a way to say that it shall not run."""
    return os.path.lexists(os.path.join(ws.root, FOLDER, f"{task.name}.md"))


def crontab_entries(ws: Workspace) -> list[tuple[str, list[str]]]:
    """Return what the crontab needs: for each task that runs its name and the five-field lines that wake it.

    A task whose text this ia no longer understands has none; `ia task due` tells of it. One that is finished is left
    out.
    """
    from ia.faculties.schedule import wakeups, zones

    found = []
    for task in list_runnable(ws):
        if is_finished(ws, task):
            continue
        lines: list[str] = []
        try:
            for zone in zones.cron_zones(task.environment.get("TZ", "")):
                lines += wakeups.cron_lines(
                    task.design, anchor=parse_stamp(task.since), system=zone, moment=clock.now()
                )
                lines += _retry_lines(ws, task, zone)
        except IaError:
            continue
        found.append((task.name, list(dict.fromkeys(lines))))
    return found


def _retry_lines(ws: Workspace, task: Task, system: tzinfo) -> list[str]:
    """Return a line for each failed run that is to be tried again: it goes with the next rewriting of the crontab."""
    from ia.faculties.taskbook import run_store

    times = [
        (parse_stamp(stamp) + timedelta(seconds=59)).astimezone(system)
        for stamp in run_store.retry_times(ws, task.name)
    ]
    return [f"{time.minute} {time.hour} {time.day} {time.month} *" for time in times]


def parse_stamp(stamp: str) -> datetime:
    """Return a UTC stamp as an aware datetime."""
    return datetime.fromisoformat(stamp)


def current_environment() -> dict[str, str]:
    """Return what a run is to have of the present environment: no secret, and nothing of this very call."""
    found = {name: config.env(name) for name in _kept_variables()}
    return {name: value for name, value in {**found, "TZ": own_zone()}.items() if value}


@cache
def _kept_variables() -> frozenset[str]:
    settings = (key.name for key in config.KEYS if not config.is_secret_key(key.name))
    return frozenset({*KEPT, *("IA_" + name.upper().replace(".", "_") for name in settings)})


def own_zone() -> str:
    """Return the IANA name of the zone that TZ says, in whatever form; "" where it says none."""
    from ia.faculties.schedule import zones

    return zones.user_zone().key if config.env("TZ") else ""


def find_approved(ws: Workspace, name: str) -> Task | None:
    """Return an approved task as of now(), None where there is none of the name."""
    return next((task for task in list_approved(ws) if task.name == name), None)


def read_text(ws: Workspace, name: str) -> str | None:
    """Return the text of a task's file as of now(), None where there is none."""
    return ws.read(f"{FOLDER}/{name}.md")


def find_proposal(ws: Workspace, name: str) -> proposals.Proposal | None:
    """Return the newest waiting proposal about a task, None where there is none."""
    path = f"{FOLDER}/{name}.md"
    return next((p for p in reversed(proposals.pending_proposals(ws)) if (p.kind, p.path) == (KIND, path)), None)
