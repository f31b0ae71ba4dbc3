"""How many columns of a terminal a text takes."""

from collections.abc import Iterable


def display_width(text: str) -> int:
    """Return how many columns a text takes: a Chinese character takes two, a combining mark none.

    >>> display_width("ia 研究"), display_width("e\\u0301")
    (7, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def count_rows(lines: Iterable[str], width: int = 80) -> int:
    """Return how many rows of a terminal lines take, each broken at its width; an empty line takes one.

    >>> count_rows(["", "x" * 81])
    3
    """
    return sum(max(1, -(-display_width(line) // width)) for line in lines)
