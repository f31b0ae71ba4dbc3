"""A birth: clocks, zones, places; every impossible one is refused in one line."""

from datetime import UTC, datetime

import pytest

from ia.faculties.life.births import equation_of_time, read_birth
from ia.faculties.life.places import _load_places, find_place
from ia.kernel.errors import BadData, IaError, NotFound


def codes(birth):
    return [note.code for note in birth.notes]


def test_the_clock_is_read_with_its_daylight_saving():
    birth = read_birth("1990-05-15T12:00", "Asia/Shanghai", longitude=116.407)
    assert birth.instant == datetime(1990, 5, 15, 3, tzinfo=UTC)
    assert birth.daylight
    assert birth.standard == datetime(1990, 5, 15, 11)
    assert codes(birth) == ["china-daylight-saving", "daylight-saving"]


def test_a_place_brings_coordinates_and_zone():
    birth = read_birth("1976-10-01 08:00", place="乌鲁木齐市")
    assert (birth.zone.key, birth.longitude) == ("Asia/Shanghai", 87.617)
    assert codes(birth) == ["xinjiang"]
    assert find_place(" new york ").tz == "America/New_York"
    own = read_birth("1976-10-01 08:00", "Asia/Urumqi", place="Urumqi", longitude=80.0)
    assert (own.zone.key, own.longitude, own.latitude) == ("Asia/Urumqi", 80.0, 43.826)


def test_places_are_told_apart():
    places = set(_load_places().values())
    assert len(places) * 2 == len(_load_places())


def test_before_1949_the_zone_is_of_shanghai_only():
    assert "before-1949" in codes(read_birth("1943-06-01T08:00", "Asia/Shanghai"))


@pytest.mark.parametrize(
    ("given", "kind", "code"),
    [
        ({"local": "1987-04-12T02:30", "tz": "Asia/Shanghai"}, BadData, "no-such-time"),
        ({"local": "1988-09-11T01:30", "tz": "Asia/Shanghai"}, BadData, "time-twice"),
        ({"local": "1990-02-30T12:00", "tz": "Asia/Shanghai"}, BadData, None),
        ({"local": "1990-05-15T25:00", "tz": "Asia/Shanghai"}, BadData, None),
        ({"local": "1990-05-15T12:00:60", "tz": "Asia/Shanghai"}, BadData, None),
        ({"local": "2100-01-01T00:00", "tz": "Asia/Shanghai"}, BadData, "in-the-future"),
        ({"local": "2100-01-01", "tz": "Asia/Shanghai"}, BadData, "in-the-future"),
        ({"local": "999999-01-01T00:00", "tz": "Asia/Shanghai"}, BadData, None),
        ({"local": "0001-01-01T00:00", "tz": "Asia/Shanghai"}, BadData, None),
        ({"local": "9" * 5000, "tz": "Asia/Shanghai"}, BadData, None),
        ({"local": "", "tz": "Asia/Shanghai"}, BadData, None),
        ({"local": "1990-05-15T12:00"}, BadData, "no-zone"),
        ({"local": "1990-05-15T12:00", "tz": "Mars/Olympus"}, NotFound, None),
        ({"local": "1990-05-15T12:00", "tz": "../../etc/passwd"}, NotFound, None),
        ({"local": "1990-05-15T12:00", "tz": "x" * 5000}, NotFound, None),
        ({"local": "1990-05-15T12:00", "place": "Atlantis"}, NotFound, None),
        ({"local": "1990-05-15T12:00", "tz": "Asia/Shanghai", "longitude": 181}, BadData, None),
        ({"local": "1990-05-15T12:00", "tz": "Asia/Shanghai", "latitude": float("nan")}, BadData, None),
        ({"local": "1990-05-15T12:00", "tz": "Asia/Shanghai", "longitude": 1e308}, BadData, None),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(given, kind, code, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-11-28T12:00+08:00")
    with pytest.raises(IaError) as failed:
        read_birth(given.pop("local"), given.pop("tz", None), **given)
    assert type(failed.value) is kind
    assert code is None or failed.value.code == code
    assert "\n" not in str(failed.value)
    assert len(str(failed.value)) < 200


def test_a_future_date_may_be_asked_for_as_a_date(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-11-28T12:00+08:00")
    assert read_birth("2033-12-25T10:00", "Asia/Shanghai", as_date=True).instant is not None


def test_now_decides_what_is_in_the_future(monkeypatch):
    monkeypatch.setenv("IA_NOW", "1995-01-01T00:00+08:00")
    with pytest.raises(BadData, match="future"):
        read_birth("1999-07-04T00:20", "Europe/London")


def test_the_sun_is_late_in_february_and_early_in_november():
    assert equation_of_time(datetime(2024, 2, 11, 12, tzinfo=UTC)) == pytest.approx(-14.2 * 60, abs=6)
    assert equation_of_time(datetime(2024, 11, 3, 12, tzinfo=UTC)) == pytest.approx(16.4 * 60, abs=6)
