"""Each card through each renderer: terminal, HTML and JSON, in both languages, with color and without.

A card is a type that a tool of a shipped skill declares, one of ia's own, or one that is hard to draw. Its properties are
made from its schema.
"""

import json
import re
from html.parser import HTMLParser

import pytest
from rich.cells import cell_len

from ia.agent.tools.skill_tools import lay_out, own_cards
from ia.faculties.pictures import cards
from ia.faculties.skills.skill_tools import parse_tools
from ia_cli.terminal.card_view import render_card
from support.program import REPO
from support.skill_library import GARDEN

WIDTH = 80
HARD = {
    "type": "object",
    "title": "难画的卡片",
    "title_en": "A card that is hard to draw",
    "properties": {
        "title": {"type": "string"},
        "text": {"type": "string"},
        "choice": {
            "title": "选择",
            "title_en": "Choice",
            "oneOf": [{"const": "a", "title": "甲", "title_en": "first"}],
        },
        "flag": {"type": "boolean", "title": "标志", "title_en": "Flag"},
        "deep": {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "array"}}}}},
        "wide": {"type": "array", "items": {"type": "object", "properties": {f"c{at}": {} for at in range(14)}}},
        "by_key": {"type": "object", "properties": {"x": {"type": "object", "properties": {"y": {"title": "寅"}}}}},
        "mixed": {"type": "array"},
    },
}
HARD_PROPS = {
    "text": "一段很长的中文文字，" * 30 + "\nsecond paragraph\x1b[31m <script>alert(1)</script> & \u202eesrever",
    "choice": "a",
    "flag": False,
    "deep": {"a": {"b": [1, [2, {"c": "d"}]]}, "n": None},
    "wide": [{f"c{at}": "宽字符 wide" * 2 for at in range(14)} for _ in range(3)],
    "by_key": {"x": {"y": "值"}, "z": {"y": 1.5}},
    "mixed": ["短", 1.23456789012345, True, None, {"a": 1}],
}


def shipped_cards():
    """Return type -> schema of the cards of every skill that comes with ia."""
    found = {}
    for path in sorted((REPO / "profiles").glob("*/.claude/skills/*/tools/tools.yaml")):
        found |= {each["card_type"]: each["card_props"] for each in parse_tools(path.read_text()) if each["card_type"]}
    return found


SCHEMAS = {**own_cards(), **{each["card_type"]: each["card_props"] for each in parse_tools(GARDEN) if each["card_type"]},
           **shipped_cards(), "hard": HARD}  # fmt: skip


def make_value(schema, depth=0):
    """Return a value that fits a schema: wide characters, several rows."""
    if "enum" in schema or "oneOf" in schema:
        return schema["enum"][0] if "enum" in schema else schema["oneOf"][0]["const"]
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: make_value(each, depth + 1) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [make_value(schema.get("items", {}), depth + 1) for _ in range(max(2, schema.get("minItems", 0)))]
    return {"integer": schema.get("minimum", 7), "number": schema.get("minimum", 1.25), "boolean": True}.get(
        kind, "庚午 text"
    )


class Reader(HTMLParser):
    """Collects the tags and the text of a fragment, and sees that what is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.texts = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href", "style")]
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def laid_out(ws, kind, lang):
    props = HARD_PROPS if kind == "hard" else make_value(SCHEMAS[kind])
    card = {"card": kind, "props": props, "text": "its text"}
    return card, cards.card_title(card, SCHEMAS[kind], lang), cards.lay_out_card(props, SCHEMAS[kind], lang)


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_card_is_drawn_everywhere(ws, monkeypatch, kind, lang):
    monkeypatch.setenv("IA_LANG", lang)
    card, title, blocks = laid_out(ws, kind, lang)
    assert title and blocks
    for color in (True, False):
        drawn = render_card(title, blocks, WIDTH, color=color)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", drawn)
        assert ("\x1b" in drawn) <= color
        assert "\x1b" not in plain
        assert {cell_len(line) for line in plain.splitlines()} == {WIDTH}, plain
        assert "\u202e" not in plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in render_card(title, blocks, WIDTH)
    reader = Reader()
    reader.feed(cards.render_card_html(title, blocks))
    assert reader.open == []
    assert not reader.tags & {"script", "iframe", "img", "link", "style", "a"}
    text = cards.format_card_text(title, blocks)
    for block in blocks:
        for cell in block.head + tuple(each for row in block.rows for each in row):
            words = cell.split()[:1]
            assert all(word in text for word in words)
            assert block.kind == "text" or all(word in "".join(reader.texts) for word in words)
    assert json.loads(json.dumps(card, ensure_ascii=False)) == card


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_titles_are_those_of_the_language(ws, lang):
    _, title, blocks = laid_out(ws, "hard", lang)
    assert title == {"zh": "难画的卡片", "en": "A card that is hard to draw"}[lang]
    assert blocks[1].rows == {
        "zh": [["选择", "甲"], ["标志", "否"]], "en": [["Choice", "first"], ["Flag", "no"]],
    }[lang]  # fmt: skip


def test_a_card_that_nobody_declares_shows_its_text(ws):
    card = {"card": "from_elsewhere", "props": {"a": 1}, "text": "one line\x1b[2J"}
    title, blocks = lay_out(ws, card, "en")
    assert (title, blocks[0].rows) == ("from elsewhere", [["one line[2J"]])
    assert "one line" in render_card(title, blocks, WIDTH, color=False)


def test_a_card_with_wrong_properties_shows_its_text(ws):
    _, blocks = lay_out(ws, {"card": "insight", "props": {"title": 5}, "text": "what it says"}, "en")
    assert blocks[0].rows == [["what it says"]]


def test_a_page_of_a_card_loads_nothing(ws):
    _, title, blocks = laid_out(ws, "hard", "zh")
    page = cards.render_card_page(title, blocks, "zh")
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'" in page
    assert "<script" not in page
