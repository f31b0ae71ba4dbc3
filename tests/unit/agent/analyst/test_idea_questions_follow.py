"""Messages that go on with the one before: of the same share, list and time, or asked back."""

from datetime import date

import pytest

from ia.agent.analyst.ask.follow_asides import read_amendment
from ia.agent.analyst.ask.follow_on import complete_question
from ia.agent.analyst.ask.ideas import rank_group
from ia.agent.analyst.ask.listed_subjects import find_codes, resolve_words
from ia.agent.analyst.ask.own_words import ask_of_held, continue_ideas
from ia.agent.analyst.jobs.idea_questions import list_known

DAY = date(2024, 3, 15)


@pytest.mark.parametrize(
    ("said", "before", "known"),
    [
        ("so what's my loss", "price of CMB", "profit on my CMB"),
        ("那我赚了几个点", "腾讯现价", "腾讯我赚了多少"),
        ("我什么时候买的", "茅台怎么样", "茅台我是几号买的，什么价"),
        ("and my average price", "what is CATL at", "my average price for CATL"),
        ("how much did I make this year", "price of Tencent", ""),
        ("and the profit", "BYD revenue 2022", ""),
        ("which holding made the most", "price of Tencent", ""),
        ("什么价", "我什么时候卖的平安银行", ""),
    ],
)
def test_a_question_about_the_share_that_was_spoken_of_is_not_one_about_the_account(said, before, known):
    assert ask_of_held(said, before, DAY) == known


@pytest.mark.parametrize(
    ("said", "before", "known"),
    [
        ("did I beat it", "how did the CSI 300 do this month", "did I beat CSI 300 this month"),
        ("what did I make on that", "what did I sell this year", "how much did I make on my sales this year"),
        ("which trade cost the most", "what fees did I pay this year", "which trade cost the most in fees this year"),
        ("手续费多少", "我最近一笔交易是什么", "我最近一笔交易的手续费"),
        ("占我总资产多少", "我港股有多少股", "港股占我多少仓位"),
        ("一共亏多少", "我的持仓里亏损的有哪些", "我亏损的持仓占用的资金"),
    ],
)
def test_the_time_and_the_part_of_the_question_before_are_kept(said, before, known):
    assert continue_ideas(said, before, DAY, first=True) == known


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("sorry, I meant BYD", "and BYD?"),
        ("不是茅台，是五粮液", "五粮液呢"),
        ("no, delete it", ""),
        ("不对，为什么亏", ""),
    ],
)
def test_an_amendment_takes_the_place_of_a_part_and_nothing_else(said, known):
    assert read_amendment(said) == known


@pytest.mark.parametrize(
    ("said", "before", "whole"),
    [
        ("港股呢", ["清明放几天", "五一呢"], "港股五一放几天"),
        ("compared with CATL", ["how did BYD do in February"], "how did BYD and CATL do in February"),
        ("and of the CSI 300", ["max drawdown?"], "max drawdown of CSI 300"),
        ("谁领涨", ["券商板块近一个月涨跌"], "证券股里近一个月涨得最多的是谁"),
        ("按市盈率排一下", ["哪些股票市值超过一万亿"], "哪些股票市值超过一万亿，按市盈率排序"),
        ("10天前呢", ["五粮液5天前的价格"], "五粮液10天前的价格"),
        ("5000呢", ["1000美元是多少人民币"], "5000美元是多少人民币"),
    ],
)
def test_a_question_goes_on_with_a_list_a_market_or_a_measure(said, before, whole):
    assert complete_question(said, before, DAY) == whole


def test_a_ranking_stays_within_the_group_that_was_listed():
    assert rank_group("市值最大的是哪只", "白酒股有哪些", DAY) == "白酒里市值最高的是哪只"
    assert rank_group("市值最大的是哪只", "银行股里市盈率低于10的股票", DAY) == ""


def test_what_points_at_a_list_is_no_question_by_itself():
    assert list_known("which of them do I own", "which banks yield more than 5%", DAY) == []
    assert find_codes('I know no security "x". Write its code: 600519, 00700, AAPL.') == ()
    said = resolve_words(["how many stocks do I own", "which one is the smallest", "when did I buy that"],
                         [("AAPL.US", "600519.SH"), ("600519.SH", "AAPL.US")])  # fmt: skip
    assert said.open_codes == ("600519.SH", "AAPL.US")
