"""The names of the whole market in market.db, for whatever reads a name: a command, a question, a wish."""

import contextlib
import os
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ia.domain.instruments import name_sources

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol


def register_names() -> None:
    """Let the stored names count wherever this process reads one. Each program calls it once, at its start."""
    name_sources.registered["market.db"] = _tell_names


def _tell_names() -> Sequence["Symbol"]:
    from ia.kernel.workspace import Workspace
    from ia.organs import marketdb

    root = Workspace().root
    file = os.path.join(root, ".ia", marketdb.SCHEMA.file)
    stamps = []
    for path in (file, f"{file}-wal"):
        with contextlib.suppress(OSError):
            stat = os.stat(path)
            stamps.append((stat.st_mtime_ns, stat.st_size))
    return _read_names(root, tuple(stamps)) if stamps else ()


@lru_cache(maxsize=4)
def _read_names(root: str, _stamps: tuple[tuple[int, int], ...]) -> tuple["Symbol", ...]:
    """Return the named securities of a workspace's market.db; () where it cannot be read, which others tell.

    _stamps  of its files: when they change it is read anew
    """
    from ia.domain.instruments.symbols import MARKET, Symbol
    from ia.kernel import store
    from ia.kernel.errors import IaError
    from ia.kernel.workspace import Workspace
    from ia.organs import marketdb

    query = "SELECT symbol, max(name), max(kind) FROM securities WHERE name <> '' GROUP BY symbol"
    try:
        with (
            store.translate_errors(marketdb.SCHEMA),
            contextlib.closing(marketdb.connect(Workspace(root))) as db,
        ):
            told = db.execute(query).fetchall()
    except IaError:
        return ()
    found = []
    for canonical, name, kind in told:
        code, _, exchange = canonical.rpartition(".")
        if exchange in MARKET:
            found.append(Symbol(code, MARKET[exchange], exchange, kind or "stock", name))
    return tuple(found)
