"""Conventions of the four pillars: what is chosen, what is told, and the other chart near a boundary."""

import pytest

from ia.faculties.life.births import read_birth
from ia.faculties.life.pillars import pillar_name, year_and_month
from ia.faculties.life.tool_functions import calculate_bazi, show_bazi_chart, show_bazi_fortune
from ia.kernel.errors import BadData, ConfigError


def notes(found, words):
    return [note for note in found["notes"] if words in note]


def test_the_sun_decides_where_the_place_is_known(ws):
    found = calculate_bazi("1990-05-15T12:00", place="Beijing")
    assert found["basis"] == "true_solar"
    assert found["chart"] == ["庚午", "辛巳", "庚辰", "辛巳"]
    assert notes(found, "by standard time: 庚午 辛巳 庚辰 壬午")
    found = calculate_bazi("1990-05-15T12:00", "Asia/Shanghai")
    assert (found["basis"], found["chart"][3]) == ("standard", "壬午")
    assert notes(found, "no longitude")
    assert list(found["pillars"]) == ["standard/day23", "standard/day0"]


def test_settings_choose_the_conventions(ws, monkeypatch):
    monkeypatch.setenv("IA_SKILLS_BAZI_CLOCK", "standard")
    monkeypatch.setenv("IA_SKILLS_BAZI_DAY_STARTS", "0")
    found = calculate_bazi("1988-12-10T23:30", "Asia/Shanghai", longitude=120.0)
    assert (found["basis"], found["day_starts"]) == ("standard", 0)
    assert found["chart"] == found["pillars"]["standard/day0"]
    monkeypatch.setenv("IA_SKILLS_BAZI_DAY_STARTS", "12")
    with pytest.raises(ConfigError, match="day_starts"):
        calculate_bazi("1988-12-10T23:30", "Asia/Shanghai")


def test_a_birth_after_23_says_where_the_day_begins(ws):
    found = calculate_bazi("1995-03-20T23:30", "Asia/Shanghai", clock_basis="standard")
    assert notes(found, "between 23:00 and 23:59")
    early = calculate_bazi("1995-03-20T23:30", "Asia/Shanghai", day_starts=0)
    assert early["chart"][2] != found["chart"][2]
    assert early["chart"][3] == found["chart"][3]


def test_both_charts_are_shown_near_a_boundary(ws):
    found = calculate_bazi("2000-02-04T20:30", "Asia/Shanghai")  # the start of spring is at 20:40
    assert [each["chart"][0] for each in found["alternatives"]] == ["庚辰"]
    assert found["chart"][0] == "己卯"
    assert "year pillar; month pillar" in found["alternatives"][0]["note"]
    assert [each["chart"][3][1] for each in calculate_bazi("1999-05-05T09:05", "Asia/Shanghai")["alternatives"]] == [
        "辰"
    ]
    assert calculate_bazi("1999-05-05T10:00", "Asia/Shanghai")["alternatives"] == []


def test_without_an_hour_there_are_three_pillars(ws):
    found = calculate_bazi("1990-05-15", "Asia/Shanghai", sex="f")
    assert found["chart"] == ["庚午", "辛巳", "庚辰"]
    assert found["dayun"] is None
    assert found["utc"] is None
    other = calculate_bazi("2000-02-04", "Asia/Shanghai")["alternatives"]
    assert [each["chart"][:2] for each in other] == [["己卯", "丁丑"]] or [each["chart"][:2] for each in other] == [
        ["庚辰", "戊寅"]
    ]


def test_solar_time_without_a_place_is_standard_time(ws):
    assert calculate_bazi("1990-05-15T12:00", "Asia/Shanghai", clock_basis="solar")["basis"] == "standard"


def test_a_pillar_has_its_gods(ws):
    found = calculate_bazi("1990-05-15T12:00", "Asia/Shanghai")["details"]
    assert found["day"]["god"] is None
    assert (found["year"]["god"], found["month"]["god"], found["hour"]["god"]) == ("比肩", "劫财", "食神")
    assert [each["stem"] for each in found["month"]["hidden"]] == ["丙", "庚", "戊"]
    assert found["year"]["nayin"] == "路旁土"


def test_years_have_their_pillars_and_decades(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-11-28T12:00+08:00")
    card = show_bazi_fortune(local="1990-05-15T12:00", place="Beijing", sex="f", lang="zh")
    assert [row["year"] for row in card["years"]] == list(range(2026, 2036))
    assert (card["years"][0]["pillar"], card["years"][0]["age"], card["years"][0]["god"]) == ("丙午", 36, "七杀")
    assert card["years"][0]["luck"] == "丁丑"
    with pytest.raises(BadData, match="outside"):
        show_bazi_fortune(year=1800, local="1990-05-15T12:00", tz="Asia/Shanghai")
    assert show_bazi_fortune(local="1990-05-15", tz="Asia/Shanghai")["luck_begins"] == ""


def test_a_card_speaks_the_language_of_its_reader(ws):
    english = show_bazi_chart(local="1990-05-15T12:00", place="Beijing", sex="f", lang="en")
    assert english["pillars"][0]["pillar"] == "Geng-Wu"
    assert english["pillars"][2]["god"] == "day master"
    chinese = show_bazi_chart(local="1990-05-15T12:00", place="Beijing", sex="f", lang="zh")
    assert chinese["pillars"][2]["god"] == "日主"
    assert chinese["luck"][0] == "庚辰"


def test_sixty_years_run_through_the_cycle():
    instants = [read_birth(f"{year}-07-01T12:00", "Asia/Shanghai").instant for year in range(1924, 1984)]
    assert [pillar_name(year_and_month(each)[0]) for each in instants][:2] == ["甲子", "乙丑"]
    assert len({year_and_month(each)[0] for each in instants}) == 60
