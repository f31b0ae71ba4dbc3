"""The store of the whole market: only what differs is written, nothing half-way, nothing of another source."""

import contextlib
import math
import os
import random
import subprocess
import sys

import pytest

from ia.kernel import store as databases
from ia.kernel.errors import BadData, ConfigError, TryLater
from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.market.quote import SNAPSHOT, Quote
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

TABLES = ("daily", "snapshots", "days", "securities", "latest", "actions", "written", "sources")
SPAN = "SELECT first, date FROM securities LEFT JOIN latest USING (source, symbol) WHERE symbol = ?"
DAY, NEXT = "2024-01-02", "2024-01-03"


def quote(symbol, price=10.0, **told):
    return Quote(
        symbol=symbol,
        **{"price": price, "open": price, "high": price, "low": price, "volume": 100, "amount": 1e3, **told},
    )


def bars(*dates, close=10.0):
    return Bars(list(dates), *([close + n for n in range(len(dates))] for _ in range(4)), [100] * len(dates))


def rows(db):
    return {table: db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() for table in TABLES[:-1]}


def synced(db, source):
    """The latest day of which the whole market is stored."""
    return db.execute("SELECT max(date) FROM days WHERE source = ? AND whole = 1", (source,)).fetchone()[0]


def changes(db, call):
    """Return how many rows a call changed, as SQLite counts them."""
    before = db.total_changes
    told = call()
    return told, db.total_changes - before


# a day


def test_a_day_is_stored_as_it_was_told(db, source, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-01-02T16:00:00+08:00")
    moutai = Quote(
        symbol="600519.SH",
        name="贵州茅台",
        price=1685.01,
        prev_close=1726.0,
        change=-40.99,
        change_pct=-2.37,
        open=1715.0,
        high=1718.19,
        low=1678.1,
        volume=3215644,
        amount=5440082548.0,
        amplitude_pct=2.32,
        turnover_pct=0.26,
        volume_ratio=1.21,
        pe=40.1,
        pe_ttm=31.5,
        pb=9.87,
        roe_pct=24.8,
        market_cap=2.1e12,
        float_cap=2.1e12,
        change_60d_pct=-5.5,
        change_ytd_pct=-2.37,
        time="2024-01-02T15:00:00",
        kind="stock",
        listed="2001-08-27",
        industry="酿酒行业",
        concepts="白酒;沪股通",
    )
    stored = store.put_day(
        db, source, DAY, [moutai, Quote(symbol="000001.SZ", name="平安银行")], host="82.push2.eastmoney.com"
    )
    assert (stored.changed, stored.bars) == (6, 1) and stored.seconds > 0
    told = db.execute(f"SELECT {', '.join(SNAPSHOT)} FROM snapshots WHERE symbol = '600519.SH'").fetchone()
    assert told == moutai[: len(SNAPSHOT)]
    assert db.execute("SELECT * FROM daily").fetchall() == [
        (source, DAY, "600519.SH", 1715.0, 1718.19, 1678.1, 1685.01, 3215644, 5440082548.0)
    ]
    assert db.execute("SELECT date, host, time, rows, whole FROM days").fetchall() == [
        (DAY, "82.push2.eastmoney.com", "2024-01-02T08:00:00.000Z", 1, 1)
    ]
    assert db.execute("SELECT * FROM securities").fetchall() == [
        (source, "000001.SZ", "000001", "平安银行", "stock", None, None, None, None, 0),
        (source, "600519.SH", "600519", "贵州茅台", "stock", "2001-08-27", "酿酒行业", "白酒;沪股通", DAY, 0),
    ]
    assert db.execute("SELECT * FROM latest").fetchall() == [(source, "600519.SH", DAY)]
    assert db.execute("SELECT source, kind, what FROM written").fetchall() == [(source, "day", DAY)]


@pytest.mark.parametrize("count", [1, 300])
def test_the_same_again_writes_nothing_at_all(db, source, monkeypatch, count):
    told = [quote(f"{n:06d}.SZ", 5.0 + n, name=f"公司{n}", pe=None) for n in range(count)]
    store.put_day(db, source, DAY, told)
    before = rows(db)
    monkeypatch.setenv("IA_NOW", "2026-11-23T16:00:00+08:00")
    stored, changed = changes(db, lambda: store.put_day(db, source, DAY, reversed(told), host="another"))
    assert stored[:2] == (0, 0) and changed == 0 and rows(db) == before


def test_without_the_digest_the_rows_themselves_are_compared(db, source):
    told = [quote(f"{n:06d}.SZ", 5.0 + n, name=f"公司{n}") for n in range(300)]
    store.put_day(db, source, DAY, told)
    db.execute("UPDATE days SET digest = NULL")
    before = rows(db)
    stored, changed = changes(db, lambda: store.put_day(db, source, DAY, told))
    assert stored[:2] == (0, 0) and changed == 0 and rows(db) == before


def test_only_the_row_that_differs_is_written(db, source):
    told = [quote(f"{n:06d}.SZ", 5.0 + n) for n in range(300)]
    store.put_day(db, source, DAY, told)
    told[7] = told[7]._replace(price=99.0)
    stored, changed = changes(db, lambda: store.put_day(db, source, DAY, told))
    assert stored[:2] == (3, 1)  # its snapshot, its bar, and the day
    assert changed == 4  # and the log
    assert db.execute("SELECT close FROM daily WHERE symbol = '000007.SZ'").fetchone() == (99.0,)


def test_an_open_session_has_a_snapshot_and_no_bars(db, source):
    store.put_day(db, source, DAY, [quote("600519.SH", 11.0), quote("000001.SZ")], bars=False)
    assert not db.execute("SELECT * FROM daily").fetchall() and not store.stored_days(db, source)
    assert synced(db, source) == DAY
    # At the close one of them is missing in the source: its price of the morning is no bar.
    stored = store.put_day(db, source, DAY, [quote("600519.SH", 12.0)])
    assert stored.bars == 1
    assert db.execute("SELECT symbol, close FROM daily").fetchall() == [("600519.SH", 12.0)]
    assert store.stored_days(db, source) == [DAY]


def test_the_same_quotes_at_the_close_become_bars(db, source):
    told = [quote("600519.SH", 11.0)]
    store.put_day(db, source, DAY, told, bars=False)
    assert store.put_day(db, source, DAY, told).bars == 1
    assert store.put_day(db, source, DAY, told).changed == 0


@pytest.mark.parametrize("told", [{"volume": 0}, {"volume": None}, {"price": None}, {"open": 0.0}, {"low": None}])
@pytest.mark.parametrize("before", [False, True])
def test_who_did_not_trade_has_no_bar(db, source, told, before):
    if before:
        store.put_day(db, source, DAY, [quote("600519.SH")], bars=False)
    store.put_day(db, source, DAY, [quote("000001.SZ", **told), quote("600519.SH")])
    assert db.execute("SELECT symbol FROM daily").fetchall() == [("600519.SH",)]
    assert db.execute(SPAN, ("000001.SZ",)).fetchone() == (None, None)


def test_what_is_not_told_stays_known(db, source):
    store.put_day(
        db, source, DAY, [quote("600519.SH", name="贵州茅台", industry="酿酒", concepts="白酒", listed="2001-08-27")]
    )
    store.put_day(db, source, NEXT, [quote("600519.SH", name="ST茅台")])
    told = db.execute("SELECT name, listed, industry, concepts FROM securities").fetchone()
    assert told == ("ST茅台", "2001-08-27", "酿酒", "白酒")
    assert db.execute(SPAN, ("600519.SH",)).fetchone() == (DAY, NEXT)


def test_some_symbols_are_no_synced_day(db, source):
    store.put_day(db, source, DAY, [quote("600519.SH")], whole=False)
    assert synced(db, source) is None and store.stored_days(db, source) == [DAY]
    store.put_day(db, source, DAY, [quote("600519.SH")], whole=True)
    store.put_day(db, source, DAY, [quote("000001.SZ")], whole=False)
    assert synced(db, source) == DAY
    assert db.execute("SELECT rows FROM days").fetchone() == (2,)


def test_sources_do_not_mix(db, source):
    other = store.source_id(db, "demo", True)
    store.put_day(db, source, DAY, [quote("600519.SH", 10.0)])
    store.put_day(db, other, DAY, [quote("600519.SH", 77.0)])
    store.put_day(db, other, NEXT, [quote("600519.SH", 78.0)])
    assert store.load_bars(db, source, "600519.SH").close == [10.0]
    assert store.load_bars(db, other, "600519.SH").close == [77.0, 78.0]
    assert store.stored_days(db, source) == [DAY] and synced(db, source) == DAY


@pytest.mark.parametrize("date", ["2024-02-30", "", "2024-01-02T15:00:00", "x'); DROP TABLE daily; --"])
def test_a_day_that_is_none_is_refused(db, source, date):
    with pytest.raises(BadData):
        store.put_day(db, source, date, [quote("600519.SH")])
    assert not db.execute("SELECT * FROM snapshots").fetchall()


def test_a_failure_half_way_leaves_nothing(db, source):
    store.put_day(db, source, DAY, [quote("600519.SH")])
    before = rows(db)
    with pytest.raises(BadData, match="too large"):
        store.put_day(db, source, NEXT, [quote("600519.SH"), quote("000001.SZ", pe=2**70)])
    assert rows(db) == before


# histories


def test_a_history_is_stored_beside_the_days(db, source):
    store.put_day(db, source, NEXT, [quote("600519.SH", 12.0), quote("000001.SZ")])
    history = Bars(
        ["2023-12-29", DAY, NEXT],
        [9.0, 10.0, 12.0],
        [9.0, 10.0, 12.0],
        [9.0, 10.0, 12.0],
        [9.0, 10.0, 12.0],
        [1, 2, 100],
    )
    acts = [Action(DAY, cash=1.5), Action("2023-12-29", bonus=0.5)]
    stored = store.put_history(db, source, "600519.SH", history, acts)
    assert stored.bars == 2  # the last one was there
    assert store.load_bars(db, source, "600519.SH") == history
    assert store.load_bars(db, source, "600519.SH", DAY).date == ["2023-12-29", DAY]
    assert store.load_actions(db, source, "600519.SH") == [acts[1], acts[0]]
    assert store.load_actions(db, source, "600519.SH", "2023-12-31") == [acts[1]]
    assert db.execute("SELECT amount FROM daily WHERE date = ? AND symbol = '600519.SH'", (NEXT,)).fetchone() == (1e3,)
    assert db.execute(SPAN, ("600519.SH",)).fetchone() == ("2023-12-29", NEXT)
    assert db.execute("SELECT complete FROM securities WHERE symbol = '600519.SH'").fetchone() == (1,)
    assert db.execute("SELECT date, rows, whole FROM days").fetchall() == [
        ("2023-12-29", 1, 0),
        (DAY, 1, 0),
        (NEXT, 2, 1),
    ]
    before = rows(db)
    again, changed = changes(db, lambda: store.put_history(db, source, "600519.SH", history, acts))
    assert again[:2] == (0, 0) and changed == 0 and rows(db) == before


def test_a_history_is_right_from_its_first_to_its_last_bar(db, source):
    store.put_history(db, source, "600519.SH", bars("2023-12-27", "2023-12-28", "2023-12-29", DAY, NEXT))
    store.put_history(db, source, "600519.SH", bars("2023-12-28", DAY, close=50.0))
    told = store.load_bars(db, source, "600519.SH")
    assert told.date == ["2023-12-27", "2023-12-28", DAY, NEXT] and told.close == [10.0, 50.0, 51.0, 14.0]
    assert "2023-12-29" not in store.stored_days(db, source)


def test_the_list_of_securities_keeps_what_was_told_before_and_takes_only_dates(db, source):
    store.put_day(db, source, DAY, [quote("600519.SH", industry="白酒")])
    assert store.put_facts(db, source, NEXT, [quote("600519.SH", industry="饮料")]) == 1
    assert db.execute("SELECT until, industry FROM former").fetchall() == [(NEXT, "白酒")]
    assert store.put_facts(db, source, DAY, [quote("600519.SH", industry="白酒")]) == 0
    for date in ("2024-1-2", "", "2024-01-02' --"):
        with pytest.raises(BadData, match="is not a date"):
            store.put_facts(db, source, date, [])


def test_actions_alone_are_no_complete_history(db, source):
    store.put_history(db, source, "600519.SH", Bars([], [], [], [], [], []), [Action(DAY, cash=1.0)])
    assert db.execute("SELECT complete, first FROM securities").fetchone() == (0, None)
    store.put_history(db, source, "600519.SH", bars(DAY), None)
    assert store.load_actions(db, source, "600519.SH") == [Action(DAY, cash=1.0)]
    store.put_history(db, source, "600519.SH", bars(DAY), [])
    assert store.load_actions(db, source, "600519.SH") == []
    assert db.execute("SELECT count(*) FROM written WHERE kind = 'symbol'").fetchone() == (3,)


def test_what_a_source_said_of_the_kind_stays(db, source):
    store.put_day(db, source, DAY, [quote("510300.SH", kind="index")])
    store.put_histories(
        db, source, [store.StoredHistory("510300.SH", bars(DAY)), store.StoredHistory("159915.SZ", bars(DAY))]
    )
    assert dict(db.execute("SELECT symbol, kind FROM securities")) == {"510300.SH": "index", "159915.SZ": "etf"}


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_batches_make_no_difference(db, source, monkeypatch, batch):
    monkeypatch.setattr(store, "BATCH", batch)
    rng = random.Random(3)
    told = {f"60000{n}.SH": bars(*sorted(rng.sample([f"2024-01-{d:02d}" for d in range(1, 29)], 9))) for n in range(10)}
    stored = store.put_histories(
        db, source, (store.StoredHistory(s, b, [Action(b.date[3], cash=0.1)]) for s, b in told.items())
    )
    assert stored.bars == 90
    assert {symbol: store.load_bars(db, source, symbol) for symbol in told} == told
    counts = dict(db.execute("SELECT date, count(*) FROM daily GROUP BY date"))
    assert dict(db.execute("SELECT date, rows FROM days")) == counts


# reading


def test_a_symbol_is_found_by_seeks(db):
    for query in (
        "SELECT * FROM daily WHERE symbol = '600519.SH'",
        "SELECT * FROM snapshots WHERE symbol = '600519.SH'",
        "SELECT d.date, d.close FROM daily d JOIN securities s USING (source, symbol) WHERE s.name = '贵州茅台'",
    ):
        plan = " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}"))
        assert "SCAN daily" not in plan and "SCAN snapshots" not in plan and "SCAN d" not in plan, plan
    query = "SELECT * FROM actions WHERE adapter = 'x' AND symbol = 'y' AND date <= 'z' ORDER BY date"
    assert "idx_actions_adapter_symbol" in " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}"))


# the database


def test_version_1_is_migrated_with_its_bars(ws):
    old = marketdb.SCHEMA._replace(steps=marketdb.SCHEMA.steps[:1])
    with contextlib.closing(databases.connect(ws.root, old)) as db:
        db.execute("INSERT INTO bars VALUES ('akshare', '600519.SH', '2024-01-02', 1, 2, 0.5, 1.5, 100)")
        db.execute("INSERT INTO actions (adapter, symbol, date, cash) VALUES ('akshare', '600519.SH', '2024-01-02', 1)")
    with contextlib.closing(marketdb.connect(ws)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(marketdb.SCHEMA.steps),)
        assert db.execute("SELECT close FROM bars").fetchall() == [(1.5,)]
        assert db.execute("SELECT cash FROM actions").fetchall() == [(1.0,)]
        store.put_day(db, store.source_id(db, "akshare", False), DAY, [quote("600519.SH")])


def test_what_a_newer_ia_wrote_is_refused_and_kept(ws):
    newer = marketdb.SCHEMA._replace(steps=(*marketdb.SCHEMA.steps, lambda db: db.execute("CREATE TABLE later (x)")))
    with contextlib.closing(databases.connect(ws.root, newer)) as db:
        db.execute("INSERT INTO later VALUES (1)")
    with pytest.raises(ConfigError, match="newer ia"):
        marketdb.connect(ws)
    with contextlib.closing(databases.connect(ws.root, newer)) as db:
        assert db.execute("SELECT x FROM later").fetchall() == [(1,)]


def test_a_file_that_is_no_database_is_kept_and_made_anew(ws):
    path = os.path.join(ws.root, ".ia", "cache", "market.db")
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(b"nonsense" * 1000)
    with pytest.raises(BadData, match="damaged"):
        marketdb.connect(ws)
    told = []
    with contextlib.closing(marketdb.connect(ws, told.append)) as db:
        assert db.execute("SELECT count(*) FROM daily").fetchone() == (0,)
    assert "market.db.damaged-1" in str(told[0])


def test_each_database_is_another(ws, tmp_path):
    from ia.kernel.workspace import Workspace

    ids = set()
    for n in range(3):
        with contextlib.closing(marketdb.connect(Workspace(str(tmp_path / str(n))))) as db:
            ids.add(db.execute("PRAGMA application_id").fetchone()[0])
    assert len(ids) == 3 and 0 not in ids


@pytest.mark.process
def test_a_full_disk_leaves_the_store_as_it_was(ws, db, source):
    store.put_day(db, source, DAY, [quote(f"{n:06d}.SZ", name="x") for n in range(50)])
    before = rows(db)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    code = (
        "import resource, signal\nfrom ia.kernel.errors import TryLater\nfrom ia.organs.market import store\n"
        "from ia.organs.market.quote import Quote\nfrom ia.organs import marketdb\nfrom ia.kernel.workspace import Workspace\n"
        "db = marketdb.connect(Workspace())\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (150000,) * 2)\n"
        "told = [Quote(f'{n:06d}.SZ', price=1.0, open=1.0, high=1.0, low=1.0, volume=9) for n in range(5000)]\n"
        "try: store.put_day(db, 1, '2024-01-03', told)\n"
        "except TryLater as exc: print(exc.status)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout == "75\n", run.stderr
    assert rows(db) == before
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_held_lock_is_told_in_our_words(ws, db, source):
    with contextlib.closing(marketdb.connect(ws)) as other:
        other.execute("PRAGMA busy_timeout = 50")
        with databases.transaction(db), pytest.raises(TryLater, match=r"another process has locked market\.db"):
            store.put_day(other, source, DAY, [quote("600519.SH")])
        store.put_day(other, source, DAY, [quote("600519.SH")])


# processes


WRITER = """
import contextlib, sys
from ia.organs.market import store
from ia.organs.market.quote import Quote
from ia.organs import marketdb
from ia.organs.ohlcv.canonical import Bars
from ia.kernel.workspace import Workspace

part = int(sys.argv[1])
with contextlib.closing(marketdb.connect(Workspace())) as db:
    source = store.source_id(db, "akshare", False)
    for day in range(1, 29):
        date = f"2024-01-{day:02d}"
        told = [Quote(f"30{part}{n:03d}.SZ", price=p, open=p, high=p, low=p, volume=100)
                for n in range(60) for p in [part + day + n / 100]]
        store.put_day(db, source, date, told, whole=False)
        store.put_history(db, source, f"00{part}999.SZ", Bars([date], *([float(day)] for _ in range(4)), [1]))
"""


@pytest.mark.process
def test_two_processes_store_at_once_and_nothing_is_lost(ws, db, source):
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(part)]) for part in (1, 2)]
    looks = 0
    while any(process.poll() is None for process in processes):
        for date, counted in db.execute("SELECT date, rows FROM days").fetchall():
            stored = db.execute("SELECT count(*) FROM daily WHERE date = ?", (date,)).fetchone()[0]
            assert stored >= counted and stored in (0, 1, 2, 60, 61, 62, 120, 121, 122)  # never part of a day
            looks += 1
    assert [process.wait() for process in processes] == [0, 0] and looks
    assert db.execute("SELECT count(*) FROM daily").fetchone() == (2 * 28 * 61,)
    assert set(db.execute("SELECT rows FROM days")) == {(122,)}


def test_no_price_is_invented_of_nothing(db, source):
    """A NaN is no price: SQLite keeps it as NULL, and it makes no bar."""
    store.put_day(db, source, DAY, [quote("600519.SH", math.nan), quote("000001.SZ", pe=math.nan)])
    assert db.execute("SELECT symbol FROM daily").fetchall() == [("000001.SZ",)]
    assert db.execute("SELECT price FROM snapshots WHERE symbol = '600519.SH'").fetchone() == (None,)


def test_a_snapshot_of_an_older_day_tells_no_older_names(db, source):
    store.put_day(db, source, NEXT, [quote("600519.SH", name="ST茅台")])
    store.put_day(db, source, DAY, [quote("600519.SH", name="贵州茅台"), quote("000001.SZ", name="平安银行")])
    assert dict(db.execute("SELECT symbol, name FROM securities")) == {"600519.SH": "ST茅台", "000001.SZ": "平安银行"}
    assert db.execute(SPAN, ("600519.SH",)).fetchone() == (DAY, NEXT)


def test_facts_that_are_those_of_yesterday_are_not_compared_but_new_ones_are(db, source):
    told = [quote(f"{n:06d}.SZ", 5.0, name="甲") for n in range(200)]
    store.put_day(db, source, DAY, told)
    _, changed = changes(db, lambda: store.put_day(db, source, NEXT, told))
    assert changed == 200 + 200 + 200 + 1 + 1  # snapshots, bars, their last dates, the log, the day
    told[5] = told[5]._replace(name="乙")
    store.put_day(db, source, "2024-01-04", told)
    assert db.execute("SELECT symbol FROM securities WHERE name = '乙'").fetchall() == [("000005.SZ",)]
