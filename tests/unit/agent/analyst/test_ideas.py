"""Questions by the ideas in them: every word counts, their order does not."""

from datetime import date

import pytest

from ia.agent.analyst.ask import ideas

DAY = date(2024, 3, 15)


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("all the notes that I wrote this month", "what notes did I write this month"),
        ("this month, which notes did I write", "what notes did I write this month"),
        ("did Moutai ever drop under 600 in the last two years", "did Moutai fall below 600 in the last two years"),
        (
            "Moutai in the last two years: did it ever drop under 600",
            "did Moutai fall below 600 in the last two years",
        ),
        ("any day in feb the market was shut apart from weekends?", "on which days was the market closed in feb"),
        ("Which day last month did CATL fall the hardest?", "biggest one-day drop of CATL last month"),
        ("tasks that still need my ok", "which tasks wait for my approval?"),
        ("When can I expect moutai's annual report, date set yet?", "when does moutai publish its annual report"),
        ("Hi there, could you tell me what a share of Wuliangye costs right now?", "price of Wuliangye"),
        ("what is a forward-adjusted price, in plain words", "what is adjusted prices"),
        ("How many companies went limit-up today?", "which stocks hit limit-up today"),
        ("How far does CATL have to rise before my alert goes off?", "how far is CATL from my alert"),
        ("RSI 是干嘛的", "RSI是什么意思"),
        ("把提醒里茅台那个的价格说一下，是跌破还是涨破", "我给茅台设了什么提醒"),
        ("宁德时代RSI多少，超买了吗", "宁德时代的RSI"),
        ("北水今天是进是出", "北向资金今天流入多少"),
        ("宁德嘅市盈率系几多", "宁德的市盈率"),
        ("阿拉自选里头啥人涨得最结棍", "自选里涨得最多的是哪只"),
        ("茅台在20天线上面吗", "茅台在20日均线上方吗"),
        ("端午节股市休不休", "端午休几天"),
        ("港股印花税买卖都收吗", "港股印花税多少"),
        ("我说过比亚迪跌到多少想买来着", "我说过多少钱买比亚迪"),
        ("把提醒按离触发远近排一下", "哪个提醒最接近触发"),
        ("我手里这几家，哪家最先出财报", "持仓财报日期"),
        ("用这个AI每天有没有花钱上限，设的多少", "每天费用上限是多少"),
    ],
)
def test_the_same_ideas_in_any_order_ask_the_same(asked, known):
    assert ideas.read_question(asked, DAY) == known


@pytest.mark.parametrize(
    "asked",
    [
        "all the notes that I wrote this month on paper",
        "did Moutai ever drop under 600 in the last two years of the boom",
        "did Moutai ever drop under 600 or over 900 in the last two years",
        "free cash flow growth of Moutai",
        "did I gain on Moutai this year",
        "what would I make if I sold CATL",
        "what is the forward P/E of Moutai",
        "is the market of the Moon open tomorrow",
        "五只银行股今年谁跌得多",
        "宁德时代RSI多少，超卖线改成20算不算",
        "茅台的市净率按火星历法",
        "卖10万块港股印花税多少",
        "自选里头有几只白酒没涨",
        "茅台和五粮液的止损各设在哪",
        "茅台上上次分红每股多少",
        "除了茅台，北水今天买了啥",
    ],
)
def test_a_word_or_a_value_that_has_no_place_is_not_passed_over(asked):
    assert ideas.read_question(asked, DAY) == ""


def test_a_question_goes_on_with_an_idea_of_the_same_kind_or_with_the_security():
    assert ideas.continue_question("weekly instead", "RSI of CATL", DAY) == "weekly RSI of CATL"
    assert ideas.continue_question("and the one of BYD", "RSI of CATL", DAY) == "RSI of BYD"
    assert ideas.continue_question("any news", "RSI of CATL", DAY) == "news on CATL"
    assert (
        ideas.continue_question("and the worst one", "which sector led today", DAY)
        == "which sector fell the most today"
    )
    assert ideas.continue_question("which ones are close then", "any alerts go off today", DAY) == (
        "which alert is closest to firing"
    )
    assert ideas.continue_question("how many", "any alerts go off last week", DAY) == ""


def test_a_bound_behind_a_figure_is_not_one_of_the_price():
    assert ideas.continue_question("was it ever under 30 this year", "RSI of CATL", DAY) == ""
    assert ideas.continue_question("was it ever under 70 this year", "price of CATL", DAY) != ""
