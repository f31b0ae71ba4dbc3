"""Killed at any moment: afterwards a change is there with its record, or neither is.

Two ways to die. Exhaustive: a forked child ends itself at its n-th step on the disk, for every n. Random: the installed
command gets SIGKILL; a few kills here, hundreds under the marker `soak`.
"""

import os
import shutil
from pathlib import Path

from ia import proposals, skills
from ia.workspace import Workspace

STEPS = ("fsync", "replace", "rename", "mkdir", "unlink", "link")
"""Calls of `os` at which the child may end."""


def die_at(step, argv):
    """Run a command in a child that ends itself right before its step-th step on the disk; False: it came through."""
    child = os.fork()
    if child == 0:
        left = step

        def counted(real):
            def call(*args, **kwargs):
                nonlocal left
                left -= 1
                if left == 0:
                    os._exit(137)
                return real(*args, **kwargs)

            return call

        code = 70
        try:
            from ia_cli.main import run

            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            os.dup2(1, 2)
            for name in STEPS:
                setattr(os, name, counted(getattr(os, name)))
            code = run(argv)
        finally:
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 137), status
    return status == 137


def every_step(home, argv, check):
    """Kill a command at each of its steps, each time on the same workspace, and hold `check(ws)` against what is left."""
    before = home.with_name("before")
    shutil.copytree(home, before)
    seen = []
    for step in range(1, 400):
        shutil.rmtree(home)
        shutil.copytree(before, home)
        died = die_at(step, argv)
        ws = Workspace(str(home))
        seen.append(check(ws))
        assert seen[-1] or died, f"step {step}: acknowledged, and not there"
        assert not os.listdir(home / ".ia" / "tmp"), f"step {step}: temporary files stay"
        assert not ws.db.execute("SELECT count(*) FROM unfinished").fetchone()[0]
        ws.close()
        if not died:
            break
    assert set(seen) == {True, False}, "no kill hit before, or none after the commit"
    assert seen == sorted(seen), "done at an earlier step, and not at a later one"
    shutil.rmtree(before)


def skill_folder(tmp_path, line):
    folder = tmp_path / "volume"
    (folder / "knowledge").mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: volume\ndescription: {line}\n---\n{line}\n", encoding="utf-8")
    for number in range(4):
        (folder / "knowledge" / f"{number}.md").write_text(f"{line} {number}\n", encoding="utf-8")
    return folder


def state(ws, number=1):
    return proposals.get(ws, number).state


def test_a_new_skill_is_approved_whole_or_not_offered(home, ia, tmp_path):
    assert ia("skill", "install", str(skill_folder(tmp_path, "one"))).returncode == 0

    def check(ws):
        offered = [skill.name for skill in skills.listed(ws)]  # reads the folder first, as `ia skill list` does
        files = sorted(proposals.folder_files(ws, ".claude/skills/volume"))
        if state(ws) == proposals.PENDING:
            assert not offered and not files and not (home / ".claude").exists()
            return False
        assert offered == ["volume"] and len(files) == 5
        return True

    every_step(home, ["approve", "1", "--yes"], check)


def test_an_update_of_a_skill_is_approved_whole_or_not_at_all(home, ia, tmp_path):
    assert ia("skill", "install", str(skill_folder(tmp_path, "one"))).returncode == 0
    assert ia("approve", "1", "--yes").returncode == 0
    folder = skill_folder(tmp_path, "two")
    (folder / "knowledge" / "0.md").unlink()
    assert ia("skill", "install", str(folder)).returncode == 0

    def check(ws):
        described = skills.listed(ws)[0].about
        files = proposals.folder_files(ws, ".claude/skills/volume")
        new = state(ws, 2) == proposals.APPROVED
        assert described == ("two" if new else "one")
        assert len(files) == (4 if new else 5)
        assert all(described in text for text in files.values())
        return new

    every_step(home, ["approve", "2", "--yes"], check)


def test_a_preference_is_approved_and_in_force_or_pending_and_not(home, ia):
    assert ia("memory", "prefer", "answer first").returncode == 0

    def check(ws):
        there = "answer first" in (ws.read("memory/preferences.md") or "")
        assert there == (state(ws) == proposals.APPROVED)
        return there

    every_step(home, ["approve", "1", "--yes"], check)


def test_a_belief_stands_with_its_reason_or_not_at_all(home, ia):
    assert ia("memory", "believe", "old", "--because", "before").returncode == 0

    def check(ws):
        there = "- new" in (ws.read("memory/beliefs.md") or "")
        reasons = "".join(ws.read(path) or "" for path in ws.paths("memory/reflections"))
        assert ("because: it rose" in reasons) == there
        changes = ws.db.execute("SELECT count(*) FROM events WHERE kind = 'belief.change'").fetchone()[0]
        assert changes == 1 + there
        return there

    every_step(home, ["memory", "believe", "new", "--because", "it rose"], check)


def test_a_note_its_revision_and_its_event_agree(home, ia):
    assert ia("note", "a", "one").returncode == 0

    def check(ws):
        there = ws.read("notebook/new/folder/b.md") is not None
        assert len(ws.history("notebook/new/folder/b.md")) == there
        assert ws.db.execute("SELECT count(*) FROM events WHERE kind = 'note.write'").fetchone()[0] == 1 + there
        return there

    every_step(home, ["note", "new/folder/b", "two"], check)


def test_a_removed_note_its_revision_and_its_event_agree(home, ia):
    assert ia("note", "a", "one").returncode == 0

    def check(ws):
        gone = ws.read("notebook/a.md") is None
        assert ws.db.execute("SELECT count(*) FROM events WHERE kind = 'note.remove'").fetchone()[0] == gone
        return gone

    every_step(home, ["note", "remove", "a"], check)


def test_what_was_edited_after_the_kill_is_not_replaced_by_the_recovery(home, ia):
    assert ia("note", "a", "one").returncode == 0
    for step in range(1, 100):
        died = die_at(step, ["note", "a", f"two {step}"])
        assert died, "no kill hit between the commit and the file"
        import sqlite3

        with sqlite3.connect(home / ".ia" / "ia.db") as db:
            if db.execute("SELECT count(*) FROM unfinished").fetchone()[0]:
                break
    assert Path(home, "notebook", "a.md").read_text() == "one\n"
    Path(home, "notebook", "a.md").write_text("by hand\n")
    assert ia("note", "read", "a").stdout == "by hand\n"
    assert ia("note", "append", "a", "three").returncode == 0
    assert ia("note", "read", "a").stdout == "by hand\nthree\n"
