"""Proposals: made by anybody, decided by a person."""

import pytest

from ia.kernel import audit, proposals
from ia.kernel.errors import BadData, NotFound, Refused
from ia.organs.memory import writing


def test_a_preference_waits_for_approval(ws):
    made = writing.propose_preference(ws, "先给结论", because="赶时间", actor="agent")
    assert ws.read("memory/preferences.md") is None
    assert [p.id for p in proposals.pending_proposals(ws)] == [made.id]
    proposals.approve(ws, made.id, by="user at a terminal")
    assert ws.read("memory/preferences.md") == "# Preferences\n\n- 先给结论\n"
    assert proposals.pending_proposals(ws) == []
    assert [e.kind for e in audit.events(ws.db)] == ["proposal.approved", "preferences.change", "proposal.made"]
    with pytest.raises(Refused):
        proposals.approve(ws, made.id, by="user")


def test_two_proposals_from_one_base_both_apply(ws):
    first, second = writing.propose_preference(ws, "one"), writing.propose_preference(ws, "two")
    proposals.approve(ws, first.id, by="user")
    proposals.approve(ws, second.id, by="user")
    assert ws.read("memory/preferences.md") == "# Preferences\n\n- one\n- two\n"


def test_an_edit_by_hand_elsewhere_is_kept(ws):
    ws.write("soul.md", "# Who\n\na\nb\nc\nd\n")
    made = writing.propose_content(ws, "soul.md", "# Who\n\na\nb\nc\nD\n")
    ws.write("soul.md", "# Who\n\nA\nb\nc\nd\n")
    proposals.approve(ws, made.id, by="user")
    assert ws.read("soul.md") == "# Who\n\nA\nb\nc\nD\n"


def test_a_proposal_is_refused_where_the_same_lines_changed(ws):
    ws.write("soul.md", "a\nb\n")
    made = writing.propose_content(ws, "soul.md", "a\nB\n")
    ws.write("soul.md", "a\nX\n")
    with pytest.raises(Refused, match="out of date"):
        proposals.approve(ws, made.id, by="user")
    assert ws.read("soul.md") == "a\nX\n"
    proposals.reject(ws, made.id, by="user", because="too late")
    assert proposals.get_proposal(ws, made.id).state == "rejected"
    with pytest.raises(Refused):
        proposals.reject(ws, made.id, by="user")


def test_what_changes_nothing_or_is_not_there(ws):
    ws.write("soul.md", "a\n")
    with pytest.raises(BadData):
        writing.propose_content(ws, "soul.md", "a\n")
    with pytest.raises(NotFound):
        proposals.approve(ws, 7, by="user")
    with pytest.raises(Refused):
        writing.propose_content(ws, "memory/tracking.md", "a\n")


def test_with_now_later_proposals_and_decisions_are_unknown(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15")
    made = writing.propose_preference(ws, "one")
    monkeypatch.setenv("IA_NOW", "2024-03-17")
    writing.propose_preference(ws, "two")
    proposals.reject(ws, made.id, by="user")
    monkeypatch.setenv("IA_NOW", "2024-03-16")
    assert [p.id for p in proposals.pending_proposals(ws)] == [made.id]
    monkeypatch.setenv("IA_NOW", "2024-03-14")
    assert proposals.pending_proposals(ws) == []
    with pytest.raises(NotFound):
        proposals.get_proposal(ws, made.id)


@pytest.mark.parametrize(
    ("base", "after", "current", "merged"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n", "a\nB\nc\nd\n"),
        ("a\nb\n", "a\nB\n", "a\nb\nc\n", None),  # adjacent: a person should look
        ("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n"),
        ("a\nb\n", "a\nX\n", "a\nY\n", None),
        ("", "h\n\n-1\n", "h\n\n-2\n", "h\n\n-2\n-1\n"),
        ("a\nb\nc\nd\ne\n", "a\nb\nd\ne\n", "x\na\nb\nc\nd\ne\n", "x\na\nb\nd\ne\n"),
        ("a\n", "a\nb\n", "a\nb\n", "a\nb\n"),
    ],
)
def test_carrying_a_change_over(base, after, current, merged):
    assert proposals.merge_changes(base, after, current) == merged
