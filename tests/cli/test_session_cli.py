"""ia session, ia usage: read and pruned from the command line."""

import json
import os
import pty
import re
import subprocess
from decimal import Decimal

import pytest

from ia.kernel.text_width import display_width
from ia.organs import sessions, spending
from support.program import program


@pytest.fixture
def talked(ws):
    """Session s: a pair of talk, a trade, a pair of talk."""
    for turn, asked, answered, importance in (
        ("1", "茅台怎么样？", "结论：震荡。", 0),
        ("2", "买入了 100 股", "记下了", 1),
        ("3", "谢谢", "不客气", 0),
    ):
        sessions.add_message(ws, "s", "user", asked, turn=turn, importance=importance)
        sessions.add_message(ws, "s", "assistant", answered, turn=turn, origins=("stdin",) if turn == "3" else ())
    return ws


@pytest.fixture
def spent(ws):
    """One call that cost 0.0074 USD of a cap of 0.01, and one of a model without a price."""
    from ia.kernel import config

    text = ""
    for name, value in (
        ("prices.gpt-4.1.input", "2"),
        ("prices.gpt-4.1.output", "8"),
        ("turn.max_cost_day", "0.01"),
        ("turn.max_tokens_month", "4000"),
    ):
        text = config.edit_config_text(text, name, value)
    ws.write("config.yaml", text)
    for model, session in (("gpt-4.1", "s"), ("local/llama", "t")):
        meter = spending.Meter(ws, model, command="turn", session=session)
        meter.reserve_call(100)
        meter.settle_call(100, 900)
    return ws


def at_a_terminal(*args):
    """Run ia with its stdout on a terminal of 120 columns and return what it printed there."""
    leader, follower = pty.openpty()
    run = subprocess.Popen(
        [*program(), *args], stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "120", "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(follower)
    out = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    run.wait(60)
    os.close(leader)
    return out.decode()


# sessions


def test_listed(ia, talked):
    sessions.add_message(talked, "later", "user", "x")
    lines = ia("session", "list").stdout.splitlines()
    assert lines[0] == "id\tlast_active\tcreated\tmessages\ttokens\ttitle"
    assert [line.split("\t")[0] for line in lines[1:]] == ["later", "s"]
    rows = json.loads(ia("session", "list", "--json").stdout)
    assert [(row["id"], row["messages"], row["summary"]) for row in rows] == [("later", 1, ""), ("s", 6, "")]
    assert rows[1]["created"].endswith("Z")
    assert "later" in at_a_terminal("session", "list")


def test_none_yet_is_status_1(ia):
    run = ia("session", "list")
    assert (run.returncode, run.stdout, run.stderr) == (1, "id\tlast_active\tcreated\tmessages\ttokens\ttitle\n", "")
    assert ia("session", "list", "--json").stdout == "[]\n"


def test_shown(ia, talked):
    lines = ia("session", "show", "s").stdout.splitlines()
    assert lines[0] == "id\ttime\trole\timportance\tcontent"
    assert [line.split("\t")[2:] for line in lines[1:4]] == [
        ["user", "0", "茅台怎么样？"], ["assistant", "0", "结论：震荡。"], ["user", "1", "买入了 100 股"],
    ]  # fmt: skip
    rows = json.loads(ia("session", "show", "s", "--json").stdout)
    assert set(rows[0]) == {"id", "turn", "role", "content", "importance", "tokens", "origins", "time"}
    assert rows[5]["origins"] == ["stdin"]
    assert [
        json.loads(line)["id"] for line in ia("session", "show", "s", "-n", "2", "--jsonl").stdout.splitlines()
    ] == [5, 6]
    assert ia("session", "show", "s", "-n", "0").returncode == 2


@pytest.mark.parametrize("verb", ["show", "prune", "delete"])
def test_no_such_session(ia, verb):
    run = ia("session", verb, "nobody")
    assert (run.returncode, run.stdout) == (66, "") and run.stderr.startswith("ia: nobody: no such session\nhint: ")
    run = ia("session", verb, "../etc")
    assert run.returncode == 2 and "is not a valid session name" in run.stderr
    assert "没有这个会话" in ia("--lang", "zh", "session", verb, "nobody").stderr


def test_pruned(ia, talked):
    run = ia("session", "prune", "s")
    assert (run.returncode, run.stdout) == (0, "") and "pruned 0 messages of session s" in run.stderr
    row = json.loads(ia("session", "prune", "s", "--limit", "0", "--json").stdout)
    assert (row["dropped"], row["messages"]) == (2, 4)
    assert "茅台怎么样？ → 结论：震荡。" in ia("session", "show", "s", "--summary").stdout
    assert json.loads(ia("session", "show", "s", "--summary", "--json").stdout)["summary"].startswith("- [")
    assert [row["id"] for row in json.loads(ia("session", "show", "s", "--json").stdout)] == [3, 4, 5, 6]
    assert "session.prune" in ia("log", "--kind", "session").stdout


def test_no_summary_is_status_1(ia, talked):
    run = ia("session", "show", "s", "--summary")
    assert (run.returncode, run.stdout) == (1, "")


def test_deleted(ia, talked):
    assert ia("session", "delete", "s").stdout == "s\n"
    assert ia("session", "show", "s").returncode == 66
    assert ia("session", "list").returncode == 1
    assert "session.delete" in ia("log", "--kind", "session").stdout


def test_a_session_in_use_is_not_pulled_away(ia, talked, monkeypatch):
    with sessions.hold_session(talked, "s", 0):
        run = ia("session", "delete", "s", timeout=30)
    assert run.returncode == 75 and "another turn is running in session s" in run.stderr
    assert ia("session", "delete", "s").returncode == 0


def test_marked(ia, talked):
    assert ia("session", "mark", "1", "2").returncode == 0
    assert json.loads(ia("session", "show", "s", "--json").stdout)[0]["importance"] == 2
    assert ia("session", "mark", "99", "2").returncode == 66
    assert ia("session", "mark", "1", "3").returncode == 2


def test_now(ia, talked):
    assert ia("--now", "2024-03-15", "session", "list").returncode == 1
    assert ia("--now", "2024-03-15", "session", "show", "s").returncode == 66
    assert ia("--now", "2024-03-15", "session", "delete", "s").returncode == 66


def test_what_repaints_the_terminal_is_shown(talked):
    sessions.add_message(talked, "bad", "user", "a\x1b[2Jb")
    out = at_a_terminal("session", "show", "bad")
    assert "\x1b[2J" not in out and "\\x1b[2Jb" in out


def test_messages_take_the_whole_width_of_a_terminal(talked):
    text = "结论：**震荡**。" + "成交量没有放大，均线走平，等突破。" * 6
    sessions.add_message(talked, "wide", "user", "茅台怎么样")
    sessions.add_message(talked, "wide", "assistant", text)
    out = re.sub(r"\x1b\[[0-9;]*m", "", at_a_terminal("session", "show", "wide"))
    widths = [display_width(line) for line in out.replace("\r", "").splitlines()]
    assert 100 < max(widths) <= 120 and "茅台怎么样" in out and "**" not in out


# usage


def test_nothing_used_yet(ia):
    run = ia("usage")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "day\tcalls\tinput_tokens\toutput_tokens\tcost\tcurrency\testimated\tunpriced\n"
    assert "turn.max_cost_day" in at_a_terminal("usage")


def test_used(ia, spent):
    lines = ia("usage", "--by", "model").stdout.splitlines()
    assert lines[1:] == ["gpt-4.1\t1\t100\t900\t0.0074\tUSD\t0\t0", "local/llama\t1\t100\t900\t\tUSD\t0\t1"]
    assert ia("usage", "--by", "session").stdout.splitlines()[2].startswith("t\t1\t100\t900\t\t")
    document = json.loads(ia("usage", "--json").stdout)
    (row,) = document["rows"]
    assert (row["calls"], row["cost"], row["unpriced"]) == (2, 0.0074, 1)
    caps = {cap["cap"]: cap for cap in document["caps"]}
    assert caps["turn.max_cost_day"] == {
        "cap": "turn.max_cost_day",
        "limit": 0.01,
        "spent": 0.0074,
        "left": 0.0026,
        "unit": "USD",
    }
    assert caps["turn.max_tokens_month"]["left"] == 2000
    assert json.loads(ia("usage", "--jsonl", "--by", "month").stdout)["calls"] == 2
    assert ia("usage", "--since", "2999-01-01").returncode == 2  # nothing has been then
    assert ia("--now", "2024-03-15", "usage").stdout.count("\n") == 1


def test_what_is_left(ia, spent):
    lines = ia("usage", "--left").stdout.splitlines()
    assert lines[0] == "cap\tlimit\tspent\tleft\tunit"
    assert "turn.max_cost_day\t0.01\t0.0074\t0.0026\tUSD" in lines
    assert [Decimal(str(cap["left"])) for cap in json.loads(ia("usage", "--left", "--json").stdout)][1] == Decimal(
        "0.0026"
    )


def test_at_a_terminal_there_are_bars(spent):
    out = at_a_terminal("usage", "--by", "model")
    assert "█" * 6 in out and "turn.max_cost_day" in out and "░" in out


def test_wrong_words(ia):
    assert ia("usage", "--by", "hour").returncode == 2
    assert ia("usage", "--since", "soon").returncode == 2


def test_prices_are_settings(ia, home):
    for model in ("gpt-4.1", "openrouter/anthropic/claude-3.5:beta"):
        assert ia("config", "set", f"prices.{model}.input", "2").returncode == 0
        assert ia("config", "get", f"prices.{model}.input").stdout == "2.0\n"
    run = ia("config", "set", "prices.gpt-4.1.input", "-2")
    assert run.returncode == 2 and "is not a valid price per million tokens" in run.stderr
    assert ia("config", "set", "prices.gpt-4.1.inputs", "2").returncode == 2
    assert ia("config", "set", "turn.max_tokens_day", "100000").returncode == 0
    assert ia("config", "get", "turn.max_tokens_day").stdout == "100000\n"
    assert "prices.gpt-4.1.input\t2.0\tconfig.yaml" in ia("config", "list").stdout
    assert ia("doctor").stdout.count("fail") == 0


def test_a_session_has_its_first_question_as_title_and_is_found_by_its_questions(ia):
    ia("turn", "-s", "a", "看看贵州茅台的 RSI 是多少")
    ia("turn", "-s", "a", "那 MACD 呢")
    ia("turn", "-s", "b", "净息差 什么时候见底")
    rows = json.loads(ia("session", "list", "--json").stdout)
    assert [(row["id"], row["title"]) for row in rows] == [
        ("b", "净息差 什么时候见底"),
        ("a", "看看贵州茅台的 RSI 是多少"),
    ]
    assert ia("session", "list").stdout.splitlines()[1].endswith("\t净息差 什么时候见底")
    assert [row["id"] for row in json.loads(ia("session", "list", "macd", "--json").stdout)] == ["a"]
    assert ia("session", "list", "见底", "macd", "--json").returncode == 1
    assert "看看贵州茅台的 RSI 是多少" in at_a_terminal("session", "list")


def test_turn_c_continues_the_session_of_the_last_question(ia, ws):
    run = ia("turn", "-c", "那 MACD 呢")
    assert run.returncode == 66 and "no session" in run.stderr
    ia("turn", "-s", "a", "你好")
    sessions.add_message(ws, "daily", "user", "【事件】每日复盘\n【今日盈亏】-9")
    sessions.add_message(ws, "task-3", "user", "【事件】用户查询\n【用户问题】复盘")
    assert json.loads(ia("turn", "-c", "谢谢", "--json").stdout)["session"] == "a"
    assert "你好" in ia("context", "-c", "然后呢").stdout
    assert ia("turn", "-c", "-s", "a", "x").returncode == 2
