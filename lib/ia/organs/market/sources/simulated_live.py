"""Bars of the running session of the simulated market: a path inside the range of the day's bar, by the minute."""

from collections.abc import Sequence
from datetime import date, datetime

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import Symbol, from_canonical
from ia.kernel import clock
from ia.kernel.errors import NotFound
from ia.organs.market.sessions import hours_of_day, session_progress, session_state
from ia.organs.market.sources import LiveBar
from ia.organs.market.sources.companies import hashed_fraction
from ia.organs.ohlcv.adapters.demo import simulated_bar

HOST = "simulated"
STEPS = 240
"""Points of the path of a day."""


def build_live_bars(symbols: Sequence[str], moment: datetime) -> list[LiveBar]:
    """Return the bars of the session that runs at a moment as they stand then; where none runs, of the last one."""
    found = []
    for canonical in symbols:
        symbol = from_canonical(canonical)
        try:
            bar = build_live_bar(symbol, moment)
        except NotFound:
            continue
        if bar is not None:
            found.append(bar)
    return found


def build_live_bar(symbol: Symbol, moment: datetime) -> LiveBar | None:
    """Return the bar of a security at a moment; None where it does not trade in that session.

    The same minute gives the same bar, later ones of a day only widen its range, and the last one is the day's own.
    """
    day, local = session_state(symbol.market, moment).day, moment.astimezone(clock.exchange_zone(symbol.market))
    done = 1.0
    if day == local.date().isoformat():
        done = session_progress(symbol.market, moment) or 0.0
    if done == 1.0:
        local = datetime.combine(date.fromisoformat(day), hours_of_day(symbol.market, day)[-1][1], local.tzinfo)
    found = simulated_bar(symbol, day)
    if found is None:
        return None
    before, (first, high, low, close, volume) = found
    steps = int(done * STEPS)
    tick = tick_size(symbol) or 0.01
    path = [_price_at(symbol, day, step, (first, high, low, close), tick) for step in range(steps + 1)]
    return LiveBar(
        symbol=symbol.canonical,
        time=local.replace(second=0, microsecond=0).isoformat(),
        price=path[-1],
        open=first,
        high=max(path),
        low=min(path),
        prev_close=before,
        volume=int(volume * steps / STEPS / 100) * 100,
        host=HOST,
        name=symbol.name or None,
    )


def _price_at(symbol: Symbol, day: str, step: int, prices: tuple[float, float, float, float], tick: float) -> float:
    """Return the price after a step: on the line from open to close, moved within the range, both ends exact."""
    first, high, low, close = prices
    if step in (0, STEPS):
        return first if step == 0 else close
    top, bottom = (int(hashed_fraction(symbol.canonical, day, name) * (STEPS - 1)) + 1 for name in ("high", "low"))
    if step in (top, bottom):
        return high if step == top else low
    line = first + (close - first) * step / STEPS
    noise = hashed_fraction(symbol.canonical, day, step)
    price = line + ((high - line) * (2 * noise - 1) if noise > 0.5 else (line - low) * (2 * noise - 1)) * 0.5
    return min(high, max(low, round(round(price / tick) * tick, 4)))
