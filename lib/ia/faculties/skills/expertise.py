"""What a skill knows: its procedure, patterns, red flags and rules, read from knowledge/*.yaml in two languages.

An entry that is malformed is left out and told of; the others count.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ia.faculties.skills.cache import make_once
from ia.faculties.skills.model import Skill
from ia.faculties.skills.procedure import load_tree
from ia.faculties.skills.registry import find
from ia.kernel import config
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

TIERS = {"tier1_must_know": 1, "tier2_core": 2, "tier3_edge": 3}
FILES = ("sop", "patterns", "rules")
_SOURCES = "sources"
STANCES = ("for", "against", "neutral")
TRENDS = ("up", "down", "none")


class Text(NamedTuple):
    """A sentence as the author wrote it, and in English where there is an `_en` field."""

    own: str
    en: str

    def in_language(self, lang: str | None = None) -> str:
        """Return it in `zh` or `en` (default: the user's language), in whichever is there."""
        return (self.en if (lang or config.locale_lang()) == "en" and self.en else self.own) or self.en

    def __bool__(self) -> bool:
        return bool(self.own or self.en)


class Citation(NamedTuple):
    """The source of an entry in a document: its name, page (0: none), heading and quote; "" for what is not told.

    checked  who compared it with a page that was read from an image
    """

    document: str
    title: str
    page: int
    heading: str
    quote: str
    checked: str

    def describe(self) -> str:
        """Return how it is shown.

        >>> Citation("b", "On stops", 2, "", "Stops limit losses.", "").describe()
        'On stops p. 2: “Stops limit losses.”'
        """
        place = f" p. {self.page}" if self.page else f", {self.heading}" if self.heading else ""
        return f"{self.title or self.document}{place}" + (f": “{self.quote}”" if self.quote else "")


def citation_of(source: object) -> Citation | None:
    """Return the document that a `source` names; None for a source in words."""
    if not isinstance(source, dict) or not _word(source, "document"):
        return None
    page = source.get("page")
    return Citation(
        document=_word(source, "document"),
        title=_word(source, "title"),
        page=page if isinstance(page, int) and not isinstance(page, bool) and page > 0 else 0,
        heading=_word(source, "heading"),
        quote=_word(source, "quote"),
        checked=_word(source, "checked"),
    )


class Pattern(NamedTuple):
    """A typical picture: how it is recognized, what it points to, how sure that is (high, medium, low).

    stance  whether it speaks `for` the security, `against` it, or neither (`neutral`, the default)
    trend   what it says of the trend: `up`, `down`, `none` (there is no trend), or "" where it says nothing of it
    """

    id: str
    name: Text
    signature: Text
    indication: Text
    confidence: str
    condition: Text
    expression: str
    source: Text
    stance: str
    trend: str


class RedFlag(NamedTuple):
    """A warning sign: severity is critical, warning or notice. Its stance is `against` where the file gives none."""

    id: str
    name: Text
    signal: Text
    action: Text
    severity: str
    condition: Text
    expression: str
    source: Text
    stance: str
    trend: str


class SkillRule(NamedTuple):
    """If condition, then conclusion (tier 2, 3) or action (tier 1); tier 1 is looked at first.

    Expression: what is evaluated on bars instead of the condition, "" for none. Stance and trend are as in Pattern.
    `fact`: what is the case where it fires, without what follows from it.
    """

    id: str
    tier: int
    condition: Text
    fact: Text
    conclusion: Text
    action: Text
    confidence: str
    note: Text
    expression: str
    source: Text
    stance: str
    trend: str


class Knowledge(NamedTuple):
    """All that a skill knows. `sop` is the procedure as plain data; problems: what of the files cannot be used."""

    sop: Json | None
    patterns: tuple[Pattern, ...]
    red_flags: tuple[RedFlag, ...]
    rules: tuple[SkillRule, ...]
    problems: tuple[Message, ...]

    def tier(self, number: int) -> tuple[SkillRule, ...]:
        """Return the rules of tier 1, 2 or 3."""
        return tuple(rule for rule in self.rules if rule.tier == number)


def knowledge(ws: Workspace, name: str) -> Knowledge:
    """Return what a skill knows; empty parts for files that are missing. Disabled skills are read too.

    raises  NotFound.
    """
    skill = find(ws, name)
    folder = os.path.join(ws.root, skill.path, "knowledge")
    paths = [os.path.join(folder, f"{each}.yaml") for each in (*FILES, _SOURCES)]
    return make_once(("knowledge", folder), paths, lambda: of(ws, skill))


def of(ws: Workspace, skill: Skill) -> Knowledge:
    """Return what a skill knows."""
    problems: list[Message] = []
    trees = {name: load_tree(ws, skill, name, problems) for name in FILES}
    read = _Reader(problems, lambda: _load_titles(ws, skill))
    patterns, rules = trees["patterns"], trees["rules"]
    return Knowledge(
        sop=trees["sop"] or None,
        patterns=tuple(map(read.pattern, read.entries(patterns, "quick_patterns", "patterns"))),
        red_flags=tuple(map(read.red_flag, read.entries(patterns, "red_flags", "patterns"))),
        rules=tuple(
            read.rule(entry, tier) for key, tier in TIERS.items() for entry in read.entries(rules, key, "rules")
        ),
        problems=tuple(problems),
    )


def _load_titles(ws: Workspace, skill: Skill) -> dict[str, str]:
    """Return the titles of the documents that a skill was built from, by the name that its entries give them."""
    told = _entries(load_tree(ws, skill, _SOURCES, []).get("documents"))
    return {_word(each, "document"): _word(each, "title") for each in told}


def localize_data(value: object, lang: str | None = None) -> Any:
    """Return plain data in one language: `name_en` takes the place of `name` in English, and goes in Chinese."""
    english = (lang or config.locale_lang()) == "en"
    if isinstance(value, list):
        return [localize_data(item, lang) for item in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, item in value.items():
        if key.endswith("_en") and key[:-3] in value:
            continue
        english_item = value.get(f"{key}_en")
        out[key] = localize_data(english_item if english and english_item else item, lang)
    return out


def localize_phases(sop: Mapping[str, object], lang: str | None = None) -> list[Json]:
    """Return the phases of a procedure as data in one language.

    A phase has id, name, entry_condition, exit_condition and steps; a step has id, action, tool, args, lens, output
    and unit, as far as it gives them.
    """
    found = []
    for phase in _entries(localize_data(sop, lang).get("phases")):
        told: Json = _words(phase, "id", "name", "entry_condition", "exit_condition")
        told["steps"] = [_step(step) for step in _entries(phase.get("steps"))]
        found.append(told)
    return found


def _step(step: Mapping[str, object]) -> Json:
    told: Json = _words(step, "id", "action", "tool", "lens", "output", "unit")
    args = step.get("args")
    return told | ({"args": args} if isinstance(args, dict) and args else {})


def _words(entry: Mapping[str, object], *keys: str) -> dict[str, str]:
    return {key: word for key in keys if (word := _word(entry, key))}


def outline(procedure: list[Json]) -> list[str]:
    """Return phases as lines: each with its conditions, and below it its steps.

    A step is `- ID action [tool(name=value)] <lens> = output (unit)`, without the parts that it does not have. This is
    for a model to read; a program takes localize_phases().
    """
    lines = []
    for phase in procedure:
        ends = "; ".join(phase[key] for key in ("entry_condition", "exit_condition") if key in phase)
        lines.append(f"{phase.get('id', '')} {phase.get('name', '')}" + (f" ({ends})" if ends else ""))
        lines += [_outline_step(step) for step in phase["steps"]]
    return lines


def _outline_step(step: Json) -> str:
    given = ", ".join(f"{key}={value}" for key, value in step.get("args", {}).items())
    tool, lens, output, unit = (step.get(key, "") for key in ("tool", "lens", "output", "unit"))
    parts = [
        f"- {step.get('id', '')} {step.get('action', '')}",
        f"[{tool}({given})]" if tool and given else f"[{tool}]" if tool else "",
        f"<{lens}>" if lens else "",
        f"= {output}" + (f" ({unit})" if unit else "") if output else "",
    ]
    return " ".join(filter(None, parts))


def _entries(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class _Reader:
    """Reads entries of knowledge, and keeps what is wrong with them."""

    def __init__(self, problems: list[Message], load_titles: Callable[[], dict[str, str]]) -> None:
        self.problems = problems
        self.seen: set[str] = set()
        self._load_titles = load_titles
        self._titles: dict[str, str] | None = None

    def source(self, entry: Mapping[str, object]) -> Text:
        """Return the source of an entry in words: as it is written, or document, page and quote."""
        found = citation_of(entry.get("source"))
        if found is None:
            return _text(entry, "source")
        if not found.title:
            if self._titles is None:
                self._titles = self._load_titles()
            found = found._replace(title=self._titles.get(found.document, ""))
        return Text(found.describe(), "")

    def entries(self, tree: Mapping[str, object], key: str, file: str) -> list[dict[str, object]]:
        """Return the entries below a key that are trees with an id of their own."""
        found = tree.get(key)
        if found is not None and not isinstance(found, list):
            self.problems.append(Message("knowledge/{file}.yaml: {key} is not a list", file=file, key=key))
        out = []
        for at, entry in enumerate(found if isinstance(found, list) else [], 1):
            if not isinstance(entry, dict) or not isinstance(entry.get("id"), str | int):
                self.problems.append(
                    Message("knowledge/{file}.yaml: entry {at} of {key} has no id", file=file, at=at, key=key)
                )
            elif str(entry["id"]) in self.seen:
                self.problems.append(
                    Message("knowledge/{file}.yaml: duplicate id {id}", file=file, id=str(entry["id"])[:40])
                )
            else:
                self.seen.add(str(entry["id"]))
                out.append(entry)
        return out

    def pattern(self, entry: Mapping[str, object]) -> Pattern:
        stance, trend = self._direction(entry, "patterns")
        return Pattern(
            id=_word(entry, "id"),
            name=_text(entry, "name"),
            signature=_text(entry, "signature"),
            indication=_text(entry, "indication"),
            confidence=_word(entry, "confidence"),
            condition=_text(entry, "condition"),
            expression=_word(entry, "expression"),
            source=self.source(entry),
            stance=stance,
            trend=trend,
        )

    def red_flag(self, entry: Mapping[str, object]) -> RedFlag:
        stance, trend = self._direction(entry, "patterns", "against")
        return RedFlag(
            id=_word(entry, "id"),
            name=_text(entry, "name"),
            signal=_text(entry, "signal"),
            action=_text(entry, "action"),
            severity=_word(entry, "severity"),
            condition=_text(entry, "condition"),
            expression=_word(entry, "expression"),
            source=self.source(entry),
            stance=stance,
            trend=trend,
        )

    def rule(self, entry: Mapping[str, object], tier: int) -> SkillRule:
        stance, trend = self._direction(entry, "rules")
        return SkillRule(
            id=_word(entry, "id"),
            tier=tier,
            condition=_text(entry, "condition"),
            fact=_text(entry, "fact"),
            conclusion=_text(entry, "conclusion"),
            action=_text(entry, "action"),
            confidence=_word(entry, "confidence") or _word(entry, "priority"),
            note=_text(entry, "note"),
            expression=_word(entry, "expression"),
            source=self.source(entry),
            stance=stance,
            trend=trend,
        )

    def _direction(self, entry: Mapping[str, object], file: str, default: str = "neutral") -> tuple[str, str]:
        """Return the stance and the trend of an entry; the default for what is missing or invalid."""
        return (
            self._choice(entry, "stance", STANCES, file) or default,
            self._choice(entry, "trend", TRENDS, file),
        )

    def _choice(self, entry: Mapping[str, object], key: str, choices: tuple[str, ...], file: str) -> str:
        value = _word(entry, key)
        if not value or value in choices:
            return value
        self.problems.append(
            Message(
                "knowledge/{file}.yaml: {key} of {id} must be one of {choices}",
                file=file,
                key=key,
                id=_word(entry, "id")[:40],
                choices=", ".join(choices),
            )
        )
        return ""


def _word(entry: Mapping[str, object], key: str) -> str:
    value = entry.get(key)
    if isinstance(value, list):
        return "; ".join(str(item) for item in value if not isinstance(item, dict | list))
    return "" if value is None or isinstance(value, dict) else " ".join(str(value).split())


def _text(entry: Mapping[str, object], key: str) -> Text:
    return Text(_word(entry, key), _word(entry, f"{key}_en"))
