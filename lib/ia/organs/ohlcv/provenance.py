"""Where a CSV came from: the SHA-256 of what went out is kept in the audit trail, so that it survives any pipe.

The same bytes may have come from several places, so each distinct origin of them is kept. What was simulated once
stays so: a copy of it that comes back through a file or a pipe does not pass for real.
"""

from collections.abc import Callable

from ia.kernel import audit, clock
from ia.kernel.digest import sha256
from ia.kernel.errors import Notify, Simulated, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.canonical import Bars, write_bars

KIND = "ohlcv.out"
_DISTINCT = ("adapter", "symbol", "adjust", "period", "host", "simulated")
PIPE = "-"
"""Stands for the adapter of what came through a pipe."""


def write_with_origin(
    ws: Workspace,
    bars: Bars,
    out: Callable[[str], object],
    *,
    inputs: tuple[str, ...] = (),
    notify: Notify = drop_message,
    **origin: object,
) -> None:
    """Write canonical CSV and keep its digest with its origin, each distinct origin once.

    inputs  digests of the bytes that the bars were made of. Where they or the output are known to be simulated, the
            origin is simulated too, and `notify` is told.
    """
    sha = sha256()

    def write_and_hash(text: str) -> None:
        sha.update(text.encode())
        out(text)

    write_bars(bars, write_and_hash)
    subject = sha.hexdigest()
    known = audit.read_event_fields(ws.db, KIND, subject, _DISTINCT)
    # A header alone is the same bytes whoever wrote it.
    invented = bars.date and (any(row[-1] for row in known) or any(_is_simulated(ws, one) for one in inputs))
    if invented and not origin.get("simulated"):
        origin["simulated"] = True
        notify(Simulated("simulated prices: a simulated market generated this data"))
    now = clock.utc_stamp(clock.now())
    if tuple(map(origin.get, _DISTINCT)) not in [row[1:] for row in known if row[0] <= now]:
        span = {"first": bars.date[0], "last": bars.date[-1]} if bars.date else {}
        audit.record(ws.db, KIND, subject, "user", **{"rows": len(bars.date), **span, **origin})


def bytes_digest(data: bytes) -> str:
    """Return what names these bytes in the audit trail."""
    return sha256(data).hexdigest()


def find_origins(ws: Workspace, data: bytes) -> list[audit.AuditEvent]:
    """Return the events that tell where these bytes came from; [] if ia did not write them (as they are).

    The most telling one comes first (a simulated market before a real one, a source before a copy of it), then the
    others, newest last. Where one is simulated, so is the first.
    """
    found = audit.find_events(ws.db, KIND, bytes_digest(data))
    if not found:
        return []
    first = found[0]
    if len(found) > 1:
        first = min(found, key=lambda event: (not event.data.get("simulated"), _is_copy(event.data.get("adapter"))))
    return [first, *(event for event in found if event is not first)]


def _is_copy(adapter: object) -> bool:
    """Return True for an adapter that tells less than others: its bytes were somewhere before."""
    from ia.organs.ohlcv.adapters import find_adapter

    if adapter == PIPE:
        return True
    known = find_adapter(str(adapter))
    return known is not None and known.local


def _is_simulated(ws: Workspace, subject: str) -> bool:
    return any(
        simulated for _, rows, simulated in audit.read_event_fields(ws.db, KIND, subject, ("rows", "simulated")) if rows
    )
