"""Compare every entry of a skill with the document that it cites: the quote, the page, the numbers, what is denied.

Also looked for: sources that changed, entries that say the same or the contrary, sentences that no entry rests on, and
entries that rest on what was not yet published as of now().
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from ia.faculties.knowledge import library
from ia.faculties.knowledge.conversion_process import MAX_INPUT
from ia.faculties.knowledge.library import Document
from ia.faculties.rulebooks import statements
from ia.faculties.rulebooks.candidates import RULE as RULE_CANDIDATE
from ia.faculties.rulebooks.candidates import find_candidates, is_covered, read_sentences
from ia.faculties.rulebooks.entries import STEP, Entry, load_entries, load_sources
from ia.faculties.rulebooks.quotes import ALTERED, VERBATIM, DocumentText, QuoteMatch, fold_quote
from ia.faculties.skills import Skill
from ia.faculties.skills.conditions import expression
from ia.faculties.skills.expertise import of as knowledge_of
from ia.kernel import clock
from ia.kernel.digest import sha256
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

KINDS = (
    "file", "source", "changed", "newer", "quote", "page", "number", "polarity", "expression", "scan", "contradiction",
    "duplicate", "coverage",
)  # fmt: skip
ALIKE_CONDITION, ALIKE_ACTION = 0.75, 0.7
"""Share of words that two conditions, or two actions, have in common, if they are the same."""


class Finding(NamedTuple):
    """What is wrong with an entry (`id`, "" for a sentence without one): one of KINDS, and why."""

    id: str
    kind: str
    file: str
    problem: Message
    document: str
    page: int
    quote: str


class Verification(NamedTuple):
    """What came of a verification: entries, how many of them have a quote, and how many quotes stand word for word.

    candidates  sentences of the documents that have the form of a rule; covered: those that an entry rests on
    """

    findings: list[Finding]
    entries: int
    quotes: int
    verbatim: int
    near: int
    documents: int
    candidates: int
    covered: int


class Source:
    """A document that a skill cites, and its text, read once."""

    def __init__(self, ws: Workspace, name: str, document: Document | None, told: Json) -> None:
        self.ws, self.name, self.document, self.told = ws, name, document, told
        self._text: DocumentText | None = None
        self.body = library.read_document(ws, document) if document else ""

    @property
    def text(self) -> DocumentText:
        """Its text, ready for quotes."""
        if self._text is None:
            self._text = DocumentText(self.body)
        return self._text

    def problems(self) -> Iterator[tuple[str, Message]]:
        """Yield what is wrong with the document itself."""
        if self.document is None:
            yield "source", Message("the document {name} is not in the library", name=self.name)
            return
        title = self.document.title
        data = self.ws.read_bytes(self.document.source, MAX_INPUT) if self.document.source else None
        known = str(self.told.get("sha256") or "")
        if self.document.source and data is None:
            yield "source", Message("{title}: its source {path} is missing", title=title, path=self.document.source)
        elif data is not None and sha256(data).hexdigest() != self.document.sha256:
            yield "changed", Message("{title}: the source changed after it was converted", title=title)
        elif known and known != self.document.sha256:
            yield "changed", Message("{title}: the source is another one than when the skill was built", title=title)
        if clock.is_simulated() and self.document.date and self.document.date > clock.today():
            yield "newer", Message("{title} was published on {date}", title=title, date=self.document.date)
        elif clock.is_past() and not self.document.date:
            yield "newer", Message("{title}: the publication date is unknown", title=title)


def verify_skill(ws: Workspace, skill: Skill, skip: Collection[str] = ()) -> Verification:
    """Return what does not agree between a skill and its documents. Costs a second for a book of 200 pages.

    skip  kinds of findings that are not looked for
    """
    found = verify_entries(ws, load_entries(ws, skill), load_sources(ws, skill), skip)
    problems = [
        Finding(id="", kind="file", file="", problem=problem, document="", page=0, quote="")
        for problem in knowledge_of(ws, skill).problems
    ]
    return found if "file" in skip else found._replace(findings=[*problems, *found.findings])


def verify_entries(
    ws: Workspace, entries: list[Entry], told: dict[str, Json], skip: Iterable[str] = ()
) -> Verification:
    """Return what does not agree between entries and their documents.

    told  what the skill says of its documents, see load_sources()
    """
    left_out = frozenset(skip)
    sources = load_documents(ws, [each.document for each in entries] + list(told), told)
    findings: list[Finding] = []
    matches: list[QuoteMatch] = []
    for source in sources.values():
        findings += [
            Finding(id="", kind=kind, file="", problem=problem, document=source.name, page=0, quote="")
            for kind, problem in source.problems()
        ]
    for entry in entries:
        source_of_entry = sources.get(entry.document)
        match = source_of_entry.text.find(entry.quote) if source_of_entry and entry.quote else None
        if match is not None and source_of_entry is not None and source_of_entry.document is not None:
            matches.append(match)
        findings += [_finding(entry, kind, problem) for kind, problem in _check_entry(entry, source_of_entry, match)]
    findings += _check_pairs(entries)
    candidates, uncovered = _find_uncovered(entries, sources.values()) if "coverage" not in left_out else (0, [])
    findings += uncovered
    kept = [each for each in findings if each.kind not in left_out]
    return Verification(
        findings=kept,
        entries=len(entries),
        quotes=sum(bool(entry.quote) for entry in entries),
        verbatim=sum(match.verdict == VERBATIM for match in matches),
        near=sum(match.is_supported and match.verdict != VERBATIM for match in matches),
        documents=len(sources),
        candidates=candidates,
        covered=candidates - len(uncovered),
    )


def load_documents(ws: Workspace, names: Iterable[str], told: dict[str, Json]) -> dict[str, Source]:
    """Return the documents of these names: those that the skill was built from, else those that are called so."""
    every = library.read_all(ws)
    found: dict[str, Source] = {}
    for name in dict.fromkeys(filter(None, names)):
        said = told.get(name, {})
        ids = {str(said[key]).casefold() for key in ("id", "path") if said.get(key)}
        document = next((each for each in every if each.id in ids or each.path.casefold() in ids), None)
        document = document or next((each for each in every if each.is_called(name.casefold())), None)
        found[name] = Source(ws, name, document, said)
    return found


def _finding(entry: Entry, kind: str, problem: Message) -> Finding:
    return Finding(
        id=entry.id,
        kind=kind,
        file=entry.file,
        problem=problem,
        document=entry.document,
        page=entry.page,
        quote=entry.quote,
    )


def _check_entry(entry: Entry, source: Source | None, match: QuoteMatch | None) -> Iterator[tuple[str, Message]]:
    """Yield what is wrong with one entry."""
    if entry.expression and expression(entry.expression) is None:
        yield "expression", Message("ia cannot evaluate {expression}", expression=entry.expression[:80])
    elif entry.expression and entry.condition and (lost := _lost_numbers(entry.condition, entry.expression)):
        yield "expression", Message("the expression lacks {numbers} of the condition", numbers=", ".join(lost))
    if not entry.document:
        if entry.kind != STEP:
            yield "source", Message("the source is no document with a quote")
        return
    if source is None or source.document is None:
        return  # told once, of the document
    if not entry.quote or match is None:
        yield "quote", Message("the source has no quote")
        return
    if not match.is_supported:
        if match.verdict == ALTERED:
            yield "quote", Message("the document says: {found}", found=match.found[:200])
        else:
            yield "quote", Message("the quote does not stand in {title}", title=source.document.title)
    elif entry.page and match.page and entry.page != match.page:
        yield "page", Message("the quote stands on page {page}", page=match.page)
    pages = (page for section in source.text.sections for page in section.pages)
    if match.page and not entry.is_checked and any(page.ocr for page in pages if page.page == match.page):
        yield (
            "scan",
            Message(
                "page {page} was read from an image; compare it, then add `checked: NAME` to the source",
                page=match.page,
            ),
        )
    if foreign := statements.foreign_numbers(entry.said, entry.quote):
        yield "number", Message("the quote lacks {numbers}", numbers=", ".join(foreign))
    words = statements.contradictions(entry.condition, entry.quote, near=True)
    if words := words + statements.contradictions(entry.action, entry.quote):
        yield "polarity", Message("the quote says the contrary about: {words}", words=", ".join(words[:5]))


def _lost_numbers(condition: str, text: str) -> list[str]:
    """Return the numbers of a condition in words that its expression lacks; 8 % may be 8 or 0.08 there."""
    held = {abs(each.value) for each in statements.numbers_of(text.replace("_", " "))}
    numbers = [each for each in statements.numbers_of(condition) if not each.vague]
    return [
        each.said
        for each in numbers
        if not {each.value, round(each.value * 100, 6), round(each.value / 100, 8)} & held and each.value not in (0, 1)
    ]


def _check_pairs(entries: list[Entry]) -> Iterator[Finding]:
    """Yield the entries that say the same as an earlier one, or the contrary."""
    groups: dict[str, list[tuple[Entry, set[str], set[str]]]] = {}
    for entry in entries:
        if entry.kind != STEP and entry.condition and entry.action:
            words = statements.words_of(entry.condition), statements.words_of(entry.action)
            groups.setdefault(entry.kind, []).append((entry, *words))
    for group in groups.values():
        for (first, condition, action), (second, other_condition, other_action) in combinations(group, 2):
            if not _are_alike(condition, other_condition, ALIKE_CONDITION) or _numbers(first) != _numbers(second):
                continue
            if statements.contradictions(first.condition, second.condition, near=True):
                continue
            if statements.is_contrary(second.action, first.action):
                yield _finding(second, "contradiction", Message("says the contrary of {id}", id=first.id))
            elif _are_alike(action, other_action, ALIKE_ACTION):
                yield _finding(second, "duplicate", Message("says the same as {id}", id=first.id))


def _numbers(entry: Entry) -> set[float]:
    return {each.value for each in statements.numbers_of(entry.condition) if not each.vague}


def _are_alike(first: set[str], second: set[str], share: float) -> bool:
    both = first | second
    return bool(both) and len(first & second) >= share * len(both)


def _find_uncovered(entries: list[Entry], sources: Iterable[Source]) -> tuple[int, list[Finding]]:
    """Return how many sentences have the form of a rule, and those that no entry quotes."""
    count = 0
    found = []
    for source in sources:
        if source.document is None:
            continue
        quotes = [fold_quote(entry.quote)[0] for entry in entries if entry.document == source.name and entry.quote]
        for candidate in find_candidates(read_sentences(source.body)):
            if candidate.kind != RULE_CANDIDATE:
                continue
            count += 1
            sentence = candidate.sentence
            if not is_covered(sentence, quotes):
                found.append(
                    Finding(
                        id="",
                        kind="coverage",
                        file="",
                        problem=Message("no entry rests on this sentence"),
                        document=source.name,
                        page=sentence.page,
                        quote=sentence.text,
                    )
                )
    return count, found
