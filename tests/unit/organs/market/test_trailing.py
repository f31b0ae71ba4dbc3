"""Twelve months of a company's figures, against pandas over the reports as they were published."""

import contextlib

import pytest

from ia.organs import marketdb
from ia.organs.market import market_reader
from ia.organs.market.screen import screen_stocks
from support.markets.stored_quotes import fill, insert, quote

SUMS = ("revenue", "profit")


@pytest.fixture
def simulated(ws, monkeypatch):
    """The simulated market with all reports of all companies, as of a day in May."""
    from ia.kernel.errors import drop_message
    from ia.organs.market import market_jobs, store
    from ia.organs.market.sources.companies import simulated_companies
    from ia.organs.market.sources.demo import DemoMarket

    monkeypatch.setenv("IA_NOW", "2024-05-06T16:00:00+08:00")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    market = DemoMarket()
    with contextlib.closing(marketdb.connect(ws)) as db:
        number = store.source_id(db, "demo", True)
        symbols = [symbol for symbol, company in simulated_companies().items() if company.industry]
        market_jobs.sync_fundamentals(db, number, market, symbols, drop_message, lambda *_: None)
        for page in market.snapshot():
            store.put_day(db, number, "2024-05-06", page.quotes, host="", time="2024-05-06T08:00:00.000Z", bars=False)
    return ws


def read_reports(ws):
    """Return the published reports as pandas has them, figures as stored."""
    import pandas as pd

    with contextlib.closing(marketdb.connect(ws)) as db:
        frame = pd.read_sql("SELECT * FROM fundamentals WHERE published <= '2024-05-06'", db)
    return frame.set_index(["symbol", "period"])


def twelve_months(frame, symbol, period, column):
    """Return (sum up to the period, sum up to a year before) by the definition; None for a missing report."""

    def told(period):
        return frame[column].get((symbol, period))

    def total(year, end):
        if end == "-12-31":
            return told(f"{year}{end}")
        parts = told(f"{year}{end}"), told(f"{year - 1}-12-31"), told(f"{year - 1}{end}")
        return None if None in parts else parts[0] + parts[1] - parts[2]

    year, end = int(period[:4]), period[4:]
    return total(year, end), total(year - 1, end)


@pytest.mark.soak
def test_figures_of_the_simulated_market_are_those_of_pandas(simulated):
    frame, seen, missing = read_reports(simulated), 0, 0
    for symbol in frame.index.unique("symbol"):
        for row in market_reader.load_fundamentals(simulated, symbol, 200)[1]:
            period, newest = row["period"], frame.loc[(symbol, row["period"])]
            annual = period.endswith("12-31")
            for column in SUMS:
                now, before = twelve_months(frame, symbol, period, column)
                assert row[column] == (None if now is None else pytest.approx(now, abs=0.01)), (symbol, period, column)
                if annual:
                    told = newest[f"{column}_yoy_pct"]
                    assert row[f"{column}_yoy_pct"] == (pytest.approx(told) if told == told else None)
                elif now is None or before is None:
                    assert row[f"{column}_yoy_pct"] is None
                    missing += 1
                elif before > 0:
                    assert row[f"{column}_yoy_pct"] == pytest.approx((now / before - 1) * 100, abs=1e-3)
            profit = twelve_months(frame, symbol, period, "profit")[0]
            assert row["basis"] == (None if profit is None else "annual" if annual else "ttm")
            if profit is not None:
                equity = newest["profit"] / newest["roe_pct"] * 100
                assert row["roe_pct"] == pytest.approx(profit / equity * 100, abs=1e-3), (symbol, period)
                eps = pytest.approx(profit / (newest["profit"] / newest["eps"]), rel=1e-3)
                assert row["eps"] == (None if abs(newest["eps"]) < 0.05 else eps)
                seen += 1
    assert seen > 500 and missing > 50


def test_a_screen_shows_the_figures_of_the_reports(simulated):
    asked = [
        "symbol",
        "report",
        "basis",
        "roe",
        "eps",
        "profit",
        "revenue",
        "profit_yoy",
        "cash_flow_ps",
        "gross_margin",
    ]
    rows = screen_stocks(simulated, "price > 0", columns=asked).rows
    assert len(rows) > 25
    for row in rows:
        (report,) = market_reader.load_fundamentals(simulated, row["symbol"], 1)[1]
        names = [name for name in row if name not in ("symbol", "report")]
        assert {name: row[name] for name in names} == {name: report[name] for name in names}
        assert row["report"] == report["period"]


ROWS = (  # period, profit, eps, roe, revenue, cash flow a share, gross margin
    ("2022-06-30", 50.0, 1.0, 10.0, 400.0, 0.5, 20.0),
    ("2022-12-31", 120.0, 2.0, 20.0, 900.0, 1.5, 22.0),
    ("2023-06-30", 60.0, 0.6, 6.0, 500.0, 0.4, 30.0),
)


@pytest.fixture
def half_year(ws, monkeypatch):
    """Return what is read of reports up to mid 2023, between which the shares grew from 60 to 100."""
    monkeypatch.setenv("IA_NOW", "2023-09-15T16:00:00+08:00")
    fill(ws, {"2023-09-15": [quote("600519.SH")]})

    def read(*rows):
        names = ("period", "profit", "eps", "roe_pct", "revenue", "cash_flow_ps", "gross_margin_pct")
        insert(ws, "fundamentals", *({"symbol": "600519.SH", **dict(zip(names, row, strict=True))} for row in rows))
        return market_reader.load_fundamentals(ws, "600519", 1)[1][0]

    return read


def test_figures_a_share_are_on_the_shares_of_the_newest_report(half_year):
    row = half_year(*ROWS)
    assert (row["profit"], row["revenue"], row["basis"]) == (130.0, 1000.0, "ttm")
    assert row["eps"] == 1.3  # 130 on 100 shares, not 0.6 + 2.0 - 1.0
    assert row["cash_flow_ps"] == pytest.approx((0.4 * 100 + 1.5 * 60 - 0.5 * 50) / 100)
    assert row["roe_pct"] == 13.0  # on an equity of 1000, of which 60 are 6 %
    assert row["gross_margin_pct"] == pytest.approx((500 * 30 + 900 * 22 - 400 * 20) / 1000)
    assert row["net_margin_pct"] == 13.0


@pytest.mark.parametrize("left_out", [0, 1])
def test_a_missing_report_leaves_figures_unknown(half_year, left_out):
    row = half_year(*(report for at, report in enumerate(ROWS) if at != left_out))
    figures = set(market_reader.REPORTED) - {"bvps", "debt_ratio_pct"}
    assert {row[name] for name in (*figures, "basis")} == {None}


def test_a_rounded_zero_is_no_divisor(half_year):
    row = half_year(*ROWS[:2], ("2023-06-30", 0.3, 0.0, 0.02, 500.0, 0.4, 30.0))
    assert (row["profit"], row["eps"], row["cash_flow_ps"]) == (70.3, None, None)
    assert row["roe_pct"] == pytest.approx(70.3 / 600 * 100, abs=1e-4)  # the equity of the year before


def test_a_loss_is_a_loss(half_year):
    row = half_year(*ROWS[:2], ("2023-06-30", -100.0, -1.0, -12.5, 300.0, -0.4, 10.0))
    assert (row["profit"], row["eps"], row["roe_pct"]) == (-30.0, -0.3, -3.75)
