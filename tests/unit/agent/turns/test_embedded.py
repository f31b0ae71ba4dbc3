"""The embedded analyst in the loop's hands answers as it does behind `llm`."""

import json

import pytest

from ia.agent.turns import embedded, models

BARS = json.dumps({"symbol": "600519.SH", "name": "贵州茅台", "rows": 900, "last": "2024-03-15", "simulated": False})
ASKED = "600519 的 RSI 是多少"


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    monkeypatch.setenv("IA_LANG", "zh")


def exchange(name, model, ws):
    """Return what is said, called and spent in two steps: a question, and the result of its call."""
    types = models.message_types(name)
    parameters = {"type": "object", "properties": {"symbol": {"type": "string"}, "code": {"type": "string"}}}
    tools = [types.tool(name=each, description="x", input_schema=parameters) for each in ("ia_ohlcv", "ia_compute")]
    conversation = model.conversation(tools=tools)
    conversation.loaded_messages = [types.message(role="system", parts=[types.text_part(text="你是助手")])]
    seen, results, question = [], None, ASKED
    for output in (BARS, json.dumps({"value": 51.0, "date": "2024-03-15"}), ""):
        response = conversation.prompt(question, system=None, tool_results=results, stream=True)
        text = "".join(event.chunk for event in response.stream_events())
        calls, usage = response.tool_calls(), response.usage()
        seen.append((text, [(c.name, c.arguments, c.tool_call_id) for c in calls], usage.input, usage.output))
        results = [types.tool_result(name=c.name, output=output, tool_call_id=c.tool_call_id) for c in calls]
        question = None
    return seen


def test_it_answers_as_behind_llm(ws):
    from ia.reach.bridges.llm_plugin import Offline

    ours = exchange(models.OFFLINE, models.load_model(models.OFFLINE), ws)
    assert ours == exchange("", Offline(), ws)
    assert [call[0] for _, calls, _, _ in ours for call in calls] == ["ia_ohlcv", "ia_compute"]
    assert "51.0" in ours[-1][0]


def test_a_response_that_was_not_read_holds_nothing(ws):
    response = embedded.EmbeddedAnalyst().conversation().prompt(ASKED, system=None, tool_results=None, stream=True)
    assert response.tool_calls() == [] and response.understood and response.left_out == []
