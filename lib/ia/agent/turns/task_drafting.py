"""From a wish to a design through a model: one turn that can draft a task and look into calendars, and nothing else."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from ia.agent.tools.builtin import tasks
from ia.agent.tools.scope import Scope
from ia.agent.turns import models
from ia.kernel.errors import BadData, Notify, drop_message
from ia.kernel.i18n import Voice, mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.faculties.schedule.model import TaskDesign

TOOL = "tasks.propose"
ALLOWED = (TOOL, "calendar.*")
_ASKED = mark_text(
    "Design a task for the wish below: call tasks_propose once, and leave out the fields that it does not speak of."
    " Do not do the work itself. The wish:\n\n{wish}"
)


class TaskDraft(NamedTuple):
    """A design that a model made, the scope that it made it in, and what it said."""

    design: "TaskDesign"
    scope: Scope
    reply: str


def uses_embedded_analyst(model: str | None) -> bool:
    """Return True if the model is the embedded analyst; `ia.faculties.schedule.wish_parser` then reads the wish."""
    return models.choose_model(model) == models.OFFLINE


def is_prompt_understood(ws: Workspace, prompt: str) -> bool:
    """Whether the embedded analyst's rules read anything in a task's prompt: a command, a kind of work, a skill."""
    from ia.agent.analyst.ask import intent, request
    from ia.faculties.schedule import wish_parser
    from ia.faculties.skills import registry
    from ia.kernel import clock

    asked = request.parse_request(prompt, "", [], clock.now(), wish_parser.detect_language(prompt))
    if intent.read_intent(asked).kind not in ("unknown", "doubtful"):
        return True
    said = prompt.casefold()
    return any(trigger.casefold() in said for skill in registry.list_skills(ws) for trigger in skill.triggers)


def draft_design(ws: Workspace, wish: str, *, model: str | None = None, notify: Notify = drop_message) -> TaskDraft:
    """Return the design that a model makes of a wish. Nothing is proposed yet.

    raises  BadData where it makes none, with what it says instead; what a turn raises.
    """
    from ia.agent.tools import catalog
    from ia.agent.tools.router import Router
    from ia.agent.turns import turn
    from ia.faculties.schedule import wish_parser

    drafted: list[tuple[Scope, TaskDesign]] = []

    def keep_design(scope: Scope, **given: object) -> Json:
        scope.granted |= {"tasks"}  # the user typed `ia task propose`
        design = tasks.build_design(scope, given)
        drafted.append((scope, design))
        return {
            "path": design.path,
            "status": "drafted",
            "hint": "the user sees it now, and decides",
            "schedule": design.schedule,
            "next": tasks.next_run_times(design),
        }

    within = [
        replace(tool, run=keep_design) if tool.name == TOOL else tool
        for tool in catalog.build_router(ws).tools.values()
        if any(fnmatchcase(tool.name, pattern) for pattern in ALLOWED)
    ]
    asked = Voice(wish_parser.detect_language(wish))(_ASKED, wish=wish)
    taken = turn.take_turn(ws, asked, model=model, notify=notify, router=Router(within))
    if not drafted:
        raise BadData(
            "{model} did not draft a task: {reply}",
            model=taken.model,
            reply=" ".join(taken.reply.split())[:400],
            hint="reword the text, give the fields yourself (--cron, --prompt), or use the rules: -m ia-offline",
        )
    scope, design = drafted[-1]
    return TaskDraft(design, scope, taken.reply)
