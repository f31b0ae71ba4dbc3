"""The money-weighted return against a search over a fine grid, which knows nothing of how it is found."""

import random
from datetime import date, timedelta

import numpy as np
import pytest

from ia.domain.performance.internal_rate import internal_rate

START = date(2022, 1, 3)


GRID = np.concatenate([np.linspace(-0.5, -0.02, 4000), np.linspace(-0.02, 0.02, 8001), np.linspace(0.02, 0.5, 4000)])
"""Logarithms of the growth of a day."""


def roots_on_a_grid(payments):
    """Every sign change of the net future value over growth factors of a day, each bisected: the yearly rates."""
    days = np.array([day.toordinal() for day, _ in payments], dtype=float)
    amounts = np.array([amount for _, amount in payments])
    last, first = days.max(), days.min()

    def worth(s):
        s = np.atleast_1d(s)
        growth = np.exp(np.outer(s, last - days) - np.maximum(s, 0.0)[:, None] * (last - first))
        return growth @ amounts

    values, found = worth(GRID), []
    found += [GRID[at] for at in np.flatnonzero(values == 0.0)]
    for at in np.flatnonzero(values[:-1] * values[1:] < 0):
        low, high, sign = GRID[at], GRID[at + 1], values[at]
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if worth(middle)[0] * sign > 0 else (low, middle)
        found.append(low)
    return [float(np.expm1(s * 365)) for s in found]


@pytest.mark.parametrize("seed", range(200))
def test_a_rate_is_told_only_where_it_is_the_only_one(seed):
    dice = random.Random(seed)
    count = dice.randint(1, 9)
    days = sorted({0, *(dice.randint(1, 700) for _ in range(count))})
    payments = [(START + timedelta(n), float(-dice.randint(1000, 50000))) for n in days]
    payments = [(day, -amount if n and dice.random() < 0.4 else amount) for n, (day, amount) in enumerate(payments)]
    payments.append((START + timedelta(days[-1] + dice.randint(20, 400)), float(dice.randint(0, 90000))))
    expected, found = roots_on_a_grid(payments), internal_rate(payments)
    if len(expected) == 1:
        assert found.value == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
    else:
        assert found.value is None and found.reason is not None


def test_two_rates_are_none():
    payments = [(START, -1600.0), (START + timedelta(365), 10000.0), (START + timedelta(730), -10000.0)]
    assert sorted(round(rate, 6) for rate in roots_on_a_grid(payments)) == [0.25, 4.0]
    assert internal_rate(payments).value is None


@pytest.mark.parametrize(
    "payments",
    [
        [],
        [(START, -100.0), (START, 110.0)],
        [(START, -100.0), (START + timedelta(30), 0.0)],
        [(START, -100.0), (START + timedelta(30), -20.0)],
        [(START, 100.0), (START + timedelta(30), 20.0)],
    ],
)
def test_without_a_rate_there_is_a_reason(payments):
    found = internal_rate(payments)
    assert found.value is None and found.reason is not None


def test_a_day_and_a_hundred_years():
    assert internal_rate([(START, -100.0), (START + timedelta(1), 101.0)]).value == pytest.approx(1.01**365 - 1)
    assert internal_rate([(START, -100.0), (START + timedelta(1), 1000.0)]).value is None  # 10 ** 365 a year
    assert internal_rate([(START, -1.0), (START + timedelta(36500), 1000.0)]).value == pytest.approx(1000**0.01 - 1)
    assert internal_rate([(START, -100.0), (START + timedelta(9), 1e-6)]).value == pytest.approx(-1.0)


def test_payments_of_one_day_are_one():
    parts = [(START, -60.0), (START, -40.0), (START + timedelta(100), 30.0), (START + timedelta(100), 90.0)]
    assert internal_rate(parts).value == pytest.approx(1.2**3.65 - 1, rel=1e-12)
