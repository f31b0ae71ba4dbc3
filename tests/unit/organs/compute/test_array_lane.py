"""Both lanes of `ia compute` give the same: the array lane to the bit what pandas and the coreutils give."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ia.kernel.errors import TimedOut
from ia.organs.compute.array_lane import Doubt, compile_array
from ia.organs.compute.calculate import calculate_expression
from ia.organs.compute.coreutils import coreutil_namespace
from ia.organs.ohlcv.canonical import Bars
from support.expressions import SOURCE, make_bars
from support.random_tests import examples

SPACE = coreutil_namespace()


def full_lane(source, bars):
    index = pd.DatetimeIndex(bars.date)
    names = {
        name: pd.Series(getattr(bars, name), index=index, name=name, dtype="int64" if name == "volume" else "float64")
        for name in ("open", "high", "low", "close", "volume")
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(source.strip(), {"__builtins__": {}, **SPACE, **names})


def assert_same(source, bars):
    """Either the lane declines, or it gives what pandas gives."""
    plan = compile_array(source)
    assert plan is not None, source
    try:
        mine = plan.run(bars)
    except Exception:
        return False
    theirs = full_lane(source, bars)
    if mine.kind == "scalar":
        assert type(mine.value) is type(theirs), source
        assert mine.value == theirs or (mine.value != mine.value and theirs != theirs), source
    elif mine.kind == "series":
        assert isinstance(theirs, pd.Series), source
        assert mine.names == (theirs.name,), source
        assert mine.arrays[0].dtype == theirs.dtype, source
        np.testing.assert_array_equal(mine.arrays[0], theirs.to_numpy(), err_msg=source)
    else:
        assert mine.names == tuple(theirs.columns), source
        for name, array in zip(mine.names, mine.arrays, strict=True):
            np.testing.assert_array_equal(array, theirs[name].to_numpy(), err_msg=source)
    return True


cents = st.integers(1, 20000).map(lambda c: c / 100)
prices = st.one_of(
    st.lists(cents, max_size=60),
    st.lists(st.floats(0.01, 1e5), max_size=60),
    st.builds(lambda c, n: [c] * n, st.floats(0.01, 1e4), st.integers(0, 40)),
    st.lists(st.sampled_from([9.99, 10.0, 10.01]), min_size=20, max_size=60),
)


@pytest.mark.process
@examples(400)
@given(SOURCE, prices, st.data())
def test_lanes_give_the_same(source, close, data):
    volume = data.draw(st.lists(st.integers(0, 10**10), min_size=len(close), max_size=len(close)))
    assert_same(source, make_bars(close, volume))


@pytest.mark.parametrize(
    "source",
    [
        "rsi(close, 14)", "latest(rsi(close, n=14)) < 30", "crossover(sma(close, 5), sma(close, 20))", "macd(close)",
        "bbands(close, k=2.5)", "close / ref(close, 1) - 1", "volume > 2 * sma(volume, 20)", "close", "volume * 2",
        "(close > sma(close, 20)) & ~(rsi(close) > 70)", "latest(volume) + 1", "where(close > open, volume, -volume)",
        "barssince(crossover(close, 100))", "abs(change(close)) / atr(high, low, close)", "count(close > open, 10)",
        "where(close > 1, close > 2, close > 3)", "maximum(close, 10.5) - minimum(volume, open)", "sqrt(close)",
        "latest(close) == latest(close)", "-latest(close)", "volume / 0", "1 / (close - close)", "log(4)", "latest(5)",
        'latest(macd(close)["histogram"]) > 0', "close < bbands(close, 20)['lower']",
    ],
)  # fmt: skip
@pytest.mark.parametrize("rows", [1, 2, 60])
def test_ordinary_expressions_stay_in_the_lane(source, rows):
    rng = np.random.default_rng(5)
    close = np.round(100 + np.cumsum(rng.normal(size=rows)), 2).tolist()
    assert assert_same(source, make_bars(close, rng.integers(0, 10**6, rows).tolist()))


def test_the_lane_is_really_taken_by_random_expressions():
    taken = []

    @settings(max_examples=100, deadline=None, database=None)
    @given(SOURCE)
    def probe(source):
        taken.append(
            assert_same(source, make_bars([10.0 + i % 7 / 10 for i in range(40)], [100 + i for i in range(40)]))
        )

    probe()
    assert sum(taken) > 0.6 * len(taken)


@pytest.mark.parametrize(
    "source",
    [
        "close.shift(1)", "close[-1]", "close // 2", "close % 2", "close ** 2", "1 < close < 2", "close > 1 and close < 2",
        "not close", "df", "date", "ta.rsi(close, 14)", "np.log(close)", "[close]", "lambda: 1", "x = 1", "rsi(*close)",
        "rsi(**close)", "rsi(close, 'n')", "True", "1j", "1e13", "10**9", "close if 1 else 2", "", "rsi(", "+close",
        "min(close)", "eval(close)", "close; close", "macd(close)['up']", "rsi(close)['rsi']", "close['a']", "macd(close)[0]", "macd(close)[b'signal']", "rsi(close)\nclose", "(n := 3)", "rsi", "f(close)", "close @ close",
        "close << 2", "close is 1", "close in close", "9" * 5000, "-" * 5000 + "1", "(" * 500 + "1" + ")" * 500,
    ],
)  # fmt: skip
def test_everything_else_is_for_the_full_lane(source):
    assert compile_array(source) is None


@pytest.mark.parametrize(
    "source",
    ["~volume", "-(close > 1)", "(close > 1) + 1", "volume & 1", "1 / 0", "rsi(close, 0)", "rsi()", "rsi(close, m=2)",
     "rsi(close, n=2, n=3)", "macd(close) + 1", "latest(macd(close))", "~(1 < 2)", "rsi(5)", "count(close, 5)", "abs()",
     "sma(close)", "bbands(macd(close))", "(close > 1) > 0", "latest(close, 3)", "sma(close, close)", "corr(close, 1, 5)"],
)  # fmt: skip
def test_doubt_raises_for_the_full_lane_to_decide(source):
    try:
        plan = compile_array(source)
    except Exception as exc:
        pytest.fail(f"compile raised {exc!r}")
    if plan is not None:
        with pytest.raises(Exception):  # noqa: B017 (whatever it is, the full lane says it properly)
            plan.run(make_bars([1.0, 2.0, 3.0], [1, 2, 3]))


@pytest.mark.parametrize(
    "source", ["percentrank(close, 9000)", "cci(high, low, close, n=10000)", " + ".join(["rsi(close)"] * 240)]
)
def test_a_day_of_work_is_left_to_the_lane_with_a_time_limit(source):
    prices = [10.0 + i % 9 for i in range(250_000)]
    many = Bars(["2024-01-01"] * len(prices), prices, prices, prices, prices, [1] * len(prices))
    with pytest.raises(Doubt):
        compile_array(source).run(many)


def test_reads_only_what_it_names():
    assert compile_array("rsi(close, 14) > latest(volume)").series == {"close", "volume"}


FIVE = make_bars([10.0, 11.0, 12.0, 11.5, 13.0], [100] * 5)


def test_no_function_is_begun_after_the_deadline():
    plan = compile_array("sma(sma(close, 2), 2)")
    assert plan.run(FIVE, time.monotonic() + 60).kind == "series"
    with pytest.raises(Doubt):
        plan.run(FIVE, time.monotonic() - 1)


def test_what_the_array_lane_began_too_late_is_told_as_too_late():
    calls = []

    def bars():
        calls.append(1)
        return FIVE

    with pytest.raises(TimedOut, match="ran longer than 1e-09 s"):
        calculate_expression("sma(close, 2)", bars, trusted=True, timeout=1e-9)
    assert calls == [1]


def test_plain_lists_leave_long_work_to_the_other_lane():
    import subprocess
    import sys

    code = (
        "from ia.organs.compute import array_backend as arrays\n"
        "source = 'linreg(' * 19 + 'close' + ', 99)' * 19\n"
        "arrays.choose_arrays(source)\n"
        "from ia.organs.compute.array_lane import Doubt, compile_array\n"
        "from ia.organs.ohlcv.canonical import Bars\n"
        "rows = 100_000\n"
        "bars = Bars(['x'] * rows, *[[1.0] * rows] * 4, [1] * rows)\n"
        "try:\n"
        "    compile_array(source).run(bars)\n"
        "except Doubt:\n"
        "    print('doubt')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=90)
    assert (done.stdout, done.stderr) == ("doubt\n", "")
