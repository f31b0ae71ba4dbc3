"""Sentences of the user's documents that answers cite again and again: each can be proposed as a rule of a skill."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ia.faculties.knowledge import library
from ia.faculties.rulebooks.candidates import split_condition
from ia.faculties.rulebooks.entries import load_entries
from ia.faculties.rulebooks.extraction import MAX_FIELD, hash_sentence
from ia.faculties.rulebooks.skill_files import render_entry
from ia.faculties.skills import Skill
from ia.faculties.skills.registry import FOLDER
from ia.kernel import audit, proposals
from ia.kernel.errors import BadData, NotFound
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.jsontypes import Json
from ia.kernel.proposals import Proposal, ProposalOrigin
from ia.kernel.untrusted import clean_origin
from ia.kernel.workspace import Workspace
from ia.organs.recall.documents import CITED

LEAST = 3
"""Sessions in which a sentence has to be cited to recur."""
MAX_EVENTS = 20_000
RULES = "knowledge/rules.yaml"
SECTION = "tier2_core"


class RecurringPassage(NamedTuple):
    """A sentence that several sessions have cited. id: as the rule would be called; last: the day of the last time."""

    id: str
    times: int
    last: str
    quote: str
    title: str
    page: int
    heading: str
    document: str


def list_recurring(ws: Workspace, least: int = LEAST) -> list[RecurringPassage]:
    """Return the sentences that at least so many sessions cite, most cited first, of documents that are there."""
    documents = {each.path: each for each in library.list_documents(ws)}
    sessions: dict[str, set[str]] = {}
    found: dict[str, RecurringPassage] = {}
    for event in audit.events(ws.db, kind=CITED, limit=MAX_EVENTS):
        document = documents.get(event.subject)
        quote = " ".join(str(event.data.get("quote") or "").split())
        if document is None or not quote:
            continue
        number = f"T2_{hash_sentence(document.stem, quote)}"
        sessions.setdefault(number, set()).add(str(event.data.get("session") or event.id))
        page = event.data.get("page")
        made = RecurringPassage(
            id=number,
            times=0,
            last=event.time[:10],
            quote=quote,
            title=document.title,
            page=page if isinstance(page, int) else 0,
            heading=str(event.data.get("heading") or ""),
            document=document.stem,
        )
        found.setdefault(number, made)
    counted = [each._replace(times=len(sessions[number])) for number, each in found.items()]
    return sorted((each for each in counted if each.times >= least), key=lambda each: (-each.times, each.quote))


def choose_passages(found: Sequence[RecurringPassage], ids: Sequence[str]) -> list[RecurringPassage]:
    """Return those with these ids, all without ids; raises NotFound."""
    known = {each.id: each for each in found}
    if missing := [number for number in ids if number not in known]:
        raise NotFound("{id}: no such passage recurs", id=missing[0][:40], hint="`ia knowledge recurring` lists them")
    return [known[number] for number in ids] if ids else list(found)


def propose_rules(
    ws: Workspace,
    skill: Skill,
    passages: Sequence[RecurringPassage],
    because: str = "",
    *,
    caller: ProposalOrigin = proposals.BY_USER,
    actor: str = "user",
) -> Proposal:
    """Propose to add sentences to the core rules of a skill, each with its source; a person approves.

    caller  the turn and the session that propose it, and what they have read

    raises  NotFound where the skill has all of them already; BadData for a rules.yaml that cannot be read.
    """
    folder = f"{FOLDER}/{skill.name}"
    files = proposals.folder_files(ws, folder)
    present = {entry.id for entry in load_entries(ws, skill)}
    new = [each for each in passages if each.id not in present]
    if not new:
        raise NotFound("the skill {name} has these rules already", name=skill.name)
    text = _insert_entries(files.get(RULES, ""), [_make_entry(each) for each in new])
    tree = load_yaml(text, RULES)
    rules = tree.get("rules") if isinstance(tree, dict) else None
    listed = rules.get(SECTION) if isinstance(rules, dict) else None
    if not isinstance(listed, list) or not {each.id for each in new} <= {
        str(e.get("id")) for e in listed if isinstance(e, dict)
    }:
        raise BadData("{path}: the rules cannot be extended", path=f"{folder}/{RULES}")
    origins = tuple(dict.fromkeys(clean_origin(f"knowledge {each.title}") for each in new))
    origins = tuple(dict.fromkeys([*caller.origins, *origins]))[:20]
    origin = caller._replace(source="knowledge recurring", origins=origins)
    content = {**files, RULES: text}
    return proposals.propose_folder(ws, "skill", folder, content, because=because, origin=origin, actor=actor)


def _make_entry(passage: RecurringPassage) -> Json:
    condition, follows = split_condition(passage.quote)
    source: Json = {
        "document": passage.document,
        **({"page": passage.page} if passage.page else {}),
        **({"heading": passage.heading} if passage.heading else {}),
        "quote": passage.quote,
    }
    return {
        "id": passage.id,
        "condition": (condition or follows)[:MAX_FIELD],
        "conclusion": follows[:MAX_FIELD],
        "confidence": "low",
        "source": source,
    }


def _insert_entries(text: str, entries: Sequence[Json]) -> str:
    """Return rules.yaml with entries at the beginning of its core rules; nothing else of it changes."""
    found = re.search(rf"(?m)^( +){SECTION}:[ \t]*(?:\[\])?[ \t]*(?:#.*)?$\n?", text)
    if found is None:
        head = text if re.search(r"(?m)^rules:", text) else f"{text.rstrip()}\nrules:\n".lstrip()
        return f"{head.rstrip()}\n  {SECTION}:\n" + _render(entries, 4)
    listed = re.match(r"(?:\s*(?:#.*)?\n)*( *)- ", text[found.end() :])
    indent = len(listed[1]) if listed else len(found[1]) + 2
    head = f"{found[1]}{SECTION}:\n"
    return text[: found.start()] + head + _render(entries, indent) + text[found.end() :]


def _render(entries: Sequence[Json], indent: int) -> str:
    return "".join(f"{line}\n" for entry in entries for line in render_entry(entry, indent))
