"""A run of one security with market orders only: a walk over the days on which something happens.

It comes to what `ia.faculties.lab.rule_runs.RuleRun` comes to, to the byte, at a fraction of the time: while nothing
else can be bought, there is one lot at most, one order, and no question which of several comes first. Fees, lots,
price limits, volume and corporate actions are those of the exchange and of the ledger; a case that needs more of them
is left to `RuleRun`.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.boards import find_board, trading_currency
from ia.domain.performance.round_trips import RoundTrip
from ia.domain.rules.fees import ZERO_CENTS, FeeRates, Fees, Side, round_to_cents
from ia.domain.rules.lots import WHOLE_SHARES, LotRule, check_quantity, find_lot
from ia.domain.rules.table import period_end
from ia.faculties.lab.exchange import (
    BELOW_LOT,
    FeeTable,
    cap_volume,
    count_sessions_listed,
    find_affordable,
    is_blocked,
)
from ia.faculties.lab.order_rows import OrderRow, summarise_outcome
from ia.faculties.lab.portfolio import Portfolio, total_cost
from ia.faculties.lab.quick_trips import (
    CentRules,
    Chances,
    QuickTrip,
    add_fees,
    cents_of,
    find_chances,
    is_quick,
    pay_dividends,
    to_fees,
    to_money,
)
from ia.faculties.lab.run_results import RunAccount, Step, assemble_result
from ia.faculties.lab.run_types import RuleSettings, RunMarket, RunResult, SignalTable
from ia.faculties.lab.securities import Security
from ia.faculties.lab.tickets import Fill, Outcome, Unfilled
from ia.organs.ledger.booking import Holding, TaxLot, prorate_cost
from ia.organs.ledger.order import to_decimal
from ia.organs.ohlcv.adjustment import Action

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    B = NDArray[np.bool_]
    Places = NDArray[np.int64]

ZERO, ONE, HUNDRED = Decimal(0), Decimal(1), Decimal(100)


class Unusual(Exception):
    """Something happened that only the whole exchange settles."""


class SingleOrder(NamedTuple):
    """An order: `given` is the place of its day.

    end   why not all of it was filled; None where it was
    """

    given: int
    side: Side
    quantity: Decimal | None
    value: Decimal | None
    fills: tuple[Fill, ...]
    end: Unfilled | None


class ClosedLot(NamedTuple):
    """What a sale closed: the lot or the part of one, its proceeds less fees, and the day of the sale."""

    lot: TaxLot
    proceeds: Decimal
    closed: str


class CashStep(NamedTuple):
    """From a place on there was so much cash, and so many shares were held."""

    place: int
    cash: Decimal
    held: Decimal


def run_single(settings: RuleSettings, market: RunMarket, table: SignalTable) -> RunResult | None:
    """Return what a run of one security comes to; None where it takes the whole exchange."""
    if not is_single(settings) or len(market.securities) != 1 or not _lies_within(market, table):
        return None
    ((name, security),) = market.securities.items()
    walk = SingleWalk(settings, security, table.days, market.trading_days)
    try:
        walk.run(table.entries[:, 0], table.exits[:, 0], table.traded[:, 0])
    except Unusual:
        return None
    orders, fills = walk.list_orders()
    account = RunAccount(
        currency=walk.currency,
        steps=walk.list_steps(),
        orders=tuple(orders),
        fills=tuple(fills),
        trips=tuple(walk.list_trips()),
        open_trips=tuple(walk.list_open_trips()),
        fees_assumed=walk.fee_table.assumed,
    )
    assert name == walk.name
    return assemble_result(settings, market, table, account)


def is_single(settings: RuleSettings) -> bool:
    """Return True if rules give nothing but market orders for each security on its own."""
    whole_shares = settings.size.kind != "shares" or settings.size.amount % 1 == 0
    return (
        not settings.rebalance
        and settings.stop_pct is None
        and settings.target_pct is None
        and (settings.max_positions is None or settings.max_positions >= 1)
        and whole_shares
    )


def _lies_within(market: RunMarket, table: SignalTable) -> bool:
    """Return True if each bar in the days of a run lies on one of these days."""
    (security,) = market.securities.values()
    dates, days = security.bars.date, table.days
    begin = bisect_left(dates, days[0])
    end = bisect_left(dates, days[-1] + "~")
    return end - begin == int(table.traded.sum())


def _is_dividend(action: Action) -> bool:
    return not action.bonus and action.split == 1 and action.cash >= 0


class SingleWalk:
    """The walk over the days of one security, and what it leaves behind.

    log               what happened, in order
    orders            how many were given
    cash, lot, held   at the end; the lot is None where nothing is held. `held` is its quantity, with the decimal places
                      that the ledger would show
    """

    def __init__(
        self, settings: RuleSettings, security: Security, days: Sequence[str], trading_days: Sequence[str]
    ) -> None:
        self.settings, self.security, self.days, self.trading_days = settings, security, days, trading_days
        self.name = security.symbol.canonical
        self.currency = trading_currency(security.symbol)
        self.fee_table = FeeTable(settings.terms)
        self.cash = settings.cash
        self.lot: TaxLot | None = None
        self.held = ZERO
        self.orders = 0
        self.log: list[QuickTrip | SingleOrder | ClosedLot | CashStep] = []
        self._fills: list[Fill] = []  # of the order that is going on
        self._board = find_board(security.symbol)
        self._rates: dict[Side, FeeRates] = {}
        self._lot: LotRule | None = None
        self._settles = False
        self._rules_until = ""
        self._chances: Chances | None = None
        self._cent_rules: dict[str, CentRules] = {}
        self._portfolio: Portfolio | None = None

    def run(self, entries: "B", exits: "B", traded: "B") -> None:
        """Walk over the days; raises Unusual for what only the whole exchange settles."""
        if self.security.delisting is not None:
            raise Unusual
        self._locate_bars(traded)
        actions = self.security.actions_by_day
        places = ((bisect_left(self.days, day), each) for day, each in sorted(actions.items()))
        self._actions = {at: each for at, each in places if at < len(self.days) and self.days[at] in actions}
        self._action_places = sorted(self._actions)
        buys, sales = (entries & ~exits).nonzero()[0], exits.nonzero()[0]
        wanted, leaving = buys.tolist(), sales.tolist()
        if is_quick(self.settings):
            near, opens = self.security.near_limits, self.security.columns.open
            odd = [at for at, each in self._actions.items() if not all(map(_is_dividend, each))]
            self._chances = find_chances(
                buys, sales, len(self.days), self._rows_of, near, self._action_places, sorted(odd), opens
            )
        place, last = 0, len(self.days)
        while True:
            place = self._make_trips(place)
            at = bisect_left(wanted, place)
            if at == len(wanted):
                return
            place = self._buy(wanted[at])
            while self.lot is not None:
                at = bisect_left(leaving, place)
                until = leaving[at] if at < len(leaving) else last
                if until > place and self._action_places:
                    self._pass_actions(place, until)
                if until == last:
                    return
                place = self._sell(until)
                while self.lot is not None and place < last:  # what a sale could not sell is sold by the next one
                    place = self._sell(place)
            if place >= last:
                return

    def _locate_bars(self, traded: "B") -> None:
        """Find the bar of each day, and the bars that price limits may have stopped."""
        import numpy as np

        bars = self.security.bars
        self._begin = bisect_left(bars.date, self.days[0])
        self._rows = None if traded.all() else np.where(traded, self._begin - 1 + np.cumsum(traded), -1)
        self._suspects = self.security.rows_near_limits
        self._open, self._volume = bars.open, bars.volume

    def _rows_of(self, places: "Places") -> "Places":
        return self._begin + places if self._rows is None else self._rows[places]

    # trips without anything particular

    def _make_trips(self, place: int) -> int:
        """Make the trips from a place on that go as they should; return the place from which one may not."""
        found = self._chances
        if found is None or self.lot is not None or self.held.as_tuple().exponent:
            return place
        at, cash, days, until = bisect_left(found.given, place), int(self.cash * 100), self.days, ""
        first = len(self.log)
        while at < found.trips and found.plain[at]:
            begin, end, row, bar = found.given[at] + 1, found.end[at], found.row[at], found.bar[at]
            if days[begin] >= until:
                rules, until = self._rules_of(days[begin]), self._rules_until
            sold = found.sold[at]
            quantity, fees, cost = rules.afford(cash, found.units[at])
            if not quantity or (rules.capped and rules.most(self._volume[row]) < quantity):
                break
            if days[end] >= until:
                rules, until = self._rules_of(days[end]), self._rules_until
            if rules.capped and rules.most(self._volume[bar]) < quantity:
                break
            taken = rules.charger("sell")(sold, quantity)
            net = cents_of(sold * quantity) - add_fees(taken)
            before, cash = cash, cash + net - cost
            paid: tuple[tuple[int, int], ...] = ()
            tax = 0
            if found.first[at] < found.after[at]:
                days_paid = [
                    self._dividends_of(each) for each in self._action_places[found.first[at] : found.after[at]]
                ]
                paid, tax = pay_dividends(self.security.symbol, quantity, days_paid, days[begin], days[end])
                cash += sum(money for _, money in paid) - tax
            made = (before, quantity, begin - 1, begin, row, fees, cost, end - 1, end, bar, taken, net, paid, tax)
            self.log.append(QuickTrip._make(made))  # by place: by name it takes three times as long
            place, at = end, found.following[at]
        self._rules_until = ""  # what was looked up may be of a later day
        if len(self.log) > first:
            self.orders += 2 * (len(self.log) - first)
            self.cash = to_money(cash)
        return place

    def _dividends_of(self, place: int) -> tuple[int, str, list[Decimal]]:
        return place, self.days[place], [to_decimal(each.cash) for each in self._actions[place] if each.cash]

    def _rules_of(self, day: str) -> CentRules:
        """Return what holds on a day, which is not before the last one that was asked for."""
        self._rules_until = period_end(self._board, day)
        rules = self._cent_rules.get(self._rules_until)
        if rules is None:
            self.security.settlement_days(day)  # the exchange refuses a day whose settlement is not known
            rules = self._cent_rules[self._rules_until] = CentRules(self.fee_table, self.security.symbol, day)
        return rules

    # orders

    def _buy(self, given: int) -> int:
        """Give a purchase after the close of a day; return the place of the day on which it ended."""
        kind, amount = self.settings.size
        quantity = value = None
        if kind == "shares":
            quantity = amount
            if check_quantity(self.security.symbol, self.days[given], "buy", quantity, ZERO) is not None:
                self._end(given, "buy", quantity, None, "rejected", "lot", self.days[given])
                return given + 1
        else:
            value = self._value_of(self.cash)
        place = given + 1
        if place == len(self.days):
            self._end(given, "buy", quantity, value, "open", "end", None)
            return place
        if quantity is not None and place in self._actions:
            raise Unusual  # a split changes the number of shares that are asked for
        day = self.days[place]
        row = self._row_of(place)
        obstacle = self._find_obstacle(day, row, "buy")
        if obstacle:
            self._end(given, "buy", quantity, value, "expired", obstacle, day)
            return place
        price = to_decimal(self._open[row])
        if day >= self._rules_until:
            self._learn_rules(day)
        lot = self._lot or WHOLE_SHARES
        fees: Fees | None = None
        if quantity is None:
            wanted, fees = find_affordable(
                min(value or ZERO, self.cash), price, lot,
                lambda count: self._charge(day, "buy", price, count),
            )  # fmt: skip
            if not wanted:
                reason = BELOW_LOT if total_cost(price, lot.least, fees) > (value or ZERO) else "cash"
                self._end(given, "buy", None, value, "rejected", reason, day)
                return place
        else:
            wanted = quantity
        capped = self._within_volume(row, wanted)
        if not capped:
            self._end(given, "buy", quantity, value, "expired", "volume", day)
            return place
        if fees is None or capped != wanted:
            fees = self._charge(day, "buy", price, capped)
        cost = total_cost(price, capped, fees)
        if cost > self.cash:
            self._end(given, "buy", quantity, value, "rejected", "cash", day)
            return place
        self.cash -= cost
        self.lot = TaxLot(capped, cost, day)
        self.held += capped
        self._fill(day, "buy", capped, price, fees, ZERO)
        if quantity is not None and quantity > capped:
            self._end(given, "buy", quantity, value, "expired", "volume", day, quantity - capped)
        else:
            self._complete(given, "buy", quantity, value)
        self._note_step(place, True)
        return place

    def _value_of(self, cash: Decimal) -> Decimal:
        """Return the money of a purchase."""
        kind, amount = self.settings.size
        if kind == "money":
            return amount
        return cash * amount / HUNDRED if kind == "percent" else cash / (self.settings.max_positions or 1)

    def _sell(self, given: int) -> int:
        """Give a sale of all that is held, which waits until it is filled; return the place of the day it ended on."""
        assert self.lot is not None
        quantity = left = self.held
        place = given
        while True:
            place += 1
            if place == len(self.days):
                self._end(given, "sell", quantity, None, "open", "end", None, left)
                return place
            acted = self._actions.get(place)
            if acted is not None:
                ratio = ONE
                for action in acted:
                    ratio *= to_decimal(action.split)
                self._act(place)
                if ratio != 1:
                    left = (left * ratio).to_integral_value()
            day, row = self.days[place], self._row_of(place)
            sold = ZERO
            if not self._find_obstacle(day, row, "sell"):
                if not left or left > self.held:
                    self._note_step(place, acted is not None)
                    self._end(given, "sell", quantity, None, "rejected", "shares", day, left)
                    return place
                sold = self._sell_at_open(day, row, left)
                left -= sold
            self._note_step(place, bool(sold) or acted is not None)
            if sold and not left:
                self._complete(given, "sell", quantity, None)
                return place
            if self.lot is None:
                raise Unusual

    def _sell_at_open(self, day: str, row: int, left: Decimal) -> Decimal:
        """Sell what the volume of the bar allows; all that is held may be sold, none of it was bought today."""
        assert self.lot is not None
        if day >= self._rules_until:
            self._learn_rules(day)
        if not self._settles:
            self.security.settlement_days(day)  # the exchange refuses a day whose settlement is not known
            self._settles = True
        quantity = self._within_volume(row, left)
        if not quantity:
            return ZERO
        price = to_decimal(self._open[row])
        fees = self._charge(day, "sell", price, quantity)
        net = round_to_cents(price * quantity) - fees.total
        held = self.lot
        if quantity == held.quantity:
            part, self.lot = held, None
        else:
            part = TaxLot(quantity, prorate_cost(held.cost, quantity, held.quantity), held.date)
            self.lot = TaxLot(held.quantity - quantity, held.cost - part.cost, held.date)
        self.held -= quantity
        self.cash += net
        tax = ZERO_CENTS
        if self._portfolio is not None and (tax := self._portfolio.tax_of_sale(self.name, [part], day)):
            self.cash -= tax
        self._fill(day, "sell", quantity, price, fees, tax)
        self.log.append(ClosedLot(part, net, day))
        return quantity

    def _fill(self, day: str, side: Side, quantity: Decimal, price: Decimal, fees: Fees, tax: Decimal) -> None:
        """Note a fill of the order that is going on."""
        self._fills.append(
            Fill(
                order=str(self.orders),
                date=day,
                symbol=self.name,
                side=side,
                quantity=quantity,
                price=price,
                fees=fees,
                dividend_tax=tax,
            )
        )

    def _complete(self, given: int, side: Side, quantity: Decimal | None, value: Decimal | None) -> None:
        """Note an order that was filled to the last share."""
        self._note_order(
            SingleOrder(given=given, side=side, quantity=quantity, value=value, fills=tuple(self._fills), end=None)
        )

    def _end(
        self,
        given: int,
        side: Side,
        quantity: Decimal | None,
        value: Decimal | None,
        status: Outcome,
        reason: str,
        day: str | None,
        left: Decimal | None = None,
    ) -> None:
        """Note an order that ends with shares left."""
        fills = tuple(self._fills)
        end = Unfilled(order=str(self.orders), status=status, reason=reason, date=day, left=left if fills else None)
        self._note_order(SingleOrder(given=given, side=side, quantity=quantity, value=value, fills=fills, end=end))

    def _note_order(self, order: SingleOrder) -> None:
        self.log.append(order)
        self.orders += 1
        self._fills.clear()

    def _note_step(self, place: int, changed: bool) -> None:
        if changed:
            self.log.append(CashStep(place, self.cash, self.held if self.lot else ZERO))

    # what holds on a day

    def _row_of(self, place: int) -> int:
        """Return the row of the bar of a day; -1 where there is none."""
        return self._begin + place if self._rows is None else int(self._rows[place])

    def _find_obstacle(self, day: str, row: int, side: Side) -> str:
        if row < 0:
            return "suspended"
        if row not in self._suspects:
            return ""
        security = self.security
        bar = security.bar_on(day)
        limits = security.limits_on(day, count_sessions_listed(security, day, self.trading_days))
        return "price limit" if bar and limits and is_blocked(side, bar, limits) else ""

    def _learn_rules(self, day: str) -> None:
        """Look up the lot of a day, and until when no rule changes; the rates follow when they are asked for."""
        self._rules_until = period_end(self._board, day)
        self._lot = find_lot(self.security.symbol, day)
        self._rates.clear()
        self._settles = False

    def _charge(self, day: str, side: Side, price: Decimal, quantity: Decimal) -> Fees:
        return self.fee_table.charge(self._find_rates(day, side), price, quantity)

    def _find_rates(self, day: str, side: Side) -> FeeRates:
        rates = self._rates.get(side)
        if rates is None:
            rates = self._rates[side] = self.fee_table.find_rates(self.security.symbol, day, side)
        return rates

    def _within_volume(self, row: int, wanted: Decimal) -> Decimal:
        cap = self.settings.terms.volume_cap_pct
        if cap is None:
            return wanted
        most = cap_volume(cap, int(self._volume[row]), self._lot and self._lot.step)
        return wanted if wanted <= most else most

    # corporate actions

    def _pass_actions(self, place: int, until: int) -> None:
        """Book the corporate actions of the days after one place, up to another and with it."""
        for at in self._action_places[bisect_left(self._action_places, place + 1) :]:
            if at > until:
                return
            self._act(at)
            self._note_step(at, True)

    def _act(self, place: int) -> None:
        """Let the ledger book the corporate actions of a day on what is held."""
        assert self.lot is not None
        if self._portfolio is None:
            self._portfolio = Portfolio({self.name: self.security}, self.cash, {})
        holding = Holding(self.name, "", self.currency, deque([self.lot]), self.held, self.lot.cost, day=self.lot.date)
        self.cash = self._portfolio.act_on_holding(holding, self.days[place], self._actions[place], self.cash)
        if len(holding.lots) != 1 or not holding.quantity:
            raise Unusual
        self.lot, self.held = holding.lots[0], holding.quantity

    # the result

    def list_orders(self) -> tuple[list[OrderRow], list[Fill]]:
        """Return the rows of all orders, which are numbered as they come, and their fills."""
        rows: list[OrderRow] = []
        fills: list[Fill] = []
        for each in self.log:
            if type(each) is SingleOrder:
                rows.append(self._order_row(len(rows), each))
                fills += each.fills
            elif type(each) is QuickTrip:
                value = self._value_of(to_money(each.cash) if fills else self.settings.cash)
                shares = Decimal(each.quantity)
                for given, side, place, row, quantity, money, fees, tax in (
                    (each.given, "buy", each.place, each.row, None, value, each.fees, ZERO),
                    (each.left, "sell", each.filled, each.bar, shares, None, each.sale_fees, to_money(each.tax)),
                ):
                    number, day, price = str(len(rows)), self.days[place], to_decimal(self._open[row])
                    taken = to_fees(fees)
                    # by place: by name they take four times as long, and there are thousands
                    fills.append(Fill._make((number, day, self.name, side, shares, price, taken, tax)))
                    rows.append(
                        OrderRow._make(
                            (
                                *(number, self.days[given], self.name, side, "market", quantity, money, None),
                                *("filled", "", day, shares, price, to_money(add_fees(fees)), tax),
                            )
                        )
                    )
        return rows, fills

    def unfilled_rows(self) -> Iterable[OrderRow]:
        """Return the rows of the orders that were not filled to the last share."""
        number = 0
        for each in self.log:
            if type(each) is QuickTrip:
                number += 2
            elif type(each) is SingleOrder:
                if each.end is not None:
                    yield self._order_row(number, each)
                number += 1

    def _order_row(self, number: int, order: SingleOrder) -> OrderRow:
        return OrderRow(
            order=str(number),
            given=self.days[order.given],
            symbol=self.name,
            side=order.side,
            kind="market",
            quantity=order.quantity,
            value=order.value,
            trigger=None,
            **summarise_outcome(order.fills, order.end),  # type: ignore[arg-type]
        )

    def list_steps(self) -> list[Step]:
        """Return the steps as `RunAccount` has them."""
        found: list[Step] = [(0, self.settings.cash, {})]
        for each in self.log:
            if type(each) is CashStep:
                found.append((each.place, each.cash, {self.name: each.held} if each.held else {}))
            elif type(each) is QuickTrip:
                left = each.cash - each.cost
                held = {self.name: Decimal(each.quantity)}
                found.append((each.place, to_money(left), held))
                for place, paid in each.dividends:
                    left += paid
                    if place < each.filled:
                        found.append((place, to_money(left), held))
                found.append((each.filled, to_money(left + each.net - each.tax), {}))
        return found

    def list_columns(self) -> tuple[list[int], list[float], list[float]]:
        """Return place, cash and shares of each step."""
        places, money, shares = [0], [float(self.settings.cash)], [0.0]
        for each in self.log:
            if type(each) is QuickTrip:
                left = each.cash - each.cost
                places.append(each.place)
                money.append(left / 100)
                shares.append(each.quantity)
                for place, paid in each.dividends:
                    left += paid
                    if place < each.filled:
                        places.append(place)
                        money.append(left / 100)
                        shares.append(each.quantity)
                places.append(each.filled)
                money.append((left + each.net - each.tax) / 100)
                shares.append(0.0)
            elif type(each) is CashStep:
                places.append(each.place)
                money.append(float(each.cash))
                shares.append(float(each.held))
        return places, money, shares

    def list_gains(self) -> list[float]:
        """Return the gain of each closed trade."""
        found = []
        for each in self.log:
            if type(each) is QuickTrip:
                found.append(each.net / 100 - each.cost / 100)
            elif type(each) is ClosedLot:
                found.append(float(each.proceeds) - float(each.lot.cost))
        return found

    def sum_fees(self) -> Decimal:
        """Return the fees of all trades."""
        cents, money = 0, ZERO
        for each in self.log:
            if type(each) is QuickTrip:
                cents += add_fees(each.fees) + add_fees(each.sale_fees)
            elif type(each) is SingleOrder:
                money += sum((fill.fees.total for fill in each.fills), ZERO)
        return money + to_money(cents)

    def list_trips(self) -> Iterable[RoundTrip]:
        """Return the closed trades."""
        for each in self.log:
            if type(each) is QuickTrip:
                yield RoundTrip(
                    symbol=self.name,
                    name="",
                    currency=self.currency,
                    quantity=float(each.quantity),
                    cost=each.cost / 100,
                    proceeds=each.net / 100,
                    opened=self.days[each.place],
                    closed=self.days[each.filled],
                )
            elif type(each) is ClosedLot:
                yield self._trip(each.lot, each.proceeds, each.closed)

    def list_open_trips(self) -> Iterable[RoundTrip]:
        """Return what is held at the end, at its last close."""
        if self.lot is not None:
            last = self.days[-1]
            worth = self.lot.quantity * (self.security.value_on(last) or ZERO)
            yield self._trip(self.lot, worth, last)

    def _trip(self, lot: TaxLot, proceeds: Decimal, closed: str) -> RoundTrip:
        return RoundTrip(
            symbol=self.name,
            name="",
            currency=self.currency,
            quantity=float(lot.quantity),
            cost=float(lot.cost),
            proceeds=float(proceeds),
            opened=lot.date,
            closed=closed,
        )
