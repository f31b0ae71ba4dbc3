"""A model reads documents part by part and points at the sentences that are knowledge; see ia.faculties.rulebooks.

The answers are kept in .ia/cache/extraction, so that an extraction that was interrupted goes on where it stopped, and
the same part is never paid for twice.
"""

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from ia.agent.turns.models import OFFLINE, choose_model
from ia.agent.turns.structured import StructuredModel
from ia.faculties.knowledge import library
from ia.faculties.knowledge.library import Document
from ia.faculties.rulebooks import extraction
from ia.faculties.rulebooks.candidates import read_sentences
from ia.faculties.rulebooks.extraction import Draft, Part
from ia.kernel import files
from ia.kernel.digest import sha256
from ia.kernel.errors import UsageError
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs import sessions
from ia.organs.spending import Meter, model_price

CACHE = ".ia/cache/extraction"
SHARE = 0.3
"""Tokens of an answer for each token of the document."""
MOST_COMPARED = 400
"""Entries that a model is asked at once which of them say the same."""
Progress = Callable[[int, int], None]


class PlannedPart(NamedTuple):
    """A part of a document that a model is to read; key: where its answer is kept."""

    document: Document
    part: Part
    prompt: str
    key: str


class Plan(NamedTuple):
    """What an extraction takes: calls and tokens that are still to be paid, and their price (None: unknown)."""

    model: str
    parts: list[PlannedPart]
    calls: int
    tokens: int
    cost: Decimal | None
    currency: str


class Extraction(NamedTuple):
    """What came of an extraction. dropped: entries that stayed invalid; merged: those that said the same as another."""

    drafts: list[Draft]
    dropped: int
    merged: int
    calls: int


def choose_reader(model: str | None, offline: bool) -> str:
    """Return the model that reads, OFFLINE for none.

    raises  UsageError for a model with --offline
    """
    if offline and model and model != OFFLINE:
        raise UsageError("--offline and --model exclude each other")
    return OFFLINE if offline else choose_model(model)


def plan_extraction(ws: Workspace, documents: Sequence[Document], model: str) -> Plan:
    """Return what it takes to have a model read documents; nothing is asked."""
    parts: list[PlannedPart] = []
    tokens = answers = calls = 0
    for document in documents if model != OFFLINE else ():
        for part in extraction.split_parts(read_sentences(library.read_document(ws, document))):
            prompt = part.prompt(document.title)
            seal = f"{model}\n{extraction.SYSTEM}\n{document.stem}\n{prompt}"
            planned = PlannedPart(document, part, prompt, sha256(seal.encode()).hexdigest())
            parts.append(planned)
            if _load_answer(ws, planned.key) is None:
                size = sessions.estimate_tokens(prompt)
                calls, answers = calls + 1, answers + int(SHARE * size)
                tokens += size + sessions.estimate_tokens(extraction.SYSTEM)
    price = model_price(model) if model != OFFLINE else None
    cost = (price.input * tokens + price.output * answers) / 1_000_000 if price else None
    currency = price.currency if price else ""
    return Plan(model=model, parts=parts, calls=calls, tokens=tokens + answers, cost=cost, currency=currency)


def extract_knowledge(
    ws: Workspace, documents: Sequence[Document], plan: Plan, progress: Progress = lambda done, total: None
) -> Extraction:
    """Return the entries that a model finds in documents; without one the candidates of their sentences.

    An invalid answer is asked for once more, with what is wrong with it; what is invalid then is dropped and counted.
    raises  Unavailable, TryLater (the model), Refused (a cap); what was answered is kept
    """
    if plan.model == OFFLINE:
        drafts = [
            draft
            for document in documents
            for draft in extraction.find_offline(read_sentences(library.read_document(ws, document)), document.stem)
        ]
        return Extraction(drafts, 0, 0, 0)
    meter = Meter(ws, plan.model, command="knowledge extract")
    reader: StructuredModel | None = None
    drafts, dropped, calls = [], 0, 0
    for at, planned in enumerate(plan.parts):
        progress(at, len(plan.parts))
        kept = _load_answer(ws, planned.key)
        if kept is None:
            reader = reader or StructuredModel(plan.model, meter)
            kept, asked = _ask_part(reader, planned)
            calls += asked
            _keep_answer(ws, planned.key, kept)
        found, _ = extraction.read_answer({"entries": kept["entries"]}, planned.part, planned.document.stem)
        drafts += found
        dropped += int(kept["dropped"])
    progress(len(plan.parts), len(plan.parts))
    drafts = list(extraction.number_twins(drafts))
    merged = 0
    told = extraction.describe_same(drafts)
    if 1 < len(drafts) <= MOST_COMPARED:
        key = sha256(f"{plan.model}\n{extraction.SAME}\n{told}".encode()).hexdigest()
        answer = _load_answer(ws, key)
        if answer is None:
            reader = reader or StructuredModel(plan.model, meter)
            same = reader.ask_json(extraction.SAME, told, extraction.SAME_SCHEMA)
            answer = {"entries": [], "dropped": 0, "same": same.get("same") if isinstance(same, dict) else []}
            calls += 1
            _keep_answer(ws, key, answer)
        drafts, merged = extraction.drop_same(drafts, {"same": answer.get("same")})
    return Extraction(drafts, dropped, merged, calls)


def _ask_part(reader: StructuredModel, planned: PlannedPart) -> tuple[Json, int]:
    """Return what a model found in a part, valid entries only, and how often it was asked."""
    answer = reader.ask_json(extraction.SYSTEM, planned.prompt, extraction.SCHEMA)
    _, wrong = extraction.read_answer(answer, planned.part, planned.document.stem)
    calls = 1
    if wrong:
        again = (
            f"{planned.prompt}\n\nYour last answer was invalid:\n"
            + "\n".join(wrong[:20])
            + "\nAnswer again, all of it."
        )
        second = reader.ask_json(extraction.SYSTEM, again, extraction.SCHEMA)
        calls = 2
        _, left = extraction.read_answer(second, planned.part, planned.document.stem)
        if len(left) <= len(wrong):
            answer, wrong = second, left
    entries: Any = answer.get("entries") if isinstance(answer, dict) else []
    valid = [
        each
        for each in (entries if isinstance(entries, list) else [])
        if not extraction.read_answer({"entries": [each]}, planned.part, planned.document.stem)[1]
    ]
    return {"entries": valid, "dropped": len(wrong)}, calls


def _load_answer(ws: Workspace, key: str) -> Json | None:
    with contextlib.suppress(OSError, ValueError), open(_cache_path(ws, key), encoding="utf-8") as file:
        kept = json.load(file)
        if isinstance(kept, dict) and isinstance(kept.get("entries"), list) and type(kept.get("dropped")) is int:
            return kept
    return None


def _keep_answer(ws: Workspace, key: str, answer: Json) -> None:
    path = _cache_path(ws, key)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    files.replace_file(path, json.dumps(answer, ensure_ascii=False), durable=False)


def _cache_path(ws: Workspace, key: str) -> str:
    return os.path.join(ws.root, CACHE, f"{key}.json")
