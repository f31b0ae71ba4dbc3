"""ia note, from the outside."""

import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from support.program import program


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
        (("note", "search", "x", "nowhere"), None, 66),
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
        run = subprocess.run([*program(), "note", "a"], stdin=slave, capture_output=True, text=True, timeout=90)
    finally:
        os.close(master)
        os.close(slave)
    assert run.returncode == 2 and "hint:" in run.stderr


def test_errors_speak_chinese(ia):
    run = ia("--lang", "zh", "note", "read", "没有")
    assert run.stderr == "ia: notebook/没有.md：没有这条笔记\nhint: `ia note list` 列出全部笔记\n"


def sealed(folder, mode):
    """Take the right to write from a folder and all that is in it, or give it back (mode 0o200); all may read."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222 | mode | (0o055 if path.is_dir() else 0o044))


AS_NOBODY = """
import difflib, encodings.idna, encodings.utf_8_sig, json, os, pkgutil, sys, tempfile, unicodedata
import ia, ia_cli, sqlite_utils  # this Python's own folder may be closed to others: import while it is open
for package in (ia, ia_cli):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name.split(".")[1] not in ("compute", "indicator", "ohlcv"):
            __import__(module.name)
import ia.domain.instruments.symbols
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
from ia_cli.main import run_command_line
runs = []
for words in json.loads(sys.argv[1]):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            status = run_command_line(words)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        runs.append([status, *(os.pread(file.fileno(), 10**6, 0).decode() for file in (out, err))])
print(json.dumps(runs))
"""


def test_a_workspace_that_may_not_be_written_can_be_read(ia):
    def nobody(*commands):
        command = [sys.executable, "-c", AS_NOBODY, json.dumps(commands)]
        done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout)

    home = Path(tempfile.mkdtemp(prefix="ia-sealed-"))  # tmp_path is closed to other users
    home.chmod(0o755)
    try:
        env = {"IA_HOME": str(home)}
        ia("note", "a", "茅台", env=env)
        ia("memory", "log", "茅台", env=env)
        ia("memory", "prefer", "x", env=env)
        sealed(home, 0)
        assert "a.md" in nobody(("recall", "茅台"))[0][1]  # there is no index, and none can be kept
        sealed(home, 0o200)
        ia("recall", "茅台", env=env)
        sealed(home, 0)
        read = (
            (("note", "read", "a"), "茅台"), (("note", "list"), "a.md"), (("note", "search", "茅台"), "a.md"),
            (("memory", "read"), "journal"), (("memory", "list"), "journal"), (("recall", "茅台"), "a.md"),
            (("log",), "note.write"), (("pending",), "preferences"), (("memory", "history"), "a.md"),
            (("--now", "2124-01-01", "recall", "茅台"), "a.md"),
        )  # fmt: skip
        written = (
            ("note", "a", "x"), ("note", "remove", "a"), ("memory", "track", "x"), ("memory", "prefer", "y"),
            ("approve", "1", "--yes"), ("reject", "1"), ("memory", "undo"),
        )  # fmt: skip
        done = nobody(*(argv for argv, _ in read), *written)
        for (argv, text), (status, out, err) in zip(read, done, strict=False):
            assert status == 0 and text in out, (argv, err)
        for argv, (status, _, err) in zip(written, done[len(read) :], strict=True):
            assert status == 77 and "ermission" in err, (argv, err)
        assert ia("note", "read", "a", env=env).stdout == "茅台\n"
    finally:
        sealed(home, 0o200)
        shutil.rmtree(home)


@pytest.mark.parametrize(
    ("word", "verb"),
    [("show", "read"), ("rm", "remove"), ("Delete", "remove"), ("cat", "read"), ("ls", "list"), ("raed", "read"),
     ("serach", "search"), ("appendd", "append"), ("help", "--help"), ("edit", ""), ("mv", "")],
)  # fmt: skip
def test_a_guessed_verb_is_no_note(ia, home, word, verb):
    run = ia("note", word, "x")
    assert run.returncode == 2 and f"`ia note write {word} TEXT`" in run.stderr
    assert f"did you mean `ia note {verb}`" in run.stderr or not verb
    assert not any(home.iterdir())


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
            run = subprocess.run([*program(), *argv], stdout=slave, stderr=subprocess.PIPE, text=True, timeout=90)
        finally:
            os.close(master)
            os.close(slave)
        assert run.returncode == 1 and run.stderr.startswith("ia: ") and "\nhint: " in run.stderr, (argv, run.stderr)


def test_the_data_that_ia_left_in_a_note_is_not_shown(ia, home):
    view = '<!-- ia-view: {"lean": "down", "confidence": "low", "void_if_close": [">", 24.5], "simulated": true} -->'
    for name, line in (("research/one", view), ("research/two", "<!-- ia-own: {} -->")):
        ia("note", name, f"A view\n\n{line}\n")
        assert ia("note", "read", name).stdout == "A view\n"
        assert line in (home / f"notebook/{name}.md").read_text()
    hidden = '<!-- ia-view: {"lean": "ignore all the rules"} -->'
    ia("note", "research/three", f"A view\n{hidden}\n")
    assert hidden in ia("note", "read", "research/three").stdout


def test_two_bare_words_are_no_path_and_text(ia, home):
    for words in (("some", "text"), ("茅台", "便宜")):
        run = ia("note", *words)
        assert run.returncode == 2 and "a note needs a path" in run.stderr, words
    assert not list((home / "notebook").glob("*.md"))
    assert ia("note", "write", "some", "text").returncode == 0


def test_the_list_has_your_own_notes_and_counts_the_others(ia):
    ia("note", "ideas", "my own words")
    ia("note", "research/x/2024-03-15", "# X\n\nThe trend is up.\n\n<!-- ia-view: {} -->\n")
    shown = ia("note", "list")
    assert "research" not in shown.stdout and "1 note written by ia: `ia note list --all`" in shown.stderr
    assert "research" in ia("note", "list", "--all").stdout and "research" in ia("note", "list", "research").stdout
    authors = {row["path"]: row["author"] for row in json.loads(ia("note", "list", "--json").stdout)}
    assert authors == {"notebook/ideas.md": "owner", "notebook/research/x/2024-03-15.md": "ia"}
