"""The figures against the reference statistics of the shared data, where they are there, and at their edges."""

import csv
import json
from datetime import date
from itertools import pairwise

import pytest

from ia.domain.performance import ratios, selection
from ia.domain.performance.against_benchmark import compare_returns
from ia.domain.performance.drawdowns import max_drawdown


@pytest.fixture
def cases(shared):
    return json.loads((shared / "lab" / "stats_cases.json").read_text("utf-8"))["series"]


def load(shared, case):
    rows = {}
    with (shared / case["file"]).open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            day = next(value for name, value in row.items() if name.lower() in ("date", "日期", ""))[:10]
            if row[case["column"]]:
                rows[day] = float(row[case["column"]])
    days = sorted(rows)
    return days, [rows[day] for day in days]


def returns_of(values):
    return [after / before - 1 for before, after in pairwise(values)]


def test_the_figures_are_those_of_the_reference_series(shared, cases):
    assert len(cases) > 2
    for name, case in cases.items():
        days, values = load(shared, case)
        returns, ann, expected = returns_of(values), case["annualisation"], case["ia"]
        total = values[-1] / values[0] - 1
        growth = ratios.annual_growth(total, date.fromisoformat(days[0]), date.fromisoformat(days[-1]))
        down = max_drawdown(days, values)
        found = {
            "n": len(returns),
            "total_return": total,
            "cagr_calendar": growth.value,
            "vol_ann": ratios.volatility(returns, ann).value,
            "sharpe_rf0": ratios.sharpe_ratio(returns, ann).value,
            "sharpe_rf2pct": ratios.sharpe_ratio(returns, ann, 0.02).value,
            "sortino_rf0": ratios.sortino_ratio(returns, ann).value,
            "max_drawdown": down.frac,
            "max_drawdown_days": down.days,
            "calmar_calendar": ratios.calmar_ratio(growth, down.frac).value,
            "var95_hist": ratios.value_at_risk(returns).value,
            "cvar95_hist": ratios.expected_shortfall(returns).value,
            "skew_pop": ratios.skewness(returns).value,
            "kurt_pop": ratios.kurtosis(returns).value,
            "win_days": ratios.winning_days(returns).value,
            "psr_0": selection.probabilistic_sharpe(returns).value,
            "ulcer": ratios.ulcer_index(values).value,
            "gain_to_pain": ratios.gain_to_pain(returns).value,
        }
        for key, value in found.items():
            assert value == pytest.approx(expected[key], rel=1e-9), (name, key)


def test_the_comparison_with_a_benchmark_is_that_of_the_reference(shared, cases):
    for case in cases.values():
        if "benchmark" not in case:
            continue
        (days, values), (others, closes) = load(shared, case), load(shared, cases[case["benchmark"]["series"]])
        own = dict(zip(days[1:], returns_of(values), strict=True))
        index = dict(zip(others[1:], returns_of(closes), strict=True))
        both = sorted(own.keys() & index.keys())
        found = compare_returns([own[day] for day in both], [index[day] for day in both], case["annualisation"])
        expected = case["benchmark"]["ia"]
        assert found.days == case["benchmark"]["n"]
        for key, figure in {
            "beta": found.beta,
            "alpha_ann_compound": found.alpha_ann,
            "correlation": found.correlation,
            "information_ratio_ann": found.information_ratio,
            "tracking_error_ann": found.tracking_error_ann,
        }.items():
            assert figure.value == pytest.approx(expected[key], rel=1e-9), key


def test_what_cannot_be_told_has_a_reason_and_nothing_is_infinite():
    few, flat, rising = [0.01] * 19, [0.01] * 40, [0.01, 0.02] * 20
    one_loss = [*rising[:-1], -0.01]
    for figure in (
        ratios.volatility(few, 243),
        ratios.sharpe_ratio(few, 243),
        ratios.sharpe_ratio(flat, 243),
        ratios.sortino_ratio(rising, 243),
        ratios.sortino_ratio(one_loss, 243),
        ratios.calmar_ratio(ratios.annual_growth(0.1, date(2023, 1, 1), date(2024, 1, 1)), 0.0),
        ratios.annual_growth(0.1, date(2023, 1, 1), date(2023, 1, 1)),
        ratios.annual_growth(-1.0, date(2023, 1, 1), date(2024, 1, 1)),
        ratios.gain_to_pain(rising),
        ratios.winning_days([0.0] * 30),
        ratios.skewness(flat),
        selection.probabilistic_sharpe(flat),
        compare_returns(few, few, 243).beta,
        compare_returns(rising, flat, 243).beta,
        compare_returns(rising, rising, 243).information_ratio,
    ):
        assert figure.value is None and figure.reason is not None
    assert ratios.volatility(flat, 243).value == 0.0
    assert ratios.sharpe_ratio(rising, 243).value > 0
