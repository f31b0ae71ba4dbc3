"""Keeping the mirror of the rows: seven matrices of dates x symbols in `.ia/cache/mirror/ADAPTER/`, and index.json.

The matrices are plain .npy files; index.json says of which database and which state of it they are, and which rows
and columns count. What `written` tells since then is read anew: rows behind the last one, rows and columns in between.
index.json comes last, so that what a killed process left is done again, whatever it is. A reader
(ia.organs.market.mirror) is never given a mixture: cells that count are changed in place only while nobody has the
mirror open, else the files are written anew. A program that reads them with numpy.load can hold a shared flock on
`readers` to the same effect.
"""

import contextlib
import errno
import json
import os
import sqlite3
import time
from array import array
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from ia.domain.instruments.boards import tick_size
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.errors import BadData, NotFound, Refused, TryLater
from ia.kernel.files import file_mode, hold_lock, move_path, write_file
from ia.kernel.store import translate_errors
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market import store
from ia.organs.market.mirror.layout import (
    COLUMNS,
    FORMAT,
    MirrorIndex,
    column_path,
    is_current,
    mirror_folder,
    newest_version,
    read_fresh_index,
    read_index,
)
from ia.organs.market.mirror.matrix import NAN, Matrix
from ia.organs.ohlcv.adjustment import Action, adjustment_factors

PATIENCE = 120.0
"""Seconds that a process waits for another one's update; a mirror of 13.75 M bars is built in about 30."""
_SPARE, _STEP = 32, 128


def update_mirror(ws: Workspace, db: sqlite3.Connection, source: int) -> float:
    """Bring the mirror of a source up to what is stored now; return the seconds that it took.

    raises  TryLater (another process is at it, disk full), Refused (the folder may not be written), NotFound.
    """
    began = time.perf_counter()
    row = db.execute("SELECT name FROM sources WHERE id = ?", (source,)).fetchone()
    if row is None:
        raise NotFound("market.db has no source with number {source}", source=source)
    folder = mirror_folder(ws, row[0])
    if read_fresh_index(folder, db, source) is None:
        with _translate_errors(folder), _lock_folder(folder), _read_transaction(db):
            _update_folder(folder, db, source, row[0])
    return time.perf_counter() - began


# what is to be done


class _MirrorWork(NamedTuple):
    """What makes the matrices right.

    base      so many of the dates are not after the last one that the old matrices have
    rows      places of the dates that are read anew, ascending; all from `base` on
    columns   symbols that are read anew
    anew      the matrices are written as new files
    """

    old: MirrorIndex | None
    new: MirrorIndex
    base: int
    rows: list[int]
    columns: list[str]
    anew: bool


def _update_folder(folder: str, db: sqlite3.Connection, source: int, adapter: str) -> None:
    work = _plan_work(folder, db, source)
    if work is None:
        return
    with contextlib.ExitStack() as stack:
        stack.callback(_remove_leftovers, folder)
        in_place = bool(work.columns) or any(row < work.base for row in work.rows)
        if in_place and not work.anew:
            unread = stack.enter_context(hold_lock(os.path.join(folder, "readers")))  # keeps readers out meanwhile
            if unread is None:
                work = work._replace(anew=True)
        suffix = ".new" if work.anew else ""
        files = [
            stack.enter_context(Matrix(column_path(folder, name) + suffix, work.new.width, new=work.anew))
            for name in COLUMNS
        ]
        if work.anew and work.old:
            for name, file in zip(COLUMNS, files, strict=True):
                with Matrix(column_path(folder, name), work.old.width) as old:
                    _copy_rows(old, file, work)
        _MirrorWriter(db, source, adapter, work.new, files).write(work)
        for file in files:
            file.set_row_count(len(work.new.dates))
        if work.anew:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, "index.json"))  # a mixture of old and new files is not to be believed
            for name in COLUMNS:
                move_path(column_path(folder, name) + suffix, column_path(folder, name))
        elif in_place:
            for file in files:
                file.sync()
        _write_index(folder, work.new)


def _remove_leftovers(folder: str) -> None:
    """Remove new files that did not come to be: of a full disk, or of a process that was killed."""
    for name in COLUMNS:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(column_path(folder, name) + ".new")


def _plan_work(folder: str, db: sqlite3.Connection, source: int) -> _MirrorWork | None:
    """Return what is to be done; None where another process did it meanwhile."""
    old, version = read_index(folder), newest_version(db, source)
    dates = store.stored_days(db, source)
    if old and is_current(folder, old, db) and set(old.dates) <= set(dates) and old.dates and old.version <= version:
        if old.version == version:
            return None
        work = _plan_amendment(db, source, old, version, dates)
        if work:
            return work
    symbols = _list_symbols(db, source)
    database = db.execute("PRAGMA application_id").fetchone()[0]
    new = MirrorIndex(
        database=database, version=version, width=_matrix_width(len(symbols)), dates=dates, symbols=symbols
    )
    return _MirrorWork(old=None, new=new, base=0, rows=list(range(len(dates))), columns=[], anew=True)


def _plan_amendment(
    db: sqlite3.Connection, source: int, old: MirrorIndex, version: int, dates: list[str]
) -> _MirrorWork | None:
    """Return what is to be done to an older mirror; None where building it from nothing is quicker."""
    query = "SELECT kind, what FROM written WHERE source = ? AND version > ?"
    changed = db.execute(query, (source, old.version)).fetchall()
    days = {what for kind, what in changed if kind == "day"} | (set(dates) - set(old.dates))
    columns = sorted({what for kind, what in changed if kind == "symbol"})
    count = "SELECT count(*) FROM securities WHERE source = ? AND first IS NOT NULL"
    there, symbols = set(old.symbols), old.symbols
    if db.execute(count, (source,)).fetchone()[0] != len(symbols):
        # New symbols that are read whole come first: a killed process may have begun to fill these columns.
        listed = [symbol for symbol in _list_symbols(db, source) if symbol not in there]
        symbols = [*symbols, *sorted(listed, key=lambda symbol: symbol not in set(columns))]
        there = set(symbols)
    columns = [symbol for symbol in columns if symbol in there]
    cells = len(columns) * len(old.dates) + len(days) * len(symbols)
    if any(kind not in ("day", "symbol") for kind, _ in changed) or cells > len(dates) * len(symbols) / 3:
        return None
    width = old.width if len(symbols) <= old.width else _matrix_width(len(symbols))
    base = sum(date <= old.dates[-1] for date in dates)
    rows = [place for place, date in enumerate(dates) if date in days]
    new = MirrorIndex(database=old.database, version=version, width=width, dates=dates, symbols=symbols)
    return _MirrorWork(
        old=old, new=new, base=base, rows=rows, columns=columns, anew=width != old.width or base != len(old.dates)
    )


def _list_symbols(db: sqlite3.Connection, source: int) -> list[str]:
    """Return the symbols that have bars, in the order of their first ones."""
    query = "SELECT symbol FROM securities WHERE source = ? AND first IS NOT NULL ORDER BY first, symbol"
    return [symbol for (symbol,) in db.execute(query, (source,))]


def _matrix_width(symbols: int) -> int:
    """Return how wide a matrix is made, so that new listings find a column."""
    return -(-(symbols + _SPARE) // _STEP) * _STEP


def _copy_rows(old: Matrix, new: Matrix, work: _MirrorWork) -> None:
    """Fill a new matrix with the rows of the old one; dates in between are left empty."""
    assert work.old
    factor = os.path.basename(old.path) == "factor.npy"
    blank = array("d", [1.0 if factor else NAN])
    more = blank * (new.width - old.width)
    places = {date: place for place, date in enumerate(work.old.dates)}
    last = blank * new.width
    for place, date in enumerate(work.new.dates[: work.base]):
        if date in places:
            row = old.read_row(places[date]) + more
            last = row if factor else last
        else:
            row = last
        new.write_row(place, row)


# writing the cells


class _MirrorWriter:
    """Reads rows of the database anew and writes them into the matrices."""

    def __init__(
        self, db: sqlite3.Connection, source: int, adapter: str, index: MirrorIndex, files: list[Matrix]
    ) -> None:
        self.db = db
        self.source = source
        self.adapter = adapter
        self.dates = index.dates
        self.width = index.width
        self.symbols = index.symbols
        self.at = {symbol: place for place, symbol in enumerate(index.symbols)}
        self.prices = files[:6]
        self.close = files[3]
        self.factor = files[6]

    def write(self, work: _MirrorWork) -> None:
        """Columns first, then rows of the past, then the factors that hang on them; last the rows at the end."""
        end = max(work.base - 1, 0)
        for symbol in work.columns:
            self._write_column(symbol, work.base)
        past = [row for row in work.rows if row < end]
        for row in past:
            for file, values in zip(self.prices, self._load_day_bars(self.dates[row]), strict=True):
                file.write_row(row, values)
        for symbol in sorted({*work.columns, *(self._symbols_acting_after(past[0]) if past else ())}):
            self._write_factors(symbol, work.base)
        for row in work.rows:
            if row >= end:
                self._write_last_row(row)

    def _load_day_bars(self, date: str) -> list["array[float]"]:
        """Return the six rows of a day."""
        blank = array("d", [NAN]) * self.width
        opens, highs, lows, closes, volumes, amounts = rows = [blank[:] for _ in self.prices]
        cursor = self.db.execute(
            "SELECT symbol, open, high, low, close, volume, amount FROM daily WHERE source = ? AND date = ?",
            (self.source, date),
        )
        # No list of rows: it would set off the garbage collector, which takes as long as all of this.
        for symbol, first, high, low, close, volume, amount in cursor:
            place = self.at.get(symbol)
            if place is None:
                continue
            opens[place], highs[place], lows[place] = first, high, low
            closes[place], volumes[place] = close, volume
            if amount is not None:
                amounts[place] = amount
        return rows

    def _write_column(self, symbol: str, rows: int) -> None:
        """Read the bars of a symbol anew."""
        place = {date: row for row, date in enumerate(self.dates[:rows])}
        columns = [array("d", [NAN]) * rows for _ in self.prices]
        for date, *values in marketdb.read_daily(self.db, self.source, symbol, self.dates[rows - 1] if rows else ""):
            for column, value in zip(columns, values, strict=True):
                if value is not None:
                    column[place[date]] = value
        for file, column in zip(self.prices, columns, strict=True):
            file.write_column(self.at[symbol], column)

    def _symbols_acting_after(self, row: int) -> list[str]:
        """Return the symbols whose factors may hang on bars from a row on."""
        cursor = self.db.execute(
            "SELECT symbol, max(date) FROM actions WHERE adapter = ? GROUP BY symbol", (self.adapter,)
        )
        if row == 0:
            return [symbol for symbol, _ in cursor if symbol in self.at]
        before, closes = self.dates[row - 1], self.close.read_row(row - 1)
        acting = ((symbol, last) for symbol, last in cursor if symbol in self.at)
        return [
            symbol for symbol, last in acting if last > before or closes[self.at[symbol]] != closes[self.at[symbol]]
        ]

    def _write_factors(self, symbol: str, rows: int) -> None:
        """Work out the factors of a symbol anew."""
        closes = self.close.read_column(self.at[symbol], rows)
        bars = [row for row, close in enumerate(closes) if close == close]
        result, product, done = array("d"), 1.0, 0
        acts = store.load_actions(self.db, self.source, symbol)
        for before, after in pairwise(bars) if acts else ():
            first, last = self.dates[before], self.dates[after]
            here = [act for act in acts if first < act.date <= last]
            if here:
                result += array("d", [product]) * (after - done)
                product *= self._step_factor(symbol, first, last, closes[before], here)
                done = after
        self.factor.write_column(self.at[symbol], result + array("d", [product]) * (rows - done))

    def _write_last_row(self, row: int) -> None:
        """Read a day anew behind which nothing is known yet: its factors are those of the row before, and its steps."""
        date = self.dates[row]
        rows = self._load_day_bars(date)
        for file, values in zip(self.prices, rows, strict=True):
            file.write_row(row, values)
        if row == 0:
            self.factor.write_row(0, array("d", [1.0]) * self.width)
            return
        scale, closes, now = self.factor.read_row(row - 1), self.close.read_row(row - 1), rows[3]
        for place, (close, next_) in enumerate(zip(closes, now, strict=True)):
            if close != close and next_ == next_:
                scale[place] *= self._resumption_factor(place, row)
        cursor = self.db.execute(
            "SELECT DISTINCT symbol FROM actions WHERE adapter = ? AND date > ? AND date <= ?",
            (self.adapter, self.dates[row - 1], date),
        )
        for place in sorted(self.at[symbol] for (symbol,) in cursor if symbol in self.at):
            if now[place] == now[place] and closes[place] == closes[place]:
                scale[place] *= self._factor_since(place, row - 1, row, closes[place])
        self.factor.write_row(row, scale)

    def _resumption_factor(self, place: int, row: int) -> float:
        """Return the factor of what happened to a symbol while it had no bars."""
        if not store.load_actions(self.db, self.source, self.symbols[place], self.dates[row]):
            return 1.0
        for before in range(row - 2, -1, -1):
            close = self.close.read_cell(before, place)
            if close == close:
                return self._factor_since(place, before, row, close)
        return 1.0

    def _factor_since(self, place: int, before: int, row: int, close: float) -> float:
        """Return the factor of what happened to a symbol after one bar, up to the next."""
        symbol, first, last = self.symbols[place], self.dates[before], self.dates[row]
        acts = [act for act in store.load_actions(self.db, self.source, symbol, last) if act.date > first]
        return self._step_factor(symbol, first, last, close, acts)

    def _step_factor(self, symbol: str, before: str, date: str, close: float, acts: Iterable[Action]) -> float:
        """Return the factor from one bar to the next; NaN where the actions make no sense: better none than wrong."""
        try:
            return adjustment_factors([before, date], [close, close], acts, tick_size(symbol_of_kind(symbol)))[1]
        except BadData:
            return NAN


# files


def _write_index(folder: str, index: MirrorIndex) -> None:
    path = os.path.join(folder, "index.json")
    write_file(path + ".new", json.dumps({"format": FORMAT, **index._asdict()}), file_mode(path), sync=False)
    move_path(path + ".new", path)


@contextlib.contextmanager
def _read_transaction(db: sqlite3.Connection) -> Iterator[None]:
    """See one state of the database, whatever is written meanwhile."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.rollback()


@contextlib.contextmanager
def _lock_folder(folder: str) -> Iterator[None]:
    os.makedirs(folder, exist_ok=True)
    busy = TryLater("another ia process is writing the mirror", hint="try again in a moment")
    with hold_lock(os.path.join(folder, "lock"), wait=PATIENCE, busy=busy):
        yield


@contextlib.contextmanager
def _translate_errors(folder: str) -> Iterator[None]:
    """Turn errors of the file system into ours."""
    try:
        with translate_errors(marketdb.SCHEMA):
            yield
    except OSError as exc:
        if exc.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise Refused("{path}: permission denied", path=folder) from exc
        hint = "is the disk full or read-only?"
        raise TryLater("{name}: {reason}", name=os.path.basename(folder), reason=str(exc.strerror), hint=hint) from exc
