"""What a turn is told of its session beside the messages: the skills that are active, and what forms have filled in."""

from collections.abc import Sequence

from ia.faculties import skills
from ia.faculties.skills import forms
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
    slots = sessions.load_slots(ws, session)
    told_forms: set[str] = set()
    for form in forms.list_forms(ws, active) if slots else ():
        if form.name not in told_forms and (line := forms.narrate_form(form, slots, lang)):
            told_forms.add(form.name)
            lines.append(f"- {line}")
    return "\n".join(lines)
