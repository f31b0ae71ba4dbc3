"""A stored market of a few symbols, and what its mirror has to say by the rows."""

import math

import numpy as np

from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.market.mirror import reader, writer
from ia.organs.market.quote import Quote
from ia.organs.ohlcv.canonical import Bars

DATES = [f"2024-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in range(1, 29)]


def bars(dates, start=10.0, step=0.01):
    close = [round(start + step * n, 2) for n in range(len(dates))]
    return Bars(
        list(dates), [c - 0.01 for c in close], [c + 0.02 for c in close], [c - 0.02 for c in close], close,
        [1000 + n for n in range(len(dates))],
    )  # fmt: skip


def quote(symbol, price, **told):
    return Quote(symbol=symbol, price=price, open=price, high=price, low=price, volume=100, amount=price * 100, **told)


def expected(db, source):
    """The matrices as the rows say, worked out a symbol at a time."""
    dates = store.stored_days(db, source)
    symbols = [s for (s,) in db.execute("SELECT symbol FROM securities WHERE source = ? AND first <> ''", (source,))]
    found = {}
    for symbol in symbols:
        rows = {row[0]: row[1:] for row in marketdb.read_daily(db, source, symbol, "9999")}
        told = [rows.get(date, (None,) * 6) for date in dates]
        columns = dict(zip(writer.COLUMNS, map(list, zip(*told, strict=True)), strict=False))
        have = store.load_bars(db, source, symbol)
        acts = store.load_actions(db, source, symbol)
        scale = dict(zip(have.date, writer.adjustment_factors(have.date, have.close, acts, 0.01), strict=True))
        factor, last = [], 1.0
        for date in dates:
            last = scale.get(date, last)
            factor.append(last)
        found[symbol] = {**columns, "factor": factor}
    return dates, found


def check(ws, db, source, **load):
    """Hold the mirror to the rows, value by value."""
    seen = reader.load_mirror(ws, "akshare", **load)
    dates, columns = expected(db, source)
    assert seen.dates == dates
    assert sorted(seen.symbols) == sorted(columns)
    for name in writer.COLUMNS:
        matrix = getattr(seen, name)
        assert matrix.shape == (len(dates), len(columns)) and matrix.dtype == np.float64
        for at, symbol in enumerate(seen.symbols):
            told = [math.nan if value is None else value for value in columns[symbol][name]]
            np.testing.assert_array_equal(np.array(matrix[:, at]), told, f"{name} of {symbol}")
    return seen
