"""Slots and active skills of a session: kept in ia.db, seen as of now()."""

import pytest

from ia.kernel.errors import UsageError
from ia.kernel.workspace import Workspace
from ia.organs import sessions


def test_slots_survive_a_restart_and_belong_to_their_session(ws):
    sessions.fill_slots(ws, "s", {"birth.date": "1990-05-15", "birth.tags": ["a", "b"]})
    sessions.fill_slots(ws, "s", {"birth.date": "1991-01-01", "birth.tags": None})
    again = Workspace(ws.root)
    assert sessions.load_slots(again, "s") == {"birth.date": "1991-01-01"}
    assert sessions.load_slots(again, "t") == {}
    sessions.delete_session(ws, "s")
    assert sessions.load_slots(again, "s") == {}
    again.close()


def test_an_earlier_now_sees_the_earlier_value(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T10:00+08:00")
    sessions.fill_slots(ws, "s", {"a.b": 1})
    sessions.activate_skill(ws, "s", "garden")
    monkeypatch.setenv("IA_NOW", "2024-03-16T10:00+08:00")
    sessions.fill_slots(ws, "s", {"a.b": 2})
    sessions.activate_skill(ws, "s", "balcony")
    sessions.activate_skill(ws, "s", "garden")
    assert sessions.load_slots(ws, "s") == {"a.b": 2}
    assert sessions.list_active_skills(ws, "s") == ["garden", "balcony"]
    monkeypatch.setenv("IA_NOW", "2024-03-15T12:00+08:00")
    assert sessions.load_slots(ws, "s") == {"a.b": 1}
    assert sessions.list_active_skills(ws, "s") == ["garden"]


def test_a_name_that_is_none_is_refused(ws):
    with pytest.raises(UsageError):
        sessions.fill_slots(ws, "a/b", {"a": 1})
