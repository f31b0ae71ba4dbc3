"""tools/tools.yaml: what it may say, and one line for all that it may not."""

import pytest

from ia.faculties.skills import skill_tools
from ia.kernel.errors import BadData
from support.skill_library import GARDEN


def test_a_file_is_read_into_tools():
    first, *_ = [skill_tools.SkillTool(**each) for each in skill_tools.parse_tools(GARDEN)]
    assert (first.name, first.level, first.kind, first.run) == ("plan_garden", "skill", "compute", "garden.plan")
    assert first.text("when_to_call", "zh") == "用户问种什么"
    assert first.text("when_to_call", "en") == "the user asks what to sow"
    assert first.slots == {"date": "plot.date"}
    assert first.returns["properties"]["rows"] == {"type": "array"}


def tool(**fields):
    import json

    return json.dumps({"tools": [{"name": "a", "type": "compute", "run": "a.b", **fields}]})


HOSTILE = {
    "tools: 5": "must begin with `tools:`",
    "- a": "must begin with `tools:`",
    "tools: [5]": "name must be",
    "tools: [{name: A B, type: compute}]": "name must be",
    "tools: [{name: __import__, type: compute}]": "name must be",
    tool(type="magic"): "type must be one of",
    tool(level="root"): "level must be one of",
    tool(run="../../etc/passwd"): "run must be",
    tool(run=""): "run must be",
    tool(run=None): "run must be",
    tool(parameters=[1]): "parameters must be",
    tool(parameters={"type": "object", "properties": {"a": {"$ref": "http://x/y"}}}): "$ref must be",
    tool(parameters={"type": "object", "properties": {"a": {"pattern": "("}}}): "regular expression",
    tool(parametres={}): "unknown field parametres",
    tool(slots={"b": "c.d"}): "b is none",
    tool(parameters={"b": "string"}, slots={"b": "no slot"}): "slots must be",
    tool(requires={"a": 1}): "requires must be",
    tool(requires=["A.B.C"]): "requires must be",
    tool(card_type="x"): "card_props must be",
    tool(card_props={"a": "string"}): "card_type must be",
    tool(description=["a"]): "description must be",
    tool(type="display"): "card_type must be",
    tool(type="collect", run=None): "form must be",
    "tools: [{name: a, type: compute, run: a.b}, {name: a, type: compute, run: a.b}]": "two tools are named a",
    "tools: &x [*x]": "tools/tools.yaml",
    "tools: " + "[" * 100: "nested too deeply",
    "tools: [" + ", ".join(f"{{name: a{at}, type: compute, run: a.b}}" for at in range(80)) + "]": "more than 60",
    "tools:\n  - name: a\n type: b": "tools/tools.yaml:",
    "a: " + "x" * 300_000: "too large",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_file_is_one_line(text):
    with pytest.raises(BadData) as caught:
        skill_tools.parse_tools(text)
    assert HOSTILE[text] in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
