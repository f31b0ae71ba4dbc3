"""Tools of every conversation that ask the user by a form, or show a card: collect_info, show_report, show_insight."""

from typing import Annotated

from ia.agent.tools import slots
from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.faculties.skills import forms
from ia.kernel.errors import Refused
from ia.kernel.jsontypes import Json


@tool("collect_info", READ, private=True)
def collect_info(
    scope: Scope,
    form: Annotated[str, "name of a form of a skill"],
    answers: Annotated[dict[str, object] | None, "field -> value: what the user has said, and nothing else"] = None,
) -> Json:
    """Ask the user for what a skill needs, by one of its forms. With `answers`, fill in what the user has said in this
    conversation; never guess. While fields are missing the form is open: end the turn, the user sees it.
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
        slots.fill_form(scope, found, answers)
    return slots.open_form(scope, found)
