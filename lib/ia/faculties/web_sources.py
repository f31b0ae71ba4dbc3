"""What a search of the web brought, before anybody reads it: which sources may count, and what each of them is.

A provider offers tools called `web.search` and `web.fetch` (ia-provider(5), WEB); whichever does, its answers come
through here. A source that was published after now() is refused, one without a date while `--now` lies in the past, and
one whose address is private.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from ia.faculties.knowledge.extract import clean_line, clean_text, parse_stamp
from ia.kernel import clock
from ia.kernel.errors import BadData, NotFound, Refused
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

SEARCH, FETCH = "web.search", "web.fetch"
CONTRACT = (SEARCH, FETCH)
LATER, UNDATED, PRIVATE, MALFORMED = "later", "undated", "private", "malformed"
MAX_SOURCES = 20
MAX_SNIPPET, MAX_TITLE, MAX_URL = 1200, 300, 2000
MAX_TEXT = 12_000
"""Characters of a page that an answer holds."""
_FORMS = ("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%m/%d/%Y")
_INSIDE = (".localhost", ".local", ".internal", ".lan", ".intranet", ".home.arpa")


class WebSource(NamedTuple):
    """A source as a search tells it. published: a day or a moment, "" where nobody says."""

    url: str
    title: str
    published: str
    snippet: str


class WebPage(NamedTuple):
    """A page: `final_url` is where redirects led, `characters` the length of the whole text."""

    url: str
    final_url: str
    title: str
    published: str
    text: str
    characters: int
    fetched: str
    sha256: str


class SearchResult(NamedTuple):
    """The sources that count, and how many were refused for which reason (LATER, UNDATED, PRIVATE, MALFORMED)."""

    sources: list[WebSource]
    refused: dict[str, int]


def search_web(ws: Workspace, query: str, n: int | None = None, before: str = "") -> SearchResult:
    """Return what the workspace's provider of searches finds.

    raises  NotFound where there is no provider; why it cannot be asked; what check_search() raises.
    """
    from ia.faculties import providers

    found = next((tool for tool in providers.list_tools(ws) if tool.name == SEARCH), None)
    if found is None:
        off = next((each for each in providers.list_providers(ws) if each.is_off and each.name == "web"), None)
        if off is not None and off.problem is not None:
            raise off.problem
        raise NotFound(
            "no provider offers {tool}", tool=SEARCH, code="no-web-provider", hint="`ia profile use invest` brings one"
        )
    if not found.timely and clock.is_past():
        raise Refused("{tool} provides only current data, but ia runs as of {now}", tool=SEARCH, now=clock.today())
    asked: Json = {"query": query, **({"n": n} if n else {}), **({"before": before} if before else {})}
    return check_search(found.run(asked))


def check_search(value: object) -> SearchResult:
    """Return the sources of a provider's answer to a search, `{"hits": [{title, url, published, snippet}]}`.

    raises  BadData for another form; Refused where there were sources and none may count.
    """
    hits = value.get("hits") if isinstance(value, dict) else None
    if not isinstance(hits, list):
        raise BadData("the answer of {tool} has no list of hits", tool=SEARCH, code="provider-malformed")
    sources: dict[str, WebSource] = {}
    refused: dict[str, int] = {}
    for hit in hits[:200]:
        source = _read_hit(hit)
        reason = MALFORMED if source is None else find_refusal(source.url, source.published)
        if reason:
            refused[reason] = refused.get(reason, 0) + 1
        elif source is not None:
            sources.setdefault(source.url, source)
    if refused and not sources:
        raise _refuse_all(refused)
    return SearchResult(list(sources.values())[:MAX_SOURCES], refused)


def check_page(value: object, url: str) -> WebPage:
    """Return the page of a provider's answer to a fetch.

    raises  BadData for another form; Refused for a page that may not count; NotFound for one without text.
    """
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise BadData("the answer of {tool} has no text", tool=FETCH, code="provider-malformed")
    final = str(value.get("final_url") or url)
    published = parse_published(value.get("published"))
    if reason := find_refusal(final, published):
        raise _REFUSALS[reason](final, published)
    text = clean_text(value["text"]).strip()
    if not text:
        raise NotFound("{url}: the page has no text", url=url[:200])
    return WebPage(
        url=url,
        final_url=final,
        title=clean_line(str(value.get("title") or ""))[:MAX_TITLE] or final,
        published=published,
        text=text[:MAX_TEXT],
        characters=len(text),
        fetched=clock.utc_stamp(clock.now()),
        sha256=str(value.get("sha256") or "")[:64],
    )


def require_public(url: str) -> None:
    """Raise Refused where an address leads into a private network; the host's name is looked up."""
    from ia.faculties.knowledge import web_fetch

    web_fetch.require_allowed_host(url)


def find_refusal(url: str, published: str) -> str:
    """Return why a source may not count: PRIVATE, LATER, UNDATED; "" where it may."""
    if _is_private(url):
        return PRIVATE
    if not published:
        return UNDATED if clock.is_past() else ""
    return LATER if is_later(published) else ""


def is_later(published: str) -> bool:
    """Return True if a day or a moment lies after now()."""
    if len(published) > 10:
        return datetime.fromisoformat(published) > clock.now()
    return published > clock.today()


def parse_published(text: object) -> str:
    """Return when something was published, as a day or as a moment with its zone; "" where that cannot be told.

    What is told relative to the server's own day ("3 days ago") is no date here. Of a month or a year it is the last
    day.

    >>> [parse_published(text) for text in ("2024-03-01", "Tue, 12 Mar 2024 08:00:00 GMT", "Mar 5, 2024", "yesterday")]
    ['2024-03-01', '2024-03-12T08:00:00+00:00', '2024-03-05', '']
    >>> parse_published("2024-03-01T10:00:00Z"), parse_published("2024年3月"), parse_published(None)
    ('2024-03-01T10:00:00+00:00', '2024-03-31', '')
    """
    told = " ".join(str(text or "").split())[:60]
    moment = _parse_moment(told)
    if moment is not None:
        return moment.isoformat()
    if day := parse_stamp(told):
        return day
    for form in _FORMS:
        try:
            return datetime.strptime(told, form).replace(tzinfo=UTC).date().isoformat()
        except ValueError:
            continue
    return ""


def _parse_moment(text: str) -> datetime | None:
    """Return a moment whose zone is told; None for anything else."""
    from email.utils import parsedate_to_datetime

    readers: tuple[Callable[[str], datetime], ...] = (datetime.fromisoformat, parsedate_to_datetime)
    for read in readers:
        try:
            found = read(text)
        except (ValueError, TypeError, IndexError):
            continue
        if found.tzinfo is not None and date(1400, 1, 1) <= found.date():
            return found.replace(microsecond=0)
    return None


def _read_hit(hit: object) -> WebSource | None:
    if not isinstance(hit, Mapping):
        return None
    url = str(hit.get("url") or "").strip()
    if not url.lower().startswith(("http://", "https://")) or not _is_plain(url):
        return None
    return WebSource(
        url,
        clean_line(str(hit.get("title") or ""))[:MAX_TITLE] or url,
        parse_published(hit.get("published")),
        clean_line(str(hit.get("snippet") or ""))[:MAX_SNIPPET],
    )


def _is_plain(url: str) -> bool:
    return len(url) <= MAX_URL and url.isprintable() and not set(url) & set('\\ <>"')


def _is_private(url: str) -> bool:
    """Return True for an address that says by itself that it is none of the public internet, or has a password."""
    from urllib.parse import urlsplit

    from ia.faculties.knowledge import web_fetch

    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return True
    if not host or parts.username or parts.password:
        return True
    if host == "localhost" or host.endswith(_INSIDE):
        return not web_fetch.is_allowed("127.0.0.1" if host.endswith("localhost") else "10.0.0.1")
    numeric = web_fetch.numeric_address(host)
    return not web_fetch.is_allowed(numeric) if numeric else "." not in host


def _refuse_all(refused: Mapping[str, int]) -> Refused | NotFound:
    if refused.get(LATER) or refused.get(UNDATED):
        return Refused(
            "no source can be used as of {now}: published later: {later}, without a date: {undated}",
            code="look-ahead",
            now=clock.today(),
            later=refused.get(LATER, 0),
            undated=refused.get(UNDATED, 0),
        )
    return Refused(
        "no source can be used: {private} in a private network, {malformed} malformed",
        code="no-source",
        private=refused.get(PRIVATE, 0),
        malformed=refused.get(MALFORMED, 0),
    )


_REFUSALS: dict[str, Any] = {
    PRIVATE: lambda url, _: Refused("{url}: the host is in a private network", url=url[:200], code="private-address"),
    LATER: lambda url, day: Refused(
        "{url} was published on {date}, after {now}", code="look-ahead", url=url[:200], date=day[:10], now=clock.today()
    ),
    UNDATED: lambda url, _: Refused(
        "{url} has no publication date, and ia runs as of {now}", code="look-ahead", url=url[:200], now=clock.today()
    ),
}


def describe_refused(refused: Mapping[str, int]) -> Json:
    """Return the counts of refused sources as an answer has them."""
    return {name: refused[name] for name in (LATER, UNDATED, PRIVATE, MALFORMED) if refused.get(name)}
