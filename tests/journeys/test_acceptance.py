"""The eight acceptance cases of the design (seed 000, section 12), each end to end through the installed command.

What a model must decide is scripted, or left to the embedded analyst; everything else is the real thing.
"""

import json
import os
import re
import signal
import subprocess
import time

import pytest

from support.program import installed
from support.servers.openai import Reply

NOW = "2024-03-15T16:00:00+08:00"
QUESTION = "宁德时代值得买吗？"
SOULS = {
    "value": "# 我是谁\n价值投资者的研究助手。\n\n# 我的风格\n- 先看估值与安全边际，再看行业地位\n- 在恐慌中寻找机会\n",
    "trend": "# 我是谁\n趋势交易者的研究助手。\n\n# 我的风格\n- 先看均线系统、动量与成交量，再看突破\n- 顺势而为\n",
    "quant": "# 我是谁\n量化研究助手。\n\n# 我的风格\n- 先用 compute 算多因子得分，再看统计显著性\n",
}


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_LANG", "zh")


@pytest.fixture
def offline(ia):
    """Run one turn with the embedded analyst and return its JSON."""

    def ask(message, *args, **kwargs):
        run = ia("turn", message, "-m", "ia-offline", "--json", *args, **kwargs)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    return ask


@pytest.fixture
def scripted(ia):
    """Run one turn with the scripted model and return its JSON."""

    def ask(message, *args, **kwargs):
        run = ia("turn", message, "--json", *args, **kwargs)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    return ask


def path_of(done):
    """Return what a turn looked at and calculated, in its order: the way it went."""
    looking = ("market.ohlcv", "compute.run", "indicator.calc", "skills.check")
    return [(tool["name"], tool["args"].get("code", "")) for tool in done["tools"] if tool["name"] in looking]


def test_1_ohlcv_primitive(ia, brain, scripted):
    """market.ohlcv is canonical, and compute.run has df, close, volume … without being given them."""
    lines = ia("ohlcv", "300750").stdout.splitlines()
    assert lines[0] == "date,open,high,low,close,volume"
    assert re.fullmatch(r"2024-03-15(,\d+(\.\d+)?){4},\d+", lines[-1])
    code = """
parts = [open, high, low, close, volume, date]
same = df['close'].equals(close) and len(df) == len(volume)
result = {'columns': list(df.columns), 'rows': len(df), 'lengths': [len(p) for p in parts], 'same': bool(same),
          'rsi': round(float(ta.rsi(close, 14).iloc[-1]), 4), 'mean': float(np.mean([1, 3])), 'pi': round(math.pi, 2),
          'last': latest(close), 'first': pd.Series([7]).iloc[0] * 1.0}
"""
    server = brain(
        Reply(calls=[("market_ohlcv", {"symbol": "300750"})]),
        Reply(calls=[("compute_run", {"code": code})]),
        Reply("好。"),
    )
    done = scripted("算一下宁德时代的 RSI")
    assert [tool["ok"] for tool in done["tools"]] == [True, True], server.requests[-1].results
    got = server.requests[2].results[0]
    rows = len(lines) - 1
    assert str(rows) in got
    for column in lines[0].split(",")[1:]:
        assert column in got
    value = ia("compute", "round(float(ta.rsi(close, 14).iloc[-1]), 4)", "--symbol", "300750").stdout.strip()
    assert value in got
    assert lines[-1].split(",")[4].rstrip("0").rstrip(".") in got


def test_2_replaceable_adapter(ia, offline, tmp_path, monkeypatch):
    """Another adapter with the same prices: every skill and calculation goes the same way and finds the same."""
    ia("init")
    folder = tmp_path / "prices"
    folder.mkdir()
    for symbol in ("300750.SZ", "002594.SZ"):
        (folder / f"{symbol}.csv").write_text(ia("ohlcv", symbol).stdout)
    ways = {}
    for adapter in ("demo", "csv"):
        monkeypatch.setenv("IA_MARKET_ADAPTER", adapter)
        monkeypatch.setenv("IA_MARKET_CSV_DIR", str(folder))
        monkeypatch.setenv("IA_HOME", str(tmp_path / adapter))
        ia("init")
        ways[adapter] = [offline("/research 300750"), offline("/compare 300750 002594")]
        ways[adapter, "rsi"] = ia("compute", "ta.rsi(close, 14)", input=ia("ohlcv", "300750").stdout).stdout
    assert ways["demo", "rsi"] == ways["csv", "rsi"] != ""
    for simulated, real in zip(ways["demo"], ways["csv"], strict=True):
        assert [(tool["name"], tool["ok"]) for tool in simulated["tools"]] == [
            (tool["name"], tool["ok"]) for tool in real["tools"]
        ]
        assert simulated["artifacts"] == real["artifacts"] != []


def test_3_soul_shapes_cognition(ia, home, offline, brain, scripted):
    """One question, three souls: other steps in another order, and an answer of another structure."""
    home.mkdir(exist_ok=True)
    ways, answers = {}, {}
    for name, soul in SOULS.items():
        assert ia("soul", "propose", soul, "--because", "换一种风格").returncode == 0
        number = ia("pending").stdout.splitlines()[-1].split("\t")[0]
        assert ia("approve", number, "--yes").returncode == 0
        done = offline(QUESTION)
        ways[name] = path_of(done)
        answers[name] = [line.partition("：")[0] for line in done["reply"].splitlines() if line.startswith("- ")]
    for one, other in (("value", "trend"), ("trend", "quant"), ("quant", "value")):
        assert ways[one] != ways[other], "the path of the analysis"
        assert answers[one] != answers[other], "the structure of the view"
    server = brain(always=Reply("好。"))
    scripted(QUESTION)
    assert "先用 compute 算多因子得分" in server.requests[0].system, "a model is told the soul of now"
    assert "价值投资者" not in server.requests[0].system


def test_4_growth_is_auditable(ia, home, brain, scripted):
    """Every change of beliefs.md has before → now → because, whoever made it."""
    assert ia("memory", "believe", "破 20 周线后先减仓", "--because", "三次破线后平均再跌 9%").returncode == 0
    brain(
        Reply(calls=[("memory_believe", {"text": "破 20 周线且放量才减仓", "because": "缩量破线两次都收回", "replaces": "破 20 周线"})]),
        Reply("记下了。"),
    )  # fmt: skip
    scripted("记住这条教训：缩量破线常会收回，改一下你的信念")
    assert "破 20 周线且放量才减仓" not in (home / "memory/beliefs.md").read_text(encoding="utf-8")
    assert ia("approve", "1", "--yes").returncode == 0
    assert "破 20 周线且放量才减仓" in (home / "memory/beliefs.md").read_text(encoding="utf-8")
    (reflection,) = (home / "memory/reflections").glob("*.md")
    told = reflection.read_text(encoding="utf-8")
    for words in ("破 20 周线后先减仓", "破 20 周线且放量才减仓", "三次破线后平均再跌 9%", "缩量破线两次都收回"):
        assert words in told
    assert [told.count(label) for label in ("\n- 之前：", "\n- 现在：", "\n- 理由：")] == [2, 2, 2]
    (home / "memory/beliefs.md").write_text("# 信念\n\n- 手工改的\n", encoding="utf-8")
    rows = json.loads(ia("memory", "history", "beliefs", "--json").stdout)
    assert len(rows) >= 2
    assert {"user", "model scripted"} <= {row["actor"] for row in rows}
    kinds = ia("log", "--subject", "memory/beliefs.md").stdout
    assert kinds.count("memory/beliefs.md") >= 2


def test_5_connected_pipes(ia, home, brain, scripted):
    """A note is in MEMORY.md at once, and soul.md is in every turn as it stands then."""
    ia("init")
    note = ("notebook_write", {"path": "research/宁德时代/2024-03-15.md", "content": "# 宁德时代\n放量突破前高。"})
    server = brain(Reply(calls=[note]), Reply("写了。"), Reply("好。"), Reply("好。"))
    scripted("写一篇笔记")
    index = (home / "memory/MEMORY.md").read_text(encoding="utf-8")
    assert re.search(r"2024-03-15.*notebook/research/宁德时代/2024-03-15\.md.*放量突破前高", index)
    scripted("还记得吗")
    assert "宁可错过，不可做错" in server.requests[2].system
    assert "放量突破前高" in server.requests[2].system, "and the index is in the next turn"
    ia("soul", "propose", "# 我是谁\n只做指数的助手。\n", "--because", "换")
    ia("approve", "6", "--yes")
    scripted("现在呢")
    assert "只做指数的助手" in server.requests[3].system
    assert "宁可错过" not in server.requests[3].system


@pytest.mark.parametrize("moment", ["in the stream", "after a tool"])
@pytest.mark.share(2)
def test_6_recovery(ia, home, brain, moment):
    """Killed in the middle of a turn: soul, memory, notebook, proposals and the session are whole, and it goes on."""
    ia("init")
    ia("memory", "believe", "破位先减仓", "--because", "统计")
    ia("note", "scratch/a", "先前的笔记")
    ia("memory", "prefer", "回答先给结论")
    soul = (home / "soul.md").read_text(encoding="utf-8")
    task = ("tasks_propose", {"name": "weekly", "schedule": "0 16 * * 5", "prompt": "复盘本周"})
    note = ("notebook_write", {"path": "scratch/b.md", "content": "新写的笔记"})
    long = Reply("说了一半，" * 50, pause=0.2)
    server = brain(
        *([long] if moment == "in the stream" else [Reply("先记。", calls=[note, task]), long]),
        always=Reply("接上了。"),
    )
    child = subprocess.Popen(
        [*installed(), "turn", "每周五收盘后帮我复盘本周的观察", "-s", "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 90
    wanted = 1 if moment == "in the stream" else 2
    while len(server.requests) < wanted and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(server.requests) == wanted
    time.sleep(0.6)
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate(timeout=90)
    assert (home / "soul.md").read_text(encoding="utf-8") == soul
    assert "破位先减仓" in ia("memory", "read", "beliefs").stdout
    assert ia("note", "read", "scratch/a").stdout == "先前的笔记\n"
    waiting = ia("pending").stdout
    assert "preferences.md" in waiting
    if moment == "after a tool":
        assert ia("note", "read", "scratch/b").stdout.strip() == "新写的笔记"
        assert "tasks/weekly.md" in waiting, "a task that waits for approval still waits"
    run = ia("turn", "继续", "-s", "x")
    assert (run.returncode, run.stdout) == (0, "接上了。\n"), run.stderr
    assert "每周五收盘后" in str(server.requests[-1].messages), "the question that was killed is remembered"
    assert ia("doctor").stdout.count("damaged") == 0


def skill(home, name, **fields):
    front = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in fields.items())
    path = home / ".claude/skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {name}\ndescription: 测试 {name}\n{front}---\n照做：$ARGUMENTS\n", encoding="utf-8")
    os.utime(path, (0, 1_700_000_000))  # before now()


def test_7_skill_permissions(ia, home, brain, scripted):
    """A skill cannot do what it was not allowed; one that is disabled, or not for models, is never begun by a model."""
    skill(home, "look", allowed_tools="[market.ohlcv]")
    skill(home, "mine", allowed_tools="[market.ohlcv]", disable_model_invocation="true")
    skill(home, "off", allowed_tools="[market.ohlcv]")
    assert ia("skill", "disable", "off").returncode == 0
    note = ("notebook_write", {"path": "scratch/x.md", "content": "越权"})
    load = [("skills_load", {"name": name}) for name in ("mine", "off")]
    server = brain(
        Reply(calls=[note, ("compute_run", {"code": "1 + 1"}), ("market_ohlcv", {"symbol": "300750"})]), Reply("完成。"),
        Reply(calls=load), Reply("好。"),
        Reply(calls=[("skills_load", {"name": "look"})]), Reply(calls=[note]), Reply("好。"),
    )  # fmt: skip
    done = scripted("/look 300750")
    assert [(tool["name"], tool["ok"]) for tool in done["tools"]] == [
        ("notebook.write", False), ("compute.run", False), ("market.ohlcv", True),
    ]  # fmt: skip
    assert "照做：300750" in server.requests[0].system
    assert "market_ohlcv" in server.requests[0].tools
    assert not {"notebook_write", "compute_run"} & set(server.requests[0].tools), "they are not even offered"
    done = scripted("看看宁德时代")
    assert [tool["ok"] for tool in done["tools"]] == [False, False]
    told = server.requests[2].system
    assert "look: " in told and "mine: " not in told and "off: " not in told
    done = scripted("看看宁德时代")
    assert [tool["ok"] for tool in done["tools"]] == [True, False], "a skill that the model chose holds it too"
    assert not (home / "notebook/scratch/x.md").exists()
    assert ia("turn", "/off 300750").returncode == 77
    assert len(server.requests) == 7, "the model was not even asked"


def test_8_coach(ia, home, offline):
    """What the user coached is kept, proposed, and after approval changes what the analyst does."""
    ia("init")
    before = offline("帮我看看宁德时代最近怎么样")
    coached = offline("你最近总是低估市场情绪的影响，分析时要多考虑资金面。")
    (reflection,) = (home / "memory/reflections").glob("*.md")
    assert "低估市场情绪" in reflection.read_text(encoding="utf-8")
    waiting = json.loads(ia("pending", "--json").stdout)
    assert {row["path"] for row in waiting if row["kind"] != "task"} == {"soul.md", "memory/beliefs.md"}
    ours = [row["id"] for row in waiting if row["kind"] != "task"]
    assert sorted(ours) == sorted(coached["pending"])
    unapproved = offline("帮我看看宁德时代最近怎么样")
    assert path_of(unapproved) == path_of(before), "nothing changes before the coach agrees"
    for number in coached["pending"]:
        assert ia("approve", str(number), "--yes").returncode == 0
    assert "资金面" in (home / "soul.md").read_text(encoding="utf-8")
    after = offline("帮我看看宁德时代最近怎么样")
    assert path_of(after) != path_of(before)
    assert "资金" in after["reply"]
    more = {code for _, code in path_of(after)} - {code for _, code in path_of(before)}
    assert any("volume" in code for code in more), "volume and turnover are now looked at"
