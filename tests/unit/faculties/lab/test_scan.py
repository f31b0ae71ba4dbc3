"""A scan gives each security what `ia ohlcv SYMBOL | ia compute EXPR` gives."""

import os
from dataclasses import replace
from functools import cache

import pytest

from ia.faculties.lab.scan import ScanRequest, scan_market, split_expressions
from ia.kernel.errors import BadData, NotFound, Refused, UsageError
from ia.kernel.workspace import Workspace
from ia.organs.compute.calculate import calculate_expression
from ia.organs.market.sync import SyncRequest, sync_market
from ia.organs.ohlcv.history import BarsRequest, load_history

EXPRESSIONS = (
    "close",
    "rsi(close, 14)",
    "close / sma(close, 20) - 1",
    "macd(close)['histogram']",
    "highest(high, 250)",
    "atr(high, low, close, 14) / close",
    "zscore(close, 60)",
    "obv(close, volume)",
    "volume / sma(volume, 20)",
    "barssince(close > sma(close, 60))",
    "rsi(close, 14) < 45",
    "crossover(sma(close, 5), sma(close, 20))",
    "(close > sma(close, 200)) & (volume > sma(volume, 20))",
)


SETTINGS = {
    "IA_MARKET_ADAPTER": "demo",
    "IA_NOW": "2024-03-15T16:30:00+08:00",
    "IA_COMPUTE_ISOLATION": "prefer",
}


@pytest.fixture(scope="module")
def synced(tmp_path_factory):
    """A synced simulated market; some of its securities are young, some were suspended."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("scan")
        for name, value in {**SETTINGS, "XDG_STATE_HOME": str(folder / "state")}.items():
            patch.setenv(name, value)
        (folder / "home").mkdir()
        made = Workspace(str(folder / "home"))
        sync_market(made, SyncRequest(job="daily"))
    return made


@pytest.fixture
def market(synced, monkeypatch):
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    return synced


@cache
def bars_of(ws, symbol, now):
    return load_history(ws, BarsRequest(symbol)).bars


def compute(ws, symbol, expression):
    """The value that `ia ohlcv SYMBOL | ia compute EXPR` ends with."""
    bars = bars_of(ws, symbol, os.environ["IA_NOW"])
    result = calculate_expression(expression, lambda: bars, isolation="prefer")
    value = result.value[-1] if result.type == "series" else result.value
    return None if value is None or value != value else value


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_equals_compute_for_each_security(market, expression):
    found = scan_market(market, ScanRequest(expression=expression, stale=True))
    got = {row.symbol: row.value for row in found.rows}
    assert found.looked > 30
    everything = scan_market(market, ScanRequest(expression="close", stale=True))
    for row in everything.rows:
        want = compute(market, row.symbol, expression)
        if isinstance(want, bool):
            assert got.get(row.symbol, False) is want, row.symbol
        elif want is None:
            assert row.symbol not in got
        else:
            assert got[row.symbol] == pytest.approx(want, rel=1e-12, abs=1e-15), row.symbol


def test_a_security_without_a_bar_of_the_day_is_left_out_and_told(market):
    told = []
    found = scan_market(market, ScanRequest(expression="close > 0"), notify=told.append)
    assert found.stale and not set(found.stale) & {row.symbol for row in found.rows}
    assert all(row.date == found.day for row in found.rows)
    assert any("skipped" in str(message) for message in told)


def test_nothing_later_than_now_is_seen(market, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2023-06-30T16:30:00+08:00")
    found = scan_market(market, ScanRequest(expression="close", symbols=("600519.SH",)))
    assert [(row.date, row.value) for row in found.rows] == [(found.day, compute(market, "600519.SH", "close"))]
    assert found.day == "2023-06-30"


def test_what_the_array_lane_cannot_do_goes_through_the_sandbox(market):
    asked = ScanRequest(expression="ta.rsi(close, 14)", symbols=("600519.SH",), columns=("close.rolling(5).mean()",))
    found = scan_market(market, asked)
    assert found.sandboxed
    assert found.rows[0].value == pytest.approx(compute(market, "600519.SH", "rsi(close, 14)"))


def test_what_cannot_be_scanned_is_refused(market, ws):
    for expression, error in (
        ("close.shift(-1) > close", Refused),
        ("close +", BadData),
        ("macd(close)", BadData),
        ("", BadData),
        ("nothing(close)", BadData),
    ):
        with pytest.raises(error):
            scan_market(market, ScanRequest(expression=expression))
    for expression in (
        "xrank()",
        "xrank(close, 5)",
        "xrank(close, concept)",
        "xrank(close > 5)",
        "xrank(x=close)",
        "sma(xrank(close))",
        "xrank(nothing(close))",
        "xrank(close).rolling(5).mean()",
        "industry",
    ):
        with pytest.raises(BadData):
            scan_market(market, ScanRequest(expression=expression))
    with pytest.raises(Refused):
        scan_market(market, ScanRequest(expression="xrank(close.shift(-5))"))
    with pytest.raises(BadData):
        scan_market(market, ScanRequest(expression="latest(close)", since="2024-03-01"))


def test_what_needs_the_sandbox_has_a_limit(market, monkeypatch):
    monkeypatch.setattr("ia.faculties.lab.scan_expressions.MOST_SANDBOXED", 2)
    with pytest.raises(UsageError):
        scan_market(market, ScanRequest(expression="ta.rsi(close)"))


def test_of_joined_conditions_only_what_needs_it_goes_to_the_sandbox(market):
    both = "(rsi(close, 14) < 60) & (ta.rsi(close, 14) > 40)"
    for since in ("", "2024-02-01"):
        found = scan_market(market, ScanRequest(expression=both, since=since))
        alike = scan_market(
            market, ScanRequest(expression="(rsi(close, 14) < 60) & (rsi(close, 14) > 40)", since=since)
        )
        assert found.sandboxed == ("ta.rsi(close, 14) > 40",)
        assert found.rows == alike.rows and found.count
    with pytest.raises(BadData):
        scan_market(market, ScanRequest(expression="(close > 0) & close.rolling(3).mean()"))


def test_what_the_sandbox_gives_can_be_ranked(market):
    found = scan_market(market, ScanRequest(expression="xrank(close.rolling(20).mean())"))
    alike = scan_market(market, ScanRequest(expression="xrank(sma(close, 20))"))
    assert found.sandboxed and not alike.sandboxed
    assert [row.value for row in found.rows] == [row.value for row in alike.rows]


def test_every_bar_since_a_day_is_found(market):
    asked = ScanRequest(expression="rsi(close, 14) < 40", columns=("rsi(close, 14)", "volume"), since="2024-01-02")
    found = scan_market(market, asked)
    assert found.count == len(found.rows) > 20
    assert scan_market(market, replace(asked, count_only=True)).count == found.count
    symbols = {row.symbol for row in found.rows}
    for symbol in sorted(symbols)[:5]:
        bars = bars_of(market, symbol, os.environ["IA_NOW"])
        values = calculate_expression("rsi(close, 14)", lambda bars=bars: bars, isolation="prefer").value
        met = {
            (day, close, value, volume)
            for day, close, value, volume in zip(bars.date, bars.close, values, bars.volume, strict=True)
            if day >= "2024-01-02" and value < 40
        }
        got = {(row.date, row.close, *row.values) for row in found.rows if row.symbol == symbol}
        assert len(got) == len(met)
        for one, other in zip(sorted(got), sorted(met), strict=True):
            assert (one[0], one[3]) == (other[0], other[3])
            assert one[1:3] == pytest.approx(other[1:3], rel=1e-10)
    shorter = scan_market(market, replace(asked, since="2024-03-01"))
    told = [(row.symbol, row.date) for row in found.rows if row.date >= "2024-03-01"]
    assert [(row.symbol, row.date) for row in shorter.rows] == told


def test_what_compares_securities_sees_those_of_the_universe(market):
    chosen = ("600519.SH", "000858.SZ", "600036.SH")
    found = scan_market(market, ScanRequest(expression="xrank(close)", symbols=chosen, columns=("close",)))
    ordered = sorted(found.rows, key=lambda row: row.values[0])
    assert [row.value for row in ordered] == pytest.approx([1 / 3, 2 / 3, 1])
    late = scan_market(market, ScanRequest(expression="xrank(close)", stale=True))
    assert late.unknown == len(late.stale) > 0


def test_without_a_market_there_is_nothing_to_scan(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    with pytest.raises(NotFound):
        scan_market(ws, ScanRequest(expression="close > 0"))


def test_expressions_are_split_at_commas_outside_of_brackets():
    assert split_expressions("a(b, c), d['x, y'] , e") == ("a(b, c)", "d['x, y']", "e")
