"""ia alert: set, list, show, pause, resume, remove; what cannot be read is refused at once."""

import json
import os
import pty
import subprocess

import pytest

from support.program import program

DEMO = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:30+08:00"}


def at_a_terminal(answer, *argv):
    """Run ia with a pseudo-terminal as standard input; return (status, stdout, stderr)."""
    master, slave = pty.openpty()
    try:
        with subprocess.Popen(
            [*program(), *argv], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **DEMO},
        ) as process:  # fmt: skip
            os.write(master, answer.encode())
            out, err = process.communicate(timeout=60)
    finally:
        os.close(master)
        os.close(slave)
    return process.returncode, out, err


@pytest.fixture
def run(ia):
    return lambda *argv, **env: ia(*argv, env={**DEMO, **env})


def test_without_a_terminal_an_alert_is_a_proposal_and_nothing_runs(run, crontab, home):
    done = run("alert", "300750", "below", "80", "--note", "add a third")
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    assert "now false: 2024-03-15, close 82.54" in done.stderr and "ia task approve 1" in done.stderr
    assert not crontab.exists() and not (home / "tasks").exists()
    assert run("task", "approve", "1", "--yes").returncode == 0
    assert "task due alert-300750" in crontab.read_text()
    [row] = json.loads(run("alert", "list", "--json").stdout)
    assert (row["condition"], row["state"], row["holds"], row["note"]) == (
        "close < 80",
        "approved",
        False,
        "add a third",
    )


def test_at_a_terminal_ia_asks_and_no_sets_nothing(run, crontab, home):
    status, out, err = at_a_terminal("n\n", "alert", "300750", "< 80")
    assert status == 77 and "Set this alert?" in err and not crontab.exists()
    assert run("pending", "--json").stdout.strip() == "[]"
    status, out, err = at_a_terminal("y\n", "alert", "300750", "< 80")
    assert (status, out) == (0, "tasks/alert-300750.md\n"), err


def test_an_alert_is_told_once_and_goes_through_its_states(run, crontab, home):
    run("alert", "300750", "above 83", "--yes")
    run("alert", "300750", "< 84", "--yes")
    assert "already" in run("alert", "300750", "> 83", "--yes").stderr
    told = []
    for day in ("18", "20", "22"):
        run("task", "due", IA_NOW=f"2024-03-{day}T15:31+08:00")
        told.append(json.loads(run("send", "--list", "--json", IA_NOW=f"2024-03-{day}T15:32+08:00").stdout))
    assert [len(each) for each in told] == [0, 1, 1]
    assert "close > 83 came true on 2024-03-20: close 85.53" in told[1][0]["text"]
    assert "The prices are simulated." in told[1][0]["text"]
    assert not (home / "notebook").exists()
    later = "2024-03-22T16:00+08:00"
    [first, _] = json.loads(run("alert", "list", "--json", IA_NOW=later).stdout)
    assert (first["session"], first["holds"], first["crossed"]) == ("2024-03-22", True, "2024-03-20")
    assert first["crossings"] == ["2024-03-20"]
    week = run("turn", "-m", "ia-offline", "review this week", IA_NOW=later).stdout
    assert "- Alert of 2024-03-20: CATL `close > 83`" in week and "< 84" not in week
    assert "Alert of" not in run("turn", "-m", "ia-offline", "review last week", IA_NOW=later).stdout
    told = run("turn", "-m", "ia-offline", "did any alert fire this week", IA_NOW=later).stdout
    assert "**1 of 2** alerts came true (2024-03-18 – 2024-03-22)" in told and "2024-03-20" in told
    assert "No alert came true" in run("turn", "-m", "ia-offline", "did any alert fire last week", IA_NOW=later).stdout
    assert run("alert", "pause", "alert-300750", IA_NOW=later).returncode == 0
    assert json.loads(run("alert", "show", "alert-300750", "--json", IA_NOW=later).stdout)["state"] == "paused"
    assert run("alert", "resume", "alert-300750", IA_NOW=later).returncode == 0
    assert run("alert", "remove", "300750", IA_NOW=later).returncode == 2
    assert run("alert", "remove", "alert-300750", IA_NOW=later).returncode == 0
    assert run("alert", "remove", "300750", IA_NOW=later).returncode == 0
    assert run("alert", "list", IA_NOW=later).returncode == 1


def test_messages_are_in_the_language_of_the_owner(run):
    run("alert", "300750", "涨到83", "--yes", IA_LANG="zh")
    run("task", "due", IA_NOW="2024-03-20T15:31+08:00", IA_LANG="zh")
    [row] = json.loads(run("send", "--list", "--json", IA_NOW="2024-03-21").stdout)
    assert row["title"] == "宁德时代（300750.SZ）：close >= 83"
    assert "close >= 83 在 2024-03-20 成立：收盘 85.53" in row["text"] and "模拟" in row["text"]


BAD = [
    (("300750", "foo bar"), 65, "syntax"),
    (("300750", "close"), 65, "neither true nor false"),
    (("300750", "到75"), 65, "which side"),
    (("300750", "close.shift(-1) > 80"), 77, "looks ahead"),
    (("300750", "< 80", "--until", "2024-03-01"), 65, "passed"),
    (("300750", "< 80", "--until", "soon"), 2, "date"),
    (("平安", "< 80"), 2, "ambiguous"),
    (("list", "extra"), 2, ""),
    (("show", "nosuch"), 66, "no such alert"),
    (("300750",), 2, "CONDITION"),
]


@pytest.mark.parametrize(("argv", "status", "why"), BAD)
def test_what_cannot_be_read_is_refused_in_one_line_and_nothing_is_kept(run, argv, status, why):
    done = run("alert", *argv)
    assert done.returncode == status and why in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not done.stdout and run("pending", "--json").stdout.strip() == "[]"


def test_without_a_source_an_alert_can_be_set_and_says_so(run, tmp_path):
    done = run("alert", "300750", "< 80", "--yes", IA_MARKET_ADAPTER="csv", IA_MARKET_CSV_DIR=os.fspath(tmp_path))
    assert done.returncode in (0, 66), done.stderr
    assert "Traceback" not in done.stderr


def test_a_wish_becomes_an_alert(run):
    done = run("task", "propose", "宁德时代跌破80就通知我，加仓", "-m", "ia-offline", "--json")
    assert done.returncode == 0, done.stderr
    design = json.loads(done.stdout)["design"]
    assert design["run"] == "ia alert check -- 300750.SZ 'close < 80'" and design["because"] == "加仓"
    assert "simulated" in done.stderr and "now false: 2024-03-15, close 82.54" in done.stderr
    assert run("task", "propose", "比亚迪到75提醒我", "-m", "ia-offline").returncode == 65


def test_a_check_says_how_it_stands(run):
    done = run("alert", "check", "300750", "below 80")
    assert (done.returncode, done.stdout) == (1, "2024-03-15\tfalse\t82.54\n")
    assert run("alert", "check", "300750", "above 80").returncode == 0
