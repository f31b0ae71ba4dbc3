"""What a reader of one format hands on, and what every text goes through before it stands in a converted document."""

import re
from datetime import date
from typing import NamedTuple

from ia.kernel.patterns import pattern

MAX_TEXT = 7_500_000
"""Bytes of a converted document: the workspace takes no larger text."""
MAX_PAGES = 20_000
TERMINAL = "。！？!?…”’」』）)】.;；:："
"""What a paragraph ends with."""
_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff\u200b\u2028\u2029\ud800-\udfff]")
_HAN = pattern("[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u201c\u201d\u2018\u2019\u2026\u2014\u00b7]")


class ConversionError(Exception):
    """Why a document cannot be converted: a code, of which the parent makes a sentence."""

    def __init__(self, code: str, **detail: object) -> None:
        super().__init__(code)
        self.code, self.detail = code, detail


class Extract(NamedTuple):
    """A converted document: its text as Markdown with page marks, and what the file tells of itself.

    date_from  where the date was found: `page`, `book` or `metadata`; "" where there is none
    skipped    pages without text by reason: scan, garbled, empty
    """

    text: str
    title: str = ""
    author: str = ""
    date: str = ""
    date_from: str = ""
    pages: int = 0
    skipped: tuple[tuple[int, str], ...] = ()


def clean_text(text: str) -> str:
    """Return a text without control characters, and without what would pass for a mark of ours."""
    return _CONTROL.sub("", text).replace("<!--", "<! --").replace("-->", "-- >")


def clean_line(text: str) -> str:
    """Return a text as one line."""
    return " ".join(clean_text(text.replace("\u00a0", " ")).split())


def format_heading(level: int, text: str) -> str:
    """Return a heading as one line of Markdown."""
    return f"{'#' * max(1, min(level, 6))} {clean_line(text)}"


def format_paragraph(text: str) -> str:
    """Return a paragraph that cannot be taken for a heading."""
    return f"\\{text}" if text.startswith("#") else text


def join_lines(first: str, second: str) -> str:
    """Return two lines of a paragraph as one: Chinese without a space, Latin with one, a hyphenated word whole.

    >>> join_lines("下得太", "重。"), join_lines("of the", "trend"), join_lines("mo" + chr(0xFFFE), "ment")
    ('下得太重。', 'of the trend', 'moment')
    """
    if not first or not second:
        return first + second
    if first[-1] in "\ufffe\x02\u00ad":
        return first[:-1] + second
    glue = "" if _HAN.match(first[-1]) or _HAN.match(second[0]) else " "
    return first + glue + second


def parse_stamp(text: str) -> str:
    """Return the day at the beginning of a stamp as files carry it, "" where there is none.

    Of a month or a year it is the last day: nothing of it may be seen before it is over.

    >>> [parse_stamp(text) for text in ("D:20190630000000Z", "2019-06-30T10:00:00+08:00", "2019", "2019-02", "x")]
    ['2019-06-30', '2019-06-30', '2019-12-31', '2019-02-28', '']
    """
    found = re.match(r"(?:D:)?\s*(\d{4})(?:[-/.年]?(\d{1,2})(?:[-/.月]?(\d{1,2}))?)?", text.strip())
    if not found:
        return ""
    year, month, day = (int(part) if part else 0 for part in found.groups())
    try:
        if not month:
            return date(year, 12, 31).isoformat() if 1400 <= year <= 2999 else ""
        if not day:
            following = date(year + month // 12, month % 12 + 1, 1)
            return date.fromordinal(following.toordinal() - 1).isoformat()
        return date(year, month, day).isoformat()
    except ValueError:
        return ""
