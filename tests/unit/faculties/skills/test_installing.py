"""Installing a skill: from a folder, a .zip or a git repository, always as a proposal, never by running anything."""

import os

import pytest

from ia.faculties import skills
from ia.faculties.skills import installing
from ia.kernel import proposals
from ia.kernel.errors import BadData, NotFound, Refused, UsageError
from support.skill_sources import MINE, folder


def test_a_folder_becomes_a_proposal_and_only_approval_writes(ws, tmp_path):
    made = installing.propose(ws, folder(tmp_path), because="why")
    assert (made.kind, made.path, made.before) == ("skill", ".claude/skills/mine", None)
    assert proposals.files_of(made.after) == MINE
    assert skills.list_skills(ws) == []
    assert not os.path.exists(os.path.join(ws.root, ".claude"))
    proposals.approve(ws, made.id, by="test")
    (skill,) = skills.list_skills(ws)
    assert (skill.name, skill.version, skill.allowed, skill.problem) == ("mine", "1.0", ("market.ohlcv",), None)
    assert [path for path, _ in skills.files(ws, skill)] == sorted(MINE)
    assert not os.access(os.path.join(ws.root, skill.path, "scripts/run.sh"), os.X_OK)
    assert ws.history(".claude/skills/mine/SKILL.md")


def test_the_same_is_not_proposed_twice_and_not_where_it_is_installed(ws, tmp_path):
    source = folder(tmp_path)
    made = installing.propose(ws, source)
    assert installing.propose(ws, source).id == made.id
    assert proposals.find_same_pending(ws, "skill", made.path, MINE) == made.id
    proposals.approve(ws, made.id, by="test")
    with pytest.raises(BadData, match="the proposal has no changes"):
        installing.propose(ws, source)


def test_a_new_version_replaces_the_folder_but_what_was_added_since_stays(ws, tmp_path):
    proposals.approve(ws, installing.propose(ws, folder(tmp_path)).id, by="test")
    newer = {"SKILL.md": MINE["SKILL.md"].replace("1.0", "2.0"), "more.md": "m"}
    made = installing.propose(ws, folder(tmp_path / "new", newer))
    ws.write(".claude/skills/mine/notes.md", "own")
    before, after = proposals.compute_outcome(ws, made)
    diff = proposals.render_diff(before, after, made.path, made.kind)
    assert "-version: 1.0\n+version: 2.0" in diff
    assert "+++ b/.claude/skills/mine/more.md" in diff
    assert installing.describe_package(before, made.path).version == "1.0"
    proposals.approve(ws, made.id, by="test")
    found = dict(skills.files(ws, skills.find(ws, "mine")))
    assert found.keys() == {"SKILL.md", "more.md", "notes.md"}
    assert skills.find(ws, "mine").version == "2.0"


def test_what_changed_since_is_not_overwritten(ws, tmp_path):
    proposals.approve(ws, installing.propose(ws, folder(tmp_path)).id, by="test")
    newer = {**MINE, "SKILL.md": MINE["SKILL.md"].replace("1.0", "2.0")}
    made = installing.propose(ws, folder(tmp_path / "new", newer))
    ws.write(".claude/skills/mine/SKILL.md", "mine now")
    with pytest.raises(Refused, match="out of date"):
        proposals.approve(ws, made.id, by="test")
    assert ws.read(".claude/skills/mine/SKILL.md") == "mine now"


def test_an_approval_that_was_interrupted_can_be_given_again(ws, tmp_path):
    made = installing.propose(ws, folder(tmp_path))
    ws.write(".claude/skills/mine/SKILL.md", MINE["SKILL.md"])  # the process died after this one
    proposals.approve(ws, made.id, by="test")
    assert len(skills.files(ws, skills.find(ws, "mine"))) == 3


def test_a_rejected_one_leaves_nothing(ws, tmp_path):
    made = installing.propose(ws, folder(tmp_path))
    proposals.reject(ws, made.id, by="test")
    assert skills.list_skills(ws) == []
    with pytest.raises(Refused):
        proposals.approve(ws, made.id, by="test")


def test_of_several_one_is_named(ws, tmp_path):
    folder(tmp_path, name="many/skills/one", files={"SKILL.md": "---\nname: uno\ndescription: x\n---\n"})
    folder(tmp_path, name="many/.claude/skills/two", files={"SKILL.md": "two", "sub/SKILL.md": "a template"})
    folder(tmp_path, name="many/three", files={"SKILL.md": "---\n: ["})
    source = str(tmp_path / "many")
    with pytest.raises(UsageError) as caught:
        installing.read(source)
    assert caught.value.params["known"] == "three, two, uno"
    assert installing.read(source, "uno").files.keys() == {"SKILL.md"}
    assert installing.read(source, "/two").files.keys() == {"SKILL.md", "sub/SKILL.md"}
    with pytest.raises(BadData):
        installing.read(source, "three")
    with pytest.raises(NotFound, match="four"):
        installing.read(source, "four")
    with pytest.raises(NotFound, match=r"SKILL\.md is missing"):
        installing.read(folder(tmp_path, {"a.md": "x"}, "none"))


def test_an_invalid_skill_is_refused(ws, tmp_path):
    cases = {
        "binary": ({**MINE, "logo.png": b"\x89PNG\0\xff"}, "logo.png is not a text file"),
        "nul": ({**MINE, "a.txt": b"a\0b"}, "a.txt is not a text file"),
        "many": ({**MINE, **{f"f{n}.md": "x" for n in range(250)}}, "many: more than 200 files"),
        "large": ({**MINE, "big.md": "x" * 2_100_000}, "large: larger than 2000000 bytes"),
        "together": (
            {**MINE, **{f"f{n}.md": "x" * 300_000 for n in range(8)}},
            "together: larger than 2000000 bytes",
        ),
        "broken": ({"SKILL.md": "---\ndescription: [\n---\n"}, "SKILL.md:"),
    }
    for name, (files, why) in cases.items():
        with pytest.raises((Refused, BadData), match=why):
            installing.read(folder(tmp_path, files, name))
    hidden = {**MINE, ".env": "TOKEN=x", ".git/config": "x", "sub/.secret": "x", "__pycache__/x.pyc": b"\0"}
    assert installing.read(folder(tmp_path, hidden, "hidden")).files == MINE
    assert proposals.pending_proposals(ws) == []


def test_a_folder_is_proposed_where_its_kind_belongs_and_nowhere_else(ws):
    for place in (
        "memory",
        ".claude/skills",
        ".claude/skills/a/b",
        ".claude/providers/x",
        ".claude/skills/..",
        "soul.md",
    ):
        with pytest.raises(Refused):
            proposals.propose_folder(ws, "skill", place, {"SKILL.md": "x"}, because="", actor="x")
    for file in ("../x.md", "/x.md", ".hidden", "a/../b.md", "a\nb.md"):
        with pytest.raises(Refused):
            proposals.propose_folder(ws, "skill", ".claude/skills/a", {file: "x"}, because="", actor="x")
    with pytest.raises(BadData):
        proposals.propose(ws, "skill", ".claude/skills/a", "x")


def test_trust_is_about_the_file_as_it_is_when_it_is_accepted(ws):
    path = "notebook/a.md"
    ws.write(path, "---\nuntrusted: stdin\n---\nold\n")
    made = proposals.propose(ws, "trust", path, "old\n")
    ws.write(path, "---\nuntrusted: stdin, web\n---\nnew\n")
    assert proposals.compute_outcome(ws, made) == ("---\nuntrusted: stdin, web\n---\nnew\n", "new\n")
    proposals.approve(ws, made.id, by="test")
    assert ws.read(path) == "new\n"
    gone = proposals.propose(ws, "trust", path, "x\n")
    ws.remove(path)
    with pytest.raises(NotFound):
        proposals.approve(ws, gone.id, by="test")


def test_removing_and_switching(ws, home, tmp_path):
    proposals.approve(ws, installing.propose(ws, folder(tmp_path)).id, by="test")
    assert installing.switch(ws, "mine", on=False)
    assert not installing.switch(ws, "mine", on=False)
    assert not skills.find(ws, "mine").enabled
    assert "skills:\n  disabled: mine" in (home / "config.yaml").read_text()
    assert installing.switch(ws, "/mine", on=True)
    assert skills.find(ws, "mine").enabled
    installing.switch(ws, "mine", on=False)
    assert installing.remove(ws, "mine") == [f".claude/skills/mine/{path}" for path in sorted(MINE)]
    assert not (home / ".claude/skills/mine").exists()
    assert installing.switch(ws, "mine", on=True)  # gone, but its name was still off
    with pytest.raises(NotFound):
        installing.switch(ws, "mine", on=False)
    ws.undo(".claude/skills/mine/SKILL.md")
    assert skills.find(ws, "mine").problem is None
