"""tasks.*: the alarm. What tasks there are and how their runs ended, and a design that a person reads and approves."""

import contextlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from ia.agent.tools import gate, gated_writes
from ia.agent.tools.registry import CONFIRM, READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel import proposals
from ia.kernel.errors import BadData, NotFound, UsageError
from ia.kernel.jsontypes import Json

if TYPE_CHECKING:
    from ia.faculties.schedule.model import TaskDesign
    from ia.faculties.taskbook.approved_tasks import Listed
    from ia.faculties.taskbook.run_store import TaskRun
    from ia.kernel.proposals import Proposal

NEXT = 5
"""Run times that are told beforehand."""
KIND = "task"
_TEXTS = ("schedule", "prompt", "run", "zone", "calendar", "inputs", "produces", "because")
_JOB = ("schedule", "zone", "calendar", "prompt", "run")
_POLICY = ("produces", "notify", "silent", "retries", "retry_after", "missed", "timeout")


@tool("proposals.list", READ)
def list_proposals(scope: Scope) -> Json:
    """List what waits for the user's decision: number, kind and path of each proposal. Only the user decides."""
    waiting = proposals.pending_proposals(scope.ws)
    return {
        "proposals": [
            {"proposal": each.id, "kind": each.kind, "path": each.path, "time": each.time} for each in waiting
        ]
    }


@tool("tasks.list", READ)
def list_tasks(
    scope: Scope,
    name: Annotated[str, "one task: also what it does, and more of its runs"] = "",
    until: Annotated[str, "YYYY-MM-DD: also the times up to the end of this day"] = "",
) -> Json:
    """List the user's tasks: state (only `approved` and `edited` run; `proposed` and `unapproved` wait for the user),
    when, next run, last run and why it failed or was skipped, slots without a run (`overdue`), number of a waiting
    proposal. Times are in the task's zone.
    """
    from ia.faculties.taskbook import approved_tasks, task_times

    known = approved_tasks.list_tasks(scope.ws)
    if name:
        name = approved_tasks.name_of(name)
        known = [each for each in known if each.name == name]
        if not known:
            raise NotFound("{name}: no such task", name=name[:80], hint="call tasks.list without a name")
    overdue = {each.name: each.slots for each in task_times.find_overdue(scope.ws)}
    told = [_describe_task(scope, each, overdue.get(each.name, []), whole=bool(name)) for each in known]
    if until:
        for each, row in zip(known, told, strict=True):
            row["times"] = _times_until(each, until)
    return {"tasks": told}


MOST_TIMES = 60


def _times_until(each: "Listed", day: str) -> list[str]:
    """Return when a task that runs is due from now to the end of a day, in its zone."""
    from ia.faculties.taskbook import task_times

    return [
        slot.isoformat(timespec="minutes")
        for slot in task_times.coming_slots(each, MOST_TIMES)
        if f"{slot.date()}" <= day
    ]


RUNS, MORE_RUNS = 5, 20
"""Runs of a task that are told of, and of one that was asked for by name."""


def _describe_task(scope: Scope, each: "Listed", overdue: list[str], *, whole: bool) -> Json:
    """Return a task as a model is told of it, without what is not there. Only an approved text is quoted."""
    from ia.faculties.schedule.describe import describe_design
    from ia.faculties.taskbook import run_store, task_times

    design = each.design
    runs = [
        _describe_run(scope, each, run)
        for run in run_store.list_runs(scope.ws, each.name, MORE_RUNS if whole else RUNS)
    ]
    coming = [slot.isoformat(timespec="minutes") for slot in task_times.coming_slots(each, NEXT if whole else 1)]
    told: Json = {
        "name": each.name,
        "state": each.state,
        "when": describe_design(design, scope.lang) if design else "",
        "next": coming[0] if coming else "",
        "does": (design.prompt or design.run)[:200] if design and each.task else "",
        "runs": runs,
        "overdue": [_format_slot(stamp, design) for stamp in overdue[-RUNS:]],
        "proposal": each.proposal,
        "problem": str(each.problem) if each.problem else "",
    }
    if whole and each.task is not None:
        told |= {"design": each.task.text, "upcoming": coming, "approved": _format_slot(each.task.approved, design)}
    if whole and design is not None:
        told |= {"prompt": design.prompt, "run": design.run, "produces": design.produces}
    return {key: value for key, value in told.items() if value not in ("", None, [])}


def _describe_run(scope: Scope, each: "Listed", run: "TaskRun") -> Json:
    """Return a run without what it printed. Its reason is left out where words from outside may stand in it."""
    timed = run.slot[:1].isdigit()
    plain = not run.reason or run.state == "missed" or not _may_quote_outside(scope, each, run)
    told: Json = {
        "run": run.id,
        "slot": _format_slot(run.slot, each.design) if timed else run.why,
        "state": run.state,
        "started": _format_slot(run.started, each.design),
        "status": run.status,
        "reason": run.reason if plain else "",
        "report": run.report,
        "summary": "" if run.data.get("origins") else run.summary,
        "retry": _format_slot(run.retry_at, each.design) if run.retry_at else "",
        "log": f"ia task history --log {run.id}" if run.state == "failed" else "",
    }
    return {key: value for key, value in told.items() if value not in ("", None)}


def _may_quote_outside(scope: Scope, each: "Listed", run: "TaskRun") -> bool:
    """Return whether the failure of a run may repeat a text from outside: of a provider, or of what its turn read."""
    from ia.faculties.taskbook.pipeline import list_commands
    from ia.kernel.errors import IaError

    sql = "SELECT 1 FROM messages WHERE (session = ?1 OR session GLOB ?1 || '-*') AND origins IS NOT NULL LIMIT 1"
    if scope.ws.db.execute(sql, (f"task-{run.id}",)).fetchone() is not None or run.data.get("origins"):
        return True
    try:
        commands = list_commands(each.design.run) if each.design and each.design.run else set()
    except IaError:
        return True
    return bool(commands & {"tool", "provider", "fork", "skill", "turn", "send"})


def _format_slot(stamp: str, design: "TaskDesign | None") -> str:
    """Return a UTC stamp in the zone of a task, to the minute."""
    from datetime import datetime

    from ia.faculties.schedule.slots import display_zone
    from ia.kernel.workspace import to_local

    moment = datetime.fromisoformat(stamp)
    local = moment.astimezone(display_zone(design)) if design is not None else to_local(moment)
    return local.isoformat(timespec="minutes")


@tool("tasks.propose", CONFIRM)
def propose_task(
    scope: Scope,
    name: Annotated[str, "short name: weekly-review"],
    schedule: Annotated[
        str,
        "five cron fields (`0 16 * * 5`); `every 90m` (m, h, d); `close+30m` after a close, `close+30m fri`;"
        " `last trading day of month 15:30`, `first mon of quarter 09:00`;"
        " `every 2 weeks on mon 09:00 from 2027-01-04`; once: `at 2027-01-15 09:00`; several with `;` between;"
        " or `on file PATTERN`, `on message WORDS`, `on news 600519.SH`, `on webhook NAME`",
    ],
    prompt: Annotated[str, "what is asked each time; `/review` at its start names a skill"] = "",
    run: Annotated[str, "instead of a prompt, ia commands: `ia ohlcv 600519 | ia compute 'rsi(close, 14)'`"] = "",
    zone: Annotated[str, "Asia/Shanghai; default: the exchange's, else the user's"] = "",
    calendar: Annotated[Literal["", "CN", "HK", "US"], "only on trading days of this exchange"] = "",
    inputs: Annotated[str, "what it reads, in words"] = "",
    produces: Annotated[str, "note that keeps the result: reports/weekly/DATE.md"] = "",
    notify: Annotated[list[str] | None, "channels that are told; default: me, the user; [] nobody"] = None,
    silent: Annotated[bool, "tell only of failures"] = False,
    retries: Annotated[int, "of a failed run"] = 1,
    retry_after: Annotated[int, "minutes between them"] = 60,
    missed: Annotated[Literal["once", "skip"], "slots while the machine slept: made up for once, or left out"] = "once",
    timeout: Annotated[int, "minutes"] = 30,
    because: Annotated[str, "why the user wants it"] = "",
) -> Json:
    """Propose a task that runs by itself at times or events. Tell the user the number of the proposal, the schedule in
    words and the next run times that it returns.
    """
    given = {
        "name": name,
        "schedule": schedule,
        "prompt": prompt,
        "run": run,
        "zone": zone,
        "calendar": calendar,
        "inputs": inputs,
        "produces": produces,
        "notify": notify,
        "silent": silent,
        "retries": retries,
        "retry_after": retry_after,
        "missed": missed,
        "timeout": timeout,
        "because": because,
    }
    return summarize_proposal(scope, propose_design(scope, separate_note(scope, build_design(scope, given))))


class Kept(NamedTuple):
    """A design that waits for a person: its number, and whether it was there before. Its name may be another."""

    number: int
    design: "TaskDesign"
    known: bool = False


def build_design(scope: Scope, given: Json) -> "TaskDesign":
    """Return the design that a model's arguments come to, if the gate lets it be proposed.

    raises  Refused (the gate); UsageError, BadData for arguments that make no task.
    """
    from ia.faculties.schedule.model import ME, TaskDesign

    gate.choose_write_mode(scope, "tasks", confirm=True)
    texts: Json = {key: " ".join(gated_writes.clean_text(scope, given.get(key) or "").split()) for key in _TEXTS}
    if not texts["schedule"]:
        raise UsageError("a task needs a schedule, and a prompt or a run")
    plain = {key: given[key] for key in ("silent", "retries", "retry_after", "missed", "timeout") if key in given}
    names = given.get("notify")
    channels = (
        (ME,) if names is None else tuple(dict.fromkeys(gated_writes.clean_text(scope, each).strip() for each in names))
    )
    design = TaskDesign(
        slug_of(gated_writes.clean_text(scope, given.get("name") or "")), notify=channels, **texts, **plain
    )
    return complete_design(normalize_schedule(design))


def summarize_proposal(scope: Scope, made: Kept) -> Json:
    """Return what a model is told of a design: its number, schedule in words and next run times."""
    from ia.faculties.schedule.describe import describe_design
    from ia.faculties.schedule.design import output_path

    design, number = made.design, made.number
    others = tasks_at_same_times(scope, design)
    return {
        **gated_writes.describe_proposal(number, design.path, known=made.known),
        "schedule": design.schedule,
        "described": describe_design(design, design_language(design)),
        "next": next_run_times(design),
        "keeps": output_path(design),
        **({"beside": others} if others else {}),
        **({"kept in the same note": same} if (same := tasks_with_same_note(scope, design)) else {}),
        **({"no such channel yet": lacking} if (lacking := unknown_channels(design)) else {}),
    }


def slug_of(name: str) -> str:
    """Return a task's name as a file's; task-600519 of one in digits, which would pass for a proposal's number.

    raises  UsageError for one without letters or digits, or too long.
    """
    slug = re.sub(r"[^\w]+", "-", name).strip("-_").lower()
    if not slug or len(slug) > 60:
        raise UsageError(
            "{name!r} is not a valid task name", name=name[:80], hint="use a short name, such as weekly-review"
        )
    return f"task-{slug}" if slug.isdecimal() else slug


def normalize_schedule(design: "TaskDesign") -> "TaskDesign":
    """Return a design whose schedule has a form; one in words (每周五收盘后) is read by rules.

    raises  BadData.
    """
    from ia.faculties.schedule import wish_parser, zones
    from ia.faculties.schedule.schedule_forms import parse_schedule

    try:
        parse_schedule(design.schedule)
        return design
    except BadData:
        meant = re.match(r"(?:@|on |close)", design.schedule)
        if meant or not re.search(r"[\u3400-\u9fff]|[A-Za-z]{4}", design.schedule):
            raise
        when = wish_parser.parse_timing(design.schedule, zone=design.zone or zones.wish_zone().key)
    return replace(
        design, schedule=when.schedule, zone=design.zone or when.zone, calendar=design.calendar or when.calendar
    )


def complete_design(design: "TaskDesign") -> "TaskDesign":
    """Return a design with what it leaves open written out: the zone, and the exchange whose close it waits for.

    raises  BadData for a design that does not hold.
    """
    from ia.faculties.schedule import wish_text, zones
    from ia.faculties.schedule.design import check_design, require_future
    from ia.faculties.schedule.exchange import ZONES
    from ia.faculties.schedule.schedule_forms import ScheduleEvent, needs_exchange, parse_schedule

    what = parse_schedule(design.schedule)
    if isinstance(what, ScheduleEvent):
        design = replace(design, zone="", calendar="")
    else:
        calendar = design.calendar or ("CN" if needs_exchange(design.schedule) else "")
        zone = wish_text.find_zone(design.zone) or ZONES.get(calendar, "") or zones.wish_zone().key
        design = replace(design, calendar=calendar, zone=zone)
    check_design(design)
    require_future(design)
    return design


def propose_design(scope: Scope, design: "TaskDesign", lang: str = "", *, named: bool = False) -> Kept:
    """Propose a design that is settled. One that waits already and says the same is not made again.

    The name of another file or proposal is not taken: weekly-review-2.
    named   a person chose the name: where it is that of a file, this is a change of that task
    raises  what writes.proposed() raises.
    """
    from ia.faculties.schedule.design import format_design

    with scope.ws.lock():
        same = find_same_proposal(scope, design)
        changes = named and design.path in scope.ws.list_paths("tasks")
        if same is not None and not (changes and same.design.path != design.path):
            if same.number not in scope.pending:
                scope.pending.append(same.number)
            return same
        design = design if named else choose_free_name(scope, design)
        text = format_design(design, lang or design_language(design))
        made = gated_writes.propose_content(scope, KIND, design.path, text, design.because)
    return Kept(made["proposal"], design)


def design_language(design: "TaskDesign") -> str:
    """Return the language that a design's file is written in: that of its own words."""
    from ia.faculties.schedule import wish_parser

    return wish_parser.detect_language(design.prompt + design.because)


def next_run_times(design: "TaskDesign") -> list[str]:
    """Return the next run times, were it approved now: ISO in the design's zone; none for an event."""
    from ia.faculties.schedule import slots
    from ia.kernel import clock

    return [slot.isoformat(timespec="minutes") for slot in slots.next_slots(design, clock.now(), NEXT)]


def find_same_proposal(scope: Scope, design: "TaskDesign") -> Kept | None:
    """Return the proposal that waits and says the same, whatever it is called.

    The same is: schedule and job, and of how it runs what the design asks for.
    """
    from ia.faculties.schedule.model import TaskDesign

    plain = TaskDesign("", "")
    for proposal, other in proposed_designs(scope):
        if all(getattr(other, field) == getattr(design, field) for field in _JOB) and all(
            getattr(design, field) in (getattr(plain, field), getattr(other, field)) for field in _POLICY
        ):
            return Kept(proposal.id, other, known=True)
    return None


def unknown_channels(design: "TaskDesign") -> list[str]:
    """Return the channels that a design names and nobody has set up: what it says would stay in the inbox."""
    from ia.kernel.errors import NotFound
    from ia.organs.channels import channel_registry

    lacking = []
    for name in design.notify:
        try:
            channel_registry.resolve_recipient(name)
        except NotFound:
            lacking.append(name)
    return lacking


def tasks_at_same_times(scope: Scope, design: "TaskDesign") -> list[str]:
    """Return the paths of other tasks at the very same times, files and proposals: perhaps one of them is enough."""
    when = ("schedule", "zone", "calendar")
    same = {
        each.path
        for each in _all_designs(scope)
        if all(getattr(each, field) == getattr(design, field) for field in when)
    }
    return sorted(same - {design.path})


def tasks_with_same_note(scope: Scope, design: "TaskDesign", *, named: bool = True) -> list[str]:
    """Return the paths of other tasks, files and proposals, that keep their result in the same note.

    named   its name is its own; else it gets another where that is taken
    """
    from ia.faculties.schedule.design import output_path

    found, note = set(), output_path(design)
    for each in _all_designs(scope):
        with contextlib.suppress(BadData):
            found |= {each.path} if output_path(each) == note else set()
    return sorted(found - {design.path} if named else found)


def separate_note(scope: Scope, design: "TaskDesign", *, named: bool = False) -> "TaskDesign":
    """Return a design whose note is of its own name, where another task has the one that rules choose for its kind."""
    from ia.faculties.schedule import wish_parser

    usual = design.produces and design.produces == wish_parser.suggest_note(
        design.schedule, design.prompt or design.run
    )
    return replace(design, produces="") if usual and tasks_with_same_note(scope, design, named=named) else design


def _all_designs(scope: Scope) -> "list[TaskDesign]":
    """Return the designs that wait, and those of the files in tasks/."""
    from ia.faculties.schedule.design import parse_design
    from ia.kernel.errors import IaError

    found = [other for _, other in proposed_designs(scope)]
    for path in scope.ws.list_paths("tasks"):
        with contextlib.suppress(IaError):
            found.append(parse_design(scope.ws.read(path) or "", path.rpartition("/")[2].removesuffix(".md")))
    return found


def runs_per_day(design: "TaskDesign") -> int:
    """Return how often a task runs on a day that it runs on; 0 for an event."""
    from ia.faculties.schedule.schedule_forms import IntervalSchedule, parse_parts, times_of

    return sum(
        max(1440 // part.minutes, 1) if isinstance(part, IntervalSchedule) else len(times_of(part))
        for part in parse_parts(design.schedule)
    )


def proposed_designs(scope: Scope) -> "list[tuple[Proposal, TaskDesign]]":
    """Return the task proposals that wait, each with what it says."""
    from ia.faculties.schedule.design import parse_design
    from ia.kernel import proposals

    found = []
    for proposal in proposals.pending_proposals(scope.ws):
        if proposal.kind == KIND:
            try:
                found.append(
                    (proposal, parse_design(proposal.after, proposal.path.rpartition("/")[2].removesuffix(".md")))
                )
            except BadData:
                continue
    return found


def choose_free_name(scope: Scope, design: "TaskDesign") -> "TaskDesign":
    """Return a design under a name that neither a file nor a waiting proposal has: weekly-review, weekly-review-2."""
    from ia.kernel import proposals

    taken = {proposal.path for proposal in proposals.pending_proposals(scope.ws) if proposal.kind == KIND}
    taken |= set(scope.ws.list_paths("tasks"))
    stem = re.sub(r"-\d{1,3}\Z", "", design.name)[:55] if design.path in taken else design.name
    number, name = 1, design.name
    while f"tasks/{name}.md" in taken:
        number += 1
        name = f"{stem}-{number}"
    return replace(design, name=name)
