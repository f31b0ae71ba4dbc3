"""A filed report is read as it was written, and none is made in its place."""

import pytest

from ia.agent.turns.turn import take_turn


@pytest.fixture
def ask(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T18:00+08:00")
    ws.write("notebook/reports/daily/2024-03-12.md", "# Daily review, 2024-03-12\n\nas it was\n", actor="ia")
    ws.write("notebook/reports/weekly/2024-03-08.md", "# Weekly review\n\nof the task\n", actor="ia")
    ws.write("notebook/reports/weekly/2024-03-08-asked.md", "# Weekly review\n\nasked\n", actor="ia")
    return lambda words: take_turn(ws, words, model="ia-offline").reply


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Read me the daily review of March 12", "as it was"),
        ("把3月12日的每日复盘念给我听", "as it was"),
        ("Show me the weekly review of March 6", "of the task"),
        ("看3月8日的周报", "of the task"),
        ("Read me the daily review of March 13", "No report of 2024-03-13 is filed"),
        ("把3月13日的日报念给我听", "没有存 2024-03-13 的报告"),
    ],
)
def test_a_filed_report_is_read(ask, ws, words, told):
    assert told in ask(words)
    assert ws.read("notebook/reports/range/2024-03-12_2024-03-12.md") is None
