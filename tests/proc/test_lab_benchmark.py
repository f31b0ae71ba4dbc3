"""The benchmark of the lab runs, small: its figures are for people, that it runs is for this test."""

import os
import subprocess
import sys

import pytest

from support.minute_bars import NEEDS_CLUSTER
from support.program import REPO


@pytest.mark.soak
def test_it_measures_every_part(tmp_path):
    command = [sys.executable, str(REPO / "tests" / "bench" / "bench_lab.py")]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = subprocess.run([*command, "--part", "25", "--rounds", "1"], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for figure in ("scan c, dense", "scan c, with gaps", "ia scan a, memory", "weekly", "each alone", "its replay"):
        assert figure in run.stdout
    assert not list(tmp_path.glob("ia-bench-*"))


@pytest.mark.soak
@NEEDS_CLUSTER
def test_it_measures_workers(tmp_path):
    command = [sys.executable, str(REPO / "tests" / "bench" / "bench_cluster.py"), "--part", "40"]
    run = subprocess.run(command, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "2 worker(s): start" in run.stdout and not list(tmp_path.glob("ia-bench-*"))
