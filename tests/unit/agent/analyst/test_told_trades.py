"""What the owner tells: trades, money, notes and the watch list. No number of a sentence is misread or dropped."""

from datetime import date

import pytest

from ia.agent.analyst.ask.mentions import find_mentions, find_short_names
from ia.agent.analyst.ask.told_trades import parse_payment, parse_trades
from ia.agent.turns.turn import take_turn

MONDAY = date(2024, 3, 4)


def read(text):
    """Return of each trade: side, code, shares or part, price, reason, and what was not understood."""
    trades = parse_trades(text, find_mentions(text) or find_short_names(text), MONDAY)
    return [
        ("sell" if t.selling else "buy", t.mention.code[:6], t.part or t.shares, t.price, t.reason, t.unread)
        for t in trades
    ]


@pytest.mark.parametrize(
    ("text", "trade"),
    [
        ("今早按25块3毛卖了招行1000股", ("sell", "600036", 1000, 25.3, "", ())),
        ("我买了1000股招行，23块5", ("buy", "600036", 1000, 23.5, "", ())),
        ("买入招商银行两千股，均价二十五块三毛五", ("buy", "600036", 2000, 25.35, "", ())),
        ("我把隆基全卖了，11.9", ("sell", "601012", "all", 11.9, "", ())),
        ("我卖出100股宁德时代，价格82", ("sell", "300750", 100, 82, "", ())),
        ("买入一手五粮液 56元", ("buy", "000858", 100, 56, "", ())),
        ("我今天以13.35买了3000股隆基绿能，光伏底部反转", ("buy", "601012", 3000, 13.35, "光伏底部反转", ())),
        ("I bouhgt 100 shares of ICBC at 4.18", ("buy", "601398", 100, 4.18, "", ())),
        ("sold 500 BYD at 82.1, took profit", ("sell", "002594", 500, 82.1, "took profit", ())),
        ("I bought 500 ICBC at 4.42 because of the dividend", ("buy", "601398", 500, 4.42, "the dividend", ())),
        ("I purchased two hundred shares of BYD at 80.1", ("buy", "002594", 200, 80.1, "", ())),
        ("I picked up 300 shares of CATL for 85.2 each", ("buy", "300750", 300, 85.2, "", ())),
        ("我买了中芯国际一手，45.2", ("buy", "688981", None, 45.2, "", ("1手",))),
        ("I bought CATL for 20000 yuan", ("buy", "300750", None, None, "", ())),
        ("买了2万块的招行", ("buy", "600036", None, None, "", ())),
        ("sold 100 CATL at $85", ("sell", "300750", 100, 85, "", ("at $85",))),
        ("Bought 10 AAPL at 215 since services grow", ("buy", "AAPL.U", 10, 215, "services grow", ())),
        ("Sold 100 BYD at 80 as it is overheated", ("sell", "002594", 100, 80, "it is overheated", ())),
        ("买了10股招行，25，鉴于服务增长", ("buy", "600036", 10, 25, "服务增长", ())),
        ("我约25元买了100股招行", ("buy", "600036", 100, 25, "", ("约",))),
    ],
)
def test_a_told_trade_is_read_whole(text, trade):
    assert read(text) == [trade]


def test_two_trades_are_two():
    assert [each[:4] for each in read("I bought 100 CATL and sold 100 BYD at 80")] == [
        ("buy", "300750", 100, None),
        ("sell", "002594", 100, 80),
    ]
    assert [each[:4] for each in read("I bought 100 CATL and 200 BYD at 80")] == [
        ("buy", "300750", 100, None),
        ("buy", "002594", 200, 80),
    ]


@pytest.mark.parametrize(
    ("text", "money"),
    [
        ("我转入了五万块", ("deposit", 50000, "CNY")),
        ("I deposited 500000 yuan today", ("deposit", 500000, "CNY")),
        ("I withdrew 2,500 dollars", ("withdraw", 2500, "USD")),
        ("我收到招行分红1488元", ("dividend", 1488, "CNY")),
    ],
)
def test_told_money_has_kind_amount_and_currency(text, money):
    told = parse_payment(text, MONDAY)
    assert (told.kind, told.amount, told.currency) == money


@pytest.fixture
def desk(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-04T16:30:00+08:00")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    ws.write("notebook/ideas/tesla.md", "# Tesla\n\nWatch the robotaxi event in August\n", actor="user")
    ws.write("notebook/research/BYD/thesis.md", "Blade battery; fair value 90 yuan\n", actor="user")
    ws.write("memory/tracking.md", "# Tracking\n\n- 600519.SH 贵州茅台 (2024-03-04)\n", actor="user")
    return ws


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("我昨天以78.5买了100股比亚迪", ["2024-03-03", "ia trade buy 002594.SZ 100 78.50 --date 2024-03-01"]),
        ("I bought 100 ICBC at 9.99", ["proposed for the journal", "Check the price"]),
        ("I bought 10 TSLA at 430 because I like the roadmap", ["proposed for the journal", "I like the roadmap"]),
        ("I did not buy Tesla yesterday", ["nothing to enter"]),
        ("I deposited 500000 yuan today", ["`ia trade deposit 500000`"]),
        ("我收到招行分红1488元", ["`ia trade dividend 600036.SH 1488`"]),
        ("What are my notes on Tesla?", ["robotaxi event", "notebook/ideas/tesla.md"]),
        ("search my notes for robotaxi", ["robotaxi event"]),
        ("What was my fair value for BYD?", ["fair value 90 yuan"]),
        ("比亚迪我记过什么", ["fair value 90 yuan"]),
        ("What did I write on 4 March?", ["tesla.md", "thesis.md"]),
        ("Put Ping An on my watch list", ["could be several", "601318.SH", "000001.SZ"]),
        ("自选股加上比亚迪、五粮液", ["002594.SZ", "000858.SZ"]),
        ("Is Moutai in my watch list?", ["yes, on the watch list"]),
        ("My thesis on CATL: storage grows", ["Kept: observation"]),
        ("My target for Moutai is 900", ["nothing is kept yet", "note: My target for Moutai is 900"]),
        ("Remember that I never buy before earnings", ["Belief: I never buy before earnings"]),
    ],
)
def test_what_the_owner_says_is_kept_proposed_or_found(desk, said, facts):
    told = take_turn(desk, said, model="ia-offline").reply
    assert [fact for fact in facts if fact not in told] == [], told


@pytest.mark.parametrize(
    ("text", "payment"),
    [
        ("我转入了5万到证券账户", ("deposit", 50000, MONDAY)),
        ("我把10万转入账户", ("deposit", 100000, MONDAY)),
        ("我收到2万分红", ("dividend", 20000, MONDAY)),
        ("我追加了3千万", ("deposit", 30_000_000, MONDAY)),
        ("我从证券账户转了5万到银行卡", ("withdraw", 50000, MONDAY)),
        ("上周我转入了5万元", ("deposit", 50000, None)),
        ("I put 50k into my account yesterday", ("deposit", 50000, date(2024, 3, 3))),
    ],
)
def test_money_is_told_with_its_unit_its_direction_and_its_day(text, payment):
    told = parse_payment(text, MONDAY)
    assert (told.kind, told.amount, told.day) == payment


@pytest.mark.parametrize("text", ["我提了3个问题", "转了1万给朋友", "I added 3 questions", "我存了5股茅台"])
def test_what_is_no_money_of_the_account_is_no_payment(text):
    assert parse_payment(text, MONDAY) is None


def test_the_wish_to_enter_a_trade_is_no_reason():
    assert read("我今天卖了100股格力，27.5，记一下") == [("sell", "000651", 100, 27.5, "", ())]
    assert read("I bought 100 CATL at 82.5, please log it") == [("buy", "300750", 100, 82.5, "", ())]
