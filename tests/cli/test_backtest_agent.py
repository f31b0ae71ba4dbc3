"""ia backtest agent, from the outside."""

import json
import os

import pytest

from support.servers.openai import UNAUTHORISED, Reply


@pytest.fixture(autouse=True)
def simulated(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")


AGENT = ("backtest", "agent", "600519", "000858", "--start", "2024-03-04", "-m", "ia-offline")


def test_a_run_its_replay_and_what_it_leaves_alone(ia, home):
    ia("trade", "deposit", "500000", "--date", "2024-01-02")
    before = ia("trade", "list", "--json").stdout, ia("memory", "list").stdout
    run = ia(*AGENT)
    assert run.returncode == 0
    assert (
        run.stdout.splitlines()[0]
        == "agent-2024-03-04-1  ia-offline  2024-03-04 – 2024-03-15  10 sessions · SIMULATED PRICES"
    )
    assert "percentile among random agents" in run.stdout
    replay = ia("backtest", "agent", "--replay", "agent-2024-03-04-1", "--json")
    assert (replay.returncode, json.loads(replay.stdout)["status"]) == (0, "done")
    assert "byte for byte" in replay.stderr
    for again in (("agent-2024-03-04-2",), ()):  # a replay is no second witness
        assert ia("memory", "distill", "agent-2024-03-04-1", *again).returncode == 2
    assert (ia("trade", "list", "--json").stdout, ia("memory", "list").stdout) == before
    assert sorted(os.listdir(home)) == [".ia", "runs"]


def test_a_run_in_chinese_asks_in_the_words_of_its_user(ia, home):
    run = ia(*AGENT, env={"IA_LANG": "zh"})
    assert run.returncode == 0
    assert "在随机对照中的百分位" in run.stdout
    calls = (home / "runs" / "agent-2024-03-04-1" / "calls.jsonl").read_text(encoding="utf-8")
    assert "交易日结束，请用 memory.log 记录今日复盘。\\n如果有新的经验教训，用 memory.note 更新 playbook。" in calls


def test_a_model_without_a_valid_key_is_one_line_and_the_run_continues(ia, brain):
    brain(UNAUTHORISED, always=Reply("Nothing to do."))
    args = (*AGENT[:-2], "--max-cost", "5")
    run = ia(*args)
    assert (run.returncode, run.stdout) == (69, "")
    errors = [line for line in run.stderr.splitlines() if "simulated" not in line and "estimate" not in line]
    assert errors == [
        "ia: scripted: the provider rejected the API key (401)",
        "hint: continue with `ia backtest resume agent-2024-03-04-1`",
    ]
    (row,) = json.loads(ia("backtest", "list", "--json").stdout)
    assert row["simulated"] and "SIMULATED PRICES" in ia("backtest", "show").stdout
    assert ia("backtest", "resume", "agent-2024-03-04-1").returncode == 0


@pytest.mark.parametrize(
    "args, status",
    [
        (("backtest", "agent", "600519"), 2),
        (("backtest", "agent", "--start", "2024-03-04"), 2),
        (("backtest", "agent", "nobody knows this", "--start", "2024-03-04"), 66),
        ((*AGENT, "--cash", "x"), 2),
        ((*AGENT, "--end", "2024-04-01"), 2),
        (("backtest", "agent", "600519", "AAPL", "--start", "2024-03-04"), 2),
        ((*AGENT[:4], "--start", "2024-03-04", "--end", "2024-03-01"), 2),
        ((*AGENT[:4], "--start", "2030-01-01"), 2),
        ((*AGENT, "--preset", "soul.md=x"), 2),
        (("backtest", "agent", "--replay", "none"), 66),
        (("backtest", "resume", "none"), 66),
    ],
)
def test_bad_input_is_one_line(ia, args, status):
    run = ia(*args)
    assert run.returncode == status, run.stderr
    assert run.stdout == ""
    assert "Traceback" not in run.stderr


def test_a_model_that_does_not_exist_leaves_no_run(ia, home):
    run = ia(*AGENT[:-1], "nomodel")
    assert run.returncode == 69 and "nomodel" in run.stderr
    assert not (home / "runs").exists()


def test_a_run_of_rules_is_not_resumed(ia):
    ia("backtest", "run", "600519", "--entry", "close > 1")
    (row,) = json.loads(ia("backtest", "list", "--json").stdout)
    run = ia("backtest", "resume", row["id"])
    assert (run.returncode, run.stdout) == (2, "")
    assert f"hint: see `ia backtest show {row['id']}`" in run.stderr


def test_two_runs_side_by_side(ia, home):
    for strategy in ("Hold.", "Trade."):
        assert ia(*AGENT, "--strategy", strategy).returncode == 0
    one, other = "agent-2024-03-04-1", "agent-2024-03-04-2"
    run = ia("backtest", "diff", one, other)
    assert run.returncode == 1
    assert "-Hold." in run.stdout
    assert "+Trade." in run.stdout
    assert ia("backtest", "diff", one, one).returncode == 0
    assert ia("backtest", "show", one).stdout.startswith(one)
    listed = json.loads(ia("backtest", "list", "--json").stdout)
    assert {row["id"] for row in listed} == {one, other}
    assert ia("memory", "distill", one, other).returncode in (0, 1)


def test_distilled_lines_wait_for_approval(ia, home):
    for number in (1, 2):
        assert ia(*AGENT, "--strategy", f"Plan {number}.").returncode == 0
        book = home / "runs" / f"agent-2024-03-04-{number}" / "playbook.md"
        book.write_text("# Playbook\n\n- pause a day after three losses\n", encoding="utf-8")
    run = ia("memory", "distill", "agent-2024-03-04-1", "agent-2024-03-04-2")
    assert (run.returncode, run.stdout) == (0, "2/2\tpause a day after three losses\n")
    assert not (home / "notebook").exists()
    assert ia("approve", "1", "--yes").returncode == 0
    assert "(2 of 2 runs)" in (home / "notebook" / "notes" / "playbook.md").read_text(encoding="utf-8")
