"""What a trade costs: the commission that was agreed, and what the law and the exchange add, by date.

The handling and regulatory fees of the mainland exchanges are part of the commission there, as brokers' statements have
it; they stand in the table, and are not added.
"""

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from ia.domain.instruments.boards import Board, find_board
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.table import DatedRule, period_start, rule_value, unverified_rules
from ia.kernel.errors import NotFound

CENT = Decimal("0.01")
NOTHING = Decimal(0)
ZERO_CENTS = Decimal("0.00")
"""No money, to the cent."""
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
    return fee_rates(symbol, day, side).charge(price, quantity, commission_pct, commission_min)


def fee_rates(symbol: Symbol, day: str, side: Side) -> "FeeRates":
    """Return what is charged for a purchase or a sale of a day. raises NotFound as `trade_fees`."""
    where = find_board(symbol)
    try:
        return _load_rates(where, period_start(where, day) or day, side)
    except NotFound as exc:
        exc.hint = "enter the fees from the statement"
        raise


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


class FeeRates(NamedTuple):
    """The rates of one side of a trade while they do not change; per cent of the amount where nothing else is said.

    levies                                 each rounded to the cent
    settlement, _least, _most, tariff      of Hong Kong; the tariff is money a trade
    sec_fee, taf, taf_most                 of the United States: a million of the amount, money a share, money
    transfer, _most, _face                 of the mainland; of the face value: for 100 shares
    """

    market: str
    stamp: Decimal
    levies: tuple[Decimal, ...] = ()
    settlement: Decimal = NOTHING
    settlement_least: Decimal | None = None
    settlement_most: Decimal | None = None
    tariff: Decimal = NOTHING
    sec_fee: Decimal = NOTHING
    taf: Decimal = NOTHING
    taf_most: Decimal | None = None
    transfer: Decimal = NOTHING
    transfer_most: Decimal | None = None
    transfer_face: Decimal = NOTHING

    def charge(self, price: Decimal, quantity: Decimal, commission_pct: Decimal, commission_min: Decimal) -> Fees:
        """Return the fees of a trade, each part rounded as `trade_fees` says."""
        amount = price * quantity
        stamp, transfer, other = self._statutory_fees(amount, quantity)
        commission = max(amount * commission_pct / 100, commission_min) if commission_pct else commission_min
        return Fees(round_to_cents(commission) if commission else ZERO_CENTS, stamp, transfer, other)

    @lru_cache(maxsize=1024)  # noqa: B019 - rates are values
    def charge_in_cents(
        self, units: int, commission_pct: Decimal, commission_min: Decimal
    ) -> Callable[[int, int], tuple[int, int, int, int]] | None:
        """Return a function that charges what `charge` does, in cents, given a price in units (so many are one).

        None where more counts than per cents of the amount, the least commission, and the fees of the United States.
        """
        if self.market == "HK" or self.transfer_face or self.transfer_most is not None:
            return None
        american = self.market == "US"
        stamp, transfer = (NOTHING, NOTHING) if american else (self.stamp, self.transfer)
        ratios = (pct.as_integer_ratio() for pct in (commission_pct, stamp, transfer))
        (part, whole), (tax, of), (fee, out_of) = ((2 * share, parts * units) for share, parts in ratios)
        least = int(round_to_cents(commission_min) * 100)

        def charge(price: int, quantity: int) -> tuple[int, int, int, int]:
            amount = price * quantity
            commission = (amount * part + whole) // (2 * whole)
            return (
                commission if commission > least else least,
                (amount * tax + of) // (2 * of),
                (amount * fee + out_of) // (2 * out_of),
                0,
            )

        if not american or not (self.sec_fee or self.taf):
            return charge
        (sec, millions), (taf, shares) = (rate.as_integer_ratio() for rate in (self.sec_fee, self.taf))
        millions *= 10_000 * units
        most = None if self.taf_most is None else int(round_to_cents(self.taf_most, ROUND_CEILING) * 100)

        def charge_sale(price: int, quantity: int) -> tuple[int, int, int, int]:
            share = -(-quantity * taf * 100 // shares)
            if most is not None and share > most:
                share = most
            return *charge(price, quantity)[:3], -(-price * quantity * sec // millions) + share

        return charge_sale

    def _statutory_fees(self, amount: Decimal, quantity: Decimal) -> tuple[Decimal, Decimal, Decimal]:
        """Return stamp duty, transfer fee, and what else is added to the commission."""
        if self.market == "HK":
            levies = (round_to_cents(amount * pct / 100) for pct in self.levies)
            settlement = _clamp_fee(amount * self.settlement / 100, self.settlement_least, self.settlement_most)
            other = sum(levies, round_to_cents(settlement) + self.tariff)
            stamp = (amount * self.stamp / 100).to_integral_value(ROUND_CEILING)
            return round_to_cents(stamp), ZERO_CENTS, round_to_cents(other)
        if self.market == "US":
            if not self.sec_fee and not self.taf:
                return ZERO_CENTS, ZERO_CENTS, ZERO_CENTS
            sec = amount * self.sec_fee / 1_000_000
            taf = _clamp_fee(quantity * self.taf, None, self.taf_most)
            return ZERO_CENTS, ZERO_CENTS, round_to_cents(sec, ROUND_CEILING) + round_to_cents(taf, ROUND_CEILING)
        transfer = _clamp_fee(amount * self.transfer / 100, None, self.transfer_most)
        if self.transfer_face:
            transfer += quantity * self.transfer_face / 100
        return (
            round_to_cents(amount * self.stamp / 100) if self.stamp else ZERO_CENTS,
            round_to_cents(transfer) if transfer else ZERO_CENTS,
            ZERO_CENTS,
        )


@lru_cache(maxsize=4096)
def _load_rates(where: Board, day: str, side: Side) -> FeeRates:
    def find_rate(what: str) -> Decimal:
        return rule_value(what, where, day) or NOTHING

    market, stamp = where.scopes[-1], find_rate(f"stamp_{side}")
    if market == "HK":
        return FeeRates(
            market=market,
            stamp=stamp,
            levies=tuple(find_rate(what) for what in ("trading_fee", "sfc_levy", "afrc_levy")),
            settlement=find_rate("settlement_fee"),
            settlement_least=rule_value("settlement_least", where, day),
            settlement_most=rule_value("settlement_most", where, day),
            tariff=find_rate("trading_tariff"),
        )
    if market == "US":
        if side == "buy":
            return FeeRates(market=market, stamp=stamp)
        return FeeRates(
            market=market,
            stamp=stamp,
            sec_fee=find_rate("sec_fee"),
            taf=find_rate("taf"),
            taf_most=rule_value("taf_most", where, day),
        )
    return FeeRates(
        market=market,
        stamp=stamp,
        transfer=find_rate("transfer"),
        transfer_most=rule_value("transfer_most", where, day),
        transfer_face=find_rate("transfer_face"),
    )


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
