"""The main indices of the mainland: their bars are kept up to date by `ia sync`, so that reading them asks nobody."""

from typing import TYPE_CHECKING

from ia.domain.instruments.indices import MAIN_INDICES
from ia.kernel.errors import Message, NotFound, Notify, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.market.market_jobs import JobResult
from ia.organs.market.snapshot import Progress
from ia.organs.market.sources import not_delivered_error
from ia.organs.ohlcv.history import BarsRequest, load_history

if TYPE_CHECKING:
    from ia.organs.ohlcv.adapters import Adapter


def sync_indices(ws: Workspace, adapter: "Adapter", notify: Notify, progress: Progress) -> JobResult:
    """Store the bars of the main indices up to the last closed session: one series each, as `ia ohlcv` keeps them.

    A series that has the last session already costs no request. `rows` counts indices, `changed` those with a new bar.
    raises  NotDelivered where the adapter reads this disk, of which nothing is kept; Unavailable, TryLater.
    """
    if adapter.local:
        raise not_delivered_error(adapter.name, Message("indices"))
    days: dict[str, str] = {}
    missing: list[str] = []
    changed = 0
    for done, code in enumerate(MAIN_INDICES):
        progress(done, len(MAIN_INDICES))
        request = BarsRequest(symbol=code, adjust="none", adapters=(adapter.name,))
        try:
            before = _newest_stored(ws, request)
            days[code] = load_history(ws, request, drop_message).bars.date[-1]
        except NotFound:
            missing.append(code)
        else:
            changed += days[code] > before
    progress(len(MAIN_INDICES), len(MAIN_INDICES))
    if missing and not adapter.simulated:
        notify(Message("not available from {source}: {symbols}", source=adapter.name, symbols=", ".join(missing)))
    return JobResult(max(days.values(), default=""), len(days), changed)


def _newest_stored(ws: Workspace, request: BarsRequest) -> str:
    """Return the date of the last stored bar of a series; "" where none is stored."""
    try:
        return max(load_history(ws, request._replace(stale=True), drop_message).bars.date, default="")
    except NotFound:
        return ""
