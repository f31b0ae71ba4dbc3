"""Forms of skills in a chat: one question a message, buttons for choices, a summary to send or to cancel.

What is open stands in ia.db with the session, so that a restart goes on. Answers are kept when the user sends the form;
until then they are a draft. A button says which question it belongs to, never a value: one of an earlier question, or
of a form that is closed, has expired.
"""

import json
import secrets
from typing import Any, NamedTuple

from ia.agent.tools.scope import Scope
from ia.agent.tools.slots import keep_answers
from ia.faculties.skills import forms
from ia.faculties.skills.forms import Form, FormField
from ia.kernel import config
from ia.kernel.errors import BadData, IaError, Message
from ia.kernel.i18n import translate
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs import sessions
from ia.reach.bridges.chat_approval import ListenerVoice

BUTTONS = "\0"
"""Stands before a message with buttons, as JSON, in an answer. No text that comes in has it."""
MAX_DATA = 64
"""Bytes of what a button sends back."""
MAX_TITLE = 60
"""Characters of a button."""
MAX_BUTTONS = 12
"""Choices that are buttons; more are typed."""
_DATA = pattern(r"f:([0-9a-f]{8}):(\d{1,3}):(\d{1,2}|skip|cancel|send)\Z")
EXPIRED = Message("This button has expired.")


class ButtonMessage(NamedTuple):
    """A message with buttons: rows of (title, what it sends back)."""

    text: str
    buttons: list[tuple[str, str]]

    def encode(self) -> str:
        """Return it as a part of an answer."""
        return BUTTONS + json.dumps({"text": self.text, "buttons": self.buttons}, ensure_ascii=False)


def decode_part(part: str) -> ButtonMessage:
    """Return a part of an answer as a message, without buttons where it has none."""
    if not part.startswith(BUTTONS):
        return ButtonMessage(part, [])
    told = json.loads(part[1:])
    return ButtonMessage(told["text"], [(title, data) for title, data in told["buttons"]])


class Resumed(NamedTuple):
    """A form was sent: the question that it was opened for is to be answered now."""

    question: str


def begin_form(ws: Workspace, session: str, name: str, question: str, voice: ListenerVoice) -> str:
    """Open a form in a chat and return its first question, as a part of an answer; "" where there is nothing to ask.

    question    what the user had asked when the form was opened
    """
    form = forms.find_form(ws, name, sessions.list_active_skills(ws, session))
    known = sessions.load_slots(ws, session)
    asked = [at for at, field in enumerate(form.fields) if form.slot(field) not in known]
    if not asked:
        return ""
    state = {"id": secrets.token_hex(4), "form": name, "question": question, "asked": asked, "answers": {}}
    sessions.keep_open_form(ws, session, state)
    return _ask_next(ws, session, state, form, voice)


def is_answer(ws: Workspace, session: str, text: str, button: str) -> bool:
    """Return True if a message belongs to a form: a button, or words while a form is open."""
    return bool(button) or (
        bool(text) and not text.startswith("/") and sessions.load_open_form(ws, session) is not None
    )


def take_answer(ws: Workspace, session: str, text: str, button: str, voice: ListenerVoice) -> str | Resumed:
    """Return what is said to an answer: the next question, the summary, or what is wrong with it."""
    state = sessions.load_open_form(ws, session)
    parsed = _DATA.match(button) if button else None
    if state is None or (button and (parsed is None or parsed[1] != state["id"])):
        return voice.say(EXPIRED)
    try:
        form = forms.find_form(ws, state["form"], sessions.list_active_skills(ws, session))
    except IaError:  # its skill is gone
        sessions.keep_open_form(ws, session, None)
        return voice.say(EXPIRED)
    at = _find_place(state)
    act = parsed[3] if parsed else ""
    if act == "cancel":
        sessions.keep_open_form(ws, session, None)
        return voice.say(Message("The form is closed; nothing was kept."))
    if parsed and int(parsed[2]) != at:
        return voice.say(EXPIRED)
    if at == len(state["asked"]):
        return _finish(ws, session, state, form, voice) if act == "send" else _summarize(state, form, voice)
    return _fill(ws, session, state, form, text, act, voice)


def _find_place(state: dict[str, Any]) -> int:
    """Return which question is next: the first one without an answer, or their number where all have one."""
    return len(state["answers"])


def _fill(
    ws: Workspace, session: str, state: dict[str, Any], form: Form, text: str, act: str, voice: ListenerVoice
) -> str:
    """Keep one answer in the draft, and ask the next question; ask again where it does not fit."""
    field = form.fields[state["asked"][_find_place(state)]]
    lang = config.locale_lang()
    try:
        value = None if act == "skip" and not field.required else _read(field, text, act, lang)
    except BadData as exc:
        told = voice.say(Message(exc.template, **exc.params))
        return told + _ask_next(ws, session, state, form, voice)
    state = {**state, "answers": {**state["answers"], field.name: value}}
    sessions.keep_open_form(ws, session, state)
    return _ask_next(ws, session, state, form, voice)


def _read(field: FormField, text: str, act: str, lang: str) -> Any:
    if act.isdecimal():
        choices = _list_choices(field, lang)
        if int(act) >= len(choices):
            raise BadData("{field}: no such choice", field=field.title(lang))
        return forms.read_answer(field, choices[int(act)][0], lang)
    return forms.read_answer(field, text or act, lang)


def _list_choices(field: FormField, lang: str) -> list[tuple[str, str]]:
    """Return value and title of what a button can stand for."""
    if field.kind == "boolean":
        return [("yes", translate(forms.YES_WORD, lang)), ("no", translate(forms.NO_WORD, lang))]
    return field.choice_titles(lang) if field.kind == "choice" and len(field.choices) <= MAX_BUTTONS else []


def _ask_next(ws: Workspace, session: str, state: dict[str, Any], form: Form, voice: ListenerVoice) -> str:
    at, lang = _find_place(state), config.locale_lang()
    if at == len(state["asked"]):
        return _summarize(state, form, voice)
    field = form.fields[state["asked"][at]]
    lines = [f"{form.title(lang)} {at + 1}/{len(state['asked'])}: {field.title(lang)}"]
    lines += [words] if (words := field.text("description", lang)) else []
    buttons = [(title[:MAX_TITLE], _format_data(state, at, str(index))) for index, (_, title) in
               enumerate(_list_choices(field, lang))]  # fmt: skip
    if field.choices and not buttons:
        lines += [f"{number}. {title}" for number, (_, title) in enumerate(field.choice_titles(lang), 1)]
    if not field.required:
        buttons.append((voice.say(Message("Skip")), _format_data(state, at, "skip")))
    buttons.append((voice.say(Message("Cancel")), _format_data(state, at, "cancel")))
    return ButtonMessage("\n".join(lines), buttons).encode()


def _summarize(state: dict[str, Any], form: Form, voice: ListenerVoice) -> str:
    at, lang = len(state["asked"]), config.locale_lang()
    given = {f"{form.name}.{name}": value for name, value in state["answers"].items() if value is not None}
    told = forms.narrate_form(form, given, lang) or form.title(lang)
    buttons = [
        (voice.say(Message("Send")), _format_data(state, at, "send")),
        (voice.say(Message("Cancel")), _format_data(state, at, "cancel")),
    ]
    return ButtonMessage(told, buttons).encode()


def _finish(ws: Workspace, session: str, state: dict[str, Any], form: Form, voice: ListenerVoice) -> str | Resumed:
    """Fill the slots of the session with the draft, and go on with the question."""
    given = {f"{form.name}.{name}": value for name, value in state["answers"].items() if value is not None}
    keep_answers(Scope(ws, session=session), form, given)
    sessions.keep_open_form(ws, session, None)
    return Resumed(state["question"])


def _format_data(state: dict[str, Any], at: int, act: str) -> str:
    data = f"f:{state['id']}:{at}:{act}"
    assert len(data.encode()) <= MAX_DATA
    return data
