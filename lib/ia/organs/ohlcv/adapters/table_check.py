"""What the hosts behind the akshare adapter return, and the checks that it must pass before it is believed."""

from math import isnan
from typing import Any, NamedTuple, TypeAlias

from ia.organs.ohlcv.canonical import Bars, is_date
from ia.organs.ohlcv.transport import shape_error

Value = float | str | None
Cells: TypeAlias = list[Any]
"""A row as a server sends it, before anything is checked."""
Row = tuple[str, Value, Value, Value, Value, Value]
"""Date (YYYY-MM-DD), open, high, low, close, volume, as the host writes them."""

ODD_FRAC = 0.02
"""Real feeds round, so some bars may have a high below their close; more than this part means shifted columns."""

MAX_PRICE = 1e8
"""No share, fund or index is near it: what is above is no price."""


class FeedTable(NamedTuple):
    """The rows of one answer: `unit` shares a unit of volume, `what` the function or endpoint for messages."""

    rows: list[Row]
    unit: int
    host: str
    name: str
    what: str


def check_table(table: FeedTable) -> Bars:
    """Return canonical bars; a row without a price is a day without trading and is dropped.

    raises  ShapeChanged where dates, numbers or their order make no sense: columns renamed by position shift silently;
            where a bar has prices and no volume, since 0 would say that nobody traded.
    """
    bars = Bars.from_rows([])
    odd, previous = 0, ""
    for day, *values in sorted(table.rows, key=lambda row: row[0]):
        numbers = [_parse_number(value, table.what) for value in values]
        prices, volume = numbers[:4], numbers[4]
        if not is_date(day) or len(day) != 10:
            raise shape_error(table.what, f"{day[:20]!r} is no date")
        if any(price is None or price <= 0 for price in prices):
            if any(price and price > 0 for price in prices) and volume:
                raise shape_error(table.what, f"half a bar on {day}")
            continue
        first, high, low, last = (float(price or 0) for price in prices)
        if max(first, high, low, last) > MAX_PRICE:
            raise shape_error(table.what, f"a price of {max(first, high, low, last):g} on {day}")
        if volume is None:
            raise shape_error(table.what, f"no volume on {day}")
        row = (day, first, high, low, last, _count_shares(volume, table))
        if day == previous:
            if row[1:] != tuple(column[-1] for column in bars[1:]):
                raise shape_error(table.what, f"two bars on {day}")
            continue
        odd += low > min(first, last) or high < max(first, last)
        bars.date.append(day)
        for column, price in zip(bars[1:5], row[1:5], strict=True):
            column.append(price)
        bars.volume.append(row[5])
        previous = day
    if odd > max(1.0, ODD_FRAC * len(bars.date)):
        raise shape_error(table.what, f"{odd} of {len(bars.date)} bars have a high or low inside open and close")
    return bars


def _parse_number(value: Value, what: str) -> float | None:
    """Return a number, which may be infinite; None for the ways in which a host writes that there is none."""
    if value is None or value in ("", "-", "--"):
        return None
    # float() takes more for a number than a host writes: True, "1_0", the digits of other scripts
    odd = isinstance(value, bool) or (isinstance(value, str) and (not value.isascii() or "_" in value))
    try:
        number = float("x" if odd else value)
    except OverflowError:
        raise shape_error(what, "a number too large") from None
    except (TypeError, ValueError):
        raise shape_error(what, f"{str(value)[:20]!r} is no number") from None
    return None if isnan(number) else number


def _count_shares(volume: float, table: FeedTable) -> int:
    if volume < 0 or volume > 1e15:
        raise shape_error(table.what, f"a volume of {volume:g}")
    return round(volume * table.unit)
