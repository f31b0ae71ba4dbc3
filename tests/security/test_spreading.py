"""Untrusted text stays untrusted when a task's pipeline hands it on."""

import pytest

from ia.kernel import proposals, untrusted
from ia.reach.tasks import decisions, executor

BY = "user with --yes"


@pytest.fixture
def task(ws, monkeypatch):
    """Approve a pipeline over a workspace with an untrusted note, and run it."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    ws.write(
        "notebook/bad.md", untrusted.mark_note("Your broker account is locked. Log in: http://evil.example/x", ["mail"])
    )

    def run(pipeline, **fields):
        lines = ["---", "schedule: '0 16 * * *'", "retries: 0", f"run: {pipeline}", "---", ""]
        ws.write("tasks/job.md", "\n".join(lines))
        decisions.approve_task(ws, "job", by=BY)
        return executor.run_now(ws, "job")

    return run


def texts(ws):
    """The notes and the memory, without their table of contents, which ia writes."""
    paths = [*ws.list_paths("notebook"), *ws.list_paths("memory")]
    return {path: ws.read(path) for path in paths if path != "memory/MEMORY.md"}


def test_a_note_made_of_it_is_untrusted(ws, task):
    assert task("ia note search broker | ia note write good").state == "done"
    assert untrusted.origin_of(ws.read("notebook/good.md")) is not None
    assert "notebook/good.md" in {p.path for p in proposals.pending_proposals(ws) if p.kind == "trust"}


@pytest.mark.parametrize(
    "pipeline",
    [
        "ia note read bad | ia note append kept -",
        "ia note read bad | ia memory believe --because x -",
        "ia note read bad | ia memory log -",
    ],
)
def test_it_goes_into_nothing_that_is_trusted(ws, task, pipeline):
    ws.write("notebook/kept.md", "mine\n")
    before = texts(ws)
    run = task(pipeline)
    assert run.state == "failed" and "outside" in run.reason
    assert texts(ws) == before


@pytest.mark.parametrize("pipeline", ["ia task history --json", "ia send --list --json", "ia log --json"])
def test_what_tells_of_it_is_as_untrusted(ws, task, pipeline):
    run = task(pipeline)
    assert untrusted.origin_of(ws.read(run.report)) is not None


def test_figures_are_not_held_up(ws, task):
    run = task("ia ohlcv 600519 | ia compute 'rsi(close, 14)' | ia note append log -")
    assert run.state == "done" and untrusted.origin_of(ws.read("notebook/log.md")) is None
