"""Regular expressions that are compiled when they are first used: a command uses a few of those that it loads."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, cast


class _Later:
    """A pattern that is not compiled yet. The methods that were used are kept: asking for one again costs nothing."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when one of its methods is first asked for.

    >>> pattern("[0-9]+").findall("2024-03-15")
    ['2024', '03', '15']
    """
    return cast("re.Pattern[str]", _Later(source, flags))


_TOKEN = pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<\w+>|[()|]", re.S)
_ESCAPED = pattern(r"\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)", re.S)
_CLASS = pattern(r"\[\^?\]?[^\]]*\](?P<often>[?*]|\{0)?", re.S)
_GROUP = pattern(r"\((?P<kind>\?(?:P<\w+>|P=\w+|<?[=!]|[a-zA-Z-]*:))?(?P<inside>[^()]*)\)(?P<often>[?*]|\{0)?", re.S)
_OPTIONAL = pattern(r"[A-Za-z\u3400-\u9fff](?:[?*]|\{0)")
_WORD = pattern(r"[A-Za-z]+|[\u3400-\u9fff]+")
_ODD = pattern(r"\w-\w|[^\w]")
_MOST_MADE = 64
"""Compiled selections that a pattern keeps: a process that reads many texts must not keep one for each."""


class _Alternative(NamedTuple):
    """One alternative, and what a text must have a piece of for it to match; empty: nothing is known."""

    source: str
    pieces: frozenset[str]

    def can_match(self, text: str) -> bool:
        return not self.pieces or any(piece in text for piece in self.pieces)


class _ByLetters:
    """A pattern in two languages: of its alternatives those are compiled whose words a text can have.

    An alternative is left out for a text that has none of the words that it must have. A pattern with named groups is
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
            self._alternatives = [_Alternative(each, _find_pieces(each)) for each in split_alternatives(self.pattern)]
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
            return re.compile(source, self.flags)
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
    depth, last, parts = 0, 0, []
    for found in _TOKEN.finditer(source):
        token = found[0]
        if token == "|" and not depth:
            parts.append(source[last : found.start()])
            last = found.end()
        elif token[0] in "()":
            depth += 1 if token[0] == "(" else -1
    return [*parts, source[last:]]


def _find_pieces(alternative: str) -> frozenset[str]:
    r"""Return words of which a text must have one for an alternative to match; empty where none is sure.

    >>> sorted(_find_pieces(r"\b(?:trades?|deals) of(?: mine)?"))
    ['deals', 'of', 'trade']
    >>> sorted(_find_pieces("现金[多几]")), sorted(_find_pieces(r"(?:今天|\d+)日(?!线)"))
    (['几', '多', '现金'], ['日'])
    >>> _find_pieces(r"\d{4}(?:年|月)?"), _find_pieces("[一-九]"), _find_pieces(r"\u4e00")
    (frozenset(), frozenset(), frozenset())
    """
    plain = _CLASS.sub(_write_class, _ESCAPED.sub(" ", alternative))
    while (inner := _GROUP.sub(_write_group, plain)) != plain:
        plain = inner
    return frozenset(word.lower() for word in _WORD.findall(_OPTIONAL.sub(" ", plain)))


def _write_class(found: re.Match[str]) -> str:
    """Return the letters of a class, apart; nothing for one that may be missing or takes other signs as well."""
    inside = found[0][1 : found[0].rindex("]")]
    return " " if found["often"] or _ODD.search(inside) else f"({'|'.join(inside)})"


def _write_group(found: re.Match[str]) -> str:
    """Return the words of a group; nothing for one that may be missing, or match without any of them."""
    denied = (found["kind"] or "").endswith("!") or (found["kind"] or "").startswith("?P=")
    sure = all(_WORD.search(_OPTIONAL.sub(" ", each)) for each in found["inside"].split("|"))
    return " " if found["often"] or denied or not sure else f" {found['inside'].replace('|', ' ')} "


@lru_cache(maxsize=32)
def _lower(text: str) -> str:
    return text.lower()
