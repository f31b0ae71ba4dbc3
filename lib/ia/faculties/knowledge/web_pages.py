"""HTML: the bytes decide the charset; what frames the article is left out."""

import re
from collections.abc import Iterator
from typing import Any

from ia.faculties.knowledge.extract import (
    ConversionError,
    Extract,
    clean_line,
    format_heading,
    format_paragraph,
    parse_stamp,
)

_DROPPED = {
    "nav", "aside", "footer", "header", "form", "script", "style", "noscript", "template", "iframe", "object", "svg",
    "button", "select", "input", "textarea", "head", "title", "math", "canvas", "audio", "video",
}  # fmt: skip
_BLOCKS = {
    "p", "div", "section", "article", "main", "body", "html", "ul", "ol", "li", "blockquote", "pre", "table", "tr",
    "dl", "dt", "dd", "figure", "figcaption", "hr", "address", "details", "summary", "center", "thead", "tbody",
    "h1", "h2", "h3", "h4", "h5", "h6",
}  # fmt: skip
_PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "publishdate", "pubdate", "publish_time",
    "dc.date", "dc.date.issued", "citation_publication_date", "date",
)  # fmt: skip
MAX_DEPTH = 200


def decode_html(data: bytes, charset: str = "") -> str:
    """Return the text of HTML: by its mark of order, its own declaration, the header of HTTP, else by what fits.

    >>> decode_html('<meta charset="gb2312"><p>止损'.encode("gbk"))[-2:]
    '止损'
    """
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(name, "replace").lstrip("\ufeff")
    declared = re.search(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,30})", data[:4096], re.I)
    declared = declared or re.match(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,30})", data[:400])
    names = [declared[1].decode("ascii", "replace")] if declared else []
    names += [charset] if charset else []
    for name in [*names, "utf-8", "gb18030"]:
        name = "gb18030" if name.lower() in ("gb2312", "gbk", "gb_2312-80", "x-gbk") else name
        try:
            return data.decode(name)
        except (LookupError, UnicodeError, ValueError):
            continue
    return data.decode("utf-8", "replace")


def parse_html(text: str) -> Any:
    """Return the root element of HTML; raises ConversionError where there is none."""
    import lxml.html
    from lxml import etree

    parser = lxml.html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        raise ConversionError("empty") from None
    return root


def read_html(data: bytes, charset: str = "") -> Extract:
    """Return the text of a page: of its article, or of its body."""
    root = parse_html(decode_html(data, charset))
    metas = [
        (each.get("property") or each.get("name") or each.get("itemprop") or "", each) for each in root.iter("meta")
    ]
    told = {key.strip().lower(): each.get("content") or "" for key, each in reversed(metas)}
    day = next((day for key in _PUBLISHED if (day := parse_stamp(told.get(key, "")))), "")
    heading = next(root.iter("h1"), None)
    titled = next(root.iter("title"), None)
    title = told.get("og:title") or (_flat_text(heading) if heading is not None else "")
    title = title or (titled.text or "" if titled is not None else "")
    return Extract(
        text="\n\n".join(html_blocks(_find_article(root))) + "\n",
        title=clean_line(title)[:300],
        author=clean_line(told.get("author", "") or told.get("article:author", ""))[:300],
        date=day,
        date_from="page" if day else "",
    )


def _find_article(root: Any) -> Any:
    for place in (root.xpath('//*[@id="js_content"]'), root.xpath("//article"), root.xpath("//main")):
        if place:
            best = max(place, key=lambda each: len(each.text_content()))
            if len(best.text_content().strip()) > 50:
                return best
    body = root.find("body")
    return body if body is not None else root


def _flat_text(element: Any) -> str:
    return " ".join(element.text_content().split())


def html_blocks(element: Any, shift: int = 0) -> list[str]:
    """Return an element as blocks of Markdown; `shift` is added to the levels of headings."""
    blocks: list[str] = []
    current: list[str] = []

    def end_block(level: int = 0) -> None:
        text = clean_line("".join(current))
        current.clear()
        if text:
            blocks.append(format_heading(level + shift, text) if level else format_paragraph(text))

    for kind, value in _walk(element):
        if kind == "text":
            current.append(value)
        elif kind == "row":
            end_block()
            row = f"| {' | '.join(value)} |"
            if blocks and blocks[-1].startswith("| "):
                blocks[-1] += "\n" + row
            else:
                blocks.append(row)
        elif kind == "end" and value[:1] == "h" and value[1:].isdecimal():
            end_block(int(value[1:]))
        else:
            end_block()
            if value == "li" and kind == "begin":
                current.append("- ")
    end_block()
    return [block for block in blocks if block != "-"]


def _row_cells(row: Any) -> list[str]:
    """Return the cells of a row of figures or words; [] for one that only lays out a page."""
    cells = [clean_line(_flat_text(cell)).replace("|", "\\|") for cell in row if cell.tag in ("td", "th")]
    lays_out = next(row.iterdescendants("table", "h1", "h2", "h3", "h4", "article"), None) is not None
    return [] if lays_out or len(cells) < 2 else cells


def _walk(element: Any) -> Iterator[tuple[str, Any]]:
    """Yield texts, beginnings and ends of blocks, and rows of tables, in order; never by recursion."""
    stack: list[tuple[Any, bool]] = [(element, False)]
    keep_header = element.tag != "body"
    while stack:
        node, ends = stack.pop()
        name = node.tag.rpartition("}")[2].lower() if isinstance(node.tag, str) else ""
        if ends:
            if name in _BLOCKS:
                yield "end", name
            if node is not element and node.tail:
                yield "text", node.tail
            continue
        if not name or (name in _DROPPED and not (name == "header" and keep_header)):
            if node is not element and node.tail:
                yield "text", node.tail
            continue
        if name == "tr" and (cells := _row_cells(node)):
            yield "row", cells
            if node.tail:
                yield "text", node.tail
            continue
        if name in _BLOCKS:
            yield "begin", name
        elif name == "br":
            yield "text", " "
        if node.text:
            yield "text", node.text
        stack.append((node, True))
        stack += [(child, False) for child in reversed(node)]
