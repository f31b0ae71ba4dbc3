"""Histories that are stored while the snapshot of a folder is made of them: each file is read once, few at a time."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import Notify, drop_message
from ia.kernel.store import transaction
from ia.organs.market import store
from ia.organs.market.backfill import unfetched_symbols
from ia.organs.market.continuity import HISTORY, HistoryRecord, last_session
from ia.organs.market.sources import KINDS, MarketSource
from ia.organs.market.sources.local import LocalSource
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action


class StreamingFolder(LocalSource):
    """The folder as a source, which stores the histories that are not stored yet as it comes by them.

    stored, bars, changed   how many histories, bars of them, and rows at all it has stored
    """

    def __init__(self, db: sqlite3.Connection, number: int) -> None:
        self._db, self._number = db, number
        self._whole = {
            s for (s,) in db.execute("SELECT symbol FROM securities WHERE source = ? AND complete", (number,))
        }
        self._batch: list[store.StoredHistory] = []
        self.stored = self.bars = self.changed = 0
        self.seconds = 0.0

    def histories(
        self, kinds: Sequence[str] = KINDS, notify: Notify = drop_message
    ) -> "Iterator[tuple[Symbol, Bars, list[Action]]]":
        """Yield each security, once its history is on the way into the store."""
        size = 0
        for symbol, bars, actions in super().histories(kinds, notify):
            if symbol.canonical not in self._whole and bars.date:
                self._batch.append(store.StoredHistory(symbol.canonical, bars, actions, name=symbol.name or None))
                size += len(bars.date)
            if size >= store.BATCH:
                self._flush()
                size = 0
            yield symbol, bars, actions
        self._flush()

    def _flush(self) -> None:
        stored = store.put_histories(self._db, self._number, self._batch)
        known = HistoryRecord(last_session()).to_text()
        with transaction(self._db):
            for history in self._batch:
                store.note_job(self._db, self._number, HISTORY, history.symbol, "done", known)
        self.stored += len(self._batch)
        self.bars += stored.bars
        self.changed += stored.changed
        self.seconds += stored.seconds
        self._batch = []


def stream_source(source: MarketSource, db: sqlite3.Connection, number: int) -> StreamingFolder | None:
    """Return the folder as a source that stores histories on the way; None where there are none to store."""
    first = db.execute("SELECT 1 FROM securities WHERE source = ? LIMIT 1", (number,)).fetchone() is None
    return (
        StreamingFolder(db, number)
        if isinstance(source, LocalSource) and (first or unfetched_symbols(db, number))
        else None
    )
