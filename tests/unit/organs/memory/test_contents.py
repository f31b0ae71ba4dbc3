"""MEMORY.md: kept up to date, cut to its newest, and never at the cost of what a person wrote."""

import os
import re

import pytest

from ia.kernel import observers
from ia.organs import notebook
from ia.organs.memory import contents, watch_list
from ia.wiring.indexing import notice_changes


def listed(ws):
    return re.findall(r"^- [\d: -]+ `(.+?)`", ws.read_present(contents.PATH), re.M)


def test_a_note_is_entered_with_time_path_and_summary(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T14:30")
    notebook.write_note(ws, "research/宁德时代/2024-03-15", "# 产能\n\n利用率下降")
    assert "- 2024-03-15 14:30 `notebook/research/宁德时代/2024-03-15.md`: 产能: 利用率下降\n" in ws.read_present(
        contents.PATH
    )


def test_newest_first_the_core_before_all_and_each_path_once(ws):
    notebook.write_note(ws, "a", "text")
    watch_list.track_item(ws, "600519")
    notebook.write_note(ws, "b", "text")
    notebook.write_note(ws, "a", "again")
    assert listed(ws) == ["memory/tracking.md", "notebook/a.md", "notebook/b.md"]
    notebook.remove_note(ws, "a")
    assert listed(ws) == ["memory/tracking.md", "notebook/b.md"]


def test_what_a_person_writes_around_the_block_stays(ws):
    os.makedirs(os.path.join(ws.root, "memory"))
    path = os.path.join(ws.root, contents.PATH)
    with open(path, "w") as file:
        file.write("# 我的目录\n\n手写\n")
    notebook.write_note(ws, "a", "text")
    with open(path, "a") as file:
        file.write("\n后记\n")
    notebook.write_note(ws, "b", "text")
    text = ws.read_present(contents.PATH)
    assert text.startswith("# 我的目录\n\n手写\n") and text.endswith("\n后记\n")
    assert listed(ws) == ["notebook/b.md", "notebook/a.md"]
    assert ws.history(contents.PATH) == []


@pytest.mark.parametrize("damage", ["begin", "end", "inside", "gone"])
def test_a_damaged_block_is_rebuilt_from_the_files(ws, damage):
    notebook.write_note(ws, "a", "# A")
    notebook.write_note(ws, "b", "text")
    whole = ws.read_present(contents.PATH)
    damaged = {
        "begin": whole.replace(contents.BEGIN, ""), "end": whole.replace(contents.END, ""),
        "inside": whole.replace("`notebook/a.md`", "somebody was here"), "gone": "",
    }[damage]  # fmt: skip
    with open(os.path.join(ws.root, contents.PATH), "w") as file:
        file.write("mine\n" + damaged)
    notebook.write_note(ws, "c", "text")
    text = ws.read_present(contents.PATH)
    assert text.startswith("mine\n") and text.count(contents.BEGIN) == text.count(contents.END) == 1
    assert sorted(listed(ws)) == ["notebook/a.md", "notebook/b.md", "notebook/c.md"] or damage in ("begin", "end")
    assert {"notebook/a.md", "notebook/b.md", "notebook/c.md"} <= set(listed(ws))


def test_files_moved_by_hand_are_noticed_with_the_next_write(ws):
    notebook.write_note(ws, "a", "text")
    os.rename(os.path.join(ws.root, "notebook/a.md"), os.path.join(ws.root, "notebook/moved.md"))
    notebook.write_note(ws, "b", "text")
    assert sorted(listed(ws)) == ["notebook/b.md", "notebook/moved.md"]


def test_the_list_is_cut_and_says_how_many_are_older(ws, monkeypatch):
    monkeypatch.setenv("IA_MEMORY_INDEX_LINES", "3")
    for name in "abcde":
        notebook.write_note(ws, name, "text")
    assert listed(ws) == ["notebook/e.md", "notebook/d.md", "notebook/c.md"]
    assert "- 2 older: `ia note list`" in ws.read_present(contents.PATH)
    notebook.write_note(ws, "a", "again")  # from among the older ones
    assert listed(ws)[0] == "notebook/a.md"
    assert "- 2 older:" in ws.read_present(contents.PATH)
    incremental = ws.read_present(contents.PATH)
    for at, name in enumerate("bcdea"):
        os.utime(os.path.join(ws.root, f"notebook/{name}.md"), (2_000_000_000 + at, 2_000_000_000 + at))
    contents.refresh_index(ws)
    assert "- 2 older:" in ws.read_present(contents.PATH)
    assert len(incremental.splitlines()) == len(ws.read_present(contents.PATH).splitlines())


def test_a_rebuild_says_the_same(ws, monkeypatch):
    for at, name in enumerate(["a", "研究/b", "c `tick`", "d: colon"]):
        monkeypatch.setenv("IA_NOW", f"2024-03-15T14:3{at}")
        notebook.write_note(ws, name, f"# {name}\n\nbody")
    monkeypatch.delenv("IA_NOW")
    before = ws.read_present(contents.PATH)
    os.unlink(os.path.join(ws.root, contents.PATH))
    contents.refresh_index(ws)
    assert ws.read_present(contents.PATH) == before


def test_the_past_has_its_own_table(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T10:00")
    notebook.write_note(ws, "a", "early")
    monkeypatch.setenv("IA_NOW", "2024-03-16T10:00")
    notebook.write_note(ws, "a", "late")
    notebook.write_note(ws, "b", "late")
    monkeypatch.setenv("IA_NOW", "2024-03-15T12:00")
    text = contents.render_index(ws)
    assert "early" in text and "late" not in text and "notebook/b.md" not in text


def test_an_index_that_fails_never_loses_the_note(ws, indexes):
    os.makedirs(os.path.join(ws.root, contents.PATH))  # a folder stands where the file should be
    notebook.write_note(ws, "a", "precious")
    assert notebook.read_note(ws, "a") == "precious\n"
    assert [str(message).partition(":")[0] for message in indexes] == [
        "notebook/a.md was written but is not in the index yet"
    ]


def write_by_hand(ws, path, text, at=None):
    absolute = os.path.join(ws.root, path)
    os.makedirs(os.path.dirname(absolute), exist_ok=True)
    with open(absolute, "w") as file:
        file.write(text)
    if at:
        os.utime(absolute, (at, at))


def table(ws):
    return ws.read_present(contents.PATH) or ""


def test_what_was_written_by_hand_is_entered_by_whoever_reads_next(ws):
    notebook.write_note(ws, "a", "by ia")
    write_by_hand(ws, "notebook/hand.md", "# made by hand")
    write_by_hand(ws, "memory/observations/2024-03-15-x.md", "seen by hand")
    assert "hand" not in table(ws)
    notice_changes(ws)
    assert "`notebook/hand.md`: made by hand\n" in table(ws) and "seen by hand" in table(ws)
    write_by_hand(ws, "notebook/hand.md", "# edited in place")
    notice_changes(ws)
    assert "edited in place" in table(ws) and "made by hand" not in table(ws)
    os.unlink(os.path.join(ws.root, "notebook/hand.md"))
    notice_changes(ws)
    assert "hand.md" not in table(ws)


def test_the_order_is_that_of_the_times(ws):
    notebook.write_note(ws, "now", "x")
    write_by_hand(ws, "notebook/copied.md", "old", at=1_600_000_000)
    notice_changes(ws)
    assert listed(ws) == ["notebook/now.md", "notebook/copied.md"]


def test_an_older_note_that_is_edited_in_place_comes_first(ws, monkeypatch):
    monkeypatch.setenv("IA_MEMORY_INDEX_LINES", "2")
    for at, name in enumerate("abc"):
        write_by_hand(ws, f"notebook/{name}.md", name, at=1_600_000_000 + 100 * at)
    notice_changes(ws)
    assert listed(ws) == ["notebook/c.md", "notebook/b.md"]
    write_by_hand(ws, "notebook/a.md", "edited")
    notice_changes(ws)
    assert listed(ws) == ["notebook/a.md", "notebook/c.md"] and "- 1 older:" in table(ws)


def test_nothing_is_read_where_nothing_changed(ws, monkeypatch):
    notebook.write_note(ws, "a", "text")
    before = os.stat(os.path.join(ws.root, contents.PATH))
    monkeypatch.setattr(ws, "read", None)
    monkeypatch.setattr(ws, "lock", None)
    contents.refresh_index(ws)
    assert os.stat(os.path.join(ws.root, contents.PATH)) == before


def test_a_write_that_was_killed_before_the_table_is_entered_with_a_simulated_now_too(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T10:00")
    notebook.write_note(ws, "a", "text")
    monkeypatch.setattr(observers, "registered", {})
    notebook.write_note(ws, "killed", "text")  # without the table
    write_by_hand(ws, "notebook/later.md", "of another time")
    notice_changes(ws)
    assert listed(ws) == ["notebook/killed.md", "notebook/a.md"]
    monkeypatch.delenv("IA_NOW")
    notice_changes(ws)
    assert listed(ws) == ["notebook/later.md", "notebook/killed.md", "notebook/a.md"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"limit": 2000}', '{"limit": 2000, "own": "x", "files": 3}'])
def test_a_damaged_stamp_costs_one_look(ws, content):
    notebook.write_note(ws, "a", "text")
    write_by_hand(ws, ".ia/cache/contents.json", content)
    write_by_hand(ws, "notebook/b.md", "b")
    notice_changes(ws)
    assert sorted(listed(ws)) == ["notebook/a.md", "notebook/b.md"]


def test_a_temporary_file_of_a_killed_write_is_removed(ws):
    notebook.write_note(ws, "a", "text")
    write_by_hand(ws, "notebook/.ia-tmp-a.md", "half")
    notice_changes(ws)
    assert not os.path.exists(os.path.join(ws.root, "notebook/.ia-tmp-a.md"))


def test_a_workspace_that_may_not_be_written_is_read_in_peace(ws, monkeypatch):
    write_by_hand(ws, "notebook/a.md", "a")
    monkeypatch.setattr(os, "access", lambda *_: False)
    notice_changes(ws)
    assert not os.path.exists(os.path.join(ws.root, "memory"))


def test_the_commands_that_read_enter_what_was_written_by_hand(ws, ia):
    notebook.write_note(ws, "a", "text")
    commands = (
        ["note", "list"], ["note", "read", "a"], ["note", "search", "text"], ["memory", "list"], ["memory", "read"],
        ["recall", "text"], ["tool", "call", "memory.list", "{}"], ["turn", "hello"], ["note", "b", "x"],
    )  # fmt: skip
    for at, command in enumerate(commands):
        write_by_hand(ws, f"notebook/hand-{at}.md", "by hand")
        assert ia(*command).returncode == 0, command
        assert f"hand-{at}.md" in table(ws), command
