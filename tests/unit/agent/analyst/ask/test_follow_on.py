"""How questions on prices over time are read: times that begin something, names that are not known, follow-ups."""

from datetime import date

import pytest

from ia.agent.analyst.ask.follow_on import complete_question, find_subject
from ia.agent.analyst.ask.mentions import find_mentions, find_near_name
from ia.agent.analyst.ask.time_spans import find_time_spans
from ia.agent.analyst.ask.unknown_names import find_unknown_names, find_unknown_subject

DAY = date(2024, 3, 15)


@pytest.mark.parametrize(
    ("text", "kind", "first", "last"),
    [
        ("since last Friday", "since", "2024-03-08", "2024-03-15"),
        ("上周五以来", "since", "2024-03-08", "2024-03-15"),
        ("从周一到现在", "since", "2024-03-11", "2024-03-15"),
        ("since the start of the year", "range", "2024-01-01", "2024-03-15"),
        ("since the beginning of March", "range", "2024-03-01", "2024-03-15"),
        ("since the end of last month", "since", "2024-02-29", "2024-03-15"),
        ("去年底以来", "since", "2023-12-31", "2024-03-15"),
        ("since last month", "range", "2024-02-01", "2024-03-15"),
        ("at the start of 2020", "day", "2020-01-01", "2020-01-01"),
        ("2023年底", "day", "2023-12-31", "2023-12-31"),
        ("by the end of the year", "future", "2024-03-15", "2024-12-31"),
        ("from its low in August 2023", "range", "2023-08-01", "2023-08-31"),
        ("the 2023 low", "range", "2023-01-01", "2023-12-31"),
    ],
)
def test_times_that_begin_or_end_something(text, kind, first, last):
    assert [(s.kind, f"{s.first}", f"{s.last}") for s in find_time_spans(text, DAY)] == [(kind, first, last)]


def test_the_week_that_is_asked_for_is_no_time():
    assert find_time_spans("哪一周跌得最惨", DAY) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("宁王和平安相关性", ["平安"]),
        ("茅台、平安、宁王哪个今年涨得最多", ["平安"]),
        ("correlation of BYD and Foobar", ["Foobar"]),
        ("Which rose more this year, Moutai or Ford?", ["Ford"]),
        ("宁王和大盘的相关性", []),
        ("茅台和五粮液谁强", []),
        ("招行的52周低点和现在差多少", []),
        ("How did Moutai do compared with the CSI 300 in March?", []),
    ],
)
def test_a_name_beside_a_security_is_known_or_named(text, names):
    assert find_unknown_names(text, find_mentions(text)) == names


@pytest.mark.parametrize(
    ("text", "name"), [("平安现价", "平安"), ("比亚笛昨天收盘价", "比亚笛"), ("大盘今天怎么样", "")]
)
def test_a_name_that_a_question_begins_with(text, name):
    assert find_unknown_subject(text) == name


def test_a_slip_of_one_sign_is_near_a_name():
    assert [find_near_name(text)[1][0].code for text in ("比亚笛现价", "price of moutay")] == ["002594", "600519"]


@pytest.mark.parametrize(
    ("before", "text", "whole"),
    [
        (["BYD price"], "and last month?", "BYD price last month"),
        (["BYD price", "and last month?"], "How about on 1 March?", "BYD price on 1 March"),
        (["比亚迪现价"], "那支撑位呢", "比亚迪支撑位"),
        (["平安银行市净率"], "工行呢", "工行市净率"),
        (["茅台昨天收盘价", "前天呢"], "五粮液呢", "五粮液2024-03-13收盘价"),
        (["茅台和五粮液市净率"], "那它们去年涨跌呢", "茅台、五粮液去年涨跌"),
        (["茅台现价"], "那大盘呢", "那大盘呢"),
        (["茅台现价"], "我的现金有多少", "我的现金有多少"),
        ([], "and last month?", "and last month?"),
        (["茅台昨天收盘价"], "大盘今天涨了吗", "大盘今天涨了吗"),
        (["上证指数呢"], "银行股今天涨了吗", "银行股今天涨了吗"),
        (["what's BYD's PE"], "and CATL's?", "what is CATL's PE"),
        (["贵州茅台(600519)收盘价"], "那五粮液呢", "五粮液收盘价"),
        (["茅台市盈率", "那五粮液呢"], "它俩的股息率", "茅台、五粮液的股息率"),
        (["茅台3月1日收盘价"], "现在呢", "茅台 收盘价"),
        (["BYD price on March 1"], "and now?", "BYD price"),
        (["茅台收盘价"], "比昨天呢", "茅台昨天以来涨跌"),
        (["茅台成交量"], "比昨天呢", "茅台成交量 比昨天多吗"),
        (["看看自选股今天咋样"], "哪只跌的最多", "自选股里今天哪只跌的最多"),
        (["看看自选股今天咋样", "它的市盈率呢"], "那比亚迪呢", "比亚迪市盈率"),
        (["How is BYD doing?"], "compare it with CATL", "compare BYD and CATL"),
        (["How is BYD doing?"], "how does it compare to CATL?", "compare BYD and CATL"),
        (["How is BYD doing?"], "is it cheaper than CATL?", "which is cheaper, BYD or CATL"),
        (["what is BYD's PE"], "vs CATL?", "what is BYD and CATL's PE"),
        (["compare BYD and CATL"], "and against Moutai?", "compare BYD and CATL and Moutai"),
        (["怎么看比亚迪"], "和宁德时代比呢", "比较比亚迪和宁德时代"),
        (["比亚迪怎么样"], "比五粮液怎么样", "比较比亚迪和五粮液"),
        (["比亚迪怎么样"], "比五粮液贵吗", "比亚迪比五粮液贵吗"),
        (["比亚迪怎么样"], "茅台比去年贵吗", "茅台比去年贵吗"),
        (["compare BYD and CATL"], "which one grew more?", "which one grew more of BYD and CATL"),
        (["比较比亚迪和宁德时代"], "哪个增长更快", "比亚迪、宁德时代哪个增长更快"),
        (["research Moutai"], "is it a buy?", "is Moutai a buy?"),
        (["research Moutai"], "should I buy?", "is Moutai a buy?"),
        (["research Moutai", "is it a buy?"], "how many shares?", "how many shares of Moutai should I buy?"),
        (["research Moutai"], "what would change your mind?", "what would change your view of Moutai?"),
        (["研究一下茅台"], "现在能买吗", "茅台可以买吗"),
        (["研究一下茅台", "可以买吗"], "买多少股", "茅台买多少股"),
        (["研究一下茅台"], "什么情况会让你改变看法", "什么会改变对茅台的看法"),
        (["how many shares of Moutai do I hold"], "how many shares?", "how many shares?"),
        (["profit of CATL last year"], "and the year before?", "profit of CATL in 2022"),
        (["宁德时代上个月涨跌"], "再前一个月呢", "宁德时代2024年1月涨跌"),
    ],
)
def test_a_follow_up_is_read_as_a_whole_question(before, text, whole):
    assert complete_question(text, before, DAY) == whole


@pytest.mark.parametrize(
    ("before", "codes"),
    [
        (["BYD price", "dividend yield"], ["002594.SZ"]),
        (["BYD price", "Is the market up today?"], []),
        (["How's my portfolio doing vs the csi 300?"], []),
    ],
)
def test_the_subject_of_a_conversation_is_what_was_asked_about_at_last(before, codes):
    assert [each.code for each in find_subject(before, DAY)] == codes
