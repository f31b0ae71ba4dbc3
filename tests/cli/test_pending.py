"""ia pending, approve, reject: consent is a person's."""

import json
import os
import pty
import subprocess

from support.program import program


def at_a_terminal(answer, *argv):
    """Run ia with a pseudo-terminal as standard input; return (status, stdout, stderr)."""
    master, slave = pty.openpty()
    try:
        with subprocess.Popen(
            [*program(), *argv], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            os.write(master, answer.encode())
            out, err = process.communicate(timeout=90)
    finally:
        os.close(master)
        os.close(slave)
    return process.returncode, out, err


def test_listed_shown_and_approved_with_yes(ia, home):
    ia("memory", "prefer", "先给结论", "--because", "赶时间")
    rows = json.loads(ia("pending", "--json").stdout)
    assert [(row["id"], row["path"], row["because"]) for row in rows] == [(1, "memory/preferences.md", "赶时间")]
    assert "+- 先给结论" in ia("pending", "1").stdout
    run = ia("approve", "1", "--yes")
    assert run.returncode == 0 and run.stdout == "memory/preferences.md\n" and "+- 先给结论" in run.stderr
    assert "先给结论" in (home / "memory/preferences.md").read_text()
    assert ia("pending").returncode == 1
    assert ia("approve", "1", "--yes").returncode == 77
    assert ia("approve", "9", "--yes").returncode == 66
    kinds = [event["kind"] for event in json.loads(ia("log", "--json").stdout)]
    assert {"proposal.made", "proposal.approved", "preferences.change"} <= set(kinds)


def test_without_a_terminal_it_is_refused(ia, home):
    ia("memory", "prefer", "x")
    for stdin in ("", "y\n", "yes\n"):
        run = ia("approve", "1", input=stdin, start_new_session=True)
        assert run.returncode == 77 and "terminal" in run.stderr
    assert not (home / "memory/preferences.md").exists()


def test_at_a_terminal_it_asks(ia, home):
    ia("memory", "prefer", "x")
    assert at_a_terminal("n\n", "approve", "1")[0] == 77
    assert at_a_terminal("\n", "approve", "1")[0] == 77
    assert "[y/N] \n" in at_a_terminal("\x04", "approve", "1")[2]  # Ctrl-D
    assert not (home / "memory/preferences.md").exists()
    status, out, err = at_a_terminal("y\n", "approve", "1")
    assert (status, out) == (0, "memory/preferences.md\n") and "[y/N]" in err
    assert "- x" in (home / "memory/preferences.md").read_text()


def test_rejected(ia, home):
    ia("memory", "prefer", "x")
    run = ia("reject", "1x")
    assert run.returncode == 2 and "'1x' is not a proposal number" in run.stderr
    row = json.loads(ia("reject", "1", "--because", "no", "--json").stdout)
    assert row["state"] == "rejected" and row["decided_by"] == "user"
    assert ia("pending").returncode == 1 and ia("reject", "1").returncode == 77
    assert not (home / "memory/preferences.md").exists()
    ia("memory", "prefer", "x")
    run = ia("reject", "2")
    assert (
        run.returncode == 0
        and run.stdout == ""
        and "rejected proposal 2; memory/preferences.md is unchanged" in run.stderr
    )


def test_a_stale_proposal_is_refused(ia, home):
    home.mkdir(exist_ok=True)
    (home / "soul.md").write_text("a\nb\n")
    ia("soul", "propose", "a\nB\n")
    (home / "soul.md").write_text("a\nX\n")
    run = ia("approve", "1", "--yes")
    assert run.returncode == 77 and "out of date" in run.stderr
    assert (home / "soul.md").read_text() == "a\nX\n"


def test_approve_without_a_number_lists_what_waits_as_json(ia):
    ia("memory", "prefer", "回答先给结论")
    done = ia("approve", "--json")
    assert done.returncode == 0, done.stderr
    assert [row["kind"] for row in json.loads(done.stdout)] == ["preferences"]
