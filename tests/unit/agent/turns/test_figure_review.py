"""Figures of a reply that nothing it was given contains."""

import pytest

from ia.agent.turns.figure_review import find_unsupported_figures

RESULT = '{"rsi": 31.2345, "change": -0.0817, "cap": 1234567890, "close": 1688.05, "n": 4200}'


@pytest.mark.parametrize(
    "reply",
    [
        "RSI is 31.2, or 31.23.", "It fell 8.17%, about 8.2 %.", "市值 12.35 亿，收盘 1,688.05 元", "some 4,200 shares",
        "市值约 12.3 亿", "1. first\n2. second\n3) third", "on 2024-03-15 at 15:00, in 2024", "3月15日，600519，T2_009",
        "as [Book, p. 112] says, and `ma(120)`", "you asked for 777",
    ],
)  # fmt: skip
def test_what_was_told_or_is_no_figure_is_left_alone(reply):
    assert find_unsupported_figures(reply, [RESULT, "what of 777?"]) == []


@pytest.mark.parametrize(
    ("reply", "figures"),
    [
        ("RSI is 32.2.", ["32.2"]), ("It fell 9.17%", ["9.17"]), ("目标价 2,000 元，止损 1500.5", ["2,000", "1500.5"]),
        ("胜率 88.5%", ["88.5"]), ("market value of 13.35 亿", ["13.35"]),
    ],
)  # fmt: skip
def test_what_nothing_tells_is_named(reply, figures):
    assert find_unsupported_figures(reply, [RESULT]) == figures
