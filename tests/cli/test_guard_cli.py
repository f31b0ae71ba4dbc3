"""The risk guard as a person meets it: a refusal with its number and the limit, and the record of who passed it."""

import json

import pytest

MONEY = {"IA_LEDGER_CAPITAL": "100000 CNY", "IA_NOW": "2024-03-29T18:00+08:00"}
BUY = ("trade", "buy", "600519", "100", "230", "--date", "2024-03-01")


@pytest.fixture
def prices(tmp_path, monkeypatch):
    """Write bars for a symbol as the csv adapter has them: prices("600519", ("2024-01-15", 1650.0), …)."""
    folder = tmp_path / "prices"
    folder.mkdir()
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(folder))

    def write(code, *closes):
        lines = [f"{day},{close},{close},{close},{close},1000" for day, close in closes]
        (folder / f"{code}.csv").write_text("date,open,high,low,close,volume\n" + "\n".join(lines) + "\n")

    return write


def test_the_warning_is_in_the_words_of_the_user(ia):
    for lang, warning in (("zh", "ia: 警告：仓位超限：23% > 20%"), ("en", "ia: warning: position limit: 23% > 20%")):
        run = ia(*BUY, env={**MONEY, "IA_LANG": lang})
        assert run.returncode == 0 and warning in run.stderr.splitlines()
        number = run.stdout.partition("\t")[0]
        assert ia("trade", "void", number, "--because", "x", env=MONEY).returncode == 0


def test_a_check_before_the_trade_refuses_and_records_nothing(ia, prices):
    prices("600519", ("2024-03-28", 229.0), ("2024-03-29", 230.0))
    run = ia("trade", "check", "600519", "100", "230", env=MONEY)
    assert run.returncode == 77 and "position limit: 23% > 20%" in run.stderr
    assert "allowed_quantity\t0" in run.stdout  # one lot is too much
    rich = {**MONEY, "IA_LEDGER_CAPITAL": "1000000 CNY"}
    found = json.loads(ia("trade", "check", "600519", "1000", "230", "--json", env=rich).stdout)
    assert found["allowed"] is False and found["allowed_quantity"] == 800
    assert found["fees"] == pytest.approx(57.5 + 2.3) and found["cash_after"] == 1000000 - 230000 - 59.8
    for count, status in (("800", 0), ("900", 77), ("150", 77)):
        assert ia("trade", "check", "600519", count, "230", env=rich).returncode == status
    run = ia("trade", "check", "600519", "-100", "230", env=rich)
    assert run.returncode == 77 and "sale of 100 > 0 held" in run.stderr
    assert ia("trade", "check", "sell", "600519", "100", "230", env=rich).returncode == 77
    told = json.loads(ia("tool", "call", "risk.check", '{"symbol": "600519", "quantity": 900}', env=rich).stdout)
    assert (told["allowed"], told["allowed_quantity"]) == (False, 800)
    assert ia("trade", "list", env=rich).returncode == 1


def test_what_cannot_be_judged_is_not_allowed(ia, prices):
    run = ia("trade", "check", "600519", "100", env=MONEY)
    assert run.returncode == 1 and "no price" in run.stderr
    prices("600519", ("2024-03-28", 229.0), ("2024-03-29", 230.0))
    run = ia("trade", "check", "600519", "100", "230", env={"IA_NOW": MONEY["IA_NOW"]})
    assert run.returncode == 1 and "cash in CNY is unknown" in run.stderr and "allowed_quantity\tunknown" in run.stdout


def test_who_passes_it_and_why_is_kept(ia):
    run = ia(*BUY, "--override", "--because", "a gift from my aunt", env=MONEY)
    assert run.returncode == 0, run.stderr
    (entry,) = json.loads(ia("trade", "list", "--json", env=MONEY).stdout)
    kept = entry["override"] if isinstance(entry["override"], dict) else json.loads(entry["override"])
    assert kept["because"] == "a gift from my aunt" and kept["by"] == "user"
    assert [each["rule"] for each in kept["breaches"]] == ["risk.position_pct"]


def test_the_limit_is_a_setting_and_nonsense_in_it_is_78(ia):
    assert ia(*BUY, env={**MONEY, "IA_RISK_POSITION_PCT": "25"}).returncode == 0
    run = ia(*BUY, env={**MONEY, "IA_RISK_POSITION_PCT": "a quarter"})
    assert run.returncode == 78
    assert "risk.position_pct" in run.stderr and "Traceback" not in run.stderr


def test_without_money_known_it_says_what_it_could_not_check(ia):
    run = ia(*BUY, env={"IA_NOW": MONEY["IA_NOW"]})
    assert run.returncode == 0, run.stderr
    assert "position limit of 20% not checked" in run.stderr and "ledger.capital" in run.stderr


def test_what_is_not_held_cannot_be_sold_whoever_says_so(ia):
    run = ia(
        "trade", "sell", "600519", "100", "230", "--date", "2024-03-01", "--override", "--because", "I say", env=MONEY
    )
    assert run.returncode in (66, 77) and "--override" not in run.stderr


@pytest.mark.parametrize(
    ("words", "stop", "by_loss", "size", "by"),
    [
        (("--risk", "1", "--stop", "45"), 45, 200, 200, "loss"),  # 1,000 to lose, 5 a share
        (("--risk", "0.4%"), 46.5, 100, 100, "loss"),  # 7 % below, by the rules: 400 / 3.5 = 114
        (("--risk", "5", "--stop", "40"), 40, 500, 300, "position"),  # 20 % of 100,000 are 400, less the fees: 300
        (("--risk", "0.1", "--stop", "40"), 40, 0, 0, "loss"),
    ],
)
def test_a_purchase_is_sized_by_what_it_may_lose(ia, prices, words, stop, by_loss, size, by):
    prices("600519", ("2024-03-28", 50.0), ("2024-03-29", 50.0))
    found = json.loads(ia("trade", "check", "600519", *words, "--json", env=MONEY).stdout)
    assert (found["stop"], found["risk_quantity"], found["size"], found["size_by"]) == (stop, by_loss, size, by)
    assert found["quantity"] == (size or found["quantity"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--stop", "45"), "--stop needs --risk"),
        (("--risk", "1", "--stop", "60"), "is not below the price"),
        (("--risk", "0"), "the risk"),
        (("--risk", "101"), "at most 100 per cent"),
        (("--risk", "1", "--sell"), "sizes a purchase"),
        (("--risk", "x"), "is not a number"),
    ],
)
def test_what_is_no_size_is_told(ia, prices, words, told):
    prices("600519", ("2024-03-28", 50.0), ("2024-03-29", 50.0))
    run = ia("trade", "check", "600519", *words, env=MONEY)
    assert run.returncode == 2 and told in run.stderr and run.stdout == ""
