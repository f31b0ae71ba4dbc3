"""Live quotes: asked during the session, marked unfinished, held against the store, and never kept."""

import hashlib
import json
from datetime import datetime
from pathlib import Path

import pytest

from ia.kernel import clock
from ia.kernel.errors import NotFound, SimulatedPrices, TryLater, Unavailable, UsageError
from ia.organs.market.live_quotes import COLUMNS, MOST, load_live_quotes
from ia.organs.ohlcv.governor import Banned
from ia.organs.ohlcv.transport import NoNetwork, ShapeChanged
from support.markets.hosts import DAY, Hosts, Market
from support.markets.stored_quotes import fill, quote

MAOTAI, BEFORE = "600519.SH", "2024-06-13"


@pytest.fixture
def at(monkeypatch):
    return lambda text: monkeypatch.setattr(clock, "wall_time", lambda: datetime.fromisoformat(text))


@pytest.fixture
def hosts(monkeypatch, at):
    """Eastmoney at 10:31 of a session, without `--now`."""
    with Hosts(Market(30, "2024-05-06", 30)) as server:
        server.use(monkeypatch)
        server.market.at(DAY, "10:31:00")
        at(f"{DAY}T10:31:20+08:00")
        yield server


def stamp(text):
    return int(datetime.fromisoformat(text).timestamp())


def bend(hosts, *rows):
    """Let the host answer with these rows: those fields, and for the rest a share at 1500 that is up one per cent."""
    good = {
        "f2": 1515.0, "f5": 20000, "f6": 3.02e9, "f12": "600519", "f13": 1, "f14": "贵州茅台", "f15": 1520.0,
        "f16": 1495.0, "f17": 1500.0, "f18": 1500.0, "f124": stamp(f"{DAY}T10:31:00+08:00"),
    }  # fmt: skip
    body = {"rc": 0, "data": {"total": len(rows), "diff": [{**good, **row} for row in rows]}}
    hosts.say("ulist", json.dumps(body, ensure_ascii=False))


def load(ws, *symbols):
    told = []
    rows, lost = load_live_quotes(ws, symbols or [MAOTAI], told.append)
    return rows, lost, [str(each) for each in told]


def test_a_row_is_what_the_host_says_with_time_zone_and_session(hosts, ws):
    (row,), lost, told = load(ws)
    seen = hosts.market.bars(MAOTAI)[-1]
    assert list(row) == list(COLUMNS) and (lost, told) == ([], [])
    assert (row["symbol"], row["name"], row["source"], row["simulated"]) == (MAOTAI, "贵州茅台", "akshare", False)
    assert (row["time"], row["zone"]) == (f"{DAY}T10:31:00+08:00", "Asia/Shanghai")
    assert (row["price"], row["open"], row["high"], row["low"]) == (seen.close, seen.open, seen.high, seen.low)
    assert (row["unfinished"], row["session"], row["host"]) == (True, "open", "push2.eastmoney.com")
    assert row["change_pct"] == pytest.approx((seen.close / seen.prev - 1) * 100, abs=0.006)
    assert (row["last_close"], row["last_date"], row["change_last_pct"]) == (None, None, None)
    assert hosts.count() == hosts.count("ulist") == 1


@pytest.mark.parametrize(
    ("moment", "session", "unfinished"),
    [("11:45", "break", True), ("14:59", "open", True), ("15:01", "closed", False)],
)
def test_the_bar_is_unfinished_until_the_session_ends(hosts, ws, at, moment, session, unfinished):
    at(f"{DAY}T{moment}+08:00")
    (row,), _, _ = load(ws)
    assert (row["session"], row["unfinished"]) == (session, unfinished)


def test_names_and_many_securities_are_one_request(hosts, ws):
    rows, lost, _ = load(ws, "贵州茅台", "000001", MAOTAI, "没有这个名字", "AAPL")
    assert [row["symbol"] for row in rows] == [MAOTAI, "000001.SZ"]
    assert [str(each.params.get("symbol", "")) for each in lost] == ["", "AAPL.US"]
    assert all(isinstance(each, NotFound) for each in lost)
    assert hosts.count("ulist") == 1


def test_the_change_is_against_the_newest_close_before_that_day(hosts, ws):
    bend(hosts, {})
    fill(ws, {"2024-06-12": [quote(MAOTAI, price=1400.0)], BEFORE: [quote(MAOTAI, price=1480.0)]})
    fill(ws, {DAY: [quote(MAOTAI, price=1510.0)]})
    (row,), _, _ = load(ws)
    assert (row["last_close"], row["last_date"], row["change_last_pct"]) == (1480.0, BEFORE, 2.36)
    assert (row["price"], row["change_pct"]) == (1515.0, 1.0)


def test_a_real_price_is_not_held_against_an_invented_one(hosts, ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "akshare,demo")
    fill(ws, {BEFORE: [quote(MAOTAI, price=1480.0)]}, adapter="demo", simulated=True)
    assert load(ws)[0][0]["last_close"] is None


def digest(ws):
    """The files of the store with their bytes; the shared memory of SQLite is no content."""
    found = Path(ws.root).rglob("market.db*")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found if path.suffix != ".db-shm"}


def test_nothing_is_stored(hosts, ws):
    load(ws)
    assert digest(ws) == {}
    fill(ws, {BEFORE: [quote(MAOTAI, price=1480.0)]})
    before = digest(ws)
    assert load(ws)[0] and before
    assert digest(ws) == before


@pytest.mark.parametrize(
    "odd",
    [
        {"f2": 9000.0, "f15": 9000.0}, {"f2": 9000.0}, {"f2": 0}, {"f2": float("nan")}, {"f2": -1500.0},
        {"f2": "soon"}, {"f2": True}, {"f16": 1516.0}, {"f18": 0}, {"f124": None}, {"f124": 99}, {"f12": "600036"},
    ],
    ids=str,
)  # fmt: skip
def test_an_implausible_row_is_dropped_with_a_word(hosts, ws, odd):
    bend(hosts, odd)
    rows, (missing,), (told,) = load(ws)
    assert rows == []
    assert missing.status == 66 and str(missing) == "600519.SH: akshare has no live quote"
    assert told.startswith("Eastmoney ulist: dropped 1 implausible row: ")


@pytest.mark.parametrize("day", [BEFORE, "2024-06-15"])
def test_a_quote_of_another_day_is_dropped(hosts, ws, day):
    bend(hosts, {"f124": stamp(f"{day}T10:31:00+08:00")})
    rows, (missing,), (told,) = load(ws)
    assert rows == [] and missing.status == 66
    assert told == f"600519.SH: dropped the quote of {day}T10:31:00+08:00; the newest session is that of {DAY}"


def test_a_quote_from_the_future_is_dropped(hosts, ws):
    bend(hosts, {"f124": stamp(f"{DAY}T10:40:00+08:00")})
    assert load(ws)[0] == []


def test_what_does_not_trade_is_no_odd_row(hosts, ws):
    bend(hosts, {"f2": "-", "f15": "-", "f16": "-", "f17": "-"})
    rows, (missing,), told = load(ws)
    assert (rows, missing.code, told) == ([], "no-live-quote", [])


def test_a_new_stock_may_rise_without_limit(hosts, ws):
    bend(hosts, {"f2": 3000.0, "f15": 3000.0, "f14": "N茅台"})
    assert load(ws)[0][0]["price"] == 3000.0


def test_abroad_there_is_no_limit_but_ten_times(hosts, ws, at):
    at("2024-06-14T22:00+08:00")
    apple = {"f12": "AAPL", "f13": 105, "f14": "苹果", "f124": stamp("2024-06-14T21:59:00+08:00")}
    bend(hosts, {**apple, "f2": 4000.0, "f15": 4000.0})
    (row,), _, _ = load(ws, "AAPL")
    assert (row["time"], row["zone"]) == ("2024-06-14T09:59:00-04:00", "America/New_York")
    assert (row["date"], row["unfinished"], row["volume"]) == ("2024-06-14", True, 20000)
    hosts.heal()
    bend(hosts, {**apple, "f2": 16000.0, "f15": 16000.0})
    assert load(ws, "AAPL")[0] == []


@pytest.mark.parametrize(
    ("mode", "kind"),
    [("ban", Banned), ("502", NoNetwork), ("429", Banned), ("html", ShapeChanged), ("renamed", ShapeChanged)],
)  # fmt: skip
def test_a_source_that_fails_is_told_with_its_status(hosts, ws, mode, kind):
    hosts.fail(mode, "ulist")
    with pytest.raises(kind) as caught:
        load(ws, *hosts.market.symbols[:5])
    assert caught.value.status == (69 if kind is ShapeChanged else 75)
    assert "without --live" in caught.value.hint


def test_a_ban_holds_for_the_next_one(hosts, ws):
    hosts.fail("ban", "ulist")
    for _ in range(2):
        with pytest.raises(Banned):
            load(ws)
    assert hosts.count("ulist") == 1


def test_the_next_source_of_the_chain_answers(hosts, ws, monkeypatch):
    hosts.fail("502", "ulist")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv,akshare,demo")
    (row,), _, told = load(ws)
    assert (row["source"], row["simulated"]) == ("demo", True)
    assert "demo answers instead" in told[0] and "simulated prices" in told[1]


def test_a_source_without_live_quotes_says_so(ws, monkeypatch):
    for names in ("csv", "tushare", "csv,tushare"):
        monkeypatch.setenv("IA_MARKET_ADAPTER", names)
        with pytest.raises(Unavailable) as caught:
            load(ws)
        assert (caught.value.status, caught.value.code) == (69, "no-live-source")
        assert not isinstance(caught.value, TryLater)


def test_a_time_of_ones_own_is_refused_before_anything_is_asked(hosts, ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DAY}T10:31:00+08:00")
    with pytest.raises(UsageError, match="a live quote is of the present"):
        load(ws)
    assert hosts.asked == []


def test_too_many_at_once_are_refused(hosts, ws):
    with pytest.raises(UsageError, match=f"at most {MOST}"):
        load(ws, *(f"{600000 + n}.SH" for n in range(MOST + 1)))
    assert hosts.asked == []


def test_the_simulated_market_says_so(ws, at, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    at("2024-03-15T10:31:20+08:00")
    told = []
    (row,), _ = load_live_quotes(ws, ["茅台"], told.append)
    assert row["simulated"] and row["host"] == "simulated" and row["time"] == "2024-03-15T10:31:00+08:00"
    assert row["low"] <= row["price"] <= row["high"] and row["unfinished"]
    assert [type(each) for each in told] == [SimulatedPrices]
    at("2024-03-16T10:31:20+08:00")
    (last,), _ = load_live_quotes(ws, ["茅台"])
    assert (last["time"], last["session"], last["unfinished"]) == ("2024-03-15T15:00:00+08:00", "closed", False)
