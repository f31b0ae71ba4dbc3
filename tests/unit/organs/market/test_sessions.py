"""When markets trade: full and half days, the break at noon, the auction at the close, days without a session."""

from datetime import datetime, time

import pytest

from ia.organs.market.sessions import hours_of_day, session_progress, session_state


@pytest.mark.parametrize(
    ("market", "moment", "day", "state"),
    [
        ("CN", "2024-03-15T09:29:59+08:00", "2024-03-14", "before-open"),
        ("CN", "2024-03-15T09:30+08:00", "2024-03-15", "open"),
        ("CN", "2024-03-15T11:30+08:00", "2024-03-15", "break"),
        ("CN", "2024-03-15T13:00+08:00", "2024-03-15", "open"),
        ("CN", "2024-03-15T15:00+08:00", "2024-03-15", "closed"),
        ("CN", "2024-03-16T10:00+08:00", "2024-03-15", "closed"),
        ("CN", "2024-02-15T10:00+08:00", "2024-02-08", "closed"),  # Chinese New Year
        ("HK", "2024-03-15T16:05+08:00", "2024-03-15", "open"),  # the closing auction
        ("HK", "2024-03-15T16:10+08:00", "2024-03-15", "closed"),
        ("HK", "2024-12-24T12:09+08:00", "2024-12-24", "open"),  # a half day
        ("HK", "2024-12-24T12:10+08:00", "2024-12-24", "closed"),
        ("US", "2024-11-29T12:59-05:00", "2024-11-29", "open"),  # the day after Thanksgiving
        ("US", "2024-11-29T13:00-05:00", "2024-11-29", "closed"),
        ("US", "2024-03-15T22:00+08:00", "2024-03-15", "open"),
        ("US", "2024-03-16T03:59+08:00", "2024-03-15", "open"),
    ],
)
def test_the_state_of_a_market(market, moment, day, state):
    found = session_state(market, datetime.fromisoformat(moment))
    assert found == (day, state)
    assert found.unfinished is (state in ("open", "break"))


def test_the_hours_of_a_day():
    assert hours_of_day("HK", "2024-12-24") == ((time(9, 30), time(12, 0)),)
    assert hours_of_day("US", "2024-11-29") == ((time(9, 30), time(13, 0)),)
    assert hours_of_day("US", "2024-11-28") == ()
    assert len(hours_of_day("CN", "2024-03-15")) == 2


def test_a_half_day_is_over_at_its_early_close():
    assert session_progress("US", datetime.fromisoformat("2024-11-29T11:15-05:00")) == 0.5
    assert session_progress("US", datetime.fromisoformat("2024-11-29T13:00-05:00")) == 1.0
    assert session_progress("US", datetime.fromisoformat("2024-11-28T12:00-05:00")) is None
