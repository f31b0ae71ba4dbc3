"""The mirror: what the rows say, whatever happened to either; never a mixture, never ahead of the clock."""

import contextlib
import fcntl
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import pytest

from ia.errors import NotFound, TryLater
from ia.market import mirror, mirrored, mirroring, store
from ia.market.quote import Quote
from ia.ohlcv import cache
from ia.ohlcv.adjust import Action, adjusted
from ia.ohlcv.canonical import Bars

DATES = [f"2024-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in range(1, 29)]


@pytest.fixture
def db(ws):
    with contextlib.closing(cache.connect(ws)) as opened:
        yield opened


@pytest.fixture
def source(db):
    return store.source_id(db, "akshare", False)


def bars(dates, start=10.0, step=0.01):
    close = [round(start + step * n, 2) for n in range(len(dates))]
    return Bars(
        list(dates), [c - 0.01 for c in close], [c + 0.02 for c in close], [c - 0.02 for c in close], close,
        [1000 + n for n in range(len(dates))],
    )  # fmt: skip


def quote(symbol, price, **told):
    return Quote(symbol, price=price, open=price, high=price, low=price, volume=100, amount=price * 100, **told)


def expected(db, source):
    """The matrices as the rows say, worked out a symbol at a time."""
    dates = store.days(db, source)
    symbols = [s for (s,) in db.execute("SELECT symbol FROM securities WHERE source = ? AND first <> ''", (source,))]
    found = {}
    for symbol in symbols:
        rows = {row[0]: row[1:] for row in store.rows_of(db, source, symbol, "9999")}
        told = [rows.get(date, (None,) * 6) for date in dates]
        columns = dict(zip(mirroring.COLUMNS, map(list, zip(*told, strict=True)), strict=False))
        have = store.bars_of(db, source, symbol)
        acts = store.actions(db, source, symbol)
        scale = dict(zip(have.date, mirroring.factors(have.date, have.close, acts, 0.01), strict=True))
        factor, last = [], 1.0
        for date in dates:
            last = scale.get(date, last)
            factor.append(last)
        found[symbol] = {**columns, "factor": factor}
    return dates, found


def check(ws, db, source, **load):
    """Hold the mirror to the rows, value by value."""
    seen = mirror.load(ws, "akshare", **load)
    dates, columns = expected(db, source)
    assert seen.dates == dates
    assert sorted(seen.symbols) == sorted(columns)
    for name in mirroring.COLUMNS:
        matrix = getattr(seen, name)
        assert matrix.shape == (len(dates), len(columns)) and matrix.dtype == np.float64
        for at, symbol in enumerate(seen.symbols):
            told = [math.nan if value is None else value for value in columns[symbol][name]]
            np.testing.assert_array_equal(np.array(matrix[:, at]), told, f"{name} of {symbol}")
    return seen


@pytest.fixture
def full(db, source):
    """Three symbols: one whole, one listed later, one that was suspended over its ex-date."""
    gap = [*DATES[:20], *DATES[40:60]]
    store.put_histories(
        db, source,
        [
            store.History("600000.SH", bars(DATES[:60]), [Action(DATES[10], cash=0.5), Action(DATES[50], bonus=0.3)]),
            store.History("300001.SZ", bars(DATES[30:60], 50.0), []),
            store.History("000002.SZ", bars(gap, 7.0), [Action(DATES[25], cash=0.2), Action(DATES[30], bonus=1.0)]),
        ],
    )  # fmt: skip
    return db


# what it says


def test_it_says_what_the_rows_say(ws, full, source):
    seen = check(ws, full, source)
    assert seen.symbols == ["000002.SZ", "600000.SH", "300001.SZ"]  # by their first bars
    assert seen.close.flags.writeable is False


def test_closes_are_read_without_numpy(ws, full, source):
    folder = mirrored.folder_of(ws, "akshare")
    spans = {
        "600000.SH": (DATES[3], DATES[7]), "000002.SZ": (DATES[10], "9999"), "300001.SZ": ("", DATES[31]),
        "999999.SZ": ("", "9999"), "600001.SH": (DATES[9], DATES[2]),
    }  # fmt: skip
    assert mirrored.closes(folder, full, source, spans) is None  # none is there yet
    mirror.update(ws, full, source)
    found = mirrored.closes(folder, full, source, spans)
    assert found is not None and found.keys() == spans.keys()
    for symbol, (first, last) in spans.items():
        have = store.bars_of(full, source, symbol)
        assert found[symbol] == [
            (day, close) for day, close in zip(have.date, have.close, strict=True) if first <= day <= last
        ]
    store.put_day(full, source, DATES[60], [quote("600000.SH", 9.0)])
    assert mirrored.closes(folder, full, source, spans) is None  # it is behind
    mirror.update(ws, full, source)
    with open(os.path.join(folder, "readers"), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert mirrored.closes(folder, full, source, spans) is None  # somebody is changing it
    assert mirrored.closes(folder, full, source, spans) == found


def test_anybody_can_read_the_files(ws, full, source):
    mirror.update(ws, full, source)
    folder = mirroring.folder_of(ws, "akshare")
    close = np.load(os.path.join(folder, "close.npy"), mmap_mode="r")
    with open(os.path.join(folder, "index.json")) as file:
        index = json.load(file)
    assert close.shape == (len(index["dates"]), index["width"]) and close.dtype == np.float64
    assert close[index["dates"].index(DATES[59]), index["symbols"].index("600000.SH")] == 10.59
    assert np.isnan(close[:, len(index["symbols"]) :]).all()


@pytest.mark.parametrize("how", ["qfq", "hfq", "none"])
def test_adjusted_prices_are_those_of_ia_ohlcv(ws, full, source, how):
    seen = mirror.load(ws, "akshare").adjusted(how)
    for at, symbol in enumerate(seen.symbols):
        acts = store.actions(full, source, symbol)
        told = adjusted(store.bars_of(full, source, symbol), acts, how, 0.01)
        for name in ("open", "high", "low", "close"):
            column = np.array(getattr(seen, name)[:, at])
            np.testing.assert_allclose(column[~np.isnan(column)], getattr(told, name), rtol=6e-10)


def test_a_cut_sees_nothing_later(ws, full, source):
    cut = mirror.load(ws, "akshare", until=DATES[29])
    assert cut.dates == DATES[:30] and cut.symbols == ["000002.SZ", "600000.SH"]
    assert cut.close.shape == (30, 2)
    whole = bars(DATES[:30])
    acts = [Action(DATES[10], cash=0.5)]
    told = adjusted(whole, acts, "qfq", 0.01).close
    np.testing.assert_allclose(cut.adjusted("qfq").close[:, 1], told, rtol=6e-10)
    assert mirror.load(ws, "akshare", until="2000-01-01").close.shape == (0, 0)
    assert mirror.load(ws, "akshare", until="2000-01-01").adjusted("qfq").close.shape == (0, 0)


def test_the_clock_cuts_it(ws, full, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DATES[20]}T14:00:00+08:00")
    assert mirror.load(ws, "akshare").dates[-1] == DATES[19]
    assert mirror.load(ws, "akshare", until=DATES[50]).dates[-1] == DATES[19]
    monkeypatch.setenv("IA_NOW", f"{DATES[20]}T15:00:00+08:00")
    assert mirror.load(ws, "akshare").dates[-1] == DATES[20]


def test_senseless_actions_give_no_price_instead_of_a_wrong_one(ws, full, source):
    store.put_history(full, source, "600000.SH", bars(DATES[:60]), [Action(DATES[10], cash=99.0)])
    seen = mirror.load(ws, "akshare")
    at = seen.symbols.index("600000.SH")
    assert seen.close[5, at] == 10.05 and np.isnan(seen.adjusted("qfq").close[5, at])
    assert seen.factor[9, at] == 1.0 and np.isnan(seen.factor[10:, at]).all()


def test_without_a_synced_source_there_is_none(ws):
    with pytest.raises(NotFound):
        mirror.load(ws, "akshare")


def test_a_source_without_bars_has_an_empty_mirror(ws, db, source):
    assert mirror.load(ws, "akshare").close.shape == (0, 0)
    store.put_day(db, source, DATES[0], [quote("600000.SH", 5.0)])
    check(ws, db, source)


# how it keeps up


def built(ws, monkeypatch):
    """Return a list that grows whenever the mirror is built from nothing."""
    times = []
    planned = mirroring._planned

    def watched(*args):
        work = planned(*args)
        if work and work.old is None:
            times.append(1)
        return work

    monkeypatch.setattr(mirroring, "_planned", watched)
    return times


def test_a_day_is_appended(ws, full, source, monkeypatch):
    check(ws, full, source)
    whole = built(ws, monkeypatch)
    told = [quote("600000.SH", 12.0), quote("688001.SH", 30.0), quote("300001.SZ", 50.0)]
    store.put_day(full, source, DATES[60], told)
    check(ws, full, source)
    store.put_history(full, source, "688001.SH", Bars([], [], [], [], [], []), [Action(DATES[61], bonus=0.5)])
    store.put_day(full, source, DATES[61], [quote("688001.SH", 20.0), quote("000002.SZ", 8.0)])
    seen = check(ws, full, source)
    assert seen.factor[-1, seen.symbols.index("688001.SH")] == 1.5
    assert not whole


def test_the_last_day_is_amended(ws, full, source, monkeypatch):
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.0), quote("688001.SH", 30.0)])
    check(ws, full, source)
    whole = built(ws, monkeypatch)
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.5), quote("000002.SZ", 9.0)])
    check(ws, full, source)
    assert not whole


def test_a_history_is_amended(ws, full, source, monkeypatch):
    check(ws, full, source)
    whole = built(ws, monkeypatch)
    store.put_history(full, source, "300001.SZ", bars(DATES[5:60], 40.0), [Action(DATES[45], cash=1.0)])
    check(ws, full, source)
    store.put_history(full, source, "300001.SZ", bars(DATES[10:50], 41.0))
    check(ws, full, source)
    assert not whole


def test_a_past_day_is_amended_and_what_hangs_on_it(ws, full, source, monkeypatch):
    check(ws, full, source)
    whole = built(ws, monkeypatch)
    store.put_day(full, source, DATES[49], [quote("600000.SH", 11.0)])  # the close before an ex-date
    store.put_day(full, source, DATES[35], [quote("000002.SZ", 6.0)])  # the first bar after two ex-dates
    check(ws, full, source)
    assert not whole


def test_older_days_come_in_front_and_between(ws, db, source):
    for at in (10, 12, 14):
        store.put_day(db, source, DATES[at], [quote(f"60000{n}.SH", 5.0 + n) for n in range(9)])
        check(ws, db, source)
    store.put_history(db, source, "600001.SH", bars([*DATES[:12], DATES[13]], 9.0), [Action(DATES[5], cash=0.3)])
    check(ws, db, source)


def test_actions_that_ia_ohlcv_fetched_count_too(ws, full, source):
    from ia.ohlcv.identity import Symbol

    check(ws, full, source)
    series = cache.Series("akshare", "300001.SZ", "x", "host", "", False, "t", "t", DATES[30], DATES[59])
    symbol = Symbol("300001", "CN", "SZ", "stock", "x")
    cache.put(full, symbol, series, bars(DATES[30:60], 50.0), [Action(DATES[40], cash=2.0)])
    seen = check(ws, full, source)
    assert seen.factor[-1, seen.symbols.index("300001.SZ")] > 1


def test_more_listings_than_spare_columns(ws, full, source):
    check(ws, full, source)
    store.put_day(full, source, DATES[60], [quote(f"{n:06d}.SZ", 5.0) for n in range(200)])
    seen = check(ws, full, source)
    assert len(seen.symbols) == 202


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_storing_ends_at_the_rows(ws, db, source, seed):
    rng = random.Random(seed)
    symbols = [f"6000{n:02d}.SH" for n in range(12)]
    for _ in range(25):
        some = rng.sample(symbols, rng.randint(1, 12))
        if rng.random() < 0.6:
            told = [quote(s, round(rng.uniform(5, 50), 2)) for s in some]
            store.put_day(db, source, rng.choice(DATES[: 20 + seed * 5]), told, bars=rng.random() < 0.9)
        else:
            first = rng.randrange(30)
            dates = [d for d in DATES[first : first + rng.randint(2, 30)] if rng.random() < 0.8] or DATES[:2]
            acts = [Action(rng.choice(DATES), cash=rng.choice([0.1, 0.5]), bonus=rng.choice([0, 0.3]))] * rng.randint(
                0, 2
            )
            store.put_history(db, source, some[0], bars(dates, rng.uniform(8, 40)), acts)
        if rng.random() < 0.5:
            held = mirror.load(ws, "akshare") if rng.random() < 0.5 else None
            check(ws, db, source)
            del held
    check(ws, db, source)


# what happens to files


def damage_missing(folder):
    os.unlink(os.path.join(folder, "high.npy"))


def damage_short(folder):
    os.truncate(os.path.join(folder, "factor.npy"), 5000)


def damage_header(folder):
    with open(os.path.join(folder, "low.npy"), "r+b") as file:
        file.write(b"nonsense")


def damage_empty(folder):
    open(os.path.join(folder, "open.npy"), "w").close()


def damage_index(folder):
    with open(os.path.join(folder, "index.json"), "w") as file:
        file.write('{"format": 1, "dates": [')


def damage_version(folder):
    with open(os.path.join(folder, "index.json"), "w") as file:
        file.write('{"format": 99}')


def damage_all(folder):
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "damage",
    [damage_missing, damage_short, damage_header, damage_empty, damage_index, damage_version, damage_all],
)
def test_a_damaged_mirror_is_built_anew(ws, full, source, damage):
    check(ws, full, source)
    damage(mirroring.folder_of(ws, "akshare"))
    check(ws, full, source)


def test_the_mirror_of_another_database_is_not_believed(ws, full, source):
    check(ws, full, source)
    version = full.execute("SELECT max(version) FROM written").fetchone()[0]
    full.close()
    os.unlink(os.path.join(ws.root, ".ia", "cache", "market.db"))
    with contextlib.closing(cache.connect(ws)) as new:
        assert store.source_id(new, "akshare", False) == source
        for n in range(version):
            store.put_day(new, source, DATES[n], [quote("600000.SH", 77.0)])
        assert new.execute("SELECT max(version) FROM written").fetchone()[0] == version
        check(ws, new, source)


def test_an_older_copy_of_the_database_is_not_taken_for_the_newer(ws, full, source, tmp_path):
    path = os.path.join(ws.root, ".ia", "cache", "market.db")
    full.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(path, tmp_path / "old.db")
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.0)])
    check(ws, full, source)
    full.close()
    shutil.copy(tmp_path / "old.db", path)
    with contextlib.closing(cache.connect(ws)) as old:
        assert check(ws, old, source).dates[-1] == DATES[59]


def test_what_is_open_stays_as_it_is(ws, full, source):
    before = check(ws, full, source)
    close = np.array(before.close)
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.0)])
    check(ws, full, source)  # appended under the reader
    store.put_day(full, source, DATES[59], [quote("600000.SH", 99.0)])
    after = check(ws, full, source)  # the past is written beside the reader
    np.testing.assert_array_equal(before.close, close)
    assert before.close.shape == (60, 3) and after.close[59, after.symbols.index("600000.SH")] == 99.0


def test_nobody_reading_the_past_is_changed_in_place(ws, full, source):
    mirror.update(ws, full, source)
    path = os.path.join(mirroring.folder_of(ws, "akshare"), "close.npy")
    before = os.stat(path).st_ino
    store.put_day(full, source, DATES[59], [quote("600000.SH", 99.0)])
    mirror.update(ws, full, source)
    assert os.stat(path).st_ino == before
    check(ws, full, source)


def test_an_update_of_nothing_writes_nothing(ws, full, source):
    mirror.update(ws, full, source)
    folder = mirroring.folder_of(ws, "akshare")
    before = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
    mirror.update(ws, full, source)
    assert {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)} == before


def test_it_is_written_without_numpy(ws, full):
    code = (
        "import sys; from ia.market import mirror; from ia.ohlcv import cache; from ia.workspace import Workspace\n"
        "ws = Workspace(); mirror.update(ws, cache.connect(ws), 1); assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


READER = """
import os, sys
import numpy
from ia import store
from ia.errors import IaError
from ia.market import mirror
from ia.workspace import Workspace
store.sqlite_utils()
if os.geteuid() == 0:
    os.setuid(65534)  # to root no folder is read-only
for line in sys.stdin:
    try:
        print(mirror.load(Workspace(), "akshare").close.tolist(), flush=True)
    except IaError as exc:
        print(exc.status, exc, flush=True)
"""


def test_where_nothing_may_be_written_it_is_read_and_never_stale(monkeypatch):
    from ia.workspace import Workspace

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setenv("IA_HOME", folder)
        ws = Workspace()
        inside = mirroring.folder_of(ws, "akshare")

        def readable():
            for path, _, files in os.walk(folder):
                for name in files:
                    os.chmod(os.path.join(path, name), 0o444)
                os.chmod(path, 0o555)

        def put(date):
            for path, _, files in os.walk(folder):
                os.chmod(path, 0o755)
                for name in files:
                    os.chmod(os.path.join(path, name), 0o644)
            with contextlib.closing(cache.connect(ws)) as db:
                store.put_day(db, store.source_id(db, "akshare", False), date, [quote("600000.SH", 5.0)])

        def asked():
            reader.stdin.write("?\n")
            reader.stdin.flush()
            return reader.stdout.readline()

        put(DATES[0])
        mirror.load(ws, "akshare")
        readable()
        with subprocess.Popen(
            [sys.executable, "-c", READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as reader:
            assert asked() == "[[5.0]]\n"
            os.chmod(inside, 0o755)
            os.unlink(os.path.join(inside, "lock"))
            os.unlink(os.path.join(inside, "readers"))
            readable()
            assert asked() == "[[5.0]]\n"
            put(DATES[1])
            readable()
            assert asked() == f"77 {inside}: permission denied\n"
            reader.stdin.close()
        put(DATES[1])  # so that the folder can be removed


def test_a_full_disk_leaves_the_mirror_as_it_was(ws, full, source):
    """The limit on file size stands for the disk: both fail a write half-way."""
    check(ws, full, source)
    folder = mirroring.folder_of(ws, "akshare")
    size = os.stat(os.path.join(folder, "open.npy")).st_size
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.0)])
    code = (
        "import resource, signal; from ia.errors import TryLater; from ia.market import mirror\n"
        "from ia.ohlcv import cache; from ia.workspace import Workspace\n"
        "ws = Workspace(); db = cache.connect(ws); db.execute('SELECT count(*) FROM days').fetchone()\n"
        f"signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 100},) * 2)\n"
        "try: mirror.update(ws, db, 1)\n"
        "except TryLater as exc: print(exc.status, exc)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.startswith("75 akshare: "), run.stderr
    index = mirrored.read(folder)
    assert index.dates[-1] == DATES[59]
    held = mirror.load(ws, "akshare", until=DATES[0])  # so that files are written anew
    store.put_day(full, source, DATES[59], [quote("600000.SH", 13.0)])
    with open(os.path.join(folder, "high.npy.new"), "w") as file:
        file.write("of a process that was killed")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.startswith("75 akshare: "), run.stderr
    assert not [name for name in os.listdir(folder) if name.endswith(".npy.new")]
    del held
    check(ws, full, source)


def test_another_process_at_it_is_waited_for_and_not_for_ever(ws, full, source, monkeypatch):
    mirror.update(ws, full, source)
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.0)])
    monkeypatch.setattr(mirroring, "PATIENCE", 0.1)
    with mirroring._alone(mirroring.folder_of(ws, "akshare")), pytest.raises(TryLater, match="another ia"):
        mirror.update(ws, full, source)
    check(ws, full, source)


# processes


DYING = """
import contextlib, os, signal, sys
from ia.market import matrix, mirror
from ia.ohlcv import cache
from ia.workspace import Workspace

def dies(call):
    def counted(*args):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args)
    return counted

for line in sys.stdin:
    child = os.fork()
    if not child:
        left = int(line)
        os.pwrite, os.rename, os.unlink = dies(os.pwrite), dies(os.rename), dies(os.unlink)
        matrix.Matrix.set_column = dies(matrix.Matrix.set_column)
        with contextlib.closing(cache.connect(Workspace())) as db:
            mirror.update(Workspace(), db, 1)
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""


def appended(db, source):
    store.put_day(db, source, DATES[60], [quote("600000.SH", 12.0), quote("688001.SH", 30.0)])


def amended(db, source):
    store.put_day(db, source, DATES[59], [quote("600000.SH", 12.0), quote("300001.SZ", 30.0)])
    store.put_day(db, source, DATES[49], [quote("600000.SH", 11.0)])


def refetched(db, source):
    store.put_history(db, source, "600000.SH", bars(DATES[:60], 20.0), [Action(DATES[12], bonus=0.5)])


def older(db, source):
    store.put_history(
        db, source, "300001.SZ", bars(["2023-12-28", "2023-12-29", *DATES[:60]], 20.0), [Action(DATES[2], cash=1)]
    )


def everything(db, source):
    appended(db, source)
    refetched(db, source)
    db.execute("INSERT INTO written (source, kind, what) VALUES (?, 'all', '')", (source,))


@pytest.mark.parametrize(
    "change, read",
    [(appended, True), (amended, False), (amended, True), (refetched, False), (older, False), (everything, False)],
)
def test_killed_at_every_step_it_is_right_or_mended(ws, full, source, tmp_path, change, read):
    """The process kills itself before the first, the second, … change of a file, until it comes through."""
    held = check(ws, full, source)
    close = np.array(held.close)
    if not read:
        del held
    change(full, source)
    folder = mirroring.folder_of(ws, "akshare")
    shutil.copytree(folder, tmp_path / "before")
    steps, killed = 0, -signal.SIGKILL
    with subprocess.Popen(
        [sys.executable, "-c", DYING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        while killed:
            steps += 1 + steps // 4  # the first one by one; of the many rows of new files some
            process.stdin.write(f"{steps}\n")
            process.stdin.flush()
            killed = int(process.stdout.readline())
            check(ws, full, source)
            if read:
                np.testing.assert_array_equal(held.close, close)
            for name in mirroring.COLUMNS:  # the same files: the reader has them open
                os.replace(
                    shutil.copy(tmp_path / "before" / f"{name}.npy", tmp_path), os.path.join(folder, f"{name}.npy")
                )
            shutil.copy(tmp_path / "before" / "index.json", folder)
        process.stdin.close()
    assert steps > 10


WRITER = """
import contextlib, random, sys
from ia.market import mirror, store
from ia.market.quote import Quote
from ia.ohlcv import cache
from ia.ohlcv.adjust import Action
from ia.ohlcv.canonical import Bars
from ia.workspace import Workspace

rng = random.Random(int(sys.argv[1]))
dates = [f"2024-{m:02d}-{d:02d}" for m in range(1, 13) for d in range(1, 29)]
symbols = [f"6000{n:02d}.SH" for n in range(40)]
ws = Workspace()
with contextlib.closing(cache.connect(ws)) as db:
    source = store.source_id(db, "akshare", False)
    print("ready", flush=True)
    while True:
        if rng.random() < 0.7:
            after = [d for d in dates if d > (store.latest_day(db, source, "9999") or "")]
            date = after[0] if after and rng.random() < 0.8 else rng.choice(dates)
            some = rng.sample(symbols, rng.randint(1, 40))
            prices = [round(rng.uniform(5, 50), 2) for _ in some]
            store.put_day(db, source, date, [Quote(s, price=p, open=p, high=p, low=p, volume=100) for s, p in zip(some, prices)])
        else:
            first = rng.randrange(len(dates) - 40)
            days = dates[first:first + rng.randint(5, 40)]
            close = [round(rng.uniform(5, 50), 2) for _ in days]
            acts = [Action(rng.choice(days), cash=0.1)] if rng.random() < 0.5 else None
            store.put_history(db, source, rng.choice(symbols), Bars(days, close, close, close, close, [1] * len(days)), acts)
        mirror.update(ws, db, source)
"""


@pytest.mark.parametrize("seed", [1])
def test_killed_at_any_moment_it_is_right_or_mended(ws, db, source, seed):
    rng = random.Random(seed)
    end = time.monotonic() + 4
    rounds = 0
    while time.monotonic() < end and rounds < 12:
        rounds += 1
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(seed * 100 + rounds)], stdout=subprocess.PIPE)
        with process:
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.15))
            os.kill(process.pid, signal.SIGKILL)
        check(ws, db, source)
    assert rounds > 2


def test_two_writers_and_readers_at_once(ws, db, source):
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(seed)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for seed in (7, 8)
    ]
    try:
        for process in processes:
            process.stdout.readline()
        end = time.monotonic() + 3
        looks = 0
        while time.monotonic() < end:
            seen = mirror.load(ws, "akshare")
            told = np.array(seen.close), np.array(seen.open)
            time.sleep(0.02)
            np.testing.assert_array_equal(seen.close, told[0])  # whatever was written meanwhile
            np.testing.assert_array_equal(*told)  # the writers store open = close
            looks += 1
        assert looks > 3
        assert all(process.poll() is None for process in processes), processes[0].stderr
    finally:
        for process in processes:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()
    check(ws, db, source)
