"""What the tables of ideas have in common: how their words are written and found, and what stands for what is named."""

import os
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from ia.agent.analyst.voice import count_han
from ia.kernel.kept_patterns import open_kept
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import split_alternatives

T = TypeVar("T")

MARK = "\ufffc"
"""Stands for a security or a time; what it stands for is kept beside."""
_LATIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
"""Signs beside which a Latin word is not whole."""


def load_rows(name: str) -> list[list[str]]:
    """Return the rows of a table that lies beside this file, as their columns; comments and empty lines are no rows."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def load_table(name: str, read: Callable[[list[list[str]]], T]) -> T:
    """Return what is read of the rows of a table, plain data that is kept between commands while the files stay."""
    files = (os.path.join(os.path.dirname(__file__), name), str(sys.modules[read.__module__].__file__))
    times = [(about.st_mtime_ns, about.st_size) for about in map(os.stat, files)]
    key = f"table {read.__module__} {name} {times}"
    return open_kept().look_up(key, lambda: read(load_rows(name)))


@cache
def find_words(name: str, sign: str) -> list[tuple[str, str | re.Pattern[str]]]:
    """Return the words of a table of ideas that begin with a sign: what each stands for, and what is looked for.

    sign  "" for the words that may begin with several
    """
    words = _load_words(name).get(sign, ())
    return [(head, word if is_plain else _compile_form(word)) for head, word, is_plain in words]


@cache
def _load_words(name: str) -> dict[str, list[tuple[str, str, bool]]]:
    return load_table(name, _sort_words)


def _sort_words(rows: list[list[str]]) -> dict[str, list[tuple[str, str, bool]]]:
    """Return the words of rows by the sign that they begin with: what each stands for, the word, and if it is plain."""
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for head, forms in rows:
        for word in split_alternatives(forms):
            found.setdefault(_find_sign(word), []).append((head, word, _is_plain(word)))
    return found


@cache
def _load_names() -> dict[str, str]:
    return dict(load_rows("indicator_words.tsv"))


def find_name(key: str) -> str:
    """Return what the table of indicators has for a key.

    >>> find_name("strength")
    'rsi('
    """
    return _load_names()[key]


def _is_plain(word: str) -> bool:
    """Return True if a word has no signs of a pattern: it is looked for as it is, which costs no compilation."""
    return word.replace(" ", "").replace("'", "").replace("-", "").isalnum()


def _find_sign(word: str) -> str:
    """Return the sign that a word begins with; "" where it may begin with several.

    >>> _find_sign("market cap"), _find_sign("[大内]陆"), _find_sign("a?b")
    ('m', '', '')
    """
    return word[0] if _is_plain(word) or (word[0].isalnum() and word[1:2] not in ("?", "*")) else ""


def _compile_form(word: str) -> re.Pattern[str]:
    return pattern(word if count_han(word) else rf"(?<![a-z\d'])(?:{word})(?![a-z\d])")


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
