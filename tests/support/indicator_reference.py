"""Reads the reference values of the shared data: bars by column name, expected columns beside them."""

import csv
import functools
import gzip
import json

import numpy as np

from ia.organs.compute import kernels as k

BAR = ("open", "high", "low", "close", "volume")


@functools.cache
def read_csv(path):
    """Return a CSV (gzipped or not) as arrays by column; what is no number is left out, what is empty is NaN."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        rows = list(csv.DictReader(file))
    out = {}
    for key in rows[0]:
        try:
            out[key] = np.array([float(row[key]) if row[key] else np.nan for row in rows])
        except ValueError:
            out[key] = np.array([row[key] for row in rows])
    return out


def talib(shared, name):
    """Return (bars, expected) of one of the TA-Lib files; AAPL's prices with all the digits TA-Lib was given."""
    table = read_csv(shared / "indicators" / "talib_ref" / f"{name}.csv.gz")
    bars = {key: table[key] for key in BAR}
    if name == "us_AAPL":
        source = read_csv(shared / "us" / "sp500_yahoo_20160104_20190520.csv.gz")
        mine = source["Symbol"] == "AAPL"
        bars = {key: source[key.title()][mine] for key in BAR}
    return bars, table


def spy(shared):
    """Return the bars of SPY 1999-2020, on which tulipy and pandas-ta-classic were run."""
    table = read_csv(shared / "us" / "SPY_D_1999_2020_pandas_ta.csv")
    return {key: table[key] for key in BAR}


def tulipy(shared):
    """Return tulipy's arrays: the last 2,100 rows of SPY."""
    with gzip.open(shared / "indicators" / "tulipy_oracle_SPY_D_tail2100.json.gz") as file:
        arrays = json.load(file)["arrays"]
    return {key: np.array([np.nan if v is None else v for v in values], dtype=float) for key, values in arrays.items()}


def close_to(mine, theirs, tolerance, absolute=None):
    """Assert that mine has a value wherever theirs has, within the relative tolerance (absolute below 1)."""
    there = ~np.isnan(theirs)
    assert there.any()
    np.testing.assert_allclose(
        mine[there], theirs[there], rtol=tolerance, atol=tolerance if absolute is None else absolute
    )


def tulipy_columns(o, h, l, c, v):  # noqa: E741
    """What the kernels say for tulipy's arrays; those of other indicators are left to test_coreutils_ta_reference.py."""
    upper, middle, lower = k.bbands(c)
    slow_k, slow_d = k.stoch(h, l, c)
    up, down = k.aroon(h, l)
    hl2 = (h + l) / 2
    return {
        "sma": k.sma(c, 20), "ema": k.ema(c, 20), "wma": k.wma(c, 20), "dema": k.dema(c, 20), "tema": k.tema(c, 20),
        "hma": k.wma(2 * k.wma(c, 4) - k.wma(c, 9), 3), "wilders": k.wilder(c, 14), "kama": k.kama(c),
        "vwma": k.vwma(c, v, 20), "trima": k.sma(k.sma(c, 10), 11), "qstick": k.sma(c - o, 10), "rsi": k.rsi(c),
        "mom": k.change(c, 10), "roc": k.roc(c) / 100, "rocr": c / k.ref(c, 10), "willr": k.willr(h, l, c),
        "cci": k.cci(h, l, c, 14), "bop": k.bop(o, h, l, c), "mfi": k.mfi(h, l, c, v), "ao": k.sma(hl2, 5) - k.sma(hl2, 34),
        "cmo": 100 * (k.total(np.maximum(k.change(c), 0), 14) - k.total(np.maximum(-k.change(c), 0), 14))
        / k.total(np.abs(k.change(c)), 14),
        "vhf": (k.highest(c, 28) - k.lowest(c, 28)) / k.total(np.abs(k.change(c)), 28), "trix": k.trix(c, 18),
        "stochrsi": (k.rsi(c) - k.lowest(k.rsi(c), 14)) / (k.highest(k.rsi(c), 14) - k.lowest(k.rsi(c), 14)),
        "obv": k.obv(c, v) - v[0], "stoch_k": slow_k, "stoch_d": slow_d, "aroon_up": up, "aroon_down": down,
        "aroonosc": up - down, "atr": k.atr(h, l, c), "natr": k.natr(h, l, c), "bbands_lower": lower,
        "bbands_mid": middle, "bbands_upper": upper, "stddev": k.stdev(c, 20), "var": k.stdev(c, 20) ** 2,
        "linreg": k.linreg(c, 14), "tsf": k.linreg(c, 14) + k.slope(c, 14), "md": k.meandev(c, 5), "lag": k.ref(c, 3),
        "wcprice": (h + l + 2 * c) / 4, "medprice": hl2, "typprice": (h + l + c) / 3, "avgprice": (o + h + l + c) / 4,
    }  # fmt: skip
