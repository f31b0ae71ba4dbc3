"""`ia backtest journal`: the journal's trades and what the engine makes of them."""

import json

import pytest


@pytest.fixture(autouse=True)
def traded(ia, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")


def trade(ia, *words):
    done = ia("trade", *words, "--override", "--because", "x")
    assert done.returncode == 0, done.stderr


def bars(ia, symbol):
    lines = ia("ohlcv", symbol, "--adjust", "none", "--start", "2024-01-01").stdout.split()
    head = lines[0].split(",")
    return {row["date"]: row for line in lines[1:] for row in [dict(zip(head, line.split(","), strict=True))]}


def test_trades_at_the_open_are_the_engine_s_to_the_cent(ia):
    prices = bars(ia, "600036")
    days = sorted(prices)
    ia("trade", "deposit", "500000", "--date", days[0])
    for at, side in ((3, "buy"), (20, "buy"), (30, "sell")):
        trade(ia, side, "600036", "1000", prices[days[at]]["open"], "--date", days[at])
    (run,) = json.loads(ia("backtest", "journal", "--json").stdout)
    for side in (run["journal"], run["engine"]):
        side["closed"] |= {"best": None, "worst": None}  # the engine knows no names
    assert run["journal"] == run["engine"] and run["engine"]["filled"] == 3 and run["simulated"]
    assert [each["difference_pct"] for each in run["trades"]] == [0.0] * 3
    assert run["engine"]["closed"]["trades"] == 1
    profit = json.loads(ia("profit", "--json").stdout)["total_profit"]
    assert run["journal"]["profit"] == pytest.approx(profit, abs=0.01)


def test_what_the_rules_do_not_let_pass_has_a_reason(ia):
    prices = bars(ia, "600036")
    days = sorted(prices)
    ia("trade", "deposit", "500000", "--date", days[0])
    trade(ia, "buy", "600036", "1000", "1.00", "--date", days[3])
    trade(ia, "sell", "600036", "1000", "99", "--date", days[9])
    (run,) = json.loads(ia("backtest", "journal", "--json").stdout)
    first, last = run["trades"]
    assert first["engine_price"] == float(prices[days[3]]["open"]) and first["difference_pct"] > 100
    assert last["engine_price"] == float(prices[days[9]]["open"])
    assert run["journal"]["profit"] > 90_000 > run["engine"]["profit"]
    table = ia("backtest", "journal", "--trades").stdout.splitlines()
    assert table[0].split("\t")[:3] == ["date", "symbol", "side"] and len(table) == 3


def test_without_trades_there_is_one_line(ia):
    done = ia("backtest", "journal")
    assert done.returncode == 66 and "no trades yet" in done.stderr
