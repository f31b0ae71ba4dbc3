"""The skill /report and wishes for a page: the analyst names the command, and the command writes the page."""

import re
import shlex

import pytest

DEMO = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:30+08:00"}


@pytest.fixture
def run(ia):
    return lambda *argv, **env: ia(*argv, env={**DEMO, **env})


def command_of(answer):
    """Return the one command that an answer names."""
    (command,) = set(re.findall(r"`ia ((?:report|backtest report) [^`]+)`", answer))
    return shlex.split(command)


@pytest.mark.parametrize(
    ("question", "command"),
    [
        ("/report 600519", "report 600519.SH -o 600519.html"),
        ("给我出一份茅台的报告", "report 600519.SH -o 600519.html"),
        ("make me a report of my account", "report account -o account.html"),
        ("/report 大盘", "report market -o market.html"),
    ],
)
def test_a_wish_for_a_page_names_the_command(run, question, command):
    run("init")
    assert command_of(run("turn", question).stdout) == shlex.split(command)


@pytest.mark.parametrize(
    "question", ["show the report of my last backtest", "给我最近一次回测的报告", "/report backtest"]
)
def test_the_page_of_the_last_backtest(run, question, tmp_path):
    run("init")
    assert "ia backtest run" in run("turn", question).stdout
    run("backtest", "run", "600036", "--entry", "rsi(close, 14) < 30", "--since", "2023-01-01")
    command = command_of(run("turn", question).stdout)
    command[-1] = str(tmp_path / "page.html")
    assert run(*command).returncode == 0
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_without_a_subject_it_asks(run):
    run("init")
    assert run("turn", "/report").stdout.startswith("A report of what")


@pytest.mark.parametrize(
    "question",
    ["给我看看茅台的年报", "写一份茅台的研究报告", "give me the annual report of Moutai", "when does Moutai report?"],
)
def test_reports_of_companies_and_research_are_other_things(run, question):
    run("init")
    assert "ia report" not in run("turn", question).stdout


def test_the_report_of_another_profile_is_its_own(run):
    run("init", "--profile", "gtd")
    assert "ia report" not in run("turn", "/report").stdout
