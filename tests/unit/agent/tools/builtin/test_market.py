"""market.*: what a model is told where there is nothing to see, so that it can go on."""

import json

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.scope import Scope


@pytest.fixture
def call(ws, monkeypatch):
    """Call a tool as a model does and return what it is told."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")

    def call_tool(name, **arguments):
        outcome = catalog.build_router(ws).call_tool(Scope(ws, actor="model m"), name, arguments)
        return json.loads(outcome.format_text())

    return call_tool


def test_a_day_without_trading_tells_the_bar_before_it(call):
    told = call("market.ohlcv", symbol="600519", start="2024-03-10", end="2024-03-10")
    assert told["code"] == "no-bars-then"
    assert told["hint"].endswith("the bar before them is of 2024-03-08")
    assert "hint" not in call("market.ohlcv", symbol="600519", end="2014-03-10")


@pytest.mark.process
def test_a_day_on_which_no_stock_was_listed_tells_the_newest_list(call, ws):
    from ia.organs.market.sync import SyncRequest, sync_market

    sync_market(ws, SyncRequest("all"))
    newest = call("market.lhb")["date"]
    assert newest == "2024-03-11"
    told = call("market.lhb", date="2024-03-15")
    assert told["error"] == "no stock is on the stored list of 2024-03-15" and newest in told["hint"]
    assert call("market.lhb", date=newest)["rows"]


def test_a_rate_is_that_of_its_day_and_obeys_the_clock(call, monkeypatch):
    told = call("market.rate", currency="usd")
    assert (told["currency"], told["base"], told["date"], told["simulated"]) == ("USD", "CNY", "2024-03-15", True)
    assert call("market.rate", currency="USD", date="2030-01-01") == told
    monkeypatch.setenv("IA_NOW", "2024-03-15T09:00+08:00")  # the parity is published at 9:15
    assert call("market.rate", currency="USD", date="2024-03-15")["date"] == "2024-03-14"
    weekend, dollar, hong_kong = (
        call("market.rate", date="2024-03-10", **pair)
        for pair in ({"currency": "CNY", "base": "USD"}, {"currency": "USD"}, {"currency": "USD", "base": "HKD"})
    )
    assert weekend["date"] == "2024-03-08"
    assert abs(weekend["rate"] * dollar["rate"] - 1) < 1e-9 and 7.5 < hong_kong["rate"] < 8.1
    assert call("market.rate", currency="EUR")["error"].endswith("known: USD, HKD, CNY")
    assert "2001-01-01" in call("market.rate", currency="USD", date="2001-01-01")["error"]


def test_the_rates_of_a_trade_are_those_of_the_day(call):
    told = call("trade.rules")
    stamp = {(row["rule"], row["market"]): row["value"] for row in told["rules"]}
    assert stamp["stamp_sell", "A"] == "0.05" and told["commission"] == {
        "pct": 0.025, "per_share": 0, "min": 5, "known": True,
    }  # fmt: skip
    abroad = call("trade.rules", market="HK")
    assert {row["market"].partition(".")[0] for row in abroad["rules"]} == {"HK"} and not abroad["commission"]["known"]


@pytest.mark.process
def test_a_scan_takes_a_first_day_and_a_saved_condition(call, ws):
    from pathlib import Path

    from ia.organs.market.sync import SyncRequest, sync_market

    sync_market(ws, SyncRequest("daily"))
    found = call("market.scan", expr="crossover(close, sma(close, 60))", since="2024-02-01", until="2024-03-08")
    days = [row["date"] for row in found["stocks"]]
    assert days == sorted(days, reverse=True) and "2024-02-01" <= days[-1] <= days[0] <= "2024-03-08"
    assert found["met"] >= found["securities"] > 0 and found["since"] == "2024-02-01"
    best = call("market.scan", expr="xrank(roc(close, 20)) > 0.9")
    assert 0 < best["met"] < 0.2 * best["looked"] and "sandboxed" not in best
    folder = Path(ws.root) / "strategies"
    folder.mkdir(parents=True)
    (folder / "above.yaml").write_text("expr: close > sma(close, 60)\nwhere: price > 1\n")
    saved = call("market.scan", strategy="above")
    assert saved["met"] == call("market.scan", expr="close > sma(close, 60)", where="price > 1")["met"] > 0
    assert call("market.scan", strategy="none")["error"] == "no saved condition is named 'none'"
    assert "expr" in call("market.scan")["error"]
    assert call("market.scan", expr="close > 1", until="2024-03-08")["error"] == "until needs since"
    assert "future" in call("market.scan", expr="close > 1", since="2031-01-01")["error"]
    assert call("market.scan", expr="ta.rsi(close) > 0", universe="银行")["sandboxed"] == ["ta.rsi(close) > 0"]


@pytest.mark.process
def test_a_screen_takes_technical_conditions(call, ws):
    from ia.organs.market.sync import SyncRequest, sync_market

    sync_market(ws, SyncRequest("daily"))
    met = call("market.screen", expr="pe < 60 and rsi(close, 14) > 50", limit=100)
    scanned = call("market.scan", expr="rsi(close, 14) > 50", where="pe < 60", limit=100)
    assert {row["symbol"] for row in met["stocks"]} == {row["symbol"] for row in scanned["stocks"]}
    assert met["met"] == scanned["met"] > len(call("market.screen", expr="pe < 60 and rsi(close, 14) > 60")["stocks"])
    assert "sandboxed" not in met and call("market.screen", expr="ta.rsi(close) > 90")["sandboxed"]
    past = call("market.screen", expr="price > 1 and rsi(close, 14) > 50", date="2024-03-08", limit=100)
    days = call("market.scan", expr="rsi(close, 14) > 50", since="2024-03-08", until="2024-03-08", limit=100)
    assert {row["symbol"] for row in past["stocks"]} == {row["symbol"] for row in days["stocks"]} != set()
    assert "joined with `and`" in call("market.screen", expr="pe < 60 or rsi(close, 14) > 50")["error"]
