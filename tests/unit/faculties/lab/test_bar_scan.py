"""A scan of packed bars gives what the mirror gives of the same bars, and what compute gives of each file."""

import math
from pathlib import Path

import pytest

from ia.faculties.lab import bar_packing
from ia.faculties.lab.bar_packing import open_csv_source, open_mirror_source, pack_bars
from ia.faculties.lab.bar_scan import scan_bars
from ia.faculties.lab.scan import ScanRequest, scan_market
from ia.kernel.errors import BadData, NotFound, Refused, UsageError
from ia.kernel.workspace import Workspace
from ia.organs.compute.array_lane import compile_array
from ia.organs.market import market_reader
from ia.organs.market.industry_history import load_industries
from ia.organs.market.mirror.reader import load_mirror
from ia.organs.market.sync import SyncRequest, sync_market
from ia.organs.ohlcv.canonical import read_bars
from support.minute_bars import DAYS, NEEDS_CLUSTER, NOW, write_minutes
from support.servers.s3 import S3Server

pytestmark = NEEDS_CLUSTER

EXPRESSIONS = (
    "close",
    "volume",
    "high - low",
    "rsi(close, 14)",
    "macd(close)['histogram']",
    "highest(high, 100)",
    "atr(high, low, close, 14) / close",
    "obv(close, volume)",
    "barssince(close > sma(close, 60))",
    "sma(close, 200)",
    "rsi(close, 14) < 45",
    "crossover(sma(close, 5), sma(close, 20))",
    "(close > sma(close, 200)) & (volume > sma(volume, 20))",
)
COMPARING = (
    "xrank(roc(close, 20)) > 0.5",
    "xzscore(volume)",
    "xdemean(rsi(close, 14), industry)",
    "(xrank(xdemean(close, industry)) < 0.4) & (rsi(close, 14) < 60)",
    "xrank(close) - xrank(volume)",
)
SETTINGS = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:30:00+08:00", "IA_COMPUTE_ISOLATION": "prefer"}


@pytest.fixture(scope="module")
def daily(tmp_path_factory):
    """A synced simulated market, and its packed bars."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("packed")
        for name, value in {**SETTINGS, "XDG_STATE_HOME": str(folder / "state")}.items():
            patch.setenv(name, value)
        (folder / "home").mkdir()
        ws = Workspace(str(folder / "home"))
        sync_market(ws, SyncRequest(job="daily"))
        with market_reader.open_market(ws) as db:
            day = market_reader.load_day(db)
        patch.setattr(bar_packing, "BLOCK", 7)
        source = open_mirror_source(load_mirror(ws, day.name, day.date), simulated=True)
        return ws, pack_bars(source, str(folder / "bars")).url


@pytest.fixture(scope="module")
def minutes(tmp_path_factory):
    """Minute bars as files, and packed."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("minutes")
        patch.setenv("IA_NOW", NOW)
        patch.setattr(bar_packing, "BLOCK", 8)
        files = write_minutes(folder / "csv", 45)
        return files, pack_bars(open_csv_source(files, "1m"), str(folder / "bars")).url


@pytest.mark.share(4)
@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.parametrize("now", [SETTINGS["IA_NOW"], "2021-07-01T16:30:00+08:00", "2018-01-02T12:00:00+08:00"])
def test_it_equals_a_scan_of_the_mirror(daily, monkeypatch, stale, now):
    for name, value in {**SETTINGS, "IA_NOW": now}.items():
        monkeypatch.setenv(name, value)
    ws, url = daily

    def industries(date):
        with market_reader.open_market(ws) as db:
            return load_industries(db, market_reader.load_day(db).source, [date])[0][1]

    for expression in (*EXPRESSIONS, *COMPARING):
        asked = ScanRequest(expression=expression, columns=("volume", "sma(close, 3)"), stale=stale)
        wanted, got = scan_market(ws, asked), scan_bars(url, asked, industries=industries)
        assert (got.rows and sorted(got.rows) == sorted(wanted.rows)) or not wanted.rows, expression
        for name in ("day", "truth", "looked", "unknown", "simulated", "count"):
            assert getattr(got, name) == getattr(wanted, name), (expression, name)
        assert sorted(got.stale) == sorted(wanted.stale)


@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.parametrize("now", [NOW, "2024-01-03T10:31:00+08:00"])
@pytest.mark.share(3)
def test_minutes_equal_compute_on_each_file(minutes, monkeypatch, stale, now):
    monkeypatch.setenv("IA_NOW", now)
    files, url = minutes
    until = now[:19]
    histories = {}
    for path in sorted(Path(files).iterdir()):
        with path.open("rb") as stream:
            bars = read_bars(stream, path.name).between_dates(None, until)
        if bars.date:
            histories[path.stem] = bars
    day = max(bars.date[-1] for bars in histories.values())
    current = {symbol: bars for symbol, bars in histories.items() if stale or bars.date[-1][:10] == day[:10]}
    for expression in EXPRESSIONS:
        plan = compile_array(expression)
        wanted = {}
        for symbol, bars in current.items():
            value = plan.run(bars)
            value = value.value if value.kind == "scalar" else value.arrays[0][-1].item()
            if value is not False and value == value:
                wanted[symbol] = (bars.date[-1], bars.close[-1], value)
        found = scan_bars(url, ScanRequest(expression=expression, stale=stale))
        got = {row.symbol: (row.date, row.close, row.value) for row in found.rows}
        assert found.day == day and found.looked == len(current)
        assert set(found.stale) == {s for s, bars in histories.items() if bars.date[-1][:10] < day[:10]}
        assert got.keys() == wanted.keys(), expression
        for symbol, (time, close, value) in wanted.items():
            assert got[symbol][:2] == (time, close)
            assert math.isclose(got[symbol][2], value, rel_tol=1e-10, abs_tol=1e-12), (expression, symbol)


def test_chosen_symbols_are_looked_at_and_missing_ones_told(minutes, monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    told = []
    asked = ScanRequest(expression="close", symbols=("600033.SH", "600000.SH", "601318.SH"), stale=True)
    found = scan_bars(minutes[1], asked, notify=told.append)
    assert {row.symbol for row in found.rows} == {"600000.SH", "600033.SH"} and found.looked == 2
    assert any("601318.SH" in str(message) for message in told)


def test_only_the_columns_and_months_that_are_needed_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    with S3Server("bars") as server:
        server.use(monkeypatch)
        url = pack_bars(open_csv_source(write_minutes(tmp_path / "csv", 3), "1m"), "s3://bars/deep/er").url
        assert url == "s3://bars/deep/er/CN/1m"
        server.gets.clear()
        assert len(scan_bars(url, ScanRequest(expression="sma(close, 20)")).rows) == 3
        assert {name.split("/")[-2] for name in server.gets if name.endswith(".b2")} == {"close"}
        assert not [name for name in server.gets if "2023-12" in name or "2024-01/close" in name]
        server.gets.clear()
        scan_bars(url, ScanRequest(expression="obv(close, volume)"))
        read = {tuple(name.split("/")[-3:-1]) for name in server.gets if name.endswith(".b2")}
        assert read == {(month, name) for month in ("2023-12", "2024-01", "2024-02") for name in ("close", "volume")}


def test_each_object_is_fetched_once_ahead_of_its_block(tmp_path, monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    monkeypatch.setattr(bar_packing, "BLOCK", 4)
    with S3Server("bars") as server:
        server.use(monkeypatch)
        url = pack_bars(open_csv_source(write_minutes(tmp_path / "csv", 30), "1m"), "s3://bars").url
        for expression, columns in (("obv(close, volume) > 0", {"close", "volume"}), ("close > 0", {"close"})):
            server.gets.clear()
            found = scan_bars(url, ScanRequest(expression=expression, stale=True))
            assert found.looked == 30
            blocks = [name for name in server.gets if name.endswith(".b2")]
            assert len(blocks) == len(set(blocks)) and {name.split("/")[-2] for name in blocks} == columns


def test_faults_of_a_bucket(tmp_path, monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    source = open_csv_source(write_minutes(tmp_path / "csv", 2), "1m")
    with S3Server("bars") as server:
        server.use(monkeypatch)
        with pytest.raises(NotFound):
            pack_bars(source, "s3://nothing/here")
        with pytest.raises(NotFound):
            scan_bars("s3://bars/nothing", ScanRequest(expression="close"))
        url = pack_bars(source, "s3://bars").url
        server.deny.add("GET")
        with pytest.raises(Refused):
            scan_bars(url, ScanRequest(expression="close"))
        server.deny = {"PUT"}
        with pytest.raises(Refused):
            pack_bars(source, "s3://bars/again")
        server.deny.clear()
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        with pytest.raises(Refused):
            scan_bars(url, ScanRequest(expression="close"))


@pytest.mark.parametrize("lost", ["2024-01/index.json", "2024-01/close/0000", "catalog.json"])
def test_what_is_missing_or_damaged_is_never_left_out(tmp_path, monkeypatch, lost):
    monkeypatch.setenv("IA_NOW", NOW)
    url = Path(pack_bars(open_csv_source(write_minutes(tmp_path / "csv", 2), "1m"), str(tmp_path / "bars")).url)
    path = next(url.glob(f"{lost}*"))
    whole = path.read_bytes()
    for content in (whole[:-1], b"", b"{}", b"\0" * len(whole), None):
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(NotFound if content is None and lost == "catalog.json" else BadData) as failed:
            scan_bars(str(url), ScanRequest(expression="obv(close, volume)"))
        assert (path.name if content is not None else str(url)) in str(failed.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"form":"delta"', '"form":"less-close"'),
        ('"form":"delta"', '"form":"gzip"'),
        ('"tick":0.01', '"tick":0'),
        ('"tick":0.01', '"tick":null'),
        ('"tick":0.01', '"tick":"0.01"'),
        ('"block":500', '"block":0'),
        ('"block":500', '"block":1'),
        ('"symbols":["600000.SH"', '"symbols":["600000.SH","600000.SH"'),
        ('"file":', '"name":'),
        ('"format":1', '"format":2'),
        ('"close":[', '"middle":['),
    ],
)
def test_an_index_that_makes_no_sense_is_refused(tmp_path, monkeypatch, old, new):
    monkeypatch.setenv("IA_NOW", NOW)
    url = Path(pack_bars(open_csv_source(write_minutes(tmp_path / "csv", 2), "1m"), str(tmp_path / "bars")).url)
    index = url / "2024-02" / "index.json"
    assert old in index.read_text()
    index.write_text(index.read_text().replace(old, new))
    with pytest.raises(BadData, match=r"index\.json"):
        scan_bars(str(url), ScanRequest(expression="close"))


def test_what_cannot_be_scanned_is_refused_before_bars_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("IA_COMPUTE_ISOLATION", "prefer")
    for expression, error in (
        ("close.shift(-1) > close", Refused),
        ("close +", BadData),
        ("macd(close)", BadData),
        ("", BadData),
        ("nothing(close)", BadData),
        ("sma(close, 0)", BadData),
        ("ta.rsi(close, 14)", UsageError),
        ("(ta.rsi(close, 14) > 3) & (close > 2)", UsageError),
        ("sma(xrank(close), 5)", UsageError),
        ("xrank(ta.rsi(close, 14))", UsageError),
        ("xrank(sma(close, 0))", BadData),
        ("xrank(close, 3)", BadData),
        ("close", NotFound),
    ):
        with pytest.raises(error):
            scan_bars(str(tmp_path / "nowhere"), ScanRequest(expression=expression))


def test_the_day_is_compared_at_the_newest_minute_of_each(minutes, monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    values = {row.symbol: row.value for row in scan_bars(minutes[1], ScanRequest(expression="close")).rows}
    ranks = {row.symbol: row.value for row in scan_bars(minutes[1], ScanRequest(expression="xrank(close)")).rows}
    order = sorted(values, key=values.get)
    assert ranks == {symbol: (place + 1) / len(order) for place, symbol in enumerate(order)}
    with pytest.raises(BadData, match="no number"):
        scan_bars(minutes[1], ScanRequest(expression="xrank(close > 3) > 0.5"))
    for asked in ({"since": "2024-02-01"}, {"columns": ("xrank(close, industry)",)}):
        with pytest.raises(UsageError):
            scan_bars(minutes[1], ScanRequest(expression="close", **asked))


def test_before_the_first_bar_there_is_nothing_to_scan(minutes, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DAYS[0]}T08:00:00+08:00")
    with pytest.raises(NotFound):
        scan_bars(minutes[1], ScanRequest(expression="close"))
