"""What a rule states is compared with its quote by numbers and denials, not by wording."""

import pytest

from ia.faculties.rulebooks.statements import contradictions, foreign_numbers


@pytest.mark.parametrize(
    ("said", "source", "foreign"),
    [
        ("当日跌幅超过 8%", "当日跌幅超过百分之八时，不得买入", []),
        ("当日跌幅超过 9%", "当日跌幅超过百分之八时，不得买入", ["9%"]),
        ("量放大到 1.5 倍", "成交量放大到前二十日均量的一点五倍", []),
        ("量放大到 2.5 倍", "成交量放大到前二十日均量的一点五倍", ["2.5"]),
        ("减仓三成", "减仓一半", ["三"]),
        ("量低于均量七成", "成交量低于均量的七成", []),
        ("连续五笔亏损", "连续三笔交易亏损之后", ["五"]),
        ("连续一笔亏损", "连续三笔交易亏损之后", ["一"]),
        ("任何一笔持仓", "一笔持仓的亏损", []),
        ("看三角形态", "形态收敛", []),
        ("减到一半", "减仓一半", []),
        ("三者有其三", "三者有其二，为身强", ["三"]),
        ("exit after 3 losses", "After three losses stop trading.", []),
        ("exit after 4 losses", "After three losses stop trading.", ["4"]),
        ("half the position", "Sell 50 % of the position.", []),
        ("below MA60", "若收盘价跌破二十日均线", ["ma60"]),
    ],
)
def test_numbers_of_a_rule_that_its_quote_lacks(said, source, foreign):
    assert foreign_numbers(said, source) == foreign


@pytest.mark.parametrize(
    ("said", "source", "contrary"),
    [
        ("可以买入", "不得买入，先查明原因", True),
        ("不得买入", "不得买入，先查明原因", False),
        ("不得暂停交易", "应暂停交易至少一个交易日", True),
        ("宜一次买足", "不宜一次买足，宜分批", True),
        ("宜分批", "不宜一次买足，宜分批", False),
        ("价格确定", "价格不确定时，不得下单", True),
        ("跌幅低于 8%", "跌幅超过百分之八时", True),
        ("加仓一半", "减仓一半", True),
        ("add to a loser", "Never add to a loser.", True),
        ("do not add to a loser", "Never add to a loser.", False),
        ("sell", "When the price falls below the stop, buy.", True),
        ("volume above the average", "If volume is below its average, wait.", True),
        ("move the stop to the entry", "Do not move the stop.", True),
    ],
)
def test_a_rule_that_says_the_contrary_of_its_quote(said, source, contrary):
    assert bool(contradictions(said, source)) == contrary
