"""Questions by the ideas in them: every word counts, their order does not."""

from datetime import date

import pytest

from ia.agent.analyst.ask import ideas

DAY = date(2024, 3, 15)


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("all the notes that I wrote this month", "what notes did I write this month"),
        ("this month, which notes did I write", "what notes did I write this month"),
        ("did Moutai ever drop under 600 in the last two years", "did Moutai fall below 600 in the last two years"),
        (
            "Moutai in the last two years: did it ever drop under 600",
            "did Moutai fall below 600 in the last two years",
        ),
        ("RSI 是干嘛的", "RSI是什么意思"),
        ("把提醒里茅台那个的价格说一下，是跌破还是涨破", "我给茅台设了什么提醒"),
        ("宁德时代RSI多少，超买了吗", "宁德时代的RSI"),
    ],
)
def test_the_same_ideas_in_any_order_ask_the_same(asked, known):
    assert ideas.read_question(asked, DAY) == known


@pytest.mark.parametrize(
    "asked",
    [
        "all the notes that I wrote this month on paper",
        "did Moutai ever drop under 600 in the last two years of the boom",
        "did Moutai ever drop under 600 or over 900 in the last two years",
        "五只银行股今年谁跌得多",
        "宁德时代RSI多少，超卖线改成20算不算",
        "茅台的市净率按火星历法",
    ],
)
def test_a_word_or_a_value_that_has_no_place_is_not_passed_over(asked):
    assert ideas.read_question(asked, DAY) == ""


def test_a_question_goes_on_with_an_idea_of_the_same_kind_or_with_the_security():
    assert ideas.continue_question("weekly instead", "RSI of CATL", DAY) == "weekly RSI of CATL"
    assert ideas.continue_question("and the one of BYD", "RSI of CATL", DAY) == "RSI of BYD"
    assert ideas.continue_question("any news", "RSI of CATL", DAY) == "news on CATL"


def test_a_bound_behind_a_figure_is_not_one_of_the_price():
    assert ideas.continue_question("was it ever under 30 this year", "RSI of CATL", DAY) == ""
    assert ideas.continue_question("was it ever under 70 this year", "price of CATL", DAY) != ""
