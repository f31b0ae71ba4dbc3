"""What a cell of a foreign row may say: a number, a name, a date, a security; anything else makes the row odd.

Rows come from outside. A few odd ones are left out and counted; more than that mean another shape, and the message
names the field. Text is data: it is stripped of what is not printed, and cut.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from ia.domain.instruments.special import clean_name
from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.kernel import clock
from ia.kernel.errors import IaError, NotFound
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv.canonical import is_date
from ia.organs.ohlcv.transport import HttpAnswer, shape_error

T = TypeVar("T")
MAX_BYTES = 8_000_000
"""A page of any of these sources is a tenth of it."""
MAX_NUMBER = 1e16
LONGEST = 120  # characters of a text
LONGEST_NAME = 24
ODD_FRAC = 0.03
FEW = 2
_is_number = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII).fullmatch
_NONE = (None, "", "-", "--")


class ImplausibleRow(Exception):
    """A row that cannot be true, by the field that says so."""

    def __init__(self, field: str, value: object = "") -> None:
        super().__init__(field)
        self.field, self.value = field, value


class CellTally:
    """Counts the odd rows of a page: `check` raises where there are more than a few, naming the field.

    false     how many rows contradict themselves in a field without which the others stand: some are ordinary
    doubted   the same of what sources work out each in their own way: they are told, and no reason to believe nothing
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.fields: Counter[str] = Counter()
        self.false: Counter[str] = Counter()
        self.doubted: Counter[str] = Counter()
        self.first = ""

    def count_odd(self, odd: ImplausibleRow, row: object = "") -> None:
        """Count a row that is left out; `row` is the cell that names it."""
        self.fields[odd.field] += 1
        self.first = self.first or " ".join(filter(None, (format_cell(row), odd.field, format_cell(odd.value))))

    @property
    def dropped(self) -> int:
        """How many rows are left out."""
        return sum(self.fields.values())

    def check_rows(self, rows: int) -> None:
        """Raise ShapeChanged where too many of so many rows are odd, or doubted for one and the same field."""
        if self.dropped > max(FEW, ODD_FRAC * rows):
            field, count = self.fields.most_common(1)[0]
            raise shape_error(self.what, f"{count} of {rows} rows contradict themselves in {field}: {self.first}")
        for field in _frequent_fields(self.false, rows):
            raise shape_error(self.what, f"{self.false[field]} of {rows} rows contradict themselves in {field}")

    def doubtful_fields(self, rows: int) -> tuple[str, ...]:
        """Return the fields in which more than some of so many rows are doubted."""
        return _frequent_fields(self.doubted, rows)


def parse_rows(rows: Sequence[Json], read: Callable[[Json], T | None], tally: CellTally, key: str) -> list[T]:
    """Return what `read` makes of each row. None is left out; Odd too, and counted under the cell `key` of its row.

    raises  ShapeChanged where more than a few are odd.
    """
    found = []
    for row in rows:
        try:
            found.append(read(row))
        except ImplausibleRow as odd:
            tally.count_odd(odd, row.get(key))
    tally.check_rows(len(rows))
    return [each for each in found if each is not None]


def _frequent_fields(fields: "Counter[str]", rows: int) -> tuple[str, ...]:
    return tuple(sorted(field for field, count in fields.items() if count > max(3 * FEW, 0.2 * rows)))


def check_size(answer: HttpAnswer) -> None:
    """Raise ShapeChanged for an answer far larger than any that these sources send; for `governed`."""
    if len(answer.body) > MAX_BYTES:
        raise shape_error(answer.host, f"more than {MAX_BYTES} bytes")


def parse_number(row: Json, field: str, least: float = -MAX_NUMBER, most: float = MAX_NUMBER) -> float | None:
    """Return the number of a field, None where the host says that there is none; Odd where it is missing or wild."""
    if field not in row:
        raise ImplausibleRow(field, "missing")
    value = row[field]
    if isinstance(value, str):
        value = value.strip()
    if value in _NONE:
        return None
    if isinstance(value, bool) or (isinstance(value, str) and not _is_number(value)):
        raise ImplausibleRow(field, value)
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ImplausibleRow(field, value) from None
    if not least <= found <= most:  # false for NaN too
        raise ImplausibleRow(field, value)
    return found


def parse_optional_number(row: Json, field: str, factor: float = 1.0) -> float | None:
    """Return the number of a field that other figures do without, times `factor`; None where it is none."""
    try:
        found = parse_number(row, field)
    except ImplausibleRow:
        return None
    return None if found is None else round(found * factor, 6)


def parse_count(row: Json, field: str) -> int | None:
    """Return the whole number of a field; None where there is none."""
    found = parse_number(row, field, 0, 1e12)
    return None if found is None else int(found)


def parse_day(value: object) -> str | None:
    """Return the date at the beginning of a text, or of YYYYMMDD as text or number; None where it is none."""
    said = str(value)[:10] if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if re.fullmatch(r"\d{8}", said[:8], re.ASCII) and len(said) == 8:
        said = f"{said[:4]}-{said[4:6]}-{said[6:]}"
    return said if len(said) == 10 and is_date(said) else None


def parse_timestamp(value: object) -> str | None:
    """Return seconds since 1970 as YYYY-MM-DDTHH:MM:SS in Shanghai; None where they are no time of this market."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 6e8 < value < 4.2e9:
        return None
    return datetime.fromtimestamp(int(value), clock.CHINA).strftime("%Y-%m-%dT%H:%M:%S")


def clean_text(value: object, most: int = LONGEST) -> str:
    """Return a text on one line and cut; without control characters and signs that are not shown. "" for no text."""
    if not isinstance(value, str) or value.strip() in _NONE:
        return ""
    if len(value) <= most and value.isprintable():
        return " ".join(value.split())
    plain = value[: 4 * most]
    kept = "".join(" " if c.isspace() else c for c in plain if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join(kept.split())[:most].rstrip()


def parse_name(value: object) -> str | None:
    """Return a security's name; None where there is none, or only one that marks an ex-day or the first days."""
    return clean_name(clean_text(value, LONGEST_NAME)) or None


def parse_names(value: object, part: str, most: int = 60) -> str | None:
    """Return a list of names that are parted by `part`, parted by `;`; None for none."""
    if not isinstance(value, str):
        return None
    found = [clean_text(each, LONGEST_NAME).replace(";", " ") for each in value[:4000].split(part)[:most]]
    return ";".join(each for each in found if each) or None


def parse_symbol(code: object, exchange: str, field: str, kinds: tuple[str, ...] = ("stock",)) -> Symbol:
    """Return the security of six digits on an exchange; Odd where there is none of these kinds."""
    if not isinstance(code, str) or not re.fullmatch(r"\d{6}", code, re.ASCII):
        raise ImplausibleRow(field, code)
    try:
        found = from_canonical(f"{code}.{exchange}")
    except NotFound:
        raise ImplausibleRow(field, code) from None
    if found.kind not in kinds:
        raise ImplausibleRow(field, code)
    return found


def parse_dotted_symbol(value: object, field: str) -> str:
    """Return the canonical symbol of a mainland stock as `600519.SH`; Odd where it is none."""
    exchange = exchange_suffix(value)
    if not isinstance(value, str) or exchange not in ("SH", "SZ", "BJ"):
        raise ImplausibleRow(field, value)
    return parse_symbol(value.removesuffix(f".{exchange}"), exchange, field).canonical


def parse_optional_symbol(code: object, exchange: str) -> str | None:
    """Return the canonical symbol of a stock, None where it is none."""
    try:
        return parse_symbol(code, exchange, "").canonical
    except (ImplausibleRow, IaError):
        return None


def format_cell(value: object) -> str:
    """Return what a cell says, short enough for a message; of what has parts only its kind: they may be without end."""
    if isinstance(value, str):
        return clean_text(value, 30)
    if isinstance(value, list | dict) or (isinstance(value, int) and abs(value) > 10**30):
        return f"({type(value).__name__})"
    return str(value)


def exchange_suffix(value: object) -> str:
    """Return the exchange at the end of `600519.SH`; "" where there is none."""
    return value.rpartition(".")[2] if isinstance(value, str) else ""
