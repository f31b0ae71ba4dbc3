"""OHLCV → compute: bars to calculate on, and which ones a session looked at last."""

import os
from typing import TYPE_CHECKING

from ia.kernel import config, files
from ia.kernel.errors import NotFound, Notify, drop_message
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.organs.ohlcv.history import BarsAnswer, BarsRequest


def load_bars(ws: Workspace, symbol: str, notify: Notify = drop_message) -> "BarsAnswer":
    """Return the daily, qfq-adjusted bars of a symbol, from the cache or fetched."""
    from ia.organs.ohlcv.history import BarsRequest, load_history

    return load_history(ws, BarsRequest(symbol=symbol), notify)


def load_last_bars(ws: Workspace, notify: Notify = drop_message, session: str = "") -> "BarsAnswer":
    """Return the bars of the last `ia ohlcv` of this terminal session, or those that a session saw last.

    raises  NotFound where there was none.
    """
    from ia.organs.ohlcv.history import BarsRequest, load_history

    try:
        with open(_session_file(ws, session), encoding="utf-8") as file:
            symbol, period, start, end, adjust, adapters = file.read().split("\n")
        request = BarsRequest(
            symbol=symbol,
            period=period,
            start=start or None,
            end=end or None,
            adjust=adjust,
            adapters=tuple(filter(None, adapters.split(","))),
        )
    except (OSError, ValueError):
        raise NotFound(
            "no prices to compute with", hint="pipe prices in: `ia ohlcv SYMBOL | ia compute …`, or add --symbol SYMBOL"
        ) from None
    return load_history(ws, request, notify)


def remember_request(ws: Workspace, request: "BarsRequest", session: str = "") -> None:
    """Remember what this session looked at last. Losing it costs a retyped symbol, so no fsync."""
    path = _session_file(ws, session)
    files.keep_file(path, "\n".join([*(field or "" for field in request[:5]), ",".join(request.adapters)]))


def _session_file(ws: Workspace, session: str = "") -> str:
    """Return the file of a session: of the given one, else of `IA_SESSION`, else of the terminal session."""
    name = session or config.env("IA_SESSION") or f"sid-{os.getsid(0)}"
    safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:80]
    return os.path.join(ws.root, ".ia", "cache", "session", safe)
