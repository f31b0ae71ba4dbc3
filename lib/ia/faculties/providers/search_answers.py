"""Search hits in the answer of an MCP server: servers answer with objects, with JSON in texts, or with plain lines.

What the fields are called differs from server to server; the names that the known ones use are listed here.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_NAMES = {
    "url": ("url", "link", "href", "source_url"),
    "title": ("title", "name", "headline"),
    "published": (
        "published", "publisheddate", "published_date", "publishedat", "published_at", "datepublished", "page_age",
        "date", "age", "pubdate", "time",
    ),
    "snippet": ("snippet", "description", "summary", "content", "text", "body", "highlights"),
}  # fmt: skip
"""Field of a hit -> what servers call it, in small letters, the best first."""
_LABELS = {"published date": "published", "published on": "published", **{n: f for f, ns in _NAMES.items() for n in ns}}
_LINE = pattern(r"^\s*(?:[-*]\s+)?(?:#+\s*)?\**([A-Za-z_][A-Za-z_ ]{1,15}?)\**\s*[:：]\s*\**\s*(.*)$")
_NUMBERED = pattern(r"^\s*(?:#+\s*)?\**(?:\[\d{1,3}\]|\d{1,3}[.)])\**\s+(.+)$")
_MARKDOWN = pattern(r"\[([^\[\]\n]{1,300})\]\(<?(https?://[^\s<>()]+(?:\([^\s()]*\)[^\s()]*)*)>?\)")
_BARE = pattern(r"^\s*(https?://\S+)\s*$")
MAX_HITS = 100
MAX_DEPTH = 8


def find_hits(value: object) -> list[Json]:
    """Return the hits of an answer, each with `url` and, where they are told, title, published and snippet.

    >>> find_hits({"results": [{"link": "https://a.example/1", "name": "One", "page_age": "2024-03-01"}]})
    [{'url': 'https://a.example/1', 'title': 'One', 'published': '2024-03-01'}]
    >>> [hit["title"] for hit in find_hits("1. First\\n   URL: https://a.example\\n2. Second\\n   URL: https://b.example")]
    ['First', 'Second']
    """
    hits = list(_walk(value, 0))
    return hits[:MAX_HITS]


def find_page(value: object) -> Json:
    """Return the page that an answer to a fetch is: text and, where they are told, title, published and url."""
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, dict):
        inner = value.get("result", value.get("results"))
        if isinstance(inner, list) and inner:
            inner = inner[0]
        if isinstance(inner, dict | str) and not any(name in value for name in ("text", "content", "markdown")):
            return find_page(inner)
        fields = _read_fields(value)
        text = next(
            (value[name] for name in ("raw_content", "markdown", "text", "content", "body") if value.get(name)), ""
        )
        return {**fields, "text": text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)}
    return {"text": ""}


def _walk(value: object, depth: int) -> Iterator[Json]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, depth + 1)
    elif isinstance(value, dict):
        fields = _read_fields(value)
        if "url" in fields:
            yield fields
        else:
            for item in value.values():
                if isinstance(item, list | dict | str):
                    yield from _walk(item, depth + 1)
    elif isinstance(value, str):
        documents = _read_documents(value)
        if documents:
            yield from _walk(documents, depth + 1)
        else:
            yield from _read_lines(value)


def _read_fields(value: Json) -> Json:
    small = {str(key).lower(): item for key, item in value.items()}
    found: Json = {}
    for field, names in _NAMES.items():
        for name in names:
            item = small.get(name)
            if isinstance(item, list) and all(isinstance(each, str) for each in item):
                item = " … ".join(item)
            if isinstance(item, str) and item.strip():
                found[field] = item.strip()
                break
    if not str(found.get("url", "")).lower().startswith(("http://", "https://")):
        found.pop("url", None)
    return found


def _read_documents(text: str) -> list[Any]:
    """Return the JSON documents that a text consists of, one after the other; [] where it is none."""
    decoder, found, at = json.JSONDecoder(), [], 0
    text = text.strip()
    with contextlib.suppress(ValueError, RecursionError):
        while at < len(text) and text[at] in "{[":
            value, end = decoder.raw_decode(text, at)
            found.append(value)
            at = end + len(text[end:]) - len(text[end:].lstrip())
        return found if at >= len(text) else []
    return []


def _read_lines(text: str) -> Iterator[Json]:
    """Yield the hits of a text of lines `Title: …`, `URL: …`, of numbered titles, or of Markdown links."""
    hit: Json = {}
    last = ""

    def is_new(field: str) -> bool:
        return field in hit and field in ("title", "url")

    for line in text.splitlines():
        labelled, numbered = _LINE.match(line), _NUMBERED.match(line)
        field = _LABELS.get(labelled[1].strip().lower(), "") if labelled else ""
        linked, bare = _MARKDOWN.search(line), _BARE.match(line)
        given: Json = {}
        if field and labelled:
            given[field] = labelled[2].strip().strip("*").strip("<>")
            last = field if field == "snippet" else ""
        elif linked:
            given = {"title": linked[1], "url": linked[2]}
            last = "snippet"
        elif bare:
            given = {"url": bare[1]}
            last = "snippet"
        elif numbered:
            given = {"title": numbered[1].strip("* ")}
            last = ""
        elif last and line.strip() and hit.get("url"):
            hit["snippet"] = f"{hit.get('snippet', '')} {line.strip()}".strip()
        if any(map(is_new, given)):
            if "url" in hit:
                yield hit
            hit = {}
        hit.update({name: word for name, word in given.items() if word})
    if re.match(r"https?://", str(hit.get("url", ""))):
        yield hit
