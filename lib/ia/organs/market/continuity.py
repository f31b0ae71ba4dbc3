"""Whether a day's bars join the stored ones: its previous closes against the closes that are stored.

Where a security's previous close is its last stored close, nothing lies between and nothing is asked. Where it is not,
the exchange has set a reference price (ex-dividend, bonus, rights, split), or days are missing: that security alone
goes on the list of what is to be fetched.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import from_canonical
from ia.kernel import clock
from ia.kernel.errors import BadData
from ia.organs import marketdb
from ia.organs.market.quote import Quote
from ia.organs.ohlcv import series_store
from ia.organs.ohlcv.adjustment import Action, reference_price

HISTORY = "history"
"""The job of `jobs` that tells of each security what is known of its history; its key is the symbol."""
LONG_AGO = 60
"""After so many sessions without a bar and without a history, no close is compared any more."""
RANGE_SCAN = 200
"""More securities than this are looked up by reading the whole day."""


class LastClose(NamedTuple):
    """The last stored bar of a security before a day."""

    date: str
    close: float


class HistoryRecord(NamedTuple):
    """What was found when a history was fetched: `through` the last session that it covers.

    prev_close  a reference price that no action explains while the raw bars agree; it is not asked about again
    note        what the source said of it (no actions known), or ""
    """

    through: str
    prev_close: float | None = None
    note: str = ""

    def to_text(self) -> str:
        """Return it as it stands in `jobs.told`."""
        return json.dumps({key: value for key, value in self._asdict().items() if value}, ensure_ascii=False)


NOTHING = HistoryRecord("")


def parse_known(text: str | None) -> HistoryRecord:
    """Return what `jobs.told` says."""
    return HistoryRecord(**{"through": "", **json.loads(text or "{}")})


def last_bars(db: sqlite3.Connection, source: int, day: str) -> dict[str, LastClose]:
    """Return the last bar before `day` of each security that has one."""
    # Nearly all of them traded on the newest day: that is read at one place, the others are looked up.
    newest = db.execute("SELECT max(date) FROM latest WHERE source = ? AND date < ?", (source, day)).fetchone()[0]
    rows = db.execute("SELECT symbol, date, close FROM daily WHERE source = ? AND date = ?", (source, newest))
    found = {symbol: LastClose(date, close) for symbol, date, close in rows}
    asked = (
        "SELECT l.symbol, d.date, d.close FROM latest l JOIN daily d"
        " ON d.source = l.source AND d.date = l.date AND d.symbol = l.symbol WHERE l.source = ? AND l.date < ?"
    )
    for symbol, date, close in db.execute(asked, (source, newest)):
        found[symbol] = LastClose(date, close)
    later = db.execute(
        "SELECT symbol FROM latest l JOIN securities s USING (source, symbol)"
        " WHERE l.source = ?1 AND l.date >= ?2 AND s.first < ?2",
        (source, day),
    )
    left = {symbol for (symbol,) in later}
    dates = db.execute("SELECT date FROM days WHERE source = ? AND date < ? ORDER BY date DESC", (source, day))
    for (date,) in dates.fetchall() if left else ():
        if len(left) > RANGE_SCAN:
            rows = db.execute("SELECT symbol, close FROM daily WHERE source = ? AND date = ?", (source, date))
            here = {symbol: close for symbol, close in rows if symbol in left}
        else:
            one = "SELECT close FROM daily WHERE source = ? AND date = ? AND symbol = ?"
            rows_ = ((symbol, db.execute(one, (source, date, symbol)).fetchone()) for symbol in sorted(left))
            here = {symbol: row[0] for symbol, row in rows_ if row}
        found.update((symbol, LastClose(date, close)) for symbol, close in here.items())
        left -= here.keys()
        if not left:
            break
    return found


def is_whole_day(db: sqlite3.Connection, source: int, day: str) -> bool:
    """Whether the bars of the whole market are stored of a day: from a snapshot that was taken after its close."""
    row = db.execute(
        "SELECT 1 FROM days WHERE source = ? AND date = ? AND whole = 1 AND rows > 0 AND time >= date || ?",
        (source, day, marketdb.CLOSED),
    ).fetchone()
    return row is not None


def last_session() -> str:
    """Return the last trading day that had closed at now()."""
    from ia.organs.ohlcv.calendar import last_session

    return last_session("CN", min(clock.now(), clock.wall_time()))


def previous_session(day: str) -> str:
    """Return the trading day before a day, YYYY-MM-DD."""
    from ia.organs.ohlcv.calendar import last_session

    return last_session("CN", datetime.fromisoformat(day).replace(tzinfo=clock.CHINA))


def due_histories(
    db: sqlite3.Connection, source: int, adapter: str, day: str, quotes: Iterable[Quote], last: Mapping[str, LastClose]
) -> dict[str, str]:
    """Return the symbols whose history or actions have to be fetched, and why: `ex-date` or `gap`.

    There is a gap where the session before is not stored: older ones were found by the day that came after them. It
    concerns those whose history was complete; of the others more is missing than that.
    """
    before = previous_session(day)
    joined = is_whole_day(db, source, before)
    complete = {s for (s,) in db.execute("SELECT symbol FROM securities WHERE source = ? AND complete", (source,))}
    settled = {
        key: parse_known(told)
        for key, told in db.execute(
            "SELECT key, told FROM jobs WHERE source = ? AND job = ? AND state = 'done'", (source, HISTORY)
        )
    }
    acting = _symbols_with_actions(db, adapter, before, day)
    found = {}
    for quote in quotes:
        bar = last.get(quote.symbol)
        if bar is None:
            continue
        through = settled.get(quote.symbol, NOTHING)
        if not joined and max(bar.date, through.through) < before:
            if quote.symbol in complete:
                found[quote.symbol] = "gap"
            continue
        if quote.prev_close is None or through.prev_close == quote.prev_close:
            continue
        if quote.symbol not in acting and (
            quote.prev_close == bar.close or abs(quote.prev_close - bar.close) < half_tick(quote.symbol)
        ):
            continue
        if quote.symbol not in complete and bar.date < before and _has_missing_session(db, source, bar.date, before):
            continue
        if not is_explained(
            quote.symbol, bar, day, quote.prev_close, series_store.load_actions(db, adapter, quote.symbol)
        ):
            found[quote.symbol] = "ex-date"
    return found


def departed_symbols(db: sqlite3.Connection, source: int, day: str, gone: Iterable[str]) -> dict[str, str]:
    """Return as `gap` those that left the market before a day while sessions were missed: their last bars may be."""
    if is_whole_day(db, source, previous_session(day)):
        return {}
    known = "SELECT 1 FROM securities WHERE source = ? AND symbol = ? AND complete"
    return {symbol: "gap" for symbol in gone if db.execute(known, (source, symbol)).fetchone()}


def _has_missing_session(db: sqlite3.Connection, source: int, after: str, until: str) -> bool:
    """Whether a session between two days is not stored, so that a close before it tells nothing of the day after."""
    day = until
    for _ in range(LONG_AGO):
        if day <= after:
            return False
        if not is_whole_day(db, source, day):
            return True
        day = previous_session(day)
    return True


def is_explained(symbol: str, bar: LastClose, day: str, prev_close: float, actions: Iterable[Action]) -> bool:
    """Whether a reference price is the last close after the actions since, by the exchange's rule and rounding."""
    half = half_tick(symbol)
    try:
        left = reference_price(bar.close, bar.date, day, actions, 2 * half)
    except BadData:
        return False
    return abs(left - prev_close) < 1.02 * half


def half_tick(symbol: str) -> float:
    """Return half of the least step of a price: stocks 0.01, funds and Shanghai's B-shares 0.001."""
    return (tick_size(from_canonical(symbol)) or 0.01) / 2


def _symbols_with_actions(db: sqlite3.Connection, adapter: str, after: str, until: str) -> set[str]:
    """Return the symbols with a stored action whose ex-date is in (after, until]."""
    rows = db.execute(
        "SELECT symbol FROM actions WHERE adapter = ? AND date > ? AND date <= ?", (adapter, after, until)
    )
    return {symbol for (symbol,) in rows}
