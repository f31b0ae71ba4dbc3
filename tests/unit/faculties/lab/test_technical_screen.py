"""Technical conditions among those of a screen: its grammar tells which they are."""

import pytest

from ia.faculties.lab.technical_screen import is_technical
from ia.kernel.errors import BadData
from ia.organs.market.screen_conditions import parse_condition


@pytest.mark.parametrize(
    ("text", "columns", "technical"),
    [
        ("pe < 15 and roe > 10", "pe roe_pct", []),
        ("pe < 15 and rsi(close, 14) < 30", "pe", ["rsi(close, 14) < 30"]),
        ("市盈率 < 15 且 close > sma(close, 20)", "pe", ["close > sma(close, 20)"]),
        ("rsi(close,14)<30且pe<15", "pe", ["rsi(close,14)<30"]),
        ("pb between 1 and 2 and rsi(close,14) < 30", "pb", ["rsi(close,14) < 30"]),
        ("rsi(close,14)<30 && roc(close, 5) > 1 && not st", "st", ["rsi(close,14)<30", "roc(close, 5) > 1"]),
        ("(pe < 15 and rsi(close, 14) < 30) and st", "pe st", ["rsi(close, 14) < 30"]),
        ("(pe < 15 or pb < 1) and (rsi(close, 14) < 30)", "pe pb", ["rsi(close, 14) < 30"]),
        ("(close + open) / 2 > sma(close, 5) and pe < 9", "pe", ["(close + open) / 2 > sma(close, 5)"]),
        ("barssince((close > open) & (open > low)) > 3", "", ["barssince((close > open) & (open > low)) > 3"]),
        ("macd(close)['histogram'] > 0", "", ["macd(close)['histogram'] > 0"]),
        ("crossover(sma(close, 5), sma(close, 20)) and pe < 9", "pe", ["crossover(sma(close, 5), sma(close, 20))"]),
        ("20 < rsi(close, 14) < 30", "", ["20 < rsi(close, 14) < 30"]),
        ("industry in (银行, 保险) AND ta.rsi(close) < 30", "industry", ["ta.rsi(close) < 30"]),
        ("name ~ '且 rsi(' and pe < 5", "name pe", []),
    ],
)
def test_a_comparison_that_calls_a_function_is_technical(text, columns, technical):
    condition = parse_condition(text, is_function=is_technical)
    assert [column.name for column in condition.columns] == columns.split()
    assert list(condition.technical) == technical


@pytest.mark.parametrize(
    "text",
    ["pe < 10 or rsi(close, 14) < 30", "not rsi(close, 14) < 30", "not (pe < 3 and (st or rsi(close, 14) < 30))"],
)
def test_technical_ones_are_joined_with_and_alone(text):
    with pytest.raises(BadData, match=r"'rsi\(close, 14\) < 30': a technical condition can only be joined with `and`"):
        parse_condition(text, is_function=is_technical)


@pytest.mark.parametrize("text", ["rsi(close, 14) between 30 and 40", "name ~ rsi(close)", "industry in (rsi(close))"])
def test_what_only_figures_have_is_refused_beside_functions(text):
    with pytest.raises(BadData, match="does not work with functions"):
        parse_condition(text, is_function=is_technical)


def test_full_width_signs_are_plain_ones():
    assert parse_condition("rsi（close，14）＜30", is_function=is_technical).technical == ("rsi(close,14)<30",)


def test_elsewhere_a_function_is_an_unknown_column():
    for text in ("pe < 10 and rsi(close, 14) < 30", "pe < 10 and foo(close) < 30"):
        with pytest.raises(BadData, match="unknown column"):
            parse_condition(text)
    with pytest.raises(BadData, match="unknown column 'foo'"):
        parse_condition("pe < 10 and foo(close) < 30", is_function=is_technical)
