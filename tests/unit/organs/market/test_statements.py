"""Statements of companies: known from their publication on, twelve months added up, kept for a day."""

import json
from pathlib import Path

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import BadData, NotFound, TryLater
from ia.organs.market import kept_answers
from ia.organs.market.sources import STATEMENT_ITEMS, FinancialStatement, NotDelivered, load_source
from ia.organs.market.sources.companies import share_count, simulated_companies
from ia.organs.market.statements import load_statements, public_since, sum_twelve_months
from ia.organs.ohlcv.adapters.demo import Demo
from support.markets.hosts import past_day

MAOTAI = "600519.SH"


@pytest.fixture
def demo(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-06-14T16:00+08:00")


@pytest.fixture
def hosts(monkeypatch):
    with past_day(monkeypatch) as server:
        yield server


def reported(period, published, cash, spent=None):
    """Return one cash flow report as Sina sends it."""
    rows = [("经营活动产生的现金流量净额", cash), ("购建固定资产、无形资产和其他长期资产所支付的现金", spent)]
    items = [{"item_title": title, "item_value": None if value is None else f"{value:.2f}"} for title, value in rows]
    return {period: {"rCurrency": "CNY", "publish_date": published, "data": items}}


def say(hosts, *reports):
    listed = {key: value for each in reports for key, value in each.items()}
    hosts.say("source=llb", {"result": {"data": {"report_list": listed}}})


@pytest.mark.process
def test_the_simulated_statements_are_those_of_the_simulated_reports(demo):
    reports = {each.period: each for each in load_source("demo").fundamentals_of(MAOTAI)}
    told = {kind: load_statements("贵州茅台", kind, periods=8) for kind in STATEMENT_ITEMS}
    assert {each.symbol for each in told.values()} == {MAOTAI}
    assert all(each.simulated and each.source == "demo" for each in told.values())
    actions = Demo().actions(from_canonical(MAOTAI))
    for kind, found in told.items():
        assert [(each.period, each.published) for each in found.reports] == [
            (each.period, each.published) for each in list(reports.values())[:8]
        ]
        assert all(set(STATEMENT_ITEMS[kind]) <= each.items.keys() for each in found.reports)
    for income, balance, cash in zip(*(told[kind].reports for kind in STATEMENT_ITEMS), strict=True):
        report = reports[income.period]
        shares = share_count(simulated_companies()[MAOTAI], actions, income.period)
        assert (income.items["revenue"], income.items["profit"]) == (report.revenue, report.profit)
        assert cash.items["operating_cash_flow"] / shares == pytest.approx(report.cash_flow_ps)
        assert balance.items["total_liabilities"] / balance.items["total_assets"] * 100 == pytest.approx(
            report.debt_ratio_pct
        )
        assert balance.items["equity"] + balance.items["total_liabilities"] == pytest.approx(
            balance.items["total_assets"]
        )
        assert 0 < cash.items["capital_expenditure"] < report.profit
        assert balance.items["cash"] == cash.items["cash_end"]


@pytest.mark.process
def test_nothing_is_known_before_it_is_published(demo, monkeypatch):
    newest = load_statements(MAOTAI, "income", periods=1).reports[0]
    assert newest.period == "2024-03-31"
    monkeypatch.setenv("IA_NOW", f"{newest.published}T16:00+08:00")
    assert load_statements(MAOTAI, "income", periods=1).reports == [newest]
    monkeypatch.setenv("IA_NOW", "2024-04-12T16:00+08:00")
    before = load_statements(MAOTAI, "income", periods=12)
    assert before.reports[0].period == "2023-12-31"
    assert all(each.published <= "2024-04-12" for each in before.reports)
    with pytest.raises(NotFound, match="no income statement of 2024-03-31 was published by 2024-04-12"):
        load_statements(MAOTAI, "income", period="2024-03-31")


@pytest.mark.process
def test_one_period_and_the_twelve_months_up_to_it(demo):
    found = load_statements(MAOTAI, "cashflow", period="2023-09-30")
    (report,) = found.reports
    history = {each.period: each.items for each in load_statements(MAOTAI, "cashflow", periods=12).reports}
    for name in ("operating_cash_flow", "capital_expenditure", "free_cash_flow"):
        parts = [history[period][name] for period in ("2023-09-30", "2022-12-31", "2022-09-30")]
        assert found.twelve_months.items[name] == pytest.approx(parts[0] + parts[1] - parts[2])
    assert report.items["free_cash_flow"] == pytest.approx(
        report.items["operating_cash_flow"] - report.items["capital_expenditure"]
    )
    assert "cash_end" not in found.twelve_months.items
    assert load_statements(MAOTAI, "balance").twelve_months is None


def test_twelve_months_take_three_reports():
    def made(period, **items):
        return FinancialStatement(period, None, "CNY", items)

    new = made("2024-03-31", free=3.0, spent=1.0, eps=1.0)
    assert sum_twelve_months([new, made("2023-12-31", free=10.0)]) is None
    parts = [new, made("2023-12-31", free=10.0), made("2023-03-31", free=2.0, spent=1.0)]
    assert sum_twelve_months(parts).items == {"free": 11.0}, "the year before does not tell what was spent"
    assert sum_twelve_months(parts[1:]).items == {"free": 10.0}


@pytest.mark.parametrize(
    "period, day",
    [("2024-03-31", "2024-04-30"), ("2024-06-30", "2024-08-31"), ("2024-09-30", "2024-10-31"), ("2024-12-31", "2025-04-30"),
     ("2024-11-30", "")],
)  # fmt: skip
def test_a_report_without_a_date_counts_from_the_legal_deadline(period, day):
    assert public_since(FinancialStatement(period, None, "CNY", {})) == day
    assert public_since(FinancialStatement(period, "2026-01-01", "CNY", {})) == "2026-01-01"


@pytest.mark.parametrize(
    "symbol, words",
    [("SPY", "not a stock"), ("02800.HK", "not a stock"), ("510300", "not a stock"), ("000300.SH", "not a stock")],
)  # fmt: skip
def test_who_has_none_is_told_so(demo, symbol, words):
    with pytest.raises(NotFound, match=words):
        load_statements(symbol, "cashflow")


@pytest.mark.parametrize(
    "words", [{"statement": "notes"}, {"periods": 0}, {"periods": 13}, {"periods": True}, {"period": "2024-05-31"},
              {"period": "2024"}],
)  # fmt: skip
def test_what_cannot_be_asked(demo, words):
    with pytest.raises(BadData):
        load_statements(MAOTAI, **{"statement": "cashflow", **words})


def test_files_have_no_statements_and_the_next_source_is_asked(monkeypatch, tmp_path):
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(tmp_path))
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    with pytest.raises(NotDelivered, match="csv does not provide financial statements"):
        load_statements(MAOTAI, "income")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv,demo")
    assert load_statements(MAOTAI, "income").source == "demo"


def test_what_a_host_told_is_kept_and_used_where_it_cannot_be_reached(hosts, ws, monkeypatch):
    say(
        hosts,
        reported("20240331", "20240425", 30.0, 5.0),
        reported("20231231", "20240330", 100.0, 40.0),
        reported("20230331", None, 20.0, 10.0),
    )
    found = load_statements(MAOTAI, "cashflow")
    assert (found.source, found.simulated) == ("akshare", False)
    assert found.twelve_months.items["free_cash_flow"] == 25.0 + 60.0 - 10.0
    assert load_statements(MAOTAI, "cashflow") == found
    assert hosts.count("source=llb") == 1 and "paperCode=sh600519" in hosts.asked[0]
    monkeypatch.setattr(kept_answers, "FRESH", kept_answers.FRESH * 0)
    hosts.fail("502", "quotes.sina.cn")
    hosts.faults.insert(0, hosts.faults.pop())
    assert load_statements(MAOTAI, "cashflow") == found
    with pytest.raises(TryLater):
        load_statements(MAOTAI, "income")


def test_a_damaged_record_is_made_again(hosts, ws):
    say(hosts, reported("20240331", "20240425", 30.0, 5.0))
    found = load_statements(MAOTAI, "cashflow")
    (place,) = Path(ws.root).glob(".ia/cache/statements/*.json")
    for text in (
        "{",
        "[]",
        json.dumps({"fetched": "x", "told": []}),
        json.dumps({"fetched": "2024-01-01", "told": [1]}),
    ):
        place.write_text(text)
        assert load_statements(MAOTAI, "cashflow") == found
