"""The locked process that reads documents: load the parsers, lock, then convert one document after another.

Started as ``python -I -m ia.faculties.knowledge.worker`` by `ia.faculties.knowledge.conversion_process`. It speaks in
the blocks of `ia.organs.compute.worker_protocol`: first the layers that hold, then for each job (a JSON header, the
bytes) progress as `{"done": 3, "total": 226}` and at the end a result, an error or, for OCR, the image of each page.
"""

import contextlib
import importlib
import json
import os
import sys
import time
from typing import Any

_LATE = (
    "pypdfium2", "pypdfium2.raw", "lxml.etree", "lxml.html", "zipfile", "zlib", "lzma", "bz2", "difflib",
    "encodings.gb18030", "encodings.gbk", "encodings.big5", "encodings.utf_16", "encodings.utf_16_le",
    "encodings.utf_16_be", "encodings.utf_8_sig", "encodings.latin_1", "encodings.cp1252", "encodings.ascii",
    "encodings.cp437", "encodings.shift_jis", "encodings.euc_jp", "encodings.euc_kr", "encodings.idna",
    "ia.kernel.formats.frontmatter", "ia.organs.recall.documents",
    "ia.faculties.knowledge.archives", "ia.faculties.knowledge.conversion", "ia.faculties.knowledge.ebooks",
    "ia.faculties.knowledge.page_layout", "ia.faculties.knowledge.pdf_files", "ia.faculties.knowledge.plain_texts",
    "ia.faculties.knowledge.web_pages", "ia.faculties.knowledge.word_files",
)  # fmt: skip
"""What a locked process can no longer load."""
EVERY = 0.2
"""Seconds between two reports of progress."""


def main() -> None:
    """Serve jobs until the end of stdin."""
    from ia.organs.compute import confine
    from ia.organs.compute.worker_protocol import frame_block, read_block, write_all

    confine.die_with_parent()
    reply = os.dup(1)
    os.dup2(2, 1)  # a library that prints must not be taken for an answer
    for name in _LATE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    _warm_up()

    def send(document: dict[str, Any], data: bytes | None = None) -> None:
        write_all(reply, frame_block(json.dumps(document).encode("utf-8", "replace")))
        if data is not None:
            write_all(reply, frame_block(data))

    send(confine.confine_process())
    while True:
        header, data = read_block(sys.stdin.buffer), read_block(sys.stdin.buffer)
        if header is None or data is None:
            return
        _answer_job(json.loads(header), data, send)


def _warm_up() -> None:
    """Let the libraries load what they load at first use: pdfium its tables, lxml its parsers."""
    import lxml.html
    import pypdfium2
    from lxml import etree

    with contextlib.suppress(Exception):
        document = pypdfium2.PdfDocument.new()
        document.new_page(10, 10)
        document[0].get_textpage().count_chars()
        document[0].render(scale=1, grayscale=True)
    with contextlib.suppress(Exception):
        lxml.html.document_fromstring("<p>x</p>")
        etree.fromstring(b"<a/>")


def _answer_job(job: dict[str, Any], data: bytes, send: Any) -> None:
    from ia.faculties.knowledge.extract import ConversionError

    last = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal last
        if done == 0 or time.monotonic() - last > EVERY:
            last = time.monotonic()
            send({"done": done, "total": total})

    try:
        if job.get("render"):
            _render_pages(job, data, send)
            return
        from ia.faculties.knowledge.conversion import convert

        found = convert(
            data,
            str(job["suffix"]),
            password=job.get("password"),
            charset=str(job.get("charset") or ""),
            ocr={int(page): text for page, text in (job.get("ocr") or {}).items()},
            progress=progress,
        )
        send({"result": found._asdict()})
    except ConversionError as exc:
        send({"error": exc.code, "detail": exc.detail})
    except MemoryError:
        send({"error": "memory", "detail": {}})
    except RecursionError:
        send({"error": "damaged", "detail": {}})
    except Exception as exc:  # a parser's complaint of bytes that it cannot read is no bug of ours
        send({"error": "damaged", "detail": {"reason": type(exc).__name__}})


def _render_pages(job: dict[str, Any], data: bytes, send: Any) -> None:
    from ia.faculties.knowledge.pdf_files import open_document, render_page

    document = open_document(data, job.get("password"))
    for number in job["render"]:
        if 1 <= number <= len(document):
            send({"page": number, "total": len(document)}, render_page(document, number))
    send({"result": {}})


if __name__ == "__main__":
    try:
        main()
    finally:
        os._exit(0)
