"""How many columns of a terminal a text takes, and where its lines are broken.

A line is broken between words or Chinese characters, which take two columns.
"""

import re
from collections.abc import Iterable

from ia.kernel.patterns import pattern

_WIDE = (
    r"\u2e80-\u2fff\u3005-\u3007\u3021-\u9fff\uf900-\ufaff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U00020000-\U0003ffff"
)
_OPENING = "〈《「『【〔〖（［｛"
_CLOSING = "、。〉》」』】〕〗！），．：；？］｝％"
PIECES = pattern(
    rf"\s+|[{_OPENING}“‘]*[{_WIDE}][{_CLOSING}”’…]*"
    rf"|[{_OPENING}]*(?:[^\s{_WIDE}{_OPENING}{_CLOSING}“‘]|[“‘](?![{_WIDE}]))+[{_CLOSING}]*|.",
    re.S,
)
"""What a line never breaks within: spaces, a Chinese character with its punctuation, a word."""


def display_width(text: str) -> int:
    """Return how many columns a text takes: a Chinese character takes two, a combining mark none.

    >>> display_width("ia 研究"), display_width("e\\u0301")
    (7, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def break_offsets(line: str, width: int) -> list[int]:
    """Return at which characters a line is broken so that no part takes more columns than `width`.

    Only a word that alone is wider than a line is broken itself, behind a slash if it has one.
    """
    offsets, at, used = [], 0, 0
    for piece in PIECES.findall(line):
        columns = display_width(piece)
        if columns > width and not piece.isspace():
            if used:
                offsets.append(at)
            *whole, rest = _split_word(piece, width)
            for part in whole:
                at += len(part)
                offsets.append(at)
            at, used = at + len(rest), display_width(rest)
            continue
        if used and used + columns > width and not piece.isspace():
            offsets.append(at)
            used = 0
        at, used = at + len(piece), used + columns
    return offsets


def _split_word(word: str, width: int) -> list[str]:
    """Return a word that is wider than a line in parts that are not."""
    parts: list[str] = []
    part = ""
    for char in word:
        if part and display_width(part + char) > width:
            cut = part.rfind("/") + 1
            cut = cut if cut > len(part) // 2 else len(part)
            parts.append(part[:cut])
            part = part[cut:]
        part += char
    return [*parts, part]


def wrap_lines(line: str, width: int) -> list[str]:
    """Return a line as lines of at most `width` columns.

    >>> wrap_lines("净利润 growth", 6)
    ['净利润', 'growth']
    """
    ends = break_offsets(line, width)
    return [line[begin:end].rstrip() for begin, end in zip([0, *ends], [*ends, len(line)], strict=True)]


def count_rows(lines: Iterable[str], width: int = 80) -> int:
    """Return how many rows of a terminal lines take, each wrapped at its width; an empty line takes one.

    >>> count_rows(["", "twelve words", "x" * 81])
    4
    """
    return sum(len(wrap_lines(line, width)) for line in lines)
