"""skills.* through the router: what a skill in force may call, and what no model reaches."""

import json
import os

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.builtin.skills import activate_skill
from ia.agent.tools.scope import Scope
from ia.faculties import skills
from ia.kernel import audit, proposals
from ia.kernel.errors import BadData, NotFound, Refused


@pytest.fixture
def put(home):
    def write(name, front, body="follow $ARGUMENTS", **files):
        base = home / ".claude" / "skills" / name
        (base / "knowledge").mkdir(parents=True, exist_ok=True)
        (base / "SKILL.md").write_text(f"---\ndescription: {name}\n{front}\n---\n{body}")
        for file, tree in files.items():
            (base / "knowledge" / f"{file}.yaml").write_text(json.dumps(tree))

    return write


@pytest.fixture
def router(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    return catalog.build_router(ws)


@pytest.fixture
def model(ws):
    return Scope(ws, actor="model test", asked="帮我看看宁德时代")


RULES = {"rules": {
    "tier1_must_know": [{"id": "T1", "condition": "close > 0", "action": "look", "priority": "critical", "source": "s",
                         "stance": "against", "trend": "down"}, {"id": "T0", "condition": "close > 1", "action": "mind"}],
    "tier2_core": [{"id": "T2", "condition": "close < 0", "conclusion": "never"},
                   {"id": "T3", "condition": "turnover is high", "conclusion": "perhaps"},
                   {"id": "T4", "condition": "close.nothing > 1", "conclusion": "broken"}]}}  # fmt: skip


def test_a_skill_without_a_tool_cannot_call_it(router, model, put):
    put("narrow", "allowed-tools: [market.ohlcv, compute.run]")
    told = router.call_tool(model, "skills.load", {"name": "narrow", "arguments": "600519"})
    assert told.ok
    assert told.value["instructions"] == "follow 600519"
    assert model.skill == "narrow"
    assert router.call_tool(model, "market.ohlcv", {"symbol": "600519"}).ok
    assert router.call_tool(model, "compute.run", {"code": "close > 0"}).ok
    for name, args in (
        ("notebook.write", {"path": "a", "text": "x"}), ("memory.write", {"path": "tracking.md", "text": "x"}),
        ("tasks.propose", {}), ("messaging.send", {}), ("skills.install", {"source": "x", "because": "y"}),
        ("subagents.run", {"task": "write a note"}),
    ):  # fmt: skip
        outcome = router.call_tool(model, name, args)
        assert isinstance(outcome.failure, Refused), name
        assert "narrow" in str(outcome.failure)
    assert {tool.name for tool in router.offered_tools(model)} == {
        "market.ohlcv", "compute.run", "skills.list", "skills.load", "skills.check", "memory.recall", "collect_info",
        "show_report", "show_insight", "show_advice", "search_knowledge",
    }  # fmt: skip
    assert not os.path.exists(os.path.join(model.ws.root, "notebook"))
    assert [event.data["ok"] for event in audit.find_events(model.ws.db, "tool.call", "notebook.write")] == [False]


def test_a_second_skill_does_not_widen_what_the_first_left(router, model, put):
    put("narrow", "allowed-tools: [market.ohlcv, notebook.read]")
    put("wide", "allowed-tools: ['*']")
    put("other", "allowed-tools: ['notebook.*', compute.run]")
    assert router.call_tool(model, "skills.load", {"name": "narrow"}).ok
    assert router.call_tool(model, "skills.load", {"name": "wide"}).ok
    assert isinstance(router.call_tool(model, "notebook.write", {"path": "a", "text": "x"}).failure, Refused)
    assert router.call_tool(model, "skills.load", {"name": "other"}).ok
    assert {t.name for t in router.offered_tools(model)} - {
        "skills.list",
        "skills.load",
        "skills.check",
        "memory.recall",
        "collect_info",
        "show_report",
        "show_insight",
        "show_advice",
        "search_knowledge",
    } == {"notebook.read"}


def test_what_was_not_allowed_before_is_not_by_a_skill(ws, put, router):
    put("wide", "allowed-tools: [notebook.*, market.ohlcv]")
    role = Scope(ws, actor="subagent reviewer", allowed=("market.*", "notebook.read", "skills.load"))
    assert router.call_tool(role, "skills.load", {"name": "wide"}).ok
    assert set(role.allowed) == {"market.ohlcv", "notebook.read", "skills.load"}
    assert isinstance(router.call_tool(role, "memory.recall", {"query": "x"}).failure, Refused)


def test_a_subagent_has_no_more_than_the_skill_that_asked_for_it(router, model, put):
    from ia.agent.turns.subagents import ROLES, _narrow_tools

    put("narrow", "allowed-tools: [market.ohlcv, subagents.run]")
    router.call_tool(model, "skills.load", {"name": "narrow"})
    may = _narrow_tools(router, model, ROLES["researcher"][1], None)
    assert set(may) <= {"market.ohlcv", "memory.recall", "skills.list", "skills.check", "search_knowledge"}


def test_a_skill_that_declares_nothing_cannot_do_what_is_risky(router, model, put):
    put("plain", "version: 1")
    router.call_tool(model, "skills.load", {"name": "plain"})
    offered = router.offered_tools(model)
    assert {"market.ohlcv", "compute.run", "notebook.write", "memory.observe"} <= {tool.name for tool in offered}
    assert "confirm" not in {tool.risk for tool in offered}
    assert not [tool.name for tool in offered if tool.name in ("memory.write", "memory.believe", "subagents.run")]


def test_a_disabled_skill_is_neither_told_of_nor_called(router, model, put, monkeypatch):
    put("off", "allowed-tools: []", rules=RULES)
    put("on", "allowed-tools: []")
    monkeypatch.setenv("IA_SKILLS_DISABLED", "off")
    assert skills.summaries(model.ws) == ["on: on"]
    assert [each["name"] for each in router.call_tool(model, "skills.list", {}).value["skills"]] == ["on"]
    for name, args in (("skills.load", {"name": "off"}), ("skills.check", {"name": "off", "symbol": "600519"}),
                       ("skills.load", {"name": "off", "file": "SKILL.md"})):  # fmt: skip
        assert isinstance(router.call_tool(model, name, args).failure, Refused)
    assert model.skill == ""
    with pytest.raises(Refused):
        skills.load(model.ws, "off")


def test_only_a_user_calls_what_is_not_for_models(router, model, put, ws):
    put("mine", "disable-model-invocation: true", body="for me")
    assert router.call_tool(model, "skills.list", {}).value == {"skills": []}
    for args in ({"name": "mine"}, {"name": "mine", "file": "SKILL.md"}):
        assert isinstance(router.call_tool(model, "skills.load", args).failure, Refused)
    assert router.call_tool(Scope(ws), "skills.load", {"name": "mine"}).value["instructions"].startswith("for me")
    put("theirs", "user-invocable: false")
    assert isinstance(router.call_tool(Scope(ws), "skills.load", {"name": "theirs"}).failure, Refused)
    assert router.call_tool(model, "skills.load", {"name": "theirs"}).ok


def test_naming_a_skill_asks_for_what_it_says_it_writes(ws, put):
    put("review", "allowed-tools: [memory.reflect, notebook.write, soul.propose]")
    scope = Scope(ws, actor="model test", asked="/review 本周")
    activate_skill(scope, skills.load(ws, "review", "本周", by_user=True), by_user=True)
    assert scope.granted == {"reflections"}
    chosen = Scope(ws, actor="model test")
    activate_skill(chosen, skills.load(ws, "review"), by_user=False)
    assert chosen.granted == frozenset()


def test_a_skill_that_forks_runs_in_a_subagent(router, model, put):
    put("deep", "allowed-tools: [market.ohlcv]\ncontext: fork")
    asked = []
    model.fork = lambda **given: asked.append(given) or {"points": ["p"], "evidence": [], "artifacts": []}
    told = router.call_tool(model, "skills.load", {"name": "deep", "arguments": "600519"})
    assert told.value == {"skill": "deep", "points": ["p"], "evidence": [], "artifacts": []}
    assert asked == [{"task": "600519", "role": "researcher", "tools": None, "skill": "deep"}]
    assert (model.skill, model.allowed) == ("", None)
    model.depth = 1  # a subagent has none: it follows the skill itself
    assert "instructions" in router.call_tool(model, "skills.load", {"name": "deep"}).value
    assert model.skill == "deep"


@pytest.mark.process
def test_check_tells_what_fires_first_and_leaves_words_to_the_model(router, model, put):
    put("a", "allowed-tools: []", rules=RULES)
    told = router.call_tool(model, "skills.check", {"symbol": "600519"}).value
    assert [(each["id"], each["text"], each.get("source")) for each in told["fired"]] == [
        ("T1", "look", "s"),
        ("T0", "mind", None),
    ]
    assert [(each.get("stance"), each.get("trend")) for each in told["fired"]] == [("against", "down"), (None, None)]
    assert (told["skills"], told["not_fired"], told["simulated"]) == (["a"], 1, True)
    assert [each["id"] for each in told["failed"]] == ["T4"]
    assert [each["if"] for each in told["for_you_to_judge"]] == ["turnover is high"]
    assert router.call_tool(model, "skills.check", {"name": "a"}).ok  # the bars that were looked at last
    put("b", "allowed-tools: []", rules=RULES)
    assert {each["skill"] for each in router.call_tool(model, "skills.check", {}).value["fired"]} == {"a", "b"}
    model.skill = "b"
    assert router.call_tool(model, "skills.check", {}).value["skills"] == ["b"]


def test_check_says_what_is_missing(router, model, put):
    assert isinstance(router.call_tool(model, "skills.check", {"name": "none", "symbol": "600519"}).failure, NotFound)
    assert "no installed skill has rules" in router.call_tool(model, "skills.check", {"symbol": "600519"}).format_text()
    put("a", "allowed-tools: []", rules=RULES)
    assert isinstance(router.call_tool(model, "skills.check", {}).failure, NotFound)  # no bars yet
    put("broken", "context: x")
    assert isinstance(router.call_tool(model, "skills.load", {"name": "broken"}).failure, BadData)


def test_the_procedure_comes_as_an_outline(router, model, put):
    sop = {"sop": {"phases": [{"id": "P1", "name": "收集", "name_en": "Collect", "entry_condition": "always", "steps": [
        {"id": "S1", "action": "取", "action_en": "fetch", "tool": "compute.run", "args": {"code": "close"}, "lens": "risk",
         "output": "收盘价", "output_en": "Close", "unit": "price"},
        {"id": "S2", "action": "judge", "tool": None}, "no step"]}]}}  # fmt: skip
    put("a", "allowed-tools: []", sop=sop)
    assert router.call_tool(model, "skills.load", {"name": "a"}).value["procedure"] == [
        "P1 收集 (always)", "- S1 取 [compute.run(code=close)] <risk> = 收盘价 (price)", "- S2 judge",
    ]  # fmt: skip
    english = Scope(model.ws, actor="model test", asked="look at it")  # the language of the question
    assert router.call_tool(english, "skills.load", {"name": "a"}).value["procedure"][:2] == [
        "P1 Collect (always)", "- S1 fetch [compute.run(code=close)] <risk> = Close (price)",
    ]  # fmt: skip
    data = router.call_tool(english, "skills.load", {"name": "a", "steps": True}).value
    assert "instructions" not in data
    assert data["procedure"] == [{"id": "P1", "name": "Collect", "entry_condition": "always", "steps": [
        {"id": "S1", "action": "fetch", "tool": "compute.run", "lens": "risk", "output": "Close", "unit": "price", "args": {"code": "close"}},
        {"id": "S2", "action": "judge"}]}]  # fmt: skip


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("skill", ["research", "compare", "scan", "review"])
def test_a_packaged_procedure_reaches_a_program_whole(ws, router, monkeypatch, lang, skill):
    """An answer is cut at MAX_RESULT: the longest procedure, in the longer language, has to stay below."""
    from ia.agent.analyst.desk import parse_result
    from ia.agent.analyst.evidence import procedure
    from ia.faculties import profiles

    profiles.use_profile(ws, profiles.find_profile("invest"))
    scope = Scope(ws, actor="model test", asked="帮我看看宁德时代" if lang == "zh" else "look at CATL for me")
    sop = skills.load(ws, skill).sop
    answer = parse_result(router.call_tool(scope, "skills.load", {"name": skill, "steps": True}).format_text())
    steps = procedure.parse_steps(answer.value)
    assert [(step.id, step.args) for step in steps] == [
        (step["id"], step.get("args") or {}) for phase in sop["phases"] for step in phase["steps"]
    ]
    assert all(step.label and step.action for step in steps)


@pytest.mark.parametrize("tool", ["notebook.read", "memory.read", "memory.write", "notebook.write", "notebook.append"])
@pytest.mark.parametrize(
    "path",
    [
        ".claude/skills/a/SKILL.md", "../.claude/skills/a/SKILL.md", "notebook/../.claude/skills/a/SKILL.md",
        "memory/../.claude/skills/a/SKILL.md", "./.claude/skills/a/SKILL", "/.claude/skills/a/SKILL.md",
        "linked/SKILL.md", "~/.claude/skills/a/SKILL.md", "．claude/skills/a/SKILL.md", "a/../../.claude/skills/a/SKILL.md",
    ],
)  # fmt: skip
def test_files_of_skills_are_out_of_reach_of_notes(router, model, put, home, tool, path):
    put("a", "allowed-tools: []", body="the secret body")
    before = (home / ".claude/skills/a/SKILL.md").read_text()
    for folder in ("notebook", "memory"):
        (home / folder).mkdir()
        (home / folder / "linked").symlink_to(home / ".claude" / "skills" / "a")
    text = next((name for name in router.tools[tool].schema["properties"] if name in ("content", "text")), None)
    outcome = router.call_tool(model, tool, {"path": path, **({text: "evil"} if text else {})})
    assert "the secret body" not in outcome.format_text()
    assert (home / ".claude/skills/a/SKILL.md").read_text() == before
    if tool.endswith("read"):
        assert not outcome.ok


def test_search_and_recall_do_not_reach_them_either(router, model, put):
    put("a", "allowed-tools: []", body="unmistakable")
    for tool, args in (
        ("memory.recall", {"query": "unmistakable"}), ("notebook.search", {"query": "unmistakable"}),
        ("notebook.list", {}), ("memory.list", {}),
    ):  # fmt: skip
        outcome = router.call_tool(model, tool, args)
        assert outcome.ok, str(outcome.failure)
        assert "SKILL.md" not in outcome.format_text()
        assert "follow" not in outcome.format_text()


@pytest.fixture
def source(tmp_path):
    (tmp_path / "nice").mkdir()
    (tmp_path / "nice" / "SKILL.md").write_text("---\ndescription: x\n---\nbody")
    return str(tmp_path / "nice")


def test_a_model_can_only_propose_to_install(router, ws, source):
    asked = Scope(ws, actor="model test", asked=f"安装 {source} 这个技能", turn="t1")
    told = router.call_tool(asked, "skills.install", {"source": source, "because": "用户要的"})
    assert told.value["proposal"] == 1
    assert asked.pending == [1]
    made = proposals.get_proposal(ws, 1)
    assert (made.kind, made.path, made.actor) == ("skill", ".claude/skills/nice", "model test")
    assert made.origin.turn == "t1"
    assert skills.list_skills(ws) == []
    again = router.call_tool(asked, "skills.install", {"source": source, "because": "again"})
    assert again.value["proposal"] == 1
    assert asked.pending == [1]


def test_a_model_installs_no_folder_that_the_user_did_not_name(router, ws, source):
    for where in (source, f"file://{source}", f"FILE://{source}"):
        outcome = router.call_tool(Scope(ws, actor="mcp"), "skills.install", {"source": where, "because": "x"})
        assert isinstance(outcome.failure, Refused)
        assert "only install from a source that the user named" in str(outcome.failure)
    tainted = Scope(ws, actor="model test", asked="装那个技能", origins=["stdin"])
    for where in (source, "https://evil.example/?q=secret", "git@evil.example:x/y"):
        assert isinstance(
            router.call_tool(tainted, "skills.install", {"source": where, "because": "x"}).failure, Refused
        )
    nobody = Scope(ws, actor="model test", asked=f"看看 {source} 里写了什么", origins=["stdin"])
    outcome = router.call_tool(nobody, "skills.install", {"source": source, "because": "x"})
    assert "did not ask to change skills" in str(outcome.failure)
    assert proposals.pending_proposals(ws) == []


def test_no_tool_approves(router):
    for tool in router.tools.values():
        assert not any(word in tool.name for word in ("approve", "reject", "enable", "disable", "remove_skill"))
