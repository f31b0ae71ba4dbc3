"""The questions of sessions: what stands between the marks of a turn, and the title of a session."""

from typing import NamedTuple

from ia.kernel import clock
from ia.kernel.errors import NotFound
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace, headline, to_local

_MARKS = pattern(
    r"\A(?:【(?:时间|Time)】.*\n)?(?:【(?:事件|Event)】.*\n)?【(?:用户问题|Question)】"
    r"|\n【(?:外部数据|External data)】[\s\S]*\Z"
)
"""What a turn writes around a question."""
_EVENT = pattern(r"\A(?:【(?:时间|Time)】.*\n)?【(?:事件|Event)】")
_TASK = pattern(r"task-\d+(-\d+)?")
"""How the session of a task's run is named: nobody asked there."""
TITLE = 60
"""Characters of a title."""


class Question(NamedTuple):
    """A question of the user: its session, its day in the user's time zone and its words, without data from outside."""

    session: str
    date: str
    text: str


def extract_question(content: str) -> str:
    """Return what the user asked, of a message of the user.

    >>> extract_question("【事件】用户查询\\n【用户问题】看看茅台")
    '看看茅台'
    >>> extract_question("【Event】User query\\n【Question】What about Moutai")
    'What about Moutai'
    """
    return _MARKS.sub("", content)


def make_title(content: str) -> str:
    """Return the line that stands for a session, made of its first message: the question, or the name of the event."""
    return headline(_EVENT.sub("", extract_question(content)), TITLE)


def list_questions(ws: Workspace, *, everything: bool = False) -> list[Question]:
    """Return the questions of all sessions as of now(), oldest first. Prompts of events are none.

    Questions that were pruned are among them, but not those that were withdrawn or whose session was deleted, and only
    with `everything` those of tasks and those that came with data from outside.
    """
    from datetime import datetime

    rows = ws.db.execute(
        "SELECT s.name, m.created, m.content FROM messages m JOIN sessions s ON s.id = m.session"
        " WHERE m.role = 'user' AND (:everything OR m.origins IS NULL) AND m.created <= :now"
        " AND (m.deleted IS NULL OR m.deleted > :now OR m.gist IS NOT NULL)"
        " AND s.created <= :now AND (s.deleted IS NULL OR s.deleted > :now) ORDER BY m.id",
        {"now": clock.utc_stamp(clock.now()), "everything": everything},
    )
    return [
        Question(name, to_local(datetime.fromisoformat(created)).strftime("%Y-%m-%d"), extract_question(content))
        for name, created, content in rows
        if (extract_question(content) != content or not _EVENT.match(content))
        and (everything or not _TASK.fullmatch(name))
    ]


def find_sessions_by_words(ws: Workspace, words: str) -> set[str]:
    """Return the names of the sessions whose title and questions hold all of the words, in any case."""
    moment = clock.utc_stamp(clock.now())
    titles = ws.db.execute(
        "SELECT name, title FROM sessions WHERE titled <= :now AND created <= :now"
        " AND (deleted IS NULL OR deleted > :now)",
        {"now": moment},
    )
    asked = {name: str(title).casefold() for name, title in titles}
    for question in list_questions(ws, everything=True):
        asked[question.session] = f"{asked.get(question.session, '')}\n{question.text}".casefold()
    return {session for session, text in asked.items() if all(word in text for word in words.casefold().split())}


def find_last_session(ws: Workspace) -> str:
    """Return the session in which the user asked last; an event of the day is no question.

    raises  NotFound where nothing was asked yet.
    """
    asked = [each for each in list_questions(ws, everything=True) if not _TASK.fullmatch(each.session)]
    if not asked:
        raise NotFound("there is no session to continue", hint="ask a first question with `ia turn MESSAGE`")
    return asked[-1].session
