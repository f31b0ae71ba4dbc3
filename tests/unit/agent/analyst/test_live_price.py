"""The price right now: asked of the source while the session runs, with its time; else the last close alone."""

from datetime import datetime

import pytest

from ia.agent.turns.turn import take_turn
from ia.kernel import clock


@pytest.fixture
def at(ws, monkeypatch):
    """Set the machine's clock, which has the user's zone."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")

    def set_clock(text):
        monkeypatch.setattr(clock, "wall_time", lambda: datetime.fromisoformat(text).astimezone())

    set_clock("2024-03-15T10:31:20+08:00")
    return set_clock


def ask(ws, question):
    return take_turn(ws, question, model="ia-offline")


@pytest.mark.parametrize(
    ("question", "marks"),
    [
        ("茅台现在多少钱", ["600519.SH（模拟行情）：现在 **", "未收盘", "报价时间 10:31 UTC+08", "demo", "收盘价", "(2024-03-14)"]),
        ("CATL price right now", ["300750.SZ (simulated prices): **", "right now", "unfinished session, quote of 10:31 UTC+08, demo", "(2024-03-14)"]),
        ("茅台现在涨了多少", ["现在 **", "未收盘"]),
    ],
)  # fmt: skip
def test_the_running_session_is_told_beside_the_last_close(ws, at, question, marks):
    turn = ask(ws, question)
    assert [mark for mark in marks if mark not in turn.reply] == [], turn.reply
    assert [call.args.get("live") for call in turn.calls if call.name == "market.quote"] == [True]


@pytest.mark.parametrize("moment", ["2024-03-15T09:00+08:00", "2024-03-15T15:30+08:00", "2024-03-16T10:31+08:00"])
def test_without_a_session_the_last_close_answers(ws, at, moment):
    at(moment)
    assert "现在 **" not in ask(ws, "茅台现在多少钱").reply


def test_a_question_for_the_close_or_of_another_time_asks_no_source(ws, at, monkeypatch):
    for question in ("茅台收盘价", "茅台3月1日多少钱"):
        assert "现在 **" not in ask(ws, question).reply
    monkeypatch.setenv("IA_NOW", "2024-03-15T10:31:20+08:00")
    assert "现在 **" not in ask(ws, "茅台现在多少钱").reply


def test_without_a_live_quote_the_command_is_named(ws, at, monkeypatch):
    from ia.organs.market.sources import simulated_live

    monkeypatch.setattr(simulated_live, "simulated_bar", lambda symbol, day: None)  # suspended today
    told = ask(ws, "茅台现在多少钱").reply
    assert "收盘价" in told and "`ia quote 600519.SH --live`" in told
