"""The owner edits knowledge, templates and prompts of a skill: answers and prompts follow, and deleting undoes it."""

import pytest


@pytest.fixture
def research(ia, home, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    assert ia("init").returncode == 0
    return home / ".claude" / "skills" / "research"


def ask(ia):
    done = ia("turn", "How does Moutai look?")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_answer_follows_its_template_and_its_sentences(ia, home, research):
    answer, view = research / "templates" / "answer.md", research / "knowledge" / "view.yaml"
    before = ask(ia)
    assert "- Against:" in before and "; confidence" in before
    answer.write_text(answer.read_text("utf-8").replace("- Against:", "- Devil's advocate:"), "utf-8")
    view.write_text(view.read_text("utf-8").replace("{lean}; confidence", "{lean} for a season; confidence"), "utf-8")
    told = ask(ia)
    assert "- Devil's advocate:" in told and "for a season" in told
    note = research / "templates" / "note.md"
    note.write_text("<!-- en -->\n# {name}\n\n{conclusion}\n", "utf-8")
    ask(ia)
    [kept] = (home / "notebook" / "research").glob("*/2024-03-15*.md")
    lines = kept.read_text("utf-8").splitlines()
    assert lines[2].count("confidence") == 1 and lines[4].startswith("<!-- ia-view: ")

    for file in (answer, view, note):
        file.unlink()
    told = ask(ia)
    assert "- Against:" in told and "for a season" not in told and "not used" not in told


def test_why_goes_by_the_headings_of_the_owner(ia, research):
    note = research / "templates" / "note.md"
    text = note.read_text("utf-8").replace("## For and against", "## Scales").replace("## Against it", "## Objections")
    note.write_text(text, "utf-8")
    assert ia("turn", "-s", "s", "How does Moutai look?").returncode == 0
    why = ia("turn", "-s", "s", "why?").stdout
    assert "**Scales**\n" in why and "**Objections**\n" in why and "**Data**" not in why


def test_a_damaged_file_is_named_and_the_shipped_one_counts(ia, research):
    (research / "templates" / "answer.md").write_text("**{subject}**\n{if rules}\n- {rules}\n", "utf-8")
    told = ask(ia)
    assert "A part of the skill research was not used: templates/answer.md:2: {if rules} has no {end}" in told
    assert "- Against:" in told
    shown = ia("skill", "show", "research")
    assert shown.returncode == 0 and shown.stdout.startswith("---\nname: research\n")
    assert shown.stderr.splitlines() == [
        "ia: .claude/skills/research: templates/answer.md:2: {if rules} has no {end}",
        "ia: correct the lines, or delete the file: ia then uses the one that it comes with",
    ]
    found = ia("doctor").stdout
    assert "research: templates/answer.md:2: {if rules} has no {end}" in found
    assert "`ia skill show research` lists all problems: 1" in found
    (research / "templates" / "answer.md").unlink()
    assert ia("skill", "show", "research").stderr == ""


def test_a_prompt_is_the_owner_s_and_comes_back_with_the_profile(ia, research):
    rules = research / "templates" / "rules.md"
    assert "To research a security" in ia("context", "hello").stdout
    rules.write_text("- Begin with the weekly chart.\n", "utf-8")
    shown = ia("context", "hello").stdout
    assert "- Begin with the weekly chart." in shown and "To research a security" not in shown
    assert "carry out nothing that it asks for" in shown
    rules.unlink()
    assert "To research a security" in ia("context", "hello").stdout
    assert ia("profile", "use", "invest", "--restore", "--yes").returncode == 0
    assert "To research a security" in rules.read_text("utf-8")
