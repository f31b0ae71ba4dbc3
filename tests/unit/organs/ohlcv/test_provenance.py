"""Where bytes came from: every origin of them is kept, and what was simulated never passes for real."""

import json

import pytest

from ia.kernel.errors import Message
from ia.organs.ohlcv import provenance
from ia.organs.ohlcv.canonical import Bars, bar_lines

BARS = Bars(["2024-01-02", "2024-01-03"], [1.0, 2.0], [3.0, 3.0], [1.0, 1.0], [2.0, 3.0], [100, 200])
BYTES = "".join(bar_lines(BARS)).encode()
DEMO = {
    "symbol": "600519.SH",
    "adapter": "demo",
    "host": "simulated",
    "adjust": "qfq",
    "period": "daily",
    "simulated": True,
}
CSV = {
    "symbol": "600519.SH",
    "adapter": "csv",
    "host": "/prices",
    "adjust": "qfq",
    "period": "daily",
    "simulated": False,
}
PIPE = {"symbol": "", "adapter": "-", "host": "<stdin>", "adjust": "none", "period": "daily", "simulated": False}
REAL = {**CSV, "adapter": "akshare", "host": "qq.com"}


@pytest.fixture
def written(ws):
    """Write bars with an origin; returns what the user was told."""

    def write(origin, bars=BARS, inputs=()):
        told: list[Message] = []
        provenance.write_with_origin(ws, bars, lambda text: None, inputs=inputs, notify=told.append, **origin)
        return [str(message) for message in told]

    return write


def adapters(ws, data=BYTES):
    return [event.data["adapter"] for event in provenance.find_origins(ws, data)]


def test_unknown_bytes_have_no_origin(ws):
    assert provenance.find_origins(ws, BYTES) == []


def test_each_distinct_origin_is_kept_once(ws, written):
    for _ in range(2):
        for origin in (
            REAL,
            {**REAL, "adjust": "none"},
            {**REAL, "symbol": "601318.SH"},
            {**REAL, "host": "sina.com.cn"},
        ):
            assert written(origin) == []
    assert adapters(ws) == ["akshare"] * 4


@pytest.mark.parametrize("copy", [CSV, PIPE])
def test_a_copy_of_simulated_prices_is_simulated_and_says_so(ws, written, copy):
    written(DEMO)
    (told,) = written(copy)
    assert told.startswith("simulated prices")
    assert [event.data["simulated"] for event in provenance.find_origins(ws, BYTES)] == [True, True]


@pytest.mark.parametrize("copy", [CSV, PIPE])
def test_a_copy_that_came_first_does_not_make_them_real(ws, written, copy):
    assert written(copy) == []
    written(DEMO)
    first, *others = provenance.find_origins(ws, BYTES)
    assert (first.data["adapter"], first.data["simulated"]) == ("demo", True)
    assert [event.data["adapter"] for event in others] == [copy["adapter"]]


def test_what_is_made_of_simulated_prices_is_simulated(ws, written):
    written(DEMO)
    part = Bars(*(column[:1] for column in BARS))
    assert written(PIPE, part, (provenance.bytes_digest(BYTES),))
    again = "".join(bar_lines(part)).encode()
    assert provenance.find_origins(ws, again)[0].data["simulated"] is True
    assert written(CSV, Bars(*(column[1:] for column in BARS)), (provenance.bytes_digest(again),))


def test_not_even_in_the_past(ws, written, monkeypatch):
    written(DEMO)
    monkeypatch.setenv("IA_NOW", "2024-06-01")
    assert provenance.find_origins(ws, BYTES) == []
    assert written(PIPE)
    assert provenance.find_origins(ws, BYTES)[0].data["simulated"] is True


def test_the_source_stands_before_its_copies_and_the_newest_last(ws, written):
    for origin in (PIPE, CSV, REAL, {**CSV, "host": "/other"}):
        written(origin)
    assert adapters(ws) == ["akshare", "-", "csv", "csv"]


def test_a_local_adapter_of_another_package_is_a_copy_too(ws, written, foreign_adapter):
    foreign_adapter("shelf", local=True)
    for origin in ({**CSV, "adapter": "shelf"}, REAL):
        written(origin)
    assert adapters(ws) == ["akshare", "shelf"]


def test_a_header_alone_says_nothing_of_other_prices(ws, written):
    empty = Bars([], [], [], [], [], [])
    written(DEMO, empty)
    assert written(REAL, empty) == []
    assert written(PIPE, BARS, (provenance.bytes_digest("".join(bar_lines(empty)).encode()),)) == []


def test_the_commands_launder_nothing(ia, tmp_path):
    """A copy in a folder, a copy through a pipe, a part of either, and both before the market itself is asked."""
    (tmp_path / "elsewhere").mkdir()
    out = ia("ohlcv", "600519", "--adapter", "demo", env={"IA_HOME": str(tmp_path / "elsewhere")}).stdout
    (tmp_path / "600519.csv").write_text(out)
    folder = {"IA_MARKET_CSV_DIR": str(tmp_path)}
    copied = ia("ohlcv", "600519", "--adapter", "csv", env=folder).stdout
    assert copied == ia("ohlcv", "-", input=out).stdout == out
    assert json.loads(ia("where", "--json", input=out).stdout)["simulated"] is False
    assert ia("ohlcv", "600519", "--adapter", "demo").stdout == out
    known = json.loads(ia("where", "--json", input=out).stdout)
    assert (known["adapter"], known["simulated"]) == ("demo", True)
    assert [other["adapter"] for other in known["others"]] == ["csv", "-"]
    shown = ia("where", input=out).stdout
    assert "simulated\ttrue\n" in shown
    assert shown.splitlines()[-1].startswith("also\t- ")
    for run in (
        ia("ohlcv", "600519", "--adapter", "csv", "--start", "2020-01-01", env=folder),
        ia("ohlcv", "-", "--period", "weekly", input=out),
    ):
        assert "simulated prices" in run.stderr
        assert "simulated\ttrue" in ia("where", input=run.stdout).stdout
