"""The profiles gtd and feynman: valid files, copied whole into a workspace, read by ia, and dispensable."""

import functools
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from ia.agent.tools import catalog
from ia.faculties import profiles, skills
from ia.organs.memory import watch_list, writing
from support.program import REPO

FOLDER = REPO / "profiles"
PROFILES = {"gtd": ("plan", "report", "track"), "feynman": ("explain", "quiz", "review")}
PACKS = [(profile, skill) for profile, names in PROFILES.items() for skill in names]
ORGANS = {"memory", "notebook"}


def front_and_body(profile, skill):
    text = (FOLDER / profile / ".claude" / "skills" / skill / "SKILL.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    return YAML(typ="safe").load(head), body


def procedure(profile, skill):
    path = FOLDER / profile / ".claude" / "skills" / skill / "knowledge" / "sop.yaml"
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))["sop"]


@pytest.mark.parametrize("profile", PROFILES)
def test_soul_has_the_parts_of_a_soul_and_no_market(profile, monkeypatch):
    monkeypatch.setenv("IA_LANG", "zh")
    soul = (FOLDER / profile / "soul.md").read_text(encoding="utf-8")
    assert re.findall(r"^# (.+)$", soul, re.M) == ["我是谁", "我的风格", "我的边界", "我的成长方向"]
    for part in soul.split("# ")[2:]:
        assert part.count("\n- ") >= 2, part.split("\n")[0]
    assert not re.search(r"股|行情|投资|交易", soul)
    assert profiles.find_profile(profile).about == soul.splitlines()[2]


@pytest.mark.parametrize("profile", PROFILES)
def test_memory_is_a_skeleton_that_can_be_added_to(ws, profile, monkeypatch):
    monkeypatch.setenv("IA_LANG", "zh")
    profiles.use_profile(ws, profiles.find_profile(profile))
    assert ws.read("memory/tracking.md") == "# 关注\n\n"
    watch_list.track_item(ws, "第一件事", "等回信")
    assert re.fullmatch(r"# 关注\n\n- 第一件事: 等回信 \(\d{4}-\d\d-\d\d\)\n", ws.read("memory/tracking.md"))
    before = ws.read("memory/beliefs.md")
    writing.add_belief(ws, "早上效率高", because="两周的记录")
    assert ws.read("memory/beliefs.md") == before + "- 早上效率高\n"
    assert ws.read("memory/preferences.md").startswith("# 偏好\n\n- ")


@pytest.mark.parametrize(("profile", "skill"), PACKS)
def test_front_matter_grants_only_what_the_skill_needs(profile, skill):
    fields, body = front_and_body(profile, skill)
    assert fields["name"] == skill
    assert (fields["user-invocable"], fields["disable-model-invocation"], fields["context"]) == (True, False, "inline")
    assert fields["description_en"].isascii()
    assert not fields["description"].isascii()
    assert any(word.isascii() for word in fields["triggers"])
    assert any(not word.isascii() for word in fields["triggers"])
    allowed = set(fields["allowed-tools"])
    assert {tool.split(".")[0] for tool in allowed} == ORGANS
    assert allowed <= {tool.name for tool in catalog.builtin_tools() if tool.risk != "confirm"}
    steps = [step for phase in procedure(profile, skill)["phases"] for step in phase["steps"]]
    named = set(re.findall(r"`([a-z]+\.[a-z]+)`", body)) | {step["tool"] for step in steps} - {None}
    assert {name for name in named if name.split(".")[0] in ORGANS} <= allowed
    assert "$ARGUMENTS" in body
    assert "| 用户意图 | 必须调用 | 禁止 |" in body
    assert "## 禁止" in body
    assert len(body.splitlines()) <= 120


@pytest.mark.parametrize(("profile", "skill"), PACKS)
def test_procedure_is_a_chain_of_phases_in_both_languages(profile, skill):
    sop = procedure(profile, skill)
    phases = sop["phases"]
    ids = [phase["id"] for phase in phases]
    assert ids == [f"P{at}" for at in range(1, len(ids) + 1)]
    assert [phase["next_phase"] for phase in phases] == [*ids[1:], None]
    steps = [step for phase in phases for step in phase["steps"]]
    assert len({step["id"] for step in steps}) == len(steps)
    for entry in [sop, *phases, *steps]:
        for key in [key for key in entry if key.endswith("_en")]:
            assert entry[key], key
            assert not re.search(r"[\u4e00-\u9fff]", entry[key]), entry[key]
            assert re.search(r"[\u4e00-\u9fff]", entry[key.removesuffix("_en")])
    assert any(step["tool"] in ("notebook.write", "memory.track") for step in steps), "it leaves something behind"


@pytest.mark.parametrize("profile", PROFILES)
def test_init_copies_every_file_hidden_folders_too(ia, home, profile):
    run = ia("init", "--profile", profile)
    assert run.returncode == 0, run.stderr
    shipped = {
        path.relative_to(FOLDER / profile).as_posix() for path in (FOLDER / profile).rglob("*") if path.is_file()
    }
    shipped = {path for path in shipped if not path.startswith("tasks/")}  # those are proposed
    plain = {path for path in shipped if not path.endswith(".en.md")}
    assert set(run.stdout.split()) == plain
    for path in plain:
        english = path.removesuffix(".md") + ".en.md"  # what the reader of English gets
        source = english if english in shipped else path
        assert (home / path).read_bytes() == (FOLDER / profile / source).read_bytes()


@pytest.mark.parametrize("profile", PROFILES)
def test_ia_finds_its_skills_usable(ws, profile):
    profiles.use_profile(ws, profiles.find_profile(profile))
    found = skills.list_skills(ws)
    assert tuple(skill.name for skill in found) == PROFILES[profile]
    for skill in found:
        assert skill.problem is None
        assert skills.knowledge(ws, skill.name).problems == ()
        assert skills.knowledge(ws, skill.name).sop is not None
        loaded = skills.load(ws, skill.name, "年终总结", by_user=True)
        assert "年终总结" in loaded.body
        assert "$ARGUMENTS" not in loaded.body


@pytest.mark.parametrize("profile", PROFILES)
def test_any_file_of_it_may_be_deleted(ws, profile):
    profiles.use_profile(ws, profiles.find_profile(profile))
    for path in profiles.profile_files(profiles.find_profile(profile)):
        (Path(ws.root) / path).unlink(missing_ok=path.startswith("tasks/"))
        skills.list_skills(ws)
        for skill in skills.list_skills(ws):
            if skill.problem is None:
                skills.knowledge(ws, skill.name)
    assert [skill.name for skill in skills.list_skills(ws) if skill.problem is None] == []


@pytest.mark.parametrize(
    ("profile", "skill"),
    [*PACKS, *(("invest", skill) for skill in ("research", "compare", "scan", "review", "backtest", "report"))],
)
def test_a_skill_in_english_may_call_what_the_chinese_one_may(profile, skill):
    """The two versions differ in words only: same tools, triggers and switches, and every tool is named in both."""
    folder = FOLDER / profile / ".claude" / "skills" / skill
    texts = [(folder / name).read_text(encoding="utf-8").split("---\n", 2) for name in ("SKILL.md", "SKILL.en.md")]
    heads, bodies = [YAML(typ="safe").load(text[1]) for text in texts], [text[2] for text in texts]
    keys = ("name", "version", "allowed-tools", "triggers", "context", "user-invocable", "disable-model-invocation")
    assert [heads[0][key] for key in keys] == [heads[1][key] for key in keys]
    named = [set(re.findall(r"`([a-z]+\.[a-z]+)`", body)) for body in bodies]
    assert named[0] == named[1]
    assert not re.search("[\u4e00-\u9fff]", bodies[1])


@functools.cache
def sources():
    """Return (file, entry) of every piece of knowledge that names its source in words.

    Items of checklists name a file and a section of it (tests/cli/test_check.py).
    """
    return list(_walk())


def _walk():
    for file in sorted(FOLDER.glob("*/.claude/skills/*/knowledge/*.yaml")):
        if file.name == "checks.yaml":
            continue
        todo = [YAML(typ="safe").load(file.read_text(encoding="utf-8"))]
        while todo:
            value = todo.pop()
            if isinstance(value, dict) and isinstance(value.get("source"), str):
                yield file.relative_to(FOLDER), value
            if isinstance(value, dict | list):
                todo += value.values() if isinstance(value, dict) else value


def test_a_source_is_told_in_the_language_of_the_reader():
    """A reference to a book or an article is the same in both; an own convention and a law have a form in each."""
    found = sources()
    assert len(found) > 250
    reference = re.compile(r"[A-Z][^:：；]*\b(18|19|20)\d\d\b")
    for file, entry in found:
        own, english = entry["source"], entry.get("source_en") or entry["source"]
        assert not re.search("[\u4e00-\u9fff]", english), (file, english)
        assert re.search("[\u4e00-\u9fff]", own) or reference.match(own), (file, own)
        assert "convention" not in own, (file, own)


def test_a_source_in_an_answer_is_not_cut():
    from ia.agent.analyst.say.view import _author

    for _, entry in sources():
        for source in (entry["source"], entry.get("source_en") or entry["source"]):
            short = _author(source)
            assert short == source or re.search(r"(18|19|20)\d\d\)?$", short), source


def test_a_convention_fires_with_its_source_in_the_language_of_the_question(ws, monkeypatch):
    from ia.faculties.skills import texts

    profiles.use_profile(ws, profiles.find_profile("invest"))
    for lang, words in (("zh", "本工具的约定"), ("en", "house convention")):
        told = [finding.source for finding in texts(ws, "research", lang)]
        assert told
        assert any(source.startswith(words) for source in told), told


@pytest.mark.parametrize("profile", [*PROFILES, "invest", "life"])
def test_every_page_of_a_profile_stands_in_english_too(profile):
    pages = [path for path in (FOLDER / profile).rglob("*.md") if not path.name.endswith(".en.md")]
    templates = [path for path in pages if path.parent.name == "templates"]  # these hold both languages
    assert all(
        re.findall("^<!-- (..) -->$", path.read_text(encoding="utf-8"), re.M) == ["zh", "en"] for path in templates
    )
    pages = [path for path in pages if path not in templates]
    pages = [path for path in pages if re.search("[\u4e00-\u9fff]", path.read_text(encoding="utf-8"))]
    assert pages
    for path in pages:
        english = path.with_name(path.name.removesuffix(".md") + ".en.md")
        text = english.read_text(encoding="utf-8")
        body = text.split("---\n", 2)[2] if english.name in ("SKILL.en.md", "PROVIDER.en.md") else text
        assert not re.search("[\u4e00-\u9fff]", body), english
