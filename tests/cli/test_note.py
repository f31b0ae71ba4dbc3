"""ia note, from the outside."""

import json
import os
import pty
import subprocess

import pytest

from conftest import installed


def test_write_read_list_search_append_remove(ia, home):
    run = ia("note", "research/宁德时代/2024-03-15", "产能利用率下降")
    assert (run.returncode, run.stdout, run.stderr) == (0, "notebook/research/宁德时代/2024-03-15.md\n", "")
    assert (home / "notebook/research/宁德时代/2024-03-15.md").read_text() == "产能利用率下降\n"
    assert ia("note", "append", "research/宁德时代/2024-03-15.md", input="毛利率承压\n").returncode == 0
    assert ia("note", "read", "notebook/research/宁德时代/2024-03-15").stdout == "产能利用率下降\n毛利率承压\n"
    assert ia("note", "list").stdout.splitlines()[0] == "path\ttime\ttitle"
    rows = json.loads(ia("note", "list", "research", "--json").stdout)
    assert [row["path"] for row in rows] == ["notebook/research/宁德时代/2024-03-15.md"]
    found = json.loads(ia("note", "search", "毛利率", "--json").stdout)
    assert found == [{"path": "notebook/research/宁德时代/2024-03-15.md", "line": 2, "text": "毛利率承压"}]
    assert "research/宁德时代/2024-03-15.md" in (home / "memory/MEMORY.md").read_text()
    assert ia("note", "remove", "research/宁德时代/2024-03-15").returncode == 0
    assert ia("note", "list").returncode == 1
    assert "2024-03-15.md" not in (home / "memory/MEMORY.md").read_text()
    assert ia("memory", "undo", "notebook/research/宁德时代/2024-03-15").returncode == 0
    assert "毛利率承压" in ia("note", "read", "research/宁德时代/2024-03-15").stdout


def test_the_verb_may_be_left_out_or_given(ia, home):
    assert ia("note", "a", "one").stdout == ia("note", "write", "a", "two").stdout == "notebook/a.md\n"
    assert ia("note", "a", input="three").returncode == 0
    assert ia("note", "a", "-", input="four").returncode == 0
    assert (home / "notebook/a.md").read_text() == "four\n"
    assert ia("note", "write", "list", "a note called list").stdout == "notebook/list.md\n"


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", ".x", "~/x"])
def test_a_path_that_leaves_the_notebook_is_77(ia, home, path):
    run = ia("note", path, "text")
    assert run.returncode == 77 and run.stdout == "" and run.stderr.startswith("ia: ")
    assert not home.exists() or not list(home.rglob("x*"))


@pytest.mark.parametrize(
    ("argv", "input", "status"),
    [
        (("note", "a", ""), None, 65),
        (("note", "a"), "", 65),
        (("note", "a"), b"\xff\xfe", 65),
        (("note", "read", "nowhere"), None, 66),
        (("note", "remove", "nowhere"), None, 66),
        (("note", "search", "x"), None, 1),
        (("note", "append"), None, 2),
        (("note", "a", "b", "c"), None, 2),
        (("note", "--nonsense"), None, 2),
    ],
)
def test_statuses(ia, argv, input, status):
    run = ia(*argv, input=input, binary=isinstance(input, bytes))
    assert run.returncode == status, run.stderr


def test_a_terminal_without_text_is_a_usage_error_at_once(tmp_path):
    master, slave = pty.openpty()
    try:
        run = subprocess.run([*installed(), "note", "a"], stdin=slave, capture_output=True, text=True, timeout=20)
    finally:
        os.close(master)
        os.close(slave)
    assert run.returncode == 2 and "hint:" in run.stderr


def test_errors_speak_chinese(ia):
    run = ia("--lang", "zh", "note", "read", "没有")
    assert run.stderr == "ia: notebook/没有.md：没有这条笔记\nhint: `ia note list` 列出全部笔记\n"


def test_a_read_only_notebook_loses_nothing(ia, home):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    ia("note", "a", "one")
    (home / "notebook").chmod(0o555)
    try:
        assert ia("note", "a", "two").returncode == 77
    finally:
        (home / "notebook").chmod(0o755)
    assert ia("note", "read", "a").stdout == "one\n"


@pytest.mark.parametrize(
    ("word", "verb"),
    [("show", "read"), ("rm", "remove"), ("Delete", "remove"), ("cat", "read"), ("ls", "list"), ("raed", "read"),
     ("serach", "search"), ("appendd", "append"), ("help", "--help"), ("edit", ""), ("mv", "")],
)  # fmt: skip
def test_a_guessed_verb_is_no_note(ia, home, word, verb):
    run = ia("note", word, "x")
    assert run.returncode == 2 and f"`ia note write {word} TEXT`" in run.stderr
    assert f"did you mean `ia note {verb}`" in run.stderr or not verb
    assert not home.exists()


def test_a_note_may_still_be_called_so(ia, home):
    for path in ("show.md", "scratch/rm", "ideas", "lead", "估值"):
        assert ia("note", path, "x").returncode == 0
    assert ia("note", "write", "show", "x").stdout == "notebook/show.md\n"


def test_writes_tell_their_path_as_json(ia):
    for argv in (("write", "a", "x"), ("append", "a", "x"), ("remove", "a")):
        assert json.loads(ia("note", *argv, "--json").stdout) == {"path": "notebook/a.md"}


def test_a_terminal_is_told_that_there_is_nothing():
    for argv in (("note", "list"), ("note", "search", "x"), ("memory", "list"), ("memory", "history"), ("recall", "x"),
                 ("pending",), ("soul", "history")):  # fmt: skip
        master, slave = pty.openpty()
        try:
            run = subprocess.run([*installed(), *argv], stdout=slave, stderr=subprocess.PIPE, text=True, timeout=20)
        finally:
            os.close(master)
            os.close(slave)
        assert run.returncode == 1 and run.stderr.startswith("ia: ") and "\nhint: " in run.stderr, (argv, run.stderr)
