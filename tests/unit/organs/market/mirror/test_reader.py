"""The mirror: what the rows say, whatever is stored; never ahead of the clock."""

import fcntl
import json
import os
import random

import numpy as np
import pytest

from ia.kernel.errors import NotFound
from ia.organs.market import store
from ia.organs.market.mirror import layout, reader, writer
from ia.organs.ohlcv import series_store
from ia.organs.ohlcv.adjustment import Action, adjust_bars
from ia.organs.ohlcv.canonical import Bars
from support.markets.stored_histories import DATES, bars, check, quote

# what it says


def test_it_says_what_the_rows_say(ws, full, source):
    seen = check(ws, full, source)
    assert seen.symbols == ["000002.SZ", "600000.SH", "300001.SZ"]  # by their first bars
    assert seen.close.flags.writeable is False


def test_closes_are_read_without_numpy(ws, full, source):
    folder = layout.mirror_folder(ws, "akshare")
    spans = {
        "600000.SH": (DATES[3], DATES[7]), "000002.SZ": (DATES[10], "9999"), "300001.SZ": ("", DATES[31]),
        "999999.SZ": ("", "9999"), "600001.SH": (DATES[9], DATES[2]),
    }  # fmt: skip
    assert layout.read_closes(folder, full, source, spans) is None  # none is there yet
    reader.update_mirror(ws, full, source)
    found = layout.read_closes(folder, full, source, spans)
    assert found is not None and found.keys() == spans.keys()
    for symbol, (first, last) in spans.items():
        have = store.load_bars(full, source, symbol)
        assert found[symbol] == [
            (day, close) for day, close in zip(have.date, have.close, strict=True) if first <= day <= last
        ]
    store.put_day(full, source, DATES[60], [quote("600000.SH", 9.0)])
    assert layout.read_closes(folder, full, source, spans) is None  # it is behind
    reader.update_mirror(ws, full, source)
    with open(os.path.join(folder, "readers"), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert layout.read_closes(folder, full, source, spans) is None  # somebody is changing it
    assert layout.read_closes(folder, full, source, spans) == found


def test_anybody_can_read_the_files(ws, full, source):
    reader.update_mirror(ws, full, source)
    folder = writer.mirror_folder(ws, "akshare")
    close = np.load(os.path.join(folder, "close.npy"), mmap_mode="r")
    with open(os.path.join(folder, "index.json")) as file:
        index = json.load(file)
    assert close.shape == (len(index["dates"]), index["width"]) and close.dtype == np.float64
    assert close[index["dates"].index(DATES[59]), index["symbols"].index("600000.SH")] == 10.59
    assert np.isnan(close[:, len(index["symbols"]) :]).all()


@pytest.mark.parametrize("how", ["qfq", "hfq", "none"])
def test_adjusted_prices_are_those_of_ia_ohlcv(ws, full, source, how):
    seen = reader.load_mirror(ws, "akshare").adjust_prices(how)
    for at, symbol in enumerate(seen.symbols):
        acts = store.load_actions(full, source, symbol)
        told = adjust_bars(store.load_bars(full, source, symbol), acts, how, 0.01)
        for name in ("open", "high", "low", "close"):
            column = np.array(getattr(seen, name)[:, at])
            np.testing.assert_allclose(column[~np.isnan(column)], getattr(told, name), rtol=6e-10)


def test_a_cut_sees_nothing_later(ws, full, source):
    cut = reader.load_mirror(ws, "akshare", until=DATES[29])
    assert cut.dates == DATES[:30] and cut.symbols == ["000002.SZ", "600000.SH"]
    assert cut.close.shape == (30, 2)
    whole = bars(DATES[:30])
    acts = [Action(DATES[10], cash=0.5)]
    told = adjust_bars(whole, acts, "qfq", 0.01).close
    np.testing.assert_allclose(cut.adjust_prices("qfq").close[:, 1], told, rtol=6e-10)
    assert reader.load_mirror(ws, "akshare", until="2000-01-01").close.shape == (0, 0)
    assert reader.load_mirror(ws, "akshare", until="2000-01-01").adjust_prices("qfq").close.shape == (0, 0)


def test_the_clock_cuts_it(ws, full, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DATES[20]}T14:00:00+08:00")
    assert reader.load_mirror(ws, "akshare").dates[-1] == DATES[19]
    assert reader.load_mirror(ws, "akshare", until=DATES[50]).dates[-1] == DATES[19]
    monkeypatch.setenv("IA_NOW", f"{DATES[20]}T15:00:00+08:00")
    assert reader.load_mirror(ws, "akshare").dates[-1] == DATES[20]


def test_senseless_actions_give_no_price_instead_of_a_wrong_one(ws, full, source):
    store.put_history(full, source, "600000.SH", bars(DATES[:60]), [Action(DATES[10], cash=99.0)])
    seen = reader.load_mirror(ws, "akshare")
    at = seen.symbols.index("600000.SH")
    assert seen.close[5, at] == 10.05 and np.isnan(seen.adjust_prices("qfq").close[5, at])
    assert seen.factor[9, at] == 1.0 and np.isnan(seen.factor[10:, at]).all()


def test_without_a_synced_source_there_is_none(ws):
    with pytest.raises(NotFound):
        reader.load_mirror(ws, "akshare")


def test_a_source_without_bars_has_an_empty_mirror(ws, db, source):
    assert reader.load_mirror(ws, "akshare").close.shape == (0, 0)
    store.put_day(db, source, DATES[0], [quote("600000.SH", 5.0)])
    check(ws, db, source)


# how it keeps up


def built(ws, monkeypatch):
    """Return a list that grows whenever the mirror is built from nothing."""
    times = []
    planned = writer._plan_work

    def watched(*args):
        work = planned(*args)
        if work and work.old is None:
            times.append(1)
        return work

    monkeypatch.setattr(writer, "_plan_work", watched)
    return times


def test_a_day_is_appended(ws, full, source, monkeypatch):
    check(ws, full, source)
    whole = built(ws, monkeypatch)
    told = [quote("600000.SH", 12.0), quote("688001.SH", 30.0), quote("300001.SZ", 50.0)]
    store.put_day(full, source, DATES[60], told)
    check(ws, full, source)
    store.put_history(full, source, "688001.SH", Bars([], [], [], [], [], []), [Action(DATES[61], bonus=0.5)])
    store.put_day(full, source, DATES[61], [quote("688001.SH", 20.0), quote("000002.SZ", 8.0)])
    seen = check(ws, full, source)
    assert seen.factor[-1, seen.symbols.index("688001.SH")] == 1.5
    assert not whole


def test_the_last_day_is_amended(ws, full, source, monkeypatch):
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.0), quote("688001.SH", 30.0)])
    check(ws, full, source)
    whole = built(ws, monkeypatch)
    store.put_day(full, source, DATES[60], [quote("600000.SH", 12.5), quote("000002.SZ", 9.0)])
    check(ws, full, source)
    assert not whole


def test_a_history_is_amended(ws, full, source, monkeypatch):
    check(ws, full, source)
    whole = built(ws, monkeypatch)
    store.put_history(full, source, "300001.SZ", bars(DATES[5:60], 40.0), [Action(DATES[45], cash=1.0)])
    check(ws, full, source)
    store.put_history(full, source, "300001.SZ", bars(DATES[10:50], 41.0))
    check(ws, full, source)
    assert not whole


def test_a_past_day_is_amended_and_what_hangs_on_it(ws, full, source, monkeypatch):
    check(ws, full, source)
    whole = built(ws, monkeypatch)
    store.put_day(full, source, DATES[49], [quote("600000.SH", 11.0)])  # the close before an ex-date
    store.put_day(full, source, DATES[35], [quote("000002.SZ", 6.0)])  # the first bar after two ex-dates
    check(ws, full, source)
    assert not whole


def test_older_days_come_in_front_and_between(ws, db, source):
    for at in (10, 12, 14):
        store.put_day(db, source, DATES[at], [quote(f"60000{n}.SH", 5.0 + n) for n in range(9)])
        check(ws, db, source)
    store.put_history(db, source, "600001.SH", bars([*DATES[:12], DATES[13]], 9.0), [Action(DATES[5], cash=0.3)])
    check(ws, db, source)


def test_actions_that_ia_ohlcv_fetched_count_too(ws, full, source):
    from ia.domain.instruments.symbols import Symbol

    check(ws, full, source)
    series = series_store.Series(
        adapter="akshare",
        symbol="300001.SZ",
        name="x",
        host="host",
        note="",
        simulated=False,
        fetched="t",
        fresh_until="t",
        first=DATES[30],
        last=DATES[59],
    )
    symbol = Symbol("300001", "CN", "SZ", "stock", "x")
    series_store.store_series(full, symbol, series, bars(DATES[30:60], 50.0), [Action(DATES[40], cash=2.0)])
    seen = check(ws, full, source)
    assert seen.factor[-1, seen.symbols.index("300001.SZ")] > 1


def test_more_listings_than_spare_columns(ws, full, source):
    check(ws, full, source)
    store.put_day(full, source, DATES[60], [quote(f"{n:06d}.SZ", 5.0) for n in range(200)])
    seen = check(ws, full, source)
    assert len(seen.symbols) == 202


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_storing_ends_at_the_rows(ws, db, source, seed):
    rng = random.Random(seed)
    symbols = [f"6000{n:02d}.SH" for n in range(12)]
    for _ in range(25):
        some = rng.sample(symbols, rng.randint(1, 12))
        if rng.random() < 0.6:
            told = [quote(s, round(rng.uniform(5, 50), 2)) for s in some]
            store.put_day(db, source, rng.choice(DATES[: 20 + seed * 5]), told, bars=rng.random() < 0.9)
        else:
            first = rng.randrange(30)
            dates = [d for d in DATES[first : first + rng.randint(2, 30)] if rng.random() < 0.8] or DATES[:2]
            acts = [Action(rng.choice(DATES), cash=rng.choice([0.1, 0.5]), bonus=rng.choice([0, 0.3]))] * rng.randint(
                0, 2
            )
            store.put_history(db, source, some[0], bars(dates, rng.uniform(8, 40)), acts)
        if rng.random() < 0.5:
            held = reader.load_mirror(ws, "akshare") if rng.random() < 0.5 else None
            check(ws, db, source)
            del held
    check(ws, db, source)
