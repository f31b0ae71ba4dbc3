"""Whoever writes, the indexes know at once: nothing but the write brings recall's index and MEMORY.md up to date."""

import contextlib
import json
import sqlite3

import pytest

SHIFT = 14  # ia.organs.recall.index.SHIFT


@pytest.fixture
def written(ia, home):
    """A workspace with an index, and a function that carries out commands: each has to succeed."""

    def run(*argv, **env):
        done = ia(*argv, env=env)
        assert done.returncode == 0, done.stderr

    run("note", "scratch/old", "a note that was there before")
    run("recall", "note")
    return run


def indexed(home, words):
    """The notes that stand in recall's index with these words. The index is only looked at, not brought up to date."""
    with contextlib.closing(sqlite3.connect(f"file:{home}/.ia/cache/index.db?mode=ro", uri=True)) as db:
        rows = db.execute(
            "SELECT folder || '/' || name FROM passages JOIN files ON files.id = passages.id >> ? WHERE text LIKE ?",
            (SHIFT, f"%{words}%"),
        )
        return [path for (path,) in rows]


def listed(home, path):
    return f"`{path}`" in (home / "memory/MEMORY.md").read_text()


TASK = ("--name", "w", "--cron", "0 16 * * 5", "--zone", "Asia/Shanghai")
ROADS = {
    "note": [("note", "scratch/a", "锂电 one")],
    "note append": [("note", "scratch/a", "first"), ("note", "append", "scratch/a", "锂电 one")],
    "memory observe": [("memory", "observe", "行业", "锂电 one")],
    "memory write": [("memory", "write", "observations/x", "锂电 one")],
    "memory track": [("memory", "track", "锂电 one", "still low")],
    "memory believe": [("memory", "believe", "锂电 one", "--because", "seen twice")],
    "undo": [
        ("note", "scratch/a", "锂电 one"),
        ("note", "scratch/a", "something else"),
        ("memory", "undo", "notebook/scratch/a"),
    ],
    "undo of a removal": [
        ("note", "scratch/a", "锂电 one"),
        ("note", "remove", "scratch/a"),
        ("memory", "undo", "notebook/scratch/a"),
    ],
    "approve": [("memory", "prefer", "锂电 one"), ("approve", "1", "--yes")],
    "tool": [("tool", "call", "notebook.write", json.dumps({"path": "scratch/a", "content": "锂电 one"}))],
    "task that writes": [
        ("task", "propose", *TASK, "--run", "ia note scratch/a '锂电 one'"),
        ("task", "approve", "w", "--yes"),
        ("task", "run", "w"),
    ],
    "task whose result is kept": [
        ("note", "scratch/a", "锂电 one"),
        ("task", "propose", *TASK, "--run", "ia note read scratch/a"),
        ("task", "approve", "w", "--yes"),
        ("task", "run", "w"),
    ],
}


@pytest.mark.parametrize("road", ROADS)
def test_a_write_is_indexed_at_once(written, home, road):
    for argv in ROADS[road]:
        written(*argv)
    found = indexed(home, "锂电 one")
    assert found and all(listed(home, path) for path in found)
    if road == "task whose result is kept":
        assert any(path.startswith("notebook/reports/w/") for path in found)


def test_what_is_gone_leaves_the_indexes_at_once(written, home):
    written("note", "scratch/a", "锂电 one")
    assert indexed(home, "锂电 one") == ["notebook/scratch/a.md"] and listed(home, "notebook/scratch/a.md")
    written("note", "remove", "scratch/a")
    assert indexed(home, "锂电 one") == [] and not listed(home, "notebook/scratch/a.md")


def test_a_task_that_is_taken_back_leaves_the_indexes_at_once(written, ia, home):
    written("task", "propose", *TASK, "--run", "ia note scratch/a '锂电 one' && ia compute 'no such name'")
    written("task", "approve", "w", "--yes")
    assert ia("task", "run", "w").returncode != 0
    changes = json.loads(ia("memory", "history", "notebook/scratch/a", "--json").stdout)
    assert [row["change"] for row in changes] == ["removed", "made"]
    assert indexed(home, "锂电 one") == [] and not listed(home, "notebook/scratch/a.md")


def test_a_turn_enters_what_it_keeps(written, home, brain):
    from support.servers.openai import Reply

    note = ("notebook_write", {"path": "scratch/a", "content": "锂电 one"})
    brain(Reply(calls=[note]), Reply("Kept."))
    written("turn", "write down what we said of lithium")
    assert indexed(home, "锂电 one") == ["notebook/scratch/a.md"] and listed(home, "notebook/scratch/a.md")


def test_the_tools_of_llm_enter_what_they_keep(written, home, monkeypatch):
    from ia.kernel import observers
    from ia.reach.bridges.llm_plugin import _LlmDesk

    monkeypatch.setattr(
        observers, "registered", {}
    )  # llm is a program of its own: it has only what the plugin registers
    desk = _LlmDesk()
    desk._call_tool(desk.router.find_tool("notebook.write"), {"path": "scratch/a", "content": "锂电 one"})
    assert indexed(home, "锂电 one") == ["notebook/scratch/a.md"] and listed(home, "notebook/scratch/a.md")


def test_a_write_elsewhere_loads_no_index(home):
    """A command that writes no note must not pay for the indexes."""
    import subprocess
    import sys

    code = (
        "import sys; from ia.wiring.indexing import register_indexes; register_indexes();"
        " assert 'ia.kernel.workspace' not in sys.modules;"
        " from ia.kernel.workspace import Workspace; Workspace().write('tasks/x.md', 'x');"
        " print(*(name for name in sys.modules if name.startswith(('ia.organs.memory', 'ia.organs.recall.index'))))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
