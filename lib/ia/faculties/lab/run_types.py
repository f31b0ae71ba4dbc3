"""What a backtest takes and gives: the rules, the prices, the signals of each day, the result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ia.domain.performance.round_trips import RoundTrip
from ia.faculties.lab.exchange import Terms
from ia.faculties.lab.order_rows import OrderRow
from ia.faculties.lab.securities import Security
from ia.faculties.lab.tickets import Fill
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F = NDArray[np.float64]
    B = NDArray[np.bool_]

ZERO = Decimal(0)
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
    industries     gives the industries on ascending days, as `ia.organs.market.industry_history.load_industries`
                   does; None where they are not known
    """

    securities: Mapping[str, Security]
    signal_bars: Mapping[str, Bars]
    trading_days: Sequence[str]
    simulated: bool = False
    st_told: frozenset[str] = frozenset()
    industries: Callable[[Sequence[str]], list[tuple[int, dict[str, str]]]] | None = None


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

    @cached_property
    def columns(self) -> "tuple[F, F]":
        """Equity and cash as arrays."""
        import numpy as np

        return np.array(self.equity), np.array(self.cash)


class SignalTable(NamedTuple):
    """Signals by day and security, [days, symbols]: `traded` where there is a bar; `rank` NaN where it has no value."""

    days: tuple[str, ...]
    symbols: tuple[str, ...]
    traded: "B"
    entries: "B"
    exits: "B"
    rank: "F | None"
