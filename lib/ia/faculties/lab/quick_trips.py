"""Trips of one security that go as they should, in whole cents: bought for all the cash, held, sold in one go.

They come to what `ia.faculties.lab.single_runs.SingleWalk` makes of them with decimal numbers, to the cent, at a
fraction of the time. Whatever else happens on the way is left to it.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.fees import CENT, ZERO_CENTS, FeeRates, Fees, Side, round_to_cents
from ia.domain.rules.lots import WHOLE_SHARES, find_lot
from ia.faculties.lab.exchange import FeeTable
from ia.faculties.lab.run_types import RuleSettings
from ia.organs.ledger.booking import TaxLot
from ia.organs.ledger.dividend_tax import PaidDividends

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    B = NDArray[np.bool_]
    F = NDArray[np.float64]
    Places = NDArray[np.int64]

UNITS = 10_000
"""Units of an amount in its currency: prices of up to four decimal places are whole numbers of them."""
_LARGEST = 1e9
_NO_FEES = Fees(ZERO_CENTS, ZERO_CENTS, ZERO_CENTS, ZERO_CENTS)
CentFees = tuple[int, int, int, int]
"""Commission, stamp duty, transfer fee and what is neither, in cents."""
Charger = Callable[[int, int], CentFees]


class QuickTrip(NamedTuple):
    """Shares that were bought for all the cash and sold again; money in cents.

    given, place, row   places of the day on which the purchase was given and of that of its fill, and the bar's row
    cost                what it took from the cash, fees included
    left, filled, bar   given, place and row of the sale; `net`: what it brought, less its fees
    dividends           place and money of each that came in between; `tax`: what the sale made due for them
    """

    cash: int
    quantity: int
    given: int
    place: int
    row: int
    fees: CentFees
    cost: int
    left: int
    filled: int
    bar: int
    sale_fees: CentFees
    net: int
    dividends: tuple[tuple[int, int], ...]
    tax: int


class Chances(NamedTuple):
    """What trips there may be, one for each day on which a purchase may be given and that has a sale behind it.

    given, end    places of that day and of the day of the sale. following: which one comes next, once this is sold
    plain         whether nothing is in its way: no price limit, no day without a bar, no action but dividends
    first, after  of the days with a corporate action: the first one between purchase and sale, the one after the last
    row, bar      of the bars of purchase and sale. units, sold: their opens, in units
    """

    trips: int
    given: list[int]
    end: list[int]
    following: list[int]
    plain: list[bool]
    first: list[int]
    after: list[int]
    row: list[int]
    bar: list[int]
    units: list[int]
    sold: list[int]


class CentRules:
    """Lots, fees and volume of one security while no rule changes, in whole cents and shares."""

    def __init__(self, table: FeeTable, symbol: Symbol, day: str) -> None:
        """Look up what holds on a day."""
        lot = find_lot(symbol, day)
        terms, least = table.terms, lot or WHOLE_SHARES
        self.least, self.step = int(least.least), int(least.step)
        self._table, self._symbol, self._day = table, symbol, day
        self._chargers: dict[Side, Charger] = {}
        cap = terms.volume_cap_pct
        self._cap, self._part = (0, 1) if cap is None else cap.as_integer_ratio()
        self.capped = cap is not None

    def most(self, volume: float) -> int:
        """Return how many shares of a bar's volume may be traded."""
        return self._cap * int(volume) // (100 * self._part) // self.step * self.step

    def charger(self, side: Side) -> Charger:
        """Return what tells the fees of a trade, given the units of its price and the quantity."""
        found = self._chargers.get(side)
        if found is None:
            found = self._chargers[side] = self._make_charger(self._find_rates(side))
        return found

    def _make_charger(self, rates: FeeRates) -> Charger:
        terms = self._table.terms
        charge = rates.charge_in_cents(UNITS, terms.commission_pct, terms.commission_min)
        if charge is not None and (terms.us_fees or rates.market != "US"):
            return charge
        return lambda units, quantity: to_cent_fees(
            self._table.charge(rates, Decimal(units) / UNITS, Decimal(quantity))
        )

    def _find_rates(self, side: Side) -> FeeRates:
        return self._table.find_rates(self._symbol, self._day, side)

    def afford(self, money: int, units: int) -> tuple[int, CentFees, int]:
        """Return the largest quantity that money in cents pays for, its fees, and what it costs; 0 for none."""
        step, charge = self.step, self._chargers.get("buy") or self.charger("buy")
        quantity = money * (UNITS // 100) // units
        quantity -= quantity % step
        while quantity >= self.least:
            fees = charge(units, quantity)
            cost = cents_of(units * quantity) + add_fees(fees)
            if cost <= money:
                return quantity, fees, cost
            quantity -= max(step, (cost - money) * (UNITS // 100) // units // step * step)
        return 0, (0, 0, 0, 0), 0


def is_quick(settings: RuleSettings) -> bool:
    """Return True if each purchase is for all the cash, and the cash is in whole cents."""
    kind, amount = settings.size
    whole = (kind == "percent" and amount == 100) or (kind == "equal" and (settings.max_positions or 1) == 1)
    return whole and settings.cash * 100 % 1 == 0


def find_chances(
    buys: "Places",
    sales: "Places",
    days: int,
    row_of: "Callable[[Places], Places]",
    near: "B",
    acts: Sequence[int],
    odd: Sequence[int],
    opens: "F",
) -> Chances:
    """Return the trips that there may be.

    buys, sales   places of the days after whose close a purchase or a sale may be given
    days          how many there are. acts: places of the days with a corporate action; odd: of one that is no dividend
    row_of        gives the rows of the bars of places; below 0 where there is none
    near, opens   of each bar: whether it may lie at a price limit, and its open
    """
    import numpy as np

    at = np.searchsorted(sales, buys + 1)
    at = at[at < len(sales)]
    ends = sales[at] + 1
    ends = ends[ends < days]
    given = buys[: len(ends)]
    row, bar = row_of(given + 1), row_of(ends)
    plain = (row >= 0) & (bar >= 0) & ~near[row] & ~near[bar]
    first, after = (np.searchsorted(acts, each, "right") for each in (given + 1, ends))
    if odd:
        plain &= np.searchsorted(odd, given + 1, "right") == np.searchsorted(odd, ends, "right")
    units, sold = (_count_units(opens[each]) for each in (row, bar))
    plain &= (units > 0) & (sold > 0)
    return Chances(
        trips=len(ends),
        given=given.tolist(),
        end=ends.tolist(),
        following=np.searchsorted(buys, ends).tolist(),
        plain=plain.tolist(),
        first=first.tolist(),
        after=after.tolist(),
        row=row.tolist(),
        bar=bar.tolist(),
        units=units.tolist(),
        sold=sold.tolist(),
    )


def _count_units(prices: "F") -> "Places":
    """Return the units of prices; 0 where one has more decimal places than they."""
    import numpy as np

    known = np.where(prices < _LARGEST, prices, 0.0)
    units: Places = np.rint(known * UNITS).astype(np.int64)
    units[units / UNITS != known] = 0
    return units


def pay_dividends(
    symbol: Symbol, quantity: int, paid: Sequence[tuple[int, str, Sequence[Decimal]]], bought: str, sold: str
) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return place and money of the dividends on shares, and the tax that their sale makes due, in cents.

    paid  place, ex-date and money a share
    """
    taxed, shares = PaidDividends(symbol), Decimal(quantity)
    money = []
    for place, day, each in paid:
        money.append((place, sum(int(round_to_cents(shares * cash) * 100) for cash in each)))
        for cash in each:
            taxed.note_dividend(day, cash)
    return tuple(money), int(round_to_cents(taxed.tax_of_sale([TaxLot(shares, Decimal(0), bought)], sold)) * 100)


def cents_of(units: int) -> int:
    """Return an amount of units in cents, half up."""
    return (units + UNITS // 200) // (UNITS // 100)


def add_fees(fees: CentFees) -> int:
    """Return the sum of the parts."""
    commission, stamp, transfer, other = fees
    return commission + stamp + transfer + other


def to_cent_fees(fees: Fees) -> CentFees:
    """Return fees in cents."""
    commission, stamp, transfer, other = (int(each * 100) for each in fees)
    return commission, stamp, transfer, other


def to_fees(fees: CentFees) -> Fees:
    """Return fees in cents as decimal numbers."""
    return Fees._make([each * CENT if each else ZERO_CENTS for each in fees]) if any(fees) else _NO_FEES


def to_money(cents: int) -> Decimal:
    """Return cents as money.

    >>> to_money(150)
    Decimal('1.50')
    """
    return cents * CENT
