"""Convert a document in a locked process: no file, no network, no other process, 1 GiB, a time limit by its pages."""

import contextlib
import json
import os
import select
import time
from collections.abc import Callable, Mapping
from typing import Any

from ia.faculties.knowledge.extract import Extract
from ia.kernel.errors import BadData, IaError, Message, Notify, Refused, TimedOut, TryLater, drop_message
from ia.kernel.i18n import mark_text
from ia.organs.compute import spawn
from ia.organs.compute.worker_protocol import frame_block

MODULE = "ia.faculties.knowledge.worker"
MAX_INPUT = 200_000_000
"""Bytes of a document that is read at all."""
MAX_REPLY = 48 << 20
"""Bytes of one block of an answer: a text with its escapes, or a page at 300 dpi."""
START_LIMIT = 60.0
SECONDS, SECONDS_A_PAGE = 60.0, 0.2
Progress = Callable[[int, int], None]

_BAD = {
    "damaged": mark_text("{name}: the file is damaged or incomplete"),
    "empty": mark_text("{name}: the document is empty"),
    "too-large": mark_text("{name}: the text of the document is larger than 7.5 MB"),
    "too-many-pages": mark_text("{name}: the document has more than 20000 pages"),
    "bomb": mark_text("{name}: unpacked, the file would be far larger than a document is"),
    "unsafe-name": mark_text("{name}: the archive holds a path that leads outside"),
    "entities": mark_text("{name}: the XML declares entities, which ia does not read"),
    "memory": mark_text("{name}: converting the document needs more than 1 GB of memory"),
    "unsupported": mark_text("{name}: unsupported type; ia reads PDF, DOCX, EPUB, HTML, Markdown and text"),
}
_REFUSED = {
    "encrypted": mark_text("{name}: the document needs a password"),
    "wrong-password": mark_text("{name}: the password is wrong"),
    "drm": mark_text("{name}: the document is protected by DRM"),
}
_OCR_HINT = mark_text("--ocr reads the pages with tesseract")
_PASSWORD_HINT = mark_text("write the password into a file and give it with --password-file FILE")


class NoText(BadData):
    """A document none of whose pages has a text; `pages` is how many it has."""

    code = "no-text"
    pages = 0


class ProcessEnded(BadData):
    """A document at which the process that reads documents ended, or answered what it never answers."""

    code = "damaged"


class Converter:
    """A locked process that converts documents: a context manager, so that no process stays.

    Costs about 0.3 s of another core from its construction until it can take a document.
    """

    def __init__(self, notify: Notify = drop_message) -> None:
        self._notify = notify
        self._process: spawn.Process | None = None
        self._buffer = bytearray()

    def __enter__(self) -> "Converter":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process if there is one."""
        if self._process is not None:
            spawn.discard_worker(self._process)
            self._process = None
            self._buffer.clear()

    def convert(
        self,
        data: bytes,
        name: str,
        *,
        password: str | None = None,
        charset: str = "",
        ocr: Mapping[int, str] | None = None,
        progress: Progress = lambda done, total: None,
    ) -> Extract:
        """Return the text of a document.

        name    its file name, for messages; its ending tells its kind where the bytes do not
        ocr     the texts of pages that were images
        raises  BadData (damaged, unsupported), Refused (password, DRM), TimedOut, TryLater.
        """
        job = {
            "suffix": os.path.splitext(name)[1].lower(),
            "password": password,
            "charset": charset,
            "ocr": {str(page): text for page, text in (ocr or {}).items()},
        }
        known = {"pages": 0}
        for reply, _ in self._run_job(job, data, name, lambda: SECONDS + SECONDS_A_PAGE * known["pages"]):
            if "total" in reply:
                known["pages"] = _as_count(reply["total"])
                progress(_as_count(reply.get("done")), known["pages"])
            if isinstance(reply.get("result"), dict):
                progress(1, 1)
                return _check_result(reply["result"], name)
        raise BadData(_BAD["damaged"], name=name)

    def render(
        self, data: bytes, name: str, pages: list[int], password: str | None, take: Callable[[int, bytes], None]
    ) -> None:
        """Hand the image (PGM) of each of these pages to `take`."""
        job = {"render": pages, "password": password}
        for reply, image in self._run_job(job, data, name, lambda: SECONDS + 30.0 * len(pages)):
            if image is not None and reply.get("page") in pages:
                take(reply["page"], image)

    def _run_job(self, job: object, data: bytes, name: str, limit: Callable[[], float]) -> Any:
        """Yield the replies to a job up to its result, each with the block that comes after it or None."""
        if len(data) > MAX_INPUT:
            raise BadData("{name}: larger than {limit} MB", name=name, limit=MAX_INPUT // 1_000_000)
        process = self._start()
        started = time.monotonic()
        try:
            self._send(process, frame_block(json.dumps(job).encode()) + frame_block(data), started, name, limit)
            while True:
                reply = self._parse(self._read_block(process, started, name, limit), name)
                if "error" in reply:
                    raise _explain_error(str(reply["error"]), reply.get("detail"), name)
                image = self._read_block(process, started, name, limit) if "page" in reply else None
                yield reply, image
                if "result" in reply:
                    return
        except BaseException as exc:
            if not isinstance(exc, IaError) or isinstance(exc, TimedOut | ProcessEnded):
                self.end()
            raise

    def _start(self) -> spawn.Process:
        if self._process is not None:
            return self._process
        try:
            process = self._process = spawn.start_worker([], MODULE)
        except OSError as exc:
            raise TryLater("cannot start the process that reads documents: {reason}", reason=exc.strerror) from None
        try:
            layers = self._parse(self._read_block(process, time.monotonic(), "", lambda: START_LIMIT), "")
        except IaError:
            self.end()
            raise IaError("the process that reads documents did not start", hint="run `ia doctor`") from None
        if layers.get("locked") is not True:
            from ia.kernel import config

            if config.get_setting("compute.isolation") != "prefer":
                self.end()
                raise Refused(
                    "ia cannot lock the process that reads documents on this system",
                    hint="run `ia doctor` to see what is missing, or allow it with"
                    " `ia config set compute.isolation prefer`",
                )
            self._notify(Message("ia cannot lock the process that reads documents on this system"))
        return process

    def _send(
        self, process: spawn.Process, block: bytes, started: float, name: str, limit: Callable[[], float]
    ) -> None:
        view = memoryview(block)
        os.set_blocking(process.writer, False)
        while view:
            left = started + limit() - time.monotonic()
            if not select.select([], [process.writer], [], max(0.0, left))[1]:
                raise _timeout(name, limit())
            with contextlib.suppress(BlockingIOError):
                try:
                    view = view[os.write(process.writer, view[: 1 << 20]) :]
                except BrokenPipeError:
                    raise self._explain_death(name) from None

    def _read_block(self, process: spawn.Process, started: float, name: str, limit: Callable[[], float]) -> bytes:
        buffer = self._buffer
        while True:
            if len(buffer) >= 8:
                size = int.from_bytes(buffer[:8], "little")
                if size > MAX_REPLY:
                    raise ProcessEnded(_BAD["too-large"], name=name)
                if len(buffer) >= 8 + size:
                    block = bytes(buffer[8 : 8 + size])
                    del buffer[: 8 + size]
                    return block
            left = started + limit() - time.monotonic()
            if left <= 0 or not select.select([process.reader], [], [], left)[0]:
                raise _timeout(name, limit())
            piece = os.read(process.reader, 1 << 20)
            if not piece:
                raise self._explain_death(name)
            buffer += piece

    def _explain_death(self, name: str) -> IaError:
        return ProcessEnded(
            "{name}: the document crashed the process that reads documents; it is damaged or too large", name=name
        )

    def _parse(self, block: bytes, name: str) -> dict[str, Any]:
        try:
            document = json.loads(block)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise ProcessEnded(_BAD["damaged"], name=name)
        return document


def _timeout(name: str, seconds: float) -> TimedOut:
    return TimedOut("{name}: converting took longer than {seconds} s", name=name, seconds=f"{seconds:g}")


def _as_count(value: object) -> int:
    return value if type(value) is int and 0 <= value <= 1_000_000 else 0


def _explain_error(code: str, detail: object, name: str) -> IaError:
    if code in _REFUSED:
        return Refused(_REFUSED[code], name=name, code=code, hint=None if code == "drm" else _PASSWORD_HINT)
    if code == "no-text":
        return _explain_no_text(detail if isinstance(detail, dict) else {}, name)
    return BadData(_BAD[code if code in _BAD else "damaged"], name=name, code=code if code in _BAD else "damaged")


def _explain_no_text(detail: dict[str, Any], name: str) -> NoText:
    reasons = detail.get("reasons")
    known = [each for each in reasons if isinstance(each, str)] if isinstance(reasons, list) else []
    if "scan" in known:
        error = NoText("{name}: no page has a readable text: the pages are images", name=name, hint=_OCR_HINT)
    elif "garbled" in known:
        error = NoText(
            "{name}: no page has a readable text: its fonts do not tell which letters they show",
            name=name,
            hint=_OCR_HINT,
        )
    else:
        error = NoText(_BAD["empty"], name=name)
    error.pages = _as_count(detail.get("pages"))
    return error


def _check_result(told: dict[str, Any], name: str) -> Extract:
    """Check an answer against the one shape that it may have; the process that sent it has read a foreign document."""
    texts = {key: told.get(key) for key in ("text", "title", "author", "date", "date_from")}
    skipped = told.get("skipped")
    if not all(isinstance(value, str) for value in texts.values()) or not isinstance(skipped, list):
        raise BadData(_BAD["damaged"], name=name)
    pairs = tuple(
        (_as_count(entry[0]), str(entry[1]))
        for entry in skipped
        if isinstance(entry, list) and len(entry) == 2 and entry[1] in ("scan", "garbled", "empty", "damaged")
    )
    return Extract(**texts, pages=_as_count(told.get("pages")), skipped=pairs)  # type: ignore[arg-type]
