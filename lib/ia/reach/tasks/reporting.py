"""What comes of a run: a note that keeps the result, a summary, and the message that tells the user.

A turn's reply is the report, unless the turn wrote a note into that very folder itself; of a pipeline it is what was
printed. What text from outside had a part in is kept as untrusted until the user accepts it.
"""

import json
import re
from dataclasses import dataclass, field
from datetime import datetime

from ia.faculties.schedule.model import Design
from ia.kernel import config, outside, proposals
from ia.kernel.errors import BadData, IaError, Message
from ia.kernel.workspace import Workspace
from ia.organs import notebook
from ia.reach.tasks import places
from ia.reach.tasks.book import Task
from ia.reach.tasks.children import Ended
from ia.reach.tasks.runs import Run

LATE = 600
"""Seconds after its slot from which on a run is late."""
IDLE = (
    "内置分析员没有读懂这件事：换个说法，或设一个模型（`ia config set model …`）",
    "the embedded analyst did not understand the job: reword it, or set a model (`ia config set model …`)",
)
"""Why a turn of the embedded analyst that did nothing has failed; it would not understand it the next time either."""
MAX_SUMMARY = 700
_LINES = 8


@dataclass
class Result:
    """What a run brought forth. origins: where text from outside came from; pending: proposals that wait.

    idle    the embedded analyst was asked, and looked at nothing: it did not understand what to do
    no      a pipeline found nothing, or its condition did not hold: nobody is told, and no note is kept
    """

    text: str
    origins: list[str] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)
    simulated: bool = False
    idle: bool = False
    no: bool = False


@dataclass(frozen=True)
class Report:
    """Where the result lies (None: nowhere), and what the user is told of it."""

    path: str | None
    summary: str
    pending: tuple[int, ...]


def result(ws: Workspace, design: Design, run: Run, ended: Ended) -> Result:
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
        no = ended.status == 1 and (ended.cut or not _rows(ended.output))
        text = "" if no else _fenced(ended.output, design)
        return Result(text, _read_outside(ws, design, run), pending, ended.simulated, no=no)
    try:
        said = json.loads(ended.output)
        reply, turn = str(said["reply"]), str(said["turn"])
        used = {str(tool["name"]).replace("_", ".") for tool in said["tools"]}
        idle = said["model"] == "ia-offline" and used <= {"skills.list"}
    except (ValueError, KeyError, TypeError):
        raise BadData("the turn of run {run} did not say what came of it", run=run.id) from None
    return Result(reply, _origins(ws, run, turn), pending, ended.simulated, idle)


def origins(ws: Workspace, task: Task, run: Run) -> list[str]:
    """Return where text from outside came from that a run has read, also one that failed; in doubt it is named."""
    try:
        design = task.design
    except IaError:
        return [outside.UNKNOWN]
    return _read_outside(ws, design, run) if design.run else _origins(ws, run)


def _origins(ws: Workspace, run: Run, turn: str = "") -> list[str]:
    """Return where the text came from that the answers of a run had read; of one turn, or of all since it began."""
    rows = ws.db.execute(
        "SELECT origins FROM messages WHERE id > ? AND role = 'assistant' AND origins IS NOT NULL"
        " AND (?2 = '' OR turn = ?2)",
        (run.data.get("message", 0), turn),
    )
    told = (origin for (text,) in rows if text for origin in json.loads(text))
    came = str(run.data.get("origin") or "stdin")  # an event's content is given to the turn on standard input
    return list(dict.fromkeys(came if origin == "stdin" else origin for origin in told))


def _read_outside(ws: Workspace, design: Design, run: Run) -> list[str]:
    """Return where text from outside may have come from that a pipeline printed; in doubt it is named.

    Figures come from nowhere else; what shows files or talk may show untrusted ones, if there are any.
    """
    from ia.reach.tasks.pipeline import shows

    names = shows(design.run)
    found = [f"ia {name}" for name in sorted(names & {"tool", "provider", "fork", "skill"})]
    if names & {"recall", "pending", "task", "log"} or any(" " in name for name in names):
        for path in [*ws.paths("notebook"), *ws.paths("memory")]:
            try:
                origin = outside.origin_of(ws.read(path) or "")
            except IaError:
                origin = outside.UNKNOWN
            found += [origin] if origin else []
    if names & {"pending", "task", "log"}:
        found += [origin for each in proposals.pending(ws) for origin in outside.origins_in(each.origin)]
    if names & {"log", "session", "context", "task", "send --list"}:
        found += _origins(ws, run._replace(data={}))
    return list(dict.fromkeys([*found, *_origins(ws, run)]))


def first_row(summary: str) -> str:
    """Return the first line of a summary that says something: of a table its first row, not its header."""
    rows = _rows(summary) or [""]
    return rows[0].replace("\t", " ")


def _rows(output: str) -> list[str]:
    """Return the lines of an output, without the header of a table: a line of words between tabs before all others."""
    lines = [line for line in output.splitlines() if line.strip()]
    words = lines[0].split("\t") if lines else []
    header = len(words) > 1 and all(re.fullmatch(r"[a-z][a-z0-9_]*", word) for word in words)
    return lines[1:] if header else lines


def _fenced(output: str, design: Design) -> str:
    """Return what a pipeline printed as it may stand in a note: tables and figures keep their columns."""
    text = output.strip("\n")
    plain = design.run.rsplit("|", 1)[-1].split()[1:2] in (["turn"], ["note"], ["memory"])
    if not text or plain or "```" in text or text.startswith("#") or ("\n" not in text and "\t" not in text):
        return text
    return f"```\n{text}\n```"


def reported(ws: Workspace, task: Task, design: Design, run: Run, found: Result) -> Report:
    """Keep a result as a note where the design wants one, and return what to tell of it."""
    lang = language(task)
    own = places.own_note(ws, design, run)
    path = own
    if own is None and found.text.strip():
        path = _kept(ws, design, run, found, lang)
    summary = (
        speak(lang, "条件不成立，无事可报", "the answer is no: nothing to tell") if found.no else _summary(found, lang)
    )
    return Report(path, summary, tuple(found.pending))


def _kept(ws: Workspace, design: Design, run: Run, found: Result, lang: str) -> str:
    text = _headed(design, run, found, lang)
    path = places.of(design, run)
    if not found.origins:
        notebook.write(ws, path, text, actor=f"task {run.name}")
        return path
    with ws.lock():
        before = ws.read(path)
        if before is not None and outside.origin_of(before) is None:
            path = path.removesuffix(".md") + "-untrusted.md"
        text = outside.untrusted(text, found.origins)
        ws.write(path, text, actor=f"task {run.name}", event="note.untrusted", origins=found.origins)
        waiting = [p for p in proposals.pending(ws) if (p.kind, p.path) == (proposals.TRUST, path)]
        if not waiting:
            because = f"[untrusted: {', '.join(found.origins)}] task {run.name}"
            waiting = [proposals.propose(
                ws, proposals.TRUST, path, proposals.trusted(text), because=because, origin=f"run {run.id}",
                actor=f"task {run.name}",
            )]  # fmt: skip
        found.pending.append(waiting[0].id)
    return path


def _headed(design: Design, run: Run, found: Result, lang: str) -> str:
    """Return the note: front matter that says what it is, the result, and that prices were invented if they were."""
    head = [f"task: {run.name}", f"slot: {_shown(run, design)}", f"run: {run.id}"]
    if late(run):
        head.append(f"ran: {_local(run.started, design)} ({speak(lang, '补跑', 'late')})")
    body = found.text.strip("\n")
    if found.simulated:
        head.append("prices: simulated")
        if "模拟" not in body and "simulated" not in body.lower():
            body += "\n\n" + speak(lang, "**行情是模拟的**，数字只演示方法。", "**The prices are simulated**.")
    return "---\n" + "\n".join(head) + "\n---\n" + body + "\n"


def moment_told(run: Run, design: Design, lang: str) -> str:
    """Return the lines that tell a turn which moment it works for, and where its report belongs."""
    from ia.agent.prompt_format import format_slot

    when, path = _local(run.slot if run.slot[:1].isdigit() else run.started, design), places.of(design, run)
    return format_slot(when, path.removeprefix("notebook/"), lang)


def late(run: Run) -> bool:
    """Whether a run was begun long after its slot."""
    if not run.slot[:1].isdigit():
        return False
    return (datetime.fromisoformat(run.started) - datetime.fromisoformat(run.slot)).total_seconds() > LATE


def _shown(run: Run, design: Design) -> str:
    return _local(run.slot, design) if run.slot[:1].isdigit() else run.why


def _local(stamp: str, design: Design) -> str:
    from ia.faculties.schedule.slots import zone_of

    return datetime.fromisoformat(stamp).astimezone(zone_of(design)).strftime("%Y-%m-%d %H:%M %Z")


def _summary(found: Result, lang: str) -> str:
    """Return the first lines of a result, as they may be sent."""
    text = outside.folded(found.text) if found.origins else found.text
    lines = [line.strip() for line in text.splitlines() if line.strip() and line.strip() != "```"]
    said = "\n".join(lines[:_LINES])
    if len(said) > MAX_SUMMARY or len(lines) > _LINES:
        said = said[:MAX_SUMMARY].rstrip() + " …"
    if found.simulated and "模拟" not in said and "simulated" not in said.lower():
        said += "\n" + speak(lang, "（行情是模拟的）", "(the prices are simulated)")
    return said or speak(lang, "没有输出", "no output")


# telling


def told(task_name: str, run: Run, design: Design, lang: str) -> tuple[str, str]:
    """Return (title, text) of the message about a run that ended well."""
    lines = [run.summary or ""]
    if run.report:
        lines.append(speak(lang, "笔记：", "note: ") + run.report)
    if late(run):
        lines.append(speak(lang, f"补跑：原定 {_shown(run, design)}", f"late: it was due {_shown(run, design)}"))
    if run.slot[:1].isdigit() and (remark := _unknown_day(run, design)) is not None:
        day = remark.params["day"]
        zh = f"{day} 之后的交易日历未知：每个工作日都按交易日算，这一天可能是节假日（`ia sync` 可更新）"
        en = f"the trading days past {day} are not known: this may be a holiday (`ia sync` brings them)"
        lines.append(speak(lang, zh, en))
    lines += _stuck(run, lang)
    numbers = run.data.get("pending") or []
    if numbers:
        listed = ", ".join(map(str, numbers))
        lines.append(
            speak(lang, f"待批准的提案：{listed}（`ia pending`）", f"proposals that wait: {listed} (`ia pending`)")
        )
    return task_name, "\n".join(lines)


def _unknown_day(run: Run, design: Design) -> Message | None:
    from ia.faculties.schedule.slots import unknown

    return unknown(design, [datetime.fromisoformat(run.slot)])


def failed(name: str, run: Run, lang: str) -> tuple[str, str]:
    """Return (title, text) of the message about a run that failed for good."""
    said = speak(lang, f"任务 {name} 失败：{run.reason}", f"task {name} failed: {run.reason}")
    more = speak(lang, f"详情：`ia task history --log {run.id}`", f"more: `ia task history --log {run.id}`")
    return name, "\n".join([said, *_stuck(run, lang), more])


def _stuck(run: Run, lang: str) -> list[str]:
    """Return what to look at: files in which an attempt that died may have left something."""
    paths = ", ".join(run.data.get("stuck") or [])
    return (
        [
            speak(
                lang,
                f"请检查：{paths}，先前的尝试可能有残留",
                f"look at {paths}: an attempt before may have left something",
            )
        ]
        if paths
        else []
    )


def language(task: Task | None) -> str:
    """Return the language that the user had when the task was approved."""
    kept = task.environment if task else {}
    words = kept.get("IA_LANG") or kept.get("LC_ALL") or kept.get("LANG") or ""
    return "zh" if words.lower().startswith("zh") else "en" if words and words[:2] != "C." else config.locale_lang()


def speak(lang: str, zh: str, en: str) -> str:
    """Return the sentence in the user's language: a message is written where no terminal is."""
    return zh if lang == "zh" else en


def missed(task: Task, slots: list[datetime], lang: str, more: bool = False) -> tuple[str, str]:
    """Return (title, text) of the message about slots that were left out; more: there were others before."""
    many = (speak(lang, "超过 ", "more than ") if more else "") + str(len(slots))
    last = _local(slots[-1].isoformat(), task.design)
    zh = f"任务 {task.name} 错过了 {many} 次，按设定不补跑；最近一次是 {last}"
    en = f"task {task.name} missed {many} of its times and leaves them out, as it says; the last was {last}"
    return task.name, speak(lang, zh, en)


def unreadable(name: str, exc: Exception, lang: str) -> tuple[str, str]:
    """Return (title, text) of the message about a task whose approved text can no longer be read."""
    zh = f"任务 {name} 的已批准内容无法再解读，不会运行：{exc}\n改好后重新批准：`ia task approve {name}`"
    en = (
        f"task {name} does not run: what was approved can no longer be read: {exc}\n"
        f"mend tasks/{name}.md, and approve it again: `ia task approve {name}`"
    )
    return name, speak(lang, zh, en)
