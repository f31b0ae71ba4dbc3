"""Pillars and charts against births that were reckoned elsewhere (Swiss Ephemeris, other calendars).

The cases are kept outside the repository: IA_LIFE_CASES names the file.
"""

import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from ia.faculties.life import tool_functions
from ia.kernel.errors import IaError

CASES = Path(os.environ.get("IA_LIFE_CASES") or Path(__file__).parents[5] / "shared/data/knowledge/life_cases.json")
pytestmark = pytest.mark.skipif(not CASES.is_file(), reason=f"{CASES.name} is not here: set IA_LIFE_CASES")


@pytest.fixture(scope="module")
def cases():
    return json.loads(CASES.read_text(encoding="utf-8"))


def arcmin(one, other):
    return abs((one - other + 180) % 360 - 180) * 60


def test_pillars_are_exact_in_every_convention(cases, ws):
    wrong = []
    for case in cases["bazi"]:
        given = {name: case[name] for name in ("local", "tz", "longitude", "sex", "fold")}
        found = tool_functions.calculate_bazi(**given, as_date=True)
        wrong += [(case["id"], name) for name in case["pillars"] if found["pillars"][name] != case["pillars"][name]]
        assert (found["utc"], found["dst"], found["standard_time"]) == (case["utc"], case["dst"], case["standard_time"])
        assert found["mean_solar_time"] == case["mean_solar_time"]
        sun = datetime.fromisoformat(found["true_solar_time"]) - datetime.fromisoformat(case["true_solar_time"])
        assert abs(sun.total_seconds()) <= 2
    assert not wrong
    assert len(cases["bazi"]) > 20


def test_luck_decades_agree(cases, ws):
    for case in cases["bazi"]:
        given = {name: case[name] for name in ("local", "tz", "longitude", "sex", "fold")}
        found, wanted = tool_functions.calculate_bazi(**given, as_date=True)["dayun"], case["dayun"]
        assert (found["forward"], found["pillars"]) == (wanted["forward"], wanted["pillars"]), case["id"]
        assert found["start_age"] == wanted["tyme4py"], case["id"]
        assert abs(found["seconds_to_jie"] - wanted["seconds_to_jie"]) <= 4


def test_charts_are_within_the_tolerances(cases, ws):
    limits = cases["about"]["tolerances_arcmin"]
    worst = dict.fromkeys(limits, 0.0)
    for case in cases["natal"]:
        given = {name: case[name] for name in ("local", "tz", "longitude", "latitude")}
        found = tool_functions.calculate_chart(**given, as_date=True)
        assert found["utc"] == case["utc"]
        for name, planet in case["planets"].items():
            assert found["planets"][name]["sign"] == planet["sign"], (case["id"], name)
            assert found["planets"][name]["retrograde"] == planet["retrograde"], (case["id"], name)
            kind = "moon" if name == "Moon" else "planets"
            worst[kind] = max(worst[kind], arcmin(found["planets"][name]["longitude"], planet["longitude"]))
        for kind in ("ascendant", "midheaven", "mean_node"):
            worst[kind] = max(worst[kind], arcmin(found[kind], case[kind]))
        for own, other in zip(found["placidus"], case["placidus"], strict=True):
            worst["placidus"] = max(worst["placidus"], arcmin(own, other))
        assert found["ascendant_sign"] == case["ascendant_sign"]
        assert found["whole_sign_first_house"] == case["whole_sign_first_house"]
    assert {kind: worst[kind] for kind in limits if worst[kind] > limits[kind]} == {}


def test_impossible_births_have_their_status(cases, ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-11-28T12:00+08:00")
    for case in cases["errors"]:
        status = 0
        try:
            found = tool_functions.calculate_bazi(case["local"], case["tz"])
            assert len(found["chart"]) == 3
        except IaError as exc:
            status = exc.status
        assert status == case["status"], case
