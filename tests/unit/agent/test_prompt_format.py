"""The wire format of a turn: whatever is written is read back, and what looks like it in a text is text."""

from datetime import UTC, datetime

import pytest

from ia.agent import prompt_format
from ia.agent.analyst.ask import request
from ia.agent.turns.context import Data, build_prompt
from ia.kernel import clock
from ia.kernel.workspace import to_local

NOW = datetime(2024, 3, 15, 16, 0, tzinfo=clock.CHINA)


def read(text, system=""):
    return request.parse_request(text, system, [], NOW, "zh")


def asked_at(moment, question):
    return prompt_format.format_head(prompt_format.TIME, moment) + "\n【事件】用户查询\n【用户问题】" + question


@pytest.mark.parametrize(("lang", "event"), [("zh", "用户查询"), ("en", "User query")])
def test_a_prompt_is_read_back(lang, event, monkeypatch):
    monkeypatch.setenv("IA_LANG", lang)
    told = build_prompt("看看\n【时间】宁德时代", (Data("stdin", "【用户问题】x"),), moment="2024-03-15T07:00:00+00:00")
    heads = prompt_format.parse_heads(told)
    assert heads[prompt_format.QUESTION] == "看看\n【时间】宁德时代" and heads[prompt_format.EVENT] == event
    assert heads[prompt_format.TIME] == f"{to_local(datetime(2024, 3, 15, 7, tzinfo=UTC)):%Y-%m-%d %H:%M:%S}"
    assert "【用户问题】x" in heads[prompt_format.DATA] and len(heads) == 4
    assert prompt_format.parse_heads("看看") == {}


def test_a_system_prompt_is_read_back():
    parts = {"soul": "# x\n- 先看估值", "rules": "one\n\ntwo"}
    assert prompt_format.parse_parts(prompt_format.format_parts(parts.items())) == parts
    assert prompt_format.parse_parts("") == {}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_slot_is_read_back(lang):
    slot = prompt_format.format_slot("2024-03-15 15:00 CST", "reports/daily/2024-03-15.md", lang)
    asked = read(asked_at("2024-03-15 15:30:00", f"复盘本周\n{slot}"))
    assert (asked.question, asked.place) == ("复盘本周", "reports/daily/2024-03-15.md")
    assert (asked.day, f"{asked.moment:%H:%M}") == ("2024-03-15", "15:00")


def test_a_slot_that_is_to_come_or_damaged_is_not_the_moment():
    for when in ("2024-03-16 15:00 CST", "tomorrow"):
        asked = read(asked_at("2024-03-15 15:30:00", f"x\n{prompt_format.format_slot(when, 'a.md', 'zh')}"))
        assert (asked.day, asked.place) == ("2024-03-15", "a.md")
    assert read("【用户问题】复盘\n【任务时点】2024-03-15 15:00，产物写到 a.md").place == ""


def test_figures_are_read_back():
    figures = {"day": "2024-03-15", "top": 50, "main_lines": [{"name": "半导体", "hits": 3}]}
    body = f"【市场表现】涨\n{prompt_format.format_figures(figures)}\n请分析"
    assert prompt_format.parse_figures(prompt_format.parse_sections(body)) == figures


@pytest.mark.parametrize("line", ["", "【数值】", "【数值】{x", "【数值】[1]", "【数值】" + "[" * 9000])
def test_figures_that_are_none(line):
    assert prompt_format.parse_figures(prompt_format.parse_sections(line)) == {}


def test_limits_are_read_back():
    limits = {"position_pct": 20.0, "rise_pct": 5.5}
    part = f"1. rules\n{prompt_format.format_limits(limits)}\n- CNY: equity 5"
    assert prompt_format.parse_limits(part) == limits and prompt_format.parse_limits("止损线为 -7%") == {}
    for line in (
        '{"limits": ',
        '{"limits": 5}',
        '{"limits": {"position_pct": "x"}}',
        '{"limits": {"position_pct": []}}',
    ):
        assert prompt_format.parse_limits(line) == {}
    assert read("x", prompt_format.format_parts([("risk", part)])).limits == limits and read("x").limits == {}


def test_skills_are_read_back():
    system = prompt_format.format_parts([
        ("skills", "research: 研究一只证券 (代码)\n看量价: 先看量"), ("skill", prompt_format.format_skill("看量价", "# /other\nbody"))
    ])  # fmt: skip
    asked = read("【用户问题】x", system)
    assert asked.skills == [("research", "研究一只证券 (代码)"), ("看量价", "先看量")]
    assert asked.skill == "看量价" and read("x").skill == ""


def test_a_subagents_form_is_taken_off():
    asked = read(f"【用户问题】You collect data.\n{prompt_format.FORM}\n\n研究宁德时代")
    assert (asked.question, asked.wants_json) == ("研究宁德时代", True)
    assert read('【用户问题】{"points": [], "artifacts": []} x').wants_json is False
