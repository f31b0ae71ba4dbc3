"""The workspace: atomic writes, revisions, undo, the lock, and the past."""

import multiprocessing
import os
from pathlib import Path

import pytest

from ia.kernel import audit, observers
from ia.kernel.errors import BadData, NotFound, Refused, TryLater
from ia.kernel.files import replace_file
from ia.kernel.workspace import Workspace, headline
from support.locks import hold_lock


def test_undo_goes_further_back_each_time(ws):
    for text in ("one", "two", "three"):
        ws.write("memory/x.md", text)
    ws.undo("memory/x.md")
    assert ws.read("memory/x.md") == "two"
    ws.undo("memory/x.md")
    assert ws.read("memory/x.md") == "one"
    ws.write("memory/x.md", "four")
    ws.undo("memory/x.md")
    assert ws.read("memory/x.md") == "one"
    ws.undo("memory/x.md")
    assert ws.read("memory/x.md") is None
    with pytest.raises(NotFound):
        ws.undo("memory/x.md")
    assert len(ws.history("memory/x.md")) == 8


def test_undo_brings_a_removed_file_back(ws):
    ws.write("memory/x.md", "one")
    ws.remove("memory/x.md")
    assert ws.read("memory/x.md") is None
    ws.undo("memory/x.md")
    assert ws.read("memory/x.md") == "one"


def test_undo_does_not_throw_away_what_a_person_wrote(ws):
    ws.write("memory/x.md", "one")
    ws.write("memory/x.md", "two")
    with open(os.path.join(ws.root, "memory/x.md"), "w") as file:
        file.write("by hand")
    with pytest.raises(Refused):
        ws.undo("memory/x.md")
    assert ws.read("memory/x.md") == "by hand"


def test_a_reason_that_reads_like_an_undo_is_not_one(ws):
    ws.write("memory/x.md", "one", why="undo of revision 1")
    ws.undo("memory/x.md")
    assert ws.read("memory/x.md") is None


def test_what_a_crash_prevented_is_no_history(ws, monkeypatch):
    ws.write("memory/x.md", "one")

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ia.kernel.work_unit.prepare_files", killed)
    with pytest.raises(KeyboardInterrupt):
        ws.write("memory/x.md", "two")
    monkeypatch.undo()
    assert ws.read("memory/x.md") == "one"
    assert [r.before for r in ws.history("memory/x.md")] == [None]
    ws.undo("memory/x.md")
    assert ws.read("memory/x.md") is None


def test_a_failed_write_leaves_nothing_behind(ws, monkeypatch):
    ws.write("memory/x.md", "one")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError):
        replace_file(os.path.join(ws.root, "memory/x.md"), "two")
    assert ws.read("memory/x.md") == "one"
    assert sorted(os.listdir(os.path.join(ws.root, "memory"))) == ["MEMORY.md", "x.md"]


def test_a_write_keeps_the_mode_and_every_byte(ws):
    path = os.path.join(ws.root, "memory/x.md")
    ws.write("memory/x.md", "one")
    os.chmod(path, 0o600)
    ws.write("memory/x.md", "two\r\nlines\u2028here\n")
    assert os.stat(path).st_mode & 0o777 == 0o600
    with open(path, "rb") as file:
        assert file.read() == "two\r\nlines\u2028here\n".encode()


def test_writing_what_is_there_is_no_change(ws):
    assert ws.write("memory/x.md", "one", event="memory.write")
    assert not ws.write("memory/x.md", "one", event="memory.write")
    assert len(ws.history("memory/x.md")) == len(audit.events(ws.db)) == 1


def test_what_is_no_text_file_is_bad_data(ws):
    os.makedirs(os.path.join(ws.root, "notebook/folder.md"))
    os.mkfifo(os.path.join(ws.root, "notebook/fifo.md"))
    with open(os.path.join(ws.root, "notebook/gbk.md"), "wb") as file:
        file.write("第一行\n茅台".encode("gbk"))
    with open(os.path.join(ws.root, "notebook/large.md"), "wb") as file:
        file.truncate(9_000_000)
    for name in ("folder", "fifo", "gbk", "large"):
        with pytest.raises(BadData):
            ws.read(f"notebook/{name}.md")
    with pytest.raises(BadData, match="UTF-8"):
        ws.write("notebook/x.md", "\udcff")
    with pytest.raises(BadData):
        ws.write("notebook/fifo.md/x.md", "x")


def test_what_is_written_can_be_read_again(ws):
    with pytest.raises(BadData, match="larger"):
        ws.write("notebook/x.md", "茅" * 3_000_000)
    ws.write("notebook/x.md", "茅" * 2_000_000)
    assert len(ws.read("notebook/x.md")) == 2_000_000


@pytest.mark.process
def test_the_lock_is_shared_by_processes_and_reentrant_in_one(ws):
    context = multiprocessing.get_context("spawn")
    ready, release = context.Event(), context.Event()
    other = context.Process(target=hold_lock, args=(ws.root, ready, release))
    other.start()
    assert ready.wait(30)
    with pytest.raises(TryLater), ws.lock(timeout=0.05):
        pass
    release.set()
    with ws.lock(), ws.lock():
        ws.write("memory/x.md", "one")
    other.join(30)
    assert other.exitcode == 0


def test_the_past_stays_as_it_was(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T10:00+00:00")
    ws.write("memory/x.md", "one")
    monkeypatch.setenv("IA_NOW", "2024-03-16T10:00+00:00")
    ws.write("memory/x.md", "two")
    ws.remove("memory/x.md")
    for moment, text in (("2024-03-15T09:00", None), ("2024-03-15T11:00", "one"), ("2024-03-17T00:00", None)):
        monkeypatch.setenv("IA_NOW", moment + "+00:00")
        assert ws.read("memory/x.md") == text
    monkeypatch.setenv("IA_NOW", "2024-03-15T11:00+00:00")
    assert len(ws.history("memory/x.md")) == 1
    assert ws.list_paths("memory") == ["memory/x.md"]
    assert ws.written_at("memory/x.md").isoformat().startswith("2024-03-15T10:00")


def test_a_file_edited_by_hand_is_dated_by_its_mtime(ws):
    ws.write("memory/x.md", "one")
    path = os.path.join(ws.root, "memory/x.md")
    with open(path, "w") as file:
        file.write("by hand")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert ws.written_at("memory/x.md").timestamp() == 1_700_000_000


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("plain\nmore", "plain"),
        (
            "# 2024-03\n\n## 2024-03-15 16:00\n\n追高\n两次\n\n## 2024-03-16 09:00\n\nBelief\n- now: 等",
            "2024-03: Belief now: 等",
        ),
        ("# 2024-03-15\n\n[09:30] 买\n[14:30] 卖\n", "2024-03-15: [14:30] 卖"),
        ("# 2024-03\n\n## 2024-03-15 16:00\n", "2024-03: 2024-03-15 16:00"),
        ("# A\n\n## B\n\ntext\n", "A: text"),
        ("# 茅台\n\n- 估值不便宜\n- 二", "茅台: 估值不便宜"),
        ("---\ntitle: x\n---\n\n## Head\ntext", "Head: text"),
        ("---\n\nno front matter", "no front matter"),
        ("***\n\n---\n> quoted   words", "quoted words"),
        ("x" * 500, "x" * 119 + "…"),
        ("# 宁德时代\n\n**结论** 方向不明，**置信度**低", "宁德时代: 结论 方向不明，置信度低"),
        ("2 ** 3 ** 2 is 512", "2 ** 3 ** 2 is 512"),
        ("# Review\n\n**-1,234.50 CNY**, +2 %", "Review: -1,234.50 CNY, +2 %"),
        ("- -5 %", "-5 %"),
        ("# x\n\n[16:00] said\n<!-- ia-own: {} -->\n", "x: [16:00] said"),
    ],
)
def test_headline(text, line):
    assert headline(text) == line


def test_a_write_in_the_past_never_replaces_what_came_later(ws, monkeypatch):
    ws.write("memory/x.md", "today")
    by_hand = os.path.join(ws.root, "memory/hand.md")
    with open(by_hand, "w") as file:
        file.write("by hand")
    monkeypatch.setenv("IA_NOW", "2024-01-01")
    for path in ("memory/x.md", "memory/hand.md"):
        assert ws.read(path) is None
        for act in (lambda path=path: ws.write(path, "past"), lambda path=path: ws.remove(path)):
            with pytest.raises(Refused, match="after --now"):
                act()
    assert ws.read_present("memory/x.md") == "today" and ws.read_present("memory/hand.md") == "by hand"
    ws.write("memory/new.md", "past")
    assert ws.read("memory/new.md") == "past"
    os.utime(by_hand, (1_700_000_000, 1_700_000_000))
    ws.write("memory/hand.md", "past")
    assert ws.read("memory/hand.md") == "past"


def test_writing_in_ascending_simulated_time_builds_up(ws, monkeypatch):
    for day in range(1, 6):
        monkeypatch.setenv("IA_NOW", f"2024-01-0{day}")
        ws.write("memory/x.md", (ws.read("memory/x.md") or "") + f"{day}\n")
    assert ws.read("memory/x.md") == "1\n2\n3\n4\n5\n"
    monkeypatch.setenv("IA_NOW", "2024-01-03")
    assert ws.read("memory/x.md") == "1\n2\n3\n" and len(ws.history("memory/x.md")) == 3
    with pytest.raises(Refused, match="after --now"):
        ws.undo("memory/x.md")


def test_what_is_written_in_the_past_is_there_at_once(ws, monkeypatch):
    ws.write("memory/x.md", "today")
    ws.remove("memory/x.md")
    monkeypatch.setenv("IA_NOW", "2024-01-01")
    assert ws.write("memory/x.md", "past")
    assert ws.read("memory/x.md") == "past" and ws.list_paths("memory") == ["memory/x.md"]
    assert [revision.before for revision in ws.history("memory/x.md")] == [None]
    ws.write("memory/x.md", "past, more")
    assert ws.read("memory/x.md") == "past, more"
    ws.undo("memory/x.md")
    assert ws.read("memory/x.md") == "past"
    monkeypatch.setenv("IA_NOW", "2023-12-31")
    assert ws.read("memory/x.md") is None


def test_a_simulated_future_does_not_hide_what_is_written_after_it(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2124-01-01")
    ws.write("memory/x.md", "future")
    monkeypatch.delenv("IA_NOW")
    ws.write("memory/x.md", "today")
    monkeypatch.setenv("IA_NOW", "2123-01-01")
    assert ws.read("memory/x.md") == "today"


def test_a_write_that_a_crash_prevented_hides_nothing_from_the_past(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-01-01")
    ws.write("memory/x.md", "one")

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("ia.kernel.work_unit.prepare_files", killed)
        ws.write("memory/x.md", "two")
    assert ws.read("memory/x.md") == "one"
    assert ws.write("memory/x.md", "three")


def test_a_soul_edited_by_hand_counts_under_an_earlier_now_a_change_by_ia_does_not(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    with open(os.path.join(ws.root, "soul.md"), "w") as file:
        file.write("by hand")
    assert ws.read("soul.md") == "by hand"
    ws.write("soul.md", "by ia, at now")
    with open(os.path.join(ws.root, "soul.md"), "w") as file:
        file.write("by hand again")
    assert ws.read("soul.md") == "by hand again"
    monkeypatch.setenv("IA_NOW", "2024-03-18T16:00:00+08:00")
    ws.write("soul.md", "later")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    assert ws.read("soul.md") == "by hand again"


# observers


@pytest.fixture
def observed(ws, monkeypatch):
    """What observers are told: a list of (paths, their texts on the disk at that moment)."""
    seen = []

    def look(told, paths):
        assert told is ws and ws._locks  # nobody else writes meanwhile
        files = [Path(ws.root, path) for path in paths]
        seen.append((list(paths), [file.read_text() if file.exists() else None for file in files]))

    monkeypatch.setitem(observers.registered, "test", look)
    return seen


def test_observers_are_told_of_what_was_written_and_removed(ws, observed):
    ws.write("notebook/a.md", "one")
    assert observed == [(["notebook/a.md"], ["one"])]
    ws.write("notebook/a.md", "one")  # changes nothing
    assert len(observed) == 1
    ws.remove("notebook/a.md")
    ws.undo("notebook/a.md")
    assert observed[1:] == [(["notebook/a.md"], [None]), (["notebook/a.md"], ["one"])]


def test_observers_hear_once_of_all_that_was_written_under_the_lock(ws, observed):
    with ws.lock():
        ws.write("notebook/a.md", "one")
        with ws.unit_of_work():
            ws.write("notebook/b.md", "two")
            ws.write("notebook/a.md", "three")
        assert observed == []
    assert observed == [(["notebook/a.md", "notebook/b.md"], ["three", "two"])]


def test_observers_are_told_of_nothing_that_was_not_written(ws, observed):
    with pytest.raises(RuntimeError), ws.unit_of_work():
        ws.write("notebook/a.md", "one")
        raise RuntimeError
    assert observed == [] and ws.read("notebook/a.md") is None
    with pytest.raises(RuntimeError), ws.lock():
        ws.write("notebook/b.md", "two")
        raise RuntimeError
    assert observed == [(["notebook/b.md"], ["two"])]


def test_an_observer_that_fails_leaves_the_workspace_unlocked(ws, monkeypatch):
    def fail(_ws, _paths):
        raise RuntimeError("observer")

    monkeypatch.setitem(observers.registered, "test", fail)
    with pytest.raises(RuntimeError, match="observer"):
        ws.write("notebook/a.md", "one")
    monkeypatch.delitem(observers.registered, "test")
    ws.close()
    assert Workspace(ws.root).write("notebook/a.md", "two")
