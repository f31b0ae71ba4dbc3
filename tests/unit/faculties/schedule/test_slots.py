"""Schedules and the moments that follow from them: forms, DST nights, calendars, far years."""

import time
from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.faculties.schedule import slots
from ia.faculties.schedule.model import TaskDesign
from ia.faculties.schedule.schedule_forms import (
    CloseSchedule,
    CronSchedule,
    IntervalSchedule,
    ScheduleEvent,
    check_crontab_accepts,
    parse_schedule,
)
from ia.kernel.clock import UTC
from ia.kernel.errors import BadData
from support.random_tests import examples

NOW = datetime(2026, 11, 22, 6, 0, 30, tzinfo=UTC)


def design(schedule, zone="Asia/Shanghai", calendar=""):
    return TaskDesign("t", schedule, prompt="x", zone=zone, calendar=calendar)


def told(found):
    return [slot.strftime("%Y-%m-%d %H:%M%z") for slot in found]


def upcoming(schedule, after=NOW, n=3, zone="Asia/Shanghai", calendar="", **kwargs):
    return told(slots.next_slots(design(schedule, zone, calendar), after, n, **kwargs))


def test_a_weekly_review():
    assert upcoming("0 16 * * 5") == ["2026-11-27 16:00+0800", "2026-12-04 16:00+0800", "2026-12-11 16:00+0800"]


def test_strictly_after_and_up_to_the_end():
    at = datetime(2026, 11, 27, 8, 0, tzinfo=UTC)
    week = design("0 16 * * 5")
    assert slots.next_slots(week, at, 1)[0] == at + timedelta(days=7)
    assert slots.next_slots(week, at - timedelta(microseconds=1), 1)[0] == at
    assert slots.slots_between(week, at - timedelta(days=1), at) == [at]
    assert slots.slots_between(week, at, at + timedelta(days=1)) == []
    assert slots.slots_between(week, at, at - timedelta(days=30)) == []


@pytest.mark.process
@pytest.mark.parametrize(
    "schedule", ["* * * * *", "*/5 9-15 * * 1-5", "0 9 29 2 *", "every 45m", "0 9 1 * *", "close+30m"]
)
def test_the_latest_are_the_end_of_all(schedule):
    what, start = design(schedule, calendar="CN" if schedule == "close+30m" else ""), NOW - timedelta(days=400)
    everything = slots.slots_between(what, start, NOW, anchor=start)
    for n in (1, 7, 63):
        assert slots.latest_slots(what, start, NOW, n, anchor=start) == everything[-n:]
    assert slots.last_slot(what, start, NOW, anchor=start) == (everything[-1] if everything else None)


def test_the_latest_of_decades_of_minutes_come_at_once():
    began = time.process_time()
    found = slots.latest_slots(design("* * * * *"), NOW - timedelta(days=40 * 365), NOW, 60)
    assert len(found) == 60 and found[-1] == NOW.replace(second=0) and time.process_time() - began < 1


@pytest.mark.parametrize("schedule, first", [
    ("@daily", "2026-11-23 00:00+0800"), ("@weekly", "2026-11-29 00:00+0800"), ("@monthly", "2026-12-01 00:00+0800"),
    ("@yearly", "2027-01-01 00:00+0800"), ("@hourly", "2026-11-22 15:00+0800"), ("@midnight", "2026-11-23 00:00+0800"),
    ("0\t9  * * MON", "2026-11-23 09:00+0800"), ("0 9 * * 7", "2026-11-29 09:00+0800"),
    ("0 9 * jan-feb sat-sun", "2027-01-02 09:00+0800"), ("0 9 * * 7-7", "2026-11-29 09:00+0800"),
    ("0 9 * * 5-7", "2026-11-27 09:00+0800"), ("0 9 * * mon,wed", "2026-11-23 09:00+0800"),
    ("0 9 29 2 *", "2028-02-29 09:00+0800"), ("7-59/20 14 * * *", "2026-11-22 14:07+0800"),
    ("0 9 13 * 5", "2026-11-27 09:00+0800"), ("0 9 */2 * 5", "2026-11-27 09:00+0800"),
    ("0 9 * * 2-7/4", "2026-11-24 09:00+0800"), ("0 9 * * 1-7/3", "2026-11-23 09:00+0800"),
    ("0 9 13 * */2", "2026-12-13 09:00+0800"), ("0 9 31 4,6,12 *", "2026-12-31 09:00+0800"),
])  # fmt: skip
def test_forms_of_cron(schedule, first):
    assert upcoming(schedule, n=1) == [first]


def test_sunday_is_in_a_range_that_steps_on_it_only():
    days = {
        field: sorted(parse_schedule(f"0 9 * * {field}").weekdays)
        for field in ("2-7/4", "1-7/3", "1-7/2", "5-7", "0-7/7", "*/7")
    }
    assert days == {
        "2-7/4": [2, 6],
        "1-7/3": [0, 1, 4],
        "1-7/2": [0, 1, 3, 5],
        "5-7": [0, 5, 6],
        "0-7/7": [0],
        "*/7": [0],
    }


def test_a_date_or_a_weekday_where_both_are_restricted():
    assert upcoming("0 9 1-7 * 5", n=4) == [
        "2026-11-27 09:00+0800", "2026-12-01 09:00+0800", "2026-12-02 09:00+0800", "2026-12-03 09:00+0800",
    ]  # fmt: skip


@pytest.mark.parametrize("schedule", [
    "", "x", "0 9 * *", "0 9 * * * *", "60 9 * * *", "0 24 * * *", "0 9 0 * *", "0 9 32 * *", "0 9 * 13 *", "0 9 * * 8",
    "0 9 31 2 *", "0 9 30,31 feb *", "0 9 31 4,6 *", "@reboot", "@Reboot", "@every", "5~30 9 * * *", "~ 9 * * *",
    "5/10 * * * *", "*/0 * * * *", "*/61 * * * *", "5-1 * * * *", "1,,2 * * * *", ", * * * *", "-1 * * * *", "0 9 L * *",
    "0 9 * * fri#2", "0 9 * * fri-mon", "> < * * *", "? * * * *", "０ 9 * * *", "² 9 * * *", "0 9 * foo *", "H * * * *",
    "0 9 * * " + "1," * 200 + "1", "*-5 * * * *", "%0 9 * * *", "0 9 * * *; rm", "every", "every 0m", "every -5m",
    "every 90", "every 1.5h", "every 400d", "every 5 weeks", "close+", "closed", "close+25h", "close+30m 9",
    "close+30m sat,sun", "close+30m fri extra", "close + x", "on", "on file", "on file /etc/passwd", "on file ../x",
    "on file .ia/ia.db", "on webhook a b", "on webhook ../x", "on reboot now", "on message", "On message x", "Every 90m", "on File a",
])  # fmt: skip
def test_an_invalid_schedule_is_refused(schedule):
    with pytest.raises(BadData, match="schedule "):
        parse_schedule(schedule)


def test_the_other_forms():
    assert parse_schedule("every 90m") == parse_schedule("every  90 min") == IntervalSchedule(90)
    assert parse_schedule("every 2h") == IntervalSchedule(120) and parse_schedule("every 3 days") == IntervalSchedule(
        3 * 1440
    )
    assert parse_schedule("close+30") == CloseSchedule(30, frozenset(range(7)))
    assert parse_schedule("close") == CloseSchedule(0, frozenset(range(7)))
    assert parse_schedule("close-15m mon-fri") == CloseSchedule(-15, frozenset({1, 2, 3, 4, 5}))
    assert parse_schedule("close + 1h fri") == CloseSchedule(60, frozenset({5}))
    assert parse_schedule("on file notebook/inbox/*.csv") == ScheduleEvent("file", "notebook/inbox/*.csv")
    assert parse_schedule("on message 复盘 本周") == ScheduleEvent("message", "复盘 本周")


def test_a_time_that_the_clock_skips_comes_when_it_has_jumped():
    night = datetime(2026, 3, 8, 0, 0, tzinfo=ZoneInfo("America/New_York"))
    assert upcoming("30 1,2,3 * * *", night, 4, "America/New_York") == [
        "2026-03-08 01:30-0500", "2026-03-08 03:00-0400", "2026-03-08 03:30-0400", "2026-03-09 01:30-0400",
    ]  # fmt: skip
    assert upcoming("0,15,30 2,3 * * *", night, 4, "America/New_York") == [
        "2026-03-08 03:00-0400", "2026-03-08 03:15-0400", "2026-03-08 03:30-0400", "2026-03-09 02:00-0400",
    ]  # fmt: skip
    assert upcoming("*/30 2 * * *", night, 1, "America/New_York") == ["2026-03-09 02:00-0400"]


def test_a_time_that_the_clock_repeats_comes_first_or_twice():
    night = datetime(2026, 11, 1, 0, 0, tzinfo=ZoneInfo("America/New_York"))
    assert upcoming("30 1 * * *", night, 2, "America/New_York") == ["2026-11-01 01:30-0400", "2026-11-02 01:30-0500"]
    found = slots.next_slots(design("30 * * * *", "America/New_York"), night, 4)
    assert told(found) == [
        "2026-11-01 00:30-0400", "2026-11-01 01:30-0400", "2026-11-01 01:30-0500", "2026-11-01 02:30-0500",
    ]  # fmt: skip
    again = slots.next_slots(design("30 * * * *", "America/New_York"), found[1], 1)
    assert told(again) == ["2026-11-01 01:30-0500"]
    half = datetime(2026, 4, 5, 1, 0, tzinfo=ZoneInfo("Australia/Lord_Howe"))
    assert upcoming("45 1 * * *", half, 2, "Australia/Lord_Howe") == ["2026-04-05 01:45+1100", "2026-04-06 01:45+1030"]
    assert upcoming("45 * * * *", half, 3, "Australia/Lord_Howe") == [
        "2026-04-05 01:45+1100", "2026-04-05 01:45+1030", "2026-04-05 02:45+1030",
    ]  # fmt: skip


@pytest.mark.parametrize("zone, start", [
    ("America/Havana", datetime(2026, 11, 1, 3, 0, tzinfo=UTC)),  # back at 01:00
    ("America/Santiago", datetime(2026, 4, 5, 1, 0, tzinfo=UTC)),  # back at midnight, to the day before
    ("America/Santiago", datetime(2026, 9, 6, 1, 0, tzinfo=UTC)),  # forward at midnight
    ("America/St_Johns", datetime(2010, 11, 7, 0, 0, tzinfo=UTC)),  # back at 00:01
    ("Pacific/Apia", datetime(2011, 12, 30, 0, 0, tzinfo=UTC)),  # a day that there was not
    ("Pacific/Kwajalein", datetime(1993, 8, 20, 0, 0, tzinfo=UTC)),
    ("Asia/Manila", datetime(1844, 12, 30, 0, 0, tzinfo=UTC)),
    ("Africa/Casablanca", datetime(2026, 2, 14, 22, 0, tzinfo=UTC)),
    ("Antarctica/Troll", datetime(2026, 3, 28, 22, 0, tzinfo=UTC)),  # by two hours
])  # fmt: skip
@pytest.mark.parametrize("schedule", ["* * * * *", "*/7 * * * *", "0,1,30,59 0-23 * * *", "0 0 * * *", "30 23 * * *"])
def test_odd_nights_ascend_without_doubles(zone, start, schedule):
    found = slots.slots_between(design(schedule, zone), start, start + timedelta(hours=72))
    moments = [slot.astimezone(UTC) for slot in found]
    assert all(one < other for one, other in pairwise(moments))
    parts, at = [], start
    while at < start + timedelta(hours=72):  # whatever the pieces, they make the same whole
        parts += slots.slots_between(design(schedule, zone), at, at + timedelta(hours=5))
        at += timedelta(hours=5)
    assert [slot.astimezone(UTC) for slot in parts if slot <= start + timedelta(hours=72)] == moments
    if schedule == "* * * * *":
        assert len(moments) == 72 * 60


def test_elapsed_time_counts_from_the_approval():
    anchor = datetime(2026, 11, 22, 6, 0, 45, tzinfo=UTC)
    assert upcoming("every 90m", anchor, 2, anchor=anchor) == ["2026-11-22 15:30+0800", "2026-11-22 17:00+0800"]
    assert upcoming("every 90m", anchor - timedelta(days=3), 1, anchor=anchor) == ["2026-11-22 15:30+0800"]
    assert upcoming("every 90m", anchor + timedelta(days=1000), 1, anchor=anchor) == ["2029-08-18 15:30+0800"]
    assert upcoming("every 3d", anchor, 2, calendar="CN", anchor=anchor) == [
        "2026-11-25 14:00+0800", "2026-12-01 14:00+0800",  # the 28th is a Saturday
    ]  # fmt: skip


def test_after_the_close_on_sessions_and_half_days():
    thanksgiving = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)
    assert upcoming("close+30m", thanksgiving, 3, "America/New_York", "US") == [
        "2026-11-25 16:30-0500", "2026-11-27 13:30-0500", "2026-11-30 16:30-0500",
    ]  # fmt: skip
    assert upcoming("close", datetime(2026, 12, 23, 20, 0, tzinfo=UTC), 2, "Asia/Hong_Kong", "HK") == [
        "2026-12-24 12:00+0800", "2026-12-28 16:00+0800",
    ]  # fmt: skip
    assert upcoming("close-15m fri", thanksgiving, 2, "Europe/London", "US") == [
        "2026-11-27 17:45+0000", "2026-12-04 20:45+0000",
    ]  # fmt: skip
    assert upcoming("close+30m", datetime(2026, 9, 30, 0, 0, tzinfo=UTC), 2) == [
        "2026-09-30 15:30+0800", "2026-10-08 15:30+0800",  # the national holiday; CN where no calendar is named
    ]  # fmt: skip
    assert upcoming("close+10h fri", thanksgiving, 1, "America/New_York", "US") == ["2026-11-27 23:00-0500"]


def test_holidays_are_left_out_by_the_date_of_the_exchange():
    golden = datetime(2026, 9, 30, 0, 0, tzinfo=UTC)
    assert upcoming("0 16 * * *", golden, 2, calendar="CN") == ["2026-09-30 16:00+0800", "2026-10-08 16:00+0800"]
    # Sunday evening in New York is Monday morning in Shanghai.
    assert upcoming("0 20 * * 0", NOW, 1, "America/New_York", "CN") == ["2026-11-22 20:00-0500"]
    assert upcoming("0 20 * * 5", NOW, 1, "America/New_York", "CN") == []


def test_a_schedule_that_no_session_meets_is_told_soon():
    start = time.process_time()
    assert upcoming("* * * * 6,0", calendar="CN") == []
    assert upcoming("every 7d", datetime(2026, 11, 21, tzinfo=UTC), calendar="CN") == []
    assert time.process_time() - start < 10


def test_rare_schedules_are_found_and_quickly():
    start = time.process_time()
    assert [slot[:10] for slot in upcoming("0 9 29 2 *", NOW, 5)] == [f"{year}-02-29" for year in range(2028, 2045, 4)]
    assert upcoming("0 9 29 2 *", NOW, 1, calendar="CN") == ["2028-02-29 09:00+0800"]
    assert len(slots.next_slots(design("* * * * *"), NOW, 5)) == 5
    assert time.process_time() - start < 2


def test_events_have_no_slots():
    assert slots.next_slots(design("on message x"), NOW) == []
    assert slots.slots_between(design("on file a"), NOW, NOW + timedelta(days=9)) == []


def test_the_last_slot_of_a_long_sleep():
    every = design("*/5 * * * *")
    assert slots.last_slot(every, NOW - timedelta(days=3000), NOW) == datetime(2026, 11, 22, 6, 0, tzinfo=UTC)
    assert slots.last_slot(design("0 9 29 2 *"), NOW - timedelta(days=3000), NOW) == datetime(
        2024, 2, 29, 1, 0, tzinfo=UTC
    )
    assert slots.last_slot(design("0 9 29 2 *"), NOW - timedelta(days=300), NOW) is None
    assert slots.last_slot(design("every 90m"), NOW, NOW + timedelta(hours=4), anchor=NOW) == NOW.replace(second=0) + (
        timedelta(hours=3)
    )


FIELD = st.sampled_from(["*", "*/2", "*/7", "0", "5", "1-5", "2-10/3", "1,4,9", "3,5-8"])


@pytest.mark.process
@examples(150)
@given(FIELD, FIELD, FIELD, FIELD, st.sampled_from(["*", "*/2", "0", "7", "1-5", "mon,wed", "5-7", "sat-sun"]),
       st.sampled_from(["Asia/Shanghai", "America/New_York", "Australia/Lord_Howe"]),
       st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)))  # fmt: skip
def test_slots_are_what_a_clock_shows(minute, hour, day, month, weekday, zone, at):
    """Each slot of a week shows the fields on the clock, but for those put off by a change of clocks; each
    match is a slot."""
    day, month = day.replace("0", "1"), month.replace("0", "1")
    what = parse_schedule(" ".join([minute, hour, day, month, weekday]))
    assert isinstance(what, CronSchedule)
    start = at.replace(tzinfo=UTC)
    end = start + timedelta(days=7)
    local = ZoneInfo(zone)
    found = {slot.astimezone(UTC) for slot in slots.slots_between(design(what.fields, zone), start, end)}
    first = start.replace(second=0, microsecond=0) + timedelta(minutes=1)
    for slot in found:
        shown = slot.astimezone(local)
        jumped = (slot - timedelta(minutes=1)).astimezone(local).utcoffset() != shown.utcoffset()
        assert jumped or (shown.hour * 60 + shown.minute in what.times)
    for n in range(0, 7 * 1440, 13):
        shown = (first + timedelta(minutes=n)).astimezone(local)
        matches = shown.hour * 60 + shown.minute in what.times
        if matches and what.matches_date(shown.day, shown.month, shown.isoweekday() % 7) and not shown.fold:
            assert shown.astimezone(UTC) in found


ANY_FIELD = st.one_of(FIELD, st.from_regex(r"(\*|\d{1,2}|\d{1,2}-\d{1,2}/\d)(,\d{1,2})?", fullmatch=True))


@pytest.mark.process
@examples(300)
@given(ANY_FIELD, ANY_FIELD, ANY_FIELD, ANY_FIELD)
def test_fields_mean_what_python_crontab_takes_them_for(minute, hour, day, month):
    from crontab import CronSlices

    text = f"{minute} {hour} {day} {month} *"
    try:
        what = parse_schedule(text)
    except BadData:
        return
    minutes, hours, days, months, _ = (set(part) for part in CronSlices(text))
    assert set(what.times) == {hour * 60 + minute for hour in hours for minute in minutes}
    assert (what.days, what.months) == (days, months)
    check_crontab_accepts(text)
