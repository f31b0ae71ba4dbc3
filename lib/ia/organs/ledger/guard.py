"""The risk guard: what speaks against an order before it is made, and what an account should be warned of.

It refuses what the settings `risk.*` forbid and what an exchange would not have done; it places and stops no order
anywhere. Who asks before a trade is refused (`ia trade check`, proposals of models); who enters a trade that happened
is warned. A buy is held to every rule, adding to a position like opening one. A sale makes the risk smaller: of the
settings none refuses it, and cooling is only told, not even that where the sale is a stop-loss. What cannot be checked
is said, not passed over.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Literal, NamedTuple

from ia.domain.instruments.boards import trading_currency
from ia.domain.instruments.special import is_st, sessions_by_name
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.fees import require_decimals
from ia.domain.rules.limits import price_limits
from ia.domain.rules.lots import check_quantity, find_lot
from ia.domain.rules.settlement import sellable_after
from ia.kernel import config
from ia.kernel.errors import ConfigError, Message, NotFound, Refused

NOTHING = Decimal(0)
HUNDRED = Decimal(100)
_is_limit = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,6})?", re.ASCII).fullmatch


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedOrder:
    """A trade that is to be journalled, or advised.

    Attributes:
        price: in the security's currency, as the fees (all of them).
        moment: with its time zone.
        day: the trading day in the exchange's zone, YYYY-MM-DD.
        name: as of that day, for ST.
    """

    symbol: Symbol
    action: Literal["buy", "sell"]
    quantity: Decimal
    price: Decimal
    moment: datetime
    day: str
    name: str = ""
    fees: Decimal = Decimal(0)


class GuardHolding(NamedTuple):
    """A position as the checks of an order see it.

    How much, how much of it may be sold on the order's day, what it is worth and what it cost (money of the whole
    position), and the last price; None where no price is known.
    """

    quantity: Decimal
    sellable: Decimal
    value: Decimal | None
    cost: Decimal
    last_price: Decimal | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SecurityQuote:
    """What the store knows of the ordered security on the order's day.

    prev_close: the close before it; change_pct: per cent against that; listed: YYYY-MM-DD; sessions: trading days since
    that day, 0 on it.

    reference  whether a snapshot of that day told prev_close, adjusted on an ex-day, and the name
    stale      the day of prev_close, where there was a session between it and the order's day; else ""
    simulated  whether the prices are made up
    day_range  the low and the high of that day; None where its bar is not stored
    """

    prev_close: Decimal | None = None
    change_pct: Decimal | None = None
    name: str = ""
    listed: str | None = None
    sessions: int | None = None
    reference: bool = False
    stale: str = ""
    simulated: bool = False
    day_range: tuple[Decimal, Decimal] | None = None


@dataclass(frozen=True)
class AccountState:
    """The account in one currency, as it was before the order. Money; None where it is not known.

    equity            cash and positions; None where neither deposits nor `ledger.capital` tell of cash
    whole             equity of all currencies together, in this one; None where there is only this one, or not known
    positions         by canonical symbol; last_trades: the moment of the trade nearest to the order's
    day_pnl           gain of the order's day, realized and not; day_start_equity: equity at its beginning
    quote             of the ordered security, None where the store has none of that day
    holiday           whether the exchange was closed on the order's day, by its calendar
    """

    currency: str
    equity: Decimal | None = None
    cash: Decimal | None = None
    positions: Mapping[str, GuardHolding] = field(default_factory=dict)
    last_trades: Mapping[str, datetime] = field(default_factory=dict)
    day_pnl: Decimal | None = None
    day_start_equity: Decimal | None = None
    quote: SecurityQuote | None = None
    holiday: bool = False
    whole: Decimal | None = None

    @property
    def basis(self) -> Decimal | None:
        """The equity that the limit of a position is a part of: of all currencies together, else of this one."""
        return self.equity if self.whole is None else self.whole


class RiskLimits(NamedTuple):
    """The settings `risk.*`: per cent, and hours."""

    position_pct: Decimal = Decimal(20)
    day_warning_pct: Decimal = Decimal(5)
    day_stop_pct: Decimal = Decimal(8)
    stop_loss_pct: Decimal = Decimal(7)
    cooling_hours: Decimal = Decimal(24)
    rise_pct: Decimal = Decimal(5)


class Breach(NamedTuple):
    """One thing that speaks against an order.

    Attributes:
        rule: its setting (`risk.position_pct`) or `exchange.…`, `account.…`.
        value: the number that breaks it, in per cent, hours, shares or money, as the limit.
        refuses: False for what is only told.
        possible: whether such a trade can have happened all the same; a sale of more than was held cannot.
        symbol: the position that it is about, where that is not the security of the order.
        unchecked: that the rule could not be judged, for lack of a figure.
    """

    rule: str
    value: Decimal | None
    limit: Decimal | None
    message: Message
    refuses: bool = True
    possible: bool = True
    symbol: str = ""
    unchecked: bool = False


class JoinedMessages(list[Message]):
    """Messages that are told together."""

    def __str__(self) -> str:
        return "; ".join(map(str, self))


def limits_document(limits: RiskLimits) -> dict[str, float]:
    """Return the limits as plain data: per cent, and hours."""
    return {name: float(value) for name, value in limits._asdict().items()}


def load_limits() -> RiskLimits:
    """Return the limits of the settings `risk.*`. raises ConfigError (78) for one that is no number or not sensible."""
    return RiskLimits(
        **{name: parse_limit(f"risk.{name}", config.get_setting(f"risk.{name}")) for name in RiskLimits._fields}
    )


def check_order(order: CheckedOrder, state: AccountState, limits: RiskLimits) -> list[Breach]:
    """Return what speaks against an order, what refuses it first; an empty list where nothing does.

    The same order and state give the same answer; it is allowed where no breach refuses (`allowed`).
    """
    require_decimals(order.quantity, order.price, order.fees)
    if state.currency != trading_currency(order.symbol):
        raise ValueError(f"{order.symbol} is not traded in {state.currency}")
    found = [*_check_exchange_rules(order, state)]
    if order.action == "buy":
        found += [
            *_check_position(order, state, limits),
            *_check_cash(order, state),
            *_check_daily_loss(state, limits, buying=True),
        ]
        found += _check_cooldown(order, state, limits)
        # A price that is far from the simulated ones is of the real market: they say nothing of its rise.
        apart = any(breach.rule == "exchange.price_limit" and not breach.refuses for breach in found)
        if not (apart and state.quote is not None and state.quote.simulated):
            found += _check_rise(order, state, limits)
    elif not _is_stop_loss(order, state, limits):
        found += [breach._replace(refuses=False) for breach in _check_cooldown(order, state, limits)]
    return sorted(found, key=lambda breach: not breach.refuses)


def is_allowed(breaches: Iterable[Breach]) -> bool:
    """Whether nothing refuses."""
    return not any(breach.refuses for breach in breaches)


def account_warnings(state: AccountState, limits: RiskLimits) -> list[Breach]:
    """Return what an account should be warned of, order or not: the loss of its day, and positions at their stop."""
    found = [breach._replace(refuses=False) for breach in _check_daily_loss(state, limits, buying=False)]
    for symbol, held in state.positions.items():
        loss = _loss_percent(held, held.last_price)
        if loss is not None and loss >= limits.stop_loss_pct:
            told = {
                "symbol": symbol,
                "value": format_percent(loss, limits.stop_loss_pct),
                "limit": format_limit(limits.stop_loss_pct),
            }
            message = Message("stop-loss: {symbol} has lost {value} >= {limit}", **told)
            found.append(
                Breach(
                    rule="risk.stop_loss_pct",
                    value=loss,
                    limit=limits.stop_loss_pct,
                    message=message,
                    refuses=False,
                    symbol=symbol,
                )
            )
    return found


SALE_COST = Decimal("0.002")
"""More than the fees of a sale, as a part of its amount."""


def excess_shares(
    symbol: Symbol, day: str, quantity: Decimal, value: Decimal, equity: Decimal, limits: RiskLimits
) -> Decimal:
    """Return how many shares less bring a position within its limit: whole lots as they are traded, else all of it."""
    part = limits.position_pct / HUNDRED
    if value <= part * equity or value <= 0 or quantity <= 0:
        return NOTHING
    rule = find_lot(symbol, day)
    step, least = (rule.step, rule.least) if rule is not None else (Decimal(1), Decimal(1))
    price = value / quantity
    needed = (value - part * equity) / (price * (1 - part * SALE_COST))
    lots = (needed / step).to_integral_value(ROUND_CEILING) * step
    return min(max(lots, least), quantity)


class RuleRefused(Refused):
    """A trade that the rules forbid, but that may have happened all the same."""


def build_refusal(breaches: Iterable[Breach]) -> Refused:
    """Return the failure (77) that names every breach that refuses."""
    refusing = [breach for breach in breaches if breach.refuses]
    messages = JoinedMessages(breach.message for breach in refusing)
    if all(breach.possible for breach in refusing):
        return RuleRefused("{breaches}", breaches=messages)
    return Refused("{breaches}", breaches=messages, hint="your positions: `ia account`")


def position_share(order: CheckedOrder, state: AccountState) -> Decimal | None:
    """Return the weight of the security after a buy and its fees, in per cent of all equity; None where not known."""
    equity = None if state.basis is None else state.basis - order.fees
    if equity is None or equity <= 0:
        return None
    held = _position_value(state.positions.get(order.symbol.canonical), order.price)
    return (order.quantity * order.price + held) * HUNDRED / equity


def format_percent(value: Decimal, limit: Decimal) -> str:
    """Return per cent as a person reads them: one decimal, none where it is 0.

    There are more where else a value would not stand on the side of its limit, above or at it, on which it is.

    >>> [format_percent(Decimal(text), Decimal(20)) for text in ("23", "22.74", "20.04", "20.0001", "20")]
    ['23%', '22.7%', '20.04%', '20.0001%', '20%']
    """
    for digits in range(1, 10):
        shown = value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        if shown.compare(limit) == value.compare(limit):
            return format_limit(shown)
    return format_limit(value.quantize(Decimal(1).scaleb(-9), ROUND_CEILING if value > limit else ROUND_FLOOR))


def format_limit(limit: Decimal) -> str:
    """Return a limit in per cent as it was set."""
    return f"{limit.normalize():f}%"


def _check_position(order: CheckedOrder, state: AccountState, limits: RiskLimits) -> Iterator[Breach]:
    """A buy that makes one security too large a part of the account, valued after it and its fees."""
    rule, most = "risk.position_pct", limits.position_pct
    if state.basis is None:
        template = (
            (
                "position limit of {limit} not checked: cash in {currency} is unknown; "
                "enter it with `ia trade deposit` or set ledger.capital"
            )
            if state.cash is None
            else (
                "position limit of {limit} not checked: a position in {currency} has no stored price; run `ia sync` to "
                "fetch it"
            )
        )
        message = Message(template, limit=format_limit(most), currency=state.currency)
        yield Breach(rule=rule, value=None, limit=most, message=message, refuses=False, unchecked=True)
        return
    value = order.quantity * order.price + _position_value(state.positions.get(order.symbol.canonical), order.price)
    equity = state.basis - order.fees
    if equity <= 0:
        message = Message("position limit: the account's equity is {equity} {currency}", **_money_params(equity, state))
        yield Breach(rule=rule, value=None, limit=most, message=message)
    elif value * HUNDRED > most * equity:
        share = value * HUNDRED / equity
        message = Message(
            "position limit: {value} > {limit}", value=format_percent(share, most), limit=format_limit(most)
        )
        yield Breach(rule=rule, value=share, limit=most, message=message)


def _position_value(held: GuardHolding | None, price: Decimal) -> Decimal:
    if held is None:
        return NOTHING
    return held.quantity * price if held.value is None else held.value


def _check_cash(order: CheckedOrder, state: AccountState) -> Iterator[Breach]:
    need = order.quantity * order.price + order.fees
    if state.cash is not None and need > state.cash:
        told = {"need": f"{need:,.2f}", "cash": f"{state.cash:,.2f}", "currency": state.currency}
        yield Breach(
            rule="account.cash",
            value=need,
            limit=state.cash,
            message=Message("not enough cash: {need} > {cash} {currency}", **told),
        )


def _check_daily_loss(state: AccountState, limits: RiskLimits, *, buying: bool) -> Iterator[Breach]:
    """The loss of the day: told from the first limit on, and from the second on nothing is bought."""
    if state.day_pnl is None or state.day_start_equity is None or state.day_start_equity <= 0:
        if buying and state.equity is not None and state.positions:
            message = Message("daily loss limit not checked: the day's loss is unknown")
            yield Breach(
                rule="risk.day_stop_pct",
                value=None,
                limit=limits.day_stop_pct,
                message=message,
                refuses=False,
                unchecked=True,
            )
        return
    loss = -state.day_pnl * HUNDRED / state.day_start_equity
    for name, template in (
        ("day_stop_pct", "daily loss limit: {value} >= {limit}; no further purchases that day"),
        ("day_warning_pct", "daily loss: {value} >= {limit}"),
    ):
        limit: Decimal = getattr(limits, name)
        if loss >= limit:
            message = Message(template, value=format_percent(loss, limit), limit=format_limit(limit))
            yield Breach(rule=f"risk.{name}", value=loss, limit=limit, message=message, refuses=name == "day_stop_pct")
            return


def _check_cooldown(order: CheckedOrder, state: AccountState, limits: RiskLimits) -> Iterator[Breach]:
    last = state.last_trades.get(order.symbol.canonical)
    if last is None:
        return
    passed = abs(order.moment - last)
    if passed < timedelta(seconds=int(limits.cooling_hours * 3600)):
        hours = Decimal(int(passed.total_seconds())) / 3600
        shown = hours.quantize(Decimal("0.1"), ROUND_FLOOR)  # 23.98 is not yet 24
        told = {"hours": f"{shown:f}", "limit": f"{limits.cooling_hours.normalize():f}"}
        message = Message("cooldown: {hours} h since the last trade < {limit} h", **told)
        yield Breach(rule="risk.cooling_hours", value=hours, limit=limits.cooling_hours, message=message)


def _check_rise(order: CheckedOrder, state: AccountState, limits: RiskLimits) -> Iterator[Breach]:
    """A buy after a rise: that of the order's price against the close before, else the day's."""
    quote, limit = state.quote or SecurityQuote(), limits.rise_pct
    rise = quote.change_pct
    if quote.prev_close and not quote.stale:
        rise = (order.price - quote.prev_close) * HUNDRED / quote.prev_close
    if rise is None and quote.stale:
        template = "daily change of {symbol} on {day} not checked: the last stored close before it is from {date}"
        message = Message(template, symbol=order.symbol.canonical, day=order.day, date=quote.stale)
        yield Breach(rule="risk.rise_pct", value=None, limit=limit, message=message, refuses=False, unchecked=True)
    elif rise is None:
        template = "daily change of {symbol} on {day} not checked: the previous close is not stored"
        message = Message(template, symbol=order.symbol.canonical, day=order.day)
        yield Breach(rule="risk.rise_pct", value=None, limit=limit, message=message, refuses=False, unchecked=True)
    elif rise > limit:
        yield Breach(rule="risk.rise_pct", value=rise, limit=limit, message=rise_message(rise, limit))


def rise_message(rise: Decimal, limit: Decimal) -> Message:
    """Return that a security rose by too much to be bought."""
    return Message("daily change: {value} > {limit}", value=format_percent(rise, limit), limit=format_limit(limit))


def _check_exchange_rules(order: CheckedOrder, state: AccountState) -> Iterator[Breach]:
    """What the exchange would not have done: such a quantity, such a price, such a sale."""
    if date.fromisoformat(order.day).weekday() > 4:
        template = "{day} falls on a weekend, when exchanges are closed; give the trade date with `--date`"
        yield Breach(
            rule="exchange.closed", value=None, limit=None, message=Message(template, day=order.day), refuses=False
        )
    elif state.holiday:
        template = "{day} is an exchange holiday; give the trade date with `--date`"
        yield Breach(
            rule="exchange.closed", value=None, limit=None, message=Message(template, day=order.day), refuses=False
        )
    try:
        yield from _check_quantity(order, state)
        beyond = list(_check_price_limits(order, state))
        yield from beyond or _check_day_range(order, state)
    except NotFound as exc:  # before the table of rules begins
        yield Breach(
            rule="exchange.rules",
            value=None,
            limit=None,
            message=Message(exc.template, **exc.params),
            refuses=False,
            unchecked=True,
        )


def _check_quantity(order: CheckedOrder, state: AccountState) -> Iterator[Breach]:
    held = state.positions.get(order.symbol.canonical)
    quantity = held.quantity if held is not None else NOTHING
    if (wrong := check_quantity(order.symbol, order.day, order.action, order.quantity, quantity)) is not None:
        yield Breach(rule="exchange.lot", value=order.quantity, limit=None, message=wrong)
    elif order.action == "buy" and order.symbol.market == "HK":
        message = Message("{symbol}: quantity not checked, because the board lot is unknown", symbol=order.symbol)
        yield Breach(
            rule="exchange.lot", value=order.quantity, limit=None, message=message, refuses=False, unchecked=True
        )
    if order.action == "buy":
        return
    if order.quantity > quantity:
        told = {
            "symbol": order.symbol.canonical,
            "quantity": _format_decimal(order.quantity),
            "held": _format_decimal(quantity),
        }
        message = Message("{symbol}: sale of {quantity} > {held} held", **told)
        yield Breach(rule="exchange.held", value=order.quantity, limit=quantity, message=message, possible=False)
    elif held is not None and order.quantity > held.sellable:
        sure = sellable_after(order.symbol, order.day).sure
        told = {
            "symbol": order.symbol.canonical,
            "quantity": _format_decimal(order.quantity),
            "sellable": _format_decimal(held.sellable),
        }
        message = Message("T+1: {symbol}: sale of {quantity} > {sellable} sellable that day", **told)
        yield Breach(rule="exchange.t1", value=order.quantity, limit=held.sellable, message=message, refuses=sure)


def _check_day_range(order: CheckedOrder, state: AccountState) -> Iterator[Breach]:
    """A price that nobody paid on that day; only told, for the bar may be of another board or source."""
    found = state.quote.day_range if state.quote is not None else None
    if found is None or found[0] <= order.price <= found[1]:
        return
    message = Message(
        "{price} is outside of the prices of {day}, {low} to {high}",
        price=_format_decimal(order.price),
        day=order.day,
        low=_format_decimal(found[0]),
        high=_format_decimal(found[1]),
    )
    yield Breach(rule="exchange.day_range", value=order.price, limit=None, message=message, refuses=False)


def _check_price_limits(order: CheckedOrder, state: AccountState) -> Iterator[Breach]:
    """A price that the exchange would not have let through.

    Where the limits are not certain it is only told: without a snapshot of the day nobody knows whether the name was
    ST then, and whether a low price is that of an ex-day.
    """
    quote = state.quote
    if quote is None or not quote.prev_close or quote.stale:
        return
    name = quote.name if quote.reference and quote.name else order.name or quote.name
    sessions = quote.sessions if quote.sessions is not None else sessions_by_name(name)
    for special in (False, True)[: 1 + is_st(name)]:
        found = price_limits(
            order.symbol,
            order.day,
            quote.prev_close,
            st=special,
            listed=quote.listed,
            sessions_since_listing=sessions,
        )
        if found is None or found.low <= order.price <= found.high:
            continue
        over = order.price > found.high
        told = {"price": _format_decimal(order.price), "rule": found.rule, "day": order.day}
        bound, template = (
            (found.high, "price limit of {day}: {price} > {limit} ({rule})")
            if over
            else (found.low, "price limit of {day}: {price} < {limit} ({rule})")
        )
        if quote.simulated:
            template = (
                "{price} is beyond {limit}, the simulated market's price limit on {day}; "
                "ia treats it as a real price and does not check its daily change"
            )
        certain = found.sure and not quote.simulated and (quote.reference or (over and not special))
        certain = certain and "退" not in name  # the first day of a delisting period has no limits
        message = Message(template, **told, limit=_format_decimal(bound))
        yield Breach(
            rule="exchange.price_limit",
            value=order.price,
            limit=bound,
            message=message,
            refuses=certain,
            unchecked=quote.simulated,
        )
        return


def _is_stop_loss(order: CheckedOrder, state: AccountState, limits: RiskLimits) -> bool:
    held = state.positions.get(order.symbol.canonical)
    if held is None:
        return False
    losses = (_loss_percent(held, held.last_price), _loss_percent(held, order.price))
    return any(loss is not None and loss >= limits.stop_loss_pct for loss in losses)


def _loss_percent(held: GuardHolding, price: Decimal | None) -> Decimal | None:
    """Return what a position has lost at a price, in per cent of its cost; negative where it has gained."""
    if price is None or held.cost <= 0:
        return None
    return (held.cost - held.quantity * price) * HUNDRED / held.cost


def _format_decimal(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _money_params(amount: Decimal, state: AccountState) -> dict[str, str]:
    return {"equity": f"{amount:,.2f}", "currency": state.currency}


def parse_limit(name: str, value: object) -> Decimal:
    """Return the value of a setting `risk.*`; ConfigError where it is no limit."""
    text = str(value).strip()
    if name.endswith("hours"):
        if _is_limit(text) and Decimal(text) <= 8760:
            return Decimal(text)
        raise ConfigError("{name}: {value!r} is not a number of hours from 0 to 8760", name=name, value=text)
    least = 0 if name.endswith("rise_pct") else Decimal("0.000001")
    if _is_limit(text) and least <= Decimal(text) <= 100:
        return Decimal(text)
    raise ConfigError(
        '{name}: {value!r} is not a percentage; give a number above 0 and at most 100, without "%"',
        name=name,
        value=text,
        usual=f"{getattr(RiskLimits(), name.removeprefix('risk.'))}",
        hint="set the default with `ia config set {name} {usual}`",
    )
