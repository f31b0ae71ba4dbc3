"""Tables and templates of a skill: what a program that follows it knows, and how it words the answer.

knowledge/NAME.yaml is a tree below `NAME:`, templates/NAME.md a text; see ia-skill(5). What the workspace's skill
does not have, the skill of that name has that comes with ia.
"""

import os
from glob import escape, glob
from typing import Any, NamedTuple

from ia.faculties.skills.cache import load_made, make_cached
from ia.faculties.skills.model import Skill
from ia.kernel.errors import BadData
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace

_PLACE = pattern(r"(knowledge/[\w-]+\.yaml|templates/[\w-]+\.md)")
_ID = pattern(r"^\s*(?:-\s+|\{|-\s*\{)?\s*id:\s*['\"]?([^\s'\",}]+)")
_SECTION = pattern(r"^ {1,4}([A-Za-z_]\w*):")
MAX_TABLE = 15_500
"""Characters of a table as JSON: an answer of a tool holds no more."""


class SkillTable(NamedTuple):
    """A table or a template: its tree or text, and on which line each entry, by its id, and each section stands."""

    data: Any
    lines: dict[str, int]


def is_table(path: str) -> bool:
    """Return True for the path of a table or a template inside a skill."""
    return _PLACE.fullmatch(path) is not None


def load_table(ws: Workspace, skill: Skill, path: str) -> SkillTable | None:
    """Return a table or template of a skill of the workspace; None where it has none.

    raises  BadData with file and line.
    """
    made = load_made(ws, f"{skill.path}/{path}", lambda text: _parse(text, path))
    return None if made is None else SkillTable(made["data"], made["lines"])


def load_shipped(skill: str, path: str) -> SkillTable | None:
    """Return a table or template of a skill that comes with ia; None where it has none."""
    from ia.faculties.profiles import shipped_folder

    for file in sorted(glob(os.path.join(escape(shipped_folder()), "*", ".claude", "skills", skill, path))):
        with open(file, encoding="utf-8") as stream:
            made = make_cached(file, stream.read(), lambda text: _parse(text, path))
        return SkillTable(made["data"], {})
    return None


def _parse(text: str, path: str) -> Json:
    if path.endswith(".md"):
        return {"data": text, "lines": {}}
    name = path.rpartition("/")[2].removesuffix(".yaml")
    tree = load_yaml(text, path)
    inner = tree.get(name, tree) if isinstance(tree, dict) else None
    if not isinstance(inner, dict):
        raise BadData("{path} is not a tree of `{name}:`", path=path, name=name)
    lines: dict[str, int] = {}
    for at, line in enumerate(text.splitlines(), 1):
        section = _SECTION.match(line)
        if found := _ID.match(line) or (section if section and section[1] in inner else None):
            lines.setdefault(found[1], at)
    return {"data": inner, "lines": lines}
