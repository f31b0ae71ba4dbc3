"""What a task's turn is sent beside its question: its design, the files that its inputs name, what recall finds.

A person approved the design, so it speaks with the user's authority. A file that its `inputs` name is material: an
untrusted one is fenced, and the turn has then read text from outside. Of what recall finds for the subject, the
owner's words come first, and what is untrusted stays out: nobody has asked for it by name.
"""

import re
from datetime import datetime
from typing import NamedTuple

from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.tools.builtin.memory import fence_hit
from ia.agent.tools.scope import Scope
from ia.faculties.schedule.describe import describe_design
from ia.faculties.schedule.model import TaskDesign
from ia.faculties.taskbook import approved_tasks, run_store
from ia.kernel import config, untrusted
from ia.kernel.errors import BadData, IaError, Message, Notify
from ia.kernel.i18n import Voice
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.recall.authorship import OWNER
from ia.organs.recall.search import NOTES, Hit

MAX_FILES = 12
NEWEST = 5
"""Files of a folder that the inputs name: the newest."""
FILE_CHARACTERS = 4000
MAX_HITS = 6
_COMMAND = pattern(r"/([\w][\w-]*)")
_PLACE = pattern(r"(?<![\w./-])(?:[\w-]+/)+[\w.-]+\.(?:md|markdown|txt)(?![\w/-])", re.ASCII)
_NAME = pattern(r"[\w.-]", re.ASCII)
_ANY_DATE = pattern(r"(?:DATE|TIME|YYYY|\*)[\w*-]*(?:\.md)?")


class TaskPrompt(NamedTuple):
    """The parts of a prompt that are a task's own; "" for one that has nothing in it.

    design    the approved text, and when it runs in words
    inputs    the files that it names, each below its path
    recalled  what recall finds for its subject, a line each
    origins   where the untrusted ones of the files are from
    """

    design: str
    inputs: str
    recalled: str
    origins: list[str]


def find_running_task(ws: Workspace) -> approved_tasks.Task | None:
    """Return the task whose run this process is a part of, as it was approved; None outside of a run."""
    number = config.run_number()
    if number is None:
        return None
    run = next(iter(run_store.select_runs(ws, "id = ?", (number,))), None)
    return None if run is None else approved_tasks.find_by_id(ws, run.task)


def write_task_prompt(ws: Workspace, design: TaskDesign, text: str, lang: str, notify: Notify) -> TaskPrompt:
    """Return the parts of a turn of a task.

    text    the whole file that was approved, or would be. notify: is told of a file that cannot be read
    """
    paths, absent = find_inputs(ws, design.inputs)
    shown, origins = _show_files(ws, paths, absent, lang, notify)
    return TaskPrompt(
        _show_design(design, text, lang), shown, "\n".join(_recall_subject(ws, design, paths, notify)), origins
    )


def _show_design(design: TaskDesign, text: str, lang: str) -> str:
    voice = Voice(lang)
    return "\n".join(
        [
            voice("This turn is a run of the task {name}. Its design, as the user approved it:", name=design.name),
            untrusted.remove_mark(text).strip(),
            voice("When, in words: {when}", when=describe_design(design, lang)),
        ]
    )


def find_inputs(ws: Workspace, inputs: str) -> tuple[list[str], list[str]]:
    """Return the paths of the workspace's notes that a text names, and the paths in it that there are not.

    A folder (`memory/observations/`), and a path with DATE or `*` in it, stand for its newest files. `notebook/` may be
    left out, as in `produces`.
    """
    known = [path for folder in NOTES for path in ws.list_paths(folder)] if inputs else []
    rest, found = inputs, []
    for path in sorted(known, key=len, reverse=True):
        for name in (path, path.removeprefix("notebook/")):
            if "/" in name and (at := _find_name(rest, name)) is not None:
                found.append((at, [path]))
                rest = rest[:at] + " " * len(name) + rest[at + len(name) :]
    folders = {path[: at + 1] for path in known for at, char in enumerate(path) if char == "/"}
    for folder in sorted(folders, key=len, reverse=True):
        for name in (folder, folder.removeprefix("notebook/")):
            if name and (at := _find_folder(rest, name)) is not None:
                found.append((at, _newest_files(ws, folder, known)))
                rest = rest[:at] + " " * len(name) + _ANY_DATE.sub(" ", rest[at + len(name) :], count=1)
                rest += " " * (len(inputs) - len(rest))
    named = dict.fromkeys(path for _, paths in sorted(found) for path in paths)
    return list(named), list(dict.fromkeys(_PLACE.findall(rest)))


def _find_name(text: str, name: str) -> int | None:
    """Return where a path stands in a text as a whole, not as a piece of a longer one."""
    at = text.find(name)
    while at >= 0:
        end = text[at + len(name) : at + len(name) + 1]
        if not _continues(text[:at]) and not (end == "/" or (_NAME.match(end) and end != ".")):
            return at
        at = text.find(name, at + 1)
    return None


def _find_folder(text: str, name: str) -> int | None:
    """Return where a folder stands in a text, and no file of it but one whose name is open (DATE, `*`)."""
    at = text.find(name)
    while at >= 0:
        after = text[at + len(name) :]
        if not _continues(text[:at]) and (_ANY_DATE.match(after) or not _NAME.match(after)):
            return at
        at = text.find(name, at + 1)
    return None


def _continues(before: str) -> bool:
    """Whether what stands before a path is a piece of a path too."""
    return bool(before) and (before[-1] == "/" or bool(_NAME.match(before[-1])))


def _newest_files(ws: Workspace, folder: str, known: list[str]) -> list[str]:
    inside = [path for path in known if path.startswith(folder)]
    return sorted(inside, key=lambda path: (_time_written(ws, path), path), reverse=True)[:NEWEST]


def _time_written(ws: Workspace, path: str) -> datetime:
    try:
        return ws.written_at(path)
    except IaError:
        return datetime.fromisoformat("1970-01-01T00:00+00:00")


def _show_files(ws: Workspace, paths: list[str], absent: list[str], lang: str, notify: Notify) -> tuple[str, list[str]]:
    """Return the files below their paths, and the origins of the untrusted ones."""
    voice, shown, origins = Voice(lang), [], []
    for path in paths[:MAX_FILES]:
        try:
            text = ws.read(path)
        except IaError as exc:
            notify(Message("{path}: {reason}", path=path, reason=exc))
            continue
        if text is None:
            continue
        origin = untrusted.origin_of(text)
        if origin is None:
            body = _shorten(text.strip(), voice)
        else:
            origins.append(origin)
            body = untrusted.fence_text(untrusted.remove_mark(text), origin, FILE_CHARACTERS)
        shown.append(f"## {path}\n{body}")
    if left := paths[MAX_FILES:]:
        shown.append(voice("For want of room not shown: {paths}", paths=", ".join(left)))
    if absent:
        shown.append(voice("Not there: {paths}", paths=", ".join(absent)))
    return "\n\n".join(shown), origins


def _shorten(text: str, voice: Voice) -> str:
    """Return the beginning of a text, cut at a line, that says how much is missing."""
    if len(text) <= FILE_CHARACTERS:
        return text
    kept = text[:FILE_CHARACTERS].rpartition("\n")[0] or text[:FILE_CHARACTERS]
    return f"{kept}\n" + voice("… ({count} more characters)", count=len(text) - len(kept))


def subject_of(design: TaskDesign) -> str:
    """Return what a task is about, as it is searched for: the securities of its prompt, else the prompt's words.

    >>> subject_of(TaskDesign("daily-moutai", "0 9 * * *", prompt="/research 600519"))
    '600519.SH 贵州茅台'
    >>> subject_of(TaskDesign("weekly", "0 9 * * 5", prompt="/review 市场情绪"))
    'review 市场情绪'
    """
    named = find_mentions(design.prompt) or find_mentions(design.because)
    if named:
        return " ".join(" ".join(filter(None, (each.code, each.symbol.name))) for each in named)
    return _COMMAND.sub(r"\1", design.prompt, count=1).strip() or design.name


def _recall_subject(ws: Workspace, design: TaskDesign, given: list[str], notify: Notify) -> list[str]:
    """Return what recall finds for a task's subject, the owner's words first; nothing that is untrusted."""
    from ia.wiring.searchable_records import recall_everything

    try:
        hits = recall_everything(ws, subject_of(design)[:500], limit=3 * MAX_HITS)
    except BadData:  # a prompt without letters or digits
        return []
    except IaError as exc:
        notify(Message("recall is not available to this turn: {reason}", reason=exc))
        return []
    kept = [hit for hit in hits if _may_come_along(ws, hit, given)]
    kept = sorted(kept, key=lambda hit: hit.author != OWNER)[:MAX_HITS]
    return [f"- {hit.source} ({hit.date}, {hit.author}): {' '.join(hit.content.split())}" for hit in kept]


def _may_come_along(ws: Workspace, hit: Hit, given: list[str]) -> bool:
    """Whether a hit is trusted, and neither there already nor a question that a run of a task was asked."""
    if hit.source in given or hit.source.startswith("sessions/task-"):
        return False
    probe = Scope(ws, actor="ia")
    fence_hit(probe, hit)
    return not probe.origins
