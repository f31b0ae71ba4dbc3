"""What a turn is told of the user, in words: answers to lasting forms, the newest reflection, recent insights.

Answers to private forms are among them: a language model of a turn learns them, a provider and the audit trail never.
"""

from ia.faculties.skills import forms
from ia.kernel import audit, untrusted
from ia.kernel.errors import IaError
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace
from ia.organs import sessions
from ia.organs.memory import change_rules

MAX_INSIGHTS = 5
MAX_CHARACTERS = 300
"""Of a reflection, and of an insight."""
INSIGHT = "insight"
"""The event of an insight that was kept; its subject is the file."""


def write_user_context(ws: Workspace, session: str, lang: str) -> str:
    """Return what is known of the user, a line each; "" where nothing is. What the session has itself is left out.

    A reflection alone tells of work and not of the user: it comes beside answers and insights.
    """
    voice = Voice(lang)
    answers = _narrate_forms(ws, session, lang)
    insights = [voice("Insight of {day}, {text}", day=day, text=text) for day, text in _list_insights(ws)]
    portrait = _read_portrait(ws) if answers or insights else ""
    lines = [*answers, *([voice("Lately: {text}", text=portrait)] if portrait else []), *insights]
    return "\n".join(f"- {line}" for line in lines)


def _narrate_forms(ws: Workspace, session: str, lang: str) -> list[str]:
    slots = sessions.load_user_slots(ws)
    own = {name.partition(".")[0] for name in sessions.load_own_slots(ws, session)} if session and slots else set()
    told: dict[str, str] = {}
    for form in forms.list_forms(ws) if slots else ():
        if form.name not in own and form.name not in told and (line := forms.narrate_form(form, slots, lang)):
            told[form.name] = line
    return list(told.values())


def _read_portrait(ws: Workspace) -> str:
    """Return how the newest reflection begins, without its heading."""
    paths = sorted(ws.list_paths(change_rules.REFLECTIONS))
    return _read_body(ws, paths[-1]) if paths else ""


def _list_insights(ws: Workspace) -> list[tuple[str, str]]:
    """Return day and text of the newest insights that are still there, newest first."""
    paths = dict.fromkeys(event.subject for event in audit.events(ws.db, kind=INSIGHT, limit=4 * MAX_INSIGHTS))
    found = [(path.rpartition("/")[2][: len("2024-03-15")], _read_body(ws, path, heading=True)) for path in paths]
    return [(day, text) for day, text in found if text][:MAX_INSIGHTS]


def _read_body(ws: Workspace, path: str, *, heading: bool = False) -> str:
    """Return the first words of a text in one line; "" for one that is gone, or that others wrote."""
    try:
        text = ws.read(path) or ""
    except IaError:
        return ""
    if untrusted.origin_of(text) is not None:
        return ""
    title = next((line.lstrip("# ") for line in text.splitlines() if line.startswith("#")), "") if heading else ""
    body = " ".join(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return f"{title}: {body[:MAX_CHARACTERS]}" if title else body[:MAX_CHARACTERS]
