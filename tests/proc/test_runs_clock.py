"""What a clock that was wrong, a pause or a new approval does to what is open of a task: nothing is lost by it."""

import pytest

from ia.faculties.taskbook import run_store
from ia.reach.tasks import decisions, executor

BY = "user with --yes"


@pytest.fixture
def at(monkeypatch):
    def live(time):
        monkeypatch.setenv("IA_NOW", f"{time}+08:00" if time[:2] == "20" else f"2024-03-{time}+08:00")

    live("15T15:59")
    return live


@pytest.fixture
def approved(ws, at):
    def approve(name="job", **fields):
        fields = {"schedule": "0 * * * *", "zone": "Asia/Shanghai", **fields}
        ws.write(
            f"tasks/{name}.md", "\n".join(["---", *(f"{key}: {value}" for key, value in fields.items()), "---", ""])
        )
        return decisions.approve_task(ws, name, by=BY)

    return approve


def states(ws):
    return [(run.slot[:16], run.state) for run in run_store.select_runs(ws, "1 ORDER BY id")]


def test_a_clock_that_was_ahead_stops_no_task(ws, at, approved):
    approved(run="ia usage")
    at("2030-01-01T00:30")
    assert [run.state for run in executor.run_due(ws)] == ["done"]
    at("15T16:00")
    assert [run.slot[:16] for run in executor.run_due(ws)] == ["2024-03-15T08:00"]
    assert executor.run_due(ws) == []


def test_a_clock_that_was_behind_drops_no_event_and_no_retry(ws, at, approved, home):
    approved("mail", schedule="on message hello", prompt="复盘本周的观察")
    approved("fails", run="ia note read nowhere", retries=1, retry_after=10)
    executor.events.record_event(ws, "message", "hello you", "1", "hello you")
    at("15T16:00")
    (first,) = executor.run_due(ws, "fails")
    assert first.retry_at
    at("2020-01-01T00:00")
    executor.run_due(ws)
    assert ("message 1", "waiting") in states(ws)
    at("15T16:10")
    assert [run.attempt for run in executor.run_due(ws, "fails")] == [2]
    assert [run.state for run in executor.run_due(ws, "mail")] == ["done"]


def test_events_wait_through_a_pause_and_for_a_changed_text(ws, at, approved):
    approved("mail", schedule="on message hello", prompt="复盘本周的观察")
    executor.events.record_event(ws, "message", "hello you", "1", "hello you")
    decisions.pause_task(ws, "mail")
    assert executor.run_due(ws) == []
    decisions.resume_task(ws, "mail")
    approved("mail", schedule="on message hello", prompt="复盘本周的判断")
    (run,) = executor.run_due(ws)
    assert run.state == "done" and run.slot == "message 1"
    assert executor.run_due(ws) == []


def test_events_are_not_for_a_text_that_wants_none(ws, at, approved):
    approved("mail", schedule="on message hello", prompt="复盘本周的观察")
    executor.events.record_event(ws, "message", "hello you", "1", "hello you")
    approved("mail", prompt="复盘本周的观察")
    assert executor.run_due(ws) == []
    assert states(ws) == [("message 1", "missed")]
