"""What the tables of ideas have in common: how their words are written and found, and what stands for what is named."""

import os
import re
from functools import cache
from typing import Any

from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import pattern

MARK = "\ufffc"
"""Stands for a security or a time; what it stands for is kept beside."""
_LATIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
"""Signs beside which a Latin word is not whole."""


def load_rows(name: str) -> list[list[str]]:
    """Return the rows of a table that lies beside this file, as their columns; comments and empty lines are no rows."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


@cache
def _load_names() -> dict[str, str]:
    return dict(load_rows("indicator_words.tsv"))


def find_name(key: str) -> str:
    """Return what the table of indicators has for a key.

    >>> find_name("strength")
    'rsi('
    """
    return _load_names()[key]


def compile_word(word: str) -> tuple[str | re.Pattern[str], str]:
    """Return a word as it is looked for, and the sign that it begins with; "" where it may begin with several.

    A word without signs of a pattern stays a string, which costs no compilation.

    >>> compile_word("market cap"), compile_word("[大内]陆")[1]
    (('market cap', 'm'), '')
    """
    if word.replace(" ", "").replace("'", "").replace("-", "").isalnum():
        return word, word[0]
    form = pattern(word if count_han(word) else rf"(?<![a-z\d'])(?:{word})(?![a-z\d])")
    return form, word[0] if word[0].isalnum() and word[1:2] not in ("?", "*") else ""


def measure_word(form: str | re.Pattern[str], text: str, at: int) -> int:
    """Return how many characters a word has at a place of a text; 0 where it does not stand there.

    Latin words match whole.

    >>> measure_word("cost", "cost cap", 0), measure_word("cost", "costs", 0), measure_word("成本", "成本价", 0)
    (4, 0, 2)
    """
    if not isinstance(form, str):
        match = form.match(text, at)
        return len(match[0]) if match else 0
    end = at + len(form)
    begun = form[0] in _LATIN and at > 0 and (text[at - 1] in _LATIN or text[at - 1] == "'")
    goes_on = form[-1] in _LATIN and text[end : end + 1] in _LATIN
    return 0 if begun or goes_on or not text.startswith(form, at) else len(form)


def is_within_word(text: str, at: int) -> bool:
    """Return True if a Latin letter or a digit stands before a place of a text."""
    return text[at - 1 : at] in _LATIN if at else False


def put_marks(text: str, named: list[tuple[int, int, str]]) -> tuple[str, list[tuple[str, str]]]:
    """Return a text with a mark for each stretch of it that names something, and what each mark stands for.

    named  where each stretch begins and ends, and the idea that it names

    >>> put_marks("CATL today", [(5, 10, "TIME"), (0, 4, "SECURITY")])[1]
    [('SECURITY', 'CATL'), ('TIME', 'today')]
    """
    marked, said = text, list[tuple[str, str]]()
    for begin, end, idea in sorted(named, reverse=True):
        said.insert(0, (idea, text[begin:end]))
        marked = marked[:begin] + MARK + marked[end:]
    return marked, said


def blank_stretches(text: str, named: list[tuple[int, int, Any]]) -> str:
    """Return a text with blanks in the place of stretches of it."""
    for begin, end, _ in named:
        text = text[:begin] + " " * (end - begin) + text[end:]
    return text


def fold_case(text: str) -> str:
    """Return a text in small letters, as long as it was."""
    low = text.casefold()
    return low if len(low) == len(text) else text.lower()


def in_language(value: str, *, chinese: bool) -> str:
    """Return a value of a table in a language: `banks~银行` has both, `MACD` is the same in both."""
    english, _, other = value.partition("~")
    return other if other and chinese else english
