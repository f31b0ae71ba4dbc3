"""A workspace that is not there: reading makes none, writing makes the default one, and only `ia init` a named one."""

import os

import pytest

READING = (
    "account", "profit", "note list", "note read x", "memory list", "recall x", "soul show", "pending", "task list",
    "task history", "session list", "usage", "send --list", "log", "config list", "doctor", "trade list", "skill list",
    "quote 600519", "screen pe<8", "context hello", "task due",
)  # fmt: skip


@pytest.fixture
def default(home, tmp_path, monkeypatch):
    """The default workspace, ~/ia, which is not there yet."""
    monkeypatch.delenv("IA_HOME")
    home.rmdir()
    return tmp_path / "ia"


@pytest.fixture
def gone(home):
    """The workspace that IA_HOME names, which is not there."""
    home.rmdir()
    return home


def test_reading_commands_make_no_default_workspace(ia, default):
    for command in READING:
        run = ia(*command.split())
        assert run.returncode in (0, 1, 66) and "Traceback" not in run.stderr, command
        assert not default.exists(), f"`ia {command}` made the workspace"


@pytest.mark.parametrize("command", ["account", "task list", "task due", "task due x --log", "note x hello", "usage"])
def test_a_named_workspace_that_is_missing_is_not_made(ia, gone, command):
    by_variable = ia(*command.split())
    by_option = ia("--home", f"{gone}-other", *command.split(), env={"IA_HOME": ""})
    for run, home in ((by_variable, gone), (by_option, f"{gone}-other")):
        assert run.returncode == 66
        assert run.stdout == ""
        assert run.stderr == f"ia: workspace {home} does not exist\nhint: create it with `ia --home {home} init`\n"
        assert not os.path.lexists(home)


def test_a_file_in_the_place_of_the_workspace_is_reported(ia, gone):
    gone.write_text("x")
    run = ia("account")
    assert (run.returncode, run.stderr.splitlines()[0]) == (66, f"ia: the workspace {gone} is not a folder")


def test_writing_makes_the_default_workspace(ia, default):
    assert ia("note", "x", "hello").returncode == 0
    assert (default / "notebook" / "x.md").read_text() == "hello\n"
    assert (default / ".ia" / "ia.db").exists()
    assert ia("log", "--json").stdout.count('"note.write"') == 1


def test_init_makes_a_named_workspace(ia, gone):
    assert ia("profile", "list").returncode == 0 and not gone.exists()
    assert ia("init").returncode == 0
    assert ia("task", "list").returncode == 0
    assert (gone / "soul.md").exists()


def test_reading_in_an_empty_folder_leaves_it_empty(ia, home):
    for command in ("account", "task list", "recall x", "task due", "note list"):
        ia(*command.split())
        assert list(home.iterdir()) == [], command


def test_a_wake_up_makes_nothing_where_the_workspace_was_deleted_or_its_disk_is_not_mounted(ia, home):
    run = ia("task", "due", "x", "--log")
    assert (run.returncode, run.stdout) == (66, "")
    assert run.stderr.splitlines()[0] == f"ia: workspace {home} does not exist"
    assert list(home.iterdir()) == []


def test_doctor_tells_of_a_named_workspace_that_is_missing(ia, gone):
    run = ia("doctor")
    assert run.returncode == 1
    assert f"workspace\tfail\tworkspace {gone} does not exist\tcreate it with `ia --home {gone} init`" in run.stdout
    assert not gone.exists()


def test_what_another_process_writes_first_is_seen_by_one_that_read_nothing_yet(ws):
    from ia.kernel import audit
    from ia.kernel.workspace import Workspace

    assert audit.find_events(ws.db, "note.write", "notebook/x.md") == []  # nothing there: nothing made
    assert not os.path.exists(os.path.join(ws.root, ".ia"))
    other = Workspace(ws.root)
    other.write("notebook/x.md", "hello", event="note.write")
    other.close()
    assert len(audit.find_events(ws.db, "note.write", "notebook/x.md")) == 1
    ws.write("notebook/y.md", "hello", event="note.write")
    assert len(audit.find_events(ws.db, "note.write", "notebook/y.md")) == 1
