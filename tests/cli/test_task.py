"""ia task: from a draft to a run, at the terminal, in pipes and under cron."""

import json
import os
import pty
import subprocess

import pytest

from support.program import program
from support.terminal import on_terminal

USAGE = (
    "task",
    "propose",
    "--name",
    "w",
    "--cron",
    "0 16 * * 5",
    "--zone",
    "Asia/Shanghai",
    "--run",
    "ia usage --json",
)


def at_a_terminal(answer, *argv, env=None):
    """Run ia with a pseudo-terminal as standard input; return (status, stdout, stderr)."""
    master, slave = pty.openpty()
    try:
        with subprocess.Popen(
            [*program(), *argv], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})},
        ) as process:  # fmt: skip
            os.write(master, answer.encode())
            out, err = process.communicate(timeout=90)
    finally:
        os.close(master)
        os.close(slave)
    return process.returncode, out, err


@pytest.fixture
def drafted(ia):
    done = ia(*USAGE)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def approved(ia, drafted):
    done = ia("task", "approve", "w", "--yes")
    assert (done.returncode, done.stdout) == (0, "tasks/w.md\n"), done.stderr


def rows(ia, *argv, **kwargs):
    return json.loads(ia(*argv, "--json", **kwargs).stdout)


def table(crontab):
    return crontab.read_text() if crontab.exists() else ""


def test_nothing_yet(ia):
    assert ia("task", "list").returncode == 1 and rows(ia, "task", "list") == []
    assert ia("task", "history").returncode == 1
    due = ia("task", "due")
    assert (due.returncode, due.stdout, due.stderr) == (0, "", "")
    missing = ia("task", "show", "x")
    assert missing.returncode == 66 and "ia task list" in missing.stderr


def test_from_a_draft_to_the_history(ia, home, crontab, drafted):
    (row,) = rows(ia, "task", "list")
    assert (row["name"], row["state"], row["proposal"]) == ("w", "proposed", 1)
    assert ia("task", "show", "w").stdout.count("16:00") >= 1 and rows(ia, "task", "show", "1")["name"] == "w"
    done = ia("task", "approve", "1", "--yes")
    assert done.stdout == "tasks/w.md\n" and "next runs" in done.stderr and "run: ia usage --json" in done.stderr
    assert "task due w" in crontab.read_text()
    (row,) = rows(ia, "task", "list")
    assert (row["state"], row["schedule"], row["last"], row["proposal"]) == ("approved", "0 16 * * 5", None, None)
    shown = rows(ia, "task", "show", "w")
    assert len(shown["upcoming"]) == 5 and shown["environment"]["PATH"] == os.environ["PATH"]
    run = ia("task", "run", "w")
    assert run.returncode == 0 and (home / run.stdout.strip()).is_file(), run.stderr
    again = ia("task", "run", "w")
    assert again.stdout == run.stdout and "is already done for this slot" in again.stderr
    assert rows(ia, "task", "run", "w", "--again")["state"] == "done"
    history = rows(ia, "task", "history", "w")
    assert [(each["run"], each["state"], each["status"]) for each in history] == [(2, "done", 0), (1, "done", 0)]
    assert ia("task", "history", "w", "-n", "1").stdout.count("\n") == 2
    assert "attempt 1" in ia("task", "history", "--log", "1").stdout
    assert ia("task", "list").stdout.splitlines()[0] == "name\tstate\twhen\tnext\tlast\tstatus"
    assert ia("log", "--kind", "task.done", "--json").stdout.count("task.done") == 2
    assert ia("doctor").returncode in (0, 1)


def test_what_cron_calls_says_what_it_did_in_a_log(ia, home, approved):
    now = {"IA_NOW": "2099-01-02T16:00:01+08:00"}  # a Friday
    due = ia("task", "due", "w", "--log", env=now)
    assert (due.returncode, due.stdout, due.stderr) == (0, "", "")
    assert "notebook/reports/w/2099-01-02.md" in (home / ".ia" / "tasks" / "cron.log").read_text()
    again = ia("task", "due", env=now)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_pause_resume_remove(ia, home, crontab, approved):
    assert ia("task", "pause", "w").returncode == 0 and "task due w" not in table(crontab)
    assert rows(ia, "task", "list")[0]["state"] == "paused" and rows(ia, "task", "list")[0]["next"] is None
    resumed = ia("task", "resume", "w")
    assert "is resumed; next run at" in resumed.stderr and "task due w" in crontab.read_text()
    assert ia("task", "remove", "w").returncode == 0 and not (home / "tasks" / "w.md").exists()
    assert ia("task", "list").returncode == 1 and "task due" not in table(crontab)
    assert ia("task", "pause", "w").returncode == 66


def test_a_person_is_asked(ia, home, drafted):
    refused = ia("task", "approve", "w")
    assert refused.returncode == 77 and "--yes" in refused.stderr and not (home / "tasks").exists()
    status, out, err = at_a_terminal("n\n", "task", "approve", "w")
    assert (status, out) == (77, "") and "Approve task w? [y/N]" in err and "next runs" in err
    status, out, err = at_a_terminal("y\n", "approve", "1")
    assert (status, out) == (0, "tasks/w.md\n") and "next runs" in err
    assert rows(ia, "task", "show", "w")["approved_by"] == "user at a terminal"


def test_of_a_changed_task_the_difference_is_shown(ia, home, approved):
    path = home / "tasks" / "w.md"
    path.write_text(path.read_text().replace("ia usage --json", "ia usage --by model"))
    (row,) = rows(ia, "task", "list")
    assert row["state"] == "edited" and "ia usage --json" in rows(ia, "task", "show", "w")["text"]
    done = ia("task", "approve", "w", "--yes", "--json")
    assert "-run: ia usage --json" in done.stderr and "+run: ia usage --by model" in done.stderr
    assert json.loads(done.stdout)["state"] == "approved"


@pytest.mark.parametrize(
    "argv",
    [("task", "approve", "w", "--yes"), ("approve", "1", "--yes"), ("reject", "1"), ("task", "run", "w"),
     ("task", "due"), ("task", "pause", "w"), ("task", "remove", "w")],
)  # fmt: skip
def test_inside_a_run_nobody_decides(ia, drafted, argv):
    done = ia(*argv, env={"IA_RUN": "1"})
    assert done.returncode == 77 and done.stdout == ""
    assert rows(ia, "task", "list")[0]["state"] == "proposed"


def test_where_the_crontab_cannot_be_written_the_approval_stands(ia, drafted, tmp_path):
    done = ia("task", "approve", "w", "--yes", env={"IA_CRONTAB": str(tmp_path / "nowhere")})
    assert done.returncode == 69 and "is approved, but" in done.stderr and "hint:" in done.stderr
    assert rows(ia, "task", "list")[0]["state"] == "approved"


def test_what_no_task_may_run(ia, home):
    (home / "tasks").mkdir(parents=True)
    for name, run, status in (("a", "ia approve 1", 77), ("b", "ia usage; ls", 65), ("c", "rm x", 65)):
        (home / "tasks" / f"{name}.md").write_text(f"---\nschedule: 0 16 * * 5\nrun: {run}\n---\n")
        done = ia("task", "approve", name, "--yes")
        assert done.returncode == status and "Traceback" not in done.stderr
    assert len(rows(ia, "task", "list")) == 3 and all(row["problem"] for row in rows(ia, "task", "list"))


def test_a_failed_run_has_its_status(ia, home):
    ia("task", "propose", "--name", "bad", "--cron", "0 16 * * 5", "--run", "ia compute 'close('", "--retries", "0")
    ia("task", "approve", "bad", "--yes")
    done = ia("task", "run", "bad")
    assert (done.returncode, done.stdout) == (65, "")
    (row,) = rows(ia, "task", "history", "bad")
    assert (row["state"], row["status"]) == ("failed", 65) and "status 65" in row["reason"]


def test_the_note_of_a_sync_begins_with_what_was_synced(ia, home, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    for args in (
        ("propose", "--name", "sync", "--cron", "0 16 * * 5", "--run", "ia sync daily"),
        ("approve", "sync", "--yes"),
    ):
        assert ia("task", *args).returncode == 0
    (note,) = ia("task", "run", "sync").stdout.splitlines()
    text = (home / note).read_text()
    assert "\nSynced: whole market " in text and "```\njob\tday" in text
    (row,) = rows(ia, "task", "history", "sync")
    assert row["summary"].startswith("Synced: whole market ") and "fetch_s" not in row["summary"]
    assert f"`{note}`: Synced: whole market " in (home / "memory" / "MEMORY.md").read_text()


def test_in_chinese(ia, approved):
    env = {"IA_LANG": "zh"}
    assert (
        "已批准" in on_terminal("--lang", "zh", "task", "list") and "接下来" in ia("task", "show", "w", env=env).stdout
    )
    assert "按时" not in ia("task", "run", "w", env=env).stderr
    assert "手动" in on_terminal("--lang", "zh", "task", "history")
    piped = ia("task", "history", env=env).stdout + ia("task", "list", env=env).stdout
    assert "\tdone\tby hand\t" in piped and "\tapproved\t" in piped  # a program reads the same in every language
    assert "暂停" in ia("task", "pause", "w", env=env).stderr
    assert "没有这个任务" in ia("task", "show", "x", env=env).stderr


def test_an_approval_says_when_it_runs_and_that_the_crontab_is_real(ia):
    past = {"IA_NOW": "2024-03-13T10:00+08:00", "TZ": "Asia/Shanghai"}
    assert ia(*USAGE, env=past).returncode == 0
    done = ia("task", "approve", "w", "--yes", env=past)
    assert (
        done.returncode == 0
        and "next run 2024-03-15 16:00 Asia/Shanghai" in done.stderr
        and "by the real clock" in done.stderr
    )
    again = ia("task", "approve", "w", "--yes")
    assert "added to your crontab; next run" in again.stderr and "by the real clock" not in again.stderr


def test_context_shows_the_turn_of_a_task(ia):
    design = ("--name", "w", "--cron", "0 16 * * 5", "--prompt", "look back", "--because", "learn from mistakes")
    assert ia("task", "propose", *design).returncode == 0
    shown = json.loads(ia("context", "--task", "w", "--json").stdout)
    (task,) = [part["text"] for part in shown["parts"] if part["name"] == "task"]
    assert "because: learn from mistakes" in task and "look back\n" in shown["messages"][-1]["content"]
    both = ia("context", "--task", "w", "words")
    assert (both.returncode, both.stdout) == (2, "") and "takes no MESSAGE" in both.stderr
