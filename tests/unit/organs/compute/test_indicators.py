"""The registry of `ia indicator`: names, parameters, shapes of what calc gives."""

import re

import numpy as np
import pytest

from ia.kernel.errors import NotFound, UsageError
from ia.organs.compute.array_backend import HEAVY
from ia.organs.compute.functions import FUNCTIONS
from ia.organs.compute.indicators import (
    CATEGORIES,
    CONVENTIONS,
    REGISTRY,
    calculate_indicator,
    find_indicator,
    parse_settings,
)
from ia.organs.ohlcv.canonical import Bars


def bars(rows=300):
    rng = np.random.default_rng(2)
    close = np.round(50 * np.exp(np.cumsum(rng.normal(0, 0.02, rows))), 2)
    dates = [str(np.datetime64("2023-01-02") + i) for i in range(rows)]
    volume = rng.integers(1000, 9000, rows).tolist()
    return Bars(dates, (close - 0.1).tolist(), (close + 0.5).tolist(), (close - 0.6).tolist(), close.tolist(), volume)


@pytest.mark.parametrize("entry", REGISTRY.values(), ids=REGISTRY)
def test_the_registry_agrees_with_the_coreutils(entry):
    function = FUNCTIONS[entry.alias]
    assert entry.category in CATEGORIES
    assert len(entry.inputs) == len(function.inputs)
    assert entry.outputs == (function.outputs or ("value",))
    keys = {p.name: p for p in function.params}
    assert {p.key for p in entry.params} == set(keys) - {"ddof"}
    for p in entry.params:
        mine = keys[p.key]
        assert p.type == ("int" if mine.whole else "float")
        assert p.low <= p.default <= p.high
        assert mine.low <= p.low and p.high <= mine.high
        if mine.default is not None:
            assert p.default == mine.default


@pytest.mark.parametrize("name", REGISTRY)
def test_calc_gives_the_newest_value_and_the_one_before(name):
    all_bars = bars()
    out = calculate_indicator(name, all_bars)
    yesterday = calculate_indicator(name, Bars(*(column[:-1] for column in all_bars)))
    assert out["date"] == all_bars.date[-1]
    outputs = REGISTRY[name].outputs
    if outputs == ("value",):
        assert set(out) == {"value", "prev", "date"}
        assert isinstance(out["value"], float)
        assert out["prev"] == pytest.approx(yesterday["value"], rel=1e-12)
    else:
        assert set(out) == {*outputs, "prev", "date"}
        for key in outputs:
            assert isinstance(out[key], float)
            assert out["prev"][key] == pytest.approx(yesterday[key], rel=1e-12)


@pytest.mark.parametrize("rows", [0, 1, 2])
@pytest.mark.parametrize("name", REGISTRY)
def test_calc_without_enough_bars_gives_null_and_says_so(name, rows):
    said = []
    out = calculate_indicator(name, bars(rows), notify=lambda message: said.append(str(message)))
    assert out["date"] == (None if rows == 0 else bars(rows).date[-1])
    if REGISTRY[name].params and rows:
        first = REGISTRY[name].outputs[0]
        assert out[first] is None
        assert said == [f"{name}: {rows} {'bar is' if rows == 1 else 'bars are'} too few to compute a value"]


def test_rsi_as_the_tool_interface_has_it():
    assert find_indicator("RSI").describe() == {
        "name": "RSI",
        "alias": "rsi",
        "category": "momentum",
        "description": "Relative Strength Index, 0-100 range",
        "inputs": ["close"],
        "params": {"period": {"type": "int", "default": 14, "range": [2, 200]}},
        "outputs": ["value"],
    }


@pytest.mark.parametrize(
    "name, meant",
    [("rsi", "RSI"), ("Macd", "MACD"), ("bollinger_bands", "BollingerBands"), ("bbands", "BollingerBands"),
     ("BOLL", "BollingerBands"), ("willr", "WilliamsR"), ("stoch", "Stochastic"), ("chaikin-oscillator", "ChaikinOscillator")],
)  # fmt: skip
def test_names_in_any_case_and_coreutil_names(name, meant):
    assert find_indicator(name).name == meant


def test_a_wrong_name_is_told_the_nearest():
    with pytest.raises(NotFound, match="RSO: no such indicator") as caught:
        find_indicator("RSO")
    assert "RSI" in caught.value.params["near"]
    with pytest.raises(NotFound) as caught:
        find_indicator("qqqqqqqqqq")
    assert caught.value.hint == "see `ia indicator list`"


@pytest.mark.parametrize(
    "name, given, message",
    [
        ("RSI", {"period": "1"}, "RSI: period must be between 2 and 200, not 1"),
        ("RSI", {"period": "x"}, "RSI: period must be a number, not x"),
        ("RSI", {"period": "14.5"}, "RSI: period must be an integer, not 14.5"),
        ("RSI", {"period": "nan"}, "RSI: period must be an integer, not nan"),
        ("RSI", {"n": "14"}, "RSI: unknown parameter n"),
        ("OBV", {"period": "14"}, "OBV has no parameters"),
        ("MACD", {"fast": "30"}, "MACD: fast must be below slow"),
        ("BollingerBands", {"std": "inf"}, "BollingerBands: std must be between 0.1 and 10.0, not inf"),
    ],
)
def test_parameters_that_do_not_fit(name, given, message):
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        parse_settings(find_indicator(name), given)


def test_parameters_as_texts_or_numbers():
    assert parse_settings(find_indicator("macd"), {"fast": "5", "slow": 10}) == {"fast": 5, "slow": 10, "signal": 9}
    assert parse_settings(find_indicator("bbands"), {"std": "3"}) == {"n": 20, "k": 3.0}
    assert calculate_indicator("bbands", bars(), {"std": 0.5})["upper"] < calculate_indicator("bbands", bars())["upper"]


def test_every_coreutil_with_several_results_is_an_indicator():
    several = {name for name, f in FUNCTIONS.items() if f.outputs}
    assert several <= {entry.alias for entry in REGISTRY.values()}


def test_conventions_are_paragraphs_for_the_man_page():
    paragraphs = CONVENTIONS.strip().split("\n\n")
    assert len(paragraphs) >= 8
    assert all(len(line) <= 118 for line in CONVENTIONS.splitlines())
    assert "\\" not in CONVENTIONS


def test_lists_give_the_same_figures():
    import json
    import subprocess
    import sys

    light = [name for name, entry in REGISTRY.items() if entry.alias not in HEAVY]
    code = (
        "import json, sys\n"
        "from ia.organs.compute import array_backend as arrays\n"
        "arrays.choose_arrays('rsi')\n"
        "from ia.organs.compute.indicators import calculate_indicator\n"
        "from ia.organs.ohlcv.canonical import Bars\n"
        "bars, names = json.load(sys.stdin)\n"
        "json.dump({name: calculate_indicator(name, Bars(*bars)) for name in names}, sys.stdout)\n"
        "assert 'numpy' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps([bars(), light]), text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {name: calculate_indicator(name, bars()) for name in light}


def test_listing_needs_no_numpy():
    import subprocess
    import sys

    code = "import sys, ia.organs.compute.indicators as i; i.find_indicator('rsi').describe(); assert 'numpy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
