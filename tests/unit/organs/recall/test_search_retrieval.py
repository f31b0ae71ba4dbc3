"""Retrieval on public question sets, a part of each: the whole of them is in tests/bench/bench_recall.py."""

import importlib.util
import statistics

import pytest

from support.program import REPO

_SPEC = importlib.util.spec_from_file_location("bench_recall", REPO / "tests" / "bench" / "bench_recall.py")
bench = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(bench)


@pytest.mark.process
@pytest.mark.parametrize(
    ("dataset", "floor"),
    [
        pytest.param("fintruthqa_zh", 0.65, marks=pytest.mark.soak),
        ("cmrc2018_zh", 0.99),
        ("locomo", 0.56),
    ],
)
def test_recall_at_10(tmp_path, dataset, floor):
    if not (bench.SHARED / dataset).is_dir():
        pytest.skip(f"{bench.SHARED / dataset} is not there")
    shares = []
    for ws, queries in bench.workspaces(dataset, tmp_path):
        shares += bench.recall_at_10(ws, queries[::6])
        ws.close()
    assert statistics.fmean(shares) >= floor
