"""Phases of skills in a scope: where each stands, whether a tool's phase is reached, and what a call has produced.

The state of a skill in a session is {skill, phase, slots, outputs}. Slots and outputs are kept; the phase follows from
them: the first one that lacks nothing, and whose successor lacks something. A model that calls a tool of a later phase
is refused with what is missing, and the call that brings it.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ia.agent.tools import slots
from ia.agent.tools.registry import Tool
from ia.agent.tools.scope import Scope
from ia.faculties import skills
from ia.faculties.skills import forms
from ia.faculties.skills.phases import ANSWER, RETRIEVAL, SkillPhases, load_phases
from ia.faculties.skills.skill_tools import COLLECT, COMPUTE, DISPLAY, FLOW, RANDOM, RETRIEVE
from ia.kernel.errors import IaError, Refused
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.organs import sessions

SEARCH, CHECK = "search_knowledge", "skills.check"
CORE = {SEARCH: RETRIEVAL, "show_report": ANSWER, "show_advice": ANSWER}
"""Tools of every conversation -> the phase that they belong to while a skill with phases is active."""
KINDS = {COLLECT: "P1", FLOW: "P1", COMPUTE: "P2", RANDOM: "P2", RETRIEVE: RETRIEVAL, DISPLAY: ANSWER}
"""Types of a skill's own tools -> the phase that they belong to where no step names them."""
BARS = "market.ohlcv"
KEPT_TEXT = 1500
"""Characters of a result that later turns of the session are told."""
_COMMAND = pattern(r"\s*/[\w-]+\s*\Z")


class Lack(NamedTuple):
    """What a phase lacks: a slot (`birth.place`) or an output (`chart`), and the call that brings it; "" for none."""

    phase: str
    name: str
    call: str


class SkillState(NamedTuple):
    """Where a skill stands: the place of its phase, what each later one lacks, its slots and outputs."""

    phases: SkillPhases
    at: int
    lacks: tuple[Lack, ...]
    slots: Json
    outputs: Json

    @property
    def skill(self) -> str:
        """Its name."""
        return self.phases.skill

    @property
    def phase(self) -> str:
        """The id of the phase that it is in."""
        return self.phases.phases[self.at].id

    def as_document(self) -> Json:
        """Return it as plain data."""
        return {
            "skill": self.skill,
            "phase": self.phase,
            "slots": self.slots,
            "outputs": sorted(self.outputs),
            "missing": [lack.name for lack in self.lacks],
        }


def list_states(scope: Scope, names: Sequence[str] = ()) -> list[SkillState]:
    """Return where the active skills with phases stand, in the order in which they became active.

    names   these skills instead of the active ones
    """
    found = []
    known = None
    for name in names or scope.active:
        try:
            phases = load_phases(scope.ws, skills.find(scope.ws, name))
        except IaError:
            continue
        if phases.phases:
            known = slots.load_slots(scope) if known is None else known
            found.append(_find_state(scope, phases, known, load_outputs(scope).get(name, {})))
    return found


def load_outputs(scope: Scope) -> Mapping[str, Json]:
    """Return skill -> output -> what is known of it."""
    return sessions.load_outputs(scope.ws, scope.session) if _has_session(scope) else scope.outputs


def begin_run(scope: Scope, name: str) -> None:
    """Begin the procedure of a skill anew: of its outputs only those stay that its own tools made from slots."""
    made = load_outputs(scope).get(name, {})
    gone = {output: None for output, each in made.items() if not (each.get("uses") and each.get("own"))}
    _keep_outputs(scope, name, gone)


def require_phase(scope: Scope, tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise Refused where a tool belongs to a phase that no active skill has reached.

    A person calls what they like, and a tool that no phase has is free.
    """
    if scope.actor == "user" or not scope.active:
        return
    refusals: list[Refused] = []
    for state in list_states(scope):
        place = _find_place(state, tool)
        if place is None or _means_other_skill(scope, state, tool, arguments):
            continue
        refusal = _find_refusal(scope, state, place, tool)
        if refusal is None:
            return
        refusals.append(refusal)
    if refusals:
        raise refusals[0]


def _find_refusal(scope: Scope, state: SkillState, place: int, tool: Tool) -> Refused | None:
    """Return why a tool of the phase at a place cannot be called yet; None where it can."""
    phase = state.phases.phases[place]
    if place > state.at:
        first = state.lacks[0]
        names = [lack.name for lack in state.lacks if (lack.phase, lack.call) == (first.phase, first.call)]
        return Refused(
            "{tool} is for {own}; {phase} of {skill} lacks {missing}: call {call}",
            code="phase",
            tool=tool.name,
            own=phase.id,
            skill=state.skill,
            phase=first.phase,
            missing=", ".join(names),
            call=first.call,
        )
    if phase.asked and not is_asked(scope):
        return Refused(
            "{tool} is for {own} of {skill}, and the user has asked nothing yet: ask for the question",
            code="phase",
            tool=tool.name,
            own=phase.id,
            skill=state.skill,
        )
    return None


def record_output(scope: Scope, tool: Tool, arguments: Mapping[str, Any], value: object) -> None:
    """Keep what a call has produced for the phases of the active skills."""
    active = _active_skills(scope)
    if not active or (isinstance(value, dict) and value.get("status") == "open"):
        return
    for state in list_states(scope, active):
        if (tool.skill and tool.skill != state.skill) or _means_other_skill(scope, state, tool, arguments):
            continue
        for at, phase in enumerate(state.phases.phases):
            made = {
                output: _describe_output(scope, state, at, tool, value)
                for output, names in phase.gives.items()
                if _is_named(tool, names)
            }
            changed = {name: it for name, it in made.items() if state.outputs.get(name) != it}
            if any(name in state.outputs for name in changed):  # a new draw: what was seen in the last one is void
                later = (name for after in state.phases.phases[at + 1 :] for name in after.gives)
                _keep_outputs(scope, state.skill, {name: None for name in later if name in state.outputs})
            _keep_outputs(scope, state.skill, changed)


def list_open(scope: Scope, state: SkillState) -> list[Lack]:
    """Return what is missing until a procedure is carried out: of its phases, and of what ends the last one."""
    left = list(state.lacks)
    for phase in state.phases.phases:
        for output in phase.exits:
            if output not in state.outputs and output not in [lack.name for lack in left]:
                left.append(_lack_output(state.phases, phase.id, output))
    return left


def _find_state(scope: Scope, phases: SkillPhases, known: Json, outputs: Json) -> SkillState:
    outputs = dict(outputs)
    if scope.market is not None:  # bars that were piped in need no call
        given = [name for each in phases.phases for name, tools in each.gives.items() if BARS in tools]
        outputs = {**{name: {} for name in given}, **outputs}
    lacks: list[Lack] = []
    at = len(phases.phases) - 1
    for place, phase in enumerate(phases.phases):
        before = phases.phases[max(place - 1, 0)].id
        missing = [
            Lack(before, slot, f"collect_info form={form}") for slot, form in _missing_slots(scope, phase.needs, known)
        ]
        missing += [_lack_output(phases, before, name) for name in phase.has if name not in outputs]
        if missing and not lacks:
            at = max(place - 1, 0)
        lacks += [lack for lack in missing if lack.name not in [each.name for each in lacks]]
    needed = {slot for phase in phases.phases for slot in phase.needs}
    own = {slot: value for slot, value in known.items() if slot in needed or slot.partition(".")[0] in needed}
    return SkillState(phases, at, tuple(lacks), slots=own, outputs=outputs)


def _lack_output(phases: SkillPhases, phase: str, output: str) -> Lack:
    return Lack(phase, output, " or ".join(dict.fromkeys(phases.tools_giving(output))))


def _missing_slots(scope: Scope, wanted: Sequence[str], known: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the slots that are not filled, each with its form; FORM stands for all that the form requires."""
    missing: list[tuple[str, str]] = []
    for want in wanted:
        name = want.partition(".")[0]
        if want != name:
            missing += [(want, name)] if want not in known else []
            continue
        try:
            form = forms.find_form(scope.ws, name, scope.active)
        except IaError:
            missing += [(want, name)] if want not in known else []
        else:
            missing += [(form.slot(field), name) for field in form.missing_fields(known)]
    return missing


def is_asked(scope: Scope) -> bool:
    """Return False if the user wrote the name of a skill and nothing else."""
    return _COMMAND.match(scope.asked) is None


def _find_place(state: SkillState, tool: Tool) -> int | None:
    """Return the place of the first phase that a tool belongs to; None where it belongs to none."""
    if tool.skill and tool.skill != state.skill:
        return None
    for at, phase in enumerate(state.phases.phases):
        if _is_named(tool, phase.tools):
            return at
    if tool.name in CORE:
        return state.phases.find_place(CORE[tool.name])
    if tool.skill == state.skill and tool.about.get("type") in KINDS:
        wanted = KINDS[tool.about["type"]]
        known = [phase.id for phase in state.phases.phases]
        return state.phases.find_place(wanted) if wanted in known or wanted in (RETRIEVAL, ANSWER) else 0
    return None


def _is_named(tool: Tool, names: Sequence[str]) -> bool:
    return tool.name in names or (bool(tool.bare) and tool.bare in names)


def _means_other_skill(scope: Scope, state: SkillState, tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Return True if a call of a tool for all skills names another active one."""
    named = {SEARCH: arguments.get("skill_id"), CHECK: arguments.get("name") or scope.skill}.get(tool.name)
    return named in scope.active and named != state.skill


def _active_skills(scope: Scope) -> Sequence[str]:
    """Return the active skills; those of the session where a person calls a tool in it."""
    if scope.active or scope.actor != "user" or not scope.session:
        return scope.active
    return sessions.list_active_skills(scope.ws, scope.session)


def _describe_output(scope: Scope, state: SkillState, at: int, tool: Tool, value: object) -> Json:
    """Return what is kept of an output: the tool, the slots that it was made from, and the result of a skill's own."""
    needs = [slot for phase in state.phases.phases[: at + 1] for slot in phase.needs]
    names = {each for each in needs if "." in each}
    whole = {each for each in needs if "." not in each}
    uses = sorted(names | {slot for slot in slots.load_slots(scope) if slot.partition(".")[0] in whole})
    told: Json = {"tool": tool.name} | ({"uses": uses} if uses else {}) | ({"own": True} if tool.skill else {})
    if tool.skill and tool.about.get("type") in (COMPUTE, RANDOM):
        told["text"] = json.dumps(value, ensure_ascii=False, default=str)[:KEPT_TEXT]
    return told


def _has_session(scope: Scope) -> bool:
    return bool(scope.session) and not scope.depth


def _keep_outputs(scope: Scope, skill: str, values: Mapping[str, Any]) -> None:
    if not values:
        return
    if _has_session(scope):
        sessions.keep_outputs(scope.ws, scope.session, skill, values)
        return
    made = scope.outputs.setdefault(skill, {})
    for name, value in values.items():
        made.pop(name, None)
        if value is not None:
            made[name] = value
