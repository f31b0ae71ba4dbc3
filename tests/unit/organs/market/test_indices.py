"""`ia sync indices`: the bars of the main indices are there when the market is asked for, and nobody is asked for them."""

import pytest

from ia.domain.instruments.indices import MAIN_INDICES
from ia.kernel.errors import TryLater
from ia.organs.market.sources import NotDelivered
from ia.organs.market.sync import SyncRequest, sync_market
from ia.organs.ohlcv.history import BarsRequest, load_history
from support.markets.hosts import DAY, past_day


@pytest.fixture
def hosts(monkeypatch):
    with past_day(monkeypatch) as server:
        yield server


def say(hosts, code, days):
    """Let Eastmoney have the bars of an index on these days."""
    number, _, exchange = code.partition(".")
    market = 1 if exchange == "SH" else 0
    lines = [f"{day},3000.00,{3000 + at}.50,3100.00,2900.00,1000000,5000000000.00,6.67" for at, day in enumerate(days)]
    data = {"code": number, "market": market, "name": number, "decimal": 2, "dktotal": len(lines), "preKPrice": 0.0}

    hosts.say(f"secid={market}.{number}", {"rc": 0, "rt": 17, "data": {**data, "klines": lines}})


def sync(ws, job="indices"):
    return sync_market(ws, SyncRequest(job))


def test_what_is_kept_is_read_without_a_request(ws, hosts):
    days = [day for day in hosts.market.days if day <= DAY]
    for code in MAIN_INDICES:
        say(hosts, code, days=days)
    outcome = sync(ws)
    assert outcome.failures == []
    (row,) = outcome.rows
    assert (row["job"], row["day"], row["symbols"], row["changed"]) == ("indices", DAY, 6, 6)
    asked = len(hosts.asked)
    hosts.heal()
    hosts.fail("502")
    for code in MAIN_INDICES:
        assert load_history(ws, BarsRequest(code)).bars.close[-1] == 3000 + len(days) - 1 + 0.5
    again = sync(ws)
    assert (again.rows[0]["symbols"], again.rows[0]["changed"], again.failures) == (6, 0, [])
    assert len(hosts.asked) == asked


def test_a_host_that_fails_leaves_what_came_before(ws, hosts):
    days = [day for day in hosts.market.days if day <= DAY]
    say(hosts, MAIN_INDICES[0], days=days)
    hosts.fail("502")
    outcome = sync(ws)
    assert outcome.rows == [] and isinstance(outcome.failures[0], TryLater)
    assert load_history(ws, BarsRequest(MAIN_INDICES[0], stale=True)).bars.date == days


def test_files_are_read_anew_each_time_and_nothing_is_kept(ws, monkeypatch, tmp_path):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(tmp_path))
    outcome = sync(ws)
    assert outcome.rows == [] and isinstance(outcome.failures[0], NotDelivered)


@pytest.mark.process
def test_how_the_market_is_comes_from_the_store(ws, monkeypatch):
    """A plain `ia sync` keeps them; the demo market has five."""
    from ia.organs.ohlcv.adapters.demo import Demo

    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    rows = {row["job"]: row for row in sync(ws, "").rows}
    assert (rows["indices"]["day"], rows["indices"]["symbols"]) == ("2024-03-15", 5)
    assert "indices" not in {row["job"] for row in sync(ws, "").rows}, "they are kept for this session"
    monkeypatch.setattr(Demo, "fetch", lambda *args, **kwargs: pytest.fail("the adapter was asked"))
    assert load_history(ws, BarsRequest("000300.SH", end="2024-03-15")).bars.date[-1] == "2024-03-15"
    from ia.agent.turns.turn import take_turn

    monkeypatch.setenv("IA_LANG", "zh")
    told = take_turn(ws, "大盘今天怎么样", model="ia-offline").reply
    assert all(name in told for name in ("上证", "深证成指", "创业板指", "沪深300")) and "2024-03-15" in told
