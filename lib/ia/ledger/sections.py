"""Activity statements of Interactive Brokers: one file of many tables, each line with the name of its table in front.

Of them the trades in stocks, dividends, taxes withheld, interest, fees, and money that came and went are read. A trade
of another kind (a currency, an option) is no entry of this ledger: it stops the file, for its money would be missing.
"""

import csv
import re
from typing import NamedTuple

from ia.errors import BadData

_TABLES = {
    "Trades": "", "Dividends": "dividend", "Withholding Tax": "dividend", "Interest": "interest", "Fees": "interest",
    "Deposits & Withdrawals": "transfer of funds",
}  # fmt: skip
"""Table -> what its rows are, in the words of statements.py; "" where the sign of the quantity tells."""
_whose = re.compile(r"([A-Z0-9][A-Z0-9. ]*?)\s*\(").match


class Line(NamedTuple):
    """A row of one of the tables: its line in the file, its header, its cells."""

    number: int
    header: list[str]
    cells: list[str]


def is_sectioned(text: str) -> bool:
    """Whether a text is such a statement."""
    return re.search(r"^\ufeff?(?:Statement|Trades),Header,", text, re.M) is not None


def lines(text: str, source: str) -> list[Line]:
    """Return the rows that say something, as they stand.

    raises  BadData for a trade in something else than stocks, and for what is no CSV.
    """
    headers: dict[str, list[str]] = {}
    found = []
    reader = csv.reader(text.splitlines())
    try:
        for cells in reader:
            if len(cells) < 3 or cells[0] not in _TABLES:
                continue
            if cells[1] == "Header":
                headers[cells[0]] = cells[2:]
            elif cells[1] == "Data" and cells[0] in headers:
                row = dict(zip(headers[cells[0]], cells[2:], strict=False))
                if line := _line(reader.line_num, cells[0], row, source):
                    found.append(line)
    except csv.Error as exc:
        raise BadData("{source}: {reason}", source=source, reason=str(exc)) from None
    return found


def _line(number: int, table: str, row: dict[str, str], source: str) -> Line | None:
    """Return a row in columns that statements.py knows; None for a sum, and for the parts that make up an order."""
    if table == "Trades":
        if row.get("DataDiscriminator", "Order") != "Order":
            return None
        if row.get("Asset Category", "Stocks") != "Stocks":
            raise BadData(
                "{source}:{line}: a trade in {what} is no entry of this ledger", source=source, line=number,
                what=row["Asset Category"], hint="take such rows out, and enter what they did to the cash by hand",
            )  # fmt: skip
        return Line(number, list(row), list(row.values()))
    day = row.get("Date") or row.get("Settle Date") or ""
    if not day:
        return None
    told = row.get("Description", "")
    whose = _whose(told)
    made = {"Date": day, "Type": _TABLES[table], "Net": row.get("Amount", ""), "Currency": row.get("Currency", "")}
    made["Symbol"] = whose[1] if whose and _TABLES[table] == "dividend" else ""
    made["Transaction ID"] = f"{table}: {told}"
    return Line(number, list(made), list(made.values()))
