"""How the exchanges number securities: which code is of which kind, and on which board it is traded."""

from typing import NamedTuple


class CodeRange(NamedTuple):
    """The codes of an exchange that begin with one of the prefixes.

    kind    stock, etf, index, bond (convertible), repo, issue (a code under which new shares or bonds are subscribed)
    board   as in `boards.Board`; "" where the code does not tell it, or has none
    """

    exchange: str
    prefixes: tuple[str, ...]
    kind: str
    board: str = ""


MAINLAND = (
    CodeRange("SH", ("7",), "issue"),
    CodeRange("SZ", ("07", "08", "37", "38"), "issue"),
    CodeRange("BJ", ("889",), "issue", "bse"),
    CodeRange("SH", ("000",), "index"),
    CodeRange("SZ", ("399",), "index"),
    CodeRange("BJ", ("899",), "index"),
    CodeRange("SH", ("60",), "stock", "main.SH"),
    CodeRange("SZ", ("00",), "stock", "main.SZ"),
    CodeRange("SZ", ("30",), "stock", "chinext"),
    CodeRange("SH", ("68",), "stock", "star"),
    CodeRange("BJ", ("43", "83", "87", "88", "92"), "stock", "bse"),
    CodeRange("SH", ("900",), "stock", "b.SH"),
    CodeRange("SZ", ("200",), "stock", "b.SZ"),
    CodeRange("SH", ("508",), "etf", "fund.reit"),
    CodeRange("SZ", ("180",), "etf", "fund.reit"),
    CodeRange("SH", ("513", "520"), "etf", "fund.cross"),
    CodeRange("SH", ("518",), "etf", "fund.gold"),
    CodeRange("SH", ("588", "589"), "etf", "fund.20"),
    CodeRange("SH", ("5116", "5117", "5118", "5119"), "etf", "fund.money"),
    CodeRange("SH", ("511",), "etf", "fund.bond"),
    CodeRange("SZ", ("159980", "159981", "159985"), "etf", "fund.commodity"),
    CodeRange("SH", ("50", "51", "52", "53", "55", "56", "58"), "etf"),
    CodeRange("SZ", ("15", "16", "18"), "etf"),
    CodeRange("SH", ("110", "111", "113", "118"), "bond", "convertible"),
    CodeRange("SZ", ("123", "127", "128"), "bond", "convertible"),
    CodeRange("SH", ("204",), "repo"),
    CodeRange("SZ", ("1318",), "repo"),
)
"""Where several ranges have a code, the first one counts."""
_BY_EXCHANGE = {name: tuple(one for one in MAINLAND if one.exchange == name) for name in ("SH", "SZ", "BJ")}


def _parse_spans(text: str) -> tuple[tuple[str, str], ...]:
    """Return the first and the last code of each span: `02800-02849 03000-03199`."""
    return tuple((first, last) for first, _, last in (span.partition("-") for span in text.split()))


HK_ETFS = _parse_spans(
    "02800-02849 03000-03199 03400-03499 07200-07399 07500-07599 07700-07799 09000-09199 09400-09499 09800-09849"
    " 82800-82849 83000-83199 83400-83499 87200-87399"
)
"""Codes of exchange traded funds and of leveraged and inverse products in Hong Kong, in all three currencies."""
HK_USD_ETFS = _parse_spans("09000-09199 09400-09499 09800-09849")
"""Those of them that are traded in US dollars."""
HK_REITS = frozenset(
    "00405 00435 00778 00808 00823 01275 01426 01503 01881 02191 02778 80823 87001".split()  # noqa: SIM905
)
"""Real estate investment trusts of Hong Kong: their codes are those of companies."""


def find_range(code: str, exchange: str) -> CodeRange | None:
    """Return the range of a mainland exchange that has a code; None where none has it.

    >>> find_range("518880", "SH").board, find_range("518880", "SZ")
    ('fund.gold', None)
    """
    for one in _BY_EXCHANGE.get(exchange, ()):
        if code.startswith(one.prefixes):
            return one
    return None


def is_between(code: str, spans: tuple[tuple[str, str], ...]) -> bool:
    """Return True if a code lies in one of the spans, both ends included."""
    return any(first <= code <= last for first, last in spans)
