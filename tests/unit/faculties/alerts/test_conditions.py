"""Conditions of alerts: plain prices and expressions are read, all else is refused or asked back at once."""

import pytest

from ia.faculties.alerts.conditions import Condition, check_condition, holds_on, read_condition
from ia.kernel.errors import BadData, IaError, Refused
from ia.organs.ohlcv.canonical import Bars

PLAIN = [
    ("< 80", "close < 80"),
    ("<80", "close < 80"),
    ("≥ 1,700.5", "close >= 1700.5"),
    ("close < 80", "close < 80"),
    ("price > $200", "close > 200"),
    ("below 80", "close < 80"),
    ("closes above 100 dollars", "close > 100"),
    ("falls to 75", "close <= 75"),
    ("跌破80", "close < 80"),
    ("收盘价跌破80元", "close < 80"),
    ("低于一千五", "close < 1500"),
    ("涨到1,700元", "close >= 1700"),
    ("80以下", "close < 80"),
    ("突破100", "close > 100"),
    ("rsi(close, 14) < 30", "rsi(close, 14) < 30"),
]


@pytest.mark.parametrize(("text", "expression"), PLAIN)
def test_a_price_in_plain_words_or_an_expression_is_read(text, expression):
    assert read_condition(text).expression == expression
    check_condition(Condition(expression))


@pytest.mark.parametrize("text", ["到75", "hits 200", "75", "= 80", "达到100"])
def test_a_price_without_a_direction_is_asked_back(text):
    with pytest.raises(BadData, match="which side") as caught:
        read_condition(text)
    assert "<=" in caught.value.hint


REFUSED = [
    ("foo bar", 65, "syntax"),
    ("close", 65, "neither true nor false"),
    ("macd(close)", 65, "neither true nor false"),
    ("close < 80 and volume > 5", 65, "join conditions with & and"),
    ("bogus(3) > 1", 65, "bogus"),
    ("close.shift(-1) > close", 77, "looks ahead"),
    ("close > close.max()", 77, "looks ahead"),
]


@pytest.mark.parametrize(("text", "status", "why"), REFUSED)
def test_what_gives_no_boolean_or_looks_ahead_is_refused(text, status, why):
    with pytest.raises(IaError, match=why) as caught:
        check_condition(read_condition(text))
    assert caught.value.status == status and caught.value.hint
    assert "--strict" not in caught.value.hint


def test_a_condition_is_judged_on_the_last_bar_and_nothing_is_no_yes():
    bars = Bars(["2024-03-14", "2024-03-15"], [9.0, 11.0], [9.0, 11.0], [9.0, 11.0], [9.0, 11.0], [100, 100])
    assert holds_on(Condition("close > 10"), bars)
    assert not holds_on(Condition("close < 10"), bars)
    assert not holds_on(Condition("sma(close, 30) > 0"), bars)
    with pytest.raises(BadData):
        holds_on(Condition("close"), bars)


def test_a_policy_is_held_to():
    with pytest.raises((Refused, BadData)):
        check_condition(Condition("__import__('os').system('true') == 0"))
