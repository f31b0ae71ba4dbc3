"""Regular expressions that are compiled when they are first used: a command uses a few of those that it loads."""

import re
from collections.abc import Callable, Iterator
from typing import Any, cast


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


_NOTHING = r"(?!)"
_TOKEN = pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<\w+>|[()|]", re.S)
_NO_WORDS = pattern(r"\\.|\(\?P<\w+>")
_LATIN = pattern("[A-Za-z]")
_CHINESE = pattern("[\u3400-\u9fff]")


class _ByLetters:
    """A pattern in two languages: of its alternatives those are compiled whose letters a text has.

    An alternative that is in English alone is left out for a text without Latin letters, and one that is in Chinese
    alone for a text in ASCII. Each must therefore have a word of its language in it, and not merely one that may be.
    A pattern with named groups is compiled whole: whoever reads a match asks for its groups.
    """

    def __init__(self, source: str, flags: int, report: Callable[[], None] | None) -> None:
        self.pattern, self.flags, self._report = source, flags, report
        self._parts: list[tuple[str, bool, bool]] | None = None
        self._made: dict[tuple[bool, bool], re.Pattern[str]] = {}

    def _of(self, text: str) -> re.Pattern[str]:
        letters = _LATIN.search(text) is not None, not text.isascii()
        if letters not in self._made and "(?P<" in self.pattern:
            self._made[letters] = self._compile(self.pattern)
        if letters not in self._made:
            self._parts = self._parts or [(part, *_languages(part)) for part in split_alternatives(self.pattern)]
            kept = [part for part, latin, chinese in self._parts
                    if latin == chinese or (letters[0] if latin else letters[1])]  # fmt: skip
            self._made[letters] = self._compile("|".join(kept) if kept else _NOTHING)
        return self._made[letters]

    def _compile(self, source: str) -> re.Pattern[str]:
        try:
            return re.compile(source, self.flags)
        except re.error:
            if self._report is None:
                raise
            self._report()
            return re.compile(_NOTHING)

    def search(self, text: str) -> re.Match[str] | None:
        return self._of(text).search(text)

    def match(self, text: str) -> re.Match[str] | None:
        return self._of(text).match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._of(text).fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._of(text).finditer(text)

    def findall(self, text: str) -> list[Any]:
        return self._of(text).findall(text)

    def sub(self, put: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        return self._of(text).sub(put, text, count)


def pattern_by_letters(source: str, flags: int = 0, report: Callable[[], None] | None = None) -> re.Pattern[str]:
    """Return a pattern in two languages that compiles what the letters of a text can match.

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


def _languages(part: str) -> tuple[bool, bool]:
    """Return whether Latin and whether Chinese letters are in the words of an alternative."""
    return _LATIN.search(_NO_WORDS.sub("", part)) is not None, _CHINESE.search(part) is not None
