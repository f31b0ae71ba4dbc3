"""Price limits, lots, and when what was bought may be sold."""

from decimal import Decimal

import pytest

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.domain.rules.limits import price_limits
from ia.domain.rules.lots import check_quantity, find_lot
from ia.domain.rules.settlement import sellable_after
from ia.kernel.errors import NotFound


def around(code, day, close, **known):
    symbol = code if isinstance(code, Symbol) else from_canonical(code)
    found = price_limits(symbol, day, Decimal(close), **known)
    return None if found is None else (str(found.low), str(found.high))


@pytest.mark.parametrize(
    ("code", "day", "close", "expected"),
    [
        ("600519.SH", "2024-03-01", "10.00", ("9.00", "11.00")),
        ("300750.SZ", "2020-08-21", "10.00", ("9.00", "11.00")),
        ("300750.SZ", "2020-08-24", "10.00", ("8.00", "12.00")),
        ("301001.SZ", "2024-03-01", "10.00", ("8.00", "12.00")),
        ("688981.SH", "2024-03-01", "10.00", ("8.00", "12.00")),
        ("689009.SH", "2024-03-01", "10.00", ("8.00", "12.00")),
        ("920002.BJ", "2024-12-02", "10.00", ("7.00", "13.00")),
        ("430047.BJ", "2021-11-15", "10.00", ("7.00", "13.00")),
        ("510300.SH", "2024-03-01", "3.505", ("3.155", "3.856")),  # 3.1545 and 3.8555, half up on the tick of a fund
        ("588000.SH", "2024-03-01", "1.000", ("0.800", "1.200")),
        ("900901.SH", "2024-03-01", "0.505", ("0.455", "0.556")),
        ("200002.SZ", "2024-03-01", "5.05", ("4.55", "5.56")),
        ("600000.SH", "2024-03-01", "7.15", ("6.44", "7.87")),  # 6.435 and 7.865: half up, both
        ("600000.SH", "2024-03-01", "0.04", ("0.03", "0.05")),  # at least one tick
        ("600000.SH", "2024-03-01", "0.01", ("0.01", "0.02")),
    ],
)
def test_by_board_and_date(code, day, close, expected):
    assert around(code, day, close) == expected


@pytest.mark.parametrize(
    ("code", "day", "expected"),
    [
        ("600000.SH", "2026-07-03", ("9.50", "10.50")),
        ("600000.SH", "2026-07-06", ("9.00", "11.00")),
        ("000001.SZ", "2012-03-01", ("9.50", "10.50")),
        ("300750.SZ", "2024-03-01", ("8.00", "12.00")),  # ST does not narrow ChiNext, STAR and Beijing
        ("688981.SH", "2024-03-01", ("8.00", "12.00")),
        ("920002.BJ", "2024-12-02", ("7.00", "13.00")),
        ("900901.SH", "2024-03-01", ("9.500", "10.500")),
    ],
)
def test_special_treatment(code, day, expected):
    assert around(code, day, "10.00", st=True) == expected


@pytest.mark.parametrize(
    ("code", "listed", "day", "sessions", "expected"),
    [
        ("603000.SH", "2016-03-01", "2016-03-01", 0, ("6.40", "14.40")),
        ("603000.SH", "2016-03-01", "2016-03-02", 1, ("9.00", "11.00")),
        ("600000.SH", "2013-12-12", "2013-12-12", 0, None),
        ("300800.SZ", "2020-08-21", "2020-08-21", 0, ("6.40", "14.40")),
        ("300800.SZ", "2020-08-21", "2020-08-24", 1, ("8.00", "12.00")),  # listed under the old rules
        ("300900.SZ", "2020-08-24", "2020-08-28", 4, None),
        ("300900.SZ", "2020-08-24", "2020-08-31", 5, ("8.00", "12.00")),
        ("688001.SH", "2019-07-22", "2019-07-26", 4, None),
        ("688001.SH", "2019-07-22", "2019-07-29", 5, ("8.00", "12.00")),
        ("601061.SH", "2023-04-10", "2023-04-14", 4, None),
        ("601061.SH", "2023-04-10", "2023-04-17", 5, ("9.00", "11.00")),
        ("601065.SH", "2023-04-07", "2023-04-10", 1, ("9.00", "11.00")),
        ("920002.BJ", "2024-05-30", "2024-05-30", 0, None),
        ("920002.BJ", "2024-05-30", "2024-05-31", 1, ("7.00", "13.00")),
        ("508000.SH", "2021-06-21", "2021-06-21", 0, ("7.000", "13.000")),
    ],
)
def test_first_days(code, listed, day, sessions, expected):
    assert around(code, day, "10.00", listed=listed, sessions_since_listing=sessions) == expected


def test_first_days_by_the_day_of_listing_alone():
    near = {"listed": "2024-03-01"}  # a Friday
    assert around("603001.SH", "2024-03-07", "10.00", **near) is None  # at most four trading days later
    unsure = price_limits(from_canonical("603001.SH"), "2024-03-11", Decimal(10), **near)
    assert unsure.high == Decimal(11) and not unsure.sure
    assert price_limits(from_canonical("603001.SH"), "2024-04-01", Decimal(10), **near).sure
    assert price_limits(
        from_canonical("603001.SH"), "2024-02-01", Decimal(10), **near
    ).sure  # before: what was told is wrong


def test_what_has_no_limits():
    bond = Symbol("113050", "CN", "SH", "bond")
    assert around("00700.HK", "2024-03-01", "300") is None
    assert around("AAPL.US", "2024-03-01", "190") is None
    assert around("000300.SH", "2024-03-01", "3500") is None
    assert around(bond, "2022-07-29", "100") is None
    assert around(bond, "2022-08-01", "100") == ("80.000", "120.000")
    assert around(bond, "2024-03-01", "100", sessions_since_listing=0) == ("56.700", "157.300")


def test_a_fund_of_shenzhen_is_not_sure():
    named = Symbol("159915", "CN", "SZ", "etf", "创业板ETF")
    assert price_limits(named, "2024-03-01", Decimal(1)).high == Decimal("1.2")
    assert not price_limits(named, "2024-03-01", Decimal(1)).sure
    assert price_limits(from_canonical("510300.SH"), "2024-03-01", Decimal(1)).sure


def test_before_there_were_limits_none_is_made_up():
    with pytest.raises(NotFound):
        around("600000.SH", "1996-12-13", "10")


@pytest.mark.parametrize("close", [10.0, 10])
def test_no_float_comes_in(close):
    with pytest.raises(TypeError):
        price_limits(from_canonical("600000.SH"), "2024-03-01", close)


@pytest.mark.parametrize(
    ("code", "side", "quantity", "held", "wrong"),
    [
        ("600000.SH", "buy", "100", "0", ""),
        ("600000.SH", "buy", "150", "0", "purchases must be multiples of 100"),
        ("600000.SH", "buy", "50", "50", "purchases must be multiples of 100"),
        ("600000.SH", "sell", "50", "250", ""),
        ("600000.SH", "sell", "150", "250", ""),
        ("600000.SH", "sell", "250", "250", ""),
        ("600000.SH", "sell", "200", "250", ""),
        ("600000.SH", "sell", "30", "250", "with the odd lot of 50 sold at once"),
        ("600000.SH", "sell", "130", "250", "with the odd lot of 50 sold at once"),
        ("600000.SH", "sell", "50", "200", "sales must be multiples of 100; 50 is not"),
        ("688981.SH", "buy", "199", "0", "the minimum purchase is 200; 199"),
        ("688981.SH", "buy", "201", "0", ""),
        ("688981.SH", "sell", "201", "500", ""),
        ("688981.SH", "sell", "100", "500", "the minimum sale is 200, or the whole position"),
        ("688981.SH", "sell", "150", "150", ""),
        ("920002.BJ", "buy", "101", "0", ""),
        ("920002.BJ", "buy", "99", "0", "the minimum purchase is 100; 99"),
        ("920002.BJ", "sell", "99", "99", ""),
        ("510300.SH", "buy", "150", "0", "purchases must be multiples of 100"),
        ("00700.HK", "buy", "7", "0", ""),
        ("00700.HK", "buy", "7.5", "0", "trades in whole shares only"),
        ("600000.SH", "sell", "0.5", "100", "trades in whole shares only"),
        ("AAPL.US", "buy", "0.25", "0", ""),
        ("AAPL.US", "buy", "0", "0", "is not a valid quantity"),
        ("AAPL.US", "sell", "-1", "1", "is not a valid quantity"),
    ],
)
def test_quantities(code, side, quantity, held, wrong):
    found = check_quantity(from_canonical(code), "2024-12-02", side, Decimal(quantity), Decimal(held))
    assert (found is None) == (not wrong)
    assert wrong in str(found or "")


def test_lots_and_ticks():
    assert find_lot(from_canonical("00700.HK"), "2024-03-01") is None
    assert find_lot(from_canonical("688981.SH"), "2024-03-01") == (200, 1)
    assert find_lot(Symbol("113050", "CN", "SH", "bond"), "2024-03-01") == (10, 10)
    ticks = [tick_size(from_canonical(code)) for code in ("600000.SH", "510300.SH", "900901.SH", "00700.HK")]
    assert ticks == [0.01, 0.001, 0.001, None]


@pytest.mark.parametrize(
    ("code", "day", "expected"),
    [
        ("600000.SH", "2024-03-01", (1, True)), ("300750.SZ", "2024-03-01", (1, True)),
        ("900901.SH", "2024-03-01", (1, True)), ("510300.SH", "2024-03-01", (1, True)),
        ("588000.SH", "2024-03-01", (1, True)), ("511010.SH", "2024-03-01", (0, True)),
        ("511880.SH", "2024-03-01", (0, True)), ("518880.SH", "2024-03-01", (0, True)),
        ("513100.SH", "2015-01-16", (1, True)), ("513100.SH", "2015-01-19", (0, True)),
        ("159985.SZ", "2020-01-17", (1, True)), ("159985.SZ", "2020-01-20", (0, True)),
        ("00700.HK", "2024-03-01", (0, True)), ("AAPL.US", "2024-03-01", (0, True)),
        ("159999.SZ", "2024-03-01", (1, False)),
    ],
)  # fmt: skip
def test_when_it_may_be_sold(code, day, expected):
    assert sellable_after(from_canonical(code), day) == expected
