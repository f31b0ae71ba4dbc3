"""Words of a question for figures that no reader has read: each may be a time, a quantity or an exception."""

import os
import re
from collections.abc import Iterable
from functools import cache

from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import split_alternatives

MOST = 4
"""Words that are named in a question back."""
_WORD = pattern(r"[a-z][\w'’&-]*|\d[\d,.]*[%％]?|[\u3400-\u9fff]+", re.I)


def is_checked(answer: str) -> bool:
    """Return True if the words that an answer reads are known, so that what is left of a question can be told."""
    return answer in _load_words()


def find_leftovers(text: str, answer: str, read: Iterable[re.Pattern[str]] = ()) -> tuple[str, ...]:
    """Return the words of a text that neither an answer reads nor are idle, in its order.

    text  a question without its securities and its times
    read  what else was read of it

    >>> find_leftovers("现在的收盘价 是多少", "figure"), find_leftovers("how did   do except", "move")
    ((), ('except',))
    """
    low = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    for form in read:
        low = form.sub(lambda found: " " * len(found[0]), low)
    words = _load_words()
    for form in (*words.get(answer, ()), *words["*"]):
        low = form.sub(lambda found: " " * len(found[0]), low)
    return tuple(text[match.start() : match.end()] for match in _WORD.finditer(low))[:MOST]


@cache
def without_gaps(words: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern without those of its alternatives that leap over other words: `did.{0,40}rise`.

    >>> without_gaps(re.compile("(?:a|b)c|did.{0,9}(?:up|down)|市值")).pattern
    '(?:a|b)c|市值'
    """
    kept = [part for part in split_alternatives(words.pattern) if part and not _LEAP.search(part)]
    return re.compile("|".join(kept) or r"(?!)", words.flags)


_LEAP = pattern(r"(?<!\\)\.[{*+]")


@cache
def _load_words() -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the words of idle_words.tsv by answer: Latin words whole, Chinese ones wherever they stand."""
    words: dict[str, list[str]] = {}
    with open(os.path.join(os.path.dirname(__file__), "idle_words.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                names, forms = line.rstrip("\n").split("\t")
                for name in names.split(","):
                    words.setdefault(name, []).append(forms)
    return {name: _compile(forms) for name, forms in words.items()}


def _compile(rows: list[str]) -> tuple[re.Pattern[str], ...]:
    every = [form for row in rows for form in re.split(r"\|(?![^(]*\))", row)]
    han = sorted((form for form in every if count_han(form)), key=len, reverse=True)
    latin = sorted((form for form in every if not count_han(form)), key=len, reverse=True)
    found = [re.compile("|".join(han))] if han else []
    return (*found, re.compile(rf"(?<![\w])(?:{'|'.join(latin)})(?![\w])")) if latin else tuple(found)
