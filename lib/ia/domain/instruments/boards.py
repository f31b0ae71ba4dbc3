"""On which board a security is traded, as far as its code (and for funds of Shenzhen its name) tells."""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from ia.domain.instruments.codes import HK_REITS, HK_USD_ETFS, find_range, is_between
from ia.domain.instruments.symbols import Symbol


class Board(NamedTuple):
    """The board on which a security is listed.

    Attributes:
        name: `main.SH`, `chinext`, `star`, `bse`, `b.SH`, `fund.gold`, `HK` and so on.
        scopes: what a rule may be made for, from the narrow to the wide.
        sure: whether code or name decided, not a guess that is right for most funds.
    """

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
_TICKS = {"A": 0.01, "B": 0.01, "b.SH": 0.001, "fund": 0.001, "convertible": 0.001}
"""The steps of prices by the trading rules of SSE, SZSE and BSE, the same since each board began."""
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
_PLAIN_ETF = ("510", "512", "515", "516", "517", "560", "561", "562", "563")


@cache
def find_board(symbol: Symbol) -> Board:
    """Return the board of a security.

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> [find_board(from_canonical(s)).name for s in ("600519.SH", "300750.SZ", "688981.SH", "920002.BJ", "518880.SH", "AAPL.US")]
    ['main.SH', 'chinext', 'star', 'bse', 'fund.gold', 'US']
    """  # noqa: E501
    if symbol.market == "US":
        return _make_board("US")
    if symbol.market == "HK":
        return _make_board("HK.etf" if symbol.kind == "etf" else "HK.reit" if symbol.code in HK_REITS else "HK")
    if (found := find_range(symbol.code, symbol.exchange)) and found.board:
        return _make_board(found.board)
    if symbol.kind == "stock":
        return Board("main", ("main", "A"), sure=False)
    name = unicodedata.normalize("NFKC", symbol.name).upper()
    for kind, words in _WORDS:
        if re.search(words, name):
            return _make_board(kind)
    plain = symbol.exchange == "SH" and symbol.code.startswith(_PLAIN_ETF)
    return Board("fund", _WIDER["fund"], sure=plain or bool(name))


def _make_board(name: str) -> Board:
    return Board(name, _WIDER[name])


def trading_currency(symbol: Symbol) -> str:
    """Return the currency in which a security is traded: CNY, HKD or USD.

    B shares of Shanghai are traded in USD, of Shenzhen in HKD; the yuan counters of Hong Kong (8xxxx) in CNY, the
    dollar counters of its funds in USD.
    """
    if symbol.market == "CN":
        return {"b.SH": "USD", "b.SZ": "HKD"}.get(find_board(symbol).name, "CNY")
    if symbol.market == "HK":
        if is_between(symbol.code, HK_USD_ETFS):
            return "USD"
        return "CNY" if symbol.code.startswith("8") and len(symbol.code) == 5 else "HKD"
    return "USD"


def is_b_share(symbol: Symbol) -> bool:
    """Return True for a share of a mainland company that is traded in US or Hong Kong dollars on the mainland."""
    return "B" in find_board(symbol).scopes


def tick_size(symbol: Symbol) -> float | None:
    """Return the smallest step of a price.

    None where it depends on the price (Hong Kong), and where the exchange does not round the reference price of an
    ex-dividend date to it (United States).

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> [tick_size(from_canonical(code)) for code in ("600519.SH", "510300.SH", "900901.SH", "200002.SZ", "AAPL.US")]
    [0.01, 0.001, 0.001, 0.01, None]
    """
    if symbol.kind not in ("stock", "etf", "bond"):
        return None
    return next((_TICKS[scope] for scope in find_board(symbol).scopes if scope in _TICKS), None)
