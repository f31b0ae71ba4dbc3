"""What a turn is told of its session beside the messages.

The skills that are active, what forms have filled in, where procedures stand, and the rules that hold for the question.
"""

from collections.abc import Sequence

from ia.agent.tools import phases
from ia.agent.tools.builtin.skills import describe_rule
from ia.agent.tools.phases import SkillState
from ia.agent.tools.scope import Scope
from ia.faculties import skills
from ia.faculties.skills import forms, rule_search
from ia.faculties.skills.skill_tools import load_tools
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace
from ia.organs import sessions


def write_session_state(ws: Workspace, session: str, active: Sequence[str], lang: str) -> str:
    """Return a line for each active skill and each form with answers, in words; "" where there is neither."""
    voice = Voice(lang)
    lines = []
    for name in active:
        skill = skills.find(ws, name)
        tools = ", ".join(each.name for each in load_tools(ws, skill).tools) or "-"
        told = "{skill} is active; tools: {tools}. skills.load {name} shows its instructions again."
        lines.append(voice(told, skill=skill.display_name(lang), tools=tools, name=name))
    slots = sessions.load_own_slots(ws, session)
    told_forms: set[str] = set()
    for form in forms.list_forms(ws, active) if slots else ():
        if form.name not in told_forms and (line := forms.narrate_form(form, slots, lang)):
            told_forms.add(form.name)
            lines.append(f"- {line}")
    return "\n".join(lines)


def write_method(scope: Scope) -> str:
    """Return where the procedure of each active skill stands, with its rules of tier 1, red flags, and those that fit.

    "" where no skill with phases is active.
    """
    states = phases.list_states(scope)
    voice = Voice(scope.lang)
    lines = [line for state in states for line in _write_state(scope, state, voice)]
    if len(states) > 1:
        told = (
            "Several skills are active: carry out the procedure of each, and answer once. Where their conclusions"
            " differ, name both sides."
        )
        lines.append(voice(told))
    return "\n".join(lines)


def _write_state(scope: Scope, state: SkillState, voice: Voice) -> list[str]:
    lines = [voice("{skill}: phase {phase}", skill=state.skill, phase=state.phase)]
    for lack in state.lacks[:1]:
        lines.append(
            voice("- {phase} lacks {missing}: call {call}", phase=lack.phase, missing=lack.name, call=lack.call)
        )
    lines += [f"- {name}: {made['text']}" for name, made in state.outputs.items() if made.get("text")]
    always = rule_search.list_always(scope.ws, state.skill, scope.lang)
    found = rule_search.find_rules(scope.ws, state.skill, scope.asked, scope.lang)
    lines += [voice("- always: {rule}", rule=describe_rule(each)) for each in always]
    return [*lines, *(voice("- for this question: {rule}", rule=describe_rule(each)) for each in found)]
