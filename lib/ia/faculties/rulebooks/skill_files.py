"""The files of a skill that is built from documents, and how they come together with what a person changed in them.

A file is a row of blocks: an entry, or the key of a section. A block that a person changed, added or deleted since the
last build stays so: sources.yaml keeps a digest of each block that the build made.
"""

import functools
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ia.faculties.knowledge.library import Document
from ia.faculties.rulebooks.entries import PATTERN, RED_FLAG, RULE, STEP
from ia.faculties.rulebooks.extraction import PHASES, Draft
from ia.kernel import config
from ia.kernel.digest import sha256
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SECTIONS = (
    ("rules.yaml", "rules", (("tier1_must_know", RULE, 1), ("tier2_core", RULE, 2), ("tier3_edge", RULE, 3))),
    ("patterns.yaml", "patterns", (("quick_patterns", PATTERN, 0), ("red_flags", RED_FLAG, 0))),
)
_ENTRY = pattern(r"\s*-\s*\{?\s*(?:id|document):\s*['\"]?([^\s'\",}]+)")
_SECTION = pattern(r" {0,4}([A-Za-z_]\w*):\s*(?:\[\])?\s*(?:#.*)?")
_LATIN_WORD = pattern(r"[A-Za-z]{2,}")
_PLAIN = pattern(r"[^\W\d_][\w .,;()%/\u3000-\u303f\uff01-\uff5e-]*")


SOURCES = "knowledge/sources.yaml"


def render_files(
    name: str, title: str, drafts: Sequence[Draft], documents: Sequence[Document], theme: str
) -> dict[str, str]:
    """Return the files of a skill: path in its folder → text."""
    chinese = _is_chinese("".join(each.source["quote"] for each in drafts)[:2000])
    files = {"SKILL.md": _render_skill(name, title, drafts, documents, chinese)}
    for file, key, sections in SECTIONS:
        lines = [f"{key}:"]
        for section, kind, tier in sections:
            found = [each for each in drafts if each.kind == kind and (not tier or each.tier == tier)]
            lines.append(f"  {section}:" if found else f"  {section}: []")
            for each in found:
                lines += render_entry(each.as_entry(), 4)
        files[f"knowledge/{file}"] = "\n".join(lines) + "\n"
    files["knowledge/sop.yaml"] = _render_sop(title, drafts, chinese)
    digests = block_digests(files)
    lines = ["sources:", f"  theme: {_scalar(theme)}", "  documents:" if documents else "  documents: []"]
    for document in documents:
        told: Json = {"document": document.stem, "title": document.title, "id": document.id, "sha256": document.sha256}
        lines += render_entry({**told, **({"date": document.date} if document.date else {})}, 4, "document")
    lines += ["  # What the last build made; an entry that differs from it was changed by a person.", "  generated:"]
    lines += [f"    {_scalar(place)}: {_scalar(digest)}" for place, digest in digests.items()]
    files[SOURCES] = "\n".join(lines) + "\n"
    return files


def _is_chinese(text: str) -> bool:
    """Return the language of most of a text; that of the user where it is in both."""
    han = sum("\u3400" <= char <= "\u9fff" for char in text)
    share = han / ((han + 2 * len(_LATIN_WORD.findall(text))) or 1)
    return share > 0.8 if not 0.2 <= share <= 0.8 else config.locale_lang() == "zh"


def _render_sop(title: str, drafts: Sequence[Draft], chinese: bool) -> str:
    steps = [each for each in drafts if each.kind == STEP]
    used = [phase for phase in PHASES if any(each.phase == phase for each in steps)]
    lines = ["sop:", f"  name: {_scalar(title)}", "  phases:" if used else "  phases: []"]
    for at, phase in enumerate(used):
        own = [each for each in steps if each.phase == phase]
        names = _load_texts()["zh" if chinese else "en"]["phases"]
        name = next((each.phase_name for each in own if each.phase_name), "") or names[phase]
        following = used[at + 1] if at + 1 < len(used) else ""
        lines += [f"    - id: {phase}", f"      name: {_scalar(name)}", f"      next_phase: {following}".rstrip()]
        lines.append("      steps:")
        for each in own:
            lines += render_entry(each.as_entry(), 8)
    return "\n".join(lines) + "\n"


def render_entry(entry: Json, indent: int, first: str = "id") -> list[str]:
    """Return an entry as the lines of a YAML list item."""
    room = " " * indent
    lines = [f"{room}- {first}: {_scalar(entry[first])}"]
    for key, value in entry.items():
        if key == first:
            continue
        if isinstance(value, dict):
            lines.append(f"{room}  {key}:")
            lines += [f"{room}    {inner}: {_scalar(each)}" for inner, each in value.items()]
        else:
            lines.append(f"{room}  {key}: {_scalar(value)}")
    return lines


def _scalar(value: Any) -> str:
    """Return a value as it stands in YAML: plain where that cannot be taken for anything else, else quoted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = " ".join(str(value).split())
    plain = _PLAIN.fullmatch(text) and not text.endswith((" ", ":")) and text.casefold() not in _WORDS_OF_YAML
    return text if plain and ": " not in text and " #" not in text else json.dumps(text, ensure_ascii=False)


_WORDS_OF_YAML = frozenset(("true", "false", "yes", "no", "on", "off", "null", "none", "y", "n", "nan", "inf"))


def _render_skill(name: str, title: str, drafts: Sequence[Draft], documents: Sequence[Document], chinese: bool) -> str:
    sources = "\n".join(f"- {each.title}" + (f" ({each.author})" if each.author else "") for each in documents)
    titles = _scalar(", ".join(each.title for each in documents)[:300])
    text = str(_load_texts()["zh" if chinese else "en"]["skill"])
    return text.format(name=name, title=_scalar(title), plain=title, titles=titles, sources=sources)


@functools.cache
def _load_texts() -> Json:
    """Return what every skill that is built begins with, in both languages."""
    with open(os.path.join(os.path.dirname(__file__), "skill_texts.yaml"), encoding="utf-8") as file:
        return dict(load_yaml(file.read(), "skill_texts.yaml"))


class Block(NamedTuple):
    """A block of a file: what it is known by ("" the head, `§key` a section, else an id), and its text."""

    key: str
    text: str


def split_blocks(text: str) -> list[Block]:
    """Return the blocks of a file; comments above an entry belong to it."""
    blocks: list[Block] = []
    key, lines = "", list[str]()
    held: list[str] = []
    for line in text.splitlines(keepends=True):
        found = _ENTRY.match(line)
        section = _SECTION.fullmatch(line.rstrip("\n")) if not found else None
        known = f"§{section[1]}" if section else found[1] if found else None
        if section and section[1] in ("steps", "source"):
            known = None
        if known is not None:
            blocks.append(Block(key, "".join(lines)))
            key, lines, held = known, [*held, line], []
        elif line.lstrip().startswith("#"):
            held.append(line)
        else:
            lines += [*held, line]
            held = []
    blocks.append(Block(key, "".join([*lines, *held])))
    return [block for block in blocks if block.key or block.text]


def merge_files(known: Mapping[str, str], current: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return the files that are to be: new ones, with what a person changed since the last build.

    known  digests of the blocks that the last build made, see block_digests()
    """
    merged = dict(current)
    for file, text in new.items():
        present = current.get(file)
        if file == SOURCES or (present is None and file not in known):
            merged[file] = text
        elif present is not None and file.endswith(".yaml"):
            merged[file] = merge_blocks(file, known, present, text)
        elif present is not None and known.get(file) == _digest(present):
            merged[file] = text
    return merged


def block_digests(files: Mapping[str, str]) -> dict[str, str]:
    """Return what tells that a person changed a file or an entry: its name, and a digest of its text."""
    found = {}
    for file, text in files.items():
        found[file] = _digest(text)
        if file.endswith(".yaml"):
            found |= {f"{file}/{block.key}": _digest(block.text) for block in split_blocks(text) if is_entry(block)}
    return found


def is_entry(block: Block) -> bool:
    """Return True for an entry, not the head of a file or the key of a section."""
    return bool(block.key) and not block.key.startswith("§")


def _digest(text: str) -> str:
    return sha256(text.strip().encode()).hexdigest()[:12]


def merge_blocks(file: str, known: Mapping[str, str], current: str, new: str) -> str:
    """Return a file merged block by block; what a person changed, added or deleted stays so."""
    present = split_blocks(current)
    there = {block.key: block.text for block in present if is_entry(block)}
    out: list[Block] = []
    for block in split_blocks(new):
        place, now = f"{file}/{block.key}", there.get(block.key)
        if is_entry(block) and now is None and place in known:
            continue  # a person deleted it
        is_changed = now is not None and known.get(place) != _digest(now)
        out.append(block._replace(text=now) if is_changed and now is not None else block)
    keys = [block.key for block in out]
    after = ""
    for block in present:
        if block.key in keys:
            after = block.key
        elif is_entry(block) and known.get(f"{file}/{block.key}") != _digest(block.text):
            at = keys.index(after) + 1 if after in keys else len(keys)
            out.insert(at, block)
            keys.insert(at, block.key)
            after = block.key
    return _open_sections("".join(block.text if block.text.endswith("\n") else block.text + "\n" for block in out))


def _open_sections(text: str) -> str:
    """Return a text in which a section that has entries is not said to be empty."""
    lines = text.splitlines(keepends=True)
    for at, line in enumerate(lines[:-1]):
        if line.rstrip().endswith(": []") and _ENTRY.match(lines[at + 1]):
            lines[at] = line.rstrip()[: -len(" []")] + "\n"
    return "".join(lines)
