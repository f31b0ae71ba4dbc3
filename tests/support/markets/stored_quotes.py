"""A small market of one's own in the store: quotes as a snapshot tells them, put there by the store itself."""

import contextlib

from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.market.quote import Quote

CLOSE = "T07:30:00.000Z"
"""15:30 in Shanghai, as a stamp."""


def quote(symbol, name="甲公司", change=1.0, price=10.0, **fields):
    """A stock that rose by `change` per cent to `price`; what is not given is plausible, what is None is missing."""
    before = round(price / (1 + change / 100), 2)
    told = {
        "prev_close": before, "change": round(price - before, 2), "change_pct": change, "open": before,
        "high": max(price, before), "low": min(price, before), "volume": 1_000_000, "amount": 1e7,
        "turnover_pct": 1.5, "pe": 12.0, "pb": 1.2, "market_cap": 1e10, "float_cap": 8e9, "listed": "2010-01-04",
    }  # fmt: skip
    return Quote(symbol=symbol, name=name, price=price, **{**told, **fields})


def fill(ws, days, adapter="akshare", simulated=False, time=None, bars=True):
    """Store {date: [quotes]} as synced days."""
    with contextlib.closing(marketdb.connect(ws)) as db:
        source = store.source_id(db, adapter, simulated)
        for date, quotes in days.items():
            store.put_day(db, source, date, quotes, host="82.push2.eastmoney.com", time=time or date + CLOSE, bars=bars)
    return source


def insert(ws, table, *rows, adapter="akshare"):
    """Insert rows (dicts without `source`) into a table of the whole market."""
    with contextlib.closing(marketdb.connect(ws)) as db:
        source = store.source_id(db, adapter, False)
        for row in rows:
            names = ["source", *row]
            marks = ", ".join("?" * len(names))
            db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", [source, *row.values()])
