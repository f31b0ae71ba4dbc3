"""ia bars and ia scan --bars, from the outside."""

import json

import pytest

from support.minute_bars import NEEDS_CLUSTER, NOW, write_minutes

pytestmark = NEEDS_CLUSTER


@pytest.fixture
def market(ia, monkeypatch):
    for name, value in {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:30:00+08:00"}.items():
        monkeypatch.setenv(name, value)
    assert ia("sync", "daily").returncode == 0
    return ia


@pytest.mark.soak
def test_packed_bars_answer_as_the_market_does(market, tmp_path):
    packed = market("bars", "pack", str(tmp_path / "packed"))
    url = packed.stdout.strip()
    assert packed.returncode == 0 and url == str(tmp_path / "packed" / "CN" / "1d")
    assert "simulated" in packed.stderr and "60 blocks" in packed.stderr
    again = json.loads(market("bars", "pack", str(tmp_path / "packed"), "--json").stdout)
    assert again["url"] == url and {span["written"] for span in again["spans"]} == {0}
    for words in (
        ["rsi(close, 14) < 45", "--where", "pe < 20", "--columns", "rsi(close, 14),close", "--json"],
        ["rsi(close, 14)", "-n", "5"],
        ["close > 0", "--count"],
        ["xdemean(roc(close, 20), industry) > 0", "--codes"],
        ["close > 0", "--in", "银行", "--stale"],
    ):
        stored, bars = market("scan", *words), market("scan", *words, "--bars", url)
        assert stored.stdout and (bars.stdout, bars.returncode) == (stored.stdout, stored.returncode)
        assert "simulated" in bars.stderr
    assert market("bars", "verify", url).returncode == 0
    block = sorted((tmp_path / "packed").rglob("close/*.b2"))[-1]
    block.write_bytes(block.read_bytes()[:-1])
    checked = market("bars", "verify", url, "--json")
    assert checked.returncode == 1 and json.loads(checked.stdout)[0]["problem"] == "damaged"
    failed = market("scan", "close > 0", "--bars", url)
    assert failed.returncode == 65 and failed.stdout == "" and block.name in failed.stderr


def test_minutes_of_a_folder(ia, tmp_path, monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    files = write_minutes(tmp_path / "csv", 6)
    url = ia("bars", "pack", str(tmp_path / "packed"), "--from", files).stdout.strip()
    assert url.endswith("/CN/1m")
    rows = json.loads(ia("scan", "close > 0", "--bars", url, "--json").stdout)
    assert rows and all(row["date"].startswith("2024-02-02T") for row in rows)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("scan close --bars nowhere", 66),
        ("scan close --bars .", 66),
        ("scan close --bars http://127.0.0.1/x", 2),
        ("scan close --cluster tcp://127.0.0.1:9", 2),
        ("scan close --bars . --cluster 127.0.0.1", 2),
        ("scan close --bars . --since 2024-03-01", 2),
        ("scan close+ --bars .", 65),
        ("bars pack packed --from nowhere", 66),
        ("bars pack packed --from . --period 1x", 2),
        ("bars pack packed --from .", 66),
        ("bars pack packed", 66),
        ("bars pack", 2),
        ("bars verify .", 66),
        ("bars verify nowhere", 66),
    ],
)
def test_statuses(ia, tmp_path, monkeypatch, words, status):
    monkeypatch.chdir(tmp_path)
    run = ia(*words.split())
    assert (run.returncode, run.stdout) == (status, "")
    lines = run.stderr.splitlines()
    assert lines[0].startswith("ia: ") and all(line.startswith("hint: ") for line in lines[1:])


def test_a_scheduler_that_is_not_there(market, tmp_path):
    url = market("bars", "pack", str(tmp_path / "packed")).stdout.strip()
    run = market("scan", "close > 0", "--bars", url, "--cluster", "tcp://127.0.0.1:9")
    assert run.returncode == 75 and run.stdout == "" and "tcp://127.0.0.1:9" in run.stderr
