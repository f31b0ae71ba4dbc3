"""What the store knows of listing and special treatment reaches the securities of a run, with its days."""

import contextlib
from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.faculties.lab.rule_runs import run_rules
from ia.faculties.lab.run_figures import figures_document
from ia.faculties.lab.run_market import build_market, load_named_market, load_universe_market
from ia.faculties.lab.run_types import PositionSize, RuleSettings
from ia.faculties.lab.securities import Security
from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.market.quote import Quote
from ia.organs.ohlcv.canonical import Bars

DAYS = ("2024-03-11", "2024-03-12", "2024-03-13", "2024-03-14", "2024-03-15")
NAMES = {"600519.SH": ("贵州茅台", "XD*ST茅", "*ST茅台", "贵州茅台"), "600036.SH": ("招商银行",) * 4}


@pytest.fixture
def stored(ws, monkeypatch):
    """Four of five days with names: one security is under special treatment on two of them."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    with contextlib.closing(marketdb.connect(ws)) as db:
        source = store.source_id(db, "demo", True)
        for at, day in enumerate(DAYS[1:]):
            quotes = [
                Quote(
                    symbol=symbol, name=names[at], kind="stock", listed="2015-01-05", price=10.0, open=10.0, high=10.0,
                    low=10.0, volume=1000, amount=1e4,
                )
                for symbol, names in NAMES.items()
            ]  # fmt: skip
            store.put_day(db, source, day, quotes)
    return ws


def test_days_under_special_treatment_are_those_of_the_snapshots(stored):
    market = load_named_market(stored, ["600519", "600036"])
    assert market.securities["600519.SH"].st_days == {"2024-03-13", "2024-03-14"}
    assert market.securities["600036.SH"].st_days == frozenset()
    assert {each.listed for each in market.securities.values()} == {"2015-01-05"}
    assert market.st_told == set(DAYS[1:])
    result = run_rules(RuleSettings(entry="close > 0", since=DAYS[0]), market)
    assert figures_document(result, {})["st_unknown_sessions"] == 1


def test_a_whole_market_knows_them_too(stored):
    market = load_universe_market(stored, None)
    assert market.securities["600519.SH"].st_days == {"2024-03-13", "2024-03-14"}
    assert market.securities["600519.SH"].listed == "2015-01-05" and market.st_told == set(DAYS[1:])


def test_without_a_stored_market_nothing_is_known(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    market = load_named_market(ws, ["600519"])
    assert market.securities["600519.SH"].listed is None and not market.st_told
    assert run_rules(RuleSettings(entry="close > 0", since=DAYS[0]), market).st_unknown == 5
    assert run_rules(RuleSettings(entry="close > 0"), load_named_market(ws, ["AAPL"])).st_unknown == 0


@pytest.mark.parametrize(("special", "filled"), [((), 1), (("2024-03-13",), 0), (("2024-03-12",), 1)])
def test_the_narrower_limits_hold_on_their_days_only(special, filled):
    closes = [10.0, 10.0, 10.5, 10.5, 10.5]  # 5 % up on the third day, in one price
    bars = Bars(list(DAYS), closes, closes, closes, closes, [10**7] * 5)
    security = Security(symbol=from_canonical("600000.SH"), bars=bars, st_days=frozenset(special))
    settings = RuleSettings(entry="(close == 10) & (ref(close, 1) == 10)", size=PositionSize("shares", Decimal(100)))
    result = run_rules(settings, build_market([security]))
    assert len(result.fills) == filled
    assert [row.reason for row in result.orders] == ([""] if filled else ["price limit"])


@pytest.mark.parametrize(("listed", "filled"), [("2024-03-11", 1), ("2023-01-09", 0), (None, 0)])
def test_the_first_days_have_no_limits(listed, filled):
    closes = [10.0, 10.0, 11.0, 11.0, 11.0]
    bars = Bars(list(DAYS), closes, closes, closes, closes, [10**7] * 5)
    security = Security(symbol=from_canonical("600000.SH"), bars=bars, listed=listed)
    settings = RuleSettings(entry="(close == 10) & (ref(close, 1) == 10)", size=PositionSize("shares", Decimal(100)))
    assert len(run_rules(settings, build_market([security])).fills) == filled
