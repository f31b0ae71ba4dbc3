"""A sweep or a walk forward from a request to its folder: prices once, every variant, a map, what chance would do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from ia.faculties.lab import run_folders, selection_figures, sweeps, trials
from ia.faculties.lab.backtests import BacktestRequest, load_benchmark, load_market, name_universe, settle_terms
from ia.faculties.lab.run_figures import figures_document, hold_yardsticks, sessions_a_year, simple_returns
from ia.faculties.lab.run_types import RuleSettings, RunMarket, RunResult
from ia.faculties.lab.selection_figures import FamilyKeys
from ia.faculties.lab.sweeps import Axis, Point, VariantRun, run_variants
from ia.faculties.lab.walk_forward_runs import Lengths, WalkStep, walk_forward
from ia.kernel.errors import Notify, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

GRID, WALK = "grid", "walk-forward"
VARIANT_COLUMNS = (
    "return_frac", "cagr_frac", "sharpe", "max_drawdown_frac", "exposure_frac", "trades",
)  # fmt: skip
Show = Callable[[int, int], None]


def run_sweep(
    ws: Workspace,
    request: BacktestRequest,
    axes: Sequence[Axis],
    variants: Sequence[tuple[Point, RuleSettings]],
    *,
    lengths: Lengths | None = None,
    template: Json | None = None,
    notify: Notify = drop_message,
    show: Show = lambda done, total: None,
) -> run_folders.SavedRun:
    """Run every variant of a grid, keep each as a trial, and save the whole as one run.

    lengths   of a walk forward: its joined tests are then the result; without them the map of the grid is
    template  the rules with their places, for a reader

    raises  as `ia.faculties.lab.backtests.run_backtest`; UsageError where no window of a walk forward fits.
    """
    market = load_market(ws, request, notify)
    terms = settle_terms(request, market)
    settled = [(point, replace(settings, terms=terms)) for point, settings in variants]
    runs, first = run_variants(market, settled, show)
    # before anything is kept: it may be unknown
    benchmark = load_benchmark(ws, request.benchmark, first, market) if request.benchmark else None
    universe = name_universe(request, market)
    keys = [
        selection_figures.find_family({"universe": universe, **run_folders.settings_document(run.settings)})
        for run in runs
    ]
    told: Json = {
        "kind": WALK if lengths else GRID,
        "universe": universe,
        **run_folders.settings_document(settled[0][1]),
        **(template or {}),
        "grid": {axis.name: list(axis.values) for axis in axes},
        **({"walk_forward": lengths._asdict()} if lengths else {}),
        **run_folders.describe_inputs(market),
    }
    name = run_folders.make_run_id(told)
    trials.record_trials(
        ws,
        [selection_figures.make_trial(key, name, run.days, run.returns) for key, run in zip(keys, runs, strict=True)],
    )
    if lengths:
        return _save_walk(ws, request, told, market, axes, runs, first, lengths, show)
    figures = grid_document(ws, axes, runs, first, market, keys)
    if benchmark is not None and len(closes := [each for each in benchmark.values if each is not None]) > 1:
        total = closes[-1] / closes[0] - 1
        above = sum(run.return_frac > total for run in runs) / len(runs)
        figures["benchmark"] = {"name": benchmark.name, "return_frac": total, "above_frac": above}
    files = {"variants.csv": variants_csv(axes, runs)}
    return run_folders.save_files(ws, told, files, figures)


def grid_document(
    ws: Workspace,
    axes: Sequence[Axis],
    runs: Sequence[VariantRun],
    first: RunResult,
    market: RunMarket,
    keys: Sequence[FamilyKeys],
) -> Json:
    """Return the figures of a sweep: the spread of its variants, the best one deflated, and the map."""
    sessions = sessions_a_year(first)
    hold = next(iter(hold_yardsticks(first, market).items()), None)
    hold_returns = simple_returns([value for value in hold[1].values if value is not None]) if hold else None
    sharpes = [run.sharpe for run in runs if run.sharpe is not None]
    best = sweeps.best_variant(runs)
    tally = trials.tally_family(ws, keys[0].family)
    hold_total = hold[1].values[-1] if hold else None
    return {
        "first": first.days[0],
        "last": first.days[-1],
        "sessions": len(first.days),
        "sessions_a_year": sessions,
        "currency": first.currency,
        "cash": float(first.settings.cash),
        "variants": len(runs),
        "with_sharpe": len(sharpes),
        "sharpe_median": median(sharpes) if sharpes else None,
        "sharpe_lowest": min(sharpes, default=None),
        "sharpe_highest": max(sharpes, default=None),
        "gained_frac": sum(run.return_frac > 0 for run in runs) / len(runs),
        "hold": {
            "kind": hold[0],
            "name": hold[1].name,
            "return_frac": hold_total - 1 if hold_total is not None else None,
        }
        if hold
        else None,
        "above_hold_frac": sum(run.return_frac > hold_total - 1 for run in runs) / len(runs)
        if hold_total is not None
        else None,
        "best": {"point": best.point, **variant_document(best)} if best else None,
        "map": sweeps.heat_map(axes, runs)._asdict(),
        "trials": tally.tried,
        "selection": selection_figures.deflation_document(best.returns, best.days, sessions, tally.sharpes, tally.tried)
        if best
        else None,
        "search": selection_figures.search_document([run.returns for run in runs], hold_returns),
        "simulated": first.simulated,
    }


def variant_document(run: VariantRun) -> Json:
    """Return the figures of a variant as plain data."""
    return {name: getattr(run, name) for name in VARIANT_COLUMNS}


def variants_csv(axes: Sequence[Axis], runs: Sequence[VariantRun]) -> str:
    """Return a row for each variant as CSV."""
    rows: list[list[Any]] = [[*run.cell(), *(_cell(getattr(run, name)) for name in VARIANT_COLUMNS)] for run in runs]
    return run_folders.to_csv((*(axis.name for axis in axes), *VARIANT_COLUMNS), rows)


def _cell(value: float | int | None) -> str:
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:.6f}"


def _save_walk(
    ws: Workspace,
    request: BacktestRequest,
    told: Json,
    market: RunMarket,
    axes: Sequence[Axis],
    runs: Sequence[VariantRun],
    first: RunResult,
    lengths: Lengths,
    show: Show,
) -> run_folders.SavedRun:
    joined, steps = walk_forward(market, runs, lengths, first, show)
    yardsticks = hold_yardsticks(joined, market)
    if found := load_benchmark(ws, request.benchmark, joined, market):
        yardsticks["benchmark"] = found
    told = told | {"benchmark": yardsticks["benchmark"].name if "benchmark" in yardsticks else "none"}
    returns, sessions = simple_returns(joined.equity), sessions_a_year(joined)
    best = sweeps.best_variant(runs)
    figures = figures_document(joined, yardsticks)
    figures["walk_forward"] = {
        "variants": len(runs),
        "steps": [step_document(step) for step in steps],
        "train_sharpe_mean": _mean([step.train_sharpe for step in steps]),
        "hindsight_sharpe": best.sharpe if best else None,
        "hindsight_point": best.point if best else None,
    }
    # the joined tests were chosen by no one: they are one trial
    figures["selection"] = {"trials": 1} | selection_figures.deflation_document(returns, joined.days, sessions, [], 1)
    files = run_folders.result_files(joined, yardsticks) | {"variants.csv": variants_csv(axes, runs)}
    return run_folders.save_files(ws, told, files, figures)


def step_document(step: WalkStep) -> Json:
    """Return a step of a walk forward as plain data."""
    return {
        "train_first": step.train[0],
        "train_last": step.train[1],
        "test_first": step.test[0],
        "test_last": step.test[1],
        "point": step.point,
        "train_sharpe": step.train_sharpe,
        "test_sharpe": step.test_sharpe,
        "test_return_frac": step.test_return_frac,
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
