"""News that start tasks: each item once, none of before, none of the future, and the item is data from outside."""

import json

import pytest

from ia.faculties.schedule.schedule_forms import parse_schedule
from ia.faculties.taskbook import run_store
from ia.kernel.errors import BadData
from ia.organs.channels import notices
from ia.organs.market import news_store
from ia.reach.tasks import decisions, events, executor

BY = "user with --yes"
EVENING = ("20:00",)


@pytest.fixture
def at(monkeypatch, ia):
    """Set the clock: at("15T18:00") is that day of March 2024."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_LANG", "en")

    def move(text):
        monkeypatch.setenv("IA_NOW", f"2024-03-{text}+08:00")

    move("01T09:00")
    assert ia("init", "--yes").returncode == 0
    return move


@pytest.fixture
def approved(ws, at):
    def approve(name="job", **fields):
        lines = [f"{key}: {value}" for key, value in fields.items()]
        ws.write(f"tasks/{name}.md", "\n".join(["---", *lines, "---", ""]))
        return decisions.approve_task(ws, name, by=BY)

    return approve


def live_through(ws, at, days=range(1, 31), times=("09:40", "18:20", "20:00")):
    return [run for day in days for time in times if at(f"{day:02}T{time}") is None for run in executor.run_due(ws)]


def known_items(ws, kind=""):
    return [(each["source"], each["id"]) for each in news_store.load_news(ws, ["300750.SZ"], count=99, kind=kind)]


@pytest.mark.parametrize(("first", "last"), [(11, 20), pytest.param(1, 30, marks=pytest.mark.soak)])
def test_days_of_news_each_item_once(ws, at, approved, crontab, first, last):
    """In the first ten days of the month there is none."""
    approved("all", schedule="on news 300750.SZ", run="ia news 300750.SZ --send", notify="me")
    approved("filed", schedule="on news 300750.SZ announcement", run="ia news 300750 --send")
    assert "*/20 * * * *" in crontab.read_text() and "task due all" in crontab.read_text()
    before = known_items(ws)
    assert before
    runs = live_through(ws, at, range(first, last + 1))
    assert {run.state for run in runs} == {"done"} and all(run.report is None for run in runs)
    told = [tuple(run.slot.split()[2:]) for run in runs if run.name == "all"]
    assert len(told) == len(set(told)) and set(told) == set(known_items(ws)) - set(before)
    filed = {tuple(run.slot.split()[2:]) for run in runs if run.name == "filed"}
    assert filed == {each for each in told if each in known_items(ws, "announcement")} and len(filed) < len(told)
    sent = notices.select_notices(ws, "run IS NOT NULL ORDER BY id")
    assert len(sent) == len(runs) and all("300750.SZ" in each.title and each.origins == "news" for each in sent)
    for run in runs:
        assert run.data["item"]["known"] <= run.started
    assert live_through(ws, at, range(last, last + 1), ("20:20", "21:40")) == []


def test_a_changed_or_resumed_task_repeats_nothing(ws, at, approved):
    approved(schedule="on news 300750.SZ", run="ia news 300750.SZ --send")
    first = live_through(ws, at, range(1, 16), EVENING)
    assert first
    decisions.pause_task(ws, "job")
    assert live_through(ws, at, range(16, 22), EVENING) == []
    decisions.resume_task(ws, "job")
    approved(schedule="on news 300750.SZ", run="ia news 300750.SZ --send", because="again")
    later = live_through(ws, at, range(22, 31), EVENING)
    times = [run.data["item"]["time"] for run in later]
    assert later and all(time > "2024-03-21" for time in times)
    assert not {run.slot for run in first} & {run.slot for run in later}


def test_the_item_reaches_a_turn_as_data_from_outside(ws, at, approved):
    task = approved(schedule="on news 300750.SZ", prompt="/research 300750")
    at("15T18:20")
    assert events.refresh_news(ws, task) is None
    assert events.record_news_events(ws, task) == 1 and events.record_news_events(ws, task) == 0
    (waiting,) = run_store.select_runs(ws, "state = 'waiting'")
    assert waiting.data["origin"] == "news 300750.SZ"
    assert "title: " in waiting.data["content"] and waiting.data["content"].endswith("simulated: true")
    (run,) = executor.run_due(ws)
    assert run.state == "done", run.reason
    assert run.data["origins"] == ["news 300750.SZ"] and (ws.read(run.report) or "").startswith("---\nuntrusted")


def test_a_source_that_fails_is_told_once(ws, at, approved, capsys):
    told = []
    ws.write("tasks/job.md", "---\nschedule: on news 000300.SH\nrun: ia usage\n---\n")
    decisions.approve_task(ws, "job", by=BY, notify=told.append)
    assert any("no news now" in each.template for each in told)
    assert live_through(ws, at, range(1, 6)) == []
    assert len([each for each in notices.select_notices(ws, "1 ORDER BY id") if "gets no news" in each.text]) == 1


def test_what_is_no_security_is_refused(ia, at):
    for what in ("news:", "news:nobody-knows", "news:600519 filings"):
        done = ia("task", "propose", "--on", what, "tell me")
        assert done.returncode in (2, 65, 66) and "Traceback" not in done.stderr, what
    done = ia("task", "propose", "--on", "news:茅台 announcement", "--run", "ia news 600519 --send", "--json")
    design = json.loads(done.stdout)
    assert design["design"]["schedule"] == "on news 600519.SH announcement" and design["next"] == []
    assert design["described"] == "When Kweichow Moutai 600519.SH publishes an announcement"
    assert ia("news", "600519", "--send").returncode == 2
    with pytest.raises(BadData, match="canonical code"):
        parse_schedule("on news 茅台")
