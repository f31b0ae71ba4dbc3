"""Numbers and dates in answers, in the forms in which people and models write them."""

import pytest

from ia.reach.exam.figures import CalendarDay, find_dates, find_figures, is_rounding_of, plain_text


def values(text):
    return [figure.value for figure in find_figures(plain_text(text))]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("收盘 1,234.56 元", 1234.56),
        ("收盘１２３４.５６元", 1234.56),
        ("**1234.56**", 1234.56),
        ("¥1,234.56", 1234.56),
        ("HK$ 423.39", 423.39),
        ("359.1亿元", 359.1e8),
        ("35.9 billion yuan", 35.9e9),
        ("35.9bn", 35.9e9),
        ("78.86 万元", 788600),
        ("2.08万亿", 2.08e12),
        ("1.2 M", 1.2e6),
        ("20手", 2000),
        ("下跌3.73％", 3.73),
        ("百分之 12.5", 12.5),
        ("|0.744|", 0.744),
        ("PE为10.73倍", 10.73),
    ],
)
def test_a_number_is_read_in_any_usual_form(text, value):
    assert values(text) == [pytest.approx(value)]


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-15", "2024年3月15日", "3月15日 15:00", "March 15, 2024", "15th of March 2024", "20240315", "03-15",
        "600519.SH", "贵州茅台（600519）", "MA20 和 RSI14", "20日均线", "60-day average", "250 trading days", "2024 年",
        "Q3", "1. 茅台\n2. 招行",
    ],
)  # fmt: skip
def test_dates_codes_durations_and_list_numbers_are_no_figures(text):
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("下跌 3.73%", -1), ("跌幅为3.73%", -1), ("-3.73%", -1), ("−3.73%", -1), ("+3.73%", 1), ("涨了3.73%", 1),
        ("down 3.73%", -1), ("a loss of 9,469.77 yuan", -1), ("rose by 3.73%", 1), ("3.73% lower", -1), ("3.73%", None),
        ("没有涨停，而是跌了3.73%", -1), ("浮亏 9469.77 元", -1), ("净买入 1.03 亿元", 1), ("- 3.73%", None),
    ],
)  # fmt: skip
def test_the_sign_is_that_of_the_number_or_of_the_nearest_word(text, sign):
    assert [figure.sign for figure in find_figures(plain_text(text))] == [sign]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-03-15", (2024, 3, 15)), ("2024/3/15", (2024, 3, 15)), ("2024 年 3 月 15 日", (2024, 3, 15)),
        ("3月15号", (0, 3, 15)), ("Mar 15, 2024", (2024, 3, 15)), ("15 March", (0, 3, 15)),
        ("on the 15th of March 2024", (2024, 3, 15)),
    ],
)  # fmt: skip
def test_a_date_is_read_in_any_usual_form(text, day):
    assert find_dates(plain_text(text))[0] == [CalendarDay(*day)]


@pytest.mark.parametrize(
    ("text", "number", "same"),
    [
        ("3.7%", 3.73, True), ("3.8%", 3.73, False), ("4%", 3.73, False), ("26.0%", 26.014, True),
        ("359亿", 35911959375.68, True), ("36.9 billion", 35911959375.68, False), ("6", 6, True), ("7", 6, False),
        ("6.18", 6, False), ("749.6", 749.61, True), ("772.1", 749.61, False),
    ],
)  # fmt: skip
def test_a_rounded_number_is_the_number_and_one_that_is_off_is_not(text, number, same):
    assert is_rounding_of(find_figures(plain_text(text))[0], number, 0.002) is same
