"""Facts of earlier sessions: what the user asked, and where it can be continued."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 6


def answer_sessions(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which sessions there are, of a time where the question names one."""
    spans = [span for span in asked.spans if span.first is not None]
    if len(spans) > 1 or len(spans) < len(asked.spans) or asked.unread:
        return wording.ask_back(desk, asked.unread or tuple(span.said for span in asked.spans))
    wanted: Json = {"since": str(spans[0].first), "until": str(spans[0].last)} if spans else {}
    if asked.facts[0].field == "count":
        return (yield from _count_questions(desk, wanted))
    if _FIRST.search(asked.words):
        return (yield from _tell_first(desk, wanted))
    return (yield from tell_sessions(desk, wanted))


_FIRST = pattern(r"第一[个句次条]|最[先早]|首[先个次]|\bfirst\b", re.I)


def _count_questions(desk: ToolDesk, wanted: Json) -> Work[Reply]:
    """Tell how many questions of a time are kept, this one not counted: those of this session are told apart."""
    speak = desk.speak
    result = yield from desk.one("session.list", limit=1, **wanted)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the sessions"), result.failure)
    own = len(desk.request.before)
    told = speak(
        PluralText("**{count} question** in earlier sessions{time}", "**{count} questions** in earlier sessions{time}"),
        count=int(str(result.get("questions") or 0)),
        time=speak(" ({days})", days=" – ".join(dict.fromkeys(wanted.values()))) if wanted else "",
    )
    if own and str(wanted.get("until") or desk.request.day) >= desk.request.day:
        told += speak(", and {own} before this one here", own=own)
    return reply_of_lines(told + speak("."))


def _tell_first(desk: ToolDesk, wanted: Json) -> Work[Reply]:
    """Tell the first question of a time."""
    speak = desk.speak
    result = yield from desk.one("session.list", limit=1, order="oldest", **wanted)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the sessions"), result.failure)
    row = next(iter(wording.rows_of(result, "sessions")), None)
    if row is None or row["first_question"] == desk.request.question.strip():
        return reply_of_lines(speak("This is the first question of that time."))
    return reply_of_lines(
        speak("The first question: **{question}** (session `{session}`).",
              question=row["first_question"], session=row["session"])
    )  # fmt: skip


def tell_sessions(desk: ToolDesk, wanted: Json) -> Work[Reply]:
    """Tell the sessions that fit the arguments of session.list."""
    speak = desk.speak
    result = yield from desk.one("session.list", limit=SHOWN, **wanted)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the sessions"), result.failure)
    rows, count = wording.rows_of(result, "sessions"), int(str(result.get("count") or 0))
    if not rows:
        return reply_of_lines(speak("No earlier session fits; `ia session list` lists all of them."))
    head = PluralText("**{count} earlier session**:", "**{count} earlier sessions**, newest first:")
    lines = [speak(head, count=count)]
    for row in rows:
        said = str(row["title"])
        if row["last_question"] != row["title"] and int(str(row["questions"])) > 1:
            said = speak("{title}; last: {question}", title=said, question=str(row["last_question"])[:60])
        lines.append(f"- `{row['session']}` {row['date']} {said}")
    lines.append(
        speak(
            "`ia turn -s {session} MESSAGE` continues one, `ia session show {session}` shows it.",
            session=rows[0]["session"],
        )
    )
    return reply_of_lines(*lines)
