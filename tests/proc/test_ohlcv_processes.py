"""Several processes and killed processes around the price cache."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import time

import pytest

from support.program import installed

SYMBOLS = ("600519", "300750", "00700.HK", "AAPL")


def start(*args):
    return subprocess.Popen(
        [*installed(), "ohlcv", *args, "--adapter", "demo"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def test_of_many_processes_that_want_a_series_one_fetches_it(ia):
    runs = [start("600519") for _ in range(5)]
    outputs = {run.communicate(timeout=60)[0] for run in runs}
    assert all(run.returncode == 0 for run in runs)
    assert len(outputs) == 1
    assert len(json.loads(ia("log", "--kind", "ohlcv.fetch", "--json").stdout)) == 1


def kill_at_random(home, ia, times, seed):
    """Kill `ia ohlcv` at random moments of a fetch, two at once, and look at what is left each time."""
    moment = random.Random(seed)
    whole = {symbol: ia("ohlcv", symbol, "--adapter", "demo").stdout for symbol in SYMBOLS}
    database = home / ".ia" / "cache" / "market.db"
    for turn in range(times):
        if turn % 4 == 0:
            for file in home.glob(".ia/cache/market.db*"):
                file.unlink()
        pair = [start(symbol, "--refresh") for symbol in moment.sample(SYMBOLS, 2)]
        time.sleep(moment.uniform(0.05, 1.0))
        for run in pair:
            run.send_signal(signal.SIGKILL)
        for run in pair:
            run.communicate()
        if database.exists() and database.stat().st_size:
            conn = sqlite3.connect(database)
            assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            if conn.execute("PRAGMA user_version").fetchone() != (0,):
                counted = dict(conn.execute("SELECT symbol, count(*) FROM bars GROUP BY symbol"))
                known = {row[0] for row in conn.execute("SELECT symbol FROM series")}
                assert set(counted) == known, "a series is stored whole or not at all"
            conn.close()
        symbol = moment.choice(SYMBOLS)
        assert ia("ohlcv", symbol, "--adapter", "demo").stdout == whole[symbol]


def test_killed_fetches_leave_whole_series(home, ia):
    kill_at_random(home, ia, 6, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_killed_fetches_leave_whole_series_soak(home, ia):
    kill_at_random(home, ia, int(os.environ.get("IA_SOAK_KILLS", "250")), seed=2)
