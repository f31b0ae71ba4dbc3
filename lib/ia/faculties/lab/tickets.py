"""Orders as somebody gives them, and what becomes of them: fills, and rows for all that was not filled."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, NamedTuple

from ia.domain.rules.fees import Fees, Side

Kind = Literal["market", "limit", "stop"]
Validity = Literal["day", "gtc"]
Outcome = Literal["expired", "rejected", "cancelled", "open"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExitTicket:
    """A sale that comes to life with the fill of the purchase that it is attached to, and waits until it is filled.

    price     a raw price; with `relative` a multiple of the price of the fill: 0.92 is 8 % below
    """

    kind: Literal["limit", "stop"]
    price: Decimal
    relative: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Ticket:
    """An order given after the close of `after`; it lives from the next trading day on.

    number     its place in the list of orders, from 0
    quantity   in shares; or `value`, money that is cut down to whole lots with their fees
    price      of a limit or stop order, raw
    validity   `day`: it lapses at the close of its first day; `gtc`: it waits until it is filled or cancelled
    group      orders of one group cancel each other: the first that is filled cancels the others
    reason     why it is given, where that is no rule or strategy
    """

    number: int
    symbol: str
    side: Side
    after: str
    kind: Kind = "market"
    quantity: Decimal | None = None
    value: Decimal | None = None
    price: Decimal | None = None
    validity: Validity = "day"
    group: str = ""
    attached: tuple[ExitTicket, ...] = ()
    reason: str = ""


class Cancellation(NamedTuple):
    """An order's cancellation, after the close of a day."""

    number: int
    after: str


class Fill(NamedTuple):
    """A trade of the simulation. Money in the currency of the security; `dividend_tax` is due at a sale."""

    order: str
    date: str
    symbol: str
    side: Side
    quantity: Decimal
    price: Decimal
    fees: Fees
    dividend_tax: Decimal


class Unfilled(NamedTuple):
    """What was not filled of an order, and why. `left` is None where nothing of the order was filled."""

    order: str
    status: Outcome
    reason: str
    date: str | None
    left: Decimal | None


@dataclass(slots=True, kw_only=True, eq=False)
class OpenOrder:
    """An order that the exchange has: what is left of it, and whether its stop was reached already.

    name       its number; of an attached exit `NUMBER.stop` or `NUMBER.limit`
    since      the day from which it can be filled
    reason     why it was not filled on the last day that it lived
    """

    name: str
    rank: int
    symbol: str
    side: Side
    kind: Kind
    validity: Validity
    since: str
    left: Decimal | None
    value: Decimal | None = None
    price: Decimal | None = None
    group: str = ""
    attached: tuple[ExitTicket, ...] = ()
    is_exit: bool = False
    triggered: bool = False
    filled: Decimal = field(default=Decimal(0))
    reason: str = ""
