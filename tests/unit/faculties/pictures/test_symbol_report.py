"""What a month, a quarter and a year mean in a report: those of the calendar, back from the newest bar."""

import numpy as np
import pytest
import yaml

from ia.faculties import profiles
from ia.faculties.pictures.symbol_report import index_months_before
from ia.organs.compute.kernels import drawdown
from ia.organs.ohlcv.canonical import Bars


def bars(*dates):
    count = len(dates)
    return Bars(list(dates), *([10.0] * count for _ in range(4)), [1] * count)


@pytest.mark.parametrize(
    "dates, months, expected",
    [
        (("2024-05-24", "2024-05-27", "2024-06-26"), 1, "2024-05-24"),  # the 26th of May is a Sunday
        (("2024-02-28", "2024-02-29", "2024-03-01", "2024-03-31"), 1, "2024-02-29"),
        (("2023-02-28", "2023-03-01", "2024-02-29"), 12, "2023-02-28"),
        (("2023-09-28", "2023-10-09", "2024-01-05"), 3, "2023-09-28"),  # a holiday of a week
        (("2023-12-15", "2024-01-15"), 1, "2023-12-15"),
        (("2023-12-18", "2024-01-15"), 1, None),
        (("2024-01-15",), 12, None),
        (("2024-01-02T10:30:00", "2024-01-02T14:00:00", "2024-02-02T10:30:00"), 1, "2024-01-02T10:30:00"),
    ],
)
def test_a_span_is_one_of_the_calendar(dates, months, expected):
    found = index_months_before(bars(*dates), months)
    assert (None if found is None else dates[found]) == expected


@pytest.mark.parametrize("count", [1, 2, 3, 7, 250])
def test_the_drawdown_is_that_within_the_window(count):
    rng = np.random.default_rng(count)
    close = np.round(50 * np.exp(np.cumsum(rng.normal(0, 0.03, 600))), 2)
    found = drawdown(close, count)
    assert np.isnan(found[: count - 1]).all()
    for end in range(count, len(close) + 1):
        window = close[end - count : end]
        deepest = (window / np.maximum.accumulate(window) - 1).min()
        assert found[end - 1] == pytest.approx(deepest, abs=1e-15)


def test_a_comparison_takes_no_high_from_before_its_window():
    with open(
        f"{profiles.shipped_folder()}/invest/.claude/skills/compare/knowledge/sop.yaml", encoding="utf-8"
    ) as file:
        assert "drawdown(close, 250) * 100" in str(yaml.safe_load(file))
    close = np.array([100.0] * 50 + [50.0] * 100 + [45.0, 60.0] * 75)
    assert drawdown(close, 250)[-1] == pytest.approx(45 / 60 - 1)
