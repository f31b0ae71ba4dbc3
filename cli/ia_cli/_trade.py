"""An entry of the ledger as a person reads it."""

from decimal import Decimal
from typing import TYPE_CHECKING

from ia_cli._text import say, tr

if TYPE_CHECKING:
    from ia.ledger.journal import Entry


def written(number: Decimal | None, sign: bool = False) -> str:
    """Return a number for people: all its digits, no exponent."""
    return "" if number is None else format(number, "+f" if sign and number else "f")


def line(entry: "Entry") -> str:
    """Return an entry as one line: number, day, what, how much of which at what price, and the fees."""
    parts = [str(entry.id), entry.date, tr(entry.kind), f"{entry.symbol} {entry.name}".strip()]
    if entry.quantity is not None:
        shares = written(entry.quantity)
        parts.append(f"{shares} @ {written(entry.price)}" if entry.price is not None else shares)
    elif entry.price is not None:
        parts.append(written(entry.price))
    if entry.ratio is not None:
        parts.append(f"x {written(entry.ratio)}")
    if entry.cash is not None:
        parts.append(f"{written(entry.cash)} {entry.currency}")
    if entry.kind in ("buy", "sell") or entry.fees:
        parts.append(say("fees {fees}", fees=written(entry.fees)))
    if entry.corrects is not None:
        parts.append(say("in place of {number}", number=entry.corrects))
    return "\t".join(part for part in parts if part)
