"""What was fetched stays fresh until the next close, and is asked for again soon while the source is late."""

import subprocess
import sys
from datetime import datetime, timedelta

import pytest

from ia.kernel import clock
from ia.organs.ohlcv.calendar import RETRY, fresh_until, last_session, next_close


def at(text):
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    "market, moment, session, close",
    [
        ("CN", "2024-03-15T14:59:59+08:00", "2024-03-14", "2024-03-15T15:00+08:00"),
        ("CN", "2024-03-15T15:00:00+08:00", "2024-03-15", "2024-03-18T15:00+08:00"),
        ("CN", "2024-02-10T12:00+08:00", "2024-02-08", "2024-02-19T15:00+08:00"),  # Chinese New Year
        ("CN", "2023-09-29T12:00+08:00", "2023-09-28", "2023-10-09T15:00+08:00"),
        ("HK", "2024-07-01T12:00+08:00", "2024-06-28", "2024-07-02T16:10+08:00"),
        ("US", "2024-07-04T12:00-04:00", "2024-07-03", "2024-07-05T16:00-04:00"),
        ("US", "2024-03-16T00:00+08:00", "2024-03-14", "2024-03-15T16:00-04:00"),
        ("US", "2024-03-11T16:00-04:00", "2024-03-11", "2024-03-12T16:00-04:00"),  # the clocks were set the day before
    ],
)
def test_sessions(market, moment, session, close):
    assert last_session(market, at(moment)) == session
    assert next_close(market, at(moment)) == at(close)


def test_a_whole_answer_is_fresh_until_the_next_close():
    assert fresh_until("CN", at("2024-03-15T15:30+08:00"), "2024-03-15") == at("2024-03-18T15:00+08:00")


def test_a_late_source_is_asked_again_soon_and_a_suspended_stock_is_not_asked_all_day():
    soon = at("2024-03-15T15:30+08:00")
    assert fresh_until("CN", soon, "2024-03-14") == soon + RETRY
    assert fresh_until("CN", soon + timedelta(hours=3), "2024-03-14") == at("2024-03-18T15:00+08:00")


@pytest.mark.parametrize("market", ["CN", "HK", "US"])
@pytest.mark.parametrize("year", ["1985", "2012", "2039"])
def test_outside_the_known_calendar_every_weekday_is_a_session(market, year):
    moment = at(f"{year}-06-10T12:00:00+00:00")
    session = last_session(market, moment)
    assert at(session).weekday() < 5
    assert moment < next_close(market, moment) < moment + timedelta(days=4)


def test_the_bar_of_the_last_session_is_one_that_the_clock_shows():
    moment = at("2024-03-15T15:00+08:00")
    for _ in range(50):
        moment += timedelta(hours=7)
        for market in ("CN", "HK", "US"):
            assert last_session(market, moment) <= clock.last_visible_date(market, moment)


@pytest.mark.process
def test_no_warning_reaches_the_user_and_nothing_is_imported_before_it_is_needed():
    code = (
        "import sys, datetime; from ia.organs.ohlcv import calendar as c; assert 'exchange_calendars' not in sys.modules;"
        "print(c.last_session('CN', datetime.datetime.fromisoformat('2024-03-15T15:00+08:00')))"
    )
    done = subprocess.run([sys.executable, "-W", "default", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("2024-03-15\n", "")
