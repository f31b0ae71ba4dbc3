"""Grids of variants and walks forward over made-up prices, against what each variant comes to alone."""

import math
import random
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.domain.performance import ratios
from ia.faculties.lab import sweeps
from ia.faculties.lab.exchange import Terms
from ia.faculties.lab.rule_runs import run_rules
from ia.faculties.lab.run_market import build_market
from ia.faculties.lab.run_types import PositionSize, RuleSettings
from ia.faculties.lab.securities import Security
from ia.faculties.lab.walk_forward_runs import Lengths, count_bars_back, parse_length, walk_forward
from ia.kernel.errors import UsageError
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

ENTRY, EXIT = "crossover(close, sma(close, {n}))", "crossunder(close, sma(close, {n}))"


def market(seed=3, count=400):
    dice, price, day, rows = random.Random(seed), 50.0, date(2021, 1, 4), []
    while len(rows) < count:
        if day.weekday() < 5:
            price *= math.exp(dice.gauss(0.0004, 0.015))
            shown = round(price, 2)
            rows.append((day.isoformat(), shown, shown, shown, shown, 10_000_000))
        day += timedelta(1)
    return build_market([Security(symbol=from_canonical("600000.SH"), bars=Bars.from_rows(rows))])


def settings(n):
    return RuleSettings(
        entry=sweeps.fill_places(ENTRY, {"n": n}),
        exit=sweeps.fill_places(EXIT, {"n": n}),
        size=PositionSize("percent", Decimal(100)),
    )


def swept(count=400):
    prices = market(count=count)
    axis = sweeps.parse_axis("n=5:20:5")
    variants = [(point, settings(point["n"])) for point in sweeps.list_points([axis], [ENTRY, EXIT])]
    runs, first = sweeps.run_variants(prices, variants)
    return prices, axis, runs, first


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("n=5:50:15", ("5", "20", "35", "50")),
        ("n=1:3", ("1", "2", "3")),
        ("n=0.5:0.7:0.1", ("0.5", "0.6", "0.7")),
        ("n=-2:0:1", ("-2", "-1", "0")),
        ("n=9,3,9,30", ("9", "3", "30")),
        (" w_1 = 100 ", ("100",)),
    ],
)
def test_an_axis_is_read(text, values):
    assert sweeps.parse_axis(text).values == values


@pytest.mark.parametrize(
    "text", ["n", "n=", "=5", "5=1:2", "n=5:x:1", "n=5:50:0", "n=5:50:-5", "n=50:5:5", "n=1:2:3:4", "n=nan", "n=1:9999"]
)
def test_what_is_no_axis_is_refused(text):
    with pytest.raises(UsageError):
        sweeps.parse_axis(text)


def test_places_and_axes_must_belong_together():
    n, m = sweeps.parse_axis("n=1:3"), sweeps.parse_axis("m=4,5")
    assert sweeps.list_points([n, m], ["{n} {m}"])[:2] == [{"n": "1", "m": "4"}, {"n": "1", "m": "5"}]
    assert (
        sweeps.fill_places("ref(close, { n }) > {m} * {x}", {"n": "3", "m": "-0.5"}) == "ref(close, 3) > (-0.5) * {x}"
    )
    for axes, text in (([n], "close"), ([n], "{n} {k}"), ([n, n], "{n}"), ([sweeps.Axis("n", ("1",) * 2001)], "{n}")):
        with pytest.raises(UsageError):
            sweeps.list_points(axes, [text])


def test_a_variant_is_its_run_alone():
    prices, axis, runs, _ = swept()
    for run in runs:
        alone = run_rules(settings(run.point["n"]), prices)
        assert run.return_frac == alone.equity[-1] / 100_000 - 1 and run.trades == len(alone.trips)
    found = sweeps.heat_map([axis], runs)
    assert found.values == [[run.sharpe for run in runs]] and found.columns == ("5", "10", "15", "20")
    best = sweeps.best_variant(runs)
    assert best.sharpe == max(run.sharpe for run in runs)


def test_a_map_of_three_names_has_medians():
    _, axis, runs, _ = swept()
    made = [
        replace(run, point={"a": a, "b": run.point["n"], "c": c}, sharpe=None if c == "3" else float(len(a)) + int(c))
        for run in runs
        for a in ("x", "yy")
        for c in ("1", "2", "3")
    ]
    found = sweeps.heat_map(
        [sweeps.Axis("a", ("x", "yy")), axis._replace(name="b"), sweeps.Axis("c", ("1", "2"))], made
    )
    assert found.values == [[2.5] * 4, [3.5] * 4] and found.folded == ("c",)


def test_a_walk_chooses_in_training_and_is_tested_after_the_embargo():
    prices, _, runs, first = swept()
    result, steps = walk_forward(prices, runs, Lengths(120, 60, 60, 10), first)
    days = first.days
    assert [days.index(step.test[0]) - days.index(step.train[1]) for step in steps] == [11] * len(steps)
    assert result.days == days[130:]
    for step in steps:
        low, high = days.index(step.train[0]), days.index(step.train[1])
        told = {run.point["n"]: ratios.sharpe_ratio(run.returns[low:high], 243).value for run in runs}
        assert step.point["n"] == max((n for n in told if told[n] is not None), key=told.get)
        assert step.train_sharpe == told[step.point["n"]]
    cash = Decimal(100_000)
    for step in steps:
        chosen = replace(settings(step.point["n"]), since=step.test[0], until=step.test[1], cash=cash)
        alone = run_rules(chosen, prices, wind_up=True)
        at = result.days.index(step.test[0])
        assert result.equity[at : at + len(alone.equity)] == alone.equity
        assert step.test_return_frac == alone.equity[-1] / float(cash) - 1
        cash = Decimal(str(alone.equity[-1]))
    assert result.equity[-1] == float(cash)


def test_what_comes_after_the_test_changes_no_choice():
    prices, _, runs, first = swept(400)
    shorter, _, before, start = swept(300)
    lengths = Lengths(120, 60, 60, 10)
    whole, steps = walk_forward(prices, runs, lengths, first)
    part, earlier = walk_forward(shorter, before, lengths, start)
    count = len(earlier) - 1  # the last test of the shorter one may be cut
    assert steps[:count] == earlier[:count]
    assert whole.equity[: 60 * count] == part.equity[: 60 * count]


def by_chance(seed):
    """Return prices of two securities, and the variants of a grid over them."""
    dice = random.Random(seed)
    one, two = market(seed), market(seed + 100)
    bank = Security(symbol=from_canonical("600036.SH"), bars=two.securities["600000.SH"].bars)
    prices = build_market([one.securities["600000.SH"], bank])
    base = replace(
        settings("5"), size=PositionSize("percent", Decimal(dice.choice([30, 50, 100]))), stop_pct=dice.choice([None, Decimal(5)]),
        max_positions=dice.choice([None, 1]), rebalance=dice.choice(["", "weekly"]),
        terms=Terms(commission_pct=Decimal("0.025"), commission_min=Decimal(5)),
    )  # fmt: skip
    rules = dice.choice([(ENTRY, EXIT), ("close > sma(close, {n})", ""), ("rsi(close, {n}) < 60", EXIT)])
    variants = [
        ({"n": n}, replace(base, entry=rules[0].replace("{n}", n), exit=rules[1].replace("{n}", n)))
        for n in ("3", "8", "20")
    ]
    return prices, *sweeps.run_variants(prices, variants)


@pytest.mark.parametrize("seed", range(8))
def test_the_profits_of_the_joined_trades_are_the_gain(seed):
    prices, runs, first = by_chance(seed)
    dice = random.Random(seed)
    lengths = Lengths(dice.choice([60, 100]), dice.choice([11, 20, 45]), 45, dice.choice([0, 8]))
    result, steps = walk_forward(prices, runs, lengths, first)
    assert sum(trip.profit for trip in result.trips) == pytest.approx(result.equity[-1] - 100_000, abs=0.005)
    assert not result.open_trips
    ends = {step.test[1] for step in steps}
    assert any(row.reason == "window_end" for row in result.orders)
    for row in result.orders:
        if row.reason == "window_end":
            assert (row.status, row.side, row.given, row.ended) == ("filled", "sell", row.ended, row.ended)
            assert row.ended in ends and row.fees > 0
    for at, day in enumerate(result.days):
        if day in ends:
            assert result.cash[at] == result.equity[at] and not result.positions[at]


@pytest.mark.parametrize(
    ("entry", "bars"),
    [
        ("close > 250", 0),
        ("crossover(close, sma(close, 20))", 20),
        ("rsi(close, 14) < 30.5", 14),
        ("count(close > sma(close, 20), 5) > 3", 23),
        ("ref(close, n=3) > 1000", 3),
        ("macd(close)['signal'] > 0", 33),
        ("close >= pasthigh(close, 55)", 55),
        ("sma(close, 1000) > close", 999),
    ],
)
def test_how_far_rules_look_back(entry, bars):
    assert count_bars_back([RuleSettings(entry=entry), RuleSettings(entry="close > 0", exit="close < 900")]) == bars


def test_rules_of_which_it_is_not_known_need_the_embargo():
    with pytest.raises(UsageError, match="looks back"):
        count_bars_back([RuleSettings(entry="close > close.rolling(20).mean()")])


def test_lengths_are_read():
    prices, _, runs, first = swept()
    _, steps = walk_forward(prices, runs, Lengths(120, 60, 60, 20), first)
    assert first.days.index(steps[0].test[0]) - first.days.index(steps[0].train[1]) == 21
    assert parse_length("2w", "--test", 243) == 10
    for text in ("3", "y", "3 years", "-1d", "1.5y"):
        with pytest.raises(UsageError):
            parse_length(text, "--train", 243)
    with pytest.raises(UsageError, match="too few"):
        walk_forward(prices, runs, Lengths(399, 60, 60, 10), first)


def test_without_a_sharpe_ratio_in_training_a_test_stays_in_cash():
    prices = market()
    run = sweeps.measure_variant({"n": "1"}, idle := run_rules(RuleSettings(entry="close < 0"), prices))
    result, steps = walk_forward(prices, [run], Lengths(120, 60, 60, 0), idle)
    assert {step.point for step in steps} == {None} and set(result.equity) == {100_000.0} and not result.orders


def test_dividends_are_the_rest_of_the_gain():
    bars = market(count=300).securities["600000.SH"].bars
    paid = Security(symbol=from_canonical("600000.SH"), bars=bars, actions=(Action(bars.date[200], cash=0.5),))
    rules = RuleSettings(entry="close > 0", size=PositionSize("percent", Decimal(100)))
    runs, first = sweeps.run_variants(build_market([paid]), [({"n": "1"}, rules)])
    result, _ = walk_forward(build_market([paid]), runs, Lengths(60, 240, 240, 0), first)
    profit, tax = sum(trip.profit for trip in result.trips), sum(fill.dividend_tax for fill in result.fills)
    dividend = sum(float(fill.quantity) for fill in result.fills if fill.side == "buy") * 0.5
    assert len(result.fills) == 2 and tax > 0
    assert profit + dividend - float(tax) == pytest.approx(result.equity[-1] - 100_000, abs=0.005)
