"""Which securities a message names: codes, tickers and names, wherever they stand."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ia.agent.analyst.voice import count_han
from ia.domain.instruments import name_sources
from ia.domain.instruments.symbols import (
    Symbol,
    bundled_names,
    bundled_symbols,
    crossing_words,
    english_names,
    everyday_names,
    name_forms,
    not_tickers,
    resolve_security,
)
from ia.kernel.errors import IaError
from ia.kernel.patterns import pattern

_CODE = pattern(
    r"(?<![A-Za-z0-9_.])(?:(?:sh|sz|bj|hk)\.?\d{5,6}|\d{6}(?:\.(?:sh|sz|ss|bj))?|\d{1,5}\.hk|0\d{4}|[a-z]{1,5}\.us)"
    r"(?![A-Za-z0-9_]|\.\d)(?!\s*(?:元|块|手|万|亿|股(?![价票市息东权本份])|点(?!评)"
    r"|(?:yuan|rmb|cny|usd|hkd|dollars?|bucks)\b))", re.I
)  # fmt: skip
_TICKER = pattern(
    r"(?<![A-Za-z0-9_.$])(?!STAR (?:[Mm]arket|[Bb]oard|[Ss]hares?|[Ss]tocks?))\$?([A-Z]{2,5}(?:\.[A-Z])?)"
    r"(?![A-Za-z0-9_])"
)
_WORD = pattern(r"(?<![A-Za-z0-9_.$&])\$?([A-Za-z]{3,5})(?![A-Za-z0-9_&])")
_BOARD_NEXT = pattern(r"\s*(?:板块|行业|概念|产业|题材|赛道|指数|etf|基金)")
_LATIN = pattern(r"[a-z0-9]")
_NUMBER = pattern(r"第?[\d一二两三四五六七八九十百千几数零.]+(?:万|亿|天|百|手)")
_SHORT = 3
"""Characters of Chinese names that everyday words are looked for across."""
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
    kept: dict[str, Mention] = {}
    for _, _, symbol, said in _find_places(text)[0]:
        kept.setdefault(symbol.canonical, Mention(symbol, said))
    return list(kept.values())


def find_other_companies(text: str) -> list[str]:
    """Return the names of companies that are not known, and that begin with the name of another one.

    >>> find_other_companies("Put BYD Electronic and Hengrui on the watchlist"), find_other_companies("关注比亚迪电子")
    (['BYD Electronic'], ['比亚迪电子'])
    >>> find_other_companies("比亚迪电子业务怎么样"), find_other_companies("Is Ping An Bank up?")
    ([], [])
    """
    return list(dict.fromkeys(_find_places(text)[1]))


_Places = tuple[tuple[int, int, Symbol, str], ...]


def _find_places(text: str) -> tuple[_Places, tuple[str, ...]]:
    """Return where a text names securities, in its order: from, to, the security, the words; and unknown companies."""
    told = tuple(name_sources.registered.values())
    return _find_places_once(text[:LONGEST], tuple(_Same(tell()) for tell in told))


class _Same:
    """Names as they were read once: to compare thousands of them each time would be felt."""

    def __init__(self, names: Sequence[Symbol]) -> None:
        self.names = names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.names is self.names

    def __hash__(self) -> int:
        return id(self.names)


@lru_cache(maxsize=64)
def _find_places_once(text: str, stored: tuple[_Same, ...]) -> tuple[_Places, tuple[str, ...]]:
    folded = _fold(text)
    spans: list[tuple[int, int, Symbol, str]] = []
    for match in _CODE.finditer(folded):
        _place(spans, match.start(), match.end(), _resolve_mention(match[0]), match[0])
    low = folded.casefold()
    if len(low) == len(folded):
        words = _find_crossing_words(low)
        for name, symbol in _names():
            at = low.find(name)
            while at >= 0:
                if _is_whole_word(low, at, at + len(name)) and not _crossing(words, name, at):
                    _place(spans, at, at + len(name), symbol, folded[at : at + len(name)])
                at = low.find(name, at + 1)
        _place_stored(spans, low, folded, stored, words)
    shouted = folded.isupper() and len(re.findall(r"[A-Z]{2,}", folded)) > 3
    for match in _TICKER.finditer(folded):
        if match[1] not in not_tickers() and not shouted:
            _place(spans, match.start(), match.end(), _resolve_mention(match[1]), match[1])
    for match in _WORD.finditer(folded):
        if match[1].casefold() not in _EVERYDAY and match[1].upper() not in not_tickers():
            _place(spans, match.start(), match.end(), _tickers().get(match[1].upper()), match[1])
    return _lengthen(folded, sorted(spans, key=lambda span: span[0]))


_LONGER = pattern(
    r"\s+(?:electronics?|health(?:care)?|logistics|music|good doctor|pictures|securities|insurance|pharma\w*"
    r"|semiconductors?|property services|properties|futures|leasing|hospitality)"
    r"(?=\W*$|\s*[,.;:?!、，。？；()]|['’]s\b|\s+(?:on|onto|to|and|or|in|into|from|off|is|was|looks?|doing|stocks?|shares?|price"
    r"|today|now|at|with|vs|versus|because|closed?|up|down)\b)"
    r"|(?:电子|健康|物流|音乐|好医生|影业|数科|医药|期货|微电子)"
    r"(?!业务|板块|部门|收入|成本|行业|产业|概念|指数|需求|类|品|商|费|园|公司|基金|[etf]{3}|[分]?组)",
    re.I,
)
"""What makes the name of a company that of another one: BYD Electronic is not BYD."""


def _lengthen(folded: str, spans: list[tuple[int, int, Symbol, str]]) -> tuple[_Places, tuple[str, ...]]:
    """Return the places with the longest name that is meant at each, and the names of companies that are not known."""
    kept, unknown = [], []
    for place in spans:
        start, end, _, said = place
        found = None if any(char.isdigit() for char in said) else _LONGER.match(folded, end)
        if found is None or any(a < found.end() and end < b and a > start for a, b, _, _ in spans):
            kept.append(place)
            continue
        whole = folded[start : found.end()]
        longer = _resolve_mention(whole)
        if longer is not None:
            kept.append((start, found.end(), longer, whole))
        else:
            unknown.append(whole)
    return tuple(kept), tuple(unknown)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:LONGEST])


def strip_mentions(text: str, put: str = " ") -> str:
    """Return the beginning of a text that is read, with something else for the securities that it names.

    >>> strip_mentions("贵州茅台(600519)的市盈率")
    ' ( )的市盈率'
    """
    places = _find_places(text)[0]
    text = text[:LONGEST]
    if places and len(text) != len(_fold(text)):
        text = _fold(text)
    for begin, end, *_ in reversed(places):
        text = text[:begin] + put + text[end:]
    return text


def find_short_names(text: str) -> list[Mention]:
    """Return the securities whose Chinese names begin with words of a text, where only one security's does.

    For sentences in which a security is certain to be named: 我为什么买隆基.

    >>> [mention.code for mention in find_short_names("我把隆基全卖了")], find_short_names("我卖了中国")
    (['601012.SH'], [])
    """
    folded = unicodedata.normalize("NFKC", text[:200])
    names = [(name, symbol) for name, symbol in _names() if not name.isascii()]
    found: dict[str, Mention] = {}
    for run in re.findall(r"[\u3400-\u9fff]{2,}", folded):
        for at in range(len(run) - 1):
            for part in (run[at : at + 3], run[at : at + 2]):
                if not any(name.startswith(part) for name, _ in names):
                    continue
                meant = {symbol for name, symbol in names if part in name}
                if len(meant) == 1:
                    found.setdefault(next(iter(meant)).canonical, Mention(next(iter(meant)), part))
                break
    return list(found.values()) if len(found) == 1 else []


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
    for run in re.findall(r"[\u3400-\u9fff]{3,}", folded):
        for at in range(len(run) - 2):
            short = [name for name in known if len(name) == 3 and _differs_by_one(name, run[at : at + 3])]
            if short:
                return run[at : at + 3], list(dict.fromkeys(s for name in short for s in known[name]))
    for word in re.findall(r"[a-z]{5,}", folded):
        latin = [name for name in known if name.isascii() and len(name) > 4]
        swapped = [name for name in latin if _swaps_letters(name, word)]
        if close := swapped or get_close_matches(word, latin, 2, 0.83):
            typed = re.search(re.escape(word), text, re.I)
            return typed[0] if typed else word, list(dict.fromkeys(s for name in close for s in known[name]))
    return "", []


_ABBREVIATED = pattern(r"[\u3400-\u9fff]{2,3}")
MOST_FULL = 4
"""Securities that an abbreviation may stand for; of more it says nothing."""


def find_abbreviated(said: str) -> list[Symbol]:
    """Return the securities whose names have the characters of a text in their order and begin with the first of them.

    >>> [symbol.code for symbol in find_abbreviated("长电")], find_abbreviated("你好")
    (['600900'], [])
    """
    if not _ABBREVIATED.fullmatch(said):
        return []
    form = re.compile(".*".join(map(re.escape, said)))
    full = {symbol: None for name, symbol in _names() if len(name) > len(said) and form.match(name)}
    return list(full) if len(full) <= MOST_FULL else []


def _swaps_letters(name: str, said: str) -> bool:
    """Return True if a word begins as a name and has its letters, two neighbours of them swapped.

    >>> _swaps_letters("tesla", "telsa"), _swaps_letters("tesla", "steal")
    (True, False)
    """
    if len(name) != len(said) or name[0] != said[0]:
        return False
    other = [at for at, (a, b) in enumerate(zip(name, said, strict=True)) if a != b]
    return (
        len(other) == 2
        and other[1] == other[0] + 1
        and name[other[0]] == said[other[1]]
        and name[other[1]] == said[other[0]]
    )


def _differs_by_one(name: str, said: str) -> bool:
    """Return True if a name of three characters begins as what was said and has one other character."""
    return name[0] == said[0] and sum(a != b for a, b in zip(name, said, strict=True)) == 1


def english(symbol: Symbol) -> str:
    """Return the name as an English text has it, else the Chinese one, else the code."""
    return english_names().get(symbol.canonical) or symbol.name or symbol.canonical


def _place(spans: list[tuple[int, int, Symbol, str]], start: int, end: int, symbol: Symbol | None, said: str) -> None:
    """Take a stretch of the text for a security, unless a longer name already has it."""
    if symbol is not None and all(end <= a or start >= b for a, b, _, _ in spans):
        spans.append((start, end, symbol, said))


def _is_whole_word(low: str, start: int, end: int) -> bool:
    """Whether a Latin name stands as words of their own; of Chinese, which has no gaps, see `_crossing`."""
    if _LATIN.match(low[start]) and start and _LATIN.match(low[start - 1]):
        return False
    return not (_LATIN.match(low[end - 1]) and end < len(low) and _LATIN.match(low[end]))


def _find_crossing_words(low: str) -> list[tuple[int, int]]:
    """Return where a text has everyday words that share a character with names, cut from its beginning.

    >>> _find_crossing_words("上海天气"), _find_crossing_words("早上海天涨了")
    ([(0, 2)], [(0, 2)])
    """
    table, found, at = _cut_table(), list[tuple[int, int]](), 0
    while at < len(low):
        if number := _NUMBER.match(low, at):
            found.append(number.span())
            at = number.end()
            continue
        word = next((each for each in table.get(low[at], ()) if low.startswith(each, at)), "")
        if word and word in crossing_words():
            found.append((at, at + len(word)))
        at += len(word) or 1
    return found


def _crossing(words: list[tuple[int, int]], name: str, at: int) -> bool:
    """Whether a short Chinese name is only read across everyday words."""
    end = at + len(name)
    return len(name) <= _SHORT and any(a < end and at < b and (a < at or b > end) for a, b in words)


@cache
def _cut_table() -> dict[str, list[str]]:
    """Return the words that a text is cut into, by their first character, longest first."""
    table: dict[str, list[str]] = {}
    for word in sorted(
        {*crossing_words(), *(name for name, _ in _names() if not name.isascii())}, key=len, reverse=True
    ):
        table.setdefault(word[0], []).append(word)
    return table


def _place_stored(
    spans: list[tuple[int, int, Symbol, str]],
    low: str,
    folded: str,
    stored: tuple[_Same, ...],
    words: list[tuple[int, int]],
) -> None:
    """Take the names that only the local store knows, but for everyday words and names of boards."""
    taken = list(low)
    for start, end, _, _ in spans:
        taken[start:end] = " " * (end - start)
    if count_han("".join(taken)) < 2:
        return
    table = _stored_names(stored)
    for at in range(len(low) - 2):
        for name, symbol in table.get(low[at : at + 2], ()):
            if (
                low.startswith(name, at)
                and not _BOARD_NEXT.match(low, at + len(name))
                and not _crossing(words, name, at)
            ):
                _place(spans, at, at + len(name), symbol, folded[at : at + len(name)])
                break


@lru_cache(maxsize=2)
def _stored_names(stored: tuple[_Same, ...]) -> dict[str, list[tuple[str, Symbol]]]:
    """Return the names of the local store by their first two characters, longest first; shared ones are left out."""
    bundled = {name for name, _ in _names()}
    named: dict[str, Symbol | None] = {}
    for symbol in (symbol for each in stored for symbol in each.names):
        for form in name_forms(symbol.name):
            name = form.replace(" ", "")
            if len(name) >= 3 and not name.isascii() and name not in bundled and name not in everyday_names():
                named[name] = symbol if named.get(name, symbol) == symbol else None
    table: dict[str, list[tuple[str, Symbol]]] = {}
    for name, found in sorted(named.items(), key=lambda pair: -len(pair[0])):
        if found is not None:
            table.setdefault(name[:2], []).append((name, found))
    return table


def _resolve_mention(text: str) -> Symbol | None:
    try:
        return resolve_security(text, spelled=False)
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
