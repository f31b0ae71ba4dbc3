"""The journal's own trades through the engine: each at the open of its day, by the rules of the exchange.

What differs is what a backtest would not have had: another price within the day, other fees, a trade that the rules
would not have let pass. Money never binds: deposits are not looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from ia.domain.performance.round_trips import TradeStatistics, measure_trades
from ia.domain.rules.fees import Side
from ia.faculties.lab.exchange import Exchange, Terms
from ia.faculties.lab.portfolio import Portfolio
from ia.faculties.lab.run_market import load_named_market
from ia.faculties.lab.run_types import RunMarket
from ia.faculties.lab.tickets import Fill, Ticket
from ia.kernel.errors import IaError, Message, NotFound, Notify, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.ledger import journal
from ia.organs.ledger.booking import FIFO, Books
from ia.organs.ledger.order import load_commission
from ia.organs.ledger.performance import find_round_trips
from ia.organs.ledger.performance_documents import Say, trades_document

ZERO = Decimal(0)
ENOUGH = Decimal(10) ** 12
"""The engine's cash: no purchase of a person's is refused for want of it."""


class JournalTrade(NamedTuple):
    """A trade of the journal, and what the engine made of it. status: filled, partial, or why there is no fill."""

    date: str
    symbol: str
    side: str
    quantity: Decimal
    price: Decimal
    engine_quantity: Decimal
    engine_price: Decimal | None
    status: str
    reason: str

    @property
    def difference_pct(self) -> float | None:
        """The engine's price against that of the journal, per cent: above 0 is dearer."""
        return (
            None if self.engine_price is None or not self.price else float(self.engine_price / self.price * 100 - 100)
        )


class SideFigures(NamedTuple):
    """What the trades of a currency came to. Money; `value` of what is held at the last close.

    profit  sold + dividends + value - bought; bought and sold after fees, dividends less their tax
    """

    filled: int
    bought: float
    sold: float
    fees: float
    dividends: float
    value: float
    profit: float
    trades: TradeStatistics


@dataclass(frozen=True, kw_only=True)
class JournalRun:
    """The trades of one currency, and both results. unpriced: securities without bars, whose trades are left out."""

    currency: str
    last: str
    trades: list[JournalTrade]
    own: SideFigures
    engine: SideFigures
    unpriced: tuple[str, ...]
    simulated: bool


def run_journal(ws: Workspace, notify: Notify = drop_message) -> list[JournalRun]:
    """Return the journal's trades and what the engine makes of them, a run for each currency.

    raises  NotFound where there is no trade, or no price of any.
    """
    from ia.wiring.ledger_prices import open_ledger

    entries = [
        entry
        for entry in journal.effective_entries(ws.db)
        if entry.kind in (journal.BUY, journal.SELL) and entry.quantity and entry.price
    ]
    if not entries:
        raise NotFound("no trades yet", hint="record a purchase with `ia trade buy SYMBOL QUANTITY PRICE`")
    books = open_ledger(ws, notify).books(method=FIFO)
    found = []
    for currency in sorted({entry.currency for entry in entries}):
        own = sorted(
            (entry for entry in entries if entry.currency == currency), key=lambda entry: (entry.date, entry.id)
        )
        if run := _run_currency(ws, currency, own, books, notify):
            found.append(run)
    if not found:
        raise NotFound("no prices of the traded securities are stored")
    return found


def _run_currency(
    ws: Workspace, currency: str, entries: Sequence[journal.JournalEntry], books: Books, notify: Notify
) -> JournalRun | None:
    markets, unpriced = [], []
    for name in sorted({entry.symbol for entry in entries}):
        try:
            markets.append(load_named_market(ws, [name], notify))
        except IaError as failure:
            notify(Message("{symbol} is left out: {reason}", symbol=name, reason=failure))
            unpriced.append(name)
    if not markets:
        return None
    market = RunMarket(
        securities={name: each for one in markets for name, each in one.securities.items()},
        signal_bars={},
        trading_days=tuple(sorted({day for one in markets for day in one.trading_days})),
        simulated=any(one.simulated for one in markets),
    )
    entries = [entry for entry in entries if entry.symbol in market.securities]
    exchange = _fill_trades(market, entries)
    fills: dict[str, list[Fill]] = {}
    for fill in exchange.fills:
        fills.setdefault(fill.order, []).append(fill)
    ends = {each.order: each for each in exchange.unfilled}
    trades = []
    for number, entry in enumerate(entries):
        own, end = fills.get(str(number), []), ends.get(str(number))
        quantity = sum((fill.quantity for fill in own), ZERO)
        amount = sum((fill.quantity * fill.price for fill in own), ZERO)
        trades.append(
            JournalTrade(
                date=entry.date,
                symbol=entry.symbol,
                side=entry.kind,
                quantity=entry.quantity or ZERO,
                price=entry.price or ZERO,
                engine_quantity=quantity,
                engine_price=round(amount / quantity, 4) if quantity else None,
                status="filled" if end is None else "partial" if own else end.status,
                reason=end.reason if end else "",
            )
        )
    last = market.trading_days[-1]
    names = set(market.securities)
    prices = {name: each.value_on(last) or ZERO for name, each in market.securities.items()}
    tax = sum((fill.dividend_tax for fill in exchange.fills), ZERO)
    return JournalRun(
        currency=currency,
        last=last,
        trades=trades,
        own=_side(books, names, prices, len(entries), ZERO),
        engine=_side(exchange.portfolio.books, names, prices, len(fills), tax),
        unpriced=tuple(unpriced),
        simulated=market.simulated,
    )


def _fill_trades(market: RunMarket, entries: Sequence[journal.JournalEntry]) -> Exchange:
    """Return the exchange after all days, with each trade as a market order of its day."""
    first = next(iter(market.securities.values()))
    agreed = load_commission(first.symbol.market)
    terms = Terms(commission_pct=agreed.pct, commission_min=agreed.least)
    exchange = Exchange(market.securities, market.trading_days, terms, Portfolio(market.securities, ENOUGH, {}))
    waiting = list(enumerate(entries))
    for day in market.trading_days:
        while waiting and waiting[0][1].date <= day:
            number, entry = waiting.pop(0)
            eve = (date.fromisoformat(entry.date) - timedelta(days=1)).isoformat()
            side: Side = "buy" if entry.kind == journal.BUY else "sell"
            exchange.submit(Ticket(number=number, symbol=entry.symbol, side=side, after=eve, quantity=entry.quantity))
        exchange.run_day(day)
    exchange.close()
    return exchange


def _side(books: Books, names: set[str], prices: Mapping[str, Decimal], filled: int, tax: Decimal) -> SideFigures:
    held = [each for name, each in books.holdings.items() if name in names]
    bought = sum((each.bought for each in held), ZERO)
    sold = sum((each.sold for each in held), ZERO)
    dividends = sum((each.dividends for each in held), ZERO) - tax
    value = sum((each.quantity * prices[each.symbol] for each in held), ZERO)
    trips = [trip for trip in find_round_trips(books) if trip.symbol in names]
    return SideFigures(
        filled=filled,
        bought=float(bought),
        sold=float(sold),
        fees=float(sum((each.fees for each in held), ZERO)),
        dividends=float(dividends),
        value=float(value),
        profit=float(sold + dividends + value - bought),
        trades=measure_trades(trips),
    )


def journal_document(run: JournalRun, say: Say = str) -> Json:
    """Return a run of the journal as plain data."""
    return {
        "currency": run.currency,
        "last": run.last,
        "trades": [
            {
                **each._asdict(),
                "quantity": float(each.quantity),
                "price": float(each.price),
                "engine_quantity": float(each.engine_quantity),
                "engine_price": None if each.engine_price is None else float(each.engine_price),
                "difference_pct": each.difference_pct,
            }
            for each in run.trades
        ],
        "journal": _side_document(run.own, say),
        "engine": _side_document(run.engine, say),
        "unpriced": list(run.unpriced),
        "simulated": run.simulated,
    }


def _side_document(side: SideFigures, say: Say) -> Json:
    money = {name: round(getattr(side, name), 2) + 0.0 for name in side._fields if name not in ("filled", "trades")}
    return {"filled": side.filled, **money, "closed": trades_document(side.trades, say)}
