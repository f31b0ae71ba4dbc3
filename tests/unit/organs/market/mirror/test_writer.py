"""The files of the mirror: damaged, held by others, killed half-way; never a mixture."""

import contextlib
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

from ia.kernel.errors import TryLater
from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.market.mirror import layout, reader, writer
from ia.organs.ohlcv.adjustment import Action
from support.markets.stored_histories import DATES, bars, check, quote

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
    damage(writer.mirror_folder(ws, "akshare"))
    check(ws, full, source)


def test_the_mirror_of_another_database_is_not_believed(ws, full, source):
    check(ws, full, source)
    version = full.execute("SELECT max(version) FROM written").fetchone()[0]
    full.close()
    os.unlink(os.path.join(ws.root, ".ia", "cache", "market.db"))
    with contextlib.closing(marketdb.connect(ws)) as new:
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
    with contextlib.closing(marketdb.connect(ws)) as old:
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
    reader.update_mirror(ws, full, source)
    path = os.path.join(writer.mirror_folder(ws, "akshare"), "close.npy")
    before = os.stat(path).st_ino
    store.put_day(full, source, DATES[59], [quote("600000.SH", 99.0)])
    reader.update_mirror(ws, full, source)
    assert os.stat(path).st_ino == before
    check(ws, full, source)


def test_an_update_of_nothing_writes_nothing(ws, full, source):
    reader.update_mirror(ws, full, source)
    folder = writer.mirror_folder(ws, "akshare")
    before = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
    reader.update_mirror(ws, full, source)
    assert {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)} == before


def test_it_is_written_without_numpy(ws, full):
    code = (
        "import sys; from ia.organs.market.mirror import reader; from ia.organs import marketdb; from ia.kernel.workspace import Workspace\n"
        "ws = Workspace(); reader.update_mirror(ws, marketdb.connect(ws), 1); assert 'numpy' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


READER = """
import os, sys
import numpy
from ia.kernel import store
from ia.kernel.errors import IaError
from ia.organs.market.mirror import reader
from ia.kernel.workspace import Workspace
store.import_sqlite_utils()
if os.geteuid() == 0:
    os.setuid(65534)  # to root no folder is read-only
for line in sys.stdin:
    try:
        print(reader.load_mirror(Workspace(), "akshare").close.tolist(), flush=True)
    except IaError as exc:
        print(exc.status, exc, flush=True)
"""


@pytest.mark.process
def test_where_nothing_may_be_written_it_is_read_and_never_stale(monkeypatch):
    from ia.kernel.workspace import Workspace

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setenv("IA_HOME", folder)
        ws = Workspace()
        inside = writer.mirror_folder(ws, "akshare")

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
            with contextlib.closing(marketdb.connect(ws)) as db:
                store.put_day(db, store.source_id(db, "akshare", False), date, [quote("600000.SH", 5.0)])

        def asked():
            other.stdin.write("?\n")
            other.stdin.flush()
            return other.stdout.readline()

        put(DATES[0])
        reader.load_mirror(ws, "akshare")
        readable()
        with subprocess.Popen(
            [sys.executable, "-c", READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other:
            assert asked() == "[[5.0]]\n"
            os.chmod(inside, 0o755)
            os.unlink(os.path.join(inside, "lock"))
            os.unlink(os.path.join(inside, "readers"))
            readable()
            assert asked() == "[[5.0]]\n"
            put(DATES[1])
            readable()
            assert asked() == f"77 {inside}: permission denied\n"
            other.stdin.close()
        put(DATES[1])  # so that the folder can be removed


@pytest.mark.process
def test_a_full_disk_leaves_the_mirror_as_it_was(ws, full, source):
    """The limit on file size stands for the disk: both fail a write half-way."""
    check(ws, full, source)
    folder = writer.mirror_folder(ws, "akshare")
    size = os.stat(os.path.join(folder, "open.npy")).st_size
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.0)])
    code = (
        "import resource, signal; from ia.kernel.errors import TryLater; from ia.organs.market.mirror import reader\n"
        "from ia.organs import marketdb; from ia.kernel.workspace import Workspace\n"
        "ws = Workspace(); db = marketdb.connect(ws); db.execute('SELECT count(*) FROM days').fetchone()\n"
        f"signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 100},) * 2)\n"
        "try: reader.update_mirror(ws, db, 1)\n"
        "except TryLater as exc: print(exc.status, exc)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.startswith("75 akshare: "), run.stderr
    index = layout.read_index(folder)
    assert index.dates[-1] == DATES[59]
    held = reader.load_mirror(ws, "akshare", until=DATES[0])  # so that files are written anew
    store.put_day(full, source, DATES[59], [quote("600000.SH", 13.0)])
    with open(os.path.join(folder, "high.npy.new"), "w") as file:
        file.write("of a process that was killed")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.startswith("75 akshare: "), run.stderr
    assert not [name for name in os.listdir(folder) if name.endswith(".npy.new")]
    del held
    check(ws, full, source)


def test_another_process_at_it_is_waited_for_and_not_for_ever(ws, full, source, monkeypatch):
    reader.update_mirror(ws, full, source)
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.0)])
    monkeypatch.setattr(writer, "PATIENCE", 0.1)
    with (
        writer._lock_folder(writer.mirror_folder(ws, "akshare")),
        pytest.raises(TryLater, match="another ia process is writing the mirror"),
    ):
        reader.update_mirror(ws, full, source)
    check(ws, full, source)


# processes


DYING = """
import contextlib, os, signal, sys
from ia.organs.market.mirror import matrix, reader
from ia.organs import marketdb
from ia.kernel.workspace import Workspace

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
        os.pwrite, os.replace, os.unlink = dies(os.pwrite), dies(os.replace), dies(os.unlink)
        matrix.Matrix.write_column = dies(matrix.Matrix.write_column)
        with contextlib.closing(marketdb.connect(Workspace())) as db:
            reader.update_mirror(Workspace(), db, 1)
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


@pytest.mark.process
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
    folder = writer.mirror_folder(ws, "akshare")
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
            for name in writer.COLUMNS:  # the same files: the reader has them open
                os.replace(
                    shutil.copy(tmp_path / "before" / f"{name}.npy", tmp_path), os.path.join(folder, f"{name}.npy")
                )
            shutil.copy(tmp_path / "before" / "index.json", folder)
        process.stdin.close()
    assert steps > 10


WRITER = """
import contextlib, random, sys
from ia.organs.market import store
from ia.organs.market.mirror import reader
from ia.organs.market.quote import Quote
from ia.organs import marketdb
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars
from ia.kernel.workspace import Workspace

rng = random.Random(int(sys.argv[1]))
dates = [f"2024-{m:02d}-{d:02d}" for m in range(1, 13) for d in range(1, 29)]
symbols = [f"6000{n:02d}.SH" for n in range(40)]
ws = Workspace()
with contextlib.closing(marketdb.connect(ws)) as db:
    source = store.source_id(db, "akshare", False)
    print("ready", flush=True)
    while True:
        if rng.random() < 0.7:
            after = [d for d in dates if d > max(store.stored_days(db, source), default="")]
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
        reader.update_mirror(ws, db, source)
"""


@pytest.mark.process
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


@pytest.mark.process
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
            seen = reader.load_mirror(ws, "akshare")
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
