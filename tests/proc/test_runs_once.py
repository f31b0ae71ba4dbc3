"""A task of a single moment: it runs once, its crontab line goes, and the list says that it is finished."""

import json

import pytest

from ia.faculties.taskbook import approved_tasks, run_store, task_times
from ia.kernel.errors import BadData
from ia.reach.tasks import crontab, decisions, executor

BY = "user with --yes"


@pytest.fixture
def at(monkeypatch):
    def live(time):
        monkeypatch.setenv("IA_NOW", f"2024-03-{time}+08:00")

    live("15T15:00")
    return live


@pytest.fixture
def approved(ws, at):
    def approve(name="once", schedule="at 2024-03-15 16:00", **fields):
        fields = {"schedule": schedule, "zone": "Asia/Shanghai", "run": "ia usage", **fields}
        lines = [f"{key}: {value}" for key, value in fields.items()]
        ws.write(f"tasks/{name}.md", "\n".join(["---", *lines, "---", ""]))
        return decisions.approve_task(ws, name, by=BY)

    return approve


def state(ws):
    return [each.state for each in approved_tasks.list_tasks(ws)]


def test_it_has_a_line_while_its_moment_is_to_come(ws, at, approved, crontab):
    approved(schedule="at 2060-03-16 16:00")  # the table is made by the real clock
    assert b"task due once" in crontab.read_bytes() and crontab_is_sound(ws)


def test_it_runs_once_and_its_line_goes(ws, at, approved):
    approved()
    assert [name for name, _ in approved_tasks.crontab_entries(ws)] == ["once"] and executor.run_due(ws) == []
    at("15T16:00:02")
    (run,) = executor.run_due(ws, "once")
    assert (run.state, run.slot[:16]) == ("done", "2024-03-15T08:00")
    assert state(ws) == ["finished"] and approved_tasks.crontab_entries(ws) == []
    at("16T16:00")
    assert executor.run_due(ws) == [] and task_times.find_overdue(ws) == []


@pytest.mark.parametrize(("missed", "states"), [("once", ["done"]), ("skip", ["missed"])])
def test_a_missed_moment_is_made_up_for_or_left_out(ws, at, approved, missed, states):
    approved(missed=missed)
    at("17T09:00")
    assert [found.name for found in task_times.find_overdue(ws)] == ["once"] and state(ws) == ["approved"]
    executor.run_due(ws)
    assert [run.state for run in run_store.select_runs(ws, "1 ORDER BY id")] == states
    assert state(ws) == ["finished"] and crontab_is_sound(ws)


def crontab_is_sound(ws):
    return crontab.find_drift(ws) == []


def test_a_retry_keeps_its_line(ws, at, approved):
    approved(run="ia note read nowhere", retries=1, retry_after=10)
    at("15T16:00")
    executor.run_due(ws)
    ((name, lines),) = approved_tasks.crontab_entries(ws)
    assert name == "once" and len(lines) == 2 and state(ws) == ["approved"]
    at("15T16:10")
    executor.run_due(ws)
    assert state(ws) == ["finished"] and approved_tasks.crontab_entries(ws) == []


def test_two_moments_and_a_later_one(ws, at, approved):
    approved(schedule="at 2024-03-15 16:00; at 2024-03-18 09:00")
    at("15T16:00")
    assert [run.state for run in executor.run_due(ws)] == ["done"] and state(ws) == ["approved"]
    at("18T09:00")
    assert [run.state for run in executor.run_due(ws)] == ["done"] and state(ws) == ["finished"]


def test_a_moment_that_has_passed_is_not_approved(ws, at, approved):
    with pytest.raises(BadData, match="has passed"):
        approved(schedule="at 2024-03-15 14:00")
    assert state(ws) == ["unapproved"]


def test_several_times_a_day_each_run(ws, at, approved):
    approved(name="news", schedule="30 15 * * *; 0 16 * * *")
    at("15T15:30")
    assert [run.slot[11:16] for run in executor.run_due(ws)] == ["07:30"]
    at("15T16:00")
    assert [run.slot[11:16] for run in executor.run_due(ws)] == ["08:00"]


def test_a_wish_from_the_words_to_the_run(ia, ws, crontab):
    env = {"IA_NOW": "2024-03-15T15:00:00+08:00", "TZ": "Asia/Shanghai", "IA_MODEL": "ia-offline"}
    drafted = ia("task", "propose", "20分钟后提醒我看一下茅台", "--json", env=env)
    assert drafted.returncode == 0, drafted.stderr
    told = json.loads(drafted.stdout)
    assert told["design"]["schedule"] == "at 2024-03-15 15:20" and told["next"] == ["2024-03-15T15:20+08:00"]
    assert ia("task", "approve", "1", "--yes", env=env).returncode == 0
    env["IA_NOW"] = "2024-03-15T15:20:01+08:00"
    run = ia("task", "due", env=env)
    assert run.returncode == 0, run.stderr
    (row,) = json.loads(ia("task", "list", "--json", env=env).stdout)
    assert (row["state"], row["next"]) == ("finished", None)
    assert "finished" in ia("--lang", "zh", "task", "list", env=env).stdout
