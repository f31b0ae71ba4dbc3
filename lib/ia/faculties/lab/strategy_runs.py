"""A backtest of a strategy file: `on_bar(ctx)` runs in the sandbox after each close, its orders fill from the next bar.

While nothing of the account can change, the strategy is asked for many days at once; a call for each day would cost
more than the strategy itself.
"""

from bisect import bisect_left
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ia.domain.instruments.boards import tick_size
from ia.faculties.lab.rule_runs import RuleRun, find_traded_days, list_days
from ia.faculties.lab.run_types import RuleSettings, RunMarket, RunResult
from ia.faculties.lab.tickets import ExitTicket
from ia.kernel import config
from ia.kernel.errors import BadData, TimedOut
from ia.kernel.jsontypes import Json
from ia.organs.compute.strategy_process import StrategyProcess
from ia.organs.ledger.order import to_decimal
from ia.organs.ohlcv.adjustment import adjustment_factors
from ia.organs.ohlcv.canonical import Bars

SECONDS_A_DAY = 0.005
"""What a strategy may take for a day, on top of the setting compute.timeout for each stretch of days."""


def run_strategy(source: str, origin: str, settings: RuleSettings, market: RunMarket) -> RunResult:
    """Return what a strategy file comes to on past prices. Of the settings only cash, time and terms count.

    Raises:
        BadData: it does not parse, raises an error (the line and the day are named), or gives an order that is none.
        Refused: the policy of `ia compute` forbids it.
        TimedOut: it takes too long.
        NotFound: there is no bar in the time.
    """
    with StrategyProcess(source, origin) as process:
        seconds = float(config.get_setting("compute.timeout"))
        bars = [(name, each.bars, _factors(market, name)) for name, each in market.securities.items()]
        process.start(
            [(name, _plain_bars(each), factors) for name, each, factors in bars],
            list_days(settings, market),
            timeout=seconds,
            isolation=str(config.get_setting("compute.isolation")),
        )
        return _StrategyRun(settings, market, process, origin).run()


def _plain_bars(bars: Bars) -> Bars:
    columns: list[Any] = [column if isinstance(column, list) else column.tolist() for column in bars]
    return Bars._make(columns)


def _factors(market: RunMarket, name: str) -> list[float]:
    security = market.securities[name]
    if not security.actions:
        return []
    return adjustment_factors(security.bars.date, security.bars.close, security.actions, tick_size(security.symbol))


class _StrategyRun(RuleRun):
    """A run whose orders come from a strategy."""

    def __init__(self, settings: RuleSettings, market: RunMarket, process: StrategyProcess, origin: str) -> None:
        super().__init__(settings, market, find_traded_days(settings, market))
        self.process, self.origin = process, origin
        self.seconds = float(config.get_setting("compute.timeout"))
        self.asked_until = -1
        self.orders: list[Json] = []

    def _give_orders(self, place: int, day: str, held: dict[str, Decimal]) -> None:
        if place > self.asked_until:
            end = self._quiet_until(place, held) + 1
            account: Json = {
                "cash": float(self.portfolio.cash),
                "positions": {name: float(quantity) for name, quantity in held.items()},
                "pending": sum(not order.is_exit for order in self.exchange.live),
            }
            seconds = self.seconds + SECONDS_A_DAY * (end - place)
            try:
                step = self.process.run_days(place, end, account, seconds)
            except TimedOut:
                raise TimedOut(
                    "{source}: on_bar ran longer than {seconds} s from {day} on",
                    source=self.origin,
                    seconds=f"{seconds:.0f}",
                    day=day,
                    hint="raise the limit with `ia config set compute.timeout 60`",
                ) from None
            self.asked_until, self.orders = place + step.done - 1, step.orders
        if place == self.asked_until:
            for order in self.orders:
                self._take_order(order, day, held)
            self.orders = []

    def _next_event(self, place: int, held: Mapping[str, Decimal]) -> int:
        if self.exchange.live or place >= self.asked_until:
            return place + 1
        return self.asked_until

    def _quiet_until(self, place: int, held: Mapping[str, Decimal]) -> int:
        """Return the last day up to which nothing of the account changes without an order."""
        if self.exchange.live:
            return place
        last = len(self.table.days) - 1
        for name in held:
            for day in self.securities[name].actions_by_day:
                at = bisect_left(self.table.days, day)
                if place < at <= last:
                    last = at - 1
        return last

    def _take_order(self, order: Json, day: str, held: Mapping[str, Decimal]) -> None:
        """Give an order of the strategy to the exchange; a sale without a quantity sells all."""
        symbol, side, kind = order["symbol"], order["side"], order.get("type", "market")
        quantity, value, price = (self._number(order, key, day) for key in ("quantity", "value", "price"))
        if side == "sell" and quantity is None and value is None:
            quantity = held.get(symbol) or None
            if quantity is None:
                return
        valid = order.get("valid", "day")
        if kind not in ("market", "limit", "stop") or valid not in ("day", "gtc"):
            raise self._bad_order(day)
        if (quantity is None) == (value is None) or (price is None) != (kind == "market"):
            raise self._bad_order(day)
        exits = []
        for key, exit_kind in (("stop", "stop"), ("target", "limit")):
            if (at := self._number(order, key, day)) is not None:
                exits.append(ExitTicket(kind=exit_kind, price=at))  # type: ignore[arg-type]
        self._submit(
            symbol, day, side, tuple(exits), kind=kind, quantity=quantity, value=value, price=price, validity=valid
        )

    def _number(self, order: Json, key: str, day: str) -> Decimal | None:
        value = order.get(key)
        if value is None:
            return None
        if not 0 < value < 1e15:
            raise self._bad_order(day)
        return to_decimal(round(float(value), 6))

    def _bad_order(self, day: str) -> BadData:
        return BadData(
            "{source}: an order on {day} makes no sense; give quantity, value or percent above 0, and a price for limit"
            " and stop orders only",
            source=self.origin,
            day=day,
        )
