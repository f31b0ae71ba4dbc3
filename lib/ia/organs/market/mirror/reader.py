"""The whole market as matrices: what takes 20 s from rows is mapped into memory in milliseconds.

A mirror is derived from market.db and never ahead of the clock. Anybody may read its files with numpy.load: see
ia.organs.market.mirror.writer for what they hold, and for how they are written.
"""

import contextlib
import os
import sqlite3
from typing import TYPE_CHECKING

from ia.kernel import clock
from ia.kernel.errors import NotFound, TryLater, UsageError
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market.mirror.layout import COLUMNS, MirrorIndex, acquire_shared_lock, mirror_folder, read_fresh_index
from ia.organs.market.mirror.writer import update_mirror

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F = NDArray[np.float64]

__all__ = ["Mirror", "load_mirror", "update_mirror"]


class Mirror:
    """Daily bars of a market: `open`, `high`, `low`, `close`, `volume` (shares), `amount` (money), `factor`.

    Each is a float64 array [dates, symbols] that must not be written to, NaN where a symbol has no bar. `factor` is the
    cumulative adjustment factor: 1 up to the first bar, carried over days without one, NaN where the stored corporate
    actions make no sense. `dates` ascend; `symbols` are canonical, as a rule in the order of their first bars.

    What is open stays as it is, whatever is stored meanwhile; it is closed with the last reference.
    """

    def __init__(
        self, dates: list[str], symbols: list[str], columns: "dict[str, F]", how: str = "none", held: object = None
    ) -> None:
        self.dates = dates
        self.symbols = symbols
        self._columns = columns
        self._how = how
        self._held = held

    @property
    def open(self) -> "F":
        return self._adjusted_price("open")

    @property
    def high(self) -> "F":
        return self._adjusted_price("high")

    @property
    def low(self) -> "F":
        return self._adjusted_price("low")

    @property
    def close(self) -> "F":
        return self._adjusted_price("close")

    @property
    def volume(self) -> "F":
        return self._columns["volume"]

    @property
    def amount(self) -> "F":
        return self._columns["amount"]

    @property
    def factor(self) -> "F":
        return self._columns["factor"]

    def cut_after(self, date: str) -> "Mirror":
        """Return what was there up to and with a date: symbols that had no bar by then are not there."""
        import numpy as np

        rows = sum(day <= date for day in self.dates)
        count = len(self.symbols)
        while count and np.isnan(self._columns["close"][:rows, count - 1]).all():
            count -= 1
        columns = {name: values[:rows, :count] for name, values in self._columns.items()}
        return Mirror(self.dates[:rows], self.symbols[:count], columns, self._how, self._held)

    def adjust_prices(self, how: str) -> "Mirror":
        """Return the mirror with prices adjusted: ``qfq`` (the last date is as traded), ``hfq`` (the first), ``none``.

        Only what was known at the last date counts. A price is worked out each time that its column is asked for.
        """
        if how not in ("qfq", "hfq", "none"):
            raise UsageError("{how}: unknown adjustment; use qfq, hfq or none", how=how)
        return Mirror(self.dates, self.symbols, self._columns, how, self._held)

    def _adjusted_price(self, name: str) -> "F":
        values, factor = self._columns[name], self._columns["factor"]
        if self._how == "none" or not self.dates:
            return values
        return values * factor if self._how == "hfq" else values * (factor / factor[-1])


def load_mirror(ws: Workspace, adapter: str, until: str | None = None) -> Mirror:
    """Return the mirror of an adapter's rows up to a date, at most the last one that may be seen now. Updates it first.

    raises  NotFound where nothing is stored from the adapter; TryLater where another process is writing it, or the disk
            is full; Refused where it is behind and may not be written.
    """
    visible = clock.last_visible_date("CN")
    with contextlib.closing(marketdb.connect(ws)) as db:
        row = db.execute("SELECT id FROM sources WHERE name = ?", (adapter,)).fetchone()
        if row is None:
            raise NotFound(
                "no trading day stored from {adapters}", adapters=adapter, hint="fetch one with `ia sync daily`"
            )
        whole = _open_mirror(ws, db, row[0], mirror_folder(ws, adapter))
    last = min(until or visible, visible)
    return whole.cut_after(last) if whole.dates and whole.dates[-1] > last else whole


def _open_mirror(ws: Workspace, db: sqlite3.Connection, source: int, folder: str) -> Mirror:
    for _ in range(5):
        update_mirror(ws, db, source)
        with contextlib.closing(_MirrorLock(folder, "lock")):
            index = read_fresh_index(folder, db, source)
            if index:
                return _map_matrices(folder, index, _MirrorLock(folder, "readers"))
    raise TryLater("another ia process is writing the mirror", hint="try again in a moment")


def _map_matrices(folder: str, index: MirrorIndex, held: object) -> Mirror:
    import numpy as np

    shape = (len(index.dates), index.width)
    columns: dict[str, F] = {}
    for name in COLUMNS:
        path = os.path.join(folder, f"{name}.npy")
        whole = np.memmap(path, np.float64, "r", 128, shape) if index.dates else np.empty(shape)
        columns[name] = whole[:, : len(index.symbols)]
    return Mirror(index.dates, index.symbols, columns, held=held)


class _MirrorLock:
    """A shared lock on a file of the mirror's folder, up to close() or the last reference."""

    def __init__(self, folder: str, name: str) -> None:
        self._fd = acquire_shared_lock(folder, name)

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    __del__ = close
