"""Several runs that belong together: repeats with other seeds, and runs whose future is invented.

They lie beside the first run, `RUN.r2`, `RUN.c1` …, and follow from its settings alone, so that an interrupted group
continues like an interrupted run. `group.json` of the first run compares them.
"""

import csv
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean, stdev

from ia.agent.backtests.agent_runs import (
    live_or_continue,
    load_settings,
    open_market,
    replay_in,
    run_folder,
)
from ia.agent.backtests.counterfactuals import quarter_starts
from ia.agent.backtests.live import DECISIONS, Progress
from ia.agent.backtests.run_settings import RunSettings
from ia.kernel.errors import Notify
from ia.kernel.files import replace_file
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

GROUP = "group.json"


def list_variants(settings: RunSettings, sessions: Sequence[str]) -> dict[str, RunSettings]:
    """Return the further runs of a group: the end of the name, and the settings."""
    found = {
        f"r{number}": replace(settings, seed=settings.seed + number - 1, repeats=1, counterfactuals=0)
        for number in range(2, settings.repeats + 1)
    }
    quarters = quarter_starts(sessions) if settings.counterfactuals else []
    for number in range(1, settings.counterfactuals + 1) if quarters else []:
        since = quarters[(number - 1) % len(quarters)]
        found[f"c{number}"] = replace(settings, counterfactual=since, invention=number, repeats=1, counterfactuals=0)
    return found


def live_group(ws: Workspace, run: str, *, notify: Notify, progress: Progress) -> tuple[Json, Json | None]:
    """Live what is not lived yet of a run and of those that belong to it; return its result and the comparison."""
    folder = run_folder(ws, run)
    settings = load_settings(folder)
    market = open_market(ws, settings, notify)
    result = live_or_continue(ws, folder, settings, market, notify=notify, progress=progress)
    variants = list_variants(settings, market.sessions)
    results = {
        end: live_or_continue(ws, f"{folder}.{end}", each, market, notify=notify, progress=progress, before=folder)
        for end, each in variants.items()
    }
    return result, _write_group(folder, result, results, variants)


def replay_group(
    ws: Workspace, run: str, *, notify: Notify, progress: Progress
) -> tuple[str, Json, Json | None, list[str]]:
    """Live a run and those that belong to it again with the recorded answers alone.

    Returns the folder, the result, the comparison, and the files that differ.
    """
    folder = run_folder(ws, run)
    settings = load_settings(folder)
    market = open_market(ws, settings, notify)
    again, result, differing = replay_in(ws, folder, None, settings, market, notify=notify, progress=progress)
    results: dict[str, Json] = {}
    variants = list_variants(settings, market.sessions)
    for end, each in variants.items():
        _, results[end], more = replay_in(
            ws, f"{folder}.{end}", f"{again}.{end}", each, market, notify=notify, progress=progress
        )
        differing += [f"{end}/{name}" for name in more]
    return again, result, _write_group(again, result, results, variants), differing


def load_group(folder: str) -> Json | None:
    """Return the comparison in a run's folder; None where there is none."""
    try:
        with open(os.path.join(folder, GROUP), encoding="utf-8") as file:
            found = json.load(file)
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _write_group(folder: str, result: Json, results: dict[str, Json], variants: dict[str, RunSettings]) -> Json | None:
    if not results:
        return None
    document: Json = {}
    if repeats := [end for end in results if end.startswith("r")]:
        document["repeats"] = _compare_repeats(folder, result, {end: results[end] for end in repeats})
    if invented := [end for end in results if end.startswith("c")]:
        document["counterfactuals"] = _compare_edges(folder, {end: variants[end].counterfactual for end in invented})
    replace_file(os.path.join(folder, GROUP), json.dumps(document, ensure_ascii=False, indent=1) + "\n", durable=False)
    return document


def _compare_repeats(folder: str, result: Json, results: dict[str, Json]) -> Json:
    every = [result, *results.values()]
    days = [_orders_by_day(folder, result)]
    days += [_orders_by_day(f"{folder}.{end}", each) for end, each in results.items()]
    return {
        "runs": len(every),
        "return_frac": _measure_spread([each["return_frac"] for each in every]),
        "percentile_pct": _measure_spread([each["percentile_pct"] for each in every]),
        "agreement_frac": _agreement(days),
    }


def _measure_spread(values: Sequence[float | None]) -> Json:
    known = [value for value in values if value is not None]
    return {
        "values": list(values),
        "mean": round(fmean(known), 6) if known else None,
        "sd": round(stdev(known), 6) if len(known) > 1 else None,
    }


def _orders_by_day(folder: str, result: Json) -> dict[str, frozenset[tuple[str, str]]]:
    found: dict[str, frozenset[tuple[str, str]]] = {}
    names = result.get("mask") or {}
    with open(os.path.join(folder, DECISIONS), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            given = frozenset((order["action"], names.get(order["symbol"], order["symbol"])) for order in row["orders"])
            found[row["date"]] = found.get(row["date"], frozenset()) | given
    return found


def _agreement(runs: Sequence[dict[str, frozenset[tuple[str, str]]]]) -> float | None:
    """Return how alike decisions are: the part of the sessions with orders on which two runs order the same.

    It is the mean over all pairs of runs; None where none of them orders anything.
    """
    shares = []
    for one, other in combinations(runs, 2):
        active = [day for day in one if one[day] or other.get(day)]
        if active:
            shares.append(sum(one[day] == other.get(day) for day in active) / len(active))
    return round(fmean(shares), 4) if shares else None


def _compare_edges(folder: str, since: dict[str, str]) -> Json:
    """Return the edge over equal weight from a day on, as it was and on invented bars."""
    rows: list[Json] = []
    for end, day in since.items():
        real, invented = _edge(folder, day), _edge(f"{folder}.{end}", day)
        rows.append({"since": day, "real_edge_frac": real, "invented_edge_frac": invented})
    return {
        "runs": rows,
        "real_edge_frac": round(fmean(row["real_edge_frac"] for row in rows), 6),
        "invented_edge_frac": round(fmean(row["invented_edge_frac"] for row in rows), 6),
    }


def _edge(folder: str, since: str) -> float:
    with open(os.path.join(folder, "equity.csv"), encoding="utf-8", newline="") as file:
        rows = [(row["date"], float(row["equity"]), float(row["equal_weight"])) for row in csv.DictReader(file)]
    before = [row for row in rows if row[0] < since][-1]
    last = rows[-1]
    return round(last[1] / before[1] - last[2] / before[2], 6)
