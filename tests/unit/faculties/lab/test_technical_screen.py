"""Technical conditions among those of a screen."""

import pytest

from ia.faculties.lab.technical_screen import split_technicals
from ia.kernel.errors import BadData


@pytest.mark.parametrize(
    ("text", "condition", "expression"),
    [
        ("pe < 15 and roe > 10", "pe < 15 and roe > 10", ""),
        ("pe < 15 and rsi(close, 14) < 30", "pe < 15", "rsi(close, 14) < 30"),
        ("市盈率 < 15 且 close > sma(close, 20)", "市盈率 < 15", "close > sma(close, 20)"),
        ("pb between 1 and 2 and rsi(close,14) < 30", "pb between 1 and 2", "rsi(close,14) < 30"),
        ("rsi(close,14)<30 && roc(close, 5) > 1 && not st", "not st", "(rsi(close,14)<30) & (roc(close, 5) > 1)"),
        ("(pe < 15 and rsi(close, 14) < 30) and st", "pe < 15 and st", "rsi(close, 14) < 30"),
        ("(pe < 15 or pb < 1) and (rsi(close, 14) < 30)", "(pe < 15 or pb < 1)", "(rsi(close, 14) < 30)"),
        ("macd(close)['histogram'] > 0", "", "macd(close)['histogram'] > 0"),
        ("industry in (银行, 保险) AND ta.rsi(close) < 30", "industry in (银行, 保险)", "ta.rsi(close) < 30"),
        ("name ~ '且 rsi(' and pe < 5", "name ~ '且 rsi(' and pe < 5", ""),
    ],
)
def test_conditions_are_split(text, condition, expression):
    assert split_technicals(text) == (condition, expression)


def test_either_of_two_is_for_the_scan():
    with pytest.raises(BadData):
        split_technicals("pe < 10 or rsi(close, 14) < 30")
