"""A scripted model points at sentences: the golden skills come of it; a lying one gets nothing through."""

import json
import re

import pytest

from ia.agent.extraction import extract_knowledge, plan_extraction
from ia.faculties import skills
from ia.faculties.rulebooks import building
from ia.faculties.rulebooks.candidates import strip_ordinal
from ia.faculties.rulebooks.quotes import fold_quote
from ia.faculties.rulebooks.verification import verify_skill
from ia.kernel import proposals
from ia.kernel.errors import Refused
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.workspace import Workspace
from support.documents import add_document as add
from support.program import SHARED
from support.scripted_model import Said, scripted

CASES = SHARED / "knowledge" / "extract_cases"
FILES = ("rules", "patterns", "sop")
BOOK = """---
title: On stops
date: 2019-06-30
---
# Red flags

Never add to a losing position.

# Rules

When the close falls below the 20-day average, sell half of the position. If three trades lose in a row, stop trading
for 2 days.
"""
SELL = {"kind": "rule", "tier": 2, "condition": "close below the 20-day average", "conclusion": "sell half",
        "confidence": "high", "expression": "close < sma(close, 20)"}  # fmt: skip


@pytest.fixture
def ws(tmp_path, monkeypatch):
    monkeypatch.setenv("IA_HOME", str(tmp_path))
    return Workspace(str(tmp_path))


def numbered(prompt):
    """Return the numbered sentences of a question: number → text."""
    return {int(number): text for number, text in re.findall(r"^(\d+)\. (.*)$", prompt, re.M)}


def point(prompt, quote):
    """Return the numbers of the sentences that a quote is made of."""
    wanted = fold_quote(quote)[0]
    found = []
    for number, text in numbered(prompt).items():
        folded = fold_quote(strip_ordinal(text))[0]
        if folded in wanted:
            found.append(number)
    return found


def golden(case):
    """Yield (kind, tier, phase, its name, fields) of the golden entries of a case, in their order."""
    trees = {name: load_yaml((CASES / case / "expected" / f"{name}.yaml").read_text(), name)[name] for name in FILES}
    for tier, key in enumerate(("tier1_must_know", "tier2_core", "tier3_edge"), 1):
        for fields in trees["rules"][key]:
            yield "rule", tier, "", "", fields
    for kind, key in (("pattern", "quick_patterns"), ("red_flag", "red_flags")):
        for fields in trees["patterns"][key]:
            yield kind, 0, "", "", fields
    for phase in trees["sop"]["phases"]:
        for fields in phase["steps"]:
            yield "step", 0, phase["id"], phase["name"], fields


def answer_golden(case, prompt):
    """Return what a model says that finds just the golden entries."""
    entries = []
    for kind, tier, phase, phase_name, fields in golden(case):
        numbers = point(prompt, fields["source"]["quote"])
        if not numbers:
            continue
        condition = fields.get("condition") or fields.get("signature") or fields.get("signal")
        told = {
            "kind": kind, "sentences": numbers, "tier": tier or None, "phase": phase or None, "phase_name": phase_name,
            "condition": condition, "conclusion": fields.get("conclusion") or fields.get("indication"),
            **{key: fields.get(key) for key in ("name", "action", "note", "tool", "output", "expression", "severity",
                                                "confidence")},
        }  # fmt: skip
        entries.append({key: value for key, value in told.items() if value})
    return entries


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared extraction cases are not beside this checkout")
@pytest.mark.parametrize(("case", "file"), [("bazi_zh", "source.md"), ("sizing_zh", "source.pdf")])
def test_the_golden_extraction_is_reproduced(ws, case, file):
    document = add(ws, case + file[6:], (CASES / case / file).read_bytes(), title="札记", date="2019-06-30")

    def answer(asked):
        return Said(
            '{"same": []}' if "same" in asked.system else json.dumps({"entries": answer_golden(case, asked.text)})
        )

    with scripted(answer):
        plan = plan_extraction(ws, [document], "scripted")
        found = extract_knowledge(ws, [document], plan)
        assert (found.dropped, found.merged) == (0, 0)
        built = building.propose_skill(ws, "risk", "golden", found.drafts, [document])
    assert built.verification.findings == []
    proposals.approve(ws, built.proposal.id, by="test")
    for name in FILES:
        made = load_yaml(ws.read(f".claude/skills/golden/knowledge/{name}.yaml"), name)[name]
        expected = load_yaml((CASES / case / "expected" / f"{name}.yaml").read_text(), name)[name]
        assert without_ids(made) == without_ids({**expected, **({"name": "札记"} if name == "sop" else {})})
    assert skills.knowledge(ws, "golden").problems == ()
    assert verify_skill(ws, skills.find(ws, "golden")).findings == []
    with scripted(answer) as model:  # nothing is asked twice, and nothing is left to propose
        again = extract_knowledge(ws, [document], plan_extraction(ws, [document], "scripted"))
        assert model.asked == [] and plan_extraction(ws, [document], "scripted").calls == 0
        assert building.propose_skill(ws, "risk", "golden", again.drafts, [document]).proposal is None


def without_ids(tree):
    """Return knowledge as plain data without the ids of entries; entries of a list in the order of their quotes."""
    if isinstance(tree, dict):
        return {key: without_ids(value) for key, value in tree.items() if not (key == "id" and "source" in tree)}
    if isinstance(tree, list):
        return sorted((without_ids(item) for item in tree), key=lambda item: json.dumps(item, sort_keys=True))
    return tree


def test_what_a_model_makes_up_is_asked_again_then_dropped(ws):
    document = add(ws, "stops.md", BOOK.encode())
    lies = [
        {**SELL, "sentences": [99]},
        {**SELL, "sentences": [2], "condition": "close below the 30-day average"},
        {**SELL, "sentences": [2], "conclusion": "buy half"},
        {**SELL, "sentences": [1], "condition": "a losing position", "conclusion": "add to it"},
        {**SELL, "sentences": [2], "expression": "import os"},
        {**SELL, "sentences": [2], "tier": 7},
        {"kind": "verdict", "sentences": [2]},
        "no entry",
        {**SELL, "sentences": [2]},
    ]
    with scripted(lambda asked: Said(json.dumps({"entries": lies}))) as model:
        found = extract_knowledge(ws, [document], plan_extraction(ws, [document], "scripted"))
    assert found.dropped == 8 and found.calls == 2 and len(model.asked) == 2
    assert "Your last answer was invalid" in model.asked[1].text and "there is no sentence 99" in model.asked[1].text
    [draft] = found.drafts
    assert draft.source["quote"] == "When the close falls below the 20-day average, sell half of the position."
    assert draft.fields["expression"] == "close < sma(close, 20)"
    for odd in ("no JSON", "[]", '{"entries": 3}', '{"entries": [[]]}'):
        with scripted(lambda asked, odd=odd: Said(odd)):
            plan = plan_extraction(ws, [document], "scripted")
            cached = extract_knowledge(ws, [document], plan)
            assert len(cached.drafts) == 1  # what was read is kept


def test_an_interrupted_extraction_goes_on_and_a_cap_stops_it(ws, monkeypatch):
    long = "# A\n\n" + "\n\n".join(f"# Part {at}\n\n{'Never buy a share number X. ' * 40}" for at in range(4))
    document = add(ws, "long.md", long.encode(), date="2019-01-01")
    plan = plan_extraction(ws, [document], "scripted")
    assert plan.calls == len(plan.parts) > 2 and plan.cost is None

    def fail_at_third(asked):
        return Said(fails=KeyError("x")) if len(model.asked) > 2 else Said('{"entries": []}')

    with scripted(fail_at_third) as model, pytest.raises(Exception, match="scripted"):
        extract_knowledge(ws, [document], plan)
    assert plan_extraction(ws, [document], "scripted").calls == plan.calls - 2
    with scripted(lambda asked: Said('{"entries": []}')) as model:
        extract_knowledge(ws, [document], plan_extraction(ws, [document], "scripted"))
        assert len(model.asked) == plan.calls - 2
    monkeypatch.setenv("IA_PRICES_SCRIPTED_INPUT", "1")
    ws.write("config.yaml", "prices: {scripted: {input: 2, output: 4}}\nturn: {max_cost: 0.000001}\n")
    other = add(ws, "other.md", BOOK.encode())
    plan = plan_extraction(ws, [other], "scripted")
    assert plan.cost > 0 and plan.currency == "USD"
    with scripted(lambda asked: Said('{"entries": []}')) as model, pytest.raises(Refused):
        extract_knowledge(ws, [other], plan)
    assert model.asked == []


def test_a_persons_edits_survive_a_rebuild(ws):
    document = add(ws, "stops.md", BOOK.encode())

    def build():
        plan = plan_extraction(ws, [document], "ia-offline")
        return building.propose_skill(ws, "risk", "stops", extract_knowledge(ws, [document], plan).drafts, [document])

    first = build()
    assert ws.read(".claude/skills/stops/SKILL.md") is None
    proposals.approve(ws, first.proposal.id, by="test")
    rules = ws.read(".claude/skills/stops/knowledge/rules.yaml")
    ids = [each.id for each in skills.knowledge(ws, "stops").rules]
    assert len(ids) == 3 and build().proposal is None
    edited = rules.replace("conclusion: stop trading for 2 days", "# mine\n      conclusion: rest for 2 days")
    assert edited != rules
    own = "    - id: OWN\n      condition: my own\n      conclusion: stays\n"
    edited = edited.replace("  tier3_edge: []", own + "  tier3_edge: []")
    ws.write(".claude/skills/stops/knowledge/rules.yaml", edited)
    ws.write(".claude/skills/stops/SKILL.md", ws.read(".claude/skills/stops/SKILL.md") + "\nMy remark.\n")
    more = BOOK + "\nIf the volume dries up, wait.\n"
    ws.write(document.path, ws.read(document.path).rstrip() + "\n\nIf the volume dries up, wait.\n")
    assert more
    second = build()
    proposals.approve(ws, second.proposal.id, by="test")
    known = {each.id: each for each in skills.knowledge(ws, "stops").rules}
    assert set(ids) < set(known) and "OWN" in known and len(known) == 5
    assert known[ids[2]].conclusion.own == "rest for 2 days"
    text = ws.read(".claude/skills/stops/knowledge/rules.yaml")
    assert "# mine" in text and "My remark." in ws.read(".claude/skills/stops/SKILL.md")
    lines = text.split(f"    - id: {ids[1]}\n")
    gone = lines[0] + "    - id: " + lines[1].split("    - id: ", 1)[1]
    ws.write(".claude/skills/stops/knowledge/rules.yaml", gone)
    third = build()
    assert third.proposal is None and ids[1] not in {each.id for each in skills.knowledge(ws, "stops").rules}
