"""Forms of skills: one flat schema, answers as people type them, and one line for what does not fit."""

import json

import pytest

from ia.faculties import skills
from ia.faculties.skills import forms
from ia.kernel.errors import BadData, NotFound
from support.skill_library import FORMS, write_skill


@pytest.fixture
def plot(ws, home):
    write_skill(home, "garden", {"forms.yaml": FORMS})
    return forms.find_form(ws, "plot")


def fields(form):
    return {field.name: field for field in form.fields}


def test_a_form_is_read_in_its_order(plot):
    assert [field.name for field in plot.fields] == ["date", "bed", "size", "tools", "sunny"]
    assert (plot.title("zh"), plot.title("en")) == ("地块信息", "The plot")
    assert [field.kind for field in plot.fields] == ["string", "choice", "number", "choices", "boolean"]
    assert [field.name for field in plot.missing_fields({"plot.date": "2024-03-15"})] == ["bed"]


@pytest.mark.parametrize(
    ("field", "typed", "value"),
    [
        ("date", "2024-3-5", "2024-03-05"), ("date", "2024年3月5日", "2024-03-05"), ("date", "2024/03/05", "2024-03-05"),
        ("bed", "1", "north"), ("bed", "南面", "south"), ("bed", "North Side", "north"), ("bed", "south", "south"),
        ("size", "12.5", 12.5), ("size", 12, 12.0), ("tools", "1, hose", ["spade", "hose"]),
        ("tools", ["rake"], ["rake"]), ("sunny", "是", True), ("sunny", False, False), ("sunny", "no", False),
    ],
)  # fmt: skip
def test_an_answer_is_read_as_it_is_typed(plot, field, typed, value):
    assert forms.read_answer(fields(plot)[field], typed) == value


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("date", "2024-02-30", "Sowing date: '2024-02-30' is not a date as YYYY-MM-DD"),
        ("date", "soon\nlater", "is not one line"), ("date", {"a": 1}, "is not a text"), ("date", "x" * 600, "is not one"),
        ("bed", "east", "is not one of north, south"), ("bed", "3", "is not one of"),
        ("size", "0", "is not a number from 1 to 500"), ("size", "nan", "is not a number"), ("size", True, "is not a"),
        ("tools", "axe", "is not one of"), ("sunny", "maybe", "is not yes or no"),
    ],
)  # fmt: skip
def test_an_answer_that_does_not_fit_says_what_would(plot, field, typed, said):
    with pytest.raises(BadData) as caught:
        forms.read_answer(fields(plot)[field], typed)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_slots_are_told_in_words(plot):
    slots = {"plot.date": "2024-03-15", "plot.bed": "south", "plot.tools": ["rake", "hose"], "plot.sunny": True}
    assert forms.narrate_form(plot, slots, "en") == (
        "The plot: sown on 15 March 2024, Bed south side, Tools rake, hose, Sunny yes"
    )
    assert forms.narrate_form(plot, slots, "zh") == "地块信息：2024年3月15日播种，花坛 南面，工具 rake、hose，有阳光 是"
    assert forms.narrate_form(plot, {"other.date": "x"}, "en") == ""


def test_mcp_is_asked_in_its_own_subset(plot):
    asked = forms.mcp_schema(plot, {"plot.bed": "north"}, "en")
    assert asked["required"] == ["date", "bed"]
    assert asked["properties"] == {
        "date": {"title": "Sowing date", "description": "the day on which you sow", "type": "string", "format": "date"},
        "bed": {
            "title": "Bed", "type": "string", "default": "north",
            "oneOf": [{"const": "north", "title": "north side"}, {"const": "south", "title": "south side"}],
        },
        "size": {"title": "Area", "type": "number", "minimum": 1, "maximum": 500, "default": 10.0},
        "tools": {
            "title": "Tools", "type": "array",
            "items": {"anyOf": [{"const": each, "title": each} for each in ("spade", "rake", "hose")]},
        },
        "sunny": {"title": "Sunny", "type": "boolean"},
    }  # fmt: skip


def test_of_two_skills_the_first_one_is_asked(ws, home, plot):
    write_skill(home, "balcony", {"forms.yaml": FORMS})
    assert forms.find_form(ws, "plot").skill == "balcony"
    assert forms.find_form(ws, "plot", ["garden"]).skill == "garden"
    with pytest.raises(NotFound) as caught:
        forms.find_form(ws, "plots")
    assert caught.value.params["known"] == "plot"


def form(**field):
    return json.dumps({"forms": {"a": {"properties": {"b": {"type": "string", **field}}}}})


HOSTILE = {
    "forms: []": "must begin with `forms:`",
    "x": "must begin with",
    "forms: {A B: {}}": "is no name of a form",
    "forms: {a: {}}": "a: properties must be",
    "forms: {a: {properties: {b: {type: object}}}}": "type must be one of",
    "forms: {a: {properties: {b: {type: array}}}}": "items must be",
    "forms: {a: {properties: {B: {type: string}}}}": "is no name",
    "forms: {a: {properties: {b: 5}}}": "type must be",
    "forms: {a: {properties: {b: {type: string}}, required: [c]}}": "required must be",
    "forms: {a: {properties: {b: {type: string}}, if: {}}}": "unknown field if",
    form(pattern="(a+)+$"): "unknown field pattern",
    form(properties={}): "unknown field properties",
    form(format="ipv4"): "format must be one of",
    form(enum=[]): "oneOf must be",
    form(enum=["a", "a"]): "oneOf must be",
    form(oneOf=[{"title": "x"}]): "oneOf must be",
    form(minLength="x"): "minLength must be a number",
    form(title={"a": 1}): "title must be a text",
    form(format="date", default="soon"): "a.b: default: b: 'soon' is not a date",
    "forms: {a: {properties: {" + ", ".join(f"b{at}: {{type: string}}" for at in range(120)) + "}}}": "at most 100",
    "forms: {" + ", ".join(f"a{at}: {{}}" for at in range(30)) + "}": "more than 20",
    "forms: " + "{a: " * 100: "nested too deeply",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_file_is_one_line(text):
    with pytest.raises(BadData) as caught:
        forms.parse_forms(text)
    assert HOSTILE[text] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_meta_json_names_a_skill_and_what_it_requires_and_grants_nothing(ws, home):
    meta = {"display_name": "菜园", "display_name_en": "Garden", "requires": ["plot.date"], "allowed-tools": ["*"]}
    write_skill(home, "garden", {"meta.json": json.dumps(meta)}, "version: 1")
    found = skills.find(ws, "garden")
    assert (found.display_name("zh"), found.display_name("en"), found.requires) == ("菜园", "Garden", ("plot.date",))
    assert found.declared is None
    write_skill(home, "garden", {"meta.json": "[1]"})
    assert "meta.json" in str(skills.find(ws, "garden").problem)
    write_skill(home, "garden", {"meta.json": '{"requires": ["A B"]}'})
    assert "requires" in str(skills.find(ws, "garden").problem)
