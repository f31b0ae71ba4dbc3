"""Industries that a text names, also several by one word: tech, financials."""

import os
import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from ia.kernel.patterns import pattern


class WideGroup(NamedTuple):
    """A word for several industries: how it is written, and what sources call those."""

    words: re.Pattern[str]
    names: tuple[str, ...]


@cache
def load_wide_groups() -> list[WideGroup]:
    """Return the words for several industries."""
    found = []
    with open(os.path.join(os.path.dirname(__file__), "wide_groups.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                chinese, english, names = line.rstrip("\n").split("\t")
                words = pattern(rf"{chinese}|(?<![a-z])(?:{english})(?![a-z])", re.I)
                found.append(WideGroup(words, tuple(names.split("|"))))
    return found


def find_wide_group(words: str) -> str:
    """Return the word of a text for several industries; "" where it has none.

    >>> find_wide_group("how are tech stocks doing"), find_wide_group("白酒今天怎么样")
    ('tech', '')
    """
    found = next((match for group in load_wide_groups() if (match := group.words.search(words))), None)
    return found[0] if found else ""


def blank_wide_groups(words: str) -> str:
    """Return a text of the same length without its words for several industries.

    >>> blank_wide_groups("tech and banks")
    '     and banks'
    """
    for group in load_wide_groups():
        words = group.words.sub(lambda found: " " * len(found[0]), words)
    return words


def wide_forms(words: str, stored: Iterable[str] = ()) -> list[tuple[re.Pattern[str], str]]:
    """Return the words for several industries that a text has, with the name of each of those.

    stored  names of the store; none: all are returned

    >>> [name for _, name in wide_forms("金融股今天怎么样", ["银行", "白酒", "证券"])]
    ['银行', '证券']
    """
    known = set(stored)
    return [
        (group.words, name)
        for group in load_wide_groups()
        if group.words.search(words)
        for name in group.names
        if name in known or not known
    ]
