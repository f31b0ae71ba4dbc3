"""Two agents' runs side by side: besides what two backtests tell, the first decisions that part, and the playbooks."""

import difflib
import json
import os
from itertools import zip_longest

from ia.agent.backtests.live import DECISIONS
from ia.agent.backtests.run_memory import PLAYBOOK
from ia.faculties.lab.run_differences import compare_runs
from ia.faculties.lab.run_folders import SavedRun
from ia.kernel.errors import BadData
from ia.kernel.jsontypes import Json


def compare_agents(one: SavedRun, other: SavedRun) -> Json:
    """Return what differs between two agents' runs.

    decisions_part  the first turn whose orders are not the same, with those of each run; None where all are
    playbook        the lines of a unified diff of what the playbooks were at the end; [] where they are the same
    """
    return {
        **compare_runs(one, other),
        "decisions_part": _first_parting(one, other),
        "playbook": _diff_playbooks(one, other),
    }


def _first_parting(one: SavedRun, other: SavedRun) -> Json | None:
    for a, b in zip_longest(_read_decisions(one), _read_decisions(other)):
        orders = [[_plain_order(order, run) for order in row["orders"]] if row else None
                  for row, run in ((a, one), (b, other))]  # fmt: skip
        if orders[0] != orders[1]:
            return {"day": min(row["date"] for row in (a, b) if row), "orders": orders}
    return None


def _plain_order(order: Json, run: SavedRun) -> Json:
    """Return an order without its number and its reason, under the real symbol."""
    names = run.figures.get("mask") or {}
    symbol = names.get(order["symbol"], order["symbol"])
    return {key: value for key, value in order.items() if key not in ("order_id", "reason")} | {"symbol": symbol}


def _read_decisions(run: SavedRun) -> list[Json]:
    try:
        with open(os.path.join(run.folder, DECISIONS), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
    except (OSError, ValueError):
        raise BadData("{path}: not the decisions of an agent's run", path=f"{run.id}/{DECISIONS}") from None
    return rows


def _diff_playbooks(one: SavedRun, other: SavedRun) -> list[str]:
    old, new = (read_playbook(run.folder).splitlines() for run in (one, other))
    names = [f"{run.id}/{PLAYBOOK}" for run in (one, other)]
    return list(difflib.unified_diff(old, new, fromfile=names[0], tofile=names[1], lineterm=""))


def read_playbook(folder: str) -> str:
    """Return what the playbook of a run was at its end; "" without one."""
    try:
        with open(os.path.join(folder, PLAYBOOK), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
