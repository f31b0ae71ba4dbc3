"""Answers of a screen and of the industries: columns and industries by their names, not by those of the store."""

import pytest

from ia.agent.turns.turn import take_turn
from ia.organs.market.screen_columns import COLUMNS, NUMBER, TITLES, column_title
from support.markets.stored_quotes import fill, quote

DAY = "2024-03-15"


@pytest.fixture
def market(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DAY}T16:00:00+08:00")
    banks = [
        ("600036.SH", "招商银行", 7.9, 8e11),
        ("601398.SH", "工商银行", 6.6, 2e12),
        ("600000.SH", "浦发银行", 12.0, 3e11),
    ]
    rows = [
        quote(code, name, pe=pe, pb=0.8, industry="银行", price=10.0, market_cap=cap, change_pct=1.0)
        for code, name, pe, cap in banks
    ]
    fill(ws, {DAY: [*rows, quote("600519.SH", "贵州茅台", pe=30.0, industry="白酒", price=1700.0, change_pct=-1.0)]})
    return ws


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        ("PE低于10的银行股有哪些", ["2 只", "招商银行 600036.SH 动态市盈率 7.90"]),
        ("find bank stocks with PE below 10", ["2 stocks", "600036.SH dynamic P/E 7.90"]),
        ("How did the banking sector do today?", ["**banks** +1.00%"]),
        ("Which industries are strongest today?", ["banks +1.00%"]),
        ("top gainers today", ["600036.SH +1.00% banks"]),
        ("今天哪些行业最强", ["银行 +1.00%"]),
    ],
)
def test_columns_and_industries_have_names(market, question, facts):
    told = take_turn(market, question, model="ia-offline").reply
    assert [fact for fact in facts if fact not in told] == [], told


def test_each_column_of_figures_has_a_title():
    told = {column.name for column in COLUMNS if column.type == NUMBER and column.unit}
    assert told - set(TITLES) == {"prev_close", "open", "high", "low", "volume"}
    assert column_title("股息率") == "dividend yield"
