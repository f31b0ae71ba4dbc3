"""The texts that ship with the skills of the workspace, as documents: references/*.md, found beside the user's own.

They stay where they are: nothing is copied into knowledge/. In the language of the workspace the file of the skill
counts, with what the owner changed in it; in the other language the text that comes with ia.
"""

import contextlib
import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from ia.faculties.profiles import shipped_folder
from ia.faculties.skills.registry import FOLDER, list_skills
from ia.kernel import config
from ia.kernel.digest import sha256
from ia.kernel.errors import IaError
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.recall.passages import ShippedText

_HAN = pattern("[\u4e00-\u9fff]")
_TITLE = pattern(r"(?m)^# +(.+)$")
_NAMED_HEADING = pattern("(?m)^(#{2,6} +)[\\w-]+ +(?=[\u4e00-\u9fff])", re.ASCII)
"""A heading that is called by its first word and shown by the rest: `## sizing 仓位`."""
_ENGLISH = ".en.md"


class Reference(NamedTuple):
    """A text that ships with a skill: its short name `id`, its title, its language, and where it lies.

    path  in the workspace; of the text of the other language the name that it ships under
    """

    id: str
    title: str
    skill: str
    profile: str
    lang: str
    path: str
    text: str

    def is_called(self, name: str) -> bool:
        """Return True if a name in small letters is its id, path, title or file name."""
        file = os.path.basename(self.path)
        stem = file.removesuffix(_ENGLISH).removesuffix(".md")
        names = (self.id, self.path, self.title, file, stem, f"{self.skill}/{stem}")
        return name in {text.casefold() for text in names}


def list_references(ws: Workspace, lang: str = "") -> list[Reference]:
    """Return the texts that ship with the skills that the workspace has, by path; those of one language only."""
    found: list[Reference] = []
    base = shipped_folder()
    for skill in list_skills(ws):
        if skill.problem is not None or not skill.enabled or skill.path != f"{FOLDER}/{skill.name}":
            continue
        for profile in _list_names(base):
            folder = os.path.join(base, profile, skill.path, "references")
            names = [name for name in _list_names(folder) if name.endswith(".md")]
            for name in names:
                if not name.endswith(_ENGLISH):
                    found += _read_languages(ws, profile, skill.name, folder, name)
            if names:
                break
    return sorted((each for each in found if lang in ("", each.lang)), key=lambda each: each.path)


def find_references(ws: Workspace, name: str) -> list[Reference]:
    """Return the texts that a name means, that of the user's language first."""
    every = [each for each in list_references(ws) if each.is_called(name.casefold().strip())]
    return sorted(every, key=lambda each: each.lang != config.locale_lang())


def shipped_texts(ws: Workspace, query: str, skill: str = "") -> list[Sequence[ShippedText]]:
    """Return what ships with the skills, in the language of a query, then in the other: the first that answers counts.

    A word or two in Latin letters (ATR) are in the user's language. skill: only those of this skill
    """
    latin = "en" if len(query.split()) > 2 else config.locale_lang()
    first = "zh" if _HAN.search(query) else latin
    every = [each for each in list_references(ws) if skill in ("", each.skill)]
    langs = sorted(("en", "zh"), key=lambda lang: lang != first)
    return [[ShippedText(each.title, each.path, each.text) for each in every if each.lang == lang] for lang in langs]


def _read_languages(ws: Workspace, profile: str, skill: str, folder: str, name: str) -> list[Reference]:
    """Return a text in both languages; the file of the workspace is that of its own language."""
    place = f"{FOLDER}/{skill}/references/{name}"
    found: dict[str, Reference] = {}
    for file in (name, name.removesuffix(".md") + _ENGLISH):
        with contextlib.suppress(OSError, UnicodeDecodeError), open(os.path.join(folder, file), encoding="utf-8") as it:
            made = _make_reference(profile, skill, place.removesuffix(name) + file, it.read())
            found[made.lang] = made
    with contextlib.suppress(IaError):
        if text := ws.read_present(place):
            made = _make_reference(profile, skill, place, text)
            others = [each for each in found.values() if each.lang != made.lang]
            # A text that ships under the name that the workspace has for the other language gets its own name.
            return [made, *(_rename(each, place) for each in others)]
    return list(found.values())


def _rename(reference: Reference, taken: str) -> Reference:
    if reference.path != taken:
        return reference
    path = taken.removesuffix(".md") + f".{reference.lang}.md"
    return reference._replace(path=path, id=_make_id(path))


def _make_reference(profile: str, skill: str, path: str, text: str) -> Reference:
    title = _TITLE.search(text)
    stem = os.path.basename(path).removesuffix(_ENGLISH).removesuffix(".md")
    return Reference(
        id=_make_id(path),
        title=title[1].strip() if title else stem,
        skill=skill,
        profile=profile,
        lang="zh" if _HAN.search(text) else "en",
        path=path,
        text=_NAMED_HEADING.sub(r"\1", text),
    )


def _make_id(path: str) -> str:
    return sha256(path.encode()).hexdigest()[:12]


def _list_names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
