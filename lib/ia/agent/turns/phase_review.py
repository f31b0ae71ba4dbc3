"""Whether a model's reply may go out: the phases of the skills in force, and the calls that the user's intent needs.

A model gets one more round to make up for what is missing; after that the reply goes out marked. A form that is open is
an answer: the next move is the user's. The embedded analyst works by rules, and needs no round.
"""

from collections.abc import Sequence

from ia.agent.tools import phases
from ia.agent.tools.phases import Lack, SkillState
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.faculties import skills
from ia.faculties.skills.intents import SkillIntent, load_intents, match_intents
from ia.faculties.skills.phases import load_phases
from ia.kernel import audit
from ia.kernel.errors import IaError, Message
from ia.kernel.jsontypes import Json


class ReplyReview:
    """What one turn owes to the skills that are in force. `repaired`: the one more round was given."""

    def __init__(self, scope: Scope, router: Router, question: str) -> None:
        self.scope, self.router, self.question = scope, router, question
        self.repaired = False
        self._intents: dict[str, list[SkillIntent]] = {}

    def holds(self) -> bool:
        """Return True while a reply would not go out as it is: its text is kept back until it is judged."""
        return not self.repaired and bool(self._list_problems())

    def find_repair(self) -> str:
        """Return what the model is asked to do before its reply goes out; "" where nothing is missing, or was tried."""
        problems = [] if self.repaired else self._list_problems()
        if not problems:
            return ""
        self.repaired = True
        audit.record(
            self.scope.ws.db,
            "turn.repair",
            self.scope.turn,
            self.scope.actor,
            session=self.scope.session,
            missing=[_summarize(each) for each in problems],
        )
        lines = "\n".join(f"- {line}" for line in map(_instruct, problems))
        return (
            "The user has not seen your reply: what the active skill requires is missing.\n"
            f"{lines}\nMake these calls, then answer the question again as a whole."
        )

    def list_marks(self) -> list[tuple[Message, Json]]:
        """Return what is still missing, as sentences for the user and as data."""
        return [(_describe(each), _summarize(each)) for each in self._list_problems()]

    def list_touched(self) -> list[str]:
        """Return the active skills that this turn is about: loaded in it, called in it, or meant by the question."""
        called = {call.name for call in self.scope.calls}
        own = {tool.skill for tool in self.router.tools.values() if tool.skill and tool.name in called}
        return [
            name for name in self.scope.active if name in self.scope.loaded or name in own or self._find_intents(name)
        ]

    def _list_problems(self) -> "list[_Problem]":
        if self.scope.form:
            return []
        touched = self.list_touched()
        found: list[_Problem] = []
        for state in phases.list_states(self.scope, touched) if touched else ():
            left = phases.list_open(self.scope, state)
            if left and phases.is_asked(self.scope):
                found.append((state, left))
        called = {call.name for call in self.scope.calls} | {
            tool.bare for call in self.scope.calls if (tool := self.router.tools.get(call.name)) and tool.bare
        }
        for name in touched:
            for intent in self._find_intents(name):
                known = [tool for tool in intent.tools if self._is_known(tool)]
                if known and not called & set(known):
                    found.append((name, intent))
        return found

    def _find_intents(self, name: str) -> list[SkillIntent]:
        """Return the intents of a skill with phases that the question has."""
        if name not in self._intents:
            try:
                skill = skills.find(self.scope.ws, name)
                listed = load_intents(self.scope.ws, skill) if load_phases(self.scope.ws, skill).phases else []
            except IaError:
                listed = []
            self._intents[name] = match_intents(self.question, listed)
        return self._intents[name]

    def _is_known(self, tool: str) -> bool:
        try:
            self.router.find_tool(tool, self.scope.active)
        except IaError:
            return False
        return True


_Problem = tuple[SkillState, list[Lack]] | tuple[str, SkillIntent]
"""A skill that stopped before its end, or an intent without any of its calls."""


def _instruct(problem: _Problem) -> str:
    first, second = problem
    if isinstance(second, SkillIntent):
        never = f" (forbidden: {second.forbidden})" if second.forbidden else ""
        return f"{first}: “{second.phrases[0]}” needs a call of {_join(second.tools)}{never}"
    assert isinstance(first, SkillState)
    return "; ".join(f"{first.skill}: {lack.phase} lacks {lack.name}: call {lack.call}" for lack in second)


def _describe(problem: _Problem) -> Message:
    first, second = problem
    if isinstance(second, SkillIntent):
        return Message(
            "{skill}: “{intent}” needs {tools}, which was not called",
            skill=first,
            intent=second.phrases[0],
            tools=_join(second.tools),
        )
    assert isinstance(first, SkillState)
    return Message(
        "{skill} is not complete: {phase} lacks {missing}",
        skill=first.skill,
        phase=second[0].phase,
        missing=", ".join(lack.name for lack in second),
    )


def _summarize(problem: _Problem) -> Json:
    first, second = problem
    if isinstance(second, SkillIntent):
        return {"skill": first, "intent": second.phrases[0], "tools": list(second.tools)}
    assert isinstance(first, SkillState)
    return {"skill": first.skill, "phase": second[0].phase, "missing": [lack.name for lack in second]}


def _join(tools: Sequence[str]) -> str:
    return ", ".join(tools)
