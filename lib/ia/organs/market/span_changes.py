"""What stocks did over a stretch of days: their change from the last close before it, dividends and splits included."""

import sqlite3

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.errors import BadData, NotFound
from ia.organs.market import store
from ia.organs.market.day_summary import TradedStock, load_stocks
from ia.organs.market.market_reader import MarketDay
from ia.organs.market.past_day import actions_since, last_closes
from ia.organs.ohlcv.adjustment import Action, adjustment_factors

KNOWN_FRAC = 0.5
"""A stretch before which fewer of the day's stocks have a close says nothing of the market."""


def load_span_stocks(db: sqlite3.Connection, day: MarketDay, first: str) -> tuple[list[TradedStock], str]:
    """Return the stocks of a day with their change since the last close before `first`, and the day of that close.

    Stocks without such a close are left out: listed since, or of unknown history.
    raises  NotFound where most of them have none.
    """
    rows = load_stocks(db, day)
    before = last_closes(db, day.source, first, {row.symbol for row in rows})
    if len(before) < KNOWN_FRAC * max(len(rows), 1):
        raise NotFound(
            "before {first}, closes of {count} of {all} stocks are stored",
            first=first,
            count=len(before),
            all=len(rows),
            hint="`ia sync daily --history` fetches the past",
        )
    base = max(date for date, _ in before.values())
    actions = actions_since(db, day.name, min(date for date, _ in before.values()), day.date)
    told = []
    for row in rows:
        if row.symbol not in before:
            continue
        date, close = before[row.symbol]
        due = [action for action in actions.get(row.symbol, []) if action.date > date]
        try:
            factor = _growth(db, day, row, due) if due else 1.0
        except BadData:  # more was paid than a share was worth
            continue
        told.append(row._replace(change_pct=round((row.price * factor / close - 1) * 100, 2)))
    return told, base


def _growth(db: sqlite3.Connection, day: MarketDay, row: TradedStock, due: list[Action]) -> float:
    """Return by what a stock's price has to be multiplied for the actions that are due by its day."""
    bars = store.load_bars(db, day.source, row.symbol, day.date)
    dates, closes = list(bars.date), list(bars.close)
    if not dates or dates[-1] < day.date:
        dates, closes = [*dates, day.date], [*closes, row.price]
    return adjustment_factors(dates, closes, due, tick_size(symbol_of_kind(row.symbol)))[-1]
