"""ia check: the verdict of a checklist as an exit status, and what each kind of item does."""

import json
import os
import pty
import subprocess

import pytest

from ia.faculties.checklists import CheckRequest, run_checklist
from ia.kernel.errors import drop_message
from support.program import program

DEMO = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:30+08:00", "IA_LEDGER_CAPITAL": "500000 CNY"}
SKILL = "---\nname: own\ndescription: lists of its own\n---\nbody\n"


@pytest.fixture
def run(ia):
    return lambda *argv, **env: ia(*argv, env={**DEMO, **env})


@pytest.fixture
def judge(ws, monkeypatch):
    """Judge the list `one` for 300750, without a process."""
    for name, value in DEMO.items():
        monkeypatch.setenv(name, value)
    return lambda: run_checklist(ws, CheckRequest("one", "300750"), drop_message)


@pytest.fixture
def write_list(home):
    """Write checks.yaml of a skill of the workspace."""

    def write(text, skill="own"):
        folder = home / ".claude" / "skills" / skill
        (folder / "knowledge").mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(SKILL.replace("own", skill), encoding="utf-8")
        (folder / "knowledge" / "checks.yaml").write_text(text, encoding="utf-8")

    return write


def one_item(item, trade="buy"):
    head = f"checks:\n  one:\n    {f'trade: {trade}' if trade else 'title: one'}\n    items:\n"
    return f"{head}      - {{id: a, text: must hold, source: here, {item}}}\n"


def test_the_shipped_lists_in_a_shell_if(run, home):
    assert run("init").returncode == 0
    assert [line.split("\t")[:2] for line in run("check").stdout.splitlines()[1:]] == [
        ["buy", "research"],
        ["sell", "research"],
        ["weekly", "review"],
    ]
    bought = run("check", "buy", "300750")
    assert bought.returncode == 0, bought.stdout + bought.stderr
    lines = [line.split("\t") for line in bought.stdout.splitlines()]
    assert lines[0] == ["id", "result", "value", "limit", "text", "source"]
    assert all(len(line) == 6 for line in lines)
    assert {line[1] for line in lines[1:13]} == {"pass"}
    again = json.loads(run("check", "buy", "300750", "--json").stdout)
    assert again == json.loads(run("check", "buy", "宁德时代", "--json").stdout)
    assert again["passed"] and again["quantity"] == 100 and again["price"] == 82.54
    assert not any(item["kind"] == "ask" for item in again["items"])
    large = run("check", "buy", "300750", "5000", "--quiet")
    assert (large.returncode, large.stdout) == (1, "")
    assert "position" in json.loads(run("check", "buy", "300750", "5000", "--json").stdout)["failed"]
    sale = run("check", "sell", "300750")
    assert sale.returncode == 1 and "sale of 100 > 0 held" in sale.stderr
    assert run("check", "weekly").returncode == 0
    assert run("check", "buy", "300750", IA_LEDGER_CAPITAL="").returncode == 1  # unknown cash has not passed
    assert run("check", "buy", "300750", "--allow-unknown", IA_LEDGER_CAPITAL="").returncode == 0
    command = f"{' '.join(program())} check buy 300750 -q && {' '.join(program())} trade buy 300750 100 82.54"
    both = subprocess.run(command, shell=True, env={**os.environ, **DEMO}, capture_output=True, text=True)
    assert both.returncode == 0, both.stderr
    [event] = json.loads(run("log", "--kind", "check.run", "-n", "1", "--json").stdout)
    assert (
        event["subject"] == "research/buy"
        and event["data"]["passed"]
        and event["data"]["items"]["current"][0] == "pass"
    )
    for item in again["items"]:
        path, _, anchor = item["source"].partition("#")
        assert f"\n## {anchor}\n" in (home / path).read_text(encoding="utf-8")
    chinese = run("check", "--list", "buy", IA_LANG="zh").stdout
    assert "市盈率为正且低于 60" in chinese


def test_what_cannot_be_judged_ends_above_one(run, write_list):
    write_list(one_item("expression: 'close > 1'"))
    for argv, status in (
        (("nosuch",), 66),
        (("one",), 2),
        (("one", "999999"), 66),
        (("one", "300750", "x"), 2),
        (("one", "300750", "100", "-1"), 2),
        (("one", "300750", "--yes", "a"), 2),
        (("one", "300750", "1", "1", "1"), 2),
        (("--list", "one", "300750"), 2),
    ):
        done = run("check", *argv)
        assert (done.returncode, done.stdout) == (status, ""), argv
        assert done.stderr.startswith("ia: ") and "Traceback" not in done.stderr
    down = run("check", "one", "300750", IA_MARKET_ADAPTER="akshare", IA_NOW="", HTTPS_PROXY="http://127.0.0.1:9")
    assert down.returncode in (69, 75) and down.stdout == ""


@pytest.mark.parametrize(
    ("item", "status", "result", "value", "limit"),
    [
        ("expression: 'close < 80'", 1, "fail", 82.54, "< 80"),
        ("expression: 'close > sma(close, 5) - 100'", 0, "pass", 82.54, "> -14.234"),
        ("expression: '(close > 1) & (volume > 0)'", 0, "pass", "true", "true"),
        ("expression: 'close > sma(close, 99999)'", 1, "unknown", None, ""),
        ("expression: 'close > 1 and close < 90'", 0, "pass", "true", "true"),
        ("expression: 'pe < 30'", 1, "unknown", None, "pe < 30"),
        ("expression: 'close < 80', severity: should", 0, "fail", 82.54, "< 80"),
        ("risk: position", 0, "pass", 1.65, "<= 20"),
        ("risk: all", 0, "pass", None, ""),
        ("account: cash_after >= 0", 0, "pass", 491740.92, ">= 0"),
        ("account: held > 0", 1, "fail", 0, "> 0"),
        ("dates: bar <= 3", 0, "pass", 0, "<= 3"),
        ("dates: report > 5", 1, "unknown", None, "> 5"),
        ("ask: true", 1, "unknown", None, "yes"),
    ],
)
def test_kinds_of_items(judge, write_list, item, status, result, value, limit):
    write_list(one_item(item))
    found = judge()
    assert found["passed"] is (status == 0)
    [row] = found["items"]
    assert (row["result"], row["value"], row["limit"]) == (result, value, limit)


RULES = """rules:
  tier1_must_know:
    - {id: R1, condition: 'close < 80', action: too cheap, source: a book}
  tier2_core:
    - {id: R2, condition: 'close > 80', conclusion: above 80, stance: for, source: a book}
    - {id: R3, condition: the story is good, conclusion: buy it, source: a book}
"""


@pytest.mark.parametrize(("rule", "result"), [("R1", "pass"), ("other/R2", "pass"), ("R3", "unknown")])
def test_a_rule_must_not_be_the_case_unless_it_speaks_for(judge, home, write_list, rule, result):
    write_list(one_item(f"rule: {rule}"))
    write_list("checks: {}\n", skill="other")
    (home / ".claude/skills/other/knowledge/rules.yaml").write_text(RULES, encoding="utf-8")
    [row] = judge()["items"]
    assert row["result"] == result


def test_questions_are_for_a_person(run, write_list, home):
    write_list(one_item("ask: true", trade="") + "      - {id: b, text: second, ask: true}\n")
    piped = run("check", "one")
    assert piped.returncode == 1 and "only you can answer" in piped.stderr
    assert run("check", "one", "--yes", "a,b").returncode == 0
    assert json.loads(run("tool", "call", "check.run", '{"name": "one"}').stdout)["unknown"] == ["a", "b"]
    master, slave = pty.openpty()
    with subprocess.Popen(
        [*program(), "check", "one", "--yes", "a", "--json"], stdin=slave, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env={**os.environ, **DEMO},
    ) as process:  # fmt: skip
        os.write(master, b"n\n")
        out, err = process.communicate(timeout=60)
    os.close(master), os.close(slave)
    assert "second [y/N]" in err
    assert [item["result"] for item in json.loads(out)["items"]] == ["pass", "fail"]


def test_a_malformed_list_is_told_by_the_command(run, write_list):
    write_list(one_item("risk: everything"))
    done = run("check", "one", "300750")
    assert done.returncode == 65 and len(done.stderr.splitlines()) == 1
    assert "own/knowledge/checks.yaml" in done.stderr and "'everything'" in done.stderr
    assert "everything" in run("skill", "show", "own").stderr


def test_a_workspace_about_something_else_has_lists_too(run, write_list):
    assert run("init", "--profile", "gtd").returncode == 0
    write_list(one_item("ask: true", trade="").replace("one", "tidy"), skill="tidy-up")
    listed = json.loads(run("tool", "call", "check.run", "{}").stdout)["checks"]
    assert [each["name"] for each in listed] == ["tidy"]
    assert run("check", "tidy", "--yes", "a").returncode == 0
    assert run("check", "tidy", "300750").returncode == 2
    write_list(one_item("ask: true", trade="").replace("one", "tidy"), skill="other")
    assert run("check", "tidy").returncode == 2
    assert run("check", "other/tidy", "--yes", "a").returncode == 0


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("run my buy checklist on 300750", "Before a purchase, CATL 300750.SZ, 100 shares at 82.54 (2024-03-15)"),
        ("300750 能买吗，过一遍清单", "买入前，宁德时代 300750.SZ，100 股"),
        ("对300750做买入检查", "买入前，宁德时代 300750.SZ，100 股"),
        ("过一遍每周清单", "每周账户检查：**通过**"),
        ("which checklists do I have?", "Your checklists:"),
    ],
)
@pytest.mark.share(3)
def test_the_analyst_goes_through_a_list(run, question, verdict):
    assert run("init").returncode == 0
    done = run("turn", question)
    assert done.returncode == 0 and done.stdout.splitlines()[0].startswith(verdict), done.stdout + done.stderr


def test_names_of_lists_are_completed(run, write_list):
    write_list(one_item("ask: true", trade=""))
    found = run(_IA_COMPLETE="bash_complete", COMP_WORDS="ia check o", COMP_CWORD="2").stdout
    assert "one" in found


def test_an_account_in_several_currencies_is_judged_as_a_whole(run):
    assert run("init").returncode == 0
    for currency in ("CNY", "HKD", "USD"):
        assert run("trade", "deposit", "100000", "--currency", currency, "--date", "2024-03-01").returncode == 0
    assert run("trade", "buy", "600036", "1000", "--date", "2024-03-01").returncode == 0
    found = run("check", "weekly", "--json")
    items = {each["id"]: each for each in json.loads(found.stdout)["items"]}
    assert items["cash"]["result"] == items["day"]["result"] == "pass" and 50 < items["cash"]["value"] < 100


def test_a_company_abroad_is_judged_by_its_reports_and_its_lot_is_unknown(run):
    assert run("init").returncode == 0
    done = run("check", "buy", "00700")
    assert "the board lot is unknown" in done.stderr and "no figures are stored" not in done.stderr
    assert "\nvaluation\tpass\t" in done.stdout and "\nexchange\tunknown\t" in done.stdout
