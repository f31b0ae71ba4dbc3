"""The tools backtest.run and backtest.show, through the router."""

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.scope import Scope
from ia.kernel.errors import NotFound, UsageError


@pytest.fixture
def call(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    router, scope = catalog.build_router(ws), Scope(ws, actor="model test", asked="回测茅台")

    def run(name, **args):
        outcome = router.call_tool(scope, name, args)
        return outcome.value if outcome.ok else outcome.failure

    return run


def test_a_model_runs_rules_and_shows_the_run(call):
    made = call(
        "backtest.run", symbols=["茅台"], entry="rsi(close, 14) < 30", exit="rsi(close, 14) > 60", since="2020-01-01"
    )
    assert made["settings"]["universe"] == "600519.SH"
    assert made["simulated"] is True
    assert "buy_and_hold" in made["compare"]
    shown = call("backtest.show", orders=3)
    assert shown["id"] == made["id"]
    assert shown["runs"] == 1
    assert len(shown["newest_orders"]) <= 3


def test_wrong_arguments(call):
    assert isinstance(call("backtest.run", entry="close > 1"), UsageError)
    assert isinstance(call("backtest.show", id="abc"), NotFound)


def test_runs_are_ranked_by_the_deflated_sharpe_ratio(call):
    rules = [(f"crossover(sma(close, {a}), sma(close, {b}))") for a, b in ((5, 20), (10, 30), (20, 60))]
    made = [call("backtest.run", symbols=["600519"], entry=rule, stop=8, since="2022-01-01") for rule in rules]
    found = call("backtest.list", limit=2)
    assert (found["runs"], found["best_by"], len(found["rows"])) == (3, "dsr_frac", 2)
    best = max(made, key=lambda run: call("backtest.show", id=run["id"])["selection"]["dsr_frac"])
    assert (found["rows"][0]["id"], found["rows"][0]["trials"]) == (best["id"], 3)
    assert found["rows"][0]["dsr_frac"] > found["rows"][1]["dsr_frac"]
