"""Closed trades: what was bought and sold again, first in, first out, after all fees of both sides."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from ia.domain.performance.figures import Figure
from ia.kernel.errors import Message


class RoundTrip(NamedTuple):
    """A lot, or the part of one, that a sale closed. Money in `currency`; dividends are not in it.

    cost      with the fees of buying. proceeds: less the fees of selling
    opened, closed   days of the purchase and the sale
    """

    symbol: str
    name: str
    currency: str
    quantity: float
    cost: float
    proceeds: float
    opened: str
    closed: str

    @property
    def profit(self) -> float:
        """What it brought."""
        return round(self.proceeds - self.cost, 2)

    @property
    def days(self) -> int:
        """Calendar days between purchase and sale."""
        return (date.fromisoformat(self.closed) - date.fromisoformat(self.opened)).days


class TradeStatistics(NamedTuple):
    """How closed trades went.

    win_rate       part of them that brought a profit
    profit_factor  all profits over all losses (quantstats' is of days, not of trades)
    expectancy     mean profit of a trade. payoff: mean profit of the winners over the mean loss of the losers
    holding_days   mean calendar days, each trade counted once
    """

    trades: int
    won: int
    lost: int
    win_rate: Figure
    profit_factor: Figure
    expectancy: Figure
    payoff: Figure
    holding_days: Figure
    best: RoundTrip | None
    worst: RoundTrip | None


def measure_trades(trips: Sequence[RoundTrip]) -> TradeStatistics:
    """Return how closed trades of one currency went."""
    none = Figure(None, Message("no trade was closed"))
    if not trips:
        return TradeStatistics(
            trades=0,
            won=0,
            lost=0,
            win_rate=none,
            profit_factor=none,
            expectancy=none,
            payoff=none,
            holding_days=none,
            best=None,
            worst=None,
        )
    profits = [each.profit for each in trips]
    gains = [profit for profit in profits if profit > 0]
    losses = [-profit for profit in profits if profit < 0]
    lossless, winless = Figure(None, Message("no closed trade lost")), Figure(None, Message("no closed trade won"))
    return TradeStatistics(
        trades=len(trips),
        won=len(gains),
        lost=len(losses),
        win_rate=Figure(len(gains) / len(trips)),
        profit_factor=Figure(sum(gains) / sum(losses)) if losses else lossless,
        expectancy=Figure(sum(profits) / len(trips)),
        payoff=(Figure(sum(gains) / len(gains) / (sum(losses) / len(losses))) if gains else winless)
        if losses
        else lossless,
        holding_days=Figure(sum(each.days for each in trips) / len(trips)),
        best=trips[profits.index(max(profits))],
        worst=trips[profits.index(min(profits))],
    )
