"""`ia sync daily` of 5,500 securities into the store that bench_market.py leaves (--keep FOLDER), beside sqlite-utils.

python tests/bench/bench_sync.py FOLDER [ROUNDS] [--small]

The installed command asks a made-up host on the loopback and tells itself, with --json, how long checking, storing and
the mirror took. sqlite-utils is given the bars of the same day, in this process. A day is synced before it counts,
since names and industries are the host's own.
"""

import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import bench_market
from floors import SCRIPTS, environment

from ia.kernel.clock import parse_moment
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.ohlcv.calendar import last_session

sys.path.insert(0, str(SCRIPTS.parent))
from support.markets.hosts import Hosts
from support.markets.simulated import Bar, Market


class Served(Market):
    """The bench's market as a host shows it: some days of it, each with the close of the one before."""

    def __init__(self, bench: bench_market.Market, days: list[str]) -> None:
        self.bench = bench
        self.places = {symbol: at for at, symbol in enumerate(bench.symbols)}
        super().__init__(bench.symbols, days=days)

    def _made(self, symbol: str) -> tuple[list[Bar], list[object]]:
        bars = self.bench.bars(self.places[symbol], slice(0, None))
        rows = [row for row in zip(*bars, strict=True) if row[0] in self.days]
        made = [
            Bar(date, before[4], *prices, volume // 100 * 100, prices[3] * (volume // 100 * 100))
            for before, (date, *prices, volume) in pairwise(rows)
        ]
        return made, []


def sync(env: dict[str, str], day: str) -> dict[str, float]:
    """Run the command as on that day's evening; return what it told, and the processor's seconds of the process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        ["ia", "--now", f"{day}T16:00:00+08:00", "sync", "daily", "--json"], env=env, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit(f"{day}: status {run.returncode}: {run.stderr[-600:]}")
    told = json.loads(run.stdout)["jobs"][0]
    return {**told, "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    parser.add_argument("--small", action="store_true", help="the folder was made with --small")
    options = parser.parse_args()
    ws = Workspace(str(options.folder))
    with contextlib.closing(marketdb.connect(ws)) as db:
        last = store.stored_days(db, store.source_id(db, "akshare", False))[-1]
    bench_market.DAYS_MORE = 30 + options.rounds
    bench = bench_market.Market(options.small, last)
    days = [day for day in bench.dates[bench.first :] if last_session("CN", parse_moment(f"{day}T16:00+08:00")) == day]
    days = days[: options.rounds + 1]
    first, again, theirs = [], [], []
    with (
        Hosts(Served(bench, [last, *days])) as hosts,
        contextlib.closing(bench_market.peer(os.path.join(options.folder, "peer.db"), bench)) as other,
    ):
        env = environment(options.folder)
        env |= {"IA_MARKET_RELAY": hosts.url, "IA_MARKET_ADAPTER": "akshare"}
        env |= {"XDG_STATE_HOME": str(options.folder / "state")}
        for day in days:
            hosts.market.at(day)
            row = bench.dates.index(day)
            first.append(sync(env, day))
            again.append(sync(env, day))
            quotes = bench.quotes(row)
            theirs.append(
                bench_market.seconds(lambda row=row, quotes=quotes: bench_market.upsert(other, bench, row, quotes))
            )
    peer = statistics.median(theirs[1:])
    bench_market.report("sqlite-utils upsert_all of a day, keyed by symbol", peer)
    for name, told in (("ia sync daily", first[1:]), ("the same again", again[1:])):
        bench_market.report(
            f"{name}: stored, mirrored", statistics.median(t["store_s"] + t["mirror_s"] for t in told), peer, "≥ 5"
        )
        for part in ("fetch_s", "check_s", "store_s", "mirror_s", "cpu_s"):
            bench_market.report(f"    {part}", statistics.median(t[part] for t in told))


if __name__ == "__main__":
    main()
