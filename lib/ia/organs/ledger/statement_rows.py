"""Brokers' files as rows whose cells are known by their meaning, whatever their encoding, separator and decoration."""

import csv
import io
import re

from ia.kernel.errors import BadData
from ia.organs.ledger import statement_sections
from ia.organs.ledger.statement_columns import is_header, map_columns

MOST_BYTES = 50_000_000
MOST_ROWS = 200_000
_is_year_last = re.compile(r"(?:.* as of )?([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})([ ,]+[0-9].*)?", re.ASCII).fullmatch
_is_filled = re.compile(r"([0-9.,]+)@([0-9.,]+)", re.ASCII).fullmatch
_OUR_WORDS = ("reason", "session", "key")
"""Columns of our own export, which are read as they stand."""
_OF_THE_ORDER = ("what", "code", "name", "currency", "market")
_is_sum = re.compile(r"合计|总计|小计|共|(?:sub-?|transactions )?total", re.I).match


class StatementRow(dict[str, str]):
    """A row of a file: its cells by meaning, "" where there is none, and the line that it stands on.

    problem  why its table says that it cannot be read, else None
    """

    def __init__(self, line: int, cells: dict[str, str], problem: BadData | None = None) -> None:
        super().__init__(cells)
        self.line, self.problem = line, problem

    def __missing__(self, _: str) -> str:
        return ""


def _decode_statement(raw: bytes, source: str) -> str:
    if len(raw) > MOST_BYTES:
        raise BadData("{source}: the file is larger than {limit} bytes", source=source, limit=MOST_BYTES)
    if raw[:4] in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        raise BadData("{source} is an Excel workbook", source=source, hint="save it as CSV or text in Excel or WPS")
    for encoding in ("utf-16",) if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "gb18030"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise BadData("{source} is not a text file", source=source)


def read_rows(raw: bytes, source: str) -> list[StatementRow]:
    """Return the rows of a statement, oldest first, without sums and empty lines.

    raises  BadData for what is no statement.
    """
    text = _decode_statement(raw, source)
    rows: list[StatementRow] = []
    if statement_sections.is_sectioned(text):
        rows = [
            _build_row(each.number, each.cells, map_columns(each.header), each.problem)
            for each in statement_sections.section_lines(text, source)
        ]
        _normalize_dates(rows, "$" in text, source)
        return rows
    lines = text.splitlines()
    at, mark = next(
        ((at, mark) for at, line in enumerate(lines[:60]) for mark in "\t,;|" if is_header(_split_cells(line, mark))),
        (-1, ""),
    )
    if at < 0:
        raise BadData(
            "{source}: no line contains the column names of a statement",
            source=source,
            hint="the columns must include date, code, operation, price and quantity: "
            "成交日期 证券代码 操作 成交价格 成交数量",
        )
    header = _split_cells(lines[at], mark)
    places = map_columns(header)
    reader = csv.reader(io.StringIO("\n".join(lines[at + 1 :])), delimiter=mark)
    try:
        for values in reader:
            line = at + 1 + reader.line_num
            if not any(map(_strip_cell, values)):
                continue
            if len(rows) >= MOST_ROWS:
                raise BadData("{source}: more than {limit} rows", source=source, limit=MOST_ROWS)
            row = _build_row(line, values, places)
            if rows and row["quantity"] and row["price"] and not any(row[name] for name in ("what", "code", "name")):
                row |= {name: rows[-1][name] for name in _OF_THE_ORDER}  # another fill of the order above
            if not _is_sum(row["date"] or "".join(map(_strip_cell, values))):
                rows.append(row)
    except csv.Error as exc:
        raise BadData("{source}: {reason}", source=source, reason=str(exc)) from None
    _normalize_dates(rows, "$" in text, source)
    days = [row["date"] for row in rows]
    return rows[::-1] if len(days) > 1 and days[0] > days[-1] else rows


def _build_row(
    line: int, cells: list[str], places: dict[str, list[int]], problem: BadData | None = None
) -> StatementRow:
    bare = [_strip_cell(cell) for cell in cells]
    row = StatementRow(
        line,
        {name: _join_cells(name, cells if name in _OUR_WORDS else bare, at) for name, at in places.items()},
        problem,
    )
    if (filled := _is_filled(row["filled"].replace(" ", ""))) and not row["quantity"]:
        row["quantity"], row["price"] = filled.groups()
    if found := re.fullmatch(r"(.*\S)\s*\(([A-Z0-9.]{1,10})\)", row["code"]):  # Tiger: Apple (AAPL)
        row["name"], row["code"] = row["name"] or found[1], found[2]
    return row


def _normalize_dates(rows: list[StatementRow], dollars: bool, source: str) -> None:
    """Turn dates such as 03/15/2024 into 2024-03-15; where a day `as of` another is told, that one counts.

    Whether the month or the day comes first is what the dates of the file show; where they do not, an amount in
    dollars is an American's. raises BadData where nothing tells.
    """
    told = [(row, found) for row in rows if (found := _is_year_last(row["date"]))]
    month_first = any(int(found[2]) > 12 for _, found in told)
    if told and any(int(found[1]) > 12 for _, found in told) == month_first and (month_first or not dollars):
        raise BadData(
            "{source}:{line}: {text} is ambiguous: day or month first",
            source=source,
            line=told[0][0].line,
            text=told[0][0]["date"],
            hint="write the dates as 2024-03-15",
        )
    month_first = month_first or (dollars and not any(int(found[1]) > 12 for _, found in told))
    for row, found in told:
        month, day = (found[1], found[2]) if month_first else (found[2], found[1])
        row["date"] = f"{found[3]}-{month.zfill(2)}-{day.zfill(2)}{found[4] or ''}"


def _join_cells(name: str, cells: list[str], places: list[int]) -> str:
    """Return the cell of a meaning; of several columns all of them."""
    return (" " if name == "what" else ";").join(cells[at] for at in places if at < len(cells))


def _split_cells(line: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return []


def _strip_cell(cell: str) -> str:
    """Return a cell without what Excel and terminals of brokers put around it: ="600519", '600519, spaces."""
    text = cell.strip().strip("\ufeff")
    if text.startswith("="):
        text = text[1:]
    return text.strip("\"'` \t\u3000")
