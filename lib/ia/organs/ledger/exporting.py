"""The journal as CSV: what counts at now(), in columns that `ia trade import` reads back to the same sums."""

import csv
import io
from collections.abc import Iterable, Iterator
from decimal import Decimal

from ia.organs.ledger.journal import Entry

COLUMNS = (
    "date", "time", "kind", "code", "name", "currency", "quantity", "price", "amount", "ratio", "commission", "stamp",
    "transfer", "other", "reason", "session", "key",
)  # fmt: skip


def lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the header and each entry as a line of CSV. `time` is UTC, `date` the exchange's."""
    yield _line(COLUMNS)
    for each in entries:
        values = (each.quantity, each.price, each.cash, each.ratio)
        yield _line((
            each.date, each.time, each.kind, each.symbol, guarded(each.name), each.currency, *map(_number, values),
            *map(_number, (each.commission, each.stamp, each.transfer, each.other)),
            *map(guarded, (" ".join(each.reason.split()), each.session, each.key or "")),
        ))  # fmt: skip


def guarded(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula: with an apostrophe before it where needed."""
    return f"'{text}" if _is_formula(text) else text


def unguarded(cell: str) -> str:
    """Return the text of a cell that `guarded` wrote."""
    return cell[1:] if cell[:1] == "'" and _is_formula(cell[1:]) else cell


def _is_formula(text: str) -> bool:
    return text[:1] in _FORMULA or text.lstrip()[:1] in _FORMULA


_FORMULA = tuple("=+-@＝＋－＠\t\r\n'")


def _line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _number(value: Decimal | None) -> str:
    return "" if value is None else format(value, "f")
