"""The stages of building a skill from a theme of the library that need no model: CURATE, CONVERT, INTEGRATE.

Nothing is written to the skill: all of it becomes one proposal, with what a person changed since the last build kept.
"""

import contextlib
import os
from collections.abc import Sequence
from typing import NamedTuple

from ia.faculties.knowledge import library
from ia.faculties.knowledge.conversion import SUFFIXES
from ia.faculties.knowledge.conversion_process import MAX_INPUT, Converter
from ia.faculties.knowledge.library import Document
from ia.faculties.rulebooks.candidates import find_candidates, read_sentences
from ia.faculties.rulebooks.entries import list_entries
from ia.faculties.rulebooks.extraction import Draft
from ia.faculties.rulebooks.skill_files import merge_files, render_files
from ia.faculties.rulebooks.verification import Verification, verify_entries
from ia.faculties.skills.registry import FOLDER, NAME
from ia.kernel import proposals
from ia.kernel.digest import sha256
from ia.kernel.errors import BadData, IaError, Message, Notify, UsageError, drop_message
from ia.kernel.formats.yaml import MAX_TEXT, load_yaml
from ia.kernel.jsontypes import Json
from ia.kernel.proposals import Proposal, ProposalOrigin
from ia.kernel.untrusted import clean_origin
from ia.kernel.workspace import Workspace
from ia.organs.recall.documents import ROOT

READING_LIST = "reading.yaml"
ADDED, MISSING, STALE = "added", "missing", "stale"
LITTLE = 400
"""Characters of a text that is hardly a document."""


class CuratedSource(NamedTuple):
    """A document of a theme, or one that its reading list names.

    state     ADDED, MISSING (on the list or in source/, not in the library), STALE (its source changed)
    rules     sentences with the form of a rule, pattern or step
    problems  what makes it a poor source
    """

    title: str
    state: str
    date: str
    pages: int
    characters: int
    rules: int
    problems: tuple[Message, ...]
    path: str


class BuiltSkill(NamedTuple):
    """What a build proposes. proposal: None where it would change nothing."""

    name: str
    files: dict[str, str]
    proposal: Proposal | None
    verification: Verification
    entries: int


def skill_name(theme: str, name: str = "") -> str:
    """Return the name of the skill of a theme; raises UsageError."""
    chosen = name or theme.lower().replace("_", "-")
    if not NAME.fullmatch(chosen):
        raise UsageError(
            "{name!r} is not a valid name of a skill", name=chosen[:64], hint="choose one with --skill NAME"
        )
    return chosen


def curate_theme(ws: Workspace, theme: str) -> list[CuratedSource]:
    """Return the documents of a theme with what speaks against them, and those that are still to be added.

    `knowledge/THEME/reading.yaml` may list what belongs to the theme: `reading: [{title, source}]`.
    """
    documents = [each for each in library.list_documents(ws) if each.theme == theme]
    found = [_curate_document(ws, each, documents) for each in documents]
    names = {os.path.basename(each.source) for each in library.read_all(ws) if each.theme == theme}
    missing = [name for name in _source_files(ws, theme) if name not in names]
    found += [_describe_missing(name, f"{ROOT}{theme}/source/{name}") for name in missing]
    known = {text.casefold() for each in documents for text in (each.title, each.url, os.path.basename(each.source))}
    for item in load_reading_list(ws, theme):
        title, source = str(item.get("title") or ""), str(item.get("source") or "")
        if not {title.casefold(), source.casefold(), os.path.basename(source).casefold()} & (known - {""}):
            found.append(_describe_missing(title or source, source))
    return found


def _describe_missing(title: str, path: str) -> CuratedSource:
    return CuratedSource(
        title=title, state=MISSING, date="", pages=0, characters=0, rules=0, problems=(), path=path
    )  # fmt: skip


def load_reading_list(ws: Workspace, theme: str) -> list[Json]:
    """Return what the reading list of a theme names; raises BadData."""
    path = f"{ROOT}{theme}/{READING_LIST}"
    text = ws.read_present(path)
    if text is None:
        return []
    tree = load_yaml(text, path)
    items = tree.get("reading") if isinstance(tree, dict) else None
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise BadData("{path} must begin with `{name}:`", path=path, name="reading")
    return items


def _curate_document(ws: Workspace, document: Document, every: Sequence[Document]) -> CuratedSource:
    body = library.read_document(ws, document)
    problems: list[Message] = []
    if not document.date:
        problems.append(Message("the publication date is unknown"))
    elif document.date_from == "metadata":
        problems.append(Message("the date is from the metadata of the file"))
    if document.skipped:
        problems.append(Message("pages without text: {pages}", pages=document.skipped))
    if document.ocr:
        problems.append(Message("pages were read from images"))
    if len(body) < LITTLE:
        problems.append(Message("hardly any text"))
    twins = [each for each in every if each.title == document.title and each.path < document.path]
    if twins:
        problems.append(Message("has the title of {path}", path=twins[0].path))
    return CuratedSource(
        title=document.title,
        state=STALE if _is_stale(ws, document) else ADDED,
        date=document.date,
        pages=document.pages,
        characters=len(body),
        rules=sum(1 for _ in find_candidates(read_sentences(body))),
        problems=tuple(problems),
        path=document.path,
    )


def _is_stale(ws: Workspace, document: Document) -> bool:
    data = ws.read_bytes(document.source, MAX_INPUT) if document.source else None
    return data is not None and sha256(data).hexdigest() != document.sha256


def _source_files(ws: Workspace, theme: str) -> list[str]:
    """Return the names of the documents that lie in source/ of a theme."""
    with contextlib.suppress(OSError):
        folder = ws.resolve(f"{ROOT}{theme}/source")
        return sorted(name for name in os.listdir(folder) if name.lower().endswith(SUFFIXES) and name[0] != ".")
    return []


def convert_theme(ws: Workspace, theme: str, notify: Notify = drop_message) -> list[Document]:
    """Convert what lies in source/ of a theme and is not in the library, or has changed; return all its documents.

    notify  is told of what cannot be converted; the others count
    """
    stale = [each for each in library.read_all(ws) if each.theme == theme and _is_stale(ws, each)]
    known = {os.path.basename(each.source) for each in library.read_all(ws) if each.theme == theme}
    new = [name for name in _source_files(ws, theme) if name not in known]
    if stale or new:
        with Converter(notify) as converter:
            for document in stale:
                try:
                    library.convert_again(ws, document, converter, notify=notify)
                except IaError as exc:
                    notify(Message("{name}: {reason}", name=document.title, reason=exc))
            for name in new:
                data = ws.read_bytes(f"{ROOT}{theme}/source/{name}", MAX_INPUT) or b""
                try:
                    options = library.AddOptions(theme)
                    library.add_document(ws, library.NewDocument(name, data), options, converter, notify=notify)
                except IaError as exc:
                    notify(Message("{name}: {reason}", name=name, reason=exc))
    return [each for each in library.list_documents(ws, notify=notify) if each.theme == theme]


def propose_skill(
    ws: Workspace, theme: str, name: str, drafts: Sequence[Draft], documents: Sequence[Document], because: str = ""
) -> BuiltSkill:
    """Propose a skill made of drafts, merged with what a person changed; the same is not proposed twice.

    raises  UsageError for a skill of this name that was not built from the theme; BadData for more entries than the
            files of a skill hold
    """
    folder = f"{FOLDER}/{name}"
    current = proposals.folder_files(ws, folder)
    told = _load(current, "sources")
    if current and told.get("theme") != theme:
        raise UsageError(
            "the skill {name} was not built from {theme}",
            name=name,
            theme=theme,
            hint="choose another with --skill NAME",
        )
    title = documents[0].title if len(documents) == 1 else theme
    made = told.get("generated")
    known = {str(key): str(value) for key, value in made.items()} if isinstance(made, dict) else {}
    files = merge_files(known, current, render_files(name, title, drafts, documents, theme))
    if any(len(text) > MAX_TEXT for text in files.values()):
        raise BadData(
            "{theme}: {entries} entries are more than a skill holds",
            code="too-many-entries",
            theme=theme,
            entries=len(drafts),
            hint="put the documents into several themes, or have a model choose: `ia knowledge build {theme} -m MODEL`",
        )
    trees = {each: _load(files, each) for each in ("rules", "patterns", "sop")}
    entries = list(list_entries(trees))
    sources = {str(each["document"]): each for each in _load(files, "sources").get("documents") or []}
    checked = verify_entries(ws, entries, sources)
    proposal = _propose(ws, folder, files, theme, documents, because) if files != current else None
    return BuiltSkill(name=name, files=files, proposal=proposal, verification=checked, entries=len(entries))


def _propose(
    ws: Workspace, folder: str, files: dict[str, str], theme: str, documents: Sequence[Document], because: str
) -> Proposal:
    same = proposals.find_same_pending(ws, "skill", folder, files)
    if same is not None:
        return proposals.get_proposal(ws, same)
    origins = tuple(dict.fromkeys(clean_origin(f"knowledge {each.title}") for each in documents))
    origin = ProposalOrigin(source=f"{ROOT}{theme}", origins=origins[:20])
    return proposals.propose_folder(ws, "skill", folder, files, because=because, origin=origin)


def _load(files: dict[str, str], name: str) -> Json:
    path = f"knowledge/{name}.yaml"
    tree = load_yaml(files.get(path, ""), path)
    inner = tree.get(name) if isinstance(tree, dict) else None
    return inner if isinstance(inner, dict) else {}
