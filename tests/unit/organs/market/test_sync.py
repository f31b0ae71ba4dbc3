"""`ia sync` in one process: a made-up market behind a relay, day after day, and every way in which its hosts fail."""

import contextlib
import os
import sqlite3

import pytest

from ia.kernel.errors import TryLater
from ia.organs import marketdb
from ia.organs.market import backfill, continuity, store
from ia.organs.market.sync import SyncRequest, sync_market
from ia.organs.ohlcv.history import BarsRequest as BarsOf
from ia.organs.ohlcv.history import load_history
from support.markets.hosts import Hosts, Market

DAYS = ("2024-05-10", "2024-05-13", "2024-05-14", "2024-05-15", "2024-05-16", "2024-05-17", "2024-05-20")
SIZE = 30
"""How many securities the market has, a third of them funds."""
CLIST, REPORTS, KLINE = "clist", "RPT_", "kline"


class World:
    """A market, its hosts, and the workspace that syncs it."""

    def __init__(self, ws, hosts, monkeypatch):
        self.ws, self.hosts, self.market, self.patch = ws, hosts, hosts.market, monkeypatch
        self.told = []

    def live(self, day, clock="16:00:00"):
        """Let it be that time, here and at the hosts."""
        self.patch.setenv("IA_NOW", f"{day}T{clock}+08:00")
        self.market.at(day, clock)

    def sync(self, day, job="daily", clock="16:00:00", **kwargs):
        """Sync on that day; return the first row. What failed is in `failures`, what was said in `told`."""
        self.live(day, clock)
        self.told.clear()
        before = len(self.hosts.asked)
        outcome = sync_market(self.ws, SyncRequest(job, **kwargs), lambda message: self.told.append(str(message)))
        self.failures = outcome.failures
        self.asked = self.hosts.asked[before:]
        return outcome.rows[0] if outcome.rows else {}

    def count(self, part):
        """How many requests of the last sync had `part` in them."""
        return sum(part in url for url in self.asked)

    def all(self, query, *params):
        """Rows of market.db."""
        with contextlib.closing(marketdb.connect(self.ws)) as db:
            return db.execute(query, params).fetchall()

    def dump(self, *without):
        """All that is stored, but what depends on how often it was asked."""
        with contextlib.closing(marketdb.connect(self.ws)) as db:
            return dump(db, *without)


def dump(db, *without):
    """Every row of every table of market.db."""
    names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {
        name: sorted(db.execute(f"SELECT * FROM {name}"), key=repr)
        for name in names
        if name not in ("written", "sqlite_sequence", *without)
    }


@pytest.fixture
def world(ws, monkeypatch):
    with contextlib.ExitStack() as stack:

        def start(symbols=SIZE, events=0.0, **kwargs):
            hosts = stack.enter_context(Hosts(Market(symbols - 10, "2024-05-06", 14, events=events, etfs=10, **kwargs)))
            hosts.use(monkeypatch)
            monkeypatch.setenv(
                "IA_MARKET_TIMEOUT", "10"
            )  # the hosts answer or cut: none hangs, and a busy machine may be slow
            return World(ws, hosts, monkeypatch)

        yield start


# a day


def test_a_first_sync_stores_the_day_and_says_what_is_lacking(world):
    w = world()
    row = w.sync("2024-05-10")
    assert not w.failures
    assert (row["day"], row["symbols"], row["bars"], row["lacking"], row["todo"]) == ("2024-05-10", SIZE, SIZE, SIZE, 0)
    assert w.count(KLINE) == w.count(REPORTS) == 0
    assert w.count(CLIST) == row["pages"]
    said = " ".join(w.told)
    assert f"{SIZE} securities have no history" in said
    assert "about 2 min" in said
    assert "`ia sync daily --history`" in said
    bars = {symbol: w.market.bars(symbol)[-1] for symbol in w.market.symbols}
    stored = w.all("SELECT symbol, open, high, low, close, volume, amount FROM daily")
    assert {row[0]: row[1:] for row in stored} == {
        symbol: (bar.open, bar.high, bar.low, bar.close, bar.volume, bar.amount) for symbol, bar in bars.items()
    }


def test_one_round_a_page_and_nothing_else_on_an_ordinary_day(world):
    w = world(250)
    w.sync(DAYS[0])
    for day in DAYS[1:4]:
        row = w.sync(day)
        assert not w.failures
        assert row["pages"] == len(w.asked) == w.count(CLIST) == len(set(w.asked)) == 4
        assert (row["bars"], row["todo"], row["ex_dates"]) == (250, 0, 0)


def test_the_same_day_again_changes_nothing(world):
    w = world()
    w.market.act("600519.SH", DAYS[1], cash=1.5)
    for day in DAYS[:2]:
        w.sync(day)
    before = w.dump()
    row = w.sync(DAYS[1])
    assert not w.failures
    assert (row["changed"], row["bars"], row["todo"]) == (0, 0, 0)
    assert w.dump() == before


def test_a_weekend_and_a_holiday_belong_to_the_last_session(world):
    w = world()
    w.market.at("2024-05-10", "16:00:00")
    w.patch.setenv("IA_NOW", "2024-05-12T11:00:00+08:00")
    assert sync_market(w.ws, SyncRequest("daily")).rows[0]["day"] == "2024-05-10"
    assert w.sync("2024-05-13", clock="09:00:00")["day"] == "2024-05-10"
    assert w.all("SELECT date, whole FROM days") == [("2024-05-10", 1)]


def test_while_the_market_is_open_quotes_are_stored_and_bars_are_not(world):
    w = world()
    w.sync(DAYS[0])
    row = w.sync(DAYS[1], clock="10:30:00")
    assert (row["day"], row["bars"]) == (DAYS[1], 0)
    assert any("the market has not closed yet" in told for told in w.told)
    assert w.all("SELECT count(*) FROM daily WHERE date = ?", DAYS[1]) == [(0,)]
    assert w.all("SELECT count(*) FROM snapshots WHERE date = ?", DAYS[1]) == [(SIZE,)]
    assert w.sync(DAYS[1])["bars"] == SIZE
    assert w.all("SELECT count(*) FROM daily WHERE date = ?", DAYS[1]) == [(SIZE,)]


@pytest.mark.process
def test_a_day_that_was_only_seen_open_is_a_gap(world):
    w = world(30)
    w.sync(DAYS[0], history=True)
    w.sync(DAYS[1], clock="14:00:00")
    row = w.sync(DAYS[2])
    assert row["gaps"] == 30
    assert w.all("SELECT count(*) FROM daily WHERE date = ?", DAYS[1]) == [(30,)]


def test_nothing_later_than_now_is_stored(world):
    w = world()
    w.sync(DAYS[0])
    before = w.dump()
    w.market.at(DAYS[4], "16:00:00")
    w.patch.setenv("IA_NOW", f"{DAYS[1]}T16:00:00+08:00")
    (failure,) = sync_market(w.ws, SyncRequest("daily")).failures
    assert failure.status == 77
    assert "which is after --now" in str(failure)
    assert w.dump() == before


def test_a_source_that_stands_still_is_believed_about_its_day(world):
    w = world()
    w.sync(DAYS[0])
    w.hosts.fail("stale", CLIST)
    row = w.sync(DAYS[1])
    assert row["day"] == DAYS[0]
    assert row["bars"] == 0
    assert any(f"still shows {DAYS[0]}" in told for told in w.told)


def test_a_host_without_a_date_is_of_the_last_session(world, monkeypatch):
    from ia.kernel import clock
    from ia.organs.ohlcv.calendar import last_session

    w = world()
    day = last_session("CN", clock.wall_time())
    w.market.days = [continuity.previous_session(day), day]
    w.market._series.clear()
    w.hosts.fail("403", CLIST)
    w.hosts.fail("403", "qt.gtimg")
    w.hosts.fail("403", "hq.sinajs")
    row = w.sync(day)
    assert not w.failures
    assert (row["day"], row["host"], row["bars"]) == (day, "vip.stock.finance.sina.com.cn", SIZE)
    assert any(f"gives no date; assuming {day}" in told for told in w.told), w.told
    w.market.at(day, "16:00:00")
    monkeypatch.setenv("IA_NOW", f"{continuity.previous_session(day)}T16:00:00+08:00")
    (failure,) = sync_market(w.ws, SyncRequest("daily")).failures
    assert failure.status == 77


def test_a_record_of_eastmoney_without_times_is_of_the_day_that_now_says(world, monkeypatch):
    from support.markets import hosts as market_hosts

    w = world()
    honest = market_hosts.answer

    def timeless(market, host, path, query):
        body = honest(market, host, path, query)
        for row in (body["data"] or {}).get("diff", []) if "clist" in path else ():
            row.pop("f124", None)
        return body

    monkeypatch.setattr(market_hosts, "answer", timeless)
    for day in DAYS[:2]:
        row = w.sync(day)
        assert not w.failures
        assert (row["day"], row["bars"], row["ex_dates"]) == (day, SIZE, 0)
        assert any(f"gives no date; assuming {day}" in told for told in w.told), w.told
    assert w.sync(DAYS[1])["changed"] == 0
    before = w.dump()
    w.patch.setenv("IA_NOW", f"{DAYS[2]}T16:00+08:00")  # the hosts stand still
    w.told.clear()
    outcome = sync_market(w.ws, SyncRequest("daily"), lambda message: w.told.append(str(message)))
    assert not outcome.failures
    assert outcome.rows[0]["day"] == DAYS[1]
    assert any(f"still shows {DAYS[1]}; the last trading day was {DAYS[2]}" in told for told in w.told), w.told
    assert w.dump() == before
    w.patch.setenv("IA_NOW", "2024-05-09T16:00+08:00")  # and the clock is set back
    w.market.at(DAYS[0], "16:00:00")
    (failure,) = sync_market(w.ws, SyncRequest("daily")).failures
    assert failure.status == 77
    assert w.dump() == before


@pytest.mark.parametrize(
    ("moment", "day", "closed"),
    [
        ("2024-05-13T10:30", "2024-05-13", False),
        ("2024-05-13T14:59", "2024-05-13", False),
        ("2024-05-13T08:00", "2024-05-10", True),
        ("2024-05-13T15:00", "2024-05-13", True),
        ("2024-05-12T11:00", "2024-05-10", True),
        ("2024-05-01T11:00", "2024-04-30", True),
    ],
)
def test_what_tells_no_day_while_the_market_is_open_is_of_today(moment, day, closed):
    from ia.kernel import clock
    from ia.organs.market.snapshot import _infer_day
    from ia.organs.ohlcv.calendar import last_session

    now = clock.parse_moment(f"{moment}:00+08:00").astimezone(clock.CHINA)
    assert _infer_day(now, last_session("CN", now)) == (day, closed)


# continuity


@pytest.mark.parametrize("action", [{"cash": 1.5}, {"cash": 0.1, "bonus": 0.3}, {"bonus": 1.0}, {"cash": 0.017}])
def test_an_ex_date_that_explains_itself_costs_no_bars(world, action):
    w = world()
    w.market.act("600519.SH", DAYS[1], **action)
    w.sync(DAYS[0])
    row = w.sync(DAYS[1])
    assert (row["ex_dates"], row["todo"]) == (1, 0)
    assert w.count(KLINE) == 0
    assert all("600519" in url for url in w.asked if REPORTS in url)
    ((date, cash, bonus),) = w.all("SELECT date, cash, bonus FROM actions WHERE symbol = '600519.SH'")
    assert (date, cash, bonus) == (DAYS[1], action.get("cash", 0), action.get("bonus", 0))
    w.sync(DAYS[2])
    assert w.count(REPORTS) == 0


@pytest.mark.process
def test_a_history_that_breaks_off_fills_no_gap(world, monkeypatch):
    from support.markets import hosts as market_hosts

    w = world(30)
    w.sync(DAYS[0], history=True)
    honest = market_hosts.answer

    def cut(market, host, path, query):
        body = honest(market, host, path, query)
        if KLINE in path and body.get("data"):
            body["data"]["klines"] = body["data"]["klines"][:3]
        return body

    monkeypatch.setattr(market_hosts, "answer", cut)
    w.hosts.fail("502", "qq.com")
    w.hosts.fail("502", "sina")
    assert w.sync(DAYS[3])["gaps"] == 0
    assert {failure.status for failure in w.failures} == {75}
    assert "the history ends on" in str(w.failures[0])
    monkeypatch.setattr(market_hosts, "answer", honest)
    w.hosts.heal()
    assert w.sync(DAYS[4])["gaps"] == 30
    assert w.all("SELECT count(*) FROM daily WHERE date IN (?, ?)", DAYS[1], DAYS[2]) == [(60,)]


def test_an_ex_date_in_a_suspension_is_settled_once(world):
    w = world()
    w.market.suspend("600519.SH", DAYS[1], DAYS[3])
    for day in DAYS[:4]:
        assert w.sync(day)["todo"] == 0
        assert w.count(REPORTS) == w.count(KLINE) == 0
    w.market.act("600519.SH", DAYS[4], cash=2.0)
    assert w.sync(DAYS[4])["ex_dates"] == 1
    assert w.count(KLINE) == 0


@pytest.mark.process
def test_what_no_action_explains_is_looked_up_once_in_the_history(world):
    w = world()
    w.sync(DAYS[0], history=True)
    w.market.act("600519.SH", DAYS[1], cash=1.5)
    for part in (REPORTS, "hfq.js"):
        w.hosts.fail("html", part)
    row = w.sync(DAYS[1])
    assert (row["ex_dates"], row["todo"], w.count(KLINE)) == (1, 0, 1)
    row = w.sync(DAYS[1])
    assert (row["ex_dates"], row["todo"], w.count(KLINE)) == (0, 0, 0)


def test_until_an_ex_date_is_settled_it_stays_on_the_list(world):
    w = world()
    w.market.act("600519.SH", DAYS[1], cash=1.5)
    w.market.act("000001.SZ", DAYS[2], cash=0.5)
    w.sync(DAYS[0])
    w.hosts.fail("502", "datacenter")
    w.hosts.fail("502", "sina")
    row = w.sync(DAYS[1])
    (failure,) = w.failures
    assert failure.status == 75
    assert row["todo"] == 1
    assert w.all("SELECT symbol, why, since, tries FROM todo") == [("600519.SH", "ex-date", DAYS[1], 1)]
    assert row["bars"] == SIZE
    w.hosts.heal()
    row = w.sync(DAYS[2])
    assert (row["ex_dates"], row["todo"]) == (2, 0)
    assert w.count(KLINE) == 0


def test_missed_days_are_fetched_for_those_whose_history_was_whole(world):
    w = world(events=0.03)
    w.sync(DAYS[0], symbols=tuple(w.market.symbols[:20]))
    w.sync(DAYS[0])
    row = w.sync(DAYS[4])
    assert not w.failures
    assert (row["gaps"], row["todo"], row["lacking"]) == (20, 0, SIZE - 20)
    for symbol in w.market.symbols[:20]:
        bars = w.market.bars(symbol)
        with contextlib.closing(marketdb.connect(w.ws)) as db:
            stored = store.load_bars(db, 1, symbol)
        assert stored.date == [bar.date for bar in bars]
        assert stored.close == [bar.close for bar in bars]
    row = w.sync(DAYS[5])
    assert (row["gaps"], w.count(KLINE)) == (0, 0)


@pytest.mark.process
def test_a_suspension_is_no_gap(world):
    w = world()
    w.market.suspend("600519.SH", DAYS[1], DAYS[3])
    w.sync(DAYS[0], history=True)
    for day in DAYS[1:6]:
        row = w.sync(day)
        assert (row["gaps"], row["todo"], w.count(KLINE)) == (0, 0, 0)


@pytest.mark.process
def test_a_past_that_changed_is_fetched_whole(world):
    w = world()
    w.sync(DAYS[2], history=True)
    with contextlib.closing(marketdb.connect(w.ws)) as db:
        db.execute("UPDATE daily SET close = close * 2, high = high * 2 WHERE symbol = '600519.SH'")
    row = w.sync(DAYS[3])
    assert row["ex_dates"] == 1
    with contextlib.closing(marketdb.connect(w.ws)) as db:
        assert store.load_bars(db, 1, "600519.SH").close == [bar.close for bar in w.market.bars("600519.SH")]


@pytest.mark.process
def test_many_gaps_are_fetched_only_when_asked_for(world, monkeypatch):
    from ia.organs.market import daily_sync

    monkeypatch.setattr(daily_sync, "GAPS", 10)
    w = world(30)
    w.sync(DAYS[0], history=True)
    row = w.sync(DAYS[2])
    assert (row["gaps"], row["todo"], w.count(KLINE)) == (0, 30, 0)
    assert any("still need history or corporate actions" in told for told in w.told)
    row = w.sync(DAYS[2], history=True)
    assert (row["gaps"], row["todo"]) == (30, 0)


@pytest.mark.process
def test_new_and_vanished_securities_are_told(world):
    w = world()
    w.market.list("600003.SH", DAYS[2])
    w.sync(DAYS[1], history=True)
    row = w.sync(DAYS[2])
    assert (row["new"], row["gone"], row["lacking"]) == (1, [], 0)
    assert any("new securities: 600003.SH" in told for told in w.told)
    query = "SELECT first, date, complete FROM securities JOIN latest USING (source, symbol) WHERE symbol = ?"
    assert w.all(query, "600003.SH") == [(DAYS[2], DAYS[2], 1)]
    w.market.symbols.remove("600003.SH")
    row = w.sync(DAYS[3])
    assert row["gone"] == ["600003.SH"]
    assert any("600003.SH" in told and "no longer" in told for told in w.told)
    assert w.all("SELECT count(*) FROM daily WHERE symbol = '600003.SH'") == [(1,)]


def test_names_of_an_ex_day_do_not_stay(world):
    w = world()
    w.sync(DAYS[0])
    name = w.market.name
    w.market.name = lambda symbol: "XD贵州茅" if symbol == "600519.SH" else name(symbol)
    w.sync(DAYS[1])
    assert w.all("SELECT name FROM securities WHERE symbol = '600519.SH'") == [("贵州茅台",)]
    assert w.all("SELECT name FROM snapshots WHERE symbol = '600519.SH' AND date = ?", DAYS[1]) == [("贵州茅台",)]


# histories


def test_named_securities_are_fetched_without_a_snapshot(world):
    w = world()
    row = w.sync(DAYS[2], symbols=("600519.SH", "000001.SZ"))
    assert (row["histories"], w.count(CLIST)) == (2, 0)
    assert w.all("SELECT count(DISTINCT symbol) FROM daily") == [(2,)]
    assert w.sync(DAYS[2], symbols=("600519.SH",))["histories"] == w.count(KLINE) == 0
    row = w.sync(DAYS[4], symbols=("600519.SH",))
    assert (row["gaps"], w.count(KLINE)) == (1, 1)
    with contextlib.closing(marketdb.connect(w.ws)) as db:
        assert store.load_bars(db, 1, "600519.SH").date == [bar.date for bar in w.market.bars("600519.SH")]


def test_an_earlier_beginning_can_be_asked_for(world):
    w = world()
    w.market.listed = {"600519.SH": w.market.days[0]}
    w.sync(DAYS[2], symbols=("600519.SH",), start=DAYS[1])
    assert w.all("SELECT min(date) FROM daily") == [(DAYS[1],)]
    w.sync(DAYS[2], symbols=("600519.SH",))
    assert w.asked == []
    w.sync(DAYS[2], symbols=("600519.SH",), start="2020-01-01")
    with contextlib.closing(marketdb.connect(w.ws)) as db:
        assert store.load_bars(db, 1, "600519.SH").date == [bar.date for bar in w.market.bars("600519.SH")]


@pytest.mark.process
def test_a_security_that_the_source_does_not_have_is_told_and_remembered(world):
    w = world()
    w.sync(DAYS[0])
    del w.market.by_code["600519"]
    row = w.sync(DAYS[0], history=True)
    assert (row["missing"], row["histories"]) == (["600519.SH"], SIZE - 1)
    assert any("not available from akshare: 600519.SH" in told for told in w.told)
    row = w.sync(DAYS[0], history=True)
    assert (row["missing"], len(w.asked)) == ([], w.count(CLIST))
    w.market.by_code["600519"] = "600519.SH"
    assert w.sync(DAYS[0], symbols=("600519.SH",))["histories"] == 1


@pytest.mark.process
def test_a_ban_ends_a_backfill_and_the_next_run_goes_on(world, monkeypatch):
    w = world()
    w.sync(DAYS[0])
    for part in (KLINE, "sina", "qq.com"):
        w.hosts.fail("ban", part, after=10 if part == KLINE else 0)
    row = w.sync(DAYS[0], history=True)
    (failure,) = w.failures
    assert isinstance(failure, TryLater)
    first = row["histories"]
    assert 0 < first < 30
    assert row["lacking"] == SIZE - first
    assert f"{SIZE - first} securities left" in str(failure)
    asked = len(w.asked)
    w.hosts.heal()
    monkeypatch.setenv("XDG_STATE_HOME", str(w.ws.root) + "-later")  # half an hour later the ban is over
    row = w.sync(DAYS[0], history=True)
    assert not w.failures
    assert (row["histories"], row["lacking"]) == (SIZE - first, 0)
    assert asked < 80


@pytest.mark.process
def test_an_interrupt_keeps_what_was_fetched(world):
    w = world()
    w.sync(DAYS[0])

    def interrupt(what, done, total, failed):
        if what == "histories" and done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync_market(w.ws, SyncRequest("daily", history=True), progress=interrupt)
    assert w.all("SELECT count(*) FROM securities WHERE complete = 1") == [(7,)]
    assert w.sync(DAYS[0], history=True)["histories"] == SIZE - 7


def test_the_largest_come_first(world):
    w = world()
    w.sync(DAYS[0])
    with contextlib.closing(marketdb.connect(w.ws)) as db:
        order = backfill.unfetched_symbols(db, 1)
        caps = dict(db.execute("SELECT symbol, market_cap FROM snapshots"))
    assert [caps[symbol] for symbol in order] == sorted(caps.values(), reverse=True)


@pytest.mark.process
def test_after_a_sync_ia_ohlcv_asks_nobody(world):
    w = world(events=0.05)
    w.patch.setenv("IA_MARKET_HISTORY_YEARS", "40")
    w.market.listed = dict.fromkeys(w.market.symbols, w.market.days[0])
    w.sync(DAYS[1], history=True)
    w.sync(DAYS[2])
    symbols, before, synced = w.market.symbols[:12], len(w.hosts.asked), {}
    for how in ("qfq", "hfq", "none"):
        for symbol in symbols:
            synced[symbol, how] = load_history(w.ws, BarsOf(symbol=symbol, adjust=how)).bars
    assert len(w.hosts.asked) == before
    for (symbol, how), bars in synced.items():
        assert load_history(w.ws, BarsOf(symbol=symbol, adjust=how, refresh=True)).bars == bars
    assert len(w.hosts.asked) > before


def test_ia_ohlcv_asks_where_the_store_is_behind_or_waits(world):
    w = world(20)
    w.sync(DAYS[1], history=True)
    w.live(DAYS[2])
    before = len(w.hosts.asked)
    assert load_history(w.ws, BarsOf(symbol="600519.SH")).bars.date[-1] == DAYS[2]
    assert len(w.hosts.asked) > before
    w.sync(DAYS[2])
    with contextlib.closing(marketdb.connect(w.ws)) as db:
        db.execute("INSERT INTO todo (source, symbol, why, since) VALUES (1, '300750.SZ', 'ex-date', ?)", (DAYS[2],))
    before = len(w.hosts.asked)
    load_history(w.ws, BarsOf(symbol="300750.SZ"))
    assert len(w.hosts.asked) > before


# what goes wrong


BROKEN = (
    "ban", "403", "429", "502", "captcha", "html", "empty", "null", "none", "busy", "half", "torn", "elsewhere", "deep",
    "shifted", "negative", "renamed",
)  # fmt: skip


ASKED = {("ban", 0), ("html", 0), ("empty", 0), ("shifted", 0), ("renamed", 0), ("ban", 2), ("torn", 2)}
"""What `make test` lets happen on the first or on the third page; the others are for `make soak`."""


@pytest.mark.process
@pytest.mark.parametrize(
    "mode, after",
    [
        pytest.param(mode, after, marks=[pytest.mark.soak] * ((mode, after) not in ASKED))
        for mode in BROKEN
        for after in (0, 2)
    ],
)
@pytest.mark.share(3)
def test_a_snapshot_that_fails_stores_nothing_and_the_next_one_goes_on(world, monkeypatch, mode, after):
    w = world(250)
    w.sync(DAYS[0])
    before = w.dump()
    w.hosts.fail(mode, CLIST, after=after)
    w.hosts.fail("502", "sina")
    row = w.sync(DAYS[1])
    (failure,) = w.failures
    assert not row
    assert failure.status in (69, 75), failure
    assert "\n" not in str(failure)
    assert "Traceback" not in str(failure)
    assert w.dump() == before
    w.hosts.heal()
    monkeypatch.setenv("XDG_STATE_HOME", str(w.ws.root) + "-later")
    assert w.sync(DAYS[1])["bars"] == 250


def test_a_source_that_dies_on_a_page_says_how_far_it_came(world):
    w = world(250)
    w.hosts.fail("ban", CLIST, after=2)
    w.hosts.fail("502", "sina")
    w.sync(DAYS[0])
    (failure,) = w.failures
    assert failure.status == 75
    assert "received only 2 of 3 pages" in str(failure) and str(failure).endswith("nothing was stored")


def test_half_a_market_is_no_market(world):
    w = world(100)
    w.sync(DAYS[0])
    before = w.dump()
    del w.market.symbols[50:]
    w.sync(DAYS[1])
    (failure,) = w.failures
    assert failure.status == 75
    assert "only 50 symbols, but 90 on the last day" in str(failure)  # the funds do not count where none come
    assert w.dump() == before


def untraded(rows):
    for row in rows:
        row.update(dict.fromkeys(("f2", "f3", "f4", "f5", "f6", "f15", "f16", "f17"), 0))


@pytest.mark.parametrize("first", [True, False])
def test_a_day_on_which_nobody_traded_is_none(world, monkeypatch, first):
    from support.markets import hosts as market_hosts

    w = world(100)
    if not first:
        w.sync(DAYS[0])
    before = w.dump()
    honest = market_hosts.answer

    def idle(market, host, path, query):
        body = honest(market, host, path, query)
        untraded((body["data"] or {}).get("diff", []) if "clist" in path else ())
        return body

    monkeypatch.setattr(market_hosts, "answer", idle)
    w.sync(DAYS[1])
    (failure,) = w.failures
    assert failure.status == 69
    assert "only 0 of 100 securities traded" in str(failure)
    assert w.dump("sources") == {name: rows for name, rows in before.items() if name != "sources"}


def test_a_small_market_may_change_by_more_than_a_tenth(world):
    w = world(30)
    w.sync(DAYS[0])
    for symbol in w.market.symbols[:8]:
        w.market.act(symbol, DAYS[1], cash=0.5)
    del w.market.symbols[17:20]
    row = w.sync(DAYS[1])
    assert not w.failures
    assert (row["symbols"], row["ex_dates"], len(row["gone"])) == (27, 8, 3)


def test_funds_that_do_not_come_are_not_delisted(world):
    w = world(60)
    w.sync(DAYS[0])
    w.hosts.fail("502", "b%3AMK")
    w.hosts.fail("502", "b:MK")
    row = w.sync(DAYS[1])
    assert not w.failures, w.failures
    assert (row["symbols"], row["gone"]) == (50, [])


def test_prices_of_another_market_are_not_believed(world):
    w = world(100)
    w.sync(DAYS[0])
    before = w.dump()
    w.market.seed = 99
    w.market._series.clear()
    w.sync(DAYS[1])
    (failure,) = w.failures
    assert failure.status == 69
    assert "implausible snapshot" in str(failure)
    assert w.dump() == before


def test_one_failing_job_does_not_stop_the_others(world):
    w = world()
    w.hosts.fail("html", "RPT_MUTUAL")
    w.sync(DAYS[0], "all")
    assert [failure.status for failure in w.failures] == [69]
    assert w.all("SELECT count(*) FROM boards")[0][0] > 0
    assert w.all("SELECT count(*) FROM fundamentals")[0][0] > 0
    assert w.all("SELECT count(*) FROM daily")[0][0] == SIZE


def ten_times(rows):
    for row in rows:
        row.update({key: row[key] * 10 for key in ("f2", "f4", "f15", "f16", "f17", "f18") if row[key] != "-"})
        row["f6"] = row["f6"] * 10 if row["f6"] != "-" else "-"


def words(rows):
    for row in rows:
        row.update(dict.fromkeys(("f2", "f5", "f18"), "many"))


def twice(rows):
    rows[1:] = [dict(rows[0]) for _ in rows[1:]]


def another_day(rows):
    for row in rows:
        row["f124"] = 1715200000 + 40 * 86400


LIES = {
    "total 0": lambda data: data.update(total=0),
    "total 1e9": lambda data: data.update(total=10**9),
    "total text": lambda data: data.update(total="lots"),
    "no rows": lambda data: data.update(diff=[]),
    "ten times": lambda data: ten_times(data["diff"]),
    "words": lambda data: words(data["diff"]),
    "twice": lambda data: twice(data["diff"]),
    "another day": lambda data: another_day(data["diff"]),
    "rows of numbers": lambda data: data.update(diff=[1, 2, 3]),
}


@pytest.mark.share(3)
@pytest.mark.parametrize("lie", LIES)
def test_a_snapshot_that_lies_is_not_stored(world, monkeypatch, lie):
    from support.markets import hosts as market_hosts

    w = world(250)
    w.sync(DAYS[0])
    before = w.dump()
    honest = market_hosts.answer

    def lying(market, host, path, query):
        body = honest(market, host, path, query)
        if "clist" in path and isinstance(body, dict) and body.get("data"):
            LIES[lie](body["data"])
        return body

    monkeypatch.setattr(market_hosts, "answer", lying)
    w.hosts.fail("502", "sina")
    w.sync(DAYS[1])
    (failure,) = w.failures
    assert failure.status in (69, 75, 77), failure
    assert w.dump() == before
    assert len(w.asked) < 30
    monkeypatch.setattr(market_hosts, "answer", honest)
    w.hosts.heal()
    assert w.sync(DAYS[1])["bars"] == 250


# the other jobs


def test_reports_go_on_where_they_stopped(world):
    w = world()
    w.hosts.fail("502", "REPORT", after=2)
    w.hosts.fail("502", "RPT_LICO", after=2)
    w.sync(DAYS[0], "fundamentals")
    (failure,) = w.failures
    assert failure.status == 75
    first = {period for (period,) in w.all("SELECT DISTINCT period FROM fundamentals")}
    assert first == {"2024-03-31", "2023-12-31"}
    w.hosts.heal()
    w.sync(DAYS[0], "fundamentals")
    assert not w.failures
    assert not [url for url in w.asked if "2024-03-31" in url or "2023-12-31" in url]
    assert w.all("SELECT count(DISTINCT period) FROM fundamentals") == [(11,)]
    w.asked.clear()
    w.sync(DAYS[-1], "fundamentals")
    asked = {period for period in ("2023-12-31", "2022-12-31", "2022-06-30") if any(period in url for url in w.asked)}
    assert asked == {"2023-12-31"}, "an old period is fetched again within a season"


def test_reports_of_one_company(world):
    w = world()
    row = w.sync(DAYS[0], "fundamentals", symbols=("600519.SH",))
    assert not w.failures
    assert row["symbols"] > 3
    assert w.all("SELECT DISTINCT symbol FROM fundamentals") == [("600519.SH",)]


def test_boards_have_their_members_from_the_snapshot(world):
    w = world()
    w.sync(DAYS[0])
    row = w.sync(DAYS[0], "sectors")
    assert row["changed"] > 60
    assert w.count("b:BK") == 0
    symbol = "600519.SH"
    (industry,) = w.all("SELECT industry FROM securities WHERE symbol = ?", symbol)[0]
    joined = (
        "SELECT b.name FROM members m JOIN boards b USING (source, kind, board) WHERE m.symbol = ? AND m.gone IS NULL"
    )
    assert (industry,) in w.all(joined + " AND m.kind = 'industry'", symbol)
    with contextlib.closing(marketdb.connect(w.ws)) as db:
        db.execute("UPDATE securities SET industry = '别的' WHERE symbol = ?", (symbol,))
    w.sync(DAYS[0], "sectors")
    assert w.all(joined + " AND m.kind = 'industry'", symbol) == []
    assert w.all("SELECT gone FROM members WHERE kind = 'industry' AND symbol = ?", symbol) == [(DAYS[0],)]


def test_boards_that_tell_a_sunday_are_of_friday_and_their_leader_is_known_by_its_code(world):
    w = world()
    row = {"f3": 4.8, "f8": 1.3, "f12": "BK0437", "f13": 90, "f14": "煤炭行业", "f20": 18e11, "f104": 35, "f105": 0,
           "f124": 1715472000, "f128": "云煤能源", "f136": 10.12, "f140": "600792", "f141": 0}  # fmt: skip
    w.hosts.say("m:90", {"rc": 0, "data": {"total": 1, "diff": [row]}})
    w.hosts.say("b:BK", {"rc": 0, "data": None})
    assert w.sync(DAYS[1], "sectors")["day"] == DAYS[0]
    told = w.all("SELECT date, name, leader FROM boards WHERE kind = 'industry'")
    assert told == [(DAYS[0], "煤炭行业", "600792.SH")]


def test_boards_without_told_members_are_asked_once_a_week(world):
    w = world()
    w.sync(DAYS[0], "sectors")
    asked = w.count("b:BK")
    assert asked == w.all("SELECT count(*) FROM boards")[0][0]
    w.sync(DAYS[1], "sectors")
    assert w.count("b:BK") == 0


def test_lists_of_unusual_trading_are_asked_for_together(world):
    w = world(200, events=0.02)
    w.sync(DAYS[0], "lhb", clock="21:00:00")
    assert not w.failures
    assert w.count("BILLBOARD") == 1
    w.sync(DAYS[3], "lhb", clock="21:00:00")
    assert w.count("BILLBOARD") == 1
    assert all(day in w.asked[0] for day in (DAYS[1], DAYS[3]))
    days = {day for (day,) in w.all("SELECT DISTINCT date FROM lhb")}
    assert len({DAYS[1], DAYS[2], DAYS[3]} & days) > 1
    w.sync(DAYS[3], "lhb", clock="21:00:00")
    assert w.count("BILLBOARD") == 0


def test_a_list_that_may_not_be_whole_yet_is_asked_for_again(world):
    w = world(200, events=0.02)
    w.sync(DAYS[0], "lhb")
    first = w.sync(DAYS[0], "lhb")
    assert w.count("BILLBOARD") == 1
    assert (first["symbols"] > 0, first["changed"]) == (True, 0)


def test_other_days_that_come_with_a_list_are_kept_but_none_that_is_to_come(world):
    w = world()
    row = {"SECURITY_CODE": "000021", "SECUCODE": "000021.SZ", "SECURITY_NAME_ABBR": "深科技", "EXPLAIN": "",
           "CLOSE_PRICE": 20.0, "CHANGE_RATE": 10.0, "BILLBOARD_NET_AMT": 1e8, "BILLBOARD_BUY_AMT": 3e8,
           "BILLBOARD_SELL_AMT": 2e8, "BILLBOARD_DEAL_AMT": 5e8, "ACCUM_AMOUNT": 4e9, "TURNOVERRATE": 14.1,
           "FREE_MARKET_CAP": 31e9, "EXPLANATION": "日涨幅偏离值达到7%的前5只证券"}  # fmt: skip
    dates = ("2023-04-03", DAYS[0], "2026-06-15")
    rows = [{**row, "TRADE_DATE": f"{day} 00:00:00"} for day in dates]
    w.hosts.say("BILLBOARD", {"success": True, "code": 0, "result": {"pages": 1, "data": rows, "count": 3}})
    told = w.sync(DAYS[0], "lhb")
    assert (told["day"], told["symbols"], told["changed"]) == (DAYS[0], 2, 2)
    assert w.all("SELECT DISTINCT date FROM lhb ORDER BY date") == [(day,) for day in dates[:2]]


def test_the_net_flow_is_not_made_up(world):
    w = world()
    w.sync(DAYS[0], "northbound")
    assert not w.failures
    assert w.all("SELECT count(*) FROM northbound WHERE turnover IS NULL") == [(0,)]
    assert w.all("SELECT max(date) FROM northbound") == [(DAYS[0],)]


# two at once


def test_a_second_sync_waits_and_then_says_that_there_is_another(world, monkeypatch):
    from ia.organs.market import daily_sync

    monkeypatch.setattr(daily_sync, "PATIENCE", 0.2)
    w = world()
    w.sync(DAYS[0])
    with daily_sync.hold_sync_lock(w.ws, "snapshot", 0.0):
        w.sync(DAYS[1])
    (failure,) = w.failures
    assert failure.status == 75
    assert "another `ia sync` is running" in str(failure)
    assert w.sync(DAYS[1])["bars"] == SIZE


# the rules themselves


@pytest.mark.parametrize(
    ("symbol", "close", "prev_close", "actions", "yes"),
    [
        ("600519.SH", 2068.05, 2048.76, [("2024-05-13", 19.293, 0.0)], True),
        ("600519.SH", 2068.05, 2048.75, [("2024-05-13", 19.293, 0.0)], False),
        ("600519.SH", 2068.05, 2068.05, [], True),
        ("000001.SZ", 13.31, 10.16, [("2024-05-13", 0.1, 0.3)], True),
        ("000001.SZ", 13.31, 10.17, [("2024-05-13", 0.1, 0.3)], False),
        ("510300.SH", 3.551, 3.482, [("2024-05-13", 0.069, 0.0)], True),
        ("600519.SH", 10.0, 1.0, [("2024-05-13", 11.0, 0.0)], False),
        ("600519.SH", 10.0, 9.0, [("2024-05-09", 1.0, 0.0)], False),
    ],
)
def test_reference_prices_follow_the_exchange(symbol, close, prev_close, actions, yes):
    from ia.organs.ohlcv.adjustment import Action

    known = [Action(date, cash, bonus) for date, cash, bonus in actions]
    last = continuity.LastClose("2024-05-10", close)
    assert continuity.is_explained(symbol, last, "2024-05-13", prev_close, known) is yes


def test_rows_are_written_only_where_they_differ(tmp_path):
    from ia.organs.market.market_jobs import upsert_rows

    db = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    db.execute("CREATE TABLE t (a INTEGER, b TEXT, c REAL, PRIMARY KEY (a, b))")
    assert upsert_rows(db, "t", 2, [(1, "x", None), (1, "y", 2.0)]) == 2
    assert upsert_rows(db, "t", 2, [(1, "x", None), (1, "y", 2.0)]) == 0
    assert upsert_rows(db, "t", 2, [(1, "x", 3.0), (1, "y", 2.0)]) == 1
    assert db.execute("SELECT * FROM t ORDER BY b").fetchall() == [(1, "x", 3.0), (1, "y", 2.0)]


@pytest.mark.parametrize("part", ["head", "middle"])
def test_a_damaged_store_is_put_aside_and_begun_anew(world, part):
    w = world()
    w.sync(DAYS[0])
    w.sync(DAYS[1])
    path = os.path.join(w.ws.root, ".ia", "cache", "market.db")
    with contextlib.closing(marketdb.connect(w.ws)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with open(path, "r+b") as file:
        file.seek(0 if part == "head" else 3 * 16384)
        file.write(b"\xff" * (100 if part == "head" else os.path.getsize(path) - 3 * 16384))
    assert w.sync(DAYS[1])["symbols"] > 0
    assert not w.failures
    assert any("market.db.damaged-1" in told for told in w.told)
    assert os.path.exists(f"{path}.damaged-1")
    assert w.all("SELECT date FROM days WHERE whole = 1") == [(DAYS[1],)]


def test_the_history_of_a_newcomer_comes_unasked(world):
    w = world()
    w.market.list("600003.SH", DAYS[1])
    w.sync(DAYS[0])
    row = w.sync(DAYS[2])
    assert (row["new"], row["histories"]) == (1, 1)
    rows = w.all("SELECT date FROM daily WHERE symbol = '600003.SH' ORDER BY date")
    assert rows == [(day,) for day in DAYS[1:3]]


def test_one_that_left_while_days_were_missed_is_asked_for_its_last_bars(world):
    w = world()
    w.market.list("600003.SH", DAYS[0])
    w.sync(DAYS[0])
    w.market.symbols.remove("600003.SH")
    row = w.sync(DAYS[2])
    assert (row["gone"], row["todo"]) == (["600003.SH"], 0)
    assert w.count("600003") > 0
    w.sync(DAYS[3])
    assert w.count("600003") == 0


def test_one_row_of_a_day_that_is_not_yet_does_not_stop_the_market(world, monkeypatch):
    from support.markets import hosts as market_hosts

    w = world(120)
    honest = market_hosts.answer

    def hasty(market, host, path, query):
        body = honest(market, host, path, query)
        if "clist" in path and query["fs"].startswith("m:") and query["pn"] == "1":
            body["data"]["diff"][0]["f124"] += 10 * 86400
        return body

    monkeypatch.setattr(market_hosts, "answer", hasty)
    row = w.sync(DAYS[0])
    assert not w.failures
    assert (row["day"], row["bars"]) == (DAYS[0], 120)
    assert any("ignored a future time in 1 row" in told for told in w.told)
