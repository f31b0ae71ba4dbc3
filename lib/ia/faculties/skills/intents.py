"""The table of a skill that says which tool an intent needs: intent, required call, what is forbidden instead.

It stands in SKILL.md as a Markdown table of three columns, for models to read; this reads it for the check of a reply.
The required call of a row is any of the tools that stand in backticks in its second column.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ia.faculties.skills.model import Skill
from ia.faculties.skills.registry import FILE
from ia.kernel.errors import IaError
from ia.kernel.formats.frontmatter import split_text
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.recall.terms import normalize_text

_TOOL = pattern(r"`([a-z][\w.]*)`")
_BETWEEN = pattern(r"[,，、;；/：:。.?？]|\s或\s?|或|\bor\b|\band\b")
_LEADING = pattern(r"^(?:请|帮我|给我|想|要|再|看看?|问|查|说说?)+")
_WORD = pattern(r"[a-z][a-z'-]*")
_PLAIN = frozenset(
    """
    a an the me my mine i you your it its is are do does did so of in on at to for what which how this that these show
    tell give make say see please again can could should may would want be there with
    """.split()  # noqa: SIM905
)


class SkillIntent(NamedTuple):
    """A row: ways of saying it, any of the tools that it needs, and what is no answer to it."""

    phrases: tuple[str, ...]
    tools: tuple[str, ...]
    forbidden: str


def load_intents(ws: Workspace, skill: Skill) -> list[SkillIntent]:
    """Return the rows of a skill's table; none where it has no such table."""
    try:
        _head, body = split_text(ws.read_present(f"{skill.path}/{FILE}") or "", FILE)
    except IaError:
        return []
    return parse_intents(body)


def parse_intents(body: str) -> list[SkillIntent]:
    """Return the rows of the tables in a Markdown text whose second column names tools.

    >>> parse_intents("| Intent | Call | Never |\\n|---|---|---|\\n| show my chart | `show_chart` | words |")
    [SkillIntent(phrases=('show my chart',), tools=('show_chart',), forbidden='words')]
    """
    found = []
    for line in body.splitlines():
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        tools = tuple(dict.fromkeys(_TOOL.findall(cells[1]))) if len(cells) >= 2 else ()
        if tools:
            phrases = tuple(part.strip() for part in _BETWEEN.split(normalize_text(cells[0])) if part.strip())
            found.append(SkillIntent(phrases, tools, cells[2] if len(cells) > 2 else ""))
    return found


def match_intents(question: str, intents: Iterable[SkillIntent]) -> list[SkillIntent]:
    """Return the rows one of whose phrases a question has: its Chinese as it stands, or all of its telling words."""
    asked = normalize_text(question)
    words = {_singular(word) for word in _WORD.findall(asked)}
    return [each for each in intents if any(_has_phrase(phrase, asked, words) for phrase in each.phrases)]


def _has_phrase(phrase: str, asked: str, words: set[str]) -> bool:
    if re.search(r"[\u4e00-\u9fff]", phrase):
        core = _LEADING.sub("", phrase.replace(" ", ""))
        return len(core) > 1 and core in asked.replace(" ", "")
    telling = {_singular(word) for word in _WORD.findall(phrase)} - _PLAIN
    return bool(telling) and telling <= words


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
