"""Adjustment factors: the arithmetic by hand, and daily returns against sources that multiply."""

import csv
import gzip
import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.kernel.errors import BadData, UsageError
from ia.organs.ohlcv.adjustment import Action, adjust_bars, adjustment_factors
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.normalize import normalize_csv

DAYS = ["2024-01-02", "2024-01-03", "2024-01-04", "2024-01-05"]


def flat(closes, days=DAYS):
    return Bars(days, list(closes), list(closes), list(closes), list(closes), [100] * len(closes))


@pytest.mark.parametrize(
    ("action", "close", "reference"),
    [
        (Action("2024-01-04", cash=19.293), 2068.05, 2048.757),
        (Action("2024-01-04", cash=0.515, bonus=0.1), 17.89, 17.375 / 1.1),
        (Action("2024-01-04", rights=0.3, rights_price=2.29), 3.15, (3.15 + 0.3 * 2.29) / 1.3),
        (Action("2024-01-04", cash=0.2, bonus=0.3, rights=0.2, rights_price=5.0), 10.0, (9.8 + 1.0) / 1.5),
        (Action("2024-01-04", split=7.0), 645.57, 645.57 / 7),
        (Action("2024-01-04", split=0.1), 2.0, 20.0),
        (Action("2024-01-04", cash=1.0, split=2.0), 101.0, 50.0),
        (Action("2024-01-04", factor=1.25), 10.0, 8.0),
    ],
)
def test_the_factor_is_the_close_before_over_its_worth_after(action, close, reference):
    assert adjustment_factors(DAYS, [1.0, close, 1.0, 1.0], [action]) == pytest.approx(
        [1, 1, close / reference, close / reference]
    )


# Reference prices that the exchange published (pre_close of the ex-day, to the cent) for actions as announced.
@pytest.mark.parametrize(
    ("symbol", "action", "published"),
    [
        ("600519", Action("2020-06-24", cash=17.025), 1457.48),
        ("600519", Action("2021-06-25", cash=19.293), 2048.76),
        ("600519", Action("2015-07-17", cash=4.374, bonus=0.1), 224.74),
        ("600000", Action("2016-06-23", cash=0.515, bonus=0.1), 15.80),
        ("600000", Action("2017-05-25", cash=0.2, bonus=0.3), 11.75),
        ("600008", Action("2016-05-23", cash=0.15, bonus=1.0), 3.99),
        ("600008", Action("2020-09-29", rights=0.3, rights_price=2.29), 2.95),
    ],
)
def test_reference_prices_of_the_exchange(shared, symbol, action, published):
    bars, _ = raw_of_tushare(shared, symbol)
    at = bars.date.index(action.date)
    exact, rounded = (adjustment_factors(bars.date, bars.close, [action], tick)[at] for tick in (None, 0.01))
    assert bars.close[at - 1] / exact == pytest.approx(published, abs=0.0051)
    assert bars.close[at - 1] / rounded == pytest.approx(published, abs=1e-9)


def test_qfq_keeps_the_last_bar_and_hfq_the_first():
    bars = flat([10.0, 10.0, 5.0, 5.0])
    actions = [Action("2024-01-04", bonus=1.0)]
    assert adjust_bars(bars, actions, "qfq").close == [5.0, 5.0, 5.0, 5.0]
    assert adjust_bars(bars, actions, "hfq").close == [10.0, 10.0, 10.0, 10.0]
    assert adjust_bars(bars, actions, "none") is bars
    assert adjust_bars(bars, actions, "qfq").volume == bars.volume
    with pytest.raises(UsageError, match="unknown adjustment"):
        adjust_bars(bars, actions, "both")


def test_an_action_counts_from_the_next_bar_and_only_inside_the_bars():
    closes = [10.0, 10.0, 5.0, 5.0]
    days = ["2024-01-05", "2024-01-12", "2024-01-22", "2024-01-23"]
    twice = [1.0, 1.0, 2.0, 2.0]
    assert adjustment_factors(days, closes, [Action("2024-01-13", bonus=1.0)]) == twice  # a Saturday
    assert adjustment_factors(days, closes, [Action("2024-01-15", bonus=1.0)]) == twice  # in a suspension
    for outside in ("2023-12-29", "2024-01-05", "2024-01-24"):
        assert adjustment_factors(days, closes, [Action(outside, bonus=1.0)]) == [1.0] * 4


def test_actions_of_one_date_are_one_and_those_of_two_follow_each_other():
    closes = [10.0, 10.0, 4.5, 4.5]
    split = [Action("2024-01-04", cash=1.0), Action("2024-01-04", bonus=1.0)]
    assert adjustment_factors(DAYS, closes, split) == adjustment_factors(
        DAYS, closes, [Action("2024-01-04", cash=1.0, bonus=1.0)]
    )
    days = ["2024-01-02", "2024-01-03", "2024-01-22", "2024-01-23"]
    inside = [Action("2024-01-16", bonus=1.0), Action("2024-01-10", cash=1.0)]
    assert adjustment_factors(days, closes, inside)[2] == pytest.approx(10 / ((10 - 1.0) / 2))
    inside = [Action("2024-01-10", bonus=1.0), Action("2024-01-16", cash=1.0)]
    assert adjustment_factors(days, closes, inside)[2] == pytest.approx(10 / (10 / 2 - 1.0))


@pytest.mark.parametrize(
    "action",
    [
        Action("2024-01-04", cash=10.0),
        Action("2024-01-04", cash=11.0),
        Action("2024-01-04", cash=-1.0),
        Action("2024-01-04", bonus=-0.5),
        Action("2024-01-04", split=0.0),
        Action("2024-01-04", factor=0.0),
        Action("2024-01-04", cash=float("nan")),
        Action("2024-01-04", bonus=float("inf")),
    ],
)
def test_senseless_actions_are_refused(action):
    with pytest.raises(BadData, match="corporate action of 2024-01-04 gives a price that is not positive"):
        adjust_bars(flat([10.0] * 4), [action], "qfq")


cents = st.integers(1, 10**7).map(lambda n: n / 100)


@given(
    st.lists(st.tuples(cents, cents, cents, cents).map(sorted), min_size=4, max_size=4),
    st.lists(
        st.builds(
            Action,
            st.sampled_from([*DAYS, "2024-01-01", "2024-01-06"]),
            cash=st.just(0.0),
            bonus=st.floats(0, 10),
            rights=st.floats(0, 1),
            rights_price=st.floats(0, 50),
            split=st.floats(0.01, 100),
            factor=st.none() | st.floats(0.5, 50),
        ),
        max_size=4,
    ),
    st.sampled_from(["qfq", "hfq"]),
)
def test_order_within_a_bar_sign_and_anchor_hold(rows, actions, how):
    low, first, last, high = (list(column) for column in zip(*rows, strict=True))
    bars = adjust_bars(Bars(DAYS, first, high, low, last, [1] * 4), actions, how)
    for o, h, lo, c in zip(*bars[1:5], strict=True):
        assert 0 < lo <= o <= c <= h
    anchor = -1 if how == "qfq" else 0
    assert bars.close[anchor] == last[anchor]


def raw_of_tushare(shared, symbol):
    """Raw bars, and the actions that the exchange's own reference prices (pre_close) imply."""
    data = (shared / f"ashare/tushare_raw_2012_2022/{symbol}.csv").read_bytes()
    reference = {row["trade_date"]: float(row["pre_close"]) for row in csv.DictReader(io.StringIO(data.decode()))}
    bars = normalize_csv(data, symbol)
    actions = [
        Action(day, factor=close / reference[key])
        for close, day in zip(bars.close, bars.date[1:], strict=False)
        if reference[key := day.replace("-", "")] != close
    ]
    return bars, actions


def disagreements(ours, theirs, tolerance=1e-4):
    """Return how many daily returns both have, and the days on which they differ by more than the tolerance."""
    mine, other = dict(zip(ours.date, ours.close, strict=True)), dict(zip(theirs.date, theirs.close, strict=True))
    days = sorted(mine.keys() & other.keys())
    off = [b for a, b in pairwise(days) if abs(mine[b] / mine[a] - other[b] / other[a]) > tolerance]
    return len(days) - 1, off


def sina(shared, symbol):
    return normalize_csv((shared / f"ashare/sina_qfq_2020_2026/{symbol}.csv").read_bytes(), symbol)


@pytest.fixture(scope="module")
def baostock(shared):
    return gzip.decompress((shared / "ashare/baostock_daily_qfq_20150105_20200824.csv.gz").read_bytes())


def test_returns_of_600519_against_sina(shared):
    bars, actions = raw_of_tushare(shared, "600519")
    assert len(actions) == 10
    assert disagreements(adjust_bars(bars, actions, "qfq"), sina(shared, "600519")) == (562, [])


def test_returns_of_600519_against_sina_with_announced_dividends(shared):
    bars, _ = raw_of_tushare(shared, "600519")
    announced = [
        Action("2020-06-24", cash=17.025),
        Action("2021-06-25", cash=19.293),
        Action("2022-06-30", cash=21.675),
        Action("2022-12-27", cash=21.91),
    ]
    assert disagreements(adjust_bars(bars, announced, "qfq"), sina(shared, "600519")) == (562, [])
    assert disagreements(bars, sina(shared, "600519"))[1] == ["2020-06-24", "2021-06-25"]


@pytest.mark.process
@pytest.mark.parametrize(("symbol", "returns"), [("600519", 1374), ("600000", 1342)])
def test_returns_against_baostock(shared, baostock, symbol, returns):
    bars, actions = raw_of_tushare(shared, symbol)
    theirs = normalize_csv(baostock, "baostock", symbol=f"sh.{symbol}")
    assert disagreements(adjust_bars(bars, actions, "qfq"), theirs) == (returns, [])


# Dividends as announced, before tax, by ex-date: for the symbols whose raw prices are in unadjusted_desc_dup.
ANNOUNCED = {
    "000001": {"2019-06-26": 0.145, "2020-05-28": 0.218},
    "000858": {"2019-06-06": 1.7, "2020-06-22": 2.2, "2021-07-09": 2.58, "2022-06-29": 3.023},
    "002594": {"2019-07-26": 0.204, "2020-08-18": 0.06},
    "300750": {"2019-07-22": 0.1406, "2020-06-04": 0.22, "2021-07-05": 0.24, "2022-09-28": 0.6528},
    "600519": {"2019-06-28": 14.539, "2020-06-24": 17.025, "2021-06-25": 19.293, "2022-06-30": 21.675}
    | {"2022-12-27": 21.91},
    "601318": {"2019-05-23": 1.1, "2019-09-04": 0.75, "2020-05-08": 1.3, "2020-09-16": 0.8, "2021-04-22": 1.4}
    | {"2021-10-25": 0.88, "2022-06-20": 1.5, "2022-10-20": 0.92},
}
# 601318 paid nothing on the shares that it had bought back; the exchange spread the sum over all, 0.01 a share less.
SPREAD = {"601318": ["2020-05-08", "2021-04-22", "2021-10-25", "2022-06-20", "2022-10-20"]}
# Without the rounding of the exchange (0.145 and 0.218 a share at 13 yuan) returns differ by 4e-4 and 2e-4.
ROUNDED = {"000001": ["2019-06-26", "2020-05-28"]}


@pytest.fixture(scope="module")
def raw_closes(shared):
    """Raw closes by symbol and date. (The file is no input for the normalizer: its volume is an amount of money.)"""
    text = gzip.decompress((shared / "ashare/unadjusted_desc_dup_20190425_20230404.csv.gz").read_bytes()).decode()
    closes: dict[str, dict[str, float]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        closes.setdefault(row["symbol"], {})[row["date"]] = float(row["close"])
    return closes


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.parametrize("source", ["sina", "baostock"])
@pytest.mark.parametrize("symbol", ANNOUNCED)
@pytest.mark.share(2)
def test_returns_with_announced_dividends(shared, baostock, raw_closes, symbol, source):
    if source == "baostock":
        theirs = normalize_csv(baostock, "baostock", symbol=f"{'sh' if symbol[0] == '6' else 'sz'}.{symbol}")
    elif (shared / f"ashare/sina_qfq_2020_2026/{symbol}.csv").exists():
        theirs = sina(shared, symbol)
    else:
        pytest.skip("Sina's series of this symbol is not among the data")
    days = sorted(raw_closes[symbol])
    raw = flat([raw_closes[symbol][day] for day in days], days)
    actions = [Action(day, cash=cash) for day, cash in ANNOUNCED[symbol].items()]
    count, off = disagreements(adjust_bars(raw, actions, "qfq", tick=0.01), theirs)
    assert count > 300
    spread = [day for day in SPREAD.get(symbol, []) if theirs.date[0] < day <= theirs.date[-1]]
    assert off == spread
    assert disagreements(adjust_bars(raw, actions, "qfq"), theirs)[1] == spread + ROUNDED.get(symbol, [])
    assert len(disagreements(raw, theirs)[1]) >= 2


# Days on which the other source is at fault. This one multiplies by close / (close + dividend) with the close of the
# ex-day itself instead of the day before, which shows on days that move much: AAPL fell 3.2 % on 2017-08-10.
AT_FAULT = {"AAPL": ["2017-08-10"]}


@pytest.mark.parametrize("symbol", ["AAPL", "COKE", "GOOGL", "TSLA", "YHOO"])
def test_returns_of_us_shares_with_dividends(shared, symbol):
    data = (shared / "us/ticker_demo_raw_adj_split_div_2015_2017.csv").read_bytes()
    rows = [row for row in csv.DictReader(io.StringIO(data.decode())) if row["Stock"] == symbol][::-1]
    actions = [Action(row["Date"], cash=float(row["ExDividend"]), split=float(row["SplitRatio"])) for row in rows]
    theirs = flat([float(row["AdjClose"]) for row in rows], [row["Date"] for row in rows])
    ours = adjust_bars(normalize_csv(data, "us", symbol=symbol), actions, "qfq")
    assert disagreements(ours, theirs) == (len(rows) - 1, AT_FAULT.get(symbol, []))
