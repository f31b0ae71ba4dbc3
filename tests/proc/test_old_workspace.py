"""A workspace that an earlier ia wrote opens without loss: see tests/fixtures/make_workspace.sh."""

import json
import tarfile

import pytest

from support.program import REPO

FIXTURES = REPO / "tests" / "fixtures"
PACKED = sorted(FIXTURES.glob("workspace-*.tar.gz"))
ASKED = dict(line.split(" ", 1) for line in (FIXTURES / "answers.txt").read_text(encoding="utf-8").splitlines())
NOW = "2024-03-11T10:00+08:00"
RENAMED: dict[str, str] = {}
"""Keys of JSON that have another name since; CHANGELOG.md lists them."""
ADDED = {
    "pending.json": {"run", "source", "profile", "turn", "session", "origins"},
    "sessions.json": {"title"},
    "recall.json": {"kind", "author"},
    "account.json": {"total"},
    "trades.jsonl": {"breaches"},
    "notes.json": {"author"},
}
"""Keys of JSON that a document has gained since."""
ADDED_INSIDE = {"account.json": {"positions": "limit_weight_pct", "currencies": "whole_equity"}}
"""The same of the documents in a document."""


@pytest.fixture(params=PACKED, ids=lambda path: path.name.removesuffix(".tar.gz"))
def old(request, home, tmp_path, monkeypatch):
    """The answers that the earlier ia gave; its workspace is this test's own."""
    with tarfile.open(request.param) as packed:
        packed.extractall(tmp_path / "old", filter="data")
    home.rmdir()
    (tmp_path / "old" / "home").rename(home)
    monkeypatch.setenv("IA_NOW", NOW)
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    return {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "old" / "answers").iterdir()}


def renamed(value):
    """Return a document with the names that keys have today."""
    if isinstance(value, dict):
        return {RENAMED.get(key, key): renamed(each) for key, each in value.items()}
    return [renamed(each) for each in value] if isinstance(value, list) else value


def documents(name, text):
    """Return what a command printed, as data: JSON documents or lines."""
    if name.endswith(".json"):
        return json.loads(text)
    return [json.loads(line) if name.endswith(".jsonl") else line for line in text.splitlines()]


@pytest.mark.parametrize("name", [name for name in ASKED if name != "context.json"])
def test_what_it_kept_is_answered_as_before(old, ia, name):
    ran = ia(*ASKED[name].split())
    assert ran.returncode == 0, ran.stderr
    before, now = renamed(documents(name, old[name])), documents(name, ran.stdout)
    if added := ADDED.get(name):
        rows = now if isinstance(now, list) else [now]
        assert all(added <= each.keys() for each in rows)
        rows = [{key: value for key, value in each.items() if key not in added} for each in rows]
        now = rows if isinstance(now, list) else rows[0]
    for part, key in ADDED_INSIDE.get(name, {}).items():
        assert all(key in each for each in now[part].values())
        now[part] = {which: {k: v for k, v in each.items() if k != key} for which, each in now[part].items()}
    if name == "recall.json":  # what people wrote stays; its order and its excerpts are those of today
        now = json.loads(ia(*ASKED[name].split(), "--limit", "20").stdout)
        gone = {each["source"] for each in before} - {each["source"] for each in now}
        assert gone == {  # ia's own reports: one names it in a table only, two quote what people wrote
            "notebook/reports/daily/2024-03-08.md",
            "notebook/reports/weekly/2024-03-08-weekly-review.md",
            "notebook/reports/weekly/2024-03-08.md",
        }
        return
    assert (now[-len(before) :] if name == "log.jsonl" else now) == before  # the newest event comes first


def test_the_context_of_a_model_knows_what_was_kept(old, ia):
    told = ia(*ASKED["context.json"].split()).stdout
    for known in ("耐心比聪明重要", "一个谨慎的研究助理", "宁德时代", "市场先生"):
        assert (known in told) == (known in old["context.json"]), known


def test_what_waited_is_decided_and_what_was_written_is_undone(old, ia, home):
    waiting = {each["kind"]: each["id"] for each in json.loads(old["pending.json"])}
    assert ia("approve", str(waiting["soul"]), "--yes").returncode == 0
    assert "一个谨慎的研究助理" in (home / "soul.md").read_text(encoding="utf-8")
    assert ia("task", "approve", "morning", "--yes").returncode == 0
    assert ia("memory", "undo", "notebook/observations/卖出.md").returncode == 0
    assert "改过一次" not in (home / "notebook" / "observations" / "卖出.md").read_text(encoding="utf-8")
    assert ia("trade", "sell", "300750", "100", "90", "--date", "2024-03-08").returncode == 0
    assert json.loads(ia("account", "--json").stdout)["positions"]["300750.SZ"]["size"] == 100


def test_a_new_version_of_its_profile_leaves_what_a_person_edited_or_deleted(old, ia, home):
    skills = home / ".claude" / "skills"
    edited = (skills / "research" / "SKILL.md").read_text(encoding="utf-8")
    assert edited.endswith("- 一条自己加的规矩\n") and not (skills / "compare").exists()
    upgrade = ia("profile", "use", "invest")
    assert upgrade.returncode == 0, upgrade.stderr
    assert "  deleted\t.claude/skills/compare/SKILL.md\n" in upgrade.stderr
    assert "stay deleted; restore them with `ia profile use invest --restore`" in upgrade.stderr
    assert ".claude/skills/research/knowledge/rules.yaml" in upgrade.stdout.splitlines()
    rules = ".claude/skills/research/knowledge/rules.yaml"
    assert (home / rules).read_bytes() == (REPO / "profiles" / "invest" / rules).read_bytes()
    assert (skills / "research" / "SKILL.md").read_text(encoding="utf-8") == edited
    for new in ("research/knowledge/readings.yaml", "scan/knowledge/criteria.yaml"):
        brought = REPO / "profiles" / "invest" / ".claude" / "skills" / new
        assert (skills / new).read_bytes() == brought.read_bytes()
    assert not (skills / "compare").exists()
    assert ia("init").stdout == "" and not (skills / "compare").exists()
    assert ia("profile", "use", "invest", "--restore").returncode == 0
    assert (skills / "compare" / "SKILL.md").is_file()


def test_a_table_that_was_edited_or_deleted_stays_so(old, ia, home):
    assert ia("profile", "use", "invest").returncode == 0
    knowledge = home / ".claude" / "skills" / "research" / "knowledge"
    edited = (knowledge / "readings.yaml").read_text(encoding="utf-8").replace("high: 2\n", "high: 3\n", 1)
    (knowledge / "readings.yaml").write_text(edited, encoding="utf-8")
    (knowledge / "view.yaml").unlink()
    assert ia("profile", "use", "invest").returncode == 0
    assert (knowledge / "readings.yaml").read_text(encoding="utf-8") == edited
    assert not (knowledge / "view.yaml").exists()
    answer = ia("turn", "看看宁德时代", "-m", "ia-offline", env={"IA_LANG": "zh"})
    assert "什么会改变看法" in answer.stdout and "没有用上" not in answer.stdout


def test_an_old_workspace_answers_without_the_new_tables(old, ia, home):
    assert not (home / ".claude" / "skills" / "research" / "knowledge" / "readings.yaml").exists()
    answer = ia("turn", "看看宁德时代", "-m", "ia-offline", env={"IA_LANG": "zh"})
    assert "置信度" in answer.stdout and "没有用上" not in answer.stdout


def test_it_is_found_whole_and_a_talk_goes_on(old, ia):
    assert ia("doctor", "--mend").returncode == 0
    doctor = ia("doctor", "--json").stdout
    assert [each for each in json.loads(doctor) if each["state"] == "fail"] == []
    assert ia("task", "due").returncode == 0
    assert "宁德时代" in ia("turn", "之前怎么看宁德时代？", "-s", "日常", env={"IA_LANG": "zh"}).stdout
    assert ia("recall", "手写").returncode == 0
    assert ia("provider", "test", "calendar").returncode == 0


def test_the_doctor_says_that_the_profile_has_a_newer_version(old, ia):
    def told():
        return [each for each in json.loads(ia("doctor", "--json").stdout) if each["check"] == "profile"]

    assert "research/knowledge/rules.yaml" in told()[0]["detail"]
    assert "compare" not in told()[0]["detail"], "what was deleted stays deleted"
    assert ia("profile", "use", "invest").returncode == 0
    assert told() == []
