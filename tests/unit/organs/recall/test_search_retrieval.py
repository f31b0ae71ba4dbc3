"""Retrieval on public question sets, a part of each: the whole of them is in tests/bench/bench_recall.py."""

import importlib.util
import itertools
import statistics

import pytest

from support.program import REPO

_SPEC = importlib.util.spec_from_file_location("bench_recall", REPO / "tests" / "bench" / "bench_recall.py")
bench = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(bench)


@pytest.mark.process
@pytest.mark.parametrize(
    ("dataset", "most", "floor"),
    [
        pytest.param("fintruthqa_zh", None, 0.65, marks=pytest.mark.soak),
        ("cmrc2018_zh", None, 0.99),
        ("locomo", 4, 0.55),
        pytest.param("locomo", None, 0.56, marks=pytest.mark.soak),
    ],
)
@pytest.mark.share(3)
def test_recall_at_10(tmp_path, dataset, most, floor):
    """`most` is how many of its workspaces are asked."""
    if not (bench.SHARED / dataset).is_dir():
        pytest.skip(f"{bench.SHARED / dataset} is not there")
    shares = []
    for ws, queries in itertools.islice(bench.workspaces(dataset, tmp_path), most):
        shares += bench.recall_at_10(ws, queries[::6])
        ws.close()
    print(f"{dataset}: {statistics.fmean(shares):.3f}")
    assert statistics.fmean(shares) >= floor
