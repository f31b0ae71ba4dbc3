"""On which board a security is traded, as far as its code (and for funds of Shenzhen its name) tells."""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from ia.instruments.symbols import Symbol


class Board(NamedTuple):
    """name: `main.SH`, `chinext`, `star`, `bse`, `b.SH`, `fund.gold`, `HK`…; scopes: what a rule may be made for, from
    the narrow to the wide; sure: whether code or name decided, not a guess that most such funds share."""

    name: str
    scopes: tuple[str, ...]
    sure: bool = True


_WIDER = {
    "main.SH": ("main.SH", "main", "A"),
    "main.SZ": ("main.SZ", "main", "A"),
    "chinext": ("chinext", "A"),
    "star": ("star", "A"),
    "bse": ("bse", "A"),
    "b.SH": ("b.SH", "B"),
    "b.SZ": ("b.SZ", "B"),
    "convertible": ("convertible",),
    "fund": ("fund",),
    "fund.20": ("fund.20", "fund"),
    "fund.bond": ("fund.bond", "fund.T0", "fund"),
    "fund.money": ("fund.money", "fund.T0", "fund"),
    "fund.gold": ("fund.gold", "fund.T0", "fund"),
    "fund.cross": ("fund.cross", "fund.T0", "fund"),
    "fund.commodity": ("fund.commodity", "fund"),
    "fund.reit": ("fund.reit", "fund"),
    "HK": ("HK",),
    "HK.etf": ("HK.etf", "HK"),
    "HK.reit": ("HK.reit", "HK"),
    "US": ("US",),
}
_STOCKS = (
    ("SH", ("688", "689"), "star"),
    ("SH", ("900",), "b.SH"),
    ("SH", ("60",), "main.SH"),
    ("SZ", ("30",), "chinext"),
    ("SZ", ("200",), "b.SZ"),
    ("SZ", ("00",), "main.SZ"),
    ("BJ", ("43", "83", "87", "88", "92"), "bse"),
    ("SH", ("110", "111", "113", "118"), "convertible"),
    ("SZ", ("123", "127", "128"), "convertible"),
)
_FUNDS = (
    ("SH", ("508",), "fund.reit"),
    ("SZ", ("180",), "fund.reit"),
    ("SH", ("513", "520"), "fund.cross"),
    ("SH", ("518",), "fund.gold"),
    ("SH", ("588", "589"), "fund.20"),
    ("SH", ("5116", "5117", "5118", "5119"), "fund.money"),
    ("SH", ("511",), "fund.bond"),
    ("SZ", ("159980", "159981", "159985"), "fund.commodity"),
)
# Funds that their code does not tell: words of their names. Shenzhen numbers all its ETFs 159.
_WORDS = (
    ("fund.money", "货币|保证金|快线|添益|快钱|现金(?!流)"),
    ("fund.gold", "黄金(?!股|产业)|上海金|金ETF"),
    ("fund.bond", "国债|地债|债ETF|城投|短融|政金|国开|信用债|公司债|科创债|转债"),
    (
        "fund.cross",
        "恒生|H股|港股通|港股|香港|纳指|纳斯达克|标普|道琼斯|日经|东证|日本|德国|法国|沙特|中概|海外|美国|亚太|东南亚|"
        "巴西|印度|越南|新兴亚洲|QDII|中韩|全球|原油",
    ),
    ("fund.20", "创业|(?<!央企)科创|双创|创50|创成长|创蓝筹|创中盘"),
)
_HK_REITS = (
    "00405", "00435", "00778", "00808", "00823", "01275", "01426", "01503", "01881", "02191", "02778", "80823", "87001",
)  # fmt: skip
"""Real estate investment trusts of Hong Kong: their codes are those of companies."""
_HK_USD = (("09000", "09199"), ("09400", "09499"), ("09800", "09849"))
"""Counters in US dollars of exchange traded funds."""
_PLAIN_ETF = ("510", "512", "515", "516", "517", "560", "561", "562", "563")


@cache
def board(symbol: Symbol) -> Board:
    """Return the board of a security.

    >>> from ia.instruments.symbols import from_canonical
    >>> [board(from_canonical(s)).name for s in ("600519.SH", "300750.SZ", "688981.SH", "920002.BJ", "518880.SH", "AAPL.US")]
    ['main.SH', 'chinext', 'star', 'bse', 'fund.gold', 'US']
    """  # noqa: E501
    if symbol.market == "US":
        return _of("US")
    if symbol.market == "HK":
        return _of("HK.etf" if symbol.kind == "etf" else "HK.reit" if symbol.code in _HK_REITS else "HK")
    for exchange, prefixes, name in _STOCKS:
        if symbol.exchange == exchange and symbol.code.startswith(prefixes):
            return _of(name)
    for exchange, prefixes, name in _FUNDS:
        if symbol.exchange == exchange and symbol.code.startswith(prefixes):
            return _of(name)
    name = unicodedata.normalize("NFKC", symbol.name).upper()
    for kind, words in _WORDS:
        if re.search(words, name):
            return _of(kind)
    plain = symbol.exchange == "SH" and symbol.code.startswith(_PLAIN_ETF)
    return Board("fund", _WIDER["fund"], sure=plain or bool(name))


def _of(name: str) -> Board:
    return Board(name, _WIDER[name])


def currency(symbol: Symbol) -> str:
    """Return in what a security is traded: CNY, HKD or USD; B-shares of Shanghai in USD, of Shenzhen in HKD, the
    yuan counters of Hong Kong (8xxxx) in CNY, the dollar counters of its funds in USD."""
    if symbol.market == "CN":
        return {"b.SH": "USD", "b.SZ": "HKD"}.get(board(symbol).name, "CNY")
    if symbol.market == "HK":
        if any(first <= symbol.code <= last for first, last in _HK_USD):
            return "USD"
        return "CNY" if symbol.code.startswith("8") and len(symbol.code) == 5 else "HKD"
    return "USD"
