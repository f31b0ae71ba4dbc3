"""The work of a skill that this analyst has no work of its own for.

Its steps are carried out, its readings and rules judge what came back, its templates word the answer and the note.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence import lens, measures, procedure, verdict
from ia.agent.analyst.evidence.procedure import Figure, ProcedureStep, unit_of
from ia.agent.analyst.evidence.readings import Reading, build_reading
from ia.agent.analyst.evidence.tool_answers import read_value
from ia.agent.analyst.evidence.verdict import Fired
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs import own_library
from ia.agent.analyst.parts import in_list, in_text, nothing, part
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.tables import Table
from ia.agent.analyst.voice import number
from ia.faculties.skills.templates import render
from ia.kernel.jsontypes import Json

_LOOK = (
    "market.ohlcv", "compute.run", "indicator.calc", "memory.recall", "memory.read", "memory.list", "notebook.read",
    "notebook.search", "notebook.list", "skills.check", "indicator.list", "calendar.trading", "search_knowledge",
)  # fmt: skip
_FORM, _SEARCH = "collect_info", "search_knowledge"
MAX_POINTS = 3
"""Rules of an answer: who asks wants the few that fit."""
_WRITE = ("notebook.write", "notebook.append", "memory.observe")
_READINGS, _ANSWER = "knowledge/readings.yaml", "templates/answer.md"
StepField = str | list[str]
_JUDGING = {"knowledge/rules.yaml", "knowledge/patterns.yaml"}


@dataclass
class Run:
    """One run of a skill: what it brought, what its steps returned, and what its readings and rules say of that.

    tools   the skill's own tools that can run now; only the form that is missing where slots are not filled
    """

    skill: str
    steps: list[ProcedureStep]
    files: list[str]
    blanks: dict[str, str]
    tools: tuple[str, ...] = ()
    readings: list[Reading] = field(default_factory=list)
    templates: dict[str, str] = field(default_factory=dict)
    done: list[tuple[ProcedureStep, DeskCall, DeskResult]] = field(default_factory=list)
    written: list[tuple[ProcedureStep, DeskResult]] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    fired: list[Fired] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)

    def remaining_steps(self) -> list[ProcedureStep]:
        """Return the steps that were not carried out."""
        done = {step.id for step, _, result in self.done if not _is_too_early(result)}
        done |= {step.id for step, _ in self.written}
        done |= {step.id for step in self.steps if step.tool == _FORM and self.tools[:1] != (_FORM,)}  # it is complete
        return [step for step in self.steps if step.id not in done]


def follow(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Carry out the steps of a user's skill, and say which are left for a model or a person."""
    speak = desk.speak
    result = yield from desk.one("skills.load", name=wanted.skill, arguments=wanted.words, steps=True)
    if result.failure is not None:
        return reply.reply_of_lines(_unusable(desk, wanted.skill, result))
    if handed := reply.take_summary(desk, result.value):
        return handed
    if isinstance(result.get("tools"), list):
        desk.allowed = [*(str(name) for name in result.get("tools")), *_own_tools(result)]
    order = lens.of_soul(desk.request.parts.get("soul", ""), desk.tables).order
    steps = procedure.choose_steps(procedure.parse_steps(result.value), order)
    if not steps:
        if told := (yield from _tell_rules(desk, wanted)):
            return told
        no_rule = speak("No rule and no source of /{skill} is about that.", skill=wanted.skill)
        prose = speak(
            "The skill /{skill} is prose without steps in knowledge/sop.yaml: only a language model can follow it"
            " (`ia config set model …`).",
            skill=wanted.skill,
        )
        return reply.reply_of_lines(*([no_rule] if wanted.words else []), prose)
    files = [str(path) for path in result.get("files") or []]
    run = Run(wanted.skill, steps, files, _blanks(desk, wanted), _own_tools(result))
    yield from _load_files(desk, run)
    yield from _look(desk, run)
    yield from _judge(desk, run)
    yield from _write(desk, run)
    return _answer(desk, run)


def _tell_rules(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Answer from the rules of a skill without steps, and the passages behind them; None where none is about it."""
    if not wanted.words or not desk.has(_SEARCH):
        return None
    found = yield from desk.one(_SEARCH, query=wanted.words, skill_id=wanted.skill, top_k=MAX_POINTS)
    if found.failure is not None:
        return None
    rules = [f"- {rule}" for rule in list(found.get("rules") or [])[:MAX_POINTS]]
    passages = [own_library.quote_passage(each) for each in own_library.choose_passages(found)]
    if not rules and not passages:
        return None
    head = desk.speak("By the rules of /{skill}; which of them holds here is yours to judge:", skill=wanted.skill)
    behind = [desk.speak("Where they stand:"), *passages] if rules and passages else passages
    return Reply([head, *rules, *behind], [*rules, *passages], found.get("sources") or [], signed=True)


def _own_tools(loaded: DeskResult) -> tuple[str, ...]:
    """Return the skill's own tools; while slots are missing, only those that open a form."""
    listed = [tool for tool in loaded.get("own_tools") or [] if isinstance(tool, dict)]
    if loaded.get("missing"):
        return (_FORM, *(str(tool.get("name")) for tool in listed if tool.get("type") in ("collect", "flow")))
    return tuple(str(tool.get("name")) for tool in listed if tool.get("type") not in ("collect", "flow"))


def _unusable(desk: ToolDesk, skill: str, result: DeskResult) -> str:
    """Return why a skill cannot be used."""
    speak = desk.speak
    if result.missing and desk.request.parts.get("skill", ""):
        return speak(
            "/{skill} needs a language model; I work by rules.",
            skill=skill,
        )
    assert result.failure is not None
    why = speak("there is no tool to load skills") if result.missing else describe_failure(speak, result.failure)
    return speak("The skill /{skill} cannot be used: {reason}.", skill=skill, reason=why)


def _blanks(desk: ToolDesk, wanted: Intent) -> dict[str, str]:
    """Return what may stand in braces in the arguments of a step."""
    mention = wanted.securities[0] if wanted.securities else None
    name = mention.name if mention else wanted.words
    return {
        "symbol": mention.code if mention else "",
        "name": name,
        "slug": re.sub(r"[^\w.]+", "-", name).strip("-.").lower()[:60] or wanted.skill,
        "arguments": wanted.words,
        "ARGUMENTS": wanted.words,
        "date": desk.request.day,
    }


def _load_files(desk: ToolDesk, run: Run) -> Work[None]:
    """Load the skill's readings and templates."""
    paths = [path for path in run.files if path == _READINGS or re.fullmatch(r"templates/[\w-]+\.md", path)]
    results = yield from desk.run(
        *(DeskCall("skills.load", {"name": run.skill, "file": path, "steps": True}) for path in paths)
    )
    for path, result in zip(paths, results, strict=True):
        data, lines = result.get("data"), result.get("lines")
        if result.failure is not None and not result.missing:
            desk.note_unused(run.skill, describe_failure(desk.speak, result.failure))
        elif path == _READINGS and isinstance(data, dict):
            table = Table(
                data, skill=run.skill, name="readings", lines=lines if isinstance(lines, dict) else {},
                report=desk.tables.report,
            )  # fmt: skip
            run.readings = table.entries("entries", build_reading)
        elif isinstance(data, str) and desk.is_usable(run.skill, path, data):
            run.templates[path] = data


def _look(desk: ToolDesk, run: Run) -> Work[None]:
    """Carry out the steps that look and compute, and compute what readings want besides."""
    doable = [(step, _call(step, run.blanks)) for step in run.steps if step.tool in (*_LOOK, *run.tools)]
    doable = [(step, call) for step, call in doable if _is_ready(desk, call)]
    computed = {step.code for step, _ in doable}
    symbol = run.blanks["symbol"]
    more = [each for each in run.readings if each.code and symbol and each.code not in computed]
    calls = [DeskCall("compute.run", {"code": each.code, "symbol": symbol}) for each in more if desk.has("compute.run")]
    results = yield from desk.run(*(call for _, call in doable), *calls)
    run.done = [(step, call, result) for (step, call), result in zip(doable, results, strict=False)]
    codes = {step.code: result for step, _, result in run.done if step.code}
    codes |= {str(call.args["code"]): result for call, result in zip(calls, results[len(doable) :], strict=True)}
    by_step = {step.id: result for step, _, result in run.done}
    for reading in run.readings:
        result = codes.get(reading.code) if reading.code else by_step.get(reading.step)
        value = measures.measure(reading, result, desk.request.moment.date()) if result is not None else None
        if value is not None:
            run.values[reading.id] = value


def _judge(desk: ToolDesk, run: Run) -> Work[None]:
    """Check the skill's rules, patterns and red flags; conditions on what the readings measured are judged here."""
    checked = [result for step, _, result in run.done if step.tool == "skills.check"]
    if not checked and _JUDGING & set(run.files):
        symbol = {"symbol": run.blanks["symbol"]} if run.blanks["symbol"] else {}
        checked = yield from desk.run(DeskCall("skills.check", {"name": run.skill, **symbol}))
    for result in checked:
        if not result.ok:
            continue
        run.fired += verdict.fired_of(result.value, desk.speak)
        for item in result.get("for_you_to_judge") or []:
            if not isinstance(item, dict):
                continue
            holds = measures.evaluate(str(item.get("if") or ""), run.values)
            if holds:
                run.fired += verdict.fired_of([item], desk.speak)
            elif holds is None:
                run.unjudged.append(f"**{item.get('id')}** {item.get('if')}{desk.speak(': ')}{item.get('text')}")


@part("the files to write", nothing)
def _write(desk: ToolDesk, run: Run) -> Work[None]:
    """Carry out the steps that write what a template words."""
    calls = []
    for step in run.steps:
        text = run.templates.get(f"templates/{step.args.get('template')}.md")
        if step.tool in _WRITE and text is not None and desk.has(step.tool):
            args = {name: _fill(value, run.blanks) for name, value in step.args.items() if name != "template"}
            lines = render(text, desk.speak.lang, _fields(desk, run))
            calls.append((step, DeskCall(step.tool, {**args, "content": "\n".join(lines) + "\n"})))
    results = yield from desk.run(*(call for _, call in calls))
    run.written = [(step, result) for (step, _), result in zip(calls, results, strict=True)]


def _answer(desk: ToolDesk, run: Run) -> Reply:
    """Return the answer: by the skill's template, else a list of the steps."""
    fields = _fields(desk, run)
    template = run.templates.get(_ANSWER)
    lines = _by_template(desk, template, fields) if template is not None else _listing(desk, run, fields)
    if template is not None:
        lines[1:1] = _list_failures(desk, run, "\n".join(lines))
    kept = reply.describe_paths(desk, *((result, step.label) for step, result in run.written))
    points = [line.lstrip("- ") for line in lines if line.startswith("- ")] or [line for line in lines if line]
    evidence = [*fields["readings"], *fields["rules"]]
    return Reply([*lines, "", *kept], points, evidence, signed=True)


def _list_failures(desk: ToolDesk, run: Run, told: str) -> list[str]:
    """Return the steps that failed and that the answer does not tell: a template need not name each step."""
    failed = [
        f"- {step.label}{desk.speak(': ')}{describe_failure(desk.speak, result.failure)}"
        for step, _, result in run.done
        if result.failure is not None and not _is_too_early(result) and not _found_nothing(result)
    ]
    return [line for line in dict.fromkeys(failed) if line.partition(desk.speak(": "))[2] not in told]


@part("the answer by its template", in_list)
def _by_template(desk: ToolDesk, template: str, fields: dict[str, StepField]) -> list[str]:
    return render(template, desk.speak.lang, fields)


def _listing(desk: ToolDesk, run: Run, fields: dict[str, StepField]) -> list[str]:
    """Return the steps with their results, what was judged, and what is left."""
    speak = desk.speak
    lines = [speak("By the steps of /{skill}:", skill=run.skill), ""]
    lines += [f"- {line}" for line in fields["steps"]]
    judged = [*fields["alarms"], *fields["rules"], *fields["readings"]]
    lines += ["", *(f"- {line}" for line in judged)] if judged else []
    if fields["left"]:
        lines += [
            "",
            speak(
                "These steps need writing or judgment; they are left to you or to a language model:",
            ),
            *(f"- {line}" for line in fields["left"]),
        ]
    if fields["steps"] or run.written:
        return lines
    none = speak(
        "No step of /{skill} can be carried out by rules.",
        skill=run.skill,
    )
    return [none, *lines[2:]]


def _fields(desk: ToolDesk, run: Run) -> dict[str, StepField]:
    """Return what a template can name; see ia-skill(5)."""
    speak, colon = desk.speak, desk.speak(": ")
    fields: dict[str, StepField] = {**run.blanks, "skill": run.skill}
    reached = [each for each in run.done if not _is_too_early(each[2])]
    shown = {step.id: _show(desk, step, call, result) for step, call, result in reached}
    fields["steps"] = [f"{step.id} {step.label}{colon}{shown[step.id]}" for step, *_ in reached]
    fields["points"] = [
        str(rule) for step, _, result in reached if step.tool == _SEARCH for rule in result.get("rules") or []
    ][:MAX_POINTS]
    fields["left"] = [f"{step.id} {step.action or step.label}" for step in run.remaining_steps()]
    empty = {step.id for step, _, result in reached if _found_nothing(result)}
    fields |= {id_: "" if id_ in empty else text for id_, text in shown.items()}
    told: dict[int, list[str]] = {1: [], -1: [], 0: []}
    for reading in run.readings:
        value = run.values.get(reading.id)
        if value is not None:
            fields[reading.id] = number(value, reading.unit, speak)
            if sentence := reading.sentence(value, speak):
                told[reading.sign(value)].append(sentence)
    fields |= {"for": told[1], "against": told[-1], "readings": [*told[1], *told[-1], *told[0]]}
    fields["alarms"] = [_show_fired(desk, item) for item in run.fired if item.alarming]
    fields["rules"] = [_show_fired(desk, item) for item in run.fired if not item.alarming]
    return {**fields, "unjudged": run.unjudged}


def _is_too_early(result: DeskResult) -> bool:
    """Return True if a step belongs to a phase that is not reached yet: it is left for a later turn."""
    return result.failure is not None and result.failure.code == "phase"


def _show_fired(desk: ToolDesk, item: Fired) -> str:
    source = desk.speak(" (source: {source})", source=item.source) if item.source else ""
    return f"**{item.id}** {desk.speak(': ').join(filter(None, (item.name, item.says)))}{source}"


def _call(step: ProcedureStep, blanks: dict[str, str]) -> DeskCall:
    """Return a step's call with what the user named filled in."""
    args: Json = {name: _fill(value, blanks) for name, value in step.args.items()}
    if step.tool in ("market.ohlcv", "skills.check") and blanks["symbol"]:
        args.setdefault("symbol", blanks["symbol"])
    if step.tool in ("memory.recall", "notebook.search", _SEARCH):
        args.setdefault("query", blanks["name"])
    return DeskCall(step.tool, args)


def _fill(value: Any, blanks: dict[str, str]) -> Any:
    """Return an argument with `{name}` and `$name` filled in."""
    if not isinstance(value, str):
        return value
    for name, text in blanks.items():
        value = value.replace("{" + name + "}", text).replace("$" + name, text)
    return value


def _is_ready(desk: ToolDesk, call: DeskCall) -> bool:
    """Return True if a call has all that its tool requires."""
    name, args = desk.fit_arguments(call)
    required = desk.offered.get(name, {}).get("required") or []
    return desk.has(call.tool) and all(args.get(field) not in (None, "") for field in required)


@part("the result of a step", in_text)
def _show(desk: ToolDesk, step: ProcedureStep, call: DeskCall, result: DeskResult) -> str:
    """Return the result of a step in a line."""
    if result.failure is not None:
        absent = call.tool in ("memory.read", "notebook.read") and result.failure.code == "not-found"
        return desk.speak("no such file yet") if absent else describe_failure(desk.speak, result.failure)
    if call.tool in ("compute.run", "indicator.calc"):
        value, date = read_value(result)
        figure = Figure(step.label, value, unit_of(step, desk.tables), date, step.code)
        return (
            f"{figure.show(desk.speak, desk.tables)} ({date})"
            if value is not None
            else json.dumps(result.get("value"), ensure_ascii=False)[:200]
        )
    if call.tool == "market.ohlcv":
        seen = [str(result.get(name) or "") for name in ("symbol", "name", "first", "last", "rows")]
        told = " ".join(filter(None, seen))
        return told + desk.speak(" (simulated)") if result.get("simulated") else told
    if call.tool == "skills.check":
        fired = result.get("fired") or []
        return ", ".join(f"{item.get('id')} {item.get('text')}" for item in fired[:6]) or desk.speak("nothing fired")
    if call.tool == _SEARCH:
        return "; ".join(str(each) for each in result.get("sources") or []) or desk.speak("nothing there")
    if call.tool == _FORM or isinstance(result.get("form"), str):  # the form itself is put to the user
        return str(result.get("title") or "")
    if isinstance(result.get("card"), str):  # the card itself is shown beside the answer
        return str(result.get("text") or "").partition("\n")[0]
    if _is_empty(result.value):
        return desk.speak("nothing there")
    text = result.value if isinstance(result.value, str) else json.dumps(result.value, ensure_ascii=False)
    return " ".join(text.split())[:300]


def _found_nothing(result: DeskResult) -> bool:
    """Return True if a step found nothing, or no such file; another failure is something to show."""
    if result.failure is not None:
        return result.failure.code == "not-found"
    return _is_empty(result.value)


def _is_empty(value: Any) -> bool:
    """Return True if a tool found nothing: an empty answer, or an object whose lists are all empty."""
    if isinstance(value, dict):
        held = [item for item in value.values() if isinstance(item, list | dict)]
        told = [
            item for name, item in value.items() if isinstance(item, str) and item and name not in ("path", "query")
        ]
        return not any(held) and bool(held) and not told
    if isinstance(value, str):
        return all(line.startswith("#") for line in value.strip("[]{} \n").splitlines() if line.strip())
    return value in (None, [])
