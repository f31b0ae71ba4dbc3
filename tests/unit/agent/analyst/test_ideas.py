"""Questions by the ideas in them: every word counts, their order does not."""

from datetime import date

import pytest

from ia.agent.analyst.ask import idea_words, ideas
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.own_words import continue_ideas, read_ideas

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
        ("when's Moutai due to report", "when does Moutai report"),
        ("is CMB pricey compared with the other banks", "is CMB expensive"),
        ("How many companies went limit-up today?", "which stocks hit limit-up today"),
        ("How far does CATL have to rise before my alert goes off?", "how far is CATL from my alert"),
        ("Moutai rank by ROE among liquor stocks", "where does Moutai rank in liquor by ROE"),
        ("was yesterday a red day for the market", "how did the market do yesterday"),
        ("what's the highest Apple has been", "all-time high of Apple"),
        ("all stocks that fell today except banks", "top losers today without banks"),
        ("how long is the lunch break", "trading hours of A-shares"),
        ("RSI 是干嘛的", "RSI是什么意思"),
        ("茅台ROE在白酒里排第几", "茅台的ROE在白酒里排第几"),
        ("周五的复盘几点", "每周复盘下次什么时候运行"),
        ("宁德的量比20日均量大还是小", "宁德成交量和均量比"),
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
    ("asked", "known"),
    [
        ("when did I set my alert on Moutai", "approval date of my alert on Moutai"),
        ("what happens at 15:00 every day", "what does the task at 15:00 do"),
        ("is the friday review switched on", "is the weekly review running"),
        ("怎么把每日复盘关掉", "怎么暂停每日复盘任务"),
        ("set my alert on Moutai to 700", ""),
        ("每天15点提醒我看盘", ""),
        ("every friday review my week", ""),
    ],
)
def test_a_question_that_looks_like_a_wish_is_read_before_the_rules(asked, known):
    assert ideas.read_question(asked, DAY, first=True) == known


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


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("do I have any loss making positions right now", "which of my holdings are at a loss"),
        ("Any of my stuff down more than 10 percent", "which of my holdings are down more than 10%"),
        ("what's the damage on CATL so far", "profit on my CATL"),
        ("how much of my gain is currency", "how much of my result came from exchange rates"),
        ("biggest single loss I took", "my largest loss"),
        ("what part of my profit is Tencent", "part of my whole profit from Tencent"),
        ("what would I have if I had sold everything but Moutai", "cash if I keep Moutai and sell the rest"),
        (
            "trim Tencent to 5% of the portfolio, how many shares is that",
            "shares of Tencent to sell for a weight of 5%",
        ),
        ("what percent of my cash is in dollars", "my cash parted by currency"),
        ("how much lower can Apple go before I'm losing", "how far is Apple from my cost"),
        ("which holding is nearest to break-even", "my holdings by distance from cost"),
        ("茅台每股赚了多少", "茅台比我的成本高多少"),
        ("我卖得最大的一笔", "我最大的一笔卖出"),
        ("苹果加到两成仓位还要买几股", "苹果加到占账户20%要买的股数"),
        ("亏损的票压了我多少钱", "我亏损的持仓占用的资金"),
        ("my biggest winner percentagewise", "which holding made the most in percent"),
        ("reasons for all sales", "what did I sell"),
        ("Suppose Moutai drops to 600, how much worse off am I", "if Moutai falls to 600 what do I lose"),
        ("浮盈最多的是谁", "哪只持仓赚得最多"),
        ("除掉腾讯，我还赚吗", "我的持仓不算腾讯的盈亏和市值"),
        ("我净资产里美元占多少", "按币种看我的资产分布"),
        ("现价再补200股宁德，成本变成多少", "再买200股宁德成本变成多少"),
        ("港币还有多少没用", "我还有多少港币现金"),
        ("再买10000块茅台够吗", "10000块买茅台能买多少股"),
    ],
)
def test_the_owners_money_is_asked_for_by_ideas(asked, known):
    assert read_ideas(asked, find_mentions(asked), DAY) == known


@pytest.mark.parametrize(
    "asked",
    [
        "Suppose Moutai drops 600, how much worse off am I",  # by 600 or to 600
        "would 100 more Moutai break my 15% rule",
        "what did Apple cost me in total, in yuan",
        "除了平安银行，我还有没有卖掉过别的",
        "did I sell all of my Tencent and Apple",  # a fact, and no supposition
        "腾讯的利润里投资收益占几成",  # the profit of the company
        "am I within my limits everywhere",  # a yes would be the opposite of that to “do I break any”
        "best performing stock this year",  # of the market, not of what is held
    ],
)
def test_what_has_no_place_in_a_known_question_about_money_is_not_passed_over(asked):
    assert read_ideas(asked, find_mentions(asked), DAY) == ""


@pytest.mark.parametrize(
    ("asked", "before", "known"),
    [
        ("with fees in", "what is my average cost of CATL", "my average price for CATL"),
        (
            "and the fee on that",
            "what if I sell all my CATL, cash after",
            "what would it cost me to sell all my CATL shares",
        ),
        ("weight then", "can I afford 50 more Apple shares", "could I afford another 50 Apple"),
        ("里面汇率占了几钿", "苹果我赚了没，按人民币算", "我苹果的盈亏里汇率占多少"),
        ("那占比呢", "买50股苹果之后还剩多少现金", "再买50股苹果占比会到多少"),
        ("我成本多少", "宁德回本要涨到多少", "宁德我的均价是多少"),
        ("just on CATL", "what fees did I pay so far", "what did I pay in fees on CATL"),
        ("and if everything drops 20%?", "if Tencent drops 20% what do I lose", "what if all my stocks fall 20%"),
        ("and Apple too?", "cash after selling Tencent", "cash if I sell exactly Tencent and Apple"),
        ("how many in all", "how often did I trade in February", "how many trades did I make"),
        ("in CATL?", "how much of my account is in A-shares", "how much of my account is CATL"),
        ("百分之几", "腾讯我赚着吗", "腾讯我赚了多少"),
        ("全卖呢", "要是我把茅台卖一半会怎样", "如果把茅台全部卖掉能赚多少"),
        ("这个理由还成立吗", "我为什么买茅台", "我买茅台的理由还成立吗"),
        ("profit", "could I afford another 50 Apple", ""),  # of what is supposed, not of what is held
    ],
)
def test_a_question_about_money_goes_on_with_the_one_before(asked, before, known):
    assert continue_ideas(asked, before, DAY) == known


def test_the_table_of_known_questions_names_ideas_that_have_words():
    by_value = {"SECURITY", "SECURITY2", "INDEX", "INDEX2", "TIME", "COMING", "NUMBER", "PERCENT", "EVER", "YEARLONG"}
    by_value |= {"CLOCK"}
    signs = idea_words._load_words("ideas.tsv")
    with_words = {name for sign in signs for word in ideas._find_words(sign) for name in word.ideas}
    used = {name for known in ideas._load_known() for name in known.allowed}
    assert used - with_words - by_value == set()
