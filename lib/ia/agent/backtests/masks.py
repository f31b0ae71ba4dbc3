"""A market in disguise: no name, code, date or price level by which a model could know what it has read about.

Securities become S001, S002 …; dates move by whole weeks, so that weekdays stay, to days before the first stored bar;
the prices of each security are scaled by one factor, its volume the other way. Price limits are the real ones, scaled
like the prices: what was out of reach stays out of reach.
"""

import math
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from ia.agent.backtests.past_market import PastMarket
from ia.domain.rules.limits import PriceLimits
from ia.faculties.lab.securities import Security
from ia.organs.ledger.order import to_decimal
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars

LEVELS = (8.0, 60.0)
"""Between which prices a disguised security begins a run."""
NEAR = 0.2
"""A level whose logarithm is so close to that of the real price is drawn again."""


@dataclass(kw_only=True)
class MaskedSecurity(Security):
    """A security with scaled prices, and the price limits of the real one."""

    real: Security
    factor: Decimal

    def scale_price(self, price: Decimal) -> Decimal:
        """Return a real price as it is shown: of two the higher one is never the lower one there."""
        ticks = (price * self.factor / self.tick).quantize(Decimal(1), ROUND_HALF_UP)
        return max(ticks, Decimal(1)) * self.tick

    def limits_on(self, day: str, sessions_since_listing: int | None) -> PriceLimits | None:
        """Return the real limits of a day, scaled."""
        found = self.real.limits_on(day, sessions_since_listing)
        if found is None:
            return None
        return found._replace(low=self.scale_price(found.low), high=self.scale_price(found.high))


def mask_market(market: PastMarket, seed: int) -> PastMarket:
    """Return a market in disguise. The same seed gives the same one."""
    draw = Random(f"mask/{seed}")
    names = list(market.securities)
    draw.shuffle(names)
    first = min(each.bars.date[0] for each in market.securities.values())
    span = (date.fromisoformat(market.sessions[-1]) - date.fromisoformat(first)).days
    weeks = span // 7 + draw.randint(30, 150)
    masked = {f"S{number:03d}": name for number, name in enumerate(names, 1)}
    securities: dict[str, Security] = {
        shown: _mask_security(market.securities[name], market.sessions[0], draw) for shown, name in masked.items()
    }
    return PastMarket(
        securities=securities,
        sessions=market.sessions,
        titles=dict.fromkeys(securities, ""),
        simulated=market.simulated,
        shift_days=-7 * weeks,
    )


def _mask_security(real: Security, first: str, draw: Random) -> MaskedSecurity:
    known = real.last_close(first)
    price = float(known[1]) if known else float(real.bars.close[0])
    factor = _draw_factor(price, draw)
    made = MaskedSecurity(
        symbol=real.symbol,
        bars=real.bars,
        actions=tuple(_scale_action(each, factor) for each in real.actions),
        st=real.st,
        st_days=real.st_days,
        listed=real.listed,
        delisting=real.delisting,
        real=real,
        factor=to_decimal(factor),
    )
    columns = [[float(made.scale_price(to_decimal(price))) for price in column] for column in real.bars[1:5]]
    made.bars = Bars(
        real.bars.date,
        columns[0],
        columns[1],
        columns[2],
        columns[3],
        [max(round(volume / factor), 1) if volume else 0 for volume in real.bars.volume],
    )
    return made


def _draw_factor(price: float, draw: Random) -> float:
    """Return the factor that brings a price to a level that says nothing of it, to four digits."""
    low, high = (math.log(level) for level in LEVELS)
    while True:
        level = draw.uniform(low, high)
        if abs(level - math.log(price)) > NEAR:
            return float(f"{math.exp(level) / price:.4g}")


def _scale_action(action: Action, factor: float) -> Action:
    return action._replace(cash=round(action.cash * factor, 6), rights_price=round(action.rights_price * factor, 6))
