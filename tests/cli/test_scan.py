"""ia scan, from the outside."""

import json
import os
from pathlib import Path

import pytest


@pytest.fixture
def market(ia, begin, monkeypatch):
    demo = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:30:00+08:00"}
    for name, value in demo.items():
        monkeypatch.setenv(name, value)
    begin(demo, ("sync", "daily"))
    return ia


def test_conditions_and_values(market):
    run = market("scan", "rsi(close, 14) < 45", "--where", "pe < 20", "--columns", "rsi(close, 14),close", "--json")
    rows = json.loads(run.stdout)
    assert run.returncode == 0 and rows
    assert list(rows[0]) == ["symbol", "name", "date", "close", "rsi(close, 14)", "close"][:5]
    met = market("screen", "pe < 20", "--codes").stdout.split()
    assert {row["symbol"] for row in rows} <= set(met)
    assert all(row["rsi(close, 14)"] < 45 for row in rows)
    one = market("compute", "rsi(close, 14)", "--symbol", rows[0]["symbol"])
    assert float(one.stdout) == pytest.approx(rows[0]["rsi(close, 14)"], rel=1e-10)
    codes = market("scan", "rsi(close, 14) < 45", "--where", "pe < 20", "--codes").stdout.split()
    assert codes == sorted(row["symbol"] for row in rows)
    assert int(market("scan", "rsi(close, 14) < 45", "--where", "pe < 20", "--count").stdout) == len(rows)
    values = [row["rsi(close,14)"] for row in json.loads(market("scan", "rsi(close,14)", "-n", "5", "--json").stdout)]
    assert len(values) == 5 and values == sorted(values, reverse=True)


def test_universes(market):
    assert market("scan", "close > 0", "--in", "watch").returncode == 66
    market("memory", "track", "600519")
    assert market("scan", "close > 0", "--in", "watch", "--codes").stdout == "600519.SH\n"
    banks = market("scan", "close > 0", "--in", "银行", "--codes").stdout.split()
    assert "600036.SH" in banks and "600519.SH" not in banks


def test_statuses(market):
    assert market("scan", "close < 0").returncode == 1
    assert market("scan", "close < 0", "--count").stdout == "0\n"
    assert market("scan", "close +").returncode == 65
    assert market("scan", "close.shift(-1) > close").returncode == 77
    assert market("scan", "close > 0", "--in", "nowhere").returncode == 66
    assert market("scan", "close > 0", "--where", "pe <").returncode == 65
    both = market("scan", "rsi(close, 14) < 45", "--where", "pe < 20 and close > sma(close, 60)", "--codes").stdout
    assert both == market("screen", "pe < 20 and close > sma(close, 60) and rsi(close, 14) < 45", "--codes").stdout
    assert market("scan", "close > 0", "--where", "pe < 20 and close > ref(close, -1)").returncode == 77
    text = market("scan", "'a'")
    assert text.returncode == 65 and "'a' gives no number, nor true or false" in text.stderr
    assert market("scan", "close > 0", "--sort", "3").returncode == 2
    assert market("scan").returncode == 2


@pytest.mark.parametrize(
    ("expression", "told", "hint"),
    [
        ("pe < 10", "pe is a figure of `ia screen`", "--where"),
        ("close > 5 and 市盈率 < 10", "市盈率 is a figure of `ia screen`", "--where"),
        ("rsi < 30", "rsi is a function and needs its arguments", "rsi(close, 14)"),
        ("-macd > 0", "macd is a function", "ia indicator describe macd"),
    ],
)
def test_names_that_bars_do_not_have(market, expression, told, hint):
    for command in (["scan", expression], ["backtest", "run", "600519", "--entry", expression]):
        run = market(*command)
        assert run.returncode == 65 and told in run.stderr and hint in run.stderr and not run.stdout
    assert market("scan", "pe = close * 2\npe > 0", "--in", "银行", "--count").returncode == 0


def test_without_a_market(ia):
    run = ia("scan", "close > 0")
    assert run.returncode == 66 and "ia sync" in run.stderr


def test_bars_since_a_day(market):
    since = ("scan", "crossover(close, sma(close, 60))", "--since", "2024-02-01")
    rows = json.loads(market(*since, "--columns", "close", "--json").stdout)
    assert rows and rows == sorted(rows, key=lambda row: (row["date"], row["symbol"]))
    assert all("2024-02-01" <= row["date"] <= "2024-03-15" and row["close"] == row["close"] for row in rows)
    assert int(market(*since, "--count").stdout) == len(rows)
    codes = market(*since, "--codes").stdout.split()
    assert sorted(codes) == sorted({row["symbol"] for row in rows})
    alias = market("scan", since[1], "--start", "2024-02-01", "-n", "3", "--jsonl").stdout.splitlines()
    assert [json.loads(line)["symbol"] for line in alias] == [row["symbol"] for row in rows[:3]]
    series = market("compute", since[1], "--symbol", rows[0]["symbol"], "--series").stdout
    assert f"{rows[0]['date']},true" in series
    until = json.loads(market(*since, "--until", "2024-02-20", "--json").stdout or "[]")
    assert until == [row for row in json.loads(market(*since, "--json").stdout) if row["date"] <= "2024-02-20"]
    assert market("scan", since[1], "--until", "2024-02-20").returncode == 2
    late = market(*since, "--until", "2024-01-20")
    assert late.returncode == 2 and "is after --until 2024-01-20" in late.stderr
    deep = market("scan", "+".join(["close"] * 600) + " > 1")
    assert deep.returncode == 77 and "nested too deeply" in deep.stderr
    assert "join conditions with & and |" in market("scan", "close > 5 and open > 5").stderr
    earlier = market("--now", "2024-02-20T16:00", *since, "--json")
    assert all(row["date"] <= "2024-02-20" for row in json.loads(earlier.stdout or "[]"))
    assert market("scan", since[1], "--since", "2024-05-01").returncode == 2
    assert market("scan", since[1], "--since", "someday").returncode == 2
    assert market("scan", "latest(close)", "--since", "2024-02-01").returncode == 65
    assert market("scan", "close < 0", "--since", "2024-02-01").returncode == 1


def test_ranks_of_the_day(market):
    rows = json.loads(market("scan", "xrank(roc(close, 20))", "--json", "--columns", "roc(close, 20)").stdout)
    assert [row["roc(close, 20)"] for row in rows] == sorted((row["roc(close, 20)"] for row in rows), reverse=True)
    assert rows[0]["xrank(roc(close, 20))"] == 1
    best = market("scan", "xrank(roc(close, 20)) > 0.9", "--codes").stdout.split()
    assert best == sorted(row["symbol"] for row in rows if row["xrank(roc(close, 20))"] > 0.9)
    assert market("scan", "xdemean(roc(close, 60), industry) > 0", "--codes").returncode == 0
    wrong = market("scan", "xrank(close, 5)")
    assert wrong.returncode == 65 and len(wrong.stderr.strip().splitlines()) <= 3


def test_saved_conditions(market):
    root = Path(os.environ["IA_HOME"])
    (root / "strategies").mkdir(parents=True)
    good = "about: cheap\nexpr: close > sma(close, 20)\nwhere: price > 1\ncolumns: ['rsi(close, 14)']\n"
    (root / "strategies" / "cheap.yaml").write_text(good)
    saved = json.loads(market("scan", "--strategy", "cheap", "--json").stdout)
    typed = market("scan", "close > sma(close, 20)", "--where", "price > 1", "--columns", "rsi(close, 14)", "--json")
    assert saved == json.loads(typed.stdout) and saved
    narrower = market("scan", "rsi(close, 14) > 60", "--strategy", "cheap", "--where", "price < 500", "--codes").stdout
    assert set(narrower.split()) <= {row["symbol"] for row in saved}
    listed = market("scan", "--strategy", "--json")
    assert [row["name"] for row in json.loads(listed.stdout)] == ["cheap"]
    assert market("scan", "--strategy", "dear").returncode == 66
    assert market("scan", "--strategy", "../cheap").returncode == 66
    for name, text in {
        "key": "exp: close > 1\n",
        "kind": "expr: 5\n",
        "list": "expr: close > 1\ncolumns: close\n",
        "empty": "about: nothing\n",
        "yaml": "expr: [close\n",
        "parse": "expr: close >\n",
        "ahead": "expr: close.shift(-1) > close\n",
        "where": "where: pee < 3\n",
        "plain": "close > 1\n",
    }.items():
        (root / "strategies" / f"{name}.yaml").write_text(text)
        run = market("scan", "--strategy", name)
        assert run.returncode == 65, name
        lines = [line for line in run.stderr.splitlines() if not line.startswith(("hint:", "ia: simulated"))]
        assert len(lines) == 1 and f"strategies/{name}.yaml" in lines[0], run.stderr
    assert len(json.loads(market("scan", "--strategy", "--json").stdout)) == 10


def test_the_saved_conditions_of_the_profile_work(market):
    assert market("profile", "use", "invest", "--yes").returncode == 0
    names = [row["name"] for row in json.loads(market("scan", "--strategy", "--json").stdout)]
    assert len(names) >= 4
    for name in names:
        assert market("scan", "--strategy", name, "--since", "2024-01-02", "--count").returncode in (0, 1)


def test_a_screen_takes_technical_conditions(market):
    both = market("screen", "pe < 60 and rsi(close, 14) > 50", "--codes").stdout.split()
    assert sorted(both) == market("scan", "rsi(close, 14) > 50", "--where", "pe < 60", "--codes").stdout.split()
    rows = json.loads(market("screen", "close > sma(close, 60)", "--columns", "name,pe", "--json", "-n", "3").stdout)
    assert len(rows) == 3 and list(rows[0]) == ["name", "pe"]
    assert market("screen", "rsi(close, 14) < 0").returncode == 1
    for wrong in ("pe < 10 or rsi(close, 14) < 30", "pe < 100 and rsi(close, 14)", "pe < 100 and rsi(close, 14) < 30%"):
        assert market("screen", wrong).returncode == 65
    for wrong in ("", "pe < 0 and pe > 1 and rsi(", "pe < 0 and pe > 1 and rsi(close, 14)"):  # though none is looked at
        run = market("screen", wrong)
        assert (run.returncode, run.stdout) == (65, "")
    assert "rsi(close, 14)" in market("screen", "pe < 60 and rsi < 30").stderr
    folder = Path(os.environ["IA_HOME"]) / "strategies"
    folder.mkdir(parents=True)
    (folder / "both.yaml").write_text("expr: rsi(close, 14) > 50\nwhere: pe < 60\ncolumns: ['rsi(close, 14)']\n")
    (folder / "cheap.yaml").write_text("where: pe < 60\n")
    rows = json.loads(market("screen", "--strategy", "both", "--json").stdout)
    assert [row["symbol"] for row in rows] == both and all(row["rsi(close, 14)"] > 50 for row in rows)
    narrower = market("screen", "rsi(close, 14) > 50", "--strategy", "cheap", "--codes").stdout.split()
    assert narrower == both


def test_a_security_alone_is_compared_with_nothing(market):
    for alone in (["600519"], ["--in", "银行", "--each"]):
        run = market("backtest", "run", *alone, "--entry", "xrank(close) > 0.9")
        assert run.returncode == 65 and "--entry: xrank compares securities" in run.stderr
