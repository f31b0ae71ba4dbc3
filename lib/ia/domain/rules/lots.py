"""In which quantities a security is traded."""

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from ia.domain.instruments.boards import Board, find_board
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.fees import Side, require_decimals
from ia.domain.rules.table import period_start, rule_value
from ia.kernel.errors import Message


class LotRule(NamedTuple):
    """The least quantity of an order and the step above it."""

    least: Decimal
    step: Decimal


def find_lot(symbol: Symbol, day: str) -> LotRule | None:
    """Return the lot of a day; None where there is none (US) or it is the issuer's own and not known (Hong Kong)."""
    where = find_board(symbol)
    return _load_lot(where, period_start(where, day) or day)


@lru_cache(maxsize=1024)
def _load_lot(where: Board, day: str) -> LotRule | None:
    least, step = rule_value("lot", where, day), rule_value("step", where, day)
    return None if least is None or step is None else LotRule(least, step)


def round_to_lots(count: Decimal, rule: LotRule) -> Decimal:
    """Return a number of shares rounded down to whole lots; 0 below the least one.

    >>> round_to_lots(Decimal("1234.5"), LotRule(Decimal(100), Decimal(100))), round_to_lots(Decimal(90), WHOLE_SHARES)
    (Decimal('1200'), Decimal('90'))
    """
    rounded = max(count, Decimal(0)) // rule.step * rule.step
    return rounded if rounded >= rule.least else Decimal(0)


def size_by_loss(loss: Decimal, price: Decimal, stop: Decimal, rule: LotRule) -> Decimal:
    """Return how many shares, in whole lots, lose no more than `loss` where they are sold at the stop, fees aside.

    >>> size_by_loss(Decimal(1000), Decimal(30), Decimal(28), LotRule(Decimal(100), Decimal(100)))
    Decimal('500')
    """
    return round_to_lots(loss / (price - stop), rule)


WHOLE_SHARES = LotRule(Decimal(1), Decimal(1))
"""Where no lot is known."""


def check_quantity(symbol: Symbol, day: str, side: Side, quantity: Decimal, held: Decimal) -> Message | None:
    """Return what is wrong with a quantity; None where nothing is, or where the lot is not known (Hong Kong).

    A sale may take an odd rest of what is held (`held` before it), but only all of the rest at once. How large one
    order may be is not checked: a trade of a journal may be the sum of several.

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> str(check_quantity(from_canonical("600000.SH"), "2024-03-01", "buy", Decimal(150), Decimal(0)))
    '600000.SH: purchases must be multiples of 100; 150 is not'
    """
    require_decimals(quantity, held)
    if quantity <= 0:
        return Message("{quantity} is not a valid quantity", quantity=f"{quantity:f}")
    if symbol.market != "US" and quantity % 1:
        return Message("{symbol} trades in whole shares only: {quantity}", **_message_params(symbol, quantity))
    rule = find_lot(symbol, day)
    if rule is None:
        return None
    told = {**_message_params(symbol, quantity), "least": f"{rule.least:f}", "rest": f"{held % rule.least:f}"}
    if side == "buy":
        if quantity < rule.least and rule.step < rule.least:
            return Message("{symbol}: the minimum purchase is {least}; {quantity} is too few", **told)
        if quantity % rule.step:
            return Message("{symbol}: purchases must be multiples of {least}; {quantity} is not", **told)
        return None
    if quantity >= held:
        return None
    if rule.step < rule.least:  # STAR and Beijing: any number from the least on; below it only the whole rest
        if quantity < rule.least:
            return Message(
                "{symbol}: the minimum sale is {least}, or the whole position; {quantity} is too few", **told
            )
        return None
    if quantity % rule.step not in (0, held % rule.step):
        if not held % rule.step:
            return Message("{symbol}: sales must be multiples of {least}; {quantity} is not", **told)
        template = (
            "{symbol}: sales must be multiples of {least}, with the odd lot of {rest} sold at once; {quantity} fits "
            "neither"
        )
        return Message(template, **told)
    return None


def _message_params(symbol: Symbol, quantity: Decimal) -> dict[str, str]:
    return {"symbol": symbol.canonical, "quantity": f"{quantity.normalize():f}"}
