"""The universal normalizer: any CSV of bars of one symbol becomes canonical bars, or a line of why not.

Nothing is guessed in silence: a row that is left out is counted, a column that could mean two things stops the run.
"""

import io
from collections.abc import Iterator
from typing import NamedTuple

from ia.kernel.errors import BadData, Message, Notify, PluralText, drop_message
from ia.organs.ohlcv.canonical import HEADER, MAX_VOLUME, Bars, check_range, line_error, quote_input, read_bars
from ia.organs.ohlcv.csv_tables import OTHER_SYMBOLS, BarTable, RowTally, find_columns, read_table, select_symbol
from ia.organs.ohlcv.date_columns import DateCell, read_dates
from ia.organs.ohlcv.number_cells import (
    is_missing,
    parse_price,
    parse_quantity,
    replace_decimal_comma,
    uses_decimal_comma,
)
from ia.organs.ohlcv.quality_warnings import is_volume_unit_known, volume_scale, warn_of_doubts, warn_of_money

NO_VALUE = PluralText(
    "{source}: dropped {count} row without {field} (line {line})",
    "{source}: dropped {count} rows without {field} (first: line {line})",
)
NO_TRADING = PluralText(
    "{source}: dropped {count} day without trading (line {line})",
    "{source}: dropped {count} days without trading (first: line {line})",
)
REPEATED = PluralText(
    "{source}: dropped {count} duplicate row (line {line})",
    "{source}: dropped {count} duplicate rows (first: line {line})",
)
DROPPED = (NO_VALUE, NO_TRADING, REPEATED, OTHER_SYMBOLS)

_PRICES = ("open", "high", "low", "close")
_NO_PRICE_HINT = "additive adjustment (qfq from Eastmoney or Tencent) can give negative prices; use unadjusted prices"


class Bar(NamedTuple):
    """One bar on its way: the six canonical values and the line that it comes from."""

    date: str
    prices: tuple[float, ...]
    volume: int
    line: int


def normalize_csv(
    data: bytes,
    source: str,
    *,
    lots: bool | None = None,
    symbol: str | None = None,
    day_first: bool | None = None,
    strict: bool = False,
    notify: Notify = drop_message,
) -> Bars:
    """Return the bars that a CSV of any common form holds: ascending, unique, volume in shares.

    `lots` overrides the unit of the volume that the header tells (True: lots of 100, False: shares), `symbol` picks one
    of several symbols, `day_first` settles dates like 5/11/2019. Rows dropped (no price, no trading, repeated) are
    counted through `notify`. Raises BadData naming line and field for what cannot be read or is ambiguous, NotFound for
    a symbol that the file does not have. About 20 µs a row.
    """
    if not lots and symbol is None and (bars := _read_canonical(data, source, strict, notify)) is not None:
        return bars
    tally = RowTally()
    table = read_table(data, source, tally)
    if table.header.skipped:
        template = PluralText(
            "{source}: skipped {count} line before the header", "{source}: skipped {count} lines before the header"
        )
        notify(Message(template, source=source, count=table.header.skipped))
    columns = find_columns(table, source, notify)
    table = select_symbol(table, symbol, source, tally)
    date, time = columns["date"], columns.get("time")
    cells = [DateCell(row.line, _join_stamp(row.cells, date, time)) for row in table.rows]
    dates = read_dates(cells, source, day_first, notify)
    scale = volume_scale(table.header, columns, [row.cells for row in table.rows], lots, source, notify)
    volume = _Volume(scale, _has_decimal_comma(table, columns, source), source)
    found = list(_parse_bars(table, columns, dates, volume, source, tally))
    volume.report_oddities(len(table.rows), notify)
    bars, lines = _sort_bars(found, source, tally, notify)
    tally.report_rows(source, notify)
    check_range(bars, source, strict, notify, lines)
    warn_of_doubts(bars, lines, source, notify)
    if not is_volume_unit_known(table.header, columns, lots):
        warn_of_money(bars, source, notify)
    return bars


def _read_canonical(data: bytes, source: str, strict: bool, notify: Notify) -> Bars | None:
    if not data.removeprefix(b"\xef\xbb\xbf").startswith(HEADER.encode()):
        return None
    try:
        bars = read_bars(io.BytesIO(data), source, strict=strict, notify=notify)
    except BadData:
        return None
    warn_of_doubts(bars, range(2, len(bars.date) + 2), source, notify)
    return bars


def _join_stamp(cells: list[str], date: int, time: int | None) -> str:
    """Return the text of date and time of day; a time that has the date in it (baostock) is enough."""
    day = cells[date].strip()
    if time is None or ":" in day or not (clock := cells[time].strip()):
        return day
    if len(clock) >= 12:
        return clock
    return f"{day} {clock.zfill(4 if len(clock) < 5 else 6) if clock.isdecimal() else clock}"


def _parse_bars(
    table: BarTable, columns: dict[str, int], dates: list[str], volume: "_Volume", source: str, tally: RowTally
) -> Iterator[Bar]:
    """Yield the bars of the rows that have one, in the order of the file; count the others."""
    where = [(name, columns[name]) for name in _PRICES]
    for (line, cells), date in zip(table.rows, dates, strict=True):
        shares = volume.parse_cell(cells[columns["volume"]], line)
        if not shares and _is_suspended(cells, columns):
            tally.add_row(NO_TRADING, line)
            continue
        prices = [_parse_price_cell(cells[column], name, volume.comma, source, line) for name, column in where]
        if None in prices:
            tally.add_row(NO_VALUE, line, "price")
        elif shares is None:
            tally.add_row(NO_VALUE, line, "volume")
        elif shares == 0 and 0.0 in prices and min(p for p in prices if p is not None) == 0:
            tally.add_row(NO_TRADING, line)
        else:
            yield Bar(date, tuple(_check_positive(prices, source, line)), shares, line)


def _is_suspended(cells: list[str], columns: dict[str, int]) -> bool:
    """Tell whether a column of the source says so: baostock's tradestatus 0, JoinQuant's paused 1."""
    status, paused = columns.get("status"), columns.get("paused")
    return (status is not None and cells[status].strip() in ("0", "停牌")) or (
        paused is not None and cells[paused].strip().casefold() in ("1", "1.0", "true", "是")
    )


def _has_decimal_comma(table: BarTable, columns: dict[str, int], source: str) -> bool:
    if table.header.delimiter == ",":
        quoted = [row for row in table.rows if any("," in row.cells[columns[name]] for name in _PRICES)]
    else:
        quoted = table.rows
    comma = uses_decimal_comma([row.cells[columns[name]].strip() for row in quoted for name in _PRICES])
    if comma is None and table.header.delimiter == ",":
        return False
    if comma is None:
        row, name = next((row, name) for row in quoted for name in _PRICES if "," in row.cells[columns[name]])
        template = "{source}:{line}: {field} is ambiguous, decimal comma or thousands separator: {text}"
        raise line_error((source, row.line), template, field=name, text=quote_input(row.cells[columns[name]]))
    return comma


def _parse_price_cell(text: str, field: str, comma: bool, source: str, line: int) -> float | None:
    """Return the number in a price cell, None if the cell says that there is none."""
    try:
        value = parse_price(replace_decimal_comma(text) if comma else text)
        if value - value == 0:
            return value
    except ValueError:
        if is_missing(text):
            return None
    template = "{source}:{line}: {field} is not a number: {text}"
    raise line_error((source, line), template, field=field, text=quote_input(text))


def _check_positive(prices: list[float | None], source: str, line: int) -> Iterator[float]:
    for name, value in zip(_PRICES, prices, strict=True):
        if value is None or value <= 0:
            template = "{source}:{line}: {field} must be above 0: {text}"
            raise line_error((source, line), template, field=name, text=str(value), hint=_NO_PRICE_HINT)
        yield value


class _Volume:
    """Reads the volume column and remembers what was odd in it."""

    def __init__(self, scale: int, comma: bool, source: str) -> None:
        self._scale, self.comma, self._source = scale, comma, source
        self._broken: list[tuple[int, str]] = []
        self._units: list[int] = []

    def parse_cell(self, text: str, line: int) -> int | None:
        """Return the shares traded, None if the cell says that there is no value."""
        text = text.strip()
        if text.isdecimal() and text.isascii() and len(text) < 17:
            shares = int(text) * self._scale
            if shares <= MAX_VOLUME:
                return shares
        if is_missing(text):
            return None
        try:
            found = parse_quantity(replace_decimal_comma(text) if self.comma else text)
        except ValueError:
            raise self._cell_error("{source}:{line}: {field} is not a number: {text}", line, text) from None
        shares, exact = found.to_whole(self._scale)
        if found.digits < 0:
            raise self._cell_error("{source}:{line}: {field} is negative: {text}", line, text)
        if shares > MAX_VOLUME:
            raise self._cell_error("{source}:{line}: {field} is too large: {text}", line, text)
        if not exact:
            self._broken.append((line, text))
        if found.rounded:
            self._units.append(line)
        return shares

    def report_oddities(self, rows: int, notify: Notify) -> None:
        """Tell of parts of shares that were rounded away; raises BadData if one row in twenty has them: money?"""
        if self._broken:
            line, text = self._broken[0]
            if 20 * len(self._broken) > rows:
                template = "{source}:{line}: {field} is not a number of shares; it may be an amount of money: {text}"
                raise self._cell_error(template, line, text)
            template = PluralText(
                "{source}:{line}: {field} is not a whole number of shares: {text} ({count} row rounded)",
                "{source}:{line}: {field} is not a whole number of shares: {text} ({count} rows rounded)",
            )
            fields = {"line": line, "field": "volume", "text": quote_input(text), "count": len(self._broken)}
            notify(Message(template, source=self._source, **fields))
        if self._units:
            template = PluralText(
                "{source}:{line}: the data source rounded {field} to its unit ({count} row)",
                "{source}:{line}: the data source rounded {field} to its unit ({count} rows)",
            )
            count, line = len(self._units), self._units[0]
            notify(Message(template, source=self._source, line=line, field="volume", count=count))

    def _cell_error(self, template: str, line: int, text: str) -> BadData:
        return line_error((self._source, line), template, field="volume", text=quote_input(text))


def _sort_bars(bars: list[Bar], source: str, tally: RowTally, notify: Notify) -> tuple[Bars, list[int]]:
    """Return the bars oldest first and once each, and their lines; raises BadData where two bars of a date differ."""
    dates = [bar.date for bar in bars]
    ordered = sorted(bars, key=lambda bar: bar.date)
    if dates not in ((ascending := [bar.date for bar in ordered]), ascending[::-1]):
        notify(Message("{source}: the rows were not in order; ia sorted them by date", source=source))
    kept: list[Bar] = []
    for bar in ordered:
        if kept and bar.date == kept[-1].date:
            if bar[1:3] != kept[-1][1:3]:
                lines = sorted((bar.line, kept[-1].line))
                template = "{source}:{line}: duplicate {field} with different values: {text} (also line {other})"
                raise line_error((source, lines[1]), template, field="date", text=bar.date, other=lines[0])
            tally.add_row(REPEATED, bar.line)
        else:
            kept.append(bar)
    first, high, low, last = ([bar.prices[i] for bar in kept] for i in range(4))
    columns = Bars([bar.date for bar in kept], first, high, low, last, [bar.volume for bar in kept])
    return columns, [bar.line for bar in kept]
