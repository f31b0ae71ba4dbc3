"""One way of writing for many: a question is read without greetings, in simplified characters and plain digits."""

import os
import re
from functools import cache, lru_cache
from typing import NamedTuple

from ia.agent.analyst.voice import count_han
from ia.domain.instruments.symbols import bundled_symbols
from ia.kernel.patterns import compile_pattern, pattern
from ia.kernel.word_patterns import pattern_by_letters

_WIDE = {0xFF01 + at: 0x21 + at for at in range(0x5E) if chr(0x21 + at).isalnum() or chr(0x21 + at) in "%+-./<>="}
"""Digits, letters and signs in full width; punctuation stays, which the rules know in both widths."""
_GAP = pattern(r"(?<=[^\W\x00-\u02ff]) +(?=[^\W\x00-\u02ff])")
"""Spaces between signs that are no letters of an alphabet of Europe: Chinese is written without."""
_GAP_BESIDE = pattern(
    r"(?<=[^\W\x00-\u02ff]) +(?=[A-Za-z\d$^])|(?<=[A-Za-z\d%]) +(?=[^\W\x00-\u02ff])|(?<=[A-Za-z\d%]) +(?=[，。？！])"
)
"""Spaces between such a sign and a name, a code or a number: 600036 年线."""
_TWO_WORDS = pattern(r"[A-Za-z]{2,},? [A-Za-z]{2,}|\b[a-z]+['’][a-z]+\b")
"""English, in which a Chinese name stands apart."""
_CODE = pattern(
    r"(?<![A-Za-z\d_.:/-])\d{5,6}(?![A-Za-z\d_.%/-]|\s*(?:元|块|手|万|亿|股(?![价票市息东权本份])|点(?!评)))"
)
"""A code, for which a Chinese sentence is read with the name: what stands beside it is seen as it is beside names."""
_PART = pattern(r"@\w+@")
_MARKS = pattern(r"[?？!！。.~～\s]+\Z")


class Variants(NamedTuple):
    """The ways of writing of variants.tsv.

    characters  traditional to simplified
    beginning, end  what says nothing, at either end
    contrary    a form that says what was not done, and what was therefore
    words       a form, and the word that the tables know
    """

    characters: dict[int, int]
    beginning: re.Pattern[str]
    end: re.Pattern[str]
    contrary: tuple[tuple[re.Pattern[str], str], ...]
    words: tuple[tuple[re.Pattern[str], str], ...]


@lru_cache(maxsize=64)
def simplify_question(text: str) -> str:
    """Return a question in the words that the tables know, for reading only: what the user wrote stays as it is.

    >>> simplify_question("请问茅臺２０日內最高價是幾多呢？，谢谢")
    '茅台20日内最高价是多少？'
    >>> simplify_question("600036 年线"), simplify_question("RSI of 600036")
    ('招商银行250日均线', 'RSI of 600036')
    >>> simplify_question("Quick question:  what's  the PE of 600519? Thanks!")
    'what is the PE of 600519?'
    >>> simplify_question("哪些持仓没亏钱"), simplify_question("你好")
    ('我哪些持仓盈利', '你好')
    """
    plain, mark = _drop_courtesies(text)
    if count_han(plain):
        plain = _CODE.sub(lambda found: _names_by_code().get(found[0], found[0]), plain)
    for form, word in _load_variants().words:
        plain = form.sub(word, plain)
    return plain + mark


def drop_courtesies(text: str) -> str:
    """Return a question as it was said, without greetings, thanks and negations: for reading word by word.

    >>> drop_courtesies("Please tell me: why did Moutai fall? Thanks!"), drop_courtesies("你好")
    ('why did Moutai fall?', '你好')
    """
    return "".join(_drop_courtesies(text))


def _drop_courtesies(text: str) -> tuple[str, str]:
    """Return a question without greetings, and its question mark."""
    known = _load_variants()
    plain = re.sub(r"[ \t\u3000\xa0]+", " ", fold_characters(text)).strip()
    plain = _GAP.sub("", plain)
    if not _TWO_WORDS.search(plain):
        plain = _GAP_BESIDE.sub("", plain)
    for form, word in known.contrary:
        plain = form.sub(word, plain)
    said, mark = known.beginning.sub("", plain), ""
    while (cut := _MARKS.sub("", known.end.sub("", said))) != said:
        mark = mark or next((sign for sign in "?？" if sign in said[len(cut) :]), "")
        said = cut
    return (said, mark) if said else (plain, "")


def fold_characters(text: str) -> str:
    """Return a text in simplified characters, with digits and letters in their usual width."""
    return text.translate(_WIDE).translate(_load_variants().characters)


@cache
def _names_by_code() -> dict[str, str]:
    """Return the Chinese names of the codes that mean one security each."""
    found: dict[str, list[str]] = {}
    for symbol in bundled_symbols():
        found.setdefault(symbol.code, []).append(symbol.name)
    return {code: names[0] for code, names in found.items() if len(names) == 1 and count_han(names[0]) == len(names[0])}


@cache
def _load_variants() -> Variants:
    """Return the ways of writing. Lines of one kind are tried together."""
    parts: dict[str, list[list[str]]] = {}
    with open(os.path.join(os.path.dirname(__file__), "variants.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                kind, *rest = line.rstrip("\n").split("\t")
                parts.setdefault(kind, []).append(rest)
    shared = {f"@{name}@": form for name, form in parts["part"]}

    def write_out(form: str) -> str:
        return _PART.sub(lambda found: shared[found[0]], form) if "@" in form else form

    characters = {ord(one): ord(other) for row in parts["characters"] for one, other in zip(*row, strict=True)}
    beginning = "|".join(row[0] for row in parts["beginning"])
    end = "|".join(row[0] for row in parts["end"])
    return Variants(
        characters,
        compile_pattern(rf"\A(?:{beginning})+", re.I),
        compile_pattern(rf"(?:{end})\Z", re.I),
        *(
            tuple((pattern_by_letters(write_out(form), re.I), word) for form, word in parts[kind])
            for kind in ("contrary", "word")
        ),
    )
