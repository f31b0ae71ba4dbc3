"""verify finds what of a skill does not agree with its documents; the golden skills are without findings."""

import pytest

from ia.faculties import skills
from ia.faculties.rulebooks.verification import verify_skill
from ia.kernel.workspace import Workspace
from support.documents import add_document as add
from support.program import SHARED

CASES = SHARED / "knowledge" / "extract_cases"
BOOK = """---
title: On stops
date: 2019-06-30
---
# On stops

## Red flags

Never add to a losing position.

## Rules

When the close falls below the 20-day average, sell half of the position. If three trades lose in a row, stop trading
for 2 days.

## About

If the reader wants more, see the appendix.
"""
SELL = "When the close falls below the 20-day average, sell half of the position."
RULES = f"""rules:
  tier1_must_know:
    - {{id: T1_1, condition: a losing position, action: never add to it,
       source: {{document: stops, heading: Red flags, quote: Never add to a losing position.}}}}
  tier2_core:
    - {{id: T2_1, condition: close below the 20-day average, conclusion: sell half, expression: 'close < sma(close, 20)',
       source: {{document: stops, heading: Rules, quote: '{SELL}'}}}}
    - {{id: T2_2, condition: three losing trades in a row, conclusion: stop trading for 2 days,
       source: {{document: stops, quote: 'If three trades lose in a row, stop trading for 2 days.'}}}}
"""


@pytest.fixture
def ws(tmp_path, monkeypatch):
    monkeypatch.setenv("IA_HOME", str(tmp_path))
    return Workspace(str(tmp_path))


def write_skill(ws, name, files):
    folder = f".claude/skills/{name}"
    ws.write(f"{folder}/SKILL.md", f"---\nname: {name}\ndescription: test\n---\nDo it.\n")
    for file, text in files.items():
        ws.write(f"{folder}/knowledge/{file}", text)


def kinds(ws, name="stops", skip=()):
    return [(each.id, each.kind) for each in verify_skill(ws, skills.find(ws, name), skip).findings]


def test_a_sound_skill_has_no_findings_and_its_sources_are_shown(ws):
    add(ws, "stops.md", BOOK.encode())
    write_skill(ws, "stops", {"rules.yaml": RULES})
    found = verify_skill(ws, skills.find(ws, "stops"))
    assert found.findings == [] and (found.entries, found.verbatim, found.candidates, found.covered) == (3, 3, 3, 3)
    known = skills.knowledge(ws, "stops")
    assert known.rules[0].source.in_language("en") == "stops, Red flags: “Never add to a losing position.”"
    assert skills.needs_bars(ws, "stops") and [each.id for each in skills.texts(ws, "stops")] == ["T1_1", "T2_2"]
    titled = "sources:\n  documents:\n    - {document: stops, title: On stops}\n"
    ws.write(".claude/skills/stops/knowledge/sources.yaml", titled)
    assert skills.knowledge(ws, "stops").rules[0].source.in_language("en").startswith("On stops, Red flags")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            "Never add to a losing position.}",
            "Always add to a losing position.}",
            [("T1_1", "quote"), ("T1_1", "polarity")],
        ),
        ("sell half of the position.'", "sell a third of the position.'", [("T2_1", "quote"), ("T2_1", "number")]),
        (
            "the 20-day average, conclusion",
            "the 30-day average, conclusion",
            [("T2_1", "expression"), ("T2_1", "number")],
        ),
        ("sma(close, 20)", "sma(close, 200)", [("T2_1", "expression")]),
        ("close < sma(close, 20)", "closing price low", [("T2_1", "expression")]),
        ("never add to it", "add to it", [("T1_1", "polarity")]),
        ("action: never add to it", "action: add to a losing position", [("T1_1", "polarity")]),
        ("for 2 days,", "for 3 days,", [("T2_2", "number")]),
        ("close below the", "close above the", [("T2_1", "polarity")]),
        ("document: stops, heading: Rules", "document: gone, heading: Rules", [("", "source")]),
    ],
)
def test_what_is_changed_in_a_rule_is_found(ws, old, new, found):
    assert old in RULES
    add(ws, "stops.md", BOOK.encode())
    write_skill(ws, "stops", {"rules.yaml": RULES.replace(old, new, 1)})
    assert kinds(ws, skip=["coverage"]) == found


def test_pages_sources_dates_pairs_and_coverage(ws):
    document = add(ws, "stops.md", BOOK.encode())
    more = f"""    - {{id: T2_3, condition: close below the 20-day average, conclusion: buy half,
       source: {{document: stops, quote: '{SELL}'}}}}
    - {{id: T2_4, condition: close below the 20-day average, conclusion: sell half,
       source: {{document: stops, quote: '{SELL}'}}}}
"""
    write_skill(ws, "stops", {"rules.yaml": RULES + more})
    assert {("T2_3", "contradiction"), ("T2_3", "polarity"), ("T2_4", "duplicate")} <= set(kinds(ws))
    write_skill(
        ws, "few", {"rules.yaml": RULES.replace("    - {id: T2_2", "    - {id: T2_2, x: y").split("    - {id: T2_2")[0]}
    )
    assert kinds(ws, "few") == [("", "coverage")]
    told = f"sources:\n  documents:\n    - {{document: stops, id: {document.id}, sha256: {'f' * 64}}}\n"
    write_skill(ws, "stops", {"rules.yaml": RULES, "sources.yaml": told})
    assert kinds(ws) == [("", "changed")]
    source = ws.resolve(document.source)
    with open(source, "a") as file:
        file.write("\nmore\n")
    assert kinds(ws) == [("", "changed")]


def test_a_document_that_is_not_yet_published_is_told(ws, monkeypatch):
    add(ws, "stops.md", BOOK.encode())
    write_skill(ws, "stops", {"rules.yaml": RULES})
    monkeypatch.setenv("IA_NOW", "2019-01-01")
    found = kinds(Workspace(ws.root), skip=["coverage"])
    assert found == [] or ("", "newer") in found  # the skill itself is not there yet, or its document is newer


def test_a_page_read_from_an_image_needs_a_person(ws):
    ws.write(
        "knowledge/risk/converted/scan.md", f"---\ntitle: S\ndate: 2019-01-01\n---\n<!-- page 1 ocr -->\n\n{SELL}\n"
    )
    rule = f"rules:\n  tier2_core:\n    - {{id: A, condition: c, conclusion: d, source: {{document: scan, page: 2, quote: '{SELL}'}}}}\n"
    write_skill(ws, "scan", {"rules.yaml": rule})
    assert kinds(ws, "scan") == [("A", "page"), ("A", "scan")]
    write_skill(ws, "scan", {"rules.yaml": rule.replace("page: 2", "page: 1, checked: me")})
    assert kinds(ws, "scan") == []


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared extraction cases are not beside this checkout")
@pytest.mark.parametrize(
    ("case", "file"),
    [("bazi_zh", "source.md"), ("bazi_zh", "source.docx"), ("bazi_zh", "source.epub"), ("sizing_zh", "source.pdf")],
)
def test_the_golden_skills_are_without_findings(ws, case, file):
    add(ws, case + file[6:], (CASES / case / file).read_bytes(), date="2019-06-30")
    name = case.replace("_", "-")
    write_skill(
        ws,
        name,
        {each: (CASES / case / "expected" / each).read_text() for each in ("rules.yaml", "patterns.yaml", "sop.yaml")},
    )
    found = verify_skill(ws, skills.find(ws, name))
    assert found.findings == [] and found.verbatim == found.entries == found.quotes
    assert found.candidates == found.covered > 10
