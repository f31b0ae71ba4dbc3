"""tasks.propose: the alarm. A design that a person reads and approves; nothing is scheduled before that."""

import json
import re
from typing import Annotated, Any

from ia.errors import BadData, Refused, UsageError
from ia.tools import gate, writes
from ia.tools.registry import CONFIRM, tool
from ia.tools.scope import Scope

FOLDER = "tasks"
MAX_PROMPT = 8000
_CRON = re.compile(r"@[a-z]+|(?:[\d*/,-]+ +){2}[\dA-Za-z*/,#-]+(?: +[\dA-Za-z*/,#-]+){2}")

_LABELS = {
    True: {
        "title": "任务", "schedule": "频率", "prompt": "要做的事", "inputs": "输入", "produces": "产物",
        "notify": "通知", "on_failure": "失败策略", "because": "为什么",
    },
    False: {
        "title": "Task", "schedule": "When", "prompt": "What", "inputs": "Input", "produces": "Output",
        "notify": "Notify", "on_failure": "On failure", "because": "Why",
    },
}  # fmt: skip
_UNSAID = {
    True: {"inputs": "任务自己取用", "produces": "只作答，不写文件", "notify": "不通知", "on_failure": "记录下来"},
    False: {"inputs": "what the task itself fetches", "produces": "the reply only", "notify": "nobody",
            "on_failure": "it is recorded"},
}  # fmt: skip


@tool("tasks.propose", CONFIRM)
def propose(
    scope: Scope,
    name: Annotated[str, "short name: weekly-review"],
    schedule: Annotated[str, "five cron fields (`0 16 * * 5`), or plain words (每周五收盘后)"],
    prompt: Annotated[str, "what is to be done each time, as one would ask for it"],
    produces: Annotated[str, "the file it writes: reports/weekly/DATE.md"] = "",
    notify: Annotated[str, "who is told of the result, and how"] = "",
    on_failure: Annotated[str, "what happens when it fails: retry after 1h, then notify"] = "",
    inputs: Annotated[str, "what it reads: observations of the week, tracking"] = "",
    because: Annotated[str, "why the user wants it"] = "",
) -> dict[str, Any]:
    """Propose a task that runs by itself at certain times. The user reads the design and decides."""
    gate.way(scope, "tasks", confirm=True)
    given = {
        "schedule": schedule, "prompt": prompt, "inputs": inputs, "produces": produces, "notify": notify,
        "on_failure": on_failure, "because": because,
    }  # fmt: skip
    fields = {key: " ".join(writes.clean(scope, value).split()) for key, value in given.items()}
    slug = slug_of(writes.clean(scope, name))
    if not fields["schedule"] or not fields["prompt"]:
        raise UsageError("a task needs a schedule and a prompt")
    if any(len(value) > MAX_PROMPT for value in fields.values()):
        raise BadData("a task's text has at most {limit} characters", limit=MAX_PROMPT)
    _valid(fields["schedule"])
    path = f"{FOLDER}/{slug}.md"
    text = design(slug, fields)
    _not_waiting(scope, path, text)
    return writes.proposed(scope, "task", path, text, fields["because"])


def slug_of(name: str) -> str:
    """Return a task's name as a file's.

    raises  UsageError for one without letters or digits, or too long.
    """
    slug = re.sub(r"[^\w]+", "-", name).strip("-_").lower()
    if not slug or len(slug) > 60:
        raise UsageError("{name!r} is not a name for a task", name=name[:80], hint="a short one: weekly-review")
    return slug


def design(name: str, fields: dict[str, str]) -> str:
    """Return a task's file: its fields as front matter, and the same for a person to read."""
    chinese = any("\u4e00" <= char <= "\u9fff" for char in fields["schedule"] + fields["prompt"])
    labels, unsaid = _LABELS[chinese], _UNSAID[chinese]
    colon = "：" if chinese else ": "
    head = {"name": name, **{key: value for key, value in fields.items() if value}}
    front = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    body = [f"- {labels[key]}{colon}{value or unsaid[key]}" for key, value in fields.items() if value or key in unsaid]
    return "\n".join(["---", *front, "---", "", f"# {labels['title']}{colon}{name}", "", *body]) + "\n"


def _valid(schedule: str) -> None:
    """Raise BadData for a schedule that means to be cron's and is not."""
    if not _CRON.fullmatch(schedule):
        return
    from crontab import CronSlices

    try:
        valid = bool(CronSlices.is_valid(schedule))
    except (ValueError, KeyError):
        valid = False
    if not valid:
        raise BadData(
            "{schedule!r} is no cron schedule", schedule=schedule[:80],
            hint="minute hour day month weekday, such as `0 16 * * 5`; or say it in words",
        )  # fmt: skip


def _not_waiting(scope: Scope, path: str, text: str) -> None:
    """Raise Refused where another design of that name waits: approving both would mix them."""
    from ia import proposals

    for waiting in proposals.pending(scope.ws):
        if waiting.path == path and waiting.kind == "task" and waiting.after != text:
            raise Refused(
                "{path}: another design of that name waits: proposal {number}", path=path, number=waiting.id,
                hint="give it another name, or let the user drop that one: `ia reject {number}`",
            )  # fmt: skip
