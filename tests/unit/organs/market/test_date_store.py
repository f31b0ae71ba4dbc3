"""Dates in the store: from when on each is seen, what a moved or withdrawn one leaves, two of one key."""

import pytest

from ia.kernel import clock
from ia.organs import marketdb
from ia.organs.market import date_store, store
from ia.organs.market.sources import CompanyEvent

MAOTAI = "600519.SH"


def event(date="2024-06-19", kind="ex-dividend", key="2023-12-31", known="2024-06-12", **more):
    return CompanyEvent(symbol=MAOTAI, kind=kind, key=key, date=date, known=known, **more)


@pytest.fixture
def db(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "akshare")
    found = marketdb.connect(ws)
    yield found
    found.close()


@pytest.fixture
def at(monkeypatch):
    return lambda moment: monkeypatch.setenv("IA_NOW", moment)


def put(db, *events, whole=False):
    return date_store.put_dates(db, store.source_id(db, "akshare", False), MAOTAI, events, whole=whole)


def seen(db):
    return [(each.date, each.cash) for each in date_store.load_dates(db, [MAOTAI], "2000-01-01", "9999")]


def test_a_date_is_seen_when_the_day_is_over_on_which_it_became_known(db, at):
    assert put(db, event(cash=30.876)) == (1, 0)
    for moment, told in (("2024-06-12T20:00", []), ("2024-06-13T00:00", [("2024-06-19", 30.876)])):
        at(f"{moment}+08:00")
        assert seen(db) == told


def test_without_such_a_day_it_is_seen_from_the_fetch_on(db, at):
    put(db, event(known=None, kind="lock-up"))
    [row] = date_store.load_dates(db, [MAOTAI], "2000-01-01", "9999")
    assert not row.told and row.known[:10] == clock.utc_stamp(clock.wall_time())[:10]
    at("2024-06-15T12:00+08:00")
    assert seen(db) == []


def test_a_moved_date_replaces_the_former_one_from_when_that_was_known(db, at):
    put(db, event("2024-06-19", known="2024-06-12"))
    assert put(db, event("2024-06-19", known="2024-06-12")) == (0, 0)
    assert put(db, event("2024-06-21", known="2024-06-14", cash=1.0)) == (1, 0)
    at("2024-06-13T12:00+08:00")
    assert seen(db) == [("2024-06-19", None)]
    at("2024-06-15T12:00+08:00")
    assert seen(db) == [("2024-06-21", 1.0)]


def test_a_change_that_claims_no_later_day_counts_from_the_fetch(db, at):
    put(db, event("2024-06-19"))
    put(db, event("2024-06-21"))
    at("2024-06-20T12:00+08:00")
    assert seen(db) == [("2024-06-19", None)]
    at("")
    assert seen(db) == [("2024-06-21", None)]


def test_what_a_source_no_longer_names_was_withdrawn(db, at):
    year = int(clock.today()[:4]) + 1
    put(db, event(f"{year}-06-19"), event("2024-06-19", key="2022-12-31"))
    assert put(db, whole=False) == (0, 0) and len(seen(db)) == 2
    assert put(db, whole=True) == (0, 1), "what has passed stays"
    assert seen(db) == [("2024-06-19", None)]
    assert put(db, event(f"{year}-06-19"), event("2024-06-19", key="2022-12-31")) == (1, 0)
    assert len(seen(db)) == 2


def test_two_dividends_of_one_period_stand_side_by_side(db, at):
    both = (event("2024-06-19", cash=30.0), event("2024-12-20", cash=20.0))
    assert put(db, *both) == (2, 0) and put(db, *reversed(both)) == (0, 0)
    assert seen(db) == [("2024-06-19", 30.0), ("2024-12-20", 20.0)]


def test_only_adapters_of_the_setting_are_read(db, at, monkeypatch):
    put(db, event())
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    assert seen(db) == []
