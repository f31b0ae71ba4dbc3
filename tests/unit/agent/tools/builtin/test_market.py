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
