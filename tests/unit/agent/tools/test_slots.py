"""Forms through the router: what a tool lacks, the form that asks for it, and slots that stay with the session."""

import json

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.scope import Scope
from ia.agent.turns.turn import prepare_turn, take_turn
from ia.kernel.errors import BadData, NotFound, Refused
from ia.organs import sessions
from support.scripted_model import Said, scripted
from support.skill_library import FORM_TOOLS, FORMS, FRONT, install_functions, write_skill


@pytest.fixture
def asked(tmp_path, monkeypatch):
    return install_functions(tmp_path / "packages", monkeypatch)


@pytest.fixture
def router(ws, home, asked):
    write_skill(home, "garden", {"tools/tools.yaml": FORM_TOOLS, "forms.yaml": FORMS}, FRONT)
    return catalog.build_router(ws)


@pytest.fixture
def model(ws, router):
    scope = Scope(ws, actor="model test", session="s", asked="the south bed, 15 March 2024")
    answer = router.call_tool(scope, "skills.load", {"name": "garden"})
    assert answer.value["missing"] == "plot.date, plot.bed"
    assert answer.value["call_first"] == "collect_info form=plot"
    return scope


def test_a_tool_tells_what_is_missing_and_which_form_asks_for_it(router, model, asked):
    for name in ("plan_garden", "draw_seed"):
        said = json.loads(router.call_tool(model, name, {}).format_text())
        assert said == {
            "error": f"{name} lacks plot.date, plot.bed",
            "code": "slots-missing",
            "hint": "call collect_info form=plot",
            "missing": "plot.date, plot.bed",
            "form": "plot",
        }
    assert asked == []


def test_a_form_stays_open_until_it_is_complete(router, model, asked):
    told = router.call_tool(model, "collect_info", {"form": "plot"}).value
    assert (told["status"], told["missing"]) == ("open", ["date", "bed"])
    assert told["fields"][1]["choices"] == {"north": "north side", "south": "south side"}
    assert model.form == {"form": "plot", "skill": "garden", "missing": ["date", "bed"]}
    told = router.call_tool(model, "collect_info", {"form": "plot", "answers": {"date": "2024-03-15"}}).value
    assert told["missing"] == ["bed"]
    told = router.call_tool(model, "ask_plot", {}).value
    assert told["status"] == "open"
    told = router.call_tool(model, "collect_info", {"form": "plot", "answers": {"bed": "south"}}).value
    assert told["status"] == "complete"
    assert model.form == {}
    assert router.call_tool(model, "plan_garden", {}).ok
    assert asked == [("2024-03-15", "south", False, "en")]
    assert router.call_tool(model, "plan_garden", {"date": "2024-04-01"}).ok
    assert asked[1][0] == "2024-04-01"


def test_answers_are_taken_all_or_none(router, model):
    for answers, kind in (
        ({"date": "2024-03-15", "bed": "east"}, BadData), ({"date": "2024-03-15", "colour": "red"}, NotFound),
    ):  # fmt: skip
        assert isinstance(router.call_tool(model, "collect_info", {"form": "plot", "answers": answers}).failure, kind)
    assert sessions.load_slots(model.ws, "s") == {}
    assert isinstance(router.call_tool(model, "collect_info", {"form": "none"}).failure, NotFound)


def test_text_from_outside_fills_in_no_form(router, model):
    model.taint("provider:web")
    told = router.call_tool(model, "collect_info", {"form": "plot", "answers": {"date": "2024-03-15"}})
    assert isinstance(told.failure, Refused)
    assert router.call_tool(model, "collect_info", {"form": "plot"}).ok


def test_a_person_without_a_session_gives_the_arguments(ws, router):
    scope = Scope(ws)
    assert router.call_tool(scope, "plan_garden", {"date": "2024-03-15"}).ok
    assert router.call_tool(scope, "draw_seed", {"count": 2}).ok
    assert "'date' is a required property" in str(router.call_tool(scope, "plan_garden", {}).failure)


def test_a_connection_without_a_session_keeps_its_slots(ws, router):
    client = Scope(ws, actor="mcp", connection=True)
    router.call_tool(client, "skills.load", {"name": "garden"})
    answers = {"date": "2024-03-15", "bed": "north"}
    assert router.call_tool(client, "collect_info", {"form": "plot", "answers": answers}).ok
    assert router.call_tool(client, "plan_garden", {}).ok


def test_a_conversation_collects_then_reckons_in_a_later_turn(ws, router, asked, monkeypatch):
    """The skill is loaded in the first turn; the second, another process, has its tools and the answers in words."""

    def answer(seen):
        done = len(seen.results)
        if "sow" in seen.text:
            return [
                Said(calls=[("skills_load", {"name": "garden"})]),
                Said(calls=[("collect_info", {"form": "plot"})]),
                Said("When and where?"),
            ][done]
        return [Said(calls=[("plan_garden", {})]), Said("Peas.")][done]

    with scripted(answer) as brain:
        first = take_turn(ws, "what shall I sow?", session="s", model="scripted", router=router)
        assert first.form == {"form": "plot", "skill": "garden", "missing": ["date", "bed"]}
        assert "plan_garden" not in brain.asked[0].tools
        assert "plan_garden" in brain.asked[1].tools
        sessions.fill_slots(ws, "s", {"plot.date": "2024-03-15", "plot.bed": "south"})
        second = take_turn(ws, "go on", session="s", model="scripted", router=router)
    assert second.reply.strip() == "Peas."
    assert [(call.name, call.ok) for call in second.calls] == [("plan_garden", True)]
    assert "plan_garden" in brain.asked[3].tools
    assert "The plot: sown on 15 March 2024, Bed south side" in brain.asked[3].system
    assert "Kitchen garden is active" in brain.asked[3].system
    assert '"2024-03-15"' not in brain.asked[3].system
    assert asked == [("2024-03-15", "south", False, "en")]
    other = prepare_turn(ws, "hello", session="t", turn="", router=router)
    assert "plan_garden" not in {tool.name for tool in other.context.tools}


def test_active_skills_do_not_widen_what_a_chat_allows(ws, router):
    from ia.agent.turns.turn import Heard

    sessions.activate_skill(ws, "s", "garden")
    heard = Heard("telegram 1", by_user=True, allowed=("market.*",))
    ready = prepare_turn(ws, "hello", session="s", turn="", router=router, heard=heard)
    assert "plan_garden" not in {tool.name for tool in ready.context.tools}
