"""ia watch, from the outside."""

import json

DAY = {"IA_NOW": "2024-03-15T16:30+08:00", "IA_MARKET_ADAPTER": "demo"}


def test_the_list_has_groups_reasons_and_prices(ia, home):
    assert ia("sync", "daily", env=DAY).returncode == 0
    run = ia("watch", "add", "比亚迪", "300750", "--group", "battery", "--because", "below 80", env=DAY)
    assert run.stdout.splitlines()[1:] == ["002594.SZ\tBYD\tbattery\tadded", "300750.SZ\tCATL\tbattery\tadded"]
    assert ia("memory", "track", "600519", "PE below 25", env=DAY).returncode == 0
    assert ia("watch", "add", "NVDA", env=DAY).returncode == 0
    run = ia("watch", "list", "--json", env=DAY)
    rows = json.loads(run.stdout)
    assert [(row["symbol"], row["group"], row["why"], row["currency"]) for row in rows] == [
        ("600519.SH", "", "PE below 25", "CNY"),
        ("NVDA.US", "", "", "USD"),
        ("002594.SZ", "battery", "below 80", "CNY"),
        ("300750.SZ", "battery", "below 80", "CNY"),
    ]
    quote = json.loads(ia("quote", "600519", "--json", env=DAY).stdout)[0]
    assert (rows[0]["price"], rows[0]["change_pct"], rows[0]["date"]) == (
        quote["price"], quote["change_pct"], "2024-03-15",
    )  # fmt: skip
    foreign = json.loads(ia("quote", "NVDA", "--json", env=DAY).stdout)[0]
    assert rows[1]["price"] == foreign["price"] > 0
    assert ia("watch", env=DAY).stdout.startswith("symbol\tname\tgroup")
    assert ia("quote", "--universe", "watch:Battery", env=DAY).stdout.count("\n") == 3
    assert ia("watch", "remove", "byd", "茅台", env=DAY).returncode == 0
    assert [row["symbol"] for row in json.loads(ia("watch", "list", "--json", env=DAY).stdout)] == [
        "NVDA.US",
        "300750.SZ",
    ]
    text = (home / "memory/tracking.md").read_text()
    assert (
        text == "# Tracking\n\n- NVDA.US NVIDIA (2024-03-15)\n\n## battery\n\n- 300750.SZ CATL: below 80 (2024-03-15)\n"
    )
    early = ia("watch", "list", env={**DAY, "IA_NOW": "2024-03-14T16:30+08:00"})
    assert early.returncode == 1 and early.stdout.count("\n") == 1


def test_what_is_not_understood_changes_nothing(ia, home):
    for words, status, said in (
        (("add", "600519", "nosuchfirm"), 66, "nosuchfirm"),
        (("add", "600519", "wait for a fall"), 2, '--because "wait for a fall"'),
        (("add", "600519", "平安"), 2, "601318.SH Ping An Insurance"),
        (("add", "600519", "--group", "x" * 41), 2, "cannot be the name of a group"),
        (("remove", "600519"), 66, "ia watch list"),
        (("list", "wine"), 66, "no such group"),
        (("600519",), 2, "ia watch add 600519"),
        (("rm", "600519"), 2, "ia watch remove SYMBOL"),
    ):
        run = ia("watch", *words, env=DAY)
        assert (run.returncode, said in run.stderr) == (status, True), (words, run.stderr)
    assert not (home / "memory/tracking.md").exists()
    assert ia("watch", "list", env=DAY).returncode == 1


def test_letters_that_no_list_knows_are_refused_and_break_no_sync(ia, home):
    run = ia("watch", "add", "600519", "ZZZZZ", env=DAY)
    assert (run.returncode, run.stdout) == (66, "") and "ia watch add ZZZZZ.US" in run.stderr
    assert not (home / "memory/tracking.md").exists() or "600519" not in (home / "memory/tracking.md").read_text()
    assert ia("watch", "add", "ZZZZZ.US", "NVDA", env=DAY).returncode == 0
    run = ia("sync", env=DAY)
    assert run.returncode == 0 and "ZZZZZ.US" in run.stderr
    assert json.loads(ia("watch", "list", "--json", env=DAY).stdout)[1]["price"] > 0
    assert ia("sync", "us", "--symbols", "ZZZZZ.US", env=DAY).returncode == 66
    assert ia("watch", "remove", "ZZZZZ", env=DAY).returncode == 0
    assert "ZZZZZ" not in (home / "memory/tracking.md").read_text()
