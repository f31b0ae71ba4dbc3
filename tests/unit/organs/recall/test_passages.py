"""What the index takes of a note, read by a second process or by the first: the same."""

import os
import threading
from pathlib import Path

import pytest

from ia.kernel.workspace import MAX_BYTES, Workspace
from ia.organs.recall import index
from ia.organs.recall.passages import PASSAGE, SHIFT, prepare_note, read_ahead
from ia.organs.recall.search import recall_notes

NOTES = {
    "notebook/a.md": "# 茅台\n\n估值不便宜。\n",
    "notebook/2024-03-15.md": "dated by its path\n",
    "notebook/front.md": "---\ndate: 2023-05-06\n---\nby its front matter\n",
    "notebook/long.md": "一段很长的话。" * PASSAGE,
    "knowledge/deep/er/é.md": "\ufeffwith a mark at its beginning\n",
    "notebook/empty.md": "",
}


def write(ws, notes):
    for path, text in notes.items():
        file = Path(ws.root, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def rows_of(conn):
    """Return all that an index says, whatever numbers its files have."""
    files = {row[0]: row[1:] for row in conn.execute("SELECT id, folder, name, key, sha, area, date FROM files")}
    passages = conn.execute("SELECT id, text FROM passages").fetchall()
    texts = sorted((files[number >> SHIFT][:2], number & ((1 << SHIFT) - 1), text) for number, text in passages)
    words = conn.execute("SELECT term, doc, cnt FROM vocabulary").fetchall()
    return sorted(files.values()), texts, words


@pytest.fixture
def forking(monkeypatch):
    """Let the child process be used although another test, or its runner, has left a thread."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def test_a_child_reads_what_the_parent_would(ws, forking):
    write(ws, NOTES)
    for path, note in zip(NOTES, read_ahead(ws.root, [*NOTES]), strict=True):
        assert note._replace(touched="") == prepare_note(path, ws.read(path))
        assert note.touched == ws.modified_at(path).strftime("%Y-%m-%d")


def test_what_is_no_plain_note_is_left_to_the_parent(ws, forking):
    write(ws, {"notebook/good.md": "text\n", "notebook/large.md": "x" * (MAX_BYTES + 1), "elsewhere/b.md": "b\n"})
    root = Path(ws.root)
    (root / "notebook/binary.md").write_bytes(b"\xff\xfe\x00")
    (root / "notebook/link.md").symlink_to(root / "notebook/good.md")
    (root / "notebook/folder").symlink_to(root / "elsewhere")
    os.mkfifo(root / "notebook/pipe.md")
    bad = ["large.md", "binary.md", "link.md", "folder/b.md", "pipe.md", "gone.md", "a<!--b.md", "new\nline.md"]
    paths = ["notebook/good.md", *(f"notebook/{name}" for name in bad), "notebook/good.md"]
    first, *others, last = read_ahead(ws.root, paths)
    assert first == last and first.passages == [("text\n", "text\n")]
    assert others == [None] * len(bad)


def test_nothing_is_forked_beside_threads_or_for_nothing(ws, monkeypatch):
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("forked"))
    assert [*read_ahead(ws.root, [])] == []
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    assert [*read_ahead(ws.root, ["notebook/a.md"])] == []
    stop.set()
    thread.join()


def test_an_index_of_many_notes_is_the_same_as_one_of_few(ws, forking, monkeypatch):
    write(ws, NOTES)
    write(ws, {f"notebook/{n}.md": f"第{n}条 common words {n}\n" for n in range(40)})
    write(ws, {"memory/MEMORY.md": "# MEMORY\n"})
    (Path(ws.root) / "notebook/binary.md").write_bytes(b"\xff\xfe\x00")
    Path(ws.root, ".ia").mkdir(exist_ok=True)
    for path in Path(ws.root).rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    told = []
    conn = index.open_index(ws, told.append)
    expected = rows_of(conn)
    conn.close()
    assert len(told) == 1
    Path(ws.root, ".ia", "cache", "index.db").unlink()
    monkeypatch.setattr(index, "_BATCH", 7)
    conn = index.open_index(ws, told.append)
    files, texts, words = rows_of(conn)
    assert [row[:2] + row[3:] for row in files] == [row[:2] + row[3:] for row in expected[0]]
    assert (texts, words) == expected[1:]
    settings = dict(conn.execute("SELECT k, v FROM words_config"))
    assert (settings["automerge"], settings["crisismerge"]) == (4, 16)
    conn.close()
    assert [message.template for message in told].count(told[0].template) == 2  # the binary file
    assert recall_notes(ws, "第7条")[0].source == "notebook/7.md"


@pytest.mark.process
def test_a_build_that_is_killed_is_merged_by_the_next_question(ws, forking, monkeypatch):
    write(ws, {f"notebook/{n}.md": f"第{n}条 common words {n}\n" for n in range(40)})
    Path(ws.root, ".ia").mkdir(exist_ok=True)
    monkeypatch.setattr(index, "_BATCH", 10)
    pid = os.fork()
    if pid == 0:
        try:
            one, count = index._update_file, iter(range(100))
            index._update_file = lambda *args: one(*args) if next(count) < 25 else os._exit(7)
            index.open_index(Workspace(ws.root))
        finally:
            os._exit(8)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    monkeypatch.setattr(index, "_BATCH", 2000)
    conn = index.open_index(ws)
    assert conn.execute("SELECT count(*) FROM files").fetchone() == (40,)
    settings = dict(conn.execute("SELECT k, v FROM words_config"))
    assert (settings["automerge"], settings["crisismerge"]) == (4, 16)
    assert conn.execute("SELECT changes FROM counter").fetchone() == (0,)
    conn.close()
