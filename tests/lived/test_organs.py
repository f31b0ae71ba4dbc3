"""Skills, events, reports, tools and lists of a person after a month."""

import json
from collections.abc import Iterator

import click
import pytest

from ia_cli.main import COMMANDS, cli
from lived.checks import problems

pytestmark = [pytest.mark.process, pytest.mark.timeout(1800)]

SKILLS = [
    "/research 600519",
    "/research 茅台",
    "/compare 300750 600519",
    "/compare CATL Moutai",
    "/scan",
    "/review",
    "/review 上周",
]
EVENTS = ["daily-review", "daily-review --json", "daily-review --print", "top-gainers", "top-gainers --force -n 200"]
PAGES = [
    "report 300750",
    "report 600887",
    "report account",
    "report market",
    "chart 300750",
    "chart 600519 --log --panes rsi,macd,kdj",
]
FILES = [
    "report 300750 -o a.html",
    "report account -o b.html",
    "report market -o c.html",
    "chart 300750 -o d.svg",
    "chart 600519 -o e.html",
]
UNHEARD = {"listen", "mcp", "init", "completion", "event", "turn", "fork", "send"}
"""Commands that wait, or that have tests of their own here."""


def in_turn(cases):
    """Return each case in both languages: one is for `make test`, the other for `make soak`, in turn."""
    return [
        pytest.param(each, lang, marks=[pytest.mark.soak] * (at % 2 == second))
        for at, each in enumerate(cases)
        for second, lang in enumerate(("zh", "en"))
    ]


@pytest.mark.parametrize(("words", "lang"), in_turn(SKILLS))
def test_a_skill_answers(lived, words, lang):
    ran = lived.run("turn", words, lang=lang)
    assert problems(ran) == [], ran.err


@pytest.mark.parametrize(("words", "lang"), in_turn(EVENTS))
def test_an_event_is_answered(lived, words, lang):
    ran = lived.run("event", *words.split(), lang=lang)
    assert problems(ran) == [], ran.err
    assert ran.out.strip()


@pytest.mark.parametrize(("words", "lang"), in_turn(PAGES))
@pytest.mark.share(6)
def test_a_picture_is_printed(lived, words, lang):
    ran = lived.run(*words.split(), lang=lang)
    assert problems(ran) == [], ran.err
    assert len(ran.out) > 500


@pytest.mark.parametrize("words", FILES)
def test_a_picture_is_written(lived, words):
    ran = lived.run(*words.split())
    assert problems(ran) == [], ran.err
    assert (lived.life.desk / words.split()[-1]).stat().st_size > 1000


ROLES = ["researcher", "reviewer", "planner", "宏观分析师"]


@pytest.mark.parametrize("role", ROLES)
def test_a_subagent_answers(lived, role):
    ran = lived.run("fork", "--json", "--role", role, "宁德时代的波动率和回撤", lang="zh")
    assert problems(ran) == [], ran.err


TOOLS = {
    "market.ohlcv": {"symbol": "300750", "period": "weekly", "tail": 5},
    "market.observe": {"symbols": ["300750", "600519"]},
    "market.history": {"symbol": "600519", "bars": 10},
    "market.quote": {"symbols": ["600519", "000858"]},
    "market.fundamentals": {"symbol": "600519"},
    "market.screen": {"expr": "price > 10", "limit": 5},
    "market.summary": {},
    "market.gainers": {"limit": 5, "losers": True},
    "market.sectors": {"kind": "concept"},
    "market.mainline": {"top": 20},
    "market.northbound": {"days": 3},
    "market.actions": {"symbol": "600519"},
    "market.valuation": {"symbol": "600519"},
    "market.compare": {"symbols": ["600519", "300750"]},
    "market.lhb": {},
    "market.scan": {"expr": "rsi(close, 14) < 30", "limit": 5},
    "backtest.run": {"symbols": ["600519"], "entry": "rsi(close, 14) < 30", "exit": "rsi(close, 14) > 60"},
    "backtest.show": {},
    "backtest.list": {},
    "check.run": {"name": "buy", "symbol": "600519"},
    "collect_info": {"form": "birth"},
    "market.rate": {"currency": "USD"},
    "search_knowledge": {"query": "止损"},
    "knowledge.verify": {"skill": "research"},
    "knowledge.recurring": {},
    "knowledge.propose_rules": {"skill": "research", "ids": ["T2_none"], "because": "x"},
    "show_advice": {
        "points": [{"text": "止损未设", "do": "写下止损价"}],
        "uncertain": "公告没有看",
        "next": ["离止损多远？"],
    },
    "show_insight": {"title": "止损", "text": "止损要先写下来"},
    "show_report": {"title": "周报"},
    "market.news": {"symbols": ["600519"]},
    "market.calendar": {"symbols": ["300750"], "days": 365},
    "compute.run": {"code": "rsi(close, 14)", "symbol": "300750"},
    "indicator.list": {},
    "indicator.describe": {"name": "RSI"},
    "indicator.calc": {"name": "MACD", "symbol": "300750"},
    "notebook.write": {"path": "scratch/tool", "content": "# 工具\n\n写的"},
    "notebook.append": {"path": "scratch/tool", "content": "再写"},
    "notebook.read": {"path": "scratch/tool"},
    "notebook.list": {"directory": "research"},
    "notebook.search": {"query": "工具"},
    "memory.read": {"path": "MEMORY"},
    "memory.list": {},
    "memory.recall": {"query": "茅台"},
    "memory.write": {"path": "observations/tool", "content": "写的"},
    "memory.log": {"content": "工具"},
    "memory.note": {"key": "playbook", "content": "跌破止损就走"},
    "memory.observe": {"topic": "茅台", "content": "批价企稳"},
    "memory.believe": {"text": "先看现金流", "because": "看利润漏了"},
    "memory.beliefs": {},
    "memory.judge": {"belief": "先看现金流", "right": True},
    "memory.reflect": {"content": "买早了"},
    "memory.track": {"symbol": "600276", "why": "等回调"},
    "memory.untrack": {"symbol": "600276"},
    "watch.list": {},
    "memory.prefer": {"text": "回答短一点"},
    "soul.propose": {"add": "先看现金流", "because": "教练"},
    "skills.list": {},
    "skills.load": {"name": "research", "arguments": "600519"},
    "skills.check": {"name": "research", "symbol": "300750"},
    "skills.install": {"source": "./nothing", "because": "试试"},
    "proposals.list": {},
    "tasks.list": {},
    "tasks.propose": {"name": "tool", "schedule": "0 16 * * 5", "prompt": "复盘"},
    "subagents.run": {"task": "茅台的波动率"},
    "messaging.send": {"text": "你好"},
    "messaging.inbox": {},
    "session.list": {},
    "settings.list": {"prefix": "risk"},
    "alert.list": {},
    "alert.propose": {"symbol": "600519", "condition": "close < 1000"},
    "risk.check": {"symbol": "600519", "quantity": 100},
    "account.status": {},
    "account.profit": {"symbol": "300750"},
    "account.period": {"first": "2024-03-01"},
    "account.history": {"limit": 5},
    "account.performance": {"by": "month", "benchmark": "000300.SH"},
    "account.allocation": {"by": "industry"},
    "account.income": {},
    "account.risk": {"level": 99.0, "days": 5},
    "trade.execute": {"action": "buy", "symbol": "600519", "quantity": 100, "reason": "试试"},
    "trade.list": {"limit": 5},
    "trade.rules": {},
    "calendar.trading": {"n": 3},
    "financial.income": {"symbol": "600519"},
    "financial.balance": {"symbol": "600519"},
    "financial.cashflow": {"symbol": "600519"},
    "news.items": {"symbol": "600519"},
}


def test_every_tool_is_called_here(lived):
    ran = lived.run("tool", "list", "--json")
    assert {tool["name"] for tool in json.loads(ran.out)} == set(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.share(4)
def test_a_tool_answers(lived, name):
    ran = lived.run("tool", "call", name, json.dumps(TOOLS[name]))
    assert problems(ran, (0, 1, 65, 66, 77)) == [], ran.err
    if ran.status == 0:
        json.loads(ran.out)


def listing(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands that print JSON and need no argument."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from listing(command, *path, name)
        elif not any(param.required for param in command.params):
            options = {option for param in command.params for option in param.opts}
            yield from ((*path, name, form) for form in ("--json", "--jsonl") if form in options)


LISTS = [words for words in listing(cli) if words[0] not in UNHEARD]


def test_lists_are_found():
    assert {words[0] for words in LISTS} >= {"account", "note", "memory", "task", "session", "trade", "log", "usage"}
    assert set(COMMANDS) > {words[0] for words in LISTS}


@pytest.mark.parametrize("words", LISTS, ids=" ".join)
@pytest.mark.share(6)
def test_a_list_prints_json(lived, words):
    ran = lived.run(*words)
    assert problems(ran, (0, 1, 2, 65, 66)) == [], ran.err  # 65: what it would write is not given
    for line in ran.out.splitlines() if words[-1] == "--jsonl" else []:
        json.loads(line)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "words", [("doctor",), ("context",), ("context", "能买茅台吗"), ("soul", "show"), ("task", "list")]
)
def test_a_look_at_the_whole_is_whole(lived, words, lang):
    ran = lived.run(*words, lang=lang)
    assert problems(ran, (0, 1)) == [], ran.err
    assert ran.out.strip()
