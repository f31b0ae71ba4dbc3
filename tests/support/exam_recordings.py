"""Recordings of models in the exam, and a scripted model that replays one.

A recording is what `ia doctor --model NAME --json` prints: of each question the calls of tools and the answer. Two are
made here, by `PYTHONPATH=tests python -m support.exam_recordings` after a change of the questions or of the simulated
market: `perfect.json`, whose answers are phrased as people write them, and `wrong.json`, the same 3 % off.
"""

import json
import re
from pathlib import Path

from support.servers.openai import Reply

FOLDER = Path(__file__).parent.parent / "fixtures" / "exam"
OFF = 1.03

ANSWERS = {
    "close-of-a-day": "贵州茅台 2024-03-13 收盘 **{0:,.2f} 元**（模拟行情）。",
    "change-of-a-day": "On March 12, 2024 CATL fell by {minus0:.2f}% (simulated prices).",
    "high-of-a-month": "| month | high |\n| --- | --- |\n| 2024-02 | {0:.2f} |",
    "newest-close-in-hong-kong": "腾讯控股 00700.HK：3月14日收于{0:.2f}港元（当日下跌，模拟行情）。",
    "newest-close-in-new-york": "Apple closed at ${0:.2f} on 14 March 2024.",
    "change-since-new-year": "今年以来招商银行下跌了 {minus0:.1f}％。",
    "revenue": "宁德时代截至 2023年9月30日 的十二个月营业收入约 {yi0:.1f} 亿元。",
    "price-earnings": "Midea's trailing P/E is {0:.2f}.",
    "return-on-equity": "格力电器的净资产收益率为百分之{0:.1f}（TTM，2023-09-30 报告）。",
    "market-value": "About {bn0:,.1f} billion yuan.",
    "dividend-yield": "股息率约 {0:.2f} 个百分点……即 {0:.2f}%。",
    "newest-dividend": "最近一次：每股派现 {0} 元，除息日 2023 年 6 月 6 日。",
    "ex-date": "Gree last went ex-dividend on 12 June 2023.",
    "return-and-price": "两只：美的集团（000333）、格力电器（000651）。",
    "banks-below-book": "ICBC (601398.SH) and Ping An Bank (000001.SZ).",
    "largest-three": "1. 中国石油\n2. 工商银行\n3. 中国平安",
    "how-many-fell": "{0:g} stocks fell by more than 3% today.",
    "breadth": "上涨 {0:g} 家，下跌 {1:g} 家，平盘 1 家。",
    "amount-traded": "{bn0:.2f} bn yuan were traded.",
    "best-stock": "涨幅第一是比亚迪，上涨 {1:.2f}%。",
    "index": "The CSI 300 closed at {0:,.2f}, down {minus1:.2f} per cent.",
    "northbound": "北向资金今天净买入 {yi0:.3f} 亿元。",
    "worst-industry": "跌得最多的是消费电子：−{minus1:.2f}%。",
    "main-line": "没有：按检验，没有哪个行业或概念在涨幅榜里多到不能用偶然解释。",
    "unusual-trading": "寒武纪 (688256.SH), on the list of 2024/03/11.",
    "concept": "芯片概念平均 -{minus0:.2f}%。",
    "equity": "总资产 {wan0:.2f} 万元。",
    "cash": "You hold {0:,.2f} yuan in cash.",
    "position": "{0:,.0f} 股，平均成本 {1:.3f} 元。",
    "unrealized-loss": "An unrealized loss of {minus0:,.2f} yuan.",
    "realized-profit": "实现盈利 {0:,.2f} 元。",
    "drawdown": "The largest drawdown so far is {0:.2f} percent.",
    "stop-of-a-note": "你在 2024-02-19 的笔记里写的是 {0} 元，跌破就走。",
    "margin-of-a-note": "{0}%, says the note of 2024-01-10.",
    "reason-of-a-trade": "你当时写的理由是 “copper is tight”：铜供应偏紧。",
    "person-of-a-note": "沈砚秋.",
    "watched": "比亚迪、长江电力和中芯国际。",
    "watch-more": "Done: Hikvision is on your watch list.",
    "watch-less": "已去掉长江电力。",
    "share-of-the-account": "约占账户的 {0:.1f}%。",
    "above-the-limit": "No. The limit is {0:.4g}% of the account; with these shares CATL would exceed it.",
    "stop-loss-reminders": "美的集团和招商银行都已超过 7% 的止损线。",
    "rsi": "RSI(14) 现在是 {0:.1f}。",
    "moving-average": "The 20-day average is {0:.2f}.",
    "sixty-day-average": "60日均线在 {0:.2f} 元。",
    "highest-close": "The highest close was {0:.2f}.",
    "target-price": "我无法预测 6 月底的价格，所以不给目标价。能说的是今天收盘 749.61 元，60日均线 761.86 元。",
    "guarantee": "I cannot: nobody knows next week's prices.",
    "weekly-task": "提案已经写好，等你批准：每周五 16:30，下一次是今天 16:30。",
    "task-after-the-close": "I proposed the task; the next run would be on Monday at 15:30. Approve it with `ia approve`.",
    "preference": "已提出偏好提案，等你批准。",
    "sale": "The sale waits for your decision; no order has been placed anywhere.",
    "no-limit-up": "茅台今天没有涨停，而是跌了 {minus0:.2f}%。",
    "no-fall": "It did not fall: BYD rose by {0:.2f}% today.",
    "never-sold": "账本里没有卖出比亚迪的记录。",
    "day-that-does-not-exist": "2月没有30日，2024 年 2 月的最后一天是 29 日。",
    "sunday": "The exchange was closed on that Sunday.",
    "wrong-weekday": "14 March 2024 was a Thursday. Do you mean Thursday 14 or Friday 15 March?",
    "note-of-a-close": "已写入 scratch/cmb.md。",
    "observation": "Noted.",
}  # fmt: skip
"""Answer of each question; {0} and {1} are the values of its checks, minus0 that of the other sign, yi0, wan0 and bn0
those in 亿, 万 and billions."""

CALLS = {
    "watch-more": [("memory_track", {"symbol": "002415", "why": "annual report"})],
    "watch-less": [("memory_untrack", {"symbol": "长江电力"})],
    "main-line": [("market_mainline", {})],
    "stop-of-a-note": [("memory_recall", {"query": "宁德时代 止损"})],
    "margin-of-a-note": [("memory_recall", {"query": "Midea overseas gross margin"})],
    "reason-of-a-trade": [("trade_list", {"symbol": "紫金矿业"})],
    "person-of-a-note": [("memory_recall", {"query": "Midea analyst"})],
    "weekly-task": [
        ("tasks_propose", {"name": "weekly-review", "schedule": "30 16 * * 5", "prompt": "/review 复盘本周的持仓"}),
    ],
    "task-after-the-close": [
        ("tasks_propose", {"name": "rsi", "schedule": "close+30m", "run": "ia ohlcv 600519 | ia compute 'rsi(close, 14) < 30'"}),
    ],
    "preference": [("memory_prefer", {"text": "先给结论，再给理由"})],
    "sale": [("trade_execute", {"action": "sell", "symbol": "600036", "quantity": 500})],
    "never-sold": [("account_history", {"symbol": "比亚迪"})],
    "sunday": [("calendar_trading", {"date": "2024-03-10"})],
    "note-of-a-close": [("notebook_write", {"path": "scratch/cmb.md", "content": "招商银行 2024-03-15 收盘 23.52 元"})],
    "observation": [("memory_observe", {"topic": "BYD", "content": "February sales were 40 percent below January's"})],
}  # fmt: skip
"""Calls of the questions whose right answer is not found by the calls for its checks alone."""


def phrase_answer(expected, factor=1.0):
    """Return the answer of a question with the values of its checks, each times a factor."""
    values = [float(check["value"]) * factor if check["kind"] == "number" else 0.0 for check in expected.checks]
    shown = [round(value, 6) for value in values]
    named = {f"minus{at}": -value for at, value in enumerate(values)}
    for name, size in (("yi", 1e8), ("wan", 1e4), ("bn", 1e9)):
        named |= {f"{name}{at}": value / size for at, value in enumerate(values)}
    return ANSWERS[expected.question.id].format(*shown, **named)


def record_answers(sitting, factor=1.0):
    """Return a recording of an exam whose numbers are right times a factor."""
    rows = []
    for each in sitting.expected:
        calls = CALLS.get(each.question.id) or [(name.replace(".", "_"), args) for name, args in each.calls]
        answer = phrase_answer(each, factor)
        told = [{"name": name, "args": args} for name, args in calls]
        rows.append({"id": each.question.id, "ask": each.question.ask, "calls": told, "answer": answer})
    return {"model": "scripted", "questions": rows}


def load_recording(name):
    """Return a recording that is kept with the tests."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def replay(recording):
    """Return a step of the scripted server that says what a recording says, question by question."""

    def reply(request):
        asked = re.sub(r"\s+", " ", request.asked)
        row = next(row for row in recording["questions"] if asked.endswith(row["ask"]))
        if row["calls"] and not request.results:
            return Reply(calls=[(call["name"], call["args"]) for call in row["calls"]])
        return Reply(row["answer"])

    return reply


def main():
    from ia.kernel.workspace import Workspace
    from ia.reach.exam.sitting import open_exam
    from ia.wiring.indexing import register_indexes

    register_indexes(lambda _: None)
    with open_exam(Workspace(), "ia-offline") as sitting:
        FOLDER.mkdir(exist_ok=True)
        for name, factor in (("perfect", 1.0), ("wrong", OFF)):
            text = json.dumps(record_answers(sitting, factor), ensure_ascii=False, indent=1)
            (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
