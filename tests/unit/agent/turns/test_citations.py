"""Quotes and figures of a reply stand in the passages that it cites, or the reply is marked."""

import pytest

from ia.agent.tools.scope import CitedPassage
from ia.agent.turns.citations import check_citations

PASSAGES = [
    CitedPassage("On stops, p. 12", "A stop loss ends a losing position early. Risk 1.5% of the account at most."),
    CitedPassage("仓位, p. 1 (PDF 3)", "单笔交易允许亏损的比例，通常为净值的百分之二十；\n超过时重新计算。"),
]


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("No citation at all: 99.", 0),
        ("“A stop loss ends a losing position early” [On stops, p. 12].", 0),
        ("It says “a stop loss … losing position early” [On stops, p. 12].", 0),
        ("“A stop loss never ends a position” [On stops, p. 12].", 1),
        ("Risk 1.5% at most [On stops, p. 12]. Buy 300 shares.", 0),
        ("Risk 2.5% at most [On stops, p. 12].", 1),
        ("See “Risk 1.5% of the account” [On stops, p. 13].", 1),
        ("不超过净值的20%[仓位, p. 1 (PDF 3)]。", 0),
        ("不超过净值的百分之二十[仓位, p. 1 (PDF 3)]。", 0),
        ("不超过净值的30%[仓位, p. 1 (PDF 3)]。", 1),
        ("“单笔交易允许亏损的比例，通常为净值的百分之二十” [仓位, p. 1 (PDF 3)]", 0),
        ("“单笔交易允许亏损的比例，通常为净值的百分之三十” [仓位, p. 1 (PDF 3)]", 1),
        ("1. Risk 1.5% [On stops, p. 12]\n2. A link [x](https://example.com/77)", 0),
        ("With 50000 you risk 1.5% [On stops, p. 12].", 0),
        ("Both: 1.5% and 20% [On stops, p. 12] [仓位, p. 1 (PDF 3)].", 0),
    ],
)
def test_what_is_cited_stands_in_the_passage(reply, wrong):
    found = check_citations(reply, PASSAGES, "what may I risk of 50000?")
    assert len(found) == wrong, [str(each) for each in found]
