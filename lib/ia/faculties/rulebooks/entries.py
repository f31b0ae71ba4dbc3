"""The entries of a skill's knowledge with the sources that they name, as they stand in its files.

`knowledge/sources.yaml` says of each document that a skill was built from which bytes they were.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ia.faculties.skills import Skill
from ia.faculties.skills.expertise import FILES, TIERS, citation_of
from ia.faculties.skills.procedure import load_tree
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

RULE, PATTERN, RED_FLAG, STEP = "rule", "pattern", "red_flag", "step"
CONDITIONS = ("condition", "signature", "signal")
ACTIONS = ("fact", "conclusion", "action", "indication")


class Entry(NamedTuple):
    """A rule, pattern, red flag or step of a skill.

    condition, action   its words, "" where it has none; expression: what is evaluated on bars, "" for none
    document, page, quote   of its source; document is "" where the source is no document
    """

    id: str
    kind: str
    tier: int
    file: str
    condition: str
    action: str
    expression: str
    document: str
    page: int
    quote: str
    is_checked: bool
    fields: Json

    @property
    def said(self) -> str:
        """All that it states."""
        return "，".join(part for part in (self.condition, self.action) if part)


def load_entries(ws: Workspace, skill: Skill) -> list[Entry]:
    """Return all entries of a skill's knowledge, in the order of its files."""
    problems: list[Message] = []
    trees = {name: load_tree(ws, skill, name, problems) for name in FILES}
    return list(list_entries(trees))


def list_entries(trees: dict[str, Json]) -> Iterator[Entry]:
    """Yield the entries of the trees `rules`, `patterns` and `sop`, each below its one key."""
    rules, patterns, sop = (trees.get(name) or {} for name in ("rules", "patterns", "sop"))
    for key, tier in TIERS.items():
        for fields in _mappings(rules.get(key)):
            yield _make_entry(fields, RULE, tier, "rules")
    for key, kind in (("quick_patterns", PATTERN), ("red_flags", RED_FLAG)):
        for fields in _mappings(patterns.get(key)):
            yield _make_entry(fields, kind, 1 if kind == RED_FLAG else 2, "patterns")
    for phase in _mappings(sop.get("phases")):
        for fields in _mappings(phase.get("steps")):
            yield _make_entry(fields, STEP, 0, "sop")


def load_sources(ws: Workspace, skill: Skill) -> dict[str, Json]:
    """Return what a skill says of the documents that it was built from, by the name that its entries give them."""
    return {
        str(each["document"]): each
        for each in _mappings(load_tree(ws, skill, "sources", []).get("documents"))
        if each.get("document")
    }


def _mappings(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _make_entry(fields: Json, kind: str, tier: int, file: str) -> Entry:
    source = citation_of(fields.get("source"))
    return Entry(
        id=str(fields.get("id", "")),
        kind=kind,
        tier=tier,
        file=f"knowledge/{file}.yaml",
        condition=_join(fields, CONDITIONS),
        action=_join(fields, ACTIONS),
        expression=str(fields.get("expression") or ""),
        document=source.document if source else "",
        page=source.page if source else 0,
        quote=source.quote if source else "",
        is_checked=bool(source and source.checked),
        fields=fields,
    )


def _join(fields: Json, names: tuple[str, ...]) -> str:
    return "，".join(
        " ".join(str(fields[name]).split()) for name in names if isinstance(fields.get(name), str | int | float)
    )
