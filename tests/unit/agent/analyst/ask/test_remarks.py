"""A remark about a security is offered to be kept, not answered; a question stays a question."""

import pytest

from ia.agent.analyst.ask.intent import read_acts
from ia.agent.analyst.ask.request import parse_request
from ia.kernel import clock


def kind_of(text):
    return read_acts(parse_request(text, "", [], clock.now(), "en")).kind


@pytest.mark.parametrize(
    "text",
    [
        "宁德时代产能利用率下降，先观察",
        "茅台渠道库存偏高，再看看",
        "招商银行分红很稳",
        "腾讯游戏版号恢复了，利好",
        "宁德时代的估值太高了",
        "我差点买了五粮液",
        "昨天差点把茅台卖了",
        "CATL's capacity use is falling, wait and see",
        "Moutai channel stock is high, I will watch",
        "BYD sales are strong",
        "I almost bought Wuliangye",
        "I nearly sold Moutai at 800",
        "我打算卖掉茅台",
        "我准备把招商银行清仓",
        "I plan to sell Moutai",
    ],
)
def test_a_remark_is_an_own_view(text):
    assert kind_of(text) == "own_view"


@pytest.mark.parametrize(
    "text",
    [
        "宁德时代估值偏高吗",
        "茅台买了多久了",
        "五粮液买了几天了",
        "比茅台便宜的白酒股",
        "看看茅台估值偏高的原因",
        "Is BYD too expensive",
        "我打算卖掉茅台吗",
        "Do I plan to sell Moutai?",
        "Which is cheap, BYD or CATL",
        "BYD price",
        "茅台和五粮液哪个估值偏低",
    ],
)
def test_a_question_is_none(text):
    assert kind_of(text) not in ("own_view", "traded", "note")
