"""Channels of a person after a month: a chat, and another program over MCP."""

import json

import pytest

from lived.checks import BUGS
from support.servers.bot_api import OWNER

pytestmark = [
    pytest.mark.process,
    pytest.mark.timeout(1800),
    pytest.mark.parametrize("month", ["demo"], indirect=True),
]

MESSAGES = [
    "How is CATL doing?",
    "今天大盘怎么样",
    "我的持仓怎么样",
    "/compare 300750 600519",
    "记一下：储能订单饱满",
    "?",
]


def test_a_chat_answers_every_message(lived, bot, listener, monkeypatch):
    for name in ("IA_HOME", "HOME", "IA_CRONTAB", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, lived.life.env[name])
    process = listener()
    for count, message in enumerate(MESSAGES, 1):
        bot.say(OWNER, message)
        bot.sent_to(OWNER, count, 120)
    replies = bot.sent_to(OWNER, len(MESSAGES))
    assert [reply for reply in replies if not reply.strip() or BUGS.search(reply)] == []
    process.terminate()
    assert process.wait(30) == 0
    assert not BUGS.search(process.log())


def test_another_program_calls_tools(lived):
    def ask(number, method, **params):
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    calls = [("account_status", {}), ("market_quote", {"symbols": ["600519"]}), ("memory_recall", {"query": "茅台"})]
    lines = [
        ask(1, "initialize", **client), json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), ask(2, "tools/list"),
        *(ask(number, "tools/call", name=name, arguments=given) for number, (name, given) in enumerate(calls, 3)),
    ]  # fmt: skip
    ran = lived.run("mcp", input="\n".join(lines) + "\n")
    answers = {answer["id"]: answer for answer in map(json.loads, ran.out.splitlines()) if "id" in answer}
    assert sorted(answers) == [1, 2, 3, 4, 5]
    assert [answers[n]["result"].get("isError", False) for n in (3, 4, 5)] == [False] * 3
    assert not BUGS.search(ran.out + ran.err)
