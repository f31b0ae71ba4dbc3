"""What a run is measured against, free of charge: buying and holding, equal weight, and agents that choose by lot.

A random agent trades on the run's own days, as much of its money as the run did of its own, in securities that are
drawn. Where the run stands among them is its headline: what luck explains of it.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Literal, NamedTuple

from ia.agent.backtests.past_market import PastMarket
from ia.agent.backtests.trading_account import TradingAccount
from ia.domain.rules.fees import trade_fees
from ia.domain.rules.lots import find_lot
from ia.faculties.lab.exchange import Exchange, Terms
from ia.faculties.lab.order_files import total_equity
from ia.faculties.lab.portfolio import Portfolio
from ia.faculties.lab.tickets import Ticket
from ia.organs.ledger.order import to_decimal
from ia.organs.ohlcv.adjustment import adjust_bars

ZERO = Decimal(0)
AGENTS = 200


class Held(NamedTuple):
    """The equity of buying once and holding, at each session, and the securities that could not be bought."""

    equity: list[float]
    missing: list[str]


def buy_and_hold(market: PastMarket, cash: Decimal, terms: Terms) -> Held:
    """Return what equal parts of the money, spent at the open of the second session, came to at each close.

    The run's own first orders can be filled no earlier.
    """
    securities = market.securities
    portfolio = Portfolio(securities, cash, {})
    exchange = Exchange(securities, market.sessions, Terms(
        commission_pct=terms.commission_pct, commission_min=terms.commission_min
    ), portfolio)  # fmt: skip
    equity = []
    for at, day in enumerate(market.sessions):
        exchange.run_day(day)
        equity.append(float(total_equity(portfolio, securities, day)))
        if at == 0:
            part = cash / len(securities)
            for number, name in enumerate(securities):
                exchange.submit(Ticket(number=number, symbol=name, side="buy", after=day, value=part, validity="gtc"))
    bought = {fill.symbol for fill in exchange.fills}
    return Held(equity, [name for name in securities if name not in bought])


def equal_weight(market: PastMarket, start: float) -> list[float]:
    """Return the equity of an account that is spread evenly over the securities anew each session, without costs."""
    last = market.sessions[-1]
    changes: dict[str, list[float]] = {day: [] for day in market.sessions}
    for name in market.securities:
        bars = market.bars_as_of(name, last)
        begin = bisect_left(bars.date, market.sessions[0])
        for at in range(max(begin, 1), len(bars.date)):
            if at > begin:
                changes[bars.date[at]].append(bars.close[at] / bars.close[at - 1] - 1)
    equity, value = [], start
    for day in market.sessions:
        value *= 1 + (sum(changes[day]) / len(changes[day]) if changes[day] else 0.0)
        equity.append(value)
    return equity


class TradeSize(NamedTuple):
    """A trade of the run as random agents repeat it: the part of the equity bought, or of the holding sold."""

    session: int
    side: Literal["buy", "sell"]
    part: float


def list_trade_sizes(account: TradingAccount) -> list[TradeSize]:
    """Return the run's trades by size, in their order."""
    places = {day: at for at, day in enumerate(account.market.sessions)}
    held: dict[str, float] = {}
    found = []
    for fill in account.exchange.fills:
        at, quantity = places[fill.date], float(fill.quantity)
        before = float(account.equity[at - 1][2]) if at else float(account.start_cash)
        if fill.side == "buy":
            found.append(TradeSize(at, "buy", quantity * float(fill.price) / before if before else 0.0))
            held[fill.symbol] = held.get(fill.symbol, 0.0) + quantity
        else:
            whole = max(held.get(fill.symbol, 0.0), quantity)  # bonus shares make a holding larger
            found.append(TradeSize(at, "sell", min(quantity / whole, 1.0)))
            held[fill.symbol] = max(whole - quantity, 0.0)
    return found


@dataclass
class _Prices:
    """Of a security, by session: raw open, its total-return factor, total-return close, and what cannot be traded."""

    opens: list[float | None] = field(default_factory=list)
    factors: list[float] = field(default_factory=list)
    closes: list[float] = field(default_factory=list)
    buyable: list[bool] = field(default_factory=list)
    sellable: list[bool] = field(default_factory=list)


def run_random_agents(
    market: PastMarket,
    trades: Sequence[TradeSize],
    cash: float,
    terms: Terms,
    *,
    seed: int,
    marks: Sequence[int],
    count: int = AGENTS,
) -> list[list[float]]:
    """Return the equity of each agent at the close of some sessions, given in ascending order."""
    prices = {name: _load_prices(market, name, {trade.session for trade in trades}) for name in market.securities}
    agents = (_RandomAgent(market, prices, cash, terms, Random(f"{seed}/{number}")) for number in range(count))
    return [agent.repeat_trades(trades, marks) for agent in agents]


def _load_prices(market: PastMarket, name: str, traded: set[int]) -> _Prices:
    security = market.securities[name]
    bars, found = security.bars, _Prices()
    places = {on: place for place, on in enumerate(bars.date)}
    total = adjust_bars(bars, security.actions, "hfq", float(security.tick))
    last, factor = 0.0, 1.0
    for at, day in enumerate(market.sessions):
        place = places.get(day)
        if place is not None:
            factor, last = total.close[place] / bars.close[place], total.close[place]
        elif not last:
            before = bisect_left(bars.date, day) - 1
            last = total.close[before] if before >= 0 else 0.0
        limits = security.limits_on(day, None) if place is not None and at in traded else None
        found.opens.append(bars.open[place] if place is not None else None)
        found.factors.append(factor)
        found.closes.append(last)
        found.buyable.append(
            place is not None and not (limits is not None and to_decimal(bars.low[place]) >= limits.high)
        )
        found.sellable.append(
            place is not None and not (limits is not None and to_decimal(bars.high[place]) <= limits.low)
        )
    return found


class _RandomAgent:
    """An agent that draws what it trades. Holdings are in units of the total-return price: no action changes them."""

    def __init__(
        self, market: PastMarket, prices: Mapping[str, _Prices], cash: float, terms: Terms, draw: Random
    ) -> None:
        self.market, self.prices, self.cash, self.terms, self.draw = market, prices, cash, terms, draw
        self.units: dict[str, float] = {}
        self.names = sorted(prices)

    def repeat_trades(self, trades: Sequence[TradeSize], marks: Sequence[int]) -> list[float]:
        """Return the equity at some sessions after trades of these sizes on their days."""
        found: list[float] = []
        waiting = list(marks)
        for trade in trades:
            while waiting and waiting[0] < trade.session:
                found.append(self._equity(waiting.pop(0)))
            if trade.side == "buy":
                self._buy(trade)
            else:
                self._sell(trade)
        return [*found, *map(self._equity, waiting)]

    def _equity(self, at: int) -> float:
        return self.cash + sum(count * self.prices[name].closes[at] for name, count in self.units.items())

    def _buy(self, trade: TradeSize) -> None:
        at = trade.session
        able = [name for name in self.names if self.prices[name].buyable[at]]
        if not able:
            return
        name = self.draw.choice(able)
        price = self.prices[name].opens[at] or 0.0
        lot = find_lot(self.market.securities[name].symbol, self.market.sessions[at])
        step = float(lot.step) if lot else 1.0
        money = min(trade.part * self._equity(max(at - 1, 0)), self.cash / 1.002 - 10)
        shares = max(money, 0.0) / price // step * step
        if shares:
            self.cash -= shares * price + self._fees(name, at, "buy", price, shares)
            self.units[name] = self.units.get(name, 0.0) + shares / self.prices[name].factors[at]

    def _sell(self, trade: TradeSize) -> None:
        at = trade.session
        able = [name for name in sorted(self.units) if self.prices[name].sellable[at]]
        if not able:
            return
        name = self.draw.choice(able)
        price = self.prices[name].opens[at] or 0.0
        whole = trade.part >= 1 - 1e-9
        shares = self.units[name] * (1.0 if whole else trade.part) * self.prices[name].factors[at]
        self.cash += shares * price - self._fees(name, at, "sell", price, shares)
        if whole:
            del self.units[name]
        else:
            self.units[name] *= 1 - trade.part

    def _fees(self, name: str, at: int, side: Literal["buy", "sell"], price: float, shares: float) -> float:
        fees = trade_fees(
            self.market.securities[name].symbol,
            self.market.sessions[at],
            side,
            to_decimal(price),
            to_decimal(round(shares)),
            commission_pct=self.terms.commission_pct,
            commission_min=self.terms.commission_min,
        )
        return float(fees.total)
