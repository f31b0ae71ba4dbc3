"""The analyst as a model for anybody: behind `llm`, with tools of any program, or with none."""

import json

import pytest

from ia.agent.turns.models import import_llm


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    monkeypatch.setenv("IA_LANG", "zh")


def plain_tools():
    def ia_ohlcv(symbol: str) -> str:
        "Prices."
        return json.dumps(
            {
                "symbol": symbol,
                "name": "贵州茅台",
                "rows": 900,
                "first": "2020-01-02",
                "last": "2024-03-15",
                "simulated": False,
                "bars": [],
            }
        )

    def ia_compute(code: str, symbol: str = "") -> str:
        "Calculate."
        return json.dumps({"value": 50.0 if symbol == "600519.SH" else None, "date": "2024-03-15"})

    return [ia_ohlcv, ia_compute]


def test_it_is_a_model_for_anybody(ws):
    llm = import_llm()
    from ia.reach.bridges.llm_plugin import Offline

    reply = Offline().conversation(chain_limit=9).chain("看看 600519", tools=plain_tools())
    told = reply.text()
    assert "600519.SH" in told and "笔记没有存下：没有这个工具" in told and "没有核对" not in told
    assert llm and told.startswith("**")


def test_it_says_so_where_there_are_no_tools(ws):
    from ia.reach.bridges.llm_plugin import Offline

    assert "没有取行情的工具" in Offline().prompt("看看 600519").text()
    assert "规则分析员" in Offline().prompt("你能做什么").text()


def test_it_streams_line_by_line(ws):
    from ia.reach.bridges.llm_plugin import Offline

    response = Offline().prompt("help")
    chunks = list(response)
    assert len(chunks) > 5 and all(chunk.endswith("\n") for chunk in chunks)
    usage = response.usage()
    assert usage.input > 0 and usage.output > 0


def test_a_schema_is_answered_with_an_object(ws):
    from ia.agent.turns.subagents import OUTPUT
    from ia.reach.bridges.llm_plugin import Offline

    told = json.loads(Offline().prompt("你能做什么", schema=OUTPUT).text())
    assert told["points"] and told["artifacts"] == []


def test_it_takes_work_up_again_from_the_messages_alone(ws):
    """Nothing is kept between two calls: another instance goes on with what the messages hold."""
    llm = import_llm()
    from ia.reach.bridges.llm_plugin import Offline

    tools = [llm.Tool.function(function) for function in plain_tools()]
    conversation = Offline().conversation(tools=tools)
    first = conversation.prompt("600519 的 RSI 是多少")
    calls = first.tool_calls()
    assert [call.name for call in calls] == ["ia_ohlcv"]
    results = [
        llm.ToolResult(name=c.name, output=tools[0].implementation(**c.arguments), tool_call_id=c.tool_call_id)
        for c in calls
    ]
    chain = conversation._build_full_chain(None, None, results, None)
    second = Offline().prompt(messages=chain, tools=tools)
    assert [call.name for call in second.tool_calls()] == ["ia_compute"]
    assert second.tool_calls()[0].arguments == {"code": "rsi(close, 14)", "symbol": "600519.SH"}


def test_another_schema_gets_its_texts_and_lists(ws):
    from ia.reach.bridges.llm_plugin import Offline

    schema = {
        "type": "object",
        "properties": {"summary": {"type": "string"}, "items": {"type": "array"}, "n": {"type": "integer"}},
    }
    told = json.loads(Offline().prompt("你能做什么", schema=schema).text())
    assert set(told) == {"summary", "items"} and "规则" in told["summary"]


def test_results_may_come_one_message_each(ws):
    """Some programs hand back each result in a message of its own."""
    llm = import_llm()
    from llm.parts import Message, TextPart, ToolResultPart

    from ia.reach.bridges.llm_plugin import Offline

    tools = [llm.Tool.function(function) for function in plain_tools()]
    question = Message(role="user", parts=[TextPart(text="600519 的 RSI 和收盘价是多少")])
    bars = Message(role="tool", parts=[ToolResultPart(name="ia_ohlcv", output='{"rows": 9}')])
    values = [
        Message(
            role="tool", parts=[ToolResultPart(name="ia_compute", output=f'{{"value": {v}, "date": "2024-03-15"}}')]
        )
        for v in (51.0, 1700.0)
    ]
    between = Message(role="assistant", parts=[])
    told = Offline().prompt(messages=[question, between, bars, between, *values], tools=tools).text()
    assert "RSI(14) 51.0" in told and "收盘价 1,700.00" in told


def test_wide_characters_are_counted_as_more_tokens():
    from ia.agent.analyst.offline import _tokens

    for text in ("", "plain", "茅台 600519, 涨了。", "a long plain sentence", "汉" * 300):
        wide = sum(char > "\u2e7f" for char in text)
        assert _tokens(text) == ((len(text) - wide) // 4 + wide * 2 // 3 + 1 if text else 0)
    assert _tokens("é" * 100) > _tokens("e" * 100) and _tokens("\ud800") == 1


def test_an_answer_without_a_line_is_confessed(ws, monkeypatch):
    from ia.agent.analyst.jobs import plan
    from ia.agent.analyst.say.reply import reply_of_lines
    from ia.agent.turns.turn import take_turn

    def work_to_nothing(desk):
        yield from ()
        return reply_of_lines("")

    monkeypatch.setattr(plan, "work", work_to_nothing)
    assert "规则没有给出答案" in take_turn(ws, "看看 600519", model="ia-offline").reply
