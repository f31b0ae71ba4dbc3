"""Many turns at once: in sessions of their own and in one, with a model over HTTP and with the embedded analyst."""

import re
import subprocess

import pytest

from ia.organs import sessions
from support.program import program
from support.servers.openai import Reply

NOW = "2024-03-15T16:00:00+08:00"


def at_once(lines):
    """Run turns at the same time and return [(status, stdout, stderr)] in their order."""
    children = [
        subprocess.Popen([*program(), "--now", NOW, "turn", *words], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for words in lines
    ]  # fmt: skip
    ends = []
    try:
        for child in children:
            out, errors = child.communicate(timeout=240)
            ends.append((child.returncode, out, errors))
    finally:
        for child in children:
            child.kill()
    return ends


def echo(request):
    """Look at prices first, then answer the question's number."""
    if not request.results:
        return Reply(
            calls=[
                ("market_ohlcv", {"symbol": "300750"}),
                ("memory_observe", {"topic": "并发", "content": f"第 {number(request.asked)} 轮"}),
            ]
        )
    return Reply(f"答{number(request.asked)}。", pause=0.02)


def number(text):
    return re.search(r"问(\d+)", text)[1]


def sound(ends):
    for status, _, errors in ends:
        assert status == 0, errors
        assert "locked" not in errors
        assert "Traceback" not in errors


@pytest.mark.slow
@pytest.mark.parametrize("many", [4, pytest.param(20, marks=pytest.mark.soak)])
def test_many_sessions_at_once_over_http(brain, ws, home, many):
    brain(always=echo)
    ends = at_once([[f"问{n} 看看宁德时代", "-s", f"s{n}"] for n in range(many)])
    sound(ends)
    assert [out for _, out, _ in ends] == [f"答{n}。\n" for n in range(many)]
    for n in range(many):
        kept = sessions.load_history(ws, f"s{n}")
        assert [message.role for message in kept] == ["user", "assistant"]
        assert f"问{n} " in kept[0].content
        assert kept[1].content == f"答{n}。"
    journal = "".join(path.read_text(encoding="utf-8") for path in (home / "memory").rglob("*.md"))
    assert {f"第 {n} 轮" for n in range(many)} <= set(re.findall(r"第 \d+ 轮", journal)), "no observation is lost"


@pytest.mark.slow
def test_five_of_one_session_queue_up(brain, ws):
    server = brain(always=echo)
    ends = at_once([[f"问{n} 看看宁德时代", "-s", "one"] for n in range(5)])
    sound(ends)
    assert sorted(out for _, out, _ in ends) == [f"答{n}。\n" for n in range(5)]
    kept = sessions.load_history(ws, "one")
    assert [message.role for message in kept] == ["user", "assistant"] * 5
    for asked, answered in zip(kept[::2], kept[1::2], strict=True):
        assert answered.content == f"答{number(asked.content)}。", "a pair is not torn apart"
    seen = sorted(len([m for m in request.messages if m["role"] == "user"]) for request in server.requests)
    assert seen == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "each turn saw those before it whole"


@pytest.mark.slow
@pytest.mark.parametrize("many", [4, pytest.param(20, marks=pytest.mark.soak)])
def test_many_sessions_at_once_with_the_analyst(ws, monkeypatch, many):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    names = ["宁德时代", "贵州茅台", "比亚迪", "招商银行"]
    ends = at_once([[f"帮我看看{names[n % 4]}最近怎么样", "-s", f"s{n}", "-m", "ia-offline"] for n in range(many)])
    sound(ends)
    for n, (_, out, _) in enumerate(ends):
        kept = sessions.load_history(ws, f"s{n}")
        assert [message.role for message in kept] == ["user", "assistant"]
        assert names[n % 4] in out
        assert kept[1].content.strip() == out.strip()


@pytest.mark.slow
def test_five_of_one_session_with_the_analyst(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    names = ["宁德时代", "贵州茅台", "比亚迪", "招商银行", "中国平安"]
    sound(at_once([[f"帮我看看{name}最近怎么样", "-s", "one", "-m", "ia-offline"] for name in names]))
    kept = sessions.load_history(ws, "one")
    assert [message.role for message in kept] == ["user", "assistant"] * 5
    for asked, answered in zip(kept[::2], kept[1::2], strict=True):
        name = next(name for name in names if name in asked.content)
        assert name in answered.content
