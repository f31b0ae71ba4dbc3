"""session.*: what was asked in earlier sessions."""

from typing import Annotated, Literal

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope
from ia.kernel.jsontypes import Json

MAX_SESSIONS = 50


@tool("session.list", READ)
def list_sessions(
    scope: Scope,
    words: Annotated[str, "only sessions whose title and questions contain all of these words"] = "",
    since: Annotated[str, "YYYY-MM-DD: only sessions with a question on this day or later"] = "",
    until: Annotated[str, "YYYY-MM-DD: only sessions with a question on this day or earlier"] = "",
    limit: Annotated[int, AtLeast(1)] = 10,
    order: Annotated[Literal["newest", "oldest"], "oldest: by the first question in that time"] = "newest",
) -> Json:
    """List the user's earlier sessions, most recent first: id, title, day and text of first and last question in that
    time, number of questions. `count` is how many sessions fit, `questions` how many questions they have. This turn's
    session is left out unless `oldest`.
    """
    from ia.kernel import clock, dateforms
    from ia.organs import sessions

    today = clock.now().date()
    since = dateforms.parse_day(since, today, option="since") if since else ""
    until = dateforms.parse_day(until, today, option="until", last=True) if until else ""
    titles = {each.id: each.title for each in sessions.list_sessions(scope.ws)}
    holding = sessions.find_sessions_by_words(scope.ws, words) if words.strip() else set(titles)
    rows: dict[str, Json] = {}
    for asked in sessions.list_questions(scope.ws):
        if (asked.session == scope.session and order == "newest") or asked.session not in holding:
            continue
        if (since and asked.date < since) or (until and asked.date > until):
            continue
        known = rows.pop(asked.session, {}) if order == "newest" else rows.get(asked.session, {})
        text = " ".join(asked.text.split())[:200]
        rows[asked.session] = {
            "session": asked.session,
            "title": titles[asked.session],
            "date": asked.date,
            "questions": int(str(known.get("questions") or 0)) + 1,
            "first_question": known.get("first_question") or text,
            "last_question": text,
        }
    listed = list(reversed(rows.values())) if order == "newest" else list(rows.values())
    total = sum(int(str(row["questions"])) for row in listed)
    return {"count": len(listed), "questions": total, "sessions": listed[: min(limit, MAX_SESSIONS)]}
