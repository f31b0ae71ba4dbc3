"""Reads the reference values of the shared data: bars by column name, expected columns beside them."""

import csv
import functools
import gzip
import json

import numpy as np

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
