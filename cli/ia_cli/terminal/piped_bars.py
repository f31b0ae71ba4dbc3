"""Bars on standard input, and what the audit trail knows of where they came from."""

from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from ia_cli.terminal.output import notify

if TYPE_CHECKING:
    from ia.kernel.jsontypes import Json
    from ia.organs.ohlcv.canonical import Bars


class PipedBars(NamedTuple):
    """Bars to now(), and the origin of bytes that ia wrote: symbol, period, adjust, simulated …; {} of others."""

    bars: "Bars"
    origin: "Json"


def read_piped_bars(stream: BinaryIO, source: str, *, strict: bool = False) -> PipedBars:
    """Return the bars of a stream with their origin.

    raises  what `ia.organs.ohlcv.canonical.read_bars` raises.
    """
    import io

    from ia.kernel import clock
    from ia.organs.ohlcv.canonical import read_bars

    data = stream.read()
    bars = read_bars(io.BytesIO(data), source, strict=strict, notify=notify)
    if clock.is_simulated():
        from ia.organs.ohlcv.history import visible_bars

        bars = visible_bars(bars)
    return PipedBars(bars, _find_origin(data))


def _find_origin(data: bytes) -> "Json":
    """Return what the audit trail knows of bytes that ia wrote; {} where it knows nothing, or is not to be had."""
    import contextlib
    import os
    import sqlite3

    from ia.kernel import config
    from ia.kernel.errors import IaError

    with contextlib.suppress(IaError, sqlite3.Error, OSError):
        if os.path.exists(os.path.join(config.home(), ".ia", "ia.db")):
            from ia.kernel.workspace import Workspace
            from ia.organs.ohlcv import provenance

            found = provenance.find_origins(Workspace(), data)
            return found[0].data if found else {}
    return {}
