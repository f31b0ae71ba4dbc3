"""How much the result of a run is worth after all that was tried: deflated Sharpe ratio, intervals, overfitting.

Names end in `_frac` where a figure is a fraction, in `_ann` where it is of a year. None is what cannot be told;
`reasons` has why, by the name of the figure.
"""

import math
from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

from ia.domain.performance import resampling, selection
from ia.domain.performance.figures import Figure
from ia.domain.performance.ratios import DAYS_A_YEAR
from ia.faculties.lab import run_folders, trials
from ia.faculties.lab.run_figures import simple_returns
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

Say = Callable[[Message], str]


class FamilyKeys(NamedTuple):
    """The family of a run and its variant, as the ledger of trials knows them, with the rules for a reader."""

    family: str
    variant: str
    rules: str
    universe: str


_INPUTS = ("id", "created", "benchmark", "ia", "rules_sha256", "bars_sha256", "securities", "bars", "kind", "grid")
"""Settings of a run that make no variant: what it read, and when."""


def find_family(settings: Json) -> FamilyKeys:
    """Return the keys of a run, given its settings (those of run.yaml)."""
    import json

    names = ("strategy", "entry", "exit", "rank")
    rules = [str(settings.get(name) or "") for name in names]
    universe = str(settings.get("universe", ""))
    own = {key: value for key, value in settings.items() if key not in _INPUTS}
    return FamilyKeys(
        trials.family_key(rules, universe.split()),
        trials.variant_key(json.dumps(own, sort_keys=True, ensure_ascii=False, default=str)),
        " / ".join(filter(None, rules)),
        universe,
    )


def make_trial(keys: FamilyKeys, run: str, days: Sequence[str], returns: Sequence[float]) -> trials.Trial:
    """Return the trial that a run is."""
    sample = selection.sharpe_sample(returns)
    return trials.Trial(
        family=keys.family,
        variant=keys.variant,
        run=run,
        rules=keys.rules,
        universe=keys.universe,
        first=days[0],
        last=days[-1],
        returns=len(returns),
        sharpe=None if isinstance(sample, Message) else sample.sharpe,
    )


def measure_selection(
    ws: Workspace, settings: Json, days: Sequence[str], returns: Sequence[float], sessions: float, say: Say = str
) -> Json:
    """Return what the Sharpe ratio of a run is worth, given all trials of its family up to now().

    place, trials  which variant the run is, from 1, and how many were tried; place 0: it is not in the ledger
    """
    keys = find_family(settings)
    tally = trials.tally_family(ws, keys.family, keys.variant)
    return {"place": tally.place, "trials": tally.tried} | deflation_document(
        returns, days, sessions, tally.sharpes, tally.tried, say
    )


def measure_run(ws: Workspace, run: run_folders.SavedRun, say: Say = str) -> Json:
    """Return what a saved run is worth. raises BadData where its files are damaged."""
    path = run_folders.read_equity(run)
    returns = simple_returns([value for _, value in path])
    return measure_selection(ws, run.settings, [day for day, _ in path], returns, run.figures["sessions_a_year"], say)


def rank_runs(ws: Workspace) -> list[Json]:
    """Return the runs up to now(), the likeliest to have a true Sharpe ratio above chance first.

    dsr_frac  the deflated Sharpe ratio after the `trials` of the run's family; null where it cannot be told, for runs
              of agents and journals, too: these come last
    """
    found = []
    for row in run_folders.list_runs(ws):
        run = run_folders.load_run(ws, row.id)
        told: Json = {**row._asdict(), "sharpe": run.figures.get("sharpe"), "trials": None, "dsr_frac": None}
        if row.kind == "rules":
            keys = find_family(run.settings)
            tally = trials.tally_family(ws, keys.family, keys.variant)
            returns = simple_returns([value for _, value in run_folders.read_equity(run)])
            told["trials"] = tally.tried
            told["dsr_frac"] = selection.deflate_returns(returns, tally.sharpes, tally.tried).probability.value
        found.append(told)
    return sorted(found, key=lambda each: -1.0 if each["dsr_frac"] is None else each["dsr_frac"], reverse=True)


def deflation_document(
    returns: Sequence[float],
    days: Sequence[str],
    sessions: float,
    sharpes: Sequence[float],
    tried: int,
    say: Say = str,
) -> Json:
    """Return PSR, deflated Sharpe ratio, the lengths that are needed, and the bootstrap intervals of returns.

    sharpes  of a day, of all trials; tried: their number, those without a Sharpe ratio included
    """
    reasons: dict[str, str] = {}

    def tell(name: str, figure: Figure) -> float | None:
        if figure.value is None and figure.reason is not None:
            reasons[name] = say(figure.reason)
        return figure.value

    sample = selection.sharpe_sample(returns)
    found = selection.deflate_sample(sample, sharpes, tried)
    needed = Figure(None, sample) if isinstance(sample, Message) else selection.minimum_returns(sample)
    likely = Figure(None, sample) if isinstance(sample, Message) else selection.sharpe_probability(sample)
    years = (date.fromisoformat(days[-1]) - date.fromisoformat(days[0])).days / DAYS_A_YEAR if days else 0.0
    bands = resampling.bootstrap_intervals(returns, sessions, len(returns) / years if years > 0 else 0.0)
    return {
        "psr_frac": tell("psr_frac", likely),
        "dsr_frac": tell("dsr_frac", found.probability),
        "chance_sharpe": None if found.threshold is None else found.threshold * math.sqrt(sessions),
        "needed_years": None if (least := tell("needed_years", needed)) is None else least / sessions,
        "minimum_backtest_years": tell("minimum_backtest_years", selection.minimum_backtest_years(tried)),
        "sharpe_ci95": [tell("sharpe_ci95", bands.sharpe.low), bands.sharpe.high.value],
        "cagr_ci95_frac": [tell("cagr_ci95_frac", bands.growth.low), bands.growth.high.value],
        "bootstrap": {"block": resampling.BLOCK, "draws": resampling.DRAWS, "seed": resampling.SEED},
        "reasons": reasons,
    }


def search_document(variants: Sequence[Sequence[float]], hold: Sequence[float] | None, say: Say = str) -> Json:
    """Return how a search over variants went: the probability of overfitting, and whether the best beats chance.

    variants  returns of each, of the same days; hold: those of buy and hold
    """
    reasons: dict[str, str] = {}

    def tell(name: str, figure: Figure) -> float | None:
        if figure.value is None and figure.reason is not None:
            reasons[name] = say(figure.reason)
        return figure.value

    found: Json = {
        "pbo_frac": {
            str(splits): tell(f"pbo_frac.{splits}", resampling.probability_of_overfitting(variants, splits))
            for splits in resampling.SPLITS
        }
    }
    against: dict[str, Sequence[float] | None] = {"zero": None} | ({"hold": hold} if hold else {})
    for name, series in against.items():
        ability = resampling.superior_ability(variants, series)
        found[f"spa_p_{name}"] = {
            "consistent": tell(f"spa_p_{name}", ability.consistent),
            "lower": ability.lower.value,
            "upper": ability.upper.value,
        }
    return found | {"reasons": reasons}
