"""The checks of a lived month find what they look for, and a forked command is like one in a process of its own."""

import sqlite3

import pytest

from lived import checks
from support.forked_commands import Ran

pytestmark = pytest.mark.process


def ran(status=0, out="x", err="", args=("turn", "x")):
    return Ran(args, status, out, err, 0.0)


@pytest.mark.parametrize(
    "bad",
    [
        ran(70, err="ia: internal error: TypeError: x"),
        ran(124),
        ran(139),
        ran(1),
        ran(out="Traceback (most recent call last):\n  File"),
        ran(out="<ia.agent.Voice object at 0x7fdc94a6e4d0>"),
        ran(err="got <class 'int'>"),
        ran(out="Missing: the table (an error in ia; see `ia log --kind fault`)."),
        ran(out=" \n"),
        ran(66, err="no such skill"),
        ran(args=("account", "--json"), out='{"cash": NaN}'),
        ran(args=("account", "--json"), out="{"),
    ],
)
def test_a_breach_of_the_contract_is_found(bad):
    assert checks.problems(bad, (0, 66)) != []


@pytest.mark.parametrize(
    "good",
    [
        ran(),
        ran(66, "", "ia: no such skill\nhint: x"),
        ran(args=("x", "--json"), out="[]"),
        ran(args=("sync",), out=""),
    ],
)
def test_what_keeps_the_contract_passes(good):
    assert checks.problems(good, (0, 66)) == []


def account(cash, equity):
    positions = {"600519.SH": {"value": 100.25, "currency": "CNY"}, "AAPL.US": {"value": None, "currency": "USD"}}
    currencies = {"CNY": {"cash": cash, "equity": equity}, "USD": {"cash": 1.0, "equity": None}}
    return {"positions": positions, "currencies": currencies}


def test_an_account_that_does_not_add_up_is_found():
    assert checks.account_problems(account(10.0, 110.25)) == []
    assert len(checks.account_problems(account(10.0, 110.26))) == 1


def test_a_workspace_that_is_not_whole_is_found(tmp_path):
    (tmp_path / "notebook" / "a").mkdir(parents=True)
    (tmp_path / "notebook" / "a" / "b.md").write_text("x")
    (tmp_path / ".ia").mkdir()
    sqlite3.connect(tmp_path / ".ia" / "ia.db").close()
    assert checks.workspace_problems(tmp_path, "- `notebook/a/b.md`: x") == []
    (tmp_path / "notebook" / ".ia-tmp-b.md").write_text("x")
    assert len(checks.workspace_problems(tmp_path, "")) == 2 + 1


def test_a_crontab_that_lacks_or_repeats_a_task_is_found():
    line = "5 7 * * 1-5 ia task due w --log\n"
    assert checks.crontab_problems(line, ["w"]) == []
    assert checks.crontab_problems(line * 2, ["w"]) != []
    assert checks.crontab_problems("", ["w"]) != []
    assert checks.crontab_problems(line.rstrip(), ["w"]) != []


def test_a_file_outside_of_the_workspace_is_found(tmp_path):
    (tmp_path / "kept").touch()
    (tmp_path / "stray").touch()
    assert checks.outside_problems(tmp_path, {"kept"}) == ["written outside of the workspace: stray"]


def test_a_forked_command_has_its_own_settings_and_folder(forks, tmp_path):
    env = {"IA_HOME": str(tmp_path / "h"), "HOME": str(tmp_path), "IA_LANG": "zh"}
    assert forks.run("init", env=env, cwd=tmp_path).status == 0
    assert forks.run("note", "a", "-", env=env, cwd=tmp_path, input="正文").status == 0
    assert forks.run("note", "read", "a", env=env, cwd=tmp_path).out == "正文\n"
    assert forks.run("note", "read", "a", env={**env, "IA_HOME": str(tmp_path / "other")}, cwd=tmp_path).status == 66
    assert "没有" in forks.run("note", "read", "b", env=env, cwd=tmp_path).err
    assert "no" in forks.run("note", "read", "b", env={**env, "IA_LANG": "en"}, cwd=tmp_path).err


def test_a_forked_command_that_takes_too_long_is_ended(forks, tmp_path):
    env = {"IA_HOME": str(tmp_path / "h"), "HOME": str(tmp_path), "IA_MARKET_ADAPTER": "demo"}
    (tmp_path / "h").mkdir()
    slow = ("compute", "--symbol", "600519", "--timeout", "60", "while True: pass")
    assert forks.run(*slow, env=env, cwd=tmp_path, limit=3).status == 124
    assert forks.run("--version", env=env, cwd=tmp_path).status == 0
