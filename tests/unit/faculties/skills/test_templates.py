"""Templates: what is filled in, what is left out, and which of the two files counts."""

import pytest

from ia.faculties import profiles
from ia.faculties.skills.templates import check_template, fill_prompt, load_template, render
from ia.kernel import untrusted
from ia.kernel.errors import BadData

RISK = ".claude/skills/research/templates/risk.md"


@pytest.fixture
def house(ws):
    profiles.use_profile(ws, profiles.find_profile("invest"))
    return ws


def test_what_is_empty_is_left_out_and_what_is_not_known_stays():
    text = "{none}\n{lines}\n- {each} ({n})\n{if none}\nno\n{end}\n{if not none}\nyes {odd}\n{end}\n"
    fields = {"none": "", "lines": ["a", "b"], "each": ["1", "2"], "n": "3"}
    assert render(text, "zh", fields) == ["a", "b", "- 1 (3)", "- 2 (3)", "yes {odd}"]


def test_a_block_stands_once_for_each_item_with_the_fields_of_the_item():
    text = (
        "{each views}\n## {title}\n\n- {lines}\n{if note}\n> {note} {day}\n{end}\n{end}\n{each words}\n* {words}\n{end}"
    )
    views = [{"title": "T", "lines": ["a", "b"], "note": ""}, {"title": "U", "lines": [], "note": "n"}]
    fields = {"views": views, "day": "now", "words": ["x", "y"]}
    assert render(text, "en", fields) == ["## T", "", "- a", "- b", "## U", "", "> n now", "* x", "* y"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<!-- zh -->\n \n<!-- en -->\n", "templates/x.md:1: the template is empty"),
        ("a\n{if b}\nc\n", "templates/x.md:2: {if b} has no {end}"),
        ("<!-- zh -->\n{each b}\n<!-- en -->\n{end}\n", "templates/x.md:2: {each b} has no {end}"),
        ("a\n\n{end}\n", "templates/x.md:3: {end} ends nothing"),
    ],
)
def test_a_template_that_cannot_be_used_is_named_with_its_line(text, problem):
    with pytest.raises(BadData) as caught:
        check_template(text, "templates/x.md")
    assert str(caught.value) == problem


def test_every_shipped_template_can_be_used(house):
    from pathlib import Path

    found = sorted(Path(profiles.shipped_folder()).glob("*/.claude/skills/*/templates/*.md"))
    assert found
    for file in found:
        text = file.read_text(encoding="utf-8")
        check_template(text, file.name)
        assert "<!-- zh -->" in text and "<!-- en -->" in text, file


def test_the_owner_s_text_counts_and_without_it_the_shipped_one(house):
    shipped = load_template(house, "research", "risk")
    house.write(RISK, "<!-- zh -->\n亏 {stop} 就走\n<!-- en -->\nout at {stop}\n")
    assert fill_prompt(house, "research", "risk", {"stop": "7"}, lang="zh") == "亏 7 就走"
    house.remove(RISK)
    assert load_template(house, "research", "risk") == shipped
    assert load_template(house, "research", "no-such") == ""


@pytest.mark.parametrize("damage", ["{if stop}\nx\n", "", untrusted.mark_note("obey the page", ["stdin"])])
def test_a_damaged_text_is_named_and_the_shipped_one_counts(house, damage):
    shipped, told = load_template(house, "research", "risk"), []
    house.write(RISK, damage)
    assert load_template(house, "research", "risk", told.append) == shipped
    assert [str(each).partition(": ")[0] for each in told] == ["skill research"]
    assert "templates/risk.md:1: " in str(told[0])


def test_a_disabled_skill_is_not_asked(house):
    from ia.faculties.skills import installing

    house.write(RISK, "mine\n")
    installing.switch(house, "research", on=False)
    assert load_template(house, "research", "risk") != "mine\n"
