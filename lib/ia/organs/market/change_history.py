"""The daily changes of stocks on the stored days before a day: how much each moves, and the mean of the market.

Of days with a snapshot the source tells the change. Of others it follows from the raw closes, without those of
ex-dates.

Reading a hundred thousand changes takes longer than everything else that a main line needs. So what follows from all
of them is kept in a file beside the database, with a stamp of all that it follows from: the days and the digests of
their snapshots, and the newest entry of `written`, which grows whenever a bar or a corporate action changes. Another
stamp, and the file is made anew.
"""

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any

from ia.kernel import files, store
from ia.kernel.errors import IaError
from ia.kernel.jsontypes import Json
from ia.organs.market.market_reader import MarketDay

HISTORY = 20
"""Number of stored days that are looked at."""
KNOWN = 5
"""On so many days a stock has to have traded for anybody to know how restless it is."""
_LAYOUT = 1
"""Goes up with every change of what the file says, or of how that is computed."""


class ChangeHistory:
    """What stocks did on up to `days` stored days before a day: their changes in per cent."""

    def __init__(self, db: sqlite3.Connection, day: MarketDay, days: int = HISTORY) -> None:
        self._db = db
        self._day = day
        self._limit = days
        self._values: dict[str, object] = {"source": day.source, "adapter": day.name}
        self._stored = stored = self._load_days()
        known = stored if len(stored) <= days else stored[1:]
        told = [date for date, whole, _ in known if whole]
        before = {date: earlier for (earlier, _, _), (date, _, _) in pairwise(stored)}
        self._parts = [
            "SELECT b.symbol, b.date, b.change_pct AS change FROM snapshots b WHERE b.source = :source"
            f" AND b.date IN ({self._quote_dates(told)}) AND b.volume > 0 AND b.change_pct IS NOT NULL"
        ]
        for date in (date for date, whole, _ in known if not whole and date in before):
            self._parts.append(
                "SELECT b.symbol, b.date, (b.close / a.close - 1) * 100 FROM daily b JOIN daily a"
                f" ON a.source = b.source AND a.date = {self._quote_dates([before[date]])} AND a.symbol = b.symbol"
                f" WHERE b.source = :source AND b.date = {self._quote_dates([date])} AND b.symbol NOT IN"
                f" (SELECT symbol FROM actions WHERE adapter = :adapter AND date = {self._quote_dates([date])})"
            )
        self._table = ""

    def _load_days(self) -> list[list[Any]]:
        """Return [date, whole, digest] of the days, oldest first; one more than are looked at, for its closes."""
        rows = self._db.execute(
            "SELECT date, whole, digest FROM days WHERE source = ? AND date < ? ORDER BY date DESC LIMIT ?",
            (self._day.source, self._day.date, self._limit + 1),
        )
        return [list(row) for row in rows][::-1]

    def _quote_dates(self, dates: Sequence[str]) -> str:
        names = [f"d{len(self._values) + n}" for n in range(len(dates))]
        self._values.update(zip(names, dates, strict=True))
        return ", ".join(f":{name}" for name in names)

    def summarize(self, stocks: Set[str]) -> tuple[Mapping[str, float | None], Mapping[str, float]]:
        """Return mean_moves() of the whole market, and by date the mean change of all but those not in `stocks`."""
        stamp = self._stamp()
        kept = self._read_kept(stamp)
        moves = kept["moves"] if kept else self.mean_moves()
        left_out = sorted(moves.keys() - stocks)
        if kept and kept["left_out"] == left_out:
            return moves, kept["means"]
        means = self.mean_changes(left_out, without=True)
        if stamp["days"] == self._stored and stamp == self._stamp():  # nothing was stored meanwhile
            self._keep(stamp, {"moves": moves, "left_out": left_out, "means": means})
        return moves, means

    def mean_moves(self) -> dict[str, float | None]:
        """Return the mean size of the moves of each stock that has any; None with fewer than KNOWN."""
        query = f"SELECT symbol, count(*), sum(abs(change)) FROM {self._all_changes()} GROUP BY symbol"
        return {
            symbol: total / count if count >= KNOWN else None
            for symbol, count, total in self._db.execute(query, self._values)
        }

    def mean_changes(self, symbols: Iterable[str], *, without: bool = False) -> dict[str, float]:
        """Return the mean change of these stocks, or of all others, on each day on which one of them traded."""
        import json

        names = list(symbols)
        listed = "IN (SELECT value FROM json_each(:names))"
        if not without:
            changes = f"({' UNION ALL '.join(f'{part} AND b.symbol {listed}' for part in self._parts)})"
        else:
            changes = self._all_changes() + (f" WHERE symbol NOT {listed}" if names else "")
        query = f"SELECT date, avg(change) FROM {changes} GROUP BY date ORDER BY date"
        return dict(self._db.execute(query, {**self._values, "names": json.dumps(names)}))

    def _all_changes(self) -> str:
        """Return the table of all changes: a temporary one, or a query where the database may not be written."""
        changes = " UNION ALL ".join(self._parts)
        if not store.is_writable(self._db):
            return f"({changes})"
        if not self._table:
            self._table = f"temp.moves_{self._day.source}_{self._day.date.replace('-', '')}_{self._limit}"
            self._db.execute(f"DROP TABLE IF EXISTS {self._table}")
            self._db.execute(f"CREATE TABLE {self._table} AS {changes}", self._values)
        return self._table

    def _stamp(self) -> Json:
        """Return all that the changes follow from, apart from the stored rows themselves."""
        newest = "SELECT version FROM written WHERE source = ? ORDER BY version DESC LIMIT 1"
        return {
            "layout": _LAYOUT,
            "database": self._db.execute("PRAGMA application_id").fetchone()[0],
            "source": self._day.source,
            "date": self._day.date,
            "of_bars": self._day.of_bars is not None,
            "days": self._load_days(),
            "written": (self._db.execute(newest, (self._day.source,)).fetchone() or (0,))[0],
        }

    def _path(self) -> str:
        """Return the path of the file beside the database; "" where that is in memory."""
        database = str(self._db.execute("PRAGMA database_list").fetchone()[2])
        return os.path.join(os.path.dirname(database), f"moves-{self._day.source}.json") if database else ""

    def _read_kept(self, stamp: Json) -> Json | None:
        """Return what the file says, if that follows from what is stored now."""
        import json

        try:
            with open(self._path(), encoding="utf-8") as file:
                if json.loads(file.readline()) != stamp:
                    return None
                kept = json.loads(file.readline())
        except (OSError, ValueError, RecursionError):
            return None
        return kept if isinstance(kept, dict) and {"moves", "left_out", "means"} <= kept.keys() else None

    def _keep(self, stamp: Json, kept: Json) -> None:
        """Write the file; where that cannot be done, the next question computes the same again."""
        import json

        path = self._path()
        if not path or not store.is_writable(self._db):
            return
        try:
            files.replace_file(path, f"{json.dumps(stamp)}\n{json.dumps(kept)}\n", durable=False)
        except (OSError, IaError):
            return
