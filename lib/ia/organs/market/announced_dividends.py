"""Dividends that are announced and whose ex-date is still ahead, as they were known at now(). No network.

What a source told of a company's dates (`date_store`) counts from when it was known; a corporate action with a later
ex-date, where it was fetched by now(). A market that is made up is asked at once.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from ia.kernel import clock, config
from ia.kernel.errors import IaError
from ia.organs.market import date_store, sources


class AnnouncedDividend(NamedTuple):
    """A dividend to come. cash: before tax, of a share; None where the amount is not told. date: the ex-date."""

    symbol: str
    date: str
    cash: float | None
    source: str
    simulated: bool


def load_announced(db: sqlite3.Connection, symbols: Iterable[str]) -> list[AnnouncedDividend]:
    """Return the announced dividends of canonical symbols, by ex-date: those of the first adapter that tells any."""
    rows = db.execute("SELECT id, name, simulated FROM sources")
    ids = {name: (number, bool(made)) for number, name, made in rows}
    found = []
    for symbol in symbols:
        for name in config.get_setting_words("market.adapter"):
            number, made_up = ids.get(name, (0, False))
            told = dict(_stored_events(db, symbol, name)) if number else {}
            if not told:
                told, made_up = _ask_simulated(name, symbol, made_up)
            told |= dict(_fetched_actions(db, name, symbol))
            if told:
                found += [
                    AnnouncedDividend(symbol=symbol, date=day, cash=cash, source=name, simulated=made_up)
                    for day, cash in told.items()
                ]
                break
    return sorted(found, key=lambda each: (each.date, each.symbol))


def _stored_events(db: sqlite3.Connection, symbol: str, adapter: str) -> Iterator[tuple[str, float | None]]:
    """Yield (ex-date, cash) of the newest word by now() on each dividend; what was withdrawn is left out."""
    tomorrow = (date.fromisoformat(clock.today("CN")) + timedelta(days=1)).isoformat()
    for each in date_store.load_dates(db, [symbol], tomorrow, "9999", ("ex-dividend",)):
        if each.source == adapter and (each.cash is None or each.cash > 0):
            yield each.date, each.cash


def _fetched_actions(db: sqlite3.Connection, adapter: str, symbol: str) -> Iterator[tuple[str, float]]:
    """Yield (ex-date, cash) of corporate actions ahead that were fetched by now()."""
    now = clock.utc_stamp(clock.now())
    rows = db.execute(
        "SELECT a.date, sum(a.cash) FROM actions a JOIN series s ON s.adapter = a.adapter AND s.symbol = a.symbol"
        " WHERE a.adapter = ? AND a.symbol = ? AND a.date > ? AND a.cash > 0 AND s.fetched <= ? GROUP BY a.date",
        (adapter, symbol, clock.today("CN"), now),
    ).fetchall()
    yield from rows


def _ask_simulated(name: str, symbol: str, made_up: bool) -> tuple[dict[str, float | None], bool]:
    """Return what a source that makes things up announces, by ex-date, and whether it is made up."""
    try:
        source = sources.load_source(name)
        if not source.simulated:
            return {}, made_up
        events = source.events_of(symbol)
    except IaError:
        return {}, made_up
    today, now = clock.today("CN"), clock.now()
    ahead = [
        each
        for each in events
        if each.kind == "ex-dividend"
        and each.date > today
        and each.known
        and date_store.known_since(each.known, clock.wall_time()) <= clock.utc_stamp(now)
    ]
    return {each.date: each.cash for each in ahead}, True
