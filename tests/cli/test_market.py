"""ia quote, fundamentals, screen and market, as processes on a small market."""

import json

import pytest

from support.markets.stored_quotes import fill, insert, quote

FRI = "2024-03-15"
COMMANDS = [
    ("quote", "600519"), ("fundamentals", "600519"), ("screen", "pe < 15"), ("market", "summary"), ("market", "gainers"),
    ("market", "sectors"), ("market", "mainline"), ("market", "northbound"), ("market", "lhb"),
]  # fmt: skip


@pytest.fixture
def small(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{FRI}T16:00:00+08:00")
    fill(ws, {FRI: [
        quote("600519.SH", "贵州茅台", 1.5, 1700.0, pe=30.0, roe_pct=31.0, market_cap=2.1e12, industry="白酒", concepts="白酒;高股息"),
        quote("600036.SH", "招商银行", -0.5, 32.0, pe=5.5, roe_pct=15.0, market_cap=8e11, industry="银行"),
        quote("000001.SZ", "平安银行", 0.0, 10.4, pe=4.2, roe_pct=11.0, market_cap=2e11, industry="银行"),
        quote("000982.SZ", "*ST中绒", -4.9, 0.8, pe=None, roe_pct=None, market_cap=3e9, industry="纺织"),
    ]})  # fmt: skip
    told = {"published": None, "profit": 52.0, "eps": 42.0, "roe_pct": 31.0}
    insert(ws, "fundamentals", {"symbol": "600519.SH", "period": "2022-12-31", **told})
    insert(ws, "northbound", {"date": FRI, "channel": "north", "net": None, "turnover": 1.2e11})
    insert(ws, "lhb", {"date": FRI, "symbol": "000982.SZ", "name": "*ST中绒", "reason": "跌幅", "net": -1e6})
    return ws


def tsv(run):
    assert run.returncode == 0, run.stderr
    head, *lines = run.stdout.splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nothing_stored_is_66_and_says_what_to_type(ia, words):
    for language, hint in (
        ("en", "hint: fetch the day with `ia sync daily`"),
        ("zh", "hint: 用 `ia sync daily` 获取当日数据"),
    ):
        run = ia("--lang", language, *words)
        assert (run.returncode, run.stdout) == (66, "")
        assert hint in run.stderr
        assert "Traceback" not in run.stderr


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_each_has_one_json_document_with_its_date(ia, small, words):
    run = ia(*words, "--json")
    assert run.returncode == (1 if "mainline" in words else 0), run.stderr
    told = json.loads(run.stdout)
    first = told if isinstance(told, dict) else told[0]
    assert {"date", "period"} & set(first)
    assert "simulated" not in run.stderr


def test_quotes_are_plain_numbers_when_piped(ia, small):
    rows = tsv(ia("quote", "贵州茅台", "600036.SH"))
    assert [(row["symbol"], row["date"], row["price"], row["market_cap"]) for row in rows] == [
        ("600519.SH", FRI, "1700.0", "2100000000000"), ("600036.SH", FRI, "32.0", "800000000000")
    ]  # fmt: skip
    assert rows[0]["simulated"] == "false"


def test_symbols_come_from_standard_input_and_from_screen(ia, small):
    codes = ia("screen", "pe < 15", "--symbols")
    assert codes.stdout == "600036.SH\n000001.SZ\n"
    rows = tsv(ia("quote", "-", input=codes.stdout))
    assert [row["name"] for row in rows] == ["China Merchants Bank", "Ping An Bank"]
    whole = ia("screen", "pe < 15")
    assert [row["name"] for row in tsv(ia("quote", input=whole.stdout))] == ["China Merchants Bank", "Ping An Bank"]
    assert ia("quote", input="").returncode == 2


def test_a_symbol_that_is_not_stored_is_66_beside_those_that_are(ia, small):
    run = ia("quote", "600519", "300750", "没有这个名字")
    assert run.returncode == 66
    assert run.stdout.count("\n") == 2
    assert "300750.SZ: no stored price" in run.stderr
    assert "没有这个名字" in run.stderr


def test_screen_as_people_write_it(ia, small):
    rows = tsv(ia("screen", "市盈率<15 且 行业==银行", "--sort", "pe", "--asc", "-n", "1"))
    assert [(row["symbol"], row["pe"]) for row in rows] == [("000001.SZ", "4.2")]
    rows = tsv(ia("screen", "roe > 12%", "--columns", "代码,roe,cap"))
    assert rows[0] == {"symbol": "600519.SH", "roe_pct": "31.0", "market_cap": "2100000000000"}
    lines = ia("screen", "not st", "--jsonl").stdout.splitlines()
    assert [json.loads(line)["symbol"] for line in lines] == ["600519.SH", "600036.SH", "000001.SZ"]


def test_screen_tells_what_is_missing_wrong_or_not_there(ia, small):
    run = ia("screen", "pe < 1")
    assert (run.returncode, run.stdout.count("\n")) == (1, 1)
    assert run.stderr == "ia: skipped 1 security: a value that the condition needs is missing\n"
    run = ia("screen", "pe < 15 and rooe > 3")
    assert (run.returncode, run.stdout) == (65, "")
    assert run.stderr.startswith("ia: condition, character 13: unknown column 'rooe'\nhint: did you mean roe")
    run = ia("--lang", "zh", "screen", "行业 < 3")
    assert run.returncode == 65
    assert "条件的第 4 个字符：industry 是文字" in run.stderr
    assert ia("screen", "pe < 1", "--sort", "nope").returncode == 2
    assert ia("screen").returncode == 2


def test_screen_lists_its_columns_without_a_market(ia):
    rows = tsv(ia("screen", "--columns"))
    units = {row["column"]: row["unit"] for row in rows}
    assert (units["roe_pct"], units["market_cap"], units["volume"]) == ("%", "money", "shares")
    assert any("市盈率" in row["also"] for row in rows)


def test_the_lists_of_a_day(ia, small):
    assert [row["symbol"] for row in tsv(ia("market", "gainers", "-n", "2"))] == ["600519.SH"]
    assert tsv(ia("market", "gainers", "--losers", "--exclude-st"))[0]["symbol"] == "600036.SH"
    assert [row["name"] for row in tsv(ia("market", "sectors"))] == ["liquor", "banks", "纺织"]
    chinese = ia("market", "sectors", env={"IA_LANG": "zh"})
    assert [row["name"] for row in tsv(chinese)] == ["白酒", "银行", "纺织"]
    assert [row["name"] for row in tsv(ia("market", "sectors", "--kind", "concept", "-n", "1"))] == ["liquor"]
    assert tsv(ia("market", "lhb", "--date", FRI))[0]["reason"] == "跌幅"
    assert ia("market", "lhb", "--date", "2024-03-14").returncode == 1
    (report,) = tsv(ia("fundamentals", "贵州茅台"))
    assert (report["basis"], report["eps"]) == ("annual", "42.0")
    assert tsv(ia("fundamentals", "贵州茅台", "--as-reported")) == [report]
    first = tsv(ia("market", "summary"))[0]
    assert (first["board"], first["up"], first["down"], first["flat"]) == ("all", "1", "2", "1")


def test_northbound_says_in_words_what_is_no_longer_published(ia, small):
    run = ia("market", "northbound")
    assert tsv(run)[0]["net"] == ""
    assert tsv(run)[0]["turnover"] == "120000000000"
    assert "not published since August 2024" in run.stderr


def test_age_and_simulation_are_said_on_stderr(ia, ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    fill(ws, {FRI: [quote("600519.SH")]}, adapter="demo", simulated=True)
    for words in (("quote", "600519"), ("screen", "pe > 1"), ("market", "gainers")):
        run = ia("--now", "2024-03-20T16:00+08:00", *words)
        assert run.returncode == 0
        assert "simulated prices" in run.stderr
        assert "the newest stored day is 2024-03-15, 5 days old" in run.stderr
        assert ia("--now", "2024-03-14T16:00+08:00", *words).returncode == 66


def test_mainline_says_when_there_is_none_and_keeps_one(ia, ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{FRI}T16:00:00+08:00")
    rows = [
        quote(f"60{n:04d}.SH", f"股{n}", 9.9 if n < 12 else n % 7 - 3.0, industry=f"行业{n % 9}", concepts="低空经济" if n < 14 else "养殖")
        for n in range(200)
    ]  # fmt: skip
    fill(ws, {FRI: [row._replace(change_pct=row.change_pct % 3 - 1.5) for row in rows]})
    run = ia("market", "mainline", "--keep")
    assert run.returncode == 1
    assert "no main line on 2024-03-15" in run.stderr
    assert ia("session", "list").returncode == 1
    fill(ws, {FRI: rows})
    run = ia("--lang", "zh", "market", "mainline", "--keep", "-s", "复盘")
    assert run.returncode == 0, run.stderr
    assert tsv(run)[0]["name"] == "低空经济"
    path = f"memory/observations/{FRI}-mainline.md"
    assert path in run.stderr
    assert "低空经济" in ia("memory", "read", "observations/2024-03-15-mainline").stdout
    assert path in ia("recall", "低空经济").stdout
    assert ia("market", "mainline", "--keep", "-s", "复盘").returncode == 0
    (message,) = json.loads(ia("session", "show", "复盘", "--json").stdout)
    assert message["importance"] == 2


def test_tools_read_the_same(ia, small):
    def call(name, **arguments):
        run = ia("tool", "call", name, json.dumps(arguments))
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    told = call("market.observe", symbols=["600519", "000002"])
    assert told["datetime"] == FRI
    assert told["bars"]["600519.SH"]["close"] == 1700.0
    assert told["missing"] == ["000002.SZ: no stored price"]
    ia("memory", "track", "600036")
    assert list(call("market.observe")["bars"]) == ["600036.SH"]
    assert call("market.history", symbol="600519", bars=5)["bars"][1].startswith(FRI)
    assert call("market.quote", symbols=["600519"])["quotes"][0]["industry"] == "白酒"
    assert call("market.fundamentals", symbol="600519")["reports"][0]["eps"] == 42.0
    found = call("market.screen", expr="pe < 15", limit=1)
    assert (found["met"], found["unknown"], len(found["stocks"])) == (2, 1, 1)
    for name in ("summary", "gainers", "sectors", "mainline", "northbound", "lhb"):
        told = call(f"market.{name}")
        assert (told["date"], told["source"], told["simulated"]) == (FRI, "akshare", False), name


def test_live_quotes_of_the_simulated_market_say_so_wherever_the_price_is(ia, ws, monkeypatch):
    from support.terminal import on_terminal

    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    run = ia("quote", "贵州茅台", "AAPL", "--live")
    rows = tsv(run)
    assert [(row["symbol"], row["simulated"], row["source"]) for row in rows] == [
        ("600519.SH", "true", "demo"), ("AAPL.US", "true", "demo")
    ]  # fmt: skip
    assert "simulated prices" in run.stderr and "Traceback" not in run.stderr
    assert [row["zone"] for row in rows] == ["Asia/Shanghai", "America/New_York"]
    (told,) = json.loads(ia("quote", "600519", "--live", "--json").stdout)
    assert told["unfinished"] is (told["session"] in ("open", "break")) and told["time"][:10] == told["date"]
    run = ia("tool", "call", "market.quote", json.dumps({"symbols": ["600519", "888888"], "live": True}))
    found = json.loads(run.stdout)
    assert found["simulated"] is True and found["quotes"][0]["unfinished"] is told["unfinished"]
    assert len(found["missing"]) == 1
    for lang, mark in (("en", "simulated "), ("zh", "模拟 ")):
        (line,) = [
            each
            for each in on_terminal("--lang", lang, "quote", "600519", "--live").splitlines()
            if "Kweichow" in each or "茅台" in each
        ]
        assert mark in line, "in the row itself, not on stderr alone"


def test_live_quotes_are_refused_with_a_time_and_without_a_source(ia, small, monkeypatch):
    run = ia("quote", "600519", "--live")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"ia: a live quote is of the present, but ia runs as of {FRI}T16:00+08:00\nhint: ")
    assert ia("tool", "call", "market.quote", json.dumps({"symbols": ["600519"], "live": True})).returncode == 2
    monkeypatch.delenv("IA_NOW")
    run = ia("quote", "600519", "--live", env={"IA_MARKET_ADAPTER": "csv"})
    assert (run.returncode, run.stdout) == (69, "")
    assert "market.adapter (csv) has no source of live quotes" in run.stderr
    assert ia("quote", "没有这个名字", "--live").returncode == 66
    assert ia("quote", "--live", input="").returncode == 2


def test_a_terminal_of_80_columns_shows_it_short_and_in_colors(small, monkeypatch):
    from support.terminal import on_terminal

    for words in (
        ("quote", "600519", "000982"),
        ("screen", "0 < pe < 40 and roe > 1"),
        ("market", "summary"),
        ("market", "gainers"),
    ):
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm-256color")
        shown = on_terminal("--lang", "zh", *words)
        lines = [line.rstrip() for line in shown.splitlines() if "\u2500" in line]
        assert lines and max(map(len, lines)) <= 80
        assert "\x1b[31m+1.50" in shown or words[1] == "summary"  # a rise is red
        assert "万亿" in shown or words[1] == "summary"
        assert "贵州茅台" in shown or words[1] == "summary"
        monkeypatch.setenv("NO_COLOR", "1")
        bare = on_terminal(*words)
        assert "\x1b[" not in bare
        assert "tn" in bare or words[1] == "summary"
    insert(
        small, "boards", {"kind": "industry", "date": FRI, "board": "BK1", "name": "酿酒", "change_pct": 1.0, "up": 3}
    )
    drawn = on_terminal("market", "sectors")
    assert "酿酒" in drawn and "amount" not in drawn, "a column without a value"


HEAVY = ("numpy", "pandas", "sqlite_utils", "exchange_calendars", "akshare", "requests", "rich", "decimal")


@pytest.mark.parametrize("words", [("market", "gainers"), ("screen", "pe < 15 and roe > 10"), ("quote", "600519.SH")], ids=" ".join)  # fmt: skip
def test_reading_loads_nothing_heavy(small, words):
    import os
    import subprocess
    import sys

    code = "import sys\nfrom ia_cli.main import main\ntry: main()\nexcept SystemExit: pass\nsys.stderr.write(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code, *words], env=os.environ, capture_output=True, text=True)
    loaded = run.stderr.split("\n")[-1].split()
    assert "ia.organs.market.market_reader" in loaded
    assert not [name for name in HEAVY if name in loaded]


def test_what_an_encoding_lacks_is_no_bug(small, ia):
    run = ia("market", "gainers", "-n", "1", env={"PYTHONIOENCODING": "latin-1", "IA_LANG": "zh"})
    assert run.returncode == 0, run.stderr
    assert r"\u8d35\u5dde\u8305\u53f0" in run.stdout


def test_a_day_before_all_stored_ones_says_which_is_the_first(ia, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_LANG", "en")
    early = ["--now", "2010-01-05T16:00+08:00", "market", "summary"]
    assert "no market data stored yet" in ia(*early).stderr
    assert ia("--now", "2024-03-15T16:00+08:00", "sync", "daily").returncode == 0
    for words in (early, [*early[:2], "screen", "pe < 20"], [*early[:2], "market", "gainers"]):
        done = ia(*words)
        assert done.returncode == 66 and "the first stored day is 2015-01-05" in done.stderr, words
        assert "`ia sync daily --history --start 2010-01-05`" in done.stderr


def test_rates_of_stored_and_unknown_currencies(ia, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{FRI}T16:00:00+08:00")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    told = ia("market", "rates", "usd", "HKD", "--date", "2024-03-10")
    assert [row["date"] for row in tsv(told)] == ["2024-03-08", "2024-03-08"] and "simulated" in told.stderr
    yuan = json.loads(ia("market", "rates", "--base", "hkd", "--json").stdout)
    assert [(row["currency"], row["base"]) for row in yuan] == [("USD", "HKD"), ("CNY", "HKD")]
    assert ia("market", "rates", "GBP").returncode == 2
    assert ia("market", "rates", "--date", "2001-01-01").returncode == 66
