"""Reasons of trades and questions of sessions are searched with the notes, the owner's words first."""

import os
from decimal import Decimal

import pytest

from ia.kernel import clock
from ia.organs import notebook, sessions
from ia.organs.ledger.journal import JournalEntry, append_entries
from ia.organs.recall import index
from ia.organs.recall.search import find_named
from ia.wiring.searchable_records import recall_everything

VIEW = '<!-- ia-view: {"lean": "down"} -->'


@pytest.fixture(autouse=True)
def _now(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")


def enter(ws, **fields):
    entry = JournalEntry(0, clock.utc_stamp(clock.now()), "2024-03-12", **{"kind": "buy", **fields})
    return append_entries(ws, [entry])[0].id


def ask(ws, session, question, **kwargs):
    sessions.add_message(ws, session, "user", f"【事件】用户查询\n【用户问题】{question}", **kwargs)


def sources(ws, query, **kwargs):
    return [hit.source for hit in recall_everything(ws, query, **kwargs)]


def test_the_reason_of_a_trade_comes_before_what_the_machine_wrote(ws):
    for day in range(1, 8):
        text = f"# 招商银行\n\n好消息因此被低估，估值低估。\n\n## 方法\n\n低估值\n\n{VIEW}\n"
        notebook.write_note(ws, f"research/招商银行/2024-03-0{day}", text, actor="model ia-offline")
    number = enter(
        ws,
        symbol="600036.SH",
        name="招商银行",
        price=Decimal(33),
        quantity=Decimal(100),
        cash=Decimal(3300),
        reason="低估值+高股息",
    )
    assert sources(ws, "低估值") == [f"trades/{number}"]
    hit = recall_everything(ws, "低估")[0]
    assert (hit.source, hit.date, hit.kind, hit.author) == (f"trades/{number}", "2024-03-12", "trade", "owner")
    assert hit.content == "buy 600036.SH 招商银行 100 @ 33: 低估值+高股息"
    assert len(sources(ws, "低估")) == 8
    assert sources(ws, "低估", areas=("trades",)) == [f"trades/{number}"]


def test_a_damaged_ledger_hides_no_notes(ws):
    enter(
        ws,
        symbol="600036.SH",
        name="招商银行",
        price=Decimal(33),
        quantity=Decimal(100),
        cash=Decimal(3300),
        reason="低估值",
    )
    ws.db.execute("DROP TRIGGER trades_no_update")
    ws.db.execute("UPDATE trades SET price = 'x'")
    notebook.write_note(ws, "a", "低估值")
    told = []
    assert sources(ws, "低估值", notify=told.append) == ["notebook/a.md"]
    assert "damaged" in str(told[0])


def test_questions_are_found_by_session_and_a_repeated_one_once(ws):
    for name in ("a", "b"):
        ask(ws, name, "复盘本周")
    ask(ws, "b", "息差什么时候见底")
    sessions.add_message(ws, "daily", "user", "【事件】每日复盘\n【今日盈亏】息差")
    ask(ws, "c", "这份息差的研报说了什么", origins=("stdin",))
    assert sources(ws, "息差") == ["sessions/b"]
    assert sources(ws, "复盘") == ["sessions/b"]
    assert recall_everything(ws, "息差")[0].content.splitlines() == ["复盘本周", "息差什么时候见底"]
    sessions.delete_session(ws, "b")
    assert sources(ws, "息差") == [] and sources(ws, "复盘") == ["sessions/a"]


def test_the_past_is_searched_as_it_was_and_nothing_is_loaded_twice(ws, monkeypatch):
    ask(ws, "a", "息差什么时候见底")
    monkeypatch.setenv("IA_NOW", "2024-03-14")
    assert sources(ws, "息差") == []
    monkeypatch.delenv("IA_NOW")
    assert sources(ws, "息差") == ["sessions/a"]
    monkeypatch.setattr("ia.wiring.searchable_records._load_questions", lambda _: pytest.fail("loaded again"))
    assert sources(ws, "息差") == ["sessions/a"]


def test_an_index_of_an_earlier_version_is_rebuilt(ws, monkeypatch):
    monkeypatch.delenv("IA_NOW")
    notebook.write_note(ws, "a", "茅台")
    monkeypatch.setattr(index, "PRESENT", index.PRESENT._replace(steps=index.PRESENT.steps[:1]))
    assert sources(ws, "茅台") == ["notebook/a.md"]
    monkeypatch.undo()
    os.environ.pop("IA_NOW", None)
    ask(ws, "s", "茅台贵吗")
    assert set(sources(ws, "茅台")) == {"notebook/a.md", "sessions/s"}


def test_a_query_that_names_a_security_quotes_nothing_about_another(ws):
    notebook.write_note(ws, "mixed", "# 银行\n\n招商银行一季报 +3%\n贵州茅台的银行账户\n工商银行分红\n")
    notebook.write_note(ws, "moutai", "贵州茅台：之前怎么看银行")
    hits = recall_everything(ws, "我之前怎么看招商银行的")
    assert [(hit.source, hit.content) for hit in hits] == [("notebook/mixed.md", "招商银行一季报 +3%")]
    assert "600036" in [n for each in find_named("600036.SH 还能拿吗") for n in each] and not find_named("利率和息差")


def test_of_a_report_only_the_lines_that_match_are_quoted(ws):
    text = "# 复盘\n\n- 息差收窄\n\n## 口径\n\n- 前复权收盘价\n"
    notebook.write_note(ws, "reports/weekly/2024-03-08", text, actor="model ia-offline")
    assert [hit.content for hit in recall_everything(ws, "息差")] == ["- 息差收窄"]


def test_the_owners_words_are_weighed_however_many_reports_there_are(ws):
    for number in range(320):
        notebook.write_note(ws, f"reports/r/{number}", "息差 息差", actor="task x")
    notebook.write_note(ws, "own", "我的看法很长，" * 30 + "息差见底")
    assert "notebook/own.md" in sources(ws, "息差", limit=1000)
