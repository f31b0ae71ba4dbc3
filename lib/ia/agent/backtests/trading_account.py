"""The account of a run: the exchange of the lab fills its orders, and the risk guard stands before them as in life."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal, NamedTuple

from ia.agent.backtests.past_market import PastMarket
from ia.domain.performance.drawdowns import drawdown_series
from ia.domain.rules.fees import trade_fees
from ia.faculties.lab.exchange import Exchange, Terms
from ia.faculties.lab.order_files import total_equity
from ia.faculties.lab.portfolio import Portfolio
from ia.faculties.lab.tickets import Fill, Ticket, Unfilled
from ia.kernel import clock
from ia.kernel.errors import Message, UsageError
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.organs.ledger.guard import (
    AccountState,
    Breach,
    CheckedOrder,
    GuardHolding,
    RiskLimits,
    SecurityQuote,
    check_order,
)
from ia.organs.ledger.order import MOST, to_decimal

ZERO = Decimal(0)
Action = Literal["buy", "sell", "close"]
OrderKind = Literal["market", "limit", "stop"]


class GivenOrder(NamedTuple):
    """An order as the model gave it. `quantity` in shares; `reason` in the model's words."""

    number: int
    day: str
    action: str
    symbol: str
    quantity: Decimal
    kind: str
    price: Decimal | None
    reason: str


@dataclass
class DayEvents:
    """What a session brought before the model was asked."""

    fills: list[Fill] = field(default_factory=list)
    ended: list[Unfilled] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)


class TradingAccount:
    """Cash, holdings and orders, session by session: `open_day`, then `submit` for the next one."""

    def __init__(self, market: PastMarket, cash: Decimal, terms: Terms, limits: RiskLimits, lang: str) -> None:
        self.market, self.limits, self.terms = market, limits, terms
        self.voice = Voice(lang)
        self.portfolio = Portfolio(market.securities, cash, {})
        self.exchange = Exchange(market.securities, market.sessions, terms, self.portfolio)
        self.start_cash = cash
        self.given: list[GivenOrder] = []
        self.equity: list[tuple[str, Decimal, Decimal]] = []
        """(day, cash, equity) at each close."""
        self.refusals = 0
        self._last_trades: dict[str, datetime] = {}
        self._day = ""

    def open_day(self, day: str) -> DayEvents:
        """Let a session pass up to its close and return what became of the orders that were given before it."""
        filled, ended = len(self.exchange.fills), len(self.exchange.unfilled)
        before = {name for name, _ in self.portfolio.holdings()}
        self._day = day
        self.exchange.run_day(day)
        self.equity.append((day, self.portfolio.cash, total_equity(self.portfolio, self.market.securities, day)))
        events = DayEvents(self.exchange.fills[filled:], self.exchange.unfilled[ended:])
        for fill in events.fills:
            self._last_trades[fill.symbol] = close_of(self.market, day).replace(hour=9, minute=30)
        held = {name for name, _ in self.portfolio.holdings()}
        events.closed = sorted({fill.symbol for fill in events.fills if fill.side == "sell"} & (before - held))
        return events

    # what the model sees

    def status(self) -> Json:
        """Return the account in the shape of the tool account.status."""
        equity = self.equity[-1][2]
        before = self.equity[-2][2] if len(self.equity) > 1 else self.start_cash
        positions: Json = {}
        for name, quantity in sorted(self.portfolio.holdings()):
            price = self.market.securities[name].value_on(self._day) or ZERO
            cost = self.portfolio.books.holdings[name].cost
            positions[name] = {
                "size": _to_number(quantity),
                "avg_price": _to_number(cost / quantity, 4),
                "current_price": _to_number(price, 4),
                "unrealized_pnl": _to_number(quantity * price - cost, 2),
                "weight_pct": _to_number(quantity * price * 100 / equity, 2) if equity else None,
            }
        return {
            "cash": _to_number(self.portfolio.cash, 2),
            "equity": _to_number(equity, 2),
            "positions": positions,
            "pending_orders": [self._describe_order(order) for order in self._pending_orders()],
            "today_pnl": _to_number(equity - before, 2),
            "total_pnl": _to_number(equity - self.start_cash, 2),
            "max_drawdown": round(-min(drawdown_series(self.equity_curve()), default=0.0), 6) + 0.0,
        }

    def equity_curve(self) -> list[float]:
        """Return the equity at the start and at each close."""
        return [float(self.start_cash), *(float(each) for _, _, each in self.equity)]

    def _pending_orders(self) -> list[GivenOrder]:
        live = {order.name for order in self.exchange.live}
        return [order for order in self.given if str(order.number) in live]

    def _describe_order(self, order: GivenOrder) -> Json:
        told: Json = {
            "order_id": str(order.number),
            "action": order.action,
            "symbol": order.symbol,
            "quantity": _to_number(order.quantity),
            "order_type": order.kind,
        }
        return told | ({} if order.price is None else {"price": _to_number(order.price, 4)})

    # what the model orders

    def submit(
        self, action: Action, name: str, quantity: float | None, kind: OrderKind, price: float | None, reason: str
    ) -> Json:
        """Check an order with the risk guard and give it to the exchange; it can be filled from the next session on.

        raises  UsageError for an order that is not complete.
        """
        held = self.portfolio.shares_of(name)
        shares = _read_number(quantity, "quantity") if quantity is not None else None
        if action == "close":
            shares = shares or held
            if not held:
                return self._reject("account.held", ZERO, ZERO, Message("{symbol}: nothing is held", symbol=name))
        if shares is None:
            raise UsageError("quantity is missing: give the number of shares")
        if kind != "market" and price is None:
            raise UsageError("a {kind} order needs a price", kind=kind)
        limit = _read_number(price, "price") if price is not None and kind != "market" else None
        order = GivenOrder(
            number=len(self.given) + 1,
            day=self._day,
            action="buy" if action == "buy" else "sell",
            symbol=name,
            quantity=shares,
            kind=kind,
            price=limit,
            reason=reason,
        )
        refusing = [each for each in self._check(order) if each.refuses]
        if refusing:
            return self._describe_rejection(refusing)
        return self._give(order)

    def _give(self, order: GivenOrder) -> Json:
        ended = len(self.exchange.unfilled)
        self.exchange.submit(
            Ticket(
                number=order.number,
                symbol=order.symbol,
                side="buy" if order.action == "buy" else "sell",
                after=order.day,
                kind="limit" if order.kind == "limit" else "stop" if order.kind == "stop" else "market",
                quantity=order.quantity,
                price=order.price,
            )
        )
        self.given.append(order)
        if len(self.exchange.unfilled) > ended:
            reason = self.exchange.unfilled[-1].reason
            frozen = sum((each.quantity for each in self._pending_orders() if each.symbol == order.symbol), ZERO)
            free = self.portfolio.shares_of(order.symbol) - frozen
            message = Message(
                "{symbol}: the exchange refuses the order ({why}): {quantity} shares, {free} free to sell",
                symbol=order.symbol,
                why=reason,
                quantity=f"{order.quantity:f}",
                free=f"{max(free, ZERO):f}",
            )
            return self._reject(f"exchange.{reason}", order.quantity, max(free, ZERO), message)
        return {"status": "submitted", "order_id": str(order.number)}

    def _check(self, order: GivenOrder) -> list[Breach]:
        """Return what the risk guard says of an order, given what is held and what is already ordered."""
        security = self.market.securities[order.symbol]
        price = order.price or security.value_on(self._day)
        if price is None:
            raise UsageError("{symbol} has no price yet", symbol=order.symbol)
        checked = CheckedOrder(
            symbol=security.symbol,
            action="buy" if order.action == "buy" else "sell",
            quantity=order.quantity,
            price=price,
            moment=close_of(self.market, self._day),
            day=self._day,
            fees=self._fees(order, price),
        )
        return check_order(checked, self._guard_state(order.symbol), self.limits)

    def _fees(self, order: GivenOrder, price: Decimal) -> Decimal:
        return trade_fees(
            self.market.securities[order.symbol].symbol,
            self._day,
            "buy" if order.action == "buy" else "sell",
            price,
            order.quantity,
            commission_pct=self.terms.commission_pct,
            commission_min=self.terms.commission_min,
        ).total

    def _guard_state(self, ordered: str) -> AccountState:
        """Return the account as the guard sees it; purchases that are already ordered count as made."""
        holdings: dict[str, GuardHolding] = {}
        reserved, bought = ZERO, dict[str, tuple[Decimal, Decimal]]()
        for order in self._pending_orders():
            if order.action == "buy":
                paid = order.price or self.market.securities[order.symbol].value_on(self._day) or ZERO
                reserved += order.quantity * paid + self._fees(order, paid)
                count, value = bought.get(order.symbol, (ZERO, ZERO))
                bought[order.symbol] = count + order.quantity, value + order.quantity * paid
        for name in {*(name for name, _ in self.portfolio.holdings()), *bought}:
            security, quantity = self.market.securities[name], self.portfolio.shares_of(name)
            price = security.value_on(self._day)
            held = self.portfolio.books.holdings.get(name)
            holdings[security.symbol.canonical] = GuardHolding(
                quantity=quantity,
                sellable=quantity,  # in the next session, when the order can be filled
                value=(quantity * price if price is not None else ZERO) + bought.get(name, (ZERO, ZERO))[1],
                cost=held.cost if held else ZERO,
                last_price=price,
            )
        equity = self.equity[-1][2]
        before = self.equity[-2][2] if len(self.equity) > 1 else self.start_cash
        return AccountState(
            currency=self.portfolio.currency,
            equity=equity,
            cash=self.portfolio.cash - reserved,
            positions=holdings,
            last_trades={
                self.market.securities[name].symbol.canonical: moment for name, moment in self._last_trades.items()
            },
            day_pnl=equity - before,
            day_start_equity=before,
            quote=SecurityQuote(change_pct=self._change_pct(ordered)),
        )

    def _change_pct(self, name: str) -> Decimal | None:
        """Return the change of the session against the close before it, after corporate actions, in per cent."""
        bars = self.market.bars_as_of(name, self._day)
        if len(bars.date) < 2 or bars.date[-1] != self._day:
            return None if len(bars.date) < 2 else ZERO
        return (to_decimal(bars.close[-1]) / to_decimal(bars.close[-2]) - 1) * 100

    def _describe_rejection(self, breaches: list[Breach]) -> Json:
        self.refusals += 1
        told = [self.market.show_text(self.voice.say(each.message)) for each in breaches]
        rules = [
            {"rule": each.rule, "value": _to_number(each.value, 4), "limit": _to_number(each.limit, 4)}
            for each in breaches
        ]
        return {"status": "rejected", "reason": "; ".join(told), "rules": rules}

    def _reject(self, rule: str, value: Decimal, limit: Decimal, message: Message) -> Json:
        return self._describe_rejection([Breach(rule=rule, value=value, limit=limit, message=message)])


def close_of(market: PastMarket, day: str) -> datetime:
    """Return the moment of a session at which the model is asked: five minutes after the close."""
    place = next(iter(market.securities.values())).symbol.market
    moment = datetime.combine(datetime.fromisoformat(day).date(), clock.CLOSE[place], clock.exchange_zone(place))
    return moment.replace(minute=moment.minute + 5)


def _to_number(number: Decimal | None, places: int | None = None) -> float | int | None:
    """Return a number as JSON holds it."""
    if number is None:
        return None
    value = float(number if places is None else round(number, places))
    return int(value) if value == int(value) else value


def _read_number(number: float, what: str) -> Decimal:
    found = Decimal(repr(number)) if number - number == 0 else ZERO
    if not 0 < found < MOST:
        raise UsageError("{name}: {value!r} is not a number above 0", name=what, value=str(number))
    return found
