"""What compares securities in a backtest: the values of `ia scan` on each day, and nothing of a later one."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.faculties.lab.lookahead_check import check_run
from ia.faculties.lab.rule_runs import evaluate_signals, run_rules
from ia.faculties.lab.run_market import build_market, load_universe_market
from ia.faculties.lab.run_types import PositionSize, RuleSettings
from ia.faculties.lab.scan import ScanRequest, scan_market
from ia.faculties.lab.securities import Security
from ia.kernel.errors import BadData
from ia.organs.market.sync import SyncRequest, sync_market
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

FIRST = date(2024, 1, 1)
NAMES = ("600000.SH", "600036.SH", "600519.SH", "601398.SH", "000001.SZ", "000002.SZ")


def make_market(seed=1, days=80):
    made = np.random.default_rng(seed)
    securities = []
    for at, name in enumerate(NAMES):
        price, rows = 10.0 + at, []
        for day in range(days):
            if at == 2 and 30 <= day < 40:
                continue  # suspended
            price = round(price * (1 + made.normal(0, 0.02)), 2)
            rows.append(((FIRST + timedelta(day)).isoformat(), price, price * 1.01, price * 0.99, price, 1_000_000))
        securities.append(Security(symbol=from_canonical(name), bars=Bars.from_rows(rows)))
    return build_market(securities)


def ranks_of(rank, market):
    table = evaluate_signals(RuleSettings(entry="close > 0", rank=rank), market)
    return {
        (day, symbol): table.rank[row, column]
        for row, day in enumerate(table.days)
        for column, symbol in enumerate(table.symbols)
        if table.traded[row, column]
    }


def test_a_day_is_compared_as_pandas_does():
    market = make_market()
    found = ranks_of("xrank(roc(close, 5)) - xzscore(close / sma(close, 10))", market)
    closes = {name: pd.Series(np.asarray(bars.close), index=bars.date) for name, bars in market.signal_bars.items()}
    roc = pd.DataFrame({name: each / each.shift(5) * 100 - 100 for name, each in closes.items()})
    over = pd.DataFrame({name: each / each.rolling(10).mean() for name, each in closes.items()})
    score = over.sub(over.mean(axis=1), axis=0).div(over.std(axis=1, ddof=0), axis=0)
    wanted = roc.rank(axis=1, pct=True) - score
    assert any(value == value for value in found.values())
    for (day, symbol), value in found.items():
        assert value == pytest.approx(wanted.loc[day, symbol], rel=1e-9, abs=1e-12, nan_ok=True)


def test_functions_over_what_is_compared_see_the_bars_of_each():
    market = make_market()
    plain, smooth = ranks_of("xrank(roc(close, 5))", market), ranks_of("sma(xrank(roc(close, 5)), 3)", market)
    for symbol, bars in market.signal_bars.items():
        for at in range(10, len(bars.date)):
            three = [plain[day, symbol] for day in bars.date[at - 2 : at + 1]]
            assert smooth[bars.date[at], symbol] == pytest.approx(sum(three) / 3)


def test_the_best_of_the_day_is_bought_and_nothing_looks_ahead():
    market = make_market()
    settings = RuleSettings(
        entry="xrank(roc(close, 5)) > 0.5",
        exit="xrank(roc(close, 5)) < 0.3",
        rank="xrank(roc(close, 5))",
        max_positions=1,
        size=PositionSize("percent", Decimal(100)),
    )
    whole = run_rules(settings, market)
    ranks = ranks_of("xrank(roc(close, 5))", market)
    first = next(row for row in whole.orders if row.side == "buy")
    assert ranks[first.given, first.symbol] == 1.0 and len(whole.fills) > 5
    checked = check_run(whole, market, lambda world: run_rules(settings, world), seed=1)
    assert checked.passed and not checked.by_level
    assert check_run(whole, market, lambda world: run_rules(settings, world), seed=2).passed


def test_a_check_tells_levels_from_ratios():
    securities = list(make_market().securities.values())
    dated = replace(securities[0], actions=(Action(date=securities[0].bars.date[40], cash=0.1),))
    market = build_market([dated, *securities[1:]])
    for rank, level in (("xrank(close)", True), ("xrank(roc(close, 5))", False)):
        settings = RuleSettings(entry="roc(close, 5) > 0", rank=rank, max_positions=2)
        whole = run_rules(settings, market)
        assert check_run(whole, market, lambda world, s=settings: run_rules(s, world), seed=1).by_level is level


@pytest.mark.parametrize(
    ("rank", "why"),
    [
        ("xrank(xrank(close))", "securities already"),
        ("xrank(close > 5)", "true or false"),
        ("xrank(roc(close, 5), industry)", "industries are known"),
        ("xrank(ta.rsi(close))", "functions of ia-compute"),
        ("xrank(macd(close))", "a number for each bar"),
        ("xrank()", "takes an expression"),
    ],
)
def test_what_cannot_be_compared_is_refused(rank, why):
    with pytest.raises(BadData, match=why):
        ranks_of(rank, make_market())


def test_the_values_are_those_of_a_scan(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T18:00+08:00")
    sync_market(ws, SyncRequest("daily"))
    market = load_universe_market(ws, None)
    for rank in ("xrank(roc(close, 20))", "xdemean(roc(close, 20), industry) + xzscore(rsi(close, 14))"):
        found = ranks_of(rank, market)
        rows = scan_market(ws, ScanRequest(expression=rank, since="2024-03-01")).rows
        assert len(rows) > 100 and len({row.date for row in rows}) > 5
        for row in rows:
            assert found[row.date, row.symbol] == pytest.approx(row.value, rel=1e-8, abs=1e-9)
        since = min(row.date for row in rows)
        assert sum(value == value for (day, _), value in found.items() if day >= since) == len(rows)
