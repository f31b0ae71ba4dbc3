"""ia backtest, from the outside."""

import json
import os
from pathlib import Path

import pytest

DOCUMENT = {
    "config": {"cash": "10000", "commission_pct": "0.025", "commission_min": "5"},
    "bars": {
        "600000.SH": [["2024-03-04", 9.9, 10.1, 9.8, 10, 1000000], ["2024-03-05", 10.1, 10.2, 10, 10.15, 1000000]]
    },
    "orders": [{"after": "2024-03-04", "symbol": "600000.SH", "side": "buy", "value": "10000"}],
}


def test_orders_of_a_file_and_of_standard_input(ia, tmp_path):
    file = tmp_path / "orders.json"
    file.write_text(json.dumps(DOCUMENT))
    run = ia("backtest", "orders", str(file))
    assert (run.returncode, run.stderr) == (0, "")
    found = json.loads(run.stdout)
    assert found["fills"][0] == {
        "order": 0, "date": "2024-03-05", "symbol": "600000.SH", "side": "buy", "quantity": "900", "price": "10.10",
        "commission": "5.00", "transfer": "0.09",
    }  # fmt: skip
    assert found["cash"]["2024-03-05"] == "904.91"
    assert ia("backtest", "orders", "-", input=file.read_text()).stdout == run.stdout


def test_a_file_of_cases_and_bad_input(ia, tmp_path):
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"cases": [{"id": "A", **DOCUMENT}]}))
    assert json.loads(ia("backtest", "orders", str(file), "--case", "A").stdout)["fills"]
    assert ia("backtest", "orders", str(file)).returncode == 2
    assert ia("backtest", "orders", str(file), "--case", "B").returncode == 66
    assert ia("backtest", "orders", str(tmp_path / "none.json")).returncode == 66
    for text in ("{", "[]", '{"bars": 1}', "[" * 100_000):
        run = ia("backtest", "orders", "-", input=text)
        assert run.returncode == 65, text
        assert len(run.stderr.splitlines()) == 1


RULES = ("--entry", "crossover(sma(close, 5), sma(close, 20))", "--exit", "crossunder(sma(close, 5), sma(close, 20))")


@pytest.fixture
def demo(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")


def test_rules_are_run_saved_listed_and_shown(ia, demo):
    run = ia("backtest", "run", "600519", *RULES, "--since", "2022-01-01", "--cash", "1000000", "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    folder = Path(os.environ["IA_HOME"]) / "runs" / found["id"]
    assert sorted(path.name for path in folder.iterdir()) == [
        "compare.csv", "equity.csv", "orders.csv", "result.json", "run.yaml", "trades.csv",
    ]  # fmt: skip
    assert found["simulated"] is True and "buy_and_hold" in found["compare"]
    again = json.loads(
        ia("backtest", "run", "600519", *RULES, "--since", "2022-01-01", "--cash", "1000000", "--json").stdout
    )
    assert again["id"] == found["id"]
    shown = ia("backtest", "show", "last")
    assert f"runs/{found['id']}/" in shown.stdout and "SIMULATED" in shown.stdout
    assert ia("backtest", "show", found["id"][:6], "--table", "orders").stdout == (folder / "orders.csv").read_text()
    rows = json.loads(ia("backtest", "list", "--json").stdout)
    assert [row["id"] for row in rows] == [found["id"]]
    other = json.loads(ia("backtest", "run", "600519", *RULES, "--since", "2022-01-01", "--stop", "5", "--json").stdout)
    differs = ia("backtest", "diff", found["id"], other["id"], "--json")
    assert differs.returncode == 1
    assert json.loads(differs.stdout)["settings"]["stop_pct"] == [None, "5"]
    assert ia("backtest", "diff", "last", "last").returncode == 0


def test_bars_of_standard_input(ia, demo):
    bars = "".join(ia("ohlcv", "600036").stdout.splitlines(keepends=True)[:-1])  # no bytes that ia wrote
    run = ia("backtest", "run", *RULES, "--equity", "-", input=bars)
    assert run.returncode == 0
    assert run.stdout.splitlines()[0] == "date,equity,cash,positions,exposure_frac"
    assert "without market rules" in run.stderr
    ruled = ia("backtest", "run", *RULES, "--symbol", "600036", "--trades", "-", input=bars)
    assert ruled.stdout.startswith("symbol,quantity,opened,closed,")


def test_bars_of_a_pipe_keep_their_origin(ia, demo):
    bars = ia("ohlcv", "600036").stdout
    run = ia("backtest", "run", *RULES, input=bars)
    assert "600036.SH" in run.stdout.splitlines()[0] and "SIMULATED PRICES" in run.stdout.splitlines()[0]
    assert " CNY" in run.stdout and "simulated prices" in run.stderr
    (row,) = json.loads(ia("backtest", "list", "--json").stdout)
    assert (row["universe"], row["simulated"]) == ("600036.SH", True)
    weekly = ia("ohlcv", "600036", "--period", "weekly").stdout
    found = json.loads(ia("backtest", "run", *RULES, "--json", input=weekly).stdout)
    assert found["simulated"] and found["settings"]["universe"].startswith("CSV-")  # no rules of a day for a week


def test_bars_longer_than_a_day_are_annualised_as_what_they_are_and_shorter_ones_refused(ia, demo):
    bars = "".join(ia("ohlcv", "600036", "--period", "weekly").stdout.splitlines(keepends=True)[:-1])
    found = json.loads(ia("backtest", "run", *RULES, "--json", input=bars).stdout)
    assert found["sessions_a_year"] in (51, 52)
    daily = json.loads(ia("backtest", "run", *RULES, "--json", input=ia("ohlcv", "600036").stdout).stdout)
    assert daily["sessions_a_year"] == 243
    held = [each["compare"]["buy_and_hold"]["tracking_error_ann_frac"] for each in (found, daily)]
    assert 0.6 < held[0] / held[1] < 1.5
    ruled = ia("backtest", "run", *RULES, "--symbol", "600036", input=bars)
    assert ruled.returncode == 2 and "leave out --symbol" in ruled.stderr
    grid = ("--grid", "n=5:10:5", "--train", "2y", "--test", "1y", "--entry", "close > sma(close, {n})", "--json")
    walked = json.loads(ia("backtest", "run", *grid, input=bars).stdout)
    assert walked["sessions_a_year"] in (51, 52)
    hours = "date,open,high,low,close,volume\n" + "".join(f"2024-03-04T{h}:00:00,1,1,1,1,9\n" for h in (10, 11))
    refused = ia("backtest", "run", *RULES, input=hours)
    assert refused.returncode == 65 and "2024-03-04T11:00:00" in refused.stderr and not refused.stdout


def test_bars_of_unknown_origin_are_a_family_of_their_own(ia, demo):
    lines = ia("ohlcv", "600036").stdout.splitlines(keepends=True)
    for count in (1, 2):
        run = ia("backtest", "run", *RULES, "--json", input="".join(lines[:-count]))
        assert json.loads(run.stdout)["selection"]["trials"] == 1


def test_a_condition_chooses_the_securities_of_the_day_on_which_the_run_begins(ia, demo):
    assert ia("sync", "daily", "--history").returncode == 0
    condition, since = "rsi(close, 14) < 50", "2024-01-01"
    run = ia("backtest", "run", "--where", condition, "--since", since, *RULES, "--json")
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)["settings"]
    assert told["universe"] == f"all where {condition}"
    assert f"{told['securities']} securities met {condition} on 2023-12-29" in run.stderr
    then = ia("scan", condition, "--since", "2023-12-29", "--until", "2023-12-29", "--codes").stdout.split()
    assert sorted(told["bars"]) == then
    later = ia("backtest", "run", "--where", condition, "--since", "2024-02-01", *RULES, "--json")
    assert sorted(json.loads(later.stdout)["settings"]["bars"]) != then
    each = ia("backtest", "run", "--where", condition, "--since", since, *RULES, "--each", "--json")
    assert json.loads(each.stdout)["securities"] == len(then)
    for wrong, status in (
        (("--where", condition), 2), (("600519", "--where", condition, "--since", since), 2),
        (("--where", "rsi(close, 14) <", "--since", since), 65),
        (("--where", "close > sma(ref(close, -1), 5)", "--since", since), 77),
        (("--where", "rsi(close, 14) < 0", "--since", since), 66),
    ):  # fmt: skip
        refused = ia("backtest", "run", *wrong, *RULES)
        assert refused.returncode == status, refused.stderr


def test_one_account_has_one_currency(ia, demo):
    ia("trade", "deposit", "500000", "--date", "2024-01-02")
    ia("trade", "buy", "600036", "1000", "30", "--date", "2024-02-01")
    ia("trade", "buy", "AAPL", "10", "150", "--date", "2024-02-01")
    run = ia("backtest", "run", "--in", "held", *RULES)
    assert (run.returncode, run.stdout) == (2, "")
    assert "CNY, USD" in run.stderr and "hint: for example `ia backtest run 600036.SH" in run.stderr


def test_a_purchase_below_one_lot_says_so(ia, demo):
    run = ia("backtest", "run", "600519", "--entry", "close > 1", "--since", "2024-01-01", "--cash", "10000")
    assert "less than one lot" in run.stdout and "not enough cash" not in run.stdout


def test_bad_rules(ia, demo):
    for argv, status in (
        (("600519",), 2),
        (("600519", "--entry", "close >"), 65),
        (("600519", "--entry", "close.shift(-1) > close"), 77),
        (("600519", "--entry", "close"), 65),
        (("600519", "--entry", "close > 1", "--size", "much"), 2),
        (("600519", "--entry", "close > 1", "--stop", "120"), 2),
        (("600519", "--entry", "close > 1", "--since", "2030-01-01"), 2),
        (("600519", "--entry", "close > 1", "--since", "2024-02-01", "--until", "2024-01-01"), 2),
        (("600519", "--entry", "close > 1", "--until", "1980-01-01"), 66),
        (("600519", "--entry", "close > 1", "--benchmark", "NOPE"), 66),
        (("600519", "--entry", "close > {n}", "--grid", "n=1,2", "--benchmark", "NOPE"), 66),
        (("nothing such", "--entry", "close > 1"), 66),
        (("--in", "nothing such", "--entry", "close > 1"), 66),
    ):
        run = ia("backtest", "run", *argv)
        assert run.returncode == status, (argv, run.stderr)
        assert "Traceback" not in run.stderr and run.stdout == ""
    assert ia("backtest", "show").returncode == 66
    assert ia("backtest", "list").returncode == 1
    assert not list((Path(os.environ["IA_HOME"]) / "runs").glob("*"))


def test_a_strategy_file_and_the_check(ia, demo, tmp_path):
    file = tmp_path / "cross.py"
    file.write_text(
        "def on_bar(ctx):\n    close = ctx.bars.close\n    if close[-1] > close[-20:].mean() and not ctx.position():\n"
        "        ctx.buy(percent=90)\n    elif close[-1] < close[-20:].mean() and ctx.position():\n        ctx.sell()\n"
    )
    run = ia("backtest", "run", str(file), "600519", "--since", "2023-06-01", "--cash", "1000000", "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["settings"]["strategy"] == "cross.py"
    assert "cross.py" in ia("backtest", "list").stdout
    run = ia("backtest", "run", "600519", *RULES, "--since", "2023-06-01", "--check", "--seed", "5")
    assert run.returncode == 0 and "seed 5" in run.stderr
    assert ia("backtest", "run", str(file), "600519", "--entry", "close > 1").returncode == 2
    assert ia("backtest", "run", "none.py", "600519").returncode == 66
    for words in (
        ("--max-positions", "2"),
        ("--size", "20%"),
        ("--stop", "5"),
        ("--rank", "close"),
        ("--rebalance", "weekly"),
    ):
        run = ia("backtest", "run", str(file), "600519", *words)
        assert (run.returncode, run.stdout) == (2, "") and words[0] in run.stderr


def test_a_full_disk_leaves_nothing_half_written(ia, demo):
    """The file size limit of the process stands for the disk: the write of equity.csv fails."""
    import resource
    import signal

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    ia("ohlcv", "600519")
    run = ia("backtest", "run", "600519", *RULES, preexec_fn=limit)
    assert run.returncode == 75, run.stderr
    assert "Traceback" not in run.stderr and "ia backtest resume run-1" in run.stderr
    assert [path.name for path in (Path(os.environ["IA_HOME"]) / "runs").iterdir()] == ["run-1"]
