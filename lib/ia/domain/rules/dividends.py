"""The tax on dividends that a private person pays when shares are sold: by how long they were held."""

from datetime import date
from decimal import Decimal

from ia.domain.instruments.boards import find_board
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.table import rule_value


def tax_pct(symbol: Symbol, ex_day: str, bought: str, sold: str) -> Decimal | None:
    """Return the per cent of a dividend of `ex_day` that is taken once shares that got it are sold.

    Shares were held from the day of the purchase to the day before the sale; a month ends before the same date of the
    next one. None where no such tax is taken at the sale (funds, other markets).

    raises  NotFound before the rules in the table begin.

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> moutai = from_canonical("600519.SH")
    >>> [str(tax_pct(moutai, "2024-06-19", "2024-06-03", day)) for day in ("2024-07-03", "2024-07-04", "2025-06-04")]
    ['20', '10', '0']
    """
    first, last = date.fromisoformat(bought), date.fromisoformat(sold)
    if last <= _add_months(first, 1):
        span = "month"
    elif last <= _add_months(first, 12):
        span = "year"
    else:
        span = "longer"
    return rule_value(f"dividend_tax_{span}", find_board(symbol), ex_day)


def _add_months(day: date, months: int) -> date:
    """Return the same date so many months later, the last of that month where it has none."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    for number in range(day.day, 27, -1):
        try:
            return date(year, month + 1, number)
        except ValueError:
            continue
    return date(year, month + 1, day.day)
