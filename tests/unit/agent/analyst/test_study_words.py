"""A word of a question about a security that its view does not answer is told or asked back."""

import pytest

from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.study_words import find_unread
from ia.agent.analyst.evidence.lens import lenses_at


def unread(words):
    return find_unread(words, find_mentions(words), [view.words for view in lenses_at().views.values()])


@pytest.mark.parametrize(
    "words",
    [
        "帮我看看茅台最近怎么样", "600519", "贵州茅台（600519）", "招行现在这个位置还能进吗", "应该卖掉招行吗", "宁德时代，给个结论",
        "从趋势和估值两方面分析一下招商银行", "我朋友推荐了宁德时代，你觉得怎么样？", "茅台怎么了", "600519还能拿吗",
        "What do you think about CATL?", "Is it a good time to buy Tesla?", "What are the pros and cons of BYD?",
        "How risky is Tesla?", "Has Moutai bottomed?", "Outlook for CATL (300750)", "Do a full analysis of 600519, please",
        "Should I sell my Apple shares?", "Walk me through BYD", "Is CATL still in an uptrend?",
    ],
)  # fmt: skip
def test_a_wish_for_a_view_is_read_whole(words):
    assert unread(words)[0] == []


@pytest.mark.parametrize(
    ("words", "left", "asks"),
    [
        ("比亚迪销量怎么样", ["销量"], True),
        ("不看基本面，招行技术面如何", ["不看基本面"], True),
        ("招行会不会破24", ["破24"], False),
        ("宁王跌到80的时候提醒我", ["跌", "80", "提醒"], False),
        ("What's the news on Apple?", ["news"], False),
        ("Is it safe to put 50% into BYD?", ["50%"], False),
        ("My target for Moutai is 900", ["target", "900"], False),
        ("How is BYD doing compared with its sector?", ["compared", "sector"], True),
    ],
)
def test_what_a_view_does_not_answer_is_left_over(words, left, asks):
    assert unread(words) == (left, asks)
