"""What web.search and web.fetch return: sources that may count, each with the number under which a reply cites it."""

from fnmatch import fnmatchcase

from ia.agent.tools.scope import CitedPassage, Scope
from ia.faculties import web_sources
from ia.faculties.web_sources import WebPage, WebSource
from ia.kernel import untrusted
from ia.kernel.errors import Refused
from ia.kernel.jsontypes import Json

LOOKUP = "search_knowledge"


def require_order(scope: Scope) -> None:
    """Raise Refused where rules and the user's documents were not asked before the web, and there are any."""
    if scope.actor == "user" or any(call.name == LOOKUP and call.ok for call in scope.calls):
        return
    if scope.allowed is not None and not any(fnmatchcase(LOOKUP, pattern) for pattern in scope.allowed):
        return
    from ia.faculties.knowledge import library

    if scope.active or library.list_documents(scope.ws):
        raise Refused(
            "{tool}: rules and the user's documents come before the web",
            code="trust-order",
            tool=web_sources.SEARCH,
            hint="call search_knowledge first",
        )


def present_answer(scope: Scope, tool: str, arguments: Json, value: object) -> Json:
    """Return a provider's answer as its reader gets it; a source that was seen before keeps its number.

    raises  what check_search() and check_page() raise.
    """
    if tool == web_sources.SEARCH:
        found = web_sources.check_search(value)
        sources = [_present_source(scope, each) for each in found.sources]
        refused = web_sources.describe_refused(found.refused)
        return {"query": arguments.get("query"), "sources": sources, **({"refused": refused} if refused else {})}
    page = web_sources.check_page(value, str(arguments.get("url") or ""))
    citation = _number_source(scope, WebSource(page.url, page.title, page.published, ""), page)
    scope.passages.append(CitedPassage(citation, page.text))
    return {"citation": citation, **page._asdict(), "title": untrusted.fold_text(page.title), "text": page.text}


def _present_source(scope: Scope, source: WebSource) -> Json:
    citation = _number_source(scope, source)
    scope.passages.append(CitedPassage(citation, f"{source.title}\n{source.snippet}"))
    return {
        "citation": citation,
        "title": source.title,
        "url": source.url,
        "published": source.published or None,
        "snippet": source.snippet,
    }


def _number_source(scope: Scope, source: WebSource, page: WebPage | None = None) -> str:
    """Return how a source is cited, `W1`; a page that a search found keeps its number and completes what is known."""
    for at, known in enumerate(scope.sources):
        if known.url in (source.url, page.final_url if page else source.url):
            if page is not None:
                scope.sources[at] = known._replace(
                    title=page.title or known.title, published=page.published or known.published
                )
            return f"W{at + 1}"
    scope.sources.append(source)
    return f"W{len(scope.sources)}"
