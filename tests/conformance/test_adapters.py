"""Every adapter passes one suite; the suite is the one that other packages use."""

import contextlib
import hashlib
import os
import socket

import pytest

from ia.domain.instruments.symbols import from_canonical, resolve_security
from ia.kernel import clock
from ia.kernel.errors import BadData, ConfigError, NotFound
from ia.organs.market.sources.local import LocalSource
from ia.organs.ohlcv.adapters import BUILT_IN, adapter_names, find_adapter, load_adapter
from ia.organs.ohlcv.adapters.conformance import AdapterConformance
from ia.organs.ohlcv.adapters.csv import Csv
from ia.organs.ohlcv.adapters.demo import Demo, simulated_symbols
from ia.organs.ohlcv.adjustment import Action, adjustment_factors
from ia.organs.ohlcv.canonical import bar_lines


class TestDemo(AdapterConformance):
    known = from_canonical("600519.SH")
    unknown = from_canonical("301999.SZ")
    fewest = 2500
    turnover = (1e8, 1e10)

    def adapter(self):
        return Demo()


class TestDemoOfNewYork(TestDemo):
    turnover = (1e9, 1e11)
    known = from_canonical("AAPL.US")
    unknown = from_canonical("ZZZZ.US")


class TestDemoIndex(TestDemo):
    known = from_canonical("000300.SH")
    turnover = None


class TestCsv(AdapterConformance):
    known = from_canonical("600519.SH")
    unknown = from_canonical("301999.SZ")
    turnover = (1e8, 1e10)

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch):
        demo = Demo()
        bars = demo.normalize(demo.fetch(self.known, "2023-01-01", "2024-12-31"))
        (tmp_path / "600519.csv").write_text("".join(bar_lines(bars)))
        (tmp_path / "600519.actions.csv").write_text("date,cash,bonus\n2024-06-19,30.876,\n2023-06-30,25.911,0.1\n")
        monkeypatch.setenv("IA_MARKET_CSV_DIR", str(tmp_path))

    def adapter(self):
        return Csv()


# how adapters are found


def test_built_in_names_and_entry_points_agree():
    from importlib.metadata import entry_points

    installed = {point.name: point.value for point in entry_points(group="ia.adapters")}
    for name, target in BUILT_IN.items():
        assert installed.get(name, target) == target
        assert load_adapter(name).name == name
    assert set(BUILT_IN) <= set(adapter_names())


def test_an_unknown_adapter_names_those_that_exist():
    with pytest.raises(ConfigError) as caught:
        load_adapter("yahoo")
    assert "akshare" in caught.value.hint.format_map(caught.value.params)


def test_an_adapter_of_another_package_is_found(tmp_path, monkeypatch):
    flags = "    simulated = False\n    local = False\n"
    (tmp_path / "mine.py").write_text(f"class Mine:\n    name = 'mine'\n{flags}class Vague:\n    name = 'vague'\n")
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ia.adapters]\nmine = mine:Mine\nvague = mine:Vague\nbroken = nowhere:X\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert load_adapter("mine").name == "mine"
    assert "mine" in adapter_names()
    for name, reason in [("broken", "nowhere"), ("vague", "simulated")]:
        with pytest.raises(ConfigError, match=f"{name}.*{reason}"):
            load_adapter(name)
        assert find_adapter(name) is None
    assert find_adapter("mine").name == "mine"


class Loud(Csv):
    """A folder of files that tells a host of each question."""

    def fetch(self, *asked):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", 9), 0.1)
        return super().fetch(*asked)


def test_the_suite_sees_a_local_adapter_that_asks_a_host(folder, monkeypatch):
    class TestLoud(AdapterConformance):
        known = from_canonical("600519.SH")

        def adapter(self):
            return Loud()

    (folder / "600519.csv").write_text(ROW)
    with pytest.raises(AssertionError):
        TestLoud().test_what_is_local_or_simulated_asks_no_host(monkeypatch)


def test_a_folder_names_the_bytes_that_it_read(folder):
    (folder / "600519.csv").write_text(ROW)
    fetched = Csv().fetch(resolve_security("600519"), "2030-01-01")
    assert fetched.inputs == (hashlib.sha256(ROW.encode()).hexdigest(),)


# what is particular to the simulated market


@pytest.mark.process
def test_a_bar_never_depends_on_when_it_was_generated(monkeypatch):
    demo = Demo()
    whole = {s: (demo.normalize(demo.fetch(s)), demo.actions(s)) for s in simulated_symbols()}
    early_morning = clock.parse_moment("2020-03-16T14:59+08:00")
    monkeypatch.setattr(clock, "wall_time", lambda: early_morning)
    for symbol, (bars, actions) in whole.items():
        try:
            early = demo.normalize(demo.fetch(symbol))
        except NotFound:
            continue
        last = clock.last_visible_date(symbol.market, early_morning)
        count = sum(date <= last for date in bars.date)
        assert early == type(bars)(*(column[:count] for column in bars)), symbol
        assert demo.actions(symbol) == [action for action in actions if action.date <= last]


def test_the_numbers_are_these_on_every_python():
    demo = Demo()
    bars = demo.normalize(demo.fetch(from_canonical("300750.SZ"), "2024-01-02", "2024-01-03"))
    assert list(zip(*bars, strict=True)) == GOLDEN


@pytest.mark.parametrize("symbol", simulated_symbols(), ids=lambda s: s.canonical)
def test_it_looks_like_a_market(symbol):
    demo = Demo()
    bars = demo.normalize(demo.fetch(symbol))
    actions = demo.actions(symbol)
    digits = 3 if symbol.kind == "etf" and symbol.market == "CN" else 2
    assert all(round(price, digits) == price for column in bars[1:5] for price in column)
    assert all(lo <= min(o, c) and h >= max(o, c) for o, h, lo, c in zip(*bars[1:5], strict=True))
    assert symbol.name
    scale = adjustment_factors(bars.date, bars.close, actions)
    ex_days = {action.date for action in actions if action.bonus or action.split != 1}
    for i in range(1, len(bars.date)):
        step = scale[i] / scale[i - 1]
        change = bars.close[i] / (bars.close[i - 1] / step) - 1
        assert abs(change) < 0.31, (bars.date[i], change)
        if symbol.exchange in ("SH", "SZ") and symbol.kind == "stock" and symbol.code < "300":
            reference = half_up(bars.close[i - 1] / step)
            assert bars.high[i] <= half_up(reference * 1.1), bars.date[i]
            assert bars.low[i] >= half_up(reference * 0.9), bars.date[i]
        if bars.date[i] in ex_days:
            assert step > 1.05
            assert bars.open[i] < bars.close[i - 1]


def half_up(price):
    return int(price * 100 + 0.500001) / 100


@pytest.mark.process
def test_there_are_suspensions_splits_bonuses_dividends_and_late_listings():
    demo = Demo()
    bars = {s.canonical: demo.normalize(demo.fetch(s)) for s in simulated_symbols()}
    actions = {s.canonical: demo.actions(s) for s in simulated_symbols()}
    assert len(bars) >= 55
    assert len(bars["000001.SZ"].date) < len(bars["510300.SH"].date)
    assert bars["300750.SZ"].date[0] >= "2018-06-11"
    assert any(action.split > 1 for action in actions["AAPL.US"])
    assert any(action.bonus for action in actions["002594.SZ"])
    assert all(action.cash for action in actions["600519.SH"])
    assert actions["000300.SH"] == []


def test_it_never_passes_for_real():
    assert Demo.simulated is True
    assert Demo().fetch(from_canonical("600519.SH")).host == "simulated"


# what is particular to a folder of files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "prices"
    path.mkdir()
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(path))
    return path


ROW = "date,open,high,low,close,volume\n2024-01-15,185.32,187.5,184.1,186.9,12345678\n"


@pytest.mark.parametrize(
    "file, symbol",
    [
        ("600519.csv", "600519"), ("600519.SH.csv", "600519"), ("sh600519.csv", "600519"), ("600519.ss.CSV", "600519"), ("600519.SSE.csv", "600519"),
        ("贵州茅台.csv", "600519"), ("AAPL.csv", "AAPL"), ("aapl.us.csv", "AAPL"), ("BRK-B.csv", "BRK.B"),
        ("BRK.B.csv", "BRK.B"), ("00700.HK.csv", "00700.HK"), ("0700.hk.csv", "00700.HK"), ("hk00700.csv", "腾讯"),
        ("000001.SZ.csv", "sz000001"), ("上证指数.csv", "sh000001"),
    ],
)  # fmt: skip
def test_names_of_files(folder, file, symbol):
    (folder / file).write_text(ROW)
    adapter = Csv()
    fetched = adapter.fetch(resolve_security(symbol))
    assert adapter.normalize(fetched).close == [186.9]
    assert fetched.host == str(folder)


@pytest.mark.parametrize(
    "code, share, index", [("000001", "000001.SZ", "000001.SH"), ("000009", "000009.SZ", "000009.SH")]
)
def test_a_bare_code_is_that_of_the_share_and_it_is_reported(folder, code, share, index):
    (folder / f"{code}.csv").write_text(ROW)
    fetched = Csv().fetch(resolve_security(share))
    assert Csv().normalize(fetched).close == [186.9]
    assert fetched.note == f"reading {code}.csv as {share}; name a file of {index} {index}.csv"
    with pytest.raises(NotFound):
        Csv().fetch(resolve_security(index))
    (folder / f"{index}.csv").write_text(ROW.replace("186.9", "187.1"))
    assert Csv().normalize(Csv().fetch(resolve_security(index))).close == [187.1]
    assert {symbol.canonical for symbol in LocalSource().symbols()} >= {share}
    assert share in [symbol.canonical for symbol, _, _ in LocalSource().histories()]


def test_two_files_of_one_symbol_stop(folder):
    (folder / "600519.csv").write_text(ROW)
    (folder / "贵州茅台.csv").write_text(ROW)
    with pytest.raises(BadData, match=r"600519\.csv"):
        Csv().fetch(resolve_security("600519"))


def test_an_unknown_symbol_lists_near_files(folder):
    (folder / "600518.csv").write_text(ROW)
    with pytest.raises(NotFound) as caught:
        Csv().fetch(resolve_security("600519"))
    assert "600518.csv" in caught.value.hint.format_map(caught.value.params)


def test_no_folder(monkeypatch, tmp_path):
    with pytest.raises(ConfigError) as caught:
        Csv().fetch(resolve_security("600519"))
    assert "market.csv.dir" in caught.value.hint
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="nowhere"):
        Csv().fetch(resolve_security("600519"))


def test_what_the_normalizer_tells_is_passed_on(folder):
    (folder / "600519.csv").write_text(ROW + "2024-01-16,-,-,-,-,-\n")
    assert Csv().fetch(resolve_security("600519")).note


@pytest.mark.parametrize(
    "text", ["cash\n1\n", "date,gift\n2024-01-15,1\n", "date,cash\n2024-13-15,1\n", "date,cash\n2024-01-15,x\n",
             "date,cash\n2024-01-15,-1\n", "date,cash\n2024-01-15,1\n2024-01-15,1\n", "date,cash\n2024-01-15,inf\n"],
)  # fmt: skip
def test_a_broken_file_of_actions_names_its_line(folder, text):
    (folder / "600519.actions.csv").write_text(text)
    with pytest.raises(BadData, match=r"600519\.actions\.csv:\d"):
        Csv().actions(resolve_security("600519"))


@pytest.mark.parametrize(
    "text, line",
    [
        ("date,cash\n2024-06-18,1\n2024-06-19,1,9\n", 3), (f'date,cash\n2024-06-19,"{"1" * 200_000}"\n', 2),
        ('date,cash\n2024-06-19,"1\n', 2), ('date,cash\n2024-06-19,"1"2\n', 2), ("date,cash\n2024-06-19,1\0\n", 2),
    ],
    ids=["a cell too much", "200 kB", "open quote", "behind a quote", "zero byte"],
)  # fmt: skip
def test_a_file_of_actions_that_is_no_csv(folder, text, line):
    (folder / "600519.actions.csv").write_text(text)
    with pytest.raises(BadData, match=rf"600519\.actions\.csv:{line}:"):
        Csv().actions(resolve_security("600519"))


def test_line_ends_of_any_kind_in_a_file_of_actions(folder):
    (folder / "600519.actions.csv").write_bytes(b"date,cash\r2024-06-19,1\r2024-06-20,2,\r")
    assert [action.cash for action in Csv().actions(resolve_security("600519"))] == [1, 2]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_not_waited_for(folder, make):
    make(folder / "600519.csv")
    with pytest.raises(BadData, match=r"600519\.csv"):
        Csv().fetch(resolve_security("600519"))


def test_actions_of_a_file(folder):
    (folder / "600519.actions.csv").write_text("date,cash,bonus,factor\n2024-06-19,30.876,,\n2020-01-02,,0.5,1.2\n")
    assert Csv().actions(resolve_security("600519")) == [
        Action("2020-01-02", bonus=0.5, factor=1.2), Action("2024-06-19", cash=30.876)
    ]  # fmt: skip


GOLDEN = [
    ("2024-01-02", 83.83, 85.75, 80.31, 80.51, 41781200),
    ("2024-01-03", 80.79, 81.39, 76.28, 76.55, 28466800),
]
