"""What syncs runs before what reads, so that a report of 16:00 is not made of the prices before the sync of 16:00."""

import pytest

from ia.reach.tasks import decisions, run_order

DAYS = "zone: Asia/Shanghai\ncalendar: CN\n"
TASKS = {
    "a-review": f"schedule: 0 16 * * 5\n{DAYS}prompt: /review this week\n",
    "b-list": f"schedule: 0 15 * * 1-5\n{DAYS}run: ia account\n",
    "c-alarm": f"schedule: 30 15 * * 1-5\n{DAYS}run: ia send call the broker\n",
    "y-gainers": f"schedule: 5 15 * * 1-5\n{DAYS}run: ia sync daily --quiet && ia event top-gainers\n",
    "z-sync": f"schedule: 0 16 * * 1-5\n{DAYS}run: ia sync\n",
    "zz-later": f"schedule: 0 18 * * 1-5\n{DAYS}run: ia sync\n",
}


@pytest.fixture
def lived(ws, crontab, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-07T20:00:00+08:00")
    for name, text in TASKS.items():
        ws.write(f"tasks/{name}.md", f"---\n{text}---\n")
        decisions.approve_task(ws, name, by="user with --yes")
    monkeypatch.setenv("IA_NOW", "2024-03-08T16:20:00+08:00")
    return ws


def test_what_syncs_comes_first_and_each_by_its_slot(lived):
    names = [each.name for each in run_order.order_due(lived, sorted(TASKS))]
    assert names == ["y-gainers", "z-sync", "zz-later", "b-list", "c-alarm", "a-review"]


def test_a_task_that_reads_brings_the_due_syncs_along(lived):
    steps = run_order.order_due(lived, ["a-review"])
    assert [(each.name, each.wait) for each in steps] == [("y-gainers", True), ("z-sync", True), ("a-review", False)]


def test_a_reminder_waits_for_no_sync(lived):
    assert [each.name for each in run_order.order_due(lived, ["c-alarm"])] == ["c-alarm"]


def test_nothing_is_brought_along_where_nothing_is_due(lived, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-08T15:50:00+08:00")
    assert [each.name for each in run_order.order_due(lived, ["a-review"])] == ["a-review"]
