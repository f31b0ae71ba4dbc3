"""Time zones at the command line: those of tasks, and a TZ that is none."""

import json

import pytest

from ia.reach.tasks import decisions


@pytest.fixture
def task(ws, monkeypatch):
    """Approve a task by its fields; it is noon in Shanghai."""
    monkeypatch.setenv("IA_NOW", "2024-03-15T12:00+08:00")

    def approve(name, **fields):
        lines = "\n".join(f"{key}: {value}" for key, value in fields.items())
        ws.write(f"tasks/{name}.md", f"---\n{lines}\nrun: ia usage\n---\n")
        decisions.approve_task(ws, name, by="test")

    return approve


def test_a_time_stands_in_the_zone_of_its_task_which_is_named_where_it_is_another(ia, task):
    task("here", schedule="0 16 * * *", zone="Asia/Shanghai")
    task("utc", schedule="0 9 * * *", zone="Etc/UTC")
    task("close", schedule="close+5m", calendar="CN", zone="America/New_York")
    rows = {line.split("\t")[0]: line.split("\t")[3] for line in ia("task", "list").stdout.splitlines()[1:]}
    assert rows == {"here": "2024-03-15 16:00", "utc": "2024-03-15 09:00 Etc/UTC", "close": "2024-03-15 15:05"}
    assert "  2024-03-15 09:00 Etc/UTC\n" in ia("task", "show", "utc").stdout
    abroad = ia("task", "list", env={"IA_NOW": "2024-03-15T00:00-04:00"}).stdout
    assert "\t2024-03-15 15:05 Asia/Shanghai\t" in abroad
    (row,) = (row for row in json.loads(ia("task", "list", "--json").stdout) if row["name"] == "utc")
    assert row["next"] == "2024-03-15T09:00:00.000Z"


@pytest.mark.parametrize("zone", ["XYZ-99", "ABC+48"])
def test_an_invalid_tz_is_reported(ia, zone):
    run = ia("account", env={"TZ": zone})
    assert (run.returncode, run.stdout) == (78, "")
    assert run.stderr.splitlines()[0] == f"ia: TZ: {zone!r} is not a valid time zone"
    assert ia("account", env={"TZ": "XYZ-9"}).returncode == 0
