"""From a wish to a design through a model: one turn that can draft a task and look into calendars, and nothing else."""

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.agent.tools.builtin import tasks
from ia.agent.tools.scope import Scope
from ia.agent.turns import models
from ia.kernel.errors import BadData, Notify, silent
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.faculties.schedule.model import Design

TOOL = "tasks.propose"
ALLOWED = (TOOL, "calendar.*")
_ASKED = {
    "zh":
        "把下面这个愿望设计成一个任务：调用一次 "
        "tasks_propose，没有说到的字段不填。不要去做这件事本身。愿望：\n\n{wish}",
    "en":
        "Design a task for the wish below: call tasks_propose once, and leave out the fields that it does "
        "not speak of."
          " Do not do the work itself. The wish:\n\n{wish}",
}  # fmt: skip


class Draft(NamedTuple):
    """A design that a model made, the scope that it made it in, and what it said."""

    design: "Design"
    scope: Scope
    reply: str


def by_rules(model: str | None) -> bool:
    """Whether the model that would be asked is the embedded analyst: then `ia.faculties.schedule.words` reads the
    wish."""
    return models.chosen(model) == models.OFFLINE


def understood(ws: Workspace, prompt: str) -> bool:
    """Whether the embedded analyst's rules read anything in a task's prompt: a command, a kind of work, a skill."""
    from ia.agent.analyst import intent, request
    from ia.faculties.schedule import words
    from ia.faculties.skills import registry
    from ia.kernel import clock

    asked = request.read(prompt, "", [], clock.now(), words.language(prompt))
    if intent.read(asked).kind not in ("unknown", "doubtful"):
        return True
    said = prompt.casefold()
    return any(trigger.casefold() in said for skill in registry.listed(ws) for trigger in skill.triggers)


def draft(ws: Workspace, wish: str, *, model: str | None = None, notify: Notify = silent) -> Draft:
    """Return the design that a model makes of a wish. Nothing is proposed yet.

    raises  BadData where it makes none, with what it says instead; what a turn raises.
    """
    from ia.agent.tools import catalog
    from ia.agent.tools.router import Router
    from ia.agent.turns import turn
    from ia.faculties.schedule import words

    drafted: list[tuple[Scope, Design]] = []

    def keep(scope: Scope, **given: Any) -> dict[str, Any]:
        scope.granted |= {"tasks"}  # the user typed `ia task propose`
        design = tasks.designed(scope, given)
        drafted.append((scope, design))
        return {
            "path": design.path, "status": "drafted", "hint": "the user sees it now, and decides",
            "schedule": design.schedule, "next": tasks.upcoming(design),
        }  # fmt: skip

    within = [
        tool._replace(run=keep) if tool.name == TOOL else tool
        for tool in catalog.router(ws).tools.values()
        if any(fnmatchcase(tool.name, pattern) for pattern in ALLOWED)
    ]
    asked = _ASKED[words.language(wish)].format(wish=wish)
    taken = turn.take(ws, asked, model=model, notify=notify, router=Router(within))
    if not drafted:
        raise BadData(
            "{model} made no task of it: {reply}", model=taken.model, reply=" ".join(taken.reply.split())[:400],
            hint="say it otherwise, give the fields yourself (--cron, --prompt), or take the rules: -m ia-offline",
        )  # fmt: skip
    scope, design = drafted[-1]
    return Draft(design, scope, taken.reply)
