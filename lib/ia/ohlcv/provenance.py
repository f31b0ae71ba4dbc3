"""Where a CSV came from: the SHA-256 of what went out is kept in the audit trail, so that it survives any pipe."""

import hashlib
from collections.abc import Callable

from ia import audit
from ia.ohlcv.canonical import Bars, write_bars
from ia.workspace import Workspace

KIND = "ohlcv.out"


def write(ws: Workspace, bars: Bars, out: Callable[[str], object], **origin: object) -> None:
    """Write canonical CSV and keep its digest with its origin. The same bytes are recorded once, when first written."""
    sha = hashlib.sha256()

    def both(text: str) -> None:
        sha.update(text.encode())
        out(text)

    write_bars(bars, both)
    if not audit.known(ws.db, KIND, sha.hexdigest()):
        span = {"first": bars.date[0], "last": bars.date[-1]} if bars.date else {}
        audit.record(ws.db, KIND, sha.hexdigest(), "user", **{"rows": len(bars.date), **span, **origin})


def find(ws: Workspace, data: bytes) -> audit.Event | None:
    """Return the event that tells where these bytes came from, or None if ia did not write them (as they are)."""
    return audit.find(ws.db, KIND, hashlib.sha256(data).hexdigest())
