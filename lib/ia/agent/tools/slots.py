"""Slots in a scope: what forms have filled in, what a tool still lacks, and the form that asks for it."""

from collections.abc import Iterable, Mapping
from typing import Any

from ia.agent.tools.scope import Scope
from ia.faculties.skills import forms
from ia.faculties.skills.forms import Form, FormField
from ia.kernel.errors import IaError, NotFound, Refused
from ia.kernel.jsontypes import Json
from ia.organs import sessions


def load_slots(scope: Scope) -> Json:
    """Return the slots that are filled: those of the session, or of a connection without one, and those of the user."""
    if scope.session:
        return sessions.load_slots(scope.ws, scope.session)
    return {**sessions.load_user_slots(scope.ws), **scope.slots}


def keep_answers(scope: Scope, form: Form, values: Mapping[str, Any], *, replace: bool = False) -> None:
    """Keep answers in the session. The first ones to a lasting form are the user's own, and hold in every session.

    replace  they are the user's own in place of earlier ones.
    """
    if not values:
        return
    own = sessions.load_user_slots(scope.ws) if form.lasting else {}
    if form.lasting and (replace or not any(_is_of(name, form) for name in own)):
        sessions.keep_user_slots(scope.ws, {**dict.fromkeys(name for name in own if _is_of(name, form)), **values})
    if scope.session:
        sessions.fill_slots(scope.ws, scope.session, values)
    else:
        scope.slots |= values


def _is_of(slot: str, form: Form) -> bool:
    return slot.partition(".")[0] == form.name


def read_answers(form: Form, answers: Mapping[str, Any], lang: str) -> Json:
    """Return slot -> value of answers by the names of fields; an answer that is None is left out.

    raises  BadData for an answer that does not fit, NotFound for one to no field.
    """
    fields = {field.name: field for field in form.fields}
    for name in answers:
        if name.removeprefix(f"{form.name}.") not in fields:
            raise NotFound(
                "form {form} has no field {field}",
                form=form.name,
                field=str(name)[:60],
                known=", ".join(fields),
                hint="fields: {known}",
            )
    given = {name.removeprefix(f"{form.name}."): value for name, value in answers.items() if value is not None}
    return {form.slot(fields[name]): forms.read_answer(fields[name], value, lang) for name, value in given.items()}


def describe_form(form: Form, slots: Mapping[str, Any], lang: str) -> Json:
    """Return a form as a model or a program is told of it: its fields, and which of them are missing."""
    return {
        "form": form.name,
        "skill": form.skill,
        "title": form.title(lang),
        "fields": [_describe_field(form, field, slots, lang) for field in form.fields],
        "missing": [field.name for field in form.missing_fields(slots)],
    }


def _describe_field(form: Form, field: FormField, slots: Mapping[str, Any], lang: str) -> Json:
    told: Json = {"name": field.name, "title": field.title(lang), "type": field.format or field.kind}
    told |= {"description": words} if (words := field.text("description", lang)) else {}
    told |= {"choices": dict(field.choice_titles(lang))} if field.choices else {}
    told |= {"required": True} if field.required else {}
    told |= {"default": field.default} if field.default is not None else {}
    return told | ({"value": slots[form.slot(field)]} if form.slot(field) in slots else {})


def open_form(scope: Scope, form: Form) -> Json:
    """Put a form before the user, unless it is complete, and return it with its state."""
    slots = load_slots(scope)
    told = describe_form(form, slots, scope.lang)
    if told["missing"]:
        scope.form = {"form": form.name, "skill": form.skill, "missing": told["missing"]}
        return {**told, "status": "open", "hint": "the user sees the form now; end the turn and wait for the answers"}
    scope.form = {}
    return {**told, "status": "complete"}


def require_slots(scope: Scope, tool: str, wanted: Iterable[str], slots: Mapping[str, Any]) -> None:
    """Raise Refused, with what is missing and the form that asks for it, where slots are not filled."""
    missing: list[str] = []
    asking = ""
    for want in wanted:
        name = want.partition(".")[0]
        try:
            form = forms.find_form(scope.ws, name, scope.active)
        except IaError:
            missing += [want] if want not in slots else []
            continue
        lacking = [form.slot(field) for field in form.missing_fields(slots)] if want == name else [want]
        lacking = [slot for slot in lacking if slot not in slots]
        missing += lacking
        asking = asking or (name if lacking else "")
    if missing:
        raise Refused(
            "{tool} lacks {missing}",
            code="slots-missing",
            tool=tool,
            missing=", ".join(dict.fromkeys(missing)),
            form=asking or missing[0].partition(".")[0],
            session=scope.session,
            hint="fill in the form: `ia session fill {session} {form}`"
            if scope.actor == "user" and scope.session
            else "call collect_info form={form}",
        )
