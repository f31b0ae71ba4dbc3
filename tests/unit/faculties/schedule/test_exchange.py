"""Sessions and closes: what is kept of them, and what holds where nothing is known."""

import json
import warnings
from datetime import date, datetime

import pytest

from ia.faculties.schedule import exchange
from ia.kernel.clock import UTC
from ia.organs.ohlcv import session_days

DAYS = [
    ("CN", "2026-10-08", 15, 0),
    ("HK", "2026-12-24", 12, 0),
    ("US", "2026-11-27", 13, 0),
    ("US", "2026-07-01", 16, 0),
]


@pytest.fixture(autouse=True)
def forgotten():
    exchange._load_sessions.cache_clear()
    yield
    exchange._load_sessions.cache_clear()


@pytest.mark.process
@pytest.mark.parametrize("market, day, hour, minute", DAYS)
def test_closes(market, day, hour, minute):
    closed = exchange.session_close(market, date.fromisoformat(day))
    assert closed.tzinfo is UTC
    local = closed.astimezone(exchange.exchange_zone(market))
    assert (local.hour, local.minute) == (hour, minute)


@pytest.mark.parametrize(
    "market, day", [("CN", "2026-10-01"), ("HK", "2026-12-25"), ("US", "2026-11-26"), ("CN", "2026-11-21")]
)
def test_days_without_a_session(market, day):
    assert exchange.session_close(market, date.fromisoformat(day)) is None
    assert not exchange.is_session(market, date.fromisoformat(day))


@pytest.mark.process
def test_what_was_asked_is_kept_and_read_again(tmp_path, monkeypatch):
    cache = str(tmp_path / "cache")
    first = {market: exchange._load_sessions(market, cache) for market in exchange.CODES}
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [
        "sessions-XHKG.json", "sessions-XNYS.json", "sessions-XSHG.json",
    ]  # fmt: skip
    exchange._load_sessions.cache_clear()
    monkeypatch.setattr(session_days, "_query_package", None)  # it is not asked again
    assert {market: exchange._load_sessions(market, cache) for market in exchange.CODES} == first


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"stamp": "0"}', "old", "text", "number"])
def test_what_was_kept_is_asked_again_where_it_is_damaged_or_old(tmp_path, damage):
    cache, place = str(tmp_path), tmp_path / "sessions-XSHG.json"
    good = exchange._load_sessions("CN", cache)
    raw = json.loads(place.read_text())
    if damage == "old":
        damage = json.dumps({**raw, "stamp": "0.1"})
    elif damage == "text":
        damage = json.dumps({**raw, "days": ["2026-99-99"]})
    elif damage == "number":
        damage = json.dumps({**raw, "regular": 9000})
    place.write_text(damage)
    exchange._load_sessions.cache_clear()
    assert exchange._load_sessions("CN", cache) == good
    assert json.loads(place.read_text()) == raw


def test_it_works_without_a_place_to_keep_it(tmp_path):
    (tmp_path / "file").write_text("")
    assert exchange.is_session("US", date(2026, 11, 25), str(tmp_path / "file" / "below"))


def test_beyond_what_is_known_weekdays_count():
    until = exchange.holidays_known_until("CN")
    assert until >= date(2026, 12, 31)
    later = date(until.year + 1, 6, 2)
    days = exchange.session_days("CN", later, date(later.year, 6, 15))
    assert [day for day in days if day.weekday() > 4] == [] and len(days) == 10
    assert exchange.session_close("CN", days[0]).astimezone(exchange.exchange_zone("CN")).hour == 15
    assert exchange.is_session("CN", date(1980, 1, 2))


def test_without_the_package_weekdays_count(monkeypatch, tmp_path):
    import sys

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(sys.modules, "exchange_calendars", None)
    assert exchange.is_session("CN", date(2026, 10, 1))
    assert not exchange.is_session("CN", date(2026, 10, 3))
    assert exchange.holidays_known_until("CN") < date(1991, 1, 1)


@pytest.mark.parametrize("market", exchange.CODES)
def test_the_closes_that_lines_are_written_for_are_those_there_are(market):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import exchange_calendars

        calendar = exchange_calendars.get_calendar(exchange.CODES[market], start="2013-01-01")
        found = {close.tz_convert(exchange.ZONES[market]).time() for close in calendar.closes}
    assert found == set(exchange.CLOSES[market])
    kept = exchange._load_sessions(market, None).closes
    for day, close in zip(calendar.sessions, calendar.closes, strict=True):
        assert kept[day.date()] == datetime.fromtimestamp(close.timestamp(), UTC)


def test_they_are_kept_for_all_workspaces_of_a_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("IA_HOME", str(tmp_path / "nowhere"))
    assert exchange.is_session("CN", date(2026, 11, 23))
    assert not (tmp_path / "nowhere").exists()
    assert (tmp_path / "cache" / "ia" / "sessions" / "sessions-XSHG.json").is_file()
    exchange._load_sessions.cache_clear()
    monkeypatch.setattr(session_days, "_query_package", None)  # it is not asked again
    monkeypatch.setenv("IA_HOME", str(tmp_path / "another"))
    assert exchange.is_session("CN", date(2026, 11, 23))
