"""Ranks, z-scores and distances from the mean are those of pandas."""

import numpy as np
import pandas as pd
import pytest

from ia.faculties.lab.cross_sections import CrossSection, find_sections
from ia.kernel.errors import BadData


def compare(function, values, groups=None):
    return CrossSection("", function, "", groups is not None).compare_day(values, groups)


def invent(seed, ties):
    made = np.random.default_rng(seed)
    values = made.normal(0, 10, 200)
    values = np.round(values / 5) if ties else values
    values[made.random(200) < 0.1] = np.nan
    values[made.random(200) < 0.02] = np.inf
    return values, made.integers(-1, 8, 200).astype(np.intp)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_they_are_those_of_pandas(seed, ties):
    values, groups = invent(seed, ties)
    all_of_them = pd.Series(values).where(np.isfinite(values))
    grouped = all_of_them.where(groups >= 0).groupby(groups)
    for function, of in {
        "xrank": lambda x: x.rank(pct=True),
        "xdemean": lambda x: x - x.mean(),
        "xzscore": lambda x: (x - x.mean()) / x.std(ddof=0),
    }.items():
        np.testing.assert_allclose(compare(function, values), of(all_of_them), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(compare(function, values, groups), grouped.transform(of), rtol=1e-9, atol=1e-12)


def test_equal_values_share_a_rank_and_have_no_z_score():
    values = np.array([0.1, 0.1, 0.1, np.nan])
    assert compare("xrank", values)[:3].tolist() == pytest.approx([2 / 3] * 3)
    assert np.isnan(compare("xzscore", values)).all()
    assert np.isnan(compare("xrank", np.array([np.nan, np.inf]))).all()


def test_calls_are_found_and_those_that_are_wrong_refused():
    body, found = find_sections(
        "(xrank(roc(close, 20)) > 0.9) & (xdemean(rsi(close, 14), industry) > xrank(roc(close,20)))"
    )
    assert body is not None
    assert [(each.function, each.argument, each.by_industry) for each in found] == [
        ("xrank", "roc(close, 20)", False),
        ("xdemean", "rsi(close, 14)", True),
    ]
    assert find_sections("close > 5") == (None, [])
    for wrong in ("xrank()", "xrank(close, 3)", "xrank(close, industry, industry)", "xzscore(x=close)"):
        with pytest.raises(BadData):
            find_sections(wrong)
