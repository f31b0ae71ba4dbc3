"""The look-ahead check: what sees later bars is found, what does not passes."""

from dataclasses import replace
from decimal import Decimal

from ia.domain.instruments.symbols import from_canonical
from ia.faculties.lab.lookahead_check import check_run, describe_check
from ia.faculties.lab.rule_runs import run_rules
from ia.faculties.lab.run_market import build_market
from ia.faculties.lab.run_types import RuleSettings
from ia.faculties.lab.securities import Security
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

DAYS = [f"2024-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in range(1, 29)]
CLOSES = [round(10 + (n * 7 % 13) * 0.1 + (0 if n < 40 else -0.5), 2) for n in range(len(DAYS))]


def market():
    rows = [(day, c, c, c, c, 1_000_000) for day, c in zip(DAYS, CLOSES, strict=True)]
    acts = (Action(DAYS[40], cash=0.5),)
    return build_market([Security(symbol=from_canonical("600000.SH"), bars=Bars.from_rows(rows), actions=acts)])


def check(settings, run=run_rules):
    world = market()
    return check_run(run(settings, world), world, lambda cut: run(settings, cut), seed=7)


def test_rules_pass_and_a_level_is_told():
    crossing = RuleSettings(entry="close > sma(close, 5)", exit="close < sma(close, 5)")
    found = check(crossing)
    assert (found.passed, found.by_level, len(found.cuts)) == (True, False, 20)
    assert check(replace(crossing, entry="close > 10.4")).by_level
    assert "seed 7" in str(describe_check(found)[0])


def test_a_run_that_knows_the_last_bar_is_caught():
    def sees_the_end(settings, world):
        last = next(iter(world.securities.values())).bars.close[-1]
        return run_rules(replace(settings, cash=Decimal(10_000) + Decimal(str(last))), world)

    found = check(RuleSettings(entry="close > sma(close, 5)"), sees_the_end)
    assert (found.passed, found.what) == (False, "equity")


def test_an_expression_that_slips_by_the_lint_is_caught():
    """A pandas expression that looks at the whole sample in a way that no list of forms has."""
    found = check(RuleSettings(entry="(close - close.to_numpy()[len(close) - 1]) > 0"))
    assert not found.passed
