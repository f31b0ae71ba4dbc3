"""Exchange rates: the yuan's central parity by day, kept in market.db by `ia sync rates`, read without a network.

A rate of a day counts from 9:15 in Shanghai, when the parity is published. Of the adapters of `market.adapter` the
first that has a currency counts, as with prices. An adapter that reads this disk or makes prices up is asked at once.
"""

import sqlite3
from collections.abc import Iterable
from datetime import datetime, time
from typing import NamedTuple

from ia.kernel import clock, config
from ia.kernel.errors import IaError, Message, NotFound, Notify

PUBLISHED = time(9, 15)


class RateSeries(NamedTuple):
    """The rates of one currency: yuan for one unit, by day (YYYY-MM-DD), oldest first. source: who published them."""

    days: list[str]
    yuan: list[float]
    source: str
    simulated: bool


def load_rates(
    db: sqlite3.Connection, currencies: Iterable[str], moment: datetime, notify: Notify
) -> dict[str, RateSeries]:
    """Return the rates of currencies as they could be seen at a moment; those that nobody has are left out."""
    local = moment.astimezone(clock.CHINA)
    last = local.date().isoformat()
    fresh = local.time() >= PUBLISHED
    ids = {name: (number, bool(made)) for number, name, made in db.execute("SELECT id, name, simulated FROM sources")}
    found: dict[str, RateSeries] = {}
    for currency in currencies:
        for name in config.get_setting_words("market.adapter"):
            rows = _select_rates(db, ids[name][0], currency) if name in ids else []
            made_up = name in ids and ids[name][1]
            if not rows:
                rows, made_up = _ask_free_source(name, currency, last, notify)
            rows = [row for row in rows if row[0] < last or (row[0] == last and fresh)]
            if rows:
                days, yuan, sources = map(list, zip(*rows, strict=True))
                found[currency] = RateSeries(days, yuan, sources[-1], made_up)
                break
    return found


def _select_rates(db: sqlite3.Connection, number: int, currency: str) -> list[tuple[str, float, str]]:
    return db.execute(
        "SELECT date, yuan, host FROM rates WHERE source = ? AND currency = ? ORDER BY date", (number, currency)
    ).fetchall()


def _ask_free_source(name: str, currency: str, last: str, notify: Notify) -> tuple[list[tuple[str, float, str]], bool]:
    """Return the rates of a source that costs nothing to ask, and whether they are made up."""
    from ia.organs.market import sources

    try:
        source = sources.load_source(name)
        if not (source.local or source.simulated):
            return [], False
        rates = source.rates("2000-01-01", last)
    except (NotFound, sources.NotDelivered):
        return [], False
    except IaError as exc:
        notify(Message(exc.template, **exc.params))
        return [], False
    rows = sorted((each.date, each.yuan, each.source) for each in rates if each.currency == currency)
    return rows, source.simulated
