"""What an answer rests on, in the order of trust: own rules, the user's documents, the web, data of tools, the model.

A document or a source of the web counts where the reply cites it.
"""

from typing import NamedTuple

from ia.agent.tools.scope import Scope
from ia.agent.turns.citations import list_citations, normalize_citation
from ia.kernel import audit
from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.organs.recall.documents import CITED

RULES, KNOWLEDGE, RESEARCH, DATA, MODEL = "rules", "knowledge", "research", "data", "model"
_TOLD = {
    KNOWLEDGE: Message("your documents"),
    RESEARCH: Message("research on the web"),
    DATA: Message("data of tools"),
    MODEL: Message("the model alone"),
}
_OWN = frozenset({"search_knowledge", "web.search", "web.fetch", "skills.load", "skills.list", "show_advice"})
"""Tools whose answers are rules, documents or sources, or that only show something."""


class Basis(NamedTuple):
    """The levels that a reply rests on, the skills whose rules it was given, and the sources of the web it cites."""

    levels: list[str]
    skills: list[str]
    sources: list[Json]

    def describe(self) -> list[Message]:
        """Return the levels in words."""
        rules = Message("rules of {skills}", skills=", ".join(self.skills))
        return [rules if level == RULES else _TOLD[level] for level in self.levels]


def find_basis(scope: Scope, reply: str) -> Basis:
    """Return what a reply rests on."""
    cited = {normalize_citation(name) for name in list_citations(reply)}
    sources: list[Json] = [
        {"citation": f"W{at}", "title": each.title, "published": each.published or None, "url": each.url}
        for at, each in enumerate(scope.sources, 1)
        if normalize_citation(f"W{at}") in cited
    ]
    web = {normalize_citation(f"W{at}") for at in range(1, len(scope.sources) + 1)}
    documents = {normalize_citation(each.citation) for each in scope.passages} - web
    skills = list(dict.fromkeys([*scope.ruled, *scope.loaded]))
    levels = [
        level
        for level, used in (
            (RULES, bool(skills)),
            (KNOWLEDGE, bool(documents & cited)),
            (RESEARCH, bool(sources)),
            (DATA, any(call.ok and call.name not in _OWN for call in scope.calls)),
        )
        if used
    ]
    return Basis(levels or [MODEL], skills, sources)


def record_citations(scope: Scope, reply: str) -> None:
    """Keep which sentences of documents a reply cites: what recurs can become a rule (`ia knowledge recurring`)."""
    cited = {normalize_citation(name) for name in list_citations(reply)}
    told = {each.quote: each for each in scope.passages if each.path and normalize_citation(each.citation) in cited}
    for each in told.values():
        about = {"page": each.page} if each.page else {}
        audit.record(
            scope.ws.db,
            CITED,
            each.path,
            scope.actor,
            quote=each.quote[:500],
            heading=each.heading,
            session=scope.session,
            **about,
        )
