"""`ia profit --by`, `--stats`, `--income` and the totals of `ia account`: words in, figures, notes and status out."""

import json

import pytest

NOW = {"IA_MARKET_ADAPTER": "csv", "IA_NOW": "2024-03-15T20:00+08:00"}
FAR = "2024-03-18T08:00+08:00"


@pytest.fixture
def at(ia, tmp_path):
    """Run ia over a folder of files: one share in yuan, one in dollars, the index and the rates."""
    folder = tmp_path / "prices"
    folder.mkdir()
    days = ("2024-03-11", "2024-03-12", "2024-03-13", "2024-03-14", "2024-03-15")
    for name, closes in (
        ("600000.SH", (10, 11, 11, 12, 12)),
        ("AAPL.US", (100, 100, 110, 110, 121)),
        ("000300.SH", (100, 101, 102, 103, 102)),
    ):
        rows = (f"{day},{c},{c},{c},{c},100\n" for day, c in zip(days, closes, strict=True))
        (folder / f"{name}.csv").write_text(
            "date,open,high,low,close,volume\n2024-03-08,10,10,10,10,100\n" + "".join(rows)
        )
    (folder / "exchange-rates.csv").write_text("date,USD\n2024-03-08,7.0\n2024-03-13,7.2\n2024-03-15,7.1\n")

    def run(*words, now=NOW["IA_NOW"], **env):
        return ia(*words, env={**NOW, "IA_NOW": now, "IA_MARKET_CSV_DIR": str(folder), **env})

    run.folder = folder
    return run


def enter(at, *entries):
    for words in entries:
        more = ("--override", "--because", "test") if words.startswith("buy") else ()
        done = at("trade", *words.split(), *more, now=FAR)
        assert done.returncode == 0, done.stderr


def test_a_return_counts_from_the_money_at_the_start_of_each_day(at):
    enter(at, "deposit 2000 --date 2024-03-11", "buy 600000 100 10 --date 2024-03-11 --commission 0 --transfer 0")
    enter(at, "deposit 1000 --date 2024-03-13", "withdraw 500 --date 2024-03-14")
    run = at("profit", "--by", "month", "--benchmark", "000300.SH", "--json")
    assert run.returncode == 0
    document = json.loads(run.stdout)
    account = document["currencies"]["CNY"]
    expected = (2000 / 2000) * (2100 / 2000) * (3100 / 3100) * (2700 / 2600) * (2700 / 2700) - 1
    assert account["twr_frac"] == pytest.approx(expected, abs=1e-12)
    assert account["benchmark_frac"] == pytest.approx(102 / 10 - 1)  # from the close before the first day
    assert (account["equity_after"], account["flows"], account["result"]) == (2700, 2500, 200)
    assert account["periods"][0]["twr_frac"] == account["twr_frac"]
    assert account["risk"]["volatility_ann_frac"] is None and "volatility_ann_frac" in account["risk"]["reasons"]
    assert document["total"] is None and document["rates"] == []
    later = at("profit", "--since", "2024-03-13", "--until", "2024-03-14", "--json")
    span = json.loads(later.stdout)["currencies"]["CNY"]
    assert span["twr_frac"] == pytest.approx(2700 / 2600 - 1, abs=1e-12)
    assert (span["equity_before"], span["equity_after"]) == (2100, 2700)
    table = at("profit", "--by", "year")
    assert table.stdout.splitlines()[0].split("\t")[:4] == ["currency", "period", "first", "last"]


def test_the_total_takes_each_days_rate_and_tells_it(at):
    enter(at, "deposit 1000 --date 2024-03-11", "deposit 1000 --currency USD --date 2024-03-11")
    found = json.loads(at("account", "--json", now=FAR).stdout)["total"]
    assert (found["currency"], found["equity"]) == ("CNY", 1000 + 1000 * 7.1)
    assert [(each["rate"], each["date"], each["source"]) for each in found["rates"]] == [
        (7.1, "2024-03-15", "exchange-rates.csv")
    ]
    total = json.loads(at("profit", "--stats", "--json", now=FAR).stdout)["total"]
    assert total["twr_frac"] == pytest.approx(8100 / 8000 - 1, abs=1e-12)
    rows = at("account", now=FAR).stdout
    assert "net worth\t" in rows and "USD/CNY\t" in rows
    dollars = json.loads(at("account", "--json", "--base", "usd", now=FAR).stdout)["total"]
    assert dollars["equity"] == round(1000 + 1000 / 7.1, 2)
    early = json.loads(at("account", "--json", now="2024-03-15T09:00+08:00").stdout)["total"]
    assert early["rates"][0]["date"] == "2024-03-13", "the rate of the day is published at 9:15"


def test_a_rate_that_is_missing_or_old_leaves_the_total_open_and_says_so(at):
    enter(at, "deposit 1000 --date 2024-03-11", "deposit 1000 --currency HKD --date 2024-03-11")
    run = at("account", "--json")
    total = json.loads(run.stdout)["total"]
    assert run.returncode == 0 and total["equity"] is None and "HKD" in total["missing"][0]
    assert "HKD" in run.stderr and "ia sync rates" in run.stderr
    enter(at, "deposit 1 --currency USD --date 2024-03-11")
    old = json.loads(at("account", "--json", now="2024-04-15T10:00+08:00").stdout)["total"]
    assert old["equity"] is None and any("2024-03-15" in each for each in old["missing"])
    report = json.loads(at("profit", "--stats", "--json").stdout)
    assert report["total"]["twr_frac"] is None and "HKD" in report["total"]["reasons"]["twr_frac"]
    assert report["currencies"]["HKD"]["twr_frac"] == 0.0


def test_where_everything_is_by_market_currency_and_industry(at):
    enter(at, "deposit 2000 --date 2024-03-11", "buy 600000 100 10 --date 2024-03-11 --commission 0 --transfer 0")
    enter(at, "deposit 300 --currency USD --date 2024-03-11", "buy AAPL 1 100 --date 2024-03-11 --commission 0")
    whole = 2200 + (300 + 21) * 7.1
    for by, names in (
        ("security", {"600000.SH", "AAPL.US", "CNY", "USD"}),
        ("market", {"CN", "US", "CNY", "USD"}),
        ("currency", {"CNY", "USD"}),
        ("industry", {"unknown", "CNY", "USD"}),
    ):
        document = json.loads(at("account", "--by", by, "--json", now=FAR).stdout)
        assert {each["name"] for each in document["shares"]} == names
        assert sum(each["value"] for each in document["shares"]) == pytest.approx(whole)
        assert sum(each["weight_pct"] for each in document["shares"]) == pytest.approx(100, abs=0.03)
    assert "cash CNY\t1000.00" in at("account", "--by", "security", now=FAR).stdout


def test_a_purchase_before_any_deposit_is_said_to_lack_its_money(at):
    enter(at, "buy 600000 100 10 --date 2024-03-11", "deposit 5000 --date 2024-03-13")
    run = at("profit", "--stats", "--json")
    account = json.loads(run.stdout)["currencies"]["CNY"]
    assert account["twr_frac"] is account["xirr_ann_frac"] is None
    assert "2024-03-11" in account["reasons"]["twr_frac"]
    assert "2024-03-11" in at("profit", "--by", "month").stderr
    span = json.loads(at("profit", "--since", "2024-03-14", "--json").stdout)["currencies"]["CNY"]
    assert span["twr_frac"] == pytest.approx(5194.99 / 5094.99 - 1, abs=1e-6)


def test_without_any_deposit_the_cash_is_unknown(at):
    enter(at, "buy 600000 100 10 --date 2024-03-11")
    run = at("profit", "--by", "month")
    assert run.returncode == 0 and "ia trade deposit" in run.stderr
    assert json.loads(at("profit", "--stats", "--json").stdout)["unknown"].keys() == {"CNY"}


def test_an_empty_ledger_says_what_to_type(at):
    for words in (
        ["profit", "--by", "month"],
        ["profit", "--stats"],
        ["profit", "--income"],
        ["account", "--by", "market"],
    ):
        run = at(*words)
        assert run.returncode == 0 and "Traceback" not in run.stderr
    assert "ia trade deposit" in at("profit", "--by", "year").stderr


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ("profit --by month --benchmark NOSUCHTHING", 66, "NOSUCHTHING"),
        ("profit --by month --base EUR", 2, "EUR"),
        ("account --base XYZ", 2, "XYZ"),
        ("profit --by month --session s1", 2, "--session"),
        ("profit 600000 --by month", 2, "SYMBOL"),
        ("profit --by week", 2, "--by: 'week' is not one of month, year"),
        ("profit --since 2024-03-14 --until 2024-03-11", 2, "2024-03-11"),
        ("profit --since 2025-01-01", 2, "future"),
        ("profit --by month --since nonsense", 2, "nonsense"),
        ("account --by sector", 2, "sector"),
    ],
)
def test_what_cannot_be_meant_is_one_line(at, words, status, told):
    enter(at, "deposit 1000 --date 2024-03-11")
    run = at(*words.split())
    assert run.returncode == status and told in run.stderr and "Traceback" not in run.stderr


def test_a_benchmark_without_bars_of_these_days_is_named(at):
    enter(at, "deposit 1000 --date 2024-03-11")
    for name, reason in (("000905.SH", "ia ohlcv 000905.SH"), ("AAPL", "")):
        account = json.loads(at("profit", "--stats", "--benchmark", name, "--json").stdout)["currencies"]["CNY"]
        assert (account["benchmark_frac"] is None) == bool(reason)
        assert reason in account["reasons"].get("benchmark_frac", "")
    (at.folder / "000905.SH.csv").write_text(
        "date,open,high,low,close,volume\n2024-03-14,1,1,1,1,1\n2024-03-15,2,2,2,2,1\n"
    )
    account = json.loads(at("profit", "--stats", "--benchmark", "000905.SH", "--json").stdout)["currencies"]["CNY"]
    assert account["benchmark_frac"] is None and "2024-03-14" in account["reasons"]["benchmark_frac"]


def test_dividends_by_year_and_those_to_come(at):
    (at.folder / "600000.SH.actions.csv").write_text("date,cash\n2024-03-13,0.5\n")
    enter(at, "deposit 5000 --date 2024-03-11", "buy 600000 100 10 --date 2024-03-11")
    document = json.loads(at("profit", "--income", "--json").stdout)
    assert [(each["year"], each["amount"], each["payments"]) for each in document["received"]] == [("2024", 50.0, 1)]
    assert (document["total"], document["expected"]) == (50.0, [])
    assert json.loads(at("profit", "--income", "--until", "2024-03-12", "--json").stdout)["received"] == []


@pytest.mark.parametrize("text", ["date;USD\n2024-03-11;7\n", "date,USD\n2024-03-11,abc\n", "date,USD\nyesterday,7\n"])
def test_a_file_of_rates_that_cannot_be_read_is_told_and_nothing_else_fails(at, text):
    enter(at, "deposit 1000 --currency USD --date 2024-03-11")
    (at.folder / "exchange-rates.csv").write_text(text)
    run = at("account", "--json", now=FAR)
    assert run.returncode == 0 and "exchange-rates.csv:" in run.stderr
    assert json.loads(run.stdout)["total"]["equity"] is None


def test_the_analyst_answers_with_the_figures_of_the_commands(at):
    enter(at, "deposit 2000 --date 2024-03-11", "buy 600000 100 10 --date 2024-03-11 --commission 0 --transfer 0")
    enter(at, "deposit 300 --currency USD --date 2024-03-11", "buy AAPL 1 100 --date 2024-03-11 --commission 0")
    document = json.loads(at("profit", "--stats", "--benchmark", "000300.SH", "--json", now=FAR).stdout)
    own, whole = document["currencies"]["CNY"], document["total"]
    worth = json.loads(at("account", "--json", now=FAR).stdout)["total"]["equity"]
    for question, facts in (
        ("我跑赢沪深300了吗", (f"{own['twr_frac'] * 100:+.2f}%", f"{whole['twr_frac'] * 100:+.2f}%", "2024-03-18")),
        ("did I beat the CSI 300 this year", (f"{whole['twr_frac'] * 100:+.2f}%", "CSI 300")),
        ("我总共有多少人民币资产", (f"{worth:,.2f} CNY", "7.1", "2024-03-15")),
        ("what do I own in yuan", (f"{worth:,.2f} CNY", "7.1", "2024-03-15")),
        ("收益率按月列一下", ("2024-03", f"{own['twr_frac'] * 100:+.2f}%")),
        ("年化收益率多少", (f"{own['twr_frac'] * 100:+.2f}%", "不足一年")),
        ("currency allocation", ("CNY", "USD", f"{2200 / worth * 100:.2f}%")),
        ("我的胜率", ("没有卖出",)),
    ):
        run = at("turn", question, now=FAR)
        assert run.returncode == 0, run.stderr
        for fact in facts:
            assert fact in run.stdout, f"{question}: {fact}\n{run.stdout}"


def test_risk_of_what_is_held_is_printed_or_the_reason_is_told(at):
    assert at("account", "--stats").stderr.strip() != ""
    enter(at, "deposit 100000 --date 2024-03-08", "buy 600000 1000 10 --date 2024-03-11")
    few = at("account", "--stats", "--json")
    assert few.returncode == 0
    assert json.loads(few.stdout)["missing"] and json.loads(few.stdout)["value_at_risk"] is None
    for name, step in (("600000.SH", 3), ("000300.SH", 5)):
        days = [f"2024-{month:02}-{day:02}" for month in (1, 2) for day in range(1, 29)]
        rows = "".join(f"{day},{c},{c},{c},{c},100\n" for n, day in enumerate(days) for c in [100 + n % step])
        (at.folder / f"{name}.csv").write_text(f"date,open,high,low,close,volume\n{rows}2024-03-15,99,99,99,99,100\n")
    found = json.loads(at("account", "--stats", "--level", "90", "--json").stdout)
    lines = at("account", "--stats", "--level", "90").stdout.splitlines()
    assert lines[0].split("\t")[:4] == ["figure", "symbol", "name", "value"]
    told = {line.split("\t")[0]: line.split("\t")[3] for line in lines[1:]}
    assert float(told["value_at_risk"]) == found["value_at_risk"] > 0
    assert float(told["beta"]) == pytest.approx(found["beta"], abs=1e-4)
    assert at("account", "--stats", "--level", "10").returncode == 2
    assert at("account", "--stats", "--by", "market").returncode == 2
