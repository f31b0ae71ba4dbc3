"""The simulated market: it trades on the days of the exchanges, and its earlier prices stay as they are."""

from datetime import date, timedelta

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.organs.ohlcv.adapters import demo
from ia.organs.ohlcv.session_days import load_session_days


@pytest.mark.parametrize("market", ["CN", "HK", "US"])
def test_bars_and_calendar_agree(market):
    first, last = demo._ALIKE
    known = load_session_days(market)
    assert known.last >= last
    days = {day for day in demo.simulated_days(market, last) if day >= first}
    assert days == {day for day in known.days if first <= day <= last}


def test_the_days_that_the_calendar_knows_and_the_market_does_not_are_few():
    """A newer calendar knows another year: its holidays belong in the table."""
    known = load_session_days("CN").last
    assert date.fromisoformat(known) - date.fromisoformat(demo._ALIKE[1]) < timedelta(days=366), "add the next year"


@pytest.mark.parametrize(
    ("symbol", "day", "close"),
    [("600519.SH", "2024-03-15", 749.61), ("000300.SH", "2024-03-06", 4454.47), ("300750.SZ", "2024-03-15", 82.54)],
)
def test_prices_before_april_2024_are_those_of_earlier_versions(symbol, day, close):
    bars = demo.Demo().normalize(demo.Demo().fetch(from_canonical(symbol)))
    assert dict(zip(bars.date, bars.close, strict=True))[day] == close
    assert not {"2024-04-04", "2024-04-05"} & set(bars.date)
