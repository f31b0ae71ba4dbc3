"""The kept sessions: read without the package, asked again after an upgrade, and the same as its own calendar."""

import json
import sys
from datetime import datetime
from importlib.metadata import version

import pytest

from ia.organs.ohlcv import calendar, session_days


@pytest.fixture(autouse=True)
def forgotten(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    session_days._load_session_days.cache_clear()
    yield
    session_days._load_session_days.cache_clear()


@pytest.fixture
def kept(ws):
    """A user for whom a few days are kept, as if the package had told no more."""
    raw = {"first": "2024-02-05", "last": "2024-02-20", "regular": 900, "other": {}, "unplanned": ["2024-02-07"]}
    raw |= {"days": ["2024-02-05", "2024-02-06", "2024-02-08", "2024-02-19", "2024-02-20"]}
    session_days.files.keep_file(
        f"{session_days.cache_folder()}/sessions-XSHG.json",
        json.dumps({"stamp": session_days.package_version(), **raw}),
    )
    return ws


def test_the_version_is_that_of_the_metadata():
    assert session_days.package_version() == version("exchange_calendars")


def test_what_is_kept_is_read_without_the_package(kept, monkeypatch):
    monkeypatch.setitem(sys.modules, "exchange_calendars", None)  # an import would fail
    assert calendar.list_sessions("CN", "2024-02-05", "2024-02-21") == [
        "2024-02-06", "2024-02-08", "2024-02-19", "2024-02-20", "2024-02-21",
    ]  # fmt: skip
    assert calendar.is_holiday("CN", "2024-02-12") and not calendar.is_holiday("CN", "2024-02-04")
    assert calendar.last_session("CN", datetime.fromisoformat("2024-02-18T12:00+08:00")) == "2024-02-08"
    assert calendar.known_until("CN") == "2024-02-20"
    assert calendar.unscheduled_closures("CN") == frozenset({"2024-02-07"})


def test_another_version_of_the_package_is_asked(kept, monkeypatch):
    monkeypatch.setattr(session_days, "package_version", lambda: "9.9")
    assert calendar.count_sessions("CN", "2024-02-05", "2024-02-21") == 6
    assert calendar.known_until("CN") > "2026-01-01"


def test_unplanned_closures_of_the_package(ws):
    assert "2025-01-09" in calendar.unscheduled_closures("US"), "a day of mourning"
    assert "2023-07-17" in calendar.unscheduled_closures("HK"), "a typhoon"
    assert calendar.unscheduled_closures("CN") == frozenset()
