"""Text of pages that are images, by the program tesseract where the system has it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence

from ia.faculties.knowledge.conversion_process import Converter, Progress
from ia.faculties.knowledge.pdf_files import OCR_DPI
from ia.kernel import config
from ia.kernel.errors import BadData, TimedOut, Unavailable

SECONDS = 120.0
"""Time limit of one page."""


def require_tesseract() -> tuple[str, str]:
    """Return the path of tesseract and the language to read: Chinese where it has that, else English.

    raises  Unavailable where the system has no tesseract, or neither language.
    """
    program = shutil.which("tesseract")
    if program is None:
        raise Unavailable(
            "--ocr needs the program tesseract, which is not installed",
            hint="install it with the language chi_sim: apt install tesseract-ocr tesseract-ocr-chi-sim",
        )
    told = _run([program, "--list-langs"], b"", 20.0)
    known = set(told.decode("utf-8", "replace").split())
    for language in ("chi_sim", "eng"):  # chi_sim alone reads mixed pages better than chi_sim+eng
        if language in known:
            return program, language
    raise Unavailable(
        "tesseract has neither the language chi_sim nor eng",
        hint="apt install tesseract-ocr-chi-sim tesseract-ocr-eng",
    )


def read_pages(
    converter: Converter, data: bytes, name: str, pages: Sequence[int], password: str | None, progress: Progress
) -> dict[int, str]:
    """Return the text of pages of a PDF that are images; raises Unavailable without tesseract."""
    program, language = require_tesseract()
    found: dict[int, str] = {}
    for done, page in enumerate(pages):  # one by one: a page at 300 dpi is 9 MB
        progress(done, len(pages))
        converter.render(
            data,
            name,
            [page],
            password,
            lambda number, image: found.update({number: _read_image(program, language, image)}),
        )
    return found


def _read_image(program: str, language: str, image: bytes) -> str:
    arguments = [program, "stdin", "stdout", "-l", language, "--dpi", str(OCR_DPI)]
    return _run(arguments, image, SECONDS).decode("utf-8", "replace")


def _run(arguments: list[str], given: bytes, seconds: float) -> bytes:
    with tempfile.TemporaryDirectory(prefix="ia-ocr-") as folder:
        try:
            done = subprocess.run(
                arguments,
                input=given,
                capture_output=True,
                timeout=seconds,
                cwd=folder,
                env=config.child_environment({"OMP_THREAD_LIMIT": "1"}),
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TimedOut("tesseract took longer than {seconds} s for a page", seconds=f"{seconds:g}") from None
        except OSError as exc:
            raise Unavailable(
                "{program}: {reason}", program=os.path.basename(arguments[0]), reason=exc.strerror
            ) from None
    if done.returncode:
        raise BadData("tesseract failed with status {status}", status=done.returncode)
    return done.stdout
