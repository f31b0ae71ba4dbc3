"""What a trade costs: the commission that was agreed, and what the law and the exchange add, by date.

The handling and regulatory fees of the mainland exchanges are part of the commission there, as brokers' statements have
it; they stand in the table, and are not added.
"""

from decimal import ROUND_CEILING, ROUND_HALF_UP, Context, Decimal
from typing import Literal, NamedTuple

from ia.domain.instruments.boards import Board, find_board
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.table import DatedRule, rule_value, unverified_rules
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


def trade_fees(
    symbol: Symbol,
    day: str,
    side: Side,
    price: Decimal,
    quantity: Decimal,
    *,
    commission_pct: Decimal,
    commission_min: Decimal,
) -> Fees:
    """Return the fees of a trade of this day, each part rounded half up to the cent.

    Where those who charge a part round otherwise it is rounded as they say: stamp duty of Hong Kong up to the dollar,
    fees of the United States up to the cent.

    Args:
        symbol: the security.
        day: the trading day, YYYY-MM-DD.
        side: `buy` or `sell`.
        price: of one share, in the security's currency.
        quantity: number of shares.
        commission_pct: per cent of the amount, as agreed with the broker.
        commission_min: the least commission of a trade.

    Raises:
        NotFound: the table does not reach back to that day.

    >>> from ia.domain.instruments.symbols import from_canonical
    >>> broker = {"commission_pct": Decimal("0.025"), "commission_min": Decimal(5)}
    >>> trade_fees(from_canonical("600000.SH"), "2024-03-01", "sell", Decimal("11.50"), Decimal(700), **broker).total
    Decimal('9.11')
    """
    require_decimals(price, quantity, commission_pct, commission_min)
    where = find_board(symbol)
    amount = price * quantity
    try:
        stamp, transfer, other = _statutory_fees(where, day, side, amount, quantity)
    except NotFound as exc:
        exc.hint = "enter the fees from the statement"
        raise
    return Fees(round_to_cents(max(amount * commission_pct / 100, commission_min)), stamp, transfer, other)


CHARGED = (
    "stamp_buy",
    "stamp_sell",
    "transfer",
    "transfer_most",
    "transfer_face",
    "trading_fee",
    "sfc_levy",
    "afrc_levy",
    "settlement_fee",
    "settlement_least",
    "settlement_most",
    "trading_tariff",
    "sec_fee",
    "taf",
    "taf_most",
)
"""The rules that a fee is made by."""


def unverified_fees(symbol: Symbol, day: str, side: Side) -> list[DatedRule]:
    """Return the rules of a trade's fees that no text was found for."""
    other = ("stamp_sell", "sec_fee", "taf", "taf_most") if side == "buy" else ("stamp_buy",)
    return unverified_rules((what for what in CHARGED if what not in other), find_board(symbol), day)


def _statutory_fees(
    where: Board, day: str, side: Side, amount: Decimal, quantity: Decimal
) -> tuple[Decimal, Decimal, Decimal]:
    """Return stamp duty, transfer fee, and what else is added to the commission."""

    def find_rate(what: str) -> Decimal:
        return rule_value(what, where, day) or NOTHING

    stamp = amount * find_rate(f"stamp_{side}") / 100
    if where.scopes[-1] == "HK":
        levies = (amount * find_rate(what) / 100 for what in ("trading_fee", "sfc_levy", "afrc_levy"))
        settlement = _clamp_fee(
            amount * find_rate("settlement_fee") / 100,
            rule_value("settlement_least", where, day),
            rule_value("settlement_most", where, day),
        )
        other = sum(map(round_to_cents, levies), round_to_cents(settlement) + find_rate("trading_tariff"))
        return round_to_cents(stamp.to_integral_value(ROUND_CEILING)), round_to_cents(NOTHING), round_to_cents(other)
    if where.scopes[-1] == "US":
        if side == "buy":
            return round_to_cents(NOTHING), round_to_cents(NOTHING), round_to_cents(NOTHING)
        sec = amount * find_rate("sec_fee") / 1_000_000
        taf = _clamp_fee(quantity * find_rate("taf"), None, rule_value("taf_most", where, day))
        return (
            round_to_cents(NOTHING),
            round_to_cents(NOTHING),
            round_to_cents(sec, ROUND_CEILING) + round_to_cents(taf, ROUND_CEILING),
        )
    transfer = _clamp_fee(amount * find_rate("transfer") / 100, None, rule_value("transfer_most", where, day))
    of_face = quantity * find_rate("transfer_face") / 100
    return round_to_cents(stamp), round_to_cents(transfer + of_face), round_to_cents(NOTHING)


def _clamp_fee(fee: Decimal, least: Decimal | None, most: Decimal | None) -> Decimal:
    fee = fee if least is None else max(fee, least)
    return fee if most is None else min(fee, most)


def round_to_cents(money: Decimal, rounding: str = ROUND_HALF_UP) -> Decimal:
    """Return money rounded to the cent: half up (away from zero) where nothing else is said.

    >>> round_to_cents(Decimal("4.025")), round_to_cents(Decimal("-0.005"))
    (Decimal('4.03'), Decimal('-0.01'))
    """
    return money.quantize(CENT, rounding, EXACT)


def require_decimals(*numbers: Decimal) -> None:
    """Let nothing but Decimal in: money that was a float once is not exact any more. TypeError is a bug of ours."""
    for number in numbers:
        if not isinstance(number, Decimal):
            raise TypeError(f"{number!r} is no Decimal")
