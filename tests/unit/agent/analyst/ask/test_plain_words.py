"""Ways of writing: one word for many, and no time of day taken apart."""

import pytest

from ia.agent.analyst.ask.plain_words import simplify_question


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("这周一共赚了多少", "这周总共赚了多少"),
        ("上个星期一共买了什么", "上个星期总共买了什么"),
        ("这周一一共赚了多少", "这周一一共赚了多少"),
        ("提醒我明天下午两点半看盘", "明天下午两点半提醒我看盘"),
        ("提醒我明天早上九点看盘", "明天早上九点提醒我看盘"),
        ("提醒我明天9点25分看盘", "明天9点25分提醒我看盘"),
    ],
)
def test_a_week_and_a_time_stay_whole(said, read):
    assert simplify_question(said) == read
