"""What a single purchase has brought, where bonus shares or a split came after it."""

import json
import re

import pytest

DEMO = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T18:00+08:00", "IA_LANG": "zh"}


@pytest.fixture
def ask(ia, begin):
    """Ask one question after some commands; return the answer."""

    def ask_after(commands, *questions):
        begin(DEMO, ("init",), ("sync",), ("trade", "deposit", "500000", "--date", "2019-01-02"))
        for command in commands:
            run = ia("trade", *command.split(), env=DEMO)
            assert run.returncode == 0, run.stderr
        return [ia("turn", "-s", "one", question, env=DEMO).stdout for question in questions][-1]

    return ask_after


def profit_of(ia, symbol):
    rows = json.loads(ia("profit", "--json", env=DEMO).stdout)["positions"]
    return next(row for row in rows if row["symbol"] == symbol)


def first_amount(text):
    return float(re.search(r"\*\*([+-][\d,.]+) CNY\*\*", text)[1].replace(",", ""))


BUY = "buy 300750 100 76 --date 2024-01-08"
BONUS = "bonus 300750 0.5 --date 2024-02-01"
SPLIT = "split 300750 2 --date 2024-02-05"


@pytest.mark.parametrize("question", ["1月8号买的宁德时代现在亏多少", "how is the CATL I bought on January 8 doing"])
def test_bonus_shares_and_splits_count(ask, ia, question):
    answer = ask([BUY, BONUS, SPLIT], question)
    assert abs(first_amount(answer) - profit_of(ia, "300750.SZ")["unrealized"]) < 0.01
    assert "300" in answer.splitlines()[1]


def test_bonus_shares_of_the_market_data_count(ask, ia):
    """The demo market gives BYD's holders one share for each on 2019-05-16."""
    answer = ask(["buy 002594 100 50 --date 2019-01-08"], "2019年1月8号买的比亚迪赚了多少")
    known = profit_of(ia, "002594.SZ")
    assert known["size"] > 100
    assert abs(first_amount(answer) - known["unrealized"]) < 0.01
    assert "分红" in answer


def test_a_purchase_after_the_bonus_shares_is_as_it_was(ask, ia):
    answer = ask([BUY, BONUS, "buy 300750 100 80 --date 2024-02-20"], "2月20号买的宁德时代现在亏多少")
    price = profit_of(ia, "300750.SZ")["price"]
    assert abs(first_amount(answer) - (100 * price - 8000 - 5.08)) < 0.02
    assert len(answer.splitlines()) == 1


def test_shares_that_arrived_without_a_ratio_count(ask, ia):
    answer = ask([BUY, "bonus 300750 --quantity 50 --date 2024-02-01"], "1月8号买的宁德时代现在亏多少")
    assert abs(first_amount(answer) - profit_of(ia, "300750.SZ")["unrealized"]) < 0.01


def test_the_change_since_a_sale_counts_the_split(ask, ia):
    commands = [
        BUY,
        "sell 300750 100 80 --date 2024-01-15 --override --because x",
        "buy 300750 100 75 --date 2024-01-22",
    ]
    answer = ask([*commands, "split 300750 2 --date 2024-02-05"], "宁德时代卖早了吗")
    price = profit_of(ia, "300750.SZ")["price"]
    assert f"{price * 2 / 80 * 100 - 100:+.1f}"[:5] in answer.replace("−", "-")
