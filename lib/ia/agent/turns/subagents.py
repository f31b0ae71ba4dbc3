"""Subagents: a task for somebody with fewer tools and less to know, who hands back points, evidence and artifacts.

Of the soul a subagent has the limits only; nothing of the memory, nothing of the conversation. What it read from
outside taints whoever asked it.
"""

import json
import re
from collections.abc import Callable
from itertools import count
from typing import Any

from ia.agent.prompt_format import FORM, SUBTASK
from ia.agent.tools import schema
from ia.agent.tools.builtin.skills import ALWAYS
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.agent.turns.context import build_context
from ia.agent.turns.turn_id import new_turn_id
from ia.faculties import skills
from ia.kernel import untrusted
from ia.kernel.errors import BadData, Refused, UsageError
from ia.kernel.jsontypes import Json
from ia.organs.spending import Meter

LOOKING = (
    "market.*",
    "compute.run",
    "indicator.*",
    "memory.recall",
    "memory.read",
    "memory.list",
    "notebook.read",
    "notebook.list",
    "notebook.search",
    "skills.list",
    "skills.check",
    "tasks.list",
)
ROLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "researcher": (
        "You collect data and evidence for one question and say what it shows.",
        (*LOOKING, "notebook.write"),
    ),
    "reviewer": ("You check a text or a claim against data, and name what is wrong or unproven.", LOOKING),
    "planner": (
        "You break a goal into steps with inputs, outputs and checks. You carry out nothing.",
        (
            "memory.recall",
            "memory.read",
            "memory.list",
            "notebook.read",
            "notebook.list",
            "notebook.search",
            "skills.list",
        ),
    ),
}
MAX_A_TURN = 8
"""Subagents of one turn, or of an hour of a client's connection: each may cost as much as a turn."""
OUTPUT: Json = {
    "type": "object",
    "properties": {
        "points": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
        "evidence": {"type": "array", "items": {"type": "string"}},
        "artifacts": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["points", "evidence", "artifacts"],
}


def make_fork(scope: Scope, router: Router, model: str) -> Callable[..., dict[str, object]]:
    """Return the function by which a scope runs a subagent and gets its points."""
    number = count(1)

    def fork_subagent(*, task: str, role: str = "researcher", tools: list[str] | None = None, skill: str = "") -> Json:
        if next(number) > MAX_A_TURN:
            raise Refused(
                "reached the limit of {count} subagents per turn",
                count=MAX_A_TURN,
                hint="continue without another subagent",
            )
        return _run_subagent(scope, router, model, task, role, tools, skill)

    return fork_subagent


def format_summary(told: Json) -> str:
    """Return a subagent's summary as a person reads it."""
    lines = [f"- {point}" for point in told["points"]]
    lines += ["", *(f"  · {item}" for item in told["evidence"])] if told["evidence"] else []
    lines += ["", *told["artifacts"]] if told["artifacts"] else []
    return "\n".join(lines) + "\n"


def _run_subagent(
    parent: Scope, router: Router, model: str, task: str, role: str, tools: list[str] | None, skill: str
) -> Json:
    from ia.agent.turns.loop import Loop
    from ia.kernel.workspace import Workspace

    if not task.strip():
        raise UsageError("a subagent needs a task")
    about, may = ROLES.get(role, (f"You are: {' '.join(role.split())[:200]}.", LOOKING))
    ws = Workspace(parent.ws.root)  # this may be a thread of its own
    loaded = skills.load(ws, skill, task) if skill else None
    if loaded is not None:
        may = (*loaded.skill.allowed, *ALWAYS)
    scope = Scope(
        ws,
        actor=f"subagent {role[:40]}",
        asked=parent.asked,
        session=parent.session,
        turn=parent.turn,
        allowed=_narrow_tools(router, parent, may, tools),
        origins=list(parent.origins),
        notify=parent.notify,
        depth=parent.depth + 1,
        market=parent.market,
        artifacts=parent.artifacts,
        pending=parent.pending,
        calls=parent.calls,
        skill=skill,
        active=(skill,) if skill else (),
        ground=parent.ground if parent.active else parent.allowed,
        once=parent.once,
    )
    try:
        context = build_context(
            ws,
            f"{about}\n{FORM}\n\n{task}",
            history=[],
            event=SUBTASK,
            limits_only=True,
            skill=loaded,
            tools=router.offered_tools(scope),
            notify=parent.notify,
        )
        before = len(parent.artifacts)
        meter = Meter(ws, model, command=parent.turn, session=parent.session, turn=parent.turn, actor=scope.actor)
        loop = Loop(model, router, scope, meter, lambda _: None)
        told = _request_summary(loop, loop.answer_context(context))
    finally:
        for origin in scope.origins:  # also of one that failed: its notes and its error are there
            parent.taint(origin)
        ws.close()
    told["artifacts"] = list(dict.fromkeys([*scope.artifacts[before:]]))
    if scope.tainted:
        origin = f"a subagent that read {', '.join(scope.origins)}"
        told["points"] = [untrusted.fence_text("\n".join(told["points"]), origin)]
        told["evidence"] = [untrusted.fence_text("\n".join(told["evidence"]), origin)] if told["evidence"] else []
    return told


def _narrow_tools(router: Router, parent: Scope, may: tuple[str, ...], tools: list[str] | None) -> tuple[str, ...]:
    """Return the tools that the role has, the parent may call too, and the caller asked for; never subagents."""
    from fnmatch import fnmatchcase

    names = [tool.name for tool in router.offered_tools(parent) if any(fnmatchcase(tool.name, each) for each in may)]
    if tools is not None:
        for name in tools:
            if not any(fnmatchcase(known, name.replace("_", ".", 1)) or fnmatchcase(known, name) for known in names):
                raise UsageError(
                    "{tool} is not available to this subagent",
                    tool=name,
                    known=", ".join(names),
                    hint="available tools: {known}",
                )
        names = [n for n in names if any(fnmatchcase(n, t) or fnmatchcase(n, t.replace("_", ".", 1)) for t in tools)]
    return tuple(name for name in names if not name.startswith("subagents."))


def _request_summary(loop: Any, reply: str) -> Json:
    """Return the summary that a reply holds; asked for once more where it holds none.

    raises  BadData where the second reply holds none either, without a word of it: it may be from outside.
    """
    try:
        return _parse_summary(reply)
    except BadData as exc:
        said = len(loop.reply)
        loop.ask_question(f"That was not the JSON object that was asked for: {exc}\n{FORM}")
    try:
        return _parse_summary(loop.reply[said:])
    except BadData:
        raise BadData("the subagent did not return a JSON object of the requested form") from None


def _parse_summary(reply: str) -> Json:
    """Return the last JSON object of a reply, checked."""
    decoder = json.JSONDecoder()
    problem: BadData | None = None
    for at in [match.start() for match in re.finditer(r"\{", reply)][:50]:
        try:
            found, _ = decoder.raw_decode(reply, at)
            schema.validate_arguments("subagent", OUTPUT, found)
        except ValueError:
            continue
        except BadData as exc:
            problem = problem or exc
            continue
        return dict(found)
    raise problem or BadData("the subagent did not return a JSON object")


def make_manual_fork(scope: Scope, router: Router, model: str | None = None) -> Callable[..., dict[str, object]]:
    """Return the function by which a person runs subagents, without a turn around them."""
    from ia.agent.turns import models

    scope.turn = new_turn_id()
    return make_fork(scope, router, models.choose_model(model))
