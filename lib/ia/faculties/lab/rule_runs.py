"""A backtest of rules: conditions on each bar become orders, which the exchange fills from the next bar on.

`run_rules` is a plain function of settings and prices: nothing is read or written, and the same input gives the same
result to the byte. A signal of day t sees the bars up to t; its orders live from the next trading day on.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from ia.domain.performance.round_trips import RoundTrip
from ia.faculties.lab.exchange import Exchange
from ia.faculties.lab.order_rows import list_orders
from ia.faculties.lab.portfolio import Portfolio
from ia.faculties.lab.run_results import RunAccount, assemble_result
from ia.faculties.lab.run_types import Rebalance, RuleSettings, RunMarket, RunResult, SignalTable
from ia.faculties.lab.signal_sections import compare_securities
from ia.faculties.lab.signals import SignalBars, SignalExpression, compile_signal
from ia.faculties.lab.single_runs import run_single
from ia.faculties.lab.tickets import ExitTicket, Ticket
from ia.kernel.collection import pause_collection
from ia.kernel.errors import NotFound

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    B = NDArray[np.bool_]

ZERO, ONE, HUNDRED = Decimal(0), Decimal(1), Decimal(100)

BLOCK = 256
"""Securities whose expressions are evaluated at once: they share the steps over the rows, and stay in the cache."""
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
    with pause_collection():
        table = evaluate_signals(settings, market, show=show)
        if not wind_up and (found := run_single(settings, market, table)):
            return found
        return RuleRun(settings, market, table).run(wind_up=wind_up)


def compile_rules(
    settings: RuleSettings,
) -> tuple[SignalExpression, SignalExpression | None, SignalExpression | None]:
    """Return entry, exit and rank; so bad expressions are told before prices are loaded. Raises as `run_rules`."""
    return (
        compile_signal(settings.entry, "--entry"),
        compile_signal(settings.exit, "--exit") if settings.exit else None,
        compile_signal(settings.rank, "--rank") if settings.rank else None,
    )


def evaluate_signals(
    settings: RuleSettings, market: RunMarket, *, show: Callable[[int, int], None] = lambda done, total: None
) -> SignalTable:
    """Return the signals of each day in the time of a run. Raises as `run_rules`."""
    import numpy as np

    entry, leave, rank = compile_rules(settings)
    days = list_days(settings, market)
    symbols = tuple(market.securities)
    shape = (len(symbols), len(days))  # a security's days lie side by side
    calendar = list(days)
    traded, entries, exits = (np.zeros(shape, dtype=np.bool_).T for _ in range(3))
    ranks = np.full(shape, np.nan).T if rank else None
    compared = compare_securities((entry, leave, rank), market)
    for start in range(0, len(symbols), BLOCK):
        columns = []
        for column in range(start, min(start + BLOCK, len(symbols))):
            dates = market.signal_bars[symbols[column]].date
            if dates and dates[-1] >= days[0] and dates[0] <= days[-1]:
                columns.append(column)
        many = [market.signal_bars[symbols[column]] for column in columns]
        places = [_find_rows(bars.date, calendar) for bars in many]
        several = SignalBars(many, [compared[symbols[column]] for column in columns])
        for column, (rows, within), truths in zip(columns, places, entry.truths_of(several), strict=True):
            traded[rows, column] = True
            entries[rows, column] = truths[within]
        if leave:
            for column, (rows, within), truths in zip(columns, places, leave.truths_of(several), strict=True):
                exits[rows, column] = truths[within]
        if rank and ranks is not None:
            for column, (rows, within), numbers in zip(columns, places, rank.numbers_of(several), strict=True):
                ranks[rows, column] = numbers[within]
        show(min(start + BLOCK, len(symbols)), len(symbols))
    return SignalTable(days=days, symbols=symbols, traded=traded, entries=entries, exits=exits, rank=ranks)


def list_days(settings: RuleSettings, market: RunMarket) -> tuple[str, ...]:
    """Return the trading days of a run. raises NotFound where there is none."""
    known = market.trading_days
    begin = bisect_left(known, settings.since)
    end = bisect_right(known, settings.until) if settings.until else len(known)
    days = tuple(known[begin:end])
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

    days = list_days(settings, market)
    symbols = tuple(market.securities)
    none = np.zeros((len(days), len(symbols)), dtype=np.bool_)
    traded = none.copy()
    for column, symbol in enumerate(symbols):
        known = set(market.securities[symbol].bars.date)
        traded[:, column] = [day in known for day in days]
    return SignalTable(days=days, symbols=symbols, traded=traded, entries=none, exits=none, rank=None)


def _find_rows(dates: Sequence[str], days: list[str]) -> "tuple[NDArray[np.intp] | slice, B | slice]":
    """Return the rows of the days that are among the dates, and the places of these dates; slices without a gap."""
    import numpy as np

    begin, end = bisect_left(dates, days[0]), bisect_right(dates, days[-1])
    if begin < end:
        first = bisect_left(days, dates[begin])
        if days[first : first + end - begin] == dates[begin:end]:
            return slice(first, first + end - begin), slice(begin, end)
    places = {day: at for at, day in enumerate(days)}
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
        self._places_by_name: dict[str, list[int]] = {}
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
            found = min(found, self._after(self._action_places(name), place))
        return found

    def _action_places(self, name: str) -> list[int]:
        """Return the places of the corporate actions of a security, each that of the first day from its date on."""
        found = self._places_by_name.get(name)
        if found is None:
            days = self.securities[name].actions_by_day
            found = self._places_by_name[name] = sorted(bisect_left(self.table.days, day) for day in days)
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
            columns, values = columns[known], -values[known]
            most = self.settings.max_positions
            if self.settings.rebalance and most is not None and most < len(values) // 4:
                among = values <= np.partition(values, most - 1)[most - 1]  # no other one is wanted
                columns, values = columns[among], values[among]
            columns = columns[np.argsort(values, kind="stable")]
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
        lot = self.securities[symbol].lot_on(day)
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

    def _result(self) -> RunResult:
        from ia.organs.ledger.performance import find_round_trips

        last = self.table.days[-1]
        account = RunAccount(
            currency=self.portfolio.currency,
            steps=self.steps,
            orders=tuple(list_orders(self.tickets, self.exchange.fills, self.exchange.unfilled)),
            fills=tuple(self.exchange.fills),
            trips=tuple(find_round_trips(self.portfolio.books)),
            open_trips=tuple(self._open_trips(last)),
            fees_assumed=dict(self.exchange.fee_table.assumed),
        )
        return assemble_result(self.settings, self.market, self.table, account)

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


def _period_starts(days: Sequence[str], rebalance: Rebalance) -> list[int]:
    """Return the places of the first day of each period: that it is the first is known on the day itself."""

    def period(day: str) -> object:
        if rebalance == "daily":
            return day
        return day[:7] if rebalance == "monthly" else date.fromisoformat(day).isocalendar()[:2]

    if not rebalance:
        return []
    return [at for at in range(len(days)) if not at or period(days[at]) != period(days[at - 1])]
