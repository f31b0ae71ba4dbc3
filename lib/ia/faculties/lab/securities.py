"""What a simulation knows of a security: raw bars, corporate actions, and the rules that hold for it on a day."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ia.domain.instruments.boards import find_board, tick_size
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules.fees import Side
from ia.domain.rules.limits import PriceLimits, narrowest_limit, price_limits
from ia.domain.rules.lots import LotRule, find_lot
from ia.domain.rules.settlement import sellable_after
from ia.domain.rules.table import period_end
from ia.kernel.errors import NotFound
from ia.organs.ledger.order import to_decimal
from ia.organs.ohlcv.adjustment import Action, reference_price
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    B = NDArray[np.bool_]
    F = NDArray[np.float64]


class DayBar(NamedTuple):
    """The raw bar of one trading day; the volume in shares."""

    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: int


class Columns(NamedTuple):
    """The raw bars of a security as arrays; the volume in shares."""

    open: "F"
    high: "F"
    low: "F"
    close: "F"
    volume: "NDArray[np.int64]"


class Delisting(NamedTuple):
    """The last day of trading, and whether what is still held then keeps its last price or is worth nothing."""

    last_day: str
    keeps_value: bool = False


@dataclass(kw_only=True)
class Security:
    """A security of a simulation.

    bars        raw prices, ascending
    actions     corporate actions by ex-date, also those without a bar on the day
    prev_close  the close before the first bar; None where it is not known
    st          whether it is under special treatment all the time; st_days: on which days it is
    listed      the day of its listing, where it is known
    """

    symbol: Symbol
    bars: Bars
    actions: tuple[Action, ...] = ()
    prev_close: Decimal | None = None
    st: bool = False
    st_days: frozenset[str] = frozenset()
    listed: str | None = None
    delisting: Delisting | None = None
    _limits: dict[str, PriceLimits | None] = field(default_factory=dict)
    _last_bar: tuple[str, DayBar | None] = ("", None)
    _last_place: tuple[str, int | None] = ("", None)
    _last_lot: tuple[str, str, LotRule | None] = ("~", "", None)
    _last_value: tuple[str, Decimal | None] = ("", None)

    def place_of(self, day: str) -> int | None:
        """Return the row of a day; None where the security did not trade."""
        if self._last_place[0] != day:
            place = bisect_left(self.bars.date, day)
            found = place < len(self.bars.date) and self.bars.date[place] == day
            self._last_place = day, place if found else None
        return self._last_place[1]

    @cached_property
    def actions_by_day(self) -> dict[str, list[Action]]:
        """The corporate actions of each ex-date."""
        found: dict[str, list[Action]] = {}
        for action in self.actions:
            found.setdefault(action.date, []).append(action)
        return found

    @cached_property
    def columns(self) -> "Columns":
        """The bars as arrays."""
        import numpy as np

        opens, high, low, close = (np.asarray(column, dtype=np.float64) for column in self.bars[1:5])
        volume = np.asarray(self.bars.volume, dtype=np.int64)
        return Columns(open=opens, high=high, low=low, close=close, volume=volume)

    @cached_property
    def near_limits(self) -> "B":
        """Of each bar whether it may lie at a price limit: all others have moved too little for any limit there was."""
        import numpy as np

        near = np.zeros(len(self.bars.date), dtype=np.bool_)
        pct = narrowest_limit(self.symbol) if self.symbol.market == "CN" else None
        if pct is None or not len(near):
            return near
        part, tick, before = float(pct) / 100, float(self.tick), self.columns.close[:-1]
        near[1:] = self.columns.low[1:] >= before * (1 + part) - tick
        near[1:] |= self.columns.high[1:] <= before * (1 - part) + tick
        # the reference price is another one on the first bar from an ex-date on
        after_actions = [bisect_left(self.bars.date, action.date) for action in self.actions]
        near[[0, *(row for row in after_actions if row < len(near))]] = True
        return near

    @cached_property
    def rows_near_limits(self) -> frozenset[int]:
        """The rows of bars that may lie at a price limit."""
        return frozenset(self.near_limits.nonzero()[0].tolist())

    @cached_property
    def tick(self) -> Decimal:
        """The smallest step of a price; a cent where the exchange has none of its own."""
        return to_decimal(tick_size(self.symbol) or 0.01)

    def bar_on(self, day: str) -> DayBar | None:
        """Return the bar of a day; None where the security did not trade."""
        if self._last_bar[0] != day:
            self._last_bar = (day, self._read_bar(day))
        return self._last_bar[1]

    def _read_bar(self, day: str) -> DayBar | None:
        place = self.place_of(day)
        if place is None:
            return None
        bars = self.bars
        opening, high, low, close = (to_decimal(column[place]) for column in bars[1:5])
        return DayBar(open=opening, high=high, low=low, close=close, volume=int(bars.volume[place]))

    def open_on(self, day: str) -> Decimal | None:
        """Return the open of a day; None where the security did not trade."""
        place = self.place_of(day)
        return None if place is None else to_decimal(self.bars.open[place])

    def volume_on(self, day: str) -> int:
        """Return the volume of a day in shares."""
        place = self.place_of(day)
        return 0 if place is None else int(self.bars.volume[place])

    def last_close(self, day: str) -> tuple[str, Decimal] | None:
        """Return date and close of the last bar up to a day; before the first bar the known close with no date."""
        return self._close_at(bisect_right(self.bars.date, day) - 1)

    def is_delisted(self, day: str) -> bool:
        """Return True after the last day of trading."""
        return self.delisting is not None and day > self.delisting.last_day

    def value_on(self, day: str) -> Decimal | None:
        """Return what a share is worth at the close of a day: its last close, after the actions since."""
        if self._last_value[0] != day:
            self._last_value = day, self._value_at(day)
        return self._last_value[1]

    def _value_at(self, day: str) -> Decimal | None:
        if self.is_delisted(day) and self.delisting is not None and not self.delisting.keeps_value:
            return Decimal(0)
        found = self.last_close(day)
        if found is None:
            return None
        return self._after_actions(*found, day)

    def limits_on(self, day: str, sessions_since_listing: int | None) -> PriceLimits | None:
        """Return between which prices it can trade; None where there are no limits, or none are known."""
        if day not in self._limits:
            self._limits[day] = self._find_limits(day, sessions_since_listing)
        return self._limits[day]

    def round_price(self, price: Decimal, side: Side, *, stop: bool) -> Decimal:
        """Return the tick that is not worse than a limit, and not before a stop is reached."""
        down = (side == "buy") != stop
        return (price / self.tick).quantize(Decimal(1), ROUND_FLOOR if down else ROUND_CEILING) * self.tick

    def lot_on(self, day: str) -> LotRule | None:
        """Return the lot of a day; None where none is known."""
        since, until, lot = self._last_lot
        if not since <= day < until:
            lot = find_lot(self.symbol, day)
            self._last_lot = day, period_end(find_board(self.symbol), day), lot
        return lot

    def settlement_days(self, day: str) -> int:
        """Return after how many trading days a purchase of a day may be sold: 0 or 1."""
        return sellable_after(self.symbol, day).days

    def _find_limits(self, day: str, sessions_since_listing: int | None) -> PriceLimits | None:
        before = self._close_at(bisect_left(self.bars.date, day) - 1)
        if before is None or self.symbol.market != "CN":
            return None
        reference = self._after_actions(*before, day)
        try:
            return price_limits(
                self.symbol,
                day,
                reference,
                st=self.st or day in self.st_days,
                listed=self.listed,
                sessions_since_listing=sessions_since_listing,
            )
        except NotFound:  # before there were limits, or the table begins
            return None

    def _close_at(self, place: int) -> tuple[str, Decimal] | None:
        if place >= 0:
            return self.bars.date[place], to_decimal(self.bars.close[place])
        return None if self.prev_close is None else ("", self.prev_close)

    def _after_actions(self, last: str, close: Decimal, day: str) -> Decimal:
        if last == day:
            return close
        since = [action for action in self.actions if last < action.date <= day]
        if not since:
            return close
        tick = tick_size(self.symbol)
        return to_decimal(round(reference_price(float(close), last or "0000-00-00", day, since, tick), 8))
