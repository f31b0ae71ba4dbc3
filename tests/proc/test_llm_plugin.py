"""ia inside the stock `llm` command: its tools for a model of any plugin, and the embedded analyst as a model."""

import json
import subprocess
import sys

import pytest

from ia.agent.turns.embedded import EmbeddedAnalyst
from support.servers.openai import MODEL, Reply

LLM = """
import llm.plugins
from ia.reach.bridges import llm_plugin
llm.plugins.load_plugins()
if not llm.plugins.pm.is_registered(llm_plugin):  # a checkout that is not installed has no entry point
    llm.plugins.pm.register(llm_plugin, "ia")
from llm.cli import cli
cli(prog_name="llm")
"""


@pytest.fixture
def llm(tmp_path, monkeypatch):
    """Run the stock `llm` command with ia's plugin: llm("-m", …) -> CompletedProcess."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_COMPUTE_ISOLATION", "prefer")
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    (tmp_path / "llm").mkdir(exist_ok=True)

    def run(*args):
        return subprocess.run(
            [sys.executable, "-c", LLM, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100
        )

    return run


def asks(llm, *tools, prompt="看看", model=MODEL):
    run = llm("-m", model, *(word for tool in tools for word in ("-T", tool)), "--no-log", prompt)
    assert run.returncode == 0, run.stderr
    return run


def results(server):
    """All that came of the tools, in order, as the last request tells it."""
    return [message["content"] for message in server.requests[-1].messages if message["role"] == "tool"]


def test_the_tools_are_there_under_names_that_are_typed_by_hand(llm):
    tools = {tool["name"]: tool for tool in json.loads(llm("tools", "list", "--json").stdout)["tools"]}
    ours = {name for name in tools if name.startswith("ia_")}
    assert {"ia_ohlcv", "ia_compute", "ia_recall", "ia_note_write", "ia_memory_believe", "ia_indicator_calc"} <= ours
    assert not {name for name in ours if "approve" in name}
    assert "symbol" in tools["ia_ohlcv"]["arguments"]["properties"]


def test_fetched_prices_reach_the_calculator(llm, brain):
    server = brain(
        Reply(calls=[("ia_ohlcv", {"symbol": "600519", "end": "2024-03-15", "tail": 1})]),
        Reply(calls=[("ia_compute", {"code": "latest(close)"}), ("ia_compute", {"code": "df.close.iloc[-1]"})]),
        Reply("看过了。"),
    )
    assert asks(llm, "ia_ohlcv", "ia_compute").stdout.strip() == "看过了。"
    bars, *values = map(json.loads, results(server))
    assert [value["value"] for value in values] == [float(bars["bars"][-1].split(",")[4])] * 2


def test_what_needs_the_user_is_proposed_and_what_is_wrong_is_said(llm, brain, ia, home):
    server = brain(
        Reply(calls=[("ia_memory_prefer", {"text": "回答先给结论"})]),
        Reply(
            calls=[
                ("ia_note_write", {"path": "scratch/a.md", "content": "一行"}),
                ("ia_note_write", {"path": "../soul.md", "content": "x"}),
                ("ia_note_write", {"content": 5}),
            ]
        ),
        Reply("好。"),
    )
    asks(llm, "ia_memory_prefer", "ia_note_write")
    proposed, written, left, wrong = results(server)
    assert json.loads(proposed)["proposal"] == 1
    kept = (home / "notebook" / "scratch" / "a.md").read_text(encoding="utf-8")
    assert kept.strip() == "---\nuntrusted: llm\n---\n一行"
    assert "error" not in written
    assert left.startswith('{"error": ')
    assert "arguments of notebook.write" in wrong
    assert not (home / "soul.md").exists()
    pending, trust = json.loads(ia("pending", "--json").stdout)
    assert pending["actor"] == trust["actor"] == "llm" and trust["kind"] == "trust"


def test_the_embedded_analyst_is_a_model_of_llm(llm):
    run = asks(
        llm,
        "ia_ohlcv",
        "ia_compute",
        "ia_recall",
        "ia_note_write",
        prompt="帮我看看贵州茅台最近怎么样",
        model="ia-offline",
    )
    assert "贵州茅台" in run.stdout
    assert "ia-offline" in llm("models", "list").stdout
    assert "Traceback" not in run.stderr


def test_the_embedded_analyst_has_an_async_twin(llm):
    run = llm("--async", "-m", "ia-offline", "--no-log", "你是谁")
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()


def test_the_model_is_the_analyst():
    from ia.reach.bridges.llm_plugin import AsyncOffline, Offline

    for name in ("model_id", "can_stream"):
        assert getattr(Offline, name) == getattr(AsyncOffline, name) == getattr(EmbeddedAnalyst, name)
    assert Offline.supports_tools and AsyncOffline.supports_tools
    assert Offline.supports_schema and AsyncOffline.supports_schema


def test_llm_pays_nothing_for_it_until_it_is_used():
    code = "import llm, sys; before = set(sys.modules); import ia.reach.bridges.llm_plugin as p; p.register_models(lambda *models: None); print(*sorted(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == {"ia", "ia.reach", "ia.reach.bridges", "ia.reach.bridges.llm_plugin"}
