"""Packed bars: the same input gives the same bytes, what is interrupted is continued, nothing is lost or rounded."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from ia.faculties.lab import bar_packing
from ia.faculties.lab.bar_catalogs import PackedBars
from ia.faculties.lab.bar_packing import BadBlock, open_csv_source, open_mirror_source, pack_bars, verify_bars
from ia.kernel.errors import BadData, NotFound, Refused, TryLater, UsageError
from ia.organs.market.mirror.reader import Mirror
from ia.organs.ohlcv.canonical import read_bars
from support.minute_bars import NEEDS_CLUSTER, NOW, invent_minutes, write_minutes
from support.servers.s3 import S3Server

pytestmark = NEEDS_CLUSTER

HEADER = "date,open,high,low,close,volume\n"


@pytest.fixture(autouse=True)
def now(monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def test_the_same_bars_give_the_same_bytes_and_are_left_alone(tmp_path):
    files = write_minutes(tmp_path / "csv", 12)
    first = pack_bars(open_csv_source(files, "1m"), str(tmp_path / "a"))
    assert [span.name for span in first.spans] == ["2023-12", "2024-01", "2024-02"]
    assert all(span.written == 5 and span.size for span in first.spans)
    pack_bars(open_csv_source(files, "1m"), str(tmp_path / "b"))
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.b2")}
    again = pack_bars(open_csv_source(files, "1m"), str(tmp_path / "a"))
    assert [span.written for span in again.spans] == [0, 0, 0]
    assert stamps == {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.b2")}


def test_every_number_comes_back_to_the_bit(tmp_path):
    files = write_minutes(tmp_path / "csv", 12)
    bars = PackedBars(pack_bars(open_csv_source(files, "1m"), str(tmp_path / "bars")).url)
    forms = {entry.form for span, _ in bars.spans for each in bars.index(span).columns.values() for entry in each}
    assert forms == {"float", "plain"}  # one security has prices that no tick fits
    for symbol, lines in invent_minutes(12):
        whole = read_bars(open_csv(lines), symbol)
        for name in ("open", "high", "low", "close", "volume"):
            read = np.concatenate([bars.read(span, name, [symbol])[:, 0] for span, _ in bars.spans])
            assert read[~np.isnan(read)].tolist() == [float(value) for value in getattr(whole, name)]
        times = [time for span, _ in bars.spans for time in bars.index(span).times]
        closes = np.concatenate([bars.read(span, "close", [symbol])[:, 0] for span, _ in bars.spans])
        assert [times[row] for row in np.nonzero(~np.isnan(closes))[0]] == whole.date


def open_csv(lines):
    return io.BytesIO((HEADER + "\n".join([*lines, ""])).encode())


@pytest.mark.parametrize(
    ("close", "form", "tick"),
    [
        ([12.34, 12.35, np.nan], "delta", 0.01),
        ([1.234, np.nan, 0.001], "delta", 0.001),
        ([1.2345, 7.0, 8.0], "delta", 0.0001),
        ([1.23456, 7.0, 8.0], "float", None),
        ([21474836.46, 0.01, np.nan], "delta", 0.01),
        ([21474836.48, 0.01, 1.0], "float", None),
        ([0.1 + 0.2, 1.0, 1.0], "float", None),
    ],
)
@pytest.mark.parametrize("volume", [[100.0, 0.0, 3e11], [100.0, 0.0, 200.0], [7.0, 2147483647.0, 1.0], [2.0**52, 0, 1]])
def test_what_does_not_fit_is_kept_as_it_is(tmp_path, close, form, tick, volume):
    close = np.array(close)[:, None]
    volume = np.where(np.isnan(close), np.nan, np.array(volume)[:, None])
    prices = {"open": close + 0.01, "high": close * 1.5, "low": close - 0.004, "close": close}
    columns = {**prices, "volume": volume, "factor": np.array([[1.0], [1.0], [1.1234567890123]])}
    mirror = Mirror(["2024-01-02", "2024-01-03", "2024-01-04"], ["600000.SH"], columns)
    bars = PackedBars(pack_bars(open_mirror_source(mirror), str(tmp_path)).url)
    entry = bars.index("2024").columns["close"][0]
    assert (entry.form, entry.tick) == (form, tick)
    for name, values in columns.items():
        got = bars.read("2024", name, ["600000.SH"])
        assert got.tobytes() == np.ascontiguousarray(values).tobytes(), name


def test_a_new_month_and_new_symbols_are_added_and_old_blocks_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(bar_packing, "BLOCK", 4)
    files = Path(write_minutes(tmp_path / "csv", 9))
    late = {path.name: path.read_text() for path in files.iterdir()}
    for name, text in late.items():
        lines = text.splitlines(keepends=True)
        early = [line for line in lines[1:] if line < "2024-02-02"]
        (files / name).write_text("".join([lines[0], *early]))
    (files / "600008.SH.csv").unlink()
    url = pack_bars(open_csv_source(str(files), "1m"), str(tmp_path / "bars")).url
    before = contents(url)
    for name, text in late.items():
        (files / name).write_text(text)
    for name in ("600001.SH.csv", "600008.SH.csv"):  # a month later the files have no more than that
        lines = late[name].splitlines(keepends=True)
        (files / name).write_text("".join(lines))
    with pytest.raises(Refused):
        (files / "600001.SH.csv").rename(tmp_path / "kept")
        pack_bars(open_csv_source(str(files), "1m"), url[: -len("/CN/1m")])
    (tmp_path / "kept").rename(files / "600001.SH.csv")
    packed = pack_bars(open_csv_source(str(files), "1m"), url[: -len("/CN/1m")])
    assert packed.spans[-1].symbols == 9
    after = contents(url)
    used = {
        f"{span}/{column}/{entry['file']}"
        for span in ("2023-12", "2024-01", "2024-02")
        for column, entries in json.loads(after[f"{span}/index.json"])["columns"].items()
        for entry in entries
    }
    assert {name for name in after if name.endswith(".b2")} == used
    assert before.keys() - after.keys() and verify_bars(url)[1] == []


def test_a_later_month_alone_is_added_to_those_before(tmp_path):
    files = Path(write_minutes(tmp_path / "csv", 6))
    texts = {path.name: path.read_text().splitlines(keepends=True) for path in files.iterdir()}
    for month in ("2023-12", "2024-01", "2024-02"):
        for name, lines in texts.items():
            (files / name).write_text("".join([lines[0], *(line for line in lines[1:] if line.startswith(month))]))
        url = pack_bars(open_csv_source(str(files), "1m"), str(tmp_path / "bars")).url
    for name, lines in texts.items():
        (files / name).write_text("".join(lines))
    assert (
        PackedBars(url).height
        == PackedBars(pack_bars(open_csv_source(str(files), "1m"), str(tmp_path / "b")).url).height
    )
    assert contents(url) == contents(tmp_path / "b" / "CN" / "1m")


def test_an_interrupted_run_is_continued_and_readers_see_the_bars_of_before(tmp_path, monkeypatch):
    files = write_minutes(tmp_path / "csv", 6)
    whole = contents(pack_bars(open_csv_source(files, "1m"), str(tmp_path / "whole")).url)
    with S3Server("bars") as server:
        server.use(monkeypatch)
        put = dict(server.buckets["bars"])

        class Full(dict):
            def __setitem__(self, key, value):
                if len(self) == 9:
                    server.deny.add("PUT")
                super().__setitem__(key, value)

        server.buckets["bars"] = Full(put)
        with pytest.raises(Refused):
            pack_bars(open_csv_source(files, "1m"), "s3://bars")
        assert [span.name for span in PackedBars("s3://bars/CN/1m").spans] == ["2023-12"]
        server.deny.clear()
        server.buckets["bars"] = dict(server.buckets["bars"])
        packed = pack_bars(open_csv_source(files, "1m"), "s3://bars")
        assert [bool(span.written) for span in packed.spans] == [False, True, True]
        assert {name.removeprefix("CN/1m/"): data for name, data in server.buckets["bars"].items()} == whole


def test_verify_names_what_is_missing_or_damaged(tmp_path):
    url = pack_bars(open_csv_source(write_minutes(tmp_path / "csv", 3), "1m"), str(tmp_path / "bars")).url
    assert verify_bars(url) == (15, [])
    gone, bad = sorted(Path(url).glob("2024-01/*/*.b2"))[:2]
    gone.unlink()
    bad.write_bytes(bad.read_bytes()[:-1] + b"x")
    checked, found = verify_bars(url)
    assert checked == 15
    assert sorted(found) == sorted(
        BadBlock("2024-01", path.parent.name, path.name, problem)
        for path, problem in ((gone, "missing"), (bad, "damaged"))
    )


def test_nothing_later_than_now_is_packed(tmp_path, monkeypatch):
    files = write_minutes(tmp_path / "csv", 3)
    monkeypatch.setenv("IA_NOW", "2024-01-03T10:00:00+08:00")
    bars = PackedBars(pack_bars(open_csv_source(files, "1m"), str(tmp_path / "bars")).url)
    assert bars.day == "2024-01-03T10:00:00" and list(bars.catalog.spans) == ["2023-12", "2024-01"]
    monkeypatch.setenv("IA_NOW", NOW)
    pack_bars(open_csv_source(files, "1m"), str(tmp_path / "bars"))
    monkeypatch.setenv("IA_NOW", "2024-01-03T10:00:00+08:00")
    with pytest.raises(Refused):
        pack_bars(open_csv_source(files, "1m"), str(tmp_path / "bars"))
    assert PackedBars(bars.folder.url).day == "2024-01-03T10:00:00"


@pytest.mark.parametrize(
    ("name", "text", "error", "told"),
    [
        ("600000.csv", "time,close\n", BadData, "header"),
        ("600000.csv", "", BadData, "header"),
        ("nobody.csv", HEADER, BadData, "not a symbol"),
        ("600000.csv", HEADER + "2024-01-02,1,1,1,1,1\n", BadData, "no time of day"),
        ("600000.csv", HEADER + "2024-01-02T09:31:00,1,1,1,x,1\n", BadData, "600000.csv:2"),
        ("600000.csv", HEADER + "2023-12-29T09:31:00,1,1,1,1,1\n2024-01-02T09:31:00,1,1,1,1,-1\n", BadData, "csv:3"),
        ("600000.csv", HEADER + "2024-01-03T09:31:00,1,1,1,1,1\n2023-12-29T09:31:00,1,1,1,1,1\n", BadData, "600000"),
        ("600000.csv", HEADER + "yesterday,1,1,1,1,1\n", BadData, "yesterday"),
        ("AAPL.csv", HEADER + "2024-01-02T09:31:00,1,1,1,1,1\n", BadData, "several markets"),
        ("sh600001.csv", HEADER, BadData, "more than one file"),
    ],
)
def test_files_that_cannot_be_packed(tmp_path, name, text, error, told):
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "600001.csv").write_text(HEADER + "2024-01-02T09:31:00,1,1,1,1,1\n")
    (tmp_path / "csv" / name).write_text(text)
    with pytest.raises(error, match=told):
        pack_bars(open_csv_source(str(tmp_path / "csv"), "1m"), str(tmp_path / "bars"))


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    source = open_csv_source(write_minutes(tmp_path / "csv", 1), "1m")
    (tmp_path / "file").write_text("x")
    for place, error in (
        (str(tmp_path / "file"), UsageError),
        ("ftp://somewhere/else", UsageError),
        ("s3://", UsageError),
    ):
        with pytest.raises(error):
            pack_bars(source, place)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    with pytest.raises(TryLater):
        pack_bars(source, "s3://bars")
    (tmp_path / "empty").mkdir()
    for folder, period, error in (("nowhere", "1m", NotFound), ("empty", "1m", NotFound), ("csv", "1w", UsageError)):
        with pytest.raises(error):
            open_csv_source(str(tmp_path / folder), period)
