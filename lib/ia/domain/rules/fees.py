"""What a trade costs: the commission that was agreed, and what the law and the exchange add, by date.

The handling and regulatory fees of the mainland exchanges are part of the commission there, as brokers' statements have
it; they stand in the table, and are not added.
"""

from decimal import ROUND_CEILING, ROUND_HALF_UP, Context, Decimal
from typing import Literal, NamedTuple

from ia.domain.instruments.boards import Board, board
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.table import Rule, unverified, value
from ia.kernel.errors import NotFound

CENT = Decimal("0.01")
NOTHING = Decimal(0)
EXACT = Context(prec=60, rounding=ROUND_HALF_UP)
"""Wide enough for every product and quotient of what is let in, so that money is rounded once."""
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
    """Return what a trade of this day costs, each part rounded to the cent: half up, but as those who charge it say
    otherwise stamp duty of Hong Kong up to the dollar and fees of the United States up to the cent.

    commission_pct, commission_min  as agreed with the broker: per cent of the amount, and the least of a trade

    raises  NotFound where the table does not reach back to that day.

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> broker = {"commission_pct": Decimal("0.025"), "commission_min": Decimal(5)}
    >>> fees(from_canonical("600000.SH"), "2024-03-01", "sell", Decimal("11.50"), Decimal(700), **broker).total
    Decimal('9.11')
    """
    exact(price, quantity, commission_pct, commission_min)
    where = board(symbol)
    amount = price * quantity
    try:
        stamp, transfer, other = _charged(where, day, side, amount, quantity)
    except NotFound as exc:
        exc.hint = "give the fees as they stand in the statement"
        raise
    return Fees(cents(max(amount * commission_pct / 100, commission_min)), stamp, transfer, other)


CHARGED = (
    "stamp_buy", "stamp_sell", "transfer", "transfer_most", "transfer_face", "trading_fee", "sfc_levy", "afrc_levy",
    "settlement_fee", "settlement_least", "settlement_most", "trading_tariff", "sec_fee", "taf", "taf_most",
)  # fmt: skip
"""The rules that a fee is made by."""


def unverified_fees(symbol: Symbol, day: str, side: Side) -> list[Rule]:
    """Return the rules of a trade's fees that no text was found for."""
    other = ("stamp_sell", "sec_fee", "taf", "taf_most") if side == "buy" else ("stamp_buy",)
    return unverified((what for what in CHARGED if what not in other), board(symbol), day)


def _charged(
    where: Board, day: str, side: Side, amount: Decimal, quantity: Decimal
) -> tuple[Decimal, Decimal, Decimal]:
    """Return stamp duty, transfer fee, and what else is added to the commission."""

    def rate(what: str) -> Decimal:
        return value(what, where, day) or NOTHING

    stamp = amount * rate(f"stamp_{side}") / 100
    if where.scopes[-1] == "HK":
        levies = (amount * rate(what) / 100 for what in ("trading_fee", "sfc_levy", "afrc_levy"))
        settlement = _within(
            amount * rate("settlement_fee") / 100,
            value("settlement_least", where, day),
            value("settlement_most", where, day),
        )
        other = sum(map(cents, levies), cents(settlement) + rate("trading_tariff"))
        return cents(stamp.to_integral_value(ROUND_CEILING)), cents(NOTHING), cents(other)
    if where.scopes[-1] == "US":
        if side == "buy":
            return cents(NOTHING), cents(NOTHING), cents(NOTHING)
        sec = amount * rate("sec_fee") / 1_000_000
        taf = _within(quantity * rate("taf"), None, value("taf_most", where, day))
        return cents(NOTHING), cents(NOTHING), cents(sec, ROUND_CEILING) + cents(taf, ROUND_CEILING)
    transfer = _within(amount * rate("transfer") / 100, None, value("transfer_most", where, day))
    of_face = quantity * rate("transfer_face") / 100
    return cents(stamp), cents(transfer + of_face), cents(NOTHING)


def _within(fee: Decimal, least: Decimal | None, most: Decimal | None) -> Decimal:
    fee = fee if least is None else max(fee, least)
    return fee if most is None else min(fee, most)


def cents(money: Decimal, rounding: str = ROUND_HALF_UP) -> Decimal:
    """Return money rounded to the cent: half up (away from zero) where nothing else is said.

    >>> cents(Decimal("4.025")), cents(Decimal("-0.005"))
    (Decimal('4.03'), Decimal('-0.01'))
    """
    return money.quantize(CENT, rounding, EXACT)


def exact(*numbers: Decimal) -> None:
    """Let nothing but Decimal in: money that was a float once is not exact any more. TypeError is a bug of ours."""
    for number in numbers:
        if not isinstance(number, Decimal):
            raise TypeError(f"{number!r} is no Decimal")
