"""Which security is meant: code, market and name, resolved by rules before anything else happens.

The same text always means the same security, or the command stops and lists what it could mean: a price of the wrong
company is worse than none. A mainland company's bare name means its mainland listing; its H-share is found by code or
as ``宁德时代H股``. Codes outside the bundled table are resolved by the exchanges' own prefixes.
"""

import os
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from ia.domain.instruments import name_sources, pinyin
from ia.domain.instruments.codes import HK_ETFS, find_range, is_between
from ia.kernel.errors import NotFound, UsageError
from ia.kernel.patterns import pattern

MARKET = {"SH": "CN", "SZ": "CN", "BJ": "CN", "HK": "HK", "US": "US"}
"""The market of each exchange suffix."""

EXCHANGES = {
    "SH": "SH", "SS": "SH", "SSE": "SH", "XSHG": "SH",
    "SZ": "SZ", "SZSE": "SZ", "XSHE": "SZ",
    "BJ": "BJ", "BSE": "BJ", "HK": "HK", "XHKG": "HK", "US": "US",
}  # fmt: skip
"""The exchange suffix that each name of an exchange stands for."""
SHORTEST_SPELLING = 2
"""Number of letters from which on text may be pinyin."""
_SUBSCRIBED = {"730": "600", "732": "603", "780": "601", "707": "605", "787": "688"}
_RIGHTS = {
    "700": "600",
    "753": "603",
    "760": "601",
    "715": "605",
    "785": "688",
    "080": "000",
    "082": "002",
    "380": "300",
}

_MARKS = pattern(r"^(?:xd|xr|dr|n|c|s?\*?st|s)(?=[ *]?[^\W\x00-\u02ff])|-(?:u|w|uw|wd|wr|v)$")
_is_code = pattern(r"[0-9]{6}")
_is_hk_code = pattern(r"[0-9]{1,5}")
_is_ticker = pattern(r"[A-Z]{1,5}(?:[.-][A-Z])?")


class Symbol(NamedTuple):
    """A security: its code, market (CN, HK, US), exchange suffix, kind, and its name or "".

    kind    stock, etf, index, bond (convertible), repo, issue (a code under which new shares or bonds are subscribed)
    """

    code: str
    market: str
    exchange: str
    kind: str
    name: str = ""

    @property
    def canonical(self) -> str:
        """The code with its exchange: `600519.SH`, `00700.HK`, `AAPL.US`."""
        return f"{self.code}.{self.exchange}"

    def __str__(self) -> str:
        return f"{self.canonical} {self.name}".rstrip()

    def name_in(self, lang: str) -> str:
        """Return the code and the name for a reader of a language: in English the English one, where one is known."""
        return f"{self.canonical} {security_name(self.canonical, self.name, lang)}".rstrip()


class SymbolList(tuple[Symbol, ...]):
    """Securities in a sentence, as a field of a message: `str()` has the names of sources, as that of one has.

    >>> SymbolList([Symbol("600519", "CN", "SH", "stock", "贵州茅台")]).name_in("en")
    '600519.SH Kweichow Moutai'
    """

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(map(str, self))

    def name_in(self, lang: str) -> str:
        """Return the codes and names for a reader of a language."""
        return ", ".join(symbol.name_in(lang) for symbol in self)


def stored_symbols() -> list[Symbol]:
    """Return the securities that the registered sources tell, with their names."""
    return [symbol for tell in name_sources.registered.values() for symbol in tell()]


class AmbiguousName(UsageError):
    """A text that means several securities; `codes` are their canonical codes, as the message lists them."""

    codes: tuple[str, ...] = ()


def resolve_security(
    text: str, learned: Iterable[Symbol] = (), *, traded: bool = False, spelled: bool = True, suggest: bool = True
) -> Symbol:
    """Return the one security that a code, a name, or a name in pinyin means.

    learned  securities whose names sources have told; they and `stored_symbols` count where the bundled table does
             not know.
    traded  whether only what can be bought is meant: `000001` is then no doubt, since the other one is an index
    spelled  whether small letters may be pinyin of a stored name. Words of sentences and topics are no pinyin: `cash`
    suggest  whether the error of an unknown name has near ones, which takes long to find

    raises  UsageError (2) listing the candidates where it could be several; NotFound (66), with near names, where it
            is none, or where code and exchange contradict each other.

    >>> str(resolve_security("sh600519")), resolve_security("700.hk").canonical, resolve_security("ndsd").canonical
    ('600519.SH 贵州茅台', '00700.HK', '300750.SZ')
    """
    asked = unicodedata.normalize("NFKC", text).strip()
    if not asked:
        raise UsageError(
            "no symbol given", hint="for example `ia ohlcv 600519`, `ia ohlcv 00700.HK` or `ia ohlcv AAPL`"
        )
    if len(asked) > 60 or not asked.isprintable():
        raise UsageError("{text!r} is not a valid symbol", text=asked[:60])
    found = _resolve_code(asked.upper(), asked, traded) or _resolve_name(asked, learned, spelled, suggest)
    return found if found.name else _add_learned_name(found, learned)


def bundled_symbols() -> tuple[Symbol, ...]:
    """Return the bundled securities, in the order of the table."""
    return tuple(row.symbol for row in _load_rows())


def bundled_names() -> tuple[tuple[Symbol, tuple[str, ...]], ...]:
    """Return the bundled securities with their folded names: full names and nicknames first, then pinyin."""
    return (*_folded_names(), *_pinyin_names())


@cache
def english_names() -> Mapping[str, str]:
    """Return the English names of the bundled securities by canonical code, of those that have one."""
    return {row.symbol.canonical: row.english for row in _load_rows() if row.english}


def security_name(symbol: str, name: object, lang: str) -> str:
    """Return the name of a security for a reader of a language: in English the English one, where one is known.

    symbol  the canonical code. name: as sources have it; None or "" where they have none

    >>> security_name("600519.SH", "贵州茅台", "en"), security_name("600519.SH", "贵州茅台", "zh")
    ('Kweichow Moutai', '贵州茅台')
    """
    return (english_names().get(symbol) if lang == "en" else None) or str(name or "")


_CODE_AND_NAME = pattern(r"(?<![^\s(])([0-9A-Z.]{1,6}\.(?:SH|SZ|BJ|HK|US)) ([^\s:;,?()]+)")


def translate_names(text: str, lang: str) -> str:
    """Return a text with the names that follow codes in a language, where it is English and knows them.

    >>> translate_names("buy 600519.SH 贵州茅台 100 @ 718.06", "en")
    'buy 600519.SH Kweichow Moutai 100 @ 718.06'
    >>> translate_names("600519.SH 贵州茅台: not found", "en")
    '600519.SH Kweichow Moutai: not found'
    """
    if lang != "en" or text.isascii():
        return text
    return _CODE_AND_NAME.sub(lambda found: f"{found[1]} {security_name(found[1], found[2], lang)}", text)


@cache
def not_tickers() -> frozenset[str]:
    """Return words in capitals that are no tickers, though tickers may look like them."""
    with open(os.path.join(os.path.dirname(__file__), "not_tickers.txt"), encoding="utf-8") as file:
        return frozenset(word for line in file if not line.startswith("#") for word in line.split())


@cache
def everyday_names() -> frozenset[str]:
    """Return names of companies that are words of other meanings too, which a sentence names by their codes."""
    return _read_words("everyday_names.txt")


@cache
def crossing_words() -> frozenset[str]:
    """Return everyday words that share a character with the name of a company."""
    return _read_words("crossing_words.txt")


def _read_words(file_name: str) -> frozenset[str]:
    with open(os.path.join(os.path.dirname(__file__), file_name), encoding="utf-8") as file:
        return frozenset(word for line in file if not line.startswith("#") for word in line.split())


def from_canonical(canonical: str) -> Symbol:
    """Return the security of a canonical code such as `600519.SH`; NotFound where it is none."""
    code, _, exchange = canonical.rpartition(".")
    return _find_bundled(code, exchange) or _assume_symbol(code, exchange, canonical)


def kind_of_code(canonical: str) -> str:
    """Return the kind of a canonical code, quickly; NotFound where it is none.

    >>> kind_of_code("600519.SH"), kind_of_code("510300.SH")
    ('stock', 'etf')
    """
    code, _, exchange = canonical.rpartition(".")
    found = _find_bundled(code, exchange) or find_range(code, exchange) or from_canonical(canonical)
    return found.kind


def symbol_of_kind(canonical: str, kind: str = "stock") -> Symbol:
    """Return the security of a canonical code, taken for one of `kind` where no exchange is known to have the code."""
    try:
        return from_canonical(canonical)
    except NotFound:
        code, _, exchange = canonical.rpartition(".")
        return Symbol(code, MARKET.get(exchange, ""), exchange, kind)


def listed_code(issue: Symbol, *, rights: bool = False) -> Symbol | None:
    """Return the share that a code of a new issue, or of a rights issue, stands for; None where the code does not tell.

    >>> str(listed_code(from_canonical("787981.SH"))), listed_code(from_canonical("754113.SH"))
    ('688981.SH 中芯国际', None)
    """
    head = (_RIGHTS if rights else _SUBSCRIBED).get(issue.code[:3])
    return None if head is None else from_canonical(f"{head}{issue.code[3:]}.{issue.exchange}")


def _resolve_code(upper: str, asked: str, traded: bool) -> Symbol | None:
    """Return the security of a text that is a code; None where it is none."""
    code, exchange = _split_code(upper)
    if exchange:
        if exchange == "HK" and _is_hk_code.fullmatch(code):
            code = code.zfill(5)
        if exchange == "US":
            code = code.replace("-", ".")
        return _find_bundled(code, exchange) or _assume_symbol(code, exchange, asked)
    if _is_code.fullmatch(code):
        return _resolve_digits(code, asked, traded)
    if _is_hk_code.fullmatch(code):
        if len(code) == 5:
            known_there = _find_bundled(code, "HK")
            return known_there or (
                _assume_symbol(code, "HK", asked) if code[0] in "08" else _refuse_unfinished(code, asked)
            )
        raise UsageError(
            "{text}: a code has five or six digits",
            text=asked,
            digits=code.zfill(5),
            hint="for Hong Kong, write `{digits}.HK`",
        )
    return _resolve_ticker(upper.replace("-", "."), asked) if _is_ticker.fullmatch(upper) else None


def _split_code(upper: str) -> tuple[str, str]:
    """Return code and exchange of `SH600519`, `SH.600519`, `600519.SS`, `HSI.HK`; the exchange "" if there is none."""
    code, dot, last = upper.rpartition(".")
    if dot and last in EXCHANGES:
        return code, EXCHANGES[last]
    head = upper[:2]
    rest = upper[2:].lstrip(".")
    if head in ("SH", "SZ", "BJ", "HK") and rest.isdigit():
        return rest, head
    return upper, ""


def _refuse_unfinished(code: str, asked: str) -> Symbol:
    """Raise UsageError for five digits that no share of Hong Kong has: a digit of a mainland code may be missing."""
    meant = [symbol for symbol in bundled_symbols() if symbol.market == "CN" and symbol.code.startswith(code)]
    if meant:
        raise _ambiguity_error(asked, [*meant, Symbol(code, "HK", "HK", "stock")])
    raise UsageError(
        "{text}: mainland codes have six digits; Hong Kong share codes begin with 0",
        text=asked,
        digits=code,
        hint="for a Hong Kong share, write `{digits}.HK`",
    )


def _resolve_digits(code: str, asked: str, traded: bool) -> Symbol:
    """Return the security of six bare digits: what the table has under them, else the stock or fund of that prefix."""
    here = [symbol for symbol in bundled_symbols() if symbol.code == code]
    if traded and len(here) > 1:
        here = [symbol for symbol in here if symbol.kind != "index"] or here
    if len(here) > 1:
        raise _ambiguity_error(asked, here)
    if here:
        return here[0]
    found = [_assume_symbol(code, exchange, asked) for exchange in ("SH", "SZ", "BJ") if find_range(code, exchange)]
    if found:  # 000xxx is a share of Shenzhen rather than an index of Shanghai
        return min(found, key=lambda symbol: symbol.kind == "index")
    raise NotFound("{text}: not a valid code of a stock, fund or index", code="unknown-symbol", text=asked)


def _resolve_ticker(code: str, asked: str) -> Symbol | None:
    """Return the US security of a text shaped like a ticker; None where it is rather a name.

    Letters that name a security of the table (`CATL`, `BYD`) mean that one; `BYD.US` is the ticker. Letters that are
    both a name and a known ticker are in doubt, and so are capitals that are somebody's pinyin. Other letters count as
    a ticker only in capitals.
    """
    found = _find_bundled(code, "US")
    ticker = found or Symbol(code, "US", "US", "stock")
    namesakes = [symbol for symbol in _find_exact(_comparison_key(asked), _folded_names()) if symbol != found]
    if namesakes and (found or len(namesakes) > 1):
        raise _ambiguity_error(asked, [*namesakes, ticker])
    if namesakes:
        return namesakes[0]
    if not found and asked.isupper() and (spelled := _find_exact(_comparison_key(asked), _pinyin_names())):
        raise _ambiguity_error(asked, [*spelled, ticker])
    return ticker if found or asked.isupper() else None


def _resolve_name(asked: str, learned: Iterable[Symbol], spelled: bool, suggest: bool) -> Symbol:
    key = _comparison_key(asked)
    table = _folded_names()
    found = _find_exact(key, table)
    if not found:
        found = _find_exact(key, _pinyin_names())
        if spelled or not found:
            told = dict.fromkeys((*learned, *stored_symbols()))
            if spelled:
                known = {symbol.canonical for symbol in found}
                others = {symbol.canonical: symbol for symbol in find_spelled(key, told)}
                found += [symbol for code, symbol in others.items() if code not in known]
            table = (*table, *((symbol, name_forms(symbol.name)) for symbol in told if symbol.name))
            found = found or _find_exact(key, table)
    if len(found) == 1:
        return found[0]
    if found:
        raise _ambiguity_error(asked, found)
    table = (*table, *_pinyin_names())
    within = sorted({symbol for symbol, names in table if any(_is_part(key, name) for name in names)}) if key else []
    if len(within) > 1:
        raise _ambiguity_error(asked, within)
    near = SymbolList(within or (_find_similar(key, table) if suggest else ()))
    hint = "give its code, such as `600519.SH`"
    if key in ("watch", "held", "all"):
        hint = "`--universe {key}` selects the whole list"
    elif near:
        hint = "did you mean {near}?"
    elif _is_ticker.fullmatch(asked.upper()):
        hint = "for a US ticker, write `{ticker}.US`"
    template = "{text}: unknown security"
    raise NotFound(template, code="unknown-symbol", text=asked, near=near, key=key, ticker=asked.upper(), hint=hint)


def _find_exact(key: str, table: Iterable[tuple[Symbol, tuple[str, ...]]]) -> list[Symbol]:
    """Return the securities of exactly this name; of one name on the mainland and in Hong Kong, the mainland's."""
    found = list(
        dict.fromkeys(symbol for symbol, names in table if any(name.replace(" ", "") == key for name in names))
    )
    mainland = [symbol for symbol in found if symbol.market == "CN"]
    return mainland if len(mainland) == 1 and all(s.market in ("CN", "HK") for s in found) else found


def find_spelled(typed: str, among: Iterable[Symbol], *, whole: bool = True) -> dict[Symbol, str]:
    """Return the securities whose Chinese names are typed so in pinyin, each with the spelling of its name.

    whole  whether the whole name must have been typed; else its beginning is enough

    >>> find_spelled("zsy", [from_canonical("600036.SH")], whole=False)
    {Symbol(code='600036', market='CN', exchange='SH', kind='stock', name='招商银行'): 'zsyh'}
    """
    found: dict[Symbol, str] = {}
    if len(typed) < SHORTEST_SPELLING or not typed.isascii() or not typed.isalnum() or not typed[0].isalpha():
        return found
    for symbol in among:
        if symbol.name[:1].isalpha() and not pinyin.may_begin(symbol.name, typed[0]) and symbol.name[:1] not in "XDRN":
            continue  # no need to spell it, unless it begins with a mark of the day
        for form in reversed(name_forms(symbol.name)):
            for spelling in pinyin.spell_name(form):
                if spelling == typed or (not whole and spelling.startswith(typed)):
                    found.setdefault(symbol, spelling)
    return found


def _is_part(key: str, name: str) -> bool:
    """Tell whether a (folded) name has the key in it; Latin letters and digits from the beginning of a word only.

    >>> _is_part("平安", "中国平安"), _is_part("50", "上证50"), _is_part("anbank", "ping an bank"), _is_part("nope", "sinopec")
    (True, True, True, False)
    """  # noqa: E501
    if key not in name.replace(" ", ""):
        return False
    if not key[0].isascii():
        return True
    words = [at for at in range(len(name)) if at == 0 or not (name[at - 1].isascii() and name[at - 1].isalnum())]
    return any(name[at:].replace(" ", "").startswith(key) for at in words)


def _find_similar(key: str, table: Iterable[tuple[Symbol, tuple[str, ...]]]) -> list[Symbol]:
    from difflib import get_close_matches

    names = {name.replace(" ", ""): symbol for symbol, folded in table for name in folded}
    return list(dict.fromkeys(names[name] for name in get_close_matches(key, names, 3, 0.75)))


def _ambiguity_error(asked: str, found: Iterable[Symbol]) -> UsageError:
    listed = sorted(found, key=lambda symbol: (symbol.exchange not in ("SH", "SZ", "BJ"), symbol.canonical))
    hint = "write one of the codes, such as `{first}`"
    error = AmbiguousName(
        "{text} is ambiguous: {candidates}, …" if len(listed) > 12 else "{text} is ambiguous: {candidates}",
        code="ambiguous-symbol",
        text=asked,
        candidates=SymbolList(listed[:12]),
        first=listed[0].canonical,
        hint=hint,
    )
    error.codes = tuple(symbol.canonical for symbol in listed)
    return error


def _assume_symbol(code: str, exchange: str, asked: str) -> Symbol:
    """Return the security of a code that the table does not have, its kind judged by the exchange's prefixes."""
    if exchange == "US":
        if _is_ticker.fullmatch(code):
            return Symbol(code, "US", "US", "stock")
        raise NotFound("{text}: a US ticker is one to five letters", text=asked)
    if exchange == "HK":
        if len(code) == 5 and code.isdigit() and code != "00000":
            return Symbol(code, "HK", "HK", "etf" if is_between(code, HK_ETFS) else "stock")
        raise NotFound("{text}: a Hong Kong code has at most five digits", text=asked)
    if not _is_code.fullmatch(code):
        raise NotFound("{text}: a mainland code has six digits", text=asked)
    if found := find_range(code, exchange):
        return Symbol(code, "CN", exchange, found.kind)
    home = [other for other in ("SH", "SZ", "BJ") if find_range(code, other)]
    near = str(_find_bundled(code, home[0]) or f"{code}.{home[0]}") if home else ""
    hint = "did you mean {near}?" if home else None
    raise NotFound(
        "{text}: {exchange} has no such code",
        code="unknown-symbol",
        text=asked,
        exchange=exchange,
        near=near,
        hint=hint,
    )


def name_forms(name: str) -> tuple[str, ...]:
    """Return how a name of a quotes host is said: folded, and without the marks of the day or of the kind of share.

    >>> name_forms("XD 贵州茅台"), name_forms("寒武纪-U"), name_forms("*ST 中 天")
    (('xd 贵州茅台', '贵州茅台'), ('寒武纪-u', '寒武纪'), ('*st 中 天', '中天'))
    """
    folded = _normalize_name(name)
    plain = _MARKS.sub("", folded).replace(" ", "")
    return (folded,) if len(plain) < 2 or plain == folded else (folded, plain)


def _add_learned_name(found: Symbol, learned: Iterable[Symbol]) -> Symbol:
    """Return the security with the name that a source has told, if one has."""
    for symbol in (*learned, *(stored_symbols() if found.market == "CN" else ())):
        if symbol.canonical == found.canonical and symbol.name:
            return found._replace(name=symbol.name)
    return found


def _find_bundled(code: str, exchange: str) -> Symbol | None:
    return _symbols_by_code().get((code, exchange))


def _normalize_name(name: str) -> str:
    """Return a name in compatible forms without case, its words apart by one space."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _comparison_key(name: str) -> str:
    """Return a name as it is compared: compatible forms, case and spaces do not count (`五 粮 液`, `万科Ａ`)."""
    return _normalize_name(name).replace(" ", "")


@cache
def _symbols_by_code() -> dict[tuple[str, str], Symbol]:
    return {(symbol.code, symbol.exchange): symbol for symbol in bundled_symbols()}


@cache
def _pinyin_names() -> tuple[tuple[Symbol, tuple[str, ...]], ...]:
    """Return the bundled securities with their Chinese names in pinyin: in full (`ningdeshidai`), and its initials."""
    return tuple((row.symbol, row.pinyin) for row in _load_rows() if row.pinyin)


@cache
def _folded_names() -> tuple[tuple[Symbol, tuple[str, ...]], ...]:
    """Return the bundled securities with their names, folded."""
    return tuple(
        (
            row.symbol,
            tuple(_normalize_name(text) for text in (row.symbol.name, row.english, *row.aliases.split(";")) if text),
        )
        for row in _load_rows()
    )


class _SymbolRow(NamedTuple):
    """A row of symbols.tsv. english and aliases as they are written, or ""; aliases with semicolons between them."""

    symbol: Symbol
    english: str
    aliases: str
    pinyin: tuple[str, ...]


@cache
def _load_rows() -> tuple[_SymbolRow, ...]:
    rows = []
    with open(os.path.join(os.path.dirname(__file__), "symbols.tsv"), encoding="utf-8") as file:
        next(file)
        for line in file:
            cells = [*line.rstrip("\n").split("\t"), "", ""]  # empty cells at the end of a line are left out
            code, exchange, kind, name, english, aliases, pinyin = cells[:7]
            symbol = Symbol(code, MARKET[exchange], exchange, kind, name)
            rows.append(_SymbolRow(symbol, english, aliases, tuple(pinyin.split(";")) if pinyin else ()))
    return tuple(rows)
