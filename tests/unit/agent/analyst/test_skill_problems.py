"""What a person who edits tables and templates of a skill is told of them."""

import pytest

from ia.agent.analyst.jobs.skill_problems import find_problems, has_shipped
from ia.faculties import profiles, skills
from ia.kernel import untrusted

PLACE = ".claude/skills/{}/{}"


@pytest.fixture
def house(ws):
    profiles.use_profile(ws, profiles.find_profile("invest"))
    return ws


def problems(ws, skill, lang="en"):
    return find_problems(ws, skills.find(ws, skill), lang)


@pytest.mark.parametrize("name", ["invest", "gtd", "feynman"])
def test_the_shipped_skills_have_no_problem(ws, name):
    profiles.use_profile(ws, profiles.find_profile(name))
    for skill in skills.list_skills(ws):
        assert not problems(ws, skill.name)
        assert has_shipped(skill)


@pytest.mark.parametrize(
    ("skill", "path", "text", "problem"),
    [
        ("research", "knowledge/view.yaml", "view:\n  snapshot: [\n", "knowledge/view.yaml:"),
        ("research", "knowledge/view.yaml", "view:\n  levels: 7\n", "knowledge/view.yaml:2: levels has the wrong type"),
        (
            "research", "knowledge/view.yaml", "view:\n  sentences:\n    void: [x]\n",
            "knowledge/view.yaml:2: sentences: void is not a text",
        ),
        (
            "research", "knowledge/readings.yaml", "readings:\n  entries:\n    - id: heat\n      high: hot\n",
            "knowledge/readings.yaml:3: heat: high is not a number",
        ),
        (
            "scan", "knowledge/criteria.yaml", "criteria:\n  entries:\n    - {id: deep, words: '('}\n",
            "knowledge/criteria.yaml:3: deep: words is not a regular expression",
        ),
        ("research", "templates/note.md", "# {name}\n{if rows}\n", "templates/note.md:2: {if rows} has no {end}"),
        ("review", "templates/event-daily.md", "【x】\n{gainz}\n{data}\n", "templates/event-daily.md:2: nothing fills in"),
        (
            "research", "templates/risk.md", untrusted.mark_note("x", ["stdin"]),
            "templates/risk.md:1: the text is marked untrusted",
        ),
        ("scan", "knowledge/criteria.yaml", f"criteria:\n  x: {'a' * 16_000}\n", "knowledge/criteria.yaml: 16"),
    ],
)  # fmt: skip
@pytest.mark.share(3)
def test_a_problem_is_told_with_file_and_line(house, skill, path, text, problem):
    house.write(PLACE.format(skill, path), text)
    assert [each for each in problems(house, skill) if each.startswith(problem)]
    assert [each for each in problems(house, skill, "zh") if each.startswith(problem.split(" ")[0].rstrip(":"))]


def test_readings_of_a_skill_of_the_owner_are_read_too(house):
    house.write(PLACE.format("mine", "SKILL.md"), "x\n")
    house.write(PLACE.format("mine", "knowledge/readings.yaml"), "readings:\n  entries:\n    - {id: a, low: deep}\n")
    assert problems(house, "mine") == ["knowledge/readings.yaml:3: a: low is not a number"]
    assert not has_shipped(skills.find(house, "mine"))
