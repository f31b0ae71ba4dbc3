"""A foreign CSV as a table: its text decoded, its header found, its rows whole, its symbol one."""

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

from ia.kernel.errors import BadData, Message, NotFound, Notify, PluralText
from ia.organs.ohlcv.canonical import line_error, quote_input
from ia.organs.ohlcv.csv_headers import NEEDED, Header, find_header, split_cells
from ia.organs.ohlcv.number_cells import is_missing

OTHER_SYMBOLS = PluralText(
    "{source}: skipped {count} row of another symbol (line {line})",
    "{source}: skipped {count} rows of other symbols (first: line {line})",
)
HEADER_AGAIN = PluralText(
    "{source}: skipped {count} repeated header line (line {line})",
    "{source}: skipped {count} repeated header lines (first: line {line})",
)
COMMENT = PluralText(
    "{source}: skipped {count} line without data (line {line})",
    "{source}: skipped {count} lines without data (first: line {line})",
)


LONGEST_LINE = 1_000_000
_ONE_LINE = "a bar must be on one line; check for a missing or extra quotation mark"
_ICONV = "convert it with `iconv -f ENCODING -t UTF-8`"


class BarRow(NamedTuple):
    """The cells of one record and the line on which it starts."""

    line: int
    cells: list[str]


class BarTable(NamedTuple):
    """A foreign CSV: where its columns are, and its data rows."""

    header: Header
    rows: list[BarRow]


class RowTally:
    """Rows that did not come through: how many for each reason, and the line of the first."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple[int, int]] = {}

    def add_row(self, template: str, line: int, field: str = "") -> None:
        count, first = self._seen.get((template, field), (0, line))
        self._seen[template, field] = (count + 1, first)

    def report_rows(self, source: str, notify: Notify) -> None:
        for (template, field), (count, line) in self._seen.items():
            notify(Message(template, source=source, count=count, field=field, line=line))


def decode_text(data: bytes, source: str) -> str:
    """Return the text of the bytes: UTF-8, UTF-16 (marked, or plain from its zero bytes) or GB18030; else BadData."""
    if not data.strip():
        raise line_error((source, 1), "{source}:{line}: empty input")
    if data.startswith((b"\x1f\x8b", b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise line_error((source, 1), "{source}:{line}: this is compressed data or a spreadsheet, not CSV text")
    guesses = ["utf-8-sig", "gb18030"]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        guesses = ["utf-16"]
    elif data[1:64:2].count(0) > 16 > data[0:64:2].count(0):
        guesses = ["utf-16-le"]
    elif data[0:64:2].count(0) > 16 > data[1:64:2].count(0):
        guesses = ["utf-16-be"]
    failed: int | None = None
    for encoding in guesses:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            failed = error.start if failed is None else failed
    raise _encoding_error(data, failed or 0, source)


def _encoding_error(data: bytes, at: int, source: str) -> BadData:
    """Return the error for a byte that no encoding explains, with its column where the header can be read."""
    at = min(at, len(data) - 1)
    here = (source, data.count(b"\n", 0, at) + 1)
    byte = f"0x{data[at]:02x}"
    header = find_header(io.StringIO(data[:100_000].decode("latin-1"), newline=""))
    column = data.count(header.delimiter.encode(), data.rfind(b"\n", 0, at) + 1, at) if header else 0
    if header is None or column >= len(header.cells):
        template = "{source}:{line}: the encoding is not UTF-8, UTF-16 or GB18030 (byte {byte})"
        return line_error(here, template, byte=byte, hint=_ICONV)
    template = "{source}:{line}: the encoding of {field} is not UTF-8, UTF-16 or GB18030 (byte {byte})"
    return line_error(here, template, field=quote_input(header.cells[column].strip()), byte=byte, hint=_ICONV)


def read_table(data: bytes, source: str, tally: RowTally) -> BarTable:
    """Return the header and the data rows, each as wide as the header."""
    text = decode_text(data, source)
    spoilt = "\0" in text
    stream = io.StringIO(text, newline="")
    header = find_header(stream)
    if header is None:
        raise _header_error(text, source)
    rows: list[BarRow] = []
    for row in _read_records(stream, header, source):
        filled = [cell for cell in row.cells if cell.strip()]
        if not filled:
            continue
        if not rows and len(row.cells) == len(header.cells) + 1 and not header.find_columns("date"):
            header = header._replace(cells=["", *header.cells])
        if list(map(str.strip, row.cells)) == list(map(str.strip, header.cells)):
            tally.add_row(HEADER_AGAIN, row.line)
        elif _is_not_data(row, filled, header, not rows):
            tally.add_row(COMMENT, row.line)
        else:
            rows.append(_fit_row(row, header, source))
            if spoilt:
                _check_zero_bytes(rows[-1], header, source)
    return BarTable(header, rows)


def _read_lines(stream: io.StringIO, header: Header, source: str) -> Iterator[str]:
    """Yield the lines below the header; one so long that its cells would fill the memory is refused unread."""
    for number, line in enumerate(stream, header.line + 1):
        if len(line) > LONGEST_LINE:
            template = "{source}:{line}: the line is too long ({count} characters)"
            raise line_error((source, number), template, count=len(line))
        yield line


def _read_records(stream: io.StringIO, header: Header, source: str) -> Iterator[BarRow]:
    lines = _read_lines(stream, header, source)
    if header.delimiter == " ":
        yield from (BarRow(number, line.split()) for number, line in enumerate(lines, header.line + 1))
        return
    reader = csv.reader(lines, delimiter=header.delimiter, skipinitialspace=True, strict=True)
    while True:
        line = header.line + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise line_error((source, line), "{source}:{line}: invalid CSV: {reason}", reason=str(error)) from None
        last = header.line + reader.line_num
        if last > line:  # the rows between would be gone without a count
            template = "{source}:{line}: a quoted cell continues to line {last}"
            raise line_error((source, line), template, last=last, hint=_ONE_LINE)
        yield BarRow(line, cells)


def _is_not_data(row: BarRow, filled: list[str], header: Header, first: bool) -> bool:
    """Tell comments, the source line at the end of a Tongdaxin export and the second header lines of yfinance."""
    if row.cells[0].lstrip().startswith("#"):
        return True
    if len(filled) == 1 and filled[0].strip().startswith(("数据来源", "Source")):
        return True
    return first and header.nameless_column() == 0 and row.cells[0] in ("Ticker", "Date", "Datetime")


def _fit_row(row: BarRow, header: Header, source: str) -> BarRow:
    """Return the row as wide as the header; empty cells may be missing or left over at the end, others may not."""
    width, found = len(header.cells), len(row.cells)
    if found == width:
        return row
    if found > width and not any(cell.strip() for cell in row.cells[width:]):
        return BarRow(row.line, row.cells[:width])
    if found < width and not any(name.strip() for name in header.cells[found:]):
        return BarRow(row.line, row.cells + [""] * (width - found))
    if found < width:
        template = "{source}:{line}: {field} is missing: {count} cells for {width} columns"
        raise line_error((source, row.line), template, field=quote_input(header.cells[found]), count=found, width=width)
    template = "{source}:{line}: extra cell after {field}: {count} cells for {width} columns"
    raise line_error((source, row.line), template, field=quote_input(header.cells[-1]), count=found, width=width)


def _check_zero_bytes(row: BarRow, header: Header, source: str) -> None:
    for name, cell in zip(header.cells, row.cells, strict=True):
        if "\0" in cell:
            raise line_error(
                (source, row.line), "{source}:{line}: {field} contains a NUL byte", field=quote_input(name.strip())
            )


def _header_error(text: str, source: str) -> BadData:
    first = next((line for line in io.StringIO(text[:100_000], newline="") if line.strip()), "")
    cells = max((split_cells(first[:1000], d) for d in ",\t;|"), key=len)
    found = quote_input(", ".join(cell.strip() for cell in cells if cell.strip()), 160)
    template = "{source}:{line}: no line contains the column names {needed}; the first line is {found}"
    hint = "the first line must contain the column names: date, open, high, low, close, volume (or 日期, 开盘, …)"
    return line_error((source, 1), template, needed=", ".join(NEEDED), found=found, hint=hint)


def find_columns(table: BarTable, source: str, notify: Notify) -> dict[str, int]:
    """Return the position of each field; raises BadData where one is missing or two columns claim it and differ."""
    header = table.header
    columns: dict[str, int] = {}
    for field in (*NEEDED, "amount", "status", "paused"):
        found = header.find_columns(field)
        if len(found) > 1 and field in NEEDED:
            _check_agreement(table, field, found, source, notify)
        if found:
            columns[field] = found[0]
    nameless = header.nameless_column()
    if "date" not in columns and nameless is not None and nameless not in columns.values():
        columns["date"] = nameless
    missing = [field for field in NEEDED if field not in columns]
    if missing:
        template = "{source}:{line}: no column for {field}; available: {found}"
        found_names = quote_input(", ".join(cell.strip() for cell in header.cells), 160)
        raise line_error((source, header.line), template, field=", ".join(missing), found=found_names)
    time = [column for column in header.find_columns("time") if column != columns["date"]]
    if time:
        columns["time"] = time[0]
    return columns


def _check_agreement(table: BarTable, field: str, found: list[int], source: str, notify: Notify) -> None:
    names = quote_input(" / ".join(table.header.cells[column].strip() for column in found), 160)
    for row in table.rows:
        values = {text for column in found if not is_missing(text := row.cells[column].strip())}
        if len(values) > 1:
            template = "{source}:{line}: several columns give {field}, with different values: {names}"
            raise line_error((source, row.line), template, field=field, names=names)
    template = "{source}: several columns give {field} ({names}); using the first"
    notify(Message(template, source=source, field=field, names=names))


def select_symbol(table: BarTable, symbol: str | None, source: str, tally: RowTally) -> BarTable:
    """Return the rows of one symbol; raises BadData with the list if there are several and none is picked."""
    found = [[_fold_symbol(row.cells[column]) for row in table.rows] for column in table.header.find_columns("symbol")]
    if not found:
        if symbol is None:
            return table
        raise NotFound("{source} has no symbol column, so ia cannot find {symbol}", source=source, symbol=symbol)
    symbols = max(found, key=lambda column: len(set(column)))
    names = sorted({name for name in symbols if name})
    if symbol is None:
        if len(names) < 2:
            return table
        line = next(row.line for row, name in zip(table.rows, symbols, strict=True) if name and name != symbols[0])
        template = "{source}:{line}: {count} symbols in one file: {names}"
        listed = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        raise line_error(
            (source, line),
            template,
            count=len(names),
            names=quote_input(listed, 160),
            hint="select one with `--select`",
        )
    picked = _fold_symbol(symbol)
    rows: list[BarRow] = []
    for row, name in zip(table.rows, symbols, strict=True):
        if name == picked:
            rows.append(row)
        else:
            tally.add_row(OTHER_SYMBOLS, row.line)
    if not rows:
        raise NotFound("{source} has no rows of {symbol}", source=source, symbol=symbol)
    return BarTable(table.header, rows)


def _fold_symbol(text: str) -> str:
    return text.strip(" \t'\"=").upper()
