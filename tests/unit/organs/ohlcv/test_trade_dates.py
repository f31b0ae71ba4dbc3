"""Past the last day that the calendar knows: it is said, and `ia sync` brings the days that a source announced."""

from datetime import date, datetime, timedelta

import pytest

from ia.faculties.schedule import exchange, slots
from ia.faculties.schedule.design import parse_design
from ia.faculties.taskbook import approved_tasks
from ia.kernel import clock
from ia.kernel.errors import BadData
from ia.organs.market.sync import SyncRequest, sync_market
from ia.organs.ohlcv import calendar, trade_dates
from ia.organs.ohlcv.adapters import sina
from ia.reach import doctor
from ia.reach.tasks import decisions, executor, reporting
from support.markets.host_answers import ANNOUNCED, HOLIDAYS_2027
from support.markets.hosts import Hosts
from support.markets.simulated import Market

CLOSE = "---\nschedule: close+30m\ncalendar: CN\nrun: ia usage\n---\n"
KNOWN = "2026-12-31"  # by the installed exchange_calendars
UNKNOWN = f"trading days of CN are unknown after {KNOWN}; ia counts every weekday, holidays included"


@pytest.fixture(autouse=True)
def known(monkeypatch):
    if exchange.holidays_known_until("CN").isoformat() != KNOWN:
        pytest.skip("a newer exchange_calendars knows these days itself")


@pytest.fixture
def hosts(monkeypatch):
    with Hosts(Market(60, "2026-11-16", 20)) as hosts:
        hosts.use(monkeypatch)
        yield hosts


def moment(text):
    return datetime.fromisoformat(text).astimezone(clock.UTC)


def test_the_remark_is_there_past_the_last_known_day_only():
    design = parse_design(CLOSE, "x")
    assert slots.unknown_holidays_message(design, [moment("2026-12-31T15:30+08:00")]) is None
    assert str(slots.unknown_holidays_message(design, [moment("2027-01-01T15:30+08:00")])) == UNKNOWN
    assert (
        slots.unknown_holidays_message(
            parse_design("---\nschedule: 0 9 * * *\nrun: ia usage\n---\n", "x"), [moment("2027-01-01")]
        )
        is None
    )


def test_the_draft_the_task_the_run_and_the_doctor_say_so(ws, ia, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-12-29T18:00+08:00")
    ws.write("tasks/job.md", CLOSE)
    draft = ia("task", "propose", "--name", "other", "--cron", "0 16 * * *", "--calendar", "CN", "--run", "ia usage")
    assert UNKNOWN in draft.stderr
    decisions.approve_task(ws, "job", by="test")
    assert UNKNOWN in ia("task", "show", "job").stdout
    assert [str(each.detail) for each in doctor.run_checks(ws) if each.check == "calendar"] == [UNKNOWN]
    monkeypatch.setenv("IA_NOW", "2027-01-01T15:31+08:00")
    run = executor.run_due(ws)[-1]
    told = reporting.success_message("job", run, approved_tasks.get_task(ws, "job").design, "en")[1]
    assert f"the trading days past {KNOWN} are not known: this may be a holiday (`ia sync` brings them)" in told


def test_a_source_tells_the_days_of_the_announced_year(hosts):
    assert sina.fetch_trade_dates() == ANNOUNCED


def test_the_list_is_kept_and_counts_past_the_known_days(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-12-29T18:00+08:00")
    assert exchange.is_session("CN", date(2027, 1, 1))  # nobody knows
    assert trade_dates.keep_sessions(ws.root, ANNOUNCED) == "2027-12-31" == calendar.known_until("CN")
    for day in HOLIDAYS_2027:
        assert not exchange.is_session("CN", date.fromisoformat(day))
    assert exchange.is_session("CN", date(2027, 1, 4)) and not exchange.is_session("CN", date(2027, 1, 3))
    assert exchange.holidays_known_until("CN") == date(2027, 12, 31)
    assert calendar.next_close("CN", moment("2026-12-31T16:00+08:00")) == moment("2027-01-04T15:00+08:00")
    assert calendar.weekday_closures("CN", "2027-02-05", 7) == list(HOLIDAYS_2027[1:6])
    coming = slots.next_slots(parse_design(CLOSE, "x"), moment("2026-12-31T18:00+08:00"), 1)
    assert coming == [moment("2027-01-04T15:30+08:00")]
    assert slots.unknown_holidays_message(parse_design(CLOSE, "x"), coming) is None
    assert exchange.is_session("HK", date(2027, 2, 5)), "of the mainland only"


def test_what_the_package_knows_stays(ws):
    trade_dates.keep_sessions(ws.root, [day for day in ANNOUNCED if day != "2026-11-23"])
    assert exchange.is_session("CN", date(2026, 11, 23))


@pytest.mark.parametrize("days", [[], ["2027-01-04"], [*ANNOUNCED, "2027-01-03"]])
def test_a_list_that_makes_no_sense_is_not_kept(ws, days):
    with pytest.raises((BadData, ValueError)):
        trade_dates.keep_sessions(ws.root, days)
    assert trade_dates.announced_sessions("CN") is None


def test_a_list_that_ends_in_the_year_is_known_to_its_end_only():
    assert trade_dates.last_known_day(["2027-06-01", "2027-06-30"]) == "2027-06-30"
    assert trade_dates.last_known_day(["2027-12-30"]) == "2027-12-31"


def test_sync_brings_them_when_the_end_comes_near(ws, hosts, monkeypatch):
    said = []
    day = next(day for day in reversed(hosts.market.days) if day < "2026-12-12")

    def bring(moment):
        monkeypatch.setenv("IA_NOW", moment)
        hosts.market.at(moment[:10])
        said.clear()
        sync_market(ws, SyncRequest("daily"), lambda message: said.append(str(message)))

    assert date.fromisoformat(KNOWN) - date.fromisoformat(day) < timedelta(days=30)
    hosts.fail("502", "klc_td_sh")
    bring(f"{day}T16:00+08:00")
    assert any(f"could not fetch the trading days after {KNOWN}" in line for line in said)
    hosts.faults.clear()
    bring(f"{day}T20:00+08:00")
    assert "trading days are now known until 2027-12-31" in said, said
    bring(f"{day}T21:00+08:00")
    assert not any("trading days" in line for line in said)
