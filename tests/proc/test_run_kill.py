"""kill -9 at random moments of a run: in the end every slot has one report, and nothing was done twice."""

import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ia.faculties.taskbook import run_store
from ia.kernel.workspace import Workspace
from ia.reach.tasks import decisions
from support.program import installed

APPROVED, SLOT, NOW = "2024-03-15T15:59:00+08:00", "2024-03-15T08:00:00.000Z", "2024-03-15T16:00:20+08:00"
HEAD = "---\nschedule: 0 16 * * *\nzone: Asia/Shanghai\nretries: 0\n"
PIPELINE = (
    f"{HEAD}run: ia ohlcv 600519 | ia compute 'rsi(close, 14)' && ia note append log 一行"
    " && ia memory observe 茅台 一条观察 && ia memory prefer 先给结论 && ia send 路上\n---\n"
)
PROMPT = f"{HEAD}prompt: 研究一下宁德时代\n---\n"
OBSERVED = {"pipeline": ("memory/observations/2024-03-15-茅台.md", "一条观察"),
            "prompt": ("memory/observations/2024-03-15-宁德时代.md", "置信度")}  # fmt: skip


@pytest.fixture
def world(tmp_path, monkeypatch):
    """Make workspaces with one approved task each, whose slot has just come."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_LANG", "zh")

    def make(number, kind):
        home = tmp_path / f"home-{number}"
        home.mkdir()
        monkeypatch.setenv("IA_HOME", str(home))
        monkeypatch.setenv("IA_NOW", APPROVED)
        ws = Workspace(str(home))
        ws.write("tasks/job.md", PIPELINE if kind == "pipeline" else PROMPT)
        ws.write("notebook/log.md", "# log\n\nbefore\n")
        decisions.approve_task(ws, "job", by="user with --yes")
        monkeypatch.setenv("IA_NOW", NOW)
        return ws

    return make


def start():
    return subprocess.Popen(
        [*installed(), "task", "due"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip


def of_session(leader):
    """Return the processes of a session: the runner, and its children in groups of their own."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                state = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(state[3]) == leader and state[0] != "Z":
                found.append(int(entry.name))
    return found


def kill(process, everybody):
    """Kill the runner alone (its children must not go on beside the next one), or all at the same moment."""
    victims = of_session(process.pid) if everybody else [process.pid]
    for victim in [process.pid, *victims]:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait(10)
    process.stderr.close()


def until_quiet(ws):
    """Wake up as cron would until nothing is left to do; return how often that took."""
    for count in range(1, 8):
        process = start()
        _, told = process.communicate(timeout=120)
        assert process.returncode == 0, told.decode()
        if not list(run_store.unsettled_runs(ws, "job")) and run_store.list_runs(ws, "job"):
            return count
    raise AssertionError(f"never quiet: {run_store.list_runs(ws, 'job')}")


def check(ws, kind):
    (run,) = run_store.list_runs(ws, "job")
    assert (run.slot, run.state, run.status) == (SLOT, "done", 0), run
    notes = ws.list_paths("notebook")
    reports = [path for path in notes if path.startswith("notebook/reports/")]
    assert reports == ["notebook/reports/job/2024-03-15.md"] == [run.report], reports
    assert ws.read("notebook/log.md") == "# log\n\nbefore\n" + ("一行\n" if kind == "pipeline" else "")
    path, words = OBSERVED[kind]
    observations = ws.list_paths("memory/observations")
    assert observations == [path] and len(re.findall(r"^\[\d\d:\d\d\] ", ws.read(path), re.M)) == 1, observations
    assert words in ws.read(path) and ws.read(path).count("一条观察") == (kind == "pipeline")
    waiting = [row for (row,) in ws.db.execute("SELECT path FROM proposals WHERE state = 'pending'")]
    assert waiting == (["memory/preferences.md"] if kind == "pipeline" else [])
    notices = [text for (text,) in ws.db.execute("SELECT text FROM notices WHERE state IN ('sent', 'unsure')")]
    sent = [text for text in notices if text == "路上"]
    assert len(notices) == 1 and len(sent) == (kind == "pipeline"), (
        notices
    )  # what the run sent itself is not told twice
    assert ws.db.execute("SELECT count(*) FROM notices").fetchone() == (len(notices),), "unsure: killed while sending"
    contents = ws.read_present("memory/MEMORY.md")
    for note in [*notes, *observations]:
        assert contents.count(f"`{note}`") == 1, (note, contents)
    assert ws.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert ws.db.execute("SELECT count(*) FROM events WHERE kind = 'task.done'").fetchone() == (1,)


def trials(world, count, seed):
    """Return (kills that hit a run, attempts at most, wake-ups at most)."""
    dice, hit, attempts, woken, lengths = random.Random(seed), 0, 0, 0, {}
    for kind in ("pipeline", "prompt"):
        ws = world(f"whole-{kind}", kind)
        began = time.monotonic()
        assert until_quiet(ws) == 1
        lengths[kind] = time.monotonic() - began
        check(ws, kind)
        ws.close()
    for number in range(count):
        kind = ("pipeline", "prompt")[number % 2]
        ws = world(number, kind)
        for _ in range(dice.choice((1, 1, 2, 3))):
            process = start()
            time.sleep(dice.uniform(0.05, 1.1 * lengths[kind]))
            hit += process.poll() is None
            kill(process, everybody=dice.random() < 0.5)
        woken = max(woken, until_quiet(ws))
        try:
            check(ws, kind)
        except AssertionError as exc:
            raise AssertionError(f"trial {number} of seed {seed}, {ws.root}: {exc}") from exc
        attempts = max(attempts, run_store.list_runs(ws, "job")[0].attempt)
        ws.close()
    return hit, attempts, woken


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_at_random_moments(world):
    hit, attempts, woken = trials(world, 5, seed=7)
    assert hit >= 2 and attempts > 1 and woken <= 2, (hit, attempts, woken)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_killed_at_200_random_moments(world, record_property):
    hit, attempts, woken = trials(world, 200, seed=int(os.environ.get("IA_SEED", "1")))
    record_property("kills", hit)
    assert hit >= 100 and attempts > 1 and woken <= 3, (hit, attempts, woken)
