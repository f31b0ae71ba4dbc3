"""PDF: lines, sizes, outline and labels by pdfium. Runs in the locked process only."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from ia.faculties.knowledge.extract import MAX_PAGES, MAX_TEXT, ConversionError, Extract, clean_line, parse_stamp
from ia.faculties.knowledge.page_layout import Line, OutlineEntry, Page, is_garbled, lay_out

OCR_DPI = 300
MAX_PIXELS = 40_000_000
MAX_OUTLINE = 20_000
_PASSWORD, _ENCRYPTION = 4, 5  # FPDF_ERR_*


def open_document(data: bytes, password: str | None) -> Any:
    """Return an open document; raises ConversionError."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as exc:
        code = getattr(exc, "err_code", None)
        if code == _PASSWORD:
            raise ConversionError("wrong-password" if password else "encrypted") from None
        raise ConversionError("drm" if code == _ENCRYPTION else "damaged") from None
    if len(document) > MAX_PAGES:
        raise ConversionError("too-many-pages", pages=len(document), limit=MAX_PAGES)
    return document


def read_pdf(
    data: bytes,
    password: str | None,
    read_by_ocr: Mapping[int, str],
    progress: Callable[[int, int], None],
) -> Extract:
    """Return the text of a PDF; read_by_ocr has the text of pages from 1 that were images."""
    document = open_document(data, password)
    total = len(document)
    progress(0, total)
    pages: list[Page] = []
    size = 0
    for number in range(total):
        page = _read_page(document, number, read_by_ocr.get(number + 1))
        pages.append(page)
        size += sum(len(line.text) for line in page.lines)
        if size > MAX_TEXT:
            raise ConversionError("too-large")
        progress(number + 1, total)
    if not any(page.lines for page in pages):
        raise ConversionError("no-text", reasons=sorted({page.problem for page in pages}), pages=total)
    told = document.get_metadata_dict(skip_empty=True)
    day = parse_stamp(str(told.get("CreationDate", "")))
    return Extract(
        text=lay_out(pages, _read_outline(document)),
        title=clean_line(str(told.get("Title", "")))[:300],
        author=clean_line(str(told.get("Author", "")))[:300],
        date=day,
        date_from="metadata" if day else "",
        pages=total,
        skipped=tuple((number, page.problem) for number, page in enumerate(pages, 1) if page.problem),
    )


def _read_page(document: Any, number: int, ocr: str | None) -> Page:
    import pypdfium2

    label = ""
    with contextlib.suppress(pypdfium2.PdfiumError, UnicodeError):
        label = clean_line(document.get_page_label(number))[:20]
    if ocr is not None:
        lines = [Line(clean_line(line)) for line in ocr.splitlines() if line.strip()]
        return Page(lines, label, "" if lines else "empty", ocr=True)
    try:
        page = document[number]
        textpage = page.get_textpage()
    except pypdfium2.PdfiumError:
        return Page([], label, "damaged")
    lines, text = _read_lines(textpage)
    problem = ""
    if not lines:
        problem = "scan" if _has_image(page) else "empty"
    elif is_garbled(text):
        lines, problem = [], "garbled"
    textpage.close()
    page.close()
    return Page(lines, label, problem)


def _read_lines(textpage: Any) -> tuple[list[Line], str]:
    """Return the lines of a page, each with the commonest size of its letters, and all its characters."""
    import ctypes

    import pypdfium2.raw as raw

    handle = textpage.raw
    count = textpage.count_chars()
    lines: list[Line] = []
    characters: list[str] = []
    whole: list[str] = []
    sizes: dict[float, int] = {}
    first = last = -1
    edges = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = edges

    def edge(at: int, which: Any) -> float:
        raw.FPDFText_GetCharBox(handle, at, left, right, bottom, top)
        return float(which.value)

    def end_line() -> None:
        text = "".join(characters).strip()
        if text:
            width = max(0.0, edge(last, right) - edge(first, left)) if first >= 0 else 0.0
            size = max(sizes, key=lambda each: (sizes[each], each)) if sizes else 0.0
            lines.append(Line(text, size, width))
            whole.append(text)
        characters.clear()
        sizes.clear()

    for at in range(count):
        code = raw.FPDFText_GetUnicode(handle, at)
        if code in (10, 13):
            end_line()
            first = last = -1
            continue
        if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
            code = 0xFFFD
        character = chr(code)
        characters.append(character)
        if not character.isspace():
            first = at if first < 0 else first
            last = at if code not in (0xFFFE, 2) else last
            size = round(raw.FPDFText_GetFontSize(handle, at), 1)
            sizes[size] = sizes.get(size, 0) + 1
    end_line()
    return lines, "".join(whole)


def _has_image(page: Any) -> bool:
    import pypdfium2.raw as raw

    return any(each.type == raw.FPDF_PAGEOBJ_IMAGE for each in page.get_objects(max_depth=3))


def _read_outline(document: Any) -> list[OutlineEntry]:
    import pypdfium2

    found: list[OutlineEntry] = []
    with contextlib.suppress(pypdfium2.PdfiumError, UnicodeError, RecursionError):
        for mark in document.get_toc(max_depth=8):
            if len(found) >= MAX_OUTLINE:
                break
            target = mark.get_dest()
            page = target.get_index() if target is not None else None
            title = clean_line(mark.get_title() or "")[:300]
            if page is not None and title:
                found.append(OutlineEntry(page, mark.level + 1, title))
    return found


def render_page(document: Any, number: int) -> bytes:
    """Return a page (from 1) in grey as PGM, for OCR."""
    page = document[number - 1]
    width, height = page.get_size()
    scale = OCR_DPI / 72
    if width * height * scale * scale > MAX_PIXELS:
        scale = (MAX_PIXELS / max(width * height, 1)) ** 0.5
    bitmap = page.render(scale=scale, grayscale=True)
    rows, stride = bytes(bitmap.buffer), bitmap.stride
    data = b"".join(rows[at * stride : at * stride + bitmap.width] for at in range(bitmap.height))
    return b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + data
