"""Does a run see what comes later? An experiment: cut the world at random days, and compare what was before."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ia.faculties.lab.rule_runs import evaluate_signals
from ia.faculties.lab.run_market import adjust_forward
from ia.faculties.lab.run_types import RuleSettings, RunMarket, RunResult
from ia.kernel.errors import Message
from ia.organs.ohlcv.canonical import Bars

CUTS = 20


class CheckResult(NamedTuple):
    """What the check found.

    seed       of the random days
    cuts       the days at which the world was cut
    changed    the first cut before which something changed, "" for none; `what`: equity, fills or orders
    by_level   whether signals depend on the level of adjusted prices, which later dividends shift: `close > 100`
    """

    seed: int
    cuts: tuple[str, ...]
    changed: str
    what: str
    by_level: bool

    @property
    def passed(self) -> bool:
        """Whether nothing before a cut changed."""
        return not self.changed


def check_run(
    whole: RunResult, market: RunMarket, run: Callable[[RunMarket], RunResult], seed: int, cuts: int = CUTS
) -> CheckResult:
    """Run again without the bars after each of some random days, and compare everything up to that day.

    whole  the result of `run(market)`
    """
    days = list(whole.days[:-1])
    chosen = sorted(random.Random(seed).sample(days, min(cuts, len(days))))
    changed, what = "", ""
    for day in chosen:
        if what := _compare_until(whole, run(cut_market(market, day)), day):
            changed = day
            break
    by_level = (
        bool(whole.settings.entry)
        and any(security.actions for security in market.securities.values())
        and _depends_on_level(whole.settings, market)
    )
    return CheckResult(seed=seed, cuts=tuple(chosen), changed=changed, what=what, by_level=by_level)


def describe_check(found: CheckResult) -> list[Message]:
    """Return the result of a check in sentences."""
    told = (
        Message(
            "look-ahead check passed: cut at {count} random days (seed {seed}), everything before stays the same",
            count=len(found.cuts),
            seed=found.seed,
        )
        if found.passed
        else Message(
            "look-ahead: without the bars after {day}, the {what} before it change (seed {seed})",
            day=found.changed,
            what=Message(found.what),
            seed=found.seed,
        )
    )
    if not found.by_level:
        return [told]
    return [
        told,
        Message(
            "the signals depend on the level of adjusted prices, which is not that of the day; compare prices with each"
            " other (close / sma(close, 200)), not with a number"
        ),
    ]


def cut_market(market: RunMarket, day: str) -> RunMarket:
    """Return the market as it was known at the close of a day."""
    securities = {}
    for name, security in market.securities.items():
        bars = security.bars.between_dates(None, day)
        actions = tuple(action for action in security.actions if action.date <= day)
        securities[name] = replace(
            security, bars=bars, actions=actions, _limits={}, _last_bar=("", None), _last_place=("", None)
        )
    return replace(
        market,
        securities=securities,
        signal_bars={name: adjust_forward(each) for name, each in securities.items()},
        trading_days=tuple(each for each in market.trading_days if each <= day),
    )


def _compare_until(whole: RunResult, cut: RunResult, day: str) -> str:
    """Return what differs up to a day: equity, fills or orders; "" for nothing."""
    count = len(cut.days)
    if (cut.days, cut.equity, cut.cash) != (whole.days[:count], whole.equity[:count], whole.cash[:count]):
        return "equity"
    if cut.fills != tuple(fill for fill in whole.fills if fill.date <= day):
        return "fills"
    given = [row[:8] for row in whole.orders if row.given <= day]
    return "" if [row[:8] for row in cut.orders] == given else "orders"


def _depends_on_level(settings: RuleSettings, market: RunMarket) -> bool:
    """Return True if signals change when prices are multiplied by 2, 4 or 8, which changes no ratio by a bit."""
    import numpy as np

    multiplied = {
        name: Bars._make([bars.date, *(_multiply(column, 2 << place % 3) for column in bars[1:5]), bars.volume])
        for place, (name, bars) in enumerate(market.signal_bars.items())
    }
    one, other = evaluate_signals(settings, market), evaluate_signals(settings, replace(market, signal_bars=multiplied))
    if (one.entries != other.entries).any() or (one.exits != other.exits).any():
        return True
    ranks = one.rank, other.rank
    return ranks[0] is not None and ranks[1] is not None and not np.array_equal(ranks[0], ranks[1], equal_nan=True)


def _multiply(column: object, factor: int) -> object:
    import numpy as np

    return np.asarray(column, dtype=np.float64) * factor
