"""Reports and valuations of Hong Kong and the US: twelve months, publication, splits, currencies."""

import bisect

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import NotFound
from ia.organs.market import coming_dates, date_sync, foreign_reports, market_reader
from ia.organs.market.foreign_reports import load_reports, public_since, sum_twelve_months
from ia.organs.market.sources import ForeignReport, load_source
from ia.organs.market.sources.foreign_companies import foreign_companies
from ia.organs.market.statements import load_statements
from ia.organs.market.valuation import load_valuation
from ia.organs.ohlcv.adapters.demo import Demo, simulated_rate
from support.markets.hosts import past_day


@pytest.fixture
def demo(monkeypatch, ws):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    from ia.organs.market.sync import SyncRequest, sync_market

    sync_market(ws, SyncRequest("symbols"))
    return ws


def report(period, months, **more):
    return ForeignReport("AAPL.US", period, months, "USD", published="2023-01-01", **more)


def test_twelve_months_of_a_year_of_52_or_53_weeks():
    reports = [
        report("2023-12-30", 3, revenue=120.0, profit=34.0, eps=2.0, roe_pct=40.0, gross_margin_pct=50.0),
        report("2023-09-30", 12, revenue=383.0, profit=97.0, eps=6.0, gross_margin_pct=44.0, profit_yoy_pct=-2.8),
        report("2022-12-31", 3, revenue=117.0, profit=30.0, eps=1.9, gross_margin_pct=43.0),
        report("2022-09-24", 12, revenue=394.0, profit=100.0, eps=6.1),
        report("2021-12-25", 3, revenue=124.0, profit=35.0, eps=2.1),
    ]
    found = sum_twelve_months(reports, 0)
    assert (found.basis, found.revenue, found.profit) == ("ttm", 386.0, 101.0)
    assert found.eps == pytest.approx(101 / 17, abs=1e-4), "on the shares of the newest report"
    assert found.roe_pct == pytest.approx(101 / (34 / 40), abs=1e-4)
    assert found.profit_yoy_pct == pytest.approx((101 / (30 + 100 - 35) - 1) * 100, abs=1e-4)
    assert found.gross_margin_pct == pytest.approx((120 * 50 + 383 * 44 - 117 * 43) / 386, abs=1e-4)
    year = sum_twelve_months(reports, 1)
    assert (year.basis, year.profit, year.eps, year.profit_yoy_pct) == ("annual", 97.0, 6.0, -2.8)


def test_a_missing_report_or_another_currency_leaves_twelve_months_open():
    new, year = report("2023-12-30", 3, profit=34.0), report("2023-09-30", 12, profit=97.0)
    part = report("2022-12-31", 3, profit=30.0)
    assert sum_twelve_months([new, year], 0).basis is None
    assert sum_twelve_months([new, year, part], 0).profit == 101.0
    assert sum_twelve_months([new, year, part._replace(currency="CNY")], 0).profit is None


@pytest.mark.parametrize(
    "months, seen, day",
    [(12, None, "2024-04-01"), (6, None, "2024-03-02"), (3, None, ""), (3, "2024-02-01", "2024-02-01"),
     (12, "2024-03-20", "2024-03-20"), (12, "2026-01-01", "2024-04-01")],
)  # fmt: skip
def test_a_report_of_hong_kong_counts_from_the_deadline_or_from_when_it_was_seen(months, seen, day):
    assert public_since(ForeignReport("00700.HK", "2023-12-31", months, "CNY", seen=seen)) == day
    told = ForeignReport("AAPL.US", "2023-12-31", months, "USD", seen=seen)
    assert public_since(told) == (seen or ""), "the rules of Hong Kong are not those of the US"


@pytest.mark.parametrize("symbol", ["AAPL.US", "00700.HK", "NVDA.US", "BABA.US", "00005.HK"])
def test_a_valuation_is_that_of_the_newest_price_and_the_reports_before_it(demo, symbol):
    found = load_valuation(demo, symbol)
    security = from_canonical(symbol)
    bars, actions = Demo().fetch(security).raw, Demo().actions(security)
    at = bisect.bisect_right(bars.date, found.date) - 1
    price, day = bars.close[at], bars.date[at]
    reports = {(each.period, each.months): each for each in load_source("demo").foreign_reports_of(symbol)}
    newest = max(reports)
    assert (found.report, found.published) == (newest[0], reports[newest].published)
    assert found.published <= "2024-03-15"
    profit = reports[newest].profit
    if newest[1] < 12:
        ends = foreign_companies()[symbol].ends
        year = max(key for key in reports if key[1] == 12 and key < newest)
        part = (f"{int(newest[0][:4]) - 1}{newest[0][4:]}", newest[1])
        assert int(year[0][5:7]) == ends
        profit += reports[year].profit - reports[part].profit
    worth = {"CNY": 1.0, "USD": simulated_rate("USD", day), "HKD": simulated_rate("HKD", day)}
    rate = worth[found.reported] / worth[found.currency]
    split = 1.0
    for action in actions:
        if found.published < action.date <= day:
            split *= action.split
    shares = reports[newest].shares * split
    assert found.figures["market_cap"] == pytest.approx(price * shares, rel=1e-9)
    assert found.figures["pe_ttm"] == pytest.approx(price * shares / (profit * rate), rel=2e-3)
    assert found.figures["pb"] == pytest.approx(price / (reports[newest].bvps * rate), abs=0.02)
    paid = sum(action.cash for action in actions if "2023-03-15" < action.date <= day)
    assert found.figures["dividend_yield_pct"] == pytest.approx(paid / price * 100, abs=1e-4)
    assert found.history["pe_ttm"].others > 1000


def test_the_past_of_a_multiple_does_not_jump_at_a_split(demo):
    actions = [each for each in Demo().actions(from_canonical("NVDA.US")) if each.split > 2 and each.date < "2024"]
    assert actions, "the simulated NVIDIA has split its shares"
    from ia.organs.market.foreign_figures import ReportedShare

    with market_reader.open_market(demo) as db:
        series = market_reader.load_unadjusted(db, "NVDA.US")
        share = ReportedShare(db, series, load_reports("NVDA.US").reports)
    at = series.bars.date.index(actions[-1].date)
    before, after = (
        share.multiples(series.bars.date[i], series.bars.close[i]).pe_ttm for i in (at - 1, at)
    )  # fmt: skip
    assert 0.8 < after / before < 1.25


def test_a_quote_names_its_currency_and_has_the_multiples(demo):
    rows, lost = market_reader.load_quotes(demo, ["AAPL", "00700", "HSI"])
    assert lost == []
    apple, tencent, index = rows
    assert (apple["currency"], tencent["currency"], index["currency"]) == ("USD", "HKD", None)
    assert apple["pe_ttm"] == load_valuation(demo, "AAPL").figures["pe_ttm"]
    assert (tencent["report"], tencent["basis"]) == ("2023-12-31", "annual")


def test_a_fund_has_a_dividend_yield_alone_and_an_index_nothing(demo):
    fund = load_valuation(demo, "SPY")
    assert fund.figures["dividend_yield_pct"] > 0
    assert fund.figures["pe_ttm"] is None and fund.report is None
    with pytest.raises(NotFound, match="index"):
        load_valuation(demo, "HSI")


def test_a_statement_abroad_is_known_with_its_report(demo, monkeypatch):
    found = load_statements("AAPL", "cashflow")
    assert found.reports[0].period == "2023-12-31" and found.twelve_months.currency == "USD"
    by_period = {each.period: each.items for each in load_statements("AAPL", "cashflow", periods=12).reports}
    free = [by_period[day]["free_cash_flow"] for day in ("2023-12-31", "2023-09-30", "2022-12-31")]
    assert found.twelve_months.items["free_cash_flow"] == pytest.approx(free[0] + free[1] - free[2])
    monkeypatch.setenv("IA_NOW", "2024-01-15T16:00+08:00")
    assert load_statements("AAPL", "cashflow").reports[0].period == "2023-09-30"


def test_dates_and_ex_dates_are_known_in_time(demo):
    assert not date_sync.refresh_dates(demo, ["AAPL.US", "00700.HK"]).failures
    span = coming_dates.CalendarSpan("2023-06-01", "2024-07-01")
    rows = coming_dates.load_calendar(demo, ["AAPL.US", "00700.HK"], span, ("report", "ex-dividend"))
    reports = {(row["symbol"], row["period"]): row for row in rows if row["kind"] == "report"}
    assert reports["AAPL.US", "2023-12-31"]["status"] == "published"
    assert reports["AAPL.US", "2024-03-31"]["status"] == "expected"
    assert str(coming_dates.describe_date(reports["AAPL.US", "2024-03-31"])) == (
        "report for the period to 2024-03-31, expected"
    ), "a financial year may end in any month"


def test_what_was_seen_first_is_kept(monkeypatch, ws):
    with past_day(monkeypatch) as hosts:
        row = {
            "REPORT_DATE": "2024-03-31 00:00:00", "DATE_TYPE_CODE": "003", "START_DATE": "2024-01-01 00:00:00",
            "BASIC_EPS": 4.4, "OPERATE_INCOME": 159501e6, "HOLDER_PROFIT": 41889e6,
        }  # fmt: skip
        listed = {"REPORT_LIST": [{"REPORT_DATE": "2024-03-31 00:00:00", "CURRENCY": "人民币"}]}
        body = {"result": {"pages": 1, "data": [row]}}
        hosts.say("RPT_HKF10_FN_MAININDICATOR", body)
        hosts.say("RPT_CUSTOM_HKSK", {"result": {"pages": 1, "data": [listed]}})
        monkeypatch.setenv("IA_NOW", "")
        [first] = load_reports("00700.HK").reports
        assert first.seen and load_reports("00700.HK").reports == [first]
        assert hosts.count("RPT_HKF10_FN_MAININDICATOR") == 1, "it is kept for a while"
        monkeypatch.setenv("IA_NOW", "2024-06-14T16:00+08:00")
        with pytest.raises(NotFound, match="published by 2024-06-14"):
            load_reports("00700.HK")
        assert foreign_reports.load_reports.__doc__
