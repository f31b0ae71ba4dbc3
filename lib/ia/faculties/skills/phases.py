"""The phases of a skill as a program reads them: conditions beside the words of knowledge/sop.yaml. See ia-skill(5).

A phase has `needs` (slots of a session), `has` (outputs of earlier phases), `asked` (it is for a question of the user),
`exit` (outputs that end it). A step has `gives`: the output that its tool produces. A procedure without any of them is
words alone, and holds nobody up.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from ia.faculties.skills.cache import make_once
from ia.faculties.skills.model import Skill
from ia.faculties.skills.procedure import load_sop
from ia.faculties.skills.registry import SLOT
from ia.kernel.errors import Message
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace

MAX_PHASES, MAX_CONDITIONS = 12, 40
RETRIEVAL, ANSWER = "P4", "P5"
"""The phases of the design that look things up, and that answer."""
_NAME = pattern(r"[a-z][a-z0-9_]{0,39}")


class SkillPhase(NamedTuple):
    """One phase.

    needs   slots that must be filled before it, FORM.FIELD, or FORM for all that the form requires
    has     outputs that must be there before it. exits: outputs that must be there after it
    asked   it is for a question of the user; without one it is passed over
    tools   tools of its steps, in order. gives: output -> the tools that produce it
    """

    id: str
    needs: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    asked: bool = False
    exits: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    gives: Mapping[str, tuple[str, ...]] = {}


class SkillPhases(NamedTuple):
    """The phases of a skill in order; none where its procedure is words alone. problems: conditions left out."""

    skill: str
    phases: tuple[SkillPhase, ...]
    problems: tuple[Message, ...] = ()

    def find_place(self, phase: str) -> int:
        """Return the place of a phase by its id; the last one where there is none of that name."""
        return next((at for at, each in enumerate(self.phases) if each.id == phase), len(self.phases) - 1)

    def tools_giving(self, output: str) -> tuple[str, ...]:
        """Return the tools that produce an output."""
        return tuple(name for each in self.phases for name in each.gives.get(output, ()))


def load_phases(ws: Workspace, skill: Skill) -> SkillPhases:
    """Return the phases of a skill; none where its procedure has no conditions for a program."""
    path = os.path.join(ws.root, skill.path, "knowledge/sop.yaml")
    return make_once(("phases", path, skill.name), [path], lambda: _read_phases(ws, skill))


def _read_phases(ws: Workspace, skill: Skill) -> SkillPhases:
    sop = load_sop(ws, skill) or {}
    listed = sop.get("phases")
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    problems: list[Message] = []
    found = tuple(_read_phase(each, at, problems) for at, each in enumerate(entries[:MAX_PHASES], 1))
    given = {name for each in found for name in each.gives}
    for each in found:
        for name in (*each.has, *each.exits):
            if name not in given:
                problems.append(
                    Message("knowledge/sop.yaml: {phase}: no step gives {output}", phase=each.id, output=name)
                )
    known = tuple(
        each._replace(
            has=tuple(name for name in each.has if name in given),
            exits=tuple(name for name in each.exits if name in given),
        )
        for each in found
    )
    if not any(each.needs or each.has or each.asked or each.exits for each in known):
        known = ()
    return SkillPhases(skill.name, known, tuple(problems))


def _read_phase(entry: Mapping[str, object], at: int, problems: list[Message]) -> SkillPhase:
    id_ = str(entry.get("id") or f"P{at}")[:20]
    steps = entry.get("steps")
    tools: list[str] = []
    gives: dict[str, tuple[str, ...]] = {}
    for step in steps if isinstance(steps, list) else []:
        tool = step.get("tool") if isinstance(step, dict) else None
        if not isinstance(tool, str) or not tool:
            continue
        tools.append(tool)
        for name in _read_names(step.get("gives"), id_, "gives", _NAME, problems):
            gives[name] = (*gives.get(name, ()), tool)
    asked = entry.get("asked", False)
    if not isinstance(asked, bool):
        problems.append(
            Message("knowledge/sop.yaml: {phase}: {field} must be {what}", phase=id_, field="asked",
                    what=Message("true or false"))
        )  # fmt: skip
    return SkillPhase(
        id=id_,
        needs=_read_names(entry.get("needs"), id_, "needs", SLOT, problems),
        has=_read_names(entry.get("has"), id_, "has", _NAME, problems),
        asked=asked is True,
        exits=_read_names(entry.get("exit"), id_, "exit", _NAME, problems),
        tools=tuple(dict.fromkeys(tools)),
        gives=gives,
    )


def _read_names(value: object, phase: str, field: str, allowed: object, problems: list[Message]) -> tuple[str, ...]:
    """Return the names of a condition; what is none is left out and told of."""
    listed = [] if value is None else [value] if isinstance(value, str) else value
    fullmatch = allowed.fullmatch  # type: ignore[attr-defined]
    if isinstance(listed, list) and all(isinstance(each, str) and fullmatch(each) for each in listed):
        return tuple(dict.fromkeys(listed[:MAX_CONDITIONS]))
    what = Message("a list of names")
    problems.append(Message("knowledge/sop.yaml: {phase}: {field} must be {what}", phase=phase, field=field, what=what))
    return ()
