"""Canonical OHLCV, the text that the organs pass to each other: one symbol, ascending, prices that round-trip.

``date,open,high,low,close,volume``: dates ``YYYY-MM-DD``, intraday ``YYYY-MM-DDTHH:MM:SS`` in exchange time, volume in
shares. A byte order mark and ``\\r\\n`` are read (they carry no data) and never written; what else is not canonical is
refused.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import lt
from typing import BinaryIO, NamedTuple

from ia.kernel.errors import BadData, Message, Notify, PluralText, drop_message
from ia.kernel.patterns import pattern

COLUMNS = ("date", "open", "high", "low", "close", "volume")
HEADER = ",".join(COLUMNS)
MAX_VOLUME = 2**63 - 1

_INF = float("inf")
_PRICE = r"[0-9]+(?:\.[0-9]+)?"
_DAY = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_TIME = r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_is_date = pattern(f"{_DAY}(?:{_TIME})?")
_is_number = pattern(f"-?{_PRICE}")
_is_integer = pattern("-?[0-9]+")
_are_rows = pattern(f"(?:{_DAY}(?:{_TIME})?(?:,{_PRICE}){{4}},[0-9]{{1,18}}\n)*+")
_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_CONVERT = "`ia ohlcv - < FILE` converts most CSV files to canonical OHLCV"


class Bars(NamedTuple):
    """The bars of one symbol by columns, oldest first: six lists of one length, prices above 0, volume in shares."""

    date: list[str]
    open: list[float]
    high: list[float]
    low: list[float]
    close: list[float]
    volume: list[int]

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[object]]) -> "Bars":
        """Return the bars of rows (date, open, high, low, close, volume), oldest first."""
        return cls(*map(list, zip(*rows, strict=True))) if rows else cls([], [], [], [], [], [])

    def slice_bars(self, first: int | None, last: int | None = None) -> "Bars":
        """Return the bars from index `first` up to `last` (not included), as a slice of a list."""
        date, open_, high, low, close, volume = self
        take = slice(first, last)
        return Bars(date[take], open_[take], high[take], low[take], close[take], volume[take])

    def between_dates(self, start: str | None, end: str | None) -> "Bars":
        """Return the bars from `start` to `end`, both included; the bars within a day belong to it."""
        low = bisect_left(self.date, start) if start else 0
        return self.slice_bars(low, bisect_right(self.date, end + "T99") if end else None)


def read_bars(stream: BinaryIO, source: str, *, strict: bool = False, notify: Notify = drop_message) -> Bars:
    """Return the bars of a canonical CSV stream (2,500 rows take about 4 ms).

    `source` names the stream in messages. A header without rows is no bars. Raises BadData, its message starting
    ``source:line: field``, for whatever the contract forbids; rows with a low above or a high below open or close are
    counted and told to `notify`, or raise with `strict`.
    """
    text = _decode_text(stream.read(), source)
    end = text.find("\n")
    header, body = (text, "") if end < 0 else (text[:end], text[end + 1 :])
    _check_header(header, source)
    bars = _read_fast(body)
    if bars is None:
        bars = _read_slow(body, source)
    check_range(bars, source, strict, notify)
    return bars


def write_bars(bars: Bars, write: Callable[[str], object]) -> None:
    """Write the bars as canonical CSV text, in pieces of some thousand lines so that a reader can start."""
    lines = bar_lines(bars)
    while piece := "".join(islice(lines, 4096)):
        write(piece)


def bar_lines(bars: Bars) -> Iterator[str]:
    r"""Yield the header and each bar as a line of canonical CSV, ``\n`` included.

    >>> print("".join(bar_lines(Bars(["2024-01-15"], [185.32], [187.5], [184.1], [186.9], [12345678]))), end="")
    date,open,high,low,close,volume
    2024-01-15,185.32,187.5,184.1,186.9,12345678
    """
    yield HEADER + "\n"
    text = float.__repr__
    for date, first, high, low, last, volume in zip(*bars, strict=True):
        prices = f"{text(first)},{text(high)},{text(low)},{text(last)}"
        if "e" in prices or "n" in prices:
            prices = ",".join(map(format_price, (first, high, low, last)))
        yield f"{date},{prices},{int(volume)}\n"


def format_price(x: float) -> str:
    """Return the shortest plain decimal that reads back as the same float; raises BadData when it is not finite.

    >>> format_price(1e-05), format_price(1e22), format_price(186.90)
    ('0.00001', '10000000000000000000000.0', '186.9')
    """
    text = float.__repr__(x)
    if "n" in text:  # nan, inf
        raise BadData("{text} is not a price", text=text)
    if "e" not in text:
        return text
    mantissa, _, power = text.partition("e")
    sign = "-" if mantissa[0] == "-" else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits, point = whole + fraction, len(whole) + int(power)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    digits = digits.ljust(point, "0")
    return f"{sign}{digits[:point]}.{digits[point:] or '0'}"


def is_date(text: str) -> bool:
    """Tell whether the text is a date of the canonical form: a day of the calendar, with a time of day if intraday.

    >>> is_date("2024-02-29"), is_date("2023-02-29"), is_date("2024-01-15T09:30:00"), is_date("2024-1-5")
    (True, False, True, False)
    """
    if not _is_date.fullmatch(text) or text.startswith("0000"):
        return False
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    if month == 2 and day == 29:
        return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= _MONTH_DAYS[month - 1]


def _decode_text(data: bytes, source: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"0x{data[error.start]:02x}"
        raise line_error(
            (source, line), "{source}:{line}: not valid UTF-8 (byte {byte})", byte=byte, hint=_CONVERT
        ) from None
    if not text:
        raise line_error((source, 1), "{source}:{line}: empty input")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return text


def _check_header(header: str, source: str) -> None:
    if header == HEADER:
        return
    here, found = (source, 1), header.split(",")
    for name in COLUMNS:
        if name not in found:
            raise line_error(here, "{source}:{line}: missing column {field}", field=name, hint=_CONVERT)
    for name in found:
        if name not in COLUMNS or found.count(name) > 1:
            raise line_error(here, "{source}:{line}: extra column {field}", field=quote_input(name), hint=_CONVERT)
    raise line_error(here, "{source}:{line}: the columns must be in the order {field}", field=HEADER, hint=_CONVERT)


def _read_fast(body: str) -> Bars | None:
    """Return the bars where all is well, judged a column at a time; None sends the caller to the reader by rows."""
    if body and not body.endswith("\n"):
        body += "\n"
    if not _are_rows.fullmatch(body):
        return None
    fields = body.replace("\n", ",").split(",")
    del fields[-1]
    date = fields[0::6]
    prices = [list(map(float, fields[i::6])) for i in range(1, 5)]
    if date and (
        date[0] < "0001"
        or len(set(map(len, date))) > 1
        or not all(map(lt, date, date[1:]))
        or any(d[8:10] > "28" and not is_date(d) for d in date)
        or min(map(min, prices)) <= 0
        or max(map(max, prices)) == _INF
    ):
        return None
    return Bars(date, prices[0], prices[1], prices[2], prices[3], list(map(int, fields[5::6])))


def _read_slow(body: str, source: str) -> Bars:
    """Return the bars read row by row: the reference, which says what line and field is wrong."""
    bars = Bars.from_rows([])
    previous = ""
    lines = body.split("\n")
    if lines[-1] == "":
        del lines[-1]
    for number, line in enumerate(lines, 2):
        row = line.split(",")
        here = (source, number)
        if len(row) < 6:
            name = COLUMNS[len(row)] if line else "date"
            raise line_error(here, "{source}:{line}: {field} is missing", field=name, hint=_CONVERT)
        if len(row) > 6:
            raise line_error(here, "{source}:{line}: extra column after {field}", field="volume", hint=_CONVERT)
        _check_date(row[0], previous, here)
        previous = row[0]
        bars.date.append(previous)
        for column, name, text in zip(bars[1:5], COLUMNS[1:5], row[1:5], strict=True):
            column.append(_parse_price(text, name, here))
        bars.volume.append(_parse_volume(row[5], here))
    return bars


def _check_date(date: str, previous: str, here: tuple[str, int]) -> None:
    template = ""
    if not is_date(date):
        template = "{source}:{line}: {field} is not a date in the form YYYY-MM-DD: {text}"
    elif previous and len(date) != len(previous):
        template = "{source}:{line}: {field} mixes dates and times of day: {text}"
    elif date == previous:
        template = "{source}:{line}: duplicate {field}: {text}"
    elif date < previous:
        template = "{source}:{line}: {field} is earlier than in the line above: {text}"
    if template:
        raise line_error(here, template, field="date", text=quote_input(date), hint=_CONVERT)


def _parse_price(text: str, field: str, here: tuple[str, int]) -> float:
    value = float(text) if _is_number.fullmatch(text) else _INF
    if value == _INF:
        raise line_error(
            here, "{source}:{line}: {field} is not a number: {text}", field=field, text=quote_input(text), hint=_CONVERT
        )
    if value <= 0:
        raise line_error(here, "{source}:{line}: {field} must be above 0: {text}", field=field, text=quote_input(text))
    return value


def _parse_volume(text: str, here: tuple[str, int]) -> int:
    digits = text.lstrip("-").lstrip("0") or "0"
    template = ""
    if not _is_integer.fullmatch(text):
        template = "{source}:{line}: {field} is not an integer: {text}"
    elif text[0] == "-":
        template = "{source}:{line}: {field} is negative: {text}"
    elif len(digits) > 19 or int(digits) > MAX_VOLUME:
        template = "{source}:{line}: {field} is too large: {text}"
    if template:
        raise line_error(here, template, field="volume", text=quote_input(text), hint=_CONVERT)
    return int(digits)


def check_range(bars: Bars, source: str, strict: bool, notify: Notify, lines: list[int] | None = None) -> None:
    """Tell of bars whose low or high is not the lowest or highest: real feeds round, so they are counted and kept.

    Raises BadData instead with `strict`. `lines` are those of the bars where they do not follow a header line by line.
    """
    rows = enumerate(zip(*bars[1:5], strict=True))
    wrong = [i for i, (first, high, low, last) in rows if low > first or low > last or high < first or high < last]
    if not wrong:
        return
    i = wrong[0]
    line = lines[i] if lines else i + 2
    field = "low" if bars.low[i] > min(bars.open[i], bars.close[i]) else "high"
    if strict:
        raise line_error((source, line), "{source}:{line}: {field} is between open and close", field=field)
    template = PluralText(
        "{source}:{line}: {field} is between open and close ({count} row)",
        "{source}:{line}: {field} is between open and close ({count} rows)",
    )
    notify(Message(template, source=source, line=line, field=field, count=len(wrong)))


def line_error(here: tuple[str, int], template: str, *, hint: str | None = None, **params: object) -> BadData:
    """Return the error for a (source, line) of an input; the template starts with ``{source}:{line}:``."""
    return BadData(template, hint=hint, source=here[0], line=here[1], **params)


def quote_input(text: str, most: int = 40) -> str:
    """Return a piece of input fit for a message: short, quoted, control characters escaped."""
    return repr(text if len(text) <= most else text[:most] + "…")
