"""An entry of the ledger on one line."""

import sys
from decimal import Decimal
from typing import TYPE_CHECKING

from ia.kernel.errors import Message
from ia_cli.terminal.text import lang, say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ia.organs.ledger.journal import JournalEntry


def format_number(number: Decimal | None, sign: bool = False) -> str:
    """Return a number for people: all its digits, no exponent."""
    return "" if number is None else format(number, "+f" if sign and number else "f")


def format_table_number(number: Decimal | None, sign: bool = False, places: int = 0) -> str:
    """Return a number for a table: at a terminal with thousands apart and at least so many places, else as it is."""
    if number is None or not sys.stdout.isatty():
        return format_number(number, sign)
    digits = max(places, -int(number.as_tuple().exponent)) if number.is_finite() else 0
    return f"{number:{'+' if sign and number else ''},.{digits}f}"


def gain_colors(currencies: "Iterable[str]") -> tuple[str, str]:
    """Return the colors of a gain and of a loss: as the setting pictures.up says, else as the market has it."""
    from ia.kernel import config

    up = str(config.get_setting("pictures.up"))
    if up == "market":
        up = "green" if set(currencies) == {"USD"} else "red"
    return up, {"red": "green", "green": "red"}.get(up, "dark_orange")


def format_entry(entry: "JournalEntry") -> str:
    """Return an entry as one line: number, day, what, how much of which at what price, and the fees.

    In the user's language on a terminal; in a pipe only the name of the security is.
    """
    from ia.domain.instruments.symbols import security_name

    parts: list[str | Message] = [str(entry.id or "-"), entry.date, Message(entry.kind)]
    name = security_name(entry.symbol or "", entry.name, lang())
    parts.append(" ".join(f"{entry.symbol or ''} {name}".split()))
    if entry.quantity is not None and entry.kind != "repaid":
        shares = format_number(entry.quantity)
        parts.append(f"{shares} @ {format_number(entry.price)}" if entry.price is not None else shares)
    elif entry.price is not None:
        parts.append(format_number(entry.price))
    if entry.ratio is not None:
        parts.append(f"x {format_number(entry.ratio)}")
    if entry.cash is not None:
        parts.append(f"{format_number(entry.cash)} {entry.currency}")
    if entry.kind in ("buy", "sell") or entry.fees:
        parts.append(Message("fees {fees}", fees=format_number(entry.fees)))
    if entry.corrects is not None:
        parts.append(Message("replaces {number}", number=entry.corrects))
    person = sys.stdout.isatty()
    cells = [say(part.template, **part.params) if person and isinstance(part, Message) else str(part) for part in parts]
    return "\t".join(filter(None, cells))
