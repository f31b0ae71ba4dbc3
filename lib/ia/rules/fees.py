"""What a trade costs: the commission that was agreed, and what the law and the exchange add, by date.

The handling and regulatory fees of the mainland exchanges are part of the commission there, as brokers' statements have
it; they stand in the table, and are not added.
"""

from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from typing import Literal, NamedTuple

from ia.errors import NotFound
from ia.ohlcv.identity import Symbol
from ia.rules.boards import board
from ia.rules.table import value

CENT = Decimal("0.01")
Side = Literal["buy", "sell"]


class Fees(NamedTuple):
    """The costs of one trade in the currency of the security, each to the cent; `other` is what is neither."""

    commission: Decimal
    stamp: Decimal
    transfer: Decimal
    other: Decimal

    @property
    def total(self) -> Decimal:
        return self.commission + self.stamp + self.transfer + self.other


def fees(
    symbol: Symbol,
    day: str,
    side: Side,
    price: Decimal,
    quantity: Decimal,
    *,
    commission_pct: Decimal,
    commission_min: Decimal,
) -> Fees:
    """Return what a trade of this day costs, each part rounded half up to the cent (stamp duty of Hong Kong: up to the
    dollar).

    commission_pct, commission_min  as agreed with the broker: per cent of the amount, and the least of a trade

    raises  NotFound where the table does not reach back to that day.
    """
    exact(price, quantity, commission_pct, commission_min)
    where = board(symbol)
    amount = price * quantity

    def part(what: str) -> Decimal:
        return amount * (value(what, where, day) or Decimal(0)) / 100

    try:
        stamp = part(f"stamp_{side}")
        stamp = stamp.to_integral_value(ROUND_CEILING) if where.scopes[-1] == "HK" else stamp
        transfer = part("transfer")
        most = value("transfer_most", where, day)
        other = Decimal(0)
    except NotFound as exc:
        exc.hint = "give the fees as they stand in the statement"
        raise
    return Fees(
        cents(max(amount * commission_pct / 100, commission_min)),
        cents(stamp),
        cents(transfer if most is None else min(transfer, most)),
        cents(other),
    )


def cents(money: Decimal) -> Decimal:
    """Return money rounded half up to the cent."""
    return money.quantize(CENT, ROUND_HALF_UP)


def exact(*numbers: Decimal) -> None:
    """Let nothing but Decimal in: money that was a float once is not exact any more. TypeError is a bug of ours."""
    for number in numbers:
        if not isinstance(number, Decimal):
            raise TypeError(f"{number!r} is no Decimal")
