"""How orders meet bars: what is filled on a day, at which price, and why the rest is not.

Within a bar first the open counts: sales before purchases, each in the order given. Then what is reached later: sales
before purchases, stops before targets. Money of a sale at the open pays for a purchase of the same bar, money of a
later sale does not.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from ia.domain.instruments.boards import find_board
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.fees import ZERO_CENTS, FeeRates, Fees, Side, fee_rates
from ia.domain.rules.limits import PriceLimits
from ia.domain.rules.lots import WHOLE_SHARES, LotRule, check_quantity
from ia.domain.rules.table import period_end
from ia.faculties.lab.portfolio import Portfolio, total_cost
from ia.faculties.lab.securities import DayBar, Security
from ia.faculties.lab.tickets import Cancellation, ExitTicket, Fill, OpenOrder, Outcome, Ticket, Unfilled
from ia.kernel.errors import NotFound
from ia.organs.ledger.order import to_decimal
from ia.organs.ohlcv import calendar as sessions
from ia.organs.ohlcv.adjustment import Action

ZERO, ONE = Decimal(0), Decimal(1)
YOUNG = 20
"""Days since its listing in which a security may still be without price limits."""
BELOW_LOT = "below a lot"
"""Why an order for money is refused that does not pay for the least quantity."""
Phase = Literal["open", "later"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What a broker takes, and how much of a bar's volume an order may be.

    commission_pct   per cent of the amount; commission_min: the least of an order and day
    volume_cap_pct   per cent of the volume of a security's bar; None: no cap
    us_fees          whether the SEC fee and the TAF of the United States are taken
    """

    commission_pct: Decimal
    commission_min: Decimal
    volume_cap_pct: Decimal | None = None
    us_fees: bool = True


class FeeTable:
    """The fees of the trades of a run.

    assumed  of each market whose table of fees begins after a trade, the day whose fees were taken
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.assumed: dict[str, str] = {}
        self._known: dict[tuple[Symbol, Side], tuple[str, str, FeeRates, str]] = {}

    def find_rates(self, symbol: Symbol, day: str, side: Side) -> FeeRates:
        """Return the rates of a day; before the table of rules begins, those of its first day."""
        found = self._known.get((symbol, side))
        if found is None or not found[0] <= day < found[1]:
            found = self._known[symbol, side] = self._look_up(symbol, day, side)
        _, _, rates, assumed = found
        if assumed:
            self.assumed[symbol.market] = assumed
        return rates

    def _look_up(self, symbol: Symbol, day: str, side: Side) -> tuple[str, str, FeeRates, str]:
        """Return from when and until when rates are known to hold, the rates, and the day whose rates were taken."""
        until, assumed = period_end(find_board(symbol), day), ""
        while True:
            try:
                return day, until, fee_rates(symbol, assumed or day, side), assumed
            except NotFound as exc:
                since = str(exc.params.get("since", ""))
                if since <= (assumed or day):
                    raise
                assumed = since

    def charge(self, rates: FeeRates, price: Decimal, quantity: Decimal) -> Fees:
        """Return the fees of a trade."""
        terms = self.terms
        fees = rates.charge(price, quantity, terms.commission_pct, terms.commission_min)
        return fees if terms.us_fees or rates.market != "US" else fees._replace(other=ZERO_CENTS)


class Exchange:
    """A market that moves day by day: `submit` after the close of a day, then `run_day` for the next one.

    Attributes:
        fills: trades, in the order in which they happened.
        unfilled: a row for everything that was not filled, in the order in which it ended.
        fee_table: the fees, and which of them had to be assumed.
    """

    def __init__(
        self,
        securities: Mapping[str, Security],
        trading_days: Sequence[str],
        terms: Terms,
        portfolio: Portfolio,
    ) -> None:
        self.securities = securities
        self.trading_days = trading_days
        self.terms = terms
        self.portfolio = portfolio
        self.fills: list[Fill] = []
        self.unfilled: list[Unfilled] = []
        self.live: list[OpenOrder] = []
        self.fee_table = FeeTable(terms)
        self._ranks = 0
        self._last_fees: tuple[object, Fees] = (None, Fees(ZERO, ZERO, ZERO, ZERO))
        self._volume_left: dict[str, Decimal] = {}
        self._held_back = ZERO

    # what is given

    def submit(self, ticket: Ticket) -> None:
        """Take an order, given after the close of its day, or refuse it."""
        order = self._open_order(ticket)
        if reason := self._refusal(order, ticket.after):
            self._end(order, "rejected", reason, ticket.after)
        else:
            self.live.append(order)

    def cancel(self, cancellation: Cancellation) -> None:
        """Cancel an order after the close of a day; one that has ended stays as it is."""
        for order in self._find_live(str(cancellation.number)):
            self._remove(order, "cancelled", "cancel", cancellation.after)

    def run_day(self, day: str) -> None:
        """Let a trading day pass: corporate actions, the open, what is reached later, and the close."""
        self._volume_left, self._held_back = {}, ZERO
        for name in sorted({name for name, _ in self.portfolio.holdings()} | {order.symbol for order in self.live}):
            if actions := self.securities[name].actions_by_day.get(day):
                self._apply_actions(name, day, actions)
        orders = [order for order in self.live if order.since <= day]
        for order in orders:
            order.reason = self._obstacle(order, day)
            if order.reason == "price" and order.validity == "day":
                self._remove(order, "rejected", "price", day)
        self._fill_phase(orders, day, "open")
        born = [order for order in self.live if order.is_exit and order.since == day]
        for order in born:
            order.reason = self._obstacle(order, day)
        self._fill_phase([*orders, *born], day, "later")
        for order in list(self.live):
            if order.validity == "day" and order.since <= day:
                self._remove(order, "expired", order.reason or "not reached", day)

    def sell_out(self, ticket: Ticket, price: Decimal) -> None:
        """Sell after the close at a price, with fees and tax: an account is wound up, whatever the market's rules say.

        What waits to be sold of the security is cancelled.
        """
        quantity, day = ticket.quantity or ZERO, ticket.after
        fees = self._fees(self.securities[ticket.symbol], day, "sell", price, quantity)
        tax = self.portfolio.sell(ticket.symbol, day, quantity, price, fees)
        self.fills.append(
            Fill(
                order=str(ticket.number),
                date=day,
                symbol=ticket.symbol,
                side="sell",
                quantity=quantity,
                price=price,
                fees=fees,
                dividend_tax=tax,
            )
        )
        for order in [each for each in self.live if each.symbol == ticket.symbol and each.side == "sell"]:
            self._remove(order, "cancelled", "shares", day)

    def close(self) -> None:
        """End the simulation: what still waits is open."""
        for order in list(self.live):
            self._remove(order, "open", "end", None)

    # before the bar

    def _open_order(self, ticket: Ticket) -> OpenOrder:
        security = self.securities[ticket.symbol]
        price = ticket.price
        if price is not None:
            price = security.round_price(price, ticket.side, stop=ticket.kind == "stop")
        self._ranks += 1
        return OpenOrder(
            name=str(ticket.number),
            rank=self._ranks,
            symbol=ticket.symbol,
            side=ticket.side,
            kind=ticket.kind,
            validity=ticket.validity,
            since=ticket.after + "~",  # any later day
            left=ticket.quantity,
            value=ticket.value,
            price=price,
            group=ticket.group,
            attached=ticket.attached,
        )

    def _refusal(self, order: OpenOrder, day: str) -> str:
        """Return why an order is refused when it is given; empty where it is taken."""
        symbol = self.securities[order.symbol].symbol
        held = self.portfolio.shares_of(order.symbol)
        if order.left is None:
            return "shares" if order.side == "sell" and held <= self._frozen(order) else ""
        if order.side == "sell" and order.left > held - self._frozen(order):
            return "shares"
        return "lot" if check_quantity(symbol, day, order.side, order.left, held) is not None else ""

    def _frozen(self, order: OpenOrder) -> Decimal:
        """Return the shares that open sales wait for; of a group the largest counts, and none of the order's own."""
        groups: dict[str, Decimal] = {}
        for other in self.live:
            if other.symbol != order.symbol or other.side != "sell" or other.is_exit or other.left is None:
                continue
            if other.group and other.group == order.group:
                continue
            key = other.group or f"\0{other.name}"
            groups[key] = max(groups.get(key, ZERO), other.left)
        return sum(groups.values(), ZERO)

    def _apply_actions(self, name: str, day: str, actions: Sequence[Action]) -> None:
        self.portfolio.apply_actions(name, day, actions)
        ratio = ONE
        for action in actions:
            ratio *= to_decimal(action.split)
        if ratio == 1:
            return
        security = self.securities[name]
        for order in self.live:
            if order.symbol != name:
                continue
            if order.left is not None:
                order.left = (order.left * ratio).to_integral_value()
            if order.price is not None:
                order.price = security.round_price(order.price / ratio, order.side, stop=order.kind == "stop")
            order.attached = tuple(
                each if each.relative else ExitTicket(kind=each.kind, price=each.price / ratio)
                for each in order.attached
            )

    def _obstacle(self, order: OpenOrder, day: str) -> str:
        """Return what keeps an order from being filled all day: no bar, the price limits; empty for nothing."""
        security = self.securities[order.symbol]
        if security.is_delisted(day):
            return "delisted"
        place = security.place_of(day)
        if place is None:
            return "suspended"
        if order.kind != "limit" and place not in security.rows_near_limits:
            return ""
        bar = security.bar_on(day)
        assert bar is not None
        limits = security.limits_on(day, count_sessions_listed(security, day, self.trading_days))
        if limits is None:
            return ""
        if order.kind == "limit" and order.price is not None and not limits.low <= order.price <= limits.high:
            return "price"
        blocked = is_blocked(order.side, bar, limits)
        if blocked and order.kind == "stop" and _reach(order, bar) is not None:
            order.triggered = True
        return "price limit" if blocked else ""

    # within the bar

    def _fill_phase(self, orders: Iterable[OpenOrder], day: str, phase: Phase) -> None:
        """Fill what is reached in one phase of the bar: sales first, later stops before targets, then purchases."""
        sales = [order for order in orders if order.side == "sell"]
        if phase == "later":
            sales.sort(key=lambda order: (order.kind != "stop", order.rank))
        for order in [*sales, *(order for order in orders if order.side == "buy")]:
            if order not in self.live or order.reason:
                continue
            security = self.securities[order.symbol]
            if order.kind == "market" or order.triggered:
                opening = security.open_on(day)
                reached: tuple[Phase, Decimal] | None = None if opening is None else ("open", opening)
            else:
                bar = security.bar_on(day)
                reached = None if bar is None else _reach(order, bar)
            # an exit that came to life at the open is reached at once where the open is beyond it
            if reached is not None and (reached[0] == phase or (order.is_exit and order.since == day)):
                self._try_fill(order, day, phase, reached[1])

    def _try_fill(self, order: OpenOrder, day: str, phase: Phase, price: Decimal) -> None:
        security = self.securities[order.symbol]
        quantity = self._fillable(order, day, price)
        if not quantity:
            refused = order.reason in ("cash", "shares", "lot", BELOW_LOT)
            if order.validity == "day" or refused:
                self._remove(order, "rejected" if refused else "expired", order.reason, day)
            return
        fees = self._fees(security, day, order.side, price, quantity)
        tax = ZERO
        if order.side == "buy":
            self.portfolio.buy(order.symbol, day, quantity, price, fees)
        else:
            before = self.portfolio.cash
            tax = self.portfolio.sell(order.symbol, day, quantity, price, fees)
            if phase == "later":
                self._held_back += self.portfolio.cash - before
        self.fills.append(
            Fill(
                order=order.name,
                date=day,
                symbol=order.symbol,
                side=order.side,
                quantity=quantity,
                price=price,
                fees=fees,
                dividend_tax=tax,
            )
        )
        order.filled += quantity
        order.left = None if order.left is None else order.left - quantity
        self._cancel_group(order, day)
        if order.attached:
            self._attach_exits(order, day, phase, price, quantity)
        if order.left:
            order.reason = "volume"
        else:
            self.live.remove(order)
        self._drop_idle_exits(order.symbol, day)

    def _fillable(self, order: OpenOrder, day: str, price: Decimal) -> Decimal:
        """Return how many shares are filled now; where none are, `order.reason` says why."""
        security = self.securities[order.symbol]
        lot = security.lot_on(day)
        held = self.portfolio.shares_of(order.symbol)
        if order.side == "sell":
            wanted = order.left if order.left is not None else self._whole_lots(order, lot and lot.step, price, held)
            sellable = self.portfolio.sellable(order.symbol, day, security.settlement_days(day))
            if order.is_exit:
                wanted = min(wanted, sellable)
            if not wanted or wanted > sellable:
                order.reason = "shares"
                return ZERO
        elif order.left is not None:
            wanted = order.left
        else:
            wanted = self._affordable(order, security, day, price)
        capped = self._within_volume(order.symbol, day, wanted, lot and lot.step)
        if not capped:
            order.reason = order.reason or "volume"
            return ZERO
        if order.side == "buy" and not self._can_pay(security, day, price, capped):
            order.reason = "cash"
            return ZERO
        self._volume_left[order.symbol] = self._volume_left.get(order.symbol, ZERO) - capped
        return capped

    def _whole_lots(self, order: OpenOrder, step: Decimal | None, price: Decimal, held: Decimal) -> Decimal:
        """Return the shares of a sale for money: whole lots, or all that is held."""
        wanted = (order.value or ZERO) // price
        return held if wanted >= held else wanted - wanted % (step or ONE)

    def _affordable(self, order: OpenOrder, security: Security, day: str, price: Decimal) -> Decimal:
        """Return the largest quantity in whole lots that the money of an order pays for, with its fees."""
        lot = security.lot_on(day) or WHOLE_SHARES
        money = min(order.value or ZERO, self.portfolio.cash - self._held_back)
        rates = self.fee_table.find_rates(security.symbol, day, "buy")
        quantity, fees = find_affordable(money, price, lot, lambda count: self.fee_table.charge(rates, price, count))
        if quantity:
            self._last_fees = ((security.symbol.canonical, day, "buy", price, quantity), fees)
        else:
            order.reason = BELOW_LOT if total_cost(price, lot.least, fees) > (order.value or ZERO) else "cash"
        return quantity

    def _within_volume(self, name: str, day: str, wanted: Decimal, step: Decimal | None) -> Decimal:
        """Return the part of a quantity that the cap on the bar's volume leaves, in whole lots where it cuts."""
        if self.terms.volume_cap_pct is None:
            return wanted
        if name not in self._volume_left:
            volume = self.securities[name].volume_on(day)
            self._volume_left[name] = cap_volume(self.terms.volume_cap_pct, volume, step)
        left = self._volume_left[name]
        if wanted <= left:
            return wanted
        return left - left % (step or ONE)

    def _can_pay(self, security: Security, day: str, price: Decimal, quantity: Decimal) -> bool:
        fees = self._fees(security, day, "buy", price, quantity)
        return total_cost(price, quantity, fees) <= self.portfolio.cash - self._held_back

    def _fees(self, security: Security, day: str, side: Side, price: Decimal, quantity: Decimal) -> Fees:
        """Return the fees of a trade; before the table of rules begins, those of its first day."""
        asked = (security.symbol.canonical, day, side, price, quantity)
        if self._last_fees[0] != asked:  # looked up for what can be paid, and again for the trade
            rates = self.fee_table.find_rates(security.symbol, day, side)
            self._last_fees = (asked, self.fee_table.charge(rates, price, quantity))
        return self._last_fees[1]

    def _cancel_group(self, order: OpenOrder, day: str) -> None:
        if order.group:
            for other in list(self.live):
                if other is not order and other.group == order.group:
                    self._remove(other, "cancelled", "oco", day)

    def _attach_exits(self, order: OpenOrder, day: str, phase: Phase, price: Decimal, quantity: Decimal) -> None:
        """Let the exits of a purchase live: those that the bar certainly reached afterwards are filled at once."""
        security = self.securities[order.symbol]
        now = security.settlement_days(day) == 0
        for ticket in order.attached:
            name = f"{order.name}.{ticket.kind}"
            known = self._find_live(name)
            if known:
                known[0].left = (known[0].left or ZERO) + quantity
                continue
            self._ranks += 1
            self.live.append(
                OpenOrder(
                    name=name,
                    rank=self._ranks,
                    symbol=order.symbol,
                    side="sell",
                    kind=ticket.kind,
                    validity="gtc",
                    since=day if now and phase == "open" else day + "~",
                    left=quantity,
                    price=security.round_price(
                        ticket.price * price if ticket.relative else ticket.price, "sell", stop=ticket.kind == "stop"
                    ),
                    group=f"\0exits of {order.name}",
                    is_exit=True,
                )
            )
        if now and phase == "later":
            self._fill_certain_exits(order, day, price)

    def _fill_certain_exits(self, order: OpenOrder, day: str, price: Decimal) -> None:
        """Fill what a bar reached after a purchase within it: a stop in any case, a target only if it came later."""
        bar = self.securities[order.symbol].bar_on(day)
        assert bar is not None
        exits = [each for each in self.live if each.group == f"\0exits of {order.name}"]
        for each in sorted(exits, key=lambda found: found.kind != "stop"):
            assert each.price is not None
            if each not in self.live:
                continue
            if each.kind == "stop" and bar.low <= each.price:
                self._try_fill(each, day, "later", min(each.price, price))
            elif each.kind == "limit" and order.kind == "stop" and bar.high >= each.price:
                self._try_fill(each, day, "later", max(each.price, price))

    # the end of an order

    def _drop_idle_exits(self, name: str, day: str) -> None:
        """Cancel exits for shares that are not held any more."""
        if not self.portfolio.shares_of(name):
            for order in list(self.live):
                if order.is_exit and order.symbol == name:
                    self._remove(order, "cancelled", "shares", day)

    def _find_live(self, name: str) -> list[OpenOrder]:
        return [order for order in self.live if order.name == name]

    def _remove(self, order: OpenOrder, status: Outcome, reason: str, day: str | None) -> None:
        self.live.remove(order)
        self._end(order, status, reason, day)

    def _end(self, order: OpenOrder, status: Outcome, reason: str, day: str | None) -> None:
        left = order.left if order.filled else None
        self.unfilled.append(Unfilled(order=order.name, status=status, reason=reason, date=day, left=left))


def is_blocked(side: Side, bar: DayBar, limits: PriceLimits) -> bool:
    """Return True if nothing could be bought below the upper limit, or sold above the lower one, all day."""
    return bar.low >= limits.high if side == "buy" else bar.high <= limits.low


def count_sessions_listed(security: Security, day: str, trading_days: Sequence[str]) -> int | None:
    """Return how many trading days a security had been listed on a day; None where that is long, or not known."""
    listed = security.listed
    if listed is None or listed > day:
        return None
    if trading_days and listed >= trading_days[0]:
        return bisect_right(trading_days, day) - bisect_right(trading_days, listed)
    if _days_between(listed, day) > 3 * YOUNG:
        return None
    return sessions.count_sessions(security.symbol.market, listed, day)


def find_affordable(
    money: Decimal, price: Decimal, lot: LotRule, charge: Callable[[Decimal], Fees]
) -> tuple[Decimal, Fees]:
    """Return the largest quantity in whole lots that money pays for with its fees; 0 and the fees of the least lot."""
    quantity = money // price
    quantity -= quantity % lot.step
    while quantity >= lot.least:
        fees = charge(quantity)
        excess = total_cost(price, quantity, fees) - money
        if excess <= 0:
            return quantity, fees
        quantity -= max(lot.step, excess // price // lot.step * lot.step)
    return ZERO, charge(lot.least)


def cap_volume(cap_pct: Decimal, volume: int, step: Decimal | None) -> Decimal:
    """Return how many shares of a bar's volume may be traded, in whole lots."""
    whole = cap_pct * volume / 100
    return whole - whole % (step or ONE)


def _reach(order: OpenOrder, bar: DayBar) -> tuple[Phase, Decimal] | None:
    """Return when within a bar an order is reached, and the price; None where it is not reached."""
    assert order.price is not None
    rising = (order.side == "sell") == (order.kind == "limit")  # a limit sale and a stop purchase wait for a rise
    if bar.open >= order.price if rising else bar.open <= order.price:
        return "open", bar.open
    if bar.high >= order.price if rising else bar.low <= order.price:
        return "later", order.price
    return None


def _days_between(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days
