"""Exchange rates: fetched from a host that answers as SAFE does, kept by day, read as they were known at a moment."""

from datetime import datetime

import pytest

from ia.kernel import clock
from ia.kernel.errors import drop_message
from ia.organs import marketdb
from ia.organs.market import rate_sync, store
from ia.organs.market.exchange_rates import load_rates
from ia.organs.market.sources import NotDelivered, central_parity, load_source
from ia.organs.market.sync import SyncRequest, sync_market
from ia.organs.ohlcv.transport import ShapeChanged
from support.markets.hosts import DAY, past_day


@pytest.fixture
def hosts(monkeypatch, ws):
    with past_day(monkeypatch) as found:
        yield found


def seen(ws, moment="", currencies=("USD", "HKD")):
    at = datetime.fromisoformat(moment) if moment else clock.now()
    db = marketdb.connect(ws)
    try:
        return load_rates(db, currencies, at, drop_message)
    finally:
        db.close()


def test_the_parity_is_kept_by_day_with_its_source(ws, hosts):
    outcome = sync_market(ws, SyncRequest("rates"))
    [row] = outcome.rows
    assert not outcome.failures and (row["job"], row["day"]) == ("rates", DAY)
    found = seen(ws)
    assert found["USD"].days[-1] == DAY and found["USD"].source == "safe.gov.cn" and not found["USD"].simulated
    assert 7.0 < found["USD"].yuan[-1] < 7.2 and 0.9 < found["HKD"].yuan[-1] < 0.94
    hosts.asked.clear()
    again = sync_market(ws, SyncRequest("rates")).rows[0]
    assert (again["changed"], hosts.count("RMBQuery")) == (0, 1), "only the last stored day is asked for again"


def test_a_rate_is_seen_from_a_quarter_past_nine_on_its_day(ws, hosts):
    sync_market(ws, SyncRequest("rates"))
    assert seen(ws, f"{DAY}T09:14+08:00")["USD"].days[-1] == "2024-06-13"
    assert seen(ws, f"{DAY}T09:15+08:00")["USD"].days[-1] == DAY
    assert seen(ws, "2023-01-01T12:00+08:00") == {}


def test_rates_are_due_only_where_somebody_needs_them(ws, hosts):
    db = marketdb.connect(ws)
    number = store.source_id(db, "akshare", False)
    assert rate_sync.is_due(db, number)
    sync_market(ws, SyncRequest("rates"))
    assert not rate_sync.is_due(db, number)
    db.close()
    plain = [row["job"] for row in sync_market(ws, SyncRequest("")).rows]
    assert "rates" not in plain


@pytest.mark.parametrize(
    "body",
    [
        "<html><p>维护中</p></html>",
        "<table><tr><th>日期</th><th>美元</th></tr><tr><td>2024-06-14</td><td>7.1</td></tr></table>",
    ],
)
def test_another_answer_is_a_changed_shape(ws, hosts, body):
    hosts.say("RMBQuery", body.encode())
    with pytest.raises(ShapeChanged):
        central_parity.fetch_rates("2024-06-01", "2024-06-14")
    assert sync_market(ws, SyncRequest("rates")).failures[0].status == 69


def test_simulated_rates_say_so_and_a_folder_of_files_is_not_stored(ws, monkeypatch, tmp_path):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:30+08:00")
    fresh = seen(ws)
    sync_market(ws, SyncRequest("rates"))
    assert seen(ws) == fresh and fresh["USD"].simulated and fresh["USD"].days[-1] == "2024-03-15"
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(tmp_path))
    db = marketdb.connect(ws)
    with pytest.raises(NotDelivered):
        rate_sync.sync_rates(db, 1, load_source("csv"))
    db.close()
