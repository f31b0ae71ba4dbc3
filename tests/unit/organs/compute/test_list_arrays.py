"""The kernels on plain lists give to the bit what they give on numpy's arrays."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from ia.organs.compute.array_backend import HEAVY
from ia.organs.compute.array_lane import compile_array
from support.expressions import FRAME, SERIES, TRUTH, make_bars
from support.random_tests import examples

CHILD = """
import json, sys
from ia.organs.compute import array_backend
array_backend.choose_arrays("")
from ia.organs.compute.array_lane import compile_array
from ia.organs.ohlcv.canonical import Bars
assert "numpy" not in sys.modules
for line in sys.stdin:
    source, columns = json.loads(line)
    try:
        out = compile_array(source).run(Bars(*columns))
        kinds = [array.dtype.__name__ for array in out.arrays]
        answer = [out.kind, out.value, list(out.names), kinds, [array.tolist() for array in out.arrays]]
    except Exception as exc:
        answer = [type(exc).__name__]
    print(json.dumps(answer), flush=True)
"""
KINDS = {"bool": np.bool_, "int": np.int64, "float": np.float64}


@pytest.fixture(scope="module")
def lists():
    """A process that evaluates on lists, and never loads numpy."""
    child = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def evaluate(source, bars):
        child.stdin.write(json.dumps([source, list(bars)]) + "\n")
        child.stdin.flush()
        return json.loads(child.stdout.readline())

    yield evaluate
    child.stdin.close()
    child.wait(timeout=90)
    child.stdout.close()


def bits(value):
    return [math.nan if v != v else v for v in value] if isinstance(value, list) else value


price = st.one_of(st.integers(1, 100_000).map(lambda c: c / 100), st.sampled_from([1e-6, 1.0, 1e7]))
bars_of = st.lists(st.tuples(price, st.integers(0, 10**12)), min_size=0, max_size=45).map(
    lambda rows: make_bars([row[0] for row in rows], [row[1] for row in rows])
)


@pytest.mark.process
@examples(600, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.one_of(SERIES, TRUTH, FRAME, st.one_of(SERIES, TRUTH).map(lambda s: f"latest({s})")), bars_of)
def test_lists_and_numpy_agree_to_the_bit(lists, source, bars):
    if any(name in source for name in HEAVY):
        return
    found = lists(source, bars)
    try:
        expected = compile_array(source).run(bars)
    except Exception:
        assert len(found) == 1, f"{source}: numpy refuses, lists give {found}"
        return
    if found == ["Unlike"]:
        return  # a doubt sends the expression to the full lane
    assert len(found) == 5, f"{source}: {found}"
    kind, value, names, kinds, arrays = found
    assert (kind, names) == (expected.kind, list(expected.names)), source
    assert value == expected.value or (value != value and expected.value != expected.value), source
    assert type(value) is type(expected.value), source
    for dtype, mine, theirs in zip(kinds, arrays, expected.arrays, strict=True):
        assert theirs.dtype == KINDS[dtype], source
        np.testing.assert_array_equal(np.array(mine, dtype=KINDS[dtype]), theirs, err_msg=source)
        zero = [math.copysign(1.0, v) for v in mine if v == 0 and dtype == "float"]
        assert zero == [math.copysign(1.0, v) for v in theirs.tolist() if v == 0 and dtype == "float"], source


@pytest.mark.process
@pytest.mark.parametrize("size", [0, 1, 2, 60, 700])
def test_every_function_on_a_real_course(lists, size):
    from ia.organs.compute.functions import FUNCTIONS

    walk = np.random.default_rng(7).normal(0, 0.02, size).cumsum()
    closes = (np.exp(walk) * 50).round(2).tolist()
    bars = make_bars(closes, [1000 + 37 * i for i in range(size)])
    for name, function in FUNCTIONS.items():
        if name in HEAVY:
            continue
        words = {
            "cond": "close > open",
            "x": "close",
            "x?": "close",
            "a": "close",
            "b": "open",
            "a?": "close",
            "b?": "open",
        }
        arguments = [words.get(i, i) for i in function.inputs] + ["5" for p in function.params if p.default is None]
        source = f"{name}({', '.join(arguments)})"
        found, expected = lists(source, bars), compile_array(source).run(bars)
        assert found[0] == expected.kind, (source, found)
        for mine, theirs in zip(found[4], expected.arrays, strict=True):
            np.testing.assert_array_equal(np.array(mine, dtype=theirs.dtype), theirs, err_msg=source)
