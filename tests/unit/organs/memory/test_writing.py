"""The memory: what is free, what needs a reason, what needs consent."""

import os

import pytest

from ia.kernel import audit
from ia.kernel.errors import BadData, NotFound, Refused, UsageError
from ia.kernel.proposals import Proposal
from ia.organs.memory import change_rules, changes, watch_list, writing


@pytest.fixture(autouse=True)
def moment(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T14:30")


def test_the_journal_is_a_line_with_its_time(ws):
    assert writing.log_journal(ws, "RSI 降至 28\n") == ["memory/journal/2024-03-15.md"]
    writing.log_journal(ws, "买入")
    assert ws.read("memory/journal/2024-03-15.md") == "# 2024-03-15\n\n[14:30] RSI 降至 28\n[14:30] 买入\n"


def test_observations_are_files_of_a_day_and_a_topic(ws):
    assert writing.add_observation(ws, "白酒 / 批价", "企稳") == ["memory/observations/2024-03-15-白酒-批价.md"]
    writing.add_observation(ws, "白酒 / 批价", "回落")
    assert ws.read("memory/observations/2024-03-15-白酒-批价.md") == "# 白酒 / 批价\n\n[14:30] 企稳\n[14:30] 回落\n"
    for topic in ("", "../..", "///"):
        with pytest.raises(UsageError):
            writing.add_observation(ws, topic, "x")


@pytest.mark.parametrize(("period", "file"), [
        ("", "2024-03"), ("W11", "2024-W11"), ("w9", "2024-W09"), ("2023-Q4", "2023-Q4"), ("3", "2024-03"), ("2023", "2023"),
        ("2020-W53", "2020-W53"),
    ],
)  # fmt: skip
def test_reflections_are_files_of_a_period(ws, period, file):
    assert writing.add_reflection(ws, "追高两次", period=period) == [f"memory/reflections/{file}.md"]
    assert ws.read(f"memory/reflections/{file}.md") == f"# {file}\n\n## 2024-03-15 14:30\n\n追高两次\n"


@pytest.mark.parametrize(
    "period", ["../x", "W60", "W53", "W0", "13", "0", "foo", "Q5", "2024-", "-03", "202", "2024-03-15"]
)
def test_an_invalid_period_is_refused(ws, period):
    with pytest.raises(UsageError):
        writing.add_reflection(ws, "x", period=period)


def test_a_belief_changes_with_its_reason_and_leaves_a_trace(ws):
    writing.add_belief(ws, "价值投资长期有效", because="复盘十年")
    paths = writing.add_belief(ws, "价值投资有条件有效", because="2015 年", replaces="长期有效")
    assert paths == ["memory/reflections/2024-03.md", "memory/beliefs.md"]
    assert ws.read(change_rules.BELIEFS) == "# Beliefs\n\n- 价值投资有条件有效\n"
    log = ws.read("memory/reflections/2024-03.md")
    assert "- before: 价值投资长期有效\n- now: 价值投资有条件有效\n- because: 2015 年\n" in log
    event = audit.events(ws.db, kind="belief.change")[0]
    assert event.subject == "memory/beliefs.md" and event.data == {"why": "2015 年"}


def test_no_belief_without_reason_twice_or_in_doubt(ws):
    with pytest.raises(UsageError):
        writing.add_belief(ws, "x", because=" ")
    writing.add_belief(ws, "周期股要等催化剂", because="亏过")
    with pytest.raises(BadData):
        writing.add_belief(ws, "周期股要等催化剂", because="又亏")
    writing.add_belief(ws, "周期股看库存", because="亏过")
    with pytest.raises(BadData):
        writing.add_belief(ws, "x", because="y", replaces="周期股")
    with pytest.raises(NotFound):
        writing.add_belief(ws, "x", because="y", replaces="成长股")
    assert ws.read(change_rules.BELIEFS).count("\n- ") == 2


def test_beliefs_written_whole_need_a_reason_and_are_logged(ws):
    with pytest.raises(UsageError):
        writing.write_memory(ws, "beliefs", "- a\n")
    writing.write_memory(ws, "beliefs", "# Beliefs\n\n- a\n", because="b")
    assert "- now: a\n- because: b\n" in ws.read("memory/reflections/2024-03.md")


def test_an_edit_of_the_beliefs_by_hand_is_logged_with_the_next_change(ws, monkeypatch):
    monkeypatch.delenv("IA_NOW")
    writing.add_belief(ws, "a", because="x")
    with open(os.path.join(ws.root, change_rules.BELIEFS), "a") as file:
        file.write("- by hand\n")
    for text in ("b", "c"):
        log = writing.add_belief(ws, text, because="y")[0]
        assert ws.read(log).count("edited by hand") == 1
    assert ws.read(change_rules.BELIEFS) == "# Beliefs\n\n- a\n- by hand\n- b\n- c\n"


@pytest.mark.parametrize(
    "path", ["preferences", "preferences.md", "memory/preferences.md", "soul", "soul.md", "SOUL.md"]
)
def test_preferences_and_soul_become_proposals(ws, path):
    outcome = writing.write_memory(ws, path, "be bold\n")
    assert isinstance(outcome, Proposal)
    assert ws.read("soul.md") is None and ws.read("memory/preferences.md") is None


@pytest.mark.parametrize("path", ["../soul.md", "/etc/x", "MEMORY.md", "memory.md/../MEMORY", "../.ia/ia.db", "Memory",
             "foo", "notebook/x", "observations", "journals/x"])  # fmt: skip
def test_what_may_not_be_written_is_refused(ws, path):
    with pytest.raises(Refused):
        writing.write_memory(ws, path, "x")


def test_a_free_file_is_written_and_undone(ws):
    writing.write_memory(ws, "observations/x", "one")
    writing.write_memory(ws, "observations/x", "two")
    assert changes.undo_change(ws, "observations/x") == ["memory/observations/x.md"]
    assert ws.read("memory/observations/x.md") == "one\n"
    assert [c.change for c in changes.list_changes(ws, "observations/x", 9)] == ["undone", "changed", "made"]
    assert [c.path for c in changes.list_changes(ws, None, 9)] == ["memory/observations/x.md"] * 3
    with pytest.raises(NotFound):
        changes.list_changes(ws, "observations/y", 9)


def test_undoing_the_soul_is_a_proposal(ws):
    writing.edit_soul(ws, "one")
    writing.edit_soul(ws, "two")
    outcome = changes.undo_change(ws, "soul")
    assert isinstance(outcome, Proposal) and outcome.after == "one\n"
    assert ws.read("soul.md") == "two\n"


def test_undo_without_a_path_takes_the_last_file(ws):
    with pytest.raises(NotFound):
        changes.undo_change(ws, None)
    watch_list.track_item(ws, "a")
    writing.log_journal(ws, "b")
    assert changes.undo_change(ws, None) == ["memory/journal/2024-03-15.md"]


def test_undoing_a_belief_is_logged(ws):
    writing.add_belief(ws, "a", because="x")
    writing.add_belief(ws, "b", because="y", replaces="a")
    assert changes.undo_change(ws, "beliefs") == ["memory/reflections/2024-03.md", "memory/beliefs.md"]
    assert "- before: b\n- now: a\n- because: undone; it was believed because: y\n" in ws.read(
        "memory/reflections/2024-03.md"
    )
    changes.undo_change(ws, "beliefs")
    assert ws.read(change_rules.BELIEFS) is None
    assert "- before: a\n- now: (nothing)\n" in ws.read("memory/reflections/2024-03.md")
    before = ws.read("memory/reflections/2024-03.md")
    with pytest.raises(NotFound):
        changes.undo_change(ws, "beliefs")
    assert ws.read("memory/reflections/2024-03.md") == before
