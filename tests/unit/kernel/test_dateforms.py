"""Dates as people write them: one reading for every option, and what can be read in two ways is asked back."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.kernel import clock, dateforms
from ia.kernel.dateforms import FORMS, parse_day, parse_one_day, read_days, read_moment
from ia.kernel.errors import UsageError
from ia.organs.ledger.order import parse_trade_time
from ia.organs.ohlcv.history import BarsRequest, resolve_dates

TODAY = date(2024, 3, 15)
NOW = "2024-03-15T16:00+08:00"

ONE_DAY = [
    ("2024-01-03", "2024-01-03"), ("2024-1-3", "2024-01-03"), ("2024/1/3", "2024-01-03"), ("2024.1.3", "2024-01-03"),
    ("20240103", "2024-01-03"), ("２０２４０１０３", "2024-01-03"), ("2024年3月15日", "2024-03-15"),
    ("2024年3月15号", "2024-03-15"), ("2024 年 3 月 15 日", "2024-03-15"), ("3月14日", "2024-03-14"), ("12月31日", "2023-12-31"),
    ("03-14", "2024-03-14"), ("12-31", "2023-12-31"), ("02-29", "2024-02-29"), ("3/14", "2024-03-14"),
    ("14/3", "2024-03-14"), ("3/3", "2024-03-03"), ("14.3.2024", "2024-03-14"), ("14/3/2024", "2024-03-14"),
    ("today", "2024-03-15"), ("Yesterday", "2024-03-14"), ("今天", "2024-03-15"), ("昨天", "2024-03-14"),
    ("前天", "2024-03-13"), ("大前天", "2024-03-12"), ("tomorrow", "2024-03-16"), ("-30d", "2024-02-14"),
    ("30d", "2024-02-14"), ("30 days ago", "2024-02-14"), ("30天前", "2024-02-14"), ("30天", "2024-02-14"),
    ("-2w", "2024-03-01"), ("2周前", "2024-03-01"), ("-3m", "2023-12-15"), ("3mo", "2023-12-15"),
    ("3个月前", "2023-12-15"), ("1y", "2023-03-15"), ("1年前", "2023-03-15"), ("+5d", "2024-03-20"),
    ("ytd", "2024-01-01"), ("mtd", "2024-03-01"), (" yesterday ", "2024-03-14"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "day"), [row for row in ONE_DAY if row[1]])
def test_every_form_means_one_day(text, day):
    assert parse_one_day(text, TODAY) == day


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2024-02", "2024-02-01", "2024-02-29"), ("2023/02", "2023-02-01", "2023-02-28"), ("2023", "2023-01-01", "2023-12-31"),
        ("2023年", "2023-01-01", "2023-12-31"), ("2024年2月", "2024-02-01", "2024-02-29"), ("4月", "2023-04-01", "2023-04-30"),
    ],
)  # fmt: skip
def test_months_and_years_begin_and_end(text, first, last):
    assert (parse_day(text, TODAY), parse_day(text, TODAY, last=True)) == (first, last)
    with pytest.raises(UsageError, match="a period, not a single day"):
        parse_one_day(text, TODAY)


@pytest.mark.parametrize("text", ["3/4", "3-4", "3.4", "03/04", "3/4/2024", "04-03-2024", "3.4.2024"])
def test_a_date_with_two_readings_is_asked_back(text):
    with pytest.raises(UsageError, match="is ambiguous: ") as caught:
        read_days(text, TODAY)
    assert {caught.value.params["one_day"], caught.value.params["other_day"]} == {"2024-03-04", "2023-04-03"} or {
        caught.value.params["one_day"], caught.value.params["other_day"]
    } == {"2024-03-04", "2024-04-03"}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "soon", "30x", "2024-02-30", "2024-13-01", "13-13", "32/1", "0d0", "--30d", "2024-3", "15日", "99999y",
     "1899-12-31", "9000-01-01", "202403", "-", "d", "٢٠٢٤-٠١-٠٣", "2024-01-03\x00", "10 : 30", "x" * 500],
)  # fmt: skip
def test_what_is_no_date_is_refused_with_the_forms(text):
    if text in ("2024-3", "٢٠٢٤-٠١-٠٣"):  # a month; digits of another script are digits
        return
    with pytest.raises(UsageError) as caught:
        parse_day(text, TODAY, option="--start")
    assert caught.value.hint == FORMS and "--start" in str(caught.value)
    assert len(str(caught.value)) < 100


@given(st.dates(date(1990, 1, 1), TODAY), st.sampled_from(["{0:%Y-%m-%d}", "{0:%Y%m%d}", "{0.year}/{0.month}/{0.day}",
       "{0.year}-{0.month}-{0.day}", "{0.year}年{0.month}月{0.day}日", "{0.year}.{0.month}.{0.day}"]))  # fmt: skip
def test_a_day_comes_back_from_every_form_with_a_year(day, form):
    assert parse_one_day(form.format(day), TODAY) == day.isoformat()


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(0, 3000))
def test_days_and_weeks_back_are_counted_from_today(today, count):
    if today - timedelta(days=7 * count) < date(1900, 1, 1):
        return
    assert parse_one_day(f"-{count}d", today) == parse_one_day(f"{count}d", today)
    assert parse_one_day(f"{count}d", today) == (today - timedelta(days=count)).isoformat()
    assert parse_one_day(f"{count}w", today) == (today - timedelta(days=7 * count)).isoformat()
    assert parse_one_day(f"{count % 300}m", today) <= today.isoformat()


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.dates(date(2000, 1, 1), date(2000, 12, 31)))
def test_a_day_without_a_year_is_the_last_that_has_been(today, day):
    found = parse_one_day(f"{day:%m-%d}", today)
    assert found[5:] == f"{day:%m-%d}" and found <= today.isoformat()
    assert (today - date.fromisoformat(found)).days <= (366 if (day.month, day.day) != (2, 29) else 366 * 8)


@given(st.text(max_size=60))
def test_any_text_is_a_date_or_a_usage_error(text):
    try:
        found = parse_day(text, TODAY)
    except UsageError as error:
        assert len(str(error).splitlines()) <= 1 or "\\" not in text
        return
    date.fromisoformat(found)


CHINA = timezone(timedelta(hours=8))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("10:30", "2024-03-15T10:30:00"), ("9:05:07", "2024-03-15T09:05:07"), ("2024-03-15T10:30", "2024-03-15T10:30:00"),
        ("20240315 10:30", "2024-03-15T10:30:00"), ("2024/3/15 10:30", "2024-03-15T10:30:00"),
        ("yesterday 10:30", "2024-03-14T10:30:00"), ("昨天10:30", "2024-03-14T10:30:00"), ("昨天 10:30", "2024-03-14T10:30:00"),
        ("3月14日10:30", "2024-03-14T10:30:00"), ("2024-03-15T10:30Z", "2024-03-15T10:30:00+00:00"),
        ("2024-03-15T10:30+0900", "2024-03-15T10:30:00+09:00"), ("20240315T103000Z", "2024-03-15T10:30:00+00:00"),
        ("now", "2024-03-15T16:00:00+08:00"),
    ],
)  # fmt: skip
def test_moments(text, moment):
    assert read_moment(text, datetime(2024, 3, 15, 16, tzinfo=CHINA)).isoformat() == moment


@pytest.mark.parametrize("text", ["25:00", "10:60", "soon 10:30", "2024-03 10:30", "10:30x", "2024-03-15T", "T10:30x"])
def test_what_is_no_moment(text):
    assert read_moment(text, datetime(2024, 3, 15, 16, tzinfo=CHINA)) is None


def test_the_exchange_says_what_day_it_is(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T08:00+08:00")  # still the 14th in New York
    assert resolve_dates(BarsRequest(symbol="AAPL", start="yesterday")).start == "2024-03-13"
    assert resolve_dates(BarsRequest(symbol="600519", start="yesterday")).start == "2024-03-14"
    assert resolve_dates(BarsRequest(symbol="nobody knows", start="2024-02", end="2024-02")) == BarsRequest(
        symbol="nobody knows", start="2024-02-01", end="2024-02-29"
    )


def test_a_start_that_is_yet_to_come_is_refused(monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    with pytest.raises(UsageError, match="--start: 2024-03-16 is in the future"):
        resolve_dates(BarsRequest(symbol="600519", start="2024-03-16"))
    assert resolve_dates(BarsRequest(symbol="600519", end="2030-01-01")).end == "2030-01-01"
    with pytest.raises(UsageError, match="is after --end"):
        resolve_dates(BarsRequest(symbol="600519", start="-1w", end="-1m"))


def test_since_begins_with_its_day_and_now_ends_with_it(monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    assert clock.parse_since("yesterday") == datetime(2024, 3, 14, tzinfo=CHINA)
    assert clock.parse_since("10:30") == datetime(2024, 3, 15, 10, 30, tzinfo=CHINA)
    assert clock.parse_moment("2024-03-14T10:30Z") == datetime(2024, 3, 14, 10, 30, tzinfo=UTC)
    assert clock.parse_moment("20240314").strftime("%Y-%m-%d %H:%M:%S") == "2024-03-14 23:59:59"
    assert clock.parse_moment("2024-02").strftime("%Y-%m-%d %H:%M:%S") == "2024-02-29 23:59:59"
    with pytest.raises(UsageError, match="in the future"):
        clock.parse_since("tomorrow")
    with pytest.raises(UsageError, match="is not a valid time") as caught:
        clock.parse_moment("soon")
    assert caught.value.hint == dateforms.TIMES


@pytest.mark.parametrize(
    ("text", "moment"),
    [("yesterday", "2024-03-14 15:00"), ("昨天 10:30", "2024-03-14 10:30"), ("20240314", "2024-03-14 15:00"),
     ("2024/3/14", "2024-03-14 15:00"), ("10:30", "2024-03-15 10:30"), ("-1w", "2024-03-08 15:00")],
)  # fmt: skip
def test_a_trade_is_dated_in_every_form(monkeypatch, text, moment):
    monkeypatch.setenv("IA_NOW", NOW)
    assert parse_trade_time(text).strftime("%Y-%m-%d %H:%M") == moment
    for wrong in ("tomorrow", "3/4", "2024-03", "soon"):
        with pytest.raises(UsageError):
            parse_trade_time(wrong)
