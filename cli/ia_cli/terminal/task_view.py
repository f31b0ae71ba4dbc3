"""A task, an approval and a run as a person reads them, and as JSON."""

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message
from ia_cli.terminal.confirmation import ask_consent
from ia_cli.terminal.output import emit_json, escape_controls, notify
from ia_cli.terminal.text import lang, say, tr

if TYPE_CHECKING:
    from ia.faculties.schedule.model import TaskDesign
    from ia.faculties.taskbook.approved_tasks import Listed
    from ia.faculties.taskbook.run_store import TaskRun
    from ia.kernel.workspace import Workspace

NEXT = 5
PATIENCE = 3
"""Seconds until a person at a terminal is told that it goes on."""
TASK = "task"
"""The kind of proposals that are about a task."""


def require_person() -> None:
    """Raise Refused inside a task's run: there is no person to decide."""
    from ia.kernel import config
    from ia.kernel.errors import Refused

    if config.run_number() is not None:
        raise Refused("a task's run cannot take this decision; run the command at a terminal yourself")


def approve_task(ws: "Workspace", which: str | int, *, yes: bool, as_json: bool) -> None:
    """Show a task, ask, and enter it into the book and the crontab."""
    from ia.faculties.taskbook import approved_tasks
    from ia.kernel import clock, config
    from ia.kernel.errors import Refused
    from ia.reach.tasks import decisions

    require_person()
    name, before, text, number = approved_tasks.find_text_to_approve(ws, which)
    design = approved_tasks.parse_valid_design(text, name, config.env("TZ", "") or "")
    click.echo(escape_controls(_approval_text(ws, design, before, text, number)), err=True, nl=False)
    if not yes and not ask_consent(say("Approve task {name}?", name=name)):
        raise Refused("task {name} was not approved", name=name)
    by = "user with --yes" if yes else "user at a terminal"
    done = decisions.approve_task(ws, which, by=by, notify=notify, expect=text)
    found = next(each for each in approved_tasks.list_tasks(ws) if each.name == done.name)
    coming = next(iter(next_run_times(found, 1)), None)
    if coming is not None:
        notify(Message("added to your crontab; next run {time}", time=_format_zoned_time(coming)))
    if clock.is_simulated():
        notify(Message("--now applies only to this command; cron starts the task by the real clock"))
    if as_json:
        emit_json(task_row(ws, found, people=False))
    else:
        sys.stdout.write(f"{design.path}\n")


@contextlib.contextmanager
def tell_when_slow() -> Iterator[None]:
    """Say at a terminal, after a while, that something runs."""
    if not sys.stderr.isatty():
        yield
        return
    import threading

    told = threading.Timer(PATIENCE, notify, [Message("still running; see `ia task history`")])
    told.daemon = True
    told.start()
    try:
        yield
    finally:
        told.cancel()


def task_row(
    ws: "Workspace", each: "Listed", *, people: bool, whole: bool = False, short: bool = False, codes: bool = False
) -> dict[str, Any]:
    """Return a task as a row of the list; whole: with its text, its next times, its runs and its environment.

    short: for a table, without what `ia task show` says of when it runs besides. codes: for a pipe, the state in the
    words of JSON, whatever the language.
    """
    from ia.faculties.alerts.definition import find_alert
    from ia.faculties.taskbook import run_store

    design, task = each.design, each.task
    last = next(iter(run_store.list_runs(ws, each.name, 1)), None)
    coming = next_run_times(each) if whole else next_run_times(each, 1)
    row: dict[str, Any] = {
        "name": each.name,
        "state": tr(each.state) if people and not codes else each.state,
        "when": _format_schedule(design)
        if design
        else say(each.problem.template, **each.problem.params)
        if each.problem
        else None,
        "next": next(iter(coming), None),
        "last": last.started if last else None,
        "status": last.status if last else None,
        "proposal": each.proposal,
    }
    if people:
        row |= {name: _format_task_time(row[name], design) for name in ("next", "last")}
        if each.state == "edited" and each.problem is not None and not codes:
            row["state"] += say(", invalid: {reason}", reason=each.problem)
        if each.proposal is not None:
            row["state"] += (
                f" #{each.proposal}" if short or codes else say(" (proposal {number})", number=each.proposal)
            )
        if short and last is not None and last.state == run_store.FAILED:
            row["status"] = say("failed {status}", status=last.status)
        elif short and last is not None and last.status == 1 and design is not None and find_alert(design) is not None:
            row["status"] = tr("not true yet")
        if short and row["when"]:
            row["when"] = row["when"].split(" (")[0].split("（")[0]
        return row
    row["schedule"] = design.schedule if design else None
    row["approved"] = task.approved if task else None
    row["problem"] = str(each.problem) if each.problem else None
    if whole:
        row |= {"upcoming": coming, "text": _task_text(ws, each), "environment": task.environment if task else {}}
        row["approved_by"] = task.by if task else None
        row["runs"] = [history_row(run, people=False) for run in run_store.list_runs(ws, each.name, 10)]
    return row


def next_run_times(each: "Listed", count: int = NEXT) -> list[str]:
    """Return when a task will run next, UTC stamps; of one that rests none."""
    from ia.faculties.taskbook.task_times import coming_slots
    from ia.kernel import clock

    return [clock.utc_stamp(slot) for slot in coming_slots(each, count)]


def format_task(ws: "Workspace", each: "Listed") -> str:
    """Return all that there is to say of a task."""
    from ia.faculties.taskbook import run_store
    from ia_cli.terminal import task_draft as _draft

    row = task_row(ws, each, people=True)
    lines = [f"{each.name}\t{row['state']}", f"{tr('when')}\t{row['when'] or '-'}"]
    if each.task is not None:
        lines.append(say("approved {time} by {by}", time=format_local_time(each.task.approved), by=each.task.by))
    lines += _next_time_lines(next_run_times(each), each)
    if each.design is not None and (remark := _draft.holiday_remark(each.design, next_run_times(each))):
        lines.append(f"{tr('note')}\t{remark}")
    lines += ["", _task_text(ws, each).rstrip("\n"), ""]
    made = run_store.list_runs(ws, each.name, 5)
    if made:
        lines.append(tr("last runs") + ":")
        for run in made:
            told = history_row(run, people=True)
            lines.append("  " + "\t".join(str(told[name] or "-") for name in ("time", "state", "status", "report")))
    if each.task is not None and each.task.environment:
        lines.append(tr("environment of its runs") + ":")
        lines += [f"  {name}={value}" for name, value in sorted(each.task.environment.items())]
    return "\n".join(lines) + "\n"


def _approval_text(ws: "Workspace", design: "TaskDesign", before: str, text: str, number: int | None) -> str:
    """Return what a person sees before approving: who proposes it, what would run and when, and what differs."""
    from ia.kernel import proposals
    from ia_cli.terminal import proposal_view as _proposal
    from ia_cli.terminal import task_draft as _draft

    if number is not None:
        proposal = proposals.get_proposal(ws, number)
        return _proposal.format_proposal(ws, proposal, *proposals.compute_outcome(ws, proposal))
    difference = proposals.render_diff(before, text, design.path) if before not in ("", text) else ""
    return "".join(line + "\n" for line in [design.path, *_draft.design_lines(design), ""]) + difference


def history_row(run: "TaskRun", *, people: bool, codes: bool = False) -> dict[str, Any]:
    """Return a run as a row; codes: state and reason in the words of JSON, whatever the language."""
    from ia.reach.tasks.reporting import first_row

    row: dict[str, Any] = {
        "run": run.id,
        "task": run.name,
        "time": run.started,
        "slot": run.slot,
        "state": run.state,
        "why": run.why,
        "attempt": run.attempt,
        "status": run.status,
        "report": run.report,
        "said": run.reason or run.summary,
        "ended": run.ended,
        "retry_at": run.retry_at,
    }
    if people:
        if not codes:
            row["state"], row["why"] = tr(run.state), tr(run.why)
        if run.slot[:1].isdigit():
            row["slot"] = format_local_time(run.slot)
        elif not codes:  # a run by hand has its moment in the column of times
            row["slot"] = tr(run.why)
        row["said"] = first_row(row["said"] or "")
        if run.retry_at and not codes:
            row["state"] += say(", retry {time}", time=format_local_time(run.retry_at))
    else:
        row |= {"summary": run.summary, "reason": run.reason, "pending": run.data.get("pending", [])}
        del row["said"]
    return row


def format_local_time(stamp: str | None) -> str | None:
    """Return a UTC stamp as people read it."""
    if not stamp:
        return None
    from datetime import datetime

    from ia.kernel.workspace import to_local as here

    return here(datetime.fromisoformat(stamp)).strftime("%Y-%m-%d %H:%M")


def _format_zoned_time(stamp: str) -> str:
    """Return a UTC stamp in the user's zone, which is named."""
    from datetime import datetime

    from ia.faculties.schedule import zones

    own = zones.wish_zone()
    return f"{datetime.fromisoformat(stamp).astimezone(own):%Y-%m-%d %H:%M} {own}"


def _format_schedule(design: "TaskDesign") -> str:
    from ia.faculties.schedule.describe import describe_design as in_words

    return in_words(design, lang())


def _next_time_lines(stamps: list[str], each: "Listed") -> list[str]:
    return (
        [tr("next runs") + ":", *(f"  {_format_task_time(stamp, each.design)}" for stamp in stamps)] if stamps else []
    )


def _format_task_time(stamp: str | None, design: "TaskDesign | None") -> str | None:
    """Return a UTC stamp in the zone that a task's schedule is in, which is named where it is not the reader's."""
    if stamp is None or design is None:
        return format_local_time(stamp)
    from datetime import datetime

    from ia.faculties.schedule.slots import display_zone
    from ia.kernel.workspace import to_local as here

    zone = display_zone(design)
    moment = datetime.fromisoformat(stamp)
    there = moment.astimezone(zone)
    own = here(moment).utcoffset() == there.utcoffset()
    return f"{there:%Y-%m-%d %H:%M}" + ("" if own else f" {zone.key}")


def _task_text(ws: "Workspace", each: "Listed") -> str:
    """Return the text that runs; of a file that waits for approval its own, of a proposal what it would be."""
    from ia.kernel import proposals

    if each.task is not None:
        return each.task.text
    text = ws.read(f"tasks/{each.name}.md")
    if text is None and each.proposal is not None:
        text = proposals.get_proposal(ws, each.proposal).after
    return text or ""
