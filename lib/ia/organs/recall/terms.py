"""Words: how a text becomes the tokens of the index, and a query an expression over them.

SQLite's tokenizers know no Chinese. A run of Chinese characters is therefore written as its overlapping pairs and its
last character: 中国银行 becomes 中国 国银 银行 行. A word of two or more characters is then a phrase of pairs, which
never crosses punctuation, and a single character is a prefix. Latin words are stemmed (Porter) by the index itself.
"""

import re
from operator import add
from typing import NamedTuple
from unicodedata import normalize

from ia.kernel.patterns import pattern

_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = pattern(f"[{_HAN}]+")
_PIECE = pattern(f"[{_HAN}]+|[^\\W_{_HAN}]+")
_STOP = frozenset(
    """
    a an and are as at be been but by can could did do does for from had has have he her him his how i if in into is it
    its me my no not of on or our she so some than that the their them then there these they this to was we were what
    when where which while who whom whose why will with would you your about any
    什么 怎么 如何 是否 请问 为什 多少 哪些 哪个 你好 您好 谢谢 一下 可以
    没有 我们 你们 他们 这个 那个 么的 的是 是不 不是
    """.split()  # noqa: SIM905
)
"""Words that a question is made of, and that tell nothing about what it asks for."""


FUNCTION_CHARACTERS = frozenset("的是什么谁又叫有哪怎吗呢了为何几多少请问说我你他她它们这那个里在和与及或被把也都就不")
"""Characters that tell little of what a text is about."""


class Query(NamedTuple):
    """A query in two readings. `exact`: one phrase a word, all must be there. `tokens`: any may, ranked."""

    exact: tuple[str, ...]
    tokens: tuple[str, ...]


def normalize_text(text: str) -> str:
    """Return a text as it is compared: one form for full-width and half-width, one case."""
    return text.lower() if text.isascii() else normalize("NFKC", text).lower()


def to_index_text(text: str) -> str:
    """Return a text as the index takes it: every run of Chinese spelled as pairs."""
    return _RUN.sub(_spell_pairs, normalize_text(text))


def parse_query(text: str) -> Query:
    """Return what a query asks for. A query without letters or digits asks for nothing."""
    exact: list[str] = []
    tokens: dict[str, None] = {}
    for word in normalize_text(text).split():
        pieces = _PIECE.findall(word)
        spelled: list[str] = []
        for at, piece in enumerate(pieces):
            inner = at < len(pieces) - 1
            spelled += _split_pairs(piece, closed=inner) if _RUN.match(piece) else [piece]
            for token in _split_pairs(piece, closed=False) if _RUN.match(piece) else [piece]:
                tokens[token] = None
        if spelled:
            single = len(spelled[-1]) == 1 and bool(_RUN.match(spelled[-1]))
            exact.append(f'"{" ".join(spelled)}"' + ("*" if single else ""))
    telling = tuple(token for token in tokens if token not in _STOP) or tuple(tokens)
    return Query(tuple(dict.fromkeys(exact)), telling)


def quote_token(token: str) -> str:
    """Return a token as an expression of the index: a single Chinese character stands for what begins with it."""
    return f'"{token}"*' if len(token) == 1 and _RUN.match(token) else f'"{token}"'


def _spell_pairs(match: re.Match[str]) -> str:
    run = match[0]
    return f" {' '.join([*map(add, run, run[1:]), run[-1]])} "


def _split_pairs(run: str, *, closed: bool) -> list[str]:
    """Return the pairs of a run, with its last character as well if more follows (`closed`) or it is the only one."""
    end = len(run) if closed or len(run) == 1 else len(run) - 1
    return [run[at : at + 2] for at in range(end)]
