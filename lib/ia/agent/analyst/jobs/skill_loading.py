"""What a skill brings to the work: its tools, and the steps of its procedure."""

from typing import Any

from ia.agent.analyst.desk import NO_TOOL, ToolDesk, Work
from ia.agent.analyst.evidence import procedure
from ia.agent.analyst.evidence.procedure import ProcedureStep
from ia.agent.analyst.failures import describe_failure


def load_skill(desk: ToolDesk, skill: str, arguments: str = "") -> Work[Any]:
    """Return what `skills.load` brings of a skill, None where it is not there."""
    result = yield from desk.one("skills.load", name=skill, arguments=arguments, steps=True)
    if result.failure is not None:
        if result.failure.code not in (NO_TOOL, "no-such-skill", "skill-disabled"):
            desk.note_unused(skill, describe_failure(desk.speak, result.failure))
        return None
    if isinstance(result.get("tools"), list):
        desk.allowed = [str(name) for name in result.get("tools")]
    return result.value


def steps_for(desk: ToolDesk, skill: str, arguments: str) -> Work[tuple[list[ProcedureStep], str]]:
    """Return the steps of a skill's procedure and its name; the built-in ones and "" where there is none."""
    brought = yield from load_skill(desk, skill, arguments)
    steps = procedure.parse_steps(brought)
    if steps and any(step.code for step in steps):
        return steps, skill
    return procedure.default_steps(desk.speak, desk.tables), skill if brought is not None else ""
