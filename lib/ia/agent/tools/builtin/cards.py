"""Tools of every conversation that ask the user by a form, or show a card.

collect_info, show_report, show_insight, and show_advice, which ends the procedure of a skill.
"""

from typing import Annotated

from ia.agent.tools import phases, schema, slots
from ia.agent.tools.builtin.memory import add_observation
from ia.agent.tools.registry import READ, WRITE, tool
from ia.agent.tools.said_answers import unsaid_answers
from ia.agent.tools.scope import Scope
from ia.agent.tools.skill_tools import ADVICE, INSIGHT, REPORT, make_card, own_cards
from ia.faculties.skills import forms
from ia.kernel import audit
from ia.kernel.errors import BadData, Refused
from ia.kernel.jsontypes import Json


@tool("collect_info", READ, private=True)
def collect_info(
    scope: Scope,
    form: Annotated[str, "name of a form of a skill"],
    answers: Annotated[dict[str, object] | None, "field -> value: what the user has said, and nothing else"] = None,
) -> Json:
    """Ask the user for what a skill needs, by one of its forms. With `answers`, fill in what the user has said in this
    conversation; other values are not taken (`not_said`). While fields are missing the form is open: end the turn, the
    user sees it.
    """
    found = forms.find_form(scope.ws, form, scope.active)
    if answers:
        if any(origin != scope.own for origin in scope.origins) and scope.actor != "user":
            raise Refused(
                "text from outside ({origins}) was read: only the user fills in a form now",
                code="outside-text",
                origins=", ".join(scope.origins),
                hint="call collect_info without answers",
            )
        values = slots.read_answers(found, answers, scope.lang)
        unsaid = [] if scope.actor == "user" or scope.connection else unsaid_answers(scope, found, values)
        slots.keep_answers(scope, found, {slot: value for slot, value in values.items() if slot not in unsaid})
        if unsaid:
            told = slots.open_form(scope, found)
            return {
                **told,
                "not_said": [slot.partition(".")[2] for slot in unsaid],
                "reason": "the user's messages do not hold these values: ask the user, and never guess",
            }
    return slots.open_form(scope, found)


@tool("show_report", READ, card=REPORT)
def show_report(
    scope: Scope,
    title: str,
    text: Annotated[str, "what matters most, in a few sentences"] = "",
    sections: Annotated[list[dict[str, object]] | None, 'each {"heading": …, "text": …}; Markdown in text'] = None,
) -> Json:
    """Show the user a report as a card: a title, what matters most, and sections. Do not repeat it in the reply."""
    props = {"title": title, **({"text": text} if text else {}), **({"sections": sections} if sections else {})}
    return make_card(scope, REPORT, own_cards()[REPORT], props)


@tool("show_insight", WRITE, card=INSIGHT)
def show_insight(
    scope: Scope,
    title: Annotated[str, "the insight's subject, a few words"],
    text: Annotated[str, "what it says, in one or two sentences"],
    evidence: Annotated[list[str] | None, "what it rests on"] = None,
) -> Json:
    """Show the user an insight as a card, and keep it as an observation that later conversations recall."""
    props = {"title": title, "text": text, **({"evidence": evidence} if evidence else {})}
    card = make_card(scope, INSIGHT, own_cards()[INSIGHT], props)
    saved = add_observation(scope, title, "; ".join([text, *(evidence or [])]))
    if saved["status"] == "written":
        audit.record(scope.ws.db, "insight", saved["path"], scope.actor)
    return {**card, "saved": saved}


@tool("show_advice", READ, card=ADVICE)
def show_advice(
    scope: Scope,
    points: Annotated[list[dict[str, object]], 'one to three of {"text": …, "do": what the user can do, "source": …}'],
    uncertain: Annotated[str, "what is not known, or what the points depend on"],
    next: Annotated[list[str], "questions that the user is likely to ask next"],
    conflicts: Annotated[list[str] | None, "two active skills: where they differ, both sides; [] where nowhere"] = None,
) -> Json:
    """End the procedure of a skill: three points at most, each with something to do, what is uncertain, and the likely
    next questions. The user sees it as a card; do not repeat it in the reply.
    """
    props: Json = {"points": points, "uncertain": uncertain, "next": next}
    props |= {} if conflicts is None else {"conflicts": conflicts}
    schema.validate_arguments(ADVICE, own_cards()[ADVICE], props)
    names = [state.skill for state in phases.list_states(scope)]
    if conflicts is None and len(names) > 1:
        raise BadData(
            "the skills {skills} are active: name in `conflicts` where their conclusions differ, [] where nowhere",
            code="conflicts-missing",
            skills=", ".join(names),
        )
    return make_card(scope, ADVICE, own_cards()[ADVICE], props)
