"""Parameters chosen on one stretch of days and tested on the next: the joined tests are the result."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from ia.domain.performance import ratios
from ia.domain.performance.walk_forward import TrainTest, walk_forward_windows
from ia.faculties.lab.rule_runs import run_rules
from ia.faculties.lab.run_figures import sessions_a_year
from ia.faculties.lab.run_types import RuleSettings, RunMarket, RunResult
from ia.faculties.lab.signals import SignalExpression
from ia.faculties.lab.sweeps import Point, VariantRun
from ia.kernel.errors import UsageError

_LENGTH = re.compile(r"\s*(\d+)\s*([ymwd])\s*")


class Lengths(NamedTuple):
    """Lengths of a walk forward in sessions."""

    train: int
    test: int
    step: int
    embargo: int


def parse_length(text: str, option: str, sessions: float) -> int:
    """Return a length in sessions: 3y, 6m (by the sessions of a year), 4w (5 each), 20d.

    >>> parse_length("3y", "--train", 243), parse_length("6m", "--test", 243), parse_length("20d", "--embargo", 243)
    (729, 122, 20)

    raises  UsageError.
    """
    found = _LENGTH.fullmatch(text)
    if not found:
        raise UsageError("{option} {text!r}: not a length", option=option, text=text, hint="for example 3y, 6m or 20d")
    each = {"y": sessions, "m": sessions / 12, "w": 5.0, "d": 1.0}[found[2]]
    return round(int(found[1]) * each)


def count_bars_back(variants: Iterable[RuleSettings]) -> int:
    """Return the most bars that any of the rules looks back: so long must training and test be apart.

    raises  UsageError for a rule of which that cannot be told.
    """
    found = [0]
    for rule in dict.fromkeys(text for each in variants for text in (each.entry, each.exit, each.rank) if text):
        back = SignalExpression(rule, "--entry").bars_back
        if back is None:
            raise UsageError(
                "how many bars {expression!r} looks back is not known", expression=rule, hint="give --embargo"
            )
        found.append(back)
    return max(found)


@dataclass(frozen=True, kw_only=True)
class WalkStep:
    """One choice and its test: days, the values that were best in training (None: no variant had a Sharpe ratio)."""

    train: tuple[str, str]
    test: tuple[str, str]
    point: Point | None
    train_sharpe: float | None
    test_sharpe: float | None
    test_return_frac: float


def walk_forward(
    market: RunMarket,
    runs: Sequence[VariantRun],
    lengths: Lengths,
    first: RunResult,
    show: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[RunResult, list[WalkStep]]:
    """Return the joined tests as one result, and its steps.

    runs   the variants over all days; in a train window their returns there count
    first  a result of these days, for what all have in common

    A test begins with the money of the one before, in cash: what is held at its end is sold at the last close.

    raises  UsageError where no window fits.
    """
    days, sessions = first.days, sessions_a_year(first)
    windows = walk_forward_windows(len(days), lengths.train, lengths.test, lengths.step, lengths.embargo)
    if not windows:
        raise UsageError(
            "{count} sessions are too few: training takes {train}, the embargo {embargo}",
            count=len(days),
            train=lengths.train,
            embargo=lengths.embargo,
            hint="shorten --train or --embargo, or begin earlier with --since",
        )
    cash, parts, steps = first.settings.cash, [], []
    for count, window in enumerate(windows, 1):
        show(count, len(windows))
        chosen, train_sharpe = _choose(runs, window, sessions)
        result = _test(market, chosen or runs[0], days, window, cash, idle=chosen is None)
        returns = [after / before - 1 for before, after in zip(result.equity, result.equity[1:], strict=False)]
        steps.append(
            WalkStep(
                train=(days[window.train[0]], days[window.train[1] - 1]),
                test=(days[window.test[0]], days[window.test[1] - 1]),
                point=chosen.point if chosen else None,
                train_sharpe=train_sharpe,
                test_sharpe=ratios.sharpe_ratio(returns, sessions).value,
                test_return_frac=result.equity[-1] / float(cash) - 1,
            )
        )
        parts.append(result)
        cash = Decimal(str(result.equity[-1]))
    return _join(parts, first), steps


def _choose(runs: Sequence[VariantRun], window: TrainTest, sessions: float) -> tuple[VariantRun | None, float | None]:
    """Return the variant with the highest Sharpe ratio in a train window. Return k is that of day k + 1."""
    low, high = window.train
    best, most = None, None
    for run in runs:
        sharpe = ratios.sharpe_ratio(run.returns[low : high - 1], sessions).value
        if sharpe is not None and (most is None or sharpe > most):
            best, most = run, sharpe
    return best, most


def _test(
    market: RunMarket, run: VariantRun, days: Sequence[str], window: TrainTest, cash: Decimal, *, idle: bool
) -> RunResult:
    low, high = window.test
    settings = replace(run.settings, since=days[low], until=days[high - 1], cash=cash)
    return run_rules(replace(settings, entry="close < 0") if idle else settings, market, wind_up=True)


def _join(parts: Sequence[RunResult], first: RunResult) -> RunResult:
    """Return the tests one after another. Orders are named by their test: `2/0`."""
    return replace(
        first,
        days=tuple(day for part in parts for day in part.days),
        equity=tuple(each for part in parts for each in part.equity),
        cash=tuple(each for part in parts for each in part.cash),
        positions=tuple(each for part in parts for each in part.positions),
        exposure=tuple(each for part in parts for each in part.exposure),
        orders=tuple(
            row._replace(order=f"{count}/{row.order}") for count, part in enumerate(parts, 1) for row in part.orders
        ),
        fills=tuple(each for part in parts for each in part.fills),
        trips=tuple(each for part in parts for each in part.trips),
        open_trips=parts[-1].open_trips,
        ended_early=parts[-1].ended_early,
        st_unknown=sum(part.st_unknown for part in parts),
    )
