"""Texts of knowledge/: where pages begin in them, and how they are cut into chunks that can be cited.

A converted document carries a mark where a page begins, also within a sentence: `<!-- page 3 label 1 -->`. A chunk is
about CHUNK characters of whole sentences under one heading, with the page of each of its characters.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ia.kernel.formats.frontmatter import find_block
from ia.kernel.patterns import pattern

CITED = "knowledge.cite"
"""The event that a reply has cited a sentence of a document."""
ROOT = "knowledge/"
CHUNK = 600
"""Characters of a chunk: measured, with the headings above as a field, it is found best (hit@5 0.993)."""
OVERLAP = 120
LONGEST = 900
"""Characters after which a sentence without an end is cut."""
UNKNOWN_DATE = "unknown"
"""The date of a document in its front matter when nobody knows when it was published."""
_NAME = pattern(r"[a-z][a-z0-9_]*")
MARK = pattern(r"<!-- page (\d{1,6})(?: label ([^\s<>]{1,20}))?( ocr)? -->")
_NOTE = pattern(r"<!-- (?:table|untrusted[^>]*) -->\n?")
_HEADING = pattern(r"(#{1,6})\s+(.+?)\s*#*\s*")
_SENTENCE = pattern(
    r".(?:[^。！？；.!?…\n]+|(?![.!?…]+[”’\"')\]]*\s)[.!?…]+)*"
    r"(?:[。！？；]+[”’」』）)\"']*|[.!?…]+[”’\"')\]]*(?=\s)|\n|\Z)\s*",
    re.S,
)


class PageStart(NamedTuple):
    """Where a page begins in a text: offset, number from 1, printed label ("" where none), read by OCR or not."""

    offset: int
    page: int
    label: str
    ocr: bool = False


class Chunk(NamedTuple):
    """A piece of a document: text, the headings above it, and the pages that it stands on, from offset 0 on."""

    text: str
    heading: str
    pages: list[PageStart]


def split_front(text: str) -> tuple[dict[str, str], str]:
    r"""Return the fields of a document's front matter, one a line, and the text below it.

    >>> split_front('---\ntitle: "A: \\"b\\""\npages: 3\n---\n# A\n')
    ({'title': 'A: "b"', 'pages': '3'}, '# A\n')
    """
    block = find_block(text)
    if block is None or block.body is None:
        return {}, text
    found: dict[str, str] = {}
    for line in text[block.start : block.end].splitlines():
        name, colon, value = line.partition(":")
        if colon and _NAME.fullmatch(name):
            found.setdefault(name, _unquote(value.strip()))
    return found, text[block.body :]


def _unquote(value: str) -> str:
    import json

    if value[:1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value.strip('"')
    return value.strip("'")


def is_document(path: str) -> bool:
    """Return True for a text of knowledge/."""
    return path.startswith(ROOT)


def page_mark(page: int, label: str = "", ocr: bool = False) -> str:
    """Return the mark that stands where a page begins.

    >>> page_mark(3, "1"), page_mark(3, "3"), page_mark(4, "A 1", True)
    ('<!-- page 3 label 1 -->', '<!-- page 3 -->', '<!-- page 4 label A_1 ocr -->')
    """
    label = re.sub(r"[\s<>]|--", "_", label.strip())[:20]
    shown = f" label {label}" if label and label != str(page) else ""
    return f"<!-- page {page}{shown}{' ocr' if ocr else ''} -->"


def strip_marks(text: str) -> str:
    """Return a text without marks, as it is shown."""
    return re.sub(r"\n{3,}", "\n\n", MARK.sub("", _NOTE.sub("", text)))


def split_document(text: str) -> list[Chunk]:
    r"""Return the chunks of a document without its front matter.

    >>> [chunk] = split_document("# A\n\n## B\n\n<!-- page 3 label 1 -->\n\nOne. Two")
    >>> chunk.heading, chunk.text, chunk.pages[0].page
    ('A › B', 'One. Two', 3)
    """
    return [chunk for section in split_sections(text) for chunk in _split_section(section)]


def split_sentences(text: str) -> list[tuple[int, str]]:
    """Return the sentences of a text, each with its offset; together they are the text."""
    found: list[tuple[int, str]] = []
    for match in _SENTENCE.finditer(text):
        start, sentence = match.start(), match[0]
        for cut in range(0, len(sentence), LONGEST):
            found.append((start + cut, sentence[cut : cut + LONGEST]))
    return found


def page_at(pages: list[PageStart], offset: int) -> PageStart | None:
    """Return the page that a place of a chunk stands on; None where the document has no pages."""
    found = None
    for page in pages:
        if page.offset > offset and found is not None:
            break
        found = page
    return found


def split_sections(text: str) -> Iterator[Chunk]:
    """Yield the text below each heading; a heading without text that leads to no deeper one is its own text."""
    path: list[tuple[int, str]] = []
    page: PageStart | None = None
    parts: list[str] = []
    starts: list[PageStart] = []
    length = 0

    def section() -> Chunk:
        body = "".join(parts)
        left = len(body) - len(body.lstrip())
        pages = [each._replace(offset=max(each.offset - left, 0)) for each in starts]
        pages = [each for at, each in enumerate(pages) if at + 1 == len(pages) or pages[at + 1].offset > each.offset]
        return Chunk(body.strip(), " › ".join(title for _, title in path), pages)

    for line in _NOTE.sub("", text).splitlines(keepends=True):
        heading = _HEADING.fullmatch(MARK.sub("", line).strip()) if line.startswith("#") else None
        if heading:
            done = section()
            if done.text:
                yield done
            elif path and len(heading[1]) <= path[-1][0]:
                yield done._replace(text=path[-1][1])
            path = [entry for entry in path if entry[0] < len(heading[1])]
            path.append((len(heading[1]), heading[2]))
            parts, starts, length = [], [page] if page else [], 0
            if page:
                starts = [page._replace(offset=0)]
            continue
        at = 0
        for mark in MARK.finditer(line):
            piece = line[at : mark.start()]
            parts.append(piece)
            length += len(piece)
            page = PageStart(length, int(mark[1]), mark[2] or "", bool(mark[3]))
            starts.append(page)
            at = mark.end()
        rest = line[at:]
        if at and not rest.strip() and not line[: line.find("<!--")].strip():
            rest = ""  # a line of its own: the mark is all that it holds
        if rest.startswith("\\#"):
            rest = rest[1:]
        if not rest.strip() and (not parts or parts[-1].endswith("\n\n") or not "".join(parts[-1:])):
            continue
        parts.append(rest)
        length += len(rest)
    done = section()
    if done.text:
        yield done
    elif path:
        yield done._replace(text=path[-1][1])


def _split_section(section: Chunk) -> Iterator[Chunk]:
    """Yield the chunks of a section: whole sentences, the last ones of a chunk again at the beginning of the next."""
    sentences = split_sentences(section.text)
    first = 0
    while first < len(sentences):
        last, size = first, 0
        while last < len(sentences) and (last == first or size + len(sentences[last][1]) <= CHUNK):
            size += len(sentences[last][1])
            last += 1
        begin = sentences[first][0]
        end = begin + size
        inside = [each for each in section.pages if begin < each.offset < end]
        before = page_at(section.pages, begin)
        pages = [before._replace(offset=0)] if before else []
        pages += [each._replace(offset=each.offset - begin) for each in inside]
        yield Chunk(section.text[begin:end].rstrip(), section.heading, pages)
        if last >= len(sentences):
            return
        again, room = last, OVERLAP
        while again - 1 > first and len(sentences[again - 1][1]) <= room:
            again -= 1
            room -= len(sentences[again][1])
        first = again
