"""A past that did not happen: from a day on, bars that are drawn in blocks from each security's own past.

A model that earns on them, too, holds the market; one whose edge is gone there may have known what came.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from random import Random

from ia.agent.backtests.past_market import PastMarket
from ia.faculties.lab.securities import Security
from ia.organs.ohlcv.adjustment import adjust_bars
from ia.organs.ohlcv.canonical import Bars

BLOCK = 20
"""Sessions of a block: long enough for a trend, short enough that no year comes back."""
LEAST = 60
"""Sessions of its own past that a security needs to be drawn from."""


def quarter_starts(sessions: Sequence[str]) -> list[str]:
    """Return the first session of each quarter after the first session; the middle one of a run within a quarter.

    >>> quarter_starts(["2024-01-02", "2024-03-29", "2024-04-01", "2024-07-01"])
    ['2024-04-01', '2024-07-01']
    """
    found = [day for before, day in pairwise(sessions) if _quarter(before) != _quarter(day)]
    return found or ([sessions[len(sessions) // 2]] if len(sessions) > 1 else [])


def _quarter(day: str) -> tuple[int, int]:
    here = date.fromisoformat(day)
    return here.year, (here.month - 1) // 3


def invent_bars(market: PastMarket, since: str, seed: int) -> PastMarket:
    """Return a market whose bars from a day on are invented; corporate actions from then on are left out."""
    draw = Random(f"counterfactual/{seed}/{since}")
    count = len(market.sessions) - bisect_left(market.sessions, since)
    blocks = [draw.random() for _ in range(count // BLOCK + 1)]  # the same for all: they move together as they did
    return replace(
        market,
        securities={name: _invent_security(each, since, blocks) for name, each in market.securities.items()},
        _adjusted={},
    )


def _invent_security(security: Security, since: str, blocks: Sequence[float]) -> Security:
    bars = security.bars
    cut = bisect_left(bars.date, since)
    if cut < LEAST:
        return security
    total = adjust_bars(bars.slice_bars(0, cut), security.actions, "hfq", float(security.tick))
    kept = [list(column[:cut]) for column in bars[1:5]]
    volumes = list(bars.volume[:cut])
    close, tick = float(bars.close[cut - 1]), float(security.tick)
    for at in range(len(bars.date) - cut):
        block, step = divmod(at, BLOCK)
        place = 1 + int(blocks[block] * max(cut - 1 - BLOCK, 1)) + step
        before = total.close[place - 1]
        first, high, low, last = (max(round(close * x[place] / before / tick), 1) * tick for x in total[1:5])
        row = (first, max(first, high, low, last), min(first, high, low, last), last)
        for column, value in zip(kept, row, strict=True):
            column.append(round(value, 6))
        volumes.append(bars.volume[place])
        close = last
    invented = Bars(bars.date, kept[0], kept[1], kept[2], kept[3], volumes)
    actions = tuple(action for action in security.actions if action.date < since)
    return replace(security, bars=invented, actions=actions, _limits={})
