"""Natal charts and transits."""

import pytest

from ia.faculties.life.tool_functions import calculate_chart, show_transit, show_zodiac_chart
from ia.kernel.errors import BadData, ConfigError


def test_a_planet_stands_in_a_sign_and_a_house(ws):
    found = calculate_chart("1990-05-15T12:00", place="Beijing")
    assert (found["planets"]["Sun"]["sign"], found["planets"]["Sun"]["house"]) == ("Taurus", 10)
    assert found["ascendant_sign"] == found["whole_sign_first_house"] == "Leo"
    assert found["houses"] == "whole_sign"
    placidus = calculate_chart("1990-05-15T12:00", place="Beijing", houses="placidus")
    assert {name for name, each in placidus["planets"].items() if each["house"] != found["planets"][name]["house"]}
    assert found["aspects"][0]["orb"] <= found["aspects"][-1]["orb"]


def test_placidus_does_not_exist_within_the_polar_circle(ws):
    found = calculate_chart("1980-06-21T12:00", "Europe/Oslo", latitude=78.2, longitude=15.6, houses="placidus")
    assert (found["placidus"], found["houses"]) == (None, "whole_sign")
    assert any("polar" in note for note in found["notes"])


def test_without_a_place_there_are_no_angles(ws):
    found = calculate_chart("1990-05-15T12:00", "Asia/Shanghai")
    assert found["ascendant"] is None
    assert found["planets"]["Sun"]["house"] is None
    assert any("place of birth" in note for note in found["notes"])


def test_without_an_hour_planets_stand_for_the_whole_day(ws):
    found = calculate_chart("1990-05-15", "Asia/Shanghai")
    moon = found["planets"]["Moon"]
    assert moon["longitude"] is None
    assert 11 < (moon["to"] - moon["from"]) % 360 < 16
    assert "Capricorn" in moon["sign"]


@pytest.mark.parametrize("latitude", [90, -90, 89.999, 66.6])
def test_the_ends_of_the_earth_do_no_harm(ws, latitude):
    found = calculate_chart("1990-05-15T12:00", "UTC", latitude=latitude, longitude=0)
    assert found["planets"]["Sun"]["sign"] == "Taurus"


def test_transits_move_towards_a_point_or_away(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    card = show_transit(local="1990-05-15T12:00", place="Beijing", lang="en")
    assert card["at"].startswith("2024-03-15T08:00")
    assert card["planets"][0] == {"planet": "Sun", "sign": "Pisces", "degree": "25°13'", "retrograde": False}
    assert all(each["orb"] <= 1.5 and isinstance(each["applying"], bool) for each in card["transits"])
    later = show_transit(local="1990-05-15T12:00", place="Beijing", at="2030-01-01", lang="zh")
    assert later["planets"][0]["planet"] == "太阳"
    for at in ("never", "9999-01-01", "x" * 3000):
        with pytest.raises(BadData):
            show_transit(local="1990-05-15T12:00", place="Beijing", at=at)
    with pytest.raises(BadData, match="hour"):
        show_transit(local="1990-05-15", place="Beijing")


def test_a_card_has_degrees_as_people_write_them(ws):
    card = show_zodiac_chart(local="1990-05-15T12:00", place="北京", lang="zh")
    assert card["planets"][0] == {
        "planet": "太阳", "sign": "金牛座", "degree": "24°02'", "house": 10, "retrograde": False,
    }  # fmt: skip
    assert card["ascendant"].startswith("狮子座 15°")


def test_an_unknown_house_system_is_refused(ws, monkeypatch):
    monkeypatch.setenv("IA_SKILLS_ZODIAC_HOUSES", "koch")
    with pytest.raises(ConfigError, match="houses"):
        calculate_chart("1990-05-15T12:00", place="Beijing")
