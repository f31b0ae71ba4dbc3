"""Exchange rates into the store: the job `rates` of `ia sync`."""

import sqlite3
from datetime import timedelta

from ia.kernel import clock
from ia.kernel.errors import Message
from ia.kernel.store import transaction
from ia.organs.market import store
from ia.organs.market.exchange_rates import PUBLISHED
from ia.organs.market.market_jobs import JobResult, is_recent, upsert_rows
from ia.organs.market.sources import MarketSource, not_delivered_error

PATIENCE = timedelta(hours=2)
"""A source that did not have a day's rate, which may be a holiday, is not asked again for so long."""
FIRST = "2015-01-01"
"""The first day that is fetched."""


def sync_rates(db: sqlite3.Connection, number: int, source: MarketSource) -> JobResult:
    """Store the rates since the last stored day, which is asked for again; of all of `FIRST` on where none is stored.

    raises  NotDelivered where the source reads this disk, of which nothing is kept; Unavailable, TryLater.
    """
    if source.local:
        raise not_delivered_error(source.name, Message("exchange rates to be stored"))
    today = clock.today("CN")
    (since,) = db.execute("SELECT max(date) FROM rates WHERE source = ?", (number,)).fetchone()
    found = [each for each in source.rates(since or FIRST, today) if each.date <= today]
    with transaction(db):
        rows = [(number, each.currency, each.date, each.yuan, each.source) for each in found]
        changed = upsert_rows(db, "rates", 3, rows)
        store.note_job(db, number, "rates", "", "done", str(len(found)))
    return JobResult(max((each.date for each in found), default=since or ""), len(found), changed)


def is_due(db: sqlite3.Connection, number: int) -> bool:
    """Return True if the rates of the last day with one (a weekday, from PUBLISHED on) are not stored yet."""
    now = clock.now().astimezone(clock.CHINA)
    day = now.date() if now.time() >= PUBLISHED else now.date() - timedelta(days=1)
    while day.weekday() > 4:
        day -= timedelta(days=1)
    if is_recent(db, number, "rates", "", PATIENCE):
        return False
    (last,) = db.execute("SELECT max(date) FROM rates WHERE source = ?", (number,)).fetchone()
    return (last or "") < day.isoformat()
