"""session.list: what was asked in earlier sessions, and nothing from outside."""

import pytest

from ia.agent.tools.builtin.sessions import list_sessions
from ia.agent.tools.scope import Scope
from ia.kernel.errors import UsageError
from ia.organs import sessions


@pytest.fixture
def asked(ws, monkeypatch):
    for session, day, text in (
        ("a", "2024-03-01", "看看茅台"),
        ("b", "2024-03-05", "How is CATL?"),
        ("a", "2024-03-08", "它的市盈率"),
        ("task-1", "2024-03-09", "review"),
        ("now", "2024-03-10", "what did I ask?"),
    ):
        monkeypatch.setenv("IA_NOW", f"{day}T10:00:00+08:00")
        sessions.add_message(ws, session, "user", text)
    sessions.add_message(ws, "c", "user", "summarise this", origins=["mail"])
    sessions.title_session(ws, "b", "Battery")
    return Scope(ws, "user", session="now", turn="t")


def test_sessions_are_listed_newest_first_without_tasks_and_this_one(asked):
    found = list_sessions(asked)
    assert found["count"] == 2 and [row["session"] for row in found["sessions"]] == ["a", "b"]
    assert found["sessions"][0] == {
        "session": "a", "title": "看看茅台", "date": "2024-03-08", "questions": 2, "first_question": "看看茅台",
        "last_question": "它的市盈率",
    }  # fmt: skip
    assert found["sessions"][1]["title"] == "Battery"


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"until": "2024-03-05"}, ["b", "a"]),
        ({"since": "2024-03-06"}, ["a"]),
        ({"since": "2024-03-02", "until": "2024-03-07"}, ["b"]),
        ({"words": "battery catl"}, ["b"]),
        ({"limit": 1}, ["a"]),
        ({"limit": 1, "order": "oldest"}, ["a"]),
        ({"words": "nothing"}, []),
    ],
)
def test_days_words_and_count_choose(asked, wanted, names):
    assert [row["session"] for row in list_sessions(asked, **wanted)["sessions"]] == names


def test_a_day_that_is_none(asked):
    with pytest.raises(UsageError):
        list_sessions(asked, since="soon")
