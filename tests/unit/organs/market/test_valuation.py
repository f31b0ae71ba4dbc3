"""What a stock costs and earns, and its rank, against pandas over the stored rows."""

import contextlib

import pytest

from ia.kernel.errors import NotFound
from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.market.valuation import load_valuation
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars
from support.markets.stored_quotes import fill, insert, quote

DAY = "2024-03-15"
PES = {"600036.SH": 5.0, "601398.SH": 6.0, "601288.SH": 7.0, "601939.SH": None, "600000.SH": -3.0, "601166.SH": 5.0}


@pytest.fixture
def banks(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DAY}T16:00:00+08:00")
    quotes = [quote(symbol, symbol, pe_ttm=pe, pb=0.8, industry="银行", price=10.0) for symbol, pe in PES.items()]
    fill(ws, {DAY: [*quotes, quote("600519.SH", "贵州茅台", pe_ttm=30.0, pb=None, industry="白酒")]})
    for symbol, profit, roe in (("600036.SH", 40.0, 16.0), ("601398.SH", 10.0, 8.0)):
        insert(
            ws, "fundamentals",
            {"symbol": symbol, "period": "2022-12-31", "profit": profit, "roe_pct": roe, "eps": 2.0, "cash_flow_ps": 1.5},
        )  # fmt: skip
    return ws


def test_the_rank_among_peers_counts_profits_only(banks):
    import pandas as pd

    told = load_valuation(banks, "601166")
    others = pd.Series([pe for symbol, pe in PES.items() if pe and pe > 0 and symbol != "601166.SH"])
    assert told.peers["pe_ttm"].others == len(others) == 3
    assert told.peers["pe_ttm"].rank_pct is None, "three are too few"
    assert told.peers["pe_ttm"].median == others.median()
    fill(banks, {DAY: [
        *(quote(symbol, symbol, pe_ttm=pe, industry="银行") for symbol, pe in PES.items()),
        quote("601988.SH", "中国银行", pe_ttm=4.0, industry="银行"),
    ]})  # fmt: skip
    told = load_valuation(banks, "601166")
    others = pd.Series([5.0, 6.0, 7.0, 4.0])
    assert told.peers["pe_ttm"].rank_pct == ((others < 5).mean() + (others == 5).mean() / 2) * 100 == 37.5
    assert load_valuation(banks, "600000").figures["pe_ttm"] is None


def test_the_figures_tell_their_report(banks):
    told = load_valuation(banks, "600036")
    assert (told.report, told.published, told.basis) == ("2022-12-31", "2023-04-30", "annual")
    assert (told.figures["roe_pct"], told.figures["cash_to_profit_pct"]) == (16.0, 75.0)
    assert load_valuation(banks, "601288").report is None
    with pytest.raises(NotFound, match="no such stock"):
        load_valuation(banks, "000002")


@pytest.mark.soak
def test_the_rank_in_its_own_past_takes_a_year_of_stored_days(banks):
    import pandas as pd

    days = [day.date().isoformat() for day in pd.bdate_range(end="2024-03-14", periods=250)]
    past = [4.0 + at % 5 for at in range(250)]
    for day, pe in zip(days[1:], past[1:], strict=True):
        fill(banks, {day: [quote("600036.SH", pe_ttm=pe)]}, bars=False)
    assert load_valuation(banks, "600036").history["pe_ttm"].rank_pct is None
    fill(banks, {days[0]: [quote("600036.SH", pe_ttm=past[0])]}, bars=False)
    rank = load_valuation(banks, "600036").history["pe_ttm"]
    known = pd.Series(past)
    assert (rank.others, rank.first) == (250, days[0])
    assert rank.rank_pct == pytest.approx(((known < 5).mean() + (known == 5).mean() / 2) * 100)


def test_the_dividend_yield_is_of_the_year_and_of_todays_shares(banks):
    assert load_valuation(banks, "600036").figures["dividend_yield_pct"] is None, "nobody knows whether it paid"
    close = [10.0, 10.0]
    bars = Bars(["2024-03-13", "2024-03-14"], close, close, close, close, [100, 100])
    acts = [Action("2023-01-05", cash=9.0), Action("2023-07-03", cash=1.0), Action("2024-01-05", cash=0.6, bonus=1.0)]
    with contextlib.closing(marketdb.connect(banks)) as db:
        store.put_history(db, store.source_id(db, "akshare", False), "600036.SH", bars, acts)
    assert load_valuation(banks, "600036").figures["dividend_yield_pct"] == pytest.approx(
        (1.0 / 2 + 0.6 / 2) / 10 * 100
    )


def test_a_screen_knows_the_same_dividend_yield(banks):
    from ia.organs.market.screen import screen_stocks

    close = [10.0]
    bars = Bars(["2024-03-14"], close, close, close, close, [100])
    with contextlib.closing(marketdb.connect(banks)) as db:
        source = store.source_id(db, "akshare", False)
        acts = [Action("2023-07-03", cash=1.0), Action("2024-01-05", cash=0.6, bonus=1.0)]
        store.put_history(db, source, "600036.SH", bars, acts)
        store.put_history(db, source, "601398.SH", bars, [])
    found = screen_stocks(banks, "dividend_yield >= 0")
    assert {row["symbol"]: row["dividend_yield_pct"] for row in found.rows} == {
        "600036.SH": load_valuation(banks, "600036").figures["dividend_yield_pct"],
        "601398.SH": 0.0,
    }
    assert found.unknown == len(PES) + 1 - 2, "of the others nobody knows whether they paid"
    assert [row["symbol"] for row in screen_stocks(banks, "股息率 > 3%").rows] == ["600036.SH"]
