"""The wire format of a turn, written and read in one place: headings of a prompt, parts of a system prompt.

Whoever takes a prompt apart goes by headings and by JSON below them, never by the sentences that stand there.
"""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

TIME, EVENT, QUESTION, DATA, FIGURES = "时间", "事件", "用户问题", "外部数据", "数值"
QUERY, SUBTASK = "用户查询", "子任务"
"""What happened where the user asked something, and where an agent handed on a task."""
REVIEW, GAINERS = "每日复盘", "上涨股票监控"
"""The events of the day."""
PAST_SESSION = "回测交易日"
"""What stands behind 【事件】 in the prompts of an agent backtest."""
PAST_HEADS = ("交易手册", "持仓笔记", "账户", "成交", "行情", "时刻")
"""The sections of such a prompt: playbook, notes of positions, account, fills, bars, moments."""
GAINS, POSITIONS, MARKET, GROUPS, DATA_NOTE, TOP = "今日盈亏", "持仓表现", "市场表现", "分组结果", "数据", "涨幅前"
"""The sections of an event of the day; a number follows TOP."""
_ENGLISH = {
    TIME: "Time",
    EVENT: "Event",
    QUESTION: "Question",
    DATA: "External data",
    FIGURES: "Figures",
    QUERY: "User query",
    SUBTASK: "Subtask",
    REVIEW: "Daily review",
    GAINERS: "Top gainers",
    PAST_SESSION: "Past session",
    GAINS: "Profit today",
    POSITIONS: "Positions",
    MARKET: "Market",
    GROUPS: "Groups",
    DATA_NOTE: "Data",
    **dict(zip(PAST_HEADS, ("Playbook", "Position notes", "Account", "Fills", "Bars", "Moments"), strict=True)),
}
"""Heading or event -> how it stands in an English prompt. Both are read, whatever the language."""
_NAMES = {english: name for name, english in _ENGLISH.items()}
_TOP_ENGLISH = "Top "
FORM = (
    "Do the task below with your tools. Then answer with one JSON object and nothing else:\n"
    '{"points": ["what you found, most important first"], "evidence": ["figure or source behind it"],'
    ' "artifacts": ["path of a note that you wrote"]}'
)
"""What a subagent is told about its answer, ahead of its task."""

_MARKS = (TIME, EVENT, QUESTION, DATA)
_HEAD = pattern(rf"^【({'|'.join([*_MARKS, *(_ENGLISH[name] for name in _MARKS)])})】(.*)$")
_SECTION = pattern(r"^【([^】\s](?:[^】\n]{0,22}[^】\s])?)】(.*)$")
_PART = pattern(r"^=== (\w[\w -]*) ===$", re.M)
_SLOT_HEADS = {"zh": ("任务时点", "产物写到"), "en": ("task slot", "report goes to")}
_SLOT = pattern(
    "\n【(?:{})】([^\n]+)\n【(?:{})】([^\n]+)\\s*\\Z".format(*map("|".join, zip(*_SLOT_HEADS.values(), strict=True)))
)
_MINUTE = len("2024-03-15 15:00")
_SKILL = pattern(r"# /([\w-]+)$", re.M)
_SKILL_LINE = pattern(r"^([\w-]+): (.*)$", re.M)


def format_head(name: str, text: str, lang: str = "zh") -> str:
    """Return text under a heading of a prompt.

    >>> format_head(TIME, "15:00"), format_head("涨幅前50", "", "en")
    ('【时间】15:00', '【Top 50】')
    """
    return f"【{localize_name(name, lang)}】{text}"


def localize_name(name: str, lang: str) -> str:
    """Return a heading or an event as it stands in a prompt of the language."""
    if lang == "zh":
        return name
    rest = name.removeprefix(TOP)
    return _ENGLISH.get(name, name) if rest == name else _TOP_ENGLISH + rest


def canonical_name(name: str) -> str:
    """Return a heading or an event by the name that programs know, from that of either language."""
    rest = name.removeprefix(_TOP_ENGLISH)
    return TOP + rest if rest != name and rest.isdecimal() else _NAMES.get(name, name)


def has_question(stored: str) -> bool:
    """Return True where a question stands behind the event of a stored prompt."""
    return stored.partition("\n")[2].startswith(tuple(format_head(QUESTION, "", lang) for lang in ("zh", "en")))


def find_language(stored: str) -> str:
    """Return the language of a stored prompt's headings."""
    return "en" if stored.startswith(format_head(EVENT, "", "en")) else "zh"


def parse_heads(prompt: str) -> dict[str, str]:
    """Return what stands under each heading of a prompt, by its name in Chinese.

    What follows 【外部数据】 is data to its end, whatever it looks like, and in a question only that heading counts.
    """
    heads: dict[str, list[str]] = {}
    current = ""
    for line in prompt.splitlines():
        found = _HEAD.match(line)
        name = canonical_name(found[1]) if found else ""
        if found and current != DATA and not (current == QUESTION and name != DATA):
            current = name
            heads[current] = [found[2]]
        elif current:
            heads[current].append(line)
    return {name: "\n".join(lines) for name, lines in heads.items()}


def parse_sections(body: str) -> dict[str, str]:
    """Return what stands under each 【heading】 of an event; what the event asks for stands under the last."""
    found: dict[str, list[str]] = {}
    current = ""
    for line in body.splitlines():
        head = _SECTION.match(line)
        if head:
            current = canonical_name(head[1])
            found.setdefault(current, []).append(head[2])
        elif current:
            found[current].append(line)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def format_figures(figures: Mapping[str, object], lang: str = "zh") -> str:
    """Return an event's figures as a section of one line; names in them are to be plain."""
    return format_head(FIGURES, json.dumps(figures, ensure_ascii=False), lang)


def parse_figures(sections: dict[str, str]) -> Json:
    """Return the figures of an event's sections; {} without any."""
    try:
        found = json.loads(sections.get(FIGURES, "").partition("\n")[0] or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def format_limits(limits: dict[str, float]) -> str:
    """Return the line of the part `risk` that has the limits as data."""
    return json.dumps({"limits": limits})


def parse_limits(part: str) -> dict[str, float]:
    """Return the limits that the part `risk` has as data; {} without any."""
    line = next((line for line in part.splitlines() if line.startswith('{"limits": ')), "{}")
    try:
        return {name: float(value) for name, value in json.loads(line).get("limits", {}).items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}


def format_slot(when: str, place: str, lang: str) -> str:
    """Return the lines that tell a task's turn which moment it works for and where its report belongs.

    when    YYYY-MM-DD HH:MM, and after that whatever is said of the zone. place: a path below notebook/
    """
    slot, report = _SLOT_HEADS[lang]
    return f"{format_head(slot, when)}\n{format_head(report, place)}"


class Slot(NamedTuple):
    """A task's prompt without its last lines, and what these tell: the moment, without zone, and the report's place."""

    question: str
    moment: datetime | None
    place: str


def parse_slot(question: str) -> Slot:
    """Return a prompt's slot; moment None and place "" where it has none."""
    found = _SLOT.search(question)
    if found is None:
        return Slot(question, None, "")
    try:
        moment = datetime.fromisoformat(found[1][:_MINUTE])
    except ValueError:
        moment = None
    return Slot(question[: found.start()].strip(), moment, found[2].strip())


def format_parts(parts: Iterable[tuple[str, str]]) -> str:
    """Return a system prompt of (name, text); no line of a text may begin with `===`."""
    return "\n\n".join(f"=== {name} ===\n{text}" for name, text in parts)


def parse_parts(system: str) -> dict[str, str]:
    """Return the parts of a system prompt by name."""
    pieces = _PART.split(system or "")
    return {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def format_skill(name: str, body: str) -> str:
    """Return the part of the active skill."""
    return f"# /{name}\n{body}"


def parse_skill(part: str) -> str:
    """Return the name of the active skill; "" where the part is empty."""
    found = _SKILL.match(part)
    return found[1] if found else ""


def parse_skill_lines(part: str) -> list[tuple[str, str]]:
    """Return (name, what it is for) of the skills that the part `skills` lists."""
    return _SKILL_LINE.findall(part)
