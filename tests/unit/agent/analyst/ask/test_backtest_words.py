"""Wishes to test rules on past prices, in both languages."""

from datetime import date

import pytest

from ia.agent.analyst.ask.backtest_words import ASKS, asks_saved, complete_wish, read_backtest
from ia.agent.analyst.ask.mentions import find_mentions

UP, DOWN = "crossover(sma(close, 5), sma(close, 20))", "crossunder(sma(close, 5), sma(close, 20))"


def read(words):
    assert ASKS.search(words)
    return read_backtest(words, find_mentions(words), date(2024, 3, 15))


@pytest.mark.parametrize(
    "words",
    [
        "backtest a 5/20 average cross on Moutai since 2020",
        "回测一下茅台 5 日均线上穿 20 日买入，2020 年以来",
        "帮我回测贵州茅台5/20双均线策略，从2020年开始",
        "Backtest 600519: buy when the 5-day average crosses above the 20-day average, from 2020",
    ],
)
def test_an_average_cross(words):
    wish = read(words)
    assert (wish.entry and wish.entry.code, wish.exit, wish.since, wish.left) == (UP, None, "2020-01-01", ())
    assert wish.entry.opposite == DOWN


def test_both_sides_stop_target_and_cash():
    wish = read("回测茅台：RSI低于30买入，RSI高于70卖出，止损8%，止盈 20%，本金50万")
    assert wish.entry.code == "rsi(close, 14) < 30"
    assert wish.exit.code == "rsi(close, 14) > 70"
    assert (wish.stop, wish.target, wish.cash, wish.left) == ("8", "20", "500000.00", ())
    wish = read("backtest CATL: buy at a 60-day high and sell below the 20-day average, stop 8%")
    assert (wish.entry.code, wish.exit.code, wish.stop) == (
        "close >= highest(close, 60)",
        "close < sma(close, 20)",
        "8",
    )
    assert wish.left == ()


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("回测茅台突破布林带买入", "突破布林带"),
        ("backtest Moutai with a martingale", "martingale"),
        ("回测茅台 5 日均线上穿 20 日买入，满仓杠杆两倍", "满仓杠杆两倍"),
    ],
)
def test_words_that_are_not_understood_are_named(words, left):
    assert left in " ".join(read(words).left)


@pytest.mark.parametrize(
    ("words", "entry", "leave"),
    [
        ("backtest 600519: buy when close crosses above sma 20, sell when it crosses below",
         "crossover(close, sma(close, 20))", "crossunder(close, sma(close, 20))"),
        ("回测茅台：5日和20日均线金叉买入，死叉卖出", UP, DOWN),
        ("回测茅台，收盘价上穿20日均线买入，下穿卖出", "crossover(close, sma(close, 20))", "crossunder(close, sma(close, 20))"),
        ("回测茅台，5日均线上穿20日买入，跌破20日均线卖出", UP, "close < sma(close, 20)"),
        ("does buying 600036 when RSI is below 30 work", "rsi(close, 14) < 30", None),
        ("RSI低于30买招商银行有效吗", "rsi(close, 14) < 30", None),
    ],
)  # fmt: skip
def test_crosses_both_ways_and_questions(words, entry, leave):
    wish = read(words)
    assert (wish.entry.code, wish.exit and wish.exit.code, wish.left) == (entry, leave, ())


def test_saved_backtests_are_told_from_wishes():
    for words in ("show my last backtest", "我最近的回测结果", "上次回测怎么样"):
        assert asks_saved(words) == "last"
    for words in ("which backtest was best", "哪个回测最好", "what was my best backtest?"):
        assert asks_saved(words) == "best"
    assert asks_saved("backtest a 5/20 average cross on Moutai") == asks_saved("茅台最近怎么样") == ""


def test_an_answer_to_what_was_asked_back_completes_the_wish():
    wish = complete_wish("回测茅台", "金叉买入，死叉卖出")
    assert read(complete_wish(wish, "5日和20日")).exit.code == DOWN
    assert read(complete_wish("回测 5 日均线上穿 20 日均线买入", "招行")).entry.code == UP
    assert complete_wish("backtest Moutai since 2022", "how is CATL doing?") == ""
    assert (
        complete_wish("我最近的回测结果", "招行") == complete_wish("回测茅台", "RSI低于30的股票有哪些，回测一下") == ""
    )
