"""Days counted within a period or from a date, single moments, and several schedules at once."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from ia.faculties.schedule import ordinal_days, slots, wakeups
from ia.faculties.schedule.describe import describe_design
from ia.faculties.schedule.design import check_design, format_design, parse_design, report_path, require_future
from ia.faculties.schedule.model import TaskDesign
from ia.faculties.schedule.schedule_forms import (
    CronSchedule,
    CycleSchedule,
    OnceSchedule,
    OrdinalSchedule,
    ScheduleList,
    is_finite,
    needs_exchange,
    parse_schedule,
)
from ia.kernel.clock import UTC
from ia.kernel.errors import BadData

SHANGHAI, NEW_YORK = "Asia/Shanghai", "America/New_York"
NOW = datetime(2026, 11, 23, 2, 0, tzinfo=UTC)
YEAR = frozenset(range(1, 13))


def design(schedule, zone=SHANGHAI, calendar="", **fields):
    return TaskDesign("t", schedule, prompt="x", zone=zone, calendar=calendar, **fields)


def upcoming(schedule, n=3, zone=SHANGHAI, calendar="", after=NOW):
    return [f"{slot:%Y-%m-%d %H:%M}" for slot in slots.next_slots(design(schedule, zone, calendar), after, n)]


def test_the_forms():
    assert parse_schedule("last trading day of month 15:30") == OrdinalSchedule(
        -1, "trading day", "month", YEAR, (930,)
    )
    assert parse_schedule("the 2nd-last day of the quarter at 9:00") == OrdinalSchedule(
        -2, "day", "quarter", YEAR, (540,)
    )
    assert parse_schedule("third Friday of jan,jul 09:00,15:00") == OrdinalSchedule(
        3, "fri", "month", frozenset({1, 7}), (540, 900)
    )
    assert parse_schedule("last trading day of week close+30m") == OrdinalSchedule(
        -1, "trading day", "week", YEAR, (), 30
    )
    assert parse_schedule("every 2 weeks on mon,thu 09:00 from 2026-11-30") == CycleSchedule(
        2, "weeks", frozenset({1, 4}), (540,), date(2026, 11, 30)
    )
    assert parse_schedule("at 2027-01-15 09:00") == OnceSchedule(date(2027, 1, 15), 540)
    several = parse_schedule("30 9 * * *; 0 15 * * *")
    assert isinstance(several, ScheduleList) and several.texts == ("30 9 * * *", "0 15 * * *")
    assert all(isinstance(part, CronSchedule) for part in several.parts)
    assert is_finite("at 2027-01-15 09:00; at 2027-01-16 09:00") and not is_finite("at 2027-01-15 09:00; @daily")
    assert needs_exchange("0 9 * * *; close+30m") and not needs_exchange("last day of month 09:00")


@pytest.mark.parametrize("schedule", [
    "last trading day of month", "sixth mon of month 09:00", "6th mon of month 09:00", "0th day of month 09:00",
    "32nd day of month 09:00", "first mon of week 09:00", "first moon of month 09:00", "first mo of month 09:00",
    "last day of month 24:00", "last day of month 9", "last day of foo 09:00", "last day of month close+99d",
    "every 2 weeks on mon 09:00", "every 2 weeks on mon 09:00 from tomorrow", "every 0 weeks on mon 09:00 from 2026-11-30",
    "every 53 weeks on mon 09:00 from 2026-11-30", "every 2 weeks on foo 09:00 from 2026-11-30", "at 2026-02-30 09:00",
    "at 2026-2-3 09:00", "at 09:00", "at 2027-01-15", "at 2027-01-15 25:00", "0 9 * * *;", "; 0 9 * * *", "0 9 * * *; x",
    "0 9 * * *; on file a", "; ".join(["0 9 * * *"] * 13), "at ２０２７-01-15 09:00",
])  # fmt: skip
def test_an_invalid_schedule_is_refused(schedule):
    with pytest.raises(BadData, match="schedule "):
        parse_schedule(schedule)


def test_slots_of_counted_days():
    assert upcoming("last trading day of month 15:30", 2, calendar="CN") == ["2026-11-30 15:30", "2026-12-31 15:30"]
    # 2026-12-24 and 12-25 are Thursday and Friday; the exchange of New York rests on the 25th.
    assert upcoming("last trading day of week close+30m", 5, NEW_YORK, "US")[4] == "2026-12-24 13:30"
    assert upcoming("first mon of quarter 09:00", 2) == ["2027-01-04 09:00", "2027-04-05 09:00"]
    assert upcoming("fifth mon of month 09:00", 3) == ["2026-11-30 09:00", "2027-03-29 09:00", "2027-05-31 09:00"]
    assert upcoming("last day of month 20:00", 4)[3] == "2027-02-28 20:00"
    assert upcoming("2nd-last weekday of year 09:00", 1) == ["2026-12-30 09:00"]
    assert upcoming("last trading day of month 15:30; first mon of month 09:00", 3, calendar="CN") == [
        "2026-11-30 15:30", "2026-12-07 09:00", "2026-12-31 15:30",
    ]  # fmt: skip


def test_a_run_counts_for_the_date_of_the_exchange():
    # 06:00 in Shanghai is the evening before in New York, whose last session of November is the 30th.
    assert upcoming("last trading day of month 06:00", 1, SHANGHAI, "US") == ["2026-12-01 06:00"]
    assert upcoming("last trading day of month close+30m", 1, SHANGHAI, "US") == ["2026-12-01 05:30"]


def test_slots_of_cycles_and_moments():
    assert upcoming("every 2 weeks on mon,thu 09:00 from 2026-11-26", 4) == [
        "2026-11-26 09:00", "2026-12-07 09:00", "2026-12-10 09:00", "2026-12-21 09:00",
    ]  # fmt: skip
    assert upcoming("every 3 days 09:00 from 2026-11-24", 2) == ["2026-11-24 09:00", "2026-11-27 09:00"]
    assert upcoming("every 2 weeks on mon 09:00 from 2020-01-06", 1) == ["2026-11-30 09:00"]
    assert upcoming("at 2026-11-24 09:00; at 2026-11-23 18:00", 5) == ["2026-11-23 18:00", "2026-11-24 09:00"]
    assert upcoming("at 2026-11-23 10:00", 1) == []
    # The clock of New York jumps from 02:00 to 03:00 on 2027-03-14.
    assert upcoming("at 2027-03-14 02:30", 1, NEW_YORK) == ["2027-03-14 03:00"]


def test_pieces_make_the_same_whole():
    whole = design("last fri of month 18:00; every 2 weeks on tue 09:00 from 2026-11-24; at 2026-12-24 12:00")
    end = datetime(2027, 6, 1, tzinfo=UTC)
    everything = slots.slots_between(whole, NOW, end)
    assert len(everything) == 7 + 14 + 1 and slots.latest_slots(whole, NOW, end, 5) == everything[-5:]


def test_find_days_leaves_out_a_period_that_has_none():
    what = parse_schedule("fifth mon of month 09:00")
    found = list(ordinal_days.find_days(what, date(2026, 1, 1), date(2026, 12, 31)))
    assert [day.month for day in found] == [3, 6, 8, 11] and all(day.weekday() == 0 for day in found)


@pytest.mark.parametrize(("schedule", "lines"), [
    ("last trading day of month 15:30", ["30 7 * * *"]),
    ("last trading day of month close+30m", ["30 7 * * 1-5"]),
    ("first mon of quarter 09:00", ["0 1 * * 1"]),
    ("every 2 weeks on mon,thu 09:00 from 2026-11-30", ["0 1 * * 1,4"]),
    ("at 2026-12-01 06:00", ["0 22 30 11 *"]),
    ("30 9 * * *; 0 15 * * *", ["30 1 * * *", "0 7 * * *"]),
])  # fmt: skip
def test_lines_of_a_crontab_in_utc(schedule, lines):
    assert wakeups.cron_lines(design(schedule), anchor=NOW, system=ZoneInfo("UTC"), moment=NOW) == lines


@pytest.mark.parametrize("schedule", [
    "last fri of month 18:00", "every 2 weeks on sun 01:30 from 2026-10-04", "last trading day of month close-15m",
    "at 2026-11-01 01:30", "0 9 * * 1; first day of year 00:10",
])  # fmt: skip
@pytest.mark.parametrize("system", ["UTC", "Asia/Shanghai", "Europe/London"])
def test_a_line_wakes_at_each_slot(schedule, system):
    task = design(schedule, NEW_YORK, "US" if "trading" in schedule else "")
    start = datetime(2026, 10, 1, tzinfo=UTC)
    lines = wakeups.cron_lines(task, anchor=start, system=ZoneInfo(system), moment=start)
    forms = [parse_schedule(line) for line in lines]
    found = slots.slots_between(task, start, datetime(2027, 3, 1, tzinfo=UTC))
    assert found
    for slot in found:
        here = slot.astimezone(ZoneInfo(system))
        assert any(
            here.hour * 60 + here.minute in form.times
            and form.matches_date(here.day, here.month, here.isoweekday() % 7)
            for form in forms
        ), (slot, lines)


WORDS = [
    ("last trading day of month 15:30", "CN", "每月最后一个交易日 15:30（Asia/Shanghai，按上交所交易日）",
     "On the last trading day of each month at 15:30 (Asia/Shanghai, trading days in Shanghai)"),
    ("last trading day of month close+30m", "US", "每月最后一个交易日收盘后 30 分钟（America/New_York，按纽交所交易日）",
     "On the last trading day of each month, 30 minutes after the close (America/New_York, trading days in New York)"),
    ("3rd fri of month 14:00", "", "每月第 3 个周五 14:00（Asia/Shanghai）",
     "On the third Friday of each month at 14:00 (Asia/Shanghai)"),
    ("2nd-last day of jan 09:00", "", "每年 1 月倒数第 2 天 09:00（Asia/Shanghai）",
     "On the second-last day of each January at 09:00 (Asia/Shanghai)"),
    ("every 2 weeks on mon,thu 09:00,15:00 from 2026-11-30", "",
     "每 2 周的周一、周四 09:00、15:00，从 2026-11-30 起（Asia/Shanghai）",
     "Every 2 weeks on Monday and Thursday at 09:00 and 15:00, from 2026-11-30 (Asia/Shanghai)"),
    ("every 3 days 09:00 from 2026-11-24", "", "每 3 天 09:00，从 2026-11-24 起（Asia/Shanghai）",
     "Every 3 days at 09:00, from 2026-11-24 (Asia/Shanghai)"),
    ("at 2027-01-15 09:00", "", "仅一次：2027-01-15（周五） 09:00（Asia/Shanghai）",
     "Once, on 2027-01-15 (Friday) at 09:00 (Asia/Shanghai)"),
    ("30 9 * * 1-5; 0 15 * * 1-5", "CN", "每周一至周五 09:30、15:00（Asia/Shanghai，仅上交所交易日）",
     "Every weekday at 09:30 and 15:00 (Asia/Shanghai, only on trading days in Shanghai)"),
    ("0 9 * * 1; every 90m", "", "每周一 09:00（Asia/Shanghai）；每 90 分钟，自批准时算起",
     "Every Monday at 09:00 (Asia/Shanghai); Every 90 minutes, counted from the approval"),
]  # fmt: skip


@pytest.mark.parametrize(("schedule", "calendar", "chinese", "english"), WORDS)
def test_in_words(schedule, calendar, chinese, english):
    task = design(schedule, calendar=calendar)
    assert (describe_design(task, "zh"), describe_design(task, "en")) == (chinese, english)


@pytest.mark.parametrize("schedule", [each[0] for each in WORDS])
def test_a_file_of_it_reads_back(schedule, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-11-23T10:00:00+08:00")
    task = design(schedule)
    check_design(task)
    require_future(task)
    assert parse_design(format_design(task), "t") == task


@pytest.mark.parametrize("field", ["schedule:\n  - 30 9 * * *\n  - 0 15 * * *", "schedule: |\n  30 9 * * *\n  0 15 * * *",
                                   "schedule: 30 9 * * *; 0 15 * * *"])  # fmt: skip
def test_a_list_in_a_file(field):
    assert parse_design(f"---\n{field}\nprompt: x\n---\n", "a").schedule == "30 9 * * *; 0 15 * * *"


def test_a_moment_that_has_passed_is_refused(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-11-23T10:00:00+08:00")
    for schedule, calendar in (("at 2026-11-23 09:59", ""), ("at 2026-11-28 09:00", "CN")):  # a Saturday
        check_design(design(schedule, calendar=calendar))
        with pytest.raises(BadData, match="has passed, or its day is not a trading day"):
            require_future(design(schedule, calendar=calendar))


def test_a_second_run_of_a_date_has_a_note_of_its_own():
    slot = datetime(2026, 11, 23, 1, 30, tzinfo=UTC)
    assert report_path(design("30 9 * * *; 0 15 * * *"), slot) == "notebook/reports/t/2026-11-23-0930.md"
    assert report_path(design("at 2026-11-23 09:30"), slot) == "notebook/reports/t/2026-11-23.md"
