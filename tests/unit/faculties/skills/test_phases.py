"""The machine form of a procedure, the table of intents, and rules on demand, read from the files of a skill."""

import time

import pytest

from ia.faculties import skills
from ia.faculties.skills.intents import load_intents, match_intents, parse_intents
from ia.faculties.skills.phases import load_phases
from ia.faculties.skills.rule_search import find_rules, list_always
from ia.kernel.i18n import Voice
from support.skill_library import write_skill

SOP = """
sop:
  phases:
    - {id: P1, steps: [{id: S1, action: collect, tool: collect_info}]}
    - {id: P2, needs: [plot], steps: [{id: S2, action: reckon, tool: plan_garden, gives: plan}]}
    - {id: P3, has: [plan], asked: true, exit: [card], steps: [{id: S3, tool: show_garden, gives: [card, extra]}]}
"""
TABLE = """
| 意图 | 必须调用 | 禁止 |
| --- | --- | --- |
| 看命盘、看星图 | `show_chart` | 用文字描述 |
| Show me my coming years, what next | `show_years` or `show_all` | from memory |
| talk | nothing | – |
"""


def read(ws, home, sop):
    write_skill(home, "garden", {"knowledge/sop.yaml": sop})
    return load_phases(ws, skills.find(ws, "garden"))


def test_conditions_stand_beside_the_words(ws, home):
    found = read(ws, home, SOP)
    assert found.problems == ()
    assert [(each.id, each.needs, each.has, each.asked, each.exits) for each in found.phases] == [
        ("P1", (), (), False, ()), ("P2", ("plot",), (), False, ()), ("P3", (), ("plan",), True, ("card",)),
    ]  # fmt: skip
    assert found.tools_giving("extra") == ("show_garden",)
    assert found.find_place("P9") == 2


def test_a_procedure_is_parsed_once_until_its_file_changes(ws, home, monkeypatch):
    assert len(read(ws, home, SOP).phases) == 3
    skill = skills.find(ws, "garden")
    later = time.time_ns() + 100_000_000_000  # within a second of a change its time may not tell
    monkeypatch.setattr(time, "time_ns", lambda: later)
    first = load_phases(ws, skill)
    assert len(first.phases) == 3 and load_phases(ws, skill) is first
    (home / skill.path / "knowledge/sop.yaml").write_text(SOP.replace("id: P3", "id: P7"))
    changed = load_phases(ws, skill)
    assert changed.phases[-1].id == "P7" and load_phases(ws, skill) is changed
    (home / skill.path / "knowledge/sop.yaml").unlink()
    assert load_phases(ws, skill).phases == ()


def test_a_procedure_of_words_has_no_phases(ws, home):
    assert read(ws, home, "sop: {phases: [{id: P1, entry_condition: always, steps: []}]}").phases == ()
    assert read(ws, home, "sop: {phases: none}").phases == ()


@pytest.mark.parametrize(
    ("sop", "problem"),
    [
        (SOP.replace("has: [plan]", "has: [moon]"), "knowledge/sop.yaml: P3: no step gives moon"),
        (SOP.replace("needs: [plot]", "needs: {a: b}"), "knowledge/sop.yaml: P2: needs must be a list of names"),
        (SOP.replace("asked: true", "asked: maybe"), "knowledge/sop.yaml: P3: asked must be true or false"),
        (SOP.replace("gives: plan", "gives: [A B]"), "knowledge/sop.yaml: P2: gives must be a list of names"),
    ],
)
def test_a_condition_that_is_wrong_is_left_out_and_told(ws, home, sop, problem):
    found = read(ws, home, sop)
    assert problem in [Voice("en").say(each) for each in found.problems]
    assert found.phases


def test_the_table_says_which_call_an_intent_needs(ws, home):
    rows = parse_intents(TABLE)
    assert [each.tools for each in rows] == [("show_chart",), ("show_years", "show_all")]
    for question, tools in (
        ("帮我看看命盘", ("show_chart",)), ("星图呢", ("show_chart",)), ("What of my coming years?", ("show_years", "show_all")),
        ("今天天气怎么样", None), ("these years were good", None), ("thanks", None),
    ):  # fmt: skip
        assert [each.tools for each in match_intents(question, rows)] == ([tools] if tools else []), question
    write_skill(home, "garden", {"SKILL.md": f"---\ndescription: x\n---\n{TABLE}"})
    assert load_intents(ws, skills.find(ws, "garden")) == rows


def test_rules_come_by_question_and_the_first_tier_always(ws, home):
    rules = "rules:\n  tier1_must_know: [{id: T1, condition: death is asked, action: no verdict}]\n  tier2_core:\n"
    rules += "".join(f"    - {{id: R{n}, condition: the {w} is dry, conclusion: water it}}\n"
                     for n, w in enumerate(["leek", "pea", "rose", "bean"] * 6))  # fmt: skip
    write_skill(home, "garden", {"knowledge/rules.yaml": rules})
    assert [each.id for each in list_always(ws, "garden")] == ["T1"]
    found = find_rules(ws, "garden", "what of my leeks?", "en")
    assert [each.id for each in found] == ["R0", "R4", "R8", "R12", "R16", "R20"]
    assert len(find_rules(ws, "garden", "leeks and peas and roses", "en")) == 8
    assert find_rules(ws, "garden", "", "en") == find_rules(ws, "garden", "?!", "en") == []
    assert find_rules(ws, "none", "leek") == []
