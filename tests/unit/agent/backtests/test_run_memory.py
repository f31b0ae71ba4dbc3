"""The memory of a run: what it writes where, and what a recall still finds."""

import pytest

from ia.agent.backtests.run_memory import RunMemory
from ia.kernel.errors import BadData, Refused


@pytest.fixture
def memory():
    made = RunMemory({"playbook.md": "# Playbook\n\nBuy oversold shares.\n"})
    made.begin_session("2024-02-01", "15:05")
    return made


def test_entries_of_a_day_are_appended(memory):
    assert memory.log("RSI at 28") == "journal/2024-02-01.md"
    memory.log("bought 100 shares")
    assert memory.texts["journal/2024-02-01.md"] == "# 2024-02-01\n\n[15:05] RSI at 28\n\n[15:05] bought 100 shares\n"


def test_a_key_decides_where_a_note_lies(memory):
    assert memory.note("position_600519.SH", "100 shares") == "notes/position_600519.SH.md"
    assert memory.note("week_03", "x") == "reviews/week_03.md"
    assert memory.note("month_2025_01", "x") == "reviews/month_2025_01.md"
    assert memory.note("market_regime", "x") == "notes/market_regime.md"
    assert memory.note("playbook", "new") == "playbook.md"
    assert memory.playbook == "new"
    for key in ("../x", "a/b", "", "/etc/passwd", "..", ".hidden"):
        with pytest.raises((Refused, BadData)):
            memory.note(key, "x")


def test_old_journal_entries_and_week_reviews_fade(memory):
    memory.log("oversold: bought AAPL")
    memory.note("week_05", "oversold signals failed")
    memory.note("month_01", "oversold months")
    found = {hit["source"] for hit in memory.recall("oversold AAPL")}
    assert found == {"journal/2024-02-01.md", "reviews/week_05.md", "reviews/month_01.md", "playbook.md"}
    for day in range(2, 7):
        memory.begin_session(f"2024-02-{day:02d}", "15:05")
    assert "journal/2024-02-01.md" not in {hit["source"] for hit in memory.recall("oversold AAPL")}
    memory.begin_session("2024-03-20", "15:05")
    assert {hit["source"] for hit in memory.recall("oversold")} == {"reviews/month_01.md", "playbook.md"}


def test_a_recall_in_chinese_puts_what_shares_more_words_first(memory):
    memory.note("a", "缩量下跌")
    memory.note("b", "RSI 超卖，放量企稳")
    assert memory.recall("超卖 放量")[0]["source"] == "notes/b.md"
    assert memory.recall("？？") == []
