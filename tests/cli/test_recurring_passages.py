"""Sentences that answers cite in several sessions become rules by a proposal."""

import json
from pathlib import Path

import pytest

BOOK = "# Stops\n\nIf a position loses 8 per cent, then sell all of it.\n\n# Size\n\nNever risk more than 2 per cent on one trade.\n"


@pytest.fixture
def cited(ia, tmp_path, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    assert ia("init", "--yes").returncode == 0
    (tmp_path / "stops.md").write_text(BOOK)
    assert ia("knowledge", "add", "stops.md", "--theme", "risk", "--date", "2019").returncode == 0
    for _ in range(3):
        assert "[Stops, Stops]" in ia("turn", "what does my library say about a position that loses?").stdout


def test_a_passage_that_recurs_can_be_proposed_as_a_rule(ia, cited, home):
    assert ia("knowledge", "recurring", "--least", "4").returncode == 1
    (row,) = json.loads(ia("knowledge", "recurring", "--json").stdout)
    assert row["times"] == 3 and row["quote"] == "If a position loses 8 per cent, then sell all of it."
    rules = home / ".claude" / "skills" / "research" / "knowledge" / "rules.yaml"
    before = rules.read_text(encoding="utf-8")
    done = ia("knowledge", "recurring", row["id"], "--propose", "research")
    assert done.returncode == 0, done.stderr
    assert rules.read_text(encoding="utf-8") == before, "a person approves"
    number = max(each["id"] for each in json.loads(ia("pending", "--json").stdout))
    assert ia("approve", str(number), "--yes").returncode == 0
    after = rules.read_text(encoding="utf-8")
    assert row["id"] in after and all(line in after for line in before.splitlines() if "tier2_core" not in line)
    found = json.loads(ia("knowledge", "verify", "research", "--json", "--skip", "coverage,source").stdout or "[]")
    assert not [each for each in found if each["id"] == row["id"]]
    assert ia("knowledge", "recurring", "--propose", "research").returncode == 66
    assert ia("knowledge", "recurring", "nope").returncode == 66


def test_a_skill_without_rules_gets_a_file(ia, cited, home):
    folder = Path(home, ".claude", "skills", "own")
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: own\ndescription: x\n---\nDo it.\n")
    assert ia("knowledge", "recurring", "--propose", "own", "--json").returncode == 0
    number = max(each["id"] for each in json.loads(ia("pending", "--json").stdout))
    assert ia("approve", str(number), "--yes").returncode == 0
    assert "sell all of it" in (folder / "knowledge" / "rules.yaml").read_text()


def test_a_model_lists_and_proposes_them_and_a_person_approves(ia, cited, home):
    from ia.agent.tools import catalog
    from ia.agent.tools.scope import Scope
    from ia.kernel.workspace import Workspace

    ws = Workspace(str(home))
    router = catalog.build_router(ws)
    model = Scope(ws, actor="model test", session="s", asked="propose what recurs as rules")
    (row,) = router.call_tool(model, "knowledge.recurring", {}).value["sentences"]
    assert row["times"] == 3 and "sell all of it" in row["quote"] and row["quote"] != "If a position loses"
    given = {"skill": "research", "ids": [row["id"]], "because": "cited three times"}
    told = router.call_tool(model, "knowledge.propose_rules", given)
    assert told.ok, told.failure
    assert told.value["status"] == "proposed" and model.pending == [told.value["proposal"]]
    rules = home / ".claude" / "skills" / "research" / "knowledge" / "rules.yaml"
    assert row["id"] not in rules.read_text(encoding="utf-8")
    shown = ia("pending", str(told.value["proposal"])).stdout
    assert "sell all of it" in shown
    assert ia("approve", str(told.value["proposal"]), "--yes").returncode == 0
    assert row["id"] in rules.read_text(encoding="utf-8")
    for wrong in ({**given, "ids": ["nope"]}, {**given, "ids": []}, {**given, "skill": "none"}, given):
        assert not router.call_tool(model, "knowledge.propose_rules", wrong).ok
    ws.close()
