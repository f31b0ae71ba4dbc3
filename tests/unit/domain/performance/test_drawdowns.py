"""Drawdowns and windows that move over a series, against plain loops."""

import math
import random
from datetime import date, timedelta

import pytest

from ia.domain.performance import activity, ratios, rolling
from ia.domain.performance.drawdowns import find_drawdowns, longest_drawdown, max_drawdown


def path(seed, count=300):
    dice, value, found = random.Random(seed), 100.0, []
    for _ in range(count):
        value *= 1 + dice.choice([-0.02, -0.01, 0.0, 0.01, 0.02])
        found.append(value)
    return [(date(2020, 1, 1) + timedelta(2 * n)).isoformat() for n in range(count)], found


@pytest.mark.parametrize("seed", range(8))
def test_drawdowns_are_the_stretches_below_the_high(seed):
    days, values = path(seed)
    below = [value < max(values[: at + 1]) for at, value in enumerate(values)]
    stretches = "".join("x" if under else " " for under in below).split()
    falls = find_drawdowns(days, values)
    assert [each.sessions - (1 if each.recovered else 0) for each in falls] == [len(each) for each in stretches]
    assert all(each.days == 2 * each.sessions for each in falls)
    deepest = min(value / max(values[: at + 1]) - 1 for at, value in enumerate(values))
    assert max_drawdown(days, values).frac == deepest
    assert longest_drawdown(days, values).days == max(each.days for each in falls)
    assert all(each.recovered for each in falls[:-1])


def test_without_a_fall_there_is_none():
    assert find_drawdowns(["2024-01-01", "2024-01-02"], [1.0, 1.0]) == []
    assert max_drawdown(["2024-01-01"], [1.0]).frac == longest_drawdown(["2024-01-01"], [1.0]).frac == 0.0
    assert find_drawdowns([], []) == []


def test_rolling_figures_are_those_of_each_window():
    dice = random.Random(2)
    returns = [dice.gauss(0, 0.01) for _ in range(80)]
    found = rolling.rolling_sharpe(returns, 60, 243)
    assert found[:59] == [None] * 59 and len(found) == 80
    assert found[70] == ratios.sharpe_ratio(returns[11:71], 243).value
    assert rolling.rolling_volatility(returns, 60, 243)[-1] == ratios.volatility(returns[20:], 243).value
    assert rolling.rolling_growth(returns, 60)[-1] == pytest.approx(math.prod(1 + each for each in returns[20:]) - 1)
    assert rolling.rolling_sharpe(returns[:10], 60, 243) == [None] * 10


def test_turnover_and_exposure():
    assert activity.annual_turnover(1000.0, 800.0, [400.0] * 243, 243).value == 2.0
    assert activity.mean_exposure([0.0, 100.0, 50.0], [100.0, 100.0, 0.0]).value == 0.5
    for figure in (activity.annual_turnover(1.0, 1.0, [], 243), activity.mean_exposure([1.0], [0.0])):
        assert figure.value is None and figure.reason is not None
