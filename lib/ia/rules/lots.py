"""In which quantities and price steps a security is traded."""

from decimal import Decimal
from typing import NamedTuple

from ia.errors import Message
from ia.ohlcv.identity import Symbol
from ia.rules.boards import board
from ia.rules.fees import Side, exact
from ia.rules.table import value


class Lot(NamedTuple):
    """The least quantity of an order and the step above it."""

    least: Decimal
    step: Decimal


def lot(symbol: Symbol, day: str) -> Lot | None:
    """Return the lot of a day; None where there is none (US) or it is the issuer's own and not known (Hong Kong)."""
    where = board(symbol)
    least, step = value("lot", where, day), value("step", where, day)
    return None if least is None or step is None else Lot(least, step)


def tick(symbol: Symbol) -> Decimal | None:
    """Return the smallest step of a price; None where it depends on the price (Hong Kong)."""
    return value("tick", board(symbol), "9999-12-31")


def check_quantity(symbol: Symbol, day: str, side: Side, quantity: Decimal, held: Decimal) -> Message | None:
    """Return what is wrong with a quantity, None where nothing is.

    What is sold may hold the odd rest of what is held, all of it at once.
    """
    exact(quantity, held)
    rule = lot(symbol, day)
    if quantity <= 0:
        return Message("{quantity} is not a quantity", quantity=quantity)
    if rule is None:
        return None
    if side == "buy":
        if quantity >= rule.least and quantity % rule.step == 0:
            return None
        return Message("{symbol} is bought in lots of {least}", symbol=symbol.canonical, least=rule.least)
    return None
