"""Killed at any moment: afterwards a change is there with its record, or neither is.

Two ways to die. Exhaustive: a forked child ends itself at its n-th step on the disk, for every n. Random: the installed
command gets SIGKILL; a few kills here, hundreds under the marker `soak`.
"""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from ia.faculties import skills
from ia.kernel import proposals
from ia.kernel.workspace import Workspace
from ia.organs.ledger import journal
from ia.organs.memory import contents as contents

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
            from ia_cli.main import run_command_line

            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            os.dup2(1, 2)
            for name in STEPS:
                setattr(os, name, counted(getattr(os, name)))
            code = run_command_line(argv)
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
    return proposals.get_proposal(ws, number).state


def test_a_new_skill_is_approved_whole_or_not_offered(home, ia, tmp_path):
    assert ia("skill", "install", str(skill_folder(tmp_path, "one"))).returncode == 0

    def check(ws):
        offered = [skill.name for skill in skills.list_skills(ws)]  # reads the folder first, as `ia skill list` does
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
        described = skills.list_skills(ws)[0].about
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
        reasons = "".join(ws.read(path) or "" for path in ws.list_paths("memory/reflections"))
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


# The random way: SIGKILL at any moment of the real command line, run in a forked child.


class Storm:
    """One workspace, many commands, a kill now and then; `check` holds the workspace against what was acknowledged."""

    def __init__(self, home, seed):
        self.home, self.chance = home, random.Random(seed)
        self.usual = {}  # seconds that each kind of command takes
        self.kills = self.acknowledged = 0
        self.notes, self.beliefs, self.trades, self.prefers, self.turns = {}, set(), 0, set(), set()
        self.tried = {"trade": 0}

    def run(self, kind, *argv, kill=True):
        """Run a command, and kill it at a random moment; return whether it was acknowledged."""
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            code = 70
            try:
                from ia_cli.main import run_command_line

                os.dup2(os.open(os.devnull, os.O_RDWR), 1)
                os.dup2(1, 2)
                code = run_command_line(list(argv))
            finally:
                os._exit(code)
        if kill and kind in self.usual:
            end = started + self.chance.uniform(0.0, 1.1 * self.usual[kind])
            while time.monotonic() < end:
                if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                    break
                time.sleep(0.001)
            os.kill(child, signal.SIGKILL)  # a child that has ended is still there to be waited for
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, -9), (argv, status)
        if status == 0:
            self.usual[kind] = min(time.monotonic() - started, self.usual.get(kind, 60))
            self.acknowledged += 1
        else:
            self.kills += 1
        return status == 0

    def note(self, at):
        path, text = f"n{at % 7}", f"text {at}"
        before = self.notes.get(path)
        done = self.run("note", "note", path, text)
        self.notes[path] = {text} if done else {text, *(before or {None})}

    def believe(self, at):
        if self.run("believe", "memory", "believe", f"belief {at}.", "--because", f"reason {at}."):
            self.beliefs.add(at)

    def trade(self, _):
        self.tried["trade"] += 1
        self.trades += self.run("trade", "trade", "deposit", "100", "--date", "2024-01-02")

    def prefer(self, at):
        ws = Workspace(str(self.home))
        with contextlib.closing(ws):
            waiting = [p.id for p in proposals.pending_proposals(ws) if p.kind == "preferences"]
            number = waiting[0] if waiting else proposals.propose(
                ws, "preferences", "memory/preferences.md",
                (ws.read("memory/preferences.md") or "# Preferences\n\n") + f"- preference {at}.\n",
            ).id  # fmt: skip
        if self.run("approve", "approve", str(number), "--yes"):
            self.prefers.add(number)

    def skill(self, at):
        folder = self.home.parent / f"skill-{at}"
        (folder / "knowledge").mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: s{at}\ndescription: d\n---\nbody\n")
        for number in range(4):
            (folder / "knowledge" / f"{number}.md").write_text("x\n")
        assert self.run("install", "skill", "install", str(folder), kill=False)
        with contextlib.closing(Workspace(str(self.home))) as ws:
            number = max(p.id for p in proposals.pending_proposals(ws) if p.kind == "skill")
        self.run("skill", "approve", str(number), "--yes")

    def turn(self, at):
        if self.run("turn", "turn", f"message {at}.", "-s", "s", "-m", "ia-offline"):
            self.turns.add(at)

    def sync(self, _):
        self.run("sync", "sync", "symbols")

    # Place for the kinds that change the crontab as well: approving and pausing a task.

    def check(self):
        """The next command heals; then record, files and lists agree."""
        assert self.run("list", "memory", "list", kill=False)
        with contextlib.closing(Workspace(str(self.home))) as ws:
            table = ws.read_present(contents.PATH)
            for path, texts in self.notes.items():
                text = ws.read(f"notebook/{path}.md")
                assert (text.strip() if text else None) in texts, (path, text, texts)
                assert text is None or f"`notebook/{path}.md`: {text.strip()}" in table
            believed = ws.read("memory/beliefs.md") or ""
            reasons = "".join(ws.read(path) or "" for path in ws.list_paths("memory/reflections"))
            assert all(f"belief {at}." in believed for at in self.beliefs)
            assert believed.count("- belief") == reasons.count("because: reason")
            entries = journal.effective_entries(ws.db)
            assert self.trades <= len(entries) <= self.tried["trade"]
            for proposal in (proposals.get_proposal(ws, row[0]) for row in ws.db.execute("SELECT id FROM proposals")):
                if proposal.kind == "skill":
                    files = proposals.folder_files(ws, proposal.path)
                    assert len(files) == (5 if proposal.state == proposals.APPROVED else 0), proposal.path
                else:
                    assert (proposal.after.splitlines()[-1] in (ws.read(proposal.path) or "")) == (
                        proposal.state == proposals.APPROVED
                    )
                    assert proposal.state == proposals.APPROVED or proposal.id not in self.prefers
            offered = {skill.name for skill in skills.list_skills(ws)}
            approved = ws.db.execute("SELECT path FROM proposals WHERE kind = 'skill' AND state = 'approved'")
            assert offered == {path.rsplit("/", 1)[1] for (path,) in approved}
            messages = ws.db.execute("SELECT role, content FROM messages ORDER BY id").fetchall()
            for at in self.turns:
                asked = [n for n, (_, content) in enumerate(messages) if content.endswith(f"message {at}.")]
                assert len(asked) == 1 and messages[asked[0] + 1][0] == "assistant", (at, messages)
            for name in (".ia/ia.db", ".ia/cache/market.db"):
                if (self.home / name).exists():
                    with contextlib.closing(sqlite3.connect(self.home / name)) as db:
                        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert not ws.db.execute("SELECT count(*) FROM unfinished").fetchone()[0]
        assert not os.listdir(self.home / ".ia" / "tmp")
        assert not [path for path in self.home.rglob("*") if path.name.startswith(".ia-tmp-")]


def storm(home, kills, seed, kinds):
    weather = Storm(home, seed)
    for kind in kinds:  # each once to its end: how long it takes, and its modules
        getattr(weather, kind)(-1 - kinds.index(kind))
    at = 0
    while weather.kills < kills and at < 20 * kills:
        at += 1
        getattr(weather, weather.chance.choice(kinds))(at)
        if at % 5 == 0:
            weather.check()
    weather.check()
    assert weather.kills >= kills
    print(f"{weather.kills} kills, {weather.acknowledged} acknowledged")


def test_random_kills_leave_record_and_files_in_agreement(home, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    storm(home, 12, 20240315, ["note", "believe", "trade", "prefer", "skill"])


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not os.environ.get("IA_SOAK"), reason="takes minutes: set IA_SOAK=1")
def test_three_hundred_random_kills(home, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    storm(home, 320, 7, ["note", "believe", "trade", "prefer", "skill", "turn", "sync"])
