"""Typical prices that are equal on paper count on neither side: the money flow index against whole numbers."""

import csv
import gzip
import itertools
import random

import numpy as np
import pytest

from ia.organs.compute import indicators
from ia.organs.compute import kernels as k
from ia.organs.compute.functions import FUNCTIONS, SeriesColumn, apply_function


def money_flow(high, low, close, volume, n):
    """Return the index worked out in whole ten-thousandths: no rounding anywhere before the last division."""
    sums = [sum(round(10_000 * price) for price in bar) for bar in zip(high, low, close, strict=True)]
    sign = [0] + [(b > a) - (b < a) for a, b in itertools.pairwise(sums)]
    flow = [s * int(v) for s, v in zip(sums, volume, strict=True)]
    out = [float("nan")] * len(sums)
    for t in range(n, len(sums)):
        window = range(t - n + 1, t + 1)
        rising, falling = (sum(flow[i] for i in window if sign[i] == side) for side in (1, -1))
        out[t] = 100 * rising / (rising + falling) if rising + falling else float("nan")
    return np.array(out)


def check(high, low, close, volume, n=14):
    mine = k.mfi(*(np.array(x, dtype=float) for x in (high, low, close, volume)), n)
    np.testing.assert_allclose(mine, money_flow(high, low, close, volume, n), rtol=0, atol=1e-8)


@pytest.mark.parametrize("digits", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("level", [0.5, 3.3, 17, 420, 61_000])
def test_ties_of_random_decimal_prices(digits, level):
    rng = random.Random(digits + 10 * level)
    step = 10**-digits
    rows = []
    for _ in range(300):
        low = round(level + rng.randint(0, 3) * step, digits) or 1.0
        a, b = (rng.randint(0, 3) for _ in "ab")
        rows.append((round(low + (a + b) * step, digits), low, round(low + a * step, digits), rng.randint(0, 10**7)))
    check(*zip(*rows, strict=True), n=5)


def test_ties_survive_a_common_factor():
    """Adjusted prices are raw ones times a factor: what was equal on paper stays equal."""
    bars = [(10.2, 10.1, 10.15), (10.25, 10.1, 10.1), (10.3, 10.0, 10.15)] * 10
    high, low, close = (np.array(side) * 0.913274651 for side in zip(*bars, strict=True))
    assert np.isnan(k.mfi(high, low, close, np.full(30, 100.0), 5)).all()


def test_every_share_of_a_market(shared):
    shares: dict[str, list[tuple[float, ...]]] = {}
    with gzip.open(shared / "ashare/em_daily_qfq_20210104_20240626.csv.gz", "rt", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            bar = tuple(float(row[name]) for name in ("最高", "最低", "收盘", "成交量"))
            shares.setdefault(row["股票代码"], []).append(bar)
    for rows in list(shares.values())[::8]:
        if min(row[1] for row in rows) > 0:
            check(*zip(*rows, strict=True))


def test_the_three_periods_of_the_ultimate_oscillator_come_in_any_order():
    rng = np.random.default_rng(7)
    close = 50 + np.cumsum(rng.normal(0, 1, 120))
    bars = close + 1, close - 1, close
    expected = k.ultosc(*bars, 16, 43, 46)
    for periods in ((46, 43, 16), (43, 46, 16), (16, 46, 43)):
        np.testing.assert_array_equal(k.ultosc(*bars, *periods), expected)
    named = apply_function(
        FUNCTIONS["ultosc"], [SeriesColumn(x) for x in bars], {"short": 46, "medium": 43, "long": 16}
    )
    np.testing.assert_array_equal(named.values, expected)


def test_the_manual_names_what_ta_does_otherwise():
    for name in ("ta.mfi\ntakes", "ta.bop is 1 on a bar without range", "UltimateOscillator sorts"):
        assert name in indicators.CONVENTIONS
