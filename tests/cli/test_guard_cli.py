"""The risk guard as a person meets it: a refusal with its number and the limit, and the word that passes it."""

import json

MONEY = {"IA_LEDGER_CAPITAL": "100000 CNY", "IA_NOW": "2024-03-29T18:00+08:00"}
BUY = ("trade", "buy", "600519", "100", "230", "--date", "2024-03-01")


def test_the_refusal_is_in_the_words_of_the_user(ia):
    for lang, refusal in (("zh", "ia: 仓位超限：23% > 20%"), ("en", "ia: position limit: 23% > 20%")):
        run = ia(*BUY, env={**MONEY, "IA_LANG": lang})
        assert (run.returncode, run.stdout) == (77, "")
        assert refusal in run.stderr.splitlines()
        assert "--override --because" in run.stderr.splitlines()[-1]
    assert ia("trade", "list", env=MONEY).returncode == 1


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
