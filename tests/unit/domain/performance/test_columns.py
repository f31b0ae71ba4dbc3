"""Sums of arrays: exact, as those of lists."""

import math

import numpy as np
import pytest

from ia.domain.performance.columns import exact_sum


@pytest.mark.parametrize("seed", range(40))
def test_the_sum_of_an_array_is_exact(seed: int) -> None:
    dice = np.random.default_rng(seed)
    count = int(dice.integers(1, 3000))
    values = dice.normal(0, 1, count) * 10.0 ** dice.uniform(-9, 9, count if seed % 2 else 1)
    if seed % 5 == 0:  # what is left after nearly all of it has gone
        values = np.concatenate([values, -values * (1 + 1e-16), values[:1]])
    assert exact_sum(values) == math.fsum(values)


@pytest.mark.parametrize(
    "values", [[], [0.0], [0.0, -0.0], [1e300, 1e300], [1e-310, 1e-320], [math.inf], [1e308, -1e308]]
)
def test_sums_at_the_edges(values: list[float]) -> None:
    assert exact_sum(np.array(values)) == math.fsum(values)
