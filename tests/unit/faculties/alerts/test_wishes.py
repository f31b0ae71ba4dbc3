"""Wishes for alerts are taken apart, and what cannot be read is asked back."""

import pytest

from ia.faculties.alerts.wishes import is_alert_wish, read_alert_wish
from ia.kernel.errors import BadData

READ = [
    ("比亚迪跌到75提醒我", "比亚迪", "close <= 75", ""),
    ("宁德时代跌破80就通知我", "宁德时代", "close < 80", ""),
    ("tell me when AAPL closes above 200", "AAPL", "close > 200", ""),
    ("如果茅台涨到1,800元，请提醒我卖一半", "茅台", "close >= 1800", "卖一半"),
    ("茅台RSI低于30提醒我", "茅台", "rsi(close, 14) < 30", ""),
    ("宁德时代跌破20日均线通知我", "宁德时代", "close < sma(close, 20)", ""),
    ("alert me when Moutai's RSI falls below 30", "Moutai", "rsi(close, 14) < 30", ""),
    ("when CATL falls under 75, tell me to buy", "CATL", "close < 75", "to buy"),
    ("set an alert for AAPL above 250", "AAPL", "close > 250", ""),
    ("给我设个宁德时代跌破80的提醒", "宁德时代", "close < 80", ""),
    ("茅台跌破一千五提醒我", "茅台", "close < 1500", ""),
    ("沪深300跌破3500点通知我", "沪深300", "close < 3500", ""),
    ("ping me if 600519 > 1700", "600519", "close > 1700", ""),
]


@pytest.mark.parametrize(("wish", "security", "expression", "note"), READ)
def test_a_wish_is_taken_apart(wish, security, expression, note):
    assert is_alert_wish(wish)
    read = read_alert_wish(wish)
    assert (read.security, read.condition.expression, read.note) == (security, expression, note)


ASKED = [
    ("比亚迪到75提醒我", "which side"),
    ("notify me once Tesla hits 300", "which side"),
    ("Alert me if CMB rises 5%", "which price"),
    ("宁德时代盘中跌破80提醒我", "after each close"),
    ("比亚迪跌破75或涨过100提醒我", "second condition"),
    ("茅台涨停提醒我", "not clear"),
]


@pytest.mark.parametrize(("wish", "why"), ASKED)
def test_what_is_not_clear_is_asked_back(wish, why):
    with pytest.raises(BadData, match=why) as caught:
        read_alert_wish(wish)
    assert caught.value.hint


OTHERS = [
    "明天早上9点提醒我看宁德时代",
    "every day at 9:00 tell me when CATL is below 80",
    "别再提醒我宁德时代跌破80",
    "每周五收盘后帮我复盘",
]


@pytest.mark.parametrize("wish", OTHERS)
def test_other_wishes_are_no_alerts(wish):
    assert not is_alert_wish(wish)
