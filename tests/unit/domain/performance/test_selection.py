"""Selection statistics against published figures, the shared reference case, and oracles written apart from them."""

import csv
import json
import math
import random
from fractions import Fraction
from itertools import combinations, pairwise
from statistics import NormalDist, mean, stdev

import pytest

from ia.domain.performance import resampling, selection
from ia.domain.performance.selection import SharpeSample

PUBLISHED = SharpeSample(2.5 / math.sqrt(250), 1250, -3.0, 10.0)


@pytest.fixture(scope="module")
def reference(shared):
    return json.loads((shared / "lab" / "stats_cases.json").read_text("utf-8"))["selection"]


@pytest.fixture(scope="module")
def crossings(shared, reference):
    """The 32 moving average rules of the reference case: name -> daily returns; with buy and hold under ``."""
    case = reference["case"]
    with (shared / case["file"]).open(encoding="utf-8-sig", newline="") as file:
        closes = [float(row["Adj Close"]) for row in sorted(csv.DictReader(file), key=lambda row: row["Date"])]
    exact = [Fraction(close) for close in closes]
    sums = [Fraction(0)]
    for close in exact:
        sums.append(sums[-1] + close)
    averages = {
        n: [None] * (n - 1) + [(sums[at + 1] - sums[at + 1 - n]) / n for at in range(n - 1, len(closes))]
        for n in (5, 10, 15, 20, 30, 40, 50, 60, 100, 150, 200)
    }
    moves = [0.0] + [after / before - 1 for before, after in pairwise(closes)]
    found = {"": moves[200:]}
    for a in (5, 10, 15, 20, 30, 50):
        for b in (20, 40, 60, 100, 150, 200):
            if a < b:
                inside = [slow is not None and fast > slow for fast, slow in zip(averages[a], averages[b], strict=True)]
                found[f"{a}/{b}"] = [move if held else 0.0 for move, held in zip(moves[1:], inside, strict=False)][199:]
    return found


def test_the_deflated_sharpe_of_the_paper_to_four_digits(reference):
    found = selection.deflate_sharpe(PUBLISHED, 100, 0.5 / 250)
    assert (round(found.threshold, 4), round(found.probability.value, 4)) == (0.1132, 0.9004)
    assert round(selection.deflate_sharpe(PUBLISHED, 46, 0.5 / 250).probability.value, 4) == 0.9505
    normal = PUBLISHED._replace(skewness=0.0, kurtosis=3.0)
    assert round(selection.deflate_sharpe(normal, 88, 0.5 / 250).probability.value, 4) == 0.9505
    published = reference["published"]
    assert found.threshold == pytest.approx(published["DSR N=100 skew=-3 kurt=10"]["sr0"], rel=1e-9)
    assert found.probability.value == pytest.approx(published["DSR N=100 skew=-3 kurt=10"]["dsr"], rel=1e-9)


def test_the_probabilistic_sharpe_of_the_paper(reference):
    monthly = SharpeSample(0.458, 24, -2.448, 10.164)
    assert round(selection.sharpe_probability(monthly).value, 4) == 0.9134
    assert round(selection.sharpe_probability(monthly._replace(skewness=0, kurtosis=3)).value, 4) == 0.9817
    expected = reference["published"]["MinTRL sr .458 skew -2.448 kurt 10.164 p .95"]
    assert selection.minimum_returns(monthly).value == pytest.approx(expected, rel=1e-9)
    needed = selection.minimum_returns(monthly).value
    assert NormalDist().cdf(
        0.458 * math.sqrt(needed - 1) / math.sqrt(1 + 2.448 * 0.458 + 9.164 / 4 * 0.458**2)
    ) == pytest.approx(0.95)


def test_forty_five_trials_are_five_years(reference):
    published = reference["published"]
    assert selection.minimum_backtest_years(45).value == pytest.approx(4.998087004443404, rel=1e-9)
    for trials, expected in zip((10, 45, 100, 1000), published["E[max] N=10,45,100,1000"], strict=True):
        assert selection.expected_maximum(trials) == pytest.approx(expected, rel=1e-9)
    assert selection.minimum_backtest_years(32).value == pytest.approx(
        reference["case"]["minbtl_years_for_these_trials"], rel=1e-9
    )


def test_the_expected_maximum_is_that_of_normal_values():
    dice = random.Random(7)
    drawn = mean(max(dice.gauss(0, 1) for _ in range(45)) for _ in range(4000))
    assert selection.expected_maximum(45) == pytest.approx(drawn, abs=0.05)


def test_the_reference_case(reference, crossings):
    case, trials = reference["case"], {name: moves for name, moves in crossings.items() if name}
    sharpes = {name: mean(moves) / stdev(moves) for name, moves in trials.items()}
    assert sharpes == pytest.approx(case["sharpe_daily_all"], rel=1e-9)
    best = max(sharpes, key=sharpes.get)
    found = selection.deflate_returns(trials[best], list(sharpes.values()))
    assert best == "50/100" and found.trials == 32
    assert found.probability.value == pytest.approx(case["dsr"], rel=1e-9)
    assert found.threshold == pytest.approx(case["sr0_daily"], rel=1e-9)
    assert found.variance == pytest.approx(case["var_sharpe_daily_ddof1"], rel=1e-9)
    assert selection.probabilistic_sharpe(trials[best]).value == pytest.approx(case["psr0"], rel=1e-9)
    for splits, expected in case["pbo"].items():
        pbo = resampling.probability_of_overfitting(list(trials.values()), int(splits)).value
        assert pbo == pytest.approx(expected, rel=1e-9), splits


def test_the_bootstrap_of_the_reference_case(reference, crossings):
    case, trials = reference["case"], [moves for name, moves in crossings.items() if name]
    against = resampling.superior_ability(trials, crossings[""])
    for name, expected in case["spa_arch"]["mean"].items():
        assert getattr(against, name).value == pytest.approx(expected, abs=0.02), name
    zero = resampling.superior_ability(trials)
    for name, expected in case["spa_arch_zero"]["mean"].items():
        assert getattr(zero, name).value == pytest.approx(expected, abs=0.02), name
    band = resampling.bootstrap_intervals(crossings["50/100"], 252)
    low, high = case["sharpe_ci95_stationary_block20"]["mean"]
    assert band.sharpe.low.value == pytest.approx(low, abs=0.05)
    assert band.sharpe.high.value == pytest.approx(high, abs=0.05)
    assert band == resampling.bootstrap_intervals(crossings["50/100"], 252)
    assert band.sharpe != resampling.bootstrap_intervals(crossings["50/100"], 252, seed=2).sharpe


def pbo_by_hand(trials, splits):
    """CSCV with plain lists: every half, every trial, its Sharpe ratio from the days themselves."""
    size = len(trials[0]) // splits
    blocks = [[moves[k * size : (k + 1) * size] for k in range(splits)] for moves in trials]

    def sharpe(trial, chosen):
        days = [move for k in chosen for move in blocks[trial][k]]
        return mean(days) / stdev(days)

    lost = 0
    halves = list(combinations(range(splits), splits // 2))
    for half in halves:
        rest = [k for k in range(splits) if k not in half]
        best = max(range(len(trials)), key=lambda trial: sharpe(trial, half))
        outside = [sharpe(trial, rest) for trial in range(len(trials))]
        rank = sorted(outside).index(outside[best]) + 1
        lost += rank / (len(trials) + 1) <= 0.5
    return lost / len(halves)


@pytest.mark.parametrize("seed", range(6))
def test_overfitting_is_that_of_plain_lists(seed):
    dice = random.Random(seed)
    trials = [[dice.gauss(0.0005 * k, 0.01) for _ in range(83)] for k in range(5)]
    for splits in (4, 6):
        assert resampling.probability_of_overfitting(trials, splits).value == pytest.approx(pbo_by_hand(trials, splits))


def test_draws_are_stretches_of_the_mean_length():
    counts = list(resampling.draw_counts(400, 20, 500, 3))
    assert sum(len(piece) for piece in counts) == 500
    assert all((piece.sum(axis=1) == 400).all() for piece in counts)
    # the variance of a mean of ones on the first half: stretches of 20 days make it much larger than single days do
    halves = [float(row[:200].sum()) / 400 for piece in counts for row in piece]
    lone = [float(row[:200].sum()) / 400 for piece in resampling.draw_counts(400, 1, 500, 3) for row in piece]
    assert mean(halves) == pytest.approx(0.5, abs=0.02)
    assert stdev(halves) > 3 * stdev(lone)
    assert stdev(lone) == pytest.approx(0.5 / 20, rel=0.15)


def test_the_interval_covers_the_truth():
    """Of 60 series with a known Sharpe ratio about 95 % of the intervals hold it."""
    dice, held = random.Random(11), 0
    for _ in range(60):
        moves = [dice.gauss(0.0006, 0.01) for _ in range(500)]
        band = resampling.bootstrap_intervals(moves, 252, draws=300).sharpe
        held += band.low.value <= 0.06 * math.sqrt(252) <= band.high.value
    assert 51 <= held <= 60


def test_noise_is_not_superior_and_skill_is():
    dice = random.Random(5)
    noise = [[dice.gauss(0, 0.01) for _ in range(300)] for _ in range(10)]
    assert resampling.superior_ability(noise, draws=500).consistent.value > 0.05
    assert (
        resampling.superior_ability([*noise, [dice.gauss(0.004, 0.01) for _ in range(300)]], draws=500).upper.value
        < 0.01
    )


def test_what_cannot_be_told_has_a_reason():
    flat, few = [0.01] * 40, [0.01, -0.01] * 5
    for figure in (
        selection.probabilistic_sharpe(flat),
        selection.deflate_returns(few, [0.1, 0.2]).probability,
        selection.minimum_returns(SharpeSample(-0.1, 100, 0.0, 3.0)),
        selection.minimum_backtest_years(1),
        resampling.probability_of_overfitting([flat], 8),
        resampling.probability_of_overfitting([few, few], 8),
        resampling.superior_ability([few]).consistent,
        resampling.superior_ability([[0.0] * 40]).consistent,
        resampling.superior_ability([]).consistent,
        resampling.bootstrap_intervals(few, 252).sharpe.low,
        resampling.bootstrap_intervals(flat, 252).growth.high,
        resampling.bootstrap_intervals([-1.0, *[0.01] * 40], 252).growth.high,
    ):
        assert figure.value is None and figure.reason is not None
    single = selection.deflate_returns([0.01, -0.005] * 30, [0.3])
    assert single.threshold == 0.0 and single.trials == 1
    assert single.probability == selection.probabilistic_sharpe([0.01, -0.005] * 30)
