"""The profile life: valid files in both languages, rules with their sources, tools under their names, privacy."""

import json
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from ia.agent.tools import catalog
from ia.agent.tools.scope import Scope
from ia.faculties import profiles, skills
from ia.faculties.life import types16
from ia.faculties.skills.skill_tools import load_function, load_tools
from ia.kernel import audit
from support.program import REPO

FOLDER = REPO / "profiles" / "life"
SKILLS = ("bazi", "tarot", "types16", "zodiac")
TOOLS = {
    "bazi": {"calculate_bazi": "compute", "show_bazi_chart": "display", "show_bazi_fortune": "display"},
    "zodiac": {"calculate_chart": "compute", "show_zodiac_chart": "display", "show_transit": "display"},
    "tarot": {"draw_cards": "random", "show_tarot_spread": "display"},
    "types16": {"start_assessment": "flow", "show_mbti_result": "display"},
}
HAN = re.compile("[\u4e00-\u9fff]")
BORN = {"local": "1990-05-15T12:00", "place": "北京"}


def load(path):
    return YAML(typ="safe").load((FOLDER / path).read_text(encoding="utf-8"))


def skill_file(skill, path):
    return load(f".claude/skills/{skill}/{path}")


@pytest.fixture
def life(ws):
    profiles.use_profile(ws, profiles.find_profile("life"))
    return ws


@pytest.mark.parametrize("skill", SKILLS)
def test_tiers_and_patterns_have_the_counts_of_the_design(skill):
    rules = skill_file(skill, "knowledge/rules.yaml")["rules"]
    assert 5 <= len(rules["tier1_must_know"]) <= 10
    assert 30 <= len(rules["tier2_core"]) <= 50
    assert 20 <= len(rules["tier3_edge"]) <= 30
    patterns = skill_file(skill, "knowledge/patterns.yaml")["patterns"]
    assert 10 <= len(patterns["quick_patterns"]) <= 20
    assert 5 <= len(patterns["red_flags"]) <= 10
    phases = skill_file(skill, "knowledge/sop.yaml")["sop"]["phases"]
    assert [phase["id"] for phase in phases] == ["P1", "P2", "P3", "P4", "P5"]
    assert [phase["next_phase"] for phase in phases] == ["P2", "P3", "P4", "P5", None]


@pytest.mark.parametrize("skill", SKILLS)
def test_each_entry_stands_in_both_languages_with_its_source(skill):
    trees = [skill_file(skill, f"knowledge/{name}.yaml") for name in ("rules", "patterns")]
    entries = [entry for tree in trees for part in next(iter(tree.values())).values() for entry in part]
    for entry in entries:
        assert entry["source"], entry
        for key, english in entry.items():
            if key.endswith("_en"):
                assert HAN.search(entry[key.removesuffix("_en")]), entry
                assert not HAN.search(english), entry
        assert max(len(str(value)) for value in entry.values()) < 200  # quotes are short
    conditions = [entry["condition"] for part in trees[0]["rules"].values() for entry in part]
    assert len(set(conditions)) == len(conditions)


@pytest.mark.parametrize("skill", SKILLS)
def test_the_first_tier_gives_no_verdict_on_illness_death_and_investment(skill):
    first = skill_file(skill, "knowledge/rules.yaml")["rules"]["tier1_must_know"]
    told = " ".join(rule["condition_en"] for rule in first)
    assert re.search("illness|diagnosis", told)
    assert "death" in told or skill == "types16"
    assert re.search("investment|buy or sell", told)
    assert any(re.search("lifespan|death|疾病", soul) for soul in [(FOLDER / "soul.md").read_text(encoding="utf-8")])


def test_ia_finds_its_skills_and_tools_usable(life):
    assert tuple(skill.name for skill in skills.list_skills(life)) == SKILLS
    for skill in skills.list_skills(life):
        assert skill.problem is None
        assert skills.knowledge(life, skill.name).problems == ()
        declared = load_tools(life, skill)
        assert declared.problem is None
        assert {tool.name: tool.kind for tool in declared.tools} == TOOLS[skill.name]
        assert all(load_function(tool.run) is not None for tool in declared.tools if tool.run)
        assert all(tool.text(field, "en") for tool in declared.tools for field in ("display_name", "description"))


@pytest.mark.parametrize("skill", SKILLS)
def test_both_versions_of_a_skill_differ_in_words_only(skill):
    texts = [
        (FOLDER / f".claude/skills/{skill}/{name}").read_text(encoding="utf-8") for name in ("SKILL.md", "SKILL.en.md")
    ]
    heads, bodies = (
        [YAML(typ="safe").load(text.split("---\n")[1]) for text in texts],
        [text.split("---\n", 2)[2] for text in texts],
    )
    assert {key: heads[0].get(key) for key in heads[0] if "description" not in key and key != "argument-hint"} == {
        key: heads[1].get(key) for key in heads[1] if "description" not in key and key != "argument-hint"
    }
    assert set(re.findall(r"`(\w+)`", bodies[0])) == set(re.findall(r"`(\w+)`", bodies[1]))
    assert not HAN.search(bodies[1])
    assert set(re.findall(r"`(\w+)`", bodies[0])) >= set(TOOLS[skill])


def test_the_form_asks_what_the_key_scores():
    properties = skill_file("types16", "forms.yaml")["forms"]["types16"]["properties"]
    assert list(properties) == [item["id"] for item in types16._load_data()["items"]]
    for asked in properties.values():
        assert asked["title"].count("／") == asked["title_en"].count(" / ") == 1
        assert [choice["const"] for choice in asked["oneOf"]] == list("12345")
    assert skill_file("bazi", "forms.yaml") == skill_file("zodiac", "forms.yaml")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_tool_shows_its_card(life, lang, monkeypatch):
    monkeypatch.setenv("IA_LANG", lang)
    router = catalog.build_router(life)
    scope = Scope(life)

    def call(name, **arguments):
        told = router.call_tool(scope, name, arguments)
        assert told.ok, (name, str(told.failure))
        return told.value

    draw = call("draw_cards", spread="celtic_cross")["draw"]
    cards = [
        call("show_bazi_chart", **BORN, sex="f"),
        call("show_bazi_chart", local="1990-05-15", tz="Asia/Shanghai"),
        call("show_bazi_fortune", date="1990-05-15", time="12:00", place="Beijing", sex="m"),
        call("show_zodiac_chart", **BORN),
        call("show_zodiac_chart", local="1990-05-15", tz="Asia/Shanghai"),
        call("show_transit", **BORN),
        call("show_tarot_spread", draw=draw),
        call("show_mbti_result", answers=[3] * 32),
    ]
    for card in cards:
        assert card["text"].count("\n") > 3
        named = re.sub("[甲乙丙丁戊己庚辛壬癸][子丑寅卯辰巳午未申酉戌亥]", "", card["text"])
        assert bool(HAN.search(named)) == (lang == "zh"), card["text"]
    assert len(scope.cards) == len(cards)


def test_birth_data_stay_out_of_the_audit_trail(life):
    router = catalog.build_router(life)
    for name in ("calculate_bazi", "show_bazi_fortune", "calculate_chart", "show_transit"):
        assert router.call_tool(Scope(life), name, BORN).ok
        assert not router.call_tool(Scope(life), name, {**BORN, "local": "1990-05-15T99:00"}).ok
    trail = json.dumps([event.data for event in audit.events(life.db, limit=1000)], ensure_ascii=False)
    assert "1990-05-15" not in trail
    assert "北京" not in trail


def test_a_model_needs_the_skill_first(life):
    router = catalog.build_router(life)
    model = Scope(life, actor="model test", asked="my chart? 1990年5月15日生于北京")
    assert router.call_tool(model, "calculate_bazi", BORN).failure.code == "skill-inactive"
    assert router.call_tool(model, "skills.load", {"name": "bazi"}).ok
    assert router.call_tool(model, "calculate_bazi", {}).failure.code == "phase"
    filled = router.call_tool(
        model, "collect_info", {"form": "birth", "answers": {"date": "1990-05-15", "place": "北京"}}
    )
    assert filled.ok, str(filled.failure)
    told = router.call_tool(model, "calculate_bazi", {"time": "12:00"})
    assert told.ok, str(told.failure)
    assert told.value["chart"] == ["庚午", "辛巳", "庚辰", "辛巳"]
    assert len(told.format_text()) < 6000


@pytest.mark.process
def test_the_embedded_analyst_asks_for_the_form_and_shows_the_card(ia, home):
    run = ia("init", "--profile", "life")
    assert {"soul.md", ".claude/skills/bazi/tools/tools.yaml"} <= set(run.stdout.split())
    asked = ia("turn", "-s", "one", "/bazi what about work?")
    assert asked.returncode == 0, asked.stderr
    assert "- information: Birth data" in asked.stdout
    assert "ia session fill one birth" in asked.stderr
    assert ia("session", "fill", "one", "birth", "date=1990-05-15", "time=12:00", "place=Beijing").returncode == 0
    assert "- card: Four pillars" in ia("turn", "-s", "one", "/bazi what about work?").stdout
    card = ia("turn", "-s", "one", "/bazi 工作怎么样？").stdout.partition("命盘\n出生")[2]
    assert "\n四柱\n" in card and "Pillars" not in card, "a card is in the language of the question"
    assert "- card: Spread" in ia("turn", "-s", "two", "/tarot what can I do about work?").stdout
    wrong = ia("tool", "call", "calculate_chart", json.dumps({"local": "1990-02-30T12:00", "tz": "Asia/Shanghai"}))
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (65, "", "ia: 1990-02-30T12:00: no such day\n")
    trail = ia("log", "--json", "--limit", "200").stdout
    assert "cards.draw" in trail
    assert "1990-05-15" not in trail
    assert "what about work" not in trail


def test_any_file_of_it_may_be_deleted(life):
    for path in profiles.profile_files(profiles.find_profile("life")):
        (Path(life.root) / path).unlink(missing_ok=path.startswith("tasks/"))
        assert catalog.build_router(life).tools
    assert "calculate_bazi" not in catalog.build_router(life).tools
