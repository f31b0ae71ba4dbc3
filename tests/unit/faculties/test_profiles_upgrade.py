"""A new version of a profile in a workspace that is lived in: what it replaces, proposes, adds and leaves."""

import os
import shutil

import pytest

from ia.faculties import profiles
from ia.faculties.skills import installing
from ia.kernel import proposals

QUIZ = ".claude/skills/quiz"
SKILL = "---\ndescription: 出题\n---\n按笔记出题。\n"
RULES = "rules:\n  one: 1\n  two: 2\n  three: 3\n  four: 4\n"


@pytest.fixture
def version(tmp_path):
    """Make a version of the profile `study`: version(**files), each with a soul."""

    def make(**files):
        base = tmp_path / "study"
        shutil.rmtree(base, ignore_errors=True)
        for name, text in {"soul.md": "# 我\n\n我是学习助手。\n", **files}.items():
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            (base / name).write_text(text, encoding="utf-8")
        return profiles.find_profile(str(base))

    return make


@pytest.fixture
def first(ws, version):
    profiles.use_profile(ws, version(**{f"{QUIZ}/SKILL.md": SKILL, f"{QUIZ}/knowledge/rules.yaml": RULES}))


def second(version, **more):
    return version(
        **{f"{QUIZ}/SKILL.md": SKILL + "先问难的。\n", f"{QUIZ}/knowledge/rules.yaml": RULES.replace("1", "11"), **more}
    )


def edit(home, path, text):
    (home / path).write_text(text, encoding="utf-8")


def test_what_nobody_edited_is_replaced_and_what_is_new_is_added(ws, first, version):
    new = second(version, **{f"{QUIZ}/templates/answer.md": "# 答\n", ".claude/skills/teach/SKILL.md": SKILL})
    steps, made = profiles.use_profile(ws, new)
    assert made == []
    assert dict(steps) == {
        f"{QUIZ}/SKILL.md": "replace",
        f"{QUIZ}/knowledge/rules.yaml": "replace",
        f"{QUIZ}/templates/answer.md": "add",
        ".claude/skills/teach/SKILL.md": "add",
    }
    assert {path: ws.read(path) for path in profiles.profile_files(new)} == profiles.profile_files(new)
    assert profiles.plan_steps(ws, new) == []


def test_a_new_version_is_merged_with_what_a_person_edited_and_proposed_once(ws, home, first, version):
    edit(home, f"{QUIZ}/knowledge/rules.yaml", RULES.replace("4", "44"))
    new = second(version, **{f"{QUIZ}/more.md": "多\n"})
    assert dict(profiles.plan_steps(ws, new)) == {
        f"{QUIZ}/SKILL.md": "replace",
        f"{QUIZ}/knowledge/rules.yaml": "propose",
        f"{QUIZ}/more.md": "add",
    }
    _, (proposal,) = profiles.use_profile(ws, new)
    assert (proposal.kind, proposal.path) == ("skill", QUIZ)
    assert ws.read(f"{QUIZ}/knowledge/rules.yaml") == RULES.replace("4", "44"), "nothing changes before it is approved"
    assert dict(profiles.plan_steps(ws, new)) == {f"{QUIZ}/knowledge/rules.yaml": "keep"}, "it is proposed once"
    proposals.approve(ws, proposal.id, by="user at a terminal")
    merged = RULES.replace("1", "11").replace("4", "44")
    assert ws.read(f"{QUIZ}/knowledge/rules.yaml") == merged
    assert ws.read(f"{QUIZ}/more.md") == "多\n"
    third = version(**{f"{QUIZ}/SKILL.md": SKILL, f"{QUIZ}/knowledge/rules.yaml": RULES.replace("1", "111")})
    assert dict(profiles.plan_steps(ws, third))[f"{QUIZ}/knowledge/rules.yaml"] == "propose", (
        "the edits are still a person's"
    )


def test_a_version_that_was_rejected_is_not_proposed_again_and_the_next_one_is(ws, home, first, version):
    edit(home, f"{QUIZ}/SKILL.md", SKILL + "我的。\n")
    new = second(version)
    _, (proposal,) = profiles.use_profile(ws, new)
    proposals.reject(ws, proposal.id, by="user at a terminal")
    assert profiles.use_profile(ws, new) == ([(f"{QUIZ}/SKILL.md", "keep")], [])
    next_one = version(**{f"{QUIZ}/SKILL.md": SKILL.replace("出题", "提问"), f"{QUIZ}/knowledge/rules.yaml": RULES})
    assert profiles.use_profile(ws, next_one)[1]


def test_where_both_changed_a_line_the_new_text_is_proposed_for_a_person_to_see(ws, home, first, version):
    edit(home, f"{QUIZ}/knowledge/rules.yaml", RULES.replace("1", "99"))
    _, (proposal,) = profiles.use_profile(ws, second(version))
    assert proposals.files_of(proposal.after)["knowledge/rules.yaml"] == RULES.replace("1", "11")
    assert "-  one: 99\n+  one: 11\n" in proposals.render_diff(*proposals.compute_outcome(ws, proposal), QUIZ, "skill")


def test_an_edit_stays_where_the_profile_has_nothing_new(ws, home, first, version):
    edit(home, f"{QUIZ}/SKILL.md", SKILL + "我的。\n")
    same = version(**{f"{QUIZ}/SKILL.md": SKILL, f"{QUIZ}/knowledge/rules.yaml": RULES})
    assert profiles.use_profile(ws, same) == ([(f"{QUIZ}/SKILL.md", "keep")], [])


@pytest.mark.parametrize("way", ["a file", "by ia", "the skill"])
def test_what_a_person_deleted_stays_deleted(ws, home, first, version, way):
    if way == "a file":
        (home / QUIZ / "knowledge/rules.yaml").unlink()
    elif way == "by ia":
        installing.remove(ws, "quiz")
    else:
        shutil.rmtree(home / QUIZ)
    (home / "soul.md").unlink()
    new = second(version, **{f"{QUIZ}/more.md": "多\n"})
    gone = {f"{QUIZ}/knowledge/rules.yaml": "deleted", "soul.md": "deleted"}
    rest = {f"{QUIZ}/SKILL.md": "replace", f"{QUIZ}/more.md": "add"}
    wanted = gone | (rest if way == "a file" else dict.fromkeys(rest, "deleted"))
    assert dict(profiles.plan_steps(ws, new)) == wanted
    assert set(dict(profiles.plan_steps(ws, new, only_add=True)).values()) <= {"deleted", "keep"}
    for _ in range(2):
        profiles.use_profile(ws, new)
        assert not (home / "soul.md").exists() and not (home / QUIZ / "knowledge/rules.yaml").exists()
    assert (home / QUIZ).exists() == (way == "a file")
    profiles.use_profile(ws, new, restore=True)
    assert {path: ws.read(path) for path in profiles.profile_files(new)} == profiles.profile_files(new)


def test_what_another_profile_removed_was_deleted_by_nobody(ws, first, version, tmp_path):
    (tmp_path / "other").mkdir()
    edit(tmp_path, "other/soul.md", "# 我\n\n另一个。\n")
    profiles.use_profile(ws, profiles.find_profile(str(tmp_path / "other")), replace=True)
    assert ws.read(f"{QUIZ}/SKILL.md") is None
    assert dict(profiles.plan_steps(ws, second(version)))[f"{QUIZ}/SKILL.md"] == "add"


def test_only_add_touches_nothing_that_is_there(ws, home, first, version):
    new = second(version, **{f"{QUIZ}/more.md": "多\n", ".claude/skills/teach/SKILL.md": SKILL})
    steps, made = profiles.use_profile(ws, new, only_add=True)
    assert made == []
    assert {path for path, act in steps if act != "keep"} == {".claude/skills/teach/SKILL.md"}
    assert ws.read(f"{QUIZ}/SKILL.md") == SKILL


@pytest.mark.parametrize("kept", [None, "", "[]", '{"study": 1}', f'{{"study": {{"{QUIZ}/SKILL.md": 1}}}}'])
def test_without_what_was_brought_the_new_version_is_proposed_whole(ws, home, first, version, kept):
    """So it is in a workspace of an earlier ia, which kept digests and no texts."""
    file = home / ".ia/profile.json"
    file.unlink() if kept is None else file.write_text(kept)
    edit(home, f"{QUIZ}/SKILL.md", SKILL + "我的。\n")
    same = version(**{f"{QUIZ}/SKILL.md": SKILL, f"{QUIZ}/knowledge/rules.yaml": RULES})
    assert dict(profiles.plan_steps(ws, same)) == {f"{QUIZ}/SKILL.md": "keep"}
    steps, (proposal,) = profiles.use_profile(ws, second(version))
    assert dict(steps)[f"{QUIZ}/knowledge/rules.yaml"] == "replace"
    assert proposals.files_of(proposal.after)["SKILL.md"] == SKILL + "先问难的。\n"


def test_an_edit_by_ia_is_merged_without_what_was_brought(ws, home, first, version):
    (home / ".ia/profile.json").unlink()
    ws.write(f"{QUIZ}/knowledge/rules.yaml", RULES.replace("4", "44"), why="mine")
    _, (proposal,) = profiles.use_profile(ws, second(version))
    assert proposals.files_of(proposal.after)["knowledge/rules.yaml"] == RULES.replace("1", "11").replace("4", "44")


def test_a_person_s_own_skill_of_that_name_is_left(ws, home, version):
    (home / QUIZ).mkdir(parents=True)
    edit(home, f"{QUIZ}/SKILL.md", "---\ndescription: 我的\n---\n")
    steps, made = profiles.use_profile(ws, second(version))
    assert made == []
    assert {path: act for path, act in steps if path.startswith(QUIZ)} == {
        f"{QUIZ}/SKILL.md": "keep",
        f"{QUIZ}/knowledge/rules.yaml": "keep",
    }
    assert not os.path.exists(home / QUIZ / "knowledge")
