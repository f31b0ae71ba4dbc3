"""The limits against what really was traded: a quarter of a million prices of 2012 to 2024, none unexplained.

The sources adjust prices in different ways. Only prices that are raw, or can be shown to be, are compared: Tushare
sends raw ones; Baostock multiplies, and as its digits are many the one factor that makes a day's four prices whole cents
is found; Eastmoney subtracts later dividends, and what is raw at its end is told by amount / volume.
How often a price stands exactly at a limit is asserted too: limits that were too wide would not be touched.
"""

import csv
import gzip
import itertools
import math
from collections import Counter, defaultdict
from decimal import Decimal

import pytest

from ia.domain.instruments.boards import find_board
from ia.domain.instruments.symbols import from_canonical
from ia.domain.rules.limits import price_limits
from support.program import SHARED

ASHARE = SHARED / "ashare"
pytestmark = pytest.mark.skipif(not ASHARE.is_dir(), reason="the shared data is not here")


def read(name):
    with gzip.open(ASHARE / name, "rt", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def outside(symbol, day, low, high, prev_close, st=False):
    """Return whether prices lie outside the limits, and whether they touch one."""
    found = price_limits(symbol, day, prev_close, st=st)
    return not found.low <= low <= high <= found.high, low == found.low or high == found.high


def test_tushare_raw_2012_to_2022():
    rows = touched = 0
    for path in sorted((ASHARE / "tushare_raw_2012_2022").glob("*.csv")):
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
            text = row["trade_date"]
            day = f"{text[:4]}-{text[4:6]}-{text[6:]}"
            prices = (Decimal(row[name]) for name in ("low", "high", "pre_close"))
            wrong, touches = outside(from_canonical(row["ts_code"]), day, *prices)
            assert not wrong, (row, price_limits(from_canonical(row["ts_code"]), day, Decimal(row["pre_close"])))
            rows += 1
            touched += touches
    assert (rows, touched) == (11963, 300)


def factor(row, before):
    """Return what makes the four prices of a day whole cents, and the amount / volume lie within them; None if unclear.

    before  the factor of the day before, which is tried first
    """
    prices = [float(row[name]) for name in ("open", "high", "low", "close")]
    average = float(row["amount"]) / float(row["volume"])
    if before and whole(prices, before) and prices[2] * before <= average <= prices[1] * before:
        return before
    if prices[1] == prices[2]:
        return round(average * 100) / 100 / prices[3]
    least, most = (prices[3] * average / edge * 100 for edge in (prices[1], prices[2]))
    found = [
        cents / 100 / prices[3]
        for cents in range(math.ceil(least - 1e-4), math.floor(most + 1e-4) + 1)
        if whole(prices, cents / 100 / prices[3])
    ]
    return found[0] if len(found) == 1 else None


def whole(prices, times):
    return all(abs(price * times * 100 - round(price * times * 100)) < 2e-5 for price in prices)


BAOSTOCK = {  # day one at +44 % of the issue price; a stock that resumed listing, on which day there are no limits
    ("300404.SZ", "2015-04-24"): "listed",
    ("300591.SZ", "2017-01-10"): "listed",
    ("300672.SZ", "2017-07-12"): "listed",
    ("300750.SZ", "2018-06-11"): "listed",
    ("600610.SH", "2020-08-17"): "resumed",
}


@pytest.mark.soak
@pytest.mark.process
def test_baostock_2015_to_2020_with_its_flag_for_special_treatment():
    rows = touched = special = unclear = 0
    before, exceptions = {}, {}
    for row in read("baostock_daily_qfq_20150105_20200824.csv.gz"):
        if row["tradestatus"] != "1" or not float(row["volume"] or 0):
            continue
        code = f"{row['code'][3:]}.{row['code'][:2].upper()}"
        times = factor(row, before.get(code))
        if times is None:
            unclear += 1
            continue
        before[code] = times
        low, high, close = (Decimal(round(float(row[n]) * times * 100)) / 100 for n in ("low", "high", "preclose"))
        st = row["isST"] == "1"
        symbol = from_canonical(code)
        wrong, touches = outside(symbol, row["date"], low, high, close, st)
        rows += 1
        touched += touches
        special += touches and st
        if wrong:
            exceptions[code, row["date"]] = "resumed"
            first = price_limits(symbol, row["date"], close, listed=row["date"])
            if first.high == high and low >= first.low:
                exceptions[code, row["date"]] = "listed"
    assert exceptions == BAOSTOCK
    assert (rows, unclear) == (82014, 1)
    assert (touched, special) == (5113, 1266)


def raw_from(bars, window=60):
    """Return from which bar on prices are raw: no dividend is subtracted where for so many days running no other
    amount than nothing fits amount / volume into low..high. What is subtracted only shrinks with time."""
    fits = []
    for bar in bars:
        shares = float(bar["成交量"]) * 100
        average, slack = float(bar["成交额"]) / shares, 50 * float(bar["成交额"]) / shares**2 + 1e-6
        fits.append((average - float(bar["最高"]) - slack, average - float(bar["最低"]) + slack))
    for at in range(window, len(fits), 20):
        some = fits[at - window : at]
        if max(least for least, _ in some) <= 0 <= min(most for _, most in some) < 0.01:
            return at - window
    return len(bars)


@pytest.mark.soak
@pytest.mark.process
def test_eastmoney_2021_to_2024():
    series = defaultdict(list)
    for row in read("em_daily_qfq_20210104_20240626.csv.gz"):
        if row["股票代码"].isdigit() and float(row["成交量"]):
            series[row["股票代码"]].append(row)
    rows = touched = 0
    exceptions = set()
    for code, bars in series.items():
        symbol = from_canonical(f"{code}.{'SH' if code[0] == '6' else 'SZ'}")
        bars.sort(key=lambda bar: bar["日期"])
        start = raw_from(bars)
        for earlier, bar in itertools.pairwise(bars[start:]):
            prices = (Decimal(bar["最低"]), Decimal(bar["最高"]), Decimal(earlier["收盘"]))
            wrong, touches = outside(symbol, bar["日期"], *prices)
            rows += 1
            touched += touches
            if wrong:
                exceptions.add((code, bar["日期"]))
    delisting = {
        ("000996", "2024-06-06"),
        ("002087", "2024-06-06"),
        ("002433", "2024-06-14"),
        ("600647", "2024-06-05"),
    }
    assert exceptions == delisting  # the first day of the delisting period has no limits
    assert (rows, touched) == (20335, 875)


NEW = {("688009", "2019-07-23"), ("688028", "2019-07-24"), ("688718", "2021-08-02")}  # days two to five on STAR
LISTED = {"688009": "2019-07-22", "688028": "2019-07-22", "688718": "2021-07-28"}
ADJUSTED = {("002594", "2021-08-02"), ("002594", "2021-08-04")}  # a later dividend is subtracted here, by the digits
EX_DAYS = 19
"""Days that open below the limit of the last close, as its reference price was adjusted; this source does not tell it."""


def test_unadjusted_2019_to_2023_across_the_reform_of_chinext():
    series = defaultdict(dict)
    for row in read("unadjusted_desc_dup_20190425_20230404.csv.gz"):
        series[row["symbol"]][row["date"]] = row
    rows = 0
    touched = Counter()
    above, below = set(), set()
    for code, days in series.items():
        symbol = from_canonical(f"{code}.{'SH' if code[0] == '6' else 'SZ'}")
        bars = [days[day] for day in sorted(days)]
        for earlier, bar in itertools.pairwise(bars):
            found = price_limits(symbol, bar["date"], Decimal(earlier["close"]))
            low, high = Decimal(bar["low"]), Decimal(bar["high"])
            rows += 1
            touched[find_board(symbol).name, found.rule] += low == found.low or high == found.high
            if high > found.high:
                above.add((code, bar["date"]))
            elif low < found.low:
                below.add((code, bar["date"]))
    assert above | (below & NEW) == NEW | ADJUSTED
    assert len(below - NEW) == EX_DAYS
    assert rows == 37792
    assert touched == {
        ("main.SH", "±10 %"): 276,
        ("main.SZ", "±10 %"): 330,
        ("chinext", "±10 %"): 154,
        ("chinext", "±20 %"): 25,
        ("star", "±20 %"): 24,
    }
    for code, day in NEW:
        assert price_limits(from_canonical(f"{code}.SH"), day, Decimal(10), listed=LISTED[code]) is None
