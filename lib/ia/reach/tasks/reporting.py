"""What comes of a run: a note that keeps the result, a summary, and the message that tells the user.

A turn's reply is the report, unless the turn wrote a note into that very folder itself; of a pipeline it is what was
printed. What text from outside had a part in is kept as untrusted until the user accepts it.
"""

import json
import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from ia.faculties.alerts.definition import find_alert
from ia.faculties.schedule.model import TaskDesign
from ia.faculties.taskbook import approved_tasks, run_store
from ia.faculties.taskbook.approved_tasks import Task
from ia.faculties.taskbook.run_store import TaskRun
from ia.faculties.taskbook.task_times import LATE
from ia.kernel import clock, config, proposals, untrusted
from ia.kernel.errors import BadData, IaError, Message, UsageError
from ia.kernel.i18n import Voice, mark_text
from ia.kernel.workspace import Workspace
from ia.organs import notebook
from ia.organs.channels.previews import preview_lines
from ia.reach.tasks import report_paths
from ia.reach.tasks.child_processes import ChildExit
from ia.reach.tasks.message_digest import digest_report

IDLE = mark_text("the embedded analyst did not understand the job: reword it, or set a model (`ia config set model …`)")
"""Why a turn of the embedded analyst that did nothing has failed; it would not understand it the next time either."""


@dataclass
class TaskResult:
    """What a run brought forth. origins: where text from outside came from; pending: proposals that wait.

    idle    the embedded analyst was asked, and looked at nothing: it did not understand what to do
    no      a pipeline found nothing, or its condition did not hold: nobody is told, and no note is kept
    summary what a command of the pipeline says in one sentence it has done: the first line of the note, and the message
    """

    text: str
    origins: list[str] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)
    simulated: bool = False
    idle: bool = False
    no: bool = False
    summary: str = ""


@dataclass(frozen=True)
class TaskReport:
    """Where the result lies (None: nowhere), and what the user is told of it."""

    path: str | None
    summary: str
    pending: tuple[int, ...]


def collect_result(ws: Workspace, design: TaskDesign, run: TaskRun, ended: ChildExit) -> TaskResult:
    """Return what the processes of a run brought forth.

    raises  BadData where a turn did not say what it should.
    """
    pending = [
        number
        for (number,) in ws.db.execute(
            "SELECT id FROM proposals WHERE run = ? AND id > ? AND state = 'pending' ORDER BY id",
            (run.id, run.data.get("proposal", 0)),
        )
    ]
    if design.run:
        no = ended.status == 1 and (ended.cut or not _output_rows(ended.output))
        text = "" if no else _fence_output(ended.output, design)
        if ended.summary and text:
            text = f"{ended.summary}\n\n{text}"
        origins = _outside_origins(ws, design, run)
        return TaskResult(text, origins, pending, ended.simulated, no=no, summary=ended.summary)
    try:
        said = json.loads(ended.output)
        reply, turn = str(said["reply"]), str(said["turn"])
        used = {str(tool["name"]).replace("_", ".") for tool in said["tools"]}
        idle = not said["understood"] or (said["model"] == "ia-offline" and used <= {"skills.list"})
    except (ValueError, KeyError, TypeError):
        raise BadData("the turn of run {run} returned no valid result", run=run.id) from None
    return TaskResult(reply, _message_origins(ws, run, turn), pending, ended.simulated, idle)


def collect_origins(ws: Workspace, task: Task, run: TaskRun) -> list[str]:
    """Return where text from outside came from that a run has read, also one that failed; in doubt it is named."""
    try:
        design = task.design
    except IaError:
        return [untrusted.UNKNOWN]
    return _outside_origins(ws, design, run) if design.run else _message_origins(ws, run)


def _message_origins(ws: Workspace, run: TaskRun, turn: str = "") -> list[str]:
    """Return where the text came from that the answers of a run had read; of one turn, or of all since it began."""
    rows = ws.db.execute(
        "SELECT origins FROM messages WHERE id > ? AND role = 'assistant' AND origins IS NOT NULL"
        " AND (?2 = '' OR turn = ?2)",
        (run.data.get("message", 0), turn),
    )
    told = (origin for (text,) in rows if text for origin in json.loads(text))
    came = str(run.data.get("origin") or "stdin")  # an event's content is given to the turn on standard input
    return list(dict.fromkeys(came if origin == "stdin" else origin for origin in told))


def _outside_origins(ws: Workspace, design: TaskDesign, run: TaskRun) -> list[str]:
    """Return where text from outside may have come from that a pipeline printed; in doubt it is named.

    Figures come from nowhere else; what shows files or talk may show untrusted ones, if there are any.
    """
    from ia.faculties.taskbook.pipeline import list_commands

    names = list_commands(design.run)
    found = [f"ia {name}" for name in sorted(names & {"tool", "provider", "fork", "skill", "news"})]
    if names & {"recall", "pending", "task", "log"} or any(" " in name for name in names):
        for path in [*ws.list_paths("notebook"), *ws.list_paths("memory")]:
            try:
                origin = untrusted.origin_of(ws.read(path) or "")
            except IaError:
                origin = untrusted.UNKNOWN
            found += [origin] if origin else []
    if names & {"pending", "task", "log"}:
        found += [origin for each in proposals.pending_proposals(ws) for origin in each.origin.origins]
    if names & {"log", "session", "context", "task", "send --list", "inbox"}:
        found += _message_origins(ws, replace(run, data={}))
    return list(dict.fromkeys([*found, *_message_origins(ws, run)]))


def first_row(summary: str) -> str:
    """Return the first line of a summary that says something: of a table its first row, not its header."""
    rows = _output_rows(summary)
    return next(iter(preview_lines("\n".join(rows))), "")


def _output_rows(output: str) -> list[str]:
    """Return the lines of an output, without the header of a table: a line of words between tabs before all others."""
    lines = [line for line in output.splitlines() if line.strip()]
    words = lines[0].split("\t") if lines else []
    header = len(words) > 1 and all(re.fullmatch(r"[a-z][a-z0-9_]*", word) for word in words)
    return lines[1:] if header else lines


def _fence_output(output: str, design: TaskDesign) -> str:
    """Return what a pipeline printed as it may stand in a note: tables and figures keep their columns."""
    text = output.strip("\n")
    plain = design.run.rsplit("|", 1)[-1].split()[1:2] in (["turn"], ["note"], ["memory"], ["event"])
    if not text or plain or "```" in text or text.startswith("#") or ("\n" not in text and "\t" not in text):
        return text
    return f"```\n{text}\n```"


def write_report(ws: Workspace, task: Task, design: TaskDesign, run: TaskRun, found: TaskResult) -> TaskReport:
    """Keep a result as a note where the design wants one, and return what to tell of it."""
    lang = task_language(task)
    own = report_paths.find_own_note(ws, design, run)
    path = own
    if own is None and found.text.strip() and find_alert(design) is None:
        path = _write_note(ws, design, run, found, lang)
    summary = Voice(lang)("the answer is no: nothing to tell") if found.no else _summarize_result(found, lang)
    return TaskReport(path, summary, tuple(found.pending))


def _write_note(ws: Workspace, design: TaskDesign, run: TaskRun, found: TaskResult, lang: str) -> str:
    text = _format_note(design, run, found, lang)
    path = report_paths.run_report_path(design, run)
    if not found.origins:
        notebook.write_note(ws, path, text, actor=f"task {run.name}")
        return path
    with ws.lock():
        before = ws.read(path)
        if before is not None and untrusted.origin_of(before) is None:
            path = path.removesuffix(".md") + "-untrusted.md"
        text = untrusted.sanitize_text(text, found.origins)
        ws.write(path, text, actor=f"task {run.name}", event="note.untrusted", origins=found.origins)
        waiting = [p for p in proposals.pending_proposals(ws) if (p.kind, p.path) == (proposals.TRUST, path)]
        if not waiting:
            because = f"[untrusted: {', '.join(found.origins)}] task {run.name}"
            waiting = [
                proposals.propose(
                    ws,
                    proposals.TRUST,
                    path,
                    proposals.trust_text(text),
                    because=because,
                    origin=proposals.ProposalOrigin(origins=tuple(found.origins)),
                    actor=f"task {run.name}",
                )
            ]
        found.pending.append(waiting[0].id)
    return path


def _format_note(design: TaskDesign, run: TaskRun, found: TaskResult, lang: str) -> str:
    """Return the note: front matter that says what it is, the result, and that prices were invented if they were."""
    head = [f"task: {run.name}", f"slot: {_format_slot_time(run, design)}", f"run: {run.id}"]
    if is_late(run):
        head.append(f"ran: {_format_local_time(run.started, design)} ({Voice(lang)('late')})")
    body = found.text.strip("\n")
    if found.simulated:
        head.append("prices: simulated")
        body += "\n\n" + Voice(lang)("**The prices are simulated**.")
    return "---\n" + "\n".join(head) + "\n---\n" + body + "\n"


def format_moment(run: TaskRun, design: TaskDesign, lang: str) -> str:
    """Return the lines that tell a turn which moment it works for, and where its report belongs."""
    from ia.agent.prompt_format import format_slot

    when, path = (
        _format_local_time(run.slot if run.slot[:1].isdigit() else run.started, design),
        report_paths.run_report_path(design, run),
    )
    return format_slot(when, path.removeprefix("notebook/"), lang)


def turn_message(design: TaskDesign, run: TaskRun, lang: str) -> str:
    """Return what the turn of a run is asked: the approved prompt, and the lines of format_moment()."""
    return f"{design.prompt}\n{format_moment(run, design, lang)}"


class TurnPreview(NamedTuple):
    """What the turn of a task's next run will be asked, the design, and the text that it is written in."""

    message: str
    design: TaskDesign
    text: str


def preview_turn(ws: Workspace, name: str) -> TurnPreview:
    """Return what the next run of a task will ask, as of now(); of a draft, if it were approved now.

    Of an event, and of a task that never runs again, it is a run of this moment.
    raises  NotFound, BadData; UsageError for a task without a prompt: it asks no model.
    """
    from ia.faculties.schedule import slots

    name = approved_tasks.name_of(name)
    task = approved_tasks.find_approved(ws, name)
    text = task.text if task is not None else approved_tasks.find_text_to_approve(ws, name)[2]
    design = task.design if task is not None else approved_tasks.parse_valid_design(text, name, config.env("TZ") or "")
    if not design.prompt:
        raise UsageError(
            "task {name} runs a pipeline, not a prompt", name=name, hint="`ia task show {name}` shows what it runs"
        )
    now = clock.utc_stamp(clock.now())
    anchor = datetime.fromisoformat(task.since) if task is not None else clock.now()
    coming = next(iter(slots.next_slots(design, clock.now(), 1, anchor=anchor)), None)
    run = TaskRun(
        id=0, task=0, name=name, slot=clock.utc_stamp(coming) if coming is not None else now, why="schedule",
        state=run_store.RUNNING, attempt=1, started=now, ended=None, status=None, report=None, summary=None,
        reason=None, retry_at=None, data={},
    )  # fmt: skip
    return TurnPreview(turn_message(design, run, task_language(task)), design, text)


def is_late(run: TaskRun) -> bool:
    """Whether a run was begun long after its slot."""
    if not run.slot[:1].isdigit():
        return False
    return (datetime.fromisoformat(run.started) - datetime.fromisoformat(run.slot)).total_seconds() > LATE


def _format_slot_time(run: TaskRun, design: TaskDesign) -> str:
    return _format_local_time(run.slot, design) if run.slot[:1].isdigit() else run.why


def _format_local_time(stamp: str, design: TaskDesign) -> str:
    from ia.faculties.schedule.slots import schedule_zone

    return datetime.fromisoformat(stamp).astimezone(schedule_zone(design)).strftime("%Y-%m-%d %H:%M %Z")


def _summarize_result(found: TaskResult, lang: str) -> str:
    """Return what a message says of a result."""
    text = untrusted.fold_text(found.text) if found.origins else found.text
    said = found.summary or digest_report(text, lang)
    if found.simulated:
        first, *rest = said.split("\n")  # in the first line: no reader cuts it away
        voice = Voice(lang)
        told = voice("prices are simulated") in first or voice("simulated prices") in first
        mark = "" if told else voice("(the prices are simulated)")
        said = "\n".join([f"{first} {mark}".strip(), *rest])
    return said or Voice(lang)("no output")


# telling


def success_message(task_name: str, run: TaskRun, design: TaskDesign, lang: str) -> tuple[str, str]:
    """Return (title, text) of the message about a run that ended well."""
    lines, voice = [run.summary or ""], Voice(lang)
    if run.report:
        lines.append(voice("note: {path}", path=run.report))
    if is_late(run):
        lines.append(voice("late: it was due {time}", time=_format_slot_time(run, design)))
    if run.slot[:1].isdigit() and (remark := _find_unknown_day(run, design)) is not None:
        text = "the trading days past {day} are not known: this may be a holiday (`ia sync` brings them)"
        lines.append(voice(text, day=remark.params["day"]))
    lines += _stuck_lines(run, lang)
    numbers = run.data.get("pending") or []
    if numbers:
        lines.append(voice("proposals that wait: {numbers} (`ia pending`)", numbers=", ".join(map(str, numbers))))
    return task_name, "\n".join(lines)


def _find_unknown_day(run: TaskRun, design: TaskDesign) -> Message | None:
    from ia.faculties.schedule.slots import unknown_holidays_message

    return unknown_holidays_message(design, [datetime.fromisoformat(run.slot)])


def failure_message(name: str, run: TaskRun, lang: str) -> tuple[str, str]:
    """Return (title, text) of the message about a run that failed for good."""
    voice = Voice(lang)
    said = voice("task {name} failed: {reason}", name=name, reason=run.reason)
    more = voice("more: `ia task history --log {run}`", run=run.id)
    return name, "\n".join([said, *_stuck_lines(run, lang), more])


def _stuck_lines(run: TaskRun, lang: str) -> list[str]:
    """Return what to look at: files in which an attempt that died may have left something."""
    paths = ", ".join(run.data.get("stuck") or [])
    return [Voice(lang)("look at {paths}: an attempt before may have left something", paths=paths)] if paths else []


def task_language(task: Task | None) -> str:
    """Return the language that the user had when the task was approved."""
    kept = task.environment if task else {}
    words = kept.get("IA_LANG") or kept.get("LC_ALL") or kept.get("LANG") or ""
    return "zh" if words.lower().startswith("zh") else "en" if words and words[:2] != "C." else config.locale_lang()


def missed_message(task: Task, slots: list[datetime], lang: str, more: bool = False) -> tuple[str, str]:
    """Return (title, text) of the message about slots that were left out; more: there were others before."""
    voice, last = Voice(lang), _format_local_time(slots[-1].isoformat(), task.design)
    many = voice("more than {count}", count=len(slots)) if more else str(len(slots))
    text = "task {name} missed {count} of its times and leaves them out, as it says; the last was {time}"
    return task.name, voice(text, name=task.name, count=many, time=last)


def unreadable_message(name: str, exc: Exception, lang: str) -> tuple[str, str]:
    """Return (title, text) of the message about a task whose approved text can no longer be read."""
    text = (
        "task {name} does not run: what was approved can no longer be read: {reason}\n"
        "mend tasks/{name}.md, and approve it again: `ia task approve {name}`"
    )
    return name, Voice(lang)(text, name=name, reason=exc)
