"""The coreutils on Series and DataFrames: names, indexes, columns, and what a wrong call is told."""

import numpy as np
import pandas as pd
import pytest

from ia.organs.compute import kernels as k
from ia.organs.compute.coreutils import coreutil_namespace
from ia.organs.compute.functions import FUNCTIONS

C = coreutil_namespace()
DAYS = pd.date_range("2024-01-01", periods=80, name="date")
RNG = np.random.default_rng(8)
CLOSE = pd.Series(np.round(30 + np.cumsum(RNG.normal(size=80)), 2), index=DAYS, name="close")
BARS = {
    "open": CLOSE - 0.1,
    "high": CLOSE + 0.4,
    "low": CLOSE - 0.5,
    "close": CLOSE,
    "volume": pd.Series(RNG.integers(1, 10**6, 80), index=DAYS, name="volume"),
    "x": CLOSE,
    "a": CLOSE,
    "b": CLOSE.shift(3, fill_value=30.0),
    "cond": CLOSE > 30,
}


def arguments(f, wide=False):
    series = [BARS[name.rstrip("?")] for name in f.inputs]
    if wide:
        series = [pd.DataFrame({"one": s, "two": s.iloc[::-1].to_numpy()}, index=DAYS) for s in series]
    return [*series, *(5 for p in f.params if p.default is None)]


ONE = [name for name, f in FUNCTIONS.items() if not f.outputs and name not in ("latest", "prev")]
SEVERAL = [name for name, f in FUNCTIONS.items() if f.outputs]


@pytest.mark.parametrize("name", ONE)
def test_a_series_gives_a_series_with_its_dates(name):
    out = C[name](*arguments(FUNCTIONS[name]))
    assert isinstance(out, pd.Series)
    assert out.index.equals(DAYS)
    assert isinstance(out.name, str)


@pytest.mark.parametrize("name", SEVERAL)
def test_several_results_are_a_frame_with_names(name):
    out = C[name](*arguments(FUNCTIONS[name]))
    assert isinstance(out, pd.DataFrame)
    assert tuple(out.columns) == FUNCTIONS[name].outputs
    assert out.index.equals(DAYS)


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_a_frame_of_symbols_gives_each_symbol_its_figures(name):
    f = FUNCTIONS[name]
    wide = arguments(f, wide=True)
    out = C[name](*wide)
    for symbol in ("one", "two"):
        alone = C[name](*(v[symbol] if isinstance(v, pd.DataFrame) else v for v in wide))
        if f.outputs:
            assert set(out) == set(f.outputs)
            for key in f.outputs:
                pd.testing.assert_series_equal(out[key][symbol], alone[key], check_names=False, check_exact=True)
        else:
            pd.testing.assert_series_equal(out[symbol], alone, check_names=False, check_exact=True)


@pytest.mark.parametrize(
    "expression, name",
    [("rsi(x)", "RSI_14"), ("sma(x, 20)", "SMA_20"), ("obv(close, volume)", "OBV"), ("stdev(x, 5)", "STDEV_5_0"),
     ("ppo(x)", "PPO_12_26"), ("crossover(a, b)", "CROSSOVER"), ("sqrt(close)", "close"), ("abs(close)", "close")],
)  # fmt: skip
def test_names(expression, name):
    assert eval(expression, {**C, **BARS}).name == name


def test_each_says_how_to_call_it_and_what_it_is():
    assert FUNCTIONS["macd"].usage == "macd(x, fast=12, slow=26, signal=9) -> macd, signal, histogram"
    assert FUNCTIONS["sma"].usage == "sma(x, n)"
    assert FUNCTIONS["crossover"].usage == "crossover(a, b)"
    for name, f in FUNCTIONS.items():
        assert C[name].__name__ == name
        assert C[name].__doc__ == f.doc != ""


def test_they_can_be_imported_by_name():
    from ia.organs.compute import coreutils
    from ia.organs.compute.coreutils import crossover, rsi

    pd.testing.assert_series_equal(rsi(CLOSE, 14), C["rsi"](CLOSE, 14))
    assert crossover(CLOSE, 30).dtype == bool
    with pytest.raises(AttributeError, match="no attribute 'rso'"):
        coreutils.rso  # noqa: B018


def test_latest_and_prev():
    assert C["latest"](CLOSE) == CLOSE.iloc[-1]
    assert C["prev"](CLOSE) == CLOSE.iloc[-2]
    assert C["prev"](CLOSE, 5) == C["prev"](CLOSE, n=5) == CLOSE.iloc[-6]
    assert C["latest"](7) == 7 and C["prev"](7.5) == 7.5
    assert type(C["latest"](BARS["volume"])) is int
    assert type(C["latest"](BARS["cond"])) is bool
    assert C["latest"](pd.Series(DAYS)) == DAYS[-1]
    assert np.isnan(C["prev"](CLOSE, 80)) and np.isnan(C["latest"](CLOSE[:0]))
    frame = pd.DataFrame({"a": CLOSE, "b": BARS["b"]})
    assert C["latest"](frame).tolist() == frame.iloc[-1].tolist()
    assert C["prev"](frame, 99).isna().all()
    assert C["latest"](C["macd"](CLOSE)["signal"]) == C["macd"](CLOSE)["signal"].iloc[-1]


def test_arrays_lists_numbers_and_pandas_own_types_are_taken():
    expected = k.sma(CLOSE.to_numpy(), 5)
    np.testing.assert_array_equal(C["sma"](CLOSE.to_numpy(), 5), expected)
    np.testing.assert_array_equal(C["sma"](list(CLOSE), 5.0), expected)
    np.testing.assert_array_equal(C["sma"](CLOSE.astype("Float64"), np.int64(5)), expected)
    np.testing.assert_array_equal(C["count"]((CLOSE > 30).astype("boolean"), 5), C["count"](CLOSE > 30, 5))
    assert C["crossover"](CLOSE, 30).sum() == C["crossover"](CLOSE, CLOSE * 0 + 30).sum()
    assert C["sqrt"](4) == 2.0 and C["maximum"](1, 2) == 2.0 and np.isnan(C["log"](-1))
    assert C["where"](CLOSE > 30, True, False).dtype == bool
    gap = pd.Series([1, None, 3, 4], dtype="Int64")
    assert C["sma"](gap, 2).tolist()[3] == 3.5


def test_a_series_beside_a_frame_counts_for_each_column():
    frame = pd.DataFrame({"one": CLOSE, "two": CLOSE + 1})
    out = C["crossover"](frame, CLOSE.shift(1, fill_value=0.0))
    assert list(out) == ["one", "two"]
    pd.testing.assert_series_equal(out["one"], C["crossover"](CLOSE, CLOSE.shift(1, fill_value=0.0)), check_names=False)


@pytest.mark.parametrize(
    "expression, message",
    [
        ("rsi()", "rsi: x is missing"),
        ("sma(x)", "sma: n is missing"),
        ("sma(x, 0)", "sma: n must be between 1 and 100000, not 0"),
        ("sma(x, -5)", "sma: n must be between 1 and 100000, not -5"),
        ("sma(x, 2.5)", "sma: n must be an integer, not 2.5"),
        ("sma(x, '5')", "sma: n must be an integer, not '5'"),
        ("sma(x, True)", "sma: n must be an integer, not True"),
        ("sma(x, x)", "sma: n must be an integer, not a series"),
        ("sma(x, 5, 6)", "sma: too many arguments (3); it takes 2: x, n"),
        ("sma(x, m=5)", "sma has no argument m; available: x, n"),
        ("sma(x, 5, n=5)", "sma: n is given twice"),
        ("sma(5, 5)", "sma: x must be a series, not int"),
        ("sma('close', 5)", "sma: x must be a series, not str"),
        ("sma(None, 5)", "sma: x must be a series, not NoneType"),
        ("ref(x, -1)", "ref: n must be between 0 and 100000, not -1"),
        ("macd(x, 26, 12)", "macd: fast must be below slow, not 26 and 12"),
        ("crossover(1, 2)", "crossover needs a series, not only numbers"),
        ("crossover(x, x.iloc[5:])", "crossover: the series have different dates"),
        ("crossover(x.to_numpy(), x.to_numpy()[1:])", "crossover: the series have different lengths"),
        ("count(x, 5)", "count: the condition must be a boolean series"),
        ("sma(x.astype(str), 5)", "sma needs numbers"),
        ("sma(macd(x), 5)['nothing']", "nothing"),
        ("bbands(x, k=float('nan'))", "bbands: k must be between 0 and 100, not nan"),
        ("sma(pd.DataFrame({'a': ['x'] * 3}), 2)", "sma needs numbers"),
        ("latest(macd)", "latest: x must be a series or a number, not a function"),
    ],
)
def test_a_wrong_call_is_reported_in_one_line(expression, message):
    space = {**C, **BARS, "pd": pd, "float": float}
    with pytest.raises((ValueError, KeyError)) as caught:
        eval(expression, space)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_inputs_stay_as_they_are():
    before = {name: series.copy() for name, series in BARS.items()}
    for name, f in FUNCTIONS.items():
        C[name](*arguments(f))
    for name, series in BARS.items():
        pd.testing.assert_series_equal(series, before[name])
