"""The journeys of the design (seed 000, 9.1; C short of cron) as transcripts, with the analyst and a model over HTTP."""

import json
import os
import re

import pytest

from support.program import REPO
from support.servers.openai import MODEL, Reply
from support.transcripts import replay

NOTE = "research/宁德时代/2024-03-15.md"


def calls(*pairs):
    return Reply(calls=list(pairs))


def figures(request):
    """Return the numbers in what the tools returned, as they stand there."""
    return re.findall(r"-?\d+\.\d+", " ".join(request.results))


def research(flows=""):
    """The script of a research: look, recall, calculate, note, observe, answer."""
    seen = {}

    def calculate(request):
        seen["close"] = re.findall(r"82\.54", " ".join(request.results))[0]
        return calls(
            ("compute_run", {"code": "round(latest(ta.rsi(close, 14)), 1)"}),
            *([("compute_run", {"code": flows})] if flows else []),
        )

    def write(request):
        seen["rsi"] = figures(request)[0]
        text = f"# 宁德时代\n收盘 {seen['close']}，RSI {seen['rsi']}（模拟行情）。置信度中。"
        return calls(
            ("notebook_write", {"path": NOTE, "content": text}),
            ("memory_observe", {"topic": "宁德时代", "content": f"宁德时代收盘 {seen['close']}（模拟行情）"}),
        )

    def answer(_request):
        return Reply(
            f"宁德时代收盘 {seen['close']}，RSI {seen['rsi']}，行情是模拟的。{'资金面平稳。' if flows else ''}置信度中。"
        )

    return [
        calls(("market_ohlcv", {"symbol": "宁德时代"}), ("memory_recall", {"query": "宁德时代"})),
        calculate, write, answer,
    ]  # fmt: skip


def coaching():
    return [
        calls(
            ("memory_reflect", {"content": "教练：低估市场情绪，要多考虑资金面。"}),
            ("memory_believe", {"text": "市场情绪和资金面对短期走势有显著影响", "because": "教练反馈"}),
            ("soul_propose", {"add": "分析时多考虑资金面", "section": "我的成长方向", "because": "教练反馈"}),
        ),
        Reply("记下了；两个提案等你决定。"),
    ]


def comparing(fork):
    """The script of a comparison by the procedure of its skill; in a subagent the answer is its JSON."""
    note = "research/比亚迪-vs-宁德时代/2024-03-15.md"
    told = "比亚迪与宁德时代强弱难分（模拟行情）。"
    summary = {"points": [told], "evidence": ["收盘 80.22 与 82.54"], "artifacts": [f"notebook/{note}"]}
    advice = {"points": [{"text": told, "do": "不急着换"}], "uncertain": "公告没有看", "next": ["哪只更贵？"]}
    return [
        calls(("market_ohlcv", {"symbol": "002594"}), ("market_ohlcv", {"symbol": "300750"})),
        calls(("compute_run", {"code": "latest(close)", "symbol": "002594"}), ("compute_run", {"code": "latest(close)", "symbol": "300750"})),
        lambda request: calls(
            ("skills_check", {"symbol": "002594"}),
            ("notebook_write", {"path": note, "content": f"# 对比\n{' '.join(figures(request))} 模拟行情"}),
            ("show_advice", advice),
        ),
        Reply(json.dumps(summary, ensure_ascii=False) if fork else told),
    ]  # fmt: skip


SCRIPTS = {
    "a-research": lambda: [
        *research(), calls(("memory_recall", {"query": "宁德时代"})), Reply("2024-03-15 记过：RSI 45.7，动能转弱。"),
    ],
    "b-coach": lambda: [*coaching(), *research(flows="latest(volume) / latest(sma(volume, 20))")],
    "c-task": lambda: [
        calls(("tasks_propose", {
            "name": "weekly-review", "schedule": "0 16 * * 5", "calendar": "CN", "prompt": "复盘本周的观察和判断",
            "produces": "reports/weekly/DATE.md",
        })),
        Reply("设计稿好了；确认用 `ia approve 6`。"),
        Reply("本周没有可评的判断。"),
    ],
    "d-compare": lambda: [*comparing(fork=False), *comparing(fork=True)],
    "e-market": lambda: [Reply("没有触线，不动。"), Reply("当天没有成形的主线。")],
}  # fmt: skip


@pytest.mark.parametrize("model", ["ia-offline", MODEL])
@pytest.mark.parametrize("journey", SCRIPTS)
@pytest.mark.share(3)
def test_journey(journey, model, brain, tmp_path, monkeypatch):
    server = brain(*SCRIPTS[journey]())
    for name, value in {"MODEL": model, "NOW": "2024-03-15T16:00:00+08:00", "LANG": "zh"}.items():
        monkeypatch.setenv(f"IA_{name}", value)
    replay(REPO / "tests/journeys" / f"{journey}.md", tmp_path, dict(os.environ), stderr=False)
    if model == MODEL:
        assert server.script == [], "the whole script was played"
    else:
        assert server.requests == [], "the analyst asks nobody"
