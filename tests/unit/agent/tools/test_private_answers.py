"""Answers to a private form stay here: no provider gets them from a model, and the audit trail keeps none."""

import json

import pytest

from ia.agent.tools.private_answers import find_private_answer
from ia.agent.tools.registry import Tool
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.kernel import audit
from support.skill_library import write_skill

FORMS = """
forms:
  patient:
    private: true
    properties:
      born: {type: string, format: date}
      hour: {type: string, format: time}
      town: {type: string}
      east: {type: number}
      side: {enum: [left, right]}
  plot:
    properties:
      sown: {type: string, format: date}
"""
ANSWERS = {
    "patient.born": "1990-05-05", "patient.hour": "12:00", "patient.town": "Springfield", "patient.east": 116.407,
    "patient.side": "left", "plot.sown": "2001-02-03",
}  # fmt: skip


@pytest.fixture
def scope(ws, home):
    write_skill(home, "care", {"forms.yaml": FORMS})
    return Scope(ws, actor="model test", slots=dict(ANSWERS))


@pytest.mark.parametrize(
    ("said", "slot"),
    [
        ("1990-05-05", "patient.born"),
        ("1990-05-05T12:00", "patient.born"),
        ("born 1990年5月5日", "patient.born"),
        ("5 May 1990", "patient.born"),
        ("May 5, 1990", "patient.born"),
        ("5/5/1990", "patient.born"),
        ("19900505", "patient.born"),
        ("horoscope for spring-field", "patient.town"),
        ("116.407", "patient.east"),
        ("the left side at 12:00", None),
        ("2001-02-03", None),
        ("11990-05-051", None),
        ("1990", None),
    ],
)
def test_an_answer_is_found_in_whatever_writing(scope, said, slot):
    assert find_private_answer(scope, {"query": ["x", {"words": said}]}) == slot


def test_no_provider_gets_an_answer_from_a_model(scope):
    sent = []
    tool = Tool(
        name="web.search", risk="read", run=lambda scope, words: sent.append(words), description="",
        schema={"type": "object", "properties": {"words": {"type": "string"}}}, origin="provider:web",
    )  # fmt: skip
    router = Router([tool])
    told = router.call_tool(scope, "web.search", {"words": "born on 1990-05-05"})
    assert told.failure.code == "private-outside"
    assert not sent
    assert router.call_tool(scope, "web.search", {"words": "weather tomorrow"}).ok
    assert "1990" not in json.dumps([event.data for event in audit.events(scope.ws.db)])


def test_the_audit_trail_keeps_no_answer_of_other_tools(scope):
    tool = Tool(name="memory.keep", risk="read", run=lambda scope, text: text, description="",
                schema={"type": "object", "properties": {"text": {"type": "string"}}})  # fmt: skip
    assert (
        Router([tool]).call_tool(scope, "memory.keep", {"text": "lives in Springfield"}).value == "lives in Springfield"
    )
    assert [event.data["args"] for event in audit.events(scope.ws.db, kind="tool.call")] == [{"text": "…"}]
