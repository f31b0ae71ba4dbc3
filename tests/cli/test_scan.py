"""ia scan, from the outside."""

import json

import pytest


@pytest.fixture
def market(ia, monkeypatch):
    for name, value in {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:30:00+08:00"}.items():
        monkeypatch.setenv(name, value)
    assert ia("sync", "daily").returncode == 0
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
