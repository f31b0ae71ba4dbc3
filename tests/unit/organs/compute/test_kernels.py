"""What holds for every kernel: columns as if alone, inputs untouched, tails as wholes, and figures by plain loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ia.organs.compute import kernels as k
from support.random_tests import examples

CALLS = {
    "ref": lambda b: k.ref(b["close"], 2),
    "change": lambda b: k.change(b["close"], 3),
    "roc": lambda b: k.roc(b["close"], 3),
    "sma": lambda b: k.sma(b["close"], 5),
    "wma": lambda b: k.wma(b["close"], 6),
    "ema": lambda b: k.ema(b["close"], 4),
    "wilder": lambda b: k.wilder(b["close"], 4),
    "dema": lambda b: k.dema(b["close"], 3),
    "tema": lambda b: k.tema(b["close"], 3),
    "kama": lambda b: k.kama(b["close"], 4),
    "trix": lambda b: k.trix(b["close"], 3),
    "macd": lambda b: k.macd(b["close"], 3, 6, 4),
    "ppo": lambda b: k.ppo(b["close"], 3, 6),
    "rsi": lambda b: k.rsi(b["close"], 5),
    "cmo": lambda b: k.cmo(b["close"], 5),
    "bbands": lambda b: k.bbands(b["close"], 5),
    "stdev": lambda b: k.stdev(b["close"], 7),
    "zscore": lambda b: k.zscore(b["close"], 7),
    "slope": lambda b: k.slope(b["close"], 6),
    "linreg": lambda b: k.linreg(b["close"], 6),
    "corr": lambda b: k.corr(b["close"], b["volume"], 6),
    "meandev": lambda b: k.meandev(b["close"], 5),
    "percentrank": lambda b: k.percentrank(b["close"], 5),
    "pastrank": lambda b: k.pastrank(b["close"], 5),
    "pasthigh": lambda b: k.pasthigh(b["close"], 5),
    "highest": lambda b: k.highest(b["close"], 5),
    "lowest": lambda b: k.lowest(b["close"], 5),
    "drawdown": lambda b: k.drawdown(b["close"], 5),
    "total": lambda b: k.total(b["close"], 5),
    "count": lambda b: k.count(b["close"] > b["open"], 5),
    "barssince": lambda b: k.barssince(b["close"] > b["open"]),
    "crossover": lambda b: k.crossover(b["close"], b["open"]),
    "crossunder": lambda b: k.crossunder(b["close"], b["open"]),
    "tr": lambda b: k.tr(b["high"], b["low"], b["close"]),
    "atr": lambda b: k.atr(b["high"], b["low"], b["close"], 4),
    "natr": lambda b: k.natr(b["high"], b["low"], b["close"], 4),
    "dmi": lambda b: k.dmi(b["high"], b["low"], b["close"], 4),
    "adx": lambda b: k.adx(b["high"], b["low"], b["close"], 4),
    "stoch": lambda b: k.stoch(b["high"], b["low"], b["close"], 5),
    "kdj": lambda b: k.kdj(b["high"], b["low"], b["close"], 5),
    "willr": lambda b: k.willr(b["high"], b["low"], b["close"], 5),
    "cci": lambda b: k.cci(b["high"], b["low"], b["close"], 5),
    "aroon": lambda b: k.aroon(b["high"], b["low"], 5),
    "ultosc": lambda b: k.ultosc(b["high"], b["low"], b["close"], 2, 4, 7),
    "bop": lambda b: k.bop(b["open"], b["high"], b["low"], b["close"]),
    "mfi": lambda b: k.mfi(b["high"], b["low"], b["close"], b["volume"], 5),
    "obv": lambda b: k.obv(b["close"], b["volume"]),
    "ad": lambda b: k.ad(b["high"], b["low"], b["close"], b["volume"]),
    "adosc": lambda b: k.adosc(b["high"], b["low"], b["close"], b["volume"], 2, 4),
    "vwma": lambda b: k.vwma(b["close"], b["volume"], 5),
}
RECURSIVE = {
    "ema", "wilder", "dema", "tema", "kama", "trix", "macd", "ppo", "rsi", "cmo", "tr", "atr", "natr", "dmi", "adx", "obv",
    "ad", "adosc",
}  # fmt: skip


def test_every_kernel_is_held_to_this():
    assert set(k.__all__) - {"F", "B"} == set(CALLS)


def arrays(out):
    return out if isinstance(out, tuple) else (out,)


def market(rows, columns, seed=1, gaps=0.0, late=False):
    """Random bars of some columns: cents, flat stretches, days without trading; NaN where a symbol has no bar."""
    rng = np.random.default_rng(seed)
    close = np.round(20 * np.exp(np.cumsum(rng.normal(0, 0.02, (rows, columns)), axis=0)), 2)
    if columns > 1 and rows:
        close[rows // 2 :, 1] = close[rows // 2, 1]
    spread = np.round(rng.uniform(0, 0.5, (rows, columns)), 2)
    bars = {"open": close + np.round(spread / 2, 2), "high": close + spread, "low": close - spread, "close": close}
    bars["volume"] = np.floor(rng.uniform(0, 1e6, (rows, columns))) * (rng.random((rows, columns)) > 0.05)
    missing = rng.random((rows, columns)) < gaps
    if late:
        missing |= np.arange(rows)[:, None] < np.arange(columns) % 17
    return {name: np.where(missing, np.nan, values) for name, values in bars.items()}


@pytest.mark.parametrize("columns", [3, 40])
@pytest.mark.parametrize("gaps, late", [(0.0, False), (0.0, True), (0.06, True)])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.share(3)
def test_a_column_gives_its_own_figures(name, columns, gaps, late):
    bars = market(90, columns, gaps=gaps, late=late)
    together = arrays(CALLS[name](bars))
    for j in range(columns):
        alone = arrays(CALLS[name]({key: values[:, j].copy() for key, values in bars.items()}))
        for mine, theirs in zip(together, alone, strict=True):
            assert mine.shape == (90, columns)
            np.testing.assert_array_equal(mine[:, j], theirs)


@pytest.mark.parametrize("name", sorted(set(CALLS) - RECURSIVE))
def test_a_whole_market_is_taken_in_blocks_that_do_not_show(name):
    bars = market(40, 300, gaps=0.02)
    together = arrays(CALLS[name](bars))
    for part in (slice(0, 7), slice(120, 135), slice(290, 300)):
        some = arrays(CALLS[name]({key: values[:, part] for key, values in bars.items()}))
        for mine, theirs in zip(together, some, strict=True):
            np.testing.assert_array_equal(mine[:, part], theirs)


@pytest.mark.parametrize("name", CALLS)
def test_inputs_stay_as_they_are(name):
    bars = market(40, 2, gaps=0.05)
    before = {key: values.copy() for key, values in bars.items()}
    for values in bars.values():
        values.flags.writeable = False
    CALLS[name](bars)
    for key, values in bars.items():
        np.testing.assert_array_equal(values, before[key])


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("name", CALLS)
def test_few_rows_give_no_value_and_no_error(name, rows):
    bars = market(rows, 1)
    for out in arrays(CALLS[name](bars)):
        assert out.shape == (rows, 1)
    for out in arrays(CALLS[name]({key: values[:, 0] for key, values in bars.items()})):
        assert out.shape == (rows,)


@pytest.mark.parametrize("name", CALLS)
def test_nothing_in_nothing_out(name):
    bars = {key: np.full((30, 2), np.nan) for key in ("open", "high", "low", "close", "volume")}
    for out in arrays(CALLS[name](bars)):
        if name == "count":
            assert (out[4:] == 0).all()
        else:
            assert not out.any() if out.dtype == bool else np.isnan(out).all()


@pytest.mark.parametrize("name", sorted(set(CALLS) - RECURSIVE - {"barssince", "kdj"}))
def test_the_tail_gives_the_bits_of_the_whole(name):
    bars = {key: values * np.array([1.0, 1 / 3]) for key, values in market(300, 2).items()}
    tail = {key: values[-60:] for key, values in bars.items()}
    for whole, part in zip(arrays(CALLS[name](bars)), arrays(CALLS[name](tail)), strict=True):
        np.testing.assert_array_equal(part[-30:], whole[-30:])


@pytest.mark.parametrize("name", CALLS)
def test_the_past_does_not_change_when_days_are_added(name):
    bars = {key: values * np.array([1.0, 1 / 3]) for key, values in market(120, 2, gaps=0.02).items()}
    until = {key: values[:70] for key, values in bars.items()}
    for whole, part in zip(arrays(CALLS[name](bars)), arrays(CALLS[name](until)), strict=True):
        np.testing.assert_array_equal(whole[:70], part)


@pytest.mark.parametrize("name", sorted(RECURSIVE))
def test_a_recursion_passes_over_a_missing_row(name):
    bars = {key: values[:, 0] for key, values in market(80, 1, gaps=0.1).items()}
    there = ~np.isnan(bars["close"])
    whole = arrays(CALLS[name](bars))
    dense = arrays(CALLS[name]({key: values[there] for key, values in bars.items()}))
    for mine, theirs in zip(whole, dense, strict=True):
        np.testing.assert_array_equal(mine[there], theirs)
        assert np.isnan(mine[~there]).all()


def test_a_window_with_a_gap_has_no_value():
    x = np.array([1.0, 2, np.nan, 4, 5, 6, 7])
    np.testing.assert_array_equal(k.sma(x, 3), [np.nan] * 5 + [5, 6])
    np.testing.assert_array_equal(k.highest(x, 2), [np.nan, 2, np.nan, np.nan, 5, 6, 7])


def test_a_constant_is_its_own_average_and_does_not_spread():
    for price in (10.0, 0.1, 1 / 3, 1e-7, 123456.789, math.pi * 1e8):
        x = np.full(60, price)
        for n in range(1, 60):
            assert set(k.sma(x, n)[n - 1 :]) == {price}
            assert set(k.wma(x, n)[n - 1 :]) == {price}
            assert set(k.stdev(x, n)[n - 1 :]) == {0.0}
            if n > 1:
                assert set(k.slope(x, n)[n - 1 :]) == {0.0}
        assert np.isnan(k.rsi(x)).all() and np.isnan(k.zscore(x, 5)).all() and np.isnan(k.willr(x, x, x)).all()
        assert not k.crossover(x, k.sma(x, 7)).any() and not k.crossunder(x, k.wma(x, 7)).any()


@pytest.mark.process
@examples(300)
@given(st.lists(st.integers(1, 30000), min_size=25, max_size=60), st.integers(1, 24), st.integers(1, 24))
def test_averages_of_cents_tie_where_they_tie_on_paper(cents, m, n):
    x = np.array(cents) / 100
    a, b = k.sma(x, m), k.sma(x, n)
    for t in range(24, len(cents)):
        exact = n * sum(cents[t - m + 1 : t + 1]) - m * sum(cents[t - n + 1 : t + 1])
        assert (a[t] > b[t], a[t] < b[t]) == (exact > 0, exact < 0)


def test_a_tie_is_no_crossing_until_it_is_left():
    a = np.array([1.0, 2, 2, 3, 2, 1, 2, 3])
    b = np.full(8, 2.0)
    assert np.flatnonzero(k.crossover(a, b)).tolist() == [3, 7]
    assert np.flatnonzero(k.crossunder(a, b)).tolist() == [5]
    assert not k.crossover(np.array([np.nan, 3.0]), np.array([2.0, 2.0])).any()


def test_no_drift_after_a_giant():
    x = np.concatenate([[1e15], np.full(40, 0.1)])
    assert k.sma(x, 3)[-1] == 0.1
    assert k.total(x, 3)[-1] == pytest.approx(0.3, abs=1e-16)
    assert k.stdev(x, 3)[-1] == 0.0


def windows(x, n):
    return [x[max(t - n + 1, 0) : t + 1] if t >= n - 1 else None for t in range(len(x))]


def plain(function, x, n):
    return np.array([np.nan if w is None else function(list(w)) for w in windows(x, n)])


def mean(w):
    return math.fsum(w) / len(w)


PLAIN = {
    "sma": mean,
    "total": math.fsum,
    "highest": max,
    "lowest": min,
    "wma": lambda w: math.fsum((i + 1) * v for i, v in enumerate(w)) / (len(w) * (len(w) + 1) / 2),
    "stdev": lambda w: math.sqrt(math.fsum((v - mean(w)) ** 2 for v in w) / len(w)),
    "meandev": lambda w: math.fsum(abs(v - mean(w)) for v in w) / len(w),
    "slope": lambda w: (
        math.fsum((i - (len(w) - 1) / 2) * v for i, v in enumerate(w)) / (len(w) * (len(w) ** 2 - 1) / 12)
    ),
}


@pytest.mark.parametrize("n", [2, 3, 8, 19, 64])
@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("scale", [1.0, 1 / 3])
def test_windows_by_plain_loops(name, n, scale):
    x = market(150, 1, seed=3)["close"][:, 0] * scale
    np.testing.assert_allclose(getattr(k, name)(x, n), plain(PLAIN[name], x, n), rtol=1e-10, atol=1e-12)


def test_zscore_is_the_distance_in_deviations():
    x = market(60, 1, seed=3)["close"][:, 0]
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(k.zscore(x, 5), (x - k.sma(x, 5)) / k.stdev(x, 5))


def test_recursions_by_plain_loops():
    x = market(120, 1, seed=4)["close"][:, 0]
    n = 9
    expected = [np.nan] * (n - 1) + [sum(x[:n]) / n]
    for value in x[n:]:
        expected.append(expected[-1] + (value - expected[-1]) * 2 / (n + 1))
    np.testing.assert_allclose(k.ema(x, n), expected, rtol=1e-13)
    up = [max(b - a, 0) for a, b in itertools.pairwise(x)]
    down = [max(a - b, 0) for a, b in itertools.pairwise(x)]
    gain, loss = sum(up[:n]) / n, sum(down[:n]) / n
    strength = [np.nan] * n + [100 - 100 / (1 + gain / loss)]
    for u, d in zip(up[n:], down[n:], strict=True):
        gain, loss = (gain * (n - 1) + u) / n, (loss * (n - 1) + d) / n
        strength.append(100 - 100 / (1 + gain / loss))
    np.testing.assert_allclose(k.rsi(x, n), strength, rtol=1e-11)


def test_corr_is_pearsons():
    bars = market(80, 1, seed=6)
    a, b = bars["close"][:, 0], bars["volume"][:, 0]
    mine = k.corr(a, b, 15)
    for t in range(14, 80):
        assert mine[t] == pytest.approx(np.corrcoef(a[t - 14 : t + 1], b[t - 14 : t + 1])[0, 1], abs=1e-10)


def test_what_looks_back_as_far_as_there_is():
    x = np.array([2.0, 1.0, 3.0, np.nan, 3.0, 2.5])
    np.testing.assert_allclose(k.pastrank(x, 3), [np.nan, 0, 100, np.nan, 100, 0])
    np.testing.assert_array_equal(k.pasthigh(x[:3], 2), [2, 2, 3])
    np.testing.assert_array_equal(k.pasthigh(x[:3], 9), [2, 2, 3])
    long = np.arange(40.0) % 7
    np.testing.assert_array_equal(k.pastrank(long, 5)[5:], k.percentrank(long, 5)[5:])
    np.testing.assert_array_equal(k.pasthigh(long, 5)[4:], k.highest(long, 5)[4:])


def test_percentrank_count_and_barssince_by_hand():
    x = np.array([1.0, 3, 2, 2, 5, 1])
    np.testing.assert_array_equal(k.percentrank(x, 2), [np.nan, np.nan, 50, 50, 100, 0])
    held = np.array([False, True, False, False, True, True, False])
    np.testing.assert_array_equal(k.barssince(held), [np.nan, 0, 1, 2, 0, 0, 1])
    np.testing.assert_array_equal(k.count(held, 3), [np.nan, np.nan, 1, 1, 1, 2, 2])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(CALLS)), st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=30))
def test_any_numbers_at_all(name, values):
    x = np.array(values, dtype=float)
    bars = {"open": x, "high": x, "low": -x, "close": x, "volume": np.abs(x)}
    with np.errstate(all="ignore"):
        for out in arrays(CALLS[name](bars)):
            assert out.shape == x.shape
