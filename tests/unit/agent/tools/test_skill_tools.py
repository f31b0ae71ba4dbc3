"""Tools that skills bring, through the router: out of a model's reach until the skill is active."""

import json

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.registry import Tool
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.kernel import audit
from ia.kernel.errors import BadData, ConfigError, InternalError, NotFound, Refused
from support.skill_library import GARDEN, install_functions, write_skill


@pytest.fixture
def asked(tmp_path, monkeypatch):
    return install_functions(tmp_path / "packages", monkeypatch)


@pytest.fixture
def garden(ws, home, asked):
    write_skill(home, "garden", {"tools/tools.yaml": GARDEN})
    return catalog.build_router(ws)


@pytest.fixture
def model(ws):
    return Scope(ws, actor="model test", asked="what shall I sow?")


def load(router, scope, name):
    told = router.call_tool(scope, "skills.load", {"name": name})
    assert told.ok, told.failure
    return told.value


def test_a_person_calls_a_tool_without_an_active_skill(ws, garden, asked):
    told = garden.call_tool(Scope(ws), "plan_garden", {"date": "2024-03-15", "sun": True})
    assert told.ok, told.failure
    assert told.value["rows"][1] == {"plant": "leek", "count": 12}
    assert asked == [("2024-03-15", "north", True, "en")]


def test_a_model_is_told_to_load_the_skill_first(model, garden, asked):
    told = garden.call_tool(model, "plan_garden", {"date": "2024-03-15"})
    assert isinstance(told.failure, Refused)
    said = json.loads(told.format_text())
    assert said["code"] == "skill-inactive"
    assert said["error"] == "plan_garden is a tool of the skill garden, which is not active"
    assert said["hint"] == "call skills.load garden"
    assert "plan_garden" not in {tool.name for tool in garden.offered_tools(model)}
    answer = load(garden, model, "garden")
    assert {each["name"]: each["type"] for each in answer["own_tools"]}["draw_seed"] == "random"
    assert garden.call_tool(model, "plan_garden", {"date": "2024-03-15"}).ok
    assert "plan_garden" in {tool.name for tool in garden.offered_tools(model)}
    assert len(asked) == 1


def test_a_core_tool_is_there_in_every_conversation(model, garden):
    assert garden.call_tool(model, "read_almanac", {"date": "2024-03-15"}).ok
    limited = Scope(model.ws, actor="model test", allowed=("market.*",))
    assert isinstance(garden.call_tool(limited, "read_almanac", {"date": "x"}).failure, Refused)
    load(garden, model, "garden")
    assert garden.call_tool(model, "read_almanac", {"date": "2024-03-15"}).ok


def test_what_the_caller_was_never_allowed_stays_out_of_reach(ws, garden):
    scope = Scope(ws, actor="model test", allowed=("skills.*", "market.*"))
    load(garden, scope, "garden")
    told = garden.call_tool(scope, "plan_garden", {"date": "2024-03-15"})
    assert isinstance(told.failure, Refused)
    assert "allowed tools" in str(told.failure)


def test_a_card_has_its_properties_checked_and_a_text(model, garden):
    load(garden, model, "garden")
    rows = [{"plant": "豌豆", "count": 3}]
    card = garden.call_tool(model, "show_garden", {"date": "2024-03-15", "rows": rows}).value
    assert card == {
        "card": "garden_plan",
        "props": {"date": "2024-03-15", "rows": rows},
        "text": "Garden chart\nDate: 2024-03-15\nRows\nPlant | Count\n豌豆 | 3",
    }
    assert model.cards == [card]
    told = garden.call_tool(model, "show_garden", {"date": "2024-03-15", "rows": [{"count": "many"}]})
    assert isinstance(told.failure, BadData)
    told = garden.call_tool(model, "show_bad", {"date": "2024-03-15"})
    assert str(told.failure) == "card bad: date: 5 is not of type 'string'"
    assert model.cards == [card]
    assert garden.call_tool(model, "show_words", {"date": "1 May"}).value["text"] == "own words for 1 May"


def test_what_a_function_raises_costs_its_call_alone(ws, garden):
    scope = Scope(ws)
    assert str(garden.call_tool(scope, "plan_garden", {"date": "never"}).failure) == "never is no date to sow on"
    assert isinstance(garden.call_tool(scope, "plan_garden", {"date": "bug"}).failure, InternalError)
    told = garden.call_tool(scope, "use_gone", {}).failure
    assert isinstance(told, ConfigError)
    assert "garden.gone" in str(told)
    told = garden.call_tool(scope, "plan_garden", {"date": "x", "bed": "west"}).failure
    assert isinstance(told, BadData)


def test_two_active_skills_have_the_union_of_their_tools(ws, home, garden, model):
    write_skill(home, "balcony", {"tools/tools.yaml": GARDEN.split("  - name: draw_seed")[0].replace("plan_", "pot_")})
    router = catalog.build_router(ws)
    load(router, model, "garden")
    answer = load(router, model, "balcony")
    assert "same_names" not in answer
    assert router.call_tool(model, "plan_garden", {"date": "2024-03-15"}).ok
    assert router.call_tool(model, "pot_garden", {"date": "2024-03-15"}).ok


def test_a_name_that_two_skills_have_is_told_in_one_answer(ws, home, asked, model):
    short = GARDEN.split("  - name: draw_seed")[0]
    for name in ("garden", "balcony"):
        write_skill(home, name, {"tools/tools.yaml": short})
    router = catalog.build_router(ws)
    load(router, model, "garden")
    assert router.call_tool(model, "plan_garden", {"date": "2024-03-15"}).ok  # only one of the two is active
    assert load(router, model, "balcony")["same_names"] == {
        "plan_garden": ["garden.plan_garden", "balcony.plan_garden"]
    }
    told = router.call_tool(model, "plan_garden", {"date": "2024-03-15"})
    said = json.loads(told.format_text())
    assert said["error"] == "plan_garden is a tool of several skills: balcony, garden"
    assert said["hint"] == "call one of balcony.plan_garden, garden.plan_garden"
    assert router.call_tool(model, "balcony_plan_garden", {"date": "2024-03-15"}).ok


def test_a_tool_cannot_take_the_name_of_another(ws, home, asked):
    stolen = GARDEN.replace("name: draw_seed", "name: market_ohlcv")
    write_skill(home, "garden", {"tools/tools.yaml": stolen})
    router = catalog.build_router(ws)
    assert router.find_tool("market_ohlcv").origin == "ia"
    assert router.find_tool("garden.market_ohlcv").skill == "garden"


def test_a_broken_file_is_told_where_one_of_its_tools_is_called(ws, home, model):
    write_skill(home, "garden", {"tools/tools.yaml": GARDEN.replace("type: compute", "type: magic")})
    router = catalog.build_router(ws)
    told = router.call_tool(Scope(ws), "plan_garden", {})
    assert isinstance(told.failure, BadData)
    assert "plan_garden: type must be one of compute, random" in str(told.failure)
    assert "type must be" in load(router, model, "garden")["problems"][0]["problem"]
    assert isinstance(router.call_tool(Scope(ws), "plan_gardens", {}).failure, NotFound)


def test_a_connection_keeps_the_tools_of_both_skills_until_it_ends_them(ws, home, garden):
    write_skill(home, "other", {"SKILL.md": "---\ndescription: other\nallowed-tools: [market.ohlcv]\n---\nLook."})
    client = Scope(ws, actor="mcp", connection=True)
    load(garden, client, "garden")
    load(garden, client, "other")
    assert garden.call_tool(client, "plan_garden", {"date": "2024-03-15"}).ok
    assert garden.call_tool(client, "skills.load", {"name": None}).ok
    assert isinstance(garden.call_tool(client, "plan_garden", {"date": "2024-03-15"}).failure, Refused)


def test_private_arguments_stay_out_of_the_audit_trail(ws, home, asked):
    private = GARDEN.replace(
        "    type: compute\n    description: Reckon", "    private: true\n    type: compute\n    description: Reckon"
    )
    write_skill(home, "garden", {"tools/tools.yaml": private})
    router = catalog.build_router(ws)
    for date in ("2024-03-15", "never", "bug"):
        router.call_tool(Scope(ws), "plan_garden", {"date": date, "bed": "south"})
    kept = audit.events(ws.db, kind="tool.call", subject="plan_garden")
    assert [event.data["args"] for event in kept] == [{"date": "…", "bed": "…"}] * 3
    assert [event.data.get("error") for event in kept] == ["internal", "bad-data", None]
    trail = json.dumps([event.data for event in audit.events(ws.db)])
    assert not {word for word in ("2024-03-15", "never", "south", "a bug") if word in trail}


def test_no_provider_runs_a_private_tool(ws):
    made = Tool(name="ask_stars", risk="read", run=lambda scope: "sent", description="", schema={"type": "object"},
                origin="provider:stars", private=True)  # fmt: skip
    told = Router([made]).call_tool(Scope(ws), "ask_stars", {})
    assert isinstance(told.failure, Refused)
    assert told.failure.code == "private-outside"


def test_a_function_that_takes_the_workspace_gets_it(ws, home, asked):
    write_skill(home, "garden", {"tools/tools.yaml": GARDEN.replace("garden.gone", "garden.place")})
    told = catalog.build_router(ws).call_tool(Scope(ws), "use_gone", {})
    assert told.value == {"root": ws.root}
