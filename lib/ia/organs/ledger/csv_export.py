"""The journal as CSV: what counts at now(), in columns that `ia trade import` reads back to the same sums."""

import csv
import io
from collections.abc import Iterable, Iterator
from decimal import Decimal

from ia.organs.ledger.journal import JournalEntry

COLUMNS = (
    "date",
    "time",
    "kind",
    "code",
    "name",
    "currency",
    "quantity",
    "price",
    "amount",
    "ratio",
    "commission",
    "stamp",
    "transfer",
    "other",
    "reason",
    "session",
    "key",
)


def csv_lines(entries: Iterable[JournalEntry]) -> Iterator[str]:
    """Yield the header and each entry as a line of CSV. `time` is UTC, `date` the exchange's."""
    yield _format_csv_line(COLUMNS)
    for each in entries:
        values = (each.quantity, each.price, each.cash, each.ratio)
        yield _format_csv_line(
            (
                each.date,
                each.time,
                each.kind,
                each.symbol,
                escape_formula(each.name),
                each.currency,
                *map(_format_number, values),
                *map(_format_number, (each.commission, each.stamp, each.transfer, each.other)),
                *map(escape_formula, (" ".join(each.reason.split()), each.session, each.key or "")),
            )
        )


def escape_formula(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula: with an apostrophe before it where needed."""
    return f"'{text}" if _is_formula(text) else text


def unescape_formula(cell: str) -> str:
    """Return the text of a cell that `guarded` wrote."""
    return cell[1:] if cell[:1] == "'" and _is_formula(cell[1:]) else cell


def _is_formula(text: str) -> bool:
    return text[:1] in _FORMULA or text.lstrip()[:1] in _FORMULA


_FORMULA = tuple("=+-@＝＋－＠\t\r\n'")


def _format_csv_line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _format_number(value: Decimal | None) -> str:
    return "" if value is None else format(value, "f")
