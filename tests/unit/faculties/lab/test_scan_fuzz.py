"""Scans of invented expressions over a ragged market give what `ia compute` gives each security by itself."""

import contextlib
import math
import random
import time
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from ia.faculties.lab.scan import ScanRequest, scan_market
from ia.faculties.lab.signals import SignalBars, SignalExpression
from ia.kernel.errors import Refused
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.compute.array_lane import compile_array
from ia.organs.compute.functions import FUNCTIONS
from ia.organs.compute.kernels import sma
from ia.organs.market import market_reader, store
from ia.organs.market.quote import Quote
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

DAYS, SEED, ROUNDS = 1300, 20261128, 120
BUDGET = pytest.mark.parametrize("budget", [2, pytest.param(20, marks=pytest.mark.soak)])
"""Seconds for what chance gives, after each function as it is mostly written; each third one bar by bar in `make test`."""
SETTINGS = {"IA_MARKET_ADAPTER": "akshare", "IA_COMPUTE_ISOLATION": "prefer"}
BARS = {"x": "close", "x?": "close", "a?": "close", "b?": "open", "a": "close", "b": "volume", "cond": "close > open"}


def trading_days(count):
    day, found = date(2019, 1, 2), []
    while len(found) < count:
        if day.weekday() < 5:
            found.append(day.isoformat())
        day += timedelta(1)
    return found


def invent_prices(kind, made):
    """Opens, highs, lows, closes and volumes of all days: cents, with ties, flat stretches and days without a range."""
    steps = made.normal(0, 0.02, DAYS)
    level = {1: 1.05, 2: 900.0, 3: 9.98}.get(kind % 6, 20.0)
    if kind % 6 == 3:
        steps[100:] = 0  # one price for years
    if kind % 6 == 4:
        steps[400:900] = 0
        steps[1200:] *= 0.05
    if kind % 6 == 5:
        steps[:300] -= 0.012
    close = np.round(level * np.exp(np.cumsum(steps)), 2).clip(0.05)
    opening = np.where(made.random(DAYS) < 0.2, close, np.round(close * made.normal(1, 0.01, DAYS), 2).clip(0.05))
    locked = made.random(DAYS) < (0.5 if kind % 6 in (3, 4) else 0.05)
    opening = np.where(locked, close, opening)
    high = np.where(locked, close, np.round(np.maximum(opening, close) * (1 + made.random(DAYS) * 0.02), 2))
    low = np.where(locked, close, np.round(np.minimum(opening, close) * (1 - made.random(DAYS) * 0.02), 2).clip(0.01))
    volume = (made.random(DAYS) ** 3 * 10 ** made.integers(3, 9)).astype(int)
    return opening, high, low, close, np.where(made.random(DAYS) < 0.02, 0, volume)


def invent_histories(days):
    """Securities with gaps, without; of one bar, of a few and of many; suspended now; with dividends and splits."""
    made = np.random.default_rng(SEED)
    for kind in range(48):
        kept = np.ones(DAYS, dtype=bool)
        if kind % 3:
            kept = made.random(DAYS) > 0.04
            kept[made.integers(200, 1000) :][: made.integers(1, 200)] = False
        if kind % 8 == 7:
            kept[: DAYS - (1, 2, 4, 21, 60, 500)[kind // 8]] = False
        kept[-1] = kind % 12 != 5
        if kind == 41:
            kept[-80:] = False
        rows = np.nonzero(kept)[0].tolist()
        columns = [column[rows].tolist() for column in invent_prices(kind, made)]
        bars = Bars._make([[days[row] for row in rows], *columns])
        acts = [Action(days[row], cash=0.03) for row in range(150 + kind, DAYS, 250) if kind % 4]
        acts += [Action(days[row], bonus=0.5) for row in range(333 + kind, DAYS, 700) if kind % 4 == 2]
        yield store.StoredHistory(f"{600000 + kind}.SH", bars, [act for act in acts if act.date > bars.date[0]])


@pytest.fixture(scope="module")
def ragged(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("fuzz")
        days = trading_days(DAYS)
        settings = {**SETTINGS, "IA_NOW": f"{days[-1]}T16:30:00+08:00", "XDG_STATE_HOME": str(folder / "state")}
        for name, value in settings.items():
            patch.setenv(name, value)
        (folder / "home").mkdir()
        made = Workspace(str(folder / "home"))
        with contextlib.closing(marketdb.connect(made)) as db:
            source = store.source_id(db, "akshare", False)
            histories = list(invent_histories(days))
            store.put_histories(db, source, histories)
            quotes = [make_quote(each, days[-1]) for each in histories if each.bars.date[-1] == days[-1]]
            store.put_day(db, source, days[-1], quotes, host="test")
        symbols = [each.symbol for each in histories]
        yield made, {symbol: market_reader.load_history(made, symbol).bars for symbol in symbols}


def make_quote(history, day):
    opening, high, low, close, volume = (column[-1] for column in history.bars[1:])
    return Quote(symbol=history.symbol, name=history.symbol, price=close, prev_close=close, change=0.0, change_pct=0.0,
                 open=opening, high=high, low=low, volume=volume, time=f"{day}T15:00:00", kind="stock")  # fmt: skip


def invent_series(pick, depth):
    """An expression that gives numbers."""
    if depth <= 0 or pick.random() < 0.15:
        return pick.choice(["close", "open", "high", "low", "volume", "close", "close"])
    if pick.random() < 0.3:
        left, right = invent_series(pick, depth - 1), pick.choice([invent_series(pick, depth - 1), "2", "0.5", "-1"])
        return f"({left} {pick.choice('+-*/')} {right})"
    if pick.random() < 0.1:
        return f"{pick.choice(['abs', '-'])}({invent_series(pick, depth - 1)})"
    return invent_call(pick, pick.choice(sorted(set(FUNCTIONS) - {"crossover", "crossunder"})), depth)


def invent_call(pick, name, depth):
    function = FUNCTIONS[name]
    plain = pick.random() < 0.4
    given = [
        invent_truth(pick, depth - 1) if each == "cond"
        else each.rstrip("?") if each in ("open", "high", "low", "close", "volume") and pick.random() < 0.8
        else BARS.get(each, each) if plain
        else pick.choice(["1", "10", "close"]) if each == "b?" and pick.random() < 0.3
        else invent_series(pick, depth - 1)
        for each in function.inputs
    ]  # fmt: skip
    for param in function.params:
        if param.default is None or pick.random() < 0.6:
            low = int(param.low)
            value = pick.choice([low, low + 1, 3, 5, 14, 20, 60, pick.randint(2, 400)])
            given.append(f"{param.name}={max(value, low) if param.whole else 2.5}")
    call = f"{name}({', '.join(given)})"
    return f"{call}[{pick.choice(function.outputs)!r}]" if function.outputs else call


def invent_truth(pick, depth):
    chance = pick.random()
    if chance < 0.25:
        name = pick.choice(["crossover", "crossunder"])
        return f"{name}({invent_series(pick, depth)}, {pick.choice([invent_series(pick, depth), '10'])})"
    if chance < 0.45 and depth > 0:
        joined = f"({invent_truth(pick, depth - 1)}) {pick.choice('&|')} ({invent_truth(pick, depth - 1)})"
        return pick.choice([joined, joined, f"~({joined})"])
    level = pick.choice([invent_series(pick, depth), "50", "10", "0", "1"])
    return f"{invent_series(pick, depth)} {pick.choice(['<', '<=', '>', '>=', '==', '!='])} {level}"


def invent_expressions(seed, rounds):
    """Each function as it is mostly written, then what chance gives."""
    for name, function in FUNCTIONS.items():
        given = [BARS.get(each, each) for each in function.inputs]
        given += ["14" for param in function.params if param.default is None]
        key = f"[{function.outputs[-1]!r}]" if function.outputs else ""
        yield f"{name}({', '.join(given)}){key}"
    pick = random.Random(seed)
    for _ in range(rounds):
        yield pick.choice([invent_truth, invent_series])(pick, pick.choice([1, 2, 2, 3]))


def value_alone(plan, bars):
    """What the array lane of `ia compute` ends with; raises where the lane has doubts."""
    result = plan.run(bars)
    value = result.value if result.kind == "scalar" else result.arrays[0][-1].item()
    return None if value != value else value


def same(one, other, scale):
    if one is None or other is None or isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return type(one) is type(other) and (one == other or math.isclose(one, other, rel_tol=1e-10, abs_tol=1e-12 * scale))


def compare(ws, bars, expression):
    """Return what differs between a scan and each security by itself; None where it cannot be compared."""
    plan = compile_array(expression)
    assert plan is not None, expression
    try:
        want = {symbol: value_alone(plan, each) for symbol, each in bars.items()}
    except Exception:
        return None  # a matter of the full lane, which takes a sandbox each
    try:
        found = scan_market(ws, ScanRequest(expression=expression, stale=True))
    except Refused:
        return None  # it looks ahead
    got = {row.symbol: row.value for row in found.rows}
    missing = False if found.truth else None
    volume = "volume" in expression or "obv" in expression
    return [
        (expression, symbol, value, got.get(symbol, missing))
        for symbol, value in want.items()
        if not same(value, got.get(symbol, missing), max(1.0, *bars[symbol].close) * (1e9 if volume else 1))
    ]


@BUDGET
def test_a_scan_of_any_expression_equals_compute_for_each_security(ragged, budget):
    ws, bars = ragged
    end, compared = time.monotonic() + budget, 0
    for at, expression in enumerate(invent_expressions(SEED, ROUNDS)):
        differing = compare(ws, bars, expression)
        assert not differing, differing
        compared += differing is not None
        if at > len(FUNCTIONS) + 5 and time.monotonic() > end:
            break
    assert compared > len(FUNCTIONS)


def daily_alone(plan, bars, first):
    """What the array lane of `ia compute` gives each bar since a day, by day; None where it gives no series."""
    result = plan.run(bars)
    if result.kind != "series":
        return None
    pairs = zip(bars.date, result.arrays[0].tolist(), strict=True)
    return {day: value for day, value in pairs if day >= first and value is not False and value == value}


def compare_days(ws, bars, expression, since):
    """As `compare`, for each bar since a day."""
    plan = compile_array(expression)
    try:
        want = {symbol: daily_alone(plan, each, since) for symbol, each in bars.items()}
    except Exception:
        return None  # a matter of the full lane
    if None in want.values():
        return None
    try:
        found = scan_market(ws, ScanRequest(expression=expression, since=since))
    except Refused:
        return None  # it looks ahead
    got = {(row.symbol, row.date): row.value for row in found.rows}
    assert len(got) == found.count == len(found.rows)
    volume = "volume" in expression or "obv" in expression
    told = {(symbol, day): value for symbol, days in want.items() for day, value in days.items()}
    return [
        (expression, since, each, told.get(each), got.get(each))
        for each in told.keys() | got.keys()
        if not same(told.get(each), got.get(each), max(1.0, *bars[each[0]].close) * (1e9 if volume else 1))
    ]


@BUDGET
def test_a_scan_since_a_day_equals_compute_bar_by_bar(ragged, budget):
    ws, bars = ragged
    days, pick = trading_days(DAYS), random.Random(SEED + 2)
    end, compared, share = time.monotonic() + budget, 0, 1 if budget > 2 else 3
    for at, expression in enumerate(invent_expressions(SEED + 2, ROUNDS)):
        if at < len(FUNCTIONS) and at % share:
            continue
        back = (20, 250, DAYS, 1, 700)[at % 5] if at >= len(FUNCTIONS) else pick.choice([20, 250])
        differing = compare_days(ws, bars, expression, days[-back])
        assert not differing, differing[:5]
        compared += differing is not None
        if at >= len(FUNCTIONS) and time.monotonic() > end:
            break
    assert compared > len(FUNCTIONS) // share - 5


def frame_alone(bars, expression):
    """What the array lane of `ia compute` gives each security on each day, one column a security."""
    plan = compile_array(expression)
    return pd.DataFrame(
        {symbol: pd.Series(plan.run(each).arrays[0], index=each.date, dtype=float) for symbol, each in bars.items()}
    ).sort_index()


@pytest.mark.parametrize("backs", [(1, 120), pytest.param((30, 600, DAYS), marks=pytest.mark.soak)])
def test_what_compares_securities_does_so_on_each_day(ragged, backs):
    ws, bars = ragged
    change = frame_alone(bars, "roc(close, 20)")
    rank = change.rank(axis=1, pct=True)
    score = change.sub(change.mean(axis=1), axis=0).div(change.std(axis=1, ddof=0), axis=0)
    demeaned = frame_alone(bars, "rsi(close, 14)")
    demeaned = demeaned.sub(demeaned.mean(axis=1), axis=0)
    own = {name: rank[name].reindex(each.date) for name, each in bars.items()}
    smooth = pd.DataFrame({name: pd.Series(sma(each.to_numpy(), 5), each.index) for name, each in own.items()})
    nested = rank.rank(axis=1, pct=True)
    for expression, want in {
        "xrank(roc(close, 20))": rank,
        "xzscore(roc(close, 20))": score,
        "xdemean(rsi(close, 14))": demeaned,
        "sma(xrank(roc(close, 20)), 5)": smooth,
        "xrank(xrank(roc(close, 20)))": nested,
        "2 * xrank(roc(close, 20)) - 1": 2 * rank - 1,
    }.items():
        for back in backs:
            first = trading_days(DAYS)[-back]
            found = scan_market(ws, ScanRequest(expression=expression, since=first))
            got = {(row.symbol, row.date): row.value for row in found.rows}
            told = want[want.index >= first].stack().dropna()
            assert len(got) == len(told), (expression, back)
            for (day, symbol), value in told.items():
                assert got[symbol, day] == pytest.approx(value, rel=1e-9, abs=1e-9), (expression, symbol, day)
        newest = scan_market(ws, ScanRequest(expression=expression))
        told = want.iloc[-1].dropna()
        assert {row.symbol for row in newest.rows} == set(told.index)
        for row in newest.rows:
            assert row.value == pytest.approx(told[row.symbol], rel=1e-9, abs=1e-9), (expression, row.symbol)


def test_signals_of_many_securities_are_to_the_bit_those_of_each(ragged):
    histories, compared = list(ragged[1].values()), 0
    for source in invent_expressions(SEED + 1, ROUNDS // 4):
        plan = compile_array(source)
        try:
            want = [plan.run(bars) for bars in histories]
            expression = SignalExpression(source, "--entry")
        except Exception:
            continue  # a matter of the full lane, or it looks ahead
        if any(each.kind != "series" for each in want):
            continue
        truths = want[0].arrays[0].dtype == bool
        got = expression.truths_of(SignalBars(histories)) if truths else expression.numbers_of(SignalBars(histories))
        for bars, one, each in zip(histories, want, got, strict=True):
            assert len(each) == len(bars.date)
            np.testing.assert_array_equal(each, one.arrays[0], err_msg=source)
        compared += 1
    assert compared > len(FUNCTIONS) - 5
