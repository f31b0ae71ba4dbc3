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
