"""From the lines of pages to a text with headings: running heads go, lines become paragraphs, pages are joined."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ia.faculties.knowledge.extract import (
    TERMINAL,
    clean_line,
    clean_text,
    format_heading,
    format_paragraph,
    join_lines,
)
from ia.kernel.patterns import pattern
from ia.organs.recall.documents import page_mark

GARBLED = 0.02
"""Share of characters without meaning from which a page is unreadable: 0.000 on good pages, above 0.1 on bad ones."""
RUNNING = 0.3
"""Share of pages on which a line at the edge recurs that is a running head."""
FEW = 4
"""Lines of a page below which its widest line tells nothing."""
_DIVIDED = pattern(r"[^\W\d_][-\u2010\u00ad]\Z")
_DIGITS = pattern(r"\d+|(?<![A-Za-z])[ivxlcIVXLC]+(?![A-Za-z])")
_LIST = pattern(
    r"(?:[•·●○■□▪◦*–—-]\s|\(?\d{1,2}[.)、]\s?\D|[（(][一二三四五六七八九十\d]{1,3}[）)]|第[一二三四五六七八九十百\d]{1,4}[条步])"
)
_NUMBER = pattern(r"[-+(]?[\d.,]*\d[\d.,]*[%)]?")


class Line(NamedTuple):
    """A line of a page: its text, the size of its letters, and how wide it is, in points (0: unknown)."""

    text: str
    size: float = 0.0
    width: float = 0.0


class Page(NamedTuple):
    """A page: its lines and its printed label.

    problem   why it has no text: "", scan, garbled, empty or damaged
    ocr       its lines were read from an image
    """

    lines: list[Line]
    label: str = ""
    problem: str = ""
    ocr: bool = False


class OutlineEntry(NamedTuple):
    """A line of a table of contents: page from 0, level from 1."""

    page: int
    level: int
    title: str


def is_garbled(text: str) -> bool:
    """Return True if too many characters of a page mean nothing: its font has no map to Unicode."""
    seen = [c for c in text if not c.isspace() and c not in "\ufffe\x02"]
    bad = sum(unicodedata.category(c) in ("Cc", "Co", "Cn") for c in seen)
    return bool(seen) and bad > GARBLED * len(seen)


def lay_out(pages: Sequence[Page], outline: Sequence[OutlineEntry]) -> str:
    """Return the text of pages as Markdown with a mark where each page begins."""
    bodies = _strip_running_heads(pages)
    levels = _levels_by_size(bodies) if not outline else {}
    widest = max((line.width for lines in bodies for line in lines if line.size not in levels), default=0.0)
    out: list[str] = []
    open_paragraph = False
    for number, (page, lines) in enumerate(zip(pages, bodies, strict=True)):
        mark = page_mark(number + 1, page.label, page.ocr)
        entries = [entry for entry in outline if entry.page == number]
        blocks = _make_blocks(lines, entries, levels, widest)
        if open_paragraph and blocks and blocks[0][0] == "text":
            out[-1] = _join_over_page(out[-1], mark, blocks[0][1])
            blocks_left = blocks[1:]
            last = ("text", out[-1]) if not blocks_left else blocks_left[-1]
        else:
            out.append(mark)
            blocks_left, last = blocks, blocks[-1] if blocks else ("", "")
        out += [text for _, text in blocks_left]
        if blocks:  # an empty page within a paragraph does not end it
            open_paragraph = last[0] == "text" and last[1].rstrip()[-1:] not in TERMINAL
        elif open_paragraph:
            open_paragraph = False
    return "\n\n".join(out).replace("\ufffe", "").replace("\x02", "") + "\n"


def _join_over_page(before: str, mark: str, after: str) -> str:
    """Return a paragraph that continues on the next page; a word divided there (pdfium keeps its hyphen) is one."""
    if _DIVIDED.search(before) and after[:1].islower():
        return before[:-1] + mark + after
    joined = join_lines(before, after)
    return joined[: len(joined) - len(after)] + mark + after


def _strip_running_heads(pages: Sequence[Page]) -> list[list[Line]]:
    """Return the lines of pages without heads and feet: what recurs within the first and the last two lines."""
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({_fold(line.text) for line in _edges(page.lines)})
    filled = sum(1 for page in pages if page.lines)
    least = max(2.0, RUNNING * filled)
    running = {text for text, count in seen.items() if count >= least}
    return [_without_edges(page.lines, running) or page.lines for page in pages]  # no page loses all that it has


def _edges(lines: list[Line]) -> list[Line]:
    return lines if len(lines) <= 4 else [*lines[:2], *lines[-2:]]


def _without_edges(lines: list[Line], running: set[str]) -> list[Line]:
    count = len(lines)
    return [line for at, line in enumerate(lines) if not ((at < 2 or at >= count - 2) and _fold(line.text) in running)]


def _fold(text: str) -> str:
    return _DIGITS.sub("0", "".join(text.split()))


def _levels_by_size(bodies: list[list[Line]]) -> dict[float, int]:
    """Return the level of headings by the size of their letters; nothing where all letters have one size."""
    sizes: Counter[float] = Counter()
    for lines in bodies:
        for line in lines:
            sizes[line.size] += len(line.text)
    if not sizes:
        return {}
    body = sizes.most_common(1)[0][0]
    larger = sorted((size for size in sizes if body and size > 1.08 * body), reverse=True)
    return {size: min(level, 6) for level, size in enumerate(larger, 1)}


def _make_blocks(
    lines: list[Line], entries: list[OutlineEntry], levels: dict[float, int], widest: float
) -> list[tuple[str, str]]:
    """Return the lines of a page as blocks: heading, table or text.

    widest   width of the widest line of the document, for a page that has too few lines to tell
    """
    blocks: list[tuple[str, str]] = []
    if len(lines) >= FEW:
        widest = max((line.width for line in lines if line.size not in levels), default=0.0)
    left = list(entries)
    at = 0
    current = ""
    while at < len(lines):
        line = lines[at]
        found, used = _match_entry(lines, at, left)
        if found is None and line.size in levels and len(line.text) < 60:
            used = _heading_lines(lines, at, levels)
            title = ""
            for each in lines[at : at + used]:
                title = join_lines(title, each.text)
            found = OutlineEntry(0, levels[line.size], title)
        elif found is not None:
            left.remove(found)
        rows = 0 if found is not None else _count_table_rows(lines, at)
        if (found is not None or rows) and current:
            blocks.append(("text", format_paragraph(current)))
            current = ""
        if found is not None:
            blocks.append(("heading", format_heading(found.level, found.title)))
            at += used
        elif rows:
            table = [clean_text(each.text) for each in lines[at : at + rows]]
            blocks.append(("table", "<!-- table -->\n" + "\n".join(map(format_paragraph, table))))
            at += rows
        else:
            text = _clean_keeping_hyphen(line.text)
            if current and _LIST.match(text):
                blocks.append(("text", format_paragraph(current)))
                current = ""
            current = join_lines(current, text)
            if _ends_paragraph(line, widest):
                blocks.append(("text", format_paragraph(current)))
                current = ""
            at += 1
    if current:
        blocks.append(("text", format_paragraph(current)))
    if left:  # headings whose words stand on no line of the page
        blocks[:0] = [("heading", format_heading(entry.level, entry.title)) for entry in left if entry.title.strip()]
    return blocks


def _clean_keeping_hyphen(text: str) -> str:
    hyphen = "\ufffe" if text[-1:] in "\ufffe\x02" and text else ""
    return clean_line(text) + hyphen


def _match_entry(lines: list[Line], at: int, entries: list[OutlineEntry]) -> tuple[OutlineEntry | None, int]:
    """Return the entry of the outline that up to three lines are, and how many lines."""
    joined = ""
    for used in range(1, 4):
        if at + used > len(lines) or not entries:
            break
        joined += "".join(clean_line(lines[at + used - 1].text).split())
        for entry in entries:
            if joined and "".join(clean_line(entry.title).split()) == joined:
                return entry, used
    return None, 0


def _heading_lines(lines: list[Line], at: int, levels: dict[float, int]) -> int:
    """Return over how many lines a heading goes: those of its size that follow, where it fills its line."""
    used = 1
    while (
        at + used < len(lines)
        and used < 3
        and lines[at + used].size == lines[at].size
        and lines[at + used - 1].width > 0.8 * max(line.width for line in lines)
    ):
        used += 1
    return used


def _count_table_rows(lines: list[Line], at: int) -> int:
    """Return how many lines from here are rows of a table: three or more that are mostly figures, with their head."""
    rows = 0
    while at + rows < len(lines) and _is_row(lines[at + rows].text):
        rows += 1
    if rows >= 3:
        return rows
    if not rows and at + 1 < len(lines) and len(lines[at].text.split()) >= 3:  # the head of a table
        below = _count_table_rows(lines, at + 1) if _is_row(lines[at + 1].text) else 0
        same = below and abs(len(lines[at].text.split()) - len(lines[at + 1].text.split())) <= 1
        return below + 1 if same else 0
    return 0


def _is_row(text: str) -> bool:
    cells = text.split()
    return len(cells) >= 3 and sum(bool(_NUMBER.fullmatch(cell)) for cell in cells) * 2 >= len(cells)


def _ends_paragraph(line: Line, widest: float) -> bool:
    """Return True if a line ends well before the others of its page do."""
    if not widest or not line.width:
        return line.text[-1:] in TERMINAL and len(line.text) < 30
    share = 0.92 if line.text[-1:] in TERMINAL else 0.6
    return line.width < share * widest
