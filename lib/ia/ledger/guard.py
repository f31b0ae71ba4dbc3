"""The risk guard: what speaks against an order before it is journalled, and what the account should be warned of.

It refuses what the settings `risk.*` forbid and what an exchange would not have done; it never places or stops an order
anywhere. A buy is held to every rule. A sale makes the risk smaller, so of the risk rules none refuses it: cooling is
told only, and not at all where the sale is a stop-loss. What cannot be checked is said, not passed over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Literal, NamedTuple

from ia import config
from ia.errors import ConfigError, Message, Refused
from ia.ohlcv.identity import Symbol
from ia.rules import limits as exchange
from ia.rules.fees import exact
from ia.rules.lots import check_quantity
from ia.rules.settlement import sellable_after

HUNDRED = Decimal(100)


class Order(NamedTuple):
    """What is to be journalled, or advised. price and fees (all of them) in the security's currency; moment: aware;
    day: the trading day in the exchange's zone, YYYY-MM-DD; name: as of that day, for ST."""

    symbol: Symbol
    action: Literal["buy", "sell"]
    quantity: Decimal
    price: Decimal
    moment: datetime
    day: str
    name: str = ""
    fees: Decimal = Decimal(0)


class Held(NamedTuple):
    """A position: how much, how much of it may be sold on the order's day, what it is worth and what it cost (money of
    the whole position), and the last price; None where no price is known."""

    quantity: Decimal
    sellable: Decimal
    value: Decimal | None
    cost: Decimal
    last_price: Decimal | None


class Quoted(NamedTuple):
    """What the store knows of the ordered security on the order's day. prev_close: the reference price of the day;
    change_pct: per cent against it; listed: YYYY-MM-DD; sessions: trading days since that day, 0 on it."""

    prev_close: Decimal | None = None
    change_pct: Decimal | None = None
    name: str = ""
    listed: str | None = None
    sessions: int | None = None


@dataclass(frozen=True)
class State:
    """The account in one currency, as it was before the order. Money; None where it is not known.

    equity            cash and positions; None where neither deposits nor `ledger.capital` tell of cash
    positions         by canonical symbol; last_trades: the moment of the trade nearest to the order's
    day_pnl           gain of the order's day, realised and not; day_start_equity: equity at its beginning
    quote             of the ordered security, None where the store has none of that day
    """

    currency: str
    equity: Decimal | None = None
    cash: Decimal | None = None
    positions: Mapping[str, Held] = field(default_factory=dict)
    last_trades: Mapping[str, datetime] = field(default_factory=dict)
    day_pnl: Decimal | None = None
    day_start_equity: Decimal | None = None
    quote: Quoted | None = None


class Limits(NamedTuple):
    """The settings `risk.*`: per cent, and hours."""

    position_pct: Decimal = Decimal(20)
    day_warning_pct: Decimal = Decimal(5)
    day_stop_pct: Decimal = Decimal(8)
    stop_loss_pct: Decimal = Decimal(7)
    cooling_hours: Decimal = Decimal(24)
    rise_pct: Decimal = Decimal(5)


class Breach(NamedTuple):
    """One thing that speaks against an order. rule: its setting (`risk.position_pct`) or `exchange.…`, `account.…`;
    value and limit: the numbers, in per cent, hours, shares or money; refuses: False for what is only told;
    overridable: whether `--override --because` may pass it."""

    rule: str
    value: Decimal | None
    limit: Decimal | None
    message: Message
    refuses: bool = True
    overridable: bool = True


def configured() -> Limits:
    """Return the limits of the settings `risk.*`. raises ConfigError (78) for one that is no number or not sensible."""
    return Limits(**{name: _setting(f"risk.{name}") for name in Limits._fields})


def check(order: Order, state: State, limits: Limits) -> list[Breach]:
    """Return what speaks against an order, the refusing first; an empty list where nothing does."""
    exact(order.quantity, order.price, order.fees)
    found = [*_position(order, state, limits)]
    return sorted(found, key=lambda breach: not breach.refuses)


def allowed(breaches: Iterable[Breach]) -> bool:
    """Whether nothing refuses."""
    return not any(breach.refuses for breach in breaches)


def warnings(state: State, limits: Limits) -> list[Breach]:
    """Return what the account should be warned of, with or without an order: the day's loss, positions at their stop."""
    return []


def refused(breaches: Iterable[Breach]) -> Refused:
    """Return the failure (77) that names every breach that refuses."""
    first = next(breach for breach in breaches if breach.refuses)
    return Refused(first.message.template, **first.message.params)


def _position(order: Order, state: State, limits: Limits) -> Iterable[Breach]:
    if order.action != "buy":
        return
    if state.equity is None:
        return
    held = state.positions.get(order.symbol.canonical)
    value = order.quantity * order.price + ((held.value or Decimal(0)) if held else Decimal(0))
    equity = state.equity - order.fees
    if value * HUNDRED > limits.position_pct * equity:
        pct = value * HUNDRED / equity
        message = Message("position limit: {value} > {limit}", value=f"{pct:.1f}%", limit=f"{limits.position_pct}%")
        yield Breach("risk.position_pct", pct, limits.position_pct, message)


def _setting(name: str) -> Decimal:
    text = str(config.get(name))
    try:
        number = Decimal(text)
        most = 8760 if name.endswith("hours") else 100
        if not 0 <= number <= most:
            raise ValueError
        return number
    except (InvalidOperation, ValueError):
        raise ConfigError("{name}: {value!r} is not a limit", name=name, value=text) from None
