"""A skill that this analyst has no work of its own for: its steps that are calls with arguments are carried out."""

import json
from typing import Any

from ia.agent.analyst import lens, procedure, reply
from ia.agent.analyst.desk import Call, Desk, Result, Work
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.parts import in_text, part
from ia.agent.analyst.procedure import Figure, Step, unit_of
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.research import valued

_LOOK = (
    "market.ohlcv",
    "compute.run",
    "indicator.calc",
    "memory.recall",
    "memory.read",
    "memory.list",
    "notebook.read",
    "notebook.search",
    "notebook.list",
    "skills.check",
    "indicator.list",
    "calendar.trading",
)


def follow(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Carry out the steps of a user's skill that look and compute, and say which are left for a model or a person."""
    speak = desk.speak
    result = yield from desk.one("skills.load", name=wanted.skill, arguments=wanted.words, steps=True)
    if result.failure is not None:
        body = desk.request.parts.get("skill", "")
        why = (
            speak("没有读取技能的工具", "there is no tool to load skills")
            if result.missing
            else reply.describe_failure(speak, result.failure)
        )
        return reply.of(
            speak(
                "技能 /{skill} 用不了：{reason}。",
                "The skill /{skill} cannot be used: {reason}.",
                skill=wanted.skill,
                reason=why,
            )
            if not body or not result.missing
            else speak(
                "/{skill} 的步骤要靠语言模型执行，我按规则工作，做不了。",
                "/{skill} needs a language model; I work by rules.",
                skill=wanted.skill,
            )
        )
    if handed := reply.handed_back(desk, result.value):
        return handed
    if isinstance(result.get("tools"), list):
        desk.allowed = [str(name) for name in result.get("tools")]
    order = lens.of_soul(desk.request.parts.get("soul", "")).order
    steps = procedure.chosen(procedure.of(result.value), order)
    if not steps:
        return reply.of(
            speak(
                "技能 /{skill} 只有文字说明，没有 knowledge/sop.yaml 里的步骤：要语言模型才能照做（`ia config set model"
                " …`）。",
                "The skill /{skill} is prose without steps in knowledge/sop.yaml: only a language model can follow it"
                " (`ia config set model …`).",
                skill=wanted.skill,
            )
        )
    return (yield from _carried_out(desk, wanted, steps))


def _carried_out(desk: Desk, wanted: Intent, steps: list[Step]) -> Work[Reply]:
    speak = desk.speak
    mention = wanted.securities[0] if wanted.securities else None
    blanks = {
        "symbol": mention.code if mention else "",
        "name": mention.name if mention else wanted.words,
        "arguments": wanted.words,
        "ARGUMENTS": wanted.words,
        "date": desk.request.day,
    }
    doable = [(step, _call(step, blanks)) for step in steps if step.tool in _LOOK]
    doable = [(step, call) for step, call in doable if _ready(desk, call)]
    results = yield from desk.run(*(call for _, call in doable))
    lines = [speak("按技能 /{skill} 的步骤：", "By the steps of /{skill}:", skill=wanted.skill), ""]
    for (step, call), result in zip(doable, results, strict=True):
        lines.append(f"- {step.id} {step.label}{speak('：', ': ')}{_shown(desk, step, call, result)}")
    done = {step.id for step, _ in doable}
    left = [step for step in steps if step.id not in done]
    if left:
        lines += [
            "",
            speak(
                "下面的步骤要写作或判断，我按规则工作，留给你或语言模型：",
                "These steps need writing or judgment; they are left to you or to a language model:",
            ),
        ]
        lines += [f"- {step.id} {step.action or step.label}" for step in left]
    if not doable:
        lines = [
            speak(
                "技能 /{skill} 没有我能直接执行的步骤。",
                "No step of /{skill} can be carried out by rules.",
                skill=wanted.skill,
            ),
            *lines[2:],
        ]
    points = [line.lstrip("- ") for line in lines if line.startswith("- ")] or lines
    return Reply([*lines, "", reply.by_rules(speak)], points)


def _call(step: Step, blanks: dict[str, str]) -> Call:
    """Return a step's call with what the user named filled in."""
    args: dict[str, Any] = {name: _filled(value, blanks) for name, value in step.args.items()}
    if step.tool in ("market.ohlcv", "skills.check") and blanks["symbol"]:
        args.setdefault("symbol", blanks["symbol"])
    if step.tool in ("memory.recall", "notebook.search"):
        args.setdefault("query", blanks["name"])
    return Call(step.tool, args)


def _filled(value: Any, blanks: dict[str, str]) -> Any:
    if not isinstance(value, str):
        return value
    for name, text in blanks.items():
        value = value.replace("{" + name + "}", text).replace("$" + name, text)
    return value


def _ready(desk: Desk, call: Call) -> bool:
    """Whether a call has all that its tool requires."""
    name, args = desk.fitted(call)
    required = desk.offered.get(name, {}).get("required") or []
    return desk.has(call.tool) and all(args.get(field) not in (None, "") for field in required)


@part("一个步骤的结果", "the result of a step", in_text)
def _shown(desk: Desk, step: Step, call: Call, result: Result) -> str:
    if result.failure is not None:
        absent = call.tool in ("memory.read", "notebook.read") and result.failure.code == "not-found"
        return (
            desk.speak("还没有这个文件", "no such file yet")
            if absent
            else reply.describe_failure(desk.speak, result.failure)
        )
    if call.tool in ("compute.run", "indicator.calc"):
        value, date = valued(result)
        figure = Figure(step.label, value, unit_of(step), date, step.code)
        return (
            f"{figure.shown(desk.speak)} ({date})"
            if value is not None
            else json.dumps(result.get("value"), ensure_ascii=False)[:200]
        )
    if call.tool == "market.ohlcv":
        seen = [str(result.get(name) or "") for name in ("symbol", "name", "first", "last", "rows")]
        told = " ".join(filter(None, seen))
        return told + desk.speak("（模拟行情）", " (simulated)") if result.get("simulated") else told
    if call.tool == "skills.check":
        fired = result.get("fired") or []
        return ", ".join(f"{item.get('id')} {item.get('text')}" for item in fired[:6]) or desk.speak(
            "没有命中", "nothing fired"
        )
    if _empty(result.value):
        return desk.speak("没有", "nothing there")
    text = result.value if isinstance(result.value, str) else json.dumps(result.value, ensure_ascii=False)
    return " ".join(text.split())[:300]


def _empty(value: Any) -> bool:
    """Whether a tool found nothing: an empty answer, or an object whose lists are all empty."""
    if isinstance(value, dict):
        held = [item for item in value.values() if isinstance(item, list | dict)]
        told = [
            item for name, item in value.items() if isinstance(item, str) and item and name not in ("path", "query")
        ]
        return not any(held) and bool(held) and not told
    if isinstance(value, str):
        return all(line.startswith("#") for line in value.strip("[]{} \n").splitlines() if line.strip())
    return value in (None, [])
