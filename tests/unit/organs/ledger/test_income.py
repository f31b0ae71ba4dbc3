"""Dividends: those that came, in the base currency at each day's rate, and those that are announced for what is held."""

from datetime import date, timedelta
from decimal import Decimal

from ia.organs import marketdb
from ia.organs.ledger.income import income_document, measure_income
from ia.organs.market.announced_dividends import load_announced
from ia.wiring.ledger_prices import open_ledger
from unit.organs.ledger.test_account import bought, deposited, desk, stored  # noqa: F401


def event(ws, *rows):
    db = marketdb.connect(ws)
    for key, known, day, cash, gone in rows:
        db.execute(
            "INSERT INTO events (source, symbol, kind, key, known, date, told, gone, cash)"
            " VALUES (1, '600000.SH', 'ex-dividend', ?, ?, ?, 1, ?, ?)", (key, known, day, gone, cash),
        )  # fmt: skip
    db.commit()
    db.close()


def test_what_came_is_told_by_year_and_security(ws, desk):  # noqa: F811
    stored(ws, "600000.SH", (10.0, 10.0, 9.7, 9.8, 9.9), [("2024-06-19", 0.3, 0.0)])
    deposited(desk, "20000", "2024-06-17")
    bought(desk, "600000", "1000", "10", "2024-06-17")
    found = measure_income(open_ledger(ws), "CNY")
    [row] = found.rows
    assert (row.year, row.symbol, row.payments, row.amount, row.value) == ("2024", "600000.SH", 1, 300, 300)
    assert (found.total, found.by_currency, found.expected) == (300, {"CNY": 300}, [])
    assert measure_income(open_ledger(ws), "CNY", "2024-06-20").rows == []
    assert measure_income(open_ledger(ws), "CNY", symbol="AAPL.US").rows == []
    dollars = measure_income(open_ledger(ws), "USD")
    assert dollars.total is None and dollars.missing
    assert income_document(dollars)["received"][0]["value"] is None


def test_what_is_announced_counts_as_it_was_known(ws, desk, monkeypatch):  # noqa: F811
    stored(ws, "600000.SH", (10.0, 10.0, 9.7, 9.8, 9.9))
    bought(desk, "600000", "1000", "10", "2024-06-17")
    event(
        ws,
        ("2023-12-31", "2024-06-18", "2024-07-10", None, None),
        ("2023-12-31", "2024-06-20", "2024-07-11", 0.25, None),  # the day moved, the amount came
        ("2024-06-30", "2024-06-25", "2024-08-01", 0.1, None),  # told later than now
        ("2022-12-31", "2024-06-01", "2024-07-01", 0.5, "2024-06-15"),  # withdrawn
    )
    [found] = measure_income(open_ledger(ws), "CNY").expected
    assert (found.date, found.shares, found.cash, found.amount) == ("2024-07-11", 1000, Decimal("0.25"), 250)
    monkeypatch.setenv("IA_NOW", "2024-06-19T16:00+08:00")
    [early] = measure_income(open_ledger(ws), "CNY").expected
    assert (early.date, early.amount) == ("2024-07-10", None)
    monkeypatch.setenv("IA_NOW", "2024-06-17T23:00+08:00")
    assert measure_income(open_ledger(ws), "CNY").expected == []


def test_a_simulated_market_announces_ten_days_ahead(ws, monkeypatch):
    from ia.organs.market.sources import load_source

    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-12-31T20:00+08:00")
    day = next(each.date for each in load_source("demo").events_of("600519.SH") if each.kind == "ex-dividend")
    for before, hour, told in ((10, 12, []), (9, 0, [day]), (1, 12, [day]), (0, 12, [])):
        moment = date.fromisoformat(day) - timedelta(before)
        monkeypatch.setenv("IA_NOW", f"{moment}T{hour:02}:00+08:00")
        db = marketdb.connect(ws)
        assert [each.date for each in load_announced(db, ["600519.SH"]) if each.date == day] == told, before
        db.close()
