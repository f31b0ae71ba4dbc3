"""A past day that no snapshot was taken of is made from the stored bars; what bars do not tell stays unknown."""

import contextlib
import random

import pytest

from ia.kernel.errors import NotFound
from ia.organs import marketdb
from ia.organs.market import market_reader, store
from ia.organs.market.day_summary import load_sectors, summarize_day
from ia.organs.market.screen import screen_stocks
from ia.organs.market.span_changes import load_span_stocks
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars
from support.markets.stored_quotes import fill, quote

DAYS = ["2023-05-08", "2023-05-09", "2023-05-10", "2023-05-11"]


def history(symbol, closes, actions=(), days=DAYS):
    rows = [(day, close, close * 1.01, close * 0.99, close, 1000) for day, close in zip(days, closes, strict=True)]
    return store.StoredHistory(symbol, Bars.from_rows(rows), list(actions))


@pytest.fixture
def backfilled(ws, monkeypatch):
    """A snapshot of 15 March 2024, and the bars of four days of May 2023, read on 10 May 2023."""
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    fill(
        ws, {"2024-03-15": [quote("600000.SH", "浦发银行"), quote("000656.SZ", "ST金科"), quote("600001.SH", "乙公司")]}
    )

    def put(*histories):
        with contextlib.closing(marketdb.connect(ws)) as db:
            store.put_histories(db, store.source_id(db, "akshare", False), list(histories))
        monkeypatch.setenv("IA_NOW", "2023-05-10T16:00:00+08:00")
        return ws

    return put


def figures(ws):
    messages = []
    with market_reader.open_market(ws) as db:
        day = market_reader.load_day(db, messages.append)
        return day, summarize_day(db, day), [str(message) for message in messages]


def test_the_summary_counts_the_changes_of_the_bars(backfilled):
    ws = backfilled(
        history("600000.SH", [10.0, 10.0, 10.3, 1.0]),
        history("600001.SH", [20.0, 20.0, 19.8, 1.0]),
        history("300001.SZ", [5.0, 5.0, 5.0, 1.0]),
    )
    day, found, messages = figures(ws)
    assert (day.date, day.of_bars) == ("2023-05-10", 3)
    whole = found["boards"][0]
    assert {key: whole[key] for key in ("count", "up", "down", "flat", "median_pct")} == {
        "count": 3, "up": 1, "down": 1, "flat": 1, "median_pct": 0.0,
    }  # fmt: skip
    assert [row["board"] for row in found["boards"]] == ["all", "main", "chinext"]
    assert (found["amount"], found["suspended"], whole["weighted_pct"]) == (None, None, None)
    assert any("stored bars of 3 securities" in message for message in messages)


def test_the_reference_price_leaves_out_what_was_paid_and_bridges_a_suspension(backfilled):
    ws = backfilled(
        history("600000.SH", [10.0, 10.0, 9.5, 9.0], [Action("2023-05-10", cash=0.5)]),
        history("600001.SH", [20.0, 22.0], days=["2023-05-08", "2023-05-10"]),
        history("300001.SZ", [5.0], days=["2023-05-10"]),
    )
    with market_reader.open_market(ws) as db:
        rows = {row["symbol"]: row for row in market_reader.load_gainers(db, market_reader.load_day(db), 10)}
    assert rows.keys() == {"600001.SH"}  # the ex-day is unchanged, and a first bar has no change
    assert rows["600001.SH"]["change_pct"] == 10.0


def test_changes_agree_with_the_bars_of_random_histories(backfilled):
    rng = random.Random(7)
    histories, expected = [], {}
    for number in range(300):
        symbol = f"60{number:04d}.SH"
        days = sorted(rng.sample(DAYS[:3], rng.randint(1, 3)))
        closes = [round(rng.uniform(2, 90), 2) for _ in days]
        histories.append(history(symbol, closes, days=days))
        if days[-1] == DAYS[2]:
            expected[symbol] = round((closes[-1] / closes[-2] - 1) * 100, 2) if len(days) > 1 else None
    ws = backfilled(*histories)
    found = screen_stocks(ws, "price > 0", columns=["symbol", "change_pct"])
    assert {row["symbol"]: row["change_pct"] for row in found.rows} == expected


def test_nothing_of_the_snapshot_or_of_a_later_day_shows(backfilled):
    ws = backfilled(history("600000.SH", [10.0, 10.0, 10.1, 99.0]))
    row = market_reader.load_quotes(ws, ["600000"])[0][0]
    assert (row["price"], row["date"], row["prev_close"]) == (10.1, "2023-05-10", 10.0)
    assert (row["pe"], row["market_cap"]) == (None, None)
    found = screen_stocks(ws, "pe > 0")
    assert (found.rows, found.unknown) == ([], 1)
    found = screen_stocks(ws, "st")
    assert (found.rows, found.unknown) == ([], 1)  # the name of 2024 says nothing of 2023


def test_limits_are_unknown_where_special_treatment_decides(backfilled):
    ws = backfilled(
        history("600000.SH", [10.0, 10.0, 11.0, 1.0]),  # +10 %: at the limit of any stock of the main board
        history("000656.SZ", [1.11, 1.11, 1.05, 1.0]),  # -5.41 %: the lower limit if it was under special treatment
    )
    whole = figures(ws)[1]["boards"][0]
    assert (whole["limit_up"], whole["limit_down"]) == (1, None)


def test_a_day_before_the_first_bars_is_not_stored(backfilled, monkeypatch):
    ws = backfilled(history("600000.SH", [10.0, 10.0, 10.1, 10.0]))
    monkeypatch.setenv("IA_NOW", "2023-05-07T16:00:00+08:00")
    with market_reader.open_market(ws) as db, pytest.raises(NotFound):
        market_reader.load_day(db)


def test_the_snapshot_is_read_again_by_the_next_connection(backfilled, monkeypatch):
    ws = backfilled(history("600000.SH", [10.0, 10.0, 10.1, 10.0]))
    assert figures(ws)[0].of_bars == 1
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    day, found, _ = figures(ws)
    assert (day.date, day.of_bars, found["boards"][0]["count"]) == ("2024-03-15", None, 3)


def test_gainers_hold_only_what_rose_and_losers_what_fell(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    fill(ws, {"2024-03-15": [quote("600000.SH", change=-1.0), quote("600001.SH", change=0.0)]})
    with market_reader.open_market(ws) as db:
        day = market_reader.load_day(db)
        assert market_reader.load_gainers(db, day, 10) == []
        assert [row["symbol"] for row in market_reader.load_gainers(db, day, 10, losers=True)] == ["600000.SH"]


def test_an_unknown_amount_is_empty_and_not_zero(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    known, unknown = quote("600000.SH", amount=5e6), quote("600001.SH", amount=None)
    before = [quote("600000.SH", amount=5e6), quote("600001.SH", amount=5e6)]
    fill(ws, {"2024-03-14": before, "2024-03-15": [known._replace(industry="银行"), unknown._replace(industry="钢铁")]})
    with market_reader.open_market(ws) as db:
        day = market_reader.load_day(db)
        found = summarize_day(db, day)
        assert (found["amount"], found["amount_vs_last_pct"]) == (None, None)
        assert {row["name"]: row["amount"] for row in load_sectors(db, day)} == {"银行": 5e6, "钢铁": None}


def test_changes_over_a_stretch_count_dividends_and_bonus_shares(backfilled):
    ws = backfilled(
        history("600000.SH", [10.0, 10.0, 11.0, 1.0]),
        history("600001.SH", [20.0, 18.0, 9.0, 1.0], [Action("2023-05-10", bonus=1.0)]),
        history("000656.SZ", [10.0, 10.0, 9.0, 1.0], [Action("2023-05-09", cash=1.0)]),
    )
    with market_reader.open_market(ws) as db:
        stocks, base = load_span_stocks(db, market_reader.load_day(db), "2023-05-09")
    changes = {row.symbol: row.change_pct for row in stocks}
    assert base == "2023-05-08"
    assert changes == {"600000.SH": 10.0, "600001.SH": -10.0, "000656.SZ": 0.0}


def test_a_stretch_before_the_stored_bars_is_refused(backfilled):
    ws = backfilled(history("600000.SH", [10.0, 10.0, 11.0, 1.0]))
    with market_reader.open_market(ws) as db, pytest.raises(NotFound, match="closes of 0 of 1 stocks"):
        load_span_stocks(db, market_reader.load_day(db), "2023-05-08")
