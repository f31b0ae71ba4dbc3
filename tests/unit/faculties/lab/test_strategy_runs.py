"""Strategy files: on_bar(ctx) in the sandbox, after each close."""

from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.faculties.lab.lookahead_check import check_run
from ia.faculties.lab.rule_runs import run_rules
from ia.faculties.lab.run_market import build_market
from ia.faculties.lab.run_types import RuleSettings
from ia.faculties.lab.securities import Security
from ia.faculties.lab.strategy_runs import run_strategy
from ia.kernel.errors import BadData, Refused, TimedOut
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

DAYS = [f"2024-03-{day:02d}" for day in (4, 5, 6, 7, 8, 11, 12, 13, 14, 15)]


def market(closes=(10, 10, 10.5, 10.5, 10, 10, 10, 10, 10, 10), actions=()):
    rows = [(day, c, c * 1.01, c * 0.99, c, 10_000_000) for day, c in zip(DAYS, closes, strict=False)]
    return build_market(
        [Security(symbol=from_canonical("600000.SH"), bars=Bars.from_rows(rows), actions=tuple(actions))]
    )


def run(source, world=None):
    return run_strategy(source, "strategy.py", RuleSettings(entry="", cash=Decimal(10_000)), world or market())


def test_a_file_does_what_rules_do():
    source = """
def on_bar(ctx):
    close = ctx.bars.close[-1]
    if close > 10.2 and not ctx.position():
        ctx.buy(percent=100)
    elif close < 10.2 and ctx.position():
        ctx.sell()
"""
    file = run(source)
    from ia.faculties.lab.backtests import parse_size

    settings = RuleSettings(entry="close > 10.2", exit="close < 10.2", cash=Decimal(10_000), size=parse_size("100%"))
    rules = run_rules(settings, market())
    assert [fill[1:] for fill in file.fills] == [fill[1:] for fill in rules.fills]
    assert file.equity == rules.equity
    assert check_run(file, market(), lambda world: run(source, world), seed=1, cuts=4).passed


def test_only_bars_up_to_the_day_with_the_last_as_traded():
    source = """
def on_bar(ctx):
    assert len(ctx.bars.close) == ctx.state.get("n", 0) + 1
    ctx.state["n"] = len(ctx.bars.close)
    if ctx.date == "2024-03-07":
        assert ctx.bars.close[-1] == 9 and abs(ctx.bars.close[0] - 9) < 1e-9, ctx.bars.close[0]
    if ctx.date == "2024-03-05":
        assert ctx.bars.close[-1] == 10
"""
    closes = (10, 10, 10, 9, 9, 9, 9, 9, 9, 9)
    assert run(source, market(closes, [Action("2024-03-07", cash=1.0)])).fills == ()


def test_bars_that_are_kept_stay_those_of_their_day():
    source = """
def on_bar(ctx):
    before = ctx.state.get("bars")
    assert before is None or len(before.close) == before.count == ctx.bars.count - 1
    assert before is None or before.date == ctx.state["date"] and before.close[-1] == ctx.state["close"]
    ctx.state["bars"], ctx.state["date"], ctx.state["close"] = ctx.bars, ctx.date, ctx.bars.close[-1]
    if ctx.date == "2024-03-06":
        ctx.buy(100)
"""
    closes = (10, 10, 10, 9, 9, 9, 9, 9, 9, 9)
    (fill,) = run(source, market(closes, [Action("2024-03-13", cash=1.0)])).fills
    assert fill.date == "2024-03-07"


def test_limit_orders_exits_and_the_account():
    source = """
def on_bar(ctx):
    if ctx.date == "2024-03-04":
        ctx.buy(500, type="limit", price=10.2, valid="gtc", stop=9.95, target=10.55)
    if ctx.date == "2024-03-05":
        assert ctx.account.positions == {"600000.SH": 500.0}, ctx.account.positions
        assert abs(ctx.account.equity - (ctx.account.cash + 500 * 10)) < 1e-6
"""
    found = run(source)
    assert [(fill.date, fill.side, str(fill.price)) for fill in found.fills] == [
        ("2024-03-05", "buy", "10"), ("2024-03-06", "sell", "10.55"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "kind", "said"),
    [
        ("import os", Refused, "import"),
        ("x = 1", BadData, "on_bar"),
        ("", BadData, "strategy.py:1: the strategy has no function on_bar(ctx)"),
        ("# nothing yet\n\n", BadData, "on_bar"),
        ("def on_bar(ctx", BadData, "strategy.py:1"),
        ("def on_bar(ctx):\n    print(1)", BadData, "print"),
        ("def on_bar(ctx):\n    if len(ctx.bars.close) == 7:\n        1 / 0", BadData, "2024-03-12"),
        ("def on_bar(ctx):\n    ctx.bars.close[0] = 1", BadData, "read-only"),
        ("def on_bar(ctx):\n    ctx.bars.close.base", Refused, "base"),
        ("def on_bar(ctx):\n    ctx.bars.loaded", BadData, "ctx.bars has no loaded"),
        ("def on_bar(ctx):\n    '{0.loaded}'.format(ctx.bars)", Refused, "format"),
        ("def on_bar(ctx):\n    ctx.buy(100, price=3)", BadData, "2024-03-04"),
        ("def on_bar(ctx):\n    ctx.buy(100, amount=3)", BadData, "amount"),
        ("def on_bar(ctx):\n    ctx.buy(-5)", BadData, "2024-03-04"),
        ("def on_bar(ctx):\n    ctx.buy('many')", BadData, "an order on 2024-03-04 has a wrong quantity"),
        ("def on_bar(ctx):\n    ctx.buy(symbol='AAPL.US', value=3)", BadData, "AAPL.US"),
    ],
)
def test_what_goes_wrong_is_named(source, kind, said):
    with pytest.raises(kind) as caught:
        run(source)
    assert said in str(caught.value)


def test_a_strategy_that_prints_is_told_where_to_look():
    with pytest.raises(BadData) as caught:
        run("def on_bar(ctx):\n    print(1)")
    assert "orders.csv" in caught.value.hint


def test_a_loop_without_end_is_ended(monkeypatch):
    monkeypatch.setenv("IA_COMPUTE_TIMEOUT", "1")
    with pytest.raises(TimedOut):
        run("def on_bar(ctx):\n    while True:\n        pass")
