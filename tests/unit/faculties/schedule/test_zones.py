"""Whose clock: TZ, the machine's zone, and the one that cron has."""

import os
import time

import pytest

from ia.faculties.schedule import zones
from ia.kernel.errors import BadData, ConfigError


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine of our own: its /etc/localtime and /etc/timezone."""
    monkeypatch.setattr(zones, "LOCALTIME", str(tmp_path / "localtime"))
    monkeypatch.setattr(zones, "TIMEZONE", str(tmp_path / "timezone"))
    monkeypatch.delenv("TZ", raising=False)
    return tmp_path


@pytest.fixture
def tz(monkeypatch):
    """Live with a TZ, as the C library understands it."""

    def live(value):
        monkeypatch.setenv("TZ", value)
        time.tzset()

    yield live
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("value, name", [
    ("Asia/Shanghai", "Asia/Shanghai"), (":Asia/Tokyo", "Asia/Tokyo"), ("UTC", "UTC"),
    ("/usr/share/zoneinfo/Europe/London", "Europe/London"), ("CST-8", "Etc/GMT-8"), ("EST5EDT", "EST5EDT"),
    ("<+0530>-5:30", "Asia/Calcutta"), ("<-03>3", "Etc/GMT+3"),
])  # fmt: skip
def test_own_is_what_tz_says(tz, value, name):
    tz(value)
    assert zones.user_zone().key == name


def test_own_is_the_machines_without_tz(machine):
    (machine / "zoneinfo" / "Asia").mkdir(parents=True)
    (machine / "zoneinfo" / "Asia" / "Shanghai").write_text("")
    os.symlink(machine / "zoneinfo" / "Asia" / "Shanghai", machine / "localtime")
    assert zones.user_zone().key == zones.system_zone().key == "Asia/Shanghai"


def test_the_machine_may_only_have_its_name_in_a_file(machine):
    (machine / "localtime").write_bytes(b"TZif2")
    (machine / "timezone").write_text("America/New_York\n")
    assert zones.system_zone().key == "America/New_York"


def test_a_machine_that_does_not_tell(machine, tz):
    tz("<+08>-8")
    assert zones.system_zone().key == "Etc/GMT-8"


def test_cron_lives_in_the_machines_zone_whatever_tz_is(machine, monkeypatch):
    (machine / "timezone").write_text("Europe/London\n")
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    assert (zones.user_zone().key, zones.system_zone().key) == ("Asia/Shanghai", "Europe/London")
    monkeypatch.setenv("IA_CRON_ZONE", "Australia/Lord_Howe")
    assert zones.system_zone().key == "Australia/Lord_Howe"
    monkeypatch.setenv("IA_CRON_ZONE", "Nowhere")
    with pytest.raises(ConfigError):
        zones.system_zone()


@pytest.mark.parametrize("name", ["", "Asia", "Asia/", "/etc/passwd", "../../etc/passwd", "Asia/Shangai", "localtime", "+08:00",
                                  "x" * 500, "Asia/Shanghai\0", "posixrules/../UTC", "北京"])  # fmt: skip
def test_an_invalid_zone_is_refused(name):
    with pytest.raises(BadData, match="is not a valid time zone"):
        zones.load_zone(name)


@pytest.mark.parametrize(
    "wrong, near", [("Asia/Shangai", "Asia/Shanghai"), ("new york", "America/New_York"), ("london", "Europe/London")]
)
def test_the_nearest_is_suggested(wrong, near):
    with pytest.raises(BadData) as caught:
        zones.load_zone(wrong)
    assert near in caught.value.params["near"]
