"""Skills: what SKILL.md says, which skills there are, and what calling one gives."""

import os
import time

import pytest

from ia.faculties import skills
from ia.faculties.skills import manifest
from ia.kernel.errors import BadData, IaError, NotFound, Refused
from ia.kernel.formats.yaml import load_yaml


@pytest.fixture
def put(home):
    """Write a file of a skill: put("research", "---…") or put("research", "…", "knowledge/rules.yaml")."""

    def write(name, text, file="SKILL.md"):
        path = home / ".claude" / "skills" / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


FULL = """---
name: research
description: 研究一只证券
description_en: Research one security
version: 1.10
allowed-tools: [market.ohlcv, notebook.*, Read, "Bash(git add:*)"]
argument-hint: [代码]
disable-model-invocation: false
user-invocable: true
context: fork
triggers: [研究, 看看]
license: MIT
---

# 研究

研究 $ARGUMENTS，先看 $1。
"""


def test_the_front_matter_is_read(ws, put):
    put("research", FULL)
    (skill,) = skills.list_skills(ws)
    assert skill.problem is None
    assert (skill.name, skill.version, skill.fork, skill.enabled) == ("research", "1.10", True, True)
    assert skill.declared == ("market.ohlcv", "notebook.*", "Read", "Bash(git add:*)")
    assert skill.allowed == ("market.ohlcv", "notebook.*")
    assert skill.argument_hint == "[代码]"
    assert skill.triggers == ("研究", "看看")
    assert skill.fields["license"] == "MIT"
    assert (skill.description("zh"), skill.description("en")) == ("研究一只证券", "Research one security")


@pytest.mark.parametrize(
    ("written", "declared", "allowed"),
    [
        ("allowed-tools: Read, Grep, Bash(git add:*, ls)", ("Read", "Grep", "Bash(git add:*, ls)"), ()),
        ("allowed-tools: market.ohlcv compute.run", ("market.ohlcv", "compute.run"), ("market.ohlcv", "compute.run")),
        ("allowed-tools:\n  - notebook.*\n  - '*book.*'", ("notebook.*", "*book.*"), ("notebook.*",)),
        ("allowed-tools: []", (), ()),
        ("allowed-tools:", (), ()),
    ],
)
def test_tools_are_a_list_or_a_text_and_foreign_names_grant_nothing(ws, put, written, declared, allowed):
    put("a", f"---\ndescription: x\n{written}\n---\nbody")
    skill = skills.find(ws, "a")
    assert (skill.declared, skill.allowed) == (declared, allowed)


def test_what_declares_no_tools_gets_none_that_reach_far(ws, put):
    put("a", "---\ndescription: x\n---\nbody")
    skill = skills.find(ws, "a")
    assert skill.declared is None
    assert "market.*" in skill.allowed
    assert not {"*", "memory.*", "skills.*", "tasks.*", "messaging.*", "subagents.*"} & set(skill.allowed)


def test_without_front_matter_the_folder_and_the_first_paragraph_speak(ws, put):
    put("看量价", "# 标题\n\n先看量，\n再看价。\n\n更多")
    (skill,) = skills.list_skills(ws)
    assert (skill.name, skill.problem) == ("看量价", None)
    assert skill.description() == "先看量， 再看价。"
    assert skills.load(ws, "看量价").body.startswith("# 标题")


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf---\r\ndescription: x\r\nname: a\r\n---\r\nbody $1\r\n",
        b"---\ndescription: x\n---\n\n\nbody $1\n",
        b"---\rdescription: x\r---\rbody $1\r",
        b"---  \ndescription: x\n...\nbody $1\n",
    ],
)
def test_byte_order_marks_and_line_ends_are_no_matter(ws, put, text):
    put("a", text)
    assert skills.find(ws, "a").problem is None
    assert skills.find(ws, "a").description() == "x"
    assert skills.load(ws, "a", "now").body == "body now\n"


def test_front_matter_that_is_no_yaml_but_common_is_taken(ws, put):
    put("a", "---\ndescription: Use when: the user asks, e.g. `x: y`\nargument-hint: [a] [b]\n---\nbody")
    skill = skills.find(ws, "a")
    assert skill.problem is None
    assert skill.description() == "Use when: the user asks, e.g. `x: y`"
    assert skill.argument_hint == "[a] [b]"


BROKEN = {
    "unclosed": "---\ndescription: x\nbody",
    "no-yaml": "---\ndescription: [x\n---\nbody",
    "a-list": "---\n- x\n---\nbody",
    "wrong-description": "---\ndescription: {a: b}\n---\nbody",
    "wrong-tools": "---\ndescription: x\nallowed-tools: {a: b}\n---\nbody",
    "wrong-switch": "---\ndescription: x\ndisable-model-invocation: maybe\n---\nbody",
    "wrong-context": "---\ndescription: x\ncontext: elsewhere\n---\nbody",
    "twice": "---\ndescription: x\ndescription: y\n---\nbody",
    "a-date": "---\ndescription: x\nmetadata: {when: 2024-99-99}\n---\nbody",
    "python": "---\ndescription: !!python/object/apply:os.system ['true']\n---\nbody",
    "not-text": b"\xff\xfe---",
    "huge": "---\ndescription: x\n---\n" + "x" * 300_000,
    "brackets": "---\ndescription: " + "[" * 5000 + "\n---\n",
    "bomb": "---\na: &a [x,x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"{b}: &{b} [{','.join(['*' + a] * 10)}]\n" for a, b in zip("abcdef", "bcdefg", strict=True))
    + "---\n",
    "UPPER_case": "body",
}


def test_one_broken_skill_hides_no_other_and_says_what_is_wrong(ws, put, home):
    put("good", "---\ndescription: fine\n---\nbody")
    for name, text in BROKEN.items():
        put(name, text)
    (home / ".claude" / "skills" / "empty").mkdir()
    (home / ".claude" / "skills" / "linked").symlink_to(home / ".claude" / "skills" / "good")
    (home / ".claude" / "skills" / "README.md").write_text("no skill")
    started = time.process_time()
    found = {skill.path.rsplit("/", 1)[1]: skill for skill in skills.list_skills(ws)}
    assert time.process_time() - started < 5
    assert found.keys() == {"good", "empty", "linked", *BROKEN}
    assert [name for name, skill in found.items() if skill.problem is None] == ["good"]
    assert str(found["no-yaml"].problem).startswith("SKILL.md:")
    assert skills.summaries(ws) == ["good: fine"]
    with pytest.raises(BadData, match="no-yaml"):
        skills.load(ws, "no-yaml")


def test_a_link_to_a_file_is_not_followed(ws, put, home, tmp_path):
    (tmp_path / "secret").write_text("---\ndescription: secret\n---\nsecret")
    put("a", "x").unlink()
    (home / ".claude/skills/a/SKILL.md").symlink_to(tmp_path / "secret")
    (skill,) = skills.list_skills(ws)
    assert "link" in str(skill.problem)
    with pytest.raises(BadData):
        skills.load(ws, "a")


def test_a_linked_folder_of_skills_is_reported(ws, home, tmp_path):
    home.mkdir(exist_ok=True)
    (tmp_path / "elsewhere").mkdir()
    (home / ".claude").symlink_to(tmp_path / "elsewhere")
    (skill,) = skills.list_skills(ws)
    assert "link" in str(skill.problem)
    assert skills.summaries(ws) == []


def test_of_two_with_one_name_the_one_in_its_own_folder_counts(ws, put):
    put("aaa", "---\nname: scan\ndescription: other\n---\nother")
    put("scan", "---\nname: scan\ndescription: own\n---\nown")
    assert skills.load(ws, "scan").body == "own"
    problems = {skill.path: str(skill.problem) for skill in skills.list_skills(ws) if skill.problem}
    assert problems == {".claude/skills/aaa": ".claude/skills/scan has the same name"}


def test_an_invalid_name_gives_way_to_the_folder(ws, put):
    put("fine-name", "---\nname: My Skill!\ndescription: x\n---\nbody")
    assert [skill.name for skill in skills.list_skills(ws)] == ["fine-name"]


def test_an_edit_is_seen_at_once_and_a_cache_of_it_is_only_that(ws, put, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = put("a", "---\ndescription: one\n---\nbody")
    assert skills.summaries(ws) == skills.summaries(ws) == ["a: one"]
    path.write_text("---\ndescription: two\n---\nbody")
    assert skills.summaries(ws) == ["a: two"]
    os.utime(path, (1e9, 1e9))
    assert skills.summaries(ws) == ["a: two"]
    first, second = (tmp_path / "cache" / "ia" / "skills").iterdir()
    for kept in (first, second):
        kept.write_text("{broken")
    assert skills.summaries(ws) == ["a: two"]


def test_skills_say_how_so_now_does_not_hide_them(ws, put, monkeypatch):
    put("a", "---\ndescription: one\n---\nbody")
    monkeypatch.setenv("IA_NOW", "2015-03-15")
    assert skills.summaries(ws) == ["a: one"]
    assert skills.load(ws, "a").body == "body"


def test_summaries_are_one_line_each_and_only_what_a_model_may_call(ws, put, monkeypatch):
    put("a", '---\ndescription: "one\\ntwo\\e[31m"\nargument-hint: <code>\n---\n')
    put("b", "---\ndescription: x\ndisable-model-invocation: true\n---\n")
    put("c", "---\ndescription: x\n---\n")
    monkeypatch.setenv("IA_SKILLS_DISABLED", "c, d")
    assert skills.summaries(ws) == ["a: one two [31m (<code>)"]


def test_who_may_load(ws, put, monkeypatch):
    put("hidden", "---\ndescription: x\nuser-invocable: false\n---\nbody")
    put("off", "---\ndescription: x\n---\nbody")
    monkeypatch.setenv("IA_SKILLS_DISABLED", "off")
    assert skills.load(ws, "/hidden").body == "body"
    with pytest.raises(Refused, match="users cannot call the skill hidden"):
        skills.load(ws, "hidden", by_user=True)
    with pytest.raises(Refused, match="disabled"):
        skills.load(ws, "off", by_user=True)
    with pytest.raises(NotFound) as caught:
        skills.load(ws, "hiden")
    assert caught.value.params["close"] == "hidden"


@pytest.mark.parametrize(
    ("body", "arguments", "filled"),
    [
        ("do $ARGUMENTS.", "600519 近期", "do 600519 近期."),
        ("$1 vs $2", "'A B' C", "A B vs C"),
        ("$ARGUMENTS[0] $ARGUMENTS[1]|", "x", "x |"),
        ("costs $100 or $1", "x", "costs $100 or x"),
        ("no place", "x y", "no place\n\nARGUMENTS: x y\n"),
        ("no place", "", "no place"),
        ("$ARGUMENTS", "$1 $ARGUMENTS", "$1 $ARGUMENTS"),
        ("$1", "an ' open quote", "an"),
        ("all: $ARGUMENTS", "", "all: "),
        ("$ARGUMENTSX $1x", "a", "$ARGUMENTSX ax"),
    ],
)
def test_arguments_are_filled_in_once(body, arguments, filled):
    assert manifest.fill_arguments(body, arguments) == filled


def test_other_files_of_a_skill_are_read_through_it_and_nothing_else_is(ws, put, home):
    put("a", "---\ndescription: x\n---\nsee references/x.md")
    put("a", "more", "references/x.md")
    (home / "soul.md").write_text("soul")
    assert skills.resource(ws, "a", "references/x.md") == "more"
    assert skills.files(ws, skills.find(ws, "a")) == [("SKILL.md", 42), ("references/x.md", 4)]
    for path in ("../b/SKILL.md", "../../../soul.md", "/etc/passwd", ".hidden", "references"):
        with pytest.raises(IaError):
            skills.resource(ws, "a", path)


KNOWLEDGE = """
rules:
  tier1_must_know:
    - {id: T1, condition: 'close < 0', action: 停, action_en: stop, priority: critical, source: s}
  tier2_core:
    - {id: T2, condition: 放量, condition_en: on volume, conclusion: 涨, conclusion_en: up, confidence: low}
    - {condition: 'close > 0'}
    - {id: T1, condition: 'close > 0'}
    - just text
  tier3_edge: nothing
"""


def test_knowledge_keeps_what_is_sound_and_tells_of_the_rest(ws, put):
    put("a", "---\ndescription: x\n---\n")
    put("a", KNOWLEDGE, "knowledge/rules.yaml")
    put("a", "patterns: [", "knowledge/patterns.yaml")
    put("a", "sop:\n  name: 流程\n  name_en: Way\n  phases: [{id: P1, steps: []}]\n", "knowledge/sop.yaml")
    known = skills.knowledge(ws, "a")
    assert [(rule.id, rule.tier) for rule in known.rules] == [("T1", 1), ("T2", 2)]
    rule = known.rules[1]
    assert (rule.conclusion.in_language("zh"), rule.conclusion.in_language("en"), rule.condition.in_language("en")) == (
        "涨",
        "up",
        "on volume",
    )
    assert known.sop["phases"][0]["id"] == "P1"
    assert skills.load(ws, "a").sop == known.sop
    assert known.patterns == known.red_flags == ()
    assert len(known.problems) == 5
    assert str(known.problems[0]).startswith("knowledge/patterns.yaml:")


def test_an_entry_says_which_way_it_speaks(ws, put):
    put("a", "---\ndescription: x\n---\n")
    put(
        "a",
        "rules:\n  tier2_core:\n"
        "    - {id: up, conclusion: x, stance: for, trend: up}\n"
        "    - {id: old, conclusion: 主要趋势向上}\n"
        "    - {id: bad, conclusion: x, stance: bullish, trend: sideways}\n",
        "knowledge/rules.yaml",
    )
    put(
        "a",
        "patterns:\n  quick_patterns: [{id: P, stance: neutral, trend: none}]\n"
        "  red_flags: [{id: F}, {id: G, stance: neutral}]\n",
        "knowledge/patterns.yaml",
    )
    known = skills.knowledge(ws, "a")
    assert {each.id: (each.stance, each.trend) for each in (*known.rules, *known.patterns, *known.red_flags)} == {
        "up": ("for", "up"), "old": ("neutral", ""), "bad": ("neutral", ""), "P": ("neutral", "none"),
        "F": ("against", ""), "G": ("neutral", ""),
    }  # fmt: skip
    assert [str(problem) for problem in known.problems] == [
        "knowledge/rules.yaml: stance of bad must be one of for, against, neutral",
        "knowledge/rules.yaml: trend of bad must be one of up, down, none",
    ]


def test_yaml_is_data_only():
    assert load_yaml("a: 2024-01-15\nb: .nan\nc: [1, 2.5, yes, true, null]", "x") == {
        "a": "2024-01-15", "b": "nan", "c": [1, 2.5, "yes", True, None],
    }  # fmt: skip
    for text in ("!!python/name:os.system", "a: !!python/object/new:os.system [x]", "&a [*a]"):
        with pytest.raises(BadData):
            load_yaml(text, "x")


def test_a_listing_costs_little_once_it_was_read(ws, put, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for number in range(20):
        os.utime(put(f"skill-{number}", FULL.replace("name: research", f"name: skill-{number}")), (1e9, 1e9))
    assert len(skills.list_skills(ws)) == 20
    started = time.process_time()
    for _ in range(5):
        skills.list_skills(ws)
    assert (time.process_time() - started) / 5 < 0.05
    assert len(os.listdir(tmp_path / "cache/ia/skills")) == 20
