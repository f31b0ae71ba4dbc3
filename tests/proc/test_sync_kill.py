"""`ia sync` killed at random moments and run again: the store and the mirror equal those of an uninterrupted run."""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from support.markets.hosts import Hosts, Market
from support.program import installed

SOAK = "IA_SOAK" in os.environ
DAYS = ("2024-05-10", "2024-05-13", "2024-05-15") + (("2024-05-16", "2024-05-17", "2024-05-21") if SOAK else ())
KILLS = 12 if SOAK else 2
COLUMNS = ("open", "high", "low", "close", "volume", "amount", "factor")


def dump(home):
    """Every row of market.db, but the log of what was written when: it differs by how often it was tried."""
    with contextlib.closing(sqlite3.connect(home / ".ia" / "cache" / "market.db")) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {name: sorted(db.execute(f"SELECT * FROM {name}"), key=repr) for name in names if name != "written"}


def mirrored(home, monkeypatch):
    """The mirror as it is read, by symbol."""
    from ia.kernel.workspace import Workspace
    from ia.organs.market.mirror import reader

    monkeypatch.setenv("IA_NOW", f"{DAYS[-1]}T16:00:00+08:00")
    ws = Workspace(str(home))
    found = reader.load_mirror(ws, "akshare")
    order = np.argsort(found.symbols)
    ws.close()
    return found.dates, sorted(found.symbols), {c: np.asarray(getattr(found, c))[:, order] for c in COLUMNS}


class Run:
    """A process of `ia sync` on a day in a workspace of its own."""

    def __init__(self, hosts, home, *options):
        home.mkdir()
        self.hosts, self.home, self.options = hosts, home, options

    def start(self, day, index):
        self.hosts.market.at(day, "16:00:00")
        options = self.options if index == 0 else ()
        return subprocess.Popen(
            [*installed(), "--home", str(self.home), "--now", f"{day}T16:00:00+08:00", "sync", "daily", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "XDG_STATE_HOME": f"{self.home}-state"},
        )  # fmt: skip

    def whole(self, day, index):
        """Run to the end; return how many requests it took."""
        before = len(self.hosts.asked)
        child = self.start(day, index)
        out, err = child.communicate(timeout=120)
        assert child.returncode == 0, (out, err)
        return len(self.hosts.asked) - before

    def killed(self, day, index, requests, rng):
        """Kill it after a random number of requests, a random moment later."""
        before, wanted = len(self.hosts.asked), rng.randint(1, requests)
        child = self.start(day, index)
        while child.poll() is None and len(self.hosts.asked) - before < wanted:
            time.sleep(0.001)
        time.sleep(rng.choice((0, 0.002, 0.01, 0.05, 0.2)) * rng.random())
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=60)


@pytest.mark.parametrize("options", [(), ("--history",)], ids=["daily", "history"])
def test_killed_and_run_again_is_as_if_never_killed(tmp_path, monkeypatch, options):
    seed = int(os.environ.get("IA_SEED", random.randrange(10**6)))
    rng = random.Random(seed)
    print("IA_SEED", seed)
    market = Market(25, "2024-05-06", 14, events=0.06, etfs=3)
    market.list("600002.SH", DAYS[1])
    with Hosts(market) as hosts:
        hosts.use(monkeypatch)
        quiet, killed = Run(hosts, tmp_path / "quiet", *options), Run(hosts, tmp_path / "killed", *options)
        for index, day in enumerate(DAYS):
            requests = quiet.whole(day, index)
            for _ in range(KILLS if options or SOAK else 1):
                killed.killed(day, index, requests, rng)
            killed.whole(day, index)
        assert dump(Path(killed.home)) == dump(Path(quiet.home)), f"IA_SEED={seed}"
        one, other = mirrored(quiet.home, monkeypatch), mirrored(killed.home, monkeypatch)
        assert one[:2] == other[:2]
        for column in COLUMNS:
            assert np.array_equal(one[2][column], other[2][column], equal_nan=True), (column, f"IA_SEED={seed}")


def test_two_at_once_lose_nothing(tmp_path, monkeypatch):
    market = Market(120, "2024-05-06", 14, events=0.05)
    with Hosts(market) as hosts:
        hosts.use(monkeypatch)
        alone, together = Run(hosts, tmp_path / "alone"), Run(hosts, tmp_path / "together")
        for day in DAYS[:2]:
            alone.whole(day, 1)
            children = [together.start(day, 1) for _ in range(2)]
            for child in children:
                out, err = child.communicate(timeout=120)
                assert child.returncode in (0, 75), (out, err)
                assert child.returncode == 0 or b"another ia" in err or b"being fetched by another" in err
        assert dump(together.home) == dump(alone.home)
