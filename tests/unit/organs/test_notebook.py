"""Notes: paths, writing, reading, what is refused."""

import os

import pytest

from ia.kernel import audit
from ia.kernel.errors import BadData, NotFound, Refused
from ia.organs import notebook


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("a", "notebook/a.md"),
        ("a.md", "notebook/a.md"),
        ("notebook/a.md", "notebook/a.md"),
        ("research/宁德时代/2024-03-15", "notebook/research/宁德时代/2024-03-15.md"),
        ("research/600519.SH", "notebook/research/600519.SH.md"),
        ("data.txt", "notebook/data.txt"),
        ("notes with spaces/and 'quotes' \"too\"", "notebook/notes with spaces/and 'quotes' \"too\".md"),
    ],
)
def test_a_path_is_below_the_notebook_and_ends_in_md(ws, given, path):
    assert notebook.write_note(ws, given, "text") == path
    assert notebook.read_note(ws, given) == "text\n"


@pytest.mark.parametrize(
    "path",
    ["../x", "a/../../x", "/etc/passwd", "~/x", "", ".", "..", "a//b", "a/", ".hidden", "a/.git/x", "a\\b", "a\nb",
     "a\x00b", "notebook/../x", "x" * 300, "notebook/"],
)  # fmt: skip
def test_what_leaves_the_notebook_is_refused(ws, path):
    with pytest.raises(Refused):
        notebook.write_note(ws, path, "text")
    assert not os.path.exists(os.path.join(ws.root, "x.md"))


@pytest.mark.parametrize("path", ["x.md/", "a\tb", "a\nb", "a//b", "./a", "a\\b"])
def test_an_invalid_name_is_reported(ws, path):
    with pytest.raises(Refused, match="is not a valid file name"):
        notebook.write_note(ws, path, "text")


def test_links_are_refused(ws, tmp_path):
    (tmp_path / "outside").mkdir()
    os.makedirs(os.path.join(ws.root, "notebook"))
    os.symlink(tmp_path / "outside", os.path.join(ws.root, "notebook", "link"))
    os.symlink(tmp_path / "outside.md", os.path.join(ws.root, "notebook", "file.md"))
    for path in ("link/x", "file"):
        with pytest.raises(Refused):
            notebook.write_note(ws, path, "text")
        with pytest.raises(Refused):
            notebook.read_note(ws, path)
    assert not list((tmp_path / "outside").iterdir())


def test_appending_keeps_lines_apart(ws):
    notebook.append_note(ws, "a", "one")
    with open(os.path.join(ws.root, "notebook", "a.md"), "a") as file:
        file.write("by hand, without an end")
    notebook.append_note(ws, "a", "two\n")
    assert notebook.read_note(ws, "a") == "one\nby hand, without an end\ntwo\n"


def test_an_empty_text_blanks_nothing(ws):
    notebook.write_note(ws, "a", "precious")
    for text in ("", " \n"):
        with pytest.raises(BadData):
            notebook.write_note(ws, "a", text)
    assert notebook.read_note(ws, "a") == "precious\n"


def test_what_is_not_there(ws):
    with pytest.raises(NotFound):
        notebook.read_note(ws, "a")
    with pytest.raises(NotFound):
        notebook.remove_note(ws, "a")
    assert notebook.list_notes(ws) == []


def test_listing_and_searching_pass_over_what_is_no_text(ws):
    notebook.write_note(ws, "research/a", "# 茅台\n\n估值 Moat")
    notebook.write_note(ws, "b", "moat")
    folder = os.path.join(ws.root, "notebook")
    with open(os.path.join(folder, "broken.md"), "wb") as file:
        file.write(b"\xff\xfe\x00 moat")
    os.mkfifo(os.path.join(folder, "fifo.md"))
    os.mkdir(os.path.join(folder, ".git"))
    assert [(e.path, e.title) for e in notebook.list_notes(ws)] == [
        ("notebook/b.md", "moat"), ("notebook/broken.md", ""), ("notebook/research/a.md", "茅台: 估值 Moat"),
    ]  # fmt: skip
    assert [e.path for e in notebook.list_notes(ws, "research")] == ["notebook/research/a.md"]
    assert notebook.search_notes(ws, "MOAT 估值") == [("notebook/research/a.md", 3, "估值 Moat")]
    with pytest.raises(Refused):
        notebook.list_notes(ws, "../memory")


def test_with_now_only_what_had_been_written_is_there(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T10:00+08:00")
    notebook.write_note(ws, "a", "first")
    monkeypatch.setenv("IA_NOW", "2024-03-16T10:00")
    notebook.write_note(ws, "a", "second")
    notebook.write_note(ws, "b", "later")
    notebook.remove_note(ws, "b")
    monkeypatch.setenv("IA_NOW", "2024-03-15T12:00")
    assert notebook.read_note(ws, "a") == "first\n"
    assert [e.path for e in notebook.list_notes(ws)] == ["notebook/a.md"]
    assert notebook.list_notes(ws)[0].time == "2024-03-15T02:00:00.000Z"
    monkeypatch.setenv("IA_NOW", "2024-03-14")
    assert notebook.list_notes(ws) == []
    with pytest.raises(NotFound):
        notebook.read_note(ws, "a")


def test_every_write_is_an_event(ws):
    notebook.write_note(ws, "a", "one", actor="agent")
    notebook.append_note(ws, "a", "two")
    notebook.remove_note(ws, "a")
    assert [(e.kind, e.subject, e.actor) for e in audit.events(ws.db, kind="note")] == [
        ("note.remove", "notebook/a.md", "user"), ("note.append", "notebook/a.md", "user"),
        ("note.write", "notebook/a.md", "agent"),
    ]  # fmt: skip
