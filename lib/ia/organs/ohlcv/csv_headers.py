"""What the columns of a foreign CSV mean: the names that sources use, and the line that carries them.

Names seen at Eastmoney, Sina, Tencent, NetEase, Tongdaxin, Tushare, baostock, JoinQuant, Yahoo, Nasdaq, Stooq,
Investing, Alpha Vantage and backtesting.py, compared after folding case, width, spaces and decoration.
"""

import csv
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

NEEDED = ("date", "open", "high", "low", "close", "volume")
HEADER_WITHIN = 100
LONGEST_HEADER = 20_000

_STRONG = {
    "date": "date tradedate tradingdate 日期 交易日期 交易日",
    "open": "open openprice 开盘 开盘价 今开 今开盘 開盤 開盤價",
    "high": "high highprice 最高 最高价 最高價",
    "low": "low lowprice 最低 最低价 最低價",
    "close": "close closeprice close/last 收盘 收盘价 今收 今收盘 收盤 收盤價",
    "volume": "volume vol tradevolume 成交量 成交股数 成交股數 总手 总成交量",
    "amount": "amount money 成交额 成交金额 总金额 成交額",
    "symbol": "symbol code tscode ticker stock stockcode secucode 股票代码 证券代码 代码",
    "status": "tradestatus 交易状态",
    "paused": "paused suspended 停牌",
    "time": "time 时间 tradetime 交易时间",
}
# Looked at only where no column has a strong name, best first: "price" is the close where nothing is called close.
_WEAK = {
    "date": "datetime 日期时间 timestamp tradetime 交易时间 时间 time day dt",
    "close": "price last 最新价 现价",
    "amount": "turnover",
}
_NAMES = {field: (_STRONG[field].split(), _WEAK.get(field, "").split()) for field in _STRONG}
_NAMELESS = {"", "index", "price", "unnamed:0"}
_DELIMITERS = ("\t", ";", "|", ",", " ")


class Name(NamedTuple):
    """A header cell taken apart: the bare name, and the unit that stood in brackets behind it."""

    bare: str
    unit: str


class Header(NamedTuple):
    """The line that names the columns: its number, what separates the cells, the cells, and what was passed over."""

    line: int
    delimiter: str
    cells: list[str]
    skipped: int

    def find_columns(self, field: str) -> list[int]:
        """Return the positions of columns that may hold the field: all with a strong name, else the best weak one."""
        names = [parse_name(cell).bare for cell in self.cells]
        strong, weak = _NAMES[field]
        return [i for i, name in enumerate(names) if name in strong] or [
            names.index(name) for name in weak if name in names
        ][:1]

    def nameless_column(self) -> int | None:
        """Return the position of a first column without a name of its own, as pandas and yfinance write an index."""
        return 0 if parse_name(self.cells[0]).bare in _NAMELESS else None

    def has_columns(self, *names: str) -> bool:
        """Tell whether each of the (bare) names heads a column."""
        return {parse_name(cell).bare for cell in self.cells} >= set(names)

    def column_unit(self, column: int) -> str:
        """Return the unit in the name of the column: 手 of ``成交量(手)``, empty where there is none."""
        return parse_name(self.cells[column]).unit


@lru_cache(maxsize=1024)
def parse_name(cell: str) -> Name:
    """Return a header cell without case, width, spaces and decoration.

    >>> parse_name(" Trade_Date "), parse_name("成交量（手）"), parse_name("<VOL>"), parse_name("1. open"), parse_name("volume.1")
    (Name(bare='tradedate', unit=''), Name(bare='成交量', unit='手'), Name(bare='vol', unit=''), Name(bare='open', unit=''), Name(bare='volume', unit=''))
    """  # noqa: E501
    text = normalize("NFKC", cell[:200]).strip("\ufeff \t\r\n'\"").casefold()
    text = re.sub(r"^\d+\.\s+", "", text).strip("<>*# ")
    unit = ""
    if match := re.search(r"[(\[]([^)\]]*)[)\]]$", text):
        text, unit = text[: match.start()], match[1].strip()
    text = re.sub(r"(?<=[a-z])\.\d+$", "", text)  # pandas calls the second of two columns x.1
    return Name(re.sub(r"[\s_\-.]", "", text), unit)


def find_header(lines: Iterable[str]) -> Header | None:
    """Return the first line that names at least three of the six columns, looking at the first hundred lines.

    The separator is the one (of tab, semicolon, bar, comma, blanks, in this order) under which most columns are known;
    blanks must show five, since prose has them too.
    """
    skipped = 0
    for number, line in enumerate(lines, 1):
        if number > HEADER_WITHIN:
            return None
        best, known = Header(number, ",", [], skipped), 2
        for delimiter in _DELIMITERS if len(line) <= LONGEST_HEADER else ():
            header = Header(number, delimiter, split_cells(line, delimiter), skipped)
            count = sum(bool(header.find_columns(field)) for field in NEEDED)
            if count > (known if delimiter != " " else max(known, 4)):
                best, known = header, count
        if best.cells:
            return best
        skipped += bool(line.strip())
    return None


def split_cells(line: str, delimiter: str) -> list[str]:
    """Return the cells of one line; a line that is no CSV has none."""
    if delimiter == " ":
        return line.split()
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True), [])
    except csv.Error:
        return []
