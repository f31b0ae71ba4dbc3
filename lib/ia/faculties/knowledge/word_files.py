"""DOCX: paragraphs, outline levels, tables, notes and text boxes; tracked insertions count, deletions do not."""

from collections.abc import Iterator
from typing import Any

from ia.faculties.knowledge.archives import Archive, local_name, parse_xml
from ia.faculties.knowledge.extract import (
    ConversionError,
    Extract,
    clean_line,
    format_heading,
    format_paragraph,
    parse_stamp,
)
from ia.kernel.patterns import pattern

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = pattern(r"(?:heading|标题)\s*([1-9])", 2)
_GONE = ("del", "moveFrom", "Fallback", "rPr", "pPr", "instrText", "delText")
"""Elements whose text is not read: deletions, and the older form of what stands beside it."""


def read_docx(archive: Archive) -> Extract:
    """Return the text of a DOCX file."""
    body = archive.read("word/document.xml")
    if body is None:
        raise ConversionError("unsupported")
    reader = _Reader(_heading_styles(archive), _read_notes(archive))
    root = parse_xml(body)
    blocks = [block for element in root.iterchildren(_W + "body") for block in reader.blocks(element)]
    title, author, day = _read_properties(archive)
    return Extract(
        text="\n\n".join(blocks) + "\n", title=title, author=author, date=day, date_from="metadata" if day else ""
    )


def _heading_styles(archive: Archive) -> dict[str, int]:
    """Return the level of each style that is a heading, by its outline level, its name, or what it is based on."""
    data = archive.read("word/styles.xml")
    if data is None:
        return {}
    levels: dict[str, int] = {}
    based: dict[str, str] = {}
    for style in parse_xml(data).iterchildren(_W + "style"):
        key = style.get(_W + "styleId") or ""
        name = style.find(_W + "name")
        outline = style.find(f"{_W}pPr/{_W}outlineLvl")
        parent = style.find(_W + "basedOn")
        if parent is not None:
            based[key] = parent.get(_W + "val") or ""
        called = (name.get(_W + "val") or "").strip() if name is not None else ""
        by_name = _HEADING.fullmatch(called)
        if outline is not None:
            levels[key] = _outline_level(outline)
        elif by_name:
            levels[key] = int(by_name[1])
        elif called.casefold() == "title":
            levels[key] = 1
    for key in based:
        above, seen = key, 0
        while above not in levels and above in based and seen < 20:
            above, seen = based[above], seen + 1
        levels.setdefault(key, levels.get(above, 0))
    return levels


def _outline_level(element: Any) -> int:
    value = element.get(_W + "val") or ""
    return int(value) + 1 if value.isdecimal() and len(value) == 1 and int(value) < 9 else 0


def _read_notes(archive: Archive) -> dict[tuple[str, str], str]:
    """Return the footnotes and endnotes by kind and number."""
    found = {}
    for kind in ("footnote", "endnote"):
        data = archive.read(f"word/{kind}s.xml")
        for note in parse_xml(data).iterchildren(_W + kind) if data is not None else ():
            if note.get(_W + "type") in (None, "normal"):
                found[kind, note.get(_W + "id") or ""] = clean_line("".join(_texts(note, [])))
    return found


def _read_properties(archive: Archive) -> tuple[str, str, str]:
    """Return title, author and day of creation."""
    data = archive.read("docProps/core.xml")
    told = {local_name(each): each.text or "" for each in parse_xml(data)} if data is not None else {}
    return (
        clean_line(told.get("title", ""))[:300],
        clean_line(told.get("creator", ""))[:300],
        parse_stamp(told.get("created", "")),
    )


class _Reader:
    """Turns elements into blocks of Markdown."""

    def __init__(self, styles: dict[str, int], notes: dict[tuple[str, str], str]) -> None:
        self._styles, self._notes = styles, notes

    def blocks(self, parent: Any) -> Iterator[str]:
        for element in parent:
            name = local_name(element)
            if name == "p":
                yield from self._paragraph(element)
            elif name == "tbl":
                yield from self._table(element)
            elif name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "txbxContent"):
                yield from self.blocks(element)

    def _paragraph(self, element: Any) -> Iterator[str]:
        boxes: list[Any] = []
        text = clean_line("".join(_texts(element, boxes)))
        level = self._level(element)
        if text:
            yield format_heading(level, text) if level else format_paragraph(text)
        for reference in element.iter(_W + "footnoteReference", _W + "endnoteReference"):
            kind = local_name(reference).removesuffix("Reference")
            note = self._notes.get((kind, reference.get(_W + "id") or ""))
            if note:
                yield format_paragraph(note)
        for box in boxes:
            yield from self.blocks(box)

    def _level(self, element: Any) -> int:
        own = element.find(f"{_W}pPr/{_W}outlineLvl")
        if own is not None:
            return _outline_level(own)
        style = element.find(f"{_W}pPr/{_W}pStyle")
        return self._styles.get(style.get(_W + "val") or "", 0) if style is not None else 0

    def _table(self, element: Any) -> Iterator[str]:
        rows = []
        for row in element.iterchildren(_W + "tr"):
            cells = [
                clean_line(" ".join("".join(_texts(each, [])) for each in cell.iter(_W + "p"))).replace("|", "\\|")
                for cell in row.iterchildren(_W + "tc")
            ]
            rows.append(f"| {' | '.join(cells)} |")
        if rows:
            yield "\n".join(rows)


def _texts(element: Any, boxes: list[Any]) -> Iterator[str]:
    """Yield the pieces of text below an element; text boxes go to `boxes`."""
    stack = [iter(element)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            continue
        name = local_name(child)
        if name == "t":
            yield child.text or ""
        elif name in ("tab", "br", "cr"):
            yield " "
        elif name == "noBreakHyphen":
            yield "-"
        elif name == "txbxContent":
            boxes.append(child)
        elif name not in _GONE:
            stack.append(iter(child))
