"""`ia backtest run --each`: each security alone, how the returns are spread, and what refuses it."""

import csv
import io
import json

import pytest

RULES = ("--entry", "crossover(sma(close, 5), sma(close, 20))", "--exit", "crossunder(sma(close, 5), sma(close, 20))")


@pytest.fixture(autouse=True)
def demo(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")


def test_each_security_is_what_a_run_of_it_alone_is(ia):
    names = ("600519", "000858", "600036")
    done = ia("backtest", "run", *names, *RULES, "--since", "2021-01-01", "--each")
    assert "Each of 3 securities alone, with 100,000 CNY each: median return" in done.stdout
    assert "largely luck" in done.stdout
    rows = list(csv.DictReader(io.StringIO(ia("backtest", "show", "last", "--table", "results").stdout)))
    assert [row["symbol"] for row in rows] == ["000858.SZ", "600036.SH", "600519.SH"]
    for row in rows:
        alone = json.loads(ia("backtest", "run", row["symbol"], *RULES, "--since", "2021-01-01", "--json").stdout)
        assert float(row["return_frac"]) == pytest.approx(alone["return_frac"], abs=1e-6)
        assert float(row["sharpe"]) == pytest.approx(alone["sharpe"], abs=1e-6)
        assert int(row["trades"]) == alone["trades"]["closed"]


def test_it_is_shown_again_reported_and_listed(ia):
    document = json.loads(ia("backtest", "run", "600519", "000858", *RULES, "--each", "--json").stdout)
    assert document["securities"] == 2 and document["settings"]["kind"] == "each"
    assert "median return" in ia("backtest", "show", "last").stdout
    assert "收益中位数" in ia("backtest", "show", "last", env={"IA_LANG": "zh"}).stdout
    assert json.loads(ia("backtest", "list", "--json").stdout)[0]["kind"] == "each"
    ia("backtest", "report", "last", "-o", "page.html")
    missing = ia("backtest", "show", "last", "--table", "equity")
    assert (missing.stdout, missing.returncode) == ("", 66) and "has no table equity" in missing.stderr


def test_it_has_no_account_that_could_part_from_another(ia):
    one, other = (
        json.loads(ia("backtest", "run", "600519", "000858", *RULES, *words, "--json").stdout)["id"]
        for words in (("--each",), ())
    )
    done = ia("backtest", "diff", one, other, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["settings"]["kind"] == ["each", "rules"]
    assert found["orders_part"] is found["equity_part"] is None


@pytest.mark.parametrize(
    "words",
    [("--rank", "close"), ("--rebalance", "weekly"), ("--max-positions", "2"), ("--check",), ("--grid", "n=1,2")],
)
def test_options_of_one_account_are_refused(ia, words):
    done = ia("backtest", "run", "600519", *RULES, "--each", *words)
    assert done.returncode == 2 and "--each" in done.stderr


def test_a_grid_is_measured_against_the_benchmark_that_is_named(ia):
    words = ("--entry", "close > sma(close, {n})", "--exit", "close < sma(close, {n})", "--grid", "n=5,10,20")
    done = ia("backtest", "run", "600519", *words, "--benchmark", "600036", "--since", "2021-01-01", "--json")
    found = json.loads(done.stdout)["benchmark"]
    assert found["name"].startswith("600036.SH") and 0 <= found["above_frac"] <= 1
    assert "of them earned more than 600036.SH" in ia("backtest", "show", "last").stdout


def test_bars_of_unknown_origin_have_no_currency(ia):
    rows = "".join(f"2024-01-{day:02d},{9 + day % 3},{12},{8},{9 + day % 4},1000\n" for day in range(1, 29))
    bars = "date,open,high,low,close,volume\n" + rows
    done = ia("backtest", "run", "--entry", "close > open", "--exit", "close < open", input=bars)
    assert "(no currency)" in done.stdout and "USD" not in done.stdout
