"""Regular expressions of words in two languages: of their alternatives those are compiled that can match a text.

What a text must have for an alternative to match is found out once and kept for all commands of a user.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, cast

from ia.kernel.kept_patterns import open_kept
from ia.kernel.patterns import compile_pattern, pattern

_TOKEN = pattern(
    r"\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|\((?:\?(?:P<\w+>|P=\w+\)|<?[=!]|>|\(\w+\)|[a-zA-Z-]*[:)]|#[^)]*\)))?|(?:[?*+]|\{\d+(?:,\d*)?\})[?+]?|.",
    re.S,
)
_LETTERS = pattern(r"[^\W\d_]+")
_MOST_MADE = 64
"""Compiled selections that a pattern keeps: a process that reads many texts must not keep one for each."""


Needs = tuple[tuple[str, ...], ...]
"""What a text must have for an alternative to match: one word of each of these, in lower case."""


class _Alternative(NamedTuple):
    source: str
    needs: Needs

    def can_match(self, text: str) -> bool:
        for words in self.needs:
            for word in words:
                if word in text:
                    break
            else:
                return False
        return True


class _ByLetters:
    """A pattern in two languages: of its alternatives those are compiled whose words a text can have.

    An alternative is left out for a text that lacks a word that it must have. A pattern with named groups is
    compiled whole: whoever reads a match asks for its groups.
    """

    def __init__(self, source: str, flags: int, report: Callable[[], None] | None) -> None:
        self.pattern, self.flags, self._report = source, flags, report
        self._alternatives: list[_Alternative] | None = None
        self._made: dict[str, re.Pattern[str] | None] = {}
        self._last: tuple[str, re.Pattern[str] | None] = "", None

    def _of(self, text: str) -> re.Pattern[str] | None:
        """Return what of the pattern can match a text; None for nothing."""
        if self._last[0] == text and text:
            return self._last[1]
        if self._alternatives is None:
            self._alternatives = _load_alternatives(self.pattern)
        low = _lower(text)
        kept = [each.source for each in self._alternatives if each.can_match(low)]
        source = self.pattern if kept and "(?P<" in self.pattern else "|".join(kept)
        if source not in self._made:
            if len(self._made) >= _MOST_MADE:
                self._made.clear()
            self._made[source] = self._compile(source) if kept else None
        self._last = text, self._made[source]
        return self._last[1]

    def _compile(self, source: str) -> re.Pattern[str] | None:
        try:
            return compile_pattern(source, self.flags)
        except re.error:
            if self._report is None:
                raise
            self._report()
            return None

    def search(self, text: str) -> re.Match[str] | None:
        made = self._of(text)
        return made.search(text) if made else None

    def match(self, text: str) -> re.Match[str] | None:
        made = self._of(text)
        return made.match(text) if made else None

    def fullmatch(self, text: str) -> re.Match[str] | None:
        made = self._of(text)
        return made.fullmatch(text) if made else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        made = self._of(text)
        return made.finditer(text) if made else iter(())

    def findall(self, text: str) -> list[Any]:
        made = self._of(text)
        return made.findall(text) if made else []

    def sub(self, put: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        made = self._of(text)
        return made.sub(put, text, count) if made else text


def pattern_by_letters(source: str, flags: int = 0, report: Callable[[], None] | None = None) -> re.Pattern[str]:
    """Return a pattern in two languages that compiles what can match a text.

    report  called where it is no regular expression, which then matches nothing; without it, re.error is raised

    >>> form = pattern_by_letters(r"现金|\\bcash\\b", re.I)
    >>> form.search("我的现金").span(), form.search("my Cash").span(), form.findall("现金 cash")
    ((2, 4), (3, 7), ['现金', 'cash'])
    """
    return cast("re.Pattern[str]", _ByLetters(source, flags, report))


def split_alternatives(source: str) -> list[str]:
    """Return the alternatives of a regular expression.

    >>> split_alternatives(r"a(?:b|c)[|]|d")
    ['a(?:b|c)[|]', 'd']
    """
    return [each.source for each in _load_alternatives(source)]


def _load_alternatives(source: str) -> list[_Alternative]:
    """Return the alternatives of a pattern with what they need, where known from an earlier command."""
    found, at = [], 0
    for length, needs in open_kept().look_up(f"alternatives {source}", lambda: _measure_alternatives(source)):
        found.append(_Alternative(source[at : at + length], needs))
        at += length + 1
    return found


def _measure_alternatives(source: str) -> list[tuple[int, Needs]]:
    return [(len(each.source), each.needs) for each in _find_alternatives(source)]


def _find_alternatives(source: str) -> list[_Alternative]:
    r"""Return the alternatives of a regular expression, each with what a text must have for it to match.

    >>> [each.needs for each in _find_alternatives(r"\b(?:trades?|deals) of(?: mine)?|现金[多几]")]
    [(('trade', 'deals'), ('of',)), (('现金',), ('多', '几'))]
    >>> [each.needs for each in _find_alternatives(r"(?:今天|\d+)日(?!线)|\d{4}(?:年|月)?|[一-九]|\u4e00")]
    [(('日',),), (), (), ()]
    """
    tokens, parts, at = _TOKEN.finditer(source), [], 0
    while True:
        needs, end = _read_alternative(tokens)
        parts.append(_Alternative(source[at : len(source) if end is None else end.start()], tuple(needs)))
        if end is None or end[0] == ")":
            return parts
        at = end.end()


def _read_alternative(tokens: Iterator[re.Match[str]]) -> tuple[list[tuple[str, ...]], re.Match[str] | None]:
    """Read up to the end of an alternative; return what it needs and the token that ended it, None for the end."""
    needs: list[tuple[str, ...]] = []
    word, before = "", 0  # the letters that were just read, and how many needs there were before the last part
    for found in tokens:
        token = found[0]
        if token.isalpha():
            word += token.lower()
            continue
        repeats = token[0] in "?*+{" and token != "{"
        if word:
            least = word[:-1] if (repeats and token[0] in "?*") or token.startswith("{0") else word
            needs += [(least,)] if least else []
            word, before = "", len(needs)
            if repeats:
                continue
        if token in ("|", ")"):
            return needs, found
        if repeats:
            if token[0] in "?*" or token.startswith("{0"):
                del needs[before:]
            continue
        before = len(needs)
        if token[0] == "(" and (token[-1] != ")" or token[:3] == "(?("):
            inside = _read_group(tokens)
            needs += [] if token.endswith("!") else inside
        elif token[0] == "[" and (letters := _LETTERS.fullmatch(token[1:-1])):
            needs.append(tuple(letters[0].lower()))
    return [*needs, (word,)] if word else needs, None


def _read_group(tokens: Iterator[re.Match[str]]) -> list[tuple[str, ...]]:
    """Read up to the end of a group; return what a text must have for it to match."""
    each = []
    while True:
        needs, end = _read_alternative(tokens)
        each.append(needs)
        if end is None or end[0] == ")":
            break
    if len(each) == 1 or not all(each):
        return each[0] if len(each) == 1 else []
    return [tuple(word for needs in each for word in max(needs, key=_weigh))]


def _weigh(words: tuple[str, ...]) -> tuple[int, int]:
    """Return how much it says that a text must have one of some words: more for long ones, and for few."""
    return min(map(len, words)), -len(words)


@lru_cache(maxsize=32)
def _lower(text: str) -> str:
    return text.lower()
