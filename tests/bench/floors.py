"""Timing whole processes against a floor of the same run: medians, interleaved, bytecode compiled."""

import os
import resource
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

PYTHON = sys.executable
SCRIPTS = Path(__file__).parent


class Case(NamedTuple):
    """A shell command, the floor that it is held to (a name, or None for a floor itself), and the ratio asked for."""

    name: str
    command: str
    floor: str | None = None
    limit: float | None = None


def measure(cases: list[Case], rounds: int, env: dict[str, str]) -> dict[str, float]:
    """Return the median milliseconds of each command. Rounds go through all cases, so that a slow moment hits all."""
    times: dict[str, list[float]] = {case.name: [] for case in cases}
    for turn in range(rounds + 1):
        for case in cases:
            start = time.perf_counter()
            run = subprocess.run(
                ["bash", "-c", f"set -o pipefail; {case.command}"],
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
            elapsed = (time.perf_counter() - start) * 1e3
            if run.returncode != 0:
                sys.exit(f"{case.name}: status {run.returncode}: {run.stderr.decode()[-400:]}")
            if turn:  # the first round warms bytecode, page cache and the workspace
                times[case.name].append(elapsed)
    return {name: statistics.median(values) for name, values in times.items()}


def measure_processor(cases: list[Case], rounds: int, env: dict[str, str]) -> dict[str, float]:
    """Return the median milliseconds of processor time, user and system, of each command; no shell runs it."""
    times: dict[str, list[float]] = {case.name: [] for case in cases}
    for turn in range(rounds + 1):
        for case in cases:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run = subprocess.run(shlex.split(case.command), env=env, stdin=subprocess.DEVNULL, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if run.returncode != 0:
                sys.exit(f"{case.name}: status {run.returncode}: {run.stderr.decode()[-400:]}")
            if turn:
                spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                times[case.name].append(spent * 1e3)
    return {name: statistics.median(values) for name, values in times.items()}


def table(cases: list[Case], medians: dict[str, float]) -> None:
    """Print each case with its floor, ratio and limit."""
    print(f"{'case':<44}{'ms':>8}  {'floor':<22}{'ratio':>7}{'asked':>8}")
    for case in cases:
        line = f"{case.name:<44}{medians[case.name]:>8.0f}"
        if case.floor:
            ratio = medians[case.name] / medians[case.floor]
            asked = f"≤ {case.limit:g}" if case.limit else ""
            line += f"  {case.floor:<22}{ratio:>7.2f}{asked:>8}"
            if case.limit:
                line += "" if ratio <= case.limit else "  over"
        print(line)


def environment(home: Path) -> dict[str, str]:
    """Return a clean environment with the installed `ia` on PATH, the simulated market, and this workspace."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("IA_", "PYTHON"))}
    path = f"{Path(PYTHON).parent}{os.pathsep}{kept.get('PATH', '')}"
    return {**kept, "PATH": path, "IA_HOME": str(home), "IA_MARKET_ADAPTER": "demo", "LANG": "C.UTF-8"}
