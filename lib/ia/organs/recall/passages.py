"""What a note is to the index: its passages and their words, its date; read one by one, or ahead by a second process.

Reading and spelling 100,000 notes takes half as long as entering them. Where so many are new, a child process does it
meanwhile. It reads plain files only and answers nothing for all others: those its parent reads as it reads any note.
"""

import contextlib
import marshal
import os
import re
import stat
import sys
from collections.abc import Generator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from ia.kernel.digest import sha256
from ia.kernel.errors import Refused
from ia.kernel.patterns import pattern
from ia.kernel.workspace import MAX_BYTES, check_path, to_local
from ia.organs.recall.terms import to_index_text

SHIFT = 14
"""A passage's row is the file's id shifted by this much, plus the passage's number."""
PASSAGE = 1500  # characters
_AT_ONCE = 100  # notes that a child sends together
_LENGTH = 8  # bytes


class IndexedNote(NamedTuple):
    """What the index takes of a note.

    day        the day that the note itself tells, "" if none
    passages   (text, words) of each
    touched    the day of its file's mtime, local time; "" where nobody has looked
    """

    sha: str
    day: str
    passages: list[tuple[str, str]]
    touched: str = ""


def prepare_note(path: str, text: str, known: str | None = None) -> IndexedNote:
    """Return what the index takes of a note; no passages where its sha256 is `known`."""
    sha = sha256(text.encode()).hexdigest()
    pieces = split_passages(text) if sha != known else []
    return IndexedNote(sha, _told_day(path, text), [(piece, to_index_text(piece)) for piece in pieces])


def searchable_path(path: str) -> str:
    """Return the telling part of a path: without its root and its ending."""
    return path.split("/", 1)[1].rsplit(".", 1)[0]


_DAY = pattern(r"(?<!\d)((?:19|20)\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)")
_FRONT = pattern(r"\A---\n(?:.*\n)*?date:\s*['\"]?(\d{4}-\d\d-\d\d)(?:.*\n)*?---\s*$", re.M)


def _told_day(path: str, text: str) -> str:
    """Return the last date in a note's path, else the one of its front matter, else ""."""
    days = _DAY.findall(path)
    if days:
        return "-".join(days[-1])
    front = _FRONT.match(text[:2000]) if text.startswith("---\n") else None
    return front[1] if front else ""


def split_passages(text: str) -> list[str]:
    """Return a text in pieces of about PASSAGE characters, cut where a heading or a paragraph begins if it can be."""
    if len(text) <= PASSAGE:
        return [text]
    pieces: list[str] = []
    current = ""
    for block in re.split(r"(?<=\n)(?=#)|(?<=\n)\n+", text):
        while len(block) > PASSAGE:  # a paragraph that is longer than a passage: whole lines, else sentences, else cut
            cut = max(block.rfind(mark, 0, PASSAGE) for mark in "\n。！？.") + 1 or PASSAGE
            pieces += [current] if current else []
            pieces, current, block = [*pieces, block[:cut]], "", block[cut:]
        if current and len(current) + len(block) > PASSAGE:
            pieces.append(current)
            current = ""
        current += block if not current else "\n" + block
    if current.strip():
        pieces.append(current)
    limit = 1 << SHIFT
    return [*pieces[: limit - 1], "\n".join(pieces[limit - 1 :])] if len(pieces) > limit else pieces


def read_ahead(root: str, paths: Sequence[str]) -> Generator[IndexedNote | None, None, None]:
    """Yield what the index takes of each note, in this order; None where it is to be read as any other.

    A child process reads them meanwhile; where that cannot be, everything is None.
    """
    if not paths or ("threading" in sys.modules and sys.modules["threading"].active_count() > 1):
        return
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # nothing here may return: the parent's locks, buffers and databases are not ours
        try:
            os.close(read)
            with open(write, "wb") as pipe:
                for at in range(0, len(paths), _AT_ONCE):
                    sent = marshal.dumps(_read_plain_notes(root, paths[at : at + _AT_ONCE]))
                    pipe.write(len(sent).to_bytes(_LENGTH, "big") + sent)
        finally:
            os._exit(0)
    os.close(write)
    try:
        with open(read, "rb") as pipe:
            while size := int.from_bytes(pipe.read(_LENGTH), "big"):
                try:
                    notes = marshal.loads(pipe.read(size))  # our own child made it
                except (EOFError, ValueError, TypeError):  # and was killed
                    return
                for note in notes:
                    yield None if note is None else IndexedNote._make(note)
    finally:
        os.waitpid(child, 0)


def _read_plain_notes(root: str, paths: Sequence[str]) -> list[tuple[object, ...] | None]:
    """Return the notes of plain files, None for all others."""
    notes: list[tuple[object, ...] | None] = []
    folders: dict[str, bool] = {}
    for path in paths:
        notes.append(None)
        folder = path.rpartition("/")[0]
        if folder not in folders:
            folders[folder] = not _has_link(root, folder)
        if folders[folder]:
            with contextlib.suppress(OSError, UnicodeDecodeError, Refused):
                check_path(path)
                if (read := _read_plain_file(os.path.join(root, path))) is not None:
                    notes[-1] = (*prepare_note(path, read[0])[:-1], read[1])
    return notes


def _has_link(root: str, folder: str) -> bool:
    current = root
    for part in folder.split("/"):
        current = os.path.join(current, part)
        if os.path.islink(current):
            return True
    return False


def _read_plain_file(path: str) -> tuple[str, str] | None:
    """Return the text of a file and the day of its mtime; None where it is none or too large."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb", buffering=0) as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return None
        raw = file.read()
    if len(raw) > MAX_BYTES:
        return None
    touched = to_local(datetime.fromtimestamp(status.st_mtime, UTC)).strftime("%Y-%m-%d")
    return raw.decode("utf-8-sig"), touched
