"""The store of the whole market, 5,500 symbols x 2,500 days, beside what others would do: ratios of the same run.

python tests/bench/bench_market.py [--small] [--keep FOLDER] [--cpu]

It needs 3.5 GB in the temporary folder and some minutes; --small is a tenth of the symbols and of the days. What a
FOLDER that was kept has is not built again: days are stored behind those that are there.
"""

import argparse
import contextlib
import os
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import sqlite_utils

from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.market.mirror import reader
from ia.organs.market.quote import Quote
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

DAYS_MORE = 9
_BLOCKS = (("SH", 600000, 1700), ("SH", 688000, 600), ("SZ", 1, 1500), ("SZ", 300001, 1400), ("BJ", 920000, 300))


class Market:
    """Invented prices in whole cents, one row a day; the last DAYS_MORE days are stored day by day.

    part   one in so many of the symbols and of the days; 1 for all
    last   the newest day that is stored already, YYYY-MM-DD; those days begin behind it
    """

    def __init__(self, part: int = 1, last: str = "") -> None:
        self.symbols = sorted(
            f"{n:06d}.{e}" for e, first, count in _BLOCKS for n in range(first, first + count // part)
        )
        self.history = 2500 // part
        self.first = self.history
        self.dates: list[str] = []
        day = date(2016, 1, 4)
        while day.isoformat() <= last or len(self.dates) < self.first + DAYS_MORE:
            if day.weekday() < 5:
                self.dates.append(day.isoformat())
            if day.isoformat() == last:
                self.first = max(self.history, len(self.dates))
            day += timedelta(1)
        random = np.random.default_rng(20261122)
        steps = random.normal(0.0002, 0.02, (len(self.dates), len(self.symbols)))
        self.close = np.round(20 * np.exp(np.cumsum(steps, axis=0)), 2).clip(0.5)

    def bars(self, at: int, rows: slice) -> Bars:
        close = self.close[rows, at]
        prices = [np.round(close * part, 2).tolist() for part in (0.995, 1.01, 0.98)]
        return Bars(self.dates[rows], *prices, close.tolist(), (close * 1e5).astype(int).tolist())

    def histories(self) -> Iterator[store.StoredHistory]:
        for at, symbol in enumerate(self.symbols):
            bars = self.bars(at, slice(0, self.history))
            amount: list[float | None] = [c * v for c, v in zip(bars.close, bars.volume, strict=True)]
            acts = [Action(self.dates[n], cash=0.1) for n in range(at % 240 + 1, self.history, 240)]
            yield store.StoredHistory(symbol, bars, acts, amount=amount)

    def quotes(self, row: int) -> list[Quote]:
        """Return a snapshot with all that a source tells."""
        found = []
        for at, symbol in enumerate(self.symbols):
            close = float(self.close[row, at])
            before = float(self.close[row - 1, at])
            volume = int(close * 1e5)
            found.append(
                Quote(
                    symbol=symbol, name=f"公司{symbol[:6]}", price=close, prev_close=before, change=round(close - before, 2),
                    change_pct=round((close / before - 1) * 100, 2), open=round(close * 0.995, 2), high=round(close * 1.01, 2),
                    low=round(close * 0.98, 2), volume=volume, amount=close * volume, amplitude_pct=3.0, turnover_pct=1.25, volume_ratio=0.98, pe=21.5, pe_ttm=20.75, pb=2.5, roe_pct=11.25,
                    market_cap=close * 1e9, float_cap=close * 8e8, change_60d_pct=4.5, change_ytd_pct=12.75, time=f"{self.dates[row]}T15:00:00", kind="stock", listed="2010-01-04",
                    industry=f"行业{at % 86}", concepts=";".join(f"概念{(at * 7 + n) % 400}" for n in range(6)),
                )
            )  # fmt: skip
        return found


def peer(path: str, market: Market) -> sqlite3.Connection:
    """Make the table keyed by symbol and date that a tool without a plan would have."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'bars'").fetchone():
        return db
    db.execute(
        "CREATE TABLE bars (symbol TEXT, date TEXT, open REAL, high REAL, low REAL, close REAL, volume INTEGER,"
        " amount REAL, PRIMARY KEY (symbol, date)) WITHOUT ROWID"
    )
    for at, symbol in enumerate(market.symbols):
        bars = market.bars(at, slice(0, market.history))
        rows = ((symbol, *row, row[4] * row[5]) for row in zip(*bars, strict=True))
        db.executemany("INSERT INTO bars VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    db.commit()
    return db


def upsert(db: sqlite3.Connection, market: Market, row: int, quotes: list[Quote]) -> None:
    """Store the bars of a day with sqlite-utils."""
    day = market.dates[row]
    bars = (
        {"symbol": q.symbol, "date": day, "open": q.open, "high": q.high, "low": q.low, "close": q.price,
         "volume": q.volume, "amount": q.amount}
        for q in quotes
    )  # fmt: skip
    sqlite_utils.Database(db)["bars"].upsert_all(bars, pk=("symbol", "date"))
    db.commit()


clock = time.perf_counter


def seconds(call: Callable[[], object]) -> float:
    began = clock()
    call()
    return clock() - began


def report(name: str, value: float, floor: float | None = None, limit: str = "") -> None:
    ratio = f"{floor / value:8.1f} x as fast" if floor and limit.startswith("≥") else ""
    ratio = f"{value / floor:8.2f} x" if floor and limit.startswith("≤") else ratio
    print(f"{name:<58}{value * 1000:10.1f} ms{ratio:>20}  {limit}")
    sys.stdout.flush()


def run(folder: str, small: bool) -> None:
    os.environ["IA_HOME"] = folder
    ws = Workspace(folder)
    with contextlib.closing(marketdb.connect(ws)) as db:
        source = store.source_id(db, "akshare", False)
        stored = store.stored_days(db, source)
        market = Market(10 if small else 1, stored[-1] if stored else "")
        if not stored:
            _build(ws, db, source, market)
        with contextlib.closing(peer(os.path.join(folder, "peer.db"), market)) as other:
            _days(ws, db, source, market, other)
    _reading(ws, source, market, folder)


def _build(ws: Workspace, db: sqlite3.Connection, source: int, market: Market) -> None:
    rows = len(market.symbols) * market.history
    print(f"{len(market.symbols)} symbols x {market.history} days = {rows / 1e6:.2f} M bars")
    told = store.put_histories(db, source, market.histories())
    print(f"put_histories: {told.seconds:.1f} s, {rows / told.seconds / 1000:.0f} k bars a second, data made meanwhile")
    print(f"mirror built from the rows: {reader.update_mirror(ws, db, source):.1f} s")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = os.path.getsize(os.path.join(ws.root, ".ia", "cache", "market.db"))
    print(f"market.db {size / 1e6:.0f} MB, {size / rows:.0f} bytes a bar")


def _days(ws: Workspace, db: sqlite3.Connection, source: int, market: Market, other: sqlite3.Connection) -> None:
    first, again, theirs, theirs_again = [], [], [], []
    for row in range(market.first, market.first + DAYS_MORE):
        quotes = market.quotes(row)
        day = market.dates[row]

        def sync(day: str = day, quotes: list[Quote] = quotes) -> None:
            store.put_day(db, source, day, quotes, host="bench")
            reader.update_mirror(ws, db, source)

        def by_symbol(row: int = row, quotes: list[Quote] = quotes) -> None:
            upsert(other, market, row, quotes)

        first.append(seconds(sync))
        again.append(seconds(sync))
        theirs.append(seconds(by_symbol))
        theirs_again.append(seconds(by_symbol))
    peer_ms = statistics.median(theirs)
    report("sqlite-utils upsert_all of a day, keyed by symbol", peer_ms)
    report("the same again", statistics.median(theirs_again))
    report("a day: bars, snapshot, securities, mirror", statistics.median(first), peer_ms, "≥ 5")
    report("the same again, nothing changed", statistics.median(again), peer_ms, "≥ 5")


def _reading(ws: Workspace, source: int, market: Market, folder: str) -> None:
    matrix = os.path.join(folder, "close.npy")
    np.save(matrix, np.array(reader.load_mirror(ws, "akshare").close))
    ours, floor = [], []
    for _ in range(7):
        floor.append(seconds(lambda: np.nansum(np.load(matrix, mmap_mode="r"))))
        ours.append(seconds(lambda: np.nansum(reader.load_mirror(ws, "akshare").close)))
    report("numpy.load(mmap) of close, every value read", statistics.median(floor))
    report("the same from the mirror", statistics.median(ours), statistics.median(floor), "≤ 2")
    symbol = market.symbols[len(market.symbols) // 2]
    with contextlib.closing(marketdb.connect(ws)) as db:
        report(
            "one symbol's history",
            statistics.median(seconds(lambda: store.load_bars(db, source, symbol)) for _ in "abcde"),
        )
    with contextlib.closing(sqlite3.connect(os.path.join(folder, ".ia", "cache", "market.db"))) as plain:
        query: Any = lambda: plain.execute("SELECT * FROM daily WHERE symbol = ?", (symbol,)).fetchall()  # noqa: E731
        report("the same with plain SQL, WHERE symbol = …", statistics.median(seconds(query) for _ in "abcde"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the symbols and of the days")
    parser.add_argument("--keep", type=Path, help="work in this folder, and leave it")
    parser.add_argument("--cpu", action="store_true", help="count the processor's time, on a machine that is busy")
    options = parser.parse_args()
    if options.cpu:
        global clock
        clock = time.process_time
    folder = str(options.keep or tempfile.mkdtemp(prefix="ia-bench-market-"))
    try:
        run(folder, options.small)
    finally:
        if not options.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
