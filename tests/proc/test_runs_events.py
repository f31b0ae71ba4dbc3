"""Events: files that ia keeps wake nobody, contents go when they are done with, and too many files are told."""

import os
import subprocess
import sys

import pytest

from ia.faculties.taskbook import approved_tasks, run_store
from ia.kernel import config
from ia.kernel.errors import BadData
from ia.reach.tasks import decisions, events, executor

BY = "user with --yes"


@pytest.fixture
def approved(ws, monkeypatch):
    """Approve a task in March 2024: approved(run="ia usage", schedule="on file inbox/*")."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T15:59+08:00")

    def approve(name="job", **fields):
        lines = [f"{key}: {value}" for key, value in fields.items()]
        ws.write(f"tasks/{name}.md", "\n".join(["---", *lines, "---", ""]))
        return decisions.approve_task(ws, name, by=BY)

    return approve


def put(path, text):
    """Write a file as it would have been written before --now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (1.7e9, 1.7e9))


def test_the_index_that_every_report_changes_wakes_nobody(ws, approved, ia):
    approved(run="ia usage", schedule="on file memory/*")
    assert ia("memory", "track", "600519").returncode == 0
    assert [run.slot.split()[1] for run in executor.run_due(ws)] == ["memory/tracking.md"]
    assert executor.run_due(ws) == []


def test_a_task_that_reads_its_own_reports_runs_once_for_a_wake_up(ws, approved, home):
    approved(run="ia note append log x", schedule="on file notebook/*")
    put(home / "notebook" / "by-hand.md", "mine")
    assert [run.slot.split()[1] for run in executor.run_due(ws)] == ["notebook/by-hand.md"]
    assert executor.run_due(ws) == []


def test_what_changes_while_a_run_goes_on_waits_for_the_next_wake_up(ws, approved, home, monkeypatch):
    approved(run="ia usage", schedule="on file inbox/*")
    put(home / "inbox" / "a", "0")
    whole = executor._Runner.carry_out_run

    def busy(self, run):
        put(home / "inbox" / "a", f"after {run.id}")  # another program does not stop writing
        return whole(self, run)

    monkeypatch.setattr(executor._Runner, "carry_out_run", busy)
    assert len(executor.run_due(ws)) == 1 and len(executor.run_due(ws)) == 1


def test_a_content_goes_when_its_run_is_over(ws, approved):
    approved(run="ia usage", schedule="on webhook alert")
    (run,) = executor.run_event(ws, "webhook", "alert", "1", "内容" * 5_000, "127.0.0.1")
    assert run.state == "done", run.reason
    assert run.data["origin"] == "webhook 127.0.0.1" and "content" not in run.data
    assert ws.db.execute("SELECT max(length(data)) < 5000 FROM runs").fetchone() == (1,)


def test_a_content_stays_as_long_as_its_run_is_tried_again(ws, approved, monkeypatch):
    approved(run="ia note read no-such-note-of-mine && ia note read x", schedule="on webhook alert", retries=1)
    (run,) = executor.run_event(ws, "webhook", "alert", "1", "kept", "127.0.0.1")
    assert (run.state, run.settled, run.data["content"]) == ("failed", False, "kept")
    monkeypatch.setenv("IA_NOW", "2024-03-15T18:59+08:00")
    (run,) = executor.run_due(ws)
    assert run.settled and "content" not in run.data


def test_thousands_of_waiting_events_are_not_read_at_once(ws, approved):
    task = approved(run="ia usage", schedule="on webhook alert")
    for number in range(300):
        run_store.claim_slot(
            ws, task.id, "job", f"webhook {number}", "webhook", state="waiting", data={"content": "x" * 500_000}
        )
    code = (
        "import resource\nfrom ia.faculties.taskbook import run_store, approved_tasks\nfrom ia.kernel.workspace import Workspace\n"
        "ws = Workspace()\nfrom ia.reach.tasks import executor\napproved_tasks.crontab_entries(ws)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(next(run_store.unsettled_runs(ws, 'job')).slot, sum(1 for _ in run_store.unsettled_runs(ws, 'job')), approved_tasks.crontab_entries(ws) and 1)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told, grown = done.stdout.splitlines()
    assert told == "webhook 0 300 1" and int(grown) < 40_000, "the contents are 150 MB"


def test_too_many_files_are_refused_before_the_approval_and_told_after_it(ws, approved, home, monkeypatch):
    monkeypatch.setattr(events, "MAX_FILES", 2)
    for name in "abc":
        put(home / "inbox" / name, name)
    with pytest.raises(BadData, match="more than 2 files"):
        approved(run="ia usage", schedule="on file inbox/*")
    assert approved_tasks.list_approved(ws) == []
    (home / "inbox" / "c").unlink()
    approved(run="ia usage", schedule="on file inbox/*")
    put(home / "inbox" / "c", "c")
    said = []
    assert executor.run_due(ws, notify=lambda message: said.append(str(message))) == executor.run_due(ws) == []
    ((key, text),) = ws.db.execute("SELECT key, text FROM notices WHERE key LIKE 'files-%'").fetchall()
    assert "more than 2 files" in text and "approve again" in text and "no longer be read" not in text
    assert len(said) == 1 and config.run_number() is None and key.startswith("files-")
