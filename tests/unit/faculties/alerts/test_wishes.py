"""Wishes for alerts are taken apart, and what cannot be read is asked back."""

import pytest

from ia.agent.analyst.ask.alert_words import find_unread
from ia.faculties.alerts.wishes import check_security_words, is_alert_wish, read_alert_wish
from ia.kernel.errors import BadData

READ = [
    ("每次茅台跌破700都提醒我", "", "close < 700", "每次茅台跌破700都提醒我"),
    ("Tell me once if Moutai's close drops under its 20-day average", "Moutai", "close < sma(close, 20)", ""),
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
    ("Tell me when RSI of CATL drops below 30", "CATL", "rsi(close, 14) < 30", ""),
    ("let me know when the 6-day RSI of BYD rises above 70", "BYD", "rsi(close, 6) > 70", ""),
    ("宁德时代14日RSI低于三十通知我", "宁德时代", "rsi(close, 14) < 30", ""),
    ("茅台20日均线跌破700时提醒我", "茅台", "sma(close, 20) < 700", ""),
    ("茅台5日均线下穿20日均线提醒我", "茅台", "crossunder(sma(close, 5), sma(close, 20))", ""),
    ("宁德时代的MACD金叉时通知我", "宁德时代", "crossover(macd(close)['macd'], macd(close)['signal'])", ""),
    ("Tell me when CATL makes a 60-day high", "CATL", "close >= highest(close, 60)", ""),
    ("alert me when BYD's volume exceeds 2 million shares", "BYD", "volume > 2000000", ""),
    ("茅台成交量超过100万手提醒我", "茅台", "volume > 100000000", ""),
    ("贵州茅台股价超过1万提醒我", "贵州茅台", "close > 10000", ""),
    ("ping me if 600519 > 1700", "600519", "close > 1700", ""),
    ("Alert me if CATL falls more than 5% in a day", "CATL", "roc(close, 1) < -5", ""),
    ("alert me when the CSI 300 drops 2% in one day", "CSI 300", "roc(close, 1) <= -2", ""),
    ("比亚迪一天涨超过3%提醒我", "比亚迪", "roc(close, 1) > 3", ""),
    ("宁德时代单日跌5%以上提醒我", "宁德时代", "roc(close, 1) <= -5", ""),
    ("Alert me when CATL's volume is twice its 20-day average", "CATL", "volume >= 2 * sma(volume, 20)", ""),
    ("宁德时代成交量达到20日均量的两倍时提醒我", "宁德时代", "volume >= 2 * sma(volume, 20)", ""),
    ("alert me if Moutai makes a new 52-week low", "Moutai", "close <= lowest(close, 250)", ""),
    ("茅台创52周新高提醒我", "茅台", "close >= highest(close, 250)", ""),
]


@pytest.mark.parametrize(("wish", "security", "expression", "note"), READ)
def test_a_wish_is_taken_apart(wish, security, expression, note):
    assert is_alert_wish(wish)
    read = read_alert_wish(wish)
    assert (read.security, read.condition.expression, read.note) == (security, expression, note)


ASKED = [
    ("Alert me next week when CATL falls below 90", "next week"),
    ("Alert me until June when CATL falls below 90", "until June"),
    ("到六月底前宁德时代跌破90提醒我", "到六月底前"),
    ("Every trading day 10 minutes before the close tell me if CATL is below 80", "Every trading day"),
    ("Tell me at noon if Moutai is above 800", "at noon"),
    ("Alert me twice a day if CATL is below 80", "twice a day"),
    ("茅台跌破700每天提醒我", "每天"),
    ("茅台跌破700提醒我三次", "三次"),
    ("下午两点半茅台跌破700提醒我", "下午两点半"),
    ("收盘前茅台跌破700提醒我", "收盘前"),
    ("Notify me as soon as Moutai crosses its 200-day average", "which side"),
    ("茅台穿越200日均线时告诉我", "which side"),
    ("比亚迪到75提醒我", "which side"),
    ("notify me once Tesla hits 300", "which side"),
    ("Alert me if CMB rises 5%", "which price"),
    ("宁德时代盘中跌破80提醒我", "after each close"),
    ("比亚迪跌破75或涨过100提醒我", "second condition"),
    ("茅台涨停提醒我", "not clear"),
    ("茅台市盈率低于25时提醒我", "not this figure"),
    ("Tell me when Moutai's PE drops below 25", "not this figure"),
    ("ping me about Moutai's PE when it is below 25", "not this figure"),
    ("茅台成交额超过100亿提醒我", "not this figure"),
    ("Tell me when Moutai falls below 1500 for 3 days in a row", "for 3 days in a row"),
    ("Tell me when Moutai falls below 1500 and its PE is below 25", "not understood"),
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


UNREAD = [
    ("通知我，当比亚迪的波动率高于30的时候", "波动率"),
    ("Alert me when the volatility of BYD is above 30", "volatility"),
    ("茅台连续三天跌破1500提醒我", "连续三天"),
    ("宁德时代今天跌破80提醒我", "今天"),
]


@pytest.mark.parametrize(("wish", "words"), UNREAD)
def test_words_beside_the_security_are_asked_back(wish, words):
    with pytest.raises(BadData) as caught:
        check_security_words(find_unread(read_alert_wish(wish)))
    assert caught.value.params["words"] == words


def test_the_words_of_a_plain_wish_are_all_read():
    for wish, *_ in READ:
        check_security_words(find_unread(read_alert_wish(wish)))
