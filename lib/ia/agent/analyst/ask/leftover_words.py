"""Words of a question for figures that no reader has read: each may be a time, a quantity or an exception."""

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import compile_pattern, pattern
from ia.kernel.word_patterns import split_alternatives

MOST = 4
"""Words that are named in a question back."""
_WORD = pattern(r"[a-z][\w'’&-]*|\d[\d,.]*[%％]?|[\u3400-\u9fff]+", re.I)


def find_leftovers(text: str, answer: str, read: Iterable[re.Pattern[str]] = ()) -> tuple[str, ...]:
    """Return the words of a text that neither an answer reads nor are idle, in its order.

    text  a question without its securities and its times
    read  what else was read of it

    >>> find_leftovers("现在的收盘价 是多少", "figure"), find_leftovers("how did   do except", "move")
    ((), ('except',))
    """
    return tuple(_remove_read(text, (*read, *_words_read(answer))))[:MOST]


def _words_read(answer: str) -> tuple[re.Pattern[str], ...]:
    return (*_compile(answer), *_compile("*"))


def _remove_read(text: str, read: Iterable[re.Pattern[str]]) -> Iterator[str]:
    """Yield the words of a text that none of the expressions matches, in its order."""
    low = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    for form in read:
        low = form.sub(lambda found: " " * len(found[0]), low)
    for match in _WORD.finditer(low):
        yield text[match.start() : match.end()]


def reads_word(answer: str, word: str) -> bool:
    """Return True if an answer knows a word itself, beside the words that change nothing of any answer."""
    return any(form.search(word.casefold()) for form in _compile(answer))


def compile_idle() -> tuple[re.Pattern[str], ...]:
    """Return the words that change nothing of any answer about the owner's things."""
    return (*_compile("*"), *_compile("+"))


@cache
def without_gaps(words: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern without those of its alternatives that leap over other words: `did.{0,40}rise`.

    >>> without_gaps(re.compile("(?:a|b)c|did.{0,9}(?:up|down)|市值")).pattern
    '(?:a|b)c|市值'
    """
    kept = [part for part in split_alternatives(words.pattern) if part and not _LEAP.search(part)]
    return compile_pattern("|".join(kept) or r"(?!)", words.flags)


_LEAP = pattern(r"(?<!\\)\.[{*+]")


def find_unread_words(text: str, answer: str, sources: Iterable[str]) -> tuple[str, ...]:
    """Return the words of a text that no expression of a fact names, no answer reads and that are not idle.

    text     a question without its securities and its times
    sources  the expressions of the facts: every word in them counts as read, wherever it stands

    >>> find_unread_words("which of my holdings are overpriced", "at", ["(?:my|own) hold(?:ings?)?.{0,9}up"])
    ('overpriced',)
    >>> find_unread_words("我的持仓里哪些被高估", "at", ["持仓.{0,6}[涨跌]"])
    ('高估',)
    """
    known = [_find_named(source) for source in sources]
    left = []
    for word in _remove_read(text, (*_words_read(answer), *_compile("+"))):
        if count_han(word):
            for each in known:
                word = each.remove_han(word)
            left += [part for part in word.split() if len(part) > 1]
        elif not any(map(str.isdigit, word)) and len(word) > 1 and not any(each.has(word) for each in known):
            left.append(word)
    return tuple(left[:MOST])


class _Named(NamedTuple):
    """The words of an expression: Latin ones, beginnings of Latin ones, and Chinese ones, the longest first."""

    words: frozenset[str]
    begun: tuple[str, ...]
    han: tuple[str, ...]

    def has(self, word: str) -> bool:
        """Return True if a word stands there, inflected or put together: `hold(?:ings?)?`, `watch ?list`."""
        low = word.casefold().replace("’", "'")
        stems = [low.removesuffix(end) for end in _ENDS if low.endswith(end)]
        return low.startswith(self.begun) or any(
            stem in self.words or any(stem[:at] in self.words and stem[at:] in self.words for at in range(3, len(stem)))
            for stem in stems
        )

    def remove_han(self, word: str) -> str:
        for each in self.han:
            word = word.replace(each, " ")
        return word


_ENDS = ("", "s", "es", "ed", "d", "ing", "'s", "s'")
_REFUSED = pattern(r"\(\?<?!(?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)")
"""Words that must not stand there."""
_BEGUN = pattern(r"([a-z]{3,})\\w[*+]", re.I)
_OPTIONAL_HAN = pattern(r"[\u3400-\u9fff]\?")
_OPTIONAL = pattern(r"[a-z]\?", re.I)
_LATIN = pattern(r"[a-z][a-z'’&-]+", re.I)
_CLASS = pattern(r"\[\^?([^\]]*)\]")
_HAN = pattern(r"[\u3400-\u9fff]+")
_ESCAPED = pattern(r"\\[a-zA-Z]|\(\?[:=<!]*")


@cache
def _find_named(source: str) -> _Named:
    plain = _REFUSED.sub(" ", source)
    begun = tuple(each.casefold() for each in _BEGUN.findall(plain))
    classes = {char for inside in _CLASS.findall(plain) for char in inside if count_han(char)}
    plain = _ESCAPED.sub(" ", _CLASS.sub(" ", plain))
    shorter = _HAN.findall(_OPTIONAL_HAN.sub(" ", plain))  # 风险最?大: 风险, too
    han = {*_HAN.findall(plain.replace("?", " ")), *_HAN.findall(plain), *shorter, *classes}
    said = [*_LATIN.findall(plain), *_LATIN.findall(_OPTIONAL.sub("", plain))]
    latin = frozenset(each.casefold().replace("’", "'") for each in said)
    return _Named(latin, begun, tuple(sorted(han, key=len, reverse=True)))


@cache
def _load_words() -> dict[str, list[str]]:
    """Return the words of idle_words.tsv by answer."""
    words: dict[str, list[str]] = {}
    with open(os.path.join(os.path.dirname(__file__), "idle_words.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                names, forms = line.rstrip("\n").split("\t")
                for name in names.split(","):
                    words.setdefault(name, []).append(forms)
    return words


@cache
def _compile(answer: str) -> tuple[re.Pattern[str], ...]:
    """Return the idle words of an answer: Latin words whole, Chinese ones wherever they stand."""
    every = [form for row in _load_words().get(answer, ()) for form in re.split(r"\|(?![^(]*\))", row)]
    han = sorted((form for form in every if count_han(form)), key=len, reverse=True)
    latin = sorted((form for form in every if not count_han(form)), key=len, reverse=True)
    found = [compile_pattern("|".join(han))] if han else []
    return (*found, compile_pattern(rf"(?<![a-z\d_-])(?:{'|'.join(latin)})(?![a-z\d_-])")) if latin else tuple(found)
