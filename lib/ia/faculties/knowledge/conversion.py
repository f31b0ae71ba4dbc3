"""From the bytes of a file to its text, by what the bytes are. Runs in the locked process only."""

from collections.abc import Callable, Mapping

from ia.faculties.knowledge.archives import Archive
from ia.faculties.knowledge.extract import MAX_TEXT, ConversionError, Extract

HTML = (".html", ".htm", ".xhtml")
MARKDOWN = (".md", ".markdown")
SUFFIXES = (".pdf", ".docx", ".epub", *HTML, *MARKDOWN, ".txt")
"""Endings of the files that a folder is searched for."""


def convert(
    data: bytes,
    suffix: str,
    *,
    password: str | None = None,
    charset: str = "",
    ocr: Mapping[int, str] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Extract:
    """Return the text of a document; raises ConversionError.

    suffix    the ending of its name, in small letters
    charset   what HTTP told
    ocr       the texts of pages (from 1) that were images
    progress  told of pages done and pages at all
    """
    if not data.strip():
        raise ConversionError("empty")
    if b"%PDF-" in data[:1024]:
        from ia.faculties.knowledge.pdf_files import read_pdf

        found = read_pdf(data, password, ocr or {}, progress)
    else:
        found = _read_other(data, suffix, charset)
    if len(found.text.encode("utf-8", "replace")) > MAX_TEXT:
        raise ConversionError("too-large")
    if not any(character.isalnum() for character in _without_marks(found.text)):
        raise ConversionError("no-text", reasons=sorted({reason for _, reason in found.skipped}), pages=found.pages)
    return found


def _read_other(data: bytes, suffix: str, charset: str) -> Extract:
    if data[:4] == b"PK\x03\x04" or suffix in (".docx", ".epub"):
        archive = Archive(data)
        if "word/document.xml" in archive.names:
            from ia.faculties.knowledge.word_files import read_docx

            return read_docx(archive)
        if "META-INF/container.xml" in archive.names:
            from ia.faculties.knowledge.ebooks import read_epub

            return read_epub(archive)
        raise ConversionError("unsupported")
    head = data[:1024].lstrip().lower()
    if suffix in HTML or head.startswith((b"<!doctype html", b"<html")):
        from ia.faculties.knowledge.web_pages import read_html

        return read_html(data, charset)
    if suffix in (*MARKDOWN, ".txt"):
        from ia.faculties.knowledge.plain_texts import read_text

        return read_text(data, markdown=suffix in MARKDOWN)
    raise ConversionError("damaged" if suffix == ".pdf" else "unsupported")


def _without_marks(text: str) -> str:
    from ia.organs.recall.documents import MARK

    return MARK.sub("", text)
