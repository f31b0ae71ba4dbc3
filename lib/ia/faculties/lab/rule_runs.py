"""A backtest of rules: conditions on each bar become orders, which the exchange fills from the next bar on.

`run_rules` is a plain function of settings and prices: nothing is read or written, and the same input gives the same
result to the byte. A signal of day t sees the bars up to t; its orders live from the next trading day on.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ia.domain.performance.round_trips import RoundTrip
from ia.domain.rules.lots import find_lot
from ia.faculties.lab.exchange import Exchange, Terms
from ia.faculties.lab.portfolio import Portfolio
from ia.faculties.lab.securities import Security
from ia.faculties.lab.signals import SignalExpression
from ia.faculties.lab.tickets import ExitTicket, Fill, Ticket, Unfilled
from ia.kernel.errors import NotFound
from ia.organs.ledger.performance import find_round_trips
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F = NDArray[np.float64]
    B = NDArray[np.bool_]

ZERO, ONE, HUNDRED = Decimal(0), Decimal(1), Decimal(100)
SizeKind = Literal["percent", "shares", "money", "equal"]
Rebalance = Literal["", "daily", "weekly", "monthly"]


class PositionSize(NamedTuple):
    """How large a position is: per cent of the equity, shares, money, or the equity in equal parts."""

    kind: SizeKind
    amount: Decimal = ZERO


EQUAL = PositionSize("equal")


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleSettings:
    """The rules of a run.

    entry, exit     expressions that are true or false on each bar; without an exit a position is held until a stop, a
                    target or the end
    rank            expression: of several entries the largest comes first; what has no value is not bought
    since, until    first and last day on which signals count and equity is told (YYYY-MM-DD), "" for all
    stop_pct, target_pct   sale so many per cent below or above the price of the purchase, waiting until filled
    max_positions   None: as many as there are securities
    rebalance       after the first day of each period the best `max_positions` of those with an entry are held in the
                    given size, and what is not among them is sold; "": entries count on every bar. Exits always do
    """

    entry: str
    exit: str = ""
    rank: str = ""
    cash: Decimal = Decimal(100_000)
    size: PositionSize = EQUAL
    since: str = ""
    until: str = ""
    stop_pct: Decimal | None = None
    target_pct: Decimal | None = None
    max_positions: int | None = None
    rebalance: Rebalance = ""
    terms: Terms = field(default_factory=lambda: Terms(commission_pct=ZERO, commission_min=ZERO))


@dataclass(frozen=True, kw_only=True)
class RunMarket:
    """The prices of a run.

    securities     raw bars, corporate actions and rules, by canonical symbol
    signal_bars    adjusted bars of the same days, for expressions: the first bar is as traded (hfq), so that no later
                   action changes an earlier value
    trading_days   all days of the market, ascending
    simulated      whether a data source invented prices
    st_told        days of which it is known what was under special treatment
    """

    securities: Mapping[str, Security]
    signal_bars: Mapping[str, Bars]
    trading_days: Sequence[str]
    simulated: bool = False
    st_told: frozenset[str] = frozenset()


class OrderRow(NamedTuple):
    """An order and what became of it. status: filled, partial, or that of `Unfilled`; `reason` why not all was filled.

    given      the day after whose close it was given
    ended      the day of the last fill, or on which it ended without; None where it still waits
    price      mean price of the fills
    """

    order: str
    given: str
    symbol: str
    side: str
    kind: str
    quantity: Decimal | None
    value: Decimal | None
    trigger: Decimal | None
    status: str
    reason: str
    ended: str | None
    filled: Decimal
    price: Decimal | None
    fees: Decimal
    dividend_tax: Decimal


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """What a run came to. All sequences of days run over `days`.

    equity, cash   at the close, in the currency of the account
    positions      how many securities were held at the close
    exposure       part of the equity that was invested at the close
    trips          closed trades; `open_trips`: what is held at the end, at the last close, without the fees of a sale
    looked         how many securities had bars in the time
    fees_assumed   of each market whose table of fees begins after a trade, the day whose fees were taken
    ended_early    securities whose bars end before the last day by more than a month
    st_unknown     on how many days it is not known what was under special treatment; 0 without mainland stocks
    """

    settings: RuleSettings
    currency: str
    days: tuple[str, ...]
    equity: tuple[float, ...]
    cash: tuple[float, ...]
    positions: tuple[int, ...]
    exposure: tuple[float, ...]
    orders: tuple[OrderRow, ...]
    fills: tuple[Fill, ...]
    trips: tuple[RoundTrip, ...]
    open_trips: tuple[RoundTrip, ...]
    looked: int
    ended_early: tuple[str, ...]
    st_unknown: int
    fees_assumed: Mapping[str, str]
    simulated: bool


class SignalTable(NamedTuple):
    """Signals by day and security, [days, symbols]: `traded` where there is a bar; `rank` NaN where it has no value."""

    days: tuple[str, ...]
    symbols: tuple[str, ...]
    traded: "B"
    entries: "B"
    exits: "B"
    rank: "F | None"


WINDOW_END = "window_end"
"""Why what is held at the end of a test of a walk forward is sold."""


def run_rules(
    settings: RuleSettings,
    market: RunMarket,
    *,
    wind_up: bool = False,
    show: Callable[[int, int], None] = lambda done, total: None,
) -> RunResult:
    """Return what rules come to on past prices.

    wind_up  sell what is held at the last close, with fees and tax
    show     is told how many of how many securities were evaluated

    Raises:
        BadData: an expression does not parse, raises an error, or gives the wrong kind of value.
        Refused: an expression looks ahead, or the policy of `ia compute` forbids it.
        NotFound: there is no bar in the time.
    """
    table = evaluate_signals(settings, market, show=show)
    return RuleRun(settings, market, table).run(wind_up=wind_up)


def compile_rules(
    settings: RuleSettings,
) -> tuple[SignalExpression, SignalExpression | None, SignalExpression | None]:
    """Return entry, exit and rank; so bad expressions are told before prices are loaded. Raises as `run_rules`."""
    return (
        SignalExpression(settings.entry, "--entry"),
        SignalExpression(settings.exit, "--exit") if settings.exit else None,
        SignalExpression(settings.rank, "--rank") if settings.rank else None,
    )


def evaluate_signals(
    settings: RuleSettings, market: RunMarket, *, show: Callable[[int, int], None] = lambda done, total: None
) -> SignalTable:
    """Return the signals of each day in the time of a run. Raises as `run_rules`."""
    import numpy as np

    entry, leave, rank = compile_rules(settings)
    days = _list_days(settings, market)
    symbols = tuple(market.securities)
    shape = (len(days), len(symbols))
    places, calendar = {day: at for at, day in enumerate(days)}, list(days)
    traded, entries, exits = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
    ranks = np.full(shape, np.nan) if rank else None
    for column, symbol in enumerate(symbols):
        show(column + 1, len(symbols))
        bars = market.signal_bars[symbol]
        if not bars.date or bars.date[-1] < days[0] or bars.date[0] > days[-1]:
            continue
        rows, within = _find_rows(bars.date, calendar, places)
        traded[rows, column] = True
        entries[rows, column] = entry.truths(bars)[within]
        if leave:
            exits[rows, column] = leave.truths(bars)[within]
        if rank and ranks is not None:
            ranks[rows, column] = rank.numbers(bars)[within]
    return SignalTable(days=days, symbols=symbols, traded=traded, entries=entries, exits=exits, rank=ranks)


def _list_days(settings: RuleSettings, market: RunMarket) -> tuple[str, ...]:
    """Return the trading days of a run. raises NotFound where there is none."""
    first, last = settings.since, settings.until or "9999"
    days = tuple(day for day in market.trading_days if first <= day <= last)
    if not days:
        raise NotFound(
            "no bars between {since} and {until}",
            since=settings.since or "the first day",
            until=settings.until or "the last day",
        )
    return days


def find_traded_days(settings: RuleSettings, market: RunMarket) -> SignalTable:
    """Return the days of a run without signals, for orders that come from elsewhere."""
    import numpy as np

    days = _list_days(settings, market)
    symbols = tuple(market.securities)
    none = np.zeros((len(days), len(symbols)), dtype=np.bool_)
    traded = none.copy()
    for column, symbol in enumerate(symbols):
        known = set(market.securities[symbol].bars.date)
        traded[:, column] = [day in known for day in days]
    return SignalTable(days=days, symbols=symbols, traded=traded, entries=none, exits=none, rank=None)


def _find_rows(
    dates: Sequence[str], days: list[str], places: Mapping[str, int]
) -> "tuple[NDArray[np.intp] | slice, B | slice]":
    """Return the rows of the days that are among the dates, and the places of these dates; slices without a gap."""
    import numpy as np

    begin, end = bisect_left(dates, days[0]), bisect_right(dates, days[-1])
    if begin < end:
        first = places.get(dates[begin], 0)
        if days[first : first + end - begin] == dates[begin:end]:
            return slice(first, first + end - begin), slice(begin, end)
    rows = np.array([places.get(day, -1) for day in dates], dtype=np.intp)
    within = rows >= 0
    return rows[within], within


class RuleRun:
    """One run: walks over the days, gives orders after the close, and lets the exchange fill them."""

    def __init__(self, settings: RuleSettings, market: RunMarket, table: SignalTable) -> None:
        self.settings, self.market, self.table = settings, market, table
        self.securities = market.securities
        self.portfolio = Portfolio(self.securities, settings.cash, {})
        self.exchange = Exchange(self.securities, market.trading_days, settings.terms, self.portfolio)
        self.tickets: list[Ticket] = []
        self.leaving: set[str] = set()
        self.steps: list[tuple[int, Decimal, dict[str, Decimal]]] = [(0, settings.cash, {})]
        self.renewals = _period_starts(table.days, settings.rebalance)
        self.columns = {symbol: column for column, symbol in enumerate(table.symbols)}
        self._renewal_set = frozenset(self.renewals)
        self.entries, self.exits = (each.any(axis=1).nonzero()[0].tolist() for each in (table.entries, table.exits))  # type: ignore[misc]
        self._wanted = table.entries & ~table.exits
        self._wanted_days = frozenset(self._wanted.any(axis=1).nonzero()[0].tolist())  # type: ignore[misc]

    def run(self, *, wind_up: bool = False) -> RunResult:
        """Walk over the days on which something happens and return what came of it."""
        held: dict[str, Decimal] = {}
        place, days = 0, self.table.days
        while place < len(days):
            day = days[place]
            if self.exchange.live or held:
                fills = len(self.exchange.fills)
                self.exchange.run_day(day)
                if len(self.exchange.fills) > fills or self._has_action(held, day):
                    held = dict(self.portfolio.holdings())
                    self.steps.append((place, self.portfolio.cash, held))
            self.leaving &= held.keys()
            self._give_orders(place, day, held)
            place = self._next_event(place, held)
        if wind_up and held:
            self._wind_up(days[-1], held)
        self.exchange.close()
        return self._result()

    def _wind_up(self, day: str, held: Mapping[str, Decimal]) -> None:
        """Sell what is held at the last close of all."""
        for symbol in sorted(held):
            ticket = Ticket(
                number=len(self.tickets),
                symbol=symbol,
                side="sell",
                after=day,
                quantity=held[symbol],
                reason=WINDOW_END,
            )
            self.tickets.append(ticket)
            self.exchange.sell_out(ticket, self.securities[symbol].value_on(day) or ZERO)
        last = len(self.table.days) - 1
        self.steps = [*(step for step in self.steps if step[0] < last), (last, self.portfolio.cash, {})]

    def _next_event(self, place: int, held: Mapping[str, Decimal]) -> int:
        """Return the next day on which an order waits, a signal counts, or a corporate action is due."""
        following, last = place + 1, len(self.table.days)
        if self.exchange.live or following >= last:
            return following
        found = min(self._after(self.exits, place) if held else last, self._after(self.renewals, place))
        if not self.settings.rebalance and not (held and len(self.table.symbols) == 1):
            found = min(found, self._after(self.entries, place))
        for name in held:
            for day in self.securities[name].actions_by_day:
                at = bisect_left(self.table.days, day)
                if place < at < found:
                    found = at
        return found

    def _after(self, places: Sequence[int], place: int) -> int:
        """Return the first of ascending places after one; the end where there is none."""
        at = bisect_right(places, place)
        return places[at] if at < len(places) else len(self.table.days)

    def _has_action(self, held: Mapping[str, Decimal], day: str) -> bool:
        return any(day in self.securities[name].actions_by_day for name in held)

    # orders

    def _give_orders(self, place: int, day: str, held: dict[str, Decimal]) -> None:
        table, symbols = self.table, self.table.symbols
        waiting = {order.symbol for order in self.exchange.live if not order.is_exit}
        if held:
            self.leaving |= {name for name in held if table.exits[place, self.columns[name]]}
        if self.settings.rebalance:
            if place in self._renewal_set:
                self._renew(place, day, held, waiting)
            else:
                self._leave(held, day, self.leaving, waiting)
            return
        self._leave(held, day, self.leaving, waiting)
        if place not in self._wanted_days:
            return
        wanted = [
            symbols[at]
            for at in self._sort_by_rank(place, self._wanted[place].nonzero()[0])
            if symbols[at] not in held and symbols[at] not in waiting
        ]
        if not wanted:
            return
        most = self.settings.max_positions
        if most is not None:
            taken = len(held.keys() - self.leaving) + len(waiting - held.keys())
            wanted = wanted[: max(most - taken, 0)]
        equity = self._equity(held, day) if wanted else ZERO
        for symbol in wanted:
            self._buy(symbol, day, equity)

    def _sort_by_rank(self, place: int, columns: "NDArray[np.intp]") -> list[int]:
        """Return columns by rank, largest first, ties in the order of the symbols; without a rank as they are."""
        import numpy as np

        if self.table.rank is not None:
            values = self.table.rank[place, columns]
            known = ~np.isnan(values)
            columns = columns[known][np.argsort(-values[known], kind="stable")]
        return columns.tolist()  # type: ignore[no-any-return]

    def _leave(self, held: Mapping[str, Decimal], day: str, leaving: Iterable[str], waiting: set[str]) -> None:
        """Sell what is to be sold and no sale waits for: market orders that wait until they are filled."""
        for symbol in sorted(leaving):
            if symbol in held and symbol not in waiting:
                self._submit(symbol, day, "sell", quantity=held[symbol], validity="gtc")

    def _buy(self, symbol: str, day: str, equity: Decimal) -> None:
        kind, amount = self.settings.size
        if kind == "shares":
            self._submit(symbol, day, "buy", quantity=amount)
        else:
            self._submit(symbol, day, "buy", value=self._target(equity))

    def _target(self, equity: Decimal) -> Decimal:
        """Return the money of one position."""
        kind, amount = self.settings.size
        if kind == "money":
            return amount
        if kind == "percent":
            return equity * amount / HUNDRED
        return equity / (self.settings.max_positions or len(self.table.symbols))

    def _renew(self, place: int, day: str, held: dict[str, Decimal], waiting: set[str]) -> None:
        """Hold the best of those with an entry, in the given size; sell what is not among them."""
        table, symbols, most = self.table, self.table.symbols, self.settings.max_positions
        best = self._sort_by_rank(place, self._wanted[place].nonzero()[0])
        chosen = [symbols[at] for at in best[:most]]
        among = set(chosen)
        # what has no bar today cannot be judged: it stays
        self.leaving |= {name for name in held if name not in among and table.traded[place, self.columns[name]]}
        self.leaving -= among
        self._leave(held, day, self.leaving, waiting)
        equity = self._equity(held, day)
        for symbol in chosen:
            if symbol in waiting:
                continue
            if symbol not in held:
                self._buy(symbol, day, equity)
            elif self.settings.size.kind != "shares":
                self._adjust(symbol, day, held[symbol], self._target(equity))

    def _adjust(self, symbol: str, day: str, quantity: Decimal, target: Decimal) -> None:
        """Buy or sell the difference to a position's size, where it is at least a lot."""
        price = self.securities[symbol].value_on(day) or ZERO
        lot = find_lot(self.securities[symbol].symbol, day)
        missing = target - price * quantity
        if abs(missing) < price * (lot.least if lot else ONE):
            return
        self._submit(symbol, day, "buy" if missing > 0 else "sell", value=abs(missing))

    def _submit(
        self,
        symbol: str,
        day: str,
        side: Literal["buy", "sell"],
        attached: tuple[ExitTicket, ...] | None = None,
        **terms: Any,
    ) -> None:
        """Give an order after the close of a day. `terms`: of a Ticket. A purchase has the exits of the rules."""
        exits = (self._exits() if side == "buy" else ()) if attached is None else attached
        ticket = Ticket(number=len(self.tickets), symbol=symbol, side=side, after=day, attached=exits, **terms)
        self.tickets.append(ticket)
        self.exchange.submit(ticket)

    def _exits(self) -> tuple[ExitTicket, ...]:
        stop, target = self.settings.stop_pct, self.settings.target_pct
        found = []
        if stop is not None:
            found.append(ExitTicket(kind="stop", price=ONE - stop / HUNDRED, relative=True))
        if target is not None:
            found.append(ExitTicket(kind="limit", price=ONE + target / HUNDRED, relative=True))
        return tuple(found)

    def _equity(self, held: Mapping[str, Decimal], day: str) -> Decimal:
        worth = (quantity * (self.securities[name].value_on(day) or ZERO) for name, quantity in held.items())
        return sum(worth, self.portfolio.cash)

    # the result

    def _result(self) -> RunResult:
        import numpy as np

        days = self.table.days
        begins = np.array([place for place, _, _ in self.steps])
        step = np.searchsorted(begins, np.arange(len(days)), side="right") - 1
        cash = np.array([float(money) for _, money, _ in self.steps])[step]
        worth = self._worth()
        equity = np.round(cash + worth, 2)
        exposure = np.round(np.divide(worth, equity, out=np.zeros_like(worth), where=equity > 0), 6)
        last = days[-1]
        return RunResult(
            settings=self.settings,
            currency=self.portfolio.currency,
            days=days,
            equity=tuple(equity.tolist()),
            cash=tuple(cash.tolist()),
            positions=tuple(np.array([len(held) for _, _, held in self.steps])[step].tolist()),
            exposure=tuple(exposure.tolist()),
            orders=tuple(list_orders(self.tickets, self.exchange.fills, self.exchange.unfilled)),
            fills=tuple(self.exchange.fills),
            trips=tuple(find_round_trips(self.portfolio.books)),
            open_trips=tuple(self._open_trips(last)),
            looked=int(self.table.traded.any(axis=0).sum()),
            ended_early=tuple(self._ended_early(last)),
            st_unknown=self._count_st_unknown(),
            fees_assumed=dict(self.exchange.fees_assumed),
            simulated=self.market.simulated,
        )

    def _worth(self) -> "F":
        """Return what the holdings were worth at each close."""
        import numpy as np

        days, total = list(self.table.days), np.zeros(len(self.table.days))
        ends = [*(place for place, _, _ in self.steps[1:]), len(days)]
        spans: dict[str, list[tuple[int, int, Decimal]]] = {}
        for (begin, _, held), end in zip(self.steps, ends, strict=True):
            for name, shares in held.items():
                known, first = spans.setdefault(name, []), begin
                if known and known[-1][1:] == (begin, shares):
                    first = known.pop()[0]
                known.append((first, end, shares))
        for name in sorted(spans):
            closes = np.asarray(self.securities[name].bars.close, dtype=np.float64)
            for begin, end, shares in spans[name]:
                total[begin:end] += float(shares) * _closing_values(self.securities[name], closes, days[begin:end])
        return np.round(total, 2)

    def _open_trips(self, last: str) -> Iterable[RoundTrip]:
        for name, holding in self.portfolio.books.holdings.items():
            price = self.securities[name].value_on(last) or ZERO
            for lot in holding.lots:
                yield RoundTrip(
                    symbol=name,
                    name=holding.name,
                    currency=holding.currency,
                    quantity=float(lot.quantity),
                    cost=float(lot.cost),
                    proceeds=float(lot.quantity * price),
                    opened=lot.date,
                    closed=last,
                )

    def _count_st_unknown(self) -> int:
        stocks = any(each.symbol.market == "CN" and each.symbol.kind == "stock" for each in self.securities.values())
        return len(set(self.table.days) - self.market.st_told) if stocks else 0

    def _ended_early(self, last: str) -> Iterable[str]:
        for name, security in self.securities.items():
            dates = security.bars.date
            if dates and dates[-1] < last and (date.fromisoformat(last) - date.fromisoformat(dates[-1])).days > 31:
                yield name


def _closing_values(security: Security, closes: "F", days: list[str]) -> "F":
    """Return what a share is worth at the close of some days in a row; where there is no bar by the actions since."""
    import numpy as np

    dates = security.bars.date
    place = bisect_left(dates, days[0])
    if dates[place : place + len(days)] == days:
        return closes[place : place + len(days)]
    return np.array([float(security.value_on(day) or 0) for day in days])


def _period_starts(days: Sequence[str], rebalance: Rebalance) -> list[int]:
    """Return the places of the first day of each period: that it is the first is known on the day itself."""

    def period(day: str) -> object:
        if rebalance == "daily":
            return day
        return day[:7] if rebalance == "monthly" else date.fromisoformat(day).isocalendar()[:2]

    if not rebalance:
        return []
    return [at for at in range(len(days)) if not at or period(days[at]) != period(days[at - 1])]


def list_orders(tickets: Sequence[Ticket], fills: Iterable[Fill], unfilled: Iterable[Unfilled]) -> list[OrderRow]:
    """Return a row for each order and each attached exit that came to life, in the order in which they were given."""
    filled: dict[str, list[Fill]] = {}
    for fill in fills:
        filled.setdefault(fill.order, []).append(fill)
    ends = {each.order: each for each in unfilled}
    rows = []
    for ticket in tickets:
        name = str(ticket.number)
        rows.append(_order_row(ticket, name, filled.get(name, []), ends.get(name)))
        for exit_ticket in ticket.attached:
            exit_name = f"{name}.{exit_ticket.kind}"
            if exit_name in filled or exit_name in ends:
                born = filled[name][0] if name in filled else None
                rows.append(
                    _exit_row(ticket, exit_ticket, exit_name, born, filled.get(exit_name, []), ends.get(exit_name))
                )
    return rows


def _order_row(ticket: Ticket, name: str, fills: Sequence[Fill], end: Unfilled | None) -> OrderRow:
    return OrderRow(
        order=name,
        given=ticket.after,
        symbol=ticket.symbol,
        side=ticket.side,
        kind=ticket.kind,
        quantity=ticket.quantity,
        value=ticket.value,
        trigger=ticket.price,
        **(_outcome(fills, end) | ({"reason": ticket.reason} if ticket.reason else {})),  # type: ignore[arg-type]
    )


def _exit_row(
    ticket: Ticket, exit_ticket: ExitTicket, name: str, born: Fill | None, fills: Sequence[Fill], end: Unfilled | None
) -> OrderRow:
    price = exit_ticket.price
    if exit_ticket.relative and born is not None:
        price *= born.price
    return OrderRow(
        order=name,
        given=born.date if born else ticket.after,
        symbol=ticket.symbol,
        side="sell",
        kind=exit_ticket.kind,
        quantity=None,
        value=None,
        trigger=price,
        **_outcome(fills, end),  # type: ignore[arg-type]
    )


def _outcome(fills: Sequence[Fill], end: Unfilled | None) -> dict[str, object]:
    quantity = sum((each.quantity for each in fills), ZERO)
    amount = sum((each.quantity * each.price for each in fills), ZERO)
    status = "filled" if end is None else "partial" if fills else end.status
    return {
        "status": status,
        "reason": end.reason if end else "",
        "ended": (end.date if end is not None else fills[-1].date if fills else None),
        "filled": quantity,
        "price": amount / quantity if quantity else None,
        "fees": sum((each.fees.total for each in fills), ZERO),
        "dividend_tax": sum((each.dividend_tax for each in fills), ZERO),
    }
