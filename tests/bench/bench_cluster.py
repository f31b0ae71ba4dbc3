"""Packed minute bars: their size, a scan of them in one process, and on one and two Dask workers.

python tests/bench/bench_cluster.py [--part N] [--keep FOLDER]

It needs the extra `cluster`, 200 MB in the temporary folder and some minutes; --part 10 is a tenth of the securities.
Wall times mean something on a quiet machine only: the load is printed beside them.
"""

import argparse
import hashlib
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from distributed import LocalCluster

from ia.faculties.lab.bar_packing import pack_bars
from ia.faculties.lab.bar_scan import scan_bars
from ia.faculties.lab.cluster_scan import run_on_cluster
from ia.faculties.lab.scan import ScanRequest
from ia.kernel.errors import drop_message

SECURITIES, SESSIONS = 14_000, 21
WHOLE = (
    "obv(close, volume) * 0 + adx(high, low, close, 14) + rsi(close, 14) + macd(close)['histogram']"
    " + kama(close, 10) + tema(close, 50) + atr(high, low, close, 14) > 30"
)
"""About 2 s a block: it needs every bar."""
TAIL = "(rsi(close, 14) < 30) & (close < sma(close, 20) - 2 * stdev(close, 20))"


class MinuteSpan:
    """Invented minute bars of a month."""

    def __init__(self, name: str, securities: int) -> None:
        self.digest = hashlib.sha256(f"{name} {securities}".encode()).hexdigest()
        self.times = [
            f"{name}-{day + 1:02}T{hour:02}:{minute:02}:00"
            for day in range(SESSIONS)
            for hour in (9, 10, 13, 14)
            for minute in range(60)
        ]
        self.symbols = [f"{600000 + number}.SH" for number in range(securities)]

    def read(self, symbols):
        made = np.random.default_rng(int(symbols[0][:6]))
        shape = (len(self.times), len(symbols))
        steps = made.normal(0, 0.0008, shape)
        steps[made.random(shape) < 0.35] = 0
        close = np.round(made.uniform(5, 60, shape[1]) * np.exp(np.cumsum(steps, 0)), 2)
        opening = np.vstack([close[:1], close[:-1]])
        spread = np.abs(made.normal(0, 0.0006, shape)) * close
        high = np.round(np.maximum(opening, close) + spread, 2)
        low = np.round(np.minimum(opening, close) - spread, 2)
        volume = made.lognormal(4, 1.2, shape).astype(int) * 100.0
        return {"open": opening, "high": high, "low": low, "close": close, "volume": volume}


class MinuteBars:
    market, period, simulated = "CN", "1m", True

    def __init__(self, securities: int) -> None:
        self.spans, self._securities = ["2024-02"], securities

    def open_span(self, span: str) -> MinuteSpan:
        return MinuteSpan(span, self._securities)


def processor(pids: list[int]) -> float:
    """Return the seconds of processor time of some processes so far."""
    spent = (psutil.Process(pid).cpu_times() for pid in pids)
    return sum(each.user + each.system for each in spent)


def report(name: str, value: float, unit: str, limit: float | None = None, *, at_least: bool = False) -> None:
    asked = "" if limit is None else f"{'≥' if at_least else '≤'} {limit:g}"
    met = limit is None or (value >= limit if at_least else value <= limit)
    print(f"{name:<60}{value:>10.4g} {unit:<16}{asked:>9}{'' if met else '  missed'}", flush=True)


def measure(folder: Path, part: int) -> None:
    securities = SECURITIES // part
    began = time.process_time()
    packed = pack_bars(MinuteBars(securities), str(folder))
    cells = securities * packed.spans[0].times
    if packed.spans[0].size:
        report("packing (and inventing) bars", cells / (time.process_time() - began) / 1e6, "M bars/s")
    size = sum(path.stat().st_size for path in folder.rglob("*.b2"))
    report("a bar, five columns", size / cells, "bytes", 3)
    began = time.process_time()
    scan_bars(packed.url, ScanRequest(expression=TAIL))
    report("a scan of the newest bar, one process", time.process_time() - began, "s")
    asked = ScanRequest(expression=WHOLE)
    own, wall = time.process_time(), time.monotonic()
    alone = scan_bars(packed.url, asked)
    own, wall = time.process_time() - own, time.monotonic() - wall
    report("a scan of every bar, one process: processor", own, "s", 30 / part, at_least=True)
    report("the same: wall", wall, "s")
    report("the same: memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB")
    walls = []
    for count in (1, 2):
        with LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
            pids = [nanny.process.pid for nanny in cluster.workers.values()]
            run = run_on_cluster(cluster.scheduler_address, drop_message)
            began = time.monotonic()
            scan_bars(packed.url, ScanRequest(expression="close", symbols=("600000.SH",)), run=run)
            report(f"{count} worker(s): start", time.monotonic() - began, "s", 5)
            before, began = processor(pids), time.monotonic()
            found = scan_bars(packed.url, asked, run=run)
            walls.append(time.monotonic() - began)
            report(f"{count} worker(s): processor, by that of one process", (processor(pids) - before) / own, "×", 1.3)
            report(f"{count} worker(s): wall", walls[-1], "s")
            assert sorted(found.rows) == sorted(alone.rows)
    report("two workers by one, wall", walls[0] / walls[1], "×", 1.6, at_least=True)
    print("load", *(f"{load:.1f}" for load in os.getloadavg()), f"on {os.cpu_count()} processors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, default=1, help="one in so many of the securities")
    parser.add_argument("--keep", type=Path, help="work in this folder, and leave it")
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp(prefix="ia-bench-cluster-"))
    os.environ |= {"IA_HOME": str(folder), "IA_NOW": "2024-03-15T16:30:00+08:00", "IA_LANG": "en"}
    try:
        measure(folder, options.part)
    finally:
        if not options.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
