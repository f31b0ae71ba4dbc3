"""Random expressions of `ia compute`, by a grammar of what gives a series, a frame or a number; and bars for them."""

import numpy as np
from hypothesis import strategies as st

from ia.organs.compute.functions import FUNCTIONS
from ia.organs.ohlcv.canonical import Bars


def make_bars(close, volume):
    high = [c * 1.01 for c in close]
    low = [c * 0.98 for c in close]
    start = [(h + v) / 2 for h, v in zip(high, low, strict=True)]
    dates = [str(np.datetime64("2020-01-01") + i) for i in range(len(close))]
    return Bars(dates, start, high, low, list(close), list(volume))


number = st.one_of(st.integers(-3, 1000).map(str), st.sampled_from(["0.5", "1.0", "1e3", "0", "0.0"]))
window = st.integers(1, 12).map(str)


def calls(series, truth):
    """Calls of every coreutil that gives one series of numbers."""

    def one(name):
        f = FUNCTIONS[name]
        kinds = {"cond": truth, "x?": series, "a?": series, "b?": st.one_of(series, number)}
        parts = [kinds.get(i, series) for i in f.inputs]
        needed = [p for p in f.params if p.default is None]
        free = [p for p in f.params if p.default is not None and p.whole and p.name not in ("fast", "slow", "ddof")]
        words = st.fixed_dictionaries({}, optional={p.name: window for p in free})
        return st.tuples(st.tuples(*parts), st.tuples(*[window for _ in needed]), words).map(
            lambda t: f"{name}({', '.join([*t[0], *t[1], *(f'{k}={v}' for k, v in t[2].items())])})"
        )

    plain = [
        n for n, f in FUNCTIONS.items() if not f.outputs and n not in ("latest", "prev", "crossover", "crossunder")
    ]
    return st.sampled_from(plain).flatmap(one)


def binary(left, ops, right):
    return st.tuples(left, st.sampled_from(ops), right).map(lambda t: f"({t[0]} {t[1]} {t[2]})")


def grammar(depth):
    """Return strategies of expressions that give (a series of numbers, a series of truth values)."""
    series = st.sampled_from(["open", "high", "low", "close", "volume"])
    truth = binary(series, ["<", ">="], st.one_of(series, number))
    for _ in range(depth):
        inner, inner_truth = series, truth
        series = st.one_of(
            inner,
            binary(inner, ["+", "-", "*", "/"], st.one_of(inner, number)),
            st.tuples(inner, st.sampled_from(["macd", "signal", "histogram"])).map(
                lambda t: f"macd({t[0]}, 2, 5, 3)['{t[1]}']"
            ),
            binary(number, ["+", "-", "*", "/"], inner),
            inner.map(lambda s: f"-{s}"),
            inner.map(lambda s: f"abs({s})"),
            calls(inner, inner_truth),
        )
        truth = st.one_of(
            binary(inner, ["<", "<=", ">", ">=", "==", "!="], st.one_of(inner, number)),
            binary(inner_truth, ["&", "|"], inner_truth),
            inner_truth.map(lambda s: f"~{s}"),
            st.tuples(st.sampled_from(["crossover", "crossunder"]), inner, st.one_of(inner, number)).map(
                lambda t: f"{t[0]}({t[1]}, {t[2]})"
            ),
        )
    return series, truth


SERIES, TRUTH = grammar(3)
FRAME = st.one_of(
    SERIES.map(lambda s: f"macd({s}, 3, 6, 4)"),
    st.tuples(SERIES, window).map(lambda t: f"bbands({t[0]}, n={t[1]})"),
    st.just("stoch(high, low, close, 5)"),
    st.just("dmi(high, low, close, n=3)"),
    st.just("aroon(high, low, 4)"),
)
SCALAR = st.one_of(
    SERIES.map(lambda s: f"latest({s})"),
    TRUTH.map(lambda s: f"latest({s})"),
    st.tuples(SERIES, window).map(lambda t: f"prev({t[0]}, {t[1]})"),
)
SOURCE = st.one_of(SERIES, TRUTH, FRAME, SCALAR, binary(SCALAR, ["+", "-", "*", "/", "<", ">="], number), SERIES)
