"""OHLCV → compute: bars to calculate on, and which ones a session looked at last."""

import os
from typing import TYPE_CHECKING

from ia.kernel import config, files
from ia.kernel.errors import NotFound, Notify, silent
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.organs.ohlcv.history import Answer, Request


def load_bars(ws: Workspace, symbol: str, notify: Notify = silent) -> "Answer":
    """Return the daily, qfq-adjusted bars of a symbol, from the cache or fetched."""
    from ia.organs.ohlcv.history import Request, history

    return history(ws, Request(symbol), notify)


def load_last_bars(ws: Workspace, notify: Notify = silent, session: str = "") -> "Answer":
    """Return the bars of the last `ia ohlcv` of this terminal session, or those that a session saw last.

    raises  NotFound where there was none.
    """
    from ia.organs.ohlcv.history import Request, history

    try:
        with open(_session_file(ws, session), encoding="utf-8") as file:
            symbol, period, start, end, adjust, adapters = file.read().split("\n")
        request = Request(symbol, period, start or None, end or None, adjust, tuple(filter(None, adapters.split(","))))
    except (OSError, ValueError):
        raise NotFound(
            "no prices to compute on", hint="pipe them in: `ia ohlcv SYMBOL | ia compute …`, or add --symbol SYMBOL"
        ) from None
    return history(ws, request, notify)


def remember_request(ws: Workspace, request: "Request", session: str = "") -> None:
    """Remember what this session looked at last. Losing it costs a retyped symbol, so no fsync."""
    path = _session_file(ws, session)
    files.keep_file(path, "\n".join([*(field or "" for field in request[:5]), ",".join(request.adapters)]))


def _session_file(ws: Workspace, session: str = "") -> str:
    """Return the file of a session: of the given one, else of `IA_SESSION`, else of the terminal session."""
    name = session or config.env("IA_SESSION") or f"sid-{os.getsid(0)}"
    safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:80]
    return os.path.join(ws.root, ".ia", "cache", "session", safe)
