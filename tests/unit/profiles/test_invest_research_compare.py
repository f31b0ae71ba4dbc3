"""The knowledge of the research and compare skills: its form, and what its expressions do on bars."""

import json
import re
import shutil
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from ia.domain.instruments.symbols import from_canonical
from ia.faculties.skills import tables
from ia.organs.compute.array_lane import compile_array
from ia.organs.compute.lint import find_look_ahead
from ia.organs.compute.sandbox import evaluate_source
from ia.organs.ohlcv.adapters.demo import Demo
from ia.organs.ohlcv.canonical import Bars
from support.program import REPO

SKILLS = REPO / "profiles" / "invest" / ".claude" / "skills"
NAMES = ("research", "compare")
TIERS = ("tier1_must_know", "tier2_core", "tier3_edge")
LENSES = {"value", "trend", "quant", "risk"}
UNITS = {"percent", "price", "ratio", "points", "days"}
SYMBOLS = (
    "300750.SZ", "600519.SH", "688256.SH", "300059.SZ", "000725.SZ", "512880.SH", "000300.SH", "NVDA.US", "TSLA.US",
    "00700.HK",
)  # fmt: skip
FOR_SHORT_HISTORY = {("research", "T1_001"), ("compare", "T1_003")}
"""Rules whose subject is that there are too few bars."""
SHARED = {"~(lowest(close, #) > #)"}
"""What both skills have to ask: whether there is a year of bars."""


def _yaml(name, file):
    return YAML(typ="safe").load((SKILLS / name / "knowledge" / f"{file}.yaml").read_text(encoding="utf-8"))[file]


def _entries(name):
    """Return id -> entry of all patterns, red flags and rules."""
    patterns, rules = _yaml(name, "patterns"), _yaml(name, "rules")
    groups = [patterns["quick_patterns"], patterns["red_flags"], *(rules[tier] for tier in TIERS)]
    return {entry["id"]: entry for group in groups for entry in group}


def _expressions(name):
    """Return id -> plan of the conditions that are expressions."""
    plans = {key: compile_array(entry["condition"]) for key, entry in _entries(name).items()}
    return {key: plan for key, plan in plans.items() if plan is not None}


def _steps(name):
    return [step for phase in _yaml(name, "sop")["phases"] for step in phase["steps"]]


def _head(name):
    text = (SKILLS / name / "SKILL.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    return YAML(typ="safe").load(head), body


def _demo(symbol):
    adapter = Demo()
    return adapter.normalize(adapter.fetch(from_canonical(symbol), end="2026-06-30"))


def _last_value(code, bars):
    """Return the newest value of an expression: the one of the last bar, or the one number that it is."""
    if (plan := compile_array(code)) is not None:
        column = plan.run(bars).arrays[0]
        assert len(column) == len(bars.date)
        return float(column[-1])
    result = evaluate_source(code, bars, trusted=True, isolation="prefer")
    assert result.type == "scalar" or len(result.value) == len(bars.date)
    return float(result.value if result.type == "scalar" else result.value[-1])


def _holds(plan, bars):
    """Return whether a condition holds, bar by bar."""
    result = plan.run(bars)
    assert result.kind == "series"
    assert result.arrays[0].dtype == bool
    return result.arrays[0]


def _cut(bars, count):
    return Bars(*(column[:count] for column in bars))


def _made(closes, volumes=None, spread=0.01):
    """Return bars that open at the close before and reach a little beyond both."""
    opens = [closes[0], *closes[:-1]]
    high = [max(pair) * (1 + spread) for pair in zip(opens, closes, strict=True)]
    low = [min(pair) * (1 - spread) for pair in zip(opens, closes, strict=True)]
    days = [f"{2000 + i // 336:04d}-{i // 28 % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(len(closes))]
    return Bars(days, opens, high, low, list(closes), list(volumes or [1_000_000] * len(closes)))


def _wavy(count, start=20.0, drift=0.0):
    """Return closes that swing by some 2% about a drift."""
    return [start * (1 + drift) ** i * (1 + 0.02 * ((i * 7) % 5 - 2) / 2) for i in range(count)]


def _fired(name, bars):
    return {key for key, plan in _expressions(name).items() if _holds(plan, bars)[-1]}


@pytest.fixture(scope="module")
def market():
    return {symbol: _demo(symbol) for symbol in SYMBOLS}


@pytest.mark.parametrize("name", NAMES)
def test_the_front_matter_names_the_skill_its_tools_and_its_words(name):
    head, body = _head(name)
    assert head["name"] == name
    assert {"market.ohlcv", "compute.run", "memory.recall", "notebook.write", "memory.observe"} <= set(
        head["allowed-tools"]
    )
    assert head["context"] == {"research": "inline", "compare": "fork"}[name]
    assert head["user-invocable"] is True
    assert head["disable-model-invocation"] is False
    assert head["description"]
    assert head["description_en"].isascii()
    assert any(word.isascii() for word in head["triggers"])
    assert not all(word.isascii() for word in head["triggers"])
    assert "$ARGUMENTS" in body
    assert body.count("\n") <= 120
    for used in {step["tool"] for step in _steps(name)} - {None}:
        assert used in head["allowed-tools"]


@pytest.mark.parametrize("name", NAMES)
def test_the_procedure_is_complete_and_its_phases_follow_each_other(name):
    sop = _yaml(name, "sop")
    phases = sop["phases"]
    for field in ("name", "name_en", "description", "description_en"):
        assert sop[field]
    assert [phase["id"] for phase in phases] == [f"P{n}" for n in range(1, len(phases) + 1)]
    assert [phase["next_phase"] for phase in phases] == [*(phase["id"] for phase in phases[1:]), None]
    for phase in phases:
        assert phase["entry_condition"]
        assert phase["exit_condition"]
        assert phase["steps"]
        assert phase["name_en"]
        assert phase["description_en"]
    steps = _steps(name)
    assert len({step["id"] for step in steps}) == len(steps)
    assert len({step["output"] for step in steps}) == len(steps)
    for step in steps:
        assert step["action"]
        assert step["action_en"]
        assert step["output"]
        assert step["output_en"]
        assert step.get("lens", "value") in LENSES
        assert (step["tool"] == "compute.run") == ("args" in step) == ("unit" in step)
        assert step.get("unit", "price") in UNITS


@pytest.mark.parametrize(("name", "least"), [("research", 5), ("compare", 3)])
def test_every_lens_has_its_own_computations(name, least):
    computed = [step for step in _steps(name) if step["tool"] == "compute.run"]
    codes = [step["args"]["code"] for step in computed]
    assert len(set(codes)) == len(codes)
    for lens in LENSES:
        assert sum(step.get("lens") == lens for step in computed) >= least
    assert sum("lens" not in step for step in computed) >= 6


@pytest.mark.parametrize("name", NAMES)
def test_every_step_computes_a_number_from_five_years_of_bars(name, market):
    for step in _steps(name):
        if step["tool"] != "compute.run":
            continue
        assert not find_look_ahead(step["args"]["code"]), step["id"]
        for symbol in ("300750.SZ", "NVDA.US"):
            value = _last_value(step["args"]["code"], market[symbol])
            assert abs(value) < 1e6, (step["id"], symbol, value)
            if step["unit"] == "percent":
                assert abs(value) < 2000
        for count in (1, 2, 30):
            _last_value(step["args"]["code"], _cut(market["300750.SZ"], count))


@pytest.mark.parametrize("name", NAMES)
def test_patterns_flags_and_rules_have_all_their_fields(name):
    patterns, rules = _yaml(name, "patterns"), _yaml(name, "rules")
    assert len(patterns["quick_patterns"]) >= 12
    assert len(patterns["red_flags"]) >= 6
    assert [len(rules[tier]) >= least for tier, least in zip(TIERS, (6, 22, 8), strict=True)] == [True] * 3
    fields = {
        "quick_patterns": "name name_en signature signature_en condition indication indication_en confidence source",
        "red_flags": "signal signal_en condition severity action action_en source",
        "tier1_must_know": "condition action action_en priority source",
        "tier2_core": "condition conclusion conclusion_en confidence source",
        "tier3_edge": "condition conclusion conclusion_en note note_en source",
    }
    groups = {**patterns, **rules}
    assert set(groups) == set(fields)
    for group, wanted in fields.items():
        for entry in groups[group]:
            for field in wanted.split():
                assert entry[field].strip(), (entry["id"], field)
                if field.endswith("_en"):
                    assert not re.search("[\u4e00-\u9fff]", entry[field]), (entry["id"], field)
            assert entry.get("confidence", "low") in {"high", "medium", "low"}
            assert entry.get("severity", "notice") in {"critical", "warning", "notice"}
            assert entry.get("priority", "critical") == "critical"
    ids = [entry["id"] for group in fields for entry in groups[group]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", NAMES)
def test_a_source_is_dated_or_says_that_it_is_our_own_convention(name):
    for key, entry in _entries(name).items():
        source = entry.get("source_en") or entry["source"]
        if source.startswith("house convention: "):
            assert len(source) > 40, key
        else:
            assert re.search(r"\b(19|20)\d\d\b|(19|20)\d\d年", source), key


@pytest.mark.parametrize("name", NAMES)
def test_a_condition_is_an_expression_or_a_sentence_in_both_languages(name):
    plans, entries = _expressions(name), _entries(name)
    rules = [rule for tier in TIERS for rule in _yaml(name, "rules")[tier]]
    in_words = [rule for rule in rules if rule["id"] not in plans]
    assert len(in_words) * 3 <= len(rules)
    for key in set(entries) - set(plans):
        assert re.search("[\u4e00-\u9fff]", entries[key]["condition"]), key
        assert entries[key]["condition_en"].isascii(), key
    assert {key for key in entries if not key.startswith("T")} <= set(plans)


def test_no_condition_is_another_one_with_other_numbers():
    seen = {}
    for name in NAMES:
        for key, plan in _expressions(name).items():
            form = re.sub(r"(?<![\w.])\d+(\.\d+)?", "#", plan.source)
            if form not in SHARED:
                assert form not in seen, (name, key, seen[form])
            seen[form] = (name, key)


@pytest.mark.process
@pytest.mark.parametrize("name", NAMES)
def test_conditions_look_at_no_later_bar_and_hold_on_some_bars_only(name, market):
    fired, plans = set(), _expressions(name)
    for key, plan in plans.items():
        assert not find_look_ahead(plan.source), key
        total = held = 0
        for bars in market.values():
            values = _holds(plan, bars)
            total += len(values)
            held += int(values.sum())
        assert held < 0.7 * total, key
        fired |= {key} if held else set()
    assert len(fired) >= 0.8 * len(plans), sorted(set(plans) - fired)


@pytest.mark.parametrize("name", NAMES)
def test_too_few_bars_are_no_ground_for_anything(name, market):
    for key, plan in _expressions(name).items():
        for symbol in ("300750.SZ", "TSLA.US"):
            for count in (1, 2, 5):
                last = _holds(plan, _cut(market[symbol], count))[-1]
                assert bool(last) == ((name, key) in FOR_SHORT_HISTORY), (key, symbol, count)


def test_a_crash_on_volume_is_a_red_flag_and_ends_a_bullish_view():
    closes = [*_wavy(300, drift=0.001)]
    closes.append(closes[-1] * 0.86)
    fired = _fired("research", _made(closes, [*[1_000_000] * 300, 4_000_000]))
    assert {"RF_01", "T2_028"} <= fired
    assert not fired & {"RF_02", "RF_03", "RP_05", "T2_026"}


def test_two_limit_downs_and_a_fall_to_the_face_value():
    closes = [*_wavy(300, start=1.5), 1.3, 1.17, 1.05]
    fired = _fired("research", _made(closes))
    assert {"RF_02", "T1_004", "T1_005"} <= fired
    assert "T1_004" not in _fired("research", _made([10 * close for close in closes]))


def test_a_breakout_needs_volume():
    closes = [*_wavy(300), 23.0]
    assert "RP_05" in _fired("research", _made(closes, [*[1_000_000] * 300, 2_000_000]))
    assert "RP_05" not in _fired("research", _made(closes))


def test_a_steady_rise_reads_as_an_uptrend_and_a_straight_line():
    rising = _made([20 * 1.002**i * (1 + 0.004 * (i % 3 - 1)) for i in range(600)])
    assert {"T2_001", "T2_003"} <= _fired("research", rising)
    assert not _fired("research", rising) & {"T2_002", "RP_02", "RF_04"}
    assert {"CP_01", "CP_03", "T2_010", "T2_024"} <= _fired("compare", rising)
    assert not _fired("compare", rising) & {"CP_02", "T2_002", "T3_005"}


def test_a_steady_fall_reads_as_a_loser():
    falling = _made([20 * 0.998**i * (1 + 0.004 * (i % 3 - 1)) for i in range(400)])
    assert {"T2_002"} <= _fired("research", falling)
    assert {"T2_002", "T2_011", "CP_14", "T3_005"} <= _fired("compare", falling)
    assert not _fired("compare", falling) & {"CP_01", "CP_03", "T2_018"}


def test_one_price_days_disable_what_is_read_from_prices():
    bars = _made(_wavy(300))
    bars.high[-2] = bars.low[-2] = bars.open[-2] = bars.close[-2]
    assert "T1_003" in _fired("research", bars)
    assert "T1_008" not in _fired("compare", bars)
    bars.volume[-5] = 0
    assert "T1_008" in _fired("compare", bars)


def test_one_wild_day_spoils_a_comparison_for_a_year():
    closes = _wavy(100)
    closes += [close * 1.2 for close in _wavy(249)]
    assert "CF_01" in _fired("compare", _made(closes))
    assert "CF_01" not in _fired("compare", _made([*closes, *(1.2 * close for close in _wavy(2))]))


@pytest.mark.process
@pytest.mark.parametrize("name", NAMES)
def test_the_skill_engine_reads_all_of_it_and_finds_no_fault(name, ws, market):
    from ia.faculties.skills import check, knowledge, texts

    shutil.copytree(SKILLS / name, Path(ws.root) / ".claude" / "skills" / name)
    known = knowledge(ws, name)
    assert known.problems == ()
    found = check(ws, name, market["300750.SZ"])
    assert [finding.id for finding in found if finding.problem] == []
    assert {finding.id for finding in found} == set(_expressions(name))
    assert {finding.id for finding in found if finding.fired} == _fired(name, market["300750.SZ"])
    assert {finding.id for finding in texts(ws, name)} == set(_entries(name)) - set(_expressions(name))


def test_research_says_which_way_its_rules_speak(ws):
    """The embedded analyst goes by these fields: a rule without them takes no side."""
    from ia.faculties.skills import knowledge

    shutil.copytree(SKILLS / "research", Path(ws.root) / ".claude" / "skills" / "research")
    known = knowledge(ws, "research")
    said = {each.id: (each.stance, each.trend) for each in (*known.rules, *known.patterns, *known.red_flags)}
    assert [said[each] for each in ("T2_001", "T2_002", "T2_006", "T2_009", "RP_05", "RF_01", "T2_007")] == [
        ("for", "up"), ("against", "down"), ("neutral", "none"), ("against", ""), ("for", ""), ("against", ""),
        ("neutral", ""),
    ]  # fmt: skip
    assert all({"up": "for", "down": "against"}.get(trend, stance) == stance for stance, trend in said.values())


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_nearly_all_conditions_occur_on_real_shares(name, shared):
    import csv
    import gzip

    path = shared / "ashare" / "em_daily_qfq_20210104_20240626.csv.gz"
    if not path.is_file():
        pytest.skip("the real A-share prices are not beside this checkout")
    stocks = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if len(stocks) > 40 and row["股票代码"] not in stocks:
                break
            bars = stocks.setdefault(row["股票代码"], Bars([], [], [], [], [], []))
            for column, key in zip(bars, ("日期", "开盘", "最高", "最低", "收盘"), strict=False):
                column.append(row[key] if key == "日期" else float(row[key]))
            bars.volume.append(int(float(row["成交量"])) * 100)
    stocks = [bars for bars in stocks.values() if min(bars.close) > 0]
    plans = _expressions(name)
    never = {key for key, plan in plans.items() if not any(_holds(plan, bars).any() for bars in stocks)}
    assert len(never) <= 0.12 * len(plans), sorted(never)


@pytest.mark.parametrize("form", ["facts_*", "glossary*", "figures", "technicals*"])
def test_tables_that_the_analyst_loads_whole_are_within_the_limit(form):
    files = sorted((REPO / "profiles" / "invest" / ".claude" / "skills").glob(f"*/knowledge/{form}.yaml"))
    assert files
    for file in files:
        skill, path = file.parent.parent.name, f"knowledge/{file.name}"
        told = {"skill": skill, "file": path, "data": tables.load_shipped(skill, path).data}
        assert len(json.dumps(told, ensure_ascii=False)) <= tables.MAX_TABLE, path
