"""Profiles as the library sees them: what is copied, what is kept, and that none of it is needed."""

import os
import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ia.faculties import profiles
from ia.faculties.schedule import slots
from ia.faculties.schedule.design import check_design, parse_design
from ia.faculties.taskbook import pipeline
from ia.kernel import proposals
from ia.kernel.errors import BadData, NotFound, Refused


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """An own folder of installed profiles."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def folder(base, **files):
    for name, text in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return base


def mine(base, **files):
    return profiles.find_profile(str(folder(base, **{"soul.md": "# 我\n\n我是学习助手。\n", **files})))


SKILL = "---\ndescription: 出题\nallowed-tools: [notebook.read]\n---\n按笔记出题。\n"


def test_a_fresh_workspace_gets_all_of_it_hidden_folders_too(ws):
    steps, made = profiles.use_profile(ws, profiles.find_profile("invest"))
    shipped = profiles.profile_files(profiles.find_profile("invest"))
    names = ("monthly-review", "weekly-review", "workday-gainers", "workday-review", "workday-sync")
    tasks = [f"tasks/{name}.md" for name in names]
    assert [step for step in steps if step.act != profiles.ADD] == [(task, profiles.PROPOSE) for task in tasks]
    assert [(each.kind, each.path, each.after) for each in made] == [
        ("task", task, shipped.pop(task)) for task in tasks
    ]
    assert not any(map(ws.read, tasks)), "a task is never a file before a person approves it"
    assert "soul.md" in shipped
    assert any(path.startswith(".claude/skills/") for path in shipped)
    assert {path: ws.read(path) for path in shipped} == shipped
    assert profiles.profile_in_use(ws) == "invest"
    assert profiles.plan_steps(ws, profiles.find_profile("invest")) == []


def test_what_is_there_is_kept(ws, tmp_path):
    ws.write("config.yaml", "lang: en\n")
    ws.write("memory/tracking.md", "- 600519\n")
    own = mine(tmp_path / "mine", **{"config.yaml": "lang: zh\n", "memory/tracking.md": "# 关注\n"})
    steps, _ = profiles.use_profile(ws, own, replace=True)
    assert dict(steps) == {"config.yaml": "keep", "memory/tracking.md": "keep", "soul.md": "add"}
    assert ws.read("config.yaml") == "lang: en\n"
    assert ws.read("memory/tracking.md") == "- 600519\n"


def test_replace_takes_what_nobody_edited_and_nothing_else(ws, tmp_path):
    first = mine(
        tmp_path / "first", **{
            ".claude/skills/quiz/SKILL.md": SKILL, ".claude/skills/old/SKILL.md": SKILL,
            ".claude/skills/edited/SKILL.md": SKILL, "memory/tracking.md": "# 一\n", "config.yaml": "lang: en\n",
        },
    )  # fmt: skip
    profiles.use_profile(ws, first)
    (tmp_path / "ia-home" / ".claude/skills/edited/SKILL.md").write_text(SKILL + "我改的。\n", encoding="utf-8")
    second = mine(
        tmp_path / "second",
        **{".claude/skills/quiz/SKILL.md": SKILL + "新的。\n", "memory/tracking.md": "# 二\n", "soul.md": "另一个。\n"},
    )
    kept = dict(profiles.plan_steps(ws, second))
    assert kept == {".claude/skills/quiz/SKILL.md": "keep", "memory/tracking.md": "keep", "soul.md": "propose"}
    steps, (proposal,) = profiles.use_profile(ws, second, replace=True)
    number = proposal.id
    assert dict(steps) == {
        ".claude/skills/quiz/SKILL.md": "replace", ".claude/skills/old/SKILL.md": "remove", "config.yaml": "remove",
        "memory/tracking.md": "keep", "soul.md": "propose",
    }  # fmt: skip
    assert ws.read(".claude/skills/quiz/SKILL.md").endswith("新的。\n")
    assert ws.read(".claude/skills/old/SKILL.md") is None
    assert ws.read(".claude/skills/edited/SKILL.md").endswith("我改的。\n")
    assert ws.read("memory/tracking.md") == "# 一\n"
    assert ws.read("soul.md") == "# 我\n\n我是学习助手。\n", "a soul changes by approval only"
    assert proposals.get_proposal(ws, number).after == "另一个。\n"
    again = profiles.use_profile(ws, second, replace=True)[1]
    assert [each.id for each in again] == [number], "one that waits is not proposed again"
    proposals.approve(ws, number, by="user with --yes")
    assert ws.read("soul.md") == "另一个。\n"
    assert profiles.profile_in_use(ws) == "second"


TASK = "---\nschedule: 0 9 * * 1\nprompt: 出题\n---\n"


@pytest.mark.parametrize("decision", ["waits", "rejected", "approved", "approved and removed"])
def test_a_task_is_proposed_once_and_never_written(ws, tmp_path, decision):
    own = mine(tmp_path / "mine", **{"tasks/quiz.md": TASK})
    (proposal,) = profiles.use_profile(ws, own)[1]
    assert (proposal.kind, proposal.path, proposal.actor) == ("task", "tasks/quiz.md", "profile mine")
    assert ws.read("tasks/quiz.md") is None
    if decision == "rejected":
        proposals.reject(ws, proposal.id, by="user")
    elif decision != "waits":
        proposals.approve(ws, proposal.id, by="user at a terminal")
        assert ws.read("tasks/quiz.md") == TASK
    if decision.endswith("removed"):
        ws.remove("tasks/quiz.md")
    waiting = [each.id for each in proposals.pending_proposals(ws)]
    assert profiles.plan_steps(ws, own, replace=True) == []
    assert profiles.use_profile(ws, own, replace=True) == ([], [])
    assert [each.id for each in proposals.pending_proposals(ws)] == waiting
    newer = mine(tmp_path / "newer" / "mine", **{"tasks/quiz.md": TASK.replace("9", "8")})
    steps, made = profiles.use_profile(ws, newer)
    free = decision in ("rejected", "approved and removed")
    assert dict(steps) == {"tasks/quiz.md": "propose" if free else "keep"}, "another text is another task"
    assert len(made) == int(free)


def test_a_task_of_the_users_own_keeps_its_name(ws, tmp_path):
    own = mine(tmp_path / "mine", **{"tasks/quiz.md": TASK, "tasks/weekly.md": TASK})
    ws.write("tasks/quiz.md", TASK + "我的。\n")
    proposals.propose(ws, "task", "tasks/weekly.md", TASK + "我要的。\n")
    steps, made = profiles.use_profile(ws, own)
    assert {path: act for path, act in steps if path.startswith("tasks/")} == {
        "tasks/quiz.md": "keep", "tasks/weekly.md": "keep",
    }  # fmt: skip
    assert made == [] and ws.read("tasks/quiz.md").endswith("我的。\n")


@pytest.mark.parametrize(
    ("profile", "path"),
    [
        (found, path)
        for found in profiles.list_profiles()
        for path in profiles.profile_files(found)
        if path.startswith("tasks/")
    ],
    ids=str,
)
def test_a_shipped_task_holds_and_names_a_skill_that_comes_with_it(profile, path):
    name = path.removeprefix("tasks/").removesuffix(".md")
    design = parse_design(profiles.profile_files(profile)[path], name)
    check_design(design)
    assert len(slots.next_slots(design, datetime(2024, 3, 15, 12, tzinfo=UTC))) == 5
    if design.run:
        assert pipeline.parse_pipelines(design.run)[0][0][:2] == ["ia", "sync"]
        return
    skill = design.prompt.split()[0]
    assert f".claude/skills{skill}/SKILL.md" in profiles.profile_files(profile)


def test_each_shipped_profile_brings_a_task(ws):
    for profile in profiles.list_profiles():
        if profile.shipped:
            tasks = sum(path.startswith("tasks/") for path in profiles.profile_files(profile))
            assert tasks == (5 if profile.name == "invest" else 1), profile.name


@pytest.mark.parametrize("replace", [False, True])
def test_a_skill_is_one_thing(ws, home, tmp_path, replace):
    """No file of a profile slips into a skill that a person made, edited, or has from another profile."""
    quiz = ".claude/skills/quiz"
    first = mine(tmp_path / "first", **{f"{quiz}/SKILL.md": SKILL, f"{quiz}/old.md": "旧"})
    second = mine(
        tmp_path / "second", **{f"{quiz}/SKILL.md": SKILL + "新。", f"{quiz}/knowledge/sop.yaml": "name: x\n"}
    )
    profiles.use_profile(ws, first)
    steps = dict(profiles.plan_steps(ws, second, replace=replace))
    assert steps == (
        {f"{quiz}/SKILL.md": "replace", f"{quiz}/knowledge/sop.yaml": "add", f"{quiz}/old.md": "remove"}
        if replace
        else {f"{quiz}/SKILL.md": "keep", f"{quiz}/knowledge/sop.yaml": "keep"}
    )
    (home / quiz / "mine.bin").write_bytes(b"\xff\x00")
    steps = dict(profiles.plan_steps(ws, second, replace=replace))
    assert steps == {f"{quiz}/SKILL.md": "keep", f"{quiz}/knowledge/sop.yaml": "keep"}
    (home / quiz / "mine.bin").unlink()
    (home / quiz / "old.md").unlink()
    assert dict(profiles.plan_steps(ws, first)) == {f"{quiz}/old.md": "deleted"}
    assert dict(profiles.plan_steps(ws, first, restore=True)) == {f"{quiz}/old.md": "add"}, (
        "it comes back when asked for"
    )


def test_only_places_of_a_workspace_are_copied(tmp_path):
    own = mine(
        tmp_path / "mine",
        **{
            "README.md": "x", ".ia/ia.db": "x", ".ia/profile": "x", ".git/config": "x", ".claude/settings.json": "{}",
            ".claude/skills/quiz/SKILL.md": SKILL, "notebook/scratch/a.md": "x", "memoryX/a.md": "x", "soul.md.d/x": "x",
            "bin/run": "x",
        },
    )  # fmt: skip
    assert set(profiles.profile_files(own)) == {"soul.md", ".claude/skills/quiz/SKILL.md", "notebook/scratch/a.md"}


@pytest.mark.parametrize("what", ["file", "folder", "fifo", "bytes"])
def test_an_invalid_text_file_is_refused(tmp_path, what):
    (tmp_path / "secret.md").write_text("secret")
    own = folder(tmp_path / "mine", **{"memory/a.md": "x"})
    target = own / "memory" / "b.md"
    if what == "file":
        target.symlink_to(tmp_path / "secret.md")
    elif what == "folder":
        (own / "knowledge").symlink_to(tmp_path)
    elif what == "fifo":
        os.mkfifo(target)
    else:
        target.write_bytes(b"fine\n\xff\xfe")
    with pytest.raises(BadData) as error:
        profiles.profile_files(profiles.Profile("mine", str(own), "", False))
    assert ("knowledge" if what == "folder" else "memory/b.md") in str(error.value)


def test_what_powers_a_profile_asks_for_is_shown_as_written(tmp_path):
    provider = "---\nname: x\ntools:\n  - name: x.y\n    command: [curl, evil]\n---\nbody\n"
    own = mine(
        tmp_path / "mine",
        **{".claude/skills/quiz/SKILL.md": SKILL, ".claude/providers/x/PROVIDER.md": provider, "config.yaml": "a: 1\n"},
    )
    assert dict(profiles.list_powers(own)) == {
        ".claude/skills/quiz/SKILL.md": "description: 出题\nallowed-tools: [notebook.read]",
        ".claude/providers/x/PROVIDER.md": provider[4:-10],
        "config.yaml": "a: 1\n",
    }


def test_install_copies_and_touches_no_workspace(tmp_path, home):
    source = folder(
        tmp_path / "学习", **{"soul.md": "# 我\n学习。\n", ".claude/skills/quiz/SKILL.md": SKILL, "x.txt": "x"}
    )
    installed = profiles.install_profile(str(source), "学习")
    assert (installed.about, installed.shipped) == ("学习。", False)
    assert set(profiles.profile_files(installed)) == {"soul.md", ".claude/skills/quiz/SKILL.md"}
    assert not any(home.iterdir())
    assert "学习" in [profile.name for profile in profiles.list_profiles()]
    (source / ".claude/skills/quiz/SKILL.md").unlink()
    assert set(profiles.profile_files(profiles.install_profile(str(source), "学习"))) == {"soul.md"}, (
        "a new version replaces all"
    )


@pytest.mark.parametrize("name", ["../x", ".x", "a/b", "x" * 65, "-x"])
def test_a_name_is_a_name(tmp_path, name):
    source = folder(tmp_path / "mine", **{"soul.md": "x"})
    with pytest.raises(BadData):
        profiles.install_profile(str(source), name)
    assert not (tmp_path / "x").exists()


def test_install_from_git_and_from_a_zip_with_a_folder_around(tmp_path):
    base = folder(tmp_path / "around" / "study", **{"soul.md": "学。", ".claude/skills/quiz/SKILL.md": SKILL, "x": "x"})
    found = {"soul.md": "学。", ".claude/skills/quiz/SKILL.md": SKILL}
    archive = shutil.make_archive(str(tmp_path / "study"), "zip", tmp_path / "around")
    assert profiles.profile_files(profiles.install_profile(archive)) == found
    git = ["git", "-C", str(base), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True)
    assert profiles.profile_files(profiles.install_profile(f"file://{base}/.git", "study2")) == found


def test_nothing_passes_for_a_profile_of_ours(tmp_path):
    source = folder(tmp_path / "mine", **{"soul.md": "x"})
    with pytest.raises(Refused):
        profiles.install_profile(str(source), "invest")
    folder(tmp_path / "data/ia/faculties/profiles/invest", **{"soul.md": "evil"})
    assert profiles.find_profile("invest").shipped


def test_a_soul_that_is_a_pipe_is_not_waited_for(tmp_path):
    own = folder(tmp_path / "mine", **{"memory/a.md": "x"})
    os.mkfifo(own / "soul.md")
    with pytest.raises(BadData, match="not a regular file"):
        profiles.find_profile(str(own))


def test_unknown_names_and_empty_folders(tmp_path):
    with pytest.raises(NotFound, match="nothing: no such profile"):
        profiles.find_profile("nothing")
    with pytest.raises(NotFound):
        profiles.find_profile(str(tmp_path / "absent"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadData):
        profiles.find_profile(f"{tmp_path}/empty")


def test_the_shipped_ones_are_sound():
    """Each has a soul that introduces itself, and nothing that the places of a workspace do not take."""
    for profile in profiles.list_profiles():
        found = profiles.profile_files(profile)
        translations = {f"{path[:-3]}.en.md" for path in found if path.endswith(".md")}
        assert profile.about, profile.name
        assert "config.yaml" not in found or "model" not in found["config.yaml"]
        present = {
            os.path.relpath(os.path.join(parent, file), profile.folder)
            for parent, _, files in os.walk(profile.folder)
            for file in files
        }
        assert present - translations == set(found), profile.name


def test_the_texts_are_those_of_the_reader_and_another_language_proposes_nothing_anew(ws, tmp_path, monkeypatch):
    task = "---\nschedule: 0 16 * * 5\nprompt: {}\n---\n"
    own = mine(
        tmp_path / "mine",
        **{
            "soul.en.md": "# I\n\nA helper.\n",
            "tasks/a.md": task.format("复盘"),
            "tasks/a.en.md": task.format("review"),
            "notebook/b.en.md": "of no other\n",
        },
    )
    monkeypatch.setenv("IA_LANG", "en")
    assert profiles.find_profile(str(tmp_path / "mine")).about == "A helper."
    _, made = profiles.use_profile(ws, own)
    assert ws.read("soul.md") == "# I\n\nA helper.\n" and ws.read("soul.en.md") is None
    assert ws.read("notebook/b.en.md") == "of no other\n"
    assert [(each.path, "review" in each.after) for each in made] == [("tasks/a.md", True)]
    monkeypatch.setenv("IA_LANG", "zh")
    assert profiles.find_profile(str(tmp_path / "mine")).about == "我是学习助手。"
    assert profiles.plan_steps(ws, own) == []
    assert dict(profiles.plan_steps(ws, own, replace=True)) == {"soul.md": "propose"}


def test_a_translation_runs_the_same_at_the_same_time(monkeypatch):
    invest = profiles.find_profile("invest")
    designs = []
    for lang in ("en", "zh"):
        monkeypatch.setenv("IA_LANG", lang)
        found = profiles.profile_files(invest)
        tasks = [(path, text) for path, text in found.items() if path.startswith("tasks/")]
        assert all(text.isascii() == (lang == "en") for _, text in [*tasks, ("soul.md", found["soul.md"])])
        read = [parse_design(text, path.removeprefix("tasks/").removesuffix(".md")) for path, text in tasks]
        designs.append([replace(each, prompt=each.prompt.split(" ")[0], inputs="", because="") for each in read])
    assert designs[0] == designs[1]


def run(*args):
    """Run a command line in this process; return its status."""
    from ia_cli.main import run_command_line

    return run_command_line(list(args))


COMMANDS = (["profile", "list"], ["soul", "show"], ["memory", "list"], ["skill", "list"], ["context", "看看宁德时代"])
TURN = ["turn", "帮我看看宁德时代最近怎么样", "-m", "ia-offline"]
FILES = {
    profile.name: sorted(path for path in profiles.profile_files(profile) if not path.startswith("tasks/"))
    for profile in profiles.list_profiles()
}


EACH_KIND = {
    "soul.md",
    "memory/beliefs.md",
    ".claude/providers/calendar/PROVIDER.md",
    ".claude/skills/research/SKILL.md",
    ".claude/skills/research/knowledge/readings.yaml",
    ".claude/skills/research/templates/answer.md",
}
"""One file of each kind, for `make test`; `make soak` deletes every one."""


@pytest.mark.process
@pytest.mark.parametrize(
    "missing",
    [
        "all of it",
        *(path if path in EACH_KIND else pytest.param(path, marks=pytest.mark.soak) for path in FILES["invest"]),
    ],
)
@pytest.mark.share(3)
def test_a_working_ia_is_left_whichever_file_of_the_profile_is_deleted(ws, home, monkeypatch, capsys, missing):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    profiles.use_profile(ws, profiles.find_profile("invest"))
    for path in FILES["invest"] if missing == "all of it" else [missing]:
        (home / path).unlink()
    for command in COMMANDS:
        assert run(*command) in ((0, 1, 66) if missing in ("soul.md", "all of it") else (0, 1)), command
    assert run(*TURN) == 0
    told = capsys.readouterr()
    assert "宁德时代" in told.out
    assert "Traceback" not in told.err and "internal error" not in told.err
    assert (home / "notebook/research/宁德时代/2024-03-15.md").is_file()


@pytest.mark.parametrize("name", [name for name in FILES if name != "invest"])
def test_so_it_is_with_the_other_profiles(ws, home, monkeypatch, capsys, name):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    profiles.use_profile(ws, profiles.find_profile(name))
    assert run(*TURN[:1], "你好", *TURN[2:]) == 0
    for path in FILES[name]:
        (home / path).unlink()
        for command in COMMANDS:
            assert run(*command) in (0, 1, 66), (path, command)
    assert run(*TURN[:1], "你好", *TURN[2:]) == 0
    assert "internal error" not in capsys.readouterr().err
