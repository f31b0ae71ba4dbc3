"""Scales, ticks and numbers of pictures, and what is kept when bars are many."""

from itertools import pairwise

import pytest

from ia.faculties.pictures.chart import (
    Chart,
    ChartEvent,
    ChartLine,
    ChartPane,
    TradeMarker,
    group_bars,
    moving_average,
    thin_values,
)
from ia.faculties.pictures.scale import (
    axis_ticks,
    count_decimals,
    date_ticks,
    fit_scale,
    format_compact,
    format_number,
    format_price,
    nice_step,
)
from ia.organs.ohlcv.canonical import Bars
from support.charts import days, made


@pytest.mark.parametrize(
    ("low", "high"), [(10, 20), (0.001, 0.0017), (1e6, 9e7), (-5, 5), (1687.4, 1687.5), (0.5, 0.5), (1e-12, 2e-12)]
)
def test_ticks_are_round_inside_and_few(low, high):
    axis = fit_scale([low, high], 300, 0)
    found = axis_ticks(axis, 6)
    assert 1 <= len(found) <= 7
    assert all(axis.low <= value <= axis.high for value in found)
    if len(found) > 2:
        gaps = {round((b - a) / nice_step(axis.high - axis.low, 6), 6) for a, b in pairwise(found)}
        assert gaps == {1.0}
    assert count_decimals(found) <= 9


def test_a_scale_is_exact_at_its_ends_and_grows_upwards():
    axis = fit_scale([10.0, 20.0], 300, 100, air=0)
    assert (axis.position_of(10), axis.position_of(15), axis.position_of(20)) == (300, 200, 100)
    log = fit_scale([10.0, 1000.0], 300, 100, log=True, air=0)
    assert log.position_of(100) == pytest.approx(200, abs=0.2)
    assert fit_scale([-1.0, 5.0], 1, 0, log=True).log is False  # a logarithm needs prices above 0


def test_equal_and_missing_values_have_a_scale():
    axis = fit_scale([7.0, 7.0], 100, 0)
    assert axis.position_of(7.0) == 50
    assert fit_scale([0.0], 100, 0).position_of(0.0) == 50
    assert fit_scale([], 100, 0).position_of(0.5) == 50


def test_long_logarithmic_axes_have_1_2_and_5():
    assert axis_ticks(fit_scale([1.0, 1000.0], 300, 0, log=True), 12) == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


@pytest.mark.parametrize(
    ("count", "room", "first"),
    [
        (20, 12, "2024-01-08"),
        (250, 12, "2024-02-01"),
        (1300, 8, "2025-01-01"),
        (5000, 10, "2026-01-01"),
        (1, 5, "2024-01-01"),
    ],
)
def test_date_ticks_stand_at_beginnings(count, room, first):
    dates = days(count)
    found = date_ticks(dates, room)
    assert 1 <= len(found) <= room
    assert dates[found[0][0]] == first
    assert [i for i, _ in found] == sorted({i for i, _ in found})
    assert all(dates[i].find(label) >= 0 for i, label in found)


def test_intraday_dates_have_times():
    dates = [f"2024-01-02T{h:02d}:{m:02d}:00" for h in (9, 10, 11) for m in range(0, 60, 5)]
    assert [label for _, label in date_ticks(dates, 4)] == ["10:00", "11:00"]


def test_a_new_day_among_times_and_a_new_year_among_days_are_reported():
    times = [f"2024-01-{day:02d}T{hour:02d}:00:00" for day in (2, 3) for hour in (10, 11, 14, 15)]
    assert [label for _, label in date_ticks(times, 9)] == [
        "10:00", "11:00", "14:00", "15:00", "01-03", "11:00", "14:00", "15:00",
    ]  # fmt: skip
    assert (4, "01-03") in date_ticks(times, 3)  # where there is not room for all, the day stays
    assert date_ticks(["2023-12-28", "2023-12-29", "2024-01-02"], 3) == [(0, "12-28"), (1, "12-29"), (2, "2024-01-02")]


def test_numbers_are_short_and_true():
    assert [format_price(x) for x in (1687.4, 9.87, 0.00213, 1e-9, 3.125, 123456789)] == [
        "1,687.40", "9.87", "0.00213", "0.000000001", "3.125", "123,456,789.00",
    ]  # fmt: skip
    assert [format_compact(x) for x in (0, 999, 1500, 38_045_000, 2.5e12)] == ["0", "999", "1.5k", "38m", "2.5tn"]
    assert [format_compact(x, "zh") for x in (9999, 15_000, 1.38e12)] == ["9999", "1.5万", "1.38万亿"]
    assert format_number(float("1e-300")) == "1e-300"


def test_buckets_keep_every_extreme_and_all_volume():
    bars = made(5000)
    bars.high[1234], bars.low[4321] = 999.0, 0.5
    found = group_bars(bars, 300)
    assert len(found) <= 300
    assert max(b.high for b in found) == 999.0
    assert min(b.low for b in found) == 0.5
    assert sum(b.volume for b in found) == sum(bars.volume)
    assert (found[0].open, found[-1].close) == (bars.open[0], bars.close[-1])
    assert [b.first for b in found[1:]] == [b.last for b in found[:-1]]
    assert {b.last - b.first for b in found[1:]} == {17}  # of one size, or their volumes could not be compared


def test_a_day_of_one_price_has_the_color_of_its_change():
    """A stock at its lower limit all day opens and closes at one price, and has fallen."""
    price_ = [10.0, 9.0, 9.9, 9.9]
    assert [b.rises for b in group_bars(Bars(days(4), price_, price_, price_, price_, [1] * 4), 9)] == [
        True, False, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 10, 299, 300, 301])
def test_few_bars_stay_themselves(count):
    found = group_bars(made(count), 300)
    assert sum(b.last - b.first for b in found) == count
    assert len(found) == (count if count <= 300 else 151)


def test_a_thinned_line_keeps_its_extremes_and_gaps():
    values = [float(i % 50) for i in range(10_000)]
    values[7777], values[5000] = 1e6, None
    found = dict(thin_values(values, 100))
    assert len(found) <= 600
    assert found[7777] == 1e6
    assert None in found.values()


def test_the_moving_average_is_the_mean():
    assert moving_average([1.0, 2.0, 6.0], 2) == [None, 1.5, 4.0]
    assert moving_average([1.0], 5) == [None]


def test_cutting_keeps_what_belongs_to_the_bars():
    bars = made(50)
    chart = Chart(
        bars, overlays=(ChartLine("x", [*map(float, range(50))]),), panes=(ChartPane("p", (ChartLine("y", [None] * 50),)),),
        marks=(TradeMarker(bars.date[10], "buy", "a"), TradeMarker(bars.date[45], "sell", "b")), events=(ChartEvent(bars.date[45], "D", "e"),),
    )  # fmt: skip
    part = chart.cut_bars(40, 48)
    assert part.bars.date == bars.date[40:48]
    assert part.overlays[0].values == [40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0]
    assert [mark.text for mark in part.marks] == ["b"]
    assert len(part.events) == 1
    assert part.bar_indexes([bars.date[45], "2023-01-01", "2099-01-01"]) == [5, 0, -1]
