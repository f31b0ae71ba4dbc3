"""What every session knows of the user, in words: lasting answers, the newest reflection, insights that were kept."""

import json

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.scope import Scope
from ia.agent.turns.turn import prepare_turn
from ia.agent.turns.user_prompt import write_user_context
from ia.faculties import profiles
from ia.kernel import audit
from ia.organs import sessions

BIRTH = {"date": "1990-05-15", "place": "北京"}
SAID = "Born on 15 May 1990 in 北京; my name is Xiaoming 小明; I have a new job"


@pytest.fixture
def life(ws):
    profiles.use_profile(ws, profiles.find_profile("life"))
    return ws


@pytest.fixture
def model(life):
    return Scope(life, actor="model test", session="one", asked=f"my work? {SAID}")


def test_the_first_answers_hold_in_every_session(life, model):
    router = catalog.build_router(life)
    assert router.call_tool(model, "collect_info", {"form": "birth", "answers": BIRTH}).ok
    assert router.call_tool(model, "collect_info", {"form": "life", "answers": {"now": "a new job"}}).ok
    other = Scope(life, actor="model test", session="two", asked="my work?")
    assert router.call_tool(other, "skills.load", {"name": "bazi"}).value["phase"] == "P2"
    assert router.call_tool(other, "calculate_bazi", {}).ok
    told = write_user_context(life, "two", "en")
    assert told == "- Birth data: born on 15 May 1990, in 北京\n- Your situation: now: a new job"
    assert write_user_context(life, "two", "zh") == "- 出生信息：出生于1990年5月15日，地点北京\n- 处境：眼下：a new job"
    assert write_user_context(life, "one", "en") == ""  # the session says it itself
    ready = prepare_turn(life, "hello", session="three", turn="", router=router)
    assert "born on 15 May 1990" in ready.context.system
    assert "1990-05-15" not in ready.context.system
    assert '"date"' not in ready.context.system


def test_answers_for_somebody_else_stay_in_their_session(life, model):
    router = catalog.build_router(life)
    assert router.call_tool(model, "collect_info", {"form": "birth", "answers": BIRTH}).ok
    friend = Scope(life, actor="model test", session="friend", asked="她 2001 年 2 月 3 日生于上海")
    answers = {"date": "2001-02-03", "place": "上海"}
    assert router.call_tool(friend, "collect_info", {"form": "birth", "answers": answers}).ok
    assert sessions.load_slots(life, "friend")["birth.date"] == "2001-02-03"
    assert sessions.load_slots(life, "two")["birth.date"] == "1990-05-15"
    assert "2001" not in write_user_context(life, "two", "en")


def test_insights_are_told_until_their_file_is_gone(life, model):
    router = catalog.build_router(life)
    for number in range(7):
        told = router.call_tool(model, "show_insight", {"title": f"Work {number}", "text": "You rest too little"})
        assert told.ok, told.failure
    lines = write_user_context(life, "two", "en").splitlines()
    assert len(lines) == 5
    assert "Work 6: " in lines[0]
    assert "You rest too little" in lines[0]
    life.remove(told.value["saved"]["path"])
    assert "Work 6" not in write_user_context(life, "two", "en")
    model.taint("provider:web")
    assert router.call_tool(model, "show_insight", {"title": "Spam", "text": "buy now"}).ok
    assert "Spam" not in write_user_context(life, "two", "en")


def test_the_newest_reflection_is_the_portrait(life):
    life.write("memory/reflections/2024-W10.md", "# Week 10\n\nRested more.\n")
    life.write("memory/reflections/2024-W11.md", "# Week 11\n\nWorked late, twice.\n")
    assert write_user_context(life, "", "en") == ""
    sessions.keep_user_slots(life, {"identity.name": "Li"})
    assert write_user_context(life, "", "en") == "- Who you are: called Li\n- Lately: Worked late, twice."


def test_nothing_of_it_reaches_the_trail_or_a_provider(life, model):
    from ia.agent.tools.private_answers import find_private_answer

    router = catalog.build_router(life)
    router.call_tool(model, "collect_info", {"form": "birth", "answers": BIRTH})
    router.call_tool(model, "collect_info", {"form": "identity", "answers": {"name": "Xiaoming"}})
    trail = json.dumps([event.data for event in audit.events(life.db, limit=100)], ensure_ascii=False)
    assert not [word for word in ("1990-05-15", "北京", "Xiaoming") if word in trail]
    elsewhere = Scope(life, actor="mcp", connection=True)
    assert find_private_answer(elsewhere, {"q": "born 15 May 1990"}) == "birth.date"
    assert find_private_answer(elsewhere, {"q": "who is xiaoming?"}) == "identity.name"


def test_what_was_forgotten_is_gone_everywhere(life, model):
    router = catalog.build_router(life)
    router.call_tool(model, "collect_info", {"form": "birth", "answers": BIRTH})
    sessions.keep_user_slots(life, dict.fromkeys(sessions.load_user_slots(life)))
    assert write_user_context(life, "two", "en") == ""
    assert sessions.load_slots(life, "two") == {}
