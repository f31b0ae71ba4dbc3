"""Weekly and monthly bars."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.kernel.errors import UsageError
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.resample import resample_bars

BARS = Bars(
    ["2024-12-27", "2024-12-30", "2024-12-31", "2025-01-02", "2025-01-06"],
    [1.0, 2.0, 3.0, 4.0, 5.0],
    [1.5, 9.0, 3.5, 4.5, 5.5],
    [0.5, 1.5, 2.5, 0.1, 4.5],
    [1.2, 2.2, 3.2, 4.2, 5.2],
    [1, 2, 3, 4, 5],
)


def test_iso_weeks_run_across_the_year():
    week = resample_bars(BARS, "weekly")
    assert week.date == ["2024-12-27", "2025-01-02", "2025-01-06"]
    assert [column[1] for column in week] == ["2025-01-02", 2.0, 9.0, 0.1, 4.2, 9]


def test_calendar_months():
    month = resample_bars(BARS, "monthly")
    assert month.date == ["2024-12-31", "2025-01-06"]
    assert [column[0] for column in month] == ["2024-12-31", 1.0, 9.0, 0.5, 3.2, 6]


def test_other_periods():
    assert resample_bars(BARS, "daily") is BARS
    assert resample_bars(Bars([], [], [], [], [], []), "weekly") == Bars([], [], [], [], [], [])
    with pytest.raises(UsageError, match="hourly: unknown period"):
        resample_bars(BARS, "hourly")
    intraday = Bars(["2024-01-15T09:30:00", "2024-01-15T09:31:00"], *([1.0, 2.0] for _ in range(4)), [1, 2])
    assert resample_bars(intraday, "weekly").date == ["2024-01-15"]


@given(st.sets(st.integers(0, 800), max_size=60), st.sampled_from(["weekly", "monthly"]))
def test_nothing_is_lost_and_periods_are_those_of_the_calendar(offsets, period):
    days = [date(2019, 12, 20) + timedelta(n) for n in sorted(offsets)]
    prices = [float(n + 1) for n in sorted(offsets)]
    bars = Bars([str(day) for day in days], prices, prices, prices, prices, list(range(len(days))))
    result = resample_bars(bars, period)
    assert sum(result.volume) == sum(bars.volume)
    keys = {day.isocalendar()[:2] if period == "weekly" else (day.year, day.month) for day in days}
    assert len(result.date) == len(keys)
    assert set(result.date) <= set(bars.date) and result.date == sorted(result.date)
    assert result.close[-1:] == bars.close[-1:] and result.open[:1] == bars.open[:1]
    assert all(low <= first <= high for first, high, low in zip(*result[1:4], strict=True))
