"""The skills review and scan: what they know has the form that is read, and its conditions say what they mean."""

import ast
import re
from functools import cache
from itertools import combinations

import pytest
from ruamel.yaml import YAML

from ia.domain.instruments.symbols import from_canonical
from ia.organs.compute.array_backend import HEAVY
from ia.organs.compute.array_lane import FUNCTION_NAMES, SERIES, compile_array
from ia.organs.ohlcv.adapters.demo import Demo
from ia.organs.ohlcv.canonical import Bars
from support.program import REPO

PACKS = REPO / "profiles" / "invest" / ".claude" / "skills"
SKILLS = ("review", "scan")
SYMBOLS = ("600519.SH", "300750.SZ", "688256.SH", "601398.SH", "601919.SH", "510300.SH", "TSLA.US")
LENSES, UNITS = {"value", "trend", "quant", "risk"}, {"percent", "price", "ratio", "points", "days"}
RULES = {
    "tier1_must_know": {"id", "condition", "action", "action_en", "priority", "source"},
    "tier2_core": {"id", "condition", "conclusion", "conclusion_en", "confidence", "source"},
    "tier3_edge": {"id", "condition", "conclusion", "conclusion_en", "note", "note_en", "source"},
}
PATTERNS = {
    "quick_patterns": {
        "id", "name", "name_en", "signature", "signature_en", "condition", "indication", "indication_en", "confidence",
    },
    "red_flags": {"id", "signal", "signal_en", "condition", "severity", "action", "action_en"},
}  # fmt: skip


@cache
def tree(skill, name):
    text = (PACKS / skill / "knowledge" / f"{name}.yaml").read_text(encoding="utf-8")
    return YAML(typ="safe").load(text)[name]


def entries(skill):
    return [entry for name in ("patterns", "rules") for group in tree(skill, name).values() for entry in group]


def steps(skill):
    return [step for phase in tree(skill, "sop")["phases"] for step in phase["steps"]]


def is_expression(text):
    """Whether a text is Python all of whose names compute knows; a sentence is for a reader."""
    try:
        body = ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return {node.id for node in ast.walk(body) if isinstance(node, ast.Name)} <= FUNCTION_NAMES | SERIES


def expressions(skill):
    return [(entry["id"], entry["condition"]) for entry in entries(skill) if is_expression(entry["condition"])]


@cache
def market():
    demo = Demo()
    return [demo.normalize(demo.fetch(from_canonical(symbol))) for symbol in SYMBOLS]


def holds(expression, bars):
    """What a condition comes to at each bar."""
    result = compile_array(expression).run(bars)
    assert result.kind == "series", expression
    assert {type(value) for value in result.arrays[0].tolist()} <= {bool}, expression
    return result.arrays[0].tolist()


def made(closes, volumes=None, spread=0.002):
    """Bars that open at the close before, with a little shadow on both sides."""
    opens = [closes[0], *closes[:-1]]
    highs = [max(a, b) * (1 + spread) for a, b in zip(opens, closes, strict=True)]
    lows = [min(a, b) * (1 - spread) for a, b in zip(opens, closes, strict=True)]
    days = [f"{2000 + at // 336}-{at // 28 % 12 + 1:02d}-{at % 28 + 1:02d}" for at in range(len(closes))]
    return Bars(days, opens, highs, lows, list(closes), volumes or [1_000_000] * len(closes))


def fires(skill, id_, bars):
    condition = next(entry["condition"] for entry in entries(skill) if entry["id"] == id_)
    return holds(condition, bars)[-1]


@pytest.mark.parametrize("skill", SKILLS)
def test_front_matter_says_who_it_is_and_what_it_may_call(skill):
    _, head, body = (PACKS / skill / "SKILL.md").read_text(encoding="utf-8").split("---\n", 2)
    fields = YAML(typ="safe").load(head)
    assert fields["name"] == skill
    assert fields["context"] == "inline"
    assert (fields["user-invocable"], fields["disable-model-invocation"]) == (True, False)
    assert re.fullmatch(r"\d+\.\d+\.\d+", fields["version"])
    assert fields["description"] != fields["description_en"]
    assert fields["description_en"].isascii()
    assert any(word.isascii() for word in fields["triggers"])
    assert any(not word.isascii() for word in fields["triggers"])
    assert "$ARGUMENTS" in body
    assert len(body.splitlines()) <= 120
    assert "| 用户意图 | 必须调用 | 禁止 |" in body
    allowed = set(fields["allowed-tools"])
    named = set(re.findall(r"`([a-z]+\.[a-z]+)`", body)) | {step["tool"] for step in steps(skill)} - {None}
    assert named - {"tracking.md"} <= allowed, "a tool is asked for that the skill may not call"
    files = {path.relative_to(PACKS / skill).as_posix() for path in (PACKS / skill).rglob("*") if path.is_file()}
    own = {
        "scan": {
            "knowledge/criteria.yaml",
            "knowledge/facts_scan.yaml",
            "knowledge/technicals.yaml",
            "knowledge/technicals_more.yaml",
            "templates/event-gainers.md",
        },
        "review": {
            "knowledge/checks.yaml",
            "references/weekly.en.md",
            "references/weekly.md",
            "templates/event-daily.md",
        },
    }.get(skill, set())
    knowledge = {"knowledge/sop.yaml", "knowledge/patterns.yaml", "knowledge/rules.yaml"}
    assert files == {"SKILL.md", "SKILL.en.md", *knowledge, *own}


@pytest.mark.parametrize("skill", SKILLS)
def test_what_it_may_call_exists(skill):
    from ia.agent.tools import catalog

    head = (PACKS / skill / "SKILL.md").read_text(encoding="utf-8").split("---\n")[1]
    known = {tool.name for tool in catalog.builtin_tools()}
    provided = "".join(file.read_text(encoding="utf-8") for file in PACKS.parent.glob("providers/*/PROVIDER.md"))
    lacking = set(YAML(typ="safe").load(head)["allowed-tools"]) - known
    assert {name for name in lacking if name not in provided} == set()


@pytest.mark.parametrize("skill", SKILLS)
def test_procedure_leads_from_collecting_to_output(skill):
    sop = tree(skill, "sop")
    assert {"name", "name_en", "description", "description_en", "phases"} == set(sop)
    phases = sop["phases"]
    assert [phase["id"] for phase in phases] == ["P1", "P2", "P3", "P4", "P5"]
    assert [phase["next_phase"] for phase in phases] == ["P2", "P3", "P4", "P5", None]
    for phase in phases:
        assert all(
            phase[key] for key in ("name", "name_en", "description", "description_en", "entry_condition",
                                   "entry_condition_en", "exit_condition", "exit_condition_en", "steps")
        )  # fmt: skip
    assert len({step["id"] for step in steps(skill)}) == len(steps(skill))
    for step in steps(skill):
        assert {"id", "action", "action_en", "tool", "output", "output_en"} <= set(step)
        assert set(step) <= {
            "id",
            "action",
            "action_en",
            "tool",
            "args",
            "output",
            "output_en",
            "lens",
            "unit",
            "gives",
        }
        assert step.get("lens", "risk") in LENSES
        assert step.get("unit", "price") in UNITS
    tools = {step["tool"] for step in steps(skill)}
    assert {"market.ohlcv", "compute.run", "skills.check", "memory.recall", "notebook.write"} <= tools
    assert {step["lens"] for step in steps(skill) if "lens" in step} == LENSES, "each lens has a step of its own"


@pytest.mark.parametrize("skill", SKILLS)
def test_computed_steps_give_a_number_on_bars(skill):
    computed = [step for step in steps(skill) if step["tool"] == "compute.run"]
    assert len(computed) >= 8
    for step in computed:
        assert set(step["args"]) == {"code"}
        plan = compile_array(step["args"]["code"])
        assert plan is not None, step["args"]["code"]
        for bars in market():
            last = plan.run(bars).arrays[0].tolist()[-1]
            assert isinstance(last, float) and last == last, step["args"]["code"]


@pytest.mark.parametrize("skill", SKILLS)
@pytest.mark.parametrize(("file", "groups"), [("patterns", PATTERNS), ("rules", RULES)])
def test_entries_have_their_fields_in_both_languages(skill, file, groups):
    knowledge = tree(skill, file)
    assert list(knowledge) == list(groups)
    for group, fields in groups.items():
        for entry in knowledge[group]:
            extra = set() if is_expression(entry["condition"]) else {"condition_en"}
            assert set(entry) - {"source_en", "stance", "trend", "fact", "fact_en"} == fields | extra, entry["id"]
            assert all(isinstance(value, str) and value.strip() for value in entry.values()), entry["id"]
            for key in [key for key in entry if key.endswith("_en")]:
                assert not re.search(r"[\u4e00-\u9fff]", entry[key]), (entry["id"], key)
                assert entry[key] != entry[key.removesuffix("_en")]
            assert entry.get("confidence", "low") in {"high", "medium", "low"}
            assert entry.get("severity", "notice") in {"critical", "warning", "notice"}
            assert entry.get("priority", "critical") == "critical"


@pytest.mark.parametrize("skill", SKILLS)
def test_there_is_enough_of_it_and_nothing_twice(skill):
    count = {group: len(found) for name in ("patterns", "rules") for group, found in tree(skill, name).items()}
    assert count["quick_patterns"] >= 12
    assert count["red_flags"] >= 6
    assert count["tier1_must_know"] >= 6
    assert count["tier2_core"] >= 22
    assert count["tier3_edge"] >= 8
    assert sum(count[tier] for tier in RULES) >= 36
    for key in ("id", "condition", "conclusion", "action", "name", "signal"):
        values = [entry[key] for entry in entries(skill) if key in entry]
        assert len(values) == len(set(values)), key
    sentences = len(entries(skill)) - len(expressions(skill))
    assert sentences <= len(entries(skill)) / (2 if skill == "review" else 4)


@pytest.mark.parametrize("skill", SKILLS)
def test_no_two_conditions_say_the_same(skill):
    fired = {
        id_: {(at, row) for at, bars in enumerate(market()) for row, yes in enumerate(holds(condition, bars)) if yes}
        for id_, condition in expressions(skill)
    }
    for one, other in combinations([id_ for id_, bars in fired.items() if len(bars) > 20], 2):
        both, either = fired[one] & fired[other], fired[one] | fired[other]
        assert len(both) < 0.6 * len(either), f"{one} and {other} fire on the same bars"


@pytest.mark.parametrize("skill", SKILLS)
def test_sources_can_be_looked_up(skill):
    for tier in tree(skill, "rules").values():
        for rule in tier:
            source = rule.get("source_en") or rule["source"]
            assert "house convention" in source or re.search(r"\b(19|20)\d\d\b", source), source
            assert not re.search(r"\bpp?\. ?\d", source), "page numbers are not given"


@pytest.mark.parametrize("skill", SKILLS)
def test_conditions_need_no_pandas(skill):
    for id_, condition in expressions(skill):
        assert compile_array(condition) is not None, id_
        assert len(condition) <= 400, id_
        assert not HEAVY & set(re.findall("[a-z]+", condition)), id_


@pytest.mark.parametrize("skill", SKILLS)
def test_conditions_fire_now_and_then(skill):
    silent = []
    for id_, condition in expressions(skill):
        values = [value for bars in market() for value in holds(condition, bars)]
        share = sum(values) / len(values)
        assert share < 0.75, f"{id_} fires in {share:.0%} of all bars"
        silent += [id_] if not share else []
    assert len(silent) <= len(expressions(skill)) / 5, silent


@pytest.mark.parametrize("skill", SKILLS)
@pytest.mark.parametrize("rows", [1, 3, 30])
def test_short_histories_fire_no_long_window(skill, rows):
    bars = Bars(*(column[:rows] for column in market()[0]))
    for id_, condition in expressions(skill):
        holds(condition, bars)
        if rows == 1:
            assert not holds(condition, bars)[-1], id_


@pytest.mark.parametrize(
    ("skill", "id_", "yes", "no"),
    [
        ("scan", "T1_001", [100] * 30 + [105.1], [100] * 30 + [104.9]),
        ("scan", "T1_002", [100] * 30 + [92.9], [100] * 30 + [93.5]),
        ("scan", "T1_002", [100] * 30 + [92, 92, 92], [100] * 30 + [92, 92, 92, 92]),
        ("scan", "T1_004", [100] * 30 + [60], [100] * 30 + [80]),
        ("scan", "RF_02", [100] * 30 + [107, 114, 121], [100] * 30 + [106, 112, 118]),
        ("scan", "RF_07", [100] * 120 + [130] * 20 + [165], [100] * 120 + [130] * 20 + [155]),
        ("scan", "T2_003", [100] * 10 + [140] * 250, [100] * 10 + [120] * 250),
        ("scan", "T2_016", [100] * 60 + [107, 107, 107], [100] * 60 + [104, 104, 104]),
        ("review", "T1_006", [100] * 30 + [92] + [99] * 5, [100] * 30 + [94] + [99] * 5),
        ("review", "T1_006", [100] * 30 + [92] + [99] * 5, [100] * 30 + [92] + [99] * 15),
        ("review", "QP_01", [100] * 30 + [110] + [100] * 5, [100] * 30 + [105] + [100] * 5),
        ("review", "QP_02", [100] * 30 + [90] + [101] * 5, [100] * 30 + [95] + [101] * 5),
        ("review", "QP_05", [100] * 60 + [90] * 20, [100] * 60 + [90] * 19),
        ("review", "T2_006", [100] * 30 + [130] * 20 + [125], [100] * 30 + [130] * 20 + [131]),
        ("review", "T2_010", [100] * 10 + [80] * 58 + [100, 99], [100] * 10 + [80] * 58 + [90, 90]),
        ("review", "T2_013", [100 + at for at in range(20)], [100 + at % 2 for at in range(20)]),
        ("review", "RF_05", [100] * 5 + [95], [100] * 5 + [95.1]),
    ],
)
def test_a_condition_means_what_its_words_say(skill, id_, yes, no):
    assert fires(skill, id_, made([float(x) for x in yes]))
    assert not fires(skill, id_, made([float(x) for x in no]))


def test_volume_counts_where_the_words_speak_of_volume():
    closes = [100.0 + at % 3 for at in range(80)] + [104.0]
    assert fires("scan", "QP_01", made(closes, [1_000_000] * 80 + [1_600_000]))
    assert not fires("scan", "QP_01", made(closes, [1_000_000] * 80 + [1_400_000]))
    assert fires("scan", "T1_003", made(closes, [100_000] * 81))
    assert not fires("scan", "T1_003", made(closes, [300_000] * 81))


def test_one_price_days_and_locked_limits_are_seen():
    flat = made([100.0] * 20 + [110.0, 121.0])
    locked = flat._replace(
        open=flat.close, high=[*flat.high[:20], 110.0, 121.0], low=[*flat.low[:20], 110.0, 121.0]
    )  # fmt: skip
    assert fires("scan", "RF_08", locked)
    assert not fires("scan", "RF_08", flat)
    assert fires("review", "T3_001", locked)
    down = made([100.0] * 20 + [90.0])
    assert fires("scan", "RF_01", down._replace(low=[*down.low[:20], 90.0]))
    assert not fires("scan", "RF_01", down), "it closed above its low"


@pytest.mark.parametrize("skill", SKILLS)
def test_ia_reads_all_of_it(ws, skill):
    from ia.faculties import profiles, skills

    profiles.use_profile(ws, profiles.find_profile("invest"))
    known = skills.knowledge(ws, skill)
    assert known.problems == ()
    found = skills.check(ws, skill, market()[1])
    assert [finding.id for finding in found if finding.problem] == []
    assert {finding.id for finding in found} == {id_ for id_, _ in expressions(skill)}
    assert any(finding.fired for finding in found)
    assert len(skills.texts(ws, skill)) + len(found) == len(entries(skill))
