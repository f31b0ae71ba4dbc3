"""An entry of the ledger on one line."""

import sys
from decimal import Decimal
from typing import TYPE_CHECKING

from ia.errors import Message
from ia_cli._out import notify
from ia_cli._text import say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ia.ledger.account import Price
    from ia.ledger.journal import Entry

FRESH_DAYS = 4
"""A weekend and a day or two around it; of older prices a person is told."""


def written(number: Decimal | None, sign: bool = False) -> str:
    """Return a number for people: all its digits, no exponent."""
    return "" if number is None else format(number, "+f" if sign and number else "f")


def tell_age(prices: "Iterable[Price | None]") -> None:
    """Tell of prices that are old, in truth or because the market has long been closed."""
    from datetime import date

    from ia import clock

    newest = max((price.date for price in prices if price is not None), default="")
    if newest and (date.fromisoformat(clock.last_visible("CN")) - date.fromisoformat(newest)).days > FRESH_DAYS:
        notify(Message("the newest stored prices are of {date}; `ia sync` brings newer ones", date=newest))


def line(entry: "Entry") -> str:
    """Return an entry as one line: number, day, what, how much of which at what price, and the fees.

    In the user's language on a terminal; in a pipe the same in every one.
    """
    parts: list[str | Message] = [str(entry.id or "-"), entry.date, Message(entry.kind)]
    parts.append(" ".join(f"{entry.symbol} {entry.name}".split()))
    if entry.quantity is not None and entry.kind != "repaid":
        shares = written(entry.quantity)
        parts.append(f"{shares} @ {written(entry.price)}" if entry.price is not None else shares)
    elif entry.price is not None:
        parts.append(written(entry.price))
    if entry.ratio is not None:
        parts.append(f"x {written(entry.ratio)}")
    if entry.cash is not None:
        parts.append(f"{written(entry.cash)} {entry.currency}")
    if entry.kind in ("buy", "sell") or entry.fees:
        parts.append(Message("fees {fees}", fees=written(entry.fees)))
    if entry.corrects is not None:
        parts.append(Message("in place of {number}", number=entry.corrects))
    person = sys.stdout.isatty()
    cells = [say(part.template, **part.params) if person and isinstance(part, Message) else str(part) for part in parts]
    return "\t".join(filter(None, cells))
