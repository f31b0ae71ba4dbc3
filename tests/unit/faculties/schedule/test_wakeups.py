"""The lines for cron: the fields themselves where they can be, otherwise few lines that wake often enough."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from ia.faculties.schedule import wakeups
from ia.faculties.schedule.model import TaskDesign
from ia.kernel.clock import UTC

NOW = datetime(2026, 11, 22, 6, 7, tzinfo=UTC)


def lines(schedule, system, zone="Asia/Shanghai", calendar="", moment=NOW, anchor=NOW):
    design = TaskDesign("t", schedule, prompt="x", zone=zone, calendar=calendar)
    return wakeups.cron_lines(design, anchor=anchor, system=ZoneInfo(system), moment=moment)


@pytest.mark.parametrize("schedule, line", [
    ("0 16 * * 5", "0 16 * * 5"), ("0 16 * * fri", "0 16 * * 5"), ("@daily", "0 0 * * *"), ("@weekly", "0 0 * * 0"),
    ("*/15  9-15 1,15 jan-mar mon-fri", "*/15 9-15 1,15 1-3 1-5"), ("0 9 * * sat-sun", "0 9 * * 6-7"),
    ("0 9 * * 7", "0 9 * * 0"),
])  # fmt: skip
def test_one_zone_has_the_fields_themselves(schedule, line):
    assert lines(schedule, "Asia/Shanghai") == [line]
    assert lines(schedule, "Asia/Singapore") == [line]
    assert lines(schedule, "America/New_York", "America/New_York") == [line]


@pytest.mark.parametrize("schedule, system, zone, expected", [
    ("0 16 * * 5", "UTC", "Asia/Shanghai", ["0 8 * * 5"]),
    ("0 6 * * 5", "UTC", "Asia/Shanghai", ["0 22 * * 4"]),
    ("0 6 * * 1", "America/New_York", "Asia/Shanghai", ["0 17,18 * * 0"]),
    ("0 20 * * 5", "Asia/Shanghai", "America/New_York", ["0 8,9 * * 6"]),
    ("30 23 * * 6", "Asia/Kolkata", "UTC", ["0 5 * * 0"]),
    ("0 9 1 * *", "UTC", "Asia/Shanghai", ["0 1 * * *"]),
    ("*/15 * * * *", "Asia/Kathmandu", "UTC", ["*/15 * * * *"]),
    ("0 9 1-7 * 5", "UTC", "Asia/Shanghai", ["0 1 * * *"]),
    ("0 23,0 * * 1-5", "UTC", "Europe/London", ["0 0,22,23 * * 1-5", "0 23 * * 0-4"]),
])  # fmt: skip
def test_another_zone_has_each_hour_that_can_be_meant(schedule, system, zone, expected):
    assert sorted(lines(schedule, system, zone)) == sorted(expected)


def test_after_the_close_half_days_and_both_times_of_the_year():
    assert lines("close+30m", "Asia/Shanghai") == ["30 15 * * 1-5"]
    assert lines("close+30m", "Asia/Shanghai", calendar="HK") == ["30 12,16 * * 1-5"]
    assert lines("close+30m fri", "Asia/Shanghai", calendar="US") == ["30 1,2,4,5 * * 6"]
    assert lines("close-15m", "America/New_York", calendar="US") == ["45 12,15 * * 1-5"]
    assert lines("close+10h", "America/New_York", calendar="US") == ["0 23 * * 1-5", "0 2 * * 2-6"]


def test_elapsed_time():
    assert lines("every 1h", "UTC") == ["7 * * * *"]
    assert lines("every 15m", "Asia/Kathmandu") == ["7-59/15 * * * *"]
    assert lines("every 1d", "UTC") == ["7 6 * * *"]
    assert lines("every 90m", "UTC") == ["7 */3 * * *", "37 1-23/3 * * *"]
    assert lines("every 7m", "UTC") == ["* * * * *"]


def test_events():
    assert lines("on file notebook/*.csv", "UTC") == ["*/5 * * * *"]
    assert lines("on message x", "UTC") == lines("on webhook tv", "UTC") == []


@pytest.mark.parametrize(
    "schedule", ["7,23,41 */5 * * *", "1,2,3,5,7,11,13 1,2,5,9,14,17,22 * * 1-5", "every 100m", "* 3 * * *"]
)
@pytest.mark.parametrize("system", ["Australia/Lord_Howe", "America/New_York", "Pacific/Chatham", "Africa/Casablanca"])
def test_there_are_never_many_lines_and_cron_can_read_them(schedule, system):
    from crontab import CronSlices

    found = lines(schedule, system, "America/St_Johns")
    assert 0 < len(found) <= wakeups.MAX_LINES
    for line in found:
        assert len(line.split()) == 5 and len(line) < 250
        assert CronSlices.is_valid(line)


def test_lines_are_the_same_all_year():
    for schedule, zone in (("30 1,2,3 * * *", "America/New_York"), ("0 9 * * 1", "Africa/Casablanca"), ("close", "")):
        found = {
            tuple(lines(schedule, "Europe/London", zone, "US", datetime(2026, month, day, tzinfo=UTC)))
            for month in range(1, 13)
            for day in (1, 15, 28)
        }
        assert len(found) == 1


def test_a_night_that_repeats_the_hour_has_a_line_for_both():
    """01:30 comes twice in New York on 2026-11-01; a line without a * would run at the first only."""
    assert lines("30 6 * * *", "America/New_York", "UTC") == ["*/30 1 * * *", "30 2 * * *"]
