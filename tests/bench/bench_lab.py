"""The lab: scans of the whole market, backtests of rules and files, agents; processor time on invented prices.

python tests/bench/bench_lab.py [--part N] [--keep FOLDER] [--rounds N] [scan] [rules] [agents]

It needs 8 GB in the temporary folder and some minutes; --part 10 is a tenth of the securities and of the days. What
a FOLDER that was kept has is not built again.
"""

import argparse
import contextlib
import importlib.util
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from bench_market import Market
from floors import PYTHON, Case, environment, measure, measure_processor, table

sys.path.insert(0, str(Path(__file__).parent.parent))

from ia.agent.backtests import agent_runs, planning, run_groups
from ia.domain.instruments.symbols import from_canonical
from ia.faculties.lab.each_runs import run_each
from ia.faculties.lab.rule_runs import evaluate_signals, run_rules
from ia.faculties.lab.run_figures import figures_document, hold_yardsticks
from ia.faculties.lab.run_market import build_market, load_universe_market
from ia.faculties.lab.run_types import PositionSize, RuleSettings, RunMarket
from ia.faculties.lab.scan import ScanRequest, scan_market
from ia.faculties.lab.securities import Security
from ia.faculties.lab.strategy_runs import run_strategy
from ia.kernel.errors import drop_message
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.market.mirror import reader
from ia.organs.ohlcv.canonical import Bars
from support.scripted_model import MODEL, Said, scripted

OVERSOLD = "rsi(close, 14) < 30"
CROSSING = "crossover(sma(close, 5), sma(close, 20))"
BELOW = "close < sma(close, 20) - 2 * stdev(close, 20)"
CONDITIONS = (("a", OVERSOLD, 4), ("b", CROSSING, 1), ("c", f"({OVERSOLD}) & ({CROSSING}) & ({BELOW})", 2))
GAPS_LIMIT = 10
TALIB_LIMITS = (0.1, 6)
"""Of a TA-Lib loop over every bar: the last bar at once, and every bar."""
SMA_CROSS = {
    "entry": "crossover(sma(close, 10), sma(close, 20))",
    "exit": "crossunder(sma(close, 10), sma(close, 20))",
}
WEEKLY: dict[str, Any] = {
    "entry": "close > sma(close, 60)",
    "rank": "roc(close, 60)",
    "max_positions": 50,
    "rebalance": "weekly",
}
GOOG_BARS = 2148
ON_BAR = """
def on_bar(ctx):
    close = ctx.bars.close
    if len(close) < 21:
        return
    fast, slow = close[-10:].mean(), close[-20:].mean()
    if fast > slow and not ctx.position():
        ctx.buy(percent=99)
    elif fast < slow and ctx.position():
        ctx.sell()
"""
WATCHES = ON_BAR.replace("ctx.buy(percent=99)", "return").replace("ctx.sell()", "return")
ALL = PositionSize("percent", Decimal(100))


class Figure(NamedTuple):
    """What was measured, and what is asked for: at most, or at least for a rate."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    at_least: bool = False


def report(figure: Figure) -> None:
    asked = "" if figure.limit is None else f"{'≥' if figure.at_least else '≤'} {figure.limit:g}"
    met = figure.limit is None or (figure.value >= figure.limit if figure.at_least else figure.value <= figure.limit)
    print(f"{figure.name:<60}{figure.value:>10.4g} {figure.unit:<16}{asked:>9}{'' if met else '  missed'}")
    sys.stdout.flush()


def spent(call: Callable[[], object]) -> float:
    """Return the seconds of processor time of a call, and of the processes that ended in it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.process_time()
    call()
    own = time.process_time() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own + after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median(call: Callable[[], object], rounds: int) -> float:
    call()  # warms what is made once
    return statistics.median(spent(call) for _ in range(rounds))


# scan


class GappyMarket(Market):
    """The same prices, of which 19 in 20 securities lack days here and there, and one in three the first years."""

    def histories(self) -> Iterator[store.StoredHistory]:
        random = np.random.default_rng(20261128)
        for at, history in enumerate(super().histories()):
            kept = np.ones(self.history, dtype=bool)
            if at % 20:
                kept = random.random(self.history) > 0.03
            if at % 3 == 1:
                kept[: random.integers(1, self.history * 4 // 5)] = False
            rows = np.nonzero(kept)[0].tolist()
            bars = Bars._make([[column[row] for row in rows] for column in history.bars])
            acts = [each for each in history.actions if each.date > bars.date[0]]
            amount = [history.amount[row] for row in rows] if history.amount else []
            yield store.StoredHistory(history.symbol, bars, acts, amount=amount)


def build_store(folder: Path, market: Market) -> Workspace:
    """Return a workspace that holds a market, which is stored if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    ws = Workspace(str(folder))
    with contextlib.closing(marketdb.connect(ws)) as db:
        source = store.source_id(db, "akshare", False)
        if not store.stored_days(db, source):
            store.put_histories(db, source, market.histories())
            row = market.history
            store.put_day(db, source, market.dates[row], market.quotes(row), host="bench")
            reader.update_mirror(ws, db, source)
    return ws


def measure_scans(folder: Path, part: int, rounds: int) -> None:
    for name, kind in (("dense", Market), ("with gaps", GappyMarket)):
        market = kind(part)
        ws = build_store(folder / name.replace(" ", "_"), market)
        os.environ |= {"IA_MARKET_ADAPTER": "akshare", "IA_NOW": f"{market.dates[market.history]}T16:00:00+08:00"}
        mirror = reader.load_mirror(ws, "akshare")
        floor = median(lambda mirror=mirror: np.nansum(mirror.close), rounds)
        report(Figure(f"one read of close, {name}: {len(mirror.symbols)} x {len(mirror.dates)}", floor * 1e3, "ms"))
        for letter, expression, limit in CONDITIONS:
            request = ScanRequest(expression=expression)
            took = median(lambda ws=ws, request=request: scan_market(ws, request), max(rounds // 3, 1))
            asked = limit if kind is Market else GAPS_LIMIT
            report(Figure(f"scan {letter}, {name} ({took * 1e3:.0f} ms)", took / floor, "x one read", asked))
        every = ScanRequest(expression=CONDITIONS[2][1], since=mirror.dates[0])
        days = median(lambda ws=ws, every=every: scan_market(ws, every), max(rounds // 3, 1))
        report(Figure(f"scan c since the first day, {name}", days, "s", 1 if kind is Market else None))
        if kind is Market and importlib.util.find_spec("talib"):
            loop = measure_talib(mirror, rounds)
            report(
                Figure(
                    f"TA-Lib, a loop over every bar of c ({loop * 1e3:.0f} ms), scan c",
                    took / loop,
                    "x",
                    TALIB_LIMITS[0],
                )
            )
            report(Figure("scan c since the first day", days / loop, "x TA-Lib", TALIB_LIMITS[1]))
        if kind is Market:
            measure_cold_scan(ws, rounds)


def measure_cold_scan(ws: Workspace, rounds: int) -> None:
    """Print what the whole command costs, from the shell to the answer."""
    env = {**environment(Path(ws.root)), "IA_MARKET_ADAPTER": "akshare", "IA_NOW": os.environ["IA_NOW"]}
    close = next(Path(ws.root).rglob("close.npy"))
    bare = f"""{PYTHON} -c 'import numpy; numpy.nansum(numpy.load("{close}", mmap_mode="r"))'"""
    cases = [
        Case("a bare mmap script", bare),
        Case("ia scan a", f"ia scan '{OVERSOLD}' --count", "a bare mmap script", 1.5),
    ]
    print("processor time, user and system")
    table(cases, measure_processor(cases, max(rounds // 3, 1), env))
    print("wall time")
    table(cases, measure(cases, max(rounds // 3, 1), env))
    # Started by a small process: a child's peak begins at that of whoever started it.
    peak = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(os.wait4(child.pid, 0)[2].ru_maxrss)"
    )
    command = [PYTHON, "-c", peak, "ia", "scan", OVERSOLD, "--count"]
    used = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    report(Figure("ia scan a, memory", int(used) / 1024, "MB", 250))


def measure_talib(mirror: reader.Mirror, rounds: int) -> float:
    """Return the seconds of c by TA-Lib, one security after the other, from prices in memory."""
    import talib

    columns = np.ascontiguousarray((mirror.close * (mirror.factor / mirror.factor[-1])).T)

    def loop() -> None:
        for close in columns:
            five, twenty = talib.SMA(close, 5), talib.SMA(close, 20)
            met = (talib.RSI(close, 14) < 30) & (close < twenty - 2 * talib.STDDEV(close, 20))
            met[1:] &= (five[1:] > twenty[1:]) & (five[:-1] <= twenty[:-1])

    return median(loop, max(rounds // 3, 1))


# rules


def invent_security(name: str, count: int) -> Security:
    random = np.random.default_rng(2148)
    close = np.round(100 * np.exp(np.cumsum(random.normal(0.0008, 0.018, count))), 2)
    days, day = [], date(2004, 8, 19)
    while len(days) < count:
        if day.weekday() < 5:
            days.append(day.isoformat())
        day += timedelta(1)
    prices = [np.round(close * part, 2) for part in (0.998, 1.012, 0.985)]
    volume = np.full(count, 5_000_000)
    return Security(symbol=from_canonical(name), bars=Bars._make([days, *prices, close, volume]))


def measure_rules(folder: Path, part: int, rounds: int) -> None:
    one = build_market([invent_security("GOOG.US", GOOG_BARS)])
    settings = RuleSettings(**SMA_CROSS, size=ALL)

    def whole() -> None:
        result = run_rules(settings, one)
        figures_document(result, hold_yardsticks(result, one))

    took = median(whole, rounds)
    fills = len(run_rules(settings, one).fills)
    report(Figure(f"SMA 10/20, {GOOG_BARS} bars, {fills} fills, figures", GOOG_BARS / took / 1e6, "M bars/s", 1, True))
    bare = median(lambda: run_rules(settings, one), rounds)
    report(Figure("the same without figures", GOOG_BARS / bare / 1e6, "M bars/s"))
    if importlib.util.find_spec("backtesting"):
        report(Figure("the same by backtesting.py, its time", measure_peer(one, rounds) / took, "x ours", 10, True))
    measure_strategy(rounds)
    measure_cold_run(folder, rounds)
    market = Market(part)
    ws = build_store(folder / "dense", market)
    os.environ |= {"IA_MARKET_ADAPTER": "akshare", "IA_NOW": f"{market.dates[market.history]}T16:00:00+08:00"}
    loaded: list[RunMarket] = []
    took = spent(lambda: loaded.append(load_universe_market(ws, None)))
    world = loaded[0]
    shape = f"{len(world.securities)} x {len(world.trading_days)}"
    report(Figure(f"prices of {shape} loaded", took, "s"))
    took = spent(lambda: evaluate_signals(RuleSettings(entry=CONDITIONS[2][1]), world))
    report(Figure(f"signals c over every bar of {shape}", took, "s", 1))
    weekly = RuleSettings(**WEEKLY, cash=Decimal(10_000_000))
    took = spent(lambda: run_rules(weekly, world))
    report(Figure(f"portfolio of 50 over {shape}, weekly", took, "s", 3))
    report(Figure(f"SMA 10/20, {shape}, each alone", spent(lambda: run_each(settings, world)), "s", 6))


def measure_strategy(rounds: int) -> None:
    """Print the bars a second of a strategy file beyond the start of its process, with its orders and without."""
    few, many = (build_market([invent_security("GOOG.US", GOOG_BARS * times)]) for times in (1, 5))
    settings = RuleSettings(entry="", size=ALL)
    for source, name, asked in ((WATCHES, "without orders", 150), (ON_BAR, "with", 150)):
        started: list[float] = []
        orders = len(run_strategy(source, "cross.py", settings, many).orders)
        for market in (few, many):
            run = partial(run_strategy, source, "cross.py", settings, market)
            started.append(min(spent(run) for _ in range(max(rounds // 2, 2))))  # of a process the start varies
        rate = GOOG_BARS * 4 / max(started[1] - started[0], 1e-6) / 1e3
        words = f"strategy file, {name}" + (f" {orders} of them" if orders else "")
        report(Figure(f"{words}, beyond the start ({started[0]:.2f} s)", rate, "k bars/s", asked, True))
    report(Figure("its calls in a plain loop", GOOG_BARS / median(lambda: call_plainly(few), rounds) / 1e3, "k bars/s"))


def call_plainly(market: RunMarket) -> None:
    """Call the strategy with what it reads of a bar, and nothing else."""
    made: dict[str, Any] = {}
    exec(ON_BAR, made)
    close = next(iter(market.signal_bars.values())).close
    for end in range(1, len(close) + 1):
        seen = SimpleNamespace(close=close[:end])
        made["on_bar"](SimpleNamespace(bars=seen, position=lambda: 0, buy=lambda percent: None, sell=lambda: None))


def measure_cold_run(folder: Path, rounds: int) -> None:
    home = folder / "cold"
    home.mkdir(parents=True, exist_ok=True)
    env = {**environment(home), "IA_NOW": "2024-03-15T16:30:00+08:00"}
    command = f"ia backtest run 600519 --entry '{SMA_CROSS['entry']}' --exit '{SMA_CROSS['exit']}' --since 2016-01-01"
    cases = [Case("import numpy", f"{PYTHON} -c 'import numpy'"), Case("ia backtest run, one security", command)]
    medians = measure_processor(cases, max(rounds // 3, 1), env)
    report(Figure("import numpy", medians["import numpy"] / 1e3, "s"))
    report(Figure("ia backtest run, one security, cold", medians[cases[1].name] / 1e3, "s", 0.25))


def measure_peer(market: RunMarket, rounds: int) -> float:
    """Return the seconds of the same rules by backtesting.py."""
    import pandas as pd
    from backtesting import Backtest, Strategy
    from backtesting.lib import crossover

    bars = next(iter(market.securities.values())).bars
    index = pd.to_datetime(pd.Series(bars.date))
    columns = dict(zip(("Open", "High", "Low", "Close", "Volume"), bars[1:], strict=True))
    frame = pd.DataFrame(columns).set_index(pd.DatetimeIndex(index))

    class Cross(Strategy):
        def init(self) -> None:
            close = pd.Series(self.data.Close)
            self.fast = self.I(lambda: close.rolling(10).mean())
            self.slow = self.I(lambda: close.rolling(20).mean())

        def next(self) -> None:
            if crossover(self.fast, self.slow):
                self.buy()
            elif crossover(self.slow, self.fast):
                self.position.close()

    return median(lambda: Backtest(frame, Cross, cash=100_000).run(), rounds)


# agents


def trade_by_turns() -> Callable[[Any], Said]:
    """Return a model that logs each day, buys on some days, sells on others, and notes each review."""
    days = 0

    def answer(asked: Any) -> Said:
        nonlocal days
        if asked.results:
            return Said("Done.")
        days += 1
        calls: list[tuple[str, dict[str, object]]] = [("memory_log", {"content": f"turn {days}"})]
        if days % 10 == 3:
            order = {"action": "buy", "symbol": "000858", "quantity": 1000, "reason": "by turns"}
            calls.append(("trade_execute", order))
        if days % 10 == 8:
            calls.append(("trade_execute", {"action": "close", "symbol": "000858.SZ"}))
        return Said(calls=calls)

    return answer


def measure_agents(folder: Path, part: int) -> None:
    home = folder / "agent"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    os.environ |= {
        "IA_HOME": str(home),
        "IA_MARKET_ADAPTER": "demo",
        "IA_NOW": "2024-03-15T16:00+08:00",
        "IA_TURN_MAX_TOKENS": "1000000000",
        "LLM_USER_PATH": str(folder / "llm"),
    }
    ws = Workspace(str(home))
    wish = planning.RunWish(symbols=("600519", "000858"), start="2024-02-19" if part > 1 else "2023-03-15", model=MODEL)
    with scripted(trade_by_turns()):
        plan = planning.plan_run(ws, wish, drop_message)
        run = os.path.join(ws.root, "runs", agent_runs.start_run(ws, plan.settings))
        results: list[Any] = []
        took = spent(
            lambda: results.append(
                agent_runs.live_or_continue(ws, run, plan.settings, plan.market, notify=drop_message, progress=silent)
            )
        )
    sessions, filled = results[0]["sessions"], results[0]["orders"]["filled"]
    report(Figure(f"agent with a scripted model, {sessions} sessions, {filled} fills", took, "s", 10))
    report(Figure("a session", took / sessions * 1e3, "ms", 40))
    differing: list[str] = []

    def replay() -> None:
        differing.extend(run_groups.replay_group(ws, os.path.basename(run), notify=drop_message, progress=silent)[3])

    report(Figure("its replay, a session", spent(replay) / sessions * 1e3, "ms", 40))
    report(Figure("files of the replay that differ", len(differing), "", 0))


def silent(at: int, of: int) -> None:
    pass


def main() -> None:
    parts = ("scan", "rules", "agents")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=(*parts, []), help="only these parts")
    parser.add_argument("--part", type=int, default=1, help="one in so many of the securities and of the days")
    parser.add_argument("--keep", type=Path, help="work in this folder, and leave it")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp(prefix="ia-bench-lab-"))
    wanted = options.parts or parts
    try:
        os.environ |= {"IA_HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "IA_LANG": "en"}
        if "scan" in wanted:
            measure_scans(folder, options.part, options.rounds)
        if "rules" in wanted:
            measure_rules(folder, options.part, options.rounds)
        if "agents" in wanted:
            measure_agents(folder, options.part)
    finally:
        if not options.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
