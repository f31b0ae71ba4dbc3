"""What unit tests of the stored market share."""

import contextlib

import pytest

from ia.market import store
from ia.ohlcv import cache
from ia.ohlcv.adjust import Action


@pytest.fixture
def db(ws):
    with contextlib.closing(cache.connect(ws)) as opened:
        yield opened


@pytest.fixture
def source(db):
    return store.source_id(db, "akshare", False)


@pytest.fixture
def full(db, source):
    """Three symbols: one whole, one listed later, one that was suspended over its ex-date."""
    from stored_market import DATES, bars

    gap = [*DATES[:20], *DATES[40:60]]
    store.put_histories(
        db, source,
        [
            store.History("600000.SH", bars(DATES[:60]), [Action(DATES[10], cash=0.5), Action(DATES[50], bonus=0.3)]),
            store.History("300001.SZ", bars(DATES[30:60], 50.0), []),
            store.History("000002.SZ", bars(gap, 7.0), [Action(DATES[25], cash=0.2), Action(DATES[30], bonus=1.0)]),
        ],
    )  # fmt: skip
    return db
