"""What the mirror of a market holds, and reading some of its columns without numpy, whose import takes 80 ms."""

import contextlib
import functools
import json
import mmap
import os
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ia.kernel import files
from ia.organs.market.mirror.matrix import HEADER, ITEM, holds_matrix

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace

COLUMNS = ("open", "high", "low", "close", "volume", "amount", "factor")
FORMAT = 1


class MirrorIndex(NamedTuple):
    """What the matrices hold: rows are the first dates, columns the first symbols; the columns behind are spare.

    database   application_id of the market.db that they mirror
    version    the newest entry of `written` that they have
    """

    database: int
    version: int
    width: int
    dates: list[str]
    symbols: list[str]


def mirror_folder(ws: "Workspace", adapter: str) -> str:
    """Return the folder of an adapter's mirror."""
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in adapter)
    return os.path.join(ws.root, ".ia", "cache", "mirror", name)


def column_path(folder: str, column: str) -> str:
    """Return the file of a column."""
    return os.path.join(folder, f"{column}.npy")


def read_fresh_index(folder: str, db: sqlite3.Connection, source: int) -> MirrorIndex | None:
    """Return the index of a mirror that is whole and has everything that is stored now, or None."""
    index = read_index(folder)
    return index if index and is_current(folder, index, db) and index.version == newest_version(db, source) else None


def read_index(folder: str) -> MirrorIndex | None:
    """Return the index of a mirror, or None where there is none that this ia understands."""
    path = os.path.join(folder, "index.json")
    try:
        state = os.stat(path)
        return _parse_index(path, state.st_ino, state.st_mtime_ns)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


@functools.lru_cache(maxsize=2)
def _parse_index(path: str, inode: int, changed: int) -> MirrorIndex | None:
    """Return what an index.json says; one that did not change (it is replaced, never edited) is not parsed again."""
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    return MirrorIndex(**told) if told.pop("format") == FORMAT else None


def is_current(folder: str, index: MirrorIndex, db: sqlite3.Connection) -> bool:
    """Whether the matrices are there and of this database."""
    return index.database == db.execute("PRAGMA application_id").fetchone()[0] and all(
        holds_matrix(column_path(folder, name), len(index.dates), index.width) for name in COLUMNS
    )


def newest_version(db: sqlite3.Connection, source: int) -> int:
    """Return the newest version of what is stored of a source, 0 where nothing is."""
    row = db.execute("SELECT version FROM written WHERE source = ? ORDER BY version DESC LIMIT 1", (source,)).fetchone()
    return int(row[0]) if row else 0


def read_closes(
    folder: str, db: sqlite3.Connection, source: int, spans: Mapping[str, tuple[str, str]]
) -> dict[str, list[tuple[str, float]]] | None:
    """Return (date, close) of some symbols, oldest first; None where the mirror is behind or being written.

    spans   first and last day by symbol
    """
    with _lock_cells(folder) as held:
        index = read_fresh_index(folder, db, source) if held else None
        if index is None or not index.dates:
            return None
        with open(column_path(folder, "close"), "rb") as file:
            if read_fresh_index(folder, db, source) is not index:  # the file may be a newer one than the index told of
                return None
            with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as whole:
                return _read_columns(whole, index, spans)


def _read_columns(
    whole: mmap.mmap, index: MirrorIndex, spans: Mapping[str, tuple[str, str]]
) -> dict[str, list[tuple[str, float]]]:
    at = {symbol: place for place, symbol in enumerate(index.symbols) if symbol in spans}
    found: dict[str, list[tuple[str, float]]] = {}
    size = HEADER + len(index.dates) * index.width * ITEM
    with memoryview(whole) as data, data[HEADER:size] as part, part.cast("d") as cells:
        for symbol, (first, last) in spans.items():
            begin, end = bisect_left(index.dates, first), bisect_right(index.dates, last)
            values: Sequence[float] = []
            if symbol in at:
                with cells[begin * index.width + at[symbol] : end * index.width : index.width] as column:
                    values = column.tolist()
            found[symbol] = [
                (date, value) for date, value in zip(index.dates[begin:end], values, strict=False) if value == value
            ]
    return found


@contextlib.contextmanager
def _lock_cells(folder: str) -> Iterator[bool]:
    """Keep cells that count from being changed in place, as readers do; False where somebody is changing them."""
    fd = acquire_shared_lock(folder, "readers", wait=False)
    try:
        yield fd is not None
    finally:
        if fd is not None:
            os.close(fd)


def acquire_shared_lock(folder: str, name: str, *, wait: bool = True) -> int | None:
    """Return a descriptor that holds a shared lock on a file of a mirror's folder; None where it cannot be had.

    In a folder that may not be written there may be no such file; then nobody writes there either.
    """
    for create in (True, False):
        with contextlib.suppress(OSError):
            return files.take_lock(os.path.join(folder, name), shared=True, wait=None if wait else 0.0, create=create)
    return None
