"""Messages that ask for several things: each is answered, and what was not understood is said."""

import pytest

from ia.agent.analyst.ask.several import asks_more, split_message

NOW = "2024-03-15T16:00:00+08:00"


@pytest.fixture
def say(ws, monkeypatch, begin):
    """Take a turn with the embedded analyst in a workspace with a market and a position."""
    from ia.agent.turns.turn import take_turn

    demo = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": NOW}
    for name, value in demo.items():
        monkeypatch.setenv(name, value)
    begin(
        demo,
        ("init",),
        *(("reject", str(number)) for number in range(1, 6)),
        ("sync",),
        ("trade", "deposit", "500000"),
        ("trade", "buy", "600036", "1000", "23", "--because", "dividends"),
    )
    return lambda message: take_turn(ws, message, model="ia-offline").reply


@pytest.mark.parametrize(
    ("message", "count"),
    [
        ("茅台市盈率多少？比亚迪呢？", 2),
        ("How is the market today and what about my positions?", 2),
        ("请问茅台今天多少钱？谢谢！", 0),
        ("如果茅台跌到700，我亏多少", 0),
        ("市值超过5,000亿的股票，除了银行", 0),
        ("/compare 300750, 600519", 0),
        ("a, b, c, d, e, f", 0),
        ("", 0),
    ],
)
def test_a_message_is_split_where_one_question_ends(message, count):
    assert len(split_message(message)) == count


@pytest.mark.parametrize("part", ["从哪天到哪天", "on which day", "why", "为什么", "我有点担心"])
def test_what_only_asks_when_or_why_is_no_question_of_its_own(part):
    assert not asks_more(part)


@pytest.mark.process
def test_each_question_of_a_message_is_answered(say):
    told = say("茅台今天收盘多少，成交量呢，大盘今天涨了吗")
    assert "收盘价 749.61" in told and "502.93万" in told and "上涨 10 家，下跌 19 家" in told
    told = say("What do I hold and how much cash do I have?")
    assert " 600036.SH: 4.70%" in told and "**cash** 476,99" in told
    told = say("What is the P/E of CATL, and when does it report next?")
    assert "P/E (TTM) 41.47" in told and "2023-12-31" in told


@pytest.mark.process
def test_a_question_goes_on_with_the_security_before_it_or_with_another_subject(say):
    told = say("招行现在浮盈多少？我当时为什么买的？")
    assert "+520.00" in told or "浮动盈亏" in told
    assert "dividends" in told
    told = say("茅台的市盈率，五粮液的市净率")
    assert "贵州茅台** 600519.SH：市盈率" in told and "五粮液** 000858.SZ：市净率" in told


@pytest.mark.process
def test_what_was_not_understood_is_said_beside_what_was(say):
    told = say("北向这个月净买入多少，谁最看好？")
    assert "**北向资金**" in told and "没有读懂，也就没有回答：“谁最看好”。" in told
    told = say("What is BYD's P/E, and how many cars did it sell?")
    assert "P/E (TTM)" in told and 'Not understood, and so not answered: "how many cars did it sell".' in told


@pytest.mark.process
def test_one_question_in_two_clauses_stays_one(say):
    assert "读懂" not in say("招行今年最大回撤多少，从哪天到哪天")
    assert "%" in say("我手续费总共花了多少，占本金多少")
    assert say("茅台的市盈率，市净率").count("贵州茅台") == 1
