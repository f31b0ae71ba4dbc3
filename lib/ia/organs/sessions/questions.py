"""The questions of sessions: what stands between the marks of a turn, and the title of a session."""

from typing import NamedTuple

from ia.kernel import clock
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace, headline, to_local

_MARKS = pattern(r"\A(?:【时间】.*\n)?(?:【事件】.*\n)?【用户问题】|\n【外部数据】[\s\S]*\Z")
"""What a turn writes around a question."""
_EVENT = pattern(r"\A(?:【时间】.*\n)?【事件】")
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
    """
    return _MARKS.sub("", content)


def make_title(content: str) -> str:
    """Return the line that stands for a session, made of its first message: the question, or the name of the event."""
    return headline(_EVENT.sub("", extract_question(content)), TITLE)


def list_questions(ws: Workspace) -> list[Question]:
    """Return the questions of all sessions as of now(), oldest first. Prompts of events are none.

    Questions that were pruned are among them, but not those that were withdrawn, that came with data from outside, or
    whose session was deleted.
    """
    from datetime import datetime

    rows = ws.db.execute(
        "SELECT s.name, m.created, m.content FROM messages m JOIN sessions s ON s.id = m.session"
        " WHERE m.role = 'user' AND m.origins IS NULL AND m.created <= :now"
        " AND (m.deleted IS NULL OR m.deleted > :now OR m.gist IS NOT NULL)"
        " AND s.created <= :now AND (s.deleted IS NULL OR s.deleted > :now) ORDER BY m.id",
        {"now": clock.utc_stamp(clock.now())},
    )
    return [
        Question(name, to_local(datetime.fromisoformat(created)).strftime("%Y-%m-%d"), extract_question(content))
        for name, created, content in rows
        if extract_question(content) != content or not _EVENT.match(content)
    ]
