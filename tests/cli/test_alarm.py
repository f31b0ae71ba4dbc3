"""A dead alarm clock is noticed: which slots passed without a run, and why."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ia.faculties.taskbook import task_times
from ia.reach import doctor
from ia.reach.tasks import alarm, crontab, crontab_file, crontab_lines, decisions, executor
from support.program import all_of, installed

DAILY = "---\nschedule: 0 9 * * *\nzone: Asia/Shanghai\nrun: ia usage\n---\n"
DAY, THREE_DAYS_LATER = "2026-11-22T18:00+08:00", "2026-11-25T12:00+08:00"
SLOTS = ["2026-11-23T01:00:00.000Z", "2026-11-24T01:00:00.000Z", "2026-11-25T01:00:00.000Z"]


@pytest.fixture
def daily(ws, monkeypatch):
    """A task that was approved three days ago; nothing has run since."""
    monkeypatch.setenv("IA_NOW", DAY)
    ws.write("tasks/daily.md", DAILY)
    decisions.approve_task(ws, "daily", by="test")
    monkeypatch.setenv("IA_NOW", THREE_DAYS_LATER)
    return ws


@pytest.fixture
def program(daily, tmp_path, monkeypatch, crontab):
    """The script that the crontab starts, which a test may break."""
    folder = tmp_path / "venv" / "bin"
    folder.mkdir(parents=True)
    script = folder / "ia"
    script.write_text(f"#!{sys.executable}\nfrom ia_cli.start import main\nmain()\n")
    script.chmod(0o755)
    monkeypatch.setattr(crontab_lines, "own_program", lambda: [str(script)])
    from ia.reach.tasks import crontab as ours

    ours.sync_block(daily)
    assert str(script).encode() in crontab.read_bytes()
    return script


@pytest.fixture
def cron(monkeypatch):
    """Make a cron daemon run, or not; whether one does here is the machine's."""
    return lambda runs: monkeypatch.setattr(crontab_file, "is_daemon_running", lambda: runs)


def why(ws):
    return str(alarm.diagnose_fault(ws).why)


def test_the_slots_that_passed_are_reported_until_they_are_run(daily, monkeypatch):
    assert [(each.name, each.slots) for each in task_times.find_overdue(daily)] == [("daily", SLOTS)]
    monkeypatch.setenv("IA_NOW", "2026-11-23T09:05+08:00")
    assert task_times.find_overdue(daily) == []  # a run may still come
    monkeypatch.setenv("IA_NOW", THREE_DAYS_LATER)
    executor.run_due(daily)
    assert task_times.find_overdue(daily) == []


def test_a_task_that_rests_or_whose_file_is_gone_is_not_overdue(daily):
    decisions.pause_task(daily, "daily")
    assert task_times.find_overdue(daily) == []
    decisions.resume_task(daily, "daily")
    assert task_times.find_overdue(daily) == []  # from now on


def test_the_reason_is_looked_for_where_the_alarm_lives(daily, program, crontab, cron, tmp_path, monkeypatch):
    cron(True)
    assert "the machine was off or asleep" in why(daily)
    cron(None)
    assert "ia cannot tell whether a cron daemon is running" in why(daily)
    cron(False)
    assert why(daily) == "no cron daemon seems to be running"
    text = program.read_text()
    program.write_text(text.replace("ia_cli.start", "ia_gone"))
    assert "which fails to start: ModuleNotFoundError" in why(daily)
    program.write_text(text.replace(sys.executable, "/gone/python3"))
    assert why(daily) == f"the crontab runs {program}, whose interpreter /gone/python3 does not exist"
    program.unlink()
    assert why(daily) == f"the crontab runs {program}, which does not exist"
    crontab.write_bytes(crontab.read_bytes().replace(os.fsencode(daily.root), b"/moved/from"))
    assert why(daily) == "the crontab has no lines for this workspace, only for /moved/from, which does not exist"
    crontab.write_bytes(b"0 5 * * * backup\n")
    assert why(daily) == "the crontab has no lines for this workspace, so no task will run"
    monkeypatch.setenv("IA_CRONTAB", str(tmp_path / "none"))
    assert why(daily).startswith("no crontab program found")


def test_the_doctor_tells_the_slots_and_the_reason(daily, program, cron):
    cron(True)
    program.write_text("#!/gone/python3\n")
    told = [(each.check, each.state, str(each.detail)) for each in doctor.run_checks(daily)]
    reason = f"the crontab runs {program}, whose interpreter /gone/python3 does not exist"
    assert ("crontab", "fail", reason) in told
    assert ("alarm", "fail", f"task daily: missed 3 runs, the last at 2026-11-25 09:00: {reason}") in told


def test_the_list_tells_them(ia, daily, crontab):
    crontab.write_bytes(b"0 5 * * * backup\n")
    run = ia("task", "list")
    assert run.returncode == 0 and "\tapproved, overdue\t" in run.stdout
    assert run.stderr.splitlines() == [
        "ia: task daily: scheduled runs that did not start: 2026-11-23 09:00, 2026-11-24 09:00, 2026-11-25 09:00",
        "ia: reason: the crontab has no lines for this workspace, so no task will run",
        "hint: `ia doctor --mend`",
    ]
    (row,) = json.loads(ia("task", "list", "--json").stdout)
    assert row["state"] == "approved" and row["overdue"] == SLOTS and "no lines for this workspace" in row["alarm"]
    assert "overdue" not in ia("task", "list", env={"IA_NOW": DAY}).stdout


def test_the_list_tells_of_a_crontab_that_is_behind_the_book(ia, daily, crontab):
    crontab.write_bytes(b"0 5 * * * backup\n")
    run = ia("task", "list", env={"IA_NOW": DAY})
    assert run.stderr.splitlines() == [
        "ia: tasks will not run on time: the crontab has no lines for this workspace, so no task will run",
        "hint: `ia doctor --mend`",
    ]


def at_a_terminal(*argv, now):
    master, terminal = pty.openpty()
    subprocess.run(
        [*installed(), *argv], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal,
        env={**os.environ, "IA_NOW": now}, check=False,
    )  # fmt: skip
    os.close(terminal)
    told = all_of(master).decode().replace("\r\n", "\n")
    os.close(master)
    return told


def test_the_next_command_at_a_terminal_tells_it_in_a_line_once_a_day(ia, daily, crontab):
    crontab.write_bytes(b"0 5 * * * backup\n")
    assert at_a_terminal("usage", now="2026-11-22T20:00+08:00") == ""
    assert ia("usage").stderr == ""  # not at a terminal
    line = (
        "ia: 3 scheduled runs of daily did not start, the last one at 2026-11-25 09:00: the crontab has no lines "
        "for this workspace, so no task will run; run `ia doctor` for details\n"
    )
    assert at_a_terminal("usage", now=THREE_DAYS_LATER) == line
    assert at_a_terminal("usage", now="2026-11-25T18:00+08:00") == ""
    assert at_a_terminal("usage", now="2026-11-26T08:00+08:00") == line


def test_a_command_with_nothing_to_tell_loads_no_schedule(ws, monkeypatch):
    ws.write("notebook/x.md", "x\n")
    code = (
        "import sys\nfrom ia_cli.terminal.alarm_notice import tell_dead_alarm\ntell_dead_alarm()\n"
        "rooms = ('ia.reach.tasks', 'ia.faculties.schedule', 'ia.faculties.taskbook', 'sqlite3')\n"
        "print([name for name in sys.modules if name.startswith(rooms)])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_a_workspace_that_was_moved(ia, daily, tmp_path):
    moved = Path(tmp_path / "moved")
    shutil.move(daily.root, moved)
    run = ia("--home", str(moved), "task", "list")
    assert (
        f"reason: the crontab has no lines for this workspace, only for {daily.root}, which does not exist"
        in run.stderr
    )
    assert ia("--home", str(moved), "doctor", "--mend").stderr.count("crontab: repaired") == 1
    assert crontab.list_workspaces() == [daily.root, str(moved)]
    assert not os.path.exists(daily.root)
