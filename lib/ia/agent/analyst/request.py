"""What was asked: the wire format of a turn, taken apart again."""

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ia.agent.analyst.voice import Voice, language

_HEAD = re.compile(r"^【(时间|事件|用户问题|外部数据)】(.*)$")
_SECTION = re.compile(r"^【([^】\s]{1,12})】(.*)$")
_PART = re.compile(r"^=== (\w[\w -]*) ===$", re.M)
_FORM = re.compile(r"^\{\"points\": \[.*?\"artifacts\": \[.*?\]\}\s*", re.M | re.S)
_SLOT = re.compile(
    r"\n【(?:任务时点|task slot)】(\d{4}-\d\d-\d\d \d\d:\d\d)[^\n]*(?:产物写到|report goes to) ([^\n]+\.md)\s*\Z"
)


@dataclass
class Request:
    """A question with its time, the parts of the system prompt by name, what came along, and what was asked before.

    moment    when it was asked; of a task the moment that it runs for. place: where a task wants its report, below
              notebook/
    sections  of an event of the day: what stands under each of its headings
    """

    question: str
    moment: datetime
    speak: Voice
    event: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    data: str = ""
    before: list[str] = field(default_factory=list)
    form: bool = False
    bars: dict[str, Any] = field(default_factory=dict)
    place: str = ""
    sections: dict[str, str] = field(default_factory=dict)

    @property
    def wants_json(self) -> bool:
        """Whether it is a subagent's task, which is answered with an object of points, evidence and artifacts."""
        return self.form

    @property
    def day(self) -> str:
        """The date of the question, YYYY-MM-DD."""
        return self.moment.strftime("%Y-%m-%d")


def read(prompt: str, system: str, before: list[str], now: datetime, fallback: str) -> Request:
    """Return the request that a turn's prompt and system prompt are. A bare prompt is a question as it stands.

    before    earlier messages of the user, oldest first. fallback: the language where the question leaves it open.
    """
    heads = heads_of(prompt)
    question = heads.get("用户问题", prompt if not heads else "").strip()
    try:
        moment = datetime.fromisoformat(heads.get("时间", "").strip()).replace(tzinfo=now.tzinfo)
    except ValueError:
        moment = now
    question, moment, place = _slot(question, moment)
    question, form = _task(question)
    data = heads.get("外部数据", "").strip()
    earlier = [asked.strip() for text in before if (asked := heads_of(text).get("用户问题", _bare(text)))]
    lang = language(question, language(earlier[-1], fallback) if earlier else fallback)
    event, _, body = heads.get("事件", "").strip().partition("\n")
    sections = sections_of(body) if not question else {}
    return Request(
        question, moment, Voice(fallback if sections else lang), event.strip(), parts_of(system),
        data, earlier, form, _bars(data), place, sections,
    )  # fmt: skip


def _bare(text: str) -> str:
    """Return a message that is a question as it stands; "" for an event's prompt, which nobody asked."""
    return "" if heads_of(text) else text


def sections_of(body: str) -> dict[str, str]:
    """Return what stands under each 【heading】 of an event's prompt; what the event asks for stands under the last."""
    found: dict[str, list[str]] = {}
    current = ""
    for line in body.splitlines():
        head = _SECTION.match(line)
        if head:
            current = head[1]
            found.setdefault(current, []).append(head[2])
        elif current:
            found[current].append(line)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def _slot(question: str, moment: datetime) -> tuple[str, datetime, str]:
    """Return a task's prompt without the line of its slot, that moment (never a later one), and its report's place."""
    found = _SLOT.search(question)
    if found is None:
        return question, moment, ""
    try:
        slot = datetime.fromisoformat(found[1]).replace(tzinfo=moment.tzinfo)
    except ValueError:
        slot = moment
    return question[: found.start()].strip(), min(slot, moment), found[2]


def _task(question: str) -> tuple[str, bool]:
    """Return a subagent's task without what says who it is and which form its answer has; and whether it is one."""
    found = _FORM.search(question)
    return (question[found.end() :].strip(), True) if found else (question, False)


def _bars(data: str) -> dict[str, Any]:
    """Return what is told of bars that were piped in. Only the first line can: what is fenced comes from elsewhere."""
    first = data.split("\n", 1)[0]
    if not first.startswith("OHLCV {"):
        return {}
    try:
        told = json.loads(first.removeprefix("OHLCV "))
    except ValueError:
        return {}
    return told if isinstance(told, dict) and told.get("rows") else {}


def heads_of(prompt: str) -> dict[str, str]:
    """Return the sections of a prompt. What follows 【外部数据】 is data to its end, whatever it looks like."""
    heads: dict[str, list[str]] = {}
    current = ""
    for line in prompt.splitlines():
        found = _HEAD.match(line)
        if found and current != "外部数据" and not (current == "用户问题" and found[1] != "外部数据"):
            current = found[1]
            heads[current] = [found[2]]
        elif current:
            heads[current].append(line)
    return {name: "\n".join(lines) for name, lines in heads.items()}


def parts_of(system: str) -> dict[str, str]:
    """Return the parts of a system prompt by name."""
    pieces = _PART.split(system or "")
    return {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
