"""Activity statements of Interactive Brokers and Tiger: one file of many tables, the name of each before its lines.

`Trades,Header,…` and `Trades,Data,…`, or the same in capitals; the mark may stand after an empty cell or two, and a
table may have its columns in a line without a mark. Read are the trades in stocks, dividends, taxes withheld, interest,
fees, and money that came and went. A line of these tables, or of others that move money or shares, that is not
understood is told and never left out in silence; a trade of another kind (a currency, an option) is one of them.
"""

import csv
import re
from typing import NamedTuple

from ia.kernel.errors import BadData
from ia.organs.ledger.statement_columns import is_header, map_columns, normalize_header

TRADES, DIVIDENDS, INTEREST, MOVED = "", "dividend", "interest", "transfer of funds"
_TABLES = {
    "trades": TRADES, "trade": TRADES, "交易": TRADES, "交易记录": TRADES, "成交": TRADES, "成交明细": TRADES,
    "dividends": DIVIDENDS, "dividend": DIVIDENDS, "股息": DIVIDENDS, "分红": DIVIDENDS, "股息分红": DIVIDENDS,
    "withholdingtax": DIVIDENDS, "代扣税": DIVIDENDS, "预扣税": DIVIDENDS, "interest": INTEREST, "利息": INTEREST,
    "fees": INTEREST, "fee": INTEREST, "其他费用": INTEREST, "transactionfees": INTEREST,
    "deposits&withdrawals": MOVED, "deposits/withdrawals": MOVED, "deposits/withdraws": MOVED,
    "cashtransfers": MOVED, "出入金": MOVED, "存款和取款": MOVED, "资金存取": MOVED,
}  # fmt: skip
"""Table -> what its rows are, in the words of statements.py; TRADES where a word or the sign of the quantity tells."""
_OTHER = re.compile(
    r"corporateactions|transfers|transfersin/out|stockgrantactivity|grantactivity|forextrades|ipo\w*|cashjournal"
    r"|segmenttransfers?|fundtransfers?|bondinterest\w*|公司行动|公司行为|转仓|股票转入|股票转出|基金\w*"
)
"""Tables that move shares or money, and are not read."""
_STOCKS = ("", "stocks", "stock", "stk", "equity", "equities", "股票", "etf", "etfs")
_is_other = re.compile(
    r"options?|futures?|forex|funds?|warrants?|bonds?|crypto|期权|期货|外汇|基金|窝轮|牛熊证|债券"
).fullmatch
_MARKS = ("header", "data", "subtotal", "total", "summary", "小计", "合计", "表头", "数据")
_HEADERS, _DATA = ("header", "表头"), ("data", "数据")
_whose = re.compile(r"([A-Z0-9][A-Z0-9. ]*?)\s*\(").match
_within = re.compile(r"\(([A-Z0-9.]{1,10})\)").search


class StatementLine(NamedTuple):
    """A row of one of the tables: its line in the file, its header, its cells; `problem`: why it is not understood."""

    number: int
    header: list[str]
    cells: list[str]
    problem: BadData | None = None


def is_sectioned(text: str) -> bool:
    """Whether a text is such a statement: a line has the mark of a header, or of data."""
    try:
        return any(
            _line_mark(cells) in (*_HEADERS, *_DATA) for cells in csv.reader(text.splitlines()[:400]) if len(cells) > 2
        )
    except csv.Error:
        return False


def _line_mark(cells: list[str]) -> str:
    return next((mark for cell in cells[1:4] if (mark := normalize_header(cell)) in _MARKS), "")


def section_lines(text: str, source: str) -> list[StatementLine]:
    """Return the rows that say something, as they stand.

    raises  BadData for what is no CSV, or has none of the tables.
    """
    headers: dict[str, list[str]] = {}
    found = []
    reader, end = csv.reader(text.splitlines(keepends=True)), 0
    try:
        for cells in reader:
            number, end = end + 1, reader.line_num
            if len(cells) < 3:
                continue
            table, mark = normalize_header(cells[0]), _line_mark(cells)
            if mark in _HEADERS or (not mark and (is_header(cells[1:]) or table not in headers)):
                headers[table] = cells
            elif mark in _DATA and (line := _parse_line(number, table, headers.get(table), cells)):
                found.append(line)
    except csv.Error as exc:
        raise BadData("{source}: {reason}", source=source, reason=str(exc)) from None
    if not found and not headers.keys() & _TABLES.keys():
        raise BadData("{source}: no table of trades or cash movements found", source=source)
    return found


def _parse_line(number: int, table: str, header: list[str] | None, cells: list[str]) -> StatementLine | None:
    """Return a row in columns that statements.py knows; None for a sum, and for the parts that make up an order."""
    known = map_columns(header or []).keys()
    trades = _TABLES.get(table) == TRADES or (table not in _TABLES and {"date", "code", "quantity", "price"} <= known)
    if (_OTHER.fullmatch(table) or (header is None and table in _TABLES)) and "total" not in normalize_header(
        "".join(cells)
    ):
        return StatementLine(
            number, [], [], BadData("ia does not read rows of the table {table!r}", table=cells[0][:40])
        )
    if header is None or (table not in _TABLES and not trades):
        return None
    row = {key: value for key, value in zip(header, cells, strict=False) if key}
    if trades:
        return _parse_trade(number, row, cells)
    day = row.get("Date") or row.get("Settle Date") or row.get("日期") or row.get("时间") or ""
    if not day:
        return None
    told = row.get("Description") or row.get("描述") or row.get("说明") or ""
    made = {
        "Date": day,
        "Type": _TABLES[table],
        "Net": row.get("Amount") or row.get("金额") or "",
        "Currency": row.get("Currency") or row.get("币种") or row.get("货币") or "",
    }
    whose = _whose(told) or _within(told)
    code = row.get("Symbol") or row.get("代码") or (whose[1] if whose else "")
    made["Symbol"] = code if _TABLES[table] == DIVIDENDS else ""
    made["Transaction ID"] = f"{cells[0]}: {told}"
    return StatementLine(number, list(made), list(made.values()))


def _parse_trade(number: int, row: dict[str, str], cells: list[str]) -> StatementLine | None:
    if row.get("DataDiscriminator", "Order") != "Order":
        return None
    what = row.get("Asset Category") or row.get("Asset Class") or row.get("资产类别") or ""
    what = what or next((cell for cell in cells[1:3] if _is_other(normalize_header(cell))), "")
    if normalize_header(what) not in _STOCKS:
        problem = BadData(
            "this ledger does not record trades in {what}",
            what=what,
            hint="delete such rows, and enter their cash changes by hand",
        )
        return StatementLine(number, list(row), list(row.values()), problem)
    known = map_columns(list(row)).keys()
    if not {"date", "quantity"} <= known or not known & {"code", "name"}:
        return StatementLine(number, [], [], BadData("unknown columns in the table {table!r}", table=cells[0][:40]))
    return StatementLine(number, list(row), list(row.values()))
