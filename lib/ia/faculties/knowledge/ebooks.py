"""EPUB: the chapters in the order of the spine, without its table of contents; DRM is refused."""

import posixpath
from typing import Any
from urllib.parse import unquote

from ia.faculties.knowledge.archives import Archive, local_name, parse_xml
from ia.faculties.knowledge.extract import ConversionError, Extract, clean_line, format_heading, parse_stamp
from ia.faculties.knowledge.web_pages import decode_html, html_blocks, parse_html

_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""How fonts are disguised: no protection of the text."""
MAX_CHAPTERS = 5_000


def read_epub(archive: Archive) -> Extract:
    """Return the text of an EPUB file."""
    _refuse_drm(archive)
    container = archive.read("META-INF/container.xml")
    if container is None:
        raise ConversionError("unsupported")
    place = next(
        (each.get("full-path") or "" for each in parse_xml(container).iter() if local_name(each) == "rootfile"), ""
    )
    package_data = archive.read(place)
    if package_data is None:
        raise ConversionError("damaged")
    package = parse_xml(package_data)
    items = {each.get("id"): each for each in package.iter() if local_name(each) == "item"}
    spine = [items.get(each.get("idref")) for each in package.iter() if local_name(each) == "itemref"]
    titles = _read_contents(archive, place, items)
    blocks: list[str] = []
    for item in spine[:MAX_CHAPTERS]:
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        name = posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(item.get("href") or "")))
        data = archive.read(name)
        if data is None or "html" not in (item.get("media-type") or "html"):
            continue
        blocks += _read_chapter(data, titles.get(name, ""))
    told: dict[str, str] = {}
    for each in package.iter():
        told.setdefault(local_name(each), each.text or "")
    day = parse_stamp(told.get("date", ""))
    return Extract(
        text="\n\n".join(blocks) + "\n",
        title=clean_line(told.get("title", ""))[:300],
        author=clean_line(told.get("creator", ""))[:300],
        date=day,
        date_from="book" if day else "",
    )


def _read_chapter(data: bytes, title: str) -> list[str]:
    try:
        root = parse_html(decode_html(data))
    except ConversionError:  # an empty chapter
        return []
    body = root.find("body")
    blocks = html_blocks(body if body is not None else root)
    if title and blocks and not any(block.startswith("#") for block in blocks[:3]):
        blocks.insert(0, format_heading(1, title))
    return blocks


def _read_contents(archive: Archive, place: str, items: dict[Any, Any]) -> dict[str, str]:
    """Return the titles of chapters that EPUB 2's toc.ncx tells, by file."""
    found: dict[str, str] = {}
    for item in items.values():
        if item.get("media-type") != "application/x-dtbncx+xml":
            continue
        base = posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(item.get("href") or "")))
        data = archive.read(base)
        if data is None:
            continue
        try:
            root = parse_xml(data)
        except ConversionError:
            continue
        for point in (each for each in root.iter() if local_name(each) == "navPoint"):
            text = next((each.text or "" for each in point.iter() if local_name(each) == "text"), "")
            source = next((each.get("src") or "" for each in point.iter() if local_name(each) == "content"), "")
            name = posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(source.partition("#")[0])))
            found.setdefault(name, clean_line(text)[:300])
    return found


def _refuse_drm(archive: Archive) -> None:
    data = archive.read("META-INF/encryption.xml")
    if data is None:
        return
    methods = [each.get("Algorithm") or "" for each in parse_xml(data).iter() if local_name(each) == "EncryptionMethod"]
    if any(method not in _FONT_ALGORITHMS for method in methods):
        raise ConversionError("drm")
