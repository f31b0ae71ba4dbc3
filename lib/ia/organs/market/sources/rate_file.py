"""Exchange rates of a file beside the prices: `exchange-rates.csv` in the folder `market.csv.dir`.

Its header is ``date`` and currencies, ``date,USD,HKD``: yuan for one unit. An empty cell is a day without a rate.
"""

import csv
import io
import os

from ia.kernel.errors import BadData, NotFound
from ia.organs.market.sources import DailyRate
from ia.organs.ohlcv.canonical import is_date

FILE = "exchange-rates.csv"
MAX_BYTES = 20_000_000


def read_rates(folder: str) -> list[DailyRate]:
    """Return the rates of the file, by day. raises  NotFound without one; BadData naming line and field."""
    path = os.path.join(folder, FILE)
    if not os.path.isfile(path):
        raise NotFound("{folder} has no {file}", folder=folder, file=FILE)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read(MAX_BYTES)
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        head = [cell.strip() for cell in next(rows, [])]
        if head[:1] != ["date"] or len(head) < 2 or not all(len(name) == 3 and name.isupper() for name in head[1:]):
            raise BadData(
                "{file}:1: the header of exchange rates must be `date` and currencies, such as USD", file=FILE
            )
        found = []
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            found += _parse_row(head, row, rows.line_num)
    except (OSError, UnicodeDecodeError, csv.Error) as exc:
        raise BadData("{file} cannot be read: {reason}", file=FILE, reason=str(exc)) from None
    return sorted(found, key=lambda each: (each.date, each.currency))


def _parse_row(head: list[str], row: list[str], line: int) -> list[DailyRate]:
    day = row[0].strip()
    if not is_date(day) or len(day) != 10 or len(row) > len(head):
        raise BadData(
            "{file}:{line}: {text!r} is not a row of exchange rates", file=FILE, line=line, text=",".join(row)[:60]
        )
    found = []
    for currency, cell in zip(head[1:], row[1:], strict=False):
        if not cell.strip():
            continue
        try:
            yuan = float(cell)
        except ValueError:
            yuan = 0.0
        if not 1e-6 < yuan < 1e6:
            raise BadData(
                "{file}:{line}: {currency}: {text!r} is not a rate",
                file=FILE,
                line=line,
                currency=currency,
                text=cell[:20],
            )
        found.append(DailyRate(currency, day, yuan, FILE))
    return found
