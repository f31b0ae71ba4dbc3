"""Which securities a message names: codes, tickers and names, wherever they stand."""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from ia.domain.instruments.symbols import (
    Symbol,
    bundled_names,
    bundled_symbols,
    english_names,
    not_tickers,
    resolve_security,
)
from ia.kernel.errors import IaError

_CODE = re.compile(
    r"(?<![A-Za-z0-9_.])(?:(?:sh|sz|bj|hk)\.?\d{5,6}|\d{6}(?:\.(?:sh|sz|ss|bj))?|\d{1,5}\.hk|0\d{4}|[a-z]{1,5}\.us)"
    r"(?![A-Za-z0-9_]|\.\d)(?!\s*(?:元|块|手|万|亿|股(?![价票市])|点(?!评)))", re.I
)  # fmt: skip
_TICKER = re.compile(r"(?<![A-Za-z0-9_.$])\$?([A-Z]{2,5}(?:\.[A-Z])?)(?![A-Za-z0-9_])")
_WORD = re.compile(r"(?<![A-Za-z0-9_.$&])\$?([A-Za-z]{3,5})(?![A-Za-z0-9_&])")
_LATIN = re.compile(r"[a-z0-9]")
_EVERYDAY = frozenset(("cost", "dis", "dia"))
LONGEST = 4000
"""Characters of a message that rules read: what is wanted stands at its beginning."""


class Mention(NamedTuple):
    """A security and how the message calls it."""

    symbol: Symbol
    said: str

    @property
    def code(self) -> str:
        """The canonical code: `300750.SZ`."""
        return self.symbol.canonical

    @property
    def name(self) -> str:
        """Its name, or the code without one: what notes about it are filed under."""
        return self.symbol.name or self.symbol.canonical


def find_mentions(text: str) -> list[Mention]:
    """Return the securities that a text names, in its order, each once."""
    folded = unicodedata.normalize("NFKC", text[:LONGEST])
    spans: list[tuple[int, int, Symbol, str]] = []
    for match in _CODE.finditer(folded):
        _place(spans, match.start(), match.end(), _resolve_mention(match[0]), match[0])
    low = folded.casefold()
    if len(low) == len(folded):
        for name, symbol in _names():
            at = low.find(name)
            while at >= 0:
                if _is_whole_word(low, at, at + len(name)):
                    _place(spans, at, at + len(name), symbol, folded[at : at + len(name)])
                at = low.find(name, at + 1)
    shouted = folded.isupper() and len(re.findall(r"[A-Z]{2,}", folded)) > 3
    for match in _TICKER.finditer(folded):
        if match[1] not in not_tickers() and not shouted:
            _place(spans, match.start(), match.end(), _resolve_mention(match[1]), match[1])
    for match in _WORD.finditer(folded):
        if match[1].casefold() not in _EVERYDAY and match[1].upper() not in not_tickers():
            _place(spans, match.start(), match.end(), _tickers().get(match[1].upper()), match[1])
    kept: dict[str, Mention] = {}
    for _, _, symbol, said in sorted(spans, key=lambda span: span[0]):
        kept.setdefault(symbol.canonical, Mention(symbol, said))
    return list(kept.values())


def strip_mentions(text: str) -> str:
    """Return the beginning of a text that is read, without the securities that it names."""
    text = text[:LONGEST]
    for mention in find_mentions(text):
        text = text.replace(mention.said, " ")
    return text


def find_near_name(text: str) -> tuple[str, list[Symbol]]:
    """Return the stretch of a text that is almost a known name, and what it could mean; ("", []) where nothing is.

    >>> find_near_name("帮我看看贵州毛台最近怎么样")[0]
    '贵州毛台'
    >>> [symbol.code for symbol in find_near_name("how is microsft doing?")[1]]
    ['MSFT']
    """
    from difflib import get_close_matches

    known: dict[str, list[Symbol]] = {}
    for name, symbol in _names():
        known.setdefault(name, []).append(symbol)
    folded = unicodedata.normalize("NFKC", text[:200]).casefold()
    wide = {len(name) for name in known if not name.isascii() and 4 <= len(name) <= 6}
    for run in re.findall(r"[\u3400-\u9fff]{4,}", folded):
        for size in sorted(wide, reverse=True):
            for at in range(len(run) - size + 1):
                like = [name for name in known if len(name) == size and not name.isascii()]
                if close := get_close_matches(run[at : at + size], like, 3, 0.75):
                    return run[at : at + size], list(dict.fromkeys(s for name in close for s in known[name]))
    for word in re.findall(r"[a-z]{5,}", folded):
        if close := get_close_matches(word, [name for name in known if name.isascii() and len(name) > 4], 2, 0.85):
            return word, list(dict.fromkeys(s for name in close for s in known[name]))
    return "", []


def english(symbol: Symbol) -> str:
    """Return the name as an English text has it, else the Chinese one, else the code."""
    return english_names().get(symbol.canonical) or symbol.name or symbol.canonical


def _place(spans: list[tuple[int, int, Symbol, str]], start: int, end: int, symbol: Symbol | None, said: str) -> None:
    """Take a stretch of the text for a security, unless a longer name already has it."""
    if symbol is not None and all(end <= a or start >= b for a, b, _, _ in spans):
        spans.append((start, end, symbol, said))


def _is_whole_word(low: str, start: int, end: int) -> bool:
    """Whether a Latin name stands as words of their own; Chinese has no gaps."""
    if _LATIN.match(low[start]) and start and _LATIN.match(low[start - 1]):
        return False
    return not (_LATIN.match(low[end - 1]) and end < len(low) and _LATIN.match(low[end]))


def _resolve_mention(text: str) -> Symbol | None:
    try:
        return resolve_security(text)
    except IaError:
        return None


@cache
def _names() -> tuple[tuple[str, Symbol], ...]:
    """Return the names of the bundled table, longest first; what several securities share goes to the mainland's."""
    named: dict[str, Symbol | None] = {}
    for symbol, names in bundled_names():
        for name in names:
            shared = named.get(name, symbol)
            named[name] = _prefer_mention(shared, symbol) if shared is not None else None
    fitting = [(name, symbol) for name, symbol in named.items() if symbol is not None and _telling(name)]
    return tuple(sorted(fitting, key=lambda pair: (-len(pair[0]), pair[0])))


@cache
def _tickers() -> dict[str, Symbol]:
    """Return the US securities of the bundled table by their tickers: in small letters they count too."""
    return {symbol.code: symbol for symbol in bundled_symbols() if symbol.market == "US"}


def _prefer_mention(a: Symbol, b: Symbol) -> Symbol | None:
    if a == b or {a.market, b.market} == {"CN", "HK"}:
        return a if a.market == "CN" else b
    return None


def _telling(name: str) -> bool:
    """Whether a name is long enough to be taken out of a sentence, and no everyday word."""
    if name in ("block", "visa", "target", "gap", "黄金etf"):
        return name not in ("block", "target", "gap")
    return len(name) >= (3 if name.isascii() else 2)
