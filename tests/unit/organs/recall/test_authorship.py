"""Whose words are indexed, and as whose."""

import pytest

from ia.organs.recall.authorship import kind_of, split_authors

VIEW = '<!-- ia-view: {"lean": "down"} -->'
RESEARCH = f"# 招商银行\n\n**结论** 偏空。\n\n## 方法\n\n安全边际\n\n| 收盘价 | 23 |\n\n{VIEW}\n"
ANALYST = "model ia-offline"


def test_of_a_research_only_the_conclusion_is_indexed_and_what_was_added_is_the_owners():
    path = "notebook/research/招商银行/2024-03-15.md"
    assert split_authors(path, RESEARCH, ANALYST) == ("", "# 招商银行\n\n**结论** 偏空。\n\n")
    for actor in (ANALYST, "user"):
        own, machine = split_authors(path, RESEARCH + "\n我不同意：息差见底了\n", actor)
        assert own.strip() == "我不同意：息差见底了" and "结论" in machine and "方法" not in machine
    assert split_authors(path, "# 招商银行\n\n手写", None) == ("# 招商银行\n\n手写", "")


def test_the_entries_of_an_observation_are_parted():
    text = f"# 招商银行\n\n[09:00] 净利润 +3%\n[16:00] 收盘 23.52 | 证据偏空\n{VIEW}\n[17:00] 息差见底\n"
    own, machine = split_authors("memory/observations/2024-03-15-招商银行.md", text, ANALYST)
    assert own == "# 招商银行\n\n[09:00] 净利润 +3%\n[17:00] 息差见底\n"
    assert machine == "# 招商银行\n\n[16:00] 收盘 23.52 | 证据偏空\n"
    assert split_authors("memory/observations/2024-03-15-mainline.md", "# 主线\n\n- 白酒", "user")[0] == ""
    assert split_authors("memory/observations/2024-03-15-x.md", "[09:00] a\n", "model gpt")[0] == ""


@pytest.mark.parametrize(
    ("path", "actor", "own"),
    [
        ("memory/beliefs.md", ANALYST, True),
        ("memory/journal/2024-03-15.md", ANALYST, True),
        ("notebook/scratch/2024-03-15.md", ANALYST, True),
        ("notebook/ideas.md", None, True),
        ("notebook/ideas.md", "user", True),
        ("notebook/ideas.md", "model gpt", False),
        ("notebook/reports/weekly/2024-03-15.md", "task weekly-review", False),
        ("memory/reflections/2024-W11.md", ANALYST, False),
    ],
)
def test_who_wrote_a_file(path, actor, own):
    assert split_authors(path, "a line", actor) == (("a line", "") if own else ("", "a line"))


def test_kinds():
    paths = ("notebook/a.md", "memory/observations/a.md", "sessions/x", "knowledge/a.md", "memory/notes.md")
    assert [kind_of(path) for path in paths] == ["note", "observation", "question", "knowledge", "memory"]


def test_codes_of_rules_in_old_notes_are_not_shown():
    from ia.organs.recall.authorship import hide_rule_codes

    old = "- 招商银行 **T1_002** 三日内收盘跌破\n- **QP_04** Breadth\n- **结论** 偏空\n- T2_001 in a sentence"
    assert hide_rule_codes(old) == "- 招商银行 三日内收盘跌破\n- Breadth\n- **结论** 偏空\n- T2_001 in a sentence"
