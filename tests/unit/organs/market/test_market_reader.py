"""Reading the market from the store: which day may be seen, quotes, reports, lists, figures of a day."""

import contextlib
from statistics import median

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import NotFound, UsageError
from ia.organs import marketdb
from ia.organs.market import market_reader, store, symbol_selection, sync
from ia.organs.market.daily_sync import SyncRequest
from ia.organs.market.day_summary import group_rows, load_sectors, load_stocks, summarize_day
from ia.organs.market.quote import Quote
from ia.organs.market.screen import screen_stocks
from ia.organs.ohlcv import series_store
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars
from support.markets.stored_quotes import fill, insert, quote

THU, FRI = "2024-03-14", "2024-03-15"


@pytest.fixture
def now(monkeypatch):
    def at(moment):
        monkeypatch.setenv("IA_NOW", moment if moment[19:] else f"{moment}+08:00")

    at(f"{FRI}T16:00:00")
    return at


def seen(ws, **options):
    told = []
    with market_reader.open_market(ws) as db:
        day = market_reader.load_day(db, told.append, **options)
    return day, [str(message) for message in told]


# which day


def test_nothing_stored_says_what_to_type_and_makes_no_database(ws, home, now):
    for ask in (
        lambda: market_reader.load_quotes(ws, ["600519"]),
        lambda: market_reader.load_fundamentals(ws, "600519"),
        lambda: seen(ws),
    ):
        with pytest.raises(NotFound, match="no market data stored yet") as caught:
            ask()
        assert "ia sync" in caught.value.hint
    assert not (home / ".ia" / "cache" / "market.db").exists()


def test_a_day_is_seen_after_its_close(ws, now):
    fill(ws, {THU: [quote("600519.SH", price=100.0)], FRI: [quote("600519.SH", price=110.0)]})
    assert seen(ws)[0].date == FRI
    assert seen(ws)[0][5:8] == ("82.push2.eastmoney.com", True, None)
    now(f"{FRI}T14:59:00")
    assert seen(ws)[0].date == THU
    assert market_reader.load_quotes(ws, ["600519"])[0][0]["price"] == 100.0
    now(f"{FRI}T02:00:00-05:00")  # 15:00 in Shanghai
    assert seen(ws)[0].date == FRI
    now("2024-03-13T16:00:00")
    with pytest.raises(NotFound):
        seen(ws)


def test_what_was_taken_before_the_close_counts_from_that_moment_and_says_so(ws, now):
    fill(ws, {THU: [quote("600519.SH", price=100.0)]})
    fill(ws, {FRI: [quote("600519.SH", price=104.0)]}, time=f"{FRI}T02:30:00.000Z", bars=False)  # 10:30 in Shanghai
    now(f"{FRI}T10:29:00")
    assert seen(ws)[0].date == THU
    now(f"{FRI}T11:00:00")
    day, told = seen(ws)
    assert (day.date, day.time, day.closed) == (FRI, f"{FRI} 10:30", False)
    assert told == ["market of 2024-03-15, taken at 10:30, before the close"]
    now(f"{FRI}T18:00:00")
    assert "before the close" in seen(ws)[1][0]
    fill(ws, {FRI: [quote("600519.SH", price=110.0)]})  # asked again after the close: what stood at 10:30 is gone
    assert seen(ws)[1] == []
    now(f"{FRI}T11:00:00")
    assert seen(ws)[0].date == THU


def test_a_past_day_has_the_groups_that_were_told_by_then(ws, now):
    was, later = quote("600519.SH", industry="白酒", concepts="甲"), quote("600036.SH", industry=None, listed=None)
    fill(ws, {"2024-03-13": [was, later]})
    fill(ws, {THU: [was._replace(concepts=None), later]})  # what is not told stays
    fill(
        ws,
        {FRI: [was._replace(industry="食品", concepts="甲;乙"), later._replace(industry="银行", listed="2002-04-09")]},
    )

    def told():
        with market_reader.open_market(ws) as db:
            rows = market_reader.load_gainers(db, market_reader.load_day(db), 2)
            assert [(row["industry"], row["concepts"], row["listed"]) for row in rows] == [
                (stock.industry, stock.concepts, stock.listed) for stock in load_stocks(db, market_reader.load_day(db))
            ]
        assert market_reader.load_quotes(ws, ["600519"])[0][0]["industry"] == rows[1]["industry"]
        return [(row["industry"], row["concepts"], row["listed"]) for row in rows]

    assert told() == [("银行", None, "2002-04-09"), ("食品", "甲;乙", "2010-01-04")]
    assert (symbol_selection.select_symbols(ws, "食品"), symbol_selection.select_symbols(ws, "乙")) == (
        ["600519.SH"],
        ["600519.SH"],
    )
    now(f"{FRI}T14:00:00")
    with pytest.raises(NotFound):
        symbol_selection.select_symbols(ws, "食品")
    assert symbol_selection.select_symbols(ws, "白酒") == symbol_selection.select_symbols(ws, "甲") == ["600519.SH"]
    before = [(None, None, None), ("白酒", "甲", "2010-01-04")]
    assert told() == before
    assert screen_stocks(ws, "industry == 食品 or listed > 2000-01-01", sort="symbol").rows[0]["industry"] == "白酒"
    now("2024-03-13T16:00:00")
    assert told() == before


def test_a_holiday_makes_nothing_old(ws, now, monkeypatch, tmp_path):
    now("2024-04-03T16:00:00")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(tmp_path))
    (tmp_path / "600519.SH.csv").write_text(
        "date,open,high,low,close,volume\n2024-04-02,1,1,1,1,100\n2024-04-03,1,1,1,1,100\n"
    )
    assert not sync.sync_market(ws, SyncRequest("daily")).failures
    now("2024-04-05T16:00:00")  # Qingming, a Friday
    assert seen(ws)[1] == []
    now("2024-04-08T15:00:00")
    assert seen(ws)[1] == ["the newest stored day is 2024-04-03, 5 days old; run `ia sync daily`"]


@pytest.mark.parametrize(
    ("moment", "days"),
    [(f"{FRI}T16:00:00", 0), ("2024-03-17T16:00:00", 0), ("2024-03-18T14:00:00", 0), ("2024-03-18T15:00:00", 3),
     ("2024-03-20T16:00:00", 5)],
)  # fmt: skip
def test_age_is_told_when_a_session_has_closed_since(ws, now, moment, days):
    fill(ws, {FRI: [quote("600519.SH")]})
    now(moment)
    expected = [f"the newest stored day is 2024-03-15, {days} days old; run `ia sync daily`"] if days else []
    assert seen(ws)[1] == expected


def test_the_first_source_of_the_chain_counts_and_simulated_is_said(ws, now, monkeypatch):
    fill(ws, {FRI: [quote("600519.SH", price=1.0)]}, adapter="demo", simulated=True)
    with pytest.raises(NotFound):
        seen(ws)  # market.adapter is akshare
    monkeypatch.setenv("IA_MARKET_ADAPTER", "akshare, demo")
    day, told = seen(ws)
    assert (day.name, day.simulated) == ("demo", True)
    assert told == ["simulated prices: demo invented the whole market"]
    fill(ws, {THU: [quote("600519.SH", price=2.0)]})
    assert seen(ws)[0][1:4] == ("akshare", False, THU)


def test_another_day_can_be_asked_for(ws, now):
    fill(ws, {THU: [quote("600519.SH")], FRI: [quote("600519.SH")]})
    assert seen(ws, on=THU)[0].date == THU
    with pytest.raises(NotFound, match="is not stored, or not visible yet"):
        seen(ws, on="2024-03-13")
    with pytest.raises(UsageError):
        seen(ws, on="gestern")


# quotes


def test_quotes_by_code_and_name_in_the_order_asked(ws, now):
    fill(ws, {FRI: [
        quote("600519.SH", "贵州茅台", 1.2, 1700.0, industry="白酒", concepts="白酒;高股息", roe_pct=30.0),
        quote("301999.SZ", "新星科技", -2.0, 20.0), quote("600036.SH", "招商银行"),
    ]})  # fmt: skip
    rows, missing = market_reader.load_quotes(ws, ["新星科技", "sh600519", "招商银行", "600519.SH", "000002"])
    assert [row["symbol"] for row in rows] == ["301999.SZ", "600519.SH", "600036.SH", "600519.SH"]
    assert [error.params["symbol"] for error in missing] == ["000002.SZ"]
    assert rows[1] == rows[3]
    assert set(rows[0]) == set(market_reader.QUOTE)
    assert rows[1]["industry"] == "白酒"
    assert (rows[1]["source"], rows[1]["simulated"], rows[1]["date"]) == ("akshare", False, FRI)
    with pytest.raises(UsageError, match="is ambiguous: "):
        market_reader.load_quotes(ws, ["平安"])


def test_what_is_not_in_the_snapshot_comes_from_bars_with_the_reference_price_of_an_ex_day(ws, now):
    source = fill(ws, {FRI: [quote("600519.SH")]})
    with contextlib.closing(marketdb.connect(ws)) as db:
        close = [20.0, 10.5]
        bars = Bars(["2024-03-01", "2024-03-04"], close, close, close, close, [100, 200])
        store.put_history(db, source, "600001.SH", bars, [Action("2024-03-04", bonus=1.0)])
        later = Bars(["2024-03-13", FRI], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1, 2])
        first, last = later.date
        known = series_store.Series(
            adapter="akshare",
            symbol="00700.HK",
            name="腾讯控股",
            host="h",
            note="",
            simulated=False,
            fetched="2024-03-15T00:00:00.000Z",
            fresh_until="9",
            first=first,
            last=last,
        )
        series_store.store_series(db, from_canonical("00700.HK"), known, later, [])
    rows, missing = market_reader.load_quotes(ws, ["600001", "00700.HK"])
    assert not missing
    assert (rows[0]["date"], rows[0]["price"], rows[0]["prev_close"]) == ("2024-03-04", 10.5, 10.0)
    assert rows[0]["change_pct"] == pytest.approx(5.0)
    assert (rows[1]["name"], rows[1]["date"], rows[1]["price"]) == ("腾讯控股", "2024-03-13", 1.0)  # open till 16:10
    now(f"{FRI}T16:10:00")
    assert market_reader.load_quotes(ws, ["00700.HK"])[0][0]["price"] == 2.0


def test_bars_alone_make_quotes_where_no_day_was_synced(ws, now):
    with contextlib.closing(marketdb.connect(ws)) as db:
        bars = Bars([FRI], [1.0], [1.0], [1.0], [1.0], [1])
        known = series_store.Series(
            adapter="akshare",
            symbol="600519.SH",
            name="贵州茅台",
            host="h",
            note="",
            simulated=False,
            fetched="2024-03-15T00:00:00.000Z",
            fresh_until="9",
            first=FRI,
            last=FRI,
        )
        series_store.store_series(db, from_canonical("600519.SH"), known, bars, [])
    rows, missing = market_reader.load_quotes(ws, ["600519", "600036"])
    assert (rows[0]["price"], rows[0]["prev_close"]) == (1.0, None)
    assert "ia sync" in missing[0].hint


def test_history_is_adjusted_and_cut(ws, now):
    source = fill(ws, {FRI: [quote("600001.SH", price=11.0)]})
    with contextlib.closing(marketdb.connect(ws)) as db:
        close = [20.0, 10.0]
        bars = Bars(["2024-03-13", THU], close, close, close, close, [100, 200])
        store.put_history(db, source, "600001.SH", bars, [Action(THU, bonus=1.0)])
    found = market_reader.load_history(ws, "600001")
    assert (found.bars.date, found.bars.close) == (["2024-03-13", THU, FRI], [10.0, 10.0, 11.0])
    now("2024-03-13T16:00:00")
    assert market_reader.load_history(ws, "600001.SH").bars.close == [20.0]
    with pytest.raises(NotFound):
        market_reader.load_history(ws, "600002")


@pytest.mark.parametrize(
    ("symbol", "close", "cash", "left"), [("510300.SH", 3.901, 0.0691, 3.832), ("900901.SH", 0.5, 0.0123, 0.488)]
)
def test_the_reference_price_of_an_ex_day_is_rounded_to_the_tick_of_fund_and_b_share(
    ws, now, symbol, close, cash, left
):
    source = fill(ws, {FRI: [quote("600519.SH")]})
    with contextlib.closing(marketdb.connect(ws)) as db:
        bars = Bars.from_rows([(day, close, close, close, close, 100) for day in ("2024-03-13", THU)])
        store.put_history(db, source, symbol, bars, [Action(THU, cash=cash)])
    assert market_reader.load_history(ws, symbol).bars.close == pytest.approx([left, close])


# reports and lists


def reported(ws, symbol, count=4, **options):
    """(period, basis, eps) of the reports of a company, newest first."""
    rows = market_reader.load_fundamentals(ws, symbol, count, **options)[1]
    return [(row["period"], row["basis"], row["eps"]) for row in rows]


def test_reports_count_from_their_publication(ws, now):
    fill(ws, {FRI: [quote("600519.SH")]})
    insert(
        ws, "fundamentals",
        {"symbol": "600519.SH", "period": "2022-12-31", "published": "2023-03-31", "eps": 1.0},
        {"symbol": "600519.SH", "period": "2023-09-30", "published": None, "eps": 2.0},
        {"symbol": "600519.SH", "period": "2023-12-31", "published": FRI, "eps": 3.0},
        {"symbol": "600519.SH", "period": "2024-03-31", "published": "2024-04-27", "eps": 4.0},
    )  # fmt: skip
    first, third, year = ("2022-12-31", "annual", 1.0), ("2023-09-30", None, None), ("2023-12-31", "annual", 3.0)
    symbol, _ = market_reader.load_fundamentals(ws, "贵州茅台")
    assert (symbol, reported(ws, "600519")) == ("600519.SH", [year, third, first])
    assert reported(ws, "600519", 1) == [year]
    assert reported(ws, "600519", 2, as_reported=True) == [year, ("2023-09-30", "year-to-date", 2.0)]
    now(f"{THU}T23:00:00")
    assert reported(ws, "600519") == [third, first]
    now("2023-10-30T12:00:00")  # the third quarter has to be out by the end of October
    assert reported(ws, "600519") == [first]
    now("2023-10-31T12:00:00")
    assert reported(ws, "600519") == [third, first]
    with pytest.raises(NotFound, match="no published report"):
        market_reader.load_fundamentals(ws, "600036")


def test_a_quote_tells_the_return_on_equity_of_twelve_months_and_the_report_it_is_of(ws, now):
    fill(ws, {FRI: [quote("600519.SH", roe_pct=24.0), quote("600036.SH", roe_pct=12.0)]})
    for period, profit in (("2022-09-30", 35.0), ("2022-12-31", 50.0), ("2023-09-30", 42.0)):
        insert(ws, "fundamentals", {"symbol": "600519.SH", "period": period, "profit": profit, "roe_pct": profit / 2})
    first, second = market_reader.load_quotes(ws, ["600519.SH", "600036.SH"])[0]
    assert (first["roe_pct"], first["report"], first["basis"]) == (28.5, "2023-09-30", "ttm")
    assert (second["roe_pct"], second["report"], second["basis"]) == (None, None, None)
    now("2023-10-30T12:00:00")
    fill(ws, {"2023-10-27": [quote("600519.SH", roe_pct=17.5)]})
    (row,) = market_reader.load_quotes(ws, ["600519.SH"])[0]
    assert (row["roe_pct"], row["report"], row["basis"]) == (25.0, "2022-12-31", "annual")


def test_northbound_and_lhb_are_cut_at_now(ws, now):
    fill(ws, {FRI: [quote("600519.SH")]})
    insert(
        ws, "northbound", {"date": THU, "channel": "north", "net": 5e8, "turnover": 1e11},
        {"date": FRI, "channel": "north", "net": None, "turnover": 1.2e11},
        {"date": "2024-03-18", "channel": "north", "net": None, "turnover": 1e11},
    )  # fmt: skip
    insert(
        ws, "lhb", {"date": THU, "symbol": "600001.SH", "reason": "涨幅", "net": 1.0},
        {"date": FRI, "symbol": "600001.SH", "reason": "涨幅", "net": 1.0},
        {"date": FRI, "symbol": "600001.SH", "reason": "换手", "net": 3.0},
        {"date": FRI, "symbol": "600002.SH", "reason": "涨幅", "net": 2.0},
    )  # fmt: skip
    assert [(row["date"], row["net"]) for row in market_reader.load_northbound(ws)] == [(FRI, None), (THU, 5e8)]
    assert [row["date"] for row in market_reader.load_northbound(ws, 1)] == [FRI]
    assert [row["net"] for row in market_reader.load_lhb(ws)] == [3.0, 2.0, 1.0]
    assert [row["net"] for row in market_reader.load_lhb(ws, THU)] == [1.0]
    now(f"{FRI}T12:00:00")
    assert {row["date"] for row in market_reader.load_lhb(ws)} == {THU}
    assert market_reader.load_lhb(ws, FRI) == []
    now(f"{FRI}T15:59:00")  # it is not out with the close
    assert {row["date"] for row in [*market_reader.load_lhb(ws), *market_reader.load_northbound(ws)]} == {THU}
    fill(ws, {"2024-03-18": [quote("600519.SH")]})
    now("2024-03-18T16:00:00")
    told = []
    assert {row["date"] for row in market_reader.load_lhb(ws, notify=told.append)} == {FRI}
    assert [str(message) for message in told] == ["the newest stored data of this kind is from 2024-03-15"]
    assert market_reader.load_northbound(ws, notify=told.append)[0]["date"] == "2024-03-18" and len(told) == 1
    assert market_reader.load_lhb(ws, THU, told.append) and len(told) == 1


def test_gainers_losers_new_and_special_treatment(ws, now):
    fill(ws, {FRI: [
        quote("600001.SH", "甲", 3.0), quote("600002.SH", "ST乙", 5.0), quote("600003.SH", "丙", -4.0),
        quote("001999.SZ", "N丁", 200.0, listed=FRI), quote("600005.SH", "停牌", 0.0, volume=0),
        quote("510300.SH", "指数基金", 9.0, kind="etf"), Quote(symbol="600006.SH", name="无价"),
    ]})  # fmt: skip

    def names(**options):
        with market_reader.open_market(ws) as db:
            return [row["name"] for row in market_reader.load_gainers(db, market_reader.load_day(db), 10, **options)]

    assert names() == ["N丁", "ST乙", "甲"]
    assert names(losers=True) == ["丙"]
    assert names(new=False, st=False) == ["甲"]


# figures of a day


@pytest.fixture
def breadth(ws, now):
    """Three days: twenty stocks of two industries, one suspended, one fund; the first two days without a snapshot."""
    quotes = [
        quote(f"60{n:04d}.SH", f"股{n}", (-1) ** n * n / 2, 10.0 + n, amount=1e8 * (n + 1), market_cap=1e9 * (n + 1),
              industry="银行" if n < 8 else "白酒", concepts="甲;乙" if n % 3 else None)
        for n in range(20)
    ]  # fmt: skip
    source = fill(ws, {FRI: [*quotes, quote("600999.SH", "停牌", 0.0, volume=0), quote("510300.SH", "基金", 9.0, kind="etf", amount=1e12)]})  # fmt: skip
    with contextlib.closing(marketdb.connect(ws)) as db:
        for date, share in (("2024-03-13", 0.5), (THU, 0.8)):
            amounts = [quote.amount * share for quote in quotes]
            store.put_histories(
                db, source,
                [store.StoredHistory(q.symbol, Bars([date], [1.0], [1.0], [1.0], [1.0], [1]), amount=[a]) for q, a in zip(quotes, amounts, strict=True)],
            )  # fmt: skip
        few = [store.StoredHistory(q.symbol, Bars(["2024-03-12"], [1.0], [1.0], [1.0], [1.0], [1]), amount=[1.0]) for q in quotes[:3]]  # fmt: skip
        store.put_histories(db, source, few)
    return quotes


def test_the_figures_of_a_day(ws, breadth):
    with market_reader.open_market(ws) as db:
        day = market_reader.load_day(db)
        told = summarize_day(db, day)
        listed = load_stocks(db, day)
    figures = told.keys() - {"date", "time", "source", "simulated", "closed"}
    assert all(name in (summarize_day.__doc__ or "") for name in figures)  # the manual page quotes it
    assert len(listed) == 20
    changes = [q.change_pct for q in breadth]
    whole = told["boards"][0]
    assert (whole["board"], whole["count"]) == ("all", 20)
    assert (whole["up"], whole["down"], whole["flat"]) == (9, 10, 1)
    assert whole["median_pct"] == round(median(changes), 2)
    before = [q.market_cap / (1 + q.change_pct / 100) for q in breadth]
    assert whole["weighted_pct"] == round((sum(q.market_cap for q in breadth) / sum(before) - 1) * 100, 2)
    assert whole["amount"] == sum(q.amount for q in breadth) == told["amount"]
    assert told["suspended"] == 1
    assert told["amount_vs_last_pct"] == 25.0
    with contextlib.closing(marketdb.connect(ws)) as db:
        db.execute("DELETE FROM daily WHERE date = ? AND symbol > '600005'", (THU,))
        again = summarize_day(db, day)
        assert summarize_day(db, day._replace(closed=False))["amount_vs_mean_pct"] is None
    assert (again["amount_vs_last_pct"], again["mean_days"]) == (
        None,
        1,
    )  # Thursday is not whole: nor is it passed over
    assert (told["amount_vs_mean_pct"], told["mean_days"]) == (
        round((1 / 0.65 - 1) * 100, 2),
        2,
    )  # not the day of three
    assert [row["board"] for row in told["boards"]] == ["all", "main"]
    assert {row["name"] for row in told["industries_up"] + told["industries_down"]} == {"银行", "白酒"}
    assert told["indices"] == [], "none is stored"
    with contextlib.closing(marketdb.connect(ws)) as db:
        bars = [
            (day.name, "000300.SH", date, 1.0, 1.0, 1.0, close, 1)
            for date, close in ((THU, 4000.0), (day.date, 3960.0))
        ]
        columns = "adapter, symbol, date, open, high, low, close, volume"
        db.executemany(f"INSERT INTO bars ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", bars)
        assert summarize_day(db, day)["indices"] == [
            {"symbol": "000300.SH", "name": "沪深300", "close": 3960.0, "change_pct": -1.0}
        ]
        assert summarize_day(db, day._replace(closed=False))["indices"] == []


def test_sectors_are_the_source_s_own_where_they_were_synced_for_the_day(ws, breadth, now):
    with market_reader.open_market(ws) as db:
        day = market_reader.load_day(db)
        worked_out = {row["name"]: row for row in load_sectors(db, day)}
        concepts = [row["name"] for row in load_sectors(db, day, "concept")]
        assert group_rows(load_stocks(db, day), "industry")[0]["name"] == next(iter(worked_out))
    bank = [q for q in breadth if q.industry == "银行"]
    assert worked_out["银行"]["count"] == 8
    assert worked_out["银行"]["change_pct"] == round(sum(q.change_pct for q in bank) / 8, 2)
    assert worked_out["银行"]["leader"] == max(bank, key=lambda q: q.change_pct).symbol
    assert worked_out["银行"]["by"] == "members"
    assert sorted(concepts) == ["乙", "甲"]
    insert(ws, "boards", {"kind": "industry", "date": THU, "board": "BK1", "name": "旧", "change_pct": 1.0},
           {"kind": "industry", "date": FRI, "board": "BK1", "name": "酿酒", "change_pct": 2.0})  # fmt: skip
    with market_reader.open_market(ws) as db:
        rows = load_sectors(db, market_reader.load_day(db))
    assert [(row["name"], row["by"]) for row in rows] == [("酿酒", "source")]
    insert(ws, "jobs", {"job": "sectors", "key": "industry", "state": "done", "time": f"{FRI}T02:30:00.000Z"})
    with market_reader.open_market(ws) as db:  # asked for at 10:30: they are not those of the day
        assert {row["by"] for row in load_sectors(db, day)} == {"members"}
        db.execute("UPDATE jobs SET time = ?", (f"{FRI}T07:00:01.000Z",))
        assert {row["by"] for row in load_sectors(db, day)} == {"source"}
        now(f"{FRI}T14:00:00")  # a snapshot of the morning is seen, and nothing of the evening
        assert {row["by"] for row in load_sectors(db, day)} == {"members"}


def test_groups_of_a_day_before_stand_in_where_none_of_the_day_are_known(ws, now):
    insert(ws, "boards", {"kind": "industry", "date": THU, "board": "BK1", "name": "酿酒", "change_pct": 2.0},
           {"kind": "industry", "date": "2024-03-18", "board": "BK1", "name": "后来", "change_pct": 3.0})  # fmt: skip
    with market_reader.open_market(ws) as db:
        assert [(row["name"], row["date"]) for row in market_reader.load_boards(db, "industry")] == [("酿酒", THU)]
        assert market_reader.load_boards(db, "concept") == []
    fill(ws, {FRI: [quote(f"60{n:04d}.SH", f"股{n}", n / 2) for n in range(4)]})
    with market_reader.open_market(ws) as db:
        rows = load_sectors(db, market_reader.load_day(db))
    assert [(row["name"], row["date"], row["by"]) for row in rows] == [("酿酒", THU, "source")]


def test_members_of_synced_boards_stand_in_where_snapshots_tell_no_groups(ws, now):
    fill(ws, {FRI: [quote(f"60{n:04d}.SH", f"股{n}", n / 2) for n in range(4)]})
    insert(
        ws, "boards", {"kind": "concept", "date": THU, "board": "B1", "name": "旧名"},
        {"kind": "concept", "date": FRI, "board": "B1", "name": "低空"}, {"kind": "concept", "date": FRI, "board": "B2", "name": "白酒"},
        {"kind": "industry", "date": FRI, "board": "I1", "name": "银行"}, {"kind": "concept", "date": "2024-03-18", "board": "B1", "name": "新名"},
    )  # fmt: skip
    insert(
        ws, "members", {"kind": "concept", "board": "B1", "symbol": "600001.SH", "seen": THU, "gone": None},
        {"kind": "concept", "board": "B2", "symbol": "600001.SH", "seen": THU, "gone": "2024-03-18"},
        {"kind": "concept", "board": "B1", "symbol": "600002.SH", "seen": "2024-03-18", "gone": None},
        {"kind": "concept", "board": "B1", "symbol": "600003.SH", "seen": "2024-03-01", "gone": FRI},
        {"kind": "industry", "board": "I1", "symbol": "600002.SH", "seen": FRI, "gone": None},
    )  # fmt: skip
    with market_reader.open_market(ws) as db:
        found = {row.symbol: (row.industry, row.concepts) for row in load_stocks(db, market_reader.load_day(db))}
    assert found == {
        "600000.SH": (None, None), "600001.SH": (None, "低空;白酒"), "600002.SH": ("银行", None), "600003.SH": (None, None)
    }  # fmt: skip
