"""The guards by themselves: what a value has, what it has not, and what is a slip of the pen."""

import numpy as np
import pandas as pd
import pytest

from ia.organs.compute import allowlist
from ia.organs.compute.facade import (
    Absent,
    Denied,
    Space,
    attributes_of,
    call_function,
    check_reduction,
    get_attribute,
    get_item,
    guard_write,
    operate_in_place,
    operate_on_item,
)

CLOSE = pd.Series([1.0, 2.0, 3.0], index=pd.date_range("2024-01-01", periods=3), name="close")
FRAME = CLOSE.to_frame()


def test_listed_attributes_are_read():
    assert get_attribute(CLOSE, "mean")() == 2.0
    assert get_attribute(FRAME, "shape") == (3, 1)
    assert get_attribute(FRAME, "close").equals(CLOSE)
    assert get_attribute(np.float64(3.5), "is_integer")() is False
    assert get_attribute(next(FRAME.itertuples()), "close") == 1.0
    assert get_attribute(FRAME.iloc[0], "close") == 1.0


def test_the_mean_of_an_array_is_that_of_numpy_to_the_bit():
    draw = np.random.default_rng(15)
    for size in (*range(1, 40), 127, 128, 129, 1000, 5000):
        values = draw.normal(100, 30, size)
        mean = get_attribute(values, "mean")()
        assert mean == values.mean() and type(mean) is type(values.mean())
        assert get_attribute(values[::3], "mean")() == values[::3].mean()
    table = draw.normal(size=(5, 3))
    assert get_attribute(table, "mean")(axis=0).tolist() == table.mean(axis=0).tolist()
    assert get_attribute(table, "mean")() == table.mean()
    assert get_attribute(np.array([1, 2, 4]), "mean")() == np.array([1, 2, 4]).mean()
    assert np.isnan(get_attribute(np.array([1.0, np.nan]), "mean")())


@pytest.mark.parametrize("name", ["to_csv", "to_pickle", "plot", "style", "eval", "query", "attrs", "flags", "pipe_"])
def test_what_exists_is_denied_and_what_does_not_is_absent(name):
    with pytest.raises(Absent if name == "pipe_" else Denied):
        get_attribute(FRAME, name)


@pytest.mark.parametrize("name", ["__class__", "_mgr", "_", "__init__"])
def test_underscores_are_denied_whatever_the_value(name):
    for value in (CLOSE, FRAME, "x", 1, Space("pd", {}, ()), get_attribute):
        with pytest.raises(Denied):
            get_attribute(value, name)


@pytest.mark.parametrize(
    "value", [object(), np, get_attribute, CLOSE.mean, iter([1]), type, lambda: 1, b"x", 1j, CLOSE.loc]
)
def test_a_type_that_is_not_listed_has_no_attributes(value):
    assert attributes_of(type(value)) == frozenset()
    for name in ("real", "shape", "index", "os", "obj", "decode", "mro"):
        with pytest.raises((Denied, Absent)):
            get_attribute(value, name)


def test_no_attribute_of_the_lists_begins_with_an_underscore_or_writes():
    names = set().union(
        *(listed for _, listed in allowlist.ATTRIBUTES),
        allowlist.PANDAS,
        allowlist.NUMPY,
        allowlist.BUILTINS,
        allowlist.REDUCTIONS,
    )
    assert not {name for name in names if name.startswith("_")}
    writers = {
        "dict",
        "list",
        "series",
        "frame",
        "numpy",
        "flat_index",
        "period",
        "timestamp",
        "datetime",
        "pydatetime",
        "timedelta",
    }
    assert {name[3:] for name in names if name.startswith("to_")} <= writers | {"numeric", "to"}
    assert not names & {"eval", "exec", "open", "compile", "query", "format", "format_map", "getattr", "type", "vars", "object",
                        "load", "save", "loadtxt", "genfromtxt", "fromfile", "tofile", "memmap", "frombuffer", "view", "data",
                        "ctypes", "base", "setflags", "read_csv", "read_pickle", "set_option", "io", "core", "lib", "style", "plot"}  # fmt: skip


def test_a_did_you_mean_needs_names():
    with pytest.raises(Absent) as caught:
        get_attribute(CLOSE, "meen")
    assert "mean" in caught.value.near


@pytest.mark.parametrize("what", ["mean", ["mean", "std"], {"close": ["min", "max"]}, len, np.mean, None, ("sum",)])
def test_reductions_by_name_or_function(what):
    assert check_reduction(what) == (list(what) if isinstance(what, tuple) else what)


@pytest.mark.parametrize(
    "what",
    ["to_csv", ["mean", "to_csv"], {"close": "to_pickle"}, {"a": {"b": "x"}}, pd.Series(["mean"]), np.array(["mean"]), {"mean"},
     iter(["mean"]), np.str_("to_csv"), 3, b"mean", {"a": 1}.keys()],
)  # fmt: skip
def test_other_names_and_other_carriers_are_denied(what):
    with pytest.raises(Denied):
        assert check_reduction(what) == (list(what) if isinstance(what, tuple) else what)


def test_a_reduction_is_a_copy():
    names = ["mean"]
    copied = check_reduction(names)
    names[0] = "to_csv"
    assert copied == ["mean"]


def test_engines_are_left_out():
    assert get_attribute(CLOSE.rolling(2), "mean")(engine="numba", engine_kwargs={"x": 1}).iloc[-1] == 2.5


def test_writing():
    items = [1, 2]
    guard_write(items)[0] = 5
    assert items == [5, 2]
    frame = FRAME.copy()
    guard_write(frame)["x"] = 1
    guard_write(frame.loc)[frame.index[0], "x"] = 7
    guard_write(frame).columns = ["a", "b"]
    assert list(frame.columns) == ["a", "b"] and frame.b.iloc[0] == 7
    for value in ("x", (1,), pd, Space("pd", {}, ()), pd.Series, frame.groupby("a"), len):
        with pytest.raises(Denied):
            guard_write(value)[0] = 1
        with pytest.raises(Denied):
            guard_write(value).name = "x"
    with pytest.raises(Denied):
        guard_write(frame).attrs = {}


def test_in_place_makes_a_new_value():
    items = [1]
    assert operate_in_place("+=", items, [2]) == [1, 2] and items == [1]
    counts = {"a": 1}
    operate_on_item("+=", counts, "a", 2)
    assert counts == {"a": 3}
    with pytest.raises(Denied):
        operate_on_item("+=", "abc", 0, "x")


def test_classes_and_namespaces_have_no_items():
    for value in (list, pd.Series, Space("pd", {"x": 1}, ())):
        with pytest.raises(Denied):
            get_item(value, "x")


def test_star_calls_take_no_underscores():
    assert call_function(dict, a=1) == {"a": 1}
    with pytest.raises(Denied):
        call_function(dict, _a=1)
