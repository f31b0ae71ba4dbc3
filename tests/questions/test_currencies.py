"""Questions about an account in two currencies: every weight is a part of the whole, every price has its day."""

import json

import pytest

from ia.agent.turns.turn import take_turn
from questions.truth import run, used_workspace

NOW = "2024-03-15T16:00:00+08:00"
WEIGHT = "{weight}% of the whole account"
pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A workspace with shares in Shanghai, Shenzhen and New York."""
    with used_workspace(tmp_path_factory.mktemp("currencies"), "en", NOW, ("600519", "AAPL")) as used:
        run("trade", "deposit", "500000", "--date", "2024-01-02")
        run("trade", "deposit", "20000", "--currency", "USD", "--date", "2024-01-02")
        run("trade", "buy", "600036", "1000", "30", "--date", "2024-02-01", "--because", "low valuation")
        run("trade", "buy", "600036", "2000", "31", "--date", "2024-03-12", "--because", "more of it")
        run("trade", "buy", "AAPL", "30", "180", "--date", "2024-03-12")
        run("trade", "sell", "600036", "300", "31", "--date", "2024-03-14", "--override", "--because", "less")
        yield used


def ask(home, question):
    return take_turn(home, question, model="ia-offline").reply


@pytest.fixture(scope="module")
def weights(home):
    positions = json.loads(run("account", "--json"))["positions"]
    return {name: each["limit_weight_pct"] for name, each in positions.items()}


@pytest.mark.parametrize(
    "question", ["Should I sell China Merchants Bank?", "which is my largest position", "any position above 1%?"]
)
def test_a_weight_is_a_part_of_the_whole_account(home, weights, question):
    assert WEIGHT.format(weight=f"{weights['600036.SH']:.2f}") in ask(home, question)


def test_the_table_of_positions_says_of_what_its_weights_are(home, weights):
    reply = ask(home, "How are my positions doing?")
    assert "weight in the whole account" in reply and "600036.SH China Merchants Bank |" in reply
    assert all(f"| {weight:.2f}% |" in reply for weight in weights.values())
    assert "(2024-03-14)" in next(line for line in reply.splitlines() if "AAPL.US" in line)


def test_concentration_adds_what_is_in_one_currency(home, weights):
    assert f"all {sum(weights.values()):.2f}%" in ask(home, "Am I too concentrated?")


def test_every_purchase_is_named_before_a_sale(home):
    reply = ask(home, "Should I sell China Merchants Bank?")
    assert "Your 2 purchases: 2024-03-12 bought 2,000" in reply and "2024-02-01 bought 1,000" in reply


def test_purchases_are_counted_without_the_sales(home):
    reply = ask(home, "What did I buy this week?")
    assert reply.startswith("**2 purchases** (2024-03-11") and "sold" not in reply
    assert ask(home, "What did I sell this week?").startswith("**1 sale** (2024-03-11")


def test_a_ranking_dates_what_is_of_an_earlier_day(home):
    reply = ask(home, "What moved most on my watch list?")
    assert "Apple AAPL.US" in reply
    line = next(line for line in reply.splitlines() if "Apple AAPL.US" in line)
    assert "2024-03-14" in line.partition("Apple AAPL.US")[2].partition(";")[0]


@pytest.mark.parametrize(
    "question", ["How much money is in the US?", "美股里有多少钱", "how much have I put in US stocks?"]
)
def test_money_in_a_market_is_the_account_of_its_currency(home, question):
    reply = ask(home, question)
    assert "USD" in reply and "AAPL.US" in reply and "2024-03-14" in reply


@pytest.mark.parametrize(
    "question", ["what is one share of Apple in yuan", "苹果一股多少人民币", "how much is Apple worth in CNY"]
)
def test_one_share_is_told_in_yuan(home, question):
    found = json.loads(run("account", "--json"))
    rate = next(row["rate"] for row in found["total"]["rates"] if row["currency"] == "USD")
    assert f"{found['positions']['AAPL.US']['current_price'] * rate:,.2f} CNY" in ask(home, question)


@pytest.mark.parametrize(
    ("first", "then"), [("highest close of BYD this year?", "and the lowest?"), ("比亚迪今年最高收盘价", "那最低呢")]
)
def test_the_other_extreme_keeps_the_time(home, first, then):
    session = take_turn(home, first, model="ia-offline").session
    reply = take_turn(home, then, session=session, model="ia-offline").reply
    assert "2024-01-02 – 2024-03-15" in reply


def test_a_new_group_beside_one_of_the_same_industry_is_asked_for(home):
    assert "chips" in ask(home, "put SMIC in the chips group")
    reply = ask(home, "把寒武纪放到半导体组")
    assert "--group chips" in reply and "--group 半导体" in reply


@pytest.mark.parametrize("question", ["Send me today's review to my phone", "push the daily review to my phone"])
def test_what_is_not_sent_says_so(home, question):
    assert "ia send --to phone" in ask(home, question)


def test_a_currency_a_part_or_a_day_that_is_asked_for_is_kept(home):
    found = json.loads(run("account", "--json"))
    book, worth = found["currencies"]["USD"], found["positions"]["600036.SH"]["value"]
    assert ask(home, "US dollar cash").startswith(f"**{book['cash']:,.2f} USD** in cash")
    assert ask(home, "value of my US stocks").startswith(f"**{book['positions_value']:,.2f} USD** in positions")
    assert "no HKD account" in ask(home, "How much do I have in Hong Kong dollars?")
    assert f"{worth:,.2f} CNY" in ask(home, "How much have I invested in banks?")
    assert f"worth {worth:,.2f} CNY" in ask(home, "how much is invested in China Merchants Bank")
    rate = next(row["rate"] for row in found["total"]["rates"] if row["currency"] == "USD")
    biggest = ask(home, "biggest holding in US dollars").splitlines()[0]
    assert found["positions"]["AAPL.US"]["value"] < worth / rate and f"{worth / rate:,.2f} USD" in biggest
    assert "**20%**" in ask(home, "What is my position limit in yuan?")


def test_a_sale_is_told_by_what_it_realized(home):
    sale = json.loads(run("tool", "call", "account.history", "{}"))[0]
    told = f"realized **{sale['realized']:+,.2f} CNY**"
    assert told in ask(home, "What was my profit on the March 14 sale?")
    assert told in ask(home, "how much did I make on my CMB sale on March 14?")
    assert ask(home, "How much profit would I have selling all CMB now?") == ask(
        home, "what would I lose if I sold all CMB now"
    )


def test_shares_that_are_counted_are_multiplied(home):
    found = json.loads(run("account", "--json"))
    rate = next(row["rate"] for row in found["total"]["rates"] if row["currency"] == "USD")
    price = found["positions"]["AAPL.US"]["current_price"]
    assert f"{100 * price * rate:,.2f} CNY" in ask(home, "How much is 100 shares of Apple in yuan?")


def test_the_part_of_the_shares_leaves_out_the_cash(home):
    found = json.loads(run("tool", "call", "account.allocation", json.dumps({"by": "security"})))["shares"]
    held = {row["name"]: row["weight_pct"] for row in found if row.get("kind") == "security"}
    part = held["AAPL.US"] / sum(held.values()) * 100
    assert f"{part:.2f}%" in ask(home, "苹果占我股票市值的比例")


def test_who_has_no_bar_of_today_is_named(home):
    line = next(line for line in ask(home, "自选里哪些今天涨了").splitlines() if "2024-03-14" in line)
    assert "AAPL.US" in line


@pytest.mark.parametrize(
    ("question", "told", "left_out"),
    [
        ("which of my US stocks lost the most", ("AAPL.US",), ("600036", "CNY")),
        ("my worst holding, A-shares only", ("600036.SH", "CNY"), ("AAPL", "USD")),
        ("how much have I paid in fees, US only", ("USD",), ("CNY",)),
        ("我哪只股票亏得最多，只看美股", ("AAPL.US",), ("600036", "CNY")),
        ("除了美股，我哪只股票亏得最多", ("600036.SH",), ("AAPL", "USD")),
        ("我一共交了多少手续费，只看A股", ("CNY",), ("USD",)),
        ("我的自选股里有几只美股", ("1 只", "AAPL.US"), ("600519",)),
    ],
)
def test_market_that_is_named_leaves_out_the_others(home, question, told, left_out):
    reply = ask(home, question)
    assert all(words in reply for words in told), reply
    assert not any(words in reply for words in left_out), reply


@pytest.mark.parametrize("question", ["what is the beta of my portfolio, US only", "我最大回撤多少，只看美股"])
def test_market_that_cannot_be_left_out_is_asked_back(home, question):
    reply = ask(home, question)
    assert "US" in reply.splitlines()[0] or "美股" in reply.splitlines()[0]
    assert not any(char == "%" for char in reply)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("I sold 50 China Merchants Bank at 31 today", ("the exchange's rules refuse it", "It has happened? Then:")),
        (
            "I sold 50000 China Merchants Bank at 31 today",
            ("does not fit the journal", "`ia trade sell` refuses it, too"),
        ),
        ("I bought 5000 CATL at 82 today", ("your risk rules refuse it: position limit", "It has happened? Then:")),
    ],
)
def test_a_refused_trade_says_whose_rule_it_is_and_what_can_be_done(home, told, words):
    reply = ask(home, told)
    assert all(each in reply for each in words)
