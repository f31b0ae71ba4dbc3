"""What a person sees at 80 columns: each figure on one line, in the reader's language; a pipe has all columns."""

import json
import re

import pytest

from support.terminal import on_terminal

BOUGHT = (
    ("trade", "deposit", "1000000", "--date", "2024-03-01"),
    ("trade", "buy", "600519", "100", "1650", "--date", "2024-03-04", "--because", "because of its cash, 现金流好"),
    ("trade", "buy", "AAPL", "10", "170.5", "--date", "2024-03-04"),
)
FREE = {f"IA_RISK_{name}": "100" for name in ("POSITION_PCT", "DAY_STOP_PCT", "RISE_PCT")}


DEMO = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:00+08:00"}


@pytest.fixture
def held(ia, begin, monkeypatch):
    for name, value in DEMO.items():
        monkeypatch.setenv(name, value)
    begin({**DEMO, **FREE, "IA_RISK_COOLING_HOURS": "0"}, ("ohlcv", "600519"), ("ohlcv", "AAPL"), *BOUGHT)
    return ia


@pytest.fixture
def synced(ia, begin, monkeypatch):
    """What `held` has, and the market of the day."""
    for name, value in DEMO.items():
        monkeypatch.setenv(name, value)
    begin({**DEMO, **FREE, "IA_RISK_COOLING_HOURS": "0"}, ("ohlcv", "600519"), ("ohlcv", "AAPL"), *BOUGHT, ("sync",))
    return ia


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_holdings_profit_and_entries_stand_on_one_line_each(held, lang):
    for args, expected in (
        (("account",), ("600519.SH", {"en": "Kweichow", "zh": "贵州茅台"}[lang], "100")),
        (("profit",), ("600519.SH", "165,042.90")),
        (("trade", "list"), ("600519.SH", "165,000.00", "2024-03-04")),
    ):
        table = _table("--lang", lang, *args)
        line = next(line for line in table if expected[0] in line)
        assert all(part in line for part in expected), table
        assert max(map(_width, table)) <= 80, table


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_reports_of_a_company_fit_the_terminal(synced, lang):
    table = _table("--lang", lang, "fundamentals", "600036")
    assert any("2023-09-30" in line for line in table) and max(map(_width, table)) <= 80, table


def test_no_english_word_stands_in_a_chinese_table(held):
    shown = on_terminal("--lang", "zh", "account") + on_terminal("--lang", "zh", "profit")
    for word in ("cash", "equity", "total", "gain", "worth"):
        assert word not in shown
    assert "持仓成本" in shown and "现金 CNY" in shown and "合计 USD" in shown
    assert "买入" in on_terminal("--lang", "zh", "trade", "list")


def test_no_chinese_name_stands_in_an_english_table(synced):
    assert synced("alert", "300750", "< 80", "--yes").returncode == 0
    shown = "".join(
        on_terminal("--lang", "en", *args.split())
        for args in ("account", "quote AAPL 300750", "alert list", "screen pe<12", "market sectors")
    )
    assert not re.findall(r"[\u4e00-\u9fff]+", shown), shown
    assert all(name in shown for name in ("Kweichow", "Apple", "CATL", "car makers", "alert-300750"))
    lists = "".join(
        synced("--lang", "en", *args.split()).stdout
        for args in ("account", "profit", "trade list", "quote AAPL", "alert list", "compare 600519 300750",
                     "account --by security", "trade check buy 600519 100 750")
    )  # fmt: skip
    lists = lists.replace("现金流好", "")  # words of the owner
    assert "Kweichow Moutai" in lists and not re.findall(r"[\u4e00-\u9fff]+", lists), lists
    assert "贵州茅台" in synced("--lang", "en", "account", "--json").stdout  # a document has the names of the source


def test_chinese_heads_of_alerts_and_checks(held):
    assert held("alert", "300750", "< 80", "--yes").returncode == 0
    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal("--lang", "zh", "alert", "list"))
    head = next(line for line in shown.splitlines() if "名称" in line)
    assert "条件" in head and "收盘" in head and not re.search(r"[a-z]|会话", head), shown
    shown = on_terminal("--lang", "zh", "trade", "check", "buy", "600519", "100", "750")
    assert "结论" in shown and "verdict" not in shown and "allowed" not in shown and "买入 100" in shown
    assert "verdict" in held("--lang", "zh", "trade", "check", "buy", "600519", "100", "750").stdout
    shown = on_terminal("--lang", "zh", "account", "--by", "market")
    assert "美国" in shown and not re.search(r"\b(?:CN|US)\b", shown), shown


def test_one_line_says_that_prices_are_simulated(synced):
    for args in (("quote", "AAPL", "300750"), ("account",), ("turn", "-m", "ia-offline", "宁德时代最近怎么样")):
        said = synced("--lang", "en", *args).stderr
        assert len(re.findall("simulated prices|prices are simulated", said)) == 1, said


def test_what_has_no_room_is_named_and_a_pipe_has_it(held, monkeypatch):
    assert "columns hidden for lack of space" in on_terminal("profit")
    monkeypatch.setenv("COLUMNS", "160")
    assert "columns hidden" not in on_terminal("profit")
    piped = held("--lang", "zh", "profit")
    assert piped.stdout.splitlines()[0].split("\t")[:4] == ["symbol", "name", "size", "cost"]
    assert "\ttotal\t" in piped.stdout and "columns hidden" not in piped.stderr


def test_no_figure_is_cut_where_the_terminal_is_too_narrow(held, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert "600519.SH" in on_terminal("profit") and "1,000,000.00 CNY" in on_terminal("trade", "list")
    assert "600519.SH" in on_terminal("account")


def test_the_rules_can_be_read_at_80_columns():
    table = _table("trade", "rules")
    assert any("stamp_sell" in line and "0.05 %" in line and "2023-08-28" in line for line in table)
    assert max(map(_width, table)) <= 80


def test_a_sync_is_summed_up_in_80_columns(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    table = _table("sync", "daily")
    head = next(line for line in table if "rows written" in line)
    line = next(line for line in table if line.strip().startswith("daily"))
    assert "2024-03-15" in line and " 38 " in line and _width(head) <= 80


def test_the_day_of_the_figures_stands_above_them_not_that_of_the_taking(ia, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    weekend = {"IA_NOW": "2024-03-17T10:00+08:00"}
    assert ia("sync", "daily", env=weekend).returncode == 0
    monkeypatch.setenv("IA_NOW", weekend["IA_NOW"])
    assert "market of 2024-03-15, source demo (simulated), snapshot of 2024-03-17" in on_terminal("market", "gainers")
    shown = on_terminal("--lang", "zh", "market", "gainers")
    assert "2024-03-15 的市场，来源 demo (模拟)" in shown and "simulated" not in shown


def test_an_empty_ledger_tells_the_first_step(ia):
    for command in ("account", "profit"):
        run = ia(command)
        assert run.returncode == 0 and run.stdout.count("\n") == 1
        assert "hint:" in run.stderr and "ia trade buy" in run.stderr


def test_a_ledger_that_has_others_is_not_called_empty(held):
    assert "000858.SZ: no trades" in held("profit", "000858").stderr
    assert "000858.SZ: no entries in the ledger" in on_terminal("trade", "list", "000858")


def _table(*args):
    """Return the lines of a table on a terminal, without colors and what is told beside it."""
    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(*args))
    return [line for line in shown.splitlines() if not line.startswith(("ia:", "hint:"))]


def _width(line):
    return sum(2 if "\u2e80" < char < "\uffff" else 1 for char in line.rstrip("\r\n"))


RULES = ("600519", "--entry", "rsi(close, 14) < 30", "--exit", "rsi(close, 14) > 60", "--since", "2022-01-01")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_backtests_fit_the_terminal_and_a_pipe_has_stable_keys(held, lang):
    for more in ((), ("--stop", "8", "--exit", "crossunder(sma(close, 5), sma(close, 20))")):
        assert held("backtest", "run", *RULES, *more).returncode == 0
    listed = held("--lang", lang, "backtest", "list").stdout.splitlines()
    assert listed[0].split("\t")[5:9] == ["last", "return_frac", "cagr_frac", "max_drawdown_frac"]
    one, other = (line.split("\t")[0] for line in listed[1:])
    assert held("--lang", lang, "backtest", "diff", one, other).stdout.startswith(f"what\ta\tb\nid\t{one}\t{other}\n")
    for args in (("list",), ("diff", one, other), ("show", one), ("journal",), ("journal", "--trades")):
        table = _table("--lang", lang, "backtest", *args)
        assert max(map(_width, table)) <= 80, table
        assert not re.search(r"\d\.\d{5}|_frac|engine_price|Volatility \+|年化波动 \+", "\n".join(table)), table
        assert lang == "en" or not re.search(r"\b(?:first|return|buy|side|filled)\b", "\n".join(table)), table


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_performance_and_usage_fit_the_terminal(held, lang):
    assert held("turn", "hi").returncode == 0
    for args in (("profit", "--performance"), ("usage",), ("usage", "--by", "model"), ("usage", "--by", "session")):
        table = _table("--lang", lang, *args)
        assert max(map(_width, table)) <= 80, table


def test_weights_are_of_the_whole_account_where_its_rates_are_known(held):
    assert held("sync", "rates").returncode == 0
    document = json.loads(held("account", "--json").stdout)["positions"]["600519.SH"]
    listed = held("account").stdout.splitlines()
    row = dict(zip(listed[0].split("\t"), next(line for line in listed if "600519" in line).split("\t"), strict=True))
    assert float(row["weight_pct"]) == document["limit_weight_pct"] != document["weight_pct"]
    assert "weights are of all currencies together" in held("account").stderr


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_wrong_value_is_told_in_the_readers_language(held, lang):
    for args in (("usage", "--by", "x"), ("screen", "--limit", "x"), ("sync", "x"), ("task", "history", "-n", "-1")):
        run = held("--lang", lang, *args)
        assert run.returncode == 2 and run.stdout == ""
        assert (" is not one of " in run.stderr or "give a number" in run.stderr) == (lang == "en")
        assert (any(word in run.stderr for word in ("请", "不是")) and " is not " not in run.stderr) == (lang == "zh")


def test_reasons_to_be_listed_are_english_at_an_english_terminal(synced):
    shown = on_terminal("--lang", "en", "market", "lhb")
    assert "than its index" in shown and not re.search(r"[\u4e00-\u9fff]", shown), shown
    assert "偏离值" in synced("market", "lhb").stdout


def test_words_that_are_no_path_are_no_note(held, home):
    run = held("note", "some", "text", "words")
    assert (run.returncode, run.stdout) == (2, "") and "'some text words'" in run.stderr
    assert not (home / "notebook" / "some.md").exists()


def test_reasons_fold_between_words_within_80_columns(held):
    why = "dividends are high, valuation low"
    args = ("trade", "buy", "00700", "100", "400", "--date", "2024-03-05", "--because", why)
    assert held(*args, env={**FREE, "IA_RISK_COOLING_HOURS": "0"}).returncode == 0
    table = _table("--lang", "en", "trade", "list")
    assert max(map(_width, table)) <= 80, table
    assert any("dividends" in line for line in table) and any("valuation" in line for line in table), table
